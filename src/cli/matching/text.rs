//! The run as text: a sentence, a row for each call, problems and fixes.

use std::io;

use crate::output::{Output, OutputStyle, print_table, shown};
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
const MAX_TOOL_NAMES: usize = 3;

/// The number of names that a finding lists.
const MAX_NAMES: usize = 8;

/// The number of lines of the client's error that are printed; for a set of 10,000 recordings the error has 30,000 lines.
const MAX_ERROR_LINES: usize = 120;

pub(super) fn print(
    output: &mut Output,
    run: &PlaybackRun,
    logged_failure: Option<&LoggedFailure>,
    nearest: usize,
) -> io::Result<()> {
    let set = counted(run.set.recordings.len(), "recording", "recordings");
    let head = format!("{}: {set}, {}", shown(&run.set.folder), run.rules);
    output.line(&output.styled(OutputStyle::Quiet, &head))?;
    output.line("")?;
    if let Some(logged_failure) = logged_failure {
        failure(output, run, logged_failure)?;
    }
    // A log without a printed request has nothing to play; the failure above is all that is known.
    if run.calls.is_empty() && logged_failure.is_some() {
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
fn failure(out: &mut Output, run: &PlaybackRun, logged_failure: &LoggedFailure) -> io::Result<()> {
    let title = logged_failure.title();
    out.line(&format!("Line {} of the log: {}", logged_failure.line, shown(&title)))?;
    if let Some(test) = &logged_failure.test {
        out.line(&format!("Its test: {}", shown(test)))?;
    }
    if let Some(directory) = &logged_failure.directory {
        out.line(&format!("Its recordings: {}", shown(directory)))?;
    }
    if let Some(suspect) = logged_failure.suspect(&run.set) {
        let name = recording_name(run, suspect.index);
        out.line(&format!("Look first at {name}. {}", shown(&suspect.why)))?;
    }
    out.line("")
}

fn table(output: &mut Output, run: &PlaybackRun) -> io::Result<()> {
    if run.calls.is_empty() {
        return Ok(());
    }
    let head = ["Call", "At", "Offered tools", "Served recording", "Step", "Verdict"];
    let calls = run.calls.iter().enumerate();
    let rows = calls.map(|(index, call)| (style(&call.verdict), row(run, index, call)));
    print_table(output, head, &rows.collect::<Vec<_>>())
}

fn style(verdict: &CallVerdict) -> OutputStyle {
    match verdict {
        CallVerdict::Right => OutputStyle::Plain,
        verdict if verdict.is_bad() => OutputStyle::Of(Severity::Error),
        _ => OutputStyle::Of(Severity::Warning),
    }
}

fn row(run: &PlaybackRun, index: usize, call: &PlayedCall) -> [String; 6] {
    let served_recording = call.served();
    let reuse_remark = call.reused.map(|call| format!(", as in call {}", call + 1));
    let step = served_recording.map(|served_recording| match served_recording.step {
        MatchStep::Signature => "by signature",
        MatchStep::Sequential => "by position",
    });
    [
        (index + 1).to_string(),
        shown(call.request.label()).into_owned(),
        tools(call),
        served_recording.map_or_else(|| "none".to_owned(), |s| recording_name(run, s.index)),
        step.unwrap_or_default().to_owned() + &reuse_remark.unwrap_or_default(),
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
    let shown_names: Vec<_> = names.iter().take(MAX_TOOL_NAMES).map(|n| shown(short(n))).collect();
    let names_more = names.len().saturating_sub(MAX_TOOL_NAMES);
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
    let wrong_calls: Vec<_> = calls.filter(|(_, call)| call.verdict.is_bad()).collect();
    for (index, call) in wrong_calls.iter().take(MAX_FAILING_CALLS) {
        output.line("")?;
        let label = call.request.label();
        let place =
            if call.request.node.is_some() { format!("at {label}") } else { format!("({label})") };
        let title = format!("Call {} {place}: {}", index + 1, call.verdict);
        output.line(&output.styled(OutputStyle::Strong, &shown(&title)))?;
        if let Some(reason) = call.verdict.explain() {
            output.line(&format!("  {}", shown(&reason)))?;
        }
        for mismatch in call.request.logged.iter().flat_map(|logged_call| &logged_call.mismatches) {
            let text = format!("  Line {} of the log: {}", mismatch.line, mismatch.kind);
            output.line(&shown(&text))?;
        }
        if let Some(error) = run.error(*index) {
            client_error(output, &error)?;
        }
        let misses = run.misses(*index, nearest).nearest;
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
    match wrong_calls.len().saturating_sub(MAX_FAILING_CALLS) {
        0 => Ok(()),
        number => {
            output.line("")?;
            output.line(&format!("{number} more calls fail; --json shows all"))
        }
    }
}

/// Prints the error of the client.
fn client_error(output: &mut Output, error: &str) -> io::Result<()> {
    let lines = error.lines().count();
    for line in error.lines().take(MAX_ERROR_LINES) {
        let line = format!("  {}", shown(line));
        output.line(&output.styled(OutputStyle::Of(Severity::Error), line.trim_end()))?;
    }
    if lines > MAX_ERROR_LINES {
        output.line(&format!("  … {} more lines", lines - MAX_ERROR_LINES))?;
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
    for repeat in findings.served_twice.iter().take(MAX_NAMES) {
        let name = recording_name(run, repeat.recording);
        lines.push((
            "Served more than once",
            format!(
                "{name}, {}in {}",
                if repeat.is_used_before { "before and " } else { "" },
                calls(&repeat.calls)
            ),
        ));
    }
    for group in findings.ambiguous.iter().take(MAX_NAMES) {
        lines.push(("Chosen by file order", recordings(group)));
    }
    if !findings.undefined.is_empty() {
        lines.push(("Returned undefined", calls(&findings.undefined)));
    }
    for index in findings.uncertain.iter().take(MAX_NAMES) {
        let call = &run.calls[*index];
        if let Some(reason) = call.request.uncertain {
            let label = shown(call.request.label());
            lines.push(("Uncertain", format!("call {} at {label}: {reason}", index + 1)));
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
    let width = lines.iter().map(|(label, _)| label.len()).max().unwrap_or(0);
    for (label, names) in lines {
        output.line(&format!("{label:width$}  {names}"))?;
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
            let path = run.set.recordings.get(*index).map(|r| &*r.path);
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
