//! Plays a cassette request by request, as its client does.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::num::NonZeroU32;

use super::fixture::{FixtureConditions, chosen_turn};
use super::http_request::HttpRequest;
use super::matcher::{BodyValue, Comparison, Matcher, PreparedRequest};
use super::mock::MockConditions;
use super::request_filter::Filtered;
use super::rules::{ClientRules, RecordMode, RecorderClient};
use calls::reading::all_calls;
use document::call::ModelCall;
use document::cassette::Interaction;
use document::foreign::ForeignFormat;
use document::{Document, DocumentBody, Node, NodeId};

/// A call of a cassette.
#[derive(Clone, Debug)]
pub struct RecordedRequest {
    /// Position among the calls of the file, from 0.
    pub index: usize,
    pub request: HttpRequest,
    /// Conditions of a mock or a fixture in place of an equal request.
    pub(super) conditions: Option<Conditions>,
    pub node: NodeId,
    /// Whether it is in the list of its cassette. What is beside it, such as messages of WebSockets, no client plays.
    pub is_in_list: bool,
}

/// Conditions that a request must meet to get an answer.
#[derive(Clone, Debug)]
pub(super) enum Conditions {
    Mock(MockConditions),
    Fixture(FixtureConditions),
}

impl RecordedRequest {
    /// Returns the calls of a document, in its order.
    pub fn all(document: &Document) -> Vec<Self> {
        let is_mock = format_of(document) == Some(ForeignFormat::Httpmock);
        let root = document.tree.root().filter(|_| is_mock);
        if let Some(root) = root {
            return mocks(root);
        }
        Self::of_calls(document, &all_calls(document))
    }

    /// Returns all calls of a document that were read.
    pub(super) fn of_calls(document: &Document, calls: &[ModelCall<'_>]) -> Vec<Self> {
        let format = format_of(document);
        let is_cassette = format == Some(ForeignFormat::VcrCassette);
        let recorded = calls.iter().enumerate().map(|(index, call)| {
            let node = document.node(call.node);
            let interaction = Interaction::parse(node);
            let conditions = (format == Some(ForeignFormat::Aimock))
                .then(|| FixtureConditions::read(node).map(Conditions::Fixture));
            Self {
                index,
                is_in_list: !is_cassette || interaction.is_some_and(|i| i.recorded().is_none()),
                request: HttpRequest::of_call(document, call),
                conditions: conditions.flatten(),
                node: call.node,
            }
        });
        recorded.collect()
    }
}

fn format_of(document: &Document) -> Option<ForeignFormat> {
    match &document.body {
        DocumentBody::Foreign(foreign) => Some(foreign.format),
        _ => None,
    }
}

/// Returns the mocks of a file, each in a document of its own: also those without a request, which match by a few conditions.
fn mocks(root: Node<'_>) -> Vec<RecordedRequest> {
    let documents = if root.get("when").is_some() { vec![root] } else { root.items().collect() };
    let mocks = documents.into_iter().filter_map(|node| Some((node, MockConditions::read(node)?)));
    let mock = |(index, (node, conditions)): (usize, (Node<'_>, MockConditions))| RecordedRequest {
        index,
        request: Interaction::parse(node)
            .as_ref()
            .map(HttpRequest::of_interaction)
            .unwrap_or_default(),
        conditions: Some(Conditions::Mock(conditions)),
        node: node.id(),
        is_in_list: true,
    };
    mocks.enumerate().map(mock).collect()
}

/// The answer to a request.
#[derive(Clone, Debug, PartialEq)]
pub struct ClientAnswer {
    pub outcome: Outcome,
    /// Parts that the client compares and that are not known of the request; they are taken for equal.
    pub unknown: Vec<Matcher>,
}

/// What a client does with a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// It plays the call with this index.
    Played {
        index: usize,
        /// Whether the call was played before.
        is_repeat: bool,
    },
    /// It plays what it recorded for an earlier request of the same run, with this number from 0.
    PlayedNew(usize),
    /// It fails: the calls with these indices match, and were all played before.
    Consumed(Vec<usize>),
    /// It fails: no call matches. The calls with the most equal parts, as the client's error names them.
    NoMatch(Vec<CallCandidate>),
    /// It fails: there is no cassette, or nothing in it.
    NoCassette,
    /// It sends the request, and records the answer.
    Recorded,
    /// It sends the request because its host is ignored.
    Ignored,
    /// It fails with this exception, for a body that is not what its headers say.
    Raised(&'static str),
}

impl Outcome {
    /// Returns the word in JSON.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Played { is_repeat: false, .. } => "played",
            Self::Played { is_repeat: true, .. } | Self::PlayedNew(_) => "repeat",
            Self::Consumed(_) | Self::NoMatch(_) | Self::NoCassette | Self::Raised(_) => "refused",
            Self::Recorded | Self::Ignored => "recorded",
        }
    }

