//! `retake check --fix`: fixes files before they are reported.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use crate::difference::difference;
use crate::files_document::FileOutcome;
use crate::output::{Output, shown, shown_path};
use crate::rewrite::{Planned, PlannedFile, RewriteCommand, RewriteMode, report_refused, rewrite};
use crate::{CommandError, CommandResult, ReadFiles, report_error};
use calls::Item;
use check::change::{Change, FIXES, RuleFix};
use document::text::Source;
use document::{Document, Problem, RuleId, Severity};
use engine::snapshots::Snapshots;
use engine::undo::StepRecorder;
use engine::{ChangePlanner, state};

/// The rules to fix.
#[derive(Debug)]
pub(super) enum FixSelection {
    /// Errors and warnings, by fixes that are safe in every project.
    Safe,
    /// All problems of these rules.
    Named(Vec<RuleId>),
}

/// Files that were fixed, or would be.
#[derive(Debug)]
pub(super) struct FixReport {
    files: Vec<FixedFile>,
    is_dry_run: bool,
    /// The number of files that could be fixed but not written.
    failed: usize,
}

/// A file before and after its fixes.
#[derive(Debug)]
struct FixedFile {
    path: Arc<str>,
    fixes: Vec<&'static RuleFix>,
    before: Source,
    after: Source,
}

impl FixSelection {
    /// Parses the value of `--fix`: rules with commas between them, or nothing.
    pub(super) fn parse(value: &str) -> CommandResult<Self> {
        if value.is_empty() {
            return Ok(Self::Safe);
        }
        let rule = |name: &str| {
            let found = FIXES.iter().find(|fix| fix.rule.as_str() == name);
            found.map(|fix| fix.rule).ok_or_else(|| {
                let names: Vec<&str> = FIXES.iter().map(|fix| fix.rule.as_str()).collect();
                // A typing error and a rule without a fix need different answers.
                let is_rule = RuleId::ALL.iter().any(|rule| rule.as_str() == name);
                let reason = if is_rule { "this rule has no fix" } else { "there is no such rule" };
                CommandError(format!(
                    "--fix={}: {reason}; rules with a fix are {}",
                    shown(name),
                    names.join(", ")
                ))
            })
        };
        let rules: CommandResult<Vec<RuleId>> = value.split(',').map(rule).collect();
        rules.map(Self::Named)
    }

    /// Returns the numbers of the rows to fix.
    fn targets(&self, fix: &RuleFix, items: &[(usize, &Item)]) -> Vec<usize> {
        let is_selected = match self {
            // A fix with a question needs to know something about the project, so it must be named.
            Self::Safe => fix.question.is_none(),
            Self::Named(rules) => rules.contains(&fix.rule),
        };
        if !is_selected {
            return Vec::new();
        }
        let is_severe =
            |item: &Item| item.problems.iter().any(|p| fix.fixes(p) && p.severity > Severity::Note);
        // Notes are no reason to change files that the user did not name.
        let is_wanted = |_, item: &Item| matches!(self, Self::Named(_)) || is_severe(item);
        fix.targets(items, is_wanted)
    }
}

/// Fixes the files that were read. One that cannot be fixed is reported and stays unchanged.
pub(super) fn fix(
    input: &mut ReadFiles,
    selection: &FixSelection,
    is_dry_run: bool,
    recorder: &StepRecorder,
) -> CommandResult<FixReport> {
    // Fixes that stamp keep a copy of the source, as `retake stamp` does.
    input.project.use_snapshots(state::sources().map(Snapshots::open));
    let input = &*input;
    let items: Vec<(usize, &Item)> = input.items.iter().map(|item| &**item).enumerate().collect();
    let mut fixes_by_number: HashMap<usize, Vec<&'static RuleFix>> = HashMap::new();
    for fix in FIXES {
        for row in selection.targets(fix, &items) {
            // By number, not by row: rows change when files are left out.
            fixes_by_number.entry(input.numbers[row]).or_default().push(fix);
        }
    }
    let files = input.numbered().filter(|(n, _)| fixes_by_number.contains_key(n)).collect();
    let mode = if is_dry_run { RewriteMode::DryRun } else { RewriteMode::Write(recorder) };
    let mut fixer = Fixer {
        planner: ChangePlanner::new(&input.project),
        selected: fixes_by_number,
        report: FixReport { files: Vec::new(), is_dry_run, failed: 0 },
    };
    rewrite(input, files, mode, &mut fixer)?;
    Ok(fixer.report)
}

struct Fixer<'a> {
    planner: ChangePlanner<'a>,
    /// The fixes of each file by its number.
    selected: HashMap<usize, Vec<&'static RuleFix>>,
    report: FixReport,
}

