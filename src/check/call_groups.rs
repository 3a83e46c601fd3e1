//! The calls of a cassette that its program cannot distinguish, by the matchers that are set or by its own.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write as _;

use serde_json::Value;

use super::address::AddressParts;
use calls::cassette_config::{CassetteFacts, ConfigOrigin};
use document::call::BodyContent;
use document::call::ModelCall;
use document::cassette::{CassetteClient, Interaction};
use document::edit::JsonValue;
use document::text::listed;
use document::{Document, Node};

/// The calls that are equal in all that the program of a cassette compares.
pub(super) struct CallGroups<'a> {
    pub(super) client: CassetteClient,
    pub(super) document: &'a Document,
    pub(super) calls: &'a [ModelCall<'a>],
    /// The matchers that the program is set to compare.
    pub(super) matchers: Option<&'a [Box<str>]>,
    /// Groups of several calls in the order of the file, each call with its number from 1.
    pub(super) groups: Vec<Vec<(usize, Interaction<'a>)>>,
    /// Compared parts of a request, and the place where they are set, as a phrase.
    pub(super) compared: String,
    /// Place of the setting by which the first call of a group always answers.
    pub(super) repeats: Option<&'a ConfigOrigin>,
}

impl<'a> CallGroups<'a> {
    /// Groups the calls that are loaded; `None` if it is not known what the program compares.
    pub(super) fn find(
        document: &'a Document,
        client: CassetteClient,
        facts: &'a CassetteFacts,
        calls: &'a [ModelCall<'a>],
    ) -> Option<Self> {
        if !knows_matchers(client, facts) {
            return None;
        }
        let matchers = facts.match_on.as_ref().and_then(|setting| setting.texts.as_deref());
        let mut numbers: HashMap<String, usize> = HashMap::new();
        let mut groups: Vec<Vec<(usize, Interaction<'_>)>> = Vec::new();
        for (number, call) in (1..).zip(calls) {
            let Some(interaction) = Interaction::parse(document.node(call.node)) else { continue };
            // Dropped when the cassette is loaded, so it answers nothing.
            if facts.ignoring(&AddressParts::parse(interaction.uri()).host).is_some() {
                continue;
            }
            let key = match matchers {
                Some(matchers) => matched_by(matchers, client, document, call, &interaction),
                None => matched(client, &interaction),
            };
            let group = *numbers.entry(key).or_insert(groups.len());
            match groups.get_mut(group) {
                Some(group) => group.push((number, interaction)),
                None => groups.push(vec![(number, interaction)]),
            }
        }
        groups.retain(|group| group.len() > 1);
        let description = match &facts.match_on {
            Some(setting) => {
                let names: Vec<&str> = matchers.unwrap_or_default().iter().map(|n| &**n).collect();
                format!("{} ({})", listed(&names), setting.origin)
            }
            None => compared(client).to_owned(),
        };
        // cassetter and the others go on with the next call, even if they repeat.
        let plays_first = matches!(client, CassetteClient::Vcrpy | CassetteClient::GoVcr);
        Some(Self {
            client,
            document,
            calls,
            matchers,
            groups,
            compared: description,
            repeats: facts.repeats.as_ref().filter(|_| plays_first),
        })
    }
}

