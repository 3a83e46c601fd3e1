//! Explains step by step how a call gets its answer.

use super::call::{MismatchCause, WrongAnswer};
use super::{
    CallOutcome, CallVerdict, MatchStep, PlaybackClient, PlaybackMode, PlaybackRun, PlayedCall,
    ResultStatus, Served, ToolsKnown,
};
use document::text::{counted, listed, quoted};

/// One step of the explanation of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExplanationStep {
    /// One sentence with its full stop. Names are in backquotes.
    pub text: String,
    pub status: ResultStatus,
}

/// Explanation if a set has no recording with the signature of a request.
pub const NO_SIGNATURE: &str =
    "No recording has the signature of this request, so matching by signature finds none.";

fn step(status: ResultStatus, text: impl Into<String>) -> ExplanationStep {
    ExplanationStep { text: text.into(), status }
}

impl PlaybackRun {
    /// Explains step by step how a call gets its answer.
    pub fn explain(&self, call: usize) -> Vec<ExplanationStep> {
        let Some(at) = self.calls.get(call) else { return Vec::new() };
        let mut steps = Vec::new();
        match &at.outcome {
            CallOutcome::Served(served) => {
                steps.push(explain_match(self, at, served));
                // Only hybrid mode compared signatures before it served by position.
                if served.step == MatchStep::Sequential && self.rules.mode == PlaybackMode::Hybrid {
                    steps.insert(0, no_signature(self, call));
                }
                steps.extend(explain_response(self, at, served));
                steps.extend(explain_log(self, at, served));
            }
            CallOutcome::NoMatch => {
                steps.push(no_signature(self, call));
                let text = "Signature mode has no fallback: the client fails with an error.";
                steps.push(step(ResultStatus::Bad, text));
            }
            CallOutcome::PastEnd { index } => {
                if self.rules.mode == PlaybackMode::Hybrid {
                    steps.push(no_signature(self, call));
                }
                let text = format!("Position {} is past the last recording.", index + 1);
                steps.push(step(ResultStatus::Bad, text));
                steps.push(step(
                    ResultStatus::Bad,
                    match self.rules.client {
                        PlaybackClient::Browser => "The browser client returns an empty answer.",
                        _ => "The client fails with an error.",
                    },
                ));
            }
            CallOutcome::Skipped => {
                steps.push(no_signature(self, call));
                let why = at.verdict.explain().unwrap_or_default();
                steps.push(step(ResultStatus::Doubtful, why + "."));
            }
            CallOutcome::Breaks { index, error } => {
                let file = self.set.recordings.get(*index).map(|recording| recording.file_name());
                let file = quoted(file.unwrap_or_default());
                let text = format!(
                    "While matching by signature, the client reads the unused recording {file}."
                );
                steps.push(step(ResultStatus::Doubtful, text));
                steps.push(step(ResultStatus::Bad, format!("The client fails there: {error}.")));
            }
        }
        steps
    }
}

/// Explains the call in the log: different tools, and the recording that answered then if it is not the one that
/// answers now.
fn explain_log(run: &PlaybackRun, at: &PlayedCall, served: &Served) -> Vec<ExplanationStep> {
    let Some(logged) = &at.request.logged else { return Vec::new() };
    let mismatches = logged.mismatches.iter().map(|mismatch| {
        step(ResultStatus::Bad, format!("Line {} of the log: `{}`.", mismatch.line, mismatch.kind))
    });
    let mut steps: Vec<ExplanationStep> = mismatches.collect();
    let now = run.set.recordings.get(served.index).and_then(|recording| recording.id.as_ref());
    // By id, because positions change when files are added or renamed.
    if let Some(id) = logged.id.as_ref().filter(|id| now != Some(id)) {
        let text = format!(
            "Line {} of the log: {} answered then, so the set or the mode has changed since.",
            logged.line,
            quoted(id)
        );
        steps.push(step(ResultStatus::Doubtful, text));
    }
    steps
}

