//! The lines that a client prints: how a failure starts, and its output while it answers.

use super::lines::{number, text_after};
use super::{LoggedStep, MismatchKind};

/// The kind of failure that starts on a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FailureStart<'a> {
    /// The test client: the request follows.
    Request,
    /// The browser client: the tools are on the same line.
    Tools(&'a str),
    PastEnd(usize, usize),
    /// The folder of the recordings does not exist.
    NoDirectory(&'a str),
    ToolNotFound(&'a str),
}

/// Returns the failure that starts on a line.
pub(super) fn start(line: &str) -> Option<FailureStart<'_>> {
    if let Some(rest) = text_after(line, "No matching recording found") {
        return Some(match text_after(rest, "Tools:") {
            Some(tools) => FailureStart::Tools(tools),
            None => FailureStart::Request,
        });
    }
    let tail = text_after(line, "no recording available (index:")
        .or_else(|| text_after(line, "No more recordings available (index:"));
    if let Some(rest) = tail {
        let total = number(text_after(rest, "total:")?)?;
        return Some(FailureStart::PastEnd(number(rest)?, total));
    }
    if let Some(directory) = text_after(line, "Recordings directory not found: ") {
        return Some(FailureStart::NoDirectory(directory));
    }
    let (head, _) = line.split_once(" not found")?;
    let quote = head.chars().last().filter(|c| matches!(c, '\'' | '"' | '`'))?;
    let (_, tool) = head[..head.len() - 1].rsplit_once(quote)?;
    // Files and modules are reported as not found in the same form.
    let is_tool = head.to_lowercase().contains(&format!("tool {quote}"));
    (is_tool && !tool.is_empty()).then_some(FailureStart::ToolNotFound(tool))
}

/// Returns whether a line is the second line of the error that lists the request, if the first was not copied.
pub(super) fn is_request_heading(line: &str) -> bool {
    text_after(line, "Current Request:") == Some("")
}

/// Output of a client while it answers.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Printed<'a> {
    /// It loaded this many recordings from a folder.
    Loaded(usize, &'a str),
    /// A call is answered by this step; by position also index and number.
    Step(LoggedStep, Option<(usize, usize)>),
    /// The recording that answers.
    Id(&'a str),
    /// The tools of the request differ from those of that recording.
    Mismatch(MismatchKind),
}

/// Parses a line that a client prints while it answers.
pub(super) fn printed(line: &str) -> Option<Printed<'_>> {
    let of = |rest: &str| {
        let (position, total) = rest.split_once('/')?;
        // Clients count from 1.
        Some((number(position)?.checked_sub(1)?, number(total)?))
    };
    if let Some(rest) = text_after(line, "Loaded ")
        && let Some(directory) =
            text_after(rest, "recordings from ").or_else(|| text_after(rest, "recordings for "))
    {
        return Some(Printed::Loaded(number(rest)?, directory));
    }
    if let Some(directory) = text_after(line, "No recordings directory: ") {
        // A client whose folder is missing continues without recordings.
        return Some(Printed::Loaded(0, directory));
    }
    if text_after(line, "Matched recording by signature").is_some() {
        return Some(Printed::Step(LoggedStep::Signature, None));
    }
    if let Some(rest) = text_after(line, "Using sequential recording ") {
        return Some(Printed::Step(LoggedStep::Sequential, Some(of(rest)?)));
    }
    if let Some(rest) = text_after(line, "Playing back recording ") {
        return Some(Printed::Step(LoggedStep::InOrder, Some(of(rest)?)));
    }
    if text_after(line, "No recording available, returning empty response").is_some() {
        return Some(Printed::Step(LoggedStep::Empty, None));
    }
    if let Some(id) = text_after(line, "Request ID:") {
        return Some(Printed::Id(id));
    }
    mismatch(line).map(Printed::Mismatch)
}

/// Returns whether a client prints this line while it answers; the id of a recording alone is not enough.
pub(super) fn is_client(line: &str) -> bool {
    printed(line).is_some_and(|print| !matches!(print, Printed::Id(_)))
}

/// Parses the client's warning that the tools of a request differ from those of the recording that answers it.
fn mismatch(line: &str) -> Option<MismatchKind> {
    if let Some(rest) = text_after(line, "Tool count mismatch: current has ") {
        let recorded = number(text_after(rest, "recording has ")?)?;
        let current = number(rest)?;
        return Some(MismatchKind::Count { current, recorded });
    }
    if let Some(rest) = text_after(line, "Tool count mismatch: expected ") {
        let current = number(text_after(rest, "got ")?)?;
        let recorded = number(rest)?;
        return Some(MismatchKind::Count { current, recorded });
    }
    let rest = text_after(line, "Tool name mismatch at index ")?;
    let (_, names) = rest.split_once("current=\"")?;
    let (current, recorded) = names.split_once("\", recorded=\"")?;
    let recorded = recorded.split('"').next()?;
    Some(MismatchKind::Name {
        index: number(rest)?,
        current: current.into(),
        recorded: recorded.into(),
    })
}

/// Returns whether a line repeats the beginning of a failure: pytest's summary, and commands that annotate a pull request.
pub(super) fn repeats_failure(row: &str) -> bool {
    row.contains("::error ") || row.contains("FAILED ") && row.contains("::") && row.contains(" - ")
}
