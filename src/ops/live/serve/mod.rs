//! Which tape or recording answers a call, and why.
//!
//! First come the tapes: one whose request is the client's, as its owner compares them ([`Strictness`]). Of several that match,
//! the one that was served least often comes first. Then the sets are asked, each as a client of DyGram would ([`Mode`]): all
//! by signature, before any by position. Then, where that is asked for, the next tape in order, whatever it was made for. Else
//! the call gets an error that names what comes nearest.

mod call;
mod choose;
mod event;
mod near;
mod words;

use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex};

use crate::format::{self, Body, Document};
use crate::ops::diff::signature::SignatureDiff;
use crate::ops::playback::{Asked, Mode, Reason, Set, State};
use crate::ops::tape::javascript::stringify;
use crate::ops::tape::verify::Strictness;
use crate::text::Source;

pub use call::Call;
pub use event::{Began, Ended, Event, Plan};
pub use near::Near;

/// How a call finds its answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// How requests are compared with those of tapes.
    pub tapes: Strictness,
    /// How sets are played.
    pub mode: Mode,
    /// What is served where nothing matches.
    pub otherwise: Otherwise,
}

/// What becomes of a call that nothing matches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Otherwise {
    /// It gets an error.
    #[default]
    Refuse,
    /// It gets the next tape in order.
    Next,
}

/// The tapes and sets that are served, and what was served of them. Calls on several threads share it: a long request, which
/// takes long to compare, delays no other call.
#[derive(Debug, Default)]
pub struct Repertoire {
    rules: Rules,
    tapes: Vec<Spool>,
    sets: Vec<(Arc<Set>, Mutex<State>)>,
    /// The tape that is the next one.
    next: AtomicUsize,
}

/// What is kept of a tape.
#[derive(Debug)]
struct Spool {
    path: Arc<str>,
    label: Option<Arc<str>>,
    /// The tape without its stream.
    request: Document,
    /// Its request, as JavaScript writes it.
    stringified: String,
    served: AtomicUsize,
}

/// What serves a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// Its file, as it was given.
    pub path: Arc<str>,
    /// What people call it.
    pub label: Arc<str>,
    /// Why it is this one.
    pub how: How,
    /// How often it was served before.
    pub before: usize,
}

/// By which step something was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// Its request is the client's.
    Strict,
    /// Its request is the client's but for so many things that are set aside.
    Loose(usize),
    /// The recording has the signature of the request.
    Signature {
        /// Of so many with the same signature and other answers it was the first.
        first_of: usize,
    },
    /// The recording was next, at this position from 1.
    Position(usize),
    /// The tape was next, at this position from 1.
    Next(usize),
}

/// What came of a call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Choice {
    /// What serves it; `None`: nothing matches.
    pub chosen: Option<Chosen>,
    /// Step by step, one sentence each.
    pub why: Vec<String>,
    /// How the request differs from the one that was recorded, one sentence each.
    pub differences: Vec<String>,
    /// What is against the recording that serves by position.
    pub reasons: Vec<Reason>,
    /// What comes nearest, where nothing matches.
    pub nearest: Vec<Near>,
    /// The request, as it was compared with recordings.
    pub asked: Option<Arc<Asked>>,
    /// The signature of the request, at the left, beside that of the recording that serves it.
    pub signatures: Option<Arc<SignatureDiff>>,
}

impl Repertoire {
    /// With nothing to serve.
    pub fn new(rules: Rules) -> Self {
        Self {
            rules,
            ..Self::default()
        }
    }

    /// Adds a tape. They are served in the order in which they are added.
    pub fn add_tape(&mut self, path: &Arc<str>, document: &Document) {
        let Body::Tape(tape) = &document.body else {
            return;
        };
        let written = tape.request.map(|id| stringify(document.node(id)));
        let stringified = written.unwrap_or_else(|| "null".to_owned());
        let text = format!(r#"{{"meta":{{}},"request":{stringified},"stream":[]}}"#);
        self.tapes.push(Spool {
            path: Arc::clone(path),
            label: format::text(&tape.label).map(Arc::from),
            request: format::read(Source::new(text), "tape.json"),
            stringified,
            served: AtomicUsize::new(0),
        });
    }

    /// Adds a set.
    pub fn add_set(&mut self, set: Set) {
        self.sets.push((Arc::new(set), Mutex::default()));
    }

    /// How many tapes there are.
    pub fn tapes(&self) -> usize {
        self.tapes.len()
    }

    /// The sets.
    pub fn sets(&self) -> impl Iterator<Item = &Set> {
        self.sets.iter().map(|(set, _)| &**set)
    }
}

#[cfg(test)]
mod tests;
