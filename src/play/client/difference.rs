//! How a request differs from a recorded one in the parts that a client compares, value by value.

use std::collections::{BTreeMap, BTreeSet};

use super::http_request::{HttpRequest, RequestBody};
use super::json_form::JsonEquality;
use super::matcher::{Matcher, PreparedRequest};
use super::player::CassettePlayer;
use super::rules::RecorderClient;
use document::edit::JsonValue;
use document::text::Source;
use document::{Node, NodeKind, json};

/// A compared part in which two requests differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartDifference {
    pub matcher: Matcher,
    /// The values that differ, in the order of the request that was sent; at most 100.
    pub values: Vec<ValueDifference>,
}

/// A value that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueDifference {
    /// A JSON Pointer in a body, the name of a header or of a field of a query; empty for the whole part.
    pub place: String,
    /// As JSON in a body; `None` where the request has no such value.
    pub sent: Option<String>,
    pub recorded: Option<String>,
}

/// Most values that are listed of one part.
const MAX_VALUES: usize = 100;

impl CassettePlayer {
    /// Returns how a request differs from the recorded one of a call, in these parts.
    pub fn differences(
        &self,
        sent: &HttpRequest,
        index: usize,
        matchers: &[Matcher],
    ) -> Vec<PartDifference> {
        let Some((sent, recorded)) = self.pair(sent, index) else { return Vec::new() };
        let part = |matcher: &Matcher| PartDifference {
            matcher: *matcher,
            values: match matcher {
                Matcher::Headers => {
                    let pair = [&sent, recorded].map(PreparedRequest::shown_headers);
                    let pair = pair.map(|headers| {
                        headers.into_iter().map(|(n, v)| (n, v.join(", "))).collect()
                    });
                    let mut values = named_values(&pair);
                    // More headers than recorded are no difference for cassetter.
                    if self.rules().client == RecorderClient::Cassetter {
                        values.retain(|value| value.recorded.is_some());
                    }
                    values
                }
                Matcher::Query => named_values(&[&sent, recorded].map(query_values)),
                matcher if matcher.is_of_body() => self.body_differences(*matcher, &sent, recorded),
                matcher => vec![ValueDifference {
                    place: String::new(),
                    sent: sent.shown(*matcher),
                    recorded: recorded.shown(*matcher),
                }],
            },
        };
        matchers.iter().map(part).collect()
    }

    fn body_matcher(&self) -> Matcher {
        match self.rules().client {
            RecorderClient::Vcrpy => Matcher::Body,
            _ => Matcher::BodyAsJson,
        }
    }

    /// Returns whether a call that was not played has an equal request, whatever its client compares. The host may be another one.
    pub fn has_equal(&self, sent: &HttpRequest) -> bool {
        let parts = [Matcher::Method, Matcher::Path, Matcher::Query, self.body_matcher()];
        self.unplayed().into_iter().any(|index| {
            self.pair(sent, index).is_some_and(|(sent, recorded)| {
                let keys = |part: &Matcher| {
                    sent.key(*part, self.rules()) == recorded.key(*part, self.rules())
                };
                parts.iter().all(keys)
            })
        })
    }

    /// Returns the parts in which a request differs from that of the call that answers it, though they are not compared.
    pub fn uncompared_differences(&self, sent: &HttpRequest, index: usize) -> Vec<Matcher> {
        let Some((sent, recorded)) = self.pair(sent, index) else { return Vec::new() };
        let rules = self.rules();
        let is_compared = |matcher: Matcher| {
            let is_same = |compared: &Matcher| {
                let has_all = matches!(compared, Matcher::Uri)
                    && matches!(matcher, Matcher::Host | Matcher::Path | Matcher::Query);
                has_all || *compared == matcher || compared.is_of_body() && matcher.is_of_body()
            };
            rules.matchers.iter().any(is_same)
        };
        let body = self.body_matcher();
        let parts = [Matcher::Method, Matcher::Host, Matcher::Path, Matcher::Query, body];
        let differs = |matcher: &Matcher| {
            let pair = [&sent, recorded].map(|request| request.key(*matcher, rules));
            matches!(&pair, [Some(sent), Some(recorded)] if sent != recorded)
        };
        // A mock says itself what it compares.
        let is_mock = rules.client == RecorderClient::Httpmock;
        parts.into_iter().filter(|m| !is_mock && !is_compared(*m) && differs(m)).collect()
    }

