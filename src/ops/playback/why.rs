//! Explains step by step how a call gets its answer.

use super::call::{Doubt, Wrong};
use super::{Call, Client, Mode, Outcome, Run, Served, Standing, Step, Verdict};
use crate::ops::diff::{counted, listed};
use crate::text::quoted;

/// One step of the explanation of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Why {
    /// One sentence with its full stop. Names are in backquotes.
    pub text: String,
    /// Status of the step.
    pub standing: Standing,
}

/// Explanation if a set has no recording with the signature of a request.
pub const NO_SIGNATURE: &str =
    "No recording has the signature of this request, so matching by signature finds none.";

fn step(standing: Standing, text: impl Into<String>) -> Why {
    Why {
        text: text.into(),
        standing,
    }
}

pub(super) fn why(run: &Run, call: usize) -> Vec<Why> {
    let Some(at) = run.calls.get(call) else {
        return Vec::new();
    };
    let mut steps = Vec::new();
    match &at.outcome {
        Outcome::Served(served) => {
            steps.push(found(run, at, served));
            if served.step == Step::Sequential && run.rules.mode == Mode::Hybrid {
                steps.insert(0, no_signature(run, call));
            }
            steps.extend(handed(run, at, served));
            steps.extend(logged(run, at, served));
        }
        Outcome::NoMatch => {
            steps.push(no_signature(run, call));
            let text = "Signature mode has no fallback: the client fails with an error.";
            steps.push(step(Standing::Bad, text));
        }
        Outcome::PastEnd { index } => {
            if run.rules.mode == Mode::Hybrid {
                steps.push(no_signature(run, call));
            }
            let text = format!("Position `next = {index}` is past the last recording.");
            steps.push(step(Standing::Bad, text));
            steps.push(step(
                Standing::Bad,
                match run.rules.client {
                    Client::Browser => "The browser client returns an empty answer.",
                    _ => "The client fails with an error.",
                },
            ));
        }
        Outcome::Skipped => {
            steps.push(no_signature(run, call));
            let why = at.verdict.why().unwrap_or_default();
            steps.push(step(Standing::Doubtful, why + "."));
        }
        Outcome::Breaks { index, error } => {
            let file = run.set.recordings.get(*index).map(|it| it.file_name());
            let file = quoted(file.unwrap_or_default());
            let text = format!(
                "While matching by signature, the client reads the unused recording {file}."
            );
            steps.push(step(Standing::Doubtful, text));
            steps.push(step(
                Standing::Bad,
                format!("The client fails there: {error}."),
            ));
        }
    }
    steps
}

/// Explains the call in the log: different tools, and the recording that answered then if it is not the one that
/// answers now.
fn logged(run: &Run, at: &Call, served: &Served) -> Vec<Why> {
    let Some(logged) = &at.asked.logged else {
        return Vec::new();
    };
    let mismatches = logged.mismatches.iter().map(|mismatch| {
        let text = format!("Line {} of the log: `{}`.", mismatch.line, mismatch.kind);
        step(Standing::Bad, text)
    });
    let mut steps: Vec<Why> = mismatches.collect();
    let now = run.set.recordings.get(served.index);
    let now = now.and_then(|recorded| recorded.id.as_ref());
    if let Some(id) = logged.id.as_ref().filter(|id| now != Some(id)) {
        let text = format!(
            "Line {} of the log: {} answered then, so the set or the mode has changed since.",
            logged.line,
            quoted(id)
        );
        steps.push(step(Standing::Doubtful, text));
    }
    steps
}

/// Explains why no signature matches.
fn no_signature(run: &Run, call: usize) -> Why {
    let nearest = run.nearest(call);
    let reason = nearest.as_ref().and_then(|miss| match &miss.reasons[..] {
        [super::Reason::Used { call: Some(call) }] => Some(format!(
            "Every recording with the signature of this request is already used; call {} used the last one.",
            call + 1
        )),
        [super::Reason::Used { call: None }] => {
            Some("Every recording with the signature of this request is already used.".to_owned())
        }
        [super::Reason::ContextKeys { .. }, ..] => Some(
            "Recordings with these tools store context keys that the request does not have, so no signature matches."
                .to_owned(),
        ),
        _ => None,
    });
    let text = reason.unwrap_or_else(|| NO_SIGNATURE.to_owned());
    step(Standing::Doubtful, text)
}

/// Explains how the recording was found.
fn found(run: &Run, at: &Call, served: &Served) -> Why {
    let node = run.set.recordings.get(served.index);
    let node = node.and_then(|recorded| recorded.node.as_deref());
    let made_at = node.map_or(String::new(), |node| {
        format!(", recorded at node {}", quoted(node))
    });
    let again = match at.reused {
        Some(call) => format!(", already served in call {}", call + 1),
        None => String::new(),
    };
    match served.step {
        Step::Signature if served.first_of > 1 => step(
            Standing::Doubtful,
            format!(
                "{} have this signature but different answers; the first one is served.",
                counted(served.first_of, "unused recording", "unused recordings")
            ),
        ),
        Step::Signature => step(
            Standing::Good,
            format!(
                "Position {} has the signature of this request{made_at}.",
                served.index
            ),
        ),
        Step::Sequential => {
            let mode = match run.rules.mode {
                Mode::Hybrid => "Hybrid mode then",
                _ => "Sequential mode",
            };
            let text = format!(
                "{mode} serves position `next = {}`{made_at}{again}.",
                served.index
            );
            step(Standing::Doubtful, text)
        }
    }
}

/// Explains what the program gets.
fn handed(run: &Run, at: &Call, served: &Served) -> Option<Why> {
    let recorded = run.set.recordings.get(served.index)?;
    Some(match &at.verdict {
        Verdict::Wrong(Wrong::ToolsNotOffered(tools)) => {
            let tools: Vec<String> = tools.iter().map(|tool| quoted(tool)).collect();
            let warns = if *recorded.offered() == *at.asked.signature().tool_names {
                "The client"
            } else {
                "The client only warns that the tools differ, and it"
            };
            step(
                Standing::Bad,
                format!("{warns} returns a call of {}.", listed(&tools)),
            )
        }
        Verdict::Wrong(Wrong::OtherTools) => {
            let text = "The client only warns that the tools differ, and it returns an answer that was recorded with other tools.";
            step(Standing::Bad, text)
        }
        Verdict::Undefined => {
            let text = "Its answer is not wrapped in `response.response`, so the client returns `undefined`.";
            step(Standing::Bad, text)
        }
        Verdict::Breaks => {
            let error = match served.handed {
                super::Handed::Breaks(error) => error.to_string(),
                _ => return None,
            };
            let text = format!("The client fails while serving it: {error}.");
            step(Standing::Bad, text)
        }
        Verdict::ByPosition(Doubt::OtherTurn(messages)) => {
            let messages = counted(*messages as usize, "message", "messages");
            let text = format!("The tools match, but its answer was recorded after {messages}.");
            step(Standing::Doubtful, text)
        }
        Verdict::ByPosition(Doubt::OtherCount(_) | Doubt::Unprinted) => {
            let why = at.verdict.why().unwrap_or_default();
            step(Standing::Doubtful, format!("{why}."))
        }
        Verdict::ByPosition(_) => step(
            Standing::Doubtful,
            "The tools match, so the client prints no warning.",
        ),
        _ => return None,
    })
}
