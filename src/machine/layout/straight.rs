//! Computes the vertical position of each vertex in a layer.

/// Number of passes over all layers.
const SWEEPS: usize = 10;

/// Moves the vertices of each layer, whose order stays, as near as they can to the middle of their `neighbors`. Answers the
/// heights of their middles, the highest of all vertices beginning at 0.
pub(super) fn straighten(
    layers: &[Vec<usize>],
    heights: &[f32],
    gap: impl Fn(usize, usize) -> f32,
    neighbors: &[Vec<usize>],
) -> Vec<f32> {
    let mut middles = vec![0.0; heights.len()];
    // The minimum distance of each vertex below the first of its layer.
    let mut offsets = vec![0.0; heights.len()];
    for layer in layers {
        let mut offset = 0.0;
        for pair in layer.windows(2) {
            let [upper, lower] = [pair[0], pair[1]];
            offset += f32::midpoint(heights[upper], heights[lower]) + gap(upper, lower);
            offsets[lower] = offset;
        }
        for vertex in layer {
            middles[*vertex] = offsets[*vertex] - offset / 2.0;
        }
    }
    for sweep in 0..SWEEPS {
        let mut numbers: Vec<usize> = (0..layers.len()).collect();
        if sweep % 2 == 1 {
            numbers.reverse();
        }
        for layer in numbers.into_iter().map(|number| &layers[number]) {
            let targets = layer.iter().map(|vertex| {
                let neighbors = &neighbors[*vertex];
                let sum: f32 = neighbors.iter().map(|n| middles[*n]).sum();
                let target = match neighbors.len() {
                    0 => middles[*vertex],
                    count => sum / count as f32,
                };
                // Relative to the least place: then the distances hold if the heights do not fall.
                target - offsets[*vertex]
            });
            let targets: Vec<f32> = targets.collect();
            for (vertex, height) in layer.iter().zip(rising(&targets)) {
                middles[*vertex] = height + offsets[*vertex];
            }
        }
    }
    let tops = layers.iter().flatten().map(|vertex| middles[*vertex] - heights[*vertex] / 2.0);
    let top = tops.fold(f32::INFINITY, f32::min);
    for middle in &mut middles {
        *middle -= top;
    }
    middles
}

/// Returns the non-decreasing numbers that are closest to these, by the sum of squares.
fn rising(values: &[f32]) -> Vec<f32> {
    let mut pools: Vec<(f32, usize)> = Vec::new();
    for value in values {
        let mut pool = (*value, 1);
        // Pool adjacent violators: neighbours in the wrong order share their mean.
        while let Some(&(mean, count)) = pools.last()
            && mean > pool.0
        {
            pools.pop();
            let total = count + pool.1;
            pool = ((mean * count as f32 + pool.0 * pool.1 as f32) / total as f32, total);
        }
        pools.push(pool);
    }
    pools.into_iter().flat_map(|(mean, count)| std::iter::repeat_n(mean, count)).collect()
}

#[cfg(test)]
mod tests {
    use super::rising;

    #[test]
    fn what_falls_meets_in_its_middle() {
        assert_eq!(rising(&[1.0, 3.0, 1.0, 4.0]), [1.0, 2.0, 2.0, 4.0]);
        assert_eq!(rising(&[3.0, 2.0, 1.0]), [2.0, 2.0, 2.0]);
        assert_eq!(rising(&[]), [0.0; 0]);
    }
}
