//! Change patterns: kinds of change that pairs have in common, so that they can be decided at once.

use super::structure::{ChangeKind, ValueDifference};
use super::subject::{ChangeSubject, ChangeTopic};
use document::Node;
use document::diff::word_diff::{marks, split};
use document::text::{Span, lower_first, quoted};

/// Maximum length of a phrase in the name of a group, in bytes.
const MAX_PHRASE_BYTES: usize = 60;

/// Minimum number of words of a text whose wording may vary.
// A text of fewer words is a name or a value, of which every change matters.
const MIN_WORDS: usize = 3;

/// Rank of a pattern by how much it says; the first gives a group its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum PatternRank {
    Renamed,
    Called,
    Offered,
    Ended,
    Field,
    Phrase,
    Changed,
    Wording,
}

/// A kind of change, such as a renamed tool.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ChangePattern {
    pub(super) rank: PatternRank,
    /// The words and values that ids of groups consist of. Scripts contain such ids: keys stay the same when names are
    /// worded differently.
    pub(super) key: String,
    /// The text that users read.
    pub(super) name: String,
}

/// The patterns of one change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ChangePatterns {
    /// With the words that changed, if these are few; a separate pattern if it occurs again.
    pub(super) exact: Option<ChangePattern>,
    /// What the exact pattern would be in the other direction, for words that a model chooses.
    pub(super) reverse: Option<ChangePattern>,
    /// Without them.
    pub(super) coarse: ChangePattern,
    /// Whether the numbers and the negations of a text stay the same. It has no part in the ids of groups, which decisions are about.
    pub(super) is_reworded: bool,
}

impl ChangePatterns {
    /// Creates the patterns of a change that has no variants.
    /// Creates the pattern of this name; its key is the same in lower case.
    pub(super) fn named(rank: PatternRank, name: impl Into<String>) -> Self {
        let name = name.into();
        Self::without_variant(rank, lower_first(&name), name)
    }

    pub(super) fn without_variant(
        rank: PatternRank,
        key: impl Into<String>,
        name: impl Into<String>,
    ) -> Self {
        let (key, name) = (key.into(), name.into());
        let coarse = ChangePattern { rank, key, name };
        Self { exact: None, reverse: None, coarse, is_reworded: true }
    }
}

/// A phrase and its replacement.
pub(super) type Replaced = (String, String);

/// Returns the tools that are offered under another name, by the words of it that differ.
pub(super) fn tool_renames<'d>(
    differences: impl Iterator<Item = (&'d ValueDifference<'d>, Option<ChangeSubject>)>,
) -> Vec<Replaced> {
    let renames = differences.filter_map(|(difference, subject)| {
        let [Some(old), Some(new)] = difference.nodes else { return None };
        let is_rename = subject == Some(ChangeSubject::OfferedTool) && new.key() == Some("name");
        find_replacement(old.as_str().filter(|_| is_rename)?, new.as_str()?)
    });
    renames.collect()
}

/// Finds the phrase that was replaced by another, if it is the same in all places of a text.
pub(super) fn find_replacement(old: &str, new: &str) -> Option<Replaced> {
    let (a, b) = marks(old, new);
    let phrase = |text: &str, span: Option<&Span>| {
        span.and_then(|span| text.get(span.range())).unwrap_or_default().trim().to_owned()
    };
    let count = a.len().max(b.len());
    let mut phrases = (0..count).map(|at| (phrase(old, a.get(at)), phrase(new, b.get(at))));
    let first = phrases.next()?;
    // A single phrase may be on one side only: it was added or removed.
    let is_same = (count == 1 || a.len() == b.len()) && phrases.all(|other| other == first);
    is_same.then_some(first)
}

/// Describes how tools were renamed, by the words that differ; returns the key and the name of the pattern.
fn describe_renames(old: &str, new: &str) -> String {
    let (from, to) = (quoted(old), quoted(new));
    match (old, new) {
        ("", _) => format!("Tool names gained {to}"),
        (_, "") => format!("Tool names lost {from}"),
        _ => format!("Tool {from} became {to}"),
    }
}

