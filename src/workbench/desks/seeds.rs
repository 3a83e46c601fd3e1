//! The seeds desk: all open seeds, the seed that answers a call, and new seeds.

mod form;
mod grid;

use std::collections::HashSet;
use std::sync::Arc;

use super::DeskState;
use crate::{Core, Effect, Latest, News, ProjectStart, StepDirection};
use author::seeds::{NewSeed, ProviderMode, SeedAnswer, SeedIndex, SeedRequest, typescript};
use check::change::Change;
use document::{FileKind, Severity};
use protocol::{Cancellable, Desk, DocId, LoadSeeds, LoadedSeeds, PlannedChange, SeedId, SeedsKey};

pub use form::{FormKind, SeedForm};
pub use grid::{Grid, GridRow, GridStep, SeedCell};

/// An action of the seeds desk.
#[derive(Clone, Debug, PartialEq)]
pub enum SeedsAction {
    /// Lists only seeds that contain all of these words.
    Filter(String),
    /// Folds or unfolds a heading: a job, or `None` for the deprecated seeds.
    Fold(Option<Arc<str>>),
    /// Looks up the seed that answers this call.
    LookUp(SeedRequest),
    /// Selects a seed and looks up its key.
    Select(SeedId),
    /// Moves the selection to another seed.
    Move(GridStep),
    /// Shows a seed in the text of its file.
    Open(SeedId),
    /// Sets the values of the form, or closes it.
    Edit(Option<SeedForm>),
    /// Starts a seed for the call that is looked up.
    New,
    /// Starts the seed that the call lacks, with the response that it gets now.
    FromAnswer,
    /// Starts a seed with a trace key that replaces a deprecated one.
    Replace(SeedId),
    /// Applies the edit of the form.
    Apply,
    /// Copies the selected seed as a call, or all listed seeds if none is selected.
    CopyCalls,
}

/// A request to plan an edit of a file of seeds.
/// The view state of the seeds desk.
#[derive(Debug)]
pub struct SeedsDesk {
    pub filter: String,
    folded: HashSet<Option<Arc<str>>>,
    pub question: SeedRequest,
    pub selected: Option<SeedId>,
    pub form: Option<SeedForm>,
    pub loaded: Latest<SeedsKey, Arc<LoadedSeeds>>,
    pub grid: Grid,
    pub answer: Option<SeedAnswer>,
    rewritten: u64,
    pub revision: u64,
}

impl Default for SeedsDesk {
    fn default() -> Self {
        Self {
            filter: String::new(),
            folded: HashSet::new(),
            // Seeds are for tests, and the wildcard applies only in this mode.
            question: SeedRequest { mode: ProviderMode::Test, ..SeedRequest::default() },
            selected: None,
            form: None,
            loaded: Latest::default(),
            grid: Grid::default(),
            answer: None,
            rewritten: 0,
            revision: 0,
        }
    }
}

impl DeskState for SeedsDesk {
    fn subject(&self, _core: &Core) -> Option<DocId> {
        self.selected.map(|seed| seed.doc)
    }

    /// Requests the seeds if the desk is shown and they are out of date.
    fn sync(&mut self, core: &mut Core) {
        if !core.shows(Desk::Seeds) {
            // The seeds are read only while they are shown.
            return core
                .request(self.loaded.cancel().then_some(Effect::Cancel(Cancellable::Seeds)));
        }
        let key = (core.library.items_revision, self.rewritten);
        if core.progress.is_some() || !self.loaded.want(&key) {
            return;
        }
        core.request(Effect::run(LoadSeeds {
            key,
            items: core.library.items.clone(),
            texts: core.library.edited_texts(&[FileKind::Seeds]),
        }));
    }

    fn has_rows(&self) -> bool {
        self.grid.first().is_some()
    }

    fn step(&mut self, _core: &mut Core, step: StepDirection, rows: usize) {
        let rows = isize::try_from(rows).unwrap_or(isize::MAX);
        self.go(GridStep::Rows(step.pick(rows, -rows)));
    }

    fn step_to_end(&mut self, _core: &mut Core, step: StepDirection) {
        self.go(step.pick(GridStep::Last, GridStep::First));
    }

    fn open_selected(&mut self, core: &mut Core) {
        if let Some(seed) = self.selected {
            self.open_seed(core, seed);
        }
    }

    fn close(&mut self, _core: &mut Core) -> bool {
        self.form = None;
        self.revision += 1;
        true
    }

    fn on_news(&mut self, core: &Core, news: &News) {
        let is_seeds = |doc: &DocId| core.library.kind(*doc) == Some(FileKind::Seeds);
        self.rewritten += u64::from(news.rewritten.iter().any(is_seeds));
    }

    fn start_project(&mut self, start: ProjectStart) {
        let old = std::mem::take(self);
        if start == ProjectStart::Again {
            self.filter = old.filter;
            self.folded = old.folded;
            self.question = old.question;
            self.form = old.form;
            self.revision = old.revision + 1;
        }
    }
}

impl SeedsDesk {
    /// The position of the selected seed.
    fn cursor(&self) -> Option<SeedIndex> {
        self.loaded.value.as_deref()?.at(self.selected?)
    }

    fn rebuild(&mut self) {
        self.revision += 1;
        let Some(seeds) = self.loaded.value.clone() else { return };
        self.grid = Grid::build(&seeds, &self.filter, &self.folded);
        self.selected = self.selected.filter(|id| seeds.at(*id).is_some());
        if self.question.model.is_empty() && self.question.schema.is_none() {
            self.select(self.grid.first());
        }
        self.look_up();
    }

