//! Who answers whom: the rule by which a playback client takes a recording for a request.

use std::sync::Arc;

use crate::format::recording::{Recording, Request};
use crate::ops::signature::{Signature, SignatureText};

/// Which playback client is asked.
///
/// The two differ in context keys only. Tool names and the count of messages must be equal for both, and context keys
/// are compared by both if either side has any.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Client {
    /// The one people have: it computes no context keys for a live request, nor for a recording without a signature.
    Shipped,
    /// The one the documents describe: context keys are the keys of the request's context.
    Documented,
}

/// One side: what a recording stores, and what its request computes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Party {
    /// Its description.
    pub kind: PartyKind,
    /// As stored in the file; `None` for requests and for recordings without a signature.
    pub stored: Option<Signature>,
    /// As computed from the request, context keys included.
    pub computed: Signature,
}

/// What a side of a comparison is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PartyKind {
    /// A recording: it can answer, and its request can be asked again.
    Recording,
    /// A bare request: it can only be asked.
    Request,
}

impl Party {
    /// Takes a recording.
    pub fn recording(recording: &Recording) -> Self {
        let stored = recording.signature.as_ref();
        Self {
            kind: PartyKind::Recording,
            stored: stored
                .map(|stored| SignatureText::stored(&stored.value).kept(|text| text.into())),
            computed: SignatureText::of_request(&recording.request).kept(|text| text.into()),
        }
    }

    /// Takes a bare request.
    pub fn request(request: &Request) -> Self {
        Self {
            kind: PartyKind::Request,
            stored: None,
            computed: SignatureText::of_request(request).kept(|text| text.into()),
        }
    }

    /// The signature by which this side answers.
    pub fn own(&self) -> &Signature {
        self.stored.as_ref().unwrap_or(&self.computed)
    }

    /// Where the signature that is shown comes from, in words.
    pub fn origin(&self) -> &'static str {
        match &self.stored {
            None => "computed",
            Some(stored) if *stored == self.computed => "stored, same as computed",
            Some(_) => "stored, differs from the computed one",
        }
    }

    /// Why this recording would not answer a request; empty when it would.
    pub fn misses(&self, request: &Self, client: Client) -> Vec<Mismatch> {
        let (own, asked) = (self.own(), &request.computed);
        let none: &[Arc<str>] = &[];
        let own_keys = match (client, &self.stored) {
            (Client::Shipped, None) => none,
            _ => &own.context_keys,
        };
        let asked_keys = match client {
            Client::Shipped => none,
            Client::Documented => &asked.context_keys,
        };
        let mut misses = Vec::new();
        if own.tool_names != asked.tool_names {
            misses.push(Mismatch::Tools);
        }
        if own.message_count != asked.message_count {
            misses.push(Mismatch::Messages);
        }
        if own_keys != asked_keys {
            misses.push(Mismatch::ContextKeys);
        }
        misses
    }
}

/// What keeps a recording from answering a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mismatch {
    /// Other tools were offered.
    Tools,
    /// There were more or fewer messages.
    Messages,
    /// The context has other keys.
    ContextKeys,
}
