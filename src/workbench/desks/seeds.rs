//! The seeds desk: all open seeds, the seed that answers a call, and new seeds.

mod form;
mod grid;
mod loaded;

use std::collections::HashSet;
use std::sync::Arc;

use crate::format::{FileKind, Severity};
use crate::ops::change::Change;
use crate::ops::seeds::{NewSeed, ProviderMode, SeedAnswer, SeedIndex, SeedRequest, typescript};
use crate::text::Source;
use crate::workbench::core::effect::Effect;
use crate::workbench::core::items::Items;
use crate::workbench::core::library::DocId;
use crate::workbench::core::navigation::{Desk, DeskView, Location};
use crate::workbench::core::planning::PlannedChange;
use crate::workbench::core::task::TaskRequest;
use crate::workbench::state::Workbench;

pub use form::{FormKind, SeedForm};
pub use grid::{Grid, GridRow, GridStep, SeedCell};
pub use loaded::{LoadedSeeds, ResponsePreview};

/// Identifies a seed while its file is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SeedId {
    pub doc: DocId,
    /// Its position in the document, from 0.
    pub index: usize,
}

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

/// An event of the seeds desk.
#[derive(Clone, Debug)]
pub enum SeedsEvent {
    /// All seeds, as requested with this key.
    Loaded(SeedsKey, Result<Arc<LoadedSeeds>, String>),
}

/// The revision of the items, and how often files of seeds were rewritten.
pub type SeedsKey = (u64, u64);

/// A request to read all seeds.
#[derive(Debug)]
pub struct LoadSeeds {
    /// The key that the response carries.
    pub key: SeedsKey,
    pub items: Items,
    /// The texts of edited documents.
    pub texts: Vec<(DocId, Source)>,
}

impl TaskRequest for LoadSeeds {
    fn describe(&self) -> String {
        "reading seeds".to_owned()
    }
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
    pub loaded: Option<Arc<LoadedSeeds>>,
    pub grid: Grid,
    pub answer: Option<SeedAnswer>,
    built: Option<SeedsKey>,
    awaited: Option<SeedsKey>,
    rewritten: u64,
    pub revision: u64,
}

impl Default for SeedsDesk {
    fn default() -> Self {
        Self {
            filter: String::new(),
            folded: HashSet::new(),
            question: SeedRequest {
                mode: ProviderMode::Test,
                ..SeedRequest::default()
            },
            selected: None,
            form: None,
            loaded: None,
            grid: Grid::default(),
            answer: None,
            built: None,
            awaited: None,
            rewritten: 0,
            revision: 0,
        }
    }
}

impl SeedsDesk {
    /// The desk after a reload of its project.
    pub(in crate::workbench) fn after_reload(&mut self) -> Self {
        Self {
            filter: std::mem::take(&mut self.filter),
            folded: std::mem::take(&mut self.folded),
            question: std::mem::take(&mut self.question),
            form: self.form.take(),
            revision: self.revision + 1,
            ..Self::default()
        }
    }

    /// The position of the selected seed.
    fn cursor(&self) -> Option<SeedIndex> {
        let loaded = self.loaded.as_deref()?;
        loaded.at(self.selected?)
    }

    fn rebuild(&mut self) {
        self.revision += 1;
        let Some(loaded) = self.loaded.clone() else {
            return;
        };
        self.grid = Grid::build(&loaded, &self.filter, &self.folded);
        self.selected = self.selected.filter(|id| loaded.at(*id).is_some());
        if self.question.model.is_empty() && self.question.schema.is_none() {
            self.select(self.grid.first());
        }
        self.look_up();
    }

    fn look_up(&mut self) {
        self.revision += 1;
        let SeedRequest {
            schema,
            job,
            step,
            user_text,
            ..
        } = &self.question;
        let is_requested = [schema, job, step, user_text]
            .iter()
            .any(|part| part.is_some());
        let loaded = self.loaded.as_deref().filter(|_| is_requested);
        self.answer = loaded.map(|loaded| loaded.memory.lookup(&self.question));
    }

    /// Selects a seed and looks up its key, as far as it is known.
    fn select(&mut self, at: Option<SeedIndex>) {
        let (Some(at), Some(loaded)) = (at, self.loaded.clone()) else {
            return;
        };
        self.selected = loaded.id(at);
        let Some(key) = loaded.memory.seed(at).key.trace() else {
            return self.revision += 1;
        };
        let known_part = |part: Option<&Arc<str>>| part.map(|part| part.to_string());
        self.question.schema = known_part(key.schema.known());
        self.question.model = known_part(key.model.known()).unwrap_or_default();
        self.question.job = known_part(key.job.known());
        self.question.round = key.round.known().copied().unwrap_or_default();
        self.look_up();
    }

    fn go(&mut self, towards: GridStep) {
        let next = self.grid.step(self.cursor(), towards);
        self.select(next);
    }
}

