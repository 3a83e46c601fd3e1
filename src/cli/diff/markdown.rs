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
    let mut shown_count = 0;
    for (_, head) in &heads {
        // No smaller group is taken in its place, so that what is left out is the end of the queue.
        let Some(new_room) = room.checked_sub(head.len()) else { break };
        (room, shown_count) = (new_room, shown_count + 1);
    }
    let (mut brief_count, rest) = (0, heads.len() - shown_count);
    let mut lane = None;
    for (group, head) in heads.iter().take(shown_count) {
        if lane != Some(group.lane) {
            lane = Some(group.lane);
            let groups = review.groups_in(group.lane);
            let heading = lane_heading(group.lane, groups.filter(|g| g.needs_decision));
            let _ = writeln!(text, "\n**{}**", heading.unwrap_or_default());
        }
        text.push_str(head);
        let details = details(review, group, decisions);
        match room.checked_sub(details.len()) {
            Some(new_room) => {
                text.push_str(&details);
                room = new_room;
            }
            // The next group may have fewer details.
            None => brief_count += 1,
        }
    }
    let gaps: Vec<String> = [(brief_count, "shown without changes and pairs"), (rest, "left out")]
        .into_iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, how)| {
            let verb = if number == 1 { "is" } else { "are" };
            format!("{} {verb} {how}", count(number, "group"))
        })
        .collect();
    if !gaps.is_empty() {
        let gaps = gaps.join(", and ");
        let _ =
            writeln!(text, "\nToo long for one comment: {gaps}. `--format html` shows everything.");
    }
    text
}

/// The name of a group, how many pairs it has and where they differ, and what is decided.
fn head(review: &Review, set: &ReviewGroup, decisions: Option<&Decisions>) -> String {
    let mut text =
        format!("\n#### {}\n\n{} ({})", inline(&set.name), inline(&extent(set)), code(&set.id));
    if let Some(decisions) = decisions {
        let _ = write!(text, ": {}", group_state(review, set, decisions));
    }
    text.push('\n');
    let note = decisions.map_or("", |decisions| decisions.group_note(&set.id));
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
    for index in group.pairs.iter().take(MAX_PAIRS) {
        push_pair(&mut text, review, *index, decisions);
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
    let (changes, repeat_line) = shown_changes(reviewed);
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
    if let Some(line) = repeat_line {
        let _ = writeln!(text, "- {line}");
    }
}

fn push_pair(text: &mut String, review: &Review, index: usize, decisions: Option<&Decisions>) {
    let reviewed = &review.pairs[index];
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
        let _ = write!(text, ": {}", pair_state(review, index, decisions));
        let note = pair_note(review, index, decisions);
        if !note.is_empty() {
            let _ = write!(text, "<br>{}", lines(note));
        }
    }
    text.push('\n');
}

/// Adds how many elements of a list are not listed.
fn push_more(text: &mut String, total: usize, listed_count: usize) {
    if let number @ 1.. = total.saturating_sub(listed_count) {
        let _ = writeln!(text, "- and {number} more");
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
        let comparisons = pairs.into_iter().map(|pair| {
            let comparison = compare(&pair, &[]);
            (pair, comparison)
        });
        Review::new(comparisons.collect())
    }

    #[test]
    fn a_long_comment_fits_and_names_what_is_missing() {
        let short_text = text("set", &review(3), None);
        assert!(!short_text.contains("Too long"), "{short_text}");
        for files in [200, 2_000] {
            let review = review(files);
            assert_eq!(review.groups.len(), files);
            let text = text("set", &review, None);
            assert!(text.len() < 65_536, "{}", text.len());
            let shown_count = text.matches("\n#### ").count();
            let detail_count = text.matches("<details>").count();
            let last = text.lines().last().unwrap_or_default();
            assert!(shown_count > detail_count, "{shown_count}");
            let brief_remark = format!("{} groups are shown without", shown_count - detail_count);
            assert!(last.contains(&brief_remark), "{last}");
            let omission_remark = format!("{} groups are left out", files - shown_count);
            assert_eq!(last.contains(&omission_remark), files > shown_count, "{last}");
        }
    }
}
