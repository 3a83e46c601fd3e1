//! Pairs requests with the recorded calls that answered them, and compares both.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::judge::{self, AnsweredCall};
use super::{ComparedRequest, DriftVerdict, RequestResult, TokenCount, by_cassette};
use crate::client::{
    CassettePlayer, CassetteState, ClientRules, HttpRequest, RecordMode, RecordedRequest,
    RequestBody,
};
use crate::run_requests::{LoggedRequest, MASKED, RunRequests};
use crate::triage::CassetteFiles;
use calls::cassette_config::CassetteFacts;
use calls::json::{Json, list, object};
use calls::reading::all_calls;
use compare::review::{IgnoreRule, PairedBy, Take, TakeChange, TakePair, compare};
use document::Document;
use document::call::ModelCall;
use document::cassette::Interaction;
use document::edit::JsonValue;

/// What was found of the requests of a run.
pub(super) struct Pairing {
    /// In the order of the log.
    pub(super) requests: Vec<ComparedRequest>,
    /// The tokens of the recorded calls by their cassettes, from the project root.
    pub(super) tokens: BTreeMap<Arc<str>, Vec<TokenCount>>,
    /// For each request the tokens that its recorded answer used, if they are known.
    pub(super) limits: HashMap<usize, u64>,
}

/// A cassette with its client.
struct PlayedCassette<'d> {
    path: &'d Arc<str>,
    calls: Vec<ModelCall<'d>>,
    document: &'d Document,
    recorded: Vec<RecordedRequest>,
    player: Option<CassettePlayer>,
    rules: &'d [IgnoreRule],
}

/// Compares all requests of a run.
pub(super) fn pair_requests(
    run: &RunRequests,
    files: &CassetteFiles,
    rules: &[IgnoreRule],
) -> Pairing {
    let mut found: BTreeMap<usize, ComparedRequest> = BTreeMap::new();
    let (mut tokens, mut limits) = (BTreeMap::new(), HashMap::new());
    for (name, requests) in by_cassette(run) {
        let cassette = find(name, files, rules);
        if let Ok(cassette) = &cassette {
            let counts = cassette.calls.iter().map(|call| TokenCount::of(&call.facts));
            tokens.insert(Arc::clone(cassette.path), counts.collect());
        }
        let path = cassette.as_ref().map(|cassette| Arc::clone(cassette.path)).ok();
        let mut results = match cassette {
            Ok(mut cassette) => {
                let results = cassette.compare_all(&requests);
                for ((at, _), result) in requests.iter().zip(&results) {
                    if let RequestResult::Answered { call, .. } = result
                        && let Some(used) = cassette.calls[*call].facts.output_tokens
                    {
                        limits.insert(*at, used);
                    }
                }
                results.into_iter()
            }
            Err(reason) => {
                let result = |(_, request): &(usize, &LoggedRequest)| match request.call {
                    None if request.phase.is_some() => RequestResult::Unanswered,
                    _ => RequestResult::NotCompared(reason.clone()),
                };
                requests.iter().map(result).collect::<Vec<_>>().into_iter()
            }
        };
        for (at, request) in requests {
            let Some(result) = results.next() else { continue };
            let compared = ComparedRequest {
                place: request.place.clone(),
                test: request.test.clone(),
                line: request.line,
                cassette: path.clone().or_else(|| request.cassette.clone()),
                result,
            };
            found.insert(at, compared);
        }
    }
    Pairing { requests: found.into_values().collect(), tokens, limits }
}

/// Finds a cassette that a log names.
fn find<'d>(
    name: Option<&Arc<str>>,
    files: &'d CassetteFiles,
    rules: &'d [IgnoreRule],
) -> Result<PlayedCassette<'d>, String> {
    let name = name.ok_or("The log does not name the cassette")?;
    let (path, facts) = files.index.named(name)?;
    let document = files.documents.get(path);
    let document = document.ok_or_else(|| format!("{path} could not be read"))?;
    let recorded = RecordedRequest::all(document);
    let player = CassettePlayer::new(recorded.clone(), CassetteState::Loaded, client_rules(facts));
    Ok(PlayedCassette {
        path,
        calls: all_calls(document),
        document,
        recorded,
        player: player.ok(),
        rules,
    })
}

/// Returns the rules of the client of a cassette, as configured or by default.
fn client_rules(facts: &CassetteFacts) -> ClientRules {
    let client = facts.client.as_ref();
    let client =
        client.map_or(crate::client::RecorderClient::Vcrpy, |(client, _)| (*client).into());
    let configured = ClientRules::configured(client, facts);
    let rules = configured.unwrap_or_else(|_| ClientRules::new(client));
    ClientRules { mode: RecordMode::None, ..rules }
}

