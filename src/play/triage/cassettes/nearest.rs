//! The recorded call that is nearest to a request, and how the two differ.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;

use super::cause::RequestPart;
use super::printed_diff;
use crate::client::{
    AddressParts, ClientRules, HttpRequest, Matcher, NO_VALUE, RecordedRequest, RequestBody,
    ValueDifference, differing_words, json_path, shortened, shown_words,
};
use crate::run_log::{FailedMatcher, PrintedBody, PrintedCandidate, PrintedRequest};
use document::edit::JsonValue;
use document::json;
use document::text::{Source, quoted};

/// The most words of a text whose end is not known that are shown.
const MAX_CUT_WORDS: usize = 6;
/// The least part of the words of a text in the code that a recorded one shares, if it is the same prompt.
const MIN_SHARED_WORDS: usize = 2;

/// A recorded call and how a request differs from it.
#[derive(Clone, Debug)]
pub(super) struct NearestCall {
    pub(super) call: RecordedRequest,
    /// The most important first; none if nothing is known to differ.
    pub(super) differences: Vec<RequestDifference>,
    /// Whether all of both is known.
    pub(super) is_whole: bool,
    /// Whether the body that was sent is known as a whole, and is the recorded one.
    pub(super) has_same_body: bool,
    /// The request that was sent, as far as it is known.
    pub(super) sent: PrintedRequest,
    /// Whether its body is known only as a value, and not its bytes.
    pub(super) has_only_value: bool,
}

impl NearestCall {
    /// Returns the number of the call, from 1.
    pub(super) fn number(&self) -> usize {
        self.call.index + 1
    }

    /// Returns whether prompts that differ begin with the same words, so that they are versions of one.
    pub(super) fn is_like(&self) -> bool {
        let recorded = self.call.request.body.text().unwrap_or_default();
        let mut prompts = self.differences.iter().filter(|d| d.part == RequestPart::Prompt);
        prompts.all(|difference| {
            // A text that is whole is in quotes.
            let is_whole = match difference.recorded.strip_suffix('…') {
                Some(start) => recorded.contains(&format!("\"{start}")),
                None => recorded.contains(&format!("\"{}\"", difference.recorded)),
            };
            !is_whole
        })
    }
}

/// A value in which a request differs from a recorded one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RequestDifference {
    pub(super) part: RequestPart,
    /// Its place, such as `messages[0].content`; empty for a part of the address.
    pub(super) place: String,
    pub(super) recorded: String,
    pub(super) sent: String,
}

impl RequestDifference {
    /// Creates the difference of a value in two bodies.
    fn of_value(value: ValueDifference) -> Self {
        let place = value.path;
        if place.is_empty() {
            let [old, new] = [value.recorded, value.sent].map(Option::unwrap_or_default);
            return Self::of_words("body".to_owned(), &old, &new);
        }
        let [recorded, sent] = [value.recorded, value.sent].map(|json| {
            json.map(|json| serde_json::from_str(&json).unwrap_or(Value::String(json)))
        });
        let (recorded, sent) = match (recorded, sent) {
            (Some(Value::String(old)), Some(Value::String(new))) => {
                return Self::of_words(place, &old, &new);
            }
            // Quotes distinguish a text from a number.
            (Some(old), Some(new)) => (shortened(&old.to_string()), shortened(&new.to_string())),
            (old, new) => (shown(old), shown(new)),
        };
        Self { part: part_of(&place), place, recorded, sent }
    }

    /// Creates the difference of two texts.
    fn of_words(place: String, recorded: &str, sent: &str) -> Self {
        let part = part_of(&place);
        let (recorded, sent) = differing_words(recorded, sent);
        let is_whole = |text: &str| text != NO_VALUE && !text.ends_with('…');
        let (recorded, sent) = match part {
            RequestPart::Prompt if is_whole(&recorded) && is_whole(&sent) => {
                without_same_ends(&recorded, &sent)
            }
            _ => (recorded, sent),
        };
        Self { part, place, recorded, sent }
    }
}

