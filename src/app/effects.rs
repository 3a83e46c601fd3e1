//! Runs effects: each is passed to the engine or to the desktop.

use super::{AppShell, DialogAnswer, SystemServices};
use crate::engine::{TextQuestion, TextSnapshot};
use crate::workbench::{CurrentDocument, DocId, Effect, EngineEvent, SessionsEffect, TapesEffect};

impl<S: SystemServices> AppShell<S> {
    /// Runs the workbench's effects; slow work is passed to the engine.
    pub(super) fn perform(&mut self, ctx: &egui::Context, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Run(request) => self.engine.run(request),
                Effect::Cancel(request) => self.engine.cancel(request),
                Effect::Plan { doc, edit, .. } => self.query_text(doc, TextQuestion::Plan(edit)),
                Effect::Batch(batch, docs) => {
                    let texts = self.current_documents(docs);
                    self.engine.plan_batch(batch, texts);
                }
                Effect::Sessions(SessionsEffect::Plan(doc, _, edit)) => {
                    self.query_text(doc, TextQuestion::EditSession(edit));
                }
                Effect::Tapes(TapesEffect::PlanEdit(doc, _, cut)) => {
                    self.query_text(doc, TextQuestion::EditTape(cut));
                }
                Effect::Pick(dialog) => {
                    let answer = DialogAnswer {
                        to_shell: self.dialog.0.clone(),
                        dialog: dialog.clone(),
                        ctx: ctx.clone(),
                    };
                    self.system.pick(dialog, answer);
                }
                Effect::Copy(text) => ctx.copy_text(text),
                Effect::Remember(remembered) => {
                    if let Err(reason) = self.system.remember(&remembered) {
                        let effects = self.workbench.receive(EngineEvent::Failed(reason));
                        debug_assert!(effects.is_empty());
                    }
                }
                Effect::Quit => {
                    self.closing = true;
                    ctx.send_viewport_cmd(egui::ViewportCommand::Close);
                }
            }
        }
    }

    /// Returns documents with their present texts.
    fn current_documents(&self, docs: Vec<DocId>) -> Vec<CurrentDocument> {
        let library = self.workbench.library();
        let current = docs.into_iter().filter_map(|doc| library.current(doc));
        current.collect()
    }

    /// Sends a request about a document's present text.
    fn query_text(&self, doc: DocId, question: TextQuestion) {
        let library = self.workbench.library();
        let item = library.share_edited(doc);
        if let (Some(item), Some((source, revision))) = (item, library.text(doc)) {
            let source = source.clone();
            let text = TextSnapshot {
                doc,
                item,
                revision,
                source,
            };
            self.engine.query_text(text, question);
        }
    }
}
