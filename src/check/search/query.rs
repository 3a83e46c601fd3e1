//! A filter as written, its terms, and whether an item passes.

use std::ops::RangeInclusive;
use std::sync::Arc;

use super::body::{BodyPattern, BodyText};
use super::filter_key::FilterKey;
use super::pattern::{TermPiece, WildcardPattern};
use super::token::{FilterToken, in_quotes, tokens};
use calls::{CallRow, Item, ItemStatus};
use document::text::{Span, visible};
use document::{Problem, Severity};
use play::blame::FileProvenance;

/// One condition of a filter: a chip.
#[derive(Clone, Debug)]
pub struct Term {
    /// Its place in the filter's text.
    pub span: Span,
    /// Whether it leaves out what it fits.
    pub negated: bool,
    /// Part of an item that it looks at.
    pub key: FilterKey,
    /// Its value, without quotes; a regular expression with its slashes.
    pub value: String,
    fits: TermMatcher,
}

#[derive(Clone, Debug)]
enum TermMatcher {
    /// These of the key's fixed values, as bits.
    OneOf(u64),
    /// Texts that fit this pattern.
    Pattern(WildcardPattern),
    /// Numbers from the first to the last.
    Range(RangeInclusive<u64>),
    /// Files in which this is found.
    Body(BodyPattern),
    /// A regular expression that is not understood before it is written to its end: everything.
    Begun,
}

/// A term that cannot be understood; it filters nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilterError {
    /// Its place in the filter's text.
    pub span: Span,
    /// Message, as a sentence.
    pub message: String,
    /// The term as it is probably meant, to put in its place.
    pub suggestion: Option<String>,
    /// The possible values, if they can be listed: `keys are kind, status, …`.
    pub known: Option<String>,
}

/// A filter: its text, and what it means.
#[derive(Clone, Debug, Default)]
pub struct FilterQuery {
    text: String,
    terms: Vec<Term>,
    errors: Vec<FilterError>,
    unclosed: Option<FilterError>,
    body: Option<BodyQuery>,
}

/// The terms of a filter that look into the content of files. Equal ones have the same terms.
#[derive(Clone, Debug)]
pub struct BodyQuery {
    terms: Arc<[(IsNegated, BodyPattern)]>,
}

type IsNegated = bool;

impl BodyQuery {
    fn new(terms: &[Term]) -> Option<Self> {
        let bodies = terms.iter().filter(|t| t.has_value()).filter_map(|term| match &term.fits {
            TermMatcher::Body(pattern) => Some((term.negated, pattern.clone())),
            _ => None,
        });
        let terms: Arc<[_]> = bodies.collect();
        (!terms.is_empty()).then_some(Self { terms })
    }

    /// Returns whether a file with this content passes. `scratch` has room that is used again for the next file.
    pub fn matches(&self, content: &[u8], file_name: &str, scratch: &mut Vec<u8>) -> bool {
        let mut body = BodyText::new(content, file_name, scratch);
        self.terms.iter().all(|(negated, pattern)| pattern.matches(&mut body) != *negated)
    }
}

impl PartialEq for BodyQuery {
    fn eq(&self, other: &Self) -> bool {
        let key =
            |(negated, glob): &(IsNegated, BodyPattern)| (*negated, glob.regex.as_str().to_owned());
        self.terms.iter().map(key).eq(other.terms.iter().map(key))
    }
}

impl FilterQuery {
    /// Reads a filter. Always answers: what is not understood is a fault and filters nothing, so that a filter can be used
    /// while it is typed.
    pub fn parse(text: &str) -> Self {
        Self::from_tokens(text, tokens(text))
    }

    /// Reads a filter whose last term is still being typed: what is there of its value counts as a beginning, so that a
    /// list narrows with every letter and does not go empty until the word is whole.
    pub fn parse_begun(text: &str) -> Self {
        let mut tokens = tokens(text);
        if let Some(last) = tokens.last_mut().filter(|last| last.is_begun(text)) {
            last.pieces.push(TermPiece::Any);
        }
        Self::from_tokens(text, tokens)
    }