impl RewriteCommand for Fixer<'_> {
    const PHASE: &'static str = "Fixing";
    type Note = Vec<&'static RuleFix>;

    /// Plans the fixes of one file, each in the result of the previous one. One that cannot be applied is reported.
    fn plan(&mut self, number: usize, item: &Arc<Item>, mut doc: Document) -> Planned<Self::Note> {
        let old_source = doc.source().clone();
        let mut fixes = Vec::new();
        for fix in self.selected.remove(&number).unwrap_or_default() {
            match self.planner.plan(&Change::FixRule(fix.rule), number, item, &doc) {
                Ok(None) => {}
                Ok(Some((plan, _))) => {
                    let mut text = doc.source().text().to_owned();
                    plan.edit.apply(&mut text);
                    // Read again, because the places of the next fix are those of the changed text.
                    doc = doc.read_again(Source::new(text), item.file_name());
                    fixes.push(fix);
                }
                Err(reason) => {
                    let rule = fix.rule;
                    report_error(&format!("{reason}: {}: {rule}", shown(&item.path)));
                }
            }
        }
        let new_source = doc.source().clone();
        Ok((old_source != new_source).then_some((new_source, fixes)))
    }

    fn on_written(&mut self, file: PlannedFile<'_, Self::Note>) {
        if !self.report.is_dry_run {
            self.planner.keep_source(file.number);
        }
        let PlannedFile { item, before, after, note: fixes, .. } = file;
        self.report.files.push(FixedFile { path: Arc::clone(&item.path), fixes, before, after });
    }

    fn on_refused(&mut self, item: &Item, outcome: FileOutcome, reason: &str) {
        self.report.failed += usize::from(outcome == FileOutcome::Failed);
        report_refused(item, outcome, reason);
    }
}

impl FixReport {
    /// Whether a file was changed.
    pub(super) fn has_written(&self) -> bool {
        !self.is_dry_run && !self.files.is_empty()
    }

    /// Whether a file could be fixed but not written.
    pub(super) fn has_failed(&self) -> bool {
        self.failed > 0
    }

    /// Removes the problems that would be fixed.
    pub(super) fn leave_out_fixed(&self, input: &mut ReadFiles) {
        let files: HashMap<&str, &FixedFile> = (self.files.iter()).map(|f| (&*f.path, f)).collect();
        let fixes_of = |item: &Item| (files.get(&*item.path)).map_or(&[][..], |file| &*file.fixes);
        let mut fixes_by_item: Vec<Vec<&RuleFix>> = vec![Vec::new(); input.items.len()];
        for fix in FIXES {
            let is_fixed = |item: &Item| fixes_of(item).contains(&fix);
            let items = || input.items.iter().map(|item| &**item);
            // Some problems are of a folder, and remain as long as one of its files is not fixed.
            let unfixed_folders = fix.remaining_folders(items(), is_fixed);
            for (item, fixes) in items().zip(&mut fixes_by_item) {
                if is_fixed(item) && !unfixed_folders.contains(item.folder()) {
                    fixes.push(fix);
                }
            }
        }
        for (item, fixes) in input.items.iter_mut().zip(fixes_by_item) {
            if !fixes.is_empty() {
                let is_fixed = |problem: &Problem| fixes.iter().any(|f| f.fixes(problem));
                Arc::make_mut(item).change_problems(|problems| problems.retain(|p| !is_fixed(p)));
            }
        }
    }

    /// Each fix: the file, the fix, and whether it was written.
    pub(super) fn rows(&self) -> impl Iterator<Item = (&str, &'static RuleFix, bool)> {
        let is_written = !self.is_dry_run;
        let files = self.files.iter();
        files.flat_map(move |f| f.fixes.iter().map(move |fix| (&*f.path, *fix, is_written)))
    }

    /// A line for each fix.
    pub(super) fn lines(&self) -> impl Iterator<Item = String> {
        self.rows().map(|(path, fix, is_done)| {
            let path = shown_path(path);
            let (verb, label) = if is_done { ("fixed", fix.done) } else { ("would fix", fix.one) };
            format!("{path}: {verb}[{}] {label}", fix.rule)
        })
    }

    /// Writes a line for each fix, or what it would change.
    pub(super) fn write(&self, output: &mut Output) -> io::Result<()> {
        if self.is_dry_run {
            for file in &self.files {
                difference(output, &file.path, file.before.text(), file.after.text())?;
            }
        }
        for line in self.lines() {
            output.line(&line)?;
        }
        if self.files.is_empty() {
            return Ok(());
        }
        output.line("")
    }
}
