//! Choices of text that can be typed next, with the number of items that each would leave.

use foldhash::{HashMap, HashMapExt as _};

use super::filter_key::{FilterKey, PROBLEMS, PROVENANCES};
use super::pattern::{PatternExtent, TermPiece, WildcardPattern};
use super::query::FilterQuery;
use super::token::{FilterToken, filter_value, tokens};
use calls::{Item, ItemStatus};
use document::cassette::CassetteClient;
use document::text::Span;
use document::{RuleId, Severity};

/// Maximum number of choices that are offered.
const MAX_CHOICES: usize = 8;

/// One choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// Part of the filter's text that it replaces.
    pub replace: Span,
    /// Text that it inserts: a whole term, or a key with its colon.
    pub insert: String,
    /// A few words on it; may be empty.
    pub hint: &'static str,
    /// Number of items that the filter would then leave; `None` for a key, which leaves all, and where only histories show it.
    pub count: Option<usize>,
}

/// Completes the term that ends at `cursor` (a byte of `text`), in one pass over the items: keys, then values that are there,
/// those first that leave most. At most eight.
pub fn complete<'a>(
    text: &str,
    cursor: usize,
    items: impl IntoIterator<Item = &'a Item>,
) -> Vec<Completion> {
    let Some(prefix) = text.get(..cursor) else { return Vec::new() };
    let term = TermAtCursor::parse(text, prefix);
    // The term at the cursor is to be replaced, so it must not narrow the counts.
    let rest = FilterQuery::parse(&FilterQuery::parse(text).without(term.replace));
    let Some(name) = &term.token.key else {
        let mut choices = keys(&term);
        if !term.token.value().is_empty() {
            let counts = [FilterKey::Kind, FilterKey::Status, FilterKey::Tool, FilterKey::Set]
                .map(|key| ValueCounts::new(key, &term));
            choices.extend(values(&term, counts, &rest, items));
        }
        choices.truncate(MAX_CHOICES);
        return choices;
    };
    if FilterKey::named(name) == Some(FilterKey::Is) {
        return provenances(&term);
    }
    FilterKey::named(name)
        .map_or_else(Vec::new, |key| values(&term, [ValueCounts::new(key, &term)], &rest, items))
}

/// Term at the cursor, as far as it was typed.
struct TermAtCursor {
    replace: Span,
    /// The term up to the cursor.
    token: FilterToken,
}

impl TermAtCursor {
    fn parse(text: &str, prefix: &str) -> Self {
        let cursor = prefix.len();
        let is_at_cursor = |token: &FilterToken| token.span.touches(cursor);
        match tokens(prefix).pop().filter(is_at_cursor) {
            Some(token) => {
                let start = token.span.start;
                // A choice also replaces the part of the term behind the cursor.
                let full_token = tokens(text).into_iter().find(|token| token.span.start == start);
                Self { replace: full_token.map_or(token.span, |full_token| full_token.span), token }
            }
            None => Self {
                replace: Span::empty(cursor),
                token: FilterToken {
                    span: Span::empty(cursor),
                    closed: true,
                    ..FilterToken::default()
                },
            },
        }
    }

    fn choice(&self, insert: String, hint: &'static str, count: Option<usize>) -> Completion {
        Completion {
            replace: self.replace,
            insert: format!("{}{insert}", if self.token.negated { "-" } else { "" }),
            hint,
            count,
        }
    }
}

fn keys(term: &TermAtCursor) -> Vec<Completion> {
    let word = term.token.value().to_lowercase();
    let keys = FilterKey::ALL.iter().filter(|key| key.as_str().starts_with(&word));
    keys.map(|key| term.choice(format!("{}:", key.as_str()), key.hint(), None)).collect()
}

/// Returns the origins of files, without numbers, since they are read from the histories.
fn provenances(term: &TermAtCursor) -> Vec<Completion> {
    let word = term.token.value().to_lowercase();
    let values = PROVENANCES.iter().filter(|value| value.starts_with(&word));
    let key = FilterKey::Is.as_str();
    values.map(|value| term.choice(format!("{key}:{value}"), "", None)).collect()
}

/// Counts the values of one key among the items that the rest of the filter leaves.
struct ValueCounts<'a> {
    key: FilterKey,
    /// Pattern that a value has to fit to be offered.
    wanted: WildcardPattern,
    /// Number of items that have a value, and the number of the last of them: an item counts once.
    by_value: HashMap<&'a str, (usize, usize)>,
    /// Number of items that were looked at.
    seen: usize,
    /// Items that have any of the values.
    any: usize,
    /// Items that pass whatever is chosen, because of another value of the key.
    base: usize,
    /// Items that the rest of the filter leaves.
    all: usize,
}