impl CallGroups<'_> {
    /// Returns the matcher that would have to be compared as well so that calls of a group with different answers are distinguished;
    /// `None` if none of the program's own would do.
    pub(super) fn settling_matcher(
        &self,
        group: &[(usize, Interaction<'_>)],
        is_alike: impl Fn(&Interaction<'_>, &Interaction<'_>) -> bool,
    ) -> Option<&'static str> {
        let body = match self.client {
            CassetteClient::Vcrpy | CassetteClient::RubyVcr => "body",
            CassetteClient::Cassetter => "json_body",
            CassetteClient::RVcr | CassetteClient::GoVcr => return None,
        };
        let is_compared = |matcher: &str| {
            let parts = if matcher == "query" { &["query", "ur"][..] } else { &["body"] };
            Some(self.matchers?.iter().any(|m| parts.iter().any(|part| m.contains(part))))
        };
        // By default each of them compares the query and no body.
        let candidates = [(body, false), ("query", true)].into_iter();
        let mut open_matchers = candidates.filter(|(name, d)| !is_compared(name).unwrap_or(*d));
        let settles = |matcher: &str| {
            let mut firsts: HashMap<String, &Interaction<'_>> = HashMap::new();
            let matcher = [Box::from(matcher)];
            group.iter().all(|(n, interaction)| {
                let Some(call) = n.checked_sub(1).and_then(|index| self.calls.get(index)) else {
                    return false;
                };
                let key = matched_by(&matcher, self.client, self.document, call, interaction);
                is_alike(firsts.entry(key).or_insert(interaction), interaction)
            })
        };
        open_matchers.find(|(name, _)| settles(name)).map(|(name, _)| name)
    }
}

/// Returns whether it is known what the program of a cassette compares. Matchers that are set by code are not: it is not run.
pub fn knows_matchers(client: CassetteClient, facts: &CassetteFacts) -> bool {
    facts.match_on.as_ref().is_none_or(|setting| {
        let texts = setting.texts.as_deref();
        texts.is_some_and(|matchers| matchers.iter().all(|name| is_known(client, name)))
    })
}

/// Returns the names of what a program compares by default.
pub(super) fn default_matchers(client: CassetteClient) -> &'static [&'static str] {
    match client {
        CassetteClient::Vcrpy => &["method", "scheme", "host", "port", "path", "query"],
        CassetteClient::Cassetter | CassetteClient::RubyVcr => &["method", "uri"],
        CassetteClient::RVcr => &["method", "uri", "body"],
        CassetteClient::GoVcr => &["method", "uri", "headers", "body"],
    }
}

/// Returns the names of what a program can compare, in the order of a request.
pub fn matchers_of(client: CassetteClient) -> &'static [&'static str] {
    match client {
        CassetteClient::Vcrpy => {
            &["method", "scheme", "host", "port", "path", "query", "headers", "body"]
        }
        CassetteClient::Cassetter => &["method", "uri", "headers", "body", "json_body"],
        CassetteClient::RubyVcr => {
            &["method", "uri", "host", "path", "query", "headers", "body", "body_as_json"]
        }
        CassetteClient::RVcr => {
            &["method", "uri", "host", "path", "query", "headers", "body", "body_json"]
        }
        CassetteClient::GoVcr => &["method", "uri", "headers", "body"],
    }
}

/// Returns the parts in which two requests differ, by the names of their matchers.
pub(super) fn differing_parts(
    client: CassetteClient,
    document: &Document,
    calls: [(&ModelCall<'_>, &Interaction<'_>); 2],
) -> Vec<&'static str> {
    let parts = ["method", "scheme", "host", "port", "path", "query", "body"];
    let differs = |part: &&str| {
        let matcher = [Box::from(*part)];
        let [a, b] = calls.map(|(call, i)| matched_by(&matcher, client, document, call, i));
        a != b
    };
    parts.into_iter().filter(differs).collect()
}

/// Returns what a program compares by default, as a phrase. It says which settings are not read.
pub(super) fn compared(client: CassetteClient) -> &'static str {
    match client {
        CassetteClient::Vcrpy => "method, scheme, host, port, path and query",
        CassetteClient::Cassetter => "method and address",
        CassetteClient::RubyVcr => "method and address unless its settings say otherwise",
        CassetteClient::RVcr => "method, address and body unless its settings say otherwise",
        CassetteClient::GoVcr => "the whole request unless its settings say otherwise",
    }
}