    /// Returns the index of the call that is played.
    pub fn played(&self) -> Option<usize> {
        match self {
            Self::Played { index, .. } => Some(*index),
            _ => None,
        }
    }

    /// Returns whether the client fails.
    pub fn is_failure(&self) -> bool {
        self.as_str() == "refused"
    }
}

/// A recorded call that does not match a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallCandidate {
    /// Index of the call.
    pub index: usize,
    pub succeeded: Vec<Matcher>,
    pub failed: Vec<Matcher>,
}

/// The content of a cassette before a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CassetteState {
    /// There is no file, or the client takes it for none.
    Missing,
    Loaded,
}

impl CassetteState {
    /// Returns what a client finds in the text of a file.
    pub fn of(document: &Document, rules: &ClientRules, uses_plugin: bool) -> Self {
        let is_vcrpy = rules.client == RecorderClient::Vcrpy;
        let is_blank = document.source().text().trim().is_empty();
        let list = document.tree.root().and_then(document::cassette::list);
        // pytest-recording takes an empty list for no file.
        let is_empty = uses_plugin && list.is_some_and(Node::is_empty);
        let is_missing = is_vcrpy && (is_blank && rules.is_since(9, 4) || is_empty);
        if is_missing { Self::Missing } else { Self::Loaded }
    }
}

/// A client that plays a cassette.
#[derive(Debug)]
pub struct CassettePlayer {
    rules: ClientRules,
    state: CassetteState,
    /// The calls of the cassette that are loaded, and those that were recorded since.
    calls: Vec<PlayableCall>,
    /// Number of requests that were answered.
    sent: usize,
    keys: KeyTable,
}

/// Numbers of compared values, equal for equal values of a matcher. Comparing numbers makes long cassettes cheap.
#[derive(Debug, Default)]
struct KeyTable {
    numbers: HashMap<(Matcher, BodyValue), NonZeroU32>,
    last: u32,
}

impl KeyTable {
    /// Returns the numbers of what is compared of a request, in the order of the matchers; `None` where it is not known.
    fn read(&mut self, request: &PreparedRequest, rules: &ClientRules) -> Vec<Option<NonZeroU32>> {
        let number = |matcher: &Matcher| {
            let key = request.key(*matcher, rules)?;
            let next = NonZeroU32::new(self.last.wrapping_add(1))?;
            let number = match key {
                // Equal to nothing.
                BodyValue::Never => next,
                key => *self.numbers.entry((*matcher, key)).or_insert(next),
            };
            self.last = self.last.max(number.get());
            Some(number)
        };
        rules.matchers.iter().map(number).collect()
    }

    /// Returns the numbers without adding any: a value that no call has is equal to nothing.
    fn find(&self, request: &PreparedRequest, rules: &ClientRules) -> Vec<Option<NonZeroU32>> {
        let number = |matcher: &Matcher| {
            let key = (*matcher, request.key(*matcher, rules)?);
            Some(self.numbers.get(&key).copied().unwrap_or(NonZeroU32::MAX))
        };
        rules.matchers.iter().map(number).collect()
    }

    fn keyed(&mut self, request: HttpRequest, rules: &ClientRules) -> KeyedRequest {
        let prepared = PreparedRequest::new(request);
        KeyedRequest { keys: self.read(&prepared, rules), prepared }
    }
}

