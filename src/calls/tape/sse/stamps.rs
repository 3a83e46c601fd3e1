//! Parses times before each line of a stream.

use super::CaptureTiming;
use crate::api::lines;

/// The lines of a stream with their times.
#[derive(Debug)]
pub(super) struct StampedLines<'a> {
    /// In nanoseconds.
    pub(super) lines: Vec<(f64, &'a str)>,
    pub(super) timing: CaptureTiming,
    /// When the call began, on the same clock, if known.
    pub(super) start_nanos: Option<f64>,
}

/// Times since 1970 are more than this, times since a start less.
const MIN_EPOCH_NANOS: i128 = 100_000_000 * 1_000_000_000;

/// Splits the times from the lines; `None` if there are none.
pub(super) fn read(text: &str) -> Option<StampedLines<'_>> {
    let mut stamped_lines: Vec<(Option<i128>, &str)> = Vec::new();
    let mut is_iso = false;
    for line in lines(text).skip_while(|line| line.is_empty()) {
        // Some tools leave empty lines unchanged; they still end events.
        if line.is_empty() {
            stamped_lines.push((None, line));
            continue;
        }
        let (stamp, line_text) = line.split_once([' ', '\t']).unwrap_or((line, ""));
        let iso = stamp.parse::<jiff::Timestamp>().ok();
        is_iso |= iso.is_some();
        let at = match iso {
            Some(iso) => iso.as_nanosecond(),
            // One line without a time shows that the others only look like times.
            None => decimal(stamp)?,
        };
        stamped_lines.push((Some(at), line_text));
    }
    while stamped_lines.pop_if(|(at, _)| at.is_none()).is_some() {}
    let first = stamped_lines.first()?.0?;
    // Only times since the previous line go down again.
    let is_falling = !stamped_lines.iter().filter_map(|(at, _)| *at).is_sorted();
    let timing = if is_iso {
        CaptureTiming::Iso
    } else if first > MIN_EPOCH_NANOS {
        CaptureTiming::Epoch
    } else if is_falling {
        CaptureTiming::SinceLast
    } else {
        CaptureTiming::SinceStart
    };
    let is_total = matches!(timing, CaptureTiming::SinceStart | CaptureTiming::SinceLast);
    let (mut sum, mut last) = (0, first);
    let lines = stamped_lines.into_iter().map(|(at, line)| {
        sum += at.unwrap_or_default();
        last = at.unwrap_or(last);
        // Only differences fit a number of 53 bits to the nanosecond.
        let nanos = match timing {
            CaptureTiming::SinceLast => sum,
            _ if is_total => last,
            _ => last - first,
        };
        (nanos as f64, line)
    });
    Some(StampedLines { lines: lines.collect(), timing, start_nanos: is_total.then_some(0.0) })
}

/// Parses decimal seconds to nanoseconds.
fn decimal(text: &str) -> Option<i128> {
    let (seconds, fraction) = text.split_once('.').unwrap_or((text, ""));
    let is_decimal = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
    // Twelve digits are already 30,000 years.
    if seconds.is_empty() || seconds.len() > 12 || !is_decimal(seconds) || !is_decimal(fraction) {
        return None;
    }
    let nanos = fraction.chars().chain("000000000".chars()).take(9).collect::<String>();
    Some(seconds.parse::<i128>().ok()? * 1_000_000_000 + nanos.parse::<i128>().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(text: &str) -> String {
        let Some(stamped) = read(text) else { return "none".to_owned() };
        let lines = stamped.lines.iter().map(|(at, line)| format!("{at} {line:?}"));
        format!(
            "{:?} from {:?}: {}",
            stamped.timing,
            stamped.start_nanos,
            lines.collect::<Vec<_>>().join(", ")
        )
    }

    #[test]
    fn times_before_lines_are_recognised_by_their_form() {
        insta::assert_snapshot!(times("1767225600.5 data: a\n1767225600.5 \n1767225601.25 data: b\n"), @r#"Epoch from None: 0 "data: a", 0 "", 750000000 "data: b""#);
        insta::assert_snapshot!(times("0.5 data: a\n0.5\n1.25 data: b"), @r#"SinceStart from Some(0.0): 500000000 "data: a", 500000000 "", 1250000000 "data: b""#);
        insta::assert_snapshot!(times("0.5 data: a\n0.000001\n1.25 data: b"), @r#"SinceLast from Some(0.0): 500000000 "data: a", 500001000 "", 1750001000 "data: b""#);
        insta::assert_snapshot!(times("2026-03-09T11:02:17.5Z data: a\n2026-03-09T11:02:18+00:00 \n"), @r#"Iso from None: 0 "data: a", 500000000 """#);
        assert_eq!(
            times("0.5 data: a\n\n0.7 data: b"),
            r#"SinceStart from Some(0.0): 500000000 "data: a", 500000000 "", 700000000 "data: b""#
        );
        assert_eq!(times("data: a\n"), "none");
        assert_eq!(times("0.5 data: a\ndata: b"), "none");
    }
}
