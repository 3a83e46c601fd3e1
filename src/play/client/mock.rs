//! The conditions of a mock of httpmock: what a request must have to get its answer.

use super::http_request::RequestBody;
use super::json_form::JsonEquality;
use super::matcher::{Comparison, Matcher, PreparedRequest};
use document::body::decode_base64;
use document::edit::JsonValue;
use document::json;
use document::text::Source;
use document::{Node, NodeKind};

/// The conditions of a mock. A part without one is not compared.
#[derive(Clone, Debug)]
pub(super) struct MockConditions(Vec<Condition>);

#[derive(Clone, Debug)]
struct Condition {
    matcher: Matcher,
    /// The end of the key, such as `_prefix`; empty for equality.
    test: Box<str>,
    wanted: Wanted,
}

#[derive(Clone, Debug)]
enum Wanted {
    /// All of these must hold.
    Texts(Vec<String>),
    /// Names and values.
    Pairs(Vec<(String, String)>),
    Bytes(Vec<u8>),
    Json(JsonValue),
}

/// The beginnings of keys, and what they are about; a longer one before its own beginning.
const KEYS: [(&str, Matcher); 9] = [
    ("scheme", Matcher::Scheme),
    ("host", Matcher::Host),
    ("port", Matcher::Port),
    ("path", Matcher::Path),
    ("method", Matcher::Method),
    ("query_param", Matcher::Query),
    ("header", Matcher::Headers),
    ("json_body", Matcher::Body),
    ("body", Matcher::Body),
];

impl MockConditions {
    /// Reads the conditions of a mock; `None` for another recorder's call.
    pub(super) fn read(call: Node<'_>) -> Option<Self> {
        let when = call.get("when").filter(|when| when.kind() == NodeKind::Object)?;
        let is_base64 = when.get("body_encoding").and_then(Node::as_str) == Some("base64");
        let condition = |(key, value): (&str, Node<'_>)| {
            let (base, matcher) = KEYS.iter().find(|(base, _)| key.starts_with(base))?;
            let test = &key[base.len()..];
            let wanted = match (*base, test) {
                ("body", "_encoding") => return None,
                ("body", "") if is_base64 => Wanted::Bytes(decode_base64(value.as_str()?)?),
                ("body", "_base64") => Wanted::Bytes(decode_base64(value.as_str()?)?),
                ("json_body", "_str") => Wanted::Json(JsonValue::parse(value.as_str()?).ok()?),
                ("json_body", _) => Wanted::Json(JsonValue::from_node(value)),
                ("query_param" | "header", _) => Wanted::Pairs(pairs(value)),
                _ if value.kind() == NodeKind::Array => {
                    let texts = value.items().filter_map(Node::scalar_text);
                    Wanted::Texts(texts.map(str::to_owned).collect())
                }
                _ => Wanted::Texts(vec![value.scalar_text()?.to_owned()]),
            };
            Some(Condition { matcher: *matcher, test: test.into(), wanted })
        };
        Some(Self(when.members().into_iter().filter_map(condition).collect()))
    }

    /// Compares a part of a request with the conditions about it.
    pub(super) fn compare(&self, matcher: Matcher, sent: &PreparedRequest) -> Comparison {
        let mut is_unknown = false;
        for condition in self.0.iter().filter(|condition| condition.matcher == matcher) {
            match condition.holds(sent) {
                Some(true) => {}
                Some(false) => return Comparison::Differs,
                None => is_unknown = true,
            }
        }
        if is_unknown { Comparison::Unknown } else { Comparison::Equal }
    }
}

/// Returns the pairs of a list of `{name, value}`, or of an object.
fn pairs(value: Node<'_>) -> Vec<(String, String)> {
    let text = |node: Node<'_>| node.scalar_text().map(str::to_owned);
    let pair = |item: Node<'_>| match item.get("name") {
        Some(name) => Some((text(name)?, item.get("value").and_then(text).unwrap_or_default())),
        None => Some((item.key().map(str::to_owned).or_else(|| text(item))?, text(item)?)),
    };
    value.items().filter_map(pair).collect()
}

