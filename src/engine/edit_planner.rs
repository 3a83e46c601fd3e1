//! Answers requests about texts that are being edited: parses, plans edits and compares, on its own thread.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::engine::disk::project::Project;
use crate::engine::tasks::parse;
use crate::format;
use crate::ops::Item;
use crate::ops::edit::{self, Edit};
use crate::ops::session::SessionEdit;
use crate::ops::tape::edits::{self, TapeEdit};
use crate::text::Source;
use crate::workbench::{DocId, EngineEvent, PlannedChange, Revision, SessionsEvent, TapesEvent};

/// A text that is being edited, at one moment.
#[derive(Clone, Debug)]
pub struct TextSnapshot {
    /// The document.
    pub doc: DocId,
    /// The document's item, as it was last read.
    pub item: Arc<Item>,
    /// The revision of the text.
    pub revision: Revision,
    /// The text.
    pub source: Source,
}

/// A request about a text.
#[derive(Clone, Debug)]
pub enum TextQuestion {
    /// Plan an edit of a value.
    Plan(Edit),
    /// Plan an edit of a tape.
    EditTape(TapeEdit),
    /// Plan an edit of a session.
    EditSession(SessionEdit),
}

/// Answers a request. Never panics: an internal error is reported like an error in the file.
pub(super) fn answer(
    project: &Project,
    text: &TextSnapshot,
    question: &TextQuestion,
) -> EngineEvent {
    let (doc, revision) = (text.doc, text.revision);
    let fault = "Internal error; please report it";
    match question {
        TextQuestion::Plan(edit) => {
            let planned = catch_unwind(AssertUnwindSafe(|| plan(project, text, edit)));
            let planned = planned.unwrap_or_else(|_| Err(fault.to_owned()));
            EngineEvent::EditPlanned(doc, revision, planned)
        }
        TextQuestion::EditTape(cut) => {
            let planned = catch_unwind(AssertUnwindSafe(|| plan_tape_edit(project, text, cut)));
            match planned.unwrap_or_else(|_| Err(fault.to_owned())) {
                Ok(Some(planned)) => EngineEvent::EditPlanned(doc, revision, Ok(planned)),
                Ok(None) => EngineEvent::Tapes(TapesEvent::Unchanged(doc, revision)),
                Err(reason) => EngineEvent::EditPlanned(doc, revision, Err(reason)),
            }
        }
        TextQuestion::EditSession(edit) => {
            let planned = catch_unwind(AssertUnwindSafe(|| plan_session(project, text, edit)));
            let planned = Box::new(planned.unwrap_or_else(|_| Err(fault.to_owned())));
            EngineEvent::Sessions(SessionsEvent::Planned(doc, revision, planned))
        }
    }
}

fn plan_tape_edit(
    project: &Project,
    text: &TextSnapshot,
    cut: &TapeEdit,
) -> Result<Option<PlannedChange>, String> {
    let document = format::read(text.source.clone(), text.item.file_name());
    let planned = edits::plan(&document, cut).map_err(|refusal| refusal.to_string())?;
    let Some(planned) = planned else {
        return Ok(None);
    };
    let mut edited = text.source.text().to_owned();
    planned.edit.apply(&mut edited);
    let parsed = parse(project, text.doc, &text.item, Source::new(edited));
    Ok(Some(PlannedChange {
        name: cut.name(),
        edit: planned.edit,
        parsed,
        remark: planned.remark,
    }))
}

fn plan_session(
    project: &Project,
    text: &TextSnapshot,
    edit: &SessionEdit,
) -> Result<Option<PlannedChange>, String> {
    let document = format::read(text.source.clone(), text.item.file_name());
    let planned = edit
        .plan(&document)
        .map_err(|refusal| refusal.to_string())?;
    Ok(planned.map(|planned| {
        let mut edited = text.source.text().to_owned();
        planned.apply(&mut edited);
        let parsed = parse(project, text.doc, &text.item, Source::new(edited));
        PlannedChange {
            name: edit.label(),
            edit: planned,
            parsed,
            remark: None,
        }
    }))
}

fn plan(project: &Project, text: &TextSnapshot, edit: &Edit) -> Result<PlannedChange, String> {
    let document = format::read(text.source.clone(), text.item.file_name());
    let planned = edit::plan(&document.tree, edit).map_err(|refusal| refusal.to_string())?;
    let followers = edit::followers(&document.tree, edit);
    let remark = followers.first().map(|alias| {
        format!(
            "The alias {} at line {} refers to the changed value, so its value changes too",
            alias.raw(),
            alias.place().line
        )
    });
    let name = edit::describe_edit(&document, edit);
    let mut edited = text.source.text().to_owned();
    planned.apply(&mut edited);
    let parsed = parse(project, text.doc, &text.item, Source::new(edited));
    Ok(PlannedChange {
        name,
        edit: planned,
        parsed,
        remark,
    })
}
