//! A workbench for tests that carries out effects at once, with files in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::Command;
use crate::{Action, Effect, Workbench};
use author::saving::{Fingerprint, ReadOnly, SaveFailure, SaveFault, Saved};
use author::seeds;
use calls::{Item, ItemFacts};
use check::change::Change;
use document::FileKind;
use document::edit::{Edit, JsonValue};
use document::text::{Source, TextEdit};
use protocol::{
    Cancellable, CurrentDocument, DiscardDraft, DocId, EngineEvent, Lane, ListedSession, LoadSeeds,
    LoadedSeeds, LocateDraft, ParsedText, PlanBatch, PlanChange, PlannedEdit, ProjectInfo,
    ReadDocument, ReadProgress, Remembered, Request, SaveDocument, SessionId, SessionsEvent,
};

pub(super) struct Bench {
    pub(super) workbench: Workbench,
    /// The contents of the files.
    pub(super) disk: BTreeMap<DocId, String>,
    /// Files that are read-only.
    pub(super) read_only: BTreeSet<DocId>,
    /// The texts that files get in place of those that are saved.
    pub(super) stable: BTreeMap<DocId, String>,
    /// The requested effects, except for reading.
    pub(super) requested: Vec<String>,
}

pub(super) fn doc(index: usize) -> DocId {
    DocId::new(index)
}

/// Parses a text, as a file with this name.
pub(super) fn parsed(text: Source, name: &str) -> ParsedText {
    ParsedText { document: Arc::new(document::read(text, name)), item: None }
}

impl Bench {
    /// Opens files with these names and texts, and loads each.
    pub(super) fn open(files: &[(&str, &str)]) -> Self {
        let mut bench = Self {
            workbench: Workbench::new(Remembered::default()),
            disk: BTreeMap::new(),
            read_only: BTreeSet::new(),
            stable: BTreeMap::new(),
            requested: Vec::new(),
        };
        let generation = 1;
        bench.receive(EngineEvent::ScanStarted { generation, project: ProjectInfo::default() });
        let item = |name: &str| {
            let is_seeds = name.ends_with(".seeds.json") || document::code::is_code(name);
            let kind = if name.ends_with(".tape.json") {
                FileKind::Tape
            } else {
                if is_seeds { FileKind::Seeds } else { FileKind::Unknown }
            };
            Arc::new(Item::from(ItemFacts { kind, ..ItemFacts::new(name) }))
        };
        let items = files.iter().map(|(name, _)| item(name)).collect();
        bench.receive(EngineEvent::ItemsFound { generation, items });
        bench.receive(EngineEvent::ScanEnded {
            generation,
            progress: ReadProgress::default(),
            cancelled: false,
        });
        for (index, (_, text)) in files.iter().enumerate() {
            bench.disk.insert(doc(index), (*text).to_owned());
            bench.act(Action::Select(doc(index)));
        }
        bench
    }

    pub(super) fn act(&mut self, action: Action) {
        let effects = self.workbench.apply(action);
        self.perform(effects);
        let effects = self.workbench.refresh();
        self.perform(effects);
    }

    pub(super) fn press(&mut self, command: Command) {
        self.act(Action::Run(command));
    }

    pub(super) fn receive(&mut self, event: EngineEvent) {
        let effects = self.workbench.receive(event);
        self.perform(effects);
        let effects = self.workbench.refresh();
        self.perform(effects);
    }

    /// Sets a value, written in JSON.
    pub(super) fn set(&mut self, doc: DocId, pointer: &str, json: &str) {
        let (_, base) = self.workbench.core.library.text(doc).unwrap();
        let edit =
            Edit::Set { pointer: pointer.to_owned(), value: JsonValue::parse(json).unwrap() };
        self.act(Action::EditValue { doc, base, change: Change::Value(edit) });
    }

