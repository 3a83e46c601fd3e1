//! Reads the logs of a run, finds the causes of its failures, plays them again, and writes them into a page to share.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::Arc;

use super::change_files::write_chosen;
use crate::current::read_edited;
use crate::disk::project::Project;
use crate::disk::triage::{
    RunLogs, find_empty_folders, read_drift_cassettes, read_each_cassette, read_each_set,
    read_request_logs, read_run_folders, read_run_logs, read_triage_maps,
};
use crate::run::{TaskContext, Work};
use calls::secret::Mask;
use document::text::Source;
use play::drift::DriftReport;
use play::playback::failure_log::{LoggedFailure, SetIndex};
use play::run_requests::RunRequests;
use play::triage::{CassetteFiles, SetFiles, Triage, TriageReport, assign, page};
use protocol::{
    DocId, EngineEvent, Items, Lane, LoggedRun, PlayRun, ReadRun, RunSource, SharedRun,
    TriageEvent, TriagedRun, WriteRunPage,
};

pub(crate) fn read_run(request: ReadRun) -> Work {
    Work::answering(
        Lane::Newest("logs"),
        request,
        |request, context| {
            let project = context.project.as_deref()?;
            let logs = match drift(request, project) {
                Some(report) => ReadLogs::Requests(report),
                // Transcripts of agents, which may contain anything.
                None if is_json_lines(&request.source) => {
                    ReadLogs::Output(LoggedRun::new(request.source.name(), Vec::new(), Vec::new()))
                }
                None => ReadLogs::Output(logged_run(&request.source, project)),
            };
            Some(Ok(logs))
        },
        |request, logs| {
            let unread_run = |r| LoggedRun::new(request.source.name(), Vec::new(), vec![r]);
            let logs = logs.unwrap_or_else(|reason| ReadLogs::Output(unread_run(reason)));
            EngineEvent::Triage(match logs {
                ReadLogs::Output(run) => TriageEvent::Read(request.number, Arc::new(run)),
                ReadLogs::Requests(report) => {
                    TriageEvent::Compared(request.number, Arc::new(report))
                }
            })
        },
    )
}

pub(crate) fn play_run(request: PlayRun) -> Work {
    Work::answering(
        Lane::Newest("run"),
        request,
        |PlayRun { run, triage, items, edited, .. }, context| {
            let sets = SetReader { project: context.project.as_deref()?, items, edited, context };
            let (triage, progress, sets) = match triage {
                Some(triage) => {
                    let cassettes =
                        sets.cassettes(triage.failures.iter().map(|failure| &failure.failure));
                    let sets = sets.read_known(triage);
                    (Arc::clone(triage), triage.progress(&sets, &cassettes), sets)
                }
                None => {
                    let (triage, sets) = sets.triage(run);
                    let progress = triage.first_progress();
                    (Arc::new(triage), progress, sets)
                }
            };
            let triaged_run = || Arc::new(TriagedRun::new(triage, progress, &sets, items));
            // A cancelled reader returns only a part of the sets.
            (!context.is_cancelled()).then(|| Ok(triaged_run()))
        },
        |request, result| EngineEvent::Triage(TriageEvent::Played(request.number, result)),
    )
}

pub(crate) fn write_run_page(request: WriteRunPage) -> Work {
    Work::answering(
        Lane::Writes,
        request,
        |request, context| {
            let project = context.project.as_deref()?;
            let page = run_page(request, project, context);
            Some(write_chosen(&request.path, page.into_bytes(), project.bound()))
        },
        |_, result| EngineEvent::Triage(TriageEvent::Written(result)),
    )
}

fn run_page(request: &WriteRunPage, project: &Project, context: &TaskContext) -> String {
    let sets = SetReader { project, items: &request.items, edited: &request.edited, context };
    // The page is for others, so the secrets of all files are masked in it.
    let mut secrets = Mask::default();
    let items = request.items.iter();
    items.filter_map(|(_, item)| item.secrets.as_ref()).for_each(|s| secrets.merge(s));
    let log_run;
    let (triage, progress, sets, logs) = match &request.run {
        SharedRun::Shown(run, triage) => {
            let cassettes = sets.cassettes(triage.failures.iter().map(|failure| &failure.failure));
            let sets = sets.read_known(triage);
            let progress = triage.progress(&sets, &cassettes);
            (triage.with_progress(&progress), Some(progress), sets, &run.logs)
        }
        SharedRun::Log(source) => {
            log_run = logged_run(source, project);
            let (triage, sets) = sets.triage(&log_run);
            (triage, None, sets, &log_run.logs)
        }
    };
    let items = request.items.iter().map(|(doc, item)| (doc.index(), item));
    let folders: BTreeSet<Arc<str>> = sets.keys().cloned().collect();
    let mut report = TriageReport::new(&triage, HashMap::new());
    report.progress = progress.as_ref();
    report.maps = read_triage_maps(project, items, &folders, &context.cancel);
    page(&report, &sets, logs, &secrets)
}

/// What logs are of.
enum ReadLogs {
    Output(LoggedRun),
    Requests(DriftReport),
}