/// Removes whole words and signs with which both of two texts begin or end, so that a sentence that was added to several prompts is the
/// same difference of each: `Paris.` and `Paris, in short.` differ in `, in short`.
fn without_same_ends(a: &str, b: &str) -> (String, String) {
    let is_edge = |text: &str, at: usize| {
        let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        !(is_word(text[..at].chars().next_back()) && is_word(text[at..].chars().next()))
    };
    let mut start = common_start(a, b);
    while !(a.is_char_boundary(start) && is_edge(a, start) && is_edge(b, start)) {
        start -= 1;
    }
    let (rest_a, rest_b) = (&a[start..], &b[start..]);
    let mut end = common_start_reversed(rest_a, rest_b);
    let edges = |end: usize| (rest_a.len() - end, rest_b.len() - end);
    let is_good = |end: usize| {
        let (at, other) = edges(end);
        rest_a.is_char_boundary(at)
            && rest_b.is_char_boundary(other)
            && is_edge(rest_a, at)
            && is_edge(rest_b, other)
    };
    while !is_good(end) {
        end -= 1;
    }
    let (end_a, end_b) = edges(end);
    let text = |text: &str| match text.trim() {
        "" => NO_VALUE.to_owned(),
        text => text.to_owned(),
    };
    (text(&rest_a[..end_a]), text(&rest_b[..end_b]))
}

fn shown(value: Option<Value>) -> String {
    match value {
        None => NO_VALUE.to_owned(),
        Some(Value::String(text)) => shortened(&text),
        Some(value) => shortened(&value.to_string()),
    }
}

impl PrintedRequest {
    /// Returns the request that was sent, as far as it is printed. Headers are not, and say how bodies are compared: they are those of
    /// a recorded request.
    pub fn as_sent(&self, recorded: Option<&HttpRequest>) -> HttpRequest {
        let known = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        HttpRequest {
            method: known(&self.method),
            url: known(&self.url),
            headers: recorded.and_then(|request| request.headers.clone()),
            body: match (&self.body, recorded.map(|request| &request.body)) {
                (Some(PrintedBody::Whole(body)), Some(RequestBody::Tree(_))) => parse_body(body),
                (Some(PrintedBody::Whole(body)), Some(RequestBody::Missing)) if body.is_empty() => {
                    RequestBody::Missing
                }
                (Some(PrintedBody::Whole(body)), _) => RequestBody::Bytes(body.as_bytes().into()),
                (Some(PrintedBody::Cut(..)) | None, _) => RequestBody::Unknown,
            },
        }
    }
}

/// Returns a body as a value if it is JSON.
fn parse_body(text: &str) -> RequestBody {
    match JsonValue::parse(text) {
        Ok(value) => RequestBody::Tree(value),
        Err(_) => RequestBody::Bytes(text.as_bytes().to_vec()),
    }
}

/// Finds the recorded request that is nearest to a printed one, and the differences in what the client compares by its rules.
/// `candidates` are those that it printed as the closest.
pub(super) fn nearest(
    recorded: &[RecordedRequest],
    sent: &PrintedRequest,
    candidates: &[PrintedCandidate],
    rules: &ClientRules,
) -> Option<NearestCall> {
    let closest = candidates.first();
    let is_printed = matches!(sent.body, Some(PrintedBody::Whole(_)));
    let whole_body = if is_printed { None } else { body_of_difference(recorded, candidates) };
    let has_only_value = whole_body.is_some();
    let sent = &PrintedRequest {
        body: whole_body.or(sent.body.clone()),
        // What the settings take out is printed and not compared: it is secret, and must not get into a file.
        url: rules.filter_url(&sent.url).into(),
        ..sent.clone()
    };
    let sent_body = match &sent.body {
        Some(PrintedBody::Whole(text)) => Some(parse_body(text)),
        _ => None,
    };
    let body_matcher = rules.matchers.iter().copied().find(|matcher| matcher.is_of_body());
    // Bodies that are not equal are described by their values, also where the client compares their bytes.
    let matcher = body_matcher.filter(|m| *m != Matcher::RawBody).unwrap_or(Matcher::Body);
    let compared = recorded.iter().map(|call| {
        let request = &call.request;
        let address = address_differences(request, sent);
        let body: Vec<RequestDifference> = match (&sent_body, &sent.body) {
            (Some(body), _) => {
                let values = rules.body_differences(matcher, [body, &request.body]);
                values.into_iter().map(RequestDifference::of_value).collect()
            }
            (None, Some(PrintedBody::Cut(start, end))) => {
                let recorded = request.body.text().unwrap_or_default();
                cut_difference(&recorded, start, end).into_iter().collect()
            }
            _ => Vec::new(),
        };
        let is_closest = closest.is_some_and(|closest| {
            request.url.as_deref() == Some(&*closest.url)
                && request.method.as_deref() == Some(&*closest.method)
        });
        let cost = usize::from(!is_closest && closest.is_some()) * 1000
            + address.iter().map(|difference| cost(difference.part)).sum::<usize>()
            + body.iter().map(unlikeness).sum::<usize>();
        (cost, call, address, body)
    });
    // The first of several that are as near.
    let (_, call, mut differences, body) = compared.min_by_key(|(cost, ..)| *cost)?;
    let mut is_whole = sent_body.is_some();
    let is_closest = closest.filter(|closest| call.request.url.as_deref() == Some(&*closest.url));
    // Without a printed body, the client says which parts differ.
    let has_equal_body = body_matcher.is_some()
        && is_closest.is_some_and(|closest| {
            let is_of_body = |failed: &FailedMatcher| failed.name.contains("body");
            !closest.failed.is_empty() && !closest.failed.iter().any(is_of_body)
        });
    let has_same_body = is_whole && body.is_empty() || !is_whole && has_equal_body;
    if body_matcher.is_some() || differences.is_empty() {
        differences.extend(body);
    }
    if differences.is_empty() && !is_whole {
        // The client compared the whole bodies, and printed lines of both.
        differences.extend(printed_difference(&call.request, candidates));
        is_whole = !differences.is_empty();
    }
    differences.sort_by_key(|difference| difference.part);
    let (call, sent) = (call.clone(), sent.clone());
    Some(NearestCall { call, differences, is_whole, has_same_body, sent, has_only_value })
}

