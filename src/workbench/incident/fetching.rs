//! Runs that are fetched from LangSmith: the form that says which, and how far it is.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use super::filter::starts;
use super::{ImportDesk, ImportEffect, IncidentFrom, RunFilter};
use crate::format::Severity;
use crate::ops::diff::counted;
use crate::ops::import::Status;
use crate::ops::live::langsmith::{Fault, Progress, Wanted, run_id};
use crate::workbench::action::Overlay;
use crate::workbench::event::Effect;
use crate::workbench::navigation::Desk;
use crate::workbench::state::Workbench;

/// How many runs of a project are fetched if nobody says otherwise.
const LIMIT: usize = 100;

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

/// Whether one run is fetched, or those of a project.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FetchOf {
    /// A run, with all beneath it.
    #[default]
    Run,
    /// Runs of a project.
    Project,
}

/// What is fetched, as somebody types it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FetchForm {
    /// Which of both is meant.
    pub of: FetchOf,
    /// The id of a run, or the address of its page.
    pub run: String,
    /// The name of a project.
    pub project: String,
    /// Which of the project's runs; the longest is not asked for.
    pub filter: RunFilter,
    /// How many of the project's runs at most.
    pub limit: String,
}

impl Default for FetchForm {
    fn default() -> Self {
        Self {
            of: FetchOf::default(),
            run: String::new(),
            project: String::new(),
            filter: RunFilter {
                status: Status::Error,
                ..RunFilter::default()
            },
            limit: LIMIT.to_string(),
        }
    }
}

/// A field of the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FetchField {
    /// The run.
    Run,
    /// The project.
    Project,
    /// From when on.
    Since,
    /// Until when.
    Until,
    /// The shortest.
    Least,
    /// How many.
    Limit,
}

/// What is said of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldCheck {
    /// How it is understood.
    Understood(String),
    /// Nothing stands in it where something has to; in a few words what.
    Needed(&'static str),
    /// What is wrong, in a few words.
    Wrong(&'static str),
}

impl FetchForm {
    /// The fields that count, from the top down.
    pub fn fields(&self) -> &'static [FetchField] {
        match self.of {
            FetchOf::Run => &[FetchField::Run],
            FetchOf::Project => &[
                FetchField::Project,
                FetchField::Since,
                FetchField::Until,
                FetchField::Least,
                FetchField::Limit,
            ],
        }
    }

    /// What is to be said of a field.
    pub fn check(&self, field: FetchField) -> FieldCheck {
        let understood = |words: &str| FieldCheck::Understood(words.to_owned());
        match field {
            FetchField::Run if self.run.trim().is_empty() => {
                FieldCheck::Needed("name a run by its id or its address")
            }
            FetchField::Run => match run_id(&self.run) {
                Some(id) if id == self.run.trim() => understood("with all runs beneath it"),
                Some(id) => FieldCheck::Understood(format!("run {id}")),
                None if self.run.contains("://") => {
                    FieldCheck::Wrong("no run's address: that has /r/ and the run's id")
                }
                None => FieldCheck::Wrong("an id has no spaces and no signs but - and _"),
            },
            FetchField::Project if self.project.trim().is_empty() => {
                FieldCheck::Needed("name a project")
            }
            FetchField::Project => understood("its root runs, each with all beneath it"),
            FetchField::Since => time(&self.filter.since, "however long ago", "on"),
            FetchField::Until => time(&self.filter.until, "until now", "excluded"),
            FetchField::Least if self.filter.least.trim().is_empty() => understood("however short"),
            FetchField::Least => match self.filter.least.trim().parse::<u32>() {
                Ok(_) => understood("ms or longer"),
                Err(_) => FieldCheck::Wrong("a whole number of milliseconds, such as 2000"),
            },
            FetchField::Limit => match self.most() {
                Some(_) => understood("runs at most"),
                None => FieldCheck::Wrong("a whole number from 1 on"),
            },
        }
    }

    /// What is fetched at this time.
    ///
    /// # Errors
    ///
    /// What stands in the way, in a few words.
    pub fn wanted(&self, now: Timestamp) -> Result<Wanted, &'static str> {
        let faults = self.fields().iter().map(|field| self.check(*field));
        for fault in faults {
            if let FieldCheck::Needed(words) | FieldCheck::Wrong(words) = fault {
                return Err(words);
            }
        }
        Ok(match self.of {
            FetchOf::Run => Wanted::Run(run_id(&self.run).unwrap_or_default().to_owned()),
            FetchOf::Project => Wanted::Project {
                name: self.project.trim().to_owned(),
                filter: self.filter.filter(now),
                limit: self.most().unwrap_or(LIMIT),
            },
        })
    }

    /// What is asked, as far as it is known, each with its method.
    pub fn questions(&self) -> [(&'static str, String); 2] {
        let wanted = match self.of {
            FetchOf::Run => Wanted::Run(run_id(&self.run).unwrap_or("…").to_owned()),
            FetchOf::Project => Wanted::Project {
                name: self.project.trim().to_owned(),
                filter: self.filter.filter(Timestamp::UNIX_EPOCH),
                limit: LIMIT,
            },
        };
        wanted.questions()
    }

    /// What the drafts are called that come of it.
    fn name(&self) -> String {
        match self.of {
            FetchOf::Run => "LangSmith run".to_owned(),
            FetchOf::Project => format!("LangSmith project {}", self.project.trim()),
        }
    }

    /// How many runs of a project at most.
    pub fn most(&self) -> Option<usize> {
        self.limit.trim().parse().ok().filter(|most| *most > 0)
    }
}

fn time(text: &str, empty: &str, after: &str) -> FieldCheck {
    const WRONG: &str = "a date, a time, or a range such as last_7_days";
    if text.trim().is_empty() {
        return FieldCheck::Understood(empty.to_owned());
    }
    match starts(text, Timestamp::UNIX_EPOCH) {
        None => FieldCheck::Wrong(WRONG),
        Some(start) if start < Timestamp::UNIX_EPOCH => {
            let hours = Timestamp::UNIX_EPOCH.duration_since(start).as_hours();
            let hours = usize::try_from(hours).unwrap_or_default();
            FieldCheck::Understood(match hours.checked_rem(24) {
                Some(0) => format!("{} before now", counted(hours / 24, "day", "days")),
                _ => format!("{} before now", counted(hours, "hour", "hours")),
            })
        }
        Some(start) => {
            FieldCheck::Understood(format!("{} UTC, {after}", start.strftime("%Y-%m-%d %H:%M")))
        }
    }
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
        let runs = counted(progress.taken, "run", "runs");
        let all = match progress.came > progress.taken {
            true => format!(", {} with those beneath them", progress.came),
            false => String::new(),
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
