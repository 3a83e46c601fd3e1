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
const SHOWN: usize = 20;

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
    let open = if is_first { " open" } else { "" };
    let uniformity = if group.pairs.len() == 1 { String::new() } else { group.uniformity() };
    let state = decisions.map(|decisions| group_state(review, group, decisions));
    let detail: Vec<String> = [group.detail.clone(), uniformity, state.unwrap_or_default()]
        .into_iter()
        .filter(|it| !it.is_empty())
        .collect();
    let _ = writeln!(
        page,
        "<details class=\"group\"{open}><summary><b>{}</b> <span class=\"quiet\">{}</span> <span class=\"count\">{}</span></summary>",
        sentence_html(&group.name),
        escaped(&detail.join(", ")),
        group.pairs.len()
    );
    push_note(page, decisions.map_or("", |decisions| decisions.group_note(&group.id)));
    for (number, at) in group.pairs.iter().enumerate() {
        if number < SHOWN {
            push_pair(page, review, (*at, number == 0), decisions);
        } else {
            let state = decisions
                .map(|decisions| pair_state(review, *at, decisions))
                .map_or_else(String::new, |state| format!(": {state}"));
            let path = escaped(review.pairs[*at].pair.path());
            let _ = writeln!(page, "<p class=\"path\">{path}{state}</p>");
        }
    }
    page.push_str("</details>\n");
}

fn push_pair(
    page: &mut String,
    review: &Review,
    (at, is_first): (usize, bool),
    decisions: Option<&Decisions>,
) {
    let reviewed = &review.pairs[at];
    let open = if is_first { " open" } else { "" };
    let cause = reviewed
        .first_cause
        .map(|cause| review.pairs[cause].pair.path())
        .map_or_else(String::new, |path| format!(" follows from {}", escaped(path)));
    let fault = fault_remark(reviewed)
        .filter(|_| reviewed.compared.changes.is_empty())
        .map_or_else(String::new, |fault| format!(", {}", escaped(&fault)));
    let state = decisions
        .map(|decisions| pair_state(review, at, decisions))
        .map_or_else(String::new, |state| format!(": {state}"));
    let moved = match &reviewed.pair.old {
        Some(old) if reviewed.pair.is_renamed() => format!("{} → ", escaped(&old.path)),
        _ => String::new(),
    };
    let _ = writeln!(
        page,
        "<details class=\"pair\"{open}><summary><code>{moved}{}</code> <span class=\"quiet\">{}{fault}{cause}{state}</span></summary>",
        escaped(reviewed.pair.path()),
        reviewed.compared.status.as_str()
    );
    push_note(page, decisions.map_or("", |decisions| pair_note(review, at, decisions)));
    let (ignored, shown): (Vec<&TakeChange>, Vec<&TakeChange>) =
        reviewed.compared.changes.iter().partition(|change| change.ignored.is_some());
    // One new message is in the request of every later call of a conversation.
    let (repeated, shown): (Vec<&TakeChange>, Vec<&TakeChange>) =
        shown.into_iter().partition(|change| matches!(change.follows, Some(Follows::Call(_))));
    shown.into_iter().for_each(|change| push_change(page, (review, reviewed), change));
    push_folded(page, (review, reviewed), ("Repeated in later calls", &repeated));
    push_folded(page, (review, reviewed), ("Ignored", &ignored));
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
    let show = show_command(review, reviewed, change);
    let show =
        show.map_or_else(String::new, |show| format!("<br>Show: <code>{}</code>", escaped(&show)));
    let follows = match &change.follows {
        Some(cause) => {
            format!(" <span class=\"quiet\">follows from {}</span>", escaped(&follows(cause)))
        }
        None => String::new(),
    };
    let _ = writeln!(
        page,
        "<div class=\"change\"><p>{}{follows} <code class=\"quiet\">{}</code>{show}</p>",
        sentence_html(&change.sentence),
        escaped(change.pointer())
    );
    // The value of a moved element is the same on both sides.
    if change.kind != ChangeKind::Moved {
        let [old, new] = [&change.old, &change.new].map(|at| at.as_ref().map(value_html));
        let (removed, added) = match (&old, &new) {
            (Some(old), Some(new)) => marks(old, new),
            _ => Default::default(),
        };
        push_side(page, ("del", "-"), old.as_deref(), &removed);
        push_side(page, ("ins", "+"), new.as_deref(), &added);
    }
    page.push_str("</div>\n");
}

/// A value: a string as plain text, anything else as JSON.
fn value_html(at: &TakeValue) -> String {
    // Quotes and escapes would only make a text harder to read.
    serde_json::from_str::<String>(&at.json).unwrap_or_else(|_| at.json.to_string())
}

fn push_side(page: &mut String, (tag, sign): (&str, &str), text: Option<&str>, marked: &[Span]) {
    let Some(text) = text else { return };
    let _ = write!(page, "<pre class=\"{tag}\">{sign} ");
    let mut rest = 0;
    for mark in marked {
        // `get`: a page with a missing piece of text is better than a panic.
        let (before, inside) = (text.get(rest..mark.start as usize), text.get(mark.range()));
        page.push_str(&escaped_lines(before.unwrap_or_default()));
        let _ = write!(page, "<{tag}>{}</{tag}>", escaped_lines(inside.unwrap_or_default()));
        rest = mark.end as usize;
    }
    page.push_str(&escaped_lines(text.get(rest..).unwrap_or_default()));
    page.push_str("</pre>\n");
}
