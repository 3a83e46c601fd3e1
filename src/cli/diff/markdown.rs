//! The differences as Markdown, for a comment on a pull request.

use std::fmt::Write as _;

use super::decided::{group_state, pair_note, pair_state, progress};
use super::report::{follows, show_command};
use super::{extent, lane_heading, remarks, shown_changes, summary, values};
use crate::markdown::{code, difference, inline, lines};
use compare::review::{Decisions, Review, ReviewGroup, Reviewed};
use document::text::count;

/// The most bytes of a comment. GitHub takes 65,536 characters; the rest is for what a workflow adds, such as a mark by which
/// it finds its comment again.
const MAX_BYTES: usize = 65_000;
/// Number of bytes that are kept free for the headings of the lanes and the sentence about groups that are left out.
const LAST_BYTES: usize = 600;
/// Maximum number of listed changes of a pair, and of listed pairs of a group.
const MAX_CHANGES: usize = 20;
const MAX_PAIRS: usize = 50;

/// Returns the comment: a line for all, and for each group what changed in its first pair, and its pairs.
pub(crate) fn text(title: &str, review: &Review, decisions: Option<&Decisions>) -> String {
    let mut text = format!("### {}\n\n{}", inline(title), summary(review));
    if let Some(decisions) = decisions {
        let _ = write!(text, "; {}", progress(review, decisions));
    }
    text.push('\n');
    let groups = review.groups.iter().filter(|group| group.needs_decision);
    let heads: Vec<_> = groups.map(|group| (group, head(review, group, decisions))).collect();
    // The names of all groups come first; the room that is left goes to the details of the first ones, in the order of the queue.
    let mut room = MAX_BYTES.saturating_sub(LAST_BYTES + text.len());
    let mut shown = 0;
    for (_, head) in &heads {
        // No smaller group is taken in its place, so that what is left out is the end of the queue.
        let Some(left) = room.checked_sub(head.len()) else { break };
        (room, shown) = (left, shown + 1);
    }
    let (mut brief, left_out) = (0, heads.len() - shown);
    let mut lane = None;
    for (group, head) in heads.iter().take(shown) {
        if lane != Some(group.lane) {
            lane = Some(group.lane);
            let groups = review.groups_in(group.lane);
            let heading = lane_heading(group.lane, groups.filter(|it| it.needs_decision));
            let _ = writeln!(text, "\n**{}**", heading.unwrap_or_default());
        }
        text.push_str(head);
        let details = details(review, group, decisions);
        match room.checked_sub(details.len()) {
            Some(left) => {
                text.push_str(&details);
                room = left;
            }
            // The next group may have fewer details.
            None => brief += 1,
        }
    }
    let missing: Vec<String> = [(brief, "shown without changes and pairs"), (left_out, "left out")]
        .into_iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, how)| {
            let is = if number == 1 { "is" } else { "are" };
            format!("{} {is} {how}", count(number, "group"))
        })
        .collect();
    if !missing.is_empty() {
        let missing = missing.join(", and ");
        let _ = writeln!(
            text,
            "\nToo long for one comment: {missing}. `--format html` shows everything."
        );
    }
    text
}

/// The name of a group, how many pairs it has and where they differ, and what is decided.
fn head(review: &Review, group: &ReviewGroup, decisions: Option<&Decisions>) -> String {
    let mut text = format!(
        "\n#### {}\n\n{} ({})",
        inline(&group.name),
        inline(&extent(group)),
        code(&group.id)
    );
    if let Some(decisions) = decisions {
        let _ = write!(text, ": {}", group_state(review, group, decisions));
    }
    text.push('\n');
    let note = decisions.map_or("", |decisions| decisions.group_note(&group.id));
    if !note.is_empty() {
        let _ = writeln!(text, "\n> {}", lines(note));
    }
    text
}

fn details(review: &Review, group: &ReviewGroup, decisions: Option<&Decisions>) -> String {
    let mut text = String::from("\n");
    // All pairs of a group changed in the same way, so one shows how.
    if let Some(first) = group.pairs.first() {
        push_changes(&mut text, review, &review.pairs[*first]);
    }
    let pairs = count(group.pairs.len(), "pair");
    let _ = write!(text, "\n<details><summary>{pairs}</summary>\n\n");
    for at in group.pairs.iter().take(MAX_PAIRS) {
        push_pair(&mut text, review, *at, decisions);
    }
    push_more(&mut text, group.pairs.len(), MAX_PAIRS);
    text.push_str("\n</details>\n");
    text
}