    fn look_up(&mut self) {
        self.revision += 1;
        let SeedRequest { schema, job, step, user_text, .. } = &self.question;
        let is_requested = [schema, job, step, user_text].iter().any(|part| part.is_some());
        let seeds = self.loaded.value.as_deref().filter(|_| is_requested);
        self.answer = seeds.map(|seeds| seeds.memory.lookup(&self.question));
    }

    /// Selects a seed and looks up its key, as far as it is known.
    fn select(&mut self, index: Option<SeedIndex>) {
        let (Some(index), Some(seeds)) = (index, self.loaded.value.clone()) else { return };
        self.selected = seeds.id(index);
        // A deprecated key is a hash, from which no call can be looked up.
        let Some(key) = seeds.memory.seed(index).key.trace() else { return self.revision += 1 };
        let text_of = |part: Option<&Arc<str>>| part.map(|part| part.to_string());
        self.question.schema = text_of(key.schema.known());
        self.question.model = text_of(key.model.known()).unwrap_or_default();
        self.question.job = text_of(key.job.known());
        self.question.round = key.round.known().copied().unwrap_or_default();
        self.look_up();
    }

    fn go(&mut self, step: GridStep) {
        self.select(self.grid.step(self.cursor(), step));
    }

    /// Handles an action of the seeds desk.
    pub(crate) fn act(&mut self, core: &mut Core, action: SeedsAction) {
        self.revision += 1;
        match action {
            SeedsAction::Filter(filter) => {
                self.filter = filter;
                self.rebuild();
            }
            SeedsAction::Fold(heading) => {
                if !self.folded.remove(&heading) {
                    self.folded.insert(heading);
                }
                self.rebuild();
            }
            SeedsAction::LookUp(question) => {
                self.question = question;
                self.look_up();
            }
            SeedsAction::Select(id) => {
                self.select(self.loaded.value.as_deref().and_then(|seeds| seeds.at(id)));
            }
            SeedsAction::Move(step) => self.go(step),
            SeedsAction::Open(id) => self.open_seed(core, id),
            SeedsAction::Edit(form) => self.form = form,
            SeedsAction::New => self.begin_form(core, None),
            SeedsAction::FromAnswer => {
                self.begin_form(core, self.answer.as_ref().and_then(|answer| answer.seed));
            }
            SeedsAction::Replace(id) => {
                let seeds = self.loaded.value.as_deref();
                self.form = seeds.and_then(|seeds| SeedForm::replacing(seeds, id));
            }
            SeedsAction::Apply => self.apply_form(core),
            SeedsAction::CopyCalls => self.copy_calls(core),
        }
    }

    fn open_seed(&self, core: &mut Core, id: SeedId) {
        let seeds = self.loaded.value.clone();
        let index = seeds.as_deref().and_then(|seeds| Some((seeds, seeds.at(id)?)));
        let Some((seeds, index)) = index else { return };
        core.reveal(id.doc, seeds.memory.seed(index).mark.span);
    }

    fn begin_form(&mut self, core: &mut Core, body: Option<SeedIndex>) {
        let Some(seeds) = self.loaded.value.as_deref() else { return };
        let library = &core.library;
        let is_writable = |doc: &DocId| library.get(*doc).is_some_and(form::takes_seeds);
        let nearest_doc = body.or(self.cursor()).and_then(|row| seeds.id(row)).map(|id| id.doc);
        // In the file of the seed that is looked at, unless that seed is in test code.
        let file = nearest_doc.filter(is_writable).or_else(|| seeds.docs().find(is_writable));
        let body =
            body.and_then(|row| seeds.memory.seed(row).response.known()).map_or("", |body| body);
        self.form = Some(SeedForm::for_call(&self.question, body, file));
    }

    fn apply_form(&mut self, core: &mut Core) {
        let Some(form) = &self.form else { return };
        match form.change() {
            Ok((doc, change)) => {
                core.request(core.plan_change(doc, Change::Seed(change)));
            }
            Err(reason) => core.refuse(Severity::Warning, format!("{reason}.")),
        }
    }

    fn copy_calls(&mut self, core: &mut Core) {
        let Some(loaded_seeds) = self.loaded.value.clone() else { return };
        let indexes = match self.cursor() {
            Some(index) => vec![index],
            None => self.grid.listed(),
        };
        let seeds: Vec<NewSeed> = indexes
            .iter()
            .map(|index| loaded_seeds.memory.seed(*index))
            // A seed that code computes has no value to copy.
            .filter_map(NewSeed::from_seed)
            .collect();
        if seeds.is_empty() {
            core.notify(Severity::Note, "The code computes this seed, so its value is unknown.");
            return;
        }
        core.copy(typescript(&seeds));
    }

    pub(crate) fn on_loaded(
        &mut self,
        core: &mut Core,
        key: &SeedsKey,
        seeds: Result<Arc<LoadedSeeds>, String>,
    ) {
        if self.loaded.accept(key) {
            // After a failure, the previous seeds stay.
            let seeds = core.or_notify(seeds).or(self.loaded.value.take());
            self.loaded.value = Some(seeds.unwrap_or_default());
            self.rebuild();
        }
    }

    pub(crate) fn on_planned(&mut self, core: &mut Core, plan: PlannedChange) {
        let file = core.library.name_of(plan.first.0).to_owned();
        if !core.edit_file(plan) {
            return;
        }
        let form = self.form.take();
        if let Some(key) = form.and_then(|form| form.question()) {
            let mode = self.question.mode;
            self.question = SeedRequest { mode, ..key };
        }
        core.notify(Severity::Note, format!("Added to {file}, not saved yet."));
    }
}

#[cfg(test)]
mod tests;
