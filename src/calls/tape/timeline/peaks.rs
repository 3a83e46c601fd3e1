//! Range maximum queries in logarithmic time.

use std::ops::Range;

/// Number of entries of a level that one entry of the next level covers.
const FANOUT: usize = 16;

/// Numbers with a pyramid of maxima.
#[derive(Clone, Debug, Default)]
pub(super) struct Peaks<T> {
    /// The numbers, then the maximum of each sixteen, and so on.
    steps: Vec<Vec<T>>,
}

impl<T: Copy + PartialOrd> Peaks<T> {
    pub(super) fn new(numbers: Vec<T>) -> Self {
        let mut steps = vec![numbers];
        while let Some(step) = steps.last().filter(|step| step.len() > FANOUT) {
            steps.push(step.chunks(FANOUT).filter_map(|g| highest(g)).collect());
        }
        Self { steps }
    }

    /// Returns the maximum at these indices.
    pub(super) fn highest(&self, range: Range<usize>) -> Option<T> {
        let mut best = None;
        let mut range = range;
        for (index, step) in self.steps.iter().enumerate() {
            let is_top = index + 1 == self.steps.len();
            let (start, end) = (range.start.min(step.len()), range.end.min(step.len()));
            let (first, last) = (start.next_multiple_of(FANOUT), end / FANOUT * FANOUT);
            // Without a whole entry of the next level inside, going up would skip numbers.
            if is_top || first >= last {
                return higher(best, step.get(start..end).and_then(highest));
            }
            best = higher(best, highest(&step[start..first]));
            best = higher(best, highest(&step[last..end]));
            range = first / FANOUT..last / FANOUT;
        }
        best
    }

    /// Calls `report` for every number at these indices that is not below `min`, in order.
    pub(super) fn at_least(&self, min: T, range: Range<usize>, report: &mut impl FnMut(usize, T)) {
        if let Some(top) = self.steps.len().checked_sub(1) {
            self.descend(top, 0..self.steps[top].len(), min, &range, report);
        }
    }

    fn descend(
        &self,
        step: usize,
        indices: Range<usize>,
        min: T,
        range: &Range<usize>,
        report: &mut impl FnMut(usize, T),
    ) {
        let width = FANOUT.pow(step as u32);
        // Only what reaches into the range.
        let indices =
            indices.start.max(range.start / width)..indices.end.min(range.end.div_ceil(width));
        for index in indices {
            let Some(n) = self.steps[step].get(index).copied().filter(|n| *n >= min) else {
                continue;
            };
            match step.checked_sub(1) {
                None => report(index, n),
                Some(lower_step) => {
                    self.descend(
                        lower_step,
                        index * FANOUT..(index + 1) * FANOUT,
                        min,
                        range,
                        report,
                    );
                }
            }
        }
    }
}

fn highest<T: Copy + PartialOrd>(numbers: &[T]) -> Option<T> {
    numbers.iter().copied().fold(None, |best, number| higher(best, Some(number)))
}

fn higher<T: PartialOrd>(a: Option<T>, b: Option<T>) -> Option<T> {
    match (a, b) {
        (Some(a), Some(b)) if b > a => Some(b),
        (Some(a), _) => Some(a),
        (None, b) => b,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(document::text::cases(256))]

        #[test]
        fn the_pyramid_knows_what_looking_at_all_finds(numbers in prop::collection::vec(0u32..100, 0..700), a in 0usize..800, b in 0usize..800, least in 0u32..110) {
            let range = a.min(b)..a.max(b);
            let within = |index: &usize| range.contains(index);
            let peaks = Peaks::new(numbers.clone());
            let all: Vec<usize> = (0..numbers.len()).filter(within).collect();
            prop_assert_eq!(peaks.highest(range.clone()), all.iter().map(|index| numbers[*index]).max());
            let mut found = Vec::new();
            peaks.at_least(least, range.clone(), &mut |index, number| found.push((index, number)));
            let high: Vec<(usize, u32)> = all.iter().map(|index| (*index, numbers[*index])).filter(|(_, number)| *number >= least).collect();
            prop_assert_eq!(found, high);
        }
    }
}