    fn body_differences(
        &self,
        matcher: Matcher,
        sent: &PreparedRequest,
        recorded: &PreparedRequest,
    ) -> Vec<ValueDifference> {
        let bodies = [sent, recorded].map(|request| &request.request.body);
        if matcher != Matcher::RawBody
            && let [Some(sent), Some(recorded)] = bodies.map(json_of)
        {
            let rules = self.rules();
            let equality = JsonEquality {
                has_types: rules.client == RecorderClient::Cassetter,
                ignored_paths: match matcher {
                    Matcher::JsonBody => &rules.ignored_paths,
                    _ => &[],
                },
            };
            let mut list = ValueList { equality, values: Vec::new() };
            list.compare([Some(sent.root()), Some(recorded.root())], String::new(), "");
            if !list.values.is_empty() {
                return list.values;
            }
        }
        let [sent, recorded] = bodies.map(body_text);
        vec![ValueDifference { place: String::new(), sent, recorded }]
    }
}

fn query_values(request: &PreparedRequest) -> BTreeMap<String, String> {
    let mut values: BTreeMap<String, String> = BTreeMap::new();
    for (name, value) in request.address.iter().flat_map(|address| &address.query) {
        let entry = values.entry(name.clone()).or_default();
        if !entry.is_empty() {
            entry.push_str(", ");
        }
        *entry += value;
    }
    values
}

fn named_values([sent, recorded]: &[BTreeMap<String, String>; 2]) -> Vec<ValueDifference> {
    let names: BTreeSet<&String> = sent.keys().chain(recorded.keys()).collect();
    let differing = names.into_iter().filter(|name| sent.get(*name) != recorded.get(*name));
    let value = |name: &String| ValueDifference {
        place: name.clone(),
        sent: sent.get(name).cloned(),
        recorded: recorded.get(name).cloned(),
    };
    differing.map(value).collect()
}

fn json_of(body: &RequestBody) -> Option<JsonValue> {
    match body {
        RequestBody::Tree(value) => Some(value.clone()),
        RequestBody::Bytes(bytes) => {
            let text = std::str::from_utf8(bytes).ok()?;
            json::parse_container(&Source::new(text))?;
            JsonValue::parse(text).ok()
        }
        RequestBody::Unknown | RequestBody::Missing => None,
    }
}

fn body_text(body: &RequestBody) -> Option<String> {
    match body {
        RequestBody::Unknown | RequestBody::Missing => None,
        RequestBody::Tree(value) => Some(value.json().to_owned()),
        RequestBody::Bytes(bytes) => Some(match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => format!("{} bytes", bytes.len()),
        }),
    }
}

/// Differences of two values of JSON.
struct ValueList<'a> {
    equality: JsonEquality<'a>,
    values: Vec<ValueDifference>,
}

impl ValueList<'_> {
    fn compare(&mut self, pair: [Option<Node<'_>>; 2], place: String, path: &str) {
        let is_ignored = self.equality.ignored_paths.iter().any(|ignored| **ignored == *path);
        if is_ignored || self.values.len() >= MAX_VALUES {
            return;
        }
        let kinds = pair.map(|node| node.map(Node::kind));
        match (pair, kinds) {
            ([Some(sent), Some(recorded)], [Some(NodeKind::Object), Some(NodeKind::Object)]) => {
                let sent = sent.members();
                let recorded = recorded.members();
                let places: BTreeMap<&str, Node<'_>> = recorded.iter().copied().collect();
                let names: BTreeSet<&str> = sent.iter().map(|(name, _)| *name).collect();
                let only_recorded = recorded.iter().filter(|(name, _)| !names.contains(name));
                let pairs = sent.iter().map(|(n, node)| (*n, Some(*node), places.get(n).copied()));
                let rest = only_recorded.map(|(name, node)| (*name, None, Some(*node)));
                for (name, sent, recorded) in pairs.chain(rest) {
                    let escaped = name.replace('~', "~0").replace('/', "~1");
                    let path =
                        if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
                    self.compare([sent, recorded], format!("{place}/{escaped}"), &path);
                }
            }
            ([Some(sent), Some(recorded)], [Some(NodeKind::Array), Some(NodeKind::Array)]) => {
                let (mut sent, mut recorded) = (sent.items(), recorded.items());
                for index in 0.. {
                    let pair = [sent.next(), recorded.next()];
                    if matches!(pair, [None, None]) {
                        break;
                    }
                    self.compare(pair, format!("{place}/{index}"), &format!("{path}[{index}]"));
                }
            }
            ([sent, recorded], _) => {
                let canonical =
                    |node: Option<Node<'_>>| node.map(|node| self.equality.canonical(node));
                if canonical(sent) != canonical(recorded) {
                    let [sent, recorded] =
                        [sent, recorded].map(|node| node.map(|n| json::text(n).into_owned()));
                    self.values.push(ValueDifference { place, sent, recorded });
                }
            }
        }
    }
}
