//! Text: a line for each problem, and below the first of each rule its help. Notes about cookies and ids are one line a project.

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::path::Path;

use super::report::{CheckReport, CheckedFile, help};
use crate::output::{Output, OutputStyle, shown, shown_path};
use check::AccountNotes;
use document::shell::CommandShell;
use document::text::{listed, some_and_others};
use document::{Problem, RuleId, Severity};

pub(super) fn write(
    output: &mut Output,
    report: &CheckReport<'_>,
    with_notes: bool,
) -> io::Result<()> {
    let mut helped_rules: HashSet<RuleId> = HashSet::new();
    let problems = report.problems();
    for (file, problem) in problems.filter(|(_, p)| with_notes || !AccountNotes::is_one(p)) {
        let line = line(output, file, problem);
        output.line(&line)?;
        if let Some(calls) = problem.calls.as_ref().filter(|calls| !calls.files.is_empty()) {
            const MAX_NAMED_FILES: usize = 3;
            let names = calls.files.iter().map(|path| shown_path(path));
            let line = format!("    in {}", some_and_others(names, MAX_NAMED_FILES));
            output.line(&output.styled(OutputStyle::Quiet, &line))?;
        }
        // With hundreds of problems of one rule, its help is needed only once.
        if !helped_rules.insert(problem.rule) {
            continue;
        }
        for (index, line) in help(problem).lines().enumerate() {
            let mark = if index == 0 { "help: " } else { "      " };
            let line = format!("    {mark}{}", shown(line));
            output.line(&output.styled(OutputStyle::Quiet, &line))?;
        }
    }
    let mut notes: BTreeMap<Option<&Path>, AccountNotes> = BTreeMap::new();
    // Hundreds of cookies and account ids would hide everything else.
    for file in report.files.iter().filter(|_| !with_notes) {
        notes.entry(file.root).or_default().add(file.item.problems.iter());
    }
    let notes: Vec<(Option<&Path>, String)> =
        notes.into_iter().filter_map(|(root, notes)| Some((root, notes.sentence()?))).collect();
    for (root, sentence) in &notes {
        // The root is named only if there are several.
        let root = root
            .filter(|_| notes.len() > 1)
            .map_or_else(String::new, |root| format!("{}: ", shown_path(&root.to_string_lossy())));
        let rule = format!("{}[{}]", Severity::Note, RuleId::Secret);
        let rule = output.styled(OutputStyle::Of(Severity::Note), &rule);
        let line = format!("{root}{rule} {sentence}; list them with --notes");
        output.line(&line)?;
    }
    if !(helped_rules.is_empty() && notes.is_empty()) {
        output.line("")?;
    }
    output.line(&report.summary.sentence())
}

/// Writes a line with the command that finds the causes in logs of failed test runs.
pub(super) fn failed_runs(output: &mut Output, paths: &[String]) -> io::Result<()> {
    const MAX_NAMED_LOGS: usize = 3;
    // The command reads the recordings below the current folder.
    let is_below = |path: &&String| Path::new(path).is_relative() && !path.starts_with("../");
    let words = paths.iter().filter(is_below).filter_map(|path| CommandShell::Posix.quote(path));
    let words: Vec<String> = words.take(MAX_NAMED_LOGS).collect();
    let start = match &words[..] {
        [] => return Ok(()),
        [only] => format!("{only} is the log of a failed test run"),
        words => format!("{} are logs of failed test runs", listed(words)),
    };
    output.line(&format!("{start}: `retake triage {}` shows the causes", words.join(" ")))
}

/// Returns the line of a problem.
pub(super) fn line(output: &Output, file: &CheckedFile<'_>, problem: &Problem) -> String {
    let rule = format!("{}[{}]", problem.severity, problem.rule);
    format!(
        "{}:{}: {} {}",
        output.styled(OutputStyle::Strong, &shown_path(&file.item.path)),
        problem.place,
        output.styled(OutputStyle::Of(problem.severity), &rule),
        shown(&problem.message)
    )
}