impl Condition {
    /// Returns whether it holds for a request; `None` if the request does not show it, or the test is not read.
    fn holds(&self, sent: &PreparedRequest) -> Option<bool> {
        match &self.wanted {
            Wanted::Texts(texts) => {
                let actual = match self.matcher {
                    Matcher::Body => match &sent.request.body {
                        RequestBody::Unknown => return None,
                        RequestBody::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
                        RequestBody::Missing => String::new(),
                        RequestBody::Tree(value) => value.json().to_owned(),
                    },
                    matcher => sent.shown(matcher)?,
                };
                let holds = |text: &String| holds(&self.test, &actual, text);
                let results: Option<Vec<bool>> = texts.iter().map(holds).collect();
                results.map(|results| results.into_iter().all(|result| result))
            }
            Wanted::Bytes(wanted) => match &sent.request.body {
                RequestBody::Unknown => None,
                RequestBody::Bytes(bytes) => Some(bytes == wanted),
                RequestBody::Missing | RequestBody::Tree(_) => Some(wanted.is_empty()),
            },
            Wanted::Json(wanted) => self.holds_json(wanted, sent),
            Wanted::Pairs(pairs) => {
                let actual: Vec<(String, String)> = if self.matcher == Matcher::Headers {
                    let headers = sent.request.headers.as_ref()?.iter();
                    headers.map(|(name, value)| (name.to_lowercase(), value.clone())).collect()
                } else {
                    sent.address.as_ref()?.query.clone()
                };
                let holds = |(name, value): &(String, String)| {
                    let is_name = |other: &str| match self.matcher {
                        Matcher::Headers => other.eq_ignore_ascii_case(name),
                        _ => other == name,
                    };
                    let mut values = actual.iter().filter(|(n, _)| is_name(n)).map(|(_, v)| v);
                    match &*self.test {
                        "_exists" => Some(values.next().is_some()),
                        "_missing" => Some(values.next().is_none()),
                        "" => Some(values.any(|other| other == value)),
                        test @ ("_contains" | "_prefix" | "_suffix" | "_matches") => {
                            Some(values.any(|v| holds(test, v, value) == Some(true)))
                        }
                        _ => None,
                    }
                };
                let results: Option<Vec<bool>> = pairs.iter().map(holds).collect();
                results.map(|results| results.into_iter().all(|result| result))
            }
        }
    }

    fn holds_json(&self, wanted: &JsonValue, sent: &PreparedRequest) -> Option<bool> {
        let equality = JsonEquality { has_types: true, ignored_paths: &[] };
        let actual = match &sent.request.body {
            RequestBody::Unknown => return None,
            RequestBody::Missing => None,
            RequestBody::Tree(value) => equality.canonical(value.root()),
            RequestBody::Bytes(bytes) => {
                let (tree, _) = json::parse(&Source::new(String::from_utf8_lossy(bytes)));
                let root = tree.root().filter(|_| tree.fault().is_none());
                root.and_then(|root| equality.canonical(root))
            }
        };
        let is_equal = actual.is_some() && actual == equality.canonical(wanted.root());
        match &*self.test {
            "" | "_str" => Some(is_equal),
            "_not" => Some(!is_equal),
            _ => None,
        }
    }
}

/// Applies a test to a text; `None` if the test is not read.
fn holds(test: &str, actual: &str, wanted: &str) -> Option<bool> {
    Some(match test {
        "" => actual == wanted,
        "_not" => actual != wanted,
        "_contains" | "_includes" => actual.contains(wanted),
        "_excludes" => !actual.contains(wanted),
        "_prefix" => actual.starts_with(wanted),
        "_suffix" => actual.ends_with(wanted),
        "_prefix_not" => !actual.starts_with(wanted),
        "_suffix_not" => !actual.ends_with(wanted),
        "_matches" => fancy_regex::Regex::new(wanted).ok()?.is_match(actual).ok()?,
        _ => return None,
    })
}