impl<'a> ValueCounts<'a> {
    fn new(key: FilterKey, term: &TermAtCursor) -> Self {
        let mut pieces = term.token.pieces.clone();
        pieces.push(TermPiece::Any);
        // Any part of a path may be typed, but only the beginning of other values.
        Self {
            key,
            wanted: WildcardPattern::new(&pieces, key.reach()),
            by_value: HashMap::new(),
            seen: 0,
            any: 0,
            base: 0,
            all: 0,
        }
    }

    fn add(&mut self, item: &'a Item, rest: &FilterQuery) {
        let result = rest.evaluate(item, &[self.key]);
        if !result.others {
            return;
        }
        self.all += usize::from(result.key != Some(false));
        if result.key == Some(true) {
            self.base += 1;
        }
        self.seen += 1;
        // An item that passes by another value of the key passes with every choice, and is counted in `base`.
        let counts = usize::from(result.key != Some(true));
        let mut any_count = 0;
        let Self { wanted, by_value, seen, .. } = self;
        each_value(self.key, item, rest, &mut |value| {
            if wanted.matches(value) {
                any_count = counts;
                let (number, last) = by_value.entry(value).or_default();
                if *last != *seen {
                    *last = *seen;
                    *number += counts;
                }
            }
        });
        self.any += any_count;
    }

    fn left(&self, number: usize, term: &TermAtCursor) -> usize {
        if term.token.negated { self.all.saturating_sub(number) } else { self.base + number }
    }

    fn choices(&self, term: &TermAtCursor) -> Vec<Completion> {
        let mut values: Vec<(&str, usize)> =
            self.by_value.iter().map(|(value, (number, _))| (*value, *number)).collect();
        // By name as well, because the order of a hash map differs from run to run.
        values.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        let key = self.key.as_str();
        let wildcard_choice = self.wildcard_completion(term);
        // The choice of all values is always offered, in place of the rarest one.
        let room = MAX_CHOICES - usize::from(wildcard_choice.is_some());
        let choice = |(value, number): &(&str, usize)| {
            let insert = format!("{key}:{}", filter_value(value));
            term.choice(insert, hint(self.key, value), Some(self.left(*number, term)))
        };
        values.iter().take(room).map(choice).chain(wildcard_choice).collect()
    }

    /// Returns all values that begin as typed, as one choice.
    fn wildcard_completion(&self, term: &TermAtCursor) -> Option<Completion> {
        let value = term.token.value();
        let is_plain = !value.is_empty() && filter_value(&value) == value;
        let is_open = self.key.fixed_values().is_none() && self.key.reach() == PatternExtent::Whole;
        // One value is offered itself, and a fixed set of values has no common beginning worth a star.
        if !is_plain || !is_open || self.by_value.len() < 2 {
            return None;
        }
        let insert = format!("{}:{value}*", self.key.as_str());
        Some(term.choice(insert, "all of them", Some(self.left(self.any, term))))
    }
}

fn values<'a, const N: usize>(
    term: &TermAtCursor,
    mut counts: [ValueCounts<'a>; N],
    rest: &FilterQuery,
    items: impl IntoIterator<Item = &'a Item>,
) -> Vec<Completion> {
    for item in items {
        for count in &mut counts {
            count.add(item, rest);
        }
    }
    counts.iter().flat_map(|count| count.choices(term)).collect()
}