    /// Replaces the first occurrence of `old` by typing.
    pub(super) fn type_over(&mut self, doc: DocId, old: &str, new: &str) {
        let (source, base) = self.workbench.core.library.text(doc).unwrap();
        let start = source.text().find(old).unwrap();
        let range = start..start + old.len();
        let new = new.to_owned();
        let edit = TextEdit { range, new };
        self.act(Action::EditText { doc, base, edit, name: None });
    }

    /// Simulates that another program writes a file.
    pub(super) fn write_outside(&mut self, doc: DocId, text: &str) {
        self.disk.insert(doc, text.to_owned());
        self.workbench.core.check_disk(doc);
        self.perform_requested();
    }

    pub(super) fn text(&self, doc: DocId) -> &str {
        self.workbench.core.library.text(doc).unwrap().0.text()
    }

    pub(super) fn steps(&self) -> Vec<&str> {
        let journal = &self.workbench.core.journal;
        let steps = journal.steps[..journal.done].iter();
        steps.map(|step| step.name.as_str()).collect()
    }

    pub(super) fn unsaved(&self) -> Vec<usize> {
        let copies = self.workbench.core.library.unsaved();
        copies.map(|(doc, _)| doc.index()).collect()
    }

    pub(super) fn notice_texts(&self) -> Vec<&str> {
        let notices = self.workbench.core.notices.iter();
        notices.map(|notice| notice.text.as_str()).collect()
    }

    /// Performs what a method of the workbench requested.
    pub(super) fn perform_requested(&mut self) {
        let effects = std::mem::take(&mut self.workbench.core.effects);
        self.perform(effects);
    }

