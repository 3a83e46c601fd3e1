use std::sync::Arc;

use super::*;
use crate::{Action, Bench, Command, DeskView, Effect};
use author::import::{FileOrigin, ImportKind, ImportOptions, Importer, Incident, KnownSessions};
use author::redact::NameList;
use calls::secret::CustomPatterns;
use document::diff::outline::Outline;
use document::diff::text::TextDiff;
use document::files::{FileStep, FilesChanged};
use document::read;
use document::text::Source;
use protocol::{
    EngineEvent, ExistingFile, ImportEvent, LoadedIncident, PlannedFile, Request, ScanRequest,
    SessionPlan, SessionSteps,
};

const RUNS: &str = r#"[{"id": "run-1", "run_type": "chain", "trace_id": "1", "inputs": {"input": "Hi"}, "outputs": null, "error": "Boom"},
    {"id": "run-2", "run_type": "chain", "trace_id": "2", "inputs": {"input": "Ask ada@private.dev"}, "outputs": null, "error": "Boom"}]"#;

fn found() -> LoadedIncident {
    let mut gather = Importer::new(ImportOptions::default());
    gather.add_document("runs.json", read(Source::new(RUNS), "runs.json"), FileOrigin::Explicit);
    let (known_sessions, patterns) = (KnownSessions::default(), CustomPatterns::default());
    let incident = Incident::new(
        "runs.json",
        ImportKind::LangSmith,
        gather.finish(),
        &known_sessions,
        &patterns,
        &NameList::default(),
    );
    LoadedIncident { incident: Arc::new(incident), calls: Arc::default(), log: None, config: None }
}

/// A bench that shows the drafts of two runs; the second contains a secret.
fn bench() -> Bench {
    let mut bench = Bench::open(&[("a.json", "{}")]);
    bench.act(Action::from(ImportAction::Paste(RUNS.to_owned())));
    let number = bench.workbench.import.number;
    bench.receive(EngineEvent::Import(ImportEvent::Read(number, Ok(found()))));
    bench
}

fn plan(existing: ExistingFile) -> Arc<SessionPlan> {
    let file = |path: &str, existing| PlannedFile {
        path: path.to_owned(),
        text: Source::new("id: x\n"),
        existing,
    };
    Arc::new(SessionPlan {
        files: vec![file("a.yaml", ExistingFile::Nothing), file("b.yaml", existing)],
        config: None,
    })
}

fn written(effects: &[Effect]) -> Vec<&str> {
    let mut paths = Vec::new();
    for effect in effects {
        let Effect::Run(Request::SaveSessions(request)) = effect else { continue };
        paths.extend(request.steps.iter().map(|step| &**step.path()));
    }
    paths
}

#[test]
fn nothing_is_saved_while_a_secret_is_open_and_its_draft_is_shown() {
    let mut bench = bench();
    assert!(bench.workbench.core.here().view == DeskView::Import);
    bench.press(Command::Save);
    assert_eq!(bench.notice_texts(), ["Cannot save: decide about the secrets first."]);
    assert_eq!(bench.workbench.import.selected, 1);
    bench.press(Command::ToggleDraft);
    assert_eq!(bench.workbench.import.included(), [0]);
    assert_eq!(bench.workbench.import.blocked_reason(), None);
    bench.press(Command::ToggleDraft);
    bench.press(Command::RedactSecrets);
    assert_eq!(bench.workbench.import.blocked_reason(), None);
}

#[test]
fn a_value_that_is_kept_is_not_replaced_with_all_others() {
    let mut bench = bench();
    let kept = bench.workbench.import.first_undecided();
    bench.act(Action::from(ImportAction::Decide(kept, SecretChoice::Keep)));
    bench.press(Command::RedactSecrets);
    let choices = |desk: &ImportDesk| desk.secrets.iter().map(|s| s.choice).collect::<Vec<_>>();
    assert_eq!(choices(&bench.workbench.import)[kept.unwrap()], SecretChoice::Keep);
    assert_eq!(bench.workbench.import.first_undecided(), None);
}