    fn from_tokens(text: &str, tokens: Vec<FilterToken>) -> Self {
        let mut query = Self {
            text: text.to_owned(),
            unclosed: tokens.last().and_then(|last| last.unclosed(text)),
            ..Self::default()
        };
        for token in tokens {
            match token.parse_term(text) {
                Ok(term) => query.terms.push(term),
                Err(fault) => query.errors.push(fault),
            }
        }
        query.body = BodyQuery::new(&query.terms);
        query
    }

    /// Returns the filter as written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the terms of the filter, in text order.
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// Returns the errors in the filter.
    pub fn errors(&self) -> &[FilterError] {
        &self.errors
    }

    /// The quote that is opened and never closed. It reaches to the end: of use while typing, a mistake in a filter that is
    /// finished.
    pub fn unclosed(&self) -> Option<&FilterError> {
        self.unclosed.as_ref()
    }

    /// Returns the text without the term at `span`, and without the space that parted it.
    pub fn without(&self, span: Span) -> String {
        let (head, tail) = self.around(span);
        if head.is_empty() {
            tail.trim_start().to_owned()
        } else {
            format!("{}{tail}", head.trim_end())
        }
    }

    /// Replaces the term at `span` and returns the text.
    pub fn replaced(&self, span: Span, term: &str) -> String {
        let (head, tail) = self.around(span);
        format!("{head}{term}{tail}")
    }

    fn around(&self, span: Span) -> (&str, &str) {
        let range = span.range();
        let text = &self.text;
        (text.get(..range.start).unwrap_or_default(), text.get(range.end..).unwrap_or_default())
    }

    /// Returns the terms that look into the content of files; `None` when there are none.
    pub fn body(&self) -> Option<&BodyQuery> {
        self.body.as_ref()
    }

    /// Returns whether terms look at the provenance of files, which is read from their histories.
    pub fn has_provenance(&self) -> bool {
        self.terms.iter().any(|term| term.key == FilterKey::Is)
    }

    /// Returns whether a file with this provenance passes. One that was not read yet has none of the values.
    pub fn fits_provenance(&self, provenance: Option<FileProvenance>) -> bool {
        let FileProvenance { is_edited, is_derived } = provenance.unwrap_or_default();
        let own_bits = u64::from(is_edited) | u64::from(is_derived) << 1;
        let terms = self.terms.iter().filter(|term| term.key == FilterKey::Is);
        let bits = terms.filter_map(|term| match term.fits {
            TermMatcher::OneOf(bits) => Some((term.negated, bits)),
            _ => None,
        });
        let left_out = bits.clone().filter(|(negated, _)| *negated).any(|(_, b)| b & own_bits != 0);
        let wanted = bits.filter(|(negated, _)| !negated).map(|(_, bits)| bits);
        !left_out && wanted.reduce(|a, b| a | b).is_none_or(|wanted| wanted & own_bits != 0)
    }

    /// Returns whether an item passes, as far as it says without its file and its history: all terms but those of [`FilterQuery::body`]
    /// and [`FilterQuery::fits_provenance`].
    pub fn matches(&self, item: &Item) -> bool {
        let result = self.evaluate(item, &[]);
        result.others && result.key != Some(false)
    }