/// Explains why no signature matches.
fn no_signature(run: &PlaybackRun, call: usize) -> ExplanationStep {
    if run.calls[call].request.tools_known != ToolsKnown::Yes {
        let text =
            "The log does not name the tools of this request, so signatures cannot be compared.";
        return step(ResultStatus::Doubtful, text);
    }
    let reason = run.nearest(call).as_ref().and_then(|miss| match &miss.reasons[..] {
        [super::Reason::Used { call: Some(call) }] => Some(format!(
            "Every recording with the signature of this request is already used; call {} used the last one.",
            call + 1
        )),
        [super::Reason::Used { call: None }] => {
            Some("Every recording with the signature of this request is already used.".to_owned())
        }
        // Reasons are ordered, so tools and message count are equal here.
        [super::Reason::ContextKeys { .. }, ..] => {
            let why = if run.rules.client.computes_context_keys() {
                "have other context keys than the request"
            } else {
                "store context keys, but the client computes none for a request"
            };
            Some(format!("Recordings with these tools {why}, so no signature matches."))
        }
        _ => None,
    });
    step(ResultStatus::Doubtful, reason.unwrap_or_else(|| NO_SIGNATURE.to_owned()))
}

/// Explains how the recording was found.
fn explain_match(run: &PlaybackRun, at: &PlayedCall, served: &Served) -> ExplanationStep {
    let node = run.set.recordings.get(served.index);
    let node = node.and_then(|recording| recording.node.as_deref());
    let made_at = node.map_or(String::new(), |node| format!(", recorded at node {}", quoted(node)));
    let again =
        at.reused.map_or_else(String::new, |call| format!(", already served in call {}", call + 1));
    match served.step {
        MatchStep::Signature if served.first_of > 1 => step(
            ResultStatus::Doubtful,
            format!(
                "{} have this signature but different answers; the first one is served.",
                counted(served.first_of, "unused recording", "unused recordings")
            ),
        ),
        MatchStep::Signature => step(
            ResultStatus::Good,
            format!("Position {} has the signature of this request{made_at}.", served.index + 1),
        ),
        MatchStep::Sequential => {
            let mode = match run.rules.mode {
                PlaybackMode::Hybrid => "Hybrid mode then",
                _ => "Sequential mode",
            };
            let text = format!("{mode} serves position {}{made_at}{again}.", served.index + 1);
            step(ResultStatus::Doubtful, text)
        }
    }
}

/// Explains what the program gets.
fn explain_response(run: &PlaybackRun, at: &PlayedCall, hit: &Served) -> Option<ExplanationStep> {
    let recording = run.set.recordings.get(hit.index)?;
    Some(match &at.verdict {
        CallVerdict::Wrong(WrongAnswer::ToolsNotOffered(tools)) => {
            let tools: Vec<String> = tools.iter().map(|tool| quoted(tool)).collect();
            // The client compares the offered lists, never the tools that the answer calls.
            let warns = if *recording.offered() == *at.request.signature().tool_names {
                "The client"
            } else {
                "The client only warns that the tools differ, and it"
            };
            step(ResultStatus::Bad, format!("{warns} returns a call of {}.", listed(&tools)))
        }
        CallVerdict::Wrong(WrongAnswer::OtherTools) => {
            let text = "The client only warns that the tools differ, and it returns an answer that was recorded with other tools.";
            step(ResultStatus::Bad, text)
        }
        CallVerdict::Undefined => {
            let text = "Its answer is not wrapped in `response.response`, so the client returns `undefined`.";
            step(ResultStatus::Bad, text)
        }
        CallVerdict::Breaks => {
            let error = match hit.response {
                super::ResponseShape::Breaks(error) => error.to_string(),
                _ => return None,
            };
            step(ResultStatus::Bad, format!("The client fails while serving it: {error}."))
        }
        CallVerdict::ByPosition(MismatchCause::OtherTurn(messages)) => {
            let messages = counted(*messages as usize, "message", "messages");
            let text = format!("The tools match, but its answer was recorded after {messages}.");
            step(ResultStatus::Doubtful, text)
        }
        CallVerdict::ByPosition(MismatchCause::OtherCount(_) | MismatchCause::Unprinted) => {
            let why = at.verdict.explain().unwrap_or_default();
            step(ResultStatus::Doubtful, format!("{why}."))
        }
        CallVerdict::ByPosition(_) => {
            step(ResultStatus::Doubtful, "The tools match, so the client prints no warning.")
        }
        _ => return None,
    })
}