/// Returns whether dropped files are all of JSON lines.
fn is_json_lines(source: &RunSource) -> bool {
    let RunSource::Dropped(paths) = source else { return false };
    let is_lines =
        |path: &PathBuf| path.extension().is_some_and(|end| end.eq_ignore_ascii_case("jsonl"));
    paths.iter().all(is_lines)
}

/// Compares requests with what was recorded, if the files are logs of requests.
fn drift(request: &ReadRun, project: &Project) -> Option<DriftReport> {
    let (RunSource::Files(paths) | RunSource::Dropped(paths)) = &request.source else {
        return None;
    };
    // A folder may be a project.
    let files: Vec<PathBuf> =
        paths.iter().filter(|path| path.extension().is_some()).cloned().collect();
    let run = requests(read_request_logs(&files, project.bound()))?;
    let items = request.items.iter().map(|(doc, item)| (doc.index(), item));
    let cassettes = read_drift_cassettes(project, items, &run);
    let rules = project.settings().map_or(&[][..], |settings| &settings.review);
    Some(DriftReport::new(&run, &cassettes, rules))
}

/// Reads the logs of a run; what could not be read is missing of it. `None` without a log.
fn requests(RunLogs { logs, unread, .. }: RunLogs) -> Option<RunRequests> {
    let texts = logs.iter().map(|(name, text)| (name, &**text));
    let mut run = (!logs.is_empty()).then(|| RunRequests::read(texts))?;
    run.missing.extend(unread);
    run.missing.extend(run.faults.iter().map(ToString::to_string));
    Some(run)
}

fn logged_run(source: &RunSource, project: &Project) -> LoggedRun {
    let run_logs = match source {
        RunSource::Text { name, text } => {
            RunLogs { logs: vec![(Arc::clone(name), Arc::clone(text))], ..RunLogs::default() }
        }
        RunSource::Files(paths) => read_run_logs(paths, project.bound()),
        RunSource::Dropped(paths) => read_run_folders(paths, project.bound()),
    };
    LoggedRun::new(source.name(), run_logs.logs, run_logs.unread)
}

/// Reads the sets of a run, with the texts of edited documents in place of the files.
struct SetReader<'r> {
    project: &'r Project,
    items: &'r Items,
    edited: &'r [(DocId, Source)],
    context: &'r TaskContext,
}

impl SetReader<'_> {
    fn read(&self, folders: &BTreeSet<Arc<str>>) -> BTreeMap<Arc<str>, SetFiles> {
        let items = self.items.iter().map(|(doc, item)| (doc.index(), &**item));
        let cancel = &self.context.cancel;
        read_each_set(self.project, items, folders, cancel, |index, item| {
            read_edited(self.project, self.edited, DocId::new(index), item)
        })
    }

    /// Reads the cassettes that failures depend on.
    fn cassettes<'f>(&self, failures: impl Iterator<Item = &'f LoggedFailure>) -> CassetteFiles {
        let items = self.items.iter().map(|(doc, item)| (doc.index(), &**item));
        read_each_cassette(self.project, items, failures, &self.context.cancel, |index, item| {
            read_edited(self.project, self.edited, DocId::new(index), item)
        })
    }

    /// Reads the sets of a run whose causes are known.
    fn read_known(&self, triage: &Triage) -> BTreeMap<Arc<str>, SetFiles> {
        let folders = triage.failures.iter().filter_map(|failure| failure.result.as_ref().ok());
        self.read(&folders.map(|f| Arc::clone(&f.folder)).collect())
    }

    /// Finds the causes of a run.
    fn triage(&self, run: &LoggedRun) -> (Triage, BTreeMap<Arc<str>, SetFiles>) {
        let index = SetIndex::new(self.items.iter().map(|(_, item)| &**item));
        let rows: Vec<_> =
            run.failures.iter().map(|r| (r.failure.clone(), assign(&r.failure, &index))).collect();
        let folders = rows.iter().filter_map(|(_, folder)| folder.as_ref().ok()).cloned().collect();
        let sets = self.read(&folders);
        let empty = find_empty_folders(self.project, &folders, &sets, &self.context.cancel);
        let cassettes = self.cassettes(rows.iter().map(|(failure, _)| failure));
        (Triage::new(rows, &sets, &empty, &cassettes), sets)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_not_be_read_of_a_run_is_missing() {
        let head = r#"{"retake": "serve-log", "version": 1}"#;
        for (text, unread, missing) in [
            (Some(String::new()), &[][..], Some(&[][..])),
            (
                Some("\n[".to_owned()),
                &["b.xml: no log"][..],
                Some(&["b.xml: no log", "a.jsonl:2: EOF while parsing a list"][..]),
            ),
            (None, &["b.xml: no log"][..], None),
        ] {
            let logs = text.map(|text| ("a.jsonl".into(), format!("{head}{text}").into()));
            let unread = unread.iter().map(|reason| (*reason).to_owned()).collect();
            let run = requests(RunLogs {
                logs: logs.into_iter().collect(),
                unread,
                ..RunLogs::default()
            });
            let reasons = run.map(|run| run.missing);
            assert_eq!(
                reasons,
                missing.map(|all: &[&str]| all.iter().map(ToString::to_string).collect())
            );
        }
    }
}
