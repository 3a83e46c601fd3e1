//! The filter of runs in an export, as it is typed.

use jiff::Timestamp;

use super::{Filter, RunStatus};
use document::time::{parse_time, start_of_range};

/// A filter of runs while it is being typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunFilter {
    /// The status of the run.
    pub status: RunStatus,
    /// The start time: a date, a time, or a range such as `last_7_days`.
    pub since: String,
    /// The end time.
    pub until: String,
    /// The minimum duration, in milliseconds.
    pub least: String,
    /// The maximum duration, in milliseconds.
    pub most: String,
}

impl RunFilter {
    /// Returns the parsed filter; empty or invalid fields filter nothing.
    pub fn filter(&self, now: Timestamp) -> Filter {
        let millis = |text: &str| text.trim().parse().ok();
        Filter {
            status: self.status,
            from: start_time(&self.since, now),
            until: start_time(&self.until, now),
            min_latency_ms: millis(&self.least),
            max_latency_ms: millis(&self.most),
        }
    }

    /// Whether all fields that are not empty are valid.
    pub fn is_understood(&self) -> bool {
        // Any time will do, since only the syntax is checked.
        let now = Timestamp::UNIX_EPOCH;
        let is_time = |text: &str| text.trim().is_empty() || start_time(text, now).is_some();
        let is_millis = |text: &str| text.trim().is_empty() || text.trim().parse::<i64>().is_ok();
        is_time(&self.since)
            && is_time(&self.until)
            && is_millis(&self.least)
            && is_millis(&self.most)
    }
}

/// Returns the start of a date, a time, or a range that ends now.
pub(super) fn start_time(text: &str, now: Timestamp) -> Option<Timestamp> {
    start_of_range(text, now).or_else(|| parse_time(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_halfway_filters_nothing() {
        let now = parse_time("2026-06-12T10:00:00Z").unwrap();
        let mut run_filter = RunFilter {
            since: "2026-06-1".to_owned(),
            least: "1s".to_owned(),
            ..RunFilter::default()
        };
        assert!(!run_filter.is_understood());
        assert_eq!(run_filter.filter(now), Filter::default());
        run_filter.since = "last_2_days".to_owned();
        run_filter.least = " 1000".to_owned();
        assert!(run_filter.is_understood());
        let filter = run_filter.filter(now);
        assert_eq!(filter.from, parse_time("2026-06-10T10:00:00Z"));
        assert_eq!(filter.min_latency_ms, Some(1000));
    }
}
