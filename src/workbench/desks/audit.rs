//! The audit desk: what the recordings prove, one sentence for each cause, with its places.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use crate::{Core, DeskState, DialogKind, Effect, Latest, ProjectStart, StepDirection};
use document::RuleId;
use document::text::counted;
use play::audit::{AuditFinding, AuditKind, AuditPlace, AuditReport};
use protocol::{AuditKey, AuditResult, Desk, RunAudit, RunSource};

/// An action of the audit desk.
#[derive(Clone, Debug, PartialEq)]
pub enum AuditAction {
    /// Folds or unfolds the places of a cause.
    Fold(AuditKind),
    /// Opens a place of a cause, by its position.
    Open(AuditKind, usize),
    /// Lists what a cause is about in the library, or copies its places.
    Handle(AuditKind),
    /// Opens the dialog to choose the logs of a run.
    PickLogs,
    /// Reads logs in place of those before.
    Read(RunSource),
}

/// A row of the desk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AuditRow {
    Finding(AuditKind),
    /// What to do about a cause.
    Advice(AuditKind),
    /// A place, by its position.
    Place(AuditKind, usize),
    /// A log that cannot be read or a fact that is not known, by its position among both.
    Unknown(usize),
}

/// The view state of the audit desk.
#[derive(Debug, Default)]
pub struct AuditDesk {
    pub report: Latest<AuditKey, Arc<AuditReport>>,
    /// The logs that were read.
    pub logs: Option<RunSource>,
    read_count: u64,
    unfolded: HashSet<AuditKind>,
    pub selected: Option<AuditRow>,
    /// All rows in their order.
    pub rows: Vec<AuditRow>,
    /// Grows with every change of what is shown.
    pub revision: u64,
}

impl DeskState for AuditDesk {
    /// Requests the report if the desk is shown and it is out of date.
    fn sync(&mut self, core: &mut Core) {
        let key = (core.library.items_revision, self.read_count);
        if !core.shows(Desk::Audit) || core.progress.is_some() || !self.report.want(&key) {
            return;
        }
        let (items, logs) = (core.library.items.clone(), self.logs.clone());
        core.request(Effect::run(RunAudit { key, items, logs }));
    }

    fn has_rows(&self) -> bool {
        self.rows.iter().any(is_chosen)
    }

    fn step(&mut self, _core: &mut Core, step: StepDirection, rows: usize) {
        let chosen: Vec<AuditRow> = self.rows.iter().copied().filter(is_chosen).collect();
        let at = chosen.iter().position(|row| Some(*row) == self.selected);
        self.selected = chosen.get(step.target_in(at, rows, chosen.len())).copied();
        self.revision += 1;
    }

    fn open_selected(&mut self, core: &mut Core) {
        match self.selected {
            Some(AuditRow::Place(kind, index)) => self.open(core, kind, index),
            Some(AuditRow::Finding(kind)) => self.fold(kind),
            _ => {}
        }
    }

    fn start_project(&mut self, start: ProjectStart) {
        let old = std::mem::take(self);
        self.revision = old.revision + 1;
        self.read_count = old.read_count + 1;
        if start == ProjectStart::Again {
            self.logs = old.logs;
            self.unfolded = old.unfolded;
        }
    }
}

/// Returns whether a row can be selected.
fn is_chosen(row: &AuditRow) -> bool {
    matches!(row, AuditRow::Finding(_) | AuditRow::Place(..))
}

impl AuditDesk {
    pub(crate) fn act(&mut self, core: &mut Core, action: AuditAction) {
        match action {
            AuditAction::Fold(kind) => self.fold(kind),
            AuditAction::Open(kind, index) => {
                self.selected = Some(AuditRow::Place(kind, index));
                self.revision += 1;
                self.open(core, kind, index);
            }
            AuditAction::Handle(kind) => self.handle(core, kind),
            AuditAction::PickLogs => {
                let title = "Choose the logs of a run";
                let read = |files: Vec<PathBuf>| AuditAction::Read(RunSource::Files(files));
                core.request(Effect::pick_many(title, DialogKind::Files, read));
            }
            AuditAction::Read(source) => {
                self.logs = Some(source);
                self.read_count += 1;
            }
        }
    }

    /// Returns a cause that was found.
    pub fn finding(&self, kind: AuditKind) -> Option<&AuditFinding> {
        self.report.value.as_ref()?.findings.iter().find(|finding| finding.kind == kind)
    }

    fn fold(&mut self, kind: AuditKind) {
        if !self.unfolded.remove(&kind) {
            self.unfolded.insert(kind);
        }
        self.selected = Some(AuditRow::Finding(kind));
        self.rebuild();
    }

    /// Returns whether the places of a cause are listed.
    pub fn is_unfolded(&self, kind: AuditKind) -> bool {
        self.unfolded.contains(&kind)
    }

    fn rebuild(&mut self) {
        self.revision += 1;
        self.rows.clear();
        let Some(report) = &self.report.value else { return };
        for finding in &report.findings {
            self.rows.push(AuditRow::Finding(finding.kind));
            if self.unfolded.contains(&finding.kind) {
                self.rows.push(AuditRow::Advice(finding.kind));
                let places = 0..finding.places.len();
                self.rows.extend(places.map(|index| AuditRow::Place(finding.kind, index)));
            }
        }
        let notes = report.unread.len() + report.unknown.len();
        self.rows.extend((0..notes).map(AuditRow::Unknown));
    }