#[derive(Debug)]
struct PlayableCall {
    origin: CallOrigin,
    request: KeyedRequest,
    conditions: Option<Conditions>,
    /// Number of times that it was played.
    plays: usize,
    /// The number of the request that it answered last.
    last_played: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CallOrigin {
    /// The cassette, with its index.
    Cassette(usize),
    /// The request with this number.
    Run(usize),
}

/// A request with the numbers of what is compared of it.
#[derive(Debug)]
struct KeyedRequest {
    prepared: PreparedRequest,
    keys: Vec<Option<NonZeroU32>>,
}

/// The outcome of comparing all compared parts of two requests.
#[derive(Default)]
struct Compared {
    succeeded: Vec<Matcher>,
    failed: Vec<Matcher>,
    unknown: Vec<Matcher>,
    raised: Option<&'static str>,
}

impl CassettePlayer {
    /// Loads the calls of a cassette.
    ///
    /// # Errors
    ///
    /// Returns the exception with which the client fails when it loads them.
    pub fn new(
        recorded: Vec<RecordedRequest>,
        state: CassetteState,
        rules: ClientRules,
    ) -> Result<Self, &'static str> {
        let is_discarded = rules.mode == RecordMode::Rewrite
            || rules.mode == RecordMode::All && rules.client == RecorderClient::Cassetter;
        let mut calls = Vec::with_capacity(recorded.len());
        let mut keys = KeyTable::default();
        for call in recorded {
            if state == CassetteState::Missing || is_discarded {
                break;
            }
            if !call.is_in_list {
                continue;
            }
            let request = match rules.client {
                // cassetter hides values when it writes, and compares what is written.
                RecorderClient::Cassetter => call.request,
                _ => match rules.filter(&call.request) {
                    Filtered::Request(request) => request,
                    Filtered::Ignored => continue,
                    Filtered::Raises(error) => return Err(error),
                },
            };
            calls.push(PlayableCall {
                origin: CallOrigin::Cassette(call.index),
                request: keys.keyed(request, &rules),
                conditions: call.conditions,
                plays: 0,
                last_played: None,
            });
        }
        let state = if is_discarded { CassetteState::Missing } else { state };
        Ok(Self { rules, state, calls, sent: 0, keys })
    }

    /// Returns the rules by which it plays.
    pub fn rules(&self) -> &ClientRules {
        &self.rules
    }

    /// Returns the indices of the calls that were not played.
    pub fn unplayed(&self) -> Vec<usize> {
        let unplayed = self.calls.iter().filter(|call| call.plays == 0);
        unplayed.filter_map(PlayableCall::index).collect()
    }

    /// Answers a request, and remembers what was played and recorded.
    pub fn answer(&mut self, sent: &HttpRequest) -> ClientAnswer {
        let number = self.sent;
        self.sent += 1;
        let known = |outcome| ClientAnswer { outcome, unknown: Vec::new() };
        let request = match self.rules.filter(sent) {
            Filtered::Request(request) => self.keys.keyed(request, &self.rules),
            Filtered::Ignored => return known(Outcome::Ignored),
            Filtered::Raises(error) => return known(Outcome::Raised(error)),
        };
        let (place, unknown) = match self.find(&request) {
            Ok(found) => found,
            Err(error) => return known(Outcome::Raised(error)),
        };
        let outcome = match place.filter(|_| self.can_play()) {
            Some(place) => self.play(place, number),
            None if self.can_record() => {
                self.calls.push(PlayableCall {
                    origin: CallOrigin::Run(number),
                    request,
                    conditions: None,
                    // cassetter counts what it records as played.
                    plays: usize::from(self.rules.client != RecorderClient::Vcrpy),
                    last_played: None,
                });
                Outcome::Recorded
            }
            None => self.refuse(&request),
        };
        ClientAnswer { outcome, unknown }
    }

    fn play(&mut self, place: usize, number: usize) -> Outcome {
        let call = &mut self.calls[place];
        let is_repeat = call.plays > 0;
        call.plays += 1;
        call.last_played = Some(number);
        match call.origin {
            CallOrigin::Cassette(index) => Outcome::Played { index, is_repeat },
            CallOrigin::Run(request) => Outcome::PlayedNew(request),
        }
    }

