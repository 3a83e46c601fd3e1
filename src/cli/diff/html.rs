//! The differences as one HTML page without external resources, for a pull request.

use std::fmt::Write as _;

use super::decided::{group_state, pair_note, pair_state, progress};
use super::report::{follows, show_command};
use super::{count_pairs, fault_remark, lane_heading};
use compare::review::{
    ChangeKind, Decisions, Follows, Review, ReviewGroup, ReviewLane, Reviewed, TakeChange,
    TakeValue,
};
use document::diff::marks;
use document::text::{Span, count};
use machine::html::{self, escaped, escaped_lines, sentence_html};

/// The number of pairs in a group whose changes are shown; of the others, only the path is.
const MAX_FULL_PAIRS: usize = 20;

/// Writes the page, with what is decided if there are decisions.
pub(crate) fn page(title: &str, review: &Review, decisions: Option<&Decisions>) -> String {
    let mut body = String::new();
    let (pairs, groups) = count_pairs(review.groups.iter().filter(|group| group.needs_decision));
    let _ = writeln!(
        body,
        "<p>{pairs} of {} differ, in {}.</p>",
        count(review.pairs.len(), "pair"),
        count(groups, "way")
    );
    if let Some(decisions) = decisions {
        let _ = writeln!(body, "<p>{}.</p>", progress(review, decisions));
    }
    let mut is_first = true;
    for lane in ReviewLane::ALL {
        if let Some(heading) = lane_heading(lane, review.groups_in(lane)) {
            let _ = writeln!(body, "<h2>{}</h2>", escaped(&heading));
        }
        for group in review.groups_in(lane) {
            // Only the first group to decide is open, as an example; a page of hundreds would be hard to scroll.
            let is_shown = is_first && group.needs_decision;
            is_first &= !is_shown;
            push_group(&mut body, review, (group, is_shown), decisions);
        }
    }
    html::page(title, &body)
}

fn push_group(
    page: &mut String,
    review: &Review,
    (group, is_first): (&ReviewGroup, bool),
    decisions: Option<&Decisions>,
) {
    let attribute = if is_first { " open" } else { "" };
    let uniformity = if group.pairs.len() == 1 { String::new() } else { group.uniformity() };
    let state = decisions.map(|decisions| group_state(review, group, decisions));
    let detail: Vec<String> = [group.detail.clone(), uniformity, state.unwrap_or_default()]
        .into_iter()
        .filter(|d| !d.is_empty())
        .collect();
    let _ = writeln!(
        page,
        "<details class=\"group\"{attribute}><summary><b>{}</b> <span class=\"quiet\">{}</span> <span class=\"count\">{}</span></summary>",
        sentence_html(&group.name),
        escaped(&detail.join(", ")),
        group.pairs.len()
    );
    push_note(page, decisions.map_or("", |decisions| decisions.group_note(&group.id)));
    for (number, index) in group.pairs.iter().enumerate() {
        if number < MAX_FULL_PAIRS {
            push_pair(page, review, (*index, number == 0), decisions);
        } else {
            let state = decisions
                .map(|decisions| pair_state(review, *index, decisions))
                .map_or_else(String::new, |state| format!(": {state}"));
            let path = escaped(review.pairs[*index].pair.path());
            let _ = writeln!(page, "<p class=\"path\">{path}{state}</p>");
        }
    }
    page.push_str("</details>\n");
}