/// Returns the patterns of a difference.
pub(super) fn change_patterns(
    difference: &ValueDifference<'_>,
    topic: &ChangeTopic<'_>,
    renames: &[Replaced],
) -> ChangePatterns {
    let [old, new] = difference.nodes;
    let Some(node) = new.or(old) else {
        return ChangePatterns::named(PatternRank::Changed, "Changed");
    };
    let name = || topic.name().map_or_else(String::new, quoted);
    let is_thing = topic.is_thing(node);
    let texts = old.zip(new).and_then(|(old, new)| old.as_str().zip(new.as_str()));
    let replacement = texts.and_then(|(old, new)| find_replacement(old, new));
    if let Some((old, new)) = replacement.filter(|r| renames.contains(r)) {
        return ChangePatterns::named(PatternRank::Renamed, describe_renames(&old, &new));
    }
    let (rank, name) = match (topic.subject, difference.kind) {
        (ChangeSubject::OfferedTool, ChangeKind::Added) if is_thing => {
            (PatternRank::Offered, format!("Tool {} added", name()))
        }
        (ChangeSubject::OfferedTool, ChangeKind::Removed) if is_thing => {
            (PatternRank::Offered, format!("Tool {} removed", name()))
        }
        (ChangeSubject::ToolCall, ChangeKind::Added) if is_thing => {
            (PatternRank::Called, format!("Calls {} as well", name()))
        }
        (ChangeSubject::ToolCall, ChangeKind::Removed) if is_thing => {
            (PatternRank::Called, format!("No longer calls {}", name()))
        }
        (ChangeSubject::ToolCall, ChangeKind::Changed) if node.key() == Some("name") => {
            let (old, new) = texts.unwrap_or_default();
            (PatternRank::Called, format!("Calls {}, not {}", quoted(new), quoted(old)))
        }
        (_, ChangeKind::Moved) => {
            (PatternRank::Changed, format!("{} in another order", plural_noun(node)))
        }
        (_, ChangeKind::Added) => (PatternRank::Field, format!("{} added", noun(topic, node))),
        (_, ChangeKind::Removed) => (PatternRank::Field, format!("{} removed", noun(topic, node))),
        (_, ChangeKind::Changed) => return changed(topic, node, texts, old.zip(new)),
    };
    ChangePatterns::named(rank, name)
}

fn changed(
    topic: &ChangeTopic<'_>,
    node: Node<'_>,
    texts: Option<(&str, &str)>,
    nodes: Option<(Node<'_>, Node<'_>)>,
) -> ChangePatterns {
    let noun = noun(topic, node);
    if let Some((old, new)) = texts.filter(|(old, new)| is_prose(old) && is_prose(new)) {
        // Models word these differently in every run, and messages repeat them; a prompt changes when someone edits it.
        let varies = matches!(
            topic.subject,
            ChangeSubject::Answer
                | ChangeSubject::Reasoning
                | ChangeSubject::Message
                | ChangeSubject::ToolCall
        );
        let coarse = if varies {
            ChangePatterns::named(PatternRank::Wording, format!("{noun} reworded"))
        } else {
            ChangePatterns::named(PatternRank::Changed, format!("{noun} changed"))
        };
        let exact = phrase(old, new);
        return ChangePatterns { exact, is_reworded: claims(old) == claims(new), ..coarse };
    }
    let short = |node: Node<'_>| {
        Some(node.scalar_text().filter(|text| text.len() <= MAX_PHRASE_BYTES)?.to_owned())
    };
    let exact = nodes.and_then(|(old, new)| Some((short(old)?, short(new)?)));
    let rank = match topic.subject {
        ChangeSubject::StopReason => PatternRank::Ended,
        _ => PatternRank::Phrase,
    };
    let pattern = |old: &str, new: &str| {
        let (from, to) = match (old.trim(), new.trim()) {
            // Only the space around them differs.
            (from, to) if from == to => (old, new),
            trimmed => trimmed,
        };
        ChangePattern {
            rank,
            key: format!("{} is {}, not {}", lower_first(&noun), quoted(new), quoted(old)),
            name: format!("{noun} {} became {}", quoted(from), quoted(to)),
        }
    };
    let chosen = exact.as_ref().filter(|_| topic.subject == ChangeSubject::Answer);
    ChangePatterns {
        reverse: chosen.map(|(old, new)| pattern(new, old)),
        exact: exact.as_ref().map(|(old, new)| pattern(old, new)),
        ..ChangePatterns::named(PatternRank::Changed, format!("{noun} changed"))
    }
}

pub(super) fn is_prose(text: &str) -> bool {
    let is_word = |piece: &&str| piece.chars().any(char::is_alphanumeric);
    text.contains(' ') && split(text).into_iter().filter(is_word).count() >= MIN_WORDS
}