    /// Shows the recording of a place, at its line or its call.
    fn open(&self, core: &mut Core, kind: AuditKind, index: usize) {
        let place = self.finding(kind).and_then(|finding| finding.places.get(index));
        let Some(AuditPlace { path: Some(path), line, call, .. }) = place else { return };
        let mut items = core.library.iter();
        let found = items.find(|(_, item)| *item.root_path() == **path);
        let Some((doc, span)) = found.map(|(doc, item)| {
            let mut problems = item.problems.iter();
            let problem = problems.find(|problem| Some(problem.place.line) == *line);
            (doc, problem.map(|problem| problem.span))
        }) else {
            return;
        };
        drop(items);
        match (call, span) {
            (Some(call), _) => {
                core.show(doc);
                core.unfold_selected(true);
                core.select_target((doc, Some(call - 1)));
            }
            (None, Some(span)) => core.reveal(doc, span),
            (None, None) => core.show(doc),
        }
    }

    fn handle(&self, core: &mut Core, kind: AuditKind) {
        let Some(finding) = self.finding(kind) else { return };
        if kind == AuditKind::EmptyAnswer {
            core.go(Desk::Library, crate::DeskView::List);
            let rules = [RuleId::ResponseEmpty, RuleId::StreamEmpty];
            let filter = rules.map(|rule| format!("rule:{}", rule.as_str())).join(" ");
            return core.link(crate::Link::Filter(filter));
        }
        let mut text = String::new();
        for place in &finding.places {
            let line = format!("{}  {}", finding.label(place), place.note);
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{}", line.trim_end());
        }
        core.copy(text);
    }

    pub(crate) fn on_report(&mut self, core: &mut Core, key: &AuditKey, result: AuditResult) {
        if !self.report.accept(key) {
            return;
        }
        let Some(report) = core.or_notify(result) else { return };
        self.report.value = Some(report);
        self.rebuild();
        let is_there = |row: &AuditRow| self.rows.contains(row);
        self.selected = self.selected.filter(is_there).or(self.rows.first().copied());
    }

    /// Returns the title of the desk with the number of causes.
    pub fn summary(&self) -> String {
        let causes = self.report.value.as_ref().map_or(0, |report| report.findings.len());
        match causes {
            0 => String::new(),
            causes => counted(causes, "cause", "causes"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::doc;
    use crate::{Action, Bench, Command, DeskView};
    use calls::{Item, ItemFacts};
    use document::Problem;
    use play::audit::AuditInput;
    use protocol::EngineEvent;

    /// Shows the desk with a report of two empty answers.
    fn bench() -> Bench {
        let mut bench = Bench::open(&[("a.yaml", "{}"), ("b.yaml", "{}")]);
        bench.act(Action::Select(doc(0)));
        bench.press(Command::GoAudit);
        let items = ["a.yaml", "b.yaml"].map(|path| {
            let problem = Problem::whole_file(RuleId::ResponseEmpty, "The answer is empty");
            Item::from(ItemFacts::new(path)).with_problems(vec![problem])
        });
        let input = AuditInput { items: items.iter().collect(), ..AuditInput::default() };
        let report = Arc::new(AuditReport::new(&input));
        let key = bench.workbench.audit.report.awaited.unwrap();
        bench.receive(EngineEvent::Audited(key, Ok(report)));
        bench
    }

    fn request_count(bench: &Bench) -> usize {
        bench.requested.iter().filter(|effect| *effect == "audit").count()
    }

    #[test]
    fn a_cause_unfolds_and_its_places_open() {
        let mut bench = bench();
        assert_eq!(request_count(&bench), 1, "{:?}", bench.requested);
        let kind = AuditKind::EmptyAnswer;
        let (finding, place) = (AuditRow::Finding(kind), |index| AuditRow::Place(kind, index));
        assert_eq!(bench.workbench.audit.rows, [finding, AuditRow::Unknown(0)]);
        bench.act(Action::from(AuditAction::Fold(kind)));
        let rows = [finding, AuditRow::Advice(kind), place(0), place(1), AuditRow::Unknown(0)];
        assert_eq!(bench.workbench.audit.rows, rows);
        for expected in [place(0), place(1), place(1)] {
            bench.press(Command::NextRow);
            assert_eq!(bench.workbench.audit.selected, Some(expected));
        }
        bench.press(Command::OpenSelected);
        assert_eq!(bench.workbench.core.list.selected, Some(doc(1)));
    }

    #[test]
    fn other_logs_are_another_report_and_the_old_one_stays_until_it_comes() {
        let mut bench = bench();
        let logs = RunSource::Text { name: "ci.log".into(), text: "".into() };
        bench.act(Action::from(AuditAction::Read(logs)));
        assert_eq!(request_count(&bench), 2);
        assert!(bench.workbench.audit.finding(AuditKind::EmptyAnswer).is_some());
    }

    #[test]
    fn logs_that_are_chosen_are_read() {
        let mut bench = bench();
        let effects = bench.workbench.apply(Action::from(AuditAction::PickLogs));
        let [Effect::Pick(dialog)] = &effects[..] else { panic!("a dialog is opened") };
        let choice = (dialog.then)(vec!["run.log".into()]).unwrap();
        bench.act(Action::from_choice(choice).unwrap());
        let logs = RunSource::Files(vec!["run.log".into()]);
        assert_eq!(bench.workbench.audit.logs, Some(logs));
    }

    #[test]
    fn empty_answers_are_listed_in_the_library() {
        let mut bench = bench();
        bench.act(Action::from(AuditAction::Handle(AuditKind::EmptyAnswer)));
        let core = &bench.workbench.core;
        assert_eq!((core.here().desk, core.here().view), (Desk::Library, DeskView::List));
        assert_eq!(core.list.filter, "rule:response-empty rule:stream-empty");
    }
}
