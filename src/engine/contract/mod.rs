//! Finds and evaluates a session's contract for the window, on separate threads.

mod answers;
mod config;
mod evaluate;
mod lookup;
mod run_commands;
#[cfg(test)]
mod tests;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::engine::disk::project::Project;
use crate::engine::disk::reader;
use crate::engine::event_sender::BackgroundJob;
use crate::engine::runner::Engine;
use crate::format::{self, Document};
use crate::ops::diff::outline::Outline;
use crate::ops::diff::text::TextDiff;
use crate::ops::edit::{self, Edit, JsonValue};
use crate::ops::session::{SessionListing, add};
use crate::text::{Source, TextEdit};
use crate::workbench::{
    ConfigEdit, ContractEvent, ContractRequest, CurrentDocument, EngineEvent, FindAnswers,
    PlannedConfig, PlannedEdit, SessionsEvent,
};

pub use evaluate::{ContractEvaluation, evaluate_contracts, listed_sessions};

/// The running lookups.
#[derive(Default)]
pub(super) struct ContractJobs {
    lookup: BackgroundJob,
    answers: BackgroundJob,
    plan: BackgroundJob,
}

impl ContractJobs {
    pub(super) fn stop(&mut self) {
        self.lookup.stop();
        self.answers.stop();
        self.plan.stop();
    }
}

impl Engine {
    /// Finds a session's contract and evaluates it; the result arrives as [`ContractEvent::Found`].
    pub fn look_up_contract(&mut self, wanted: ContractRequest) {
        self.contract.lookup.stop();
        self.contract.lookup = self.spawn_contract_job("retake contract", move |project, _| {
            let look = catch_unwind(AssertUnwindSafe(|| {
                lookup::look_up_contract(project, &wanted)
            }));
            Some(ContractEvent::Found(wanted.key, Arc::new(look.ok()?)))
        });
    }

    /// Finds answers that a contract can be tested on; the result arrives as [`ContractEvent::Answers`].
    pub fn find_answers(&mut self, wanted: FindAnswers) {
        self.contract.answers.stop();
        self.contract.answers =
            self.spawn_contract_job("retake answers", move |project, cancel| {
                let found = answers::find(project, &wanted, cancel)?;
                Some(ContractEvent::Answers(wanted.query, Arc::new(found)))
            });
    }

    /// Plans an edit of a configuration; the result arrives as [`ContractEvent::Planned`].
    pub fn plan_config(&mut self, wanted: CurrentDocument, edit: ConfigEdit) {
        self.contract.plan.stop();
        let generation = self.generation;
        self.contract.plan = self.spawn_contract_job("retake config", move |project, _| {
            let planned = catch_unwind(AssertUnwindSafe(|| {
                plan_config_edit(project, &wanted, &edit)
            }));
            let planned =
                planned.unwrap_or_else(|_| Err("Internal error; please report it".to_owned()));
            let doc = wanted.doc;
            Some(ContractEvent::Planned(
                generation,
                doc,
                edit,
                Box::new(planned),
            ))
        });
    }

    /// Runs one job on its own thread.
    fn spawn_contract_job(
        &self,
        name: &str,
        work: impl FnOnce(&Project, &AtomicBool) -> Option<ContractEvent> + Send + 'static,
    ) -> BackgroundJob {
        let Some(project) = self.project.clone() else {
            return BackgroundJob::default();
        };
        let sender = self.sender.clone();
        let job = BackgroundJob::start(name, move |cancel| {
            let event = work(&project, cancel);
            if let Some(event) = event.filter(|_| !cancel.load(Ordering::Relaxed)) {
                let event = SessionsEvent::Contract(event);
                sender.send(EngineEvent::Sessions(event), cancel);
            }
        });
        job.unwrap_or_else(|error| {
            self.fail(format!("Cannot start a thread to read: {error}"));
            BackgroundJob::default()
        })
    }
}

fn plan_config_edit(
    project: &Project,
    wanted: &CurrentDocument,
    edit: &ConfigEdit,
) -> Result<PlannedConfig, String> {
    let CurrentDocument { doc, item, text } = wanted;
    let read = |source: Source| format::read(source, item.file_name());
    let (base, before) = match text {
        Some((revision, source)) => (Some(*revision), read(source.clone())),
        None => (None, project.read(doc.index(), item)?),
    };
    let edit = config_edit(&before, edit)?;
    let mut after = before.source().text().to_owned();
    edit.apply(&mut after);
    let document = read(Source::new(after));
    let diff = TextDiff::new(before.source(), document.source(), Outline::Plain);
    Ok(PlannedConfig {
        edit: PlannedEdit {
            doc: *doc,
            base,
            text: before.source().clone(),
            edit,
            item: reader::row_for_document(project, doc.index(), item, &document).map(Arc::new),
            document: Arc::new(document),
        },
        diff: Arc::new(diff),
    })
}

fn config_edit(document: &Document, edit: &ConfigEdit) -> Result<TextEdit, String> {
    let planned = match edit {
        ConfigEdit::List(path) => add(document, SessionListing::File(path))
            .map_err(|refusal| refusal.to_string())?
            .ok_or("The session is already listed")?,
        ConfigEdit::SetType(pointer, kind) => {
            let set = Edit::Set {
                pointer: format!("{pointer}/type"),
                value: JsonValue::text(kind),
            };
            edit::plan(&document.tree, &set).map_err(|refusal| refusal.to_string())?
        }
    };
    Ok(planned)
}