fn push_changes(text: &mut String, review: &Review, reviewed: &Reviewed) {
    if let Some(fault) = &reviewed.compared.fault {
        // The remark about the pair says what cannot be read.
        if !fault.is_broken() {
            let _ = writeln!(text, "- {}", inline(&fault.to_string()));
        }
        return;
    }
    let (changes, repeated) = shown_changes(reviewed);
    for change in changes.iter().take(MAX_CHANGES) {
        let pointer = match change.pointer() {
            "" => String::new(),
            pointer => format!(" {}", code(pointer)),
        };
        let show = show_command(review, reviewed, change)
            .map_or_else(String::new, |show| format!(", show: {}", code(&show)));
        let _ = write!(text, "- {}{pointer}{show}", inline(&change.sentence));
        if let Some(cause) = &change.follows {
            let _ = writeln!(text, " follows from {}", inline(&follows(cause)));
            continue;
        }
        text.push('\n');
        let sides = ["-", "+"].into_iter().zip(values(change));
        let sides: Vec<String> =
            sides.filter_map(|(sign, value)| Some(format!("{sign} {}", value?))).collect();
        if !sides.is_empty() {
            text.push_str(&difference(&sides, "  "));
        }
    }
    push_more(text, changes.len(), MAX_CHANGES);
    if let Some(line) = repeated {
        let _ = writeln!(text, "- {line}");
    }
}

fn push_pair(text: &mut String, review: &Review, at: usize, decisions: Option<&Decisions>) {
    let reviewed = &review.pairs[at];
    text.push_str("- ");
    if let (Some(old), true) = (&reviewed.pair.old, reviewed.pair.is_renamed()) {
        let _ = write!(text, "{} → ", code(&old.path));
    }
    text.push_str(&code(reviewed.pair.path()));
    let remarks = remarks(review, reviewed);
    if !remarks.is_empty() {
        let _ = write!(text, " ({})", inline(&remarks.join(", ")));
    }
    if let Some(decisions) = decisions {
        let _ = write!(text, ": {}", pair_state(review, at, decisions));
        let note = pair_note(review, at, decisions);
        if !note.is_empty() {
            let _ = write!(text, "<br>{}", lines(note));
        }
    }
    text.push('\n');
}

/// Adds how many elements of a list are not listed.
fn push_more(text: &mut String, all: usize, listed: usize) {
    if let more @ 1.. = all.saturating_sub(listed) {
        let _ = writeln!(text, "- and {more} more");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::compare::review::{Take, compare, pair_up};
    use std::sync::Arc;

    /// A review of files that each differ in a way of their own.
    fn review(files: usize) -> Review {
        let take = |number: usize, key: &str| {
            let text = format!(
                r#"{{"request": {{"messages": [{{"role": "user", "content": "{number}"}}], "tools": []}},
                 "response": {{"response": {{"content": []}}}}, "{key}": "{}"}}"#,
                "long ".repeat(40)
            );
            Arc::new(Take::new(&format!("set/{number}.json"), text.into_bytes()))
        };
        let old = (0..files).map(|number| take(number, "before"));
        let new = (0..files).map(|number| take(number, &format!("field_{number}")));
        let pairs = pair_up(old.collect(), new.collect(), &[]);
        let compared = pairs.into_iter().map(|pair| {
            let compared = compare(&pair, &[]);
            (pair, compared)
        });
        Review::new(compared.collect())
    }

    #[test]
    fn a_long_comment_fits_and_names_what_is_missing() {
        let short = text("set", &review(3), None);
        assert!(!short.contains("Too long"), "{short}");
        for files in [200, 2_000] {
            let review = review(files);
            assert_eq!(review.groups.len(), files);
            let text = text("set", &review, None);
            assert!(text.len() < 65_536, "{}", text.len());
            let shown = text.matches("\n#### ").count();
            let whole = text.matches("<details>").count();
            let last = text.lines().last().unwrap_or_default();
            assert!(shown > whole, "{shown}");
            let brief = format!("{} groups are shown without", shown - whole);
            assert!(last.contains(&brief), "{last}");
            let left_out = format!("{} groups are left out", files - shown);
            assert_eq!(last.contains(&left_out), files > shown, "{last}");
        }
    }
}
