//! One call of a run, and the verdict on its answer.

use std::fmt;
use std::sync::Arc;

use super::comparison::ClientComparison;
use super::player::compared_keys;
use super::{
    CallOutcome, MatchStep, MessagesKnown, PlaybackClient, PlaybackRules, PlayedRequest,
    RecordingSet, RequestOrigin, ResponseShape, ResultStatus, SetRecording, ToolsKnown,
};
use document::text::{counted, listed, visible};
use machine::Uncertain;

/// One call of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayedCall {
    pub request: Arc<PlayedRequest>,
    /// The result.
    pub outcome: CallOutcome,
    /// The last earlier call, from 0, that was answered with the same recording.
    pub reused: Option<usize>,
    /// The verdict on its answer.
    pub verdict: CallVerdict,
    /// Position of the next sequential step after it.
    pub next: usize,
}

/// The verdict on the answer of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallVerdict {
    /// A recording of an equal request answers it.
    Right,
    /// One of several recordings of an equal request, with different answers, answers it: the first by file order.
    FirstOf(usize),
    /// A recording answers it only because it was next in order. Its tools match.
    ByPosition(MismatchCause),
    /// The answer belongs to a different request.
    Wrong(WrongAnswer),
    /// The client returns `undefined`.
    Undefined,
    /// The browser client returns its empty answer.
    Empty,
    /// No recording is found.
    None,
    /// The client fails with an internal error because a recording lacks something.
    Breaks,
    /// It is uncertain whether the call is made, and no recording of an equal request answers it.
    Unknown(Uncertain),
}

/// Reason for which a recording that was served by position did not match, although it offered the same tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MismatchCause {
    /// It was recorded at a different turn: its request had this many messages.
    OtherTurn(u64),
    /// Its stored signature or its context keys do not match.
    Signature,
    /// It was already used: it is served again.
    Reused,
    /// The log does not contain the number of messages of the request; the recording has this many.
    OtherCount(u64),
    /// The log does not print the tools of the request, so it is unknown whether they match.
    Unprinted,
}

/// Reason for which an answer is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WrongAnswer {
    /// It calls tools that this request does not offer.
    ToolsNotOffered(Box<[Arc<str>]>),
    /// It was recorded with different tools.
    OtherTools,
    /// It is the answer of another call of a cassette, counted from 0.
    OfCall(usize),
}

impl PlayedCall {
    /// Returns the recording that answers, and the step that found it.
    pub fn served(&self) -> Option<&super::Served> {
        match &self.outcome {
            CallOutcome::Served(served) => Some(served),
            _ => None,
        }
    }

    /// Returns the position of the recording that answers.
    pub fn index(&self) -> Option<usize> {
        Some(self.served()?.index)
    }

    /// Returns the verdict in a few words. A log contains no messages, so its answers can only fit.
    pub fn verdict_label(&self) -> String {
        match (&self.verdict, &self.request.origin) {
            (CallVerdict::Right, RequestOrigin::Log { .. }) => "Fitting answer".to_owned(),
            (verdict, _) => verdict.to_string(),
        }
    }

    /// Returns the position of the recording that answers, if a log reports how its tools differ from those of the
    /// request.
    pub fn compared_in_log(&self) -> Option<usize> {
        let logged = self.request.logged.as_ref()?;
        self.index().filter(|_| !logged.mismatches.is_empty())
    }
}

impl CallVerdict {
    pub(super) fn judge(
        request: &PlayedRequest,
        outcome: &CallOutcome,
        set: &RecordingSet,
        rules: PlaybackRules,
    ) -> Self {
        let served = match outcome {
            CallOutcome::Served(served) => served,
            CallOutcome::NoMatch => return Self::None,
            CallOutcome::PastEnd { .. } if rules.client == PlaybackClient::Browser => {
                return Self::Empty;
            }
            CallOutcome::PastEnd { .. } => return Self::None,
            CallOutcome::Breaks { .. } => return Self::Breaks,
            CallOutcome::Skipped => return request.uncertain.map_or(Self::None, Self::Unknown),
        };
        let Some(recording) = set.recordings.get(served.index) else { return Self::None };
        // Without a usable answer it does not matter which tools the request offers.
        match served.response {
            ResponseShape::Undefined => return Self::Undefined,
            ResponseShape::Breaks(_) => return Self::Breaks,
            ResponseShape::Answer => {}
        }
        match request.tools_known {
            ToolsKnown::Yes => {}
            ToolsKnown::Count(count) if count != recording.offered().len() => {
                return Self::Wrong(WrongAnswer::OtherTools);
            }
            _ => return Self::ByPosition(MismatchCause::Unprinted),
        }
        // Checked for matches by signature, too: a stored signature may differ from the request it was recorded with.
        let offers = |tool: &&Arc<str>| !request.offered.contains(tool);
        let not_offered: Box<[_]> = recording.calls.iter().filter(offers).cloned().collect();
        // Whether the machine makes the call is unknown, so a wrong tool proves nothing against the recording.
        if let (Some(why), false) = (request.uncertain, not_offered.is_empty()) {
            return Self::Unknown(why);
        }
        if !not_offered.is_empty() {
            return Self::Wrong(WrongAnswer::ToolsNotOffered(not_offered));
        }
        match served.step {
            MatchStep::Signature if served.first_of > 1 => Self::FirstOf(served.first_of),
            MatchStep::Signature => Self::Right,
            // The client serves it all the same, and only warns.
            MatchStep::Sequential if recording.offered() != &*request.signature().tool_names => {
                Self::Wrong(WrongAnswer::OtherTools)
            }
            MatchStep::Sequential => mismatch_cause(request, recording, rules.client)
                .map_or(Self::Right, Self::ByPosition),
        }
    }

