//! Decides whether a recording still matches the request that its node would make today.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::rename::NodePairs;
use super::{Graph, GraphNodeId, Machine, NodeOffer, Uncertain};
use calls::source::SourceState;
use document::recording::{MessageBlock, Recording, Request};
use document::signature::SignatureText;
use document::text;
use document::text::{counted, listed, quoted};

/// Facts about a recording.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordingFacts<'a> {
    /// The tools of its signature, in any order.
    pub tools: Vec<&'a str>,
    /// `context.currentNode`
    pub current_node: Option<&'a str>,
    /// The texts for the model: the system prompt and the messages.
    pub texts: Vec<&'a str>,
}

/// Effect of a source change on a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Affected {
    /// A request made at its node today offers other tools, or no request is made: the recording would no longer match.
    Yes {
        /// Its node, or what happened to it.
        at: BreakLocation,
        /// Tools that were recorded but are no longer offered.
        missing: Vec<String>,
        /// Tools that are offered but were not recorded.
        extra: Vec<String>,
    },
    /// A request made at its node today offers the same tools.
    No {
        /// The current name of its node.
        node: Box<str>,
    },
    Unknown {
        /// The reason, as a part of a sentence.
        reason: Box<str>,
    },
}

/// Place at which a recording no longer matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BreakLocation {
    /// At this node, by its current name.
    Node(Box<str>),
    /// Nowhere: at this node, by its current name, the machine calls no model.
    SilentNode(Box<str>),
    /// Nowhere: this node, by its old name, was removed.
    RemovedNode(Box<str>),
    /// At an unknown node: none offers the recorded tools.
    UnknownNode,
}

impl Affected {
    fn unknown(reason: impl Into<Box<str>>) -> Self {
        Self::Unknown { reason: reason.into() }
    }

    /// Adds what a change of the source means for the recording to the state of that source.
    pub fn judge(&self, source: SourceState) -> SourceState {
        SourceState {
            affected: match self {
                Self::Yes { .. } => Some(true),
                Self::No { .. } => Some(false),
                Self::Unknown { .. } => None,
            },
            because: Some(self.to_string().into()),
            breaks_at: self.breaks_at().map(Arc::from),
            ..source
        }
    }

    /// Returns the node where the recording would no longer match: its current name, or the old name of a removed node.
    pub fn breaks_at(&self) -> Option<&str> {
        match self {
            Self::Yes {
                at:
                    BreakLocation::Node(node)
                    | BreakLocation::SilentNode(node)
                    | BreakLocation::RemovedNode(node),
                ..
            } => Some(node),
            _ => None,
        }
    }
}

impl<'a> RecordingFacts<'a> {
    /// Facts about a recording.
    pub fn from_recording(recording: &'a Recording) -> Self {
        Self {
            // A player compares the stored signature, if there is one.
            tools: SignatureText::of_recording(recording).tool_names,
            ..Self::from_request(&recording.request)
        }
    }

    /// Collects the facts about a bare request.
    pub fn from_request(request: &'a Request) -> Self {
        let blocks = request.messages.iter().flat_map(|message| &message.blocks);
        let message_texts = blocks.filter_map(|block| match block {
            MessageBlock::Text(text) => Some(text.value.as_str()),
            _ => None,
        });
        Self {
            tools: SignatureText::of_request(request).tool_names,
            current_node: text(&request.current_node),
            texts: text(&request.system_prompt).into_iter().chain(message_texts).collect(),
        }
    }

    /// Returns the node that the recording names in its context or its prompt.
    pub fn node(&self) -> Option<&'a str> {
        let prompt_node = || self.texts.iter().find_map(|text| node_in(text));
        self.current_node.or_else(prompt_node)
    }
}

/// Returns the node named in a prompt.
fn node_in(text: &str) -> Option<&str> {
    let range = node_line(text)?;
    (!range.is_empty()).then(|| &text[range])
}

/// Returns where a prompt names its node, in a line `- **Node**: name`: the bytes of the name, which may be empty.
pub fn node_line(text: &str) -> Option<Range<usize>> {
    // DyGram's prompts name the current node in such a line.
    let mark = "- **Node**:";
    let at = memchr::memmem::find(text.as_bytes(), mark.as_bytes())? + mark.len();
    let line = text[at..].lines().next().unwrap_or_default();
    let start = at + line.len() - line.trim_start().len();
    Some(start..start + line.trim().len())
}

/// The old version of a source, if known, and the current one. Created once and used for all of its recordings.
pub struct SourceVersions<'a> {
    pub(super) then: Option<PastSource<'a>>,
    pub(super) now: Graph<'a>,
    /// By the ids of the current nodes.
    pub(super) offers: Vec<NodeOffer>,
}

/// The old version of a source.
pub(super) struct PastSource<'a> {
    pub(super) graph: Graph<'a>,
    offers: Vec<NodeOffer>,
    pub(super) pairs: NodePairs,
}

