//! The recorded call that is nearest to a request, and how the two differ.

use std::sync::Arc;

use serde_json::Value;

use super::cause::RequestPart;
use crate::run_log::{FailedMatcher, PrintedBody, PrintedCandidate, PrintedRequest};
use calls::reading::all_calls;
use document::call::{BodyContent, HttpExchange};
use document::edit::JsonValue;
use document::{Document, NodeId};

/// The most differing values of two bodies that are listed.
const MAX_DIFFERENCES: usize = 40;
/// The most letters of a value that are shown.
const MAX_VALUE_CHARS: usize = 60;
/// The most words of a text whose end is not known that are shown.
const MAX_CUT_WORDS: usize = 6;
/// The least part of the words of a text in the code that a recorded one shares, if it is the same prompt.
const MIN_SHARED_WORDS: usize = 2;

/// A recorded request.
#[derive(Debug)]
pub(super) struct CassetteRequest {
    /// The number of its call, from 1.
    pub(super) number: usize,
    pub(super) node: NodeId,
    pub(super) method: String,
    pub(super) url: String,
    /// The value of the file that holds the body.
    pub(super) body_node: Option<NodeId>,
    /// As it was sent; of one that is stored as a value, as JSON.
    body: Option<String>,
}

/// A recorded call and how a request differs from it.
#[derive(Debug)]
pub(super) struct NearestCall {
    pub(super) number: usize,
    /// The value of the cassette that is the call.
    pub(super) node: NodeId,
    /// The most important first; none if nothing is known to differ.
    pub(super) differences: Vec<RequestDifference>,
    /// Whether all of both is known.
    pub(super) is_whole: bool,
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

/// Returns the requests of a cassette.
pub(super) fn recorded(document: &Document) -> Vec<CassetteRequest> {
    let calls = all_calls(document);
    let requests = (1..).zip(&calls).filter_map(|(number, call)| {
        let http: &HttpExchange = call.facts.http.as_ref()?;
        let body = http.request_body.as_ref();
        let text = body.and_then(|body| match &body.content {
            BodyContent::Text(text) => Some(text.text().to_owned()),
            BodyContent::Bytes(_) => None,
            BodyContent::Tree(node) => {
                Some(JsonValue::from_node(document.tree.find(*node)?).json().to_owned())
            }
        });
        Some(CassetteRequest {
            number,
            node: call.node,
            method: http.method.clone(),
            url: http.url.clone(),
            body_node: body.map(|body| body.node),
            body: text,
        })
    });
    requests.collect()
}

/// Finds the recorded request that is nearest to a printed one, and the differences in what the client compares. `has_body` is whether
/// it compares bodies; `candidates` are those that it printed as the closest.
pub(super) fn nearest(
    recorded: &[CassetteRequest],
    sent: &PrintedRequest,
    candidates: &[PrintedCandidate],
    has_body: bool,
) -> Option<NearestCall> {
    let closest = candidates.first();
    let compared = recorded.iter().map(|call| {
        let address = address_differences(call, sent);
        let body = compare_bodies(call, sent.body.as_ref());
        let is_closest = closest.is_some_and(|c| *c.url == *call.url && *c.method == *call.method);
        let cost = usize::from(!is_closest && closest.is_some()) * 1000
            + address.iter().map(|difference| cost(difference.part)).sum::<usize>()
            + body.cost;
        (cost, call, address, body)
    });
    // The first of several that are as near.
    let (_, call, address, body) = compared.min_by_key(|(cost, ..)| *cost)?;
    let mut differences = address;
    if has_body || differences.is_empty() {
        differences.extend(body.differences);
    }
    let mut is_whole = body.is_whole;
    if differences.is_empty() && !body.is_whole {
        // The client compared the whole bodies, and printed lines of both.
        let printed = printed_differences(call, candidates);
        is_whole = !printed.is_empty();
        differences = printed;
    }
    differences.sort_by_key(|difference| difference.part);
    Some(NearestCall { number: call.number, node: call.node, differences, is_whole })
}

/// Returns the difference of a recorded prompt and the text in the code of a test that is most like it, if one is.
pub(super) fn difference_of_code(
    recorded: &CassetteRequest,
    code: &[Arc<str>],
) -> Option<RequestDifference> {
    let body: Value = serde_json::from_str(recorded.body.as_deref()?).ok()?;
    let mut texts = Vec::new();
    push_texts(&body, "", &mut texts);
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    for literal in code {
        let own = words(literal);
        if texts.iter().any(|(_, text)| text.contains(&**literal)) {
            continue;
        }
        let shared_words = |text: &str| {
            let other = words(text);
            let shared = own.iter().filter(|word| other.contains(word)).count();
            let is_like = shared >= MIN_SHARED_WORDS && shared * 2 >= own.len().max(other.len());
            is_like.then_some(shared)
        };
        let nearest =
            texts.iter().filter_map(|(place, text)| Some((shared_words(text)?, place, text)));
        if let Some((_, place, text)) = nearest.max_by_key(|(shared, ..)| *shared) {
            let (recorded, sent) = differing_words(text, literal);
            let part = part_of(place);
            return Some(RequestDifference { part, place: place.clone(), recorded, sent });
        }
    }
    None
}

fn push_texts(value: &Value, place: &str, texts: &mut Vec<(String, String)>) {
    match value {
        Value::String(text) => texts.push((place.to_owned(), text.clone())),
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                push_texts(item, &format!("{place}[{at}]"), texts);
            }
        }
        Value::Object(members) => {
            members.iter().for_each(|(key, value)| push_texts(value, &member(place, key), texts));
        }
        _ => {}
    }
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

