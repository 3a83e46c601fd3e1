//! Runs effects: each is passed to the engine or to the desktop.

use super::{AppShell, DialogAnswer, SystemServices};
use crate::engine::{OverlayRequest, TextQuestion, TextSnapshot};
use crate::workbench::{
    CompareEffect, ComparedTape, CurrentDocument, DocId, Effect, EngineEvent, NewTapeEffect,
    NewTapeSource, PictureEffect, SessionsEffect, TapesEffect,
};

impl<S: SystemServices> AppShell<S> {
    /// Runs the workbench's effects; slow work is passed to the engine.
    pub(super) fn perform(&mut self, ctx: &egui::Context, effects: Vec<Effect>) {
        for effect in effects {
            let library = self.workbench.library();
            match effect {
                Effect::Run(request) => self.engine.run(request),
                Effect::Cancel(request) => self.engine.cancel(request),
                Effect::Compare { left, right } => {
                    if let (Some(a), Some(b)) = (library.share(left), library.share(right)) {
                        self.engine.compare((left, a), (right, b));
                    }
                }
                Effect::FindSource(id) => {
                    if let Some(item) = library.share(id) {
                        self.engine.compare_source_versions(id, item);
                    }
                }
                Effect::CancelSideBySide => self.engine.cancel_side_by_side(),
                Effect::Plan { doc, edit, .. } => self.query_text(doc, TextQuestion::Plan(edit)),
                Effect::Batch(batch, docs) => {
                    let texts = self.current_documents(docs);
                    self.engine.plan_batch(batch, texts);
                }
                Effect::Sessions(SessionsEffect::Plan(doc, _, edit)) => {
                    self.query_text(doc, TextQuestion::EditSession(edit));
                }
                Effect::Tapes(effect) => self.perform_on_tapes(effect),
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

    fn perform_on_tapes(&mut self, effect: TapesEffect) {
        match effect {
            TapesEffect::Prepare(doc, revision) => {
                if let Some(document) = self.workbench.library().document(doc) {
                    self.engine.prepare_tape(doc, revision, document.clone());
                }
            }
            TapesEffect::PlanEdit(doc, _, cut) => self.query_text(doc, TextQuestion::EditTape(cut)),
            TapesEffect::PreviewEdit(doc, cut) => {
                if let Some(document) = self.workbench.library().document(doc) {
                    self.engine.try_tape_edit(document.clone(), cut);
                }
            }
            TapesEffect::NewTape(effect) => self.perform_on_new_tape(effect),
            TapesEffect::Picture(PictureEffect::Draw(path, prepared, options)) => {
                self.engine.draw_tape(path, prepared, options);
            }
            TapesEffect::MakeThumbnails(docs) => {
                let texts = self.current_documents(docs);
                self.engine.make_thumbnails(texts);
            }
            TapesEffect::Compare(effect) => self.perform_on_takes(effect),
            TapesEffect::Verify(order) => {
                if let Some(document) = self.workbench.library().document(order.doc) {
                    self.engine.verify_request(order, document.clone());
                }
            }
        }
    }

    fn perform_on_takes(&mut self, effect: CompareEffect) {
        match effect {
            CompareEffect::Rank(doc, others) => {
                let others = self.current_documents(others);
                if let Some(tape) = self.current_documents(vec![doc]).pop() {
                    self.engine.rank_tapes(tape, others);
                }
            }
            CompareEffect::Compare(order, tolerance_nanos) => {
                let other = match order.other {
                    ComparedTape::Open(other) => self.current_documents(vec![other]).pop(),
                    ComparedTape::Head | ComparedTape::File(_) => None,
                };
                if let Some(tape) = self.current_documents(vec![order.doc]).pop() {
                    self.engine.overlay_tape(OverlayRequest {
                        request: order,
                        tape,
                        other,
                        tolerance_nanos,
                    });
                }
            }
            CompareEffect::Filter(order, tolerance_nanos) => {
                let over = self.workbench.tapes_desk().comparison();
                if let Some(takes) = over.result_of(&order).cloned() {
                    self.engine.find_differences(order, takes, tolerance_nanos);
                }
            }
        }
    }

    fn perform_on_new_tape(&mut self, effect: NewTapeEffect) {
        match effect {
            NewTapeEffect::Make(recipe) => {
                let answer = match recipe.origin {
                    NewTapeSource::Answer(doc) => self.current_documents(vec![doc]).pop(),
                    NewTapeSource::Text(_) | NewTapeSource::Path(_) => None,
                };
                self.engine.make_tape(recipe, answer);
            }
            NewTapeEffect::Save(below, text) => self.engine.save_tape(below, text),
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
