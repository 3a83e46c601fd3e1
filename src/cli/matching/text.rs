//! The run as text: a sentence, a row for each call, problems and fixes.

use std::io;

use crate::output::{Output, OutputStyle, column_widths, shown};
use compare::signature::short;
use document::Severity;
use document::text::{counted, some};
use play::playback::failure_log::LoggedFailure;
use play::playback::fixes::{Fix, REGENERATE, for_run};
use play::playback::{
    CallVerdict, MatchStep, PlaybackRun, PlayedCall, RequestOrigin, ResultStatus, SetRecording,
    ToolsKnown,
};

/// The number of failing calls that are shown in detail.
const MAX_FAILING_CALLS: usize = 10;

/// The number of tools of a call that are named.
const TOOLS: usize = 3;

/// The number of names that a finding lists.
const MAX_NAMES: usize = 8;

/// The number of lines of the client's error that are printed; for a set of 10,000 recordings the error has 30,000 lines.
const ERROR_LINES: usize = 120;

pub(super) fn print(
    output: &mut Output,
    run: &PlaybackRun,
    failed: Option<&LoggedFailure>,
    nearest: usize,
) -> io::Result<()> {
    let set = counted(run.set.recordings.len(), "recording", "recordings");
    let head = format!("{}: {set}, {}", shown(&run.set.folder), run.rules);
    output.line(&output.styled(OutputStyle::Quiet, &head))?;
    output.line("")?;
    if let Some(failed) = failed {
        failure(output, run, failed)?;
    }
    // A log without a printed request has nothing to play; the failure above is all that is known.
    if run.calls.is_empty() && failed.is_some() {
        return Ok(());
    }
    let style = match run.summary.status {
        ResultStatus::Good => OutputStyle::Strong,
        ResultStatus::Doubtful => OutputStyle::Of(Severity::Warning),
        ResultStatus::Bad => OutputStyle::Of(Severity::Error),
    };
    output.line(&output.styled(style, &shown(&run.summary.title)))?;
    if !run.summary.detail.is_empty() {
        output.line(&shown(&run.summary.detail))?;
    }
    table(output, run)?;
    wrong_calls(output, run, nearest)?;
    findings(output, run)?;
    fixes(output, run)
}

/// Prints the failure in a log and the recording to look at first.
fn failure(output: &mut Output, run: &PlaybackRun, failed: &LoggedFailure) -> io::Result<()> {
    let title = failed.title();
    output.line(&format!("Line {} of the log: {}", failed.line, shown(&title)))?;
    if let Some(test) = &failed.test {
        output.line(&format!("Its test: {}", shown(test)))?;
    }
    if let Some(directory) = &failed.directory {
        output.line(&format!("Its recordings: {}", shown(directory)))?;
    }
    if let Some(suspect) = failed.suspect(&run.set) {
        let name = recording_name(run, suspect.index);
        output.line(&format!("Look first at {name}. {}", shown(&suspect.why)))?;
    }
    output.line("")
}

fn table(output: &mut Output, run: &PlaybackRun) -> io::Result<()> {
    if run.calls.is_empty() {
        return Ok(());
    }
    let head = ["Call", "At", "Offered tools", "Served recording", "Step", "Verdict"];
    let calls = run.calls.iter().enumerate();
    let rows: Vec<[String; 6]> = calls.map(|(at, call)| row(run, at, call)).collect();
    let widths = column_widths(head.map(str::len), &rows);
    let line = |cells: &[String]| {
        let cells = cells.iter().zip(widths);
        let padded: Vec<String> = cells.map(|(cell, width)| format!("{cell:width$}")).collect();
        padded.join("  ").trim_end().to_owned()
    };
    output.line("")?;
    let head = line(&head.map(str::to_owned));
    output.line(&output.styled(OutputStyle::Quiet, &head))?;
    for (row, call) in rows.iter().zip(&run.calls) {
        let line = line(row);
        output.line(&output.styled(style(&call.verdict), &line))?;
    }
    Ok(())
}

fn style(verdict: &CallVerdict) -> OutputStyle {
    match verdict {
        CallVerdict::Right => OutputStyle::Plain,
        verdict if verdict.is_bad() => OutputStyle::Of(Severity::Error),
        _ => OutputStyle::Of(Severity::Warning),
    }
}

fn row(run: &PlaybackRun, at: usize, call: &PlayedCall) -> [String; 6] {
    let served = call.served();
    let reused = call.reused.map(|call| format!(", as in call {}", call + 1));
    let step = served.map(|served| match served.step {
        MatchStep::Signature => "by signature",
        MatchStep::Sequential => "by position",
    });
    [
        (at + 1).to_string(),
        shown(call.request.label()).into_owned(),
        tools(call),
        served.map_or_else(|| "none".to_owned(), |served| recording_name(run, served.index)),
        step.unwrap_or_default().to_owned() + &reused.unwrap_or_default(),
        call.verdict_label(),
    ]
}

/// The labels of the tools that a call offers; of many, the first ones.
fn tools(call: &PlayedCall) -> String {
    match call.request.tools_known {
        ToolsKnown::Yes => {}
        ToolsKnown::Count(count) => return counted(count, "tool", "tools"),
        // A log may print no tools, which is not the same as none.
        ToolsKnown::No => return "not printed".to_owned(),
    }
    let names = &call.request.signature().tool_names;
    let shown_names: Vec<_> = names.iter().take(TOOLS).map(|it| shown(short(it))).collect();
    let names_more = names.len().saturating_sub(TOOLS);
    match (names_more, shown_names.is_empty()) {
        (0, true) => "none".to_owned(),
        (0, false) => shown_names.join(", "),
        (more, _) => format!("{} +{more}", shown_names.join(", ")),
    }
}

