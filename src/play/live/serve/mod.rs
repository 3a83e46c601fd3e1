//! The choice of the tape or recording that answers a call, with its reasons.
//!
//! Tapes are tried first: one whose request is equal to the client's, as its owner compares them ([`Strictness`]), else one of the
//! same conversation: an agent sends back what it was served, not what was recorded. Of several that match, the one that was served
//! least often is chosen. Then come the recordings whose request is equal, those before that were not used, and then the sets are
//! played, each as a client of DyGram would ([`PlaybackMode`]): all by signature, before any by position. A cassette is played by the rules of its own client
//! ([`client`](crate::client)). Then, if enabled, the next tape in order is
//! served without comparison. Otherwise the call gets an error that names the closest matches.

mod call;
mod cassette;
mod choose;
mod describe;
mod event;
mod near_miss;

use std::collections::HashMap;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex};

use crate::client::RecorderClient;
use crate::playback::{PlaybackMode, PlayerState, RecordingSet};
use calls::javascript::stringify;
use calls::reading::conversation_key;
use calls::tape::verify::Strictness;
use document::tape::RequestShape;
use document::text::Source;
use document::{Document, DocumentBody};

use cassette::ServedCassette;

pub use call::ServedCall;
pub use event::{ServeEvent, ServedCallEnd, ServedCallStart};
pub use near_miss::NearMiss;

/// Rules for choosing the answer of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ServeRules {
    /// Strictness with which requests are compared with those of tapes.
    pub tapes: Strictness,
    /// The mode in which sets are played.
    pub mode: PlaybackMode,
    /// The answer if nothing matches.
    pub fallback: Fallback,
}

/// Handling of a call that nothing matches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fallback {
    /// It gets an error.
    #[default]
    Refuse,
    /// It gets the next tape in order.
    Next,
}

/// The tapes and sets to serve, with their use counts. Calls on several threads share it: comparing a long request
/// delays no other call.
#[derive(Debug, Default)]
pub struct Catalog {
    rules: ServeRules,
    tapes: Vec<CatalogTape>,
    sets: Vec<(Arc<RecordingSet>, Mutex<PlayerState>)>,
    /// The recordings with each key of a request: the set and the position in it.
    keys: HashMap<u64, Vec<(usize, usize)>>,
    cassettes: Vec<ServedCassette>,
    /// Index of the next tape in order.
    next: AtomicUsize,
}

/// A tape of the catalog.
#[derive(Debug)]
struct CatalogTape {
    path: Arc<str>,
    /// The document without the tape's stream.
    request: Document,
    /// Its request as JavaScript writes it.
    stringified: String,
    /// Key of its request as a conversation; `None` in a shape without a model's answers.
    conversation: Option<u64>,
    served: AtomicUsize,
}

/// The tape or recording that answers a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChosenAnswer {
    /// Its file, as given.
    pub path: Arc<str>,
    /// The way in which it was matched.
    pub matched_by: MatchedBy,
}

/// The way in which an answer was matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchedBy {
    /// Its request is equal to the client's.
    Strict,
    /// Its request is equal to the client's except for this many ignored differences.
    Loose(usize),
    /// Its request is equal to the client's in texts and tool calls.
    Conversation,
    /// The recording has the signature of the request.
    Signature {
        /// Number of recordings with the same signature but different answers, of which it is the first.
        first_of: usize,
    },
    /// The recording was next in order, at this position, from 1.
    Position(usize),
    /// The tape was next in order, at this position, from 1.
    Next(usize),
    /// The client of a cassette plays the call.
    Client(RecorderClient),
}

/// The result of choosing an answer for a call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ServeChoice {
    /// The chosen answer; `None` if nothing matches.
    pub chosen: Option<ChosenAnswer>,
    /// The cassette that plays the call, with the index of the call in it.
    pub played: Option<(Arc<str>, usize)>,
    /// Explanation, one sentence for each step.
    pub why: Vec<String>,
    /// Says that the client gets something other than the answer as it was received; a sentence.
    pub conversion: Option<String>,
    /// Differences from the recorded request, one sentence each.
    pub differences: Vec<String>,
    /// The closest candidates if nothing matches.
    pub nearest: Vec<NearMiss>,
}

impl ServeChoice {
    /// Returns the file that answers, with the index of the call in it.
    pub fn recorded(&self) -> Option<(&str, usize)> {
        if let Some((path, index)) = &self.played {
            return Some((path, *index));
        }
        let path = &*self.chosen.as_ref()?.path;
        let numbered = path.rsplit_once('#');
        let numbered = numbered.and_then(|(path, number)| {
            let number: usize = number.parse().ok()?;
            Some((path, number.checked_sub(1)?))
        });
        Some(numbered.unwrap_or((path, 0)))
    }
}

impl Catalog {
    /// Creates an empty catalog.
    pub fn new(rules: ServeRules) -> Self {
        Self { rules, ..Self::default() }
    }

    /// Adds a tape. Tapes are served in the order in which they are added.
    pub fn add_tape(&mut self, path: &Arc<str>, document: &Document) {
        let DocumentBody::Tape(tape) = &document.body else { return };
        let request = tape.request.map(|id| document.node(id));
        let is_sent = tape.request_shape == RequestShape::Other;
        let stringified = request.map(stringify).unwrap_or_else(|| "null".to_owned());
        // The stream may be megabytes, and is never compared.
        let text = format!(r#"{{"meta":{{}},"request":{stringified},"stream":[]}}"#);
        self.tapes.push(CatalogTape {
            path: Arc::clone(path),
            request: document::read(Source::new(text), "tape.json"),
            stringified,
            conversation: request
                .filter(|_| is_sent)
                .map(|request| conversation_key(request, tape.request_shape)),
            served: AtomicUsize::new(0),
        });
    }

    /// Adds a set, with the keys of its recordings by their paths.
    pub fn add_set(&mut self, set: RecordingSet, keys: &HashMap<Arc<str>, Vec<u64>>) {
        for (index, recording) in set.recordings.iter().enumerate() {
            for key in keys.get(&recording.path).into_iter().flatten() {
                // The set is added below, at this position.
                self.keys.entry(*key).or_default().push((self.sets.len(), index));
            }
        }
        self.sets.push((Arc::new(set), Mutex::default()));
    }

    /// Returns the number of tapes.
    pub fn tapes(&self) -> usize {
        self.tapes.len()
    }

    /// Returns the sets.
    pub fn sets(&self) -> impl Iterator<Item = &RecordingSet> {
        let cassettes = self.cassettes.iter().map(|cassette| &*cassette.set);
        self.sets.iter().map(|(set, _)| &**set).chain(cassettes)
    }
}

#[cfg(test)]
mod tests;
