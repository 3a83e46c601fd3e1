//! One call of a run, and whether its answer is the right one.

use std::fmt;
use std::sync::Arc;

use super::comparison::Comparison;
use super::player::compared_keys;
use super::{
    Asked, Client, Handed, MessagesKnown, Origin, Outcome, Recorded, Rules, Set, Step, ToolsKnown,
};
use crate::ops::diff::{counted, listed};
use crate::ops::machine::Uncertain;
use crate::text::visible;

/// One call of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The request.
    pub asked: Arc<Asked>,
    /// What came of it.
    pub outcome: Outcome,
    /// The call before it, from 0, that the same recording was served in last.
    pub reused: Option<usize>,
    /// Whether the answer is the right one.
    pub verdict: Verdict,
    /// Position of the next sequential step afterwards.
    pub next: usize,
}

/// How a call ends for the program that made it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A recording of such a request answers it.
    Right,
    /// One of so many recordings of such a request, with different answers, answers it: the order of files decides.
    FirstOf(usize),
    /// A recording answers it only because it was next. Its tools fit.
    ByPosition(Doubt),
    /// The answer is one to another request.
    Wrong(Wrong),
    /// `undefined` is handed out.
    Undefined,
    /// The client for browsers hands out its empty answer.
    Empty,
    /// No recording is found.
    None,
    /// The client ends with a fault of its own, on something that is missing in a recording.
    Breaks,
    /// It is not certain that the call is made, and no recording of such a request answers it.
    Unknown(Uncertain),
}

/// Why a recording that was next did not match, although it offered the same tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Doubt {
    /// It was made at another turn: its request had so many messages.
    OtherTurn(u64),
    /// Its stored signature or its context keys keep it from matching.
    Signature,
    /// It was used up: it answers a second time.
    Reused,
    /// The log does not say how many messages the request had; the recording was made with so many.
    OtherCount(u64),
    /// The log does not print the tools of the request, so whether they fit is not known.
    Unprinted,
}

/// Why an answer is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// It calls tools that this request does not offer.
    ToolsNotOffered(Box<[Arc<str>]>),
    /// It was made with other tools to choose from.
    OtherTools,
}

impl Call {
    /// The recording that answers, and its step.
    pub fn served(&self) -> Option<&super::Served> {
        match &self.outcome {
            Outcome::Served(served) => Some(served),
            _ => None,
        }
    }

    /// Position of the recording that answers.
    pub fn index(&self) -> Option<usize> {
        Some(self.served()?.index)
    }

    /// The verdict in a few words. A log shows no messages, so an answer from there can only fit.
    pub fn verdict_label(&self) -> String {
        match (&self.verdict, &self.asked.origin) {
            (Verdict::Right, Origin::Log { .. }) => "Fitting answer".to_owned(),
            (verdict, _) => verdict.to_string(),
        }
    }

    /// Position of the recording that answers, if a log names how its tools differ from those of the request.
    pub fn compared_in_log(&self) -> Option<usize> {
        let logged = self.asked.logged.as_ref()?;
        self.index().filter(|_| !logged.mismatches.is_empty())
    }

    /// Whether the request is that of the recording which answers it; `None` where it is of no recording of the set.
    pub fn is_own(&self) -> Option<bool> {
        match self.asked.origin {
            Origin::Own(index) => Some(self.index() == Some(index)),
            _ => None,
        }
    }
}

impl Verdict {
    /// Judges a call.
    pub(super) fn of(asked: &Asked, outcome: &Outcome, set: &Set, rules: Rules) -> Self {
        let served = match outcome {
            Outcome::Served(served) => served,
            Outcome::NoMatch => return Self::None,
            Outcome::PastEnd { .. } if rules.client == Client::Browser => return Self::Empty,
            Outcome::PastEnd { .. } => return Self::None,
            Outcome::Breaks { .. } => return Self::Breaks,
            Outcome::Skipped => return asked.uncertain.map_or(Self::None, Self::Unknown),
        };
        let Some(recorded) = set.recordings.get(served.index) else {
            return Self::None;
        };
        match served.handed {
            Handed::Undefined => return Self::Undefined,
            Handed::Breaks(_) => return Self::Breaks,
            Handed::Answer => {}
        }
        match asked.tools_known {
            ToolsKnown::Yes => {}
            ToolsKnown::Count(count) if count != recorded.offered().len() => {
                return Self::Wrong(Wrong::OtherTools);
            }
            _ => return Self::ByPosition(Doubt::Unprinted),
        }
        let offers = |tool: &&Arc<str>| !asked.offered.contains(tool);
        let not_offered: Box<[_]> = recorded.calls.iter().filter(offers).cloned().collect();
        if let (Some(why), false) = (asked.uncertain, not_offered.is_empty()) {
            return Self::Unknown(why);
        }
        if !not_offered.is_empty() {
            return Self::Wrong(Wrong::ToolsNotOffered(not_offered));
        }
        match served.step {
            Step::Signature if served.first_of > 1 => Self::FirstOf(served.first_of),
            Step::Signature => Self::Right,
            Step::Sequential if recorded.offered() != &*asked.signature().tool_names => {
                Self::Wrong(Wrong::OtherTools)
            }
            Step::Sequential => match doubt(asked, recorded, rules.client) {
                Some(doubt) => Self::ByPosition(doubt),
                None => Self::Right,
            },
        }
    }