/// Returns the body that was sent, if a client printed its whole difference from that of a recorded call, which may have become it since.
fn body_of_difference(
    recorded: &[RecordedRequest],
    candidates: &[PrintedCandidate],
) -> Option<PrintedBody> {
    let find = |body_of: &dyn Fn(&HttpRequest, &FailedMatcher) -> Option<String>| {
        candidates.iter().find_map(|candidate| {
            let failed = candidate.failed.iter().find(|failed| !failed.diff.is_empty())?;
            let mut calls = recorded.iter().map(|call| &call.request);
            calls.find_map(|request| {
                let is_of_url = request.url.as_deref() == Some(&*candidate.url);
                is_of_url.then(|| body_of(request, failed)).flatten()
            })
        })
    };
    let present = |request: &HttpRequest, failed: &FailedMatcher| {
        let text = request.body.text().filter(|_| printed_diff::is_sent(request, failed));
        text.map(Cow::into_owned)
    };
    let body = find(&printed_diff::sent_body).or_else(|| find(&present))?;
    Some(PrintedBody::Whole(body.into()))
}

/// A text in the code of a test that no call has recorded, with the recorded text that is most like it.
pub(super) struct UnrecordedText<'r> {
    pub(super) call: &'r RecordedRequest,
    pub(super) difference: RequestDifference,
    /// Whether the code has the recorded text, too, so that the other one is of a further request.
    pub(super) is_kept: bool,
}

impl UnrecordedText<'_> {
    /// Describes a text whose recorded one is in the code, too, as a sentence.
    pub(super) fn describe_further(&self) -> String {
        let (number, sent) = (self.call.index + 1, quoted(&self.difference.sent));
        format!("The text of call {number} is in the code, too, and {sent} is not recorded.")
    }
}

/// Finds the texts of code that are like recorded ones, and are not recorded.
pub(super) fn unrecorded_texts<'r>(
    calls: &[&'r RecordedRequest],
    code: &[Arc<str>],
) -> Vec<UnrecordedText<'r>> {
    let bodies: Vec<_> =
        calls.iter().filter_map(|call| Some((*call, call.request.body.json()?))).collect();
    let texts: Vec<_> = bodies
        .iter()
        .flat_map(|(call, body)| {
            let nodes = body.tree().nodes();
            nodes.filter_map(|node| Some((*call, node, node.as_str()?)))
        })
        .collect();
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let is_recorded =
        |literal: &&Arc<str>| texts.iter().any(|(.., text)| text.contains(&***literal));
    let unrecorded = code.iter().filter(|literal| !is_recorded(literal)).filter_map(|literal| {
        let own = words(literal);
        let shared_words = |text: &str| {
            let other = words(text);
            let shared = own.iter().filter(|word| other.contains(word)).count();
            let is_like = shared >= MIN_SHARED_WORDS && shared * 2 >= own.len().max(other.len());
            is_like.then_some(shared)
        };
        let is_kept = |text: &str| code.iter().any(|literal| text.contains(&**literal));
        // One that is gone from the code is more likely its former text.
        let nearest = texts.iter().filter_map(|(call, node, text)| {
            Some(((!is_kept(text), shared_words(text)?), *call, *node, *text))
        });
        let ((is_gone, _), call, node, text) = nearest.max_by_key(|(weight, ..)| *weight)?;
        let difference = RequestDifference::of_words(json_path(node), text, literal);
        Some(UnrecordedText { call, difference, is_kept: !is_gone })
    });
    unrecorded.collect()
}