/// Decides whether a recording is affected by the current source. `then` is the recorded source, if known.
pub fn affected(facts: &RecordingFacts<'_>, then: Option<&Machine>, now: &Machine) -> Affected {
    SourceVersions::new(then, now).affected(facts)
}

impl<'a> SourceVersions<'a> {
    /// Compares both versions.
    pub fn new(then: Option<&'a Machine>, now: &'a Machine) -> Self {
        let offers = |graph: &Graph<'_>| graph.ids().map(|id| graph.offer(id)).collect();
        let now = Graph::new(now);
        let then = then.map(|then| {
            let graph = Graph::new(then);
            PastSource { offers: offers(&graph), pairs: NodePairs::new(&graph, &now), graph }
        });
        Self { then, offers: offers(&now), now }
    }

    /// Decides whether a recording of this source is affected by its current version.
    pub fn affected(&self, facts: &RecordingFacts<'_>) -> Affected {
        let judge = Judge::new(self, facts);
        let verdict = match facts.node() {
            Some(node) => judge.by_name(node),
            None if facts.tools.is_empty() => {
                Affected::unknown("it names no node, and offers no tools to know it by")
            }
            None => judge.by_tools(),
        };
        match verdict {
            // What is missing may be in the part that was not read.
            Affected::Yes { .. } if self.now.machine.is_partial() => {
                Affected::unknown("the source as it is now could not be read whole")
            }
            verdict => verdict,
        }
    }

    /// Returns the node that may be that of a recording whose node is gone: the one that offers the same tools.
    pub(super) fn likely_successor(&self, facts: &RecordingFacts<'_>) -> Option<GraphNodeId> {
        Judge::new(self, facts).successor()
    }
}

/// Judges one recording against the old and the current source.
struct Judge<'a> {
    recorded: Vec<&'a str>,
    sources: &'a SourceVersions<'a>,
}

impl<'a> Judge<'a> {
    fn new(sources: &'a SourceVersions<'a>, facts: &RecordingFacts<'a>) -> Self {
        // Sorted, with repetitions: two edges to one node offer its tool twice.
        Self { recorded: sorted(facts.tools.iter().copied()), sources }
    }

    /// Judges a recording that names its node.
    fn by_name(&self, node: &str) -> Affected {
        let then = self.sources.then.as_ref();
        // The old version first: its name may belong to another node today.
        if let Some((then, id)) = then.and_then(|then| Some((then, then.graph.find(node)?))) {
            return self.judge_past_node(then, id);
        }
        match self.sources.now.find(node) {
            Some(now) => self.judge_node(None, now),
            None => self.judge_removed(node),
        }
    }

    /// Judges a recording by its tools only.
    fn by_tools(&self) -> Affected {
        let Some(then) = &self.sources.then else { return self.by_tools_now() };
        let nodes = self.offering(&then.offers);
        let verdicts: Vec<Affected> =
            nodes.iter().map(|id| self.judge_past_node(then, *id)).collect();
        let is_no = |verdict: &Affected| matches!(verdict, Affected::No { .. });
        match verdicts.as_slice() {
            [] => self.by_tools_now(),
            [verdict] => verdict.clone(),
            // Whichever node it was, the recording still matches.
            [first, ..] if verdicts.iter().all(is_no) => first.clone(),
            _ => {
                let names = nodes.iter().map(|id| quoted(then.graph.qualified(*id)));
                let names = either(&names.collect::<Vec<_>>());
                Affected::unknown(format!("it may be of {names}, which offered the same tools"))
            }
        }
    }

    /// Compares the tools with those offered today: if no node offers them, no request can match.
    fn by_tools_now(&self) -> Affected {
        let now = &self.sources.now;
        match self.offered_now() {
            Some(id) => self.judge_node(None, id),
            None if now.machine.imports.is_empty() => {
                self.affected_at(BreakLocation::UnknownNode, &[])
            }
            None => imported(),
        }
    }

    /// Returns the first node that offers the recorded tools today.
    fn offered_now(&self) -> Option<GraphNodeId> {
        self.offering(&self.sources.offers).first().copied()
    }

    /// Returns the nodes that offer exactly the recorded tools: those that call a model, or all if none does.
    fn offering(&self, offers: &[NodeOffer]) -> Vec<GraphNodeId> {
        let nodes = (0..offers.len()).filter(|id| self.is_recorded(&offers[*id]));
        let (prompting, silent): (Vec<_>, Vec<_>) = nodes.partition(|id| !offers[*id].is_silent());
        if prompting.is_empty() { silent } else { prompting }
    }

    /// Judges a recording that was made at this node.
    fn judge_past_node(&self, then: &PastSource<'_>, id: GraphNodeId) -> Affected {
        match then.pairs.now[id] {
            Some(now) => self.judge_node(Some(&then.offers[id]), now),
            None => self.judge_removed(then.graph.qualified(id)),
        }
    }