fn push_pair(
    page: &mut String,
    review: &Review,
    (index, is_first): (usize, bool),
    decisions: Option<&Decisions>,
) {
    let reviewed = &review.pairs[index];
    let attribute = if is_first { " open" } else { "" };
    let cause = reviewed
        .first_cause
        .map(|cause| review.pairs[cause].pair.path())
        .map_or_else(String::new, |path| format!(" follows from {}", escaped(path)));
    let fault = fault_remark(reviewed)
        .filter(|_| reviewed.compared.changes.is_empty())
        .map_or_else(String::new, |fault| format!(", {}", escaped(&fault)));
    let state = decisions
        .map(|decisions| pair_state(review, index, decisions))
        .map_or_else(String::new, |state| format!(": {state}"));
    let rename_prefix = match &reviewed.pair.old {
        Some(old) if reviewed.pair.is_renamed() => format!("{} → ", escaped(&old.path)),
        _ => String::new(),
    };
    let _ = writeln!(
        page,
        "<details class=\"pair\"{attribute}><summary><code>{rename_prefix}{}</code> <span class=\"quiet\">{}{fault}{cause}{state}</span></summary>",
        escaped(reviewed.pair.path()),
        reviewed.compared.status.as_str()
    );
    push_note(page, decisions.map_or("", |decisions| pair_note(review, index, decisions)));
    let (ignored_changes, visible_changes): (Vec<&TakeChange>, Vec<&TakeChange>) =
        reviewed.compared.changes.iter().partition(|change| change.ignored.is_some());
    // One new message is in the request of every later call of a conversation.
    let (repeats, visible_changes): (Vec<&TakeChange>, Vec<&TakeChange>) =
        visible_changes.into_iter().partition(|c| matches!(c.follows, Some(Follows::Call(_))));
    visible_changes.into_iter().for_each(|change| push_change(page, (review, reviewed), change));
    push_folded(page, (review, reviewed), ("Repeated in later calls", &repeats));
    push_folded(page, (review, reviewed), ("Ignored", &ignored_changes));
    page.push_str("</details>\n");
}

/// Adds changes under a heading that is closed.
fn push_folded(
    page: &mut String,
    (review, reviewed): (&Review, &Reviewed),
    (heading, changes): (&str, &[&TakeChange]),
) {
    if changes.is_empty() {
        return;
    }
    let _ = writeln!(
        page,
        "<details class=\"ignored\"><summary>{heading}, {}</summary>",
        changes.len()
    );
    for change in changes {
        push_change(page, (review, reviewed), change);
    }
    page.push_str("</details>\n");
}

fn push_note(page: &mut String, note: &str) {
    if !note.is_empty() {
        let note = note.lines().map(escaped).collect::<Vec<_>>().join("<br>");
        let _ = writeln!(page, "<div class=\"change\"><p>{note}</p></div>");
    }
}

fn push_change(page: &mut String, (review, reviewed): (&Review, &Reviewed), change: &TakeChange) {
    let show = show_command(review, reviewed, change)
        .map_or_else(String::new, |s| format!("<br>Show: <code>{}</code>", escaped(&s)));
    let follows_remark = match &change.follows {
        Some(cause) => {
            format!(" <span class=\"quiet\">follows from {}</span>", escaped(&follows(cause)))
        }
        None => String::new(),
    };
    let _ = writeln!(
        page,
        "<div class=\"change\"><p>{}{follows_remark} <code class=\"quiet\">{}</code>{show}</p>",
        sentence_html(&change.sentence),
        escaped(change.pointer())
    );
    // The value of a moved element is the same on both sides.
    if change.kind != ChangeKind::Moved {
        let [old, new] = [&change.old, &change.new].map(|side| side.as_ref().map(value_html));
        let (removed_spans, added_spans) = match (&old, &new) {
            (Some(old), Some(new)) => marks(old, new),
            _ => Default::default(),
        };
        push_side(page, ("del", "-"), old.as_deref(), &removed_spans);
        push_side(page, ("ins", "+"), new.as_deref(), &added_spans);
    }
    page.push_str("</div>\n");
}

/// A value: a string as plain text, anything else as JSON.
fn value_html(value: &TakeValue) -> String {
    // Quotes and escapes would only make a text harder to read.
    serde_json::from_str::<String>(&value.json).unwrap_or_else(|_| value.json.to_string())
}

fn push_side(page: &mut String, (tag, sign): (&str, &str), text: Option<&str>, spans: &[Span]) {
    let Some(text) = text else { return };
    let _ = write!(page, "<pre class=\"{tag}\">{sign} ");
    let mut position = 0;
    for mark in spans {
        // `get`: a page with a missing piece of text is better than a panic.
        let (plain_text, part) = (text.get(position..mark.start as usize), text.get(mark.range()));
        page.push_str(&escaped_lines(plain_text.unwrap_or_default()));
        let _ = write!(page, "<{tag}>{}</{tag}>", escaped_lines(part.unwrap_or_default()));
        position = mark.end as usize;
    }
    page.push_str(&escaped_lines(text.get(position..).unwrap_or_default()));
    page.push_str("</pre>\n");
}
