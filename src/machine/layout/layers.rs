//! Assigns each vertex to a layer.

/// Finds the lines that close cycles, so that the others form none: a depth-first search marks each line that leads back
/// to a vertex of its current path. It starts at the marked vertices, then at those without incoming lines, then at the
/// others.
pub(super) fn find_back_edges(begins: &[bool], lines: &[[usize; 2]]) -> Vec<bool> {
    let count = begins.len();
    let mut leaving = vec![Vec::new(); count];
    let mut is_reached = vec![false; count];
    for (at, [from, to]) in lines.iter().enumerate() {
        leaving[*from].push(at);
        is_reached[*to] = true;
    }
    let mut turned = vec![false; lines.len()];
    let mut state = vec![Visit::New; count];
    let first = (0..count).filter(|at| begins[*at]);
    for start in first.chain((0..count).filter(|at| !is_reached[*at])).chain(0..count) {
        if state[start] != Visit::New {
            continue;
        }
        state[start] = Visit::Open;
        // A list in place of recursion: thousands of boxes in a row would overflow the stack of the thread.
        let mut path = vec![(start, 0)];
        while let Some((vertex, next)) = path.last_mut() {
            let Some(&line) = leaving[*vertex].get(*next) else {
                state[*vertex] = Visit::Done;
                path.pop();
                continue;
            };
            *next += 1;
            let to = lines[line][1];
            match state[to] {
                Visit::Open => turned[line] = true,
                Visit::Done => {}
                Visit::New => {
                    state[to] = Visit::Open;
                    path.push((to, 0));
                }
            }
        }
    }
    turned
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
    let mut leaving = vec![Vec::new(); count];
    let mut waits_for = vec![0; count];
    for [from, to] in lines {
        leaving[*from].push(*to);
        waits_for[*to] += 1;
    }
    let is_first: Vec<bool> = waits_for.iter().map(|count| *count == 0).collect();
    let mut layers: Vec<usize> = vec![0; count];
    let mut ready: Vec<usize> = (0..count).filter(|at| is_first[*at]).collect();
    let mut done = 0;
    while let Some(&from) = ready.get(done) {
        done += 1;
        for &to in &leaving[from] {
            layers[to] = layers[to].max(layers[from] + 1);
            waits_for[to] -= 1;
            if waits_for[to] == 0 {
                ready.push(to);
            }
        }
    }
    for first in (0..count).filter(|at| is_first[*at]) {
        let next = leaving[first].iter().map(|to| layers[*to]).min();
        layers[first] = next.map_or(0, |next| next.saturating_sub(1));
    }
    layers
}
