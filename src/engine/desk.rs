//! What the window asks of the engine about documents that are being edited.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use crossbeam_channel::{Sender, unbounded};

use super::outlet::Outlet;
use super::project::Project;
use super::runner::Engine;
use super::saves::{Order, Unsaved, Writer};
use super::texts::{Question, Text, answer};
use crate::ops::Item;
use crate::ops::draft::Draft;
use crate::text::Source;
use crate::workbench::{DocId, Items, SaveOrder};

/// The two threads that work on documents: one reads and compares texts, one writes.
pub(super) struct Desk {
    questions: Sender<Asked>,
    /// `None` once everything has to be written.
    orders: Option<Sender<Order>>,
    writer: Option<JoinHandle<()>>,
    /// Nobody takes answers any more.
    closing: Arc<AtomicBool>,
}

/// A question about a text of a project.
struct Asked {
    project: Arc<Project>,
    text: Text,
    question: Question,
}

impl Desk {
    /// Starts the threads. Unsaved edits survive in the state folder, if there is one.
    pub(super) fn start(outlet: &Outlet, state: Option<PathBuf>) -> std::io::Result<Self> {
        let closing = Arc::new(AtomicBool::new(false));
        let (questions, asked) = unbounded::<Asked>();
        let (to_window, closed) = (outlet.clone(), Arc::clone(&closing));
        let texts = thread::Builder::new().name("retake texts".into());
        texts.spawn(move || {
            for asked in asked {
                let event = answer(&asked.project, &asked.text, &asked.question);
                if !to_window.send(event, &closed) {
                    break;
                }
            }
        })?;
        let (orders, ordered) = unbounded::<Order>();
        let (to_window, closed) = (outlet.clone(), Arc::clone(&closing));
        let writer = thread::Builder::new().name("retake save".into());
        let writer = writer.spawn(move || {
            let send = |event| {
                // What is to be written is written even if nobody hears of it.
                let _ = to_window.send(event, &closed);
            };
            Writer::new(state.as_deref(), send).run(&ordered);
        })?;
        Ok(Self {
            questions,
            orders: Some(orders),
            writer: Some(writer),
            closing,
        })
    }

    fn order(&self, order: Order) {
        if let Some(orders) = &self.orders {
            // The thread lives as long as this does.
            let _ = orders.send(order);
        }
    }
}

/// What was asked to be written is written before the engine is gone.
impl Drop for Desk {
    fn drop(&mut self) {
        self.closing.store(true, Ordering::Relaxed);
        self.orders = None;
        if let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
    }
}

impl Engine {
    /// Asks something about a text that is being edited; the answer comes as an event of the same name.
    pub fn ask(&self, text: Text, question: Question) {
        if let Some(project) = self.project.clone() {
            // The thread lives as long as this does.
            let _ = self.desk.questions.send(Asked {
                project,
                text,
                question,
            });
        }
    }

    /// Writes a document to its file; the answer is [`Event::Saved`].
    pub fn save(&self, item: Arc<Item>, order: SaveOrder) {
        self.order(|project| Order::Save(project, item, order));
    }

    /// Writes a document's text to another file; the answer is [`Event::SavedAs`].
    pub fn save_as(&self, doc: DocId, path: PathBuf, text: Source) {
        self.order(|_| Order::SaveAs(doc, path, text));
    }

    /// Keeps unsaved edits so that they survive the end of the program.
    pub fn keep(&self, doc: DocId, item: Arc<Item>, base: Source, text: Source) {
        self.order(|project| {
            Order::Keep(Unsaved {
                project,
                doc,
                item,
                base,
                text,
            })
        });
    }

    /// Forgets unsaved edits that were kept.
    pub fn forget(&self, doc: DocId, item: Arc<Item>) {
        self.order(|project| Order::Forget(project, doc, item));
    }

    /// Finds the document that an earlier run's edits belong to; the answer is [`Event::Located`].
    pub fn locate(&self, items: Items, draft: Arc<Draft>) {
        self.order(|project| Order::Locate(project, items, draft));
    }

    /// Forgets unsaved edits that an earlier run has left.
    pub fn discard_draft(&self, id: u64) {
        self.desk.order(Order::Discard(id));
    }

    fn order(&self, order: impl FnOnce(Arc<Project>) -> Order) {
        if let Some(project) = self.project.clone() {
            self.desk.order(order(project));
        }
    }
}