    /// Returns the problems of an item that the terms keep, except for those with the key `ignored_key`: a rule and a severity must
    /// be of one problem.
    pub(super) fn kept_problems<'i>(
        &self,
        item: &'i Item,
        ignored_key: Option<FilterKey>,
    ) -> impl Iterator<Item = &'i Problem> + use<'i> {
        let [rules, severities] = FilterKey::OF_PROBLEMS.map(|key| {
            let values = self.terms.iter().filter_map(|term| match term.fits {
                TermMatcher::OneOf(bits)
                    if term.key == key && ignored_key != Some(key) && !term.negated =>
                {
                    Some(bits)
                }
                _ => None,
            });
            // Without a term of this key, each problem is kept.
            values.reduce(|union, bits| union | bits).unwrap_or(u64::MAX)
        });
        let is_kept = move |problem: &&Problem| {
            rules >> problem.rule as u8 & severities >> problem.severity as u8 & 1 == 1
        };
        item.problems.iter().filter(is_kept)
    }

    /// Returns whether an item passes, separately for the terms with these keys and for all others.
    pub(super) fn evaluate(&self, item: &Item, keys: &[FilterKey]) -> TermResult {
        let (mut wanted_bits, mut met_bits) = (0_u32, 0_u32);
        for term in &self.terms {
            let bit = 1 << term.key as u16;
            // Values of one key are alternatives, so the second need not be tried; words without a key must all be found.
            let is_met = !term.negated && met_bits & bit != 0 && term.key != FilterKey::Text;
            let is_elsewhere =
                matches!(term.fits, TermMatcher::Body(_)) || term.key == FilterKey::Is;
            if !term.has_value() || is_elsewhere || is_met {
                continue;
            }
            let is_match = term.fits(item);
            match (term.negated, term.key) {
                (true, _) if is_match => return TermResult::NO_MATCH,
                (true, _) => {}
                (false, FilterKey::Text) if !is_match => return TermResult::NO_MATCH,
                (false, FilterKey::Text) => {}
                (false, _) => {
                    wanted_bits |= bit;
                    met_bits |= if is_match { bit } else { 0 };
                }
            }
        }
        let bits = |keys: &[FilterKey]| keys.iter().fold(0, |bits, key| bits | 1 << *key as u16);
        let (own_bits, problem_bits) = (bits(keys), bits(&FilterKey::OF_PROBLEMS));
        // A rule and a severity must be those of one problem, not of two.
        let is_split = || self.kept_problems(item, None).next().is_none();
        if met_bits & problem_bits == problem_bits && is_split() {
            met_bits &= match problem_bits & own_bits {
                0 => !problem_bits,
                own_bits => !own_bits,
            };
        }
        TermResult {
            others: wanted_bits & !own_bits == met_bits & !own_bits,
            key: match wanted_bits & own_bits {
                0 if keys.is_empty() => Some(true),
                0 => None,
                wanted_bits => Some(met_bits & own_bits == wanted_bits),
            },
        }
    }
}

/// Results of the terms of a filter for an item.
#[derive(Clone, Copy, Debug)]
pub(super) struct TermResult {
    /// Whether it passes all terms but those that keep values of the keys in question.
    pub(super) others: bool,
    /// Whether it passes those; `None` when there are none.
    pub(super) key: Option<bool>,
}

impl TermResult {
    const NO_MATCH: Self = Self { others: false, key: None };
}

impl Term {
    /// False for a term whose value is still to be typed.
    fn has_value(&self) -> bool {
        match &self.fits {
            TermMatcher::OneOf(_) | TermMatcher::Range(_) => true,
            TermMatcher::Pattern(pattern) => !pattern.is_empty(),
            TermMatcher::Body(pattern) => !pattern.is_empty(),
            TermMatcher::Begun => false,
        }
    }

    fn fits(&self, item: &Item) -> bool {
        match &self.fits {
            TermMatcher::OneOf(bits) => bits & bits_of(self.key, item) != 0,
            TermMatcher::Pattern(pattern) => fits_text(self.key, pattern, item),
            TermMatcher::Range(range) => item.tokens().is_some_and(|t| range.contains(&t)),
            TermMatcher::Body(_) | TermMatcher::Begun => false,
        }
    }
}

