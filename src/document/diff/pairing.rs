//! Pairs the lines of a replaced range.

use super::word_diff::Weighed;

/// Lines with a lower similarity are not paired as one changed line.
const MIN_SIMILARITY: f32 = 0.4;

/// Ranges with more pairs than this are not compared completely: each line is compared only with the next few.
// 200 lines on each side; the tables of `best` have a cell for each pair.
const MAX_CELLS: usize = 40_000;

/// Number of lines compared with each line of a large range.
const WINDOW_LINES: usize = 12;

/// Budget for comparing one diff, in words: bounds the time for any input.
pub(super) struct CompareBudget(pub(super) usize);

impl CompareBudget {
    pub(super) fn new() -> Self {
        Self(30_000_000)
    }

    /// Spends `work`; returns false if the budget is not sufficient.
    pub(super) fn spend(&mut self, work: usize) -> bool {
        let left = self.0.checked_sub(work);
        self.0 = left.unwrap_or(self.0);
        left.is_some()
    }
}

/// A row of a replaced range, with the positions of its lines in the range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LinePair {
    /// The left line became the right one.
    Alike(usize, usize),
    /// Two unrelated lines at the same place.
    Beside(usize, usize),
    /// A left line without a right one.
    Left(usize),
    /// A right line without a left one.
    Right(usize),
}

/// Pairs similar lines of a replaced range in order.
pub(super) fn pair(left: &[&str], right: &[&str], budget: &mut CompareBudget) -> Vec<LinePair> {
    let [l, r]: [Vec<Weighed>; 2] =
        [left, right].map(|lines| lines.iter().map(|line| Weighed::new(line)).collect());
    let cells = l.len().saturating_mul(r.len());
    let work = |lines: &[Weighed]| lines.iter().map(Weighed::cost).sum::<usize>();
    let cost = work(&l).saturating_mul(r.len()).saturating_add(work(&r).saturating_mul(l.len()));
    let pairs = if cells <= MAX_CELLS && budget.spend(cost) {
        best(&l, &r)
    } else if budget.spend((work(&l) + work(&r)).saturating_mul(WINDOW_LINES)) {
        nearest(&l, &r)
    } else {
        Vec::new()
    };
    fill(&pairs, l.len(), r.len())
}

/// Returns the pairs with the greatest total similarity that keep both orders.
fn best(l: &[Weighed], r: &[Weighed]) -> Vec<(usize, usize)> {
    let width = r.len() + 1;
    let mut similarities = vec![0.0; l.len() * r.len()];
    // `sum[i * width + j]`: the greatest total similarity of the lines from `i` on and those from `j` on.
    let mut sum = vec![0.0f32; (l.len() + 1) * width];
    // From the end, so that the walk over the sums below begins at the first lines.
    for i in (0..l.len()).rev() {
        for j in (0..r.len()).rev() {
            let score = l[i].similarity(&r[j]);
            similarities[i * r.len() + j] = score;
            let skip = sum[(i + 1) * width + j].max(sum[i * width + j + 1]);
            let take = sum[(i + 1) * width + j + 1] + score;
            sum[i * width + j] = if score >= MIN_SIMILARITY { take.max(skip) } else { skip };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut pairs = Vec::new();
    while i < l.len() && j < r.len() {
        let score = similarities[i * r.len() + j];
        let take = sum[(i + 1) * width + j + 1] + score;
        if score >= MIN_SIMILARITY && take >= sum[(i + 1) * width + j].max(sum[i * width + j + 1]) {
            pairs.push((i, j));
            i += 1;
            j += 1;
        } else if sum[(i + 1) * width + j] >= sum[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}

/// Pairs the lines of large ranges: each left line gets the most similar of the next few right lines.
fn nearest(l: &[Weighed], r: &[Weighed]) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    let mut from = 0;
    for (i, line) in l.iter().enumerate() {
        let candidates = r.iter().enumerate().skip(from).take(WINDOW_LINES);
        let best_match = candidates
            .map(|(j, other)| (j, line.similarity(other)))
            .filter(|(_, s)| *s >= MIN_SIMILARITY)
            // The first of equally similar lines leaves the most for the lines below.
            .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
        if let Some((j, _)) = best_match {
            pairs.push((i, j));
            from = j + 1;
        }
    }
    pairs
}

/// Fills in the lines between the pairs.
fn fill(pairs: &[(usize, usize)], left: usize, right: usize) -> Vec<LinePair> {
    let mut rows = Vec::with_capacity(left.max(right));
    let (mut i, mut j) = (0, 0);
    for end in pairs.iter().copied().map(Some).chain([None]) {
        let (until_left, until_right) = end.unwrap_or((left, right));
        while i < until_left && j < until_right {
            rows.push(LinePair::Beside(i, j));
            i += 1;
            j += 1;
        }
        rows.extend((i..until_left).map(LinePair::Left));
        rows.extend((j..until_right).map(LinePair::Right));
        (i, j) = (until_left, until_right);
        if end.is_some() {
            rows.push(LinePair::Alike(i, j));
            (i, j) = (i + 1, j + 1);
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_lines_are_paired() {
        let left =
            ["classify -\"known issue\"-> respond;", "classify -\"needs a person\"-> escalate;"];
        let right = [
            "classify -\"known issue\"-> reply;",
            "classify -\"wants money back\"-> refund;",
            "classify -\"needs a person\"-> close;",
        ];
        let rows = pair(&left, &right, &mut CompareBudget::new());
        assert_eq!(rows, [LinePair::Alike(0, 0), LinePair::Right(1), LinePair::Alike(1, 2)]);
    }

    #[test]
    fn lines_that_have_nothing_in_common_are_only_beside_each_other() {
        let rows = pair(&["alpha beta", "gamma"], &["one two"], &mut CompareBudget::new());
        assert_eq!(rows, [LinePair::Beside(0, 0), LinePair::Left(1)]);
    }

    #[test]
    fn without_budget_lines_are_put_side_by_side_as_they_come() {
        let rows = pair(&["a b", "c d"], &["c d e"], &mut CompareBudget(0));
        assert_eq!(rows, [LinePair::Beside(0, 0), LinePair::Left(1)]);
    }
}
