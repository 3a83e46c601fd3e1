//! Computes the vertical position of each vertex in a layer.

/// Number of passes over all layers.
const SWEEPS: usize = 10;

/// Moves the vertices of each layer, whose order stays, as near as they can to the middle of those `beside` them. Answers the
/// heights of their middles, the highest of all vertices beginning at 0.
pub(super) fn straighten(
    layers: &[Vec<usize>],
    heights: &[f32],
    gap: impl Fn(usize, usize) -> f32,
    beside: &[Vec<usize>],
) -> Vec<f32> {
    let mut middles = vec![0.0; heights.len()];
    // The minimum distance of each vertex below the first of its layer.
    let mut least = vec![0.0; heights.len()];
    for layer in layers {
        let mut below = 0.0;
        for pair in layer.windows(2) {
            let [upper, lower] = [pair[0], pair[1]];
            below += f32::midpoint(heights[upper], heights[lower]) + gap(upper, lower);
            least[lower] = below;
        }
        for vertex in layer {
            middles[*vertex] = least[*vertex] - below / 2.0;
        }
    }
    for sweep in 0..SWEEPS {
        let mut numbers: Vec<usize> = (0..layers.len()).collect();
        if sweep % 2 == 1 {
            numbers.reverse();
        }
        for layer in numbers.into_iter().map(|number| &layers[number]) {
            let wanted = layer.iter().map(|vertex| {
                let beside = &beside[*vertex];
                let sum: f32 = beside.iter().map(|other| middles[*other]).sum();
                let wanted = match beside.len() {
                    0 => middles[*vertex],
                    many => sum / many as f32,
                };
                // Relative to the least place: then the distances hold if the heights do not fall.
                wanted - least[*vertex]
            });
            let wanted: Vec<f32> = wanted.collect();
            for (vertex, height) in layer.iter().zip(rising(&wanted)) {
                middles[*vertex] = height + least[*vertex];
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
fn rising(wanted: &[f32]) -> Vec<f32> {
    let mut pools: Vec<(f32, usize)> = Vec::new();
    for value in wanted {
        let mut pool = (*value, 1);
        // Pool adjacent violators: neighbours in the wrong order share their mean.
        while let Some(&(mean, count)) = pools.last()
            && mean > pool.0
        {
            pools.pop();
            let all = count + pool.1;
            pool = ((mean * count as f32 + pool.0 * pool.1 as f32) / all as f32, all);
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
