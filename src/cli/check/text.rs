//! Text: a line for each problem, and below the first of each rule its help.

use std::collections::HashSet;
use std::io;

use super::report::{CheckReport, CheckedFile, help};
use crate::cli::output::{Output, OutputStyle, shown, shown_path};
use crate::format::{Problem, RuleId};

pub(super) fn write(output: &mut Output, report: &CheckReport) -> io::Result<()> {
    let mut helped: HashSet<RuleId> = HashSet::new();
    for (file, problem) in report.problems() {
        let line = line(output, file, problem);
        output.line(&line)?;
        if !helped.insert(problem.rule) {
            continue;
        }
        for (index, line) in help(problem).lines().enumerate() {
            let mark = if index == 0 { "help: " } else { "      " };
            let line = format!("    {mark}{}", shown(line));
            let line = output.styled(OutputStyle::Quiet, &line).into_owned();
            output.line(&line)?;
        }
    }
    if !helped.is_empty() {
        output.line("")?;
    }
    output.line(&report.summary.sentence())
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
