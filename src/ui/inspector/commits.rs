//! Inspector section of the commits that recorded a call.

use super::content::{Fact, FactList, FactsFooter, Heading, Section};
use super::prose::preview;
use document::commit::CommitSummary;
use play::blame::CallCommits;
use widgets::dates::day_of_seconds;
use widgets::icons;
use workbench::Action;

/// Builds the section: when the answer was committed, which may be long after it was recorded, and in which commit; if the request is
/// of another one, also that.
pub(super) fn commits(commits: &CallCommits) -> Section {
    let (request, answer) = (commits.request.as_deref(), commits.answer.as_deref());
    // What Retake wrote was not edited by hand.
    let is_by_hand = commits.derived.is_none();
    let uncommitted = |is_edited: bool| match (is_edited, is_by_hand) {
        (true, true) => "edited by hand, not committed",
        (true, false) => "edited, not committed",
        (false, _) => "not committed",
    };
    let request_label = match (commits.is_request_edited, is_by_hand) {
        (true, true) => "Request edited by hand in",
        (true, false) => "Request edited in",
        (false, _) => "Request committed in",
    };
    let request = (request != answer).then(|| match request {
        Some(commit) => Fact {
            remark: preview(&commit.subject),
            full: Some(commit.id.id.to_string()),
            ..Fact::data(request_label, commit.id.short())
        },
        None => Fact::prose("Request", uncommitted(commits.is_request_edited)),
    });
    let answer_fact =
        answer.is_none().then(|| Fact::prose("Answer", uncommitted(commits.is_answer_edited)));
    let verb = match (commits.is_answer_edited, is_by_hand) {
        (true, true) => "edited by hand, committed",
        (true, false) => "edited, committed",
        (false, _) => "committed",
    };
    let footer = answer.map(|answer| {
        let day = day_of_seconds(answer.written_at);
        Box::new(FactsFooter {
            // In a shallow clone the oldest commit seems to add everything.
            text: if answer.is_cut_off {
                format!("Answer {verb} {day} or earlier, where the history ends, in")
            } else {
                format!("Answer {verb} {day} in")
            },
            link_label: answer.id.short().to_owned().into(),
            action: Action::Copy(answer.id.id.to_string()),
        })
    });
    let note = answer.map(note).unwrap_or_default();
    let recorded = commits.recorded.as_deref().map(|commit| Fact {
        remark: preview(&commit.subject),
        full: Some(commit.id.id.to_string()),
        ..Fact::data("Recorded in", commit.id.short())
    });
    let derived = commits.derived.as_deref().map(|reason| Fact::prose("Derived", reason));
    let heading = Heading::new(icons::GIT_COMMIT_HORIZONTAL, "History", note);
    let facts = answer_fact.into_iter().chain(request).chain(recorded).chain(derived).collect();
    Section::Facts(FactList { heading, facts, footer })
}

/// Returns whether a section is the one of the commits.
pub(super) fn is_of_commits(section: &Section) -> bool {
    // No other section has this icon.
    matches!(section, Section::Facts(list) if list.heading.icon == icons::GIT_COMMIT_HORIZONTAL)
}

fn note(commit: &CommitSummary) -> String {
    let parts = [&*commit.subject, &*commit.author];
    let parts: Vec<String> = parts.iter().filter(|p| !p.is_empty()).map(|p| preview(p)).collect();
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::testing::snapshot;
    use super::*;
    use document::commit::CommitId;

    fn commit(id: &str, subject: &str, is_cut_off: bool) -> Option<Arc<CommitSummary>> {
        Some(Arc::new(CommitSummary {
            id: CommitId { id: id.repeat(40).into(), seconds: 0 },
            author: "A\u{202e}".to_owned(),
            written_at: 1_773_300_000,
            subject: subject.to_owned(),
            is_cut_off,
        }))
    }

    #[test]
    fn the_commit_of_the_answer_is_a_link_that_copies_its_id() {
        let (first, second) =
            (commit("a", "Record", false), commit("b", "Shorten the prompt", true));
        let calls = [
            (&first, &first),
            (&first, &second),
            (&second, &None),
            (&None, &first),
            (&None, &None),
        ];
        let sections = calls.map(|(answer, request)| {
            commits(&CallCommits {
                answer: answer.clone(),
                request: request.clone(),
                ..CallCommits::default()
            })
        });
        insta::assert_snapshot!(snapshot(&sections), @r"
        # History | Record, A\u{202e} |
          Answer committed 12 Mar 2026 in aaaaaaa
        # History | Record, A\u{202e} |
          Request committed in: bbbbbbb Shorten the prompt
          Answer committed 12 Mar 2026 in aaaaaaa
        # History | Shorten the prompt, A\u{202e} |
          Request: not committed
          Answer committed 12 Mar 2026 or earlier, where the history ends, in bbbbbbb
        # History |  |
          Answer: not committed
          Request committed in: aaaaaaa Record
        # History |  |
          Answer: not committed
        ");
        let Section::Facts(list) = &sections[0] else { unreachable!() };
        let action = list.footer.as_ref().map(|footer| &footer.action);
        assert_eq!(action, Some(&Action::Copy("a".repeat(40))));
        assert!(sections.iter().all(is_of_commits));
    }
}
