//! The rule by which a playback client matches a recording with a request.

use std::sync::Arc;

use document::recording::{Recording, Request};
use document::signature::{Signature, SignatureText};

/// The kind of playback client.
///
/// The two differ only in context keys. Both require equal tool names and message counts, and compare context keys if
/// either side has any.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MatchingClient {
    /// The shipped one: it computes no context keys for a live request, nor for a recording without a signature.
    Shipped,
    /// The documented one: context keys are the keys of the request's context.
    Documented,
}

/// One side of a comparison: its stored and its computed signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchingSide {
    /// Recording or request.
    pub kind: MatchingSideKind,
    /// As stored in the file; `None` for requests and for recordings without a signature.
    pub stored: Option<Signature>,
    /// As computed from the request, context keys included.
    pub computed: Signature,
}

/// Kind of a side of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MatchingSideKind {
    /// A recording: it can answer, and its request can be repeated.
    Recording,
    /// A bare request: it cannot answer.
    Request,
}

impl MatchingSide {
    /// Creates the side of a recording.
    pub fn from_recording(recording: &Recording) -> Self {
        let stored = recording.signature.as_ref();
        Self {
            kind: MatchingSideKind::Recording,
            stored: stored.map(|s| SignatureText::stored(&s.value).to_signature(|t| t.into())),
            ..Self::from_request(&recording.request)
        }
    }

    /// Creates the side of a bare request.
    pub fn from_request(request: &Request) -> Self {
        Self {
            kind: MatchingSideKind::Request,
            stored: None,
            computed: SignatureText::of_request(request).to_signature(|text| text.into()),
        }
    }

    /// Returns the signature by which this side answers.
    pub fn own_signature(&self) -> &Signature {
        self.stored.as_ref().unwrap_or(&self.computed)
    }

    /// Describes the origin of the shown signature.
    pub fn origin(&self) -> &'static str {
        match &self.stored {
            None => "computed",
            Some(stored) if *stored == self.computed => "stored, same as computed",
            Some(_) => "stored, differs from the computed one",
        }
    }

    /// Returns why this recording cannot answer a request; empty if it can.
    pub fn mismatches(&self, request: &Self, client: MatchingClient) -> Vec<Mismatch> {
        let (own, requested) = (self.own_signature(), &request.computed);
        let none: &[Arc<str>] = &[];
        let own_keys = match (client, &self.stored) {
            // The shipped client computes `contextKeys: []`, for a live request as for a recording without a signature.
            (MatchingClient::Shipped, None) => none,
            _ => &own.context_keys,
        };
        let requested_keys = match client {
            MatchingClient::Shipped => none,
            MatchingClient::Documented => &requested.context_keys,
        };
        let mut misses = Vec::new();
        if own.tool_names != requested.tool_names {
            misses.push(Mismatch::Tools);
        }
        if own.message_count != requested.message_count {
            misses.push(Mismatch::Messages);
        }
        if own_keys != requested_keys {
            misses.push(Mismatch::ContextKeys);
        }
        misses
    }
}

/// Reason that a recording cannot answer a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mismatch {
    /// The offered tools differ.
    Tools,
    /// The message counts differ.
    Messages,
    /// The context keys differ.
    ContextKeys,
}
