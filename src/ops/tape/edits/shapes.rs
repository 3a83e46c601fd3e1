//! Timings for testing a client.

use std::ops::Range;

use super::DelayShape;
use super::editor::TapeEditor;
use crate::ops::edit::EditRefusal;
use crate::ops::tape::timing::SECOND;

pub(super) fn apply(
    editor: &mut TapeEditor<'_>,
    chunks: Range<usize>,
    shape: DelayShape,
) -> Result<(), EditRefusal> {
    editor.check_range(&chunks)?;
    let is_whole = editor.are_whole(&chunks);
    let delays: Vec<f64> =
        editor.tape.chunks[chunks.clone()].iter().map(|chunk| chunk.delay_nanos).collect();
    let new = match shape {
        DelayShape::SlowStart { first_nanos } => slow_start(delays, |_| first_nanos),
        DelayShape::Stall { nanos } => {
            editor.check_above_zero(nanos, "The stall")?;
            slow_start(delays, |delay| delay + nanos)
        }
        DelayShape::Burst { chunks: 0 | 1 } => {
            return Err(editor.refuse("A burst needs at least two chunks"));
        }
        DelayShape::Burst { chunks } => burst(&delays, chunks),
        DelayShape::Jitter { most_nanos, seed } => {
            editor.check_above_zero(most_nanos, "The jitter")?;
            jitter(&delays, most_nanos, seed)
        }
        DelayShape::Network { latency_nanos, bytes_per_second } => {
            editor.check_delay(latency_nanos)?;
            editor.check_above_zero(bytes_per_second, "The rate")?;
            let sizes = editor.tape.chunks[chunks.clone()].iter().map(|chunk| chunk.text.len());
            let took = sizes.map(|bytes| bytes as f64 / bytes_per_second * SECOND);
            network(&delays, took, latency_nanos)
        }
    };
    for (index, nanos) in chunks.zip(new) {
        let nanos = if is_whole { nanos.round() } else { nanos };
        editor.check_delay(nanos)?;
        editor.set_delay(index, nanos);
    }
    Ok(())
}

/// Replaces the first delay.
fn slow_start(mut delays: Vec<f64>, new: impl Fn(f64) -> f64) -> Vec<f64> {
    if let Some(delay) = delays.first_mut() {
        *delay = new(*delay);
    }
    delays
}

/// Groups chunks: the first of each group has the delay of all.
fn burst(delays: &[f64], size: usize) -> Vec<f64> {
    let burst = |some: &[f64]| {
        let mut new = vec![0.0; some.len()];
        new[0] = some.iter().sum();
        new
    };
    delays.chunks(size).flat_map(burst).collect()
}

fn jitter(delays: &[f64], most: f64, seed: u64) -> Vec<f64> {
    let mut random = Random(seed);
    let vary = |delay: &f64| (delay + most * (2.0 * random.unit() - 1.0)).max(0.0);
    delays.iter().map(vary).collect()
}

/// Each chunk is sent when it is available and those before it are sent, and arrives later by the latency.
fn network(delays: &[f64], took: impl Iterator<Item = f64>, latency: f64) -> Vec<f64> {
    let (mut ready, mut sent, mut came) = (0.0_f64, 0.0_f64, 0.0);
    let mut new = Vec::with_capacity(delays.len());
    for (delay, took) in delays.iter().zip(took) {
        ready += delay;
        sent = ready.max(sent) + took;
        // Times are rounded, not delays: so what is rounded off does not add up.
        let arrival = (sent + latency).round();
        new.push(arrival - came);
        came = arrival;
    }
    new
}

/// Numbers that look random and are the same for the same seed (SplitMix64).
struct Random(u64);

impl Random {
    /// From 0 up to, not including, 1.
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^= bits >> 31;
        // As many bits as the fraction of a number can hold.
        (bits >> 11) as f64 / (1_u64 << 53) as f64
    }
}
