//! Fetching runs from LangSmith: progress and result.

use std::time::Duration;

use super::ImportDesk;
use crate::{Core, Effect, Overlay};
use author::import::FetchForm;
use author::import::langsmith_api::{FetchError, FetchProgress};
use document::Severity;
use document::text::counted;
use jiff::Timestamp;
use protocol::{Cancellable, Desk, FetchEvent, FetchRequest, IncidentSource, LangSmithStatus};

/// An action of the LangSmith form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FetchAction {
    /// Shows the form with these values; `None` keeps its values.
    Open(Option<FetchForm>),
    /// Sets the values of the form.
    Edit(FetchForm),
    /// Fetches the runs.
    Fetch,
    Cancel,
}

/// The state of a fetch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum FetchState {
    /// Nothing is fetched.
    #[default]
    Idle,
    Running(FetchProgress),
    Failed(FetchError),
}

/// The form to fetch runs from LangSmith, and the state of the fetch.
#[derive(Debug, Default)]
pub struct LangSmithFetch {
    number: u64,
    pub form: FetchForm,
    pub state: FetchState,
    pub langsmith: LangSmithStatus,
}

impl LangSmithFetch {
    /// Whether a fetch is in progress.
    pub fn is_running(&self) -> bool {
        matches!(self.state, FetchState::Running(_))
    }

    /// Reason no fetch can start now, in a few words.
    pub fn blocked_reason(&self) -> Option<String> {
        match (&self.state, &self.langsmith.blocked_reason) {
            (FetchState::Running(_), _) => Some("a fetch is already running".to_owned()),
            (_, Some(fault)) => Some(fault.to_string()),
            // Only faults of the form count here, and the present time causes none.
            _ => self.form.target(Timestamp::UNIX_EPOCH).err().map(str::to_owned),
        }
    }

    /// The progress as text; `None` if no fetch is in progress.
    pub fn progress_text(&self) -> Option<String> {
        let FetchState::Running(progress) = &self.state else { return None };
        if *progress == FetchProgress::default() {
            return Some("waiting for the first response".to_owned());
        }
        let runs = counted(progress.taken, "run", "runs");
        let total = if progress.came > progress.taken {
            format!(", {} including child runs", progress.came)
        } else {
            String::new()
        };
        let answers = counted(progress.answers, "answer", "answers");
        let pause = |wait: Duration| format!("; rate limited, retrying after {} s", wait.as_secs());
        let wait = progress.wait.map_or_else(String::new, pause);
        Some(format!("{runs}{total}, {answers}{wait}"))
    }

    /// Forgets the running fetch; its later events are ignored.
    pub(super) fn stop(&mut self) {
        if self.is_running() {
            self.number += 1;
            self.state = FetchState::Idle;
        }
    }
}

impl ImportDesk {
    pub(super) fn act_on_fetch(&mut self, core: &mut Core, action: FetchAction) {
        let fetching = &mut self.fetch;
        match action {
            FetchAction::Open(form) => {
                if let Some(form) = form.filter(|_| !fetching.is_running()) {
                    fetching.form = form;
                    fetching.state = FetchState::Idle;
                }
                core.overlay = Some(Overlay::FetchRuns);
            }
            // A running fetch keeps its form, from which the result gets its name.
            FetchAction::Edit(form) if !fetching.is_running() => fetching.form = form,
            FetchAction::Edit(_) => {}
            FetchAction::Fetch => self.fetch_runs(core),
            FetchAction::Cancel => {
                fetching.stop();
                core.request(Effect::Cancel(Cancellable::Fetch));
            }
        }
    }

    fn fetch_runs(&mut self, core: &mut Core) {
        let fetch = &mut self.fetch;
        if let Some(reason) = fetch.blocked_reason() {
            core.refuse(Severity::Warning, format!("Cannot fetch: {reason}."));
            return;
        }
        fetch.number += 1;
        fetch.state = FetchState::Running(FetchProgress::default());
        core.request(Effect::run(FetchRequest { number: fetch.number, form: fetch.form.clone() }));
    }

    pub(super) fn on_fetch_event(&mut self, core: &mut Core, event: FetchEvent) {
        let fetching = &mut self.fetch;
        match event {
            FetchEvent::Known(langsmith) => fetching.langsmith = langsmith,
            FetchEvent::Progressed(number, progress) if number == fetching.number => {
                fetching.state = FetchState::Running(progress);
            }
            FetchEvent::Ended(number, Ok(text)) if number == fetching.number => {
                fetching.state = FetchState::Idle;
                let name = fetching.form.name().into();
                self.show_fetched(core, IncidentSource::Fetched { name, text });
            }
            FetchEvent::Ended(number, Err(fault)) if number == fetching.number => {
                // The form shows the fault itself.
                if core.overlay != Some(Overlay::FetchRuns) {
                    core.notify(Severity::Error, format!("{fault}. {}", fault.advice()));
                }
                self.fetch.state = FetchState::Failed(fault);
            }
            FetchEvent::Progressed(..) | FetchEvent::Ended(..) => {}
        }
    }

    /// Stops a fetch when another import starts, because its result would replace that import.
    pub(super) fn cancel_fetch(&mut self, core: &mut Core) {
        if !self.fetch.is_running() {
            return;
        }
        self.fetch.stop();
        let words = "The LangSmith fetch was stopped because another import started.";
        core.notify(Severity::Note, words);
        core.request(Effect::Cancel(Cancellable::Fetch));
    }