impl PlayedCassette<'_> {
    /// Compares the requests that used it, in their order.
    fn compare_all(&mut self, requests: &[(usize, &LoggedRequest)]) -> Vec<RequestResult> {
        // A later request of a test repeats the messages of an earlier one.
        let mut earlier: HashMap<Option<&Arc<str>>, judge::EarlierChanges> = HashMap::new();
        let results = requests.iter().map(|(_, request)| {
            let Some(at) = self.answering(request) else { return RequestResult::Unanswered };
            let Some(changes) = self.changes(at, &request.request) else {
                let reason = format!("Call {} of {} has no request of HTTP", at + 1, self.path);
                return RequestResult::NotCompared(reason);
            };
            let call = AnsweredCall { facts: &self.calls[at].facts, sent: changes.sent.as_ref() };
            let earlier = earlier.entry(request.test.as_ref()).or_default();
            let judged = changes.changes.into_iter().map(|change| {
                let verdict = judge::verdict(&change, &call, earlier);
                (verdict, change)
            });
            let changes: Vec<(DriftVerdict, TakeChange)> = judged.collect();
            RequestResult::Answered { call: at, changes }
        });
        results.collect()
    }

    /// Returns the index of the call that answered: by the log, else by the rules of the client.
    fn answering(&mut self, request: &LoggedRequest) -> Option<usize> {
        let listed = || self.recorded.iter().filter(|call| call.is_in_list);
        match request.call {
            Some(index) => listed().nth(index).map(|call| call.index),
            // A plugin saw that nothing answered.
            None if request.phase.is_some() => None,
            None => self.player.as_mut()?.answer(&request.request).outcome.played(),
        }
    }

    /// Returns what differs; `None` if the recorded call has no request.
    fn changes(&self, at: usize, sent: &HttpRequest) -> Option<RequestChanges> {
        let recorded = &self.recorded.get(at)?.request;
        if !recorded.is_known() {
            return None;
        }
        let sent = completed(sent, recorded);
        let response = Interaction::parse(self.document.node(self.calls.get(at)?.node))
            .and_then(|interaction| interaction.response);
        let response = response.map(|node| Json::raw(JsonValue::from_node(node).json()));
        let take = |request: &HttpRequest| {
            let text = cassette_text(request, response.clone());
            Arc::new(Take::new("request.json", text.into_bytes()))
        };
        let (old, new) = (take(recorded), take(&sent));
        let pair = TakePair { old: Some(old), new: Some(Arc::clone(&new)), by: PairedBy::Path };
        let mut changes = compare(&pair, self.rules).changes;
        changes.retain(|change| !is_masked(change));
        let sent = (!changes.is_empty()).then(|| new.read());
        Some(RequestChanges { changes, sent })
    }
}

/// What differs between a recorded and a sent request.
struct RequestChanges {
    changes: Vec<TakeChange>,
    /// The sent request as a cassette; `None` if nothing differs.
    sent: Option<Document>,
}

/// Returns a request with what the log does not show of it, as it was recorded.
fn completed(sent: &HttpRequest, recorded: &HttpRequest) -> HttpRequest {
    let mut sent = sent.clone();
    for (name, value) in sent.headers.iter_mut().flatten() {
        if value.contains(MASKED)
            && let Some(known) = recorded.header(name)
        {
            *value = known.to_owned();
        }
    }
    if let (Some(url), Some(known)) = (&mut sent.url, &recorded.url) {
        // A server in place of another one.
        if url.starts_with('/') {
            let origin = known.len() - judge::after_host(known).len();
            *url = format!("{}{url}", &known[..origin]);
        }
        if is_like_masked(known, url) {
            url.clone_from(known);
        }
    }
    sent
}

/// Returns whether a text is another one with secrets masked.
fn is_like_masked(text: &str, masked: &str) -> bool {
    let mut parts = masked.split(MASKED);
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else {
        return false;
    };
    let mut last = "";
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        (rest, last) = (&rest[at + part.len()..], part);
    }
    rest.is_empty() || last.is_empty() && masked.contains(MASKED)
}

/// Returns whether a change is only of a masked secret.
fn is_masked(change: &TakeChange) -> bool {
    change.old.as_ref().zip(change.new.as_ref()).is_some_and(|(old, new)| {
        new.json.contains(MASKED)
            && is_like_masked(old.json.trim_matches('"'), new.json.trim_matches('"'))
    })
}

/// Returns a cassette of one call.
fn cassette_text(request: &HttpRequest, response: Option<Json>) -> String {
    let mut headers: BTreeMap<String, Vec<Json>> = BTreeMap::new();
    for (name, value) in request.headers.iter().flatten() {
        headers.entry(name.to_ascii_lowercase()).or_default().push(Json::from(value));
    }
    let headers = headers.into_iter().map(|(name, values)| (name, Json::from(values)));
    let body = match &request.body {
        RequestBody::Unknown | RequestBody::Missing => Json::raw("null"),
        RequestBody::Tree(value) => Json::from(value.json()),
        RequestBody::Bytes(bytes) => Json::from(&*String::from_utf8_lossy(bytes)),
    };
    let request = object! {
        "method": request.method.as_deref().unwrap_or_default(),
        "uri": request.url.as_deref().unwrap_or_default(),
        "headers": Json::object(headers),
        "body": body,
    };
    let response = response.unwrap_or_else(|| object! {});
    let call = object! { "request": request, "response": response };
    object! { "interactions": list![call], "version": Json::raw("1") }.into_string()
}
