//! Reads a run, finds its causes, and plays it again when its sets change.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{TriageDesk, TriageState};
use crate::{Core, DeskView, Effect, Library, Link, WorkingCopy};
use document::Severity;
use document::text::{Source, counted};
use play::triage::TestCount;
use protocol::{
    Desk, DocId, LoggedRun, PlayRun, ReadRun, Revision, RunSource, TriageEvent, TriagedRun,
};

/// Inputs of the result of playing.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RunKey {
    touched: u64,
    edited: Vec<(DocId, Revision)>,
}

impl TriageDesk {
    /// Reads a run. Without a project, it is kept until one is open.
    pub(super) fn read(&mut self, core: &mut Core, source: RunSource) {
        if core.project.is_none() {
            let text = format!(
                "{}: open the folder with the recordings first. The log is kept, and is read then.",
                source.name()
            );
            self.kept = Some(source);
            return core.notify(Severity::Note, text);
        }
        self.number += 1;
        self.reading = Some((self.number, source.clone()));
        let items = core.library.items.clone();
        core.request(Effect::run(ReadRun { number: self.number, source, items }));
    }

    /// Decides what becomes of a log that was pasted, dropped or chosen: several failures are triaged, and a single one is played, unless
    /// its test plays a cassette.
    fn on_read(&mut self, core: &mut Core, source: RunSource, run: Arc<LoggedRun>) {
        match (&run.failures[..], &run.logs[..], source) {
            ([_, _, ..], ..) => self.begin(core, run),
            ([only], ..) if only.failure.cassette_test().is_none() => self.play(core, &run, 0),
            ([_], ..) => self.begin(core, run),
            ([], _, RunSource::Dropped(paths)) if run.logs.len() != 1 => {
                core.link(Link::DropOther(paths));
            }
            ([], ..) if run.tests.is_some() && !run.has_passed_runs => self.begin(core, run),
            ([], [(name, text)], _) => core.link(Link::PlayFailure {
                name: Arc::clone(name),
                text: Arc::clone(text),
                failure: 0,
            }),
            ([], ..) => self.begin(core, run),
        }
    }

    fn begin(&mut self, core: &mut Core, run: Arc<LoggedRun>) {
        let state = match (&run.failures[..], run.unread.first(), run.tests) {
            ([], Some(reason), _) => TriageState::Failed(format!("{reason}.").into()),
            ([], None, Some(TestCount { failed: 0, total, .. })) => TriageState::Passed(total),
            ([], None, Some(TestCount { failed, .. })) => {
                let tests = counted(failed, "test", "tests");
                TriageState::Failed(format!("{tests} failed, and the log names none.").into())
            }
            ([], None, None) => TriageState::Failed("These logs contain no failure.".into()),
            _ => TriageState::Reading,
        };
        *self = Self {
            number: self.number,
            touched: self.touched,
            revision: self.revision + 1,
            state,
            run: Some(run),
            ..Self::default()
        };
        core.go(Desk::Playback, DeskView::Triage);
    }

    /// Plays a failure on the playback desk.
    pub(super) fn play(&self, core: &mut Core, run: &LoggedRun, failure: usize) {
        if let Some((name, text, failure)) = run.place(failure) {
            core.link(Link::PlayFailure { name, text, failure });
        }
    }

    /// Requests what is missing: the causes, or how the run is answered since its sets changed.
    pub(super) fn sync_run(&mut self, core: &mut Core) {
        if core.project.is_none() || core.progress.is_some() {
            return;
        }
        if let Some(source) = self.kept.take() {
            self.read(core, source);
        }
        let is_played = matches!(self.state, TriageState::Reading | TriageState::Ready);
        let Some(run) = self.run.clone().filter(|_| is_played) else { return };
        let is_shown = core.here().view.is_run();
        // The causes are found even if they are not shown; later plays can wait until someone looks.
        if self.awaited.is_some() || !is_shown && self.triaged.is_some() {
            return;
        }
        // Which sets are concerned is known once the causes are.
        let is_concerned = |doc| self.triaged.is_none() || is_in(&self.folders, &core.library, doc);
        // The engine expects the order of ids.
        let copies: Vec<(DocId, &WorkingCopy)> =
            core.library.unsaved().filter(|(doc, _)| is_concerned(*doc)).collect();
        let key = RunKey {
            touched: self.touched,
            edited: copies.iter().map(|(doc, copy)| (*doc, copy.revision)).collect(),
        };
        if self.played.as_ref() == Some(&key) {
            return;
        }
        let texts: Vec<(DocId, Source)> =
            copies.into_iter().map(|(doc, copy)| (doc, copy.text.clone())).collect();
        self.played = Some(key);
        self.number += 1;
        self.awaited = Some(self.number);
        core.request(Effect::run(PlayRun {
            number: self.number,
            run,
            triage: self.triaged.as_ref().map(|t| Arc::clone(&t.triage)),
            items: core.library.items.clone(),
            edited: texts,
        }));
    }

    pub(crate) fn receive(&mut self, core: &mut Core, event: TriageEvent) {
        match event {
            TriageEvent::Read(number, run) => {
                let source = self.reading.take_if(|(other, _)| *other == number);
                if let Some((_, source)) = source {
                    self.on_read(core, source, run);
                }
            }
            TriageEvent::Compared(number, report) => {
                let source = self.reading.take_if(|(other, _)| *other == number);
                match source {
                    // Of the cassettes only a part is known yet.
                    Some((_, source)) if core.progress.is_some() => self.kept = Some(source),
                    Some((_, source)) => core.link(Link::ShowDrift(source.name(), report)),
                    None => {}
                }
            }
            TriageEvent::Played(number, result) if self.awaited == Some(number) => {
                self.awaited = None;
                self.revision += 1;
                match result {
                    Ok(run) => self.show(core, run),
                    Err(reason) if self.triaged.is_none() => {
                        self.state = TriageState::Failed(format!("{reason}.").into());
                    }
                    Err(reason) => core.notify(Severity::Error, format!("{reason}.")),
                }
            }
            TriageEvent::Played(..) => {}
            TriageEvent::Written(result) => Self::on_written(core, result),
        }
    }

    fn show(&mut self, core: &mut Core, run: Arc<TriagedRun>) {
        if self.triaged.is_none() {
            let failures = run.triage.failures.iter();
            let results = failures.filter_map(|failure| failure.result.as_ref().ok());
            self.folders = results.map(|result| Arc::clone(&result.folder)).collect();
            // From now on, only edits in these sets matter.
            if let Some(key) = &mut self.played {
                let folders = &self.folders;
                key.edited.retain(|(doc, _)| is_in(folders, &core.library, *doc));
            }
            self.lists = lists(&run);
        }
        self.state = TriageState::Ready;
        self.triaged = Some(run);
        self.follow_edits(core);
    }
}

/// Returns the failures of each cause, and last, those without a set.
fn lists(run: &TriagedRun) -> Vec<Vec<usize>> {
    let groups = run.triage.groups.iter().map(|group| group.failures.clone());
    let unassigned: Vec<usize> = run.triage.unassigned().map(|(failure, _)| failure).collect();
    groups.chain(Some(unassigned).filter(|failures| !failures.is_empty())).collect()
}

/// Whether a document is in one of some folders.
pub(super) fn is_in(folders: &BTreeSet<Arc<str>>, library: &Library, doc: DocId) -> bool {
    library.get(doc).is_some_and(|item| folders.contains(item.folder()))
}