/// Returns the fixed values of a key that an item has, as bits.
fn bits_of(key: FilterKey, item: &Item) -> u64 {
    let problems = item.problems.iter();
    match key {
        FilterKey::Kind => 1 << item.kind as u8,
        FilterKey::Status => {
            let statuses = item.statuses().fold(0, |bits, status| bits | 1 << status.rank());
            // `problems` is a word of the filter beside the statuses, with the bit behind theirs.
            let has_problems = item.worst() >= Some(Severity::Warning);
            statuses | u64::from(has_problems) << ItemStatus::ALL.len()
        }
        FilterKey::Rule => problems.fold(0, |bits, problem| bits | 1 << problem.rule as u8),
        FilterKey::Severity => problems.fold(0, |bits, problem| bits | 1 << problem.severity as u8),
        FilterKey::Version => item.version.map_or(0, |version| 1 << version as u8),
        FilterKey::Client => item.client().map_or(0, |client| 1 << client as u8),
        _ => 0,
    }
}

fn fits_text(key: FilterKey, glob: &WildcardPattern, item: &Item) -> bool {
    let fits = |text: Option<&str>| text.is_some_and(|text| glob.matches(text));
    let calls = || item.calls.iter();
    let tool = || {
        let signatures = item.signature.iter().chain(calls().map(|call| &call.signature));
        signatures.flat_map(|signature| &signature.tool_names).any(|name| glob.matches(name))
    };
    let model = || fits(item.model.as_deref()) || calls().any(|call| fits(call.model.as_deref()));
    let call =
        |call: &CallRow| glob.matches(call.summary.label()) || fits(call.provider.as_deref());
    let source = || item.source.as_ref().is_some_and(|source| fits(source.file.as_deref()));
    match key {
        FilterKey::Tool => tool(),
        FilterKey::Model => model(),
        FilterKey::Path => glob.matches(item.root_path()),
        FilterKey::Set => glob.matches(item.set()),
        FilterKey::Source => source(),
        FilterKey::Id => fits(item.id.as_deref()),
        FilterKey::Api => calls().any(|call| fits(call.api.as_deref())),
        FilterKey::Provider => calls().any(|call| fits(call.provider.as_deref())),
        FilterKey::Called => {
            let summary = item.summary.iter().map(|summary| &**summary);
            summary
                .chain(calls().map(|call| &call.summary))
                .any(|summary| fits(summary.tool.as_deref()))
        }
        FilterKey::HttpStatus => calls().any(|call| {
            let status = call.http.as_ref().map(|http| http.status);
            status.is_some_and(|status| glob.matches(&status.to_string()))
        }),
        FilterKey::Text => {
            glob.matches(item.root_path())
                || fits(item.id.as_deref())
                || model()
                || tool()
                || source()
                || calls().any(call)
        }
        // The others have fixed values, a range, or look into the file.
        _ => false,
    }
}

impl FilterToken {
    /// Returns whether the value of a key is still being typed at the end of `text`.
    fn is_begun(&self, text: &str) -> bool {
        let is_in_value = self.key.is_some() && !self.value().is_empty();
        let is_at_end = self.span.range().end == text.len();
        is_in_value && is_at_end && !self.is_regex && !(self.closed && text.ends_with(['"', '*']))
    }

    /// Returns the fault of a token whose quote reaches to the end of `text`.
    fn unclosed(&self, text: &str) -> Option<FilterError> {
        let term = text.get(self.span.range()).unwrap_or_default();
        if self.is_regex {
            let message = "a regular expression is opened with / and not closed; put a text that begins with / in quotes";
            return (!self.closed).then(|| self.error(message, Some(format!("{term}/")), None));
        }
        let backslashes = term.len() - term.trim_end_matches('\\').len();
        // A lone backslash at the end would take the quote for its own.
        let end = if backslashes.is_multiple_of(2) { "\"" } else { "\\\"" };
        let hint = format!("{term}{end}");
        (!self.closed).then(|| self.error("a quote is opened and not closed", Some(hint), None))
    }