/// A recording by its position and label.
fn recording_name(run: &PlaybackRun, index: usize) -> String {
    let label = run.set.recordings.get(index).map_or("", SetRecording::label);
    format!("[{index}] {}", shown(label))
}

/// Prints each failing call: the client's error or what is wrong with the answer, and the nearest recordings.
fn wrong_calls(output: &mut Output, run: &PlaybackRun, nearest: usize) -> io::Result<()> {
    let calls = run.calls.iter().enumerate();
    let wrong: Vec<_> = calls.filter(|(_, call)| call.verdict.is_bad()).collect();
    for (at, call) in wrong.iter().take(MAX_FAILING_CALLS) {
        output.line("")?;
        let label = call.request.label();
        let place =
            if call.request.node.is_some() { format!("at {label}") } else { format!("({label})") };
        let title = format!("Call {} {place}: {}", at + 1, call.verdict);
        output.line(&output.styled(OutputStyle::Strong, &shown(&title)))?;
        if let Some(why) = call.verdict.explain() {
            output.line(&format!("  {}", shown(&why)))?;
        }
        for mismatch in call.request.logged.iter().flat_map(|logged| &logged.mismatches) {
            let text = format!("  Line {} of the log: {}", mismatch.line, mismatch.kind);
            output.line(&shown(&text))?;
        }
        if let Some(error) = run.error(*at) {
            client_error(output, &error)?;
        }
        let misses = run.misses(*at, nearest).nearest;
        if call.served().is_none() && !misses.is_empty() {
            output.line("")?;
        }
        for miss in misses {
            let name = recording_name(run, miss.index);
            let change = miss.change(run);
            let line = format!("  {name}: {}. {}", shown(&miss.short()), shown(&change));
            output.line(line.trim_end())?;
        }
    }
    match wrong.len().saturating_sub(MAX_FAILING_CALLS) {
        0 => Ok(()),
        more => {
            output.line("")?;
            output.line(&format!("{more} more calls fail; --json shows all"))
        }
    }
}

/// Prints the error of the client.
fn client_error(output: &mut Output, error: &str) -> io::Result<()> {
    let lines = error.lines().count();
    for line in error.lines().take(ERROR_LINES) {
        let line = format!("  {}", shown(line));
        output.line(&output.styled(OutputStyle::Of(Severity::Error), line.trim_end()))?;
    }
    if lines > ERROR_LINES {
        output.line(&format!("  … {} more lines", lines - ERROR_LINES))?;
    }
    Ok(())
}

fn findings(output: &mut Output, run: &PlaybackRun) -> io::Result<()> {
    let findings = &run.findings;
    let calls = |calls: &[usize]| {
        let numbers: Vec<String> = calls.iter().map(|call| (call + 1).to_string()).collect();
        let word = if calls.len() == 1 { "call" } else { "calls" };
        format!("{word} {}", some(&numbers, MAX_NAMES))
    };
    let recordings = |indices: &[usize]| {
        let names: Vec<String> = indices.iter().map(|index| recording_name(run, *index)).collect();
        some(&names, MAX_NAMES)
    };
    let mut lines = Vec::new();
    if !findings.fell_back.is_empty() {
        lines.push(("Fell back to position", calls(&findings.fell_back)));
    }
    for twice in findings.served_twice.iter().take(MAX_NAMES) {
        let name = recording_name(run, twice.recording);
        lines.push((
            "Served more than once",
            format!(
                "{name}, {}in {}",
                if twice.is_used_before { "before and " } else { "" },
                calls(&twice.calls)
            ),
        ));
    }
    for group in findings.ambiguous.iter().take(MAX_NAMES) {
        lines.push(("Chosen by file order", recordings(group)));
    }
    if !findings.undefined.is_empty() {
        lines.push(("Returned undefined", calls(&findings.undefined)));
    }
    for at in findings.uncertain.iter().take(MAX_NAMES) {
        let call = &run.calls[*at];
        if let Some(why) = call.request.uncertain {
            let label = shown(call.request.label());
            lines.push(("Uncertain", format!("call {} at {label}: {why}", at + 1)));
        }
    }
    let is_log = |call: &PlayedCall| matches!(call.request.origin, RequestOrigin::Log { .. });
    // A log shows only the calls up to the failure, so recordings after it are not unused.
    if !findings.unused.is_empty() && !run.calls.iter().any(is_log) {
        lines.push(("Never used", recordings(&findings.unused)));
    }
    if lines.is_empty() {
        return Ok(());
    }
    output.line("")?;
    let width = lines.iter().map(|(what, _)| what.len()).max().unwrap_or(0);
    for (what, which) in lines {
        output.line(&format!("{what:width$}  {which}"))?;
    }
    Ok(())
}

fn fixes(output: &mut Output, run: &PlaybackRun) -> io::Result<()> {
    let fixes = for_run(run);
    if fixes.is_empty() {
        return Ok(());
    }
    output.line("")?;
    output.line("Fix:")?;
    for fix in fixes {
        output.line(&format!("  {}", shown(&advice(run, &fix))))?;
    }
    Ok(())
}

/// The fix, and the number of files that it changes.
fn advice(run: &PlaybackRun, fix: &Fix) -> String {
    let extent = fix.extent();
    match fix {
        Fix::ShowSourceChange(index) => {
            let path = run.set.recordings.get(*index).map(|it| &*it.path);
            format!(
                "Show the source at the time of the recording: retake source {}",
                path.unwrap_or_default()
            )
        }
        Fix::RenameTool { from, to, .. } => format!(
            "If only the name of {from} changed, rename it to {to} throughout the set ({extent})."
        ),
        Fix::Regenerate(_) => format!("Record all tests of the project again: {REGENERATE}"),
        fix => format!("{} ({extent}). {}", fix.title(), fix.describe()),
    }
}