/// Returns the numbers and the negations of a text, sorted: with others it says something else, not the same in other words.
fn claims(text: &str) -> Vec<String> {
    const NEGATIONS: [&str; 9] =
        ["not", "no", "never", "none", "nothing", "neither", "nor", "without", "cannot"];
    // `1.5`, `1,500` and `isn't` are one word each.
    let is_in_word = |c: char| c.is_alphanumeric() || matches!(c, '\'' | '’' | '.' | ',');
    let words = text.split(|c: char| !is_in_word(c)).filter_map(|word| {
        let word = word.trim_matches(['\'', '’', '.', ',']).to_lowercase().replace('’', "'");
        if NEGATIONS.contains(&&*word) || word.ends_with("n't") {
            return Some("not".to_owned());
        }
        let number: String = word.chars().filter(|c| c.is_numeric() || *c == '.').collect();
        number.contains(char::is_numeric).then_some(number)
    });
    let mut claims: Vec<String> = words.collect();
    // Other wording may name the same facts in another order.
    claims.sort_unstable();
    claims
}

/// Returns the pattern of a phrase that was removed, added or replaced; `None` if the phrase is long.
fn phrase(old: &str, new: &str) -> Option<ChangePattern> {
    let (old, new) = find_replacement(old, new)?;
    if old.len().max(new.len()) > MAX_PHRASE_BYTES {
        return None;
    }
    let quoted = |text: &str| format!("“{}”", document::text::visible(text));
    let (from, to) = (quoted(&old), quoted(&new));
    let name = match (old.as_str(), new.as_str()) {
        ("", "") => "Only spacing".to_owned(),
        ("", _) => format!("{to} added"),
        (_, "") => format!("{from} dropped"),
        _ => format!("{from} became {to}"),
    };
    Some(ChangePatterns::named(PatternRank::Phrase, name).coarse)
}

/// Returns the subject of a change without its place, for a key and for a name.
fn noun(topic: &ChangeTopic<'_>, node: Node<'_>) -> String {
    if let Some(label) = &topic.label {
        return label.clone();
    }
    let name = match topic.subject {
        ChangeSubject::Answer => "Answer",
        ChangeSubject::Reasoning => "Reasoning",
        ChangeSubject::Prompt => "Prompt",
        ChangeSubject::StopReason => "Stop reason",
        ChangeSubject::Model => "Model",
        ChangeSubject::Timing => "Timing",
        ChangeSubject::Message => "Message",
        ChangeSubject::ToolResponse if node.key().is_none() => "Tool response",
        _ => match node.ancestors().find_map(Node::key) {
            Some(key) => return format!("Field {}", quoted(key)),
            None => "Content",
        },
    };
    name.to_owned()
}

/// Returns what the elements of a list are called together: for a key and for a name.
fn plural_noun(node: Node<'_>) -> String {
    match node.parent().and_then(Node::key) {
        Some(list) => format!("Elements of {}", quoted(list)),
        None => "Elements".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_number_or_negation_is_no_other_wording() {
        let cases = [
            ("You can return it.", "You may return it.", true),
            ("You can return it.", "You can't return it.", false),
            ("You can return it.", "You can’t return it.", false),
            ("You can return it.", "You cannot return it.", false),
            ("It is not allowed.", "It isn't allowed.", true),
            ("Never do that.", "Do that.", false),
            ("With tax.", "Without tax.", false),
            ("Wait 3 days.", "Wait 30 days.", false),
            ("Wait 3 days.", "Please wait 3 days!", true),
            ("It costs 1,000.50 EUR.", "The price is 1000.50 EUR.", true),
            ("From 3 to 5.", "From 3, to 5", true),
            ("At 3.5 V.", "At 35 V.", false),
            ("A note.", "A knot.", true),
        ];
        for (old, new, is_same) in cases {
            assert_eq!(claims(old) == claims(new), is_same, "{old} {new}");
        }
    }

    #[test]
    fn names_of_tools_are_reported_by_what_differs_in_them() {
        let reported = |old, new| {
            let (old, new) = find_replacement(old, new).unwrap();
            describe_renames(&old, &new)
        };
        insta::assert_snapshot!([
            reported("go_respond", "go_reply"),
            reported("go_reply", "go_to_reply"),
            reported("go_reply_now", "go_reply"),
        ].join("\n"), @"
        Tool `respond` became `reply`
        Tool names gained `to_`
        Tool names lost `_now`
        ");
    }
}