fn cost(part: RequestPart) -> usize {
    match part {
        RequestPart::Method => 400,
        RequestPart::Host => 200,
        RequestPart::Path => 100,
        RequestPart::Query => 50,
        // A model in the path.
        RequestPart::Model => 60,
        _ => 10,
    }
}

fn address_differences(call: &HttpRequest, sent: &PrintedRequest) -> Vec<RequestDifference> {
    let mut differences = Vec::new();
    let mut compare = |part, recorded: &str, sent: &str| {
        if recorded != sent {
            differences.push(RequestDifference {
                part,
                place: String::new(),
                recorded: shortened(recorded),
                sent: shortened(sent),
            });
        }
    };
    let method = call.method.as_deref().unwrap_or_default();
    if !sent.method.is_empty() && !sent.method.eq_ignore_ascii_case(method) {
        compare(RequestPart::Method, method, &sent.method);
    }
    if sent.url.is_empty() {
        return differences;
    }
    let [old, new] = [call.url.as_deref().unwrap_or_default(), &sent.url].map(AddressParts::parse);
    // Of a request to a server in place of another one only the path is known.
    if !sent.url.starts_with('/') {
        compare(RequestPart::Host, &old.origin(), &new.origin());
    }
    let (old_path, new_path) = (old.non_empty_path(), new.non_empty_path());
    match model_in_path(old_path, new_path) {
        Some((old, new)) => compare(RequestPart::Model, old, new),
        None => compare(RequestPart::Path, old_path, new_path),
    }
    let fields = |fields: String| if fields.is_empty() { NO_VALUE.to_owned() } else { fields };
    let [old_query, new_query] = [old.query_beyond(&new), new.query_beyond(&old)].map(fields);
    compare(RequestPart::Query, &old_query, &new_query);
    differences
}

/// Returns the models in two paths that differ in nothing else: `/v1beta/models/gemini-2.0-flash:generateContent`.
fn model_in_path<'p>(old: &'p str, new: &'p str) -> Option<(&'p str, &'p str)> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.split('/').collect(), new.split('/').collect());
    let mut differing = (0..old.len()).filter(|at| old.get(*at) != new.get(*at));
    let at = differing.next().filter(|_| old.len() == new.len() && differing.next().is_none())?;
    let kind = at.checked_sub(1).map(|before| old[before])?;
    let is_model = ["models", "model", "deployments"].contains(&kind);
    let ((old_model, old_call), (new_model, new_call)) = (split_call(old[at]), split_call(new[at]));
    (is_model && old_call == new_call).then_some((old_model, new_model))
}

fn split_call(part: &str) -> (&str, &str) {
    part.split_once(':').unwrap_or((part, ""))
}

/// Returns how unlike two values are, so that of several texts the one with the fewest differing letters is nearest.
fn unlikeness(difference: &RequestDifference) -> usize {
    let len = |text: &str| if text == NO_VALUE { 0 } else { text.len().min(60) };
    10 + (len(&difference.recorded) + len(&difference.sent)) / 2
}

/// Returns the part of a request that a value of its body is of.
fn part_of(place: &str) -> RequestPart {
    let root = place.split(['.', '[']).next().unwrap_or_default();
    match root {
        "messages" | "input" | "contents" | "system" | "prompt" | "instructions" | "message"
        | "systemInstruction" | "system_instruction" | "inputText" | "inputs" | "chat_history"
        | "preamble" => RequestPart::Prompt,
        "tools" | "tool_choice" | "functions" | "function_call" | "toolConfig" | "tool_config" => {
            RequestPart::Tools
        }
        "model" | "modelId" | "model_id" => RequestPart::Model,
        _ => RequestPart::Parameter,
    }
}

/// Finds where a body of which only the beginning and the end are known differs from a recorded one.
fn cut_difference(recorded: &str, start: &str, end: &str) -> Option<RequestDifference> {
    let same = common_start(recorded, start);
    if same < start.len() {
        let (old, new) = (text_around(recorded, same), text_around(start, same));
        return Some(difference_at(recorded, same, old, new));
    }
    let same = common_start_reversed(recorded, end);
    if same < end.len() {
        let at = recorded.len() - same;
        let in_end = end.len() - same;
        let (old, new) = (text_around(recorded, at), text_around(end, in_end));
        return Some(difference_at(recorded, at.saturating_sub(1), old, new));
    }
    None
}