    /// Shows the fetched runs if the user still waits for them, else reports them in a notice.
    fn show_fetched(&mut self, core: &mut Core, source: IncidentSource) {
        let is_awaited = core.overlay == Some(Overlay::FetchRuns);
        if is_awaited {
            core.overlay = None;
        }
        if is_awaited || core.here().desk == Desk::Sessions {
            return self.read_incident(core, source);
        }
        let words = "The LangSmith runs are fetched. Use “Show last import” to see them.";
        core.notify(Severity::Note, words);
        self.begin_import(source);
        self.reread_incident(core);
    }
}

#[cfg(test)]
mod tests {
    use super::super::ImportAction;
    use super::*;
    use crate::testing::Bench;
    use crate::{Action, Command, DeskView};
    use author::import::FetchScope;
    use protocol::{EngineEvent, ImportEvent};

    fn act(action: FetchAction) -> Action {
        Action::from(ImportAction::Fetch(action))
    }

    fn fetch_event(event: FetchEvent) -> EngineEvent {
        EngineEvent::Import(ImportEvent::Fetch(event))
    }

    /// A bench whose form has a run id.
    fn bench(langsmith: LangSmithStatus) -> Bench {
        let mut bench = Bench::open(&[("a.json", "{}")]);
        bench.receive(fetch_event(FetchEvent::Known(langsmith)));
        bench.act(act(FetchAction::Open(Some(FetchForm {
            run: "run-1".to_owned(),
            ..FetchForm::default()
        }))));
        bench
    }

    fn number(effects: &[Effect]) -> Option<u64> {
        let mut requests = effects.iter().filter_map(Effect::request::<FetchRequest>);
        requests.next().map(|request| request.number)
    }

    #[test]
    fn nothing_is_requested_without_a_key_or_with_an_incomplete_form() {
        let mut bench = bench(LangSmithStatus {
            blocked_reason: Some(FetchError::NoKey),
            ..LangSmithStatus::default()
        });
        assert_eq!(number(&bench.workbench.apply(act(FetchAction::Fetch))), None);
        bench.receive(fetch_event(FetchEvent::Known(LangSmithStatus::default())));
        bench.act(act(FetchAction::Edit(FetchForm {
            scope: FetchScope::Project,
            ..FetchForm::default()
        })));
        assert_eq!(number(&bench.workbench.apply(act(FetchAction::Fetch))), None);
        assert_eq!(
            bench.notice_texts(),
            ["Cannot fetch: LANGSMITH_API_KEY is not set.", "Cannot fetch: enter a project name.",]
        );
    }

    #[test]
    fn what_was_cancelled_comes_no_more_and_a_fault_leaves_the_form_filled() {
        let mut bench = bench(LangSmithStatus::default());
        let first = number(&bench.workbench.apply(act(FetchAction::Fetch))).unwrap();
        let progress =
            FetchProgress { taken: 2, came: 7, answers: 3, wait: Some(Duration::from_secs(7)) };
        bench.receive(fetch_event(FetchEvent::Progressed(first, progress)));
        let fetching = &bench.workbench.import.fetch;
        insta::assert_snapshot!(fetching.progress_text().unwrap(), @"2 runs, 7 including child runs, 3 answers; rate limited, retrying after 7 s");
        let effects = bench.workbench.apply(act(FetchAction::Cancel));
        assert!(effects.contains(&Effect::Cancel(Cancellable::Fetch)));
        bench.receive(fetch_event(FetchEvent::Ended(first, Ok("{}".into()))));
        assert_ne!(bench.workbench.core.here().view, DeskView::Import);
        let second = number(&bench.workbench.apply(act(FetchAction::Fetch))).unwrap();
        bench.receive(fetch_event(FetchEvent::Ended(second, Err(FetchError::Key(401)))));
        let fetching = &bench.workbench.import.fetch;
        assert_eq!(&fetching.state, &FetchState::Failed(FetchError::Key(401)));
        assert_eq!(fetching.form.run, "run-1");
        assert_eq!(bench.workbench.core.overlay, Some(Overlay::FetchRuns));
    }

    #[test]
    fn fetched_runs_are_shown_or_reported_in_a_notice() {
        let mut bench = bench(LangSmithStatus::default());
        let number_of =
            |bench: &mut Bench| number(&bench.workbench.apply(act(FetchAction::Fetch))).unwrap();
        let first = number_of(&mut bench);
        bench.receive(fetch_event(FetchEvent::Ended(first, Ok("{}".into()))));
        assert_eq!(bench.workbench.core.overlay, None);
        assert!(bench.workbench.core.here().view == DeskView::Import);
        bench.press(Command::GoLibrary);
        let second = number_of(&mut bench);
        bench.receive(fetch_event(FetchEvent::Ended(second, Ok("{}".into()))));
        assert_eq!(bench.workbench.core.here().view, DeskView::List);
        assert_eq!(
            bench.notice_texts(),
            ["The LangSmith runs are fetched. Use “Show last import” to see them."]
        );
    }

    #[test]
    fn something_else_that_is_imported_is_not_replaced_by_what_comes() {
        let mut bench = bench(LangSmithStatus::default());
        let number = number(&bench.workbench.apply(act(FetchAction::Fetch))).unwrap();
        let source = IncidentSource::Text("Why?".into());
        let effects = bench.workbench.apply(Action::from(ImportAction::Read(source.clone())));
        assert!(effects.contains(&Effect::Cancel(Cancellable::Fetch)));
        bench.receive(fetch_event(FetchEvent::Ended(number, Ok("{}".into()))));
        assert_eq!(bench.workbench.import.source, Some(source));
    }
}
