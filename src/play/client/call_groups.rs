//! The calls of a cassette that its program cannot distinguish, by the matchers that are set or by its own.

use std::collections::HashMap;

use super::matcher::{Matcher, PreparedRequest};
use super::player::{CassettePlayer, CassetteState, RecordedRequest};
use super::rules::{ClientRules, RecorderClient};
use calls::cassette_config::{CassetteFacts, ConfigOrigin};
use document::Document;
use document::call::ModelCall;
use document::cassette::{CassetteClient, Interaction};

/// A call with its number from 1.
pub type NumberedCall<'a> = (usize, Interaction<'a>);

/// The calls that are equal in all that the program of a cassette compares.
#[derive(Debug)]
pub struct CallGroups<'a> {
    pub client: CassetteClient,
    pub document: &'a Document,
    pub calls: &'a [ModelCall<'a>],
    /// Groups of several calls in the order of the file, each call with its number from 1.
    pub groups: Vec<Vec<NumberedCall<'a>>>,
    /// Compared parts of a request, and the place where they are set, as a phrase.
    pub compared: String,
    /// Place of the setting by which the first call of a group always answers.
    pub repeats: Option<&'a ConfigOrigin>,
    player: CassettePlayer,
}

impl<'a> CallGroups<'a> {
    /// Groups the calls that are loaded; `None` if it is not known what the program compares.
    pub fn find(
        document: &'a Document,
        client: CassetteClient,
        facts: &'a CassetteFacts,
        calls: &'a [ModelCall<'a>],
    ) -> Option<Self> {
        let rules = ClientRules::of_played(client.into(), facts).ok()?;
        let compared = rules.compared();
        let recorded = RecordedRequest::of_calls(document, calls);
        let player = CassettePlayer::new(recorded, CassetteState::Loaded, rules).ok()?;
        let call = |index: usize| {
            // A client that drops it answers no request with it.
            let request = &player.recorded(index)?.request;
            let node = document.node(calls[index].node);
            Some((index + 1, Interaction::parse(node).filter(|_| !player.rules().drops(request))?))
        };
        let equal_calls = player.equal_calls().into_iter();
        let groups = equal_calls
            .map(|group| group.into_iter().filter_map(call).collect::<Vec<_>>())
            .filter(|group| group.len() > 1)
            .collect();
        // cassetter and the others go on with the next call, even if they repeat.
        let plays_first = matches!(client, CassetteClient::Vcrpy | CassetteClient::GoVcr);
        Some(Self {
            client,
            document,
            calls,
            compared,
            groups,
            repeats: facts.repeats.as_ref().filter(|_| plays_first),
            player,
        })
    }

    /// Returns the matcher that would have to be compared as well so that calls of a group with different answers are distinguished;
    /// `None` if none of the program's own would do.
    pub fn settling_matcher(
        &self,
        group: &[NumberedCall<'_>],
        is_alike: impl Fn(&NumberedCall<'_>, &NumberedCall<'_>) -> bool,
    ) -> Option<&'static str> {
        let body = match self.client {
            CassetteClient::Vcrpy | CassetteClient::RubyVcr => Matcher::Body,
            CassetteClient::Cassetter => Matcher::JsonBody,
            CassetteClient::RVcr | CassetteClient::GoVcr => return None,
        };
        let has =
            |is_part: fn(Matcher) -> bool| self.player.rules().matchers.iter().any(|m| is_part(*m));
        let is_query = |matcher| matches!(matcher, Matcher::Query | Matcher::Uri);
        let query = match self.client {
            CassetteClient::Cassetter => Matcher::Uri,
            _ => Matcher::Query,
        };
        let candidates = [(body, has(Matcher::is_of_body)), (query, has(is_query))];
        let settles = |matcher: Matcher| {
            let mut firsts: HashMap<_, &NumberedCall<'_>> = HashMap::new();
            group.iter().all(|numbered| {
                let Some(request) = self.request(numbered.0) else { return false };
                let key = request.key(matcher, self.player.rules());
                is_alike(firsts.entry(key).or_insert(numbered), numbered)
            })
        };
        let mut open_matchers = candidates.into_iter().filter(|(_, is_compared)| !is_compared);
        open_matchers.find(|(matcher, _)| settles(*matcher)).map(|(matcher, _)| matcher.as_str())
    }

    fn request(&self, number: usize) -> Option<&PreparedRequest> {
        self.player.recorded(number.checked_sub(1)?)
    }

    /// Returns the parts in which the requests of two calls differ, by the names of their matchers. The numbers count from 1.
    pub(super) fn differing_parts(&self, numbers: [usize; 2]) -> Vec<&'static str> {
        let parts = [
            Matcher::Method,
            Matcher::Scheme,
            Matcher::Host,
            Matcher::Port,
            Matcher::Path,
            Matcher::Query,
            Matcher::Body,
        ];
        let [Some(a), Some(b)] = numbers.map(|number| self.request(number)) else {
            return Vec::new();
        };
        let rules = self.player.rules();
        let differs = |part: &Matcher| a.key(*part, rules) != b.key(*part, rules);
        parts.into_iter().filter(differs).map(Matcher::as_str).collect()
    }
}

/// Returns whether it is known what the program of a cassette compares. Matchers that are set by code are not: it is not run.
pub fn knows_matchers(client: CassetteClient, facts: &CassetteFacts) -> bool {
    facts.match_on.as_ref().is_none_or(|setting| {
        let names = setting.texts.as_deref();
        names.is_some_and(|names| {
            super::matchers_named(RecorderClient::from(client), names).is_some()
        })
    })
}