/// Calls `f` for each value that an item has for a key, possibly more than once. For a path: each folder above it.
fn each_value<'a>(
    key: FilterKey,
    item: &'a Item,
    rest: &FilterQuery,
    visit: &mut impl FnMut(&'a str),
) {
    let problems = || rest.kept_problems(item, Some(key));
    match key {
        FilterKey::Kind => visit(item.kind.as_str()),
        FilterKey::Status => {
            item.statuses().for_each(|status| visit(status.as_str()));
            if item.worst() >= Some(Severity::Warning) {
                visit(PROBLEMS);
            }
        }
        FilterKey::Tool => {
            let names = item.signature.iter().flat_map(|signature| &signature.tool_names);
            names.into_iter().for_each(|name| visit(name));
        }
        FilterKey::Model => item.models().into_iter().for_each(visit),
        FilterKey::Path => {
            let path = item.root_path();
            path.match_indices('/').for_each(|(index, _)| visit(&path[..=index]));
        }
        // The root of the project has no name to type.
        FilterKey::Set if item.set().is_empty() => {}
        FilterKey::Set => visit(item.set()),
        FilterKey::Rule => problems().for_each(|problem| visit(problem.rule.as_str())),
        FilterKey::Severity => problems().for_each(|problem| visit(problem.severity.as_str())),
        FilterKey::Source => {
            let file = item.source.as_ref().and_then(|source| source.file.as_deref());
            file.into_iter().for_each(visit);
        }
        FilterKey::Id => item.id.as_deref().into_iter().for_each(visit),
        FilterKey::Version => item.version.into_iter().for_each(|version| visit(version.as_str())),
        FilterKey::Api => {
            item.calls.iter().filter_map(|call| call.api.as_deref()).for_each(visit);
        }
        FilterKey::Provider => {
            item.calls.iter().filter_map(|call| call.provider.as_deref()).for_each(visit);
        }
        FilterKey::Called => {
            let summary = item.summary.iter().map(|summary| &**summary);
            let summaries = summary.chain(item.calls.iter().map(|call| &call.summary));
            summaries.filter_map(|summary| summary.tool.as_deref()).for_each(visit);
        }
        FilterKey::Client => {
            item.client().map(CassetteClient::as_str).into_iter().for_each(visit);
        }
        // Numbers are typed, and offering each would hide what can be written in place of them.
        FilterKey::HttpStatus | FilterKey::Tokens | FilterKey::Body | FilterKey::Text => {}
        // Offered without looking at items.
        FilterKey::Is => {}
    }
}

fn hint(key: FilterKey, value: &str) -> &'static str {
    match key {
        FilterKey::Rule => {
            let rule: Result<RuleId, _> = value.parse();
            rule.map_or("", |rule| crate::rule(rule).title)
        }
        FilterKey::Status => {
            let status = ItemStatus::ALL.iter().find(|status| status.as_str() == value);
            status.map_or("Errors or warnings", |status| status.label())
        }
        FilterKey::Path => "all below it",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::items;
    use super::*;

    /// Completes at `|`; one line a choice.
    fn choices(text: &str) -> String {
        let cursor = text.find('|').expect("a cursor");
        let text = text.replace('|', "");
        let items = items();
        let line = |choice: Completion| {
            let Completion { replace, insert, hint, count } = choice;
            // The number is what the filter then really leaves.
            if let Some(count) = count {
                let query =
                    FilterQuery::parse(&FilterQuery::parse(&text).replaced(replace, &insert));
                let match_count = items.iter().filter(|item| query.matches(item)).count();
                assert_eq!(match_count, count, "{}", query.text());
            }
            let count = count.map_or("-".to_owned(), |count| count.to_string());
            format!("{insert} {count} {hint}\n")
        };
        complete(&text, cursor, &items).into_iter().map(line).collect()
    }

    #[test]
    fn values_come_with_what_they_would_leave() {
        insta::assert_snapshot!(choices("kind:recording tool:transition_to_re|"), @"
        tool:transition_to_reply 2 
        tool:transition_to_refund 1 
        tool:transition_to_re* 2 all of them
        ");
        insta::assert_snapshot!(choices("tool:transition_to_done tool:re| kind:recording"), @"tool:read_Ticket 2");
        insta::assert_snapshot!(choices("-status:| kind:recording"), @"
        -status:fresh 2 Fresh
        -status:missing 2 Source missing
        -status:problems 2 Errors or warnings
        -status:unstamped 2 Unstamped
        ");
        insta::assert_snapshot!(choices("rule:|"), @"
        rule:signature-shared 1 Several recordings have the same signature
        rule:source-missing 1 The source does not exist
        ");
    }

    #[test]
    fn a_word_offers_keys_and_values() {
        insta::assert_snapshot!(choices("s|"), @"
        status: - fresh, stale, missing…
        set: - name of the folder
        severity: - error, warning or note
        source: - part of the source's path
        ");
        insta::assert_snapshot!(choices("kind:tape |"), @"
        kind: - recording, tape, session…
        status: - fresh, stale, missing…
        tool: - offered tools
        model: - model it was made with
        path: - part of the path
        set: - name of the folder
        rule: - rule that found something
        severity: - error, warning or note
        ");
        insta::assert_snapshot!(choices("path:20|"), @"path:archive/2025/ 1 all below it");
        insta::assert_snapshot!(choices("nothing:x|"), @"");
    }
}
