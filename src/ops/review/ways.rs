//! In which way something changed: what pairs have to have in common to be decided at once.

use super::change::ChangeKind;
use super::structure::Difference;
use super::subject::Subject;
use crate::format::Node;
use crate::ops::diff::words::{marks, split};
use crate::text::{Span, quoted};

/// How long a phrase may be to give a group its name.
const PHRASE: usize = 60;

/// How many words make a text of which the wording may vary.
const WORDS: usize = 3;

/// How much a way says about what happened; the first gives a group its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Rank {
    Renamed,
    Called,
    Offered,
    Ended,
    Field,
    Phrase,
    Changed,
    Wording,
}

/// A way of changing, in words.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Way {
    pub(super) rank: Rank,
    pub(super) name: String,
}

/// The way of one change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ways {
    /// With the very words that changed, where these are few; a way of its own if it is met again.
    pub(super) exact: Option<Way>,
    /// Without them.
    pub(super) coarse: Way,
}

impl Ways {
    /// A way that has no variants.
    pub(super) fn one(rank: Rank, name: impl Into<String>) -> Self {
        let name = name.into();
        Self {
            exact: None,
            coarse: Way { rank, name },
        }
    }
}

/// A phrase and what stands in its place.
pub(super) type Replaced = (String, String);

/// The tools that are offered under another name, by the words of it that differ.
pub(super) fn renames(differences: &[(Difference<'_>, Subject)]) -> Vec<Replaced> {
    let renames = differences.iter().filter_map(|(difference, subject)| {
        let [Some(old), Some(new)] = difference.nodes else {
            return None;
        };
        let is_rename = *subject == Subject::OfferedTool && new.key() == Some("name");
        replaced(old.as_str().filter(|_| is_rename)?, new.as_str()?)
    });
    renames.collect()
}

/// What stands in place of what, where it is the same at all places of a text.
pub(super) fn replaced(old: &str, new: &str) -> Option<Replaced> {
    let (a, b) = marks(old, new);
    let phrase = |text: &str, span: Option<&Span>| {
        span.and_then(|span| text.get(span.range()))
            .unwrap_or_default()
            .trim()
            .to_owned()
    };
    let count = a.len().max(b.len());
    let mut phrases = (0..count).map(|at| (phrase(old, a.get(at)), phrase(new, b.get(at))));
    let first = phrases.next()?;
    let is_same = (count == 1 || a.len() == b.len()) && phrases.all(|other| other == first);
    is_same.then_some(first)
}

/// What became of the names of tools, by the words of them that differ.
fn renamed(old: &str, new: &str) -> String {
    match (old, new) {
        ("", new) => format!("Tool names gained {}", quoted(new)),
        (old, "") => format!("Tool names lost {}", quoted(old)),
        (old, new) => format!("Tool {} became {}", quoted(old), quoted(new)),
    }
}

/// In which way something changed.
pub(super) fn ways(
    difference: &Difference<'_>,
    (subject, thing): (Subject, Node<'_>),
    renames: &[Replaced],
) -> Ways {
    let [old, new] = difference.nodes;
    let Some(node) = new.or(old) else {
        return Ways::one(Rank::Changed, "Changed");
    };
    let name = || {
        thing
            .get("name")
            .and_then(Node::as_str)
            .map_or_else(String::new, quoted)
    };
    let is_thing = thing.id() == node.id();
    let texts = old
        .zip(new)
        .and_then(|(old, new)| old.as_str().zip(new.as_str()));
    let replaced = texts.and_then(|(old, new)| replaced(old, new));
    if let Some((old, new)) = replaced.filter(|replaced| renames.contains(replaced)) {
        return Ways::one(Rank::Renamed, renamed(&old, &new));
    }
    match (subject, difference.kind) {
        (Subject::OfferedTool, ChangeKind::Added) if is_thing => {
            Ways::one(Rank::Offered, format!("Tool {} added", name()))
        }
        (Subject::OfferedTool, ChangeKind::Removed) if is_thing => {
            Ways::one(Rank::Offered, format!("Tool {} removed", name()))
        }
        (Subject::ToolCall, ChangeKind::Added) if is_thing => {
            Ways::one(Rank::Called, format!("Calls {} as well", name()))
        }
        (Subject::ToolCall, ChangeKind::Removed) if is_thing => {
            Ways::one(Rank::Called, format!("No longer calls {}", name()))
        }
        (Subject::ToolCall, ChangeKind::Changed) if node.key() == Some("name") => {
            let (new, old) = texts.map_or(("", ""), |(old, new)| (new, old));
            Ways::one(
                Rank::Called,
                format!("Calls {}, not {}", quoted(new), quoted(old)),
            )
        }
        (_, ChangeKind::Moved) => {
            Ways::one(Rank::Changed, format!("{} in another order", many(node)))
        }
        (_, ChangeKind::Added) => Ways::one(Rank::Field, format!("{} added", one(subject, node))),
        (_, ChangeKind::Removed) => {
            Ways::one(Rank::Field, format!("{} removed", one(subject, node)))
        }
        (_, ChangeKind::Changed) => changed(subject, node, texts, old.zip(new)),
    }
}

fn changed(
    subject: Subject,
    node: Node<'_>,
    texts: Option<(&str, &str)>,
    nodes: Option<(Node<'_>, Node<'_>)>,
) -> Ways {
    let noun = one(subject, node);
    if let Some((old, new)) = texts.filter(|(old, new)| is_prose(old) && is_prose(new)) {
        let varies = matches!(
            subject,
            Subject::Answer | Subject::Reasoning | Subject::Message | Subject::ToolCall
        );
        let coarse = if varies {
            (Rank::Wording, format!("{noun} reworded"))
        } else {
            (Rank::Changed, format!("{noun} changed"))
        };
        return Ways {
            exact: phrase(old, new),
            ..Ways::one(coarse.0, coarse.1)
        };
    }
    let short = |node: Node<'_>| {
        Some(quoted(
            node.scalar_text().filter(|text| text.len() <= PHRASE)?,
        ))
    };
    let exact = nodes.and_then(|(old, new)| Some((short(old)?, short(new)?)));
    let rank = match subject {
        Subject::StopReason => Rank::Ended,
        _ => Rank::Phrase,
    };
    Ways {
        exact: exact.map(|(old, new)| Way {
            rank,
            name: format!("{noun} is {new}, not {old}"),
        }),
        ..Ways::one(Rank::Changed, format!("{noun} changed"))
    }
}

fn is_prose(text: &str) -> bool {
    let is_word = |piece: &&str| piece.chars().any(char::is_alphanumeric);
    text.contains(' ') && split(text).into_iter().filter(is_word).count() >= WORDS
}

/// The way of a phrase that went, came or was replaced; none where the phrase is long.
fn phrase(old: &str, new: &str) -> Option<Way> {
    let (old, new) = replaced(old, new)?;
    if old.len().max(new.len()) > PHRASE {
        return None;
    }
    let shown = |text: &str| format!("“{}”", crate::text::visible(text));
    let name = match (old.as_str(), new.as_str()) {
        ("", "") => "Only spacing".to_owned(),
        ("", new) => format!("{} added", shown(new)),
        (old, "") => format!("{} dropped", shown(old)),
        (old, new) => format!("{} became {}", shown(old), shown(new)),
    };
    let rank = Rank::Phrase;
    Some(Way { rank, name })
}

/// What a change is about, without its place.
fn one(subject: Subject, node: Node<'_>) -> String {
    let field = || {
        let key = std::iter::successors(Some(node), |node| node.parent()).find_map(Node::key);
        key.map_or_else(
            || "Content".to_owned(),
            |key| format!("Field {}", quoted(key)),
        )
    };
    match subject {
        Subject::Answer => "Answer".to_owned(),
        Subject::Reasoning => "Reasoning".to_owned(),
        Subject::Prompt => "Prompt".to_owned(),
        Subject::StopReason => "Stop reason".to_owned(),
        Subject::Model => "Model".to_owned(),
        Subject::Timing => "Timing".to_owned(),
        Subject::Message => "Message".to_owned(),
        Subject::ToolResponse if node.key().is_none() => "Tool response".to_owned(),
        _ => field(),
    }
}

/// What the elements of a list are called together.
fn many(node: Node<'_>) -> String {
    let list = node.parent().and_then(Node::key);
    list.map_or_else(
        || "Elements".to_owned(),
        |key| format!("Elements of {}", quoted(key)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_tools_are_told_by_what_differs_in_them() {
        let told = |old, new| {
            let (old, new) = replaced(old, new).unwrap();
            renamed(&old, &new)
        };
        insta::assert_snapshot!([
            told("go_respond", "go_reply"),
            told("go_reply", "go_to_reply"),
            told("go_reply_now", "go_reply"),
        ].join("\n"), @"
        Tool `respond` became `reply`
        Tool names gained `to_`
        Tool names lost `_now`
        ");
    }
}
