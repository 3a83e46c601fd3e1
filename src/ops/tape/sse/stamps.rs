//! Times that stand before each line of a stream.

use super::lines::lines;
use super::{Timing, nanos};

/// The lines of a stream with the times that stood before them.
#[derive(Debug)]
pub(super) struct Stamped<'a> {
    /// In nanoseconds.
    pub(super) lines: Vec<(f64, &'a str)>,
    pub(super) timing: Timing,
    /// When the call began, in the same time, if that is known.
    pub(super) start_nanos: Option<f64>,
}

/// Seconds since 1970 are more than this, seconds since a start less.
const LEAST_EPOCH: f64 = 1e8;

/// Takes the times from the lines; `None` where there are none.
pub(super) fn read(text: &str) -> Option<Stamped<'_>> {
    let mut stamped = Vec::new();
    let mut is_iso = false;
    for line in lines(text).filter(|line| !line.is_empty()) {
        let (stamp, rest) = line.split_once([' ', '\t']).unwrap_or((line, ""));
        let iso = stamp.parse::<jiff::Timestamp>().ok();
        is_iso |= iso.is_some();
        let at = match iso {
            // What is lost of a time since 1970 in nanoseconds is a fraction of a microsecond.
            Some(iso) => iso.as_nanosecond() as f64,
            None => nanos(
                stamp
                    .parse()
                    .ok()
                    .filter(|seconds: &f64| seconds.is_finite() && *seconds >= 0.0)?,
            ),
        };
        stamped.push((at, rest));
    }
    let &(first, _) = stamped.first()?;
    let falls = stamped.windows(2).any(|pair| pair[1].0 < pair[0].0);
    let timing = match is_iso {
        true => Timing::Iso,
        false if first > nanos(LEAST_EPOCH) => Timing::Epoch,
        false if falls => Timing::SinceLast,
        false => Timing::SinceStart,
    };
    if timing == Timing::SinceLast {
        let mut sum = 0.0;
        for (at, _) in &mut stamped {
            sum += *at;
            *at = sum;
        }
    }
    let since_start = matches!(timing, Timing::SinceStart | Timing::SinceLast);
    Some(Stamped {
        lines: stamped,
        timing,
        start_nanos: since_start.then_some(0.0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(text: &str) -> String {
        let Some(stamped) = read(text) else {
            return "none".to_owned();
        };
        let lines = stamped
            .lines
            .iter()
            .map(|(at, line)| format!("{at} {line:?}"));
        format!(
            "{:?} from {:?}: {}",
            stamped.timing,
            stamped.start_nanos,
            lines.collect::<Vec<_>>().join(", ")
        )
    }

    #[test]
    fn times_before_lines_are_told_by_how_they_look() {
        insta::assert_snapshot!(times("1767225600.5 data: a\n1767225600.5 \n1767225601.25 data: b\n"), @r#"Epoch from None: 1767225600500000000 "data: a", 1767225600500000000 "", 1767225601250000000 "data: b""#);
        insta::assert_snapshot!(times("0.5 data: a\n0.5\n1.25 data: b"), @r#"SinceStart from Some(0.0): 500000000 "data: a", 500000000 "", 1250000000 "data: b""#);
        insta::assert_snapshot!(times("0.5 data: a\n0.000001\n1.25 data: b"), @r#"SinceLast from Some(0.0): 500000000 "data: a", 500001000 "", 1750001000 "data: b""#);
        insta::assert_snapshot!(times("2026-03-09T11:02:17.5Z data: a\n2026-03-09T11:02:18+00:00 \n"), @r#"Iso from None: 1773054137500000000 "data: a", 1773054138000000000 """#);
        assert_eq!(times("data: a\n"), "none");
        assert_eq!(times("0.5 data: a\ndata: b"), "none");
    }
}