impl Workbench {
    /// Handles an action of the seeds desk.
    pub(in crate::workbench) fn act_on_seeds(&mut self, action: SeedsAction) {
        let seeds = &mut self.seeds;
        match action {
            SeedsAction::Filter(filter) => {
                seeds.filter = filter;
                seeds.rebuild();
            }
            SeedsAction::Fold(heading) => {
                if !seeds.folded.remove(&heading) {
                    seeds.folded.insert(heading);
                }
                seeds.rebuild();
            }
            SeedsAction::LookUp(question) => {
                seeds.question = question;
                seeds.look_up();
            }
            SeedsAction::Select(id) => {
                let at = seeds.loaded.as_deref().and_then(|loaded| loaded.at(id));
                seeds.select(at);
            }
            SeedsAction::Move(towards) => seeds.go(towards),
            SeedsAction::Open(id) => self.open_seed(id),
            SeedsAction::Edit(form) => {
                seeds.form = form;
                seeds.revision += 1;
            }
            SeedsAction::New => self.begin_form(None),
            SeedsAction::FromAnswer => {
                let answer = self.seeds.answer.as_ref().and_then(|answer| answer.seed);
                self.begin_form(answer);
            }
            SeedsAction::Replace(id) => {
                seeds.form = seeds
                    .loaded
                    .as_deref()
                    .and_then(|loaded| SeedForm::replacing(loaded, id));
                seeds.revision += 1;
            }
            SeedsAction::Apply => self.apply_form(),
            SeedsAction::CopyCalls => self.copy_calls(),
        }
    }

    fn open_seed(&mut self, id: SeedId) {
        let loaded = self.seeds.loaded.clone();
        let at = loaded
            .as_deref()
            .and_then(|loaded| Some((loaded, loaded.at(id)?)));
        let Some((loaded, at)) = at else {
            return;
        };
        let span = loaded.memory.seed(at).mark.span;
        self.act(crate::workbench::Action::Reveal(id.doc, span));
    }

    fn begin_form(&mut self, response: Option<SeedIndex>) {
        let Some(loaded) = self.seeds.loaded.as_deref() else {
            return;
        };
        let library = &self.core.library;
        let is_writable = |doc: &DocId| library.get(*doc).is_some_and(form::takes_seeds);
        let near = response.or(self.seeds.cursor());
        let near = near.and_then(|at| loaded.id(at)).map(|id| id.doc);
        let file = near
            .filter(is_writable)
            .or_else(|| loaded.docs().find(is_writable));
        let response = response.and_then(|at| loaded.memory.seed(at).response.known());
        let response = response.map_or("", |response| response);
        self.seeds.form = Some(SeedForm::for_call(&self.seeds.question, response, file));
        self.seeds.revision += 1;
    }

    fn apply_form(&mut self) {
        let Some(form) = &self.seeds.form else {
            return;
        };
        match form.change() {
            Ok((doc, change)) => {
                let plan = self.core.plan_change(doc, Change::Seed(change));
                self.core.request(plan);
            }
            Err(reason) => {
                self.core.notify(Severity::Warning, format!("{reason}."));
            }
        }
    }

    fn copy_calls(&mut self) {
        let Some(loaded) = self.seeds.loaded.clone() else {
            return;
        };
        let listed = match self.seeds.cursor() {
            Some(at) => vec![at],
            None => self.seeds.grid.listed(),
        };
        let seeds = listed.iter().map(|at| loaded.memory.seed(*at));
        let seeds: Vec<NewSeed> = seeds.filter_map(NewSeed::from_seed).collect();
        if seeds.is_empty() {
            self.core.notify(
                Severity::Note,
                "The code computes this seed, so its value is unknown.",
            );
            return;
        }
        self.core.copy(typescript(&seeds));
    }

    pub(in crate::workbench) fn close_form(&mut self) {
        self.seeds.form = None;
        self.seeds.revision += 1;
    }

    /// Handles an event of the seeds desk.
    pub(in crate::workbench) fn on_seeds_event(&mut self, event: SeedsEvent) {
        match event {
            SeedsEvent::Loaded(key, loaded) if self.seeds.awaited == Some(key) => {
                self.seeds.awaited = None;
                self.seeds.built = Some(key);
                let loaded = self.core.or_notify(loaded).or(self.seeds.loaded.take());
                self.seeds.loaded = Some(loaded.unwrap_or_default());
                self.seeds.rebuild();
            }
            SeedsEvent::Loaded(..) => {}
        }
    }

    pub(in crate::workbench) fn on_seed_planned(&mut self, planned: PlannedChange) {
        let file = self.core.library.name_of(planned.first.0).to_owned();
        if !self.core.edit_file(planned) {
            return;
        }
        let form = self.seeds.form.take();
        if let Some(key) = form.and_then(|form| form.question()) {
            let mode = self.seeds.question.mode;
            self.seeds.question = SeedRequest { mode, ..key };
        }
        self.core
            .notify(Severity::Note, format!("Added to {file}, not saved yet."));
    }

    /// Notes that files were rewritten.
    pub(in crate::workbench) fn on_seed_files_rewritten(&mut self, docs: &[DocId]) {
        let is_seeds = |doc: &DocId| {
            self.core
                .library
                .get(*doc)
                .is_some_and(|item| item.kind == FileKind::Seeds)
        };
        if docs.iter().any(is_seeds) {
            self.seeds.rewritten += 1;
        }
    }

    /// Requests the seeds if the desk is shown and they are out of date.
    pub(in crate::workbench) fn sync_seeds(&mut self) -> Option<Effect> {
        let (desk, view) = (Desk::Seeds, DeskView::List);
        if self.core.here() != (Location { desk, view }) {
            let waited = self.seeds.awaited.take();
            return waited.map(|_| Effect::cancel::<LoadSeeds>());
        }
        let key = (self.core.library.items_revision, self.seeds.rewritten);
        if self.core.progress.is_some()
            || self.seeds.built == Some(key)
            || self.seeds.awaited == Some(key)
        {
            return None;
        }
        self.seeds.awaited = Some(key);
        Some(Effect::run(LoadSeeds {
            key,
            items: self.core.library.items.clone(),
            texts: self.core.library.edited_texts(&[FileKind::Seeds]),
        }))
    }
}

#[cfg(test)]
mod tests;
