//! Compares tapes with other tapes and with requests for the window, each comparison on its own thread.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::batch::ToEdit;
use super::outlet::Job;
use super::project::{Project, sentence};
use super::root::{self, open_all};
use super::runner::Engine;
use crate::format::{self, Body, Document};
use crate::ops::tape::overlay::{ComparedTake, TapeSimilarity, TapeSimilarityKey};
use crate::ops::tape::verify::{self, side_by_side};
use crate::text::Source;
use crate::workbench::{
    DocId, Event, LayOrder, RequestFrom, Take, TakesEvent, TapesEvent, Verified, VerifyOrder,
};

/// The message when one of our threads panicked.
const OWN_FAULT: &str = "Internal error; please report it";

/// The running comparisons: at most one of each kind.
#[derive(Default)]
pub(super) struct Comparing {
    rank: Job,
    lay: Job,
    sift: Job,
    verify: Job,
}

impl Comparing {
    pub(super) fn stop(&mut self) {
        for job in [
            &mut self.rank,
            &mut self.lay,
            &mut self.sift,
            &mut self.verify,
        ] {
            job.stop();
        }
    }
}

/// A tape and what to compare it with.
#[derive(Debug)]
pub struct ToLay {
    /// The window's request.
    pub order: LayOrder,
    /// The tape.
    pub tape: ToEdit,
    /// The other tape, if it is open.
    pub other: Option<ToEdit>,
    /// The smallest difference in time that counts, in nanoseconds.
    pub tolerance_nanos: f64,
}

impl Engine {
    /// Ranks tapes by their similarity to one of them; the result arrives as [`TakesEvent::Ranked`].
    pub fn rank_takes(&mut self, tape: ToEdit, others: Vec<ToEdit>) {
        self.comparing.rank.stop();
        let Some(project) = self.project.clone() else {
            return;
        };
        let job = self.on_a_thread("retake rank", move |cancel| {
            let doc = tape.doc;
            let ranked = rank(&project, &tape, others, cancel)?;
            Some(TapesEvent::Takes(TakesEvent::Ranked(doc, ranked)))
        });
        self.comparing.rank = job;
    }

    /// Compares a tape with another one; the result arrives as [`TakesEvent::Laid`].
    pub fn lay_take(&mut self, wanted: ToLay) {
        self.comparing.lay.stop();
        let Some(project) = self.project.clone() else {
            return;
        };
        let root = self.root.clone();
        let job = self.on_a_thread("retake overlay", move |_| {
            let compared = || lay(&project, root.as_deref(), &wanted);
            let compared = catch_unwind(AssertUnwindSafe(compared));
            let compared = compared.unwrap_or_else(|_| Err(OWN_FAULT.to_owned()));
            let compared = compared.map(|takes| {
                let differing = takes.find_differing(wanted.tolerance_nanos);
                (Arc::new(takes), Arc::new(differing))
            });
            Some(TapesEvent::Takes(TakesEvent::Laid(wanted.order, compared)))
        });
        self.comparing.lay = job;
    }

    /// Finds the differences at another tolerance; the result arrives as [`TakesEvent::Sifted`].
    pub fn sift_takes(&mut self, order: LayOrder, takes: Arc<ComparedTake>, tolerance_nanos: f64) {
        self.comparing.sift.stop();
        let job = self.on_a_thread("retake sift", move |_| {
            let differing = Arc::new(takes.find_differing(tolerance_nanos));
            Some(TapesEvent::Takes(TakesEvent::Sifted(order, differing)))
        });
        self.comparing.sift = job;
    }

    /// Compares a request with a tape's request; the result arrives as [`TapesEvent::Verified`].
    pub fn verify_request(&mut self, order: VerifyOrder, tape: Arc<Document>) {
        self.comparing.verify.stop();
        let root = self.root.clone();
        let job = self.on_a_thread("retake verify", move |_| {
            let verified = || verified(&order, &tape, root.as_deref());
            let verified = catch_unwind(AssertUnwindSafe(verified));
            let verified = verified.unwrap_or_else(|_| Err(OWN_FAULT.to_owned()));
            Some(TapesEvent::Verified(order, verified.map(Arc::new)))
        });
        self.comparing.verify = job;
    }

