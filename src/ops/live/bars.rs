//! The chunks of an answer over time, in few enough columns to be shown in a table row.

/// Arrival times and lengths of chunks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkBars {
    /// Duration of a column: a power of two of milliseconds.
    width_nanos: u64,
    /// The longest chunk of each column, in characters; 0 if none arrived. A chunk without text counts as 1.
    columns: Vec<u32>,
}

/// Maximum number of columns.
const MOST: usize = 256;

impl Default for ChunkBars {
    fn default() -> Self {
        Self { width_nanos: 1_000_000, columns: Vec::new() }
    }
}

impl ChunkBars {
    /// Adds a chunk of `chars` characters that arrived `at_nanos` nanoseconds after the call.
    pub fn add(&mut self, at_nanos: u64, chars: usize) {
        while at_nanos / self.width_nanos >= MOST as u64 {
            self.halve();
        }
        let column = usize::try_from(at_nanos / self.width_nanos).unwrap_or(MOST - 1);
        if self.columns.len() <= column {
            self.columns.resize(column + 1, 0);
        }
        if let Some(longest) = self.columns.get_mut(column) {
            let chars = u32::try_from(chars).unwrap_or(u32::MAX);
            *longest = chars.max(*longest).max(1);
        }
    }

    /// Doubles the duration of a column.
    fn halve(&mut self) {
        self.width_nanos = self.width_nanos.saturating_mul(2);
        let pairs = self.columns.chunks(2);
        self.columns = pairs.map(|pair| pair.iter().copied().max().unwrap_or_default()).collect();
    }

    /// Returns for each non-empty column its time, in nanoseconds since the call arrived, and its longest chunk as a
    /// share of the longest one of all.
    pub fn marks(&self) -> impl Iterator<Item = (u64, f32)> {
        let longest = self.columns.iter().copied().max().unwrap_or(1) as f32;
        let columns = self.columns.iter().enumerate();
        columns.filter(|(_, chars)| **chars > 0).map(move |(column, chars)| {
            let at = column as u64 * self.width_nanos;
            (at, *chars as f32 / longest)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(chunks: impl IntoIterator<Item = (u64, usize)>) -> Vec<(u64, f32)> {
        let mut bars = ChunkBars::default();
        for (millis, chars) in chunks {
            bars.add(millis * 1_000_000, chars);
        }
        let marks = bars.marks();
        marks.map(|(nanos, share)| (nanos / 1_000_000, share)).collect()
    }

    #[test]
    fn each_chunk_is_a_mark_at_its_time() {
        assert_eq!(marks([(0, 10), (3, 0), (200, 20)]), [(0, 0.5), (3, 0.05), (200, 1.0)]);
    }

    #[test]
    fn what_takes_long_has_coarser_columns_and_never_more_of_them() {
        assert_eq!(marks([(1, 4), (2, 8), (1000, 2)]), [(0, 1.0), (1000, 0.25)]);
        let million = marks((0..1_000_000).map(|at| (at, 1)));
        assert!(million.len() <= MOST, "{}", million.len());
    }

    #[test]
    fn no_time_is_too_late() {
        let mut bars = ChunkBars::default();
        bars.add(u64::MAX, usize::MAX);
        assert_eq!(bars.marks().count(), 1);
    }
}
