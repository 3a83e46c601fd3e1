//! The differences as one HTML page without external resources, for a pull request.

use std::fmt::Write as _;

use super::report::follows;
use crate::cli::count;
use crate::cli::output::escape_commands;
use crate::ops::diff::marks;
use crate::ops::review::{ChangeKind, Review, ReviewGroup, Reviewed, TakeChange, TakeValue};
use crate::text::{Span, visible, visible_lines};

const STYLE: &str = include_str!("page.css");

/// The number of pairs in a group whose changes are shown; of the others, only the path is.
const SHOWN: usize = 20;

/// Writes the page.
pub(super) fn page(title: &str, review: &Review) -> String {
    let title = escaped(title);
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
    );
    let open = review.groups.iter().filter(|group| group.needs_decision);
    let (pairs, groups) = open.fold((0, 0), |(pairs, groups), group| {
        (pairs + group.pairs.len(), groups + 1)
    });
    let _ = writeln!(
        page,
        "<p>{pairs} of {} differ, in {}.</p>",
        count(review.pairs.len(), "pair"),
        count(groups, "way")
    );
    for (number, group) in review.groups.iter().enumerate() {
        push_group(&mut page, review, group, number == 0);
    }
    page.push_str("</body>\n</html>\n");
    page
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
        name_html(&group.name),
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
        name_html(&change.sentence),
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

/// A sentence as HTML: text in backquotes becomes code.
fn name_html(sentence: &str) -> String {
    let parts = sentence
        .split('`')
        .enumerate()
        .map(|(number, part)| match number % 2 {
            0 => escaped(part),
            _ => format!("<code>{}</code>", escaped(part)),
        });
    parts.collect()
}

fn escaped(text: &str) -> String {
    signs(&markup(&visible(text)))
}

fn escaped_lines(text: &str) -> String {
    signs(&markup(&visible_lines(text)))
}

fn markup(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// Writes as character references what a build log that prints the page would interpret as a command: `::` at the
/// beginning of a line, and the bracket of `##[…]`.
fn signs(text: &str) -> String {
    escape_commands(text, "&#91;").replace("::", "&#58;:")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_makes_a_command_for_a_build_log() {
        let text = "a\n::error file=a::b\n  :::c\n##[error]d ##vso[e] [f] <&";
        assert_eq!(
            escaped_lines(text),
            "a\n&#58;:error file=a&#58;:b\n  &#58;::c\n##&#91;error]d ##vso&#91;e] [f] &lt;&amp;"
        );
        assert_eq!(escaped("##[x]::y"), "##&#91;x]&#58;:y");
    }
}