#[test]
fn an_existing_file_is_replaced_only_on_request() {
    let mut bench = bench();
    bench.press(Command::RedactSecrets);
    bench.press(Command::Save);
    let diff = TextDiff::new(&Source::new("id: y\n"), &Source::new("id: x\n"), Outline::Plain);
    let existing_file = ExistingFile::Other(b"id: y\n".as_slice().into(), Arc::new(diff));
    let number = bench.workbench.import.plan_number;
    let event = EngineEvent::Import(ImportEvent::Planned(number, Ok(plan(existing_file))));
    bench.receive(event.clone());
    let effects = bench.workbench.apply(Action::from(ImportAction::Save));
    assert_eq!(written(&effects), ["a.yaml"]);
    bench.press(Command::Save);
    let number = bench.workbench.import.plan_number;
    let EngineEvent::Import(ImportEvent::Planned(_, plan)) = event else { panic!("a plan") };
    bench.receive(EngineEvent::Import(ImportEvent::Planned(number, plan)));
    bench.act(Action::from(ImportAction::ToggleReplace(1)));
    let effects = bench.workbench.apply(Action::from(ImportAction::Save));
    assert_eq!(written(&effects), ["a.yaml", "b.yaml"]);
}

#[test]
fn what_was_saved_is_undone_and_redone_until_something_else_is_done() {
    let mut bench = bench();
    let request =
        SessionSteps { steps: Vec::new(), message: "Saved 1 session".to_owned(), is_undo: false };
    let changes = FilesChanged {
        done: vec![FileStep::Create { path: "a.yaml".into(), bytes: b"a".as_slice().into() }],
        fault: None,
    };
    let inverse_steps = vec![changes.done[0].inverse().unwrap()];
    let written_event = |request, done_steps: &[FileStep]| {
        let done_steps = done_steps.to_vec();
        let changes = FilesChanged { done: done_steps, fault: None };
        EngineEvent::Import(ImportEvent::FilesWritten(request, changes))
    };
    bench.receive(EngineEvent::Import(ImportEvent::FilesWritten(request, changes.clone())));
    let request_of = |bench: &mut Bench, command| {
        let effects = bench.workbench.apply(Action::Run(command));
        let request = effects.iter().find_map(Effect::request::<SessionSteps>);
        request.cloned()
    };
    assert_eq!(request_of(&mut bench, Command::Redo), None);
    let undo = request_of(&mut bench, Command::Undo).unwrap();
    assert_eq!(undo.steps, inverse_steps);
    assert!(!bench.workbench.import.can_undo(&bench.workbench.core));
    bench.receive(written_event(undo, &inverse_steps));
    let redo = request_of(&mut bench, Command::Redo).unwrap();
    assert_eq!(redo.steps, [inverse_steps[0].inverse().unwrap()]);
    let steps = redo.steps.clone();
    bench.receive(written_event(redo, &steps));
    assert!(bench.workbench.import.can_undo(&bench.workbench.core));
    assert_eq!(bench.notice_texts(), ["Undid saving the import.", "Saved 1 session."]);
}

#[test]
fn what_was_decided_stays_when_the_runs_are_filtered() {
    let mut bench = bench();
    bench.press(Command::RedactSecrets);
    bench.act(Action::from(ImportAction::Filter(RunFilter {
        least: "10".to_owned(),
        ..RunFilter::default()
    })));
    let number = bench.workbench.import.number;
    bench.receive(EngineEvent::Import(ImportEvent::Read(number, Ok(found()))));
    assert_eq!(bench.workbench.import.first_undecided(), None);
}

#[test]
fn what_was_dropped_and_is_no_incident_is_opened() {
    let mut bench = bench();
    let paths = vec![PathBuf::from("elsewhere")];
    bench.press(Command::GoLibrary);
    bench.act(Action::from(ImportAction::Drop(paths.clone())));
    let number = bench.workbench.import.number;
    let event = EngineEvent::Import(ImportEvent::NotAnIncident(number, paths.clone()));
    let effects = bench.workbench.receive(event);
    assert!(effects.contains(&Effect::run(ScanRequest(paths))), "{effects:?}");
    assert_eq!(bench.workbench.core.here().view, DeskView::List);
}

#[test]
fn what_is_no_session_is_refused_where_it_is_pasted() {
    let mut bench = Bench::open(&[("a.json", "{}")]);
    bench.act(Action::from(ImportAction::Paste("Where is it?".to_owned())));
    assert_eq!(
        bench.notice_texts(),
        [
            "The pasted text is not used. It is a text without a failure. Sessions can be imported from reports, runs of agents, recordings, cassettes, HTTP archives, chats and failure logs. Retake does not make a session of it yet."
        ]
    );
    assert!(bench.workbench.core.here().view != DeskView::Import);
}
