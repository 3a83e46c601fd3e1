//! Assigns each vertex to a layer.

/// Finds the lines that close cycles, so that the others form none: a depth-first search marks each line that leads back
/// to a vertex of its current path. It starts at the marked vertices, then at those without incoming lines, then at the
/// others.
pub(super) fn find_back_edges(is_start: &[bool], lines: &[[usize; 2]]) -> Vec<bool> {
    let count = is_start.len();
    let mut outgoing_lines = vec![Vec::new(); count];
    let mut is_reached = vec![false; count];
    for (at, [from, to]) in lines.iter().enumerate() {
        outgoing_lines[*from].push(at);
        is_reached[*to] = true;
    }
    let mut is_back_edge = vec![false; lines.len()];
    let mut state = vec![Visit::New; count];
    let starts = (0..count).filter(|at| is_start[*at]);
    for start in starts.chain((0..count).filter(|at| !is_reached[*at])).chain(0..count) {
        if state[start] != Visit::New {
            continue;
        }
        state[start] = Visit::Open;
        // A list in place of recursion: thousands of boxes in a row would overflow the stack of the thread.
        let mut path = vec![(start, 0)];
        while let Some((vertex, next)) = path.last_mut() {
            let Some(&line) = outgoing_lines[*vertex].get(*next) else {
                state[*vertex] = Visit::Done;
                path.pop();
                continue;
            };
            *next += 1;
            let to = lines[line][1];
            match state[to] {
                Visit::Open => is_back_edge[line] = true,
                Visit::Done => {}
                Visit::New => {
                    state[to] = Visit::Open;
                    path.push((to, 0));
                }
            }
        }
    }
    is_back_edge
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Visit {
    New,
    Open,
    Done,
}

/// Places each vertex after all that lead to it; a vertex without incoming lines right before its first target. `lines`
/// contain no cycle.
pub(super) fn layers(count: usize, lines: &[[usize; 2]]) -> Vec<usize> {
    let mut targets = vec![Vec::new(); count];
    let mut incoming_counts = vec![0; count];
    for [from, to] in lines {
        targets[*from].push(*to);
        incoming_counts[*to] += 1;
    }
    let is_first: Vec<bool> = incoming_counts.iter().map(|count| *count == 0).collect();
    let mut layers: Vec<usize> = vec![0; count];
    let mut queue: Vec<usize> = (0..count).filter(|at| is_first[*at]).collect();
    let mut position = 0;
    while let Some(&from) = queue.get(position) {
        position += 1;
        for &to in &targets[from] {
            layers[to] = layers[to].max(layers[from] + 1);
            incoming_counts[to] -= 1;
            if incoming_counts[to] == 0 {
                queue.push(to);
            }
        }
    }
    for first in (0..count).filter(|at| is_first[*at]) {
        let next = targets[first].iter().map(|to| layers[*to]).min();
        layers[first] = next.map_or(0, |next| next.saturating_sub(1));
    }
    layers
}