/// The parts of an address that clients compare.
struct Address<'u> {
    origin: String,
    path: &'u str,
    query: Vec<&'u str>,
}

fn address(url: &str) -> Address<'_> {
    let url = url.split('#').next().unwrap_or(url);
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (host, path) = rest.find('/').map_or((rest, "/"), |at| rest.split_at(at));
    let host = host.rsplit('@').next().unwrap_or(host).to_ascii_lowercase();
    let port = match scheme {
        "http" => ":80",
        _ => ":443",
    };
    let mut query: Vec<&str> = query.split('&').filter(|pair| !pair.is_empty()).collect();
    query.sort_unstable();
    let scheme = if scheme == "http" { "http://" } else { "" };
    Address { origin: format!("{scheme}{}", host.strip_suffix(port).unwrap_or(&host)), path, query }
}

fn address_differences(call: &CassetteRequest, sent: &PrintedRequest) -> Vec<RequestDifference> {
    let mut differences = Vec::new();
    let mut push = |part, recorded: &str, sent: &str| {
        differences.push(RequestDifference {
            part,
            place: String::new(),
            recorded: shortened(recorded),
            sent: shortened(sent),
        });
    };
    if !sent.method.is_empty() && !sent.method.eq_ignore_ascii_case(&call.method) {
        push(RequestPart::Method, &call.method, &sent.method);
    }
    if sent.url.is_empty() {
        return differences;
    }
    let (old, new) = (address(&call.url), address(&sent.url));
    if old.origin != new.origin {
        push(RequestPart::Host, &old.origin, &new.origin);
    }
    if old.path != new.path {
        match model_in_path(old.path, new.path) {
            Some((old, new)) => push(RequestPart::Model, old, new),
            None => push(RequestPart::Path, old.path, new.path),
        }
    }
    if old.query != new.query {
        let only = |of: &[&str], other: &[&str]| {
            let pairs = of.iter().filter(|pair| !other.contains(pair)).copied();
            let pairs = pairs.collect::<Vec<_>>().join("&");
            if pairs.is_empty() { NOTHING.to_owned() } else { pairs }
        };
        push(RequestPart::Query, &only(&old.query, &new.query), &only(&new.query, &old.query));
    }
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

/// Differences of two bodies.
#[derive(Default)]
struct BodyComparison {
    differences: Vec<RequestDifference>,
    /// Whether the sent body is known as a whole.
    is_whole: bool,
    cost: usize,
}

fn compare_bodies(call: &CassetteRequest, sent: Option<&PrintedBody>) -> BodyComparison {
    let recorded = call.body.as_deref().unwrap_or_default();
    match sent {
        None => BodyComparison::default(),
        Some(PrintedBody::Whole(sent)) => {
            let mut differences = Vec::new();
            let values = serde_json::from_str(recorded).ok().zip(serde_json::from_str(sent).ok());
            match values {
                Some((old, new)) => compare_values(&old, &new, "", &mut differences),
                None if recorded != &**sent => {
                    let (recorded, sent) = differing_words(recorded, sent);
                    let part = RequestPart::Parameter;
                    let place = "body".to_owned();
                    differences.push(RequestDifference { part, place, recorded, sent });
                }
                None => {}
            }
            let unlike = differences.iter().map(unlikeness).sum::<usize>();
            BodyComparison { cost: unlike, differences, is_whole: true }
        }
        Some(PrintedBody::Cut(start, end)) => {
            let differences: Vec<_> = cut_difference(recorded, start, end).into_iter().collect();
            let cost = differences.iter().map(unlikeness).sum::<usize>();
            BodyComparison { cost, differences, is_whole: false }
        }
    }
}

/// Returns how unlike two values are, so that of several texts the one with the most equal words is nearest.
fn unlikeness(difference: &RequestDifference) -> usize {
    10 + difference.recorded.len().abs_diff(difference.sent.len()).min(20)
        + difference.recorded.len().min(60) / 6
}

/// Lists the values in which two values differ.
fn compare_values(old: &Value, new: &Value, place: &str, out: &mut Vec<RequestDifference>) {
    if old == new || out.len() >= MAX_DIFFERENCES {
        return;
    }
    let as_number = |value: &Value| value.as_f64();
    let mut push = |place: &str, recorded: String, sent: String| {
        out.push(RequestDifference {
            part: part_of(place),
            place: place.to_owned(),
            recorded,
            sent,
        });
    };
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => {
            for (key, value) in old {
                let place = member(place, key);
                match new.get(key) {
                    Some(other) => compare_values(value, other, &place, out),
                    None => push_absent(&place, value, true, out),
                }
            }
            for (key, value) in new.iter().filter(|(key, _)| !old.contains_key(*key)) {
                push_absent(&member(place, key), value, false, out);
            }
        }
        (Value::Array(old), Value::Array(new)) => {
            // Of lists of different lengths the first that differs is where one was added or removed.
            let same = old.iter().zip(new).take_while(|(a, b)| a == b).count();
            let tail =
                || old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
            let shorter = old.len().min(new.len());
            if old.len() != new.len() && same + tail() >= shorter {
                let (longer, is_old) =
                    if old.len() > new.len() { (old, true) } else { (new, false) };
                if let Some(item) = longer.get(same) {
                    push_absent(&format!("{place}[{same}]"), item, is_old, out);
                }
                return;
            }
            for (at, (old, new)) in old.iter().zip(new).enumerate() {
                compare_values(old, new, &format!("{place}[{at}]"), out);
            }
            for (at, item) in old.iter().enumerate().skip(shorter) {
                push_absent(&format!("{place}[{at}]"), item, true, out);
            }
            for (at, item) in new.iter().enumerate().skip(shorter) {
                push_absent(&format!("{place}[{at}]"), item, false, out);
            }
        }
        (Value::String(old), Value::String(new)) => {
            let (recorded, sent) = differing_words(old, new);
            push(place, recorded, sent);
        }
        // `1` and `1.0` are equal for the clients that compare values.
        _ if as_number(old).is_some() && as_number(old) == as_number(new) => {}
        _ => push(place, shortened(&old.to_string()), shortened(&new.to_string())),
    }
}

