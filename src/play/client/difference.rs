//! How a request differs from a recorded one in the parts that a client compares, value by value.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::http_request::{HttpRequest, RequestBody};
use super::json_form::{JsonEquality, json_path};
use super::matcher::{Matcher, PreparedRequest};
use super::player::CassettePlayer;
use super::rules::{ClientRules, RecorderClient};
use document::edit::JsonValue;
use document::text::{Source, quoted};
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
    /// The place in a body, such as `messages[0].content`; else the same as the place.
    pub path: String,
    /// As JSON in a body; `None` where the request has no such value.
    pub sent: Option<String>,
    pub recorded: Option<String>,
}

impl ValueDifference {
    fn of_whole(sent: Option<String>, recorded: Option<String>) -> Self {
        Self { place: String::new(), path: String::new(), sent, recorded }
    }
}

/// Most values that are listed of one part.
const MAX_VALUES: usize = 100;
/// Most letters of a value that are shown.
const MAX_VALUE_CHARS: usize = 60;
/// The text in place of a value that is absent.
pub(crate) const NO_VALUE: &str = "nothing";

/// Describes a change of a value: `` `three` → `two` ``, `` `two` added ``.
pub(crate) fn described_change(recorded: &str, sent: &str) -> String {
    match (recorded == NO_VALUE, sent == NO_VALUE) {
        (true, false) => format!("{} added", quoted(sent)),
        (false, true) => format!("{} removed", quoted(recorded)),
        _ => format!("{} → {}", quoted(recorded), quoted(sent)),
    }
}

/// Returns what differs in two texts, in whole words.
pub(crate) fn differing_words(a: &str, b: &str) -> (String, String) {
    let [a, b] = [a, b].map(|text| text.split_whitespace().collect::<Vec<&str>>());
    let start = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let room = a.len().min(b.len()) - start;
    let same_end = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    let end = same_end.min(room);
    let words = |words: &[&str]| shown_words(&words[start..words.len() - end]);
    (words(&a), words(&b))
}

/// Returns some words of a text, shortened.
pub(crate) fn shown_words(words: &[&str]) -> String {
    if words.is_empty() { NO_VALUE.to_owned() } else { shortened(&words.join(" ")) }
}

/// Returns a value with its end cut off if it is long.
pub fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_VALUE_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

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
                matcher if matcher.is_of_body() => {
                    let bodies = [&sent, recorded].map(|request| &request.request.body);
                    let values = self.rules().body_differences(*matcher, bodies);
                    // What a client takes for different may be equal as JSON.
                    if values.is_empty() { vec![whole_body(bodies)] } else { values }
                }
                matcher => {
                    let condition = self.condition(index, *matcher);
                    let wanted = condition.or_else(|| recorded.shown(*matcher));
                    vec![ValueDifference::of_whole(sent.shown(*matcher), wanted)]
                }
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
        // The body as JSON, also if a header that is missing keeps the client from reading it.
        let parts = [Matcher::Method, Matcher::Path, Matcher::Query, Matcher::BodyAsJson];
        self.unplayed().into_iter().any(|index| {
            self.pair(sent, index).is_some_and(|(sent, recorded)| {
                let keys = |part: &Matcher| {
                    sent.key(*part, self.rules()) == recorded.key(*part, self.rules())
                };
                parts.iter().all(keys)
            })
        })
    }

    /// Returns how far a request is from the nearest call that would be played for it: the number of bytes that differ in their bodies, at
    /// the ends of each value. The largest number if there is no such call.
    pub fn distance(&self, sent: &HttpRequest) -> usize {
        let unplayed = self.unplayed();
        let candidates = self.candidates(sent).into_iter();
        let playable = candidates.filter(|c| c.failed.is_empty() && unplayed.contains(&c.index));
        let distances = playable.map(|candidate| {
            let parts = self.differences(sent, candidate.index, &[self.body_matcher()]);
            let values = parts.iter().flat_map(|part| &part.values);
            values.map(|value| differing_bytes(&value.sent, &value.recorded)).sum()
        });
        distances.min().unwrap_or(usize::MAX)
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
        let is_mock = matches!(rules.client, RecorderClient::Httpmock | RecorderClient::Aimock);
        let parts = parts.into_iter().filter(|m| !is_mock && !is_compared(*m) && differs(m));
        parts.map(|part| if part.is_of_body() { Matcher::Body } else { part }).collect()
    }
}

impl ClientRules {
    /// Returns the values in which a sent body differs from a recorded one, as a matcher compares them; of bodies that are no JSON the
    /// whole bodies. Empty if they are equal.
    pub fn body_differences(
        &self,
        matcher: Matcher,
        bodies: [&RequestBody; 2],
    ) -> Vec<ValueDifference> {
        if matcher != Matcher::RawBody
            && let [Some(sent), Some(recorded)] = bodies.map(RequestBody::json)
        {
            let equality = JsonEquality {
                has_types: self.client == RecorderClient::Cassetter,
                ignored_paths: match matcher {
                    Matcher::JsonBody => &self.ignored_paths,
                    _ => &[],
                },
            };
            let mut list = ValueList { equality, values: Vec::new() };
            list.compare([Some(sent.root()), Some(recorded.root())]);
            return list.values;
        }
        let whole = whole_body(bodies);
        let is_same = whole.sent.as_deref().unwrap_or_default()
            == whole.recorded.as_deref().unwrap_or_default();
        if is_same { Vec::new() } else { vec![whole] }
    }
}

