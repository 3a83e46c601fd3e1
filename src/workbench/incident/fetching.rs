//! Runs that are fetched from LangSmith: how far it is, and what becomes of them.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use super::{FetchForm, ImportDesk, ImportEffect, IncidentFrom};
use crate::format::Severity;
use crate::ops::diff::counted;
use crate::ops::live::langsmith::{Fault, Progress};
use crate::workbench::action::Overlay;
use crate::workbench::event::Effect;
use crate::workbench::navigation::Desk;
use crate::workbench::state::Workbench;

/// What is asked about runs of LangSmith.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FetchAction {
    /// Show the form, filled like this; `None`: as it was left.
    Open(Option<FetchForm>),
    /// The form is filled like this.
    Edit(FetchForm),
    /// Fetch what the form says.
    Fetch,
    /// Do not go on.
    Cancel,
}

/// What is known of LangSmith before it is asked. The key is not in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LangSmith {
    /// The address that would be asked, such as `https://api.smith.langchain.com`; empty where it is none.
    pub endpoint: Arc<str>,
    /// Why it cannot be asked.
    pub hindrance: Option<Fault>,
}

/// What is to be fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FetchOrder {
    /// Names the answers.
    pub number: u64,
    /// What the form says.
    pub form: FetchForm,
}

/// How far a fetch is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum FetchState {
    /// Nothing is fetched.
    #[default]
    Idle,
    /// It runs.
    Running(Progress),
    /// It failed.
    Failed(Fault),
}

/// What is fetched from LangSmith, and how far that is.
#[derive(Debug, Default)]
pub struct Fetching {
    number: u64,
    form: FetchForm,
    state: FetchState,
    langsmith: LangSmith,
}

impl Fetching {
    /// What the form says.
    pub fn form(&self) -> &FetchForm {
        &self.form
    }

    /// How far it is.
    pub fn state(&self) -> &FetchState {
        &self.state
    }

    /// What is known of LangSmith.
    pub fn langsmith(&self) -> &LangSmith {
        &self.langsmith
    }

    /// Whether it runs.
    pub fn is_running(&self) -> bool {
        matches!(self.state, FetchState::Running(_))
    }

    /// Why nothing can be fetched now, in a few words.
    pub fn hindrance(&self) -> Option<String> {
        match (&self.state, &self.langsmith.hindrance) {
            (FetchState::Running(_), _) => Some("it runs".to_owned()),
            (_, Some(fault)) => Some(fault.to_string()),
            _ => self
                .form
                .wanted(Timestamp::UNIX_EPOCH)
                .err()
                .map(str::to_owned),
        }
    }

    /// How far it is, in words; `None` while nothing runs.
    pub fn words(&self) -> Option<String> {
        let FetchState::Running(progress) = &self.state else {
            return None;
        };
        if *progress == Progress::default() {
            return Some("no answer yet".to_owned());
        }
        let runs = counted(progress.taken, "run", "runs");
        let all = if progress.came > progress.taken {
            format!(", {} with those beneath them", progress.came)
        } else {
            String::new()
        };
        let answers = counted(progress.answers, "answer", "answers");
        let waits =
            |wait: Duration| format!("; it is busy, asked again after {} s", wait.as_secs());
        let wait = progress.wait.map_or_else(String::new, waits);
        Some(format!("{runs}{all}, {answers}{wait}"))
    }

    /// Forgets what runs; whatever comes of it is not wanted any more.
    pub(in crate::workbench) fn stop(&mut self) {
        if self.is_running() {
            self.number += 1;
            self.state = FetchState::Idle;
        }
    }
}

/// What the engine tells of a fetch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FetchEvent {
    /// What is known of LangSmith.
    Known(LangSmith),
    /// How far the fetch with this number is.
    Progressed(u64, Progress),
    /// The runs that were fetched, as LangSmith exports them.
    Ended(u64, Result<Arc<str>, Fault>),
}

impl ImportDesk {
    /// What is fetched from LangSmith, and how far that is.
    pub fn fetching(&self) -> &Fetching {
        &self.fetching
    }
}

