//! Sorts the vertices of each layer.

/// Number of passes over all layers.
const SWEEPS: usize = 12;

/// Moves each vertex of a layer to the median of its neighbours in the previous (or next) layer, repeatedly, and
/// keeps the order with the fewest crossings. `layers` lists the vertices of each layer; `lines` lead from one layer to
/// the next.
pub(super) fn order(layers: &mut Vec<Vec<usize>>, count: usize, lines: &[[usize; 2]]) {
    let mut neighbors = [vec![Vec::new(); count], vec![Vec::new(); count]];
    for [from, to] in lines {
        neighbors[0][*to].push(*from);
        neighbors[1][*from].push(*to);
    }
    let mut places = vec![0; count];
    let mut best = (crossings(layers, &neighbors[1], &mut places), layers.clone());
    for sweep in 0..SWEEPS {
        if best.0 == 0 {
            break;
        }
        let side = sweep % 2;
        let mut numbers: Vec<usize> = (0..layers.len()).collect();
        if side == 1 {
            numbers.reverse();
        }
        for layer in numbers {
            sort(&mut layers[layer], &neighbors[side], &places);
            for (place, vertex) in layers[layer].iter().enumerate() {
                places[*vertex] = place;
            }
        }
        let crossings = crossings(layers, &neighbors[1], &mut places);
        // A sweep may also make it worse.
        if crossings < best.0 {
            best = (crossings, layers.clone());
        }
    }
    *layers = best.1;
}

/// Sorts a layer by the middle of each vertex's neighbours. One without any stays where it is.
fn sort(layer: &mut Vec<usize>, neighbors: &[Vec<usize>], places: &[usize]) {
    let middle = |vertex: usize| {
        let neighbors = &neighbors[vertex];
        let sum: usize = neighbors.iter().map(|n| places[*n]).sum();
        match neighbors.len() {
            0 => places[vertex] as f32,
            count => sum as f32 / count as f32,
        }
    };
    let mut middles: Vec<(f32, usize)> = layer.iter().map(|at| (middle(*at), *at)).collect();
    // Stable, so that equal vertices do not swap their places in every sweep.
    middles.sort_by(|a, b| a.0.total_cmp(&b.0));
    *layer = middles.into_iter().map(|(_, vertex)| vertex).collect();
}

/// Counts how often lines cross; `places` are then those of this order.
fn crossings(layers: &[Vec<usize>], neighbors: &[Vec<usize>], places: &mut [usize]) -> usize {
    for layer in layers {
        for (place, vertex) in layer.iter().enumerate() {
            places[*vertex] = place;
        }
    }
    let count_crossings = |layer: &Vec<usize>| {
        let mut earlier_ends: Vec<usize> = Vec::new();
        let mut count = 0;
        for vertex in layer {
            let mut ends: Vec<usize> = neighbors[*vertex].iter().map(|to| places[*to]).collect();
            ends.sort_unstable();
            for end in &ends {
                count += earlier_ends.len() - earlier_ends.partition_point(|e| e <= end);
            }
            earlier_ends.extend(ends);
            earlier_ends.sort_unstable();
        }
        count
    };
    layers.iter().map(count_crossings).sum()
}