/// Returns a text that is equal for requests which a program cannot distinguish by default.
fn matched(client: CassetteClient, interaction: &Interaction<'_>) -> String {
    let request = interaction.request;
    let raw_text = |key: &str| request.get(key).map_or("", Node::raw);
    let (method, uri) = (interaction.method(), interaction.uri());
    match client {
        CassetteClient::Vcrpy => {
            // The case of the method counts.
            let method = request.get("method").and_then(Node::scalar_text);
            let address = AddressParts::parse(uri).all();
            format!("{} {address}", method.unwrap_or_default())
        }
        CassetteClient::Cassetter | CassetteClient::RubyVcr => format!("{method} {uri}"),
        CassetteClient::RVcr => format!("{method} {uri} {}", raw_text("body")),
        CassetteClient::GoVcr => {
            let parts = ["proto", "headers", "body", "form", "trailer", "host"];
            let mut key = format!("{method} {uri}");
            for part in parts.map(raw_text) {
                let _ = write!(key, "\n{part}");
            }
            key
        }
    }
}

/// Returns whether it is known what a matcher compares.
fn is_known(client: CassetteClient, matcher: &str) -> bool {
    let vcrpy_matchers = ["url", "scheme", "host", "port", "path", "query", "raw_body"];
    ["method", "uri", "headers", "body"].contains(&matcher)
        || match client {
            CassetteClient::Vcrpy => vcrpy_matchers.contains(&matcher),
            CassetteClient::Cassetter => matcher == "json_body",
            CassetteClient::RubyVcr => {
                matches!(matcher, "host" | "path" | "query" | "body_as_json")
            }
            CassetteClient::RVcr => matches!(matcher, "host" | "path" | "query" | "body_json"),
            CassetteClient::GoVcr => false,
        }
}

/// Returns a text that is equal for requests which these matchers cannot distinguish.
fn matched_by(
    matchers: &[Box<str>],
    client: CassetteClient,
    document: &Document,
    call: &ModelCall<'_>,
    interaction: &Interaction<'_>,
) -> String {
    let uri = interaction.uri();
    let address = AddressParts::parse(uri);
    let mut key = String::new();
    for matcher in matchers {
        let part = match &**matcher {
            "method" => Cow::Owned(interaction.method()),
            "scheme" => Cow::Borrowed(&*address.scheme),
            "host" => Cow::Borrowed(&*address.host),
            "port" => Cow::Borrowed(&*address.port),
            "path" => Cow::Borrowed(&*address.path),
            "query" => Cow::Borrowed(&*address.query),
            "headers" => Cow::Borrowed(interaction.request.get("headers").map_or("", Node::raw)),
            "body" | "raw_body" | "json_body" | "body_as_json" | "body_json" => {
                let is_raw = &**matcher == "raw_body";
                Cow::Owned(body_key(document, call, client, is_raw))
            }
            _ => Cow::Borrowed(uri),
        };
        // Quoted, so that a line end in one part is not taken for the beginning of the next.
        let _ = writeln!(key, "{part:?}");
    }
    key
}

/// Returns a text that is equal for equal bodies. JSON is compared as values, except by vcrpy without its content type.
fn body_key(doc: &Document, call: &ModelCall<'_>, client: CassetteClient, is_raw: bool) -> String {
    let Some(http) = call.facts.http.as_ref() else { return String::new() };
    let has_json_type = || {
        http.request_headers.iter().any(|(name, value)| {
            let value = value.to_ascii_lowercase();
            name.eq_ignore_ascii_case("content-type") && value.contains("application/json")
        })
    };
    match http.request_body.as_ref().map(|body| &body.content) {
        None => String::new(),
        Some(BodyContent::Bytes(bytes)) => format!("{bytes:?}"),
        Some(BodyContent::Tree(node)) => {
            let value = JsonValue::from_node(doc.node(*node));
            sorted(value.json()).unwrap_or_else(|| value.json().to_owned())
        }
        Some(BodyContent::Text(text)) => {
            let is_value = !is_raw && (client != CassetteClient::Vcrpy || has_json_type());
            let value = is_value.then(|| sorted(text.text())).flatten();
            value.unwrap_or_else(|| text.text().to_owned())
        }
    }
}

/// Writes JSON again, with sorted keys; `None` if it is none.
fn sorted(json: &str) -> Option<String> {
    // The maps of `serde_json` are sorted by key.
    let value: Value = serde_json::from_str(json).ok()?;
    Some(value.to_string())
}