    /// Whether the program gets what is not for it, or nothing.
    pub fn is_bad(&self) -> bool {
        !matches!(
            self,
            Self::Right | Self::FirstOf(_) | Self::ByPosition(_) | Self::Unknown(_)
        )
    }

    /// Whether no recording answers the call.
    pub fn is_unanswered(&self) -> bool {
        matches!(self, Self::Empty | Self::None | Self::Breaks)
    }

    /// Returns the word used in JSON.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::FirstOf(_) => "first-of-alike",
            Self::ByPosition(_) => "by-position",
            Self::Wrong(_) => "wrong",
            Self::Undefined => "undefined",
            Self::Empty => "empty",
            Self::None => "none",
            Self::Breaks => "breaks",
            Self::Unknown(_) => "unknown",
        }
    }

    /// What it means, as a sentence without a full stop; `None` where the verdict says all.
    pub fn why(&self) -> Option<String> {
        Some(match self {
            Self::Right | Self::None => return None,
            Self::FirstOf(count) => format!(
                "{count} unused recordings have this signature but different answers; the first by file order is served"
            ),
            Self::ByPosition(Doubt::OtherTurn(messages)) => {
                let messages = counted(*messages as usize, "message", "messages");
                format!("The tools match, but it was recorded with {messages}")
            }
            Self::ByPosition(Doubt::Signature) => {
                "The tools and the message count match, but the stored signature or context keys do not".to_owned()
            }
            Self::ByPosition(Doubt::Reused) => {
                "It matches, but it was already used and is served again".to_owned()
            }
            Self::ByPosition(Doubt::OtherCount(messages)) => {
                let messages = counted(*messages as usize, "message", "messages");
                format!(
                    "The tools match, but it was recorded with {messages}, and the request has a different number"
                )
            }
            Self::ByPosition(Doubt::Unprinted) => {
                "The log does not print the tools of the request, so it is unknown whether the answer fits"
                    .to_owned()
            }
            Self::Wrong(Wrong::ToolsNotOffered(tools)) => {
                let tools: Vec<_> = tools.iter().map(|tool| visible(tool)).collect();
                let is = if tools.len() == 1 { "is" } else { "are" };
                format!("It answers with a call of {}, which {is} not offered", listed(&tools))
            }
            Self::Wrong(Wrong::OtherTools) => "It was recorded with other tools".to_owned(),
            Self::Undefined => {
                "Its answer is not wrapped, so the client returns undefined".to_owned()
            }
            Self::Empty => "The client returns its empty answer".to_owned(),
            Self::Breaks => "The client fails because a file lacks a value that it reads".to_owned(),
            Self::Unknown(why) => format!("It is uncertain whether the call is made: {why}"),
        })
    }
}

/// Why a recording with the right tools did not match; `None` when it would have.
fn doubt(asked: &Asked, recorded: &Recorded, client: Client) -> Option<Doubt> {
    let messages = recorded.party.computed.message_count;
    if messages != asked.signature().message_count {
        return Some(match asked.messages_known() {
            MessagesKnown::Yes => Doubt::OtherTurn(messages),
            MessagesKnown::No => Doubt::OtherCount(messages),
        });
    }
    let Comparison::Like(likeness) = &recorded.comparison else {
        return Some(Doubt::Signature);
    };
    let (own, wanted) = compared_keys(recorded, asked, client);
    let is_alike = likeness.names == asked.likeness.names
        && likeness.messages == asked.likeness.messages
        && own == wanted;
    (!is_alike).then_some(Doubt::Signature)
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Right => "Right answer",
            Self::FirstOf(count) => return write!(f, "First of {count} matches"),
            Self::ByPosition(Doubt::Reused) => "Used again",
            Self::ByPosition(Doubt::OtherTurn(_) | Doubt::OtherCount(_)) => "Different turn",
            Self::ByPosition(Doubt::Signature | Doubt::Unprinted) => "By position only",
            Self::Wrong(_) => "Wrong answer",
            Self::Undefined => "Undefined",
            Self::Empty => "Empty answer",
            Self::None => "No recording",
            Self::Breaks => "Client fails",
            Self::Unknown(_) => "Unknown",
        })
    }
}