impl Workbench {
    pub(in crate::workbench) fn act_on_fetch(&mut self, action: FetchAction) -> Vec<Effect> {
        let fetching = &mut self.import.fetching;
        match action {
            FetchAction::Open(form) => {
                if let Some(form) = form.filter(|_| !fetching.is_running()) {
                    fetching.form = form;
                    fetching.state = FetchState::Idle;
                }
                self.overlay = Some(Overlay::FetchRuns);
            }
            FetchAction::Edit(form) if !fetching.is_running() => fetching.form = form,
            FetchAction::Edit(_) => {}
            FetchAction::Fetch => return self.fetch_runs(),
            FetchAction::Cancel => {
                fetching.stop();
                return vec![Effect::Import(ImportEffect::CancelFetch)];
            }
        }
        Vec::new()
    }

    fn fetch_runs(&mut self) -> Vec<Effect> {
        let fetching = &mut self.import.fetching;
        if let Some(reason) = fetching.hindrance() {
            self.notify(Severity::Warning, format!("Nothing is fetched: {reason}."));
            return Vec::new();
        }
        fetching.number += 1;
        fetching.state = FetchState::Running(Progress::default());
        vec![Effect::Import(ImportEffect::Fetch(FetchOrder {
            number: fetching.number,
            form: fetching.form.clone(),
        }))]
    }

    pub(super) fn fetch_told(&mut self, event: FetchEvent) -> Vec<Effect> {
        let fetching = &mut self.import.fetching;
        match event {
            FetchEvent::Known(langsmith) => fetching.langsmith = langsmith,
            FetchEvent::Progressed(number, progress) if number == fetching.number => {
                fetching.state = FetchState::Running(progress);
            }
            FetchEvent::Ended(number, Ok(text)) if number == fetching.number => {
                fetching.state = FetchState::Idle;
                let name = fetching.form.name().into();
                return self.show_fetched(IncidentFrom::Fetched { name, text });
            }
            FetchEvent::Ended(number, Err(fault)) if number == fetching.number => {
                if self.overlay != Some(Overlay::FetchRuns) {
                    let words = format!("{fault}. {}", fault.advice());
                    self.notify(Severity::Error, words);
                }
                self.import.fetching.state = FetchState::Failed(fault);
            }
            FetchEvent::Progressed(..) | FetchEvent::Ended(..) => {}
        }
        Vec::new()
    }

    /// Stops a fetch where something else is imported: its runs would come in place of that.
    pub(super) fn give_up_fetch(&mut self) -> Option<Effect> {
        if !self.import.fetching.is_running() {
            return None;
        }
        self.import.fetching.stop();
        let words = "Fetching from LangSmith was stopped: something else is imported.";
        self.notify(Severity::Note, words);
        Some(Effect::Import(ImportEffect::CancelFetch))
    }

