//! The differences as one HTML page without external resources, for a pull request.

use std::fmt::Write as _;

use super::report::follows;
use crate::cli::count;
use crate::ops::diff::marks;
use crate::ops::html::{self, escaped, escaped_lines, sentence_html};
use crate::ops::review::{ChangeKind, Review, ReviewGroup, Reviewed, TakeChange, TakeValue};
use crate::text::Span;

/// The number of pairs in a group whose changes are shown; of the others, only the path is.
const SHOWN: usize = 20;

/// Writes the page.
pub(super) fn page(title: &str, review: &Review) -> String {
    let mut body = String::new();
    let open = review.groups.iter().filter(|group| group.needs_decision);
    let (pairs, groups) = open.fold((0, 0), |(pairs, groups), group| {
        (pairs + group.pairs.len(), groups + 1)
    });
    let _ = writeln!(
        body,
        "<p>{pairs} of {} differ, in {}.</p>",
        count(review.pairs.len(), "pair"),
        count(groups, "way")
    );
    for (number, group) in review.groups.iter().enumerate() {
        push_group(&mut body, review, group, number == 0);
    }
    html::page(title, &body)
}

fn push_group(page: &mut String, review: &Review, group: &ReviewGroup, is_first: bool) {
    let open = if is_first && group.needs_decision {
        " open"
    } else {
        ""
    };
    let _ = writeln!(
        page,
        "<details class=\"group\"{open}><summary><b>{}</b> <span class=\"quiet\">{}</span> <span class=\"count\">{}</span></summary>",
        sentence_html(&group.name),
        escaped(&group.detail),
        group.pairs.len()
    );
    for (number, at) in group.pairs.iter().enumerate() {
        let reviewed = &review.pairs[*at];
        if number < SHOWN {
            push_pair(page, review, reviewed, number == 0);
        } else {
            let _ = writeln!(
                page,
                "<p class=\"path\">{}</p>",
                escaped(reviewed.pair.path())
            );
        }
    }
    page.push_str("</details>\n");
}

fn push_pair(page: &mut String, review: &Review, reviewed: &Reviewed, is_first: bool) {
    let open = if is_first { " open" } else { "" };
    let cause = reviewed
        .first_cause
        .map(|cause| review.pairs[cause].pair.path());
    let cause = cause.map_or_else(String::new, |path| {
        format!(" follows from {}", escaped(path))
    });
    let moved = match &reviewed.pair.old {
        Some(old) if reviewed.pair.is_renamed() => format!("{} → ", escaped(&old.path)),
        _ => String::new(),
    };
    let _ = writeln!(
        page,
        "<details class=\"pair\"{open}><summary><code>{moved}{}</code> <span class=\"quiet\">{}{cause}</span></summary>",
        escaped(reviewed.pair.path()),
        reviewed.compared.status.as_str()
    );
    let (ignored, shown): (Vec<&TakeChange>, Vec<&TakeChange>) = reviewed
        .compared
        .changes
        .iter()
        .partition(|change| change.ignored.is_some());
    shown
        .into_iter()
        .for_each(|change| push_change(page, change));
    if !ignored.is_empty() {
        let _ = writeln!(
            page,
            "<details class=\"ignored\"><summary>Ignored, {}</summary>",
            ignored.len()
        );
        ignored
            .into_iter()
            .for_each(|change| push_change(page, change));
        page.push_str("</details>\n");
    }
    page.push_str("</details>\n");
}

fn push_change(page: &mut String, change: &TakeChange) {
    let follows = match &change.follows {
        Some(cause) => format!(
            " <span class=\"quiet\">follows from {}</span>",
            escaped(follows(cause))
        ),
        None => String::new(),
    };
    let _ = writeln!(
        page,
        "<div class=\"change\"><p>{}{follows} <code class=\"quiet\">{}</code></p>",
        sentence_html(&change.sentence),
        escaped(change.pointer())
    );
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
    serde_json::from_str::<String>(&at.json).unwrap_or_else(|_| at.json.to_string())
}

fn push_side(page: &mut String, (tag, sign): (&str, &str), text: Option<&str>, marked: &[Span]) {
    let Some(text) = text else {
        return;
    };
    let _ = write!(page, "<pre class=\"{tag}\">{sign} ");
    let mut rest = 0;
    for mark in marked {
        let (before, inside) = (text.get(rest..mark.start as usize), text.get(mark.range()));
        page.push_str(&escaped_lines(before.unwrap_or_default()));
        let _ = write!(
            page,
            "<{tag}>{}</{tag}>",
            escaped_lines(inside.unwrap_or_default())
        );
        rest = mark.end as usize;
    }
    page.push_str(&escaped_lines(text.get(rest..).unwrap_or_default()));
    page.push_str("</pre>\n");
}