/// Returns the number of bytes of two values without what they have in common at both ends.
fn differing_bytes(sent: &Option<String>, recorded: &Option<String>) -> usize {
    let bytes = |text: &Option<String>| text.clone().unwrap_or_default().into_bytes();
    let [sent, recorded] = [bytes(sent), bytes(recorded)];
    let is_equal = |(a, b): &(&u8, &u8)| a == b;
    let start = sent.iter().zip(&recorded).take_while(is_equal).count();
    let [sent, recorded] = [&sent[start..], &recorded[start..]];
    let end = sent.iter().rev().zip(recorded.iter().rev()).take_while(is_equal).count();
    sent.len() + recorded.len() - 2 * end
}

fn whole_body(bodies: [&RequestBody; 2]) -> ValueDifference {
    let [sent, recorded] = bodies.map(|body| body.text().map(Cow::into_owned));
    ValueDifference::of_whole(sent, recorded)
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
        path: name.clone(),
        sent: sent.get(name).cloned(),
        recorded: recorded.get(name).cloned(),
    };
    differing.map(value).collect()
}

impl RequestBody {
    /// Returns the body as JSON, if it is an object or a list.
    pub(crate) fn json(&self) -> Option<Cow<'_, JsonValue>> {
        match self {
            Self::Tree(value) => Some(Cow::Borrowed(value)),
            Self::Bytes(bytes) => {
                let text = std::str::from_utf8(bytes).ok()?;
                json::parse_container(&Source::new(text))?;
                JsonValue::parse(text).ok().map(Cow::Owned)
            }
            Self::Unknown | Self::Missing => None,
        }
    }

    /// Returns the body as text, or the number of its bytes.
    pub(crate) fn text(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Unknown | Self::Missing => None,
            Self::Tree(value) => Some(value.json().into()),
            Self::Bytes(bytes) => Some(match std::str::from_utf8(bytes) {
                Ok(text) => text.into(),
                Err(_) => format!("{} bytes", bytes.len()).into(),
            }),
        }
    }
}

/// Differences of two values of JSON.
struct ValueList<'a> {
    equality: JsonEquality<'a>,
    values: Vec<ValueDifference>,
}

impl ValueList<'_> {
    fn compare(&mut self, pair: [Option<Node<'_>>; 2]) {
        let Some(node) = pair.into_iter().flatten().next() else { return };
        let ignored = self.equality.ignored_paths;
        let is_ignored = !ignored.is_empty() && ignored.contains(&json_path(node).into());
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
                let pairs = sent.iter().map(|(n, node)| [Some(*node), places.get(n).copied()]);
                let rest = only_recorded.map(|(_, node)| [None, Some(*node)]);
                pairs.chain(rest).for_each(|pair| self.compare(pair));
            }
            ([Some(sent), Some(recorded)], [Some(NodeKind::Array), Some(NodeKind::Array)]) => {
                let lists = [sent, recorded].map(|list| list.items().collect::<Vec<_>>());
                let [sent, recorded] = self.without_equal_ends([&lists[0], &lists[1]]);
                for at in 0..sent.len().max(recorded.len()) {
                    self.compare([sent, recorded].map(|list| list.get(at).copied()));
                }
            }
            _ => {
                let canonical =
                    |node: Option<Node<'_>>| node.map(|node| self.equality.canonical(node));
                if canonical(pair[0]) != canonical(pair[1]) {
                    let [sent, recorded] =
                        pair.map(|node| node.map(|n| json::text(n).into_owned()));
                    let (place, path) = (node.pointer(), json_path(node));
                    self.values.push(ValueDifference { place, path, sent, recorded });
                }
            }
        }
    }

    /// Returns only the items that were added or removed if nothing else differs in two lists.
    fn without_equal_ends<'l, 'n>(&self, lists: [&'l [Node<'n>]; 2]) -> [&'l [Node<'n>]; 2] {
        let [sent, recorded] = lists;
        let shorter = sent.len().min(recorded.len());
        let is_equal = |(sent, recorded): &(&Node<'_>, &Node<'_>)| {
            self.equality.canonical(**sent) == self.equality.canonical(**recorded)
        };
        if sent.len() == recorded.len() {
            return lists;
        }
        let start = sent.iter().zip(recorded).take_while(is_equal).count();
        let ends = sent.iter().rev().zip(recorded.iter().rev()).take(shorter - start);
        let end = ends.take_while(is_equal).count();
        if start + end < shorter {
            return lists;
        }
        lists.map(|list| &list[start..list.len() - end])
    }
}
