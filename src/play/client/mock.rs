//! The conditions of a mock of httpmock: what a request must have to get its answer.

use super::address::decode_percent;
use super::http_request::RequestBody;
use super::json_form::JsonEquality;
use super::matcher::{Comparison, Matcher, PreparedRequest};
use super::rules::RecorderClient;
use document::address::WrittenAddress;
use document::body::decode_base64;
use document::edit::JsonValue;
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
    /// All of these must hold.
    Json(Vec<JsonValue>),
    /// Parts that are not read: cookies, fields of forms and numbers of fields.
    Unread,
}

/// The beginnings of keys, and what they are about; a longer one before its own beginning.
const KEYS: [(&str, Matcher); 11] = [
    ("scheme", Matcher::Scheme),
    ("host", Matcher::Host),
    ("port", Matcher::Port),
    ("path", Matcher::Path),
    ("method", Matcher::Method),
    ("query_param", Matcher::Query),
    ("header", Matcher::Headers),
    ("json_body", Matcher::Body),
    ("body", Matcher::Body),
    ("cookie", Matcher::Headers),
    ("form_urlencoded", Matcher::Body),
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
                // httpmock reads the second one and never compares it.
                ("body", "_encoding") | ("json_body", "_not") => return None,
                ("body", "") if is_base64 => Wanted::Bytes(decode_base64(value.as_str()?)?),
                ("body", "_base64") => Wanted::Bytes(decode_base64(value.as_str()?)?),
                ("json_body", "_str") => {
                    Wanted::Json(vec![JsonValue::parse(value.as_str()?).ok()?])
                }
                ("json_body", "") => Wanted::Json(vec![JsonValue::from_node(value)]),
                ("json_body", _) => Wanted::Json(value.items().map(JsonValue::from_node).collect()),
                ("cookie" | "form_urlencoded", _) | (_, "_count") => Wanted::Unread,
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
        let all = |results: Option<Vec<bool>>| Some(results?.into_iter().all(|holds| holds));
        match &self.wanted {
            Wanted::Texts(texts) => {
                let actual = self.actual(sent)?;
                all(texts.iter().map(|text| self.holds_text(&actual, text)).collect())
            }
            Wanted::Bytes(wanted) => match &sent.request.body {
                RequestBody::Unknown => None,
                RequestBody::Bytes(bytes) => Some(bytes == wanted),
                RequestBody::Missing | RequestBody::Tree(_) => Some(wanted.is_empty()),
            },
            Wanted::Json(values) => {
                let actual = match &sent.request.body {
                    RequestBody::Unknown => return None,
                    RequestBody::Missing => None,
                    RequestBody::Tree(value) => Some(value.clone()),
                    RequestBody::Bytes(bytes) => {
                        let text = String::from_utf8_lossy(bytes);
                        let is_read = RecorderClient::Httpmock.reads_json(&text);
                        JsonValue::parse(&text).ok().filter(|_| is_read)
                    }
                };
                let actual = actual.as_ref().map(JsonValue::root);
                all(values.iter().map(|wanted| self.holds_json(actual, wanted.root())).collect())
            }
            Wanted::Pairs(pairs) => {
                let actual = self.actual_pairs(sent)?;
                all(pairs.iter().map(|pair| self.holds_pair(&actual, pair)).collect())
            }
            Wanted::Unread => None,
        }
    }

    fn actual(&self, sent: &PreparedRequest) -> Option<String> {
        let url = sent.request.url.as_deref();
        match self.matcher {
            Matcher::Body => Some(match &sent.request.body {
                RequestBody::Unknown => return None,
                RequestBody::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
                RequestBody::Missing => String::new(),
                RequestBody::Tree(value) => value.json().to_owned(),
            }),
            Matcher::Path => {
                let path = WrittenAddress::split(url?).path;
                Some(if path.is_empty() { "/" } else { path }.to_owned())
            }
            // A server in place of another one is called by its own address.
            Matcher::Scheme | Matcher::Host | Matcher::Port if sent.is_relative() => None,
            matcher => sent.shown(matcher),
        }
    }

    /// Applies the test to a text; `None` if the test is not read.
    fn holds_text(&self, actual: &str, wanted: &str) -> Option<bool> {
        let has_case = !matches!(self.matcher, Matcher::Scheme | Matcher::Host | Matcher::Method);
        let case = |text: &str| if has_case { text.to_owned() } else { text.to_lowercase() };
        let local = |text: &str| self.matcher == Matcher::Host && text == "localhost";
        let name = |text: String| if local(&text) { "127.0.0.1".to_owned() } else { text };
        let is_same = || name(case(actual)) == name(case(wanted));
        let (actual, wanted) = (case(actual), case(wanted));
        // httpmock takes no shorter text for one without this beginning; bytes it does.
        let can_lack = actual.len() >= wanted.len() || self.matcher == Matcher::Body;
        let is_empty_body = self.matcher == Matcher::Body && wanted.is_empty();
        Some(match &*self.test {
            "" => is_same(),
            "_not" => !is_same(),
            "_contains" => actual.contains(&wanted),
            "_excludes" => is_empty_body || !actual.contains(&wanted),
            "_prefix" => actual.starts_with(&wanted),
            "_suffix" => actual.ends_with(&wanted),
            "_prefix_not" => can_lack && !actual.starts_with(&wanted),
            "_suffix_not" => can_lack && !actual.ends_with(&wanted),
            "_matches" => is_match(&wanted, &actual)?,
            _ => return None,
        })
    }

    /// Returns the headers, or the fields of the query also without a value.
    fn actual_pairs(&self, sent: &PreparedRequest) -> Option<Vec<(String, String)>> {
        if self.matcher == Matcher::Headers {
            return sent.request.headers.clone();
        }
        let url = sent.request.url.as_deref()?.split('#').next()?;
        let (_, query) = url.split_once('?').unwrap_or((url, ""));
        let decode = |text: &str| decode_percent(&text.replace('+', " "));
        let fields = query.split('&').filter(|field| !field.is_empty());
        let pairs = fields.map(|field| field.split_once('=').unwrap_or((field, "")));
        Some(pairs.map(|(name, value)| (decode(name), decode(value))).collect())
    }

    fn holds_pair(
        &self,
        actual: &[(String, String)],
        (name, value): &(String, String),
    ) -> Option<bool> {
        let has_case = self.matcher != Matcher::Headers;
        let case = |text: &str| if has_case { text.to_owned() } else { text.to_lowercase() };
        if &*self.test == "_matches" {
            let is_match = |(n, v): &(String, String)| {
                Some(is_match(&case(name), &case(n))? && is_match(value, v)?)
            };
            let matches: Option<Vec<bool>> = actual.iter().map(is_match).collect();
            return Some(matches?.contains(&true));
        }
        let of_name = actual.iter().filter(|(other, _)| case(other) == case(name));
        let values: Vec<&String> = of_name.map(|(_, value)| value).collect();
        let results = values.iter().map(|actual| self.holds_text(actual, value));
        match &*self.test {
            "_exists" => Some(!values.is_empty()),
            "_missing" => Some(values.is_empty()),
            // A field that is absent does not differ.
            "_not" | "_excludes" | "_prefix_not" | "_suffix_not" => {
                let results: Vec<bool> = results.collect::<Option<_>>()?;
                Some(!results.is_empty() && !results.contains(&false))
            }
            _ => Some(results.collect::<Option<Vec<bool>>>()?.contains(&true)),
        }
    }

    fn holds_json(&self, actual: Option<Node<'_>>, wanted: Node<'_>) -> Option<bool> {
        let is_equal = |actual| canonical(actual) == canonical(wanted);
        Some(match &*self.test {
            "" | "_str" => actual.is_some_and(is_equal),
            "_includes" => actual.is_some_and(|actual| includes(actual, wanted)),
            "_excludes" => actual.is_none_or(|actual| !includes(actual, wanted)),
            _ => return None,
        })
    }
}

fn canonical(node: Node<'_>) -> Option<String> {
    JsonEquality { has_types: true, ignored_paths: &[] }.canonical(node)
}

/// Returns whether a value has all members and items of another one.
fn includes(actual: Node<'_>, wanted: Node<'_>) -> bool {
    match (actual.kind(), wanted.kind()) {
        (NodeKind::Object, NodeKind::Object) => wanted
            .members()
            .into_iter()
            .all(|(key, wanted)| actual.get(key).is_some_and(|actual| includes(actual, wanted))),
        (NodeKind::Array, NodeKind::Array) => {
            actual.len() >= wanted.len()
                && actual
                    .items()
                    .zip(wanted.items())
                    .all(|(actual, wanted)| includes(actual, wanted))
        }
        _ => canonical(actual) == canonical(wanted),
    }
}

fn is_match(pattern: &str, text: &str) -> Option<bool> {
    fancy_regex::Regex::new(pattern).ok()?.is_match(text).ok()
}
