//! The sentence and the action of each cause.

use super::{AuditFinding, AuditKind, AuditPlace};
use document::text::{counted, thousands};

impl AuditFinding {
    pub(super) fn new(kind: AuditKind, places: Vec<AuditPlace>) -> Self {
        let weight = places.iter().map(|place| place.weight).fold(0, usize::saturating_add);
        let count = if kind == AuditKind::CacheBreak { places.len() } else { weight };
        let action = kind.action().to_owned();
        let mut finding = Self { kind, count, sentence: String::new(), action, places };
        let (one, several) = kind.sentences();
        let recordings = counted(finding.paths().len(), "recording", "recordings");
        finding.sentence = (if count == 1 { one } else { several })
            .replace('#', &thousands(count))
            .replace('@', &recordings);
        if kind == AuditKind::CacheBreak && weight > 0 {
            let tokens = thousands(weight);
            finding.sentence += &format!(": about {tokens} tokens are paid for again in each run");
        }
        finding
    }
}

impl AuditKind {
    /// Returns whether its places are tests.
    pub(super) fn is_about_tests(self) -> bool {
        matches!(self, Self::SkippedElsewhere | Self::SkippedMissing | Self::AssertsOnRecording)
    }

    /// Returns the sentence for one and for several, with `#` for the count and `@` for the recordings.
    fn sentences(self) -> (&'static str, &'static str) {
        match self {
            Self::SkippedElsewhere => (
                "# test is skipped for a missing recording, and a file of its name is elsewhere or spelled differently: the path is derived differently",
                "# tests are skipped for a missing recording, and a file of its name is elsewhere or spelled differently: the path is derived differently",
            ),
            Self::SkippedMissing => (
                "# test is skipped for a missing recording",
                "# tests are skipped for a missing recording",
            ),
            Self::TestNotRun => {
                ("The test of # recording did not run", "The tests of # recordings did not run")
            }
            Self::NotPlayed => (
                "# recording was played by no test of the logs",
                "# recordings were played by no test of the logs",
            ),
            Self::CallNotPlayed => (
                "# call in @ was never played, although the tests that loaded it passed",
                "# calls in @ were never played, although the tests that loaded them passed",
            ),
            Self::AnswerNotRead => (
                "# answer in @ is followed by no assertion of the test",
                "# answers in @ are followed by no assertion of the test",
            ),
            Self::Orphan => ("# recording belongs to no test", "# recordings belong to no test"),
            Self::EmptyAnswer => {
                ("# recorded answer in @ is empty", "# recorded answers in @ are empty")
            }
            Self::UnexpectedError => (
                "# recorded error is in a test that mentions no error",
                "# recorded errors are in tests that mention no error",
            ),
            Self::AssertsOnRecording => (
                "# test has assertions on the recording itself",
                "# tests have assertions on the recording itself",
            ),
            Self::CacheBreak => (
                "The prompt cache cannot serve the conversation of @",
                "The prompt cache cannot serve the conversations of @",
            ),
        }
    }

    fn action(self) -> &'static str {
        match self {
            Self::SkippedElsewhere => {
                "Make the tests look for their recordings where these are, and fail if one is missing"
            }
            Self::SkippedMissing => {
                "Record what the tests look for, and fail in CI if a recording is missing"
            }
            Self::TestNotRun => "Run these tests, or delete their recordings",
            Self::NotPlayed => "Delete the recordings that no test needs",
            Self::CallNotPlayed => {
                "Record the tests again, so that the recording holds only what they play"
            }
            Self::AnswerNotRead => "Assert on these answers, or remove the calls from the test",
            Self::Orphan => "Delete the recordings, or give them the name of their test",
            Self::EmptyAnswer => "Record the calls again, unless the test is about an empty answer",
            Self::UnexpectedError => "Record the calls again, or assert on the error in the test",
            Self::AssertsOnRecording => {
                "Assert on what the code returns or sends: a recording does not change when the code does"
            }
            Self::CacheBreak => {
                "Keep the beginning of the prompt the same: `retake explain cache-prefix`"
            }
        }
    }
}