fn push_absent(place: &str, value: &Value, is_recorded: bool, out: &mut Vec<RequestDifference>) {
    let text = match value {
        Value::String(text) => shortened(text),
        value => shortened(&value.to_string()),
    };
    let (recorded, sent) =
        if is_recorded { (text, NOTHING.to_owned()) } else { (NOTHING.to_owned(), text) };
    out.push(RequestDifference { part: part_of(place), place: place.to_owned(), recorded, sent });
}

/// The text in place of a value that is absent.
const NOTHING: &str = "nothing";

fn member(place: &str, key: &str) -> String {
    if place.is_empty() { key.to_owned() } else { format!("{place}.{key}") }
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
        let (old, new) = (text_before(recorded, at), text_before(end, in_end));
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

fn text_before(json: &str, at: usize) -> &str {
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
        match &words[start..end] {
            [] => NOTHING.to_owned(),
            words => shortened(&words.join(" ")),
        }
    };
    RequestDifference { part: part_of(&place), recorded: words(old), sent: words(new), place }
}

/// Returns the place of a position in a text of JSON, such as `messages[0].content`.
fn place_at(json: &str, at: usize) -> String {
    /// A list with the number of its value, or a mapping with its key.
    enum Level {
        List(usize),
        Mapping(String),
    }
    let mut levels: Vec<Level> = Vec::new();
    let mut text: Option<String> = None;
    let mut last = String::new();
    let mut is_escaped = false;
    for letter in json[..at.min(json.len())].chars() {
        match &mut text {
            Some(content) => match letter {
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                '"' => last = text.take().unwrap_or_default(),
                letter => content.push(letter),
            },
            None => match letter {
                '"' => text = Some(String::new()),
                '{' => levels.push(Level::Mapping(String::new())),
                '[' => levels.push(Level::List(0)),
                '}' | ']' => drop(levels.pop()),
                ':' => {
                    if let Some(Level::Mapping(key)) = levels.last_mut() {
                        *key = std::mem::take(&mut last);
                    }
                }
                ',' => {
                    if let Some(Level::List(number)) = levels.last_mut() {
                        *number += 1;
                    }
                }
                _ => {}
            },
        }
    }
    levels.iter().fold(String::new(), |place, level| match level {
        Level::List(number) => format!("{place}[{number}]"),
        Level::Mapping(key) if key.is_empty() => place,
        Level::Mapping(key) => member(&place, key),
    })
}

