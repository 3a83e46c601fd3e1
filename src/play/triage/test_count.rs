//! Numbers of tests that runners print at the end of a run.

use super::junit;
use crate::run_log::without_escapes;

/// Number of tests of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TestCount {
    pub failed: usize,
    /// Number of those that passed or failed.
    pub total: usize,
    /// Number of those that were not run.
    pub skipped: usize,
}

impl TestCount {
    /// Reads the last lines of vitest, jest and pytest in a log, or a JUnit report; `None` without any.
    pub fn read(text: &str) -> Option<Self> {
        if junit::looks_like_junit(text) {
            return junit::count(text);
        }
        text.lines().filter_map(|line| Self::of_summary(&without_escapes(line))).reduce(Self::and)
    }

    /// Adds the tests of another part of the run.
    pub fn and(self, other: Self) -> Self {
        Self {
            failed: self.failed.saturating_add(other.failed),
            total: self.total.saturating_add(other.total),
            skipped: self.skipped.saturating_add(other.skipped),
        }
    }

    /// Parses `Tests  2 failed | 1 passed (3)`, `Tests: 1 failed, 2 passed, 3 total` or `== 3 failed, 9 passed in 5.16s ==`.
    fn of_summary(line: &str) -> Option<Self> {
        let line = line.trim_matches(['=', ' ']);
        let counts = match line.strip_prefix("Tests") {
            Some(rest) => rest.trim_start_matches(':').trim_start(),
            None => {
                let (counts, time) = line.split_once(" in ")?;
                let seconds = time.split_once('s')?.0;
                seconds.parse::<f64>().ok().map(|_| counts)?
            }
        };
        let mut count = Self::default();
        for part in counts.split([',', '|']) {
            let mut words = part.split_whitespace();
            let number: usize = words.next()?.parse().ok()?;
            match words.next()? {
                "failed" | "error" | "errors" => {
                    count.failed = count.failed.saturating_add(number);
                }
                "passed" | "xfailed" | "xpassed" => {
                    count.total = count.total.saturating_add(number);
                }
                "skipped" => count.skipped = count.skipped.saturating_add(number),
                "deselected" | "todo" | "total" | "warning" | "warnings" | "rerun" => {}
                _ => return None,
            }
        }
        count.total = count.total.saturating_add(count.failed);
        (count.total > 0).then_some(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_of_runners_are_counted() {
        let most = usize::MAX;
        let parts =
            format!("{most} passed, {most} failed, 1 error, 1 passed in 2s\n1 failed in 1s");
        let table = [
            (&*parts, Some((most, most, 0))),
            ("      Tests  2 failed | 1 passed (3)", Some((2, 3, 0))),
            (
                "\u{1b}[2m      Tests \u{1b}[22m \u{1b}[1m\u{1b}[32m12 passed\u{1b}[39m (12)",
                Some((0, 12, 0)),
            ),
            (" Test Files  2 failed (2)", None),
            ("Tests:       1 failed, 1 skipped, 2 passed, 4 total", Some((1, 3, 1))),
            ("3 failed, 1 deselected in 5.16s", Some((3, 3, 0))),
            (
                "==== 41 failed, 1163 passed, 2 warnings in 93.20s (0:01:33) ====",
                Some((41, 1204, 0)),
            ),
            ("1 passed, 1 skipped in 2s\n2 failed, 2 skipped in 1s", Some((2, 3, 3))),
            ("3 people in 5 shops", None),
            ("Tests are in test", None),
            (
                "<testsuite><testcase name='a'/><testcase><failure/></testcase><testcase><skipped/></testcase></testsuite>",
                Some((1, 2, 1)),
            ),
        ];
        for (text, count) in table {
            let read =
                TestCount::read(text).map(|count| (count.failed, count.total, count.skipped));
            assert_eq!(read, count, "{text}");
        }
    }
}