    /// Runs a comparison on its own thread and sends the result.
    fn on_a_thread(
        &self,
        name: &str,
        work: impl FnOnce(&AtomicBool) -> Option<TapesEvent> + Send + 'static,
    ) -> Job {
        let sender = self.outlet.clone();
        let job = Job::start(name, move |cancel| {
            if let Some(event) = work(cancel).filter(|_| !cancel.load(Ordering::Relaxed)) {
                sender.send(Event::Tapes(event), cancel);
            }
        });
        job.unwrap_or_else(|error| {
            self.fail(format!("Cannot start a thread to compare: {error}"));
            Job::default()
        })
    }
}

/// Reads a document as it is now: from memory if it was edited, else from disk.
fn read(project: &Project, ToEdit { doc, item, text }: &ToEdit) -> Result<Document, String> {
    match text {
        Some((_, source)) => Ok(format::read(source.clone(), item.file_name())),
        None => project.read(doc.index(), item),
    }
}

/// Reads a file that the user chose.
fn read_file(path: &Path, root: Option<&Path>) -> Result<Document, String> {
    let opened = open_all(&[path.to_owned()], root).map_err(|error| error.to_string())?;
    let opened = opened.first().ok_or("Nothing was chosen")?;
    let file = opened
        .file
        .as_ref()
        .ok_or("Expected a file, found a folder")?;
    let bytes = root::read(&opened.dir, file);
    let bytes = bytes.map_err(|refusal| sentence(&refusal.to_string()))?;
    Ok(format::read(
        Source::from_bytes(bytes),
        &file.to_string_lossy(),
    ))
}

/// Returns each tape's similarity; `None` when it was cancelled. Files that are no longer tapes are left out.
fn rank(
    project: &Project,
    tape: &ToEdit,
    others: Vec<ToEdit>,
    cancel: &AtomicBool,
) -> Option<Vec<(DocId, TapeSimilarity)>> {
    let similarity = |tape: &ToEdit| {
        let similarity = || TapeSimilarityKey::from_document(&read(project, tape).ok()?);
        catch_unwind(AssertUnwindSafe(similarity)).ok().flatten()
    };
    let ours = similarity(tape)?;
    let mut ranked = Vec::with_capacity(others.len());
    for other in others {
        if cancel.load(Ordering::Relaxed) {
            return None;
        }
        ranked.extend(similarity(&other).map(|theirs| (other.doc, ours.compare(&theirs))));
    }
    Some(ranked)
}

fn lay(project: &Project, root: Option<&Path>, wanted: &ToLay) -> Result<ComparedTake, String> {
    let tape = read(project, &wanted.tape)?;
    let Body::Tape(tape) = &tape.body else {
        return Err("The file is no longer a tape".to_owned());
    };
    let other = match &wanted.order.take {
        Take::Open(_) => {
            let other = wanted.other.as_ref();
            read(project, other.ok_or("The other tape is no longer open")?)?
        }
        Take::Head => {
            let ToEdit { doc, item, .. } = &wanted.tape;
            let bytes = project.committed(doc.index(), item)?;
            format::read(Source::from_bytes(bytes), item.file_name())
        }
        Take::File(path) => read_file(path, root)?,
    };
    ComparedTake::new(tape, Arc::new(other))
        .ok_or_else(|| "The other file is not a tape".to_owned())
}

fn verified(order: &VerifyOrder, tape: &Document, root: Option<&Path>) -> Result<Verified, String> {
    let request = match &order.from {
        RequestFrom::Text(text) => format::read(Source::new(&**text), "request.json"),
        RequestFrom::File(path) => read_file(path, root)?,
    };
    let verdict = verify::verify(tape, &request, order.strictness)?;
    Ok(Verified {
        parts: side_by_side(tape, &request, &verdict),
        verdict,
        request: Arc::new(request),
    })
}