/// Reads the lines of two bodies that a client printed as different. Of several candidates, the one whose lines the recorded body has.
fn printed_differences(
    call: &CassetteRequest,
    candidates: &[PrintedCandidate],
) -> Vec<RequestDifference> {
    let body = call.body.as_deref().and_then(|body| serde_json::from_str::<Value>(body).ok());
    let pretty = body.and_then(|body| serde_json::to_string_pretty(&sorted(body)).ok());
    let Some(pretty) = pretty else { return Vec::new() };
    let is_of_call = |failed: &&FailedMatcher| {
        let lines = pretty.lines().skip(failed.first_line.saturating_sub(1)).map(str::trim);
        let mut pairs = failed.lines.0.iter().zip(lines);
        // Long lines are cut.
        failed.first_line > 0
            && pairs.all(|(line, own)| own.starts_with(line.trim_end_matches('…')))
    };
    let failed = candidates.iter().flat_map(|candidate| &candidate.failed).find(is_of_call);
    let Some(failed) = failed else { return Vec::new() };
    let lines = pretty.split_inclusive('\n').take(failed.first_line);
    let end: usize = lines.map(str::len).sum();
    let place = place_at(&pretty, end.saturating_sub(2));
    let value = |line: &str| {
        let line = line.trim_end_matches(',');
        let value = line.split_once("\": ").map_or(line, |(_, value)| value);
        value.trim_matches('"').to_owned()
    };
    let (old, new) = &failed.lines;
    let (recorded, sent) = match (old.first(), new.first()) {
        (Some(old), Some(new)) => differing_words(&value(old), &value(new)),
        (old, new) => {
            let text = |line: Option<&Arc<str>>| {
                line.map_or_else(
                    || NOTHING.to_owned(),
                    |line| shortened(line.trim_end_matches(',')),
                )
            };
            (text(old), text(new))
        }
    };
    // What differs may be behind the end of lines that are cut.
    if recorded == sent {
        return Vec::new();
    }
    vec![RequestDifference { part: part_of(&place), place, recorded, sent }]
}

fn sorted(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut members: Vec<(String, Value)> = members.into_iter().collect();
            members.sort_by(|(a, _), (b, _)| a.cmp(b));
            Value::Object(members.into_iter().map(|(key, value)| (key, sorted(value))).collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(sorted).collect()),
        value => value,
    }
}

/// Returns what differs in two texts, in whole words.
fn differing_words(a: &str, b: &str) -> (String, String) {
    let [a, b] = [a, b].map(|text| text.split_whitespace().collect::<Vec<&str>>());
    let start = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let room = a.len().min(b.len()) - start;
    let same_end = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    let end = same_end.min(room);
    let words = |words: &[&str]| match &words[start..words.len() - end] {
        [] => NOTHING.to_owned(),
        words => shortened(&words.join(" ")),
    };
    (words(&a), words(&b))
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_VALUE_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

impl CassetteRequest {
    /// Returns whether another request has the same body.
    pub(super) fn has_body_of(&self, other: &Self) -> bool {
        self.body == other.body
    }

    /// Returns whether a body says the same as the recorded one.
    pub(super) fn is_body(&self, body: &str) -> bool {
        let parsed = |text: &str| serde_json::from_str::<Value>(text).ok();
        let own = self.body.as_deref().unwrap_or_default();
        own == body || parsed(own).is_some_and(|own| parsed(body).as_ref() == Some(&own))
    }

    /// Returns the body as it was sent, if it is text.
    pub(super) fn text(&self) -> Option<&str> {
        self.body.as_deref()
    }
}
