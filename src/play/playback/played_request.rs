//! A request that is played against a set.

use std::sync::Arc;

use jiff::Timestamp;

use super::comparison::{MatchKey, sort_names};
use super::logged_call::LoggedCall;
use calls::Pool;
use compare::signature::{MatchingSide, MatchingSideKind};
use document::recording::Request;
use document::signature::{Signature, utf16_order};
use document::text;
use document::time::parse_time;
use machine::{RecordingFacts, Uncertain};

/// A request that is played against a set, from any source.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayedRequest {
    /// Its source for people: a path, `machines/a.dygram at classify`, `ci.log:12`.
    pub name: Arc<str>,
    /// Kind of its source.
    pub origin: RequestOrigin,
    /// Its `requestId`.
    pub id: Option<Arc<str>>,
    /// The node where it is made.
    pub node: Option<Arc<str>>,
    /// When it was sent, as recorded; `None` if that is not known.
    pub sent: Option<Timestamp>,
    /// Reason for which a run may not make it; `None` if a run certainly makes it.
    pub uncertain: Option<Uncertain>,
    /// Its computed signature, for a side-by-side comparison.
    pub matching: MatchingSide,
    /// The offered tools in order.
    pub offered: Box<[Arc<str>]>,
    /// Whether its tools are known. A request with unknown tools matches no signature.
    pub tools_known: ToolsKnown,
    /// The call in the log; `None` for a request from elsewhere.
    pub logged: Option<Arc<LoggedCall>>,
    pub(super) match_key: MatchKey,
}

/// The kind of source of a request.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RequestOrigin {
    /// The request of a recording, or a bare one, in a file or a pasted text.
    File,
    /// The request of the recording at this position of the set, to check the set itself.
    Own(usize),
    /// The first request that a node of a machine would make today.
    Node,
    /// Read from a log.
    Log {
        /// Line, from 1.
        line: usize,
        /// Whether the number of messages is known; the browser client does not print it.
        messages: MessagesKnown,
    },
}

/// Whether a log contains the number of messages of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MessagesKnown {
    /// It does.
    Yes,
    /// It does not: 1 is assumed.
    No,
}

/// Whether the tools of a request are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ToolsKnown {
    /// By their names.
    #[default]
    Yes,
    /// Only their number, from a log.
    Count(usize),
    /// The log does not print them.
    No,
}

impl PlayedRequest {
    /// Returns whether its number of messages is known.
    pub fn messages_known(&self) -> MessagesKnown {
        match self.origin {
            RequestOrigin::Log { messages, .. } => messages,
            _ => MessagesKnown::Yes,
        }
    }

    /// Creates it from a request in a file.
    pub fn from_request(name: Arc<str>, request: &Request, pool: &Pool) -> Self {
        let offered: Vec<Option<Arc<str>>> =
            request.tools.iter().map(|tool| text(&tool.name).map(|name| pool.text(name))).collect();
        let mut keys: Vec<&str> = request.context_keys.iter().map(String::as_str).collect();
        keys.sort_by(|a, b| utf16_order(a, b));
        keys.dedup();
        Self {
            id: text(&request.id).map(|id| pool.text(id)),
            sent: text(&request.timestamp).and_then(parse_time),
            node: RecordingFacts::from_request(request).node().map(|node| pool.text(node)),
            ..Self::from_parts(
                name,
                RequestOrigin::File,
                offered,
                request.messages.len() as u64,
                keys.into_iter().map(|key| pool.text(key)).collect(),
            )
        }
    }

    /// Creates it from the compared properties; `None` is a tool without a name.
    pub fn from_parts(
        name: Arc<str>,
        origin: RequestOrigin,
        offered: Vec<Option<Arc<str>>>,
        messages: u64,
        context_keys: Box<[Arc<str>]>,
    ) -> Self {
        // Clients sort the names before they compare; people see them in the order of the request.
        let mut names = offered.clone();
        sort_names(&mut names);
        let offered = offered.into_iter().flatten().collect();
        let computed = Signature {
            tool_names: names.iter().flatten().cloned().collect(),
            message_count: messages,
            context_keys: context_keys.clone(),
        };
        Self {
            name,
            origin,
            id: None,
            node: None,
            sent: None,
            uncertain: None,
            matching: MatchingSide { kind: MatchingSideKind::Request, stored: None, computed },
            offered,
            tools_known: ToolsKnown::Yes,
            logged: None,
            match_key: MatchKey { names: names.into(), messages, keys: context_keys },
        }
    }

    /// Returns its computed signature, including context keys.
    pub fn signature(&self) -> &Signature {
        &self.matching.computed
    }

    /// Returns its display name: the node, else its id, else the name of its file.
    pub fn label(&self) -> &str {
        let name = || document::files::file_name(&self.name);
        self.node.as_deref().or(self.id.as_deref()).unwrap_or_else(name)
    }
}
