//! When a request is sent again, and how long Retake waits before that.

use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822;

use super::FetchError;

/// Next step after a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResponseAction {
    /// Use the response.
    Answer,
    /// Retry after this time.
    Retry(Duration),
    Fail(FetchError),
}

/// Maximum number of tries of a request.
const MAX_TRIES: u32 = 5;

/// Maximum number of tries of a request that gets no response. Fewer: a wrong address is more likely than a server that restarts.
const MAX_CONNECTION_TRIES: u32 = 3;

/// The longest wait between two tries, even if `Retry-After` is longer.
const MAX_WAIT: Duration = Duration::from_secs(60);

/// Decides what to do after a response with this status at the given attempt, from 1. `retry_after` is what
/// [`retry_after`] returned, `random` any number.
pub fn response_action(
    status: u16,
    attempt: u32,
    retry_after: Option<Duration>,
    random: u32,
) -> ResponseAction {
    match status {
        200..300 => ResponseAction::Answer,
        401 | 403 => ResponseAction::Fail(FetchError::Key(status)),
        404 => ResponseAction::Fail(FetchError::NoRun),
        429 | 500.. if attempt < MAX_TRIES => ResponseAction::Retry(
            retry_after.unwrap_or_else(|| backoff(attempt, random)).min(MAX_WAIT),
        ),
        429 | 500.. => ResponseAction::Fail(FetchError::Busy { status, tries: attempt }),
        _ => ResponseAction::Fail(FetchError::Status(status)),
    }
}

/// Returns how long to wait after the connection was lost at the given attempt, from 1; `None` if it is not tried again.
pub fn wait_for_connection(attempt: u32, random: u32) -> Option<Duration> {
    (attempt < MAX_CONNECTION_TRIES).then(|| backoff(attempt, random) / 2)
}

/// Returns a wait that doubles with each attempt. Up to half of it is random, so that programs that were refused together do
/// not come back together.
fn backoff(attempt: u32, random: u32) -> Duration {
    // At most 64 seconds: beyond that the longest wait applies, and the shift must not overflow.
    let wait = Duration::from_secs(1 << (attempt - 1).min(6));
    let share = f64::from(random) / f64::from(u32::MAX);
    wait.mul_f64(1.0 - share / 2.0)
}

/// Parses the header `Retry-After`: a number of seconds or an HTTP date. A date in the past is no wait.
pub fn retry_after(header: &str, now: Timestamp) -> Option<Duration> {
    let header = header.trim();
    if let Ok(seconds) = header.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = rfc2822::DateTimeParser::new().parse_timestamp(header).ok()?;
    Some(Duration::try_from(date.duration_since(now)).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_busy_server_is_retried_a_limited_number_of_times() {
        let action = |status, attempt, wait| response_action(status, attempt, wait, 0);
        assert_eq!(action(429, 1, Some(7 * SECOND)), ResponseAction::Retry(7 * SECOND));
        assert_eq!(action(503, 3, None), ResponseAction::Retry(4 * SECOND));
        assert_eq!(action(500, 1, Some(86_400 * SECOND)), ResponseAction::Retry(MAX_WAIT));
        let failed = [action(429, MAX_TRIES, None), action(401, 1, None)];
        assert!(failed.iter().all(|action| matches!(action, ResponseAction::Fail(_))));
        assert_eq!(action(200, 1, None), ResponseAction::Answer);
    }

    #[test]
    fn waits_differ_by_up_to_half() {
        let waits = [0, u32::MAX].map(|random| response_action(503, 4, None, random));
        assert_eq!(waits, [8, 4].map(|wait| ResponseAction::Retry(wait * SECOND)));
        let waits = [1, 2, 3].map(|attempt| wait_for_connection(attempt, 0));
        assert_eq!(waits, [Some(SECOND / 2), Some(SECOND), None]);
    }

    #[test]
    fn retry_after_is_a_number_of_seconds_or_a_date() {
        let now: Timestamp = "2026-03-01T10:00:00Z".parse().unwrap();
        for (header, seconds) in [
            (" 7 ", Some(7)),
            ("Sun, 01 Mar 2026 10:00:30 GMT", Some(30)),
            ("Sun, 01 Mar 2026 09:00:00 GMT", Some(0)),
            ("soon", None),
            ("-1", None),
        ] {
            let wait = seconds.map(Duration::from_secs);
            assert_eq!(retry_after(header, now), wait, "{header}");
        }
    }
}