    /// Judges a recording whose node is now this one and offered `then` before, if known.
    fn judge_node(&self, then: Option<&NodeOffer>, now: GraphNodeId) -> Affected {
        let offer = &self.sources.offers[now];
        let name = self.sources.now.qualified(now);
        let is_alike = then.is_some_and(|then| then.is_alike(offer));
        // A node that offers what it offered then is no reason for a difference, whatever was recorded.
        if is_alike || self.is_recorded(offer) && !offer.is_silent() {
            return Affected::No { node: name.into() };
        }
        match offer.uncertain {
            _ if offer.is_silent() && then.is_none() && self.is_recorded(offer) => {
                let name = quoted(name);
                Affected::unknown(format!(
                    "no model is asked at {name} today, and whether one was asked there before is not known"
                ))
            }
            _ if offer.is_silent() => self.affected_at(BreakLocation::SilentNode(name.into()), &[]),
            Some(reason @ Uncertain::Imported) => self.unknown_at(now, reason),
            Some(Uncertain::Condition) | None => {
                self.affected_at(BreakLocation::Node(name.into()), &offer.tools)
            }
        }
    }

    /// Returns the node that may be that of a recording under another name: the old source is unknown, and it offers the same tools.
    fn successor(&self) -> Option<GraphNodeId> {
        self.offered_now().filter(|_| self.sources.then.is_none())
    }

    /// Judges a recording whose node has no known successor. If the old source is unknown, a node with the same tools
    /// may be the renamed one.
    fn judge_removed(&self, node: &str) -> Affected {
        let now = &self.sources.now;
        if !now.machine.imports.is_empty() {
            return imported();
        }
        let Some(successor) = self.successor().map(|id| quoted(now.qualified(id))) else {
            return self.affected_at(BreakLocation::RemovedNode(node.into()), &[]);
        };
        let node = quoted(node);
        Affected::unknown(format!("node {node} is gone, but {successor} offers the same tools"))
    }

    fn affected_at(&self, at: BreakLocation, tools: &[Box<str>]) -> Affected {
        let tools: Vec<&str> = tools.iter().map(|tool| &**tool).collect();
        Affected::Yes {
            at,
            missing: without(&self.recorded, &tools),
            extra: without(&tools, &self.recorded),
        }
    }

    fn unknown_at(&self, id: GraphNodeId, reason: Uncertain) -> Affected {
        let name = quoted(self.sources.now.qualified(id));
        Affected::unknown(format!("the tools of {name} are not certain: {reason}"))
    }

    /// Returns whether an offer has exactly the recorded tools.
    fn is_recorded(&self, offer: &NodeOffer) -> bool {
        self.recorded == sorted(offer.tools.iter().map(|tool| &**tool))
    }
}

fn imported() -> Affected {
    Affected::unknown("its node may stand in a machine that is imported")
}

fn sorted<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    names
}

/// Returns the names that `all` has more often than `others`.
fn without(names: &[&str], others: &[&str]) -> Vec<String> {
    let mut counts = std::collections::HashMap::new();
    for name in others {
        *counts.entry(*name).or_insert(0usize) += 1;
    }
    let is_extra = |name: &&&str| match counts.get_mut(**name) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    };
    names.iter().filter(is_extra).map(ToString::to_string).collect()
}

fn either(names: &[String]) -> String {
    match names {
        [names @ .., last] if !names.is_empty() && names.len() < 4 => {
            format!("{} or {last}", names.join(", "))
        }
        names => counted(names.len(), "node", "nodes"),
    }
}

impl fmt::Display for Affected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Yes { at, missing, extra } => describe_affected(f, at, missing, extra),
            Self::No { node } => {
                let node = quoted(node);
                write!(f, "A request made at {node} today offers the same tools")
            }
            Self::Unknown { reason } => {
                write!(f, "It cannot be said whether it is affected: {reason}")
            }
        }
    }
}

fn describe_affected(
    f: &mut fmt::Formatter<'_>,
    at: &BreakLocation,
    missing: &[String],
    extra: &[String],
) -> fmt::Result {
    let tools =
        |names: &[String]| listed(&names.iter().map(|name| quoted(name)).collect::<Vec<_>>());
    let node = match at {
        BreakLocation::Node(node) => quoted(node),
        BreakLocation::SilentNode(node) => {
            let node = quoted(node);
            return write!(
                f,
                "No request is made at {node} today: the machine asks no model there"
            );
        }
        BreakLocation::RemovedNode(node) => {
            return write!(f, "Node {} is gone, so no request is made there today", quoted(node));
        }
        BreakLocation::UnknownNode => {
            return write!(f, "No node offers these tools today: {}", tools(missing));
        }
    };
    write!(f, "A request made at {node} today ")?;
    match (missing.is_empty(), extra.is_empty()) {
        (true, _) => write!(f, "also offers {}", tools(extra)),
        (_, true) => write!(f, "does not offer {}", tools(missing)),
        _ => write!(f, "offers {} in place of {}", tools(extra), tools(missing)),
    }
}