    fn error(
        &self,
        message: impl Into<String>,
        suggestion: Option<String>,
        known: Option<String>,
    ) -> FilterError {
        FilterError { span: self.span, message: message.into(), suggestion, known }
    }

    fn parse_term(self, text: &str) -> Result<Term, FilterError> {
        let key = match &self.key {
            None => FilterKey::Text,
            Some(name) => FilterKey::named(name).ok_or_else(|| self.unknown_key(name, text))?,
        };
        let pattern = WildcardPattern::new(&self.pieces, key.reach());
        let matcher = match key.fixed_values() {
            _ if key == FilterKey::Body => self.body_matcher()?,
            _ if key == FilterKey::Tokens && !pattern.is_empty() => self.range_matcher()?,
            Some(values) if !pattern.is_empty() => {
                let matches = values.iter().enumerate().filter(|(_, value)| pattern.matches(value));
                let bits = matches.fold(0, |bits, (bit, _)| bits | 1 << bit);
                if bits == 0 {
                    return Err(self.unknown_value(key, &values));
                }
                TermMatcher::OneOf(bits)
            }
            _ => TermMatcher::Pattern(pattern),
        };
        Ok(Term { span: self.span, negated: self.negated, key, value: self.value(), fits: matcher })
    }

    fn body_matcher(&self) -> Result<TermMatcher, FilterError> {
        let pattern = match (&self.pieces[..], self.is_regex) {
            ([TermPiece::Text(regex)], true) => BodyPattern::of_regex(regex),
            (pieces, _) => BodyPattern::of_text(pieces),
        };
        match pattern {
            Ok(pattern) => Ok(TermMatcher::Body(pattern)),
            // Most regular expressions are invalid until they are finished.
            Err(_) if !self.closed => Ok(TermMatcher::Begun),
            Err(message) => Err(self.error(message, None, None)),
        }
    }

    /// Reads `1000`, `>1000`, `>=1000`, `<1000` or `<=1000`.
    fn range_matcher(&self) -> Result<TermMatcher, FilterError> {
        // A value that is still being typed ends with a star, which means nothing after a number.
        let typed_text = self.value();
        let value = typed_text.strip_suffix('*').unwrap_or(&typed_text);
        let digits = value.trim_start_matches(['<', '>', '=']);
        let sign = &value[..value.len() - digits.len()];
        if digits.is_empty() && matches!(sign, "" | "<" | ">" | "=" | "<=" | ">=") {
            return Ok(TermMatcher::Begun);
        }
        let range = digits.parse().ok().and_then(|number: u64| match sign {
            "" | "=" => Some(number..=number),
            ">" => Some(number.checked_add(1)?..=u64::MAX),
            ">=" => Some(number..=u64::MAX),
            "<" => Some(0..=number.checked_sub(1)?),
            "<=" => Some(0..=number),
            _ => None,
        });
        range.map(TermMatcher::Range).ok_or_else(|| {
            let message = format!("\"{}\" is not a number of tokens", visible(value));
            self.error(message, None, Some("write 1000, >1000 or <1000".to_owned()))
        })
    }

    fn unknown_key(&self, name: &str, text: &str) -> FilterError {
        let keys: Vec<&str> = FilterKey::ALL.iter().map(|key| key.as_str()).collect();
        let visible_name = visible(name);
        let term = text.get(self.span.range()).unwrap_or_default();
        let (advice, suggestion) = match nearest(name, &keys) {
            Some(hint) => (format!("did you mean \"{hint}\"?"), term.replacen(name, hint, 1)),
            None => ("put it in quotes to search for this text".to_owned(), in_quotes(term)),
        };
        let message = format!("there is no key \"{visible_name}\"; {advice}");
        self.error(message, Some(suggestion), Some(format!("keys are {}", keys.join(", "))))
    }

