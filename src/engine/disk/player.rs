//! Plays chunks in real time: each at its time from the start, so that delays do not add up.

use std::io;
use std::time::{Duration, Instant};

/// Time before its end at which a wait stops sleeping and polls the clock: a sleep ends about a tenth of a
/// millisecond late, or more under load.
const SPIN_TIME: Duration = Duration::from_micros(200);

/// A clock that was started.
pub trait PlayClock {
    /// Nanoseconds since the start.
    fn now(&self) -> u64;

    /// Waits until the given number of nanoseconds after the start.
    fn wait_until(&mut self, nanos: u64);
}

/// The computer's monotonic clock.
#[derive(Debug)]
pub struct Monotonic(Instant);

impl Monotonic {
    /// Starts now.
    pub fn start() -> Self {
        Self(Instant::now())
    }
}

impl PlayClock for Monotonic {
    fn now(&self) -> u64 {
        u64::try_from(self.0.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    fn wait_until(&mut self, nanos: u64) {
        loop {
            let remaining_time = Duration::from_nanos(nanos.saturating_sub(self.now()));
            match remaining_time.checked_sub(SPIN_TIME) {
                _ if remaining_time.is_zero() => return,
                // A sleep may end early on some systems; the loop continues then.
                Some(sleep) if !sleep.is_zero() => std::thread::sleep(sleep),
                _ => std::hint::spin_loop(),
            }
        }
    }
}

/// Calls `chunk` for each chunk at its time, with its index and the actual time. Chunks that are already due are called at
/// once, in order.
///
/// # Errors
///
/// The first error of `chunk`, which ends the playback.
pub fn play(
    due_nanos: &[u64],
    clock: &mut impl PlayClock,
    mut chunk: impl FnMut(usize, u64) -> io::Result<()>,
) -> io::Result<()> {
    for (index, nanos) in due_nanos.iter().enumerate() {
        clock.wait_until(*nanos);
        chunk(index, clock.now())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A clock that moves only by being waited for, and then is late.
    struct Late {
        now: u64,
        late: u64,
    }

    impl PlayClock for Late {
        fn now(&self) -> u64 {
            self.now
        }

        fn wait_until(&mut self, nanos: u64) {
            if self.now < nanos {
                self.now = nanos + self.late;
            }
        }
    }

    #[test]
    fn lateness_does_not_add_up() {
        let due_nanos: Vec<u64> = (1..=2000).map(|chunk| chunk * 1000).collect();
        let mut clock = Late { now: 0, late: 300 };
        let mut worst = 0;
        let result = play(&due_nanos, &mut clock, |index, nanos| {
            worst = worst.max(nanos - due_nanos[index]);
            Ok(())
        });
        assert!(result.is_ok());
        assert_eq!(worst, 300);
    }

    #[test]
    fn what_is_due_already_comes_at_once_and_in_order() {
        let mut clock = Late { now: 50, late: 0 };
        let mut chunks = Vec::new();
        let result = play(&[10, 20, 20, 60, 70], &mut clock, |index, nanos| {
            chunks.push((index, nanos));
            match index {
                3 => Err(io::ErrorKind::BrokenPipe.into()),
                _ => Ok(()),
            }
        });
        assert_eq!(chunks, [(0, 50), (1, 50), (2, 50), (3, 60)]);
        assert!(result.is_err());
    }
}