fn common_start(a: &str, b: &str) -> usize {
    let pairs = a.char_indices().zip(b.chars());
    pairs.take_while(|((_, a), b)| a == b).last().map_or(0, |((at, c), _)| at + c.len_utf8())
}

fn common_start_reversed(a: &str, b: &str) -> usize {
    let pairs = a.chars().rev().zip(b.chars().rev());
    pairs.take_while(|(a, b)| a == b).map(|(c, _)| c.len_utf8()).sum()
}

/// Returns the text of JSON around a position: from the last quote before it to the next one.
fn text_around(json: &str, at: usize) -> &str {
    let start = json[..at].rfind('"').map_or(0, |quote| quote + 1);
    let end = json[at..].find('"').map_or(json.len(), |quote| at + quote);
    &json[start..end]
}

fn difference_at(recorded: &str, at: usize, old: &str, new: &str) -> RequestDifference {
    let place = place_at(recorded, at);
    let words = |text: &str| {
        let words: Vec<&str> = text.split_whitespace().collect();
        let same = old.split_whitespace().zip(new.split_whitespace()).take_while(|(a, b)| a == b);
        let start = same.count().min(words.len());
        let end = words.len().min(start + MAX_CUT_WORDS);
        shown_words(&words[start..end])
    };
    RequestDifference { part: part_of(&place), recorded: words(old), sent: words(new), place }
}

/// Returns the place of a position in a text of JSON, such as `messages[0].content`: that of the value there, or of the last one before it.
fn place_at(json: &str, at: usize) -> String {
    let (tree, _) = json::parse(&Source::new(json));
    let begins = |span: document::text::Span| span.start as usize <= at;
    let last =
        tree.nodes().take_while(|node| begins(node.key_span().unwrap_or(node.span()))).last();
    // Within what ended before, the last value is not the one there.
    let is_open = |around: document::Node<'_>| at < around.span().end as usize;
    let nodes = last.into_iter().flat_map(document::Node::ancestors);
    let mut open_nodes = nodes.skip_while(|node| node.parent().is_some_and(|p| !is_open(p)));
    open_nodes.next().map(json_path).unwrap_or_default()
}

/// Reads the first lines of two bodies that a client printed as different. Of several candidates, the one whose lines the recorded body
/// has.
fn printed_difference(
    call: &HttpRequest,
    candidates: &[PrintedCandidate],
) -> Option<RequestDifference> {
    // Read in this way, members are sorted by their keys, as they are in the lines.
    let body: Value = serde_json::from_str(&call.body.text()?).ok()?;
    let pretty = serde_json::to_string_pretty(&body).ok()?;
    let is_of_call = |failed: &&FailedMatcher| {
        let lines = pretty.lines().skip(failed.first_line().saturating_sub(1)).map(str::trim);
        let [recorded, _] = failed.changed_lines();
        // Long lines are cut.
        let mut pairs = recorded.into_iter().zip(lines);
        failed.first_line() > 0
            && pairs.all(|(line, own)| own.starts_with(line.trim_end_matches('…')))
    };
    let failed = candidates.iter().flat_map(|candidate| &candidate.failed).find(is_of_call)?;
    let lines = pretty.split_inclusive('\n').take(failed.first_line());
    let end: usize = lines.map(str::len).sum();
    let place = place_at(&pretty, end.saturating_sub(2));
    let [recorded, sent] = failed.changed_lines();
    let first = |lines: &[&str]| lines.first().map(|line| line.trim_end_matches(',').to_owned());
    let difference = match [first(&recorded), first(&sent)] {
        [Some(old), Some(new)] => {
            let value = |line: &str| {
                let value = line.split_once("\": ").map_or(line, |(_, value)| value);
                value.trim_matches('"').to_owned()
            };
            RequestDifference::of_words(place, &value(&old), &value(&new))
        }
        pair => {
            let [recorded, sent] = pair.map(|line| shown(line.map(Value::String)));
            RequestDifference { part: part_of(&place), place, recorded, sent }
        }
    };
    // What differs may be behind the end of lines that are cut.
    Some(difference).filter(|difference| difference.recorded != difference.sent)
}
