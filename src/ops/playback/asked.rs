//! One request that is played, wherever it comes from.

use std::sync::Arc;

use super::comparison::{Likeness, sort_names};
use super::failure_log::LoggedCall;
use crate::format::recording::Request;
use crate::format::text;
use crate::ops::Pool;
use crate::ops::diff::signature::{Party, PartyKind};
use crate::ops::machine::{Facts, Uncertain};
use crate::ops::signature::{Signature, utf16_order};

/// A request that is played against a set.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// Where it comes from, for people: a path, `machines/a.dygram at classify`, `ci.log:12`.
    pub name: Arc<str>,
    /// Its description.
    pub origin: Origin,
    /// Its `requestId`.
    pub id: Option<Arc<str>>,
    /// The node it is made at.
    pub node: Option<Arc<str>>,
    /// Why it is not certain that a run makes it; `None` where it is.
    pub uncertain: Option<Uncertain>,
    /// What it computes to, for a comparison side by side.
    pub party: Party,
    /// The tools it offers, in its order.
    pub offered: Box<[Arc<str>]>,
    /// Whether a log names its tools. A request whose tools are not known matches no signature.
    pub tools_known: ToolsKnown,
    /// The call as a log shows it; `None` for a request from elsewhere.
    pub logged: Option<Arc<LoggedCall>>,
    pub(super) likeness: Likeness,
}

/// What a request that is played is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// The request of a recording, or a bare one; in the file that its name says.
    File,
    /// The request of the recording at this position of the set itself: it checks itself.
    Own(usize),
    /// What the node of a machine would ask first today.
    Node,
    /// Read from a log.
    Log {
        /// Line, from 1.
        line: usize,
        /// Whether the count of messages is known; the client for browsers doesn't print it.
        messages: MessagesKnown,
    },
    /// Typed by hand.
    Edited,
}

/// Whether a log says how many messages a request had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MessagesKnown {
    /// It does.
    Yes,
    /// It does not: 1 is taken for granted.
    No,
}

/// Whether the tools of a request are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ToolsKnown {
    /// By their names.
    #[default]
    Yes,
    /// Only how many there are, as a log says.
    Count(usize),
    /// The log does not print them.
    No,
}

impl Asked {
    /// Whether its count of messages is known.
    pub fn messages_known(&self) -> MessagesKnown {
        match self.origin {
            Origin::Log { messages, .. } => messages,
            _ => MessagesKnown::Yes,
        }
    }

    /// Takes a request that was read from a file.
    pub fn read(name: Arc<str>, request: &Request, pool: &Pool) -> Self {
        let tools = request.tools.iter();
        let offered: Vec<Option<Arc<str>>> = tools
            .map(|tool| text(&tool.name).map(|name| pool.text(name)))
            .collect();
        let mut keys: Vec<&str> = request.context_keys.iter().map(String::as_str).collect();
        keys.sort_by(|a, b| utf16_order(a, b));
        keys.dedup();
        Self {
            id: text(&request.id).map(|id| pool.text(id)),
            node: Facts::of_request(request)
                .node()
                .map(|node| pool.text(node)),
            ..Self::made(
                name,
                Origin::File,
                offered,
                request.messages.len() as u64,
                keys.into_iter().map(|key| pool.text(key)).collect(),
            )
        }
    }

    /// Makes a request of what is compared of it; what has no name is a tool without one.
    pub fn made(
        name: Arc<str>,
        origin: Origin,
        offered: Vec<Option<Arc<str>>>,
        messages: u64,
        context_keys: Box<[Arc<str>]>,
    ) -> Self {
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
            uncertain: None,
            party: Party {
                kind: PartyKind::Request,
                stored: None,
                computed,
            },
            offered,
            tools_known: ToolsKnown::Yes,
            logged: None,
            likeness: Likeness {
                names: names.into(),
                messages,
                keys: context_keys,
            },
        }
    }

    /// The signature it computes to, context keys included.
    pub fn signature(&self) -> &Signature {
        &self.party.computed
    }

    /// What people call it: the node, else its id, else the name of its file.
    pub fn label(&self) -> &str {
        let name = || super::set::file_name(&self.name);
        let node = self.node.as_deref();
        node.or(self.id.as_deref()).unwrap_or_else(name)
    }
}