    /// Finds the call that would be played, with the parts that are not known.
    fn find(&self, request: &KeyedRequest) -> Result<(Option<usize>, Vec<Matcher>), &'static str> {
        let is_first = self.rules.repeats && self.rules.client.repeats_first();
        let is_aimock = self.rules.client == RecorderClient::Aimock;
        // vcrpy compares all parts, also after one that differs, and may fail at a body.
        let can_raise = self.rules.client == RecorderClient::Vcrpy
            && self.rules.matchers.contains(&Matcher::Body);
        let mut matching: Vec<(usize, Vec<Matcher>)> = Vec::new();
        for (place, call) in self.calls.iter().enumerate() {
            let compared = self.compare(request, call, can_raise);
            if let Some(error) = compared.raised {
                return Err(error);
            }
            if compared.failed.is_empty() {
                if !is_aimock && (call.plays == 0 || is_first) {
                    return Ok((Some(place), compared.unknown));
                }
                matching.push((place, compared.unknown));
            }
        }
        // All were played before, or may always be.
        let again = match self.rules.client {
            RecorderClient::Aimock => {
                let turns: Vec<Option<f64>> =
                    matching.iter().map(|(place, _)| self.calls[*place].turn()).collect();
                let answers = request.prepared.conversation().map_or(0, |c| c.answers);
                chosen_turn(&turns, answers).map(|at| matching.swap_remove(at))
            }
            RecorderClient::Cassetter if !self.can_record() => matching.into_iter().next(),
            RecorderClient::RubyVcr if self.rules.repeats => {
                let last = |(place, _): &(usize, _)| self.calls[*place].last_played;
                matching.into_iter().max_by_key(last)
            }
            _ => None,
        };
        Ok(again.map_or((None, Vec::new()), |(place, unknown)| (Some(place), unknown)))
    }

    /// Returns how often the fixtures of a sequence were played.
    fn sequence_plays(&self, conditions: &FixtureConditions) -> usize {
        let is_of_sequence = |call: &&PlayableCall| match &call.conditions {
            Some(Conditions::Fixture(other)) => conditions.is_in_sequence_with(other),
            _ => false,
        };
        self.calls.iter().filter(is_of_sequence).map(|call| call.plays).sum()
    }

    /// Compares all parts, or only until one differs.
    fn compare(&self, sent: &KeyedRequest, call: &PlayableCall, is_whole: bool) -> Compared {
        let mut compared = Compared::default();
        let recorded = &call.request;
        let keys = sent.keys.iter().zip(&recorded.keys);
        for (matcher, pair) in self.rules.matchers.iter().zip(keys) {
            let comparison = match (&call.conditions, pair) {
                (Some(Conditions::Mock(conditions)), _) => {
                    conditions.compare(*matcher, &sent.prepared)
                }
                (Some(Conditions::Fixture(conditions)), _) => {
                    let plays = || self.sequence_plays(conditions);
                    conditions.compare(*matcher, &sent.prepared, plays)
                }
                _ if self.rules.is_pairwise(*matcher) => {
                    sent.prepared.compare(*matcher, &recorded.prepared, &self.rules)
                }
                _ if *matcher == Matcher::Uri && sent.prepared.is_relative() => {
                    sent.prepared.compare_path(&recorded.prepared)
                }
                (None, (Some(sent), Some(recorded))) => Comparison::of(Some(sent == recorded)),
                (None, _) => Comparison::Unknown,
            };
            match comparison {
                Comparison::Equal => compared.succeeded.push(*matcher),
                Comparison::Differs => {
                    compared.failed.push(*matcher);
                    if !is_whole {
                        return compared;
                    }
                }
                Comparison::Unknown => {
                    compared.succeeded.push(*matcher);
                    compared.unknown.push(*matcher);
                }
                Comparison::Raises(error) => {
                    compared.raised = compared.raised.or(Some(error));
                }
            }
        }
        compared
    }

    fn can_play(&self) -> bool {
        let rules = &self.rules;
        if rules.mode == RecordMode::All {
            return false;
        }
        rules.client != RecorderClient::Vcrpy
            || self.state == CassetteState::Loaded
            // What was recorded in this run is played again.
            || rules.repeats && rules.is_since(9, 4)
    }

    fn can_record(&self) -> bool {
        match self.rules.mode {
            RecordMode::None | RecordMode::Verify => false,
            RecordMode::Once => self.state == CassetteState::Missing,
            RecordMode::NewEpisodes | RecordMode::Any | RecordMode::All | RecordMode::Rewrite => {
                true
            }
        }
    }

    /// Explains why no call is played.
    fn refuse(&self, request: &KeyedRequest) -> Outcome {
        if self.state == CassetteState::Missing && self.calls.is_empty() {
            return Outcome::NoCassette;
        }
        let mut candidates = self.compare_all(request);
        let most = candidates.first().map(|candidate| candidate.succeeded.len());
        // vcrpy names no call without a single equal part.
        let is_vcrpy = self.rules.client == RecorderClient::Vcrpy;
        let most = most.filter(|most| *most > 0 || !is_vcrpy);
        candidates.retain(|candidate| Some(candidate.succeeded.len()) == most);
        if candidates.iter().any(|candidate| candidate.failed.is_empty()) {
            candidates.retain(|candidate| candidate.failed.is_empty());
            return Outcome::Consumed(candidates.into_iter().map(|c| c.index).collect());
        }
        Outcome::NoMatch(candidates)
    }

    fn compare_all(&self, request: &KeyedRequest) -> Vec<CallCandidate> {
        let mut candidates = Vec::new();
        for call in &self.calls {
            let Compared { succeeded, failed, .. } = self.compare(request, call, true);
            // What this run recorded is in no file.
            if let Some(index) = call.index() {
                candidates.push(CallCandidate { index, succeeded, failed });
            }
        }
        // Stable, as vcrpy sorts: of equal ones the first in the file is first.
        candidates.sort_by_key(|candidate| Reverse(candidate.succeeded.len()));
        candidates
    }

    /// Returns all calls, compared with a request: those with the most equal parts first, whatever was played before.
    pub fn candidates(&self, sent: &HttpRequest) -> Vec<CallCandidate> {
        let Filtered::Request(request) = self.rules.filter(sent) else { return Vec::new() };
        let prepared = PreparedRequest::new(request);
        let keys = self.keys.find(&prepared, &self.rules);
        self.compare_all(&KeyedRequest { prepared, keys })
    }

    /// Returns the indices of calls that are equal in all that is compared, in groups of several.
    pub fn equal_calls(&self) -> Vec<Vec<usize>> {
        let mut groups: BTreeMap<&[Option<NonZeroU32>], Vec<usize>> = BTreeMap::new();
        for call in self.calls.iter().filter(|call| call.conditions.is_none()) {
            groups.entry(&call.request.keys).or_default().extend(call.index());
        }
        let mut groups: Vec<Vec<usize>> =
            groups.into_values().filter(|group| group.len() > 1).collect();
        groups.sort_unstable();
        groups
    }

    /// Returns a condition of a fixture, for a message.
    pub(super) fn condition(&self, index: usize, matcher: Matcher) -> Option<String> {
        let call = self.calls.iter().find(|call| call.index() == Some(index))?;
        match call.conditions.as_ref()? {
            Conditions::Fixture(conditions) => conditions.shown(matcher),
            Conditions::Mock(_) => None,
        }
    }

    /// Returns a loaded call with a sent request, both as they are compared.
    pub(super) fn pair(
        &self,
        sent: &HttpRequest,
        index: usize,
    ) -> Option<(PreparedRequest, &PreparedRequest)> {
        let Filtered::Request(sent) = self.rules.filter(sent) else { return None };
        Some((PreparedRequest::new(sent), self.recorded(index)?))
    }

    /// Returns the request of a loaded call, as it is compared.
    pub(super) fn recorded(&self, index: usize) -> Option<&PreparedRequest> {
        // Those that were recorded since are last and have no index.
        let is_before = |call: &PlayableCall| call.index().is_some_and(|other| other < index);
        let call = self.calls.get(self.calls.partition_point(is_before))?;
        (call.index() == Some(index)).then_some(&call.request.prepared)
    }
}

impl PlayableCall {
    fn turn(&self) -> Option<f64> {
        match &self.conditions {
            Some(Conditions::Fixture(conditions)) => conditions.turn(),
            _ => None,
        }
    }

    fn index(&self) -> Option<usize> {
        match self.origin {
            CallOrigin::Cassette(index) => Some(index),
            CallOrigin::Run(_) => None,
        }
    }
}
