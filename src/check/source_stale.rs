//! `source-stale`: the source has changed since.

use super::project::{JudgedSource, short_hash, steps};
use calls::source::PresentSource;
use document::text::{quoted, visible};
use document::{Problem, RuleId};

rule! {
    /// The source has changed since the recording: the SHA-256 of its text is not the recorded one.
    ///
    /// The recording still plays, and may still be correct; even a new comment makes it stale. But a test may also pass
    /// although the machine would send a different request now. `retake source` prints the text as it was recorded.
    SourceStale {
        title: "The source has changed since the recording",
        fix: "Review the change, regenerate the recordings with `DYGRAM_TEST_MODE=interactive npm test`, and commit them.",
    }
}

pub(super) fn judge(judged_source: JudgedSource<'_>, present_source: &PresentSource) -> Problem {
    let recorded_hash = judged_source.recorded_hash();
    let cause = match &judged_source.source.because {
        Some(cause) => format!(". {cause}. Recorded"),
        None => ": recorded".to_owned(),
    };
    let message = format!(
        "{} has changed since {} was recorded{cause} hash {}, current hash {} ({})",
        visible(&present_source.path),
        quoted(judged_source.item.label()),
        short_hash(recorded_hash),
        short_hash(&present_source.hash),
        judged_source.describe_affected()
    );
    judged_source.problem_at_hash(RuleId::SourceStale, message).with_help(steps(judged_source.item))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{at_source, judged_with_help, present};
    use calls::source::SourceFinding;
    use calls::{Item, ItemFacts};

    #[test]
    fn the_message_has_hashes_source_and_number_and_the_help_the_steps() {
        let stale = || SourceFinding::Stale(present("machines/a.dygram", true));
        let first = Item::from(ItemFacts {
            id: Some("req-7".into()),
            ..ItemFacts::clone(&at_source("recordings/triage/turn-1.json", stale()))
        });
        let items = [
            first,
            at_source(
                "recordings/triage/turn-2.json",
                SourceFinding::Fresh(present("machines/a.dygram", true)),
            ),
            at_source("recordings/other/turn-1.json", stale()),
        ];
        insta::assert_snapshot!(judged_with_help(RuleId::SourceStale, &items), @"
        recordings/triage/turn-1.json: warning 21:17 /sourceMetadata/contentHash machines/a.dygram has changed since `req-7` was recorded: recorded hash 777777777777, current hash 0caa7019760a (1 of 2 recordings in recordings/triage)
          1. Review the change: `retake source recordings/triage/turn-1.json`
          2. Regenerate: `DYGRAM_TEST_MODE=interactive npm test -- triage`
          3. Commit the recordings with their source.

        recordings/other/turn-1.json: warning 21:17 /sourceMetadata/contentHash machines/a.dygram has changed since `turn-1.json` was recorded: recorded hash 777777777777, current hash 0caa7019760a (the only recording in recordings/other)
          1. Review the change: `retake source recordings/other/turn-1.json`
          2. Regenerate: `DYGRAM_TEST_MODE=interactive npm test -- other`
          3. Commit the recordings with their source.
        ");
    }

    #[test]
    fn a_file_that_was_opened_by_an_absolute_path_is_named_from_the_root() {
        let absolute_path = std::path::absolute("turn-9.json").unwrap();
        let item = Item::from(ItemFacts::at(
            absolute_path.to_str().unwrap().into(),
            "recordings/turn-9.json",
        ));
        let steps = steps(&item);
        let first = "1. Review the change: `retake source recordings/turn-9.json`\n";
        assert!(steps.starts_with(first), "{steps}");
    }
}