    pub(super) fn perform(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            if let Some(event) = self.answer(&effect) {
                self.receive(event);
            }
        }
    }

    fn answer(&mut self, effect: &Effect) -> Option<EngineEvent> {
        match effect {
            Effect::Run(request) => return self.run(request),
            Effect::Quit => self.requested.push("quit".to_owned()),
            Effect::Cancel(Cancellable::Command) => self.requested.push("stop".to_owned()),
            _ => {}
        }
        None
    }

    /// Answers the requests that tests need.
    fn run(&mut self, request: &Request) -> Option<EngineEvent> {
        let description = match request {
            Request::ReadDocument(ReadDocument { doc, item }) => {
                let text = self.disk.get(doc).ok_or("It is gone".to_owned());
                let read_text =
                    |text| Arc::new(document::read(Source::new(text), item.file_name()));
                return Some(EngineEvent::Opened(*doc, text.map(read_text)));
            }
            Request::ParseText(parse) => {
                let text = parsed(parse.text.clone(), parse.item.file_name());
                return Some(EngineEvent::Parsed(parse.doc, parse.revision, Ok(text)));
            }
            Request::Compute(work) if work.lane == Lane::Texts => return Some((work.run)(None)),
            Request::SaveDocument(request) => {
                return Some(EngineEvent::Saved(request.doc, self.save(request)));
            }
            Request::LocateDraft(LocateDraft { draft, items }) => {
                let path = draft.path.to_string_lossy();
                let entry = items.iter().find(|(_, item)| *item.path == *path);
                return Some(EngineEvent::Located(draft.id, entry.map(|(doc, _)| doc)));
            }
            Request::PrepareTape(request) => {
                return Some(crate::desks::tapes::answer(request));
            }
            Request::ListSessions(request) => {
                let yaml_items =
                    request.items.iter().filter(|(_, item)| item.path.ends_with(".yaml"));
                let sessions = yaml_items.map(|(doc, item)| ListedSession {
                    id: SessionId::file(doc),
                    name: item.label().into(),
                    place: item.root_path().into(),
                });
                let event = SessionsEvent::Listed(request.key, Ok(sessions.collect()));
                return Some(EngineEvent::Sessions(event));
            }
            Request::LoadSeeds(request) => return Some(self.load_seeds(request)),
            Request::PlanBatch(PlanBatch(plan)) => return Some(self.plan(plan)),
            Request::PlanChange(plan) => {
                // A test answers when the dialog is shown.
                let is_answered = !matches!(plan.change, Change::Config(_));
                return is_answered.then(|| self.plan(plan));
            }
            Request::KeepDraft(request) => format!("keep {}", request.doc.index()),
            Request::ForgetDraft(request) => format!("forget {}", request.doc.index()),
            Request::RunAudit(_) => "audit".to_owned(),
            Request::Scan(_) => "scan".to_owned(),
            Request::RunCommand(request) => format!("run {}", request.command),
            Request::DiscardDraft(DiscardDraft(id)) => format!("discard draft {id}"),
            _ => return None,
        };
        self.requested.push(description);
        None
    }

    fn load_seeds(&self, request: &LoadSeeds) -> EngineEvent {
        let library = &self.workbench.core.library;
        let text_of = |doc: DocId| match library.text(doc) {
            Some((text, _)) => text.clone(),
            None => Source::new(&*self.disk[&doc]),
        };
        let seed_items = request.items.iter().filter(|(_, item)| item.kind == FileKind::Seeds);
        let files = seed_items.map(|(doc, item)| {
            let document = document::read(text_of(doc), item.file_name());
            let path = item.root_path().into();
            let seeds = seeds::seeds_of(&document).into();
            (doc, seeds::SeedFile { path, seeds })
        });
        let loaded_seeds = Arc::new(LoadedSeeds::new(files.collect()));
        EngineEvent::SeedsLoaded(request.key, Ok(loaded_seeds))
    }

    /// Plans a change, in the loaded texts or those on disk. Stamps are planned without their source.
    fn plan(&self, request: &PlanChange) -> EngineEvent {
        let mut planned_change = request.empty_plan();
        for CurrentDocument { doc, item, text } in &request.documents {
            let (base, text) = match text {
                Some((revision, text)) => (Some(*revision), text.clone()),
                None => (None, Source::new(&*self.disk[doc])),
            };
            let document = document::read(text.clone(), item.file_name());
            let change = request.change.of_item(item);
            match change.map_or(Ok(None), |change| change.plan(&document)) {
                Ok(None) => {}
                Err(reason) => planned_change.skipped.push((*doc, reason)),
                Ok(Some(plan)) => {
                    let mut new_text = text.text().to_owned();
                    plan.edit.apply(&mut new_text);
                    planned_change.edits.push(PlannedEdit {
                        doc: *doc,
                        base,
                        text,
                        edit: plan.edit,
                        parsed: parsed(Source::new(new_text), item.file_name()),
                    });
                    let count = planned_change.edits.len();
                    planned_change.name = request.change.name(&document, item.file_name(), count);
                }
            }
        }
        EngineEvent::ChangePlanned(request.generation, planned_change)
    }

    fn save(&mut self, request: &SaveDocument) -> Result<Saved, SaveFault> {
        let disk_text = self.disk.get(&request.doc);
        let is_read_only = self.read_only.contains(&request.doc);
        let reason = match (disk_text, &request.base) {
            (None, Some(_)) => Some(SaveFailure::FileGone),
            (Some(disk_text), base) if base.as_ref().map(Source::text) != Some(disk_text) => {
                Some(SaveFailure::Changed {
                    now: Fingerprint::from_bytes(disk_text.as_bytes()),
                    theirs: disk_text.as_bytes().into(),
                })
            }
            _ if is_read_only && request.read_only == ReadOnly::Refuse => {
                Some(SaveFailure::ReadOnlyFile)
            }
            _ => None,
        };
        if let Some(reason) = reason {
            let path = Arc::from("a file");
            return Err(SaveFault { path, reason });
        }
        let stable_text = self.stable.get(&request.doc).map(|text| Source::new(text.as_str()));
        let text = stable_text.as_ref().unwrap_or(&request.text).text().to_owned();
        let fingerprint = Fingerprint::from_bytes(text.as_bytes());
        self.disk.insert(request.doc, text);
        let remarks = Vec::new();
        Ok(Saved { now: fingerprint, remarks, stable: stable_text })
    }
}