    /// Returns whether the program gets a wrong answer or none.
    pub fn is_bad(&self) -> bool {
        !matches!(self, Self::Right | Self::FirstOf(_) | Self::ByPosition(_) | Self::Unknown(_))
    }

    /// Returns how good it is.
    pub fn status(&self) -> ResultStatus {
        match self {
            Self::Right => ResultStatus::Good,
            verdict if verdict.is_bad() => ResultStatus::Bad,
            _ => ResultStatus::Doubtful,
        }
    }

    /// Returns whether no recording answers the call.
    pub fn is_unanswered(&self) -> bool {
        matches!(self, Self::Empty | Self::None | Self::Breaks)
    }

    /// Returns its name in JSON.
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

    /// Explains the verdict, as a sentence without a full stop; `None` if it needs no explanation.
    pub fn explain(&self) -> Option<String> {
        Some(match self {
            Self::Right | Self::None => return None,
            Self::FirstOf(count) => format!(
                "{count} unused recordings have this signature but different answers; the first by file order is served"
            ),
            Self::ByPosition(MismatchCause::OtherTurn(messages)) => {
                let messages = counted(*messages as usize, "message", "messages");
                format!("The tools match, but it was recorded with {messages}")
            }
            Self::ByPosition(MismatchCause::Signature) => {
                "The tools and the message count match, but the stored signature or context keys do not".to_owned()
            }
            Self::ByPosition(MismatchCause::Reused) => {
                "It matches, but it was already used and is served again".to_owned()
            }
            Self::ByPosition(MismatchCause::OtherCount(messages)) => {
                let messages = counted(*messages as usize, "message", "messages");
                format!(
                    "The tools match, but it was recorded with {messages}, and the request has a different number"
                )
            }
            Self::ByPosition(MismatchCause::Unprinted) => {
                "The log does not print the tools of the request, so it is unknown whether the answer fits"
                    .to_owned()
            }
            Self::Wrong(WrongAnswer::ToolsNotOffered(tools)) => {
                let tools: Vec<_> = tools.iter().map(|tool| visible(tool)).collect();
                let is = if tools.len() == 1 { "is" } else { "are" };
                format!("It answers with a call of {}, which {is} not offered", listed(&tools))
            }
            Self::Wrong(WrongAnswer::OtherTools) => "It was recorded with other tools".to_owned(),
            Self::Wrong(WrongAnswer::OfCall(call)) => {
                format!("It is the answer of call {}", call + 1)
            }
            Self::Undefined => {
                "Its answer is not wrapped, so the client returns undefined".to_owned()
            }
            Self::Empty => "The client returns its empty answer".to_owned(),
            Self::Breaks => "The client fails because a file lacks a value that it reads".to_owned(),
            Self::Unknown(why) => format!("It is uncertain whether the call is made: {why}"),
        })
    }
}

/// Returns why a recording with the right tools did not match; `None` if it matches.
fn mismatch_cause(
    request: &PlayedRequest,
    recording: &SetRecording,
    client: PlaybackClient,
) -> Option<MismatchCause> {
    // The count of its own request, not a stored one: that is what the answer was given to.
    let messages = recording.matching.computed.message_count;
    if messages != request.signature().message_count {
        return Some(match request.messages_known() {
            MessagesKnown::Yes => MismatchCause::OtherTurn(messages),
            MessagesKnown::No => MismatchCause::OtherCount(messages),
        });
    }
    let ClientComparison::Compared(match_key) = &recording.comparison else {
        return Some(MismatchCause::Signature);
    };
    let (own, wanted_keys) = compared_keys(recording, request, client);
    let is_alike = match_key.names == request.match_key.names
        && match_key.messages == request.match_key.messages
        && own == wanted_keys;
    (!is_alike).then_some(MismatchCause::Signature)
}

impl fmt::Display for CallVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Right => "Right answer",
            Self::FirstOf(count) => return write!(f, "First of {count} matches"),
            Self::ByPosition(MismatchCause::Reused) => "Used again",
            Self::ByPosition(MismatchCause::OtherTurn(_) | MismatchCause::OtherCount(_)) => {
                "Different turn"
            }
            Self::ByPosition(MismatchCause::Signature | MismatchCause::Unprinted) => {
                "By position only"
            }
            Self::Wrong(_) => "Wrong answer",
            Self::Undefined => "Undefined",
            Self::Empty => "Empty answer",
            Self::None => "No recording",
            Self::Breaks => "Client fails",
            Self::Unknown(_) => "Unknown",
        })
    }
}