    fn unknown_value(&self, key: FilterKey, values: &[&str]) -> FilterError {
        let value = self.value();
        let (key, visible_value) = (key.as_str(), visible(&value));
        let sign = if self.negated { "-" } else { "" };
        let nearest_value = nearest(&value, values);
        let advice = nearest_value.map_or_else(String::new, |v| format!("; did you mean \"{v}\"?"));
        let message = format!("there is no {key} \"{visible_value}\"{advice}");
        let suggestion = nearest_value.map(|nearest_value| format!("{sign}{key}:{nearest_value}"));
        self.error(message, suggestion, Some(format!("{key} is one of {}", values.join(", "))))
    }
}

fn nearest<'a>(word: &str, words: &[&'a str]) -> Option<&'a str> {
    // 0.6 is the default cutoff of Python's function of this name (`difflib`).
    similar::get_close_matches(word.to_lowercase().as_str(), words, 1, 0.6).pop()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::testing::items;
    use super::super::token::filter_value;
    use super::*;
    use calls::reading::listed_calls;
    use calls::{Pool, summarise};
    use document::text::Source;

    /// Returns the numbers of the rows that a filter keeps.
    fn matching_paths(filter: &str) -> Vec<usize> {
        let query = FilterQuery::parse(filter);
        assert_eq!(query.errors(), [], "{filter}");
        let items = items();
        (0..items.len()).filter(|index| query.matches(&items[*index])).collect()
    }

    #[test]
    fn cassettes_are_filtered_by_what_their_calls_are() {
        let text = include_str!(
            "../../../sample-recordings/cassettes/test_refund/test_refund_rate_limit.yaml"
        );
        let document = document::read(Source::new(text), "a.yaml");
        let (calls, pool) = (listed_calls(&document), Pool::default());
        let path: Arc<str> = "cassettes/a.yaml".into();
        let item = summarise(Arc::clone(&path), &path, 0, &document, Vec::new(), None, &pool)
            .with_calls(&document, &calls, &pool);
        let table = [
            ("api:responses", true),
            ("api:messages", false),
            ("provider:openai", true),
            ("called:refund", true),
            ("called:ref*", true),
            ("called:reply", false),
            ("code:429", true),
            ("code:4*", true),
            ("code:5*", false),
            ("tokens:1252", true),
            ("tokens:>1252", false),
            ("tokens:>=1252", true),
            ("tokens:<2000", true),
            ("-tokens:<2000", false),
            ("tokens:>", true),
            ("client:vcrpy", true),
            ("client:go-vcr", false),
        ];
        for (filter, expected) in table {
            let query = FilterQuery::parse(filter);
            assert_eq!(query.errors(), [], "{filter}");
            assert_eq!(query.matches(&item), expected, "{filter}");
        }
        let query = FilterQuery::parse("tokens:many");
        let messages: Vec<&str> = query.errors().iter().map(|e| &*e.message).collect();
        assert_eq!(messages, ["\"many\" is not a number of tokens"]);
    }

    #[test]
    fn what_a_filter_keeps() {
        let table: &[(&str, &[usize])] = &[
            ("", &[0, 1, 2, 3, 4]),
            ("kind:recording", &[0, 1, 2]),
            ("KIND:Tape kind:request", &[3, 4]),
            ("kind:recording -path:archive", &[0, 1]),
            ("status:fresh status:missing", &[0, 1]),
            ("status:problems", &[1]),
            ("tool:transition_to_re*", &[0, 1, 4]),
            ("tool:transition_to_re* tool:*done kind:recording", &[0, 1, 2]),
            ("tool:transition_to_re", &[]),
            ("-tool:*", &[3]),
            ("tool:", &[0, 1, 2, 3, 4]),
            ("model:gemini*", &[3]),
            ("set:2025", &[2]),
            ("path:2025/turn", &[2]),
            ("path:triage*2", &[1]),
            ("id:triage-turn-1", &[0]),
            ("rule:source-* severity:note", &[]),
            ("rule:source-* severity:warning", &[1]),
            ("rule:source-* rule:signature-shared severity:note", &[1]),
            ("rule:signature-shared severity:note severity:error", &[1]),
            ("rule:signature-shared problem:warning", &[]),
            ("rule:signature-shared -severity:warning", &[]),
            ("problem:error", &[]),
            ("version:v3 source:a.dy", &[0, 1]),
            ("turn triage", &[0, 1]),
            ("gemini", &[3]),
            ("read_ticket", &[1]),
            ("\"am morgen\"", &[3]),
            ("ärger", &[3]),
            ("-\"am morgen\" -", &[0, 1, 2, 4]),
            ("\"turn*\"", &[]),
        ];
        for (filter, expected) in table {
            assert_eq!(matching_paths(filter), *expected, "{filter}");
        }
    }

    #[test]
    fn a_value_still_being_typed_counts_as_a_beginning() {
        let items = items();
        let match_count =
            |query: FilterQuery| items.iter().filter(|item| query.matches(item)).count();
        let full_count = match_count(FilterQuery::parse("tool:transition_to_reply"));
        assert!(full_count > 0);
        for filter_text in
            ["tool:transition_to_r", "tool:transition_to_repl", "tool:transition_to_reply"]
        {
            assert!(
                match_count(FilterQuery::parse_begun(filter_text)) >= full_count,
                "{filter_text}"
            );
        }
        assert_eq!(match_count(FilterQuery::parse("tool:transition_to_repl")), 0);
        for (filter_text, count) in [("set:\"tri", 2), ("set:\"", 5), ("knd:x set:tri", 2)] {
            assert_eq!(match_count(FilterQuery::parse_begun(filter_text)), count, "{filter_text}");
        }
        assert_eq!(match_count(FilterQuery::parse_begun("set:\"tri\"")), 0);
        assert_eq!(FilterQuery::parse_begun("kind:rec").text(), "kind:rec");
    }

    #[test]
    fn what_is_not_understood_filters_nothing_and_is_reported_with_its_place() {
        let report_of = |filter: &str| {
            let query = FilterQuery::parse(filter);
            let faults = query.errors().iter().map(|fault| {
                let FilterError { span, message, suggestion, .. } = fault;
                let place = &filter[span.range()];
                format!("{place}: {message} → {}\n", suggestion.as_deref().unwrap_or("-"))
            });
            faults.collect::<String>()
        };
        insta::assert_snapshot!(report_of("-knd:tape kind:recordings x http://a status:zzz"), @r#"
        -knd:tape: there is no key "knd"; did you mean "kind"? → -kind:tape
        kind:recordings: there is no kind "recordings"; did you mean "recording"? → kind:recording
        http://a: there is no key "http"; put it in quotes to search for this text → "http://a"
        status:zzz: there is no status "zzz" → -
        "#);
        let query = FilterQuery::parse("turn knd:tape");
        let kept_of =
            |query: &FilterQuery| items().iter().filter(|item| query.matches(item)).count();
        assert_eq!(kept_of(&query), matching_paths("turn").len());
    }

    #[test]
    fn an_open_quote_reaches_to_the_end_and_is_reported_with_how_to_close_it() {
        for (filter, closed) in [
            ("kind:tape -path:\"my set", "-path:\"my set\""),
            ("\"a\\", "\"a\\\\\""),
            ("\"a\\\"", "\"a\\\"\""),
        ] {
            let query = FilterQuery::parse(filter);
            let fault = query.unclosed().unwrap();
            assert_eq!(fault.suggestion.as_deref(), Some(closed), "{filter}");
            let closed_query = FilterQuery::parse(&query.replaced(fault.span, closed));
            assert_eq!(closed_query.unclosed(), None, "{filter}");
            let value = |query: &FilterQuery| query.terms().last().unwrap().value.clone();
            assert_eq!(value(&closed_query), value(&query), "{filter}");
        }
        assert_eq!(FilterQuery::parse("\"a\" b").unclosed(), None);
    }

    #[test]
    fn terms_for_the_content_of_files_are_kept_apart() {
        let fits = |filter: &str, content: &str| {
            let query = FilterQuery::parse(filter);
            assert_eq!(query.errors(), [], "{filter}");
            assert_eq!(query.unclosed(), None, "{filter}");
            query.body().unwrap().matches(content.as_bytes(), "a.json", &mut Vec::new())
        };
        assert!(fits("body:Word kind:tape", "a word"));
        assert!(!fits("-body:word", "a word"));
        assert!(fits("body:a body:b", "ab"));
        assert!(!fits("body:a body:b", "a"), "each has to be found");
        assert!(fits("body:\"two words\" x", "TWO WORDS"));
        assert!(fits("BODY:/two .ords$/ x", "two words"));
        assert!(fits("body:/a/b/", "a/b") && fits("body:/a\\/b/", "a/b"));
        assert!(fits("body:\"/a/\"", "/a/") && !fits("body:\"/a/\"", "a"));
        assert!(fits(r#"body:"a\n""#, r"a\n"), "other characters keep their backslash");

        assert_eq!(matching_paths("body:x kind:tape"), [3]);
        assert_eq!(FilterQuery::parse("body: kind:tape").body(), None);
        let same = FilterQuery::parse("kind:tape body:x");
        assert_eq!(same.body(), FilterQuery::parse("body:x").body());
        assert_ne!(same.body(), FilterQuery::parse("-body:x").body());
    }

    #[test]
    fn a_regular_expression_is_between_slashes() {
        let query = FilterQuery::parse("-body:/a b/ body:/a c");
        let values: Vec<&str> = query.terms().iter().map(|term| &*term.value).collect();
        assert_eq!(values, ["/a b/", "/a c/"]);
        let fault = query.unclosed().unwrap();
        assert_eq!(fault.suggestion.as_deref(), Some("body:/a c/"));
        assert!(fault.message.contains("put a text that begins with / in quotes"));

        let query = FilterQuery::parse("body:/(a/ x");
        let message = "the regular expression is invalid: unclosed group";
        assert_eq!(query.errors()[0].message, message);
        let begun = FilterQuery::parse_begun("body:/(a");
        assert_eq!((begun.errors(), begun.body()), (&[][..], None));
        assert!(FilterQuery::parse_begun("body:/a").body().is_some());
    }

    #[test]
    fn chips_are_taken_out_put_in_and_replaced() {
        let query = FilterQuery::parse("kind:tape  -path:\"my set\" x");
        let span = |index: usize| query.terms()[index].span;
        assert_eq!(query.without(span(0)), "-path:\"my set\" x");
        assert_eq!(query.without(span(1)), "kind:tape x");
        assert_eq!(query.without(span(2)), "kind:tape  -path:\"my set\"");
        assert_eq!(query.replaced(span(2), "y"), "kind:tape  -path:\"my set\" y");
    }

    proptest! {
        #![proptest_config(document::text::cases(256))]

        #[test]
        fn a_quoted_value_is_read_as_it_was(value in "\\PC{0,20}") {
            let text = format!("set:{} x", filter_value(&value));
            let query = FilterQuery::parse(&text);
            prop_assert_eq!(&query.terms()[0].value, &value);
            prop_assert_eq!(query.terms().len(), 2);
        }

        #[test]
        fn terms_and_faults_cover_all_but_spaces(text in "[a-z:\"\\\\* -]{0,30}") {
            let query = FilterQuery::parse(&text);
            let terms = query.terms().iter().map(|term| term.span);
            let mut spans: Vec<Span> =
                terms.chain(query.errors().iter().map(|fault| fault.span)).collect();
            spans.sort();
            let mut end = 0;
            for span in spans {
                prop_assert!(text[end..span.range().start].trim().is_empty());
                end = span.range().end;
            }
            prop_assert!(text[end..].trim().is_empty());
        }
    }
}