    /// Shows what was fetched to whoever waits for it, and tells whoever went on with something else.
    fn show_fetched(&mut self, from: IncidentFrom) -> Vec<Effect> {
        let is_awaited = self.overlay == Some(Overlay::FetchRuns);
        if is_awaited {
            self.overlay = None;
        }
        if is_awaited || self.here().desk == Desk::Sessions {
            return self.read_incident(from);
        }
        let words =
            "The runs of LangSmith are here. “Show the drafts of the last import” shows them.";
        self.notify(Severity::Note, words);
        self.begin_import(from);
        self.read_again()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{FetchOf, ImportAction, ImportEvent};
    use super::*;
    use crate::workbench::event::Event;
    use crate::workbench::testing::Bench;
    use crate::workbench::{Action, Command, View};

    fn act(action: FetchAction) -> Action {
        Action::Import(ImportAction::Fetch(action))
    }

    fn told(event: FetchEvent) -> Event {
        Event::Import(ImportEvent::Fetch(event))
    }

    /// A bench on which a run is named in the form.
    fn bench(langsmith: LangSmith) -> Bench {
        let mut bench = Bench::open(&[("a.json", "{}")]);
        bench.receive(told(FetchEvent::Known(langsmith)));
        bench.act(act(FetchAction::Open(Some(FetchForm {
            run: "run-1".to_owned(),
            ..FetchForm::default()
        }))));
        bench
    }

    fn number(effects: &[Effect]) -> Option<u64> {
        effects.iter().find_map(|effect| match effect {
            Effect::Import(ImportEffect::Fetch(order)) => Some(order.number),
            _ => None,
        })
    }

    #[test]
    fn nothing_is_asked_without_a_key_or_with_half_a_form() {
        let mut bench = bench(LangSmith {
            hindrance: Some(Fault::NoKey),
            ..LangSmith::default()
        });
        assert_eq!(
            number(&bench.workbench.apply(act(FetchAction::Fetch))),
            None
        );
        bench.receive(told(FetchEvent::Known(LangSmith::default())));
        bench.act(act(FetchAction::Edit(FetchForm {
            of: FetchOf::Project,
            ..FetchForm::default()
        })));
        assert_eq!(
            number(&bench.workbench.apply(act(FetchAction::Fetch))),
            None
        );
        assert_eq!(
            bench.said(),
            [
                "Nothing is fetched: LANGSMITH_API_KEY is not set.",
                "Nothing is fetched: name a project.",
            ]
        );
    }

    #[test]
    fn what_was_cancelled_comes_no_more_and_a_fault_leaves_the_form_filled() {
        let mut bench = bench(LangSmith::default());
        let first = number(&bench.workbench.apply(act(FetchAction::Fetch))).unwrap();
        let progress = Progress {
            taken: 2,
            came: 7,
            answers: 3,
            wait: Some(Duration::from_secs(7)),
        };
        bench.receive(told(FetchEvent::Progressed(first, progress)));
        let fetching = bench.workbench.import_desk().fetching();
        insta::assert_snapshot!(fetching.words().unwrap(), @"2 runs, 7 with those beneath them, 3 answers; it is busy, asked again after 7 s");
        let effects = bench.workbench.apply(act(FetchAction::Cancel));
        assert!(effects.contains(&Effect::Import(ImportEffect::CancelFetch)));
        bench.receive(told(FetchEvent::Ended(first, Ok("{}".into()))));
        assert!(!bench.workbench.shows_import());
        let second = number(&bench.workbench.apply(act(FetchAction::Fetch))).unwrap();
        bench.receive(told(FetchEvent::Ended(second, Err(Fault::Key(401)))));
        let fetching = bench.workbench.import_desk().fetching();
        assert_eq!(fetching.state(), &FetchState::Failed(Fault::Key(401)));
        assert_eq!(fetching.form().run, "run-1");
        assert_eq!(bench.workbench.overlay(), Some(Overlay::FetchRuns));
    }

    #[test]
    fn what_comes_is_shown_to_whoever_waits_and_told_to_others() {
        let mut bench = bench(LangSmith::default());
        let number_of =
            |bench: &mut Bench| number(&bench.workbench.apply(act(FetchAction::Fetch))).unwrap();
        let first = number_of(&mut bench);
        bench.receive(told(FetchEvent::Ended(first, Ok("{}".into()))));
        assert_eq!(bench.workbench.overlay(), None);
        assert!(bench.workbench.shows_import());
        bench.press(Command::GoLibrary);
        let second = number_of(&mut bench);
        bench.receive(told(FetchEvent::Ended(second, Ok("{}".into()))));
        assert_eq!(bench.workbench.here().view, View::List);
        assert_eq!(
            bench.said(),
            ["The runs of LangSmith are here. “Show the drafts of the last import” shows them."]
        );
    }

    #[test]
    fn something_else_that_is_imported_is_not_replaced_by_what_comes() {
        let mut bench = bench(LangSmith::default());
        let number = number(&bench.workbench.apply(act(FetchAction::Fetch))).unwrap();
        let from = IncidentFrom::Text("Why?".into());
        let effects = bench
            .workbench
            .apply(Action::Import(ImportAction::Read(from.clone())));
        assert!(effects.contains(&Effect::Import(ImportEffect::CancelFetch)));
        bench.receive(told(FetchEvent::Ended(number, Ok("{}".into()))));
        assert_eq!(bench.workbench.import.from, Some(from));
    }
}
