//! Compares tapes with other tapes and with requests for the window, each comparison on its own thread.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::engine::disk::project::{Project, to_sentence};
use crate::engine::disk::root::{self, open_all};
use crate::engine::event_sender::BackgroundJob;
use crate::engine::runner::Engine;
use crate::engine::tasks::read_current;
use crate::format::{self, Document, DocumentBody};
use crate::ops::tape::overlay::{ComparedTake, TapeSimilarity, TapeSimilarityKey};
use crate::ops::tape::verify::{self, side_by_side};
use crate::text::Source;
use crate::workbench::{
    CompareEvent, CompareRequest, ComparedTape, CurrentDocument, DocId, EngineEvent, TapesEvent,
    VerificationRequest, Verified, VerifySource,
};

/// The message when one of our threads panicked.
const INTERNAL_ERROR: &str = "Internal error; please report it";

/// The running comparisons: at most one of each kind.
#[derive(Default)]
pub(super) struct ComparisonJobs {
    rank: BackgroundJob,
    overlay: BackgroundJob,
    differences: BackgroundJob,
    verify: BackgroundJob,
}

impl ComparisonJobs {
    pub(super) fn stop(&mut self) {
        for job in [
            &mut self.rank,
            &mut self.overlay,
            &mut self.differences,
            &mut self.verify,
        ] {
            job.stop();
        }
    }
}

/// A tape and what to compare it with.
#[derive(Debug)]
pub struct OverlayRequest {
    /// The window's request.
    pub request: CompareRequest,
    /// The tape.
    pub tape: CurrentDocument,
    /// The other tape, if it is open.
    pub other: Option<CurrentDocument>,
    /// The smallest difference in time that counts, in nanoseconds.
    pub tolerance_nanos: f64,
}

impl Engine {
    /// Ranks tapes by their similarity to one of them; the result arrives as [`CompareEvent::Ranked`].
    pub fn rank_tapes(&mut self, tape: CurrentDocument, others: Vec<CurrentDocument>) {
        self.comparing.rank.stop();
        let Some(project) = self.project.clone() else {
            return;
        };
        let job = self.spawn_comparison("retake rank", move |cancel| {
            let doc = tape.doc;
            let ranked = rank(&project, &tape, others, cancel)?;
            Some(TapesEvent::Compare(CompareEvent::Ranked(doc, ranked)))
        });
        self.comparing.rank = job;
    }

    /// Compares a tape with another one; the result arrives as [`CompareEvent::Compared`].
    pub fn overlay_tape(&mut self, wanted: OverlayRequest) {
        self.comparing.overlay.stop();
        let Some(project) = self.project.clone() else {
            return;
        };
        let root = self.root.clone();
        let job = self.spawn_comparison("retake overlay", move |_| {
            let compared = || overlay(&project, root.as_deref(), &wanted);
            let compared = catch_unwind(AssertUnwindSafe(compared));
            let compared = compared.unwrap_or_else(|_| Err(INTERNAL_ERROR.to_owned()));
            let compared = compared.map(|takes| {
                let differing = takes.find_differing(wanted.tolerance_nanos);
                (Arc::new(takes), Arc::new(differing))
            });
            Some(TapesEvent::Compare(CompareEvent::Compared(
                wanted.request,
                compared,
            )))
        });
        self.comparing.overlay = job;
    }

    /// Finds the differences at another tolerance; the result arrives as [`CompareEvent::Filtered`].
    pub fn find_differences(
        &mut self,
        order: CompareRequest,
        takes: Arc<ComparedTake>,
        tolerance_nanos: f64,
    ) {
        self.comparing.differences.stop();
        let job = self.spawn_comparison("retake sift", move |_| {
            let differing = Arc::new(takes.find_differing(tolerance_nanos));
            Some(TapesEvent::Compare(CompareEvent::Filtered(
                order, differing,
            )))
        });
        self.comparing.differences = job;
    }

    /// Compares a request with a tape's request; the result arrives as [`TapesEvent::Verified`].
    pub fn verify_request(&mut self, order: VerificationRequest, tape: Arc<Document>) {
        self.comparing.verify.stop();
        let root = self.root.clone();
        let job = self.spawn_comparison("retake verify", move |_| {
            let verified = || verify(&order, &tape, root.as_deref());
            let verified = catch_unwind(AssertUnwindSafe(verified));
            let verified = verified.unwrap_or_else(|_| Err(INTERNAL_ERROR.to_owned()));
            Some(TapesEvent::Verified(order, verified.map(Arc::new)))
        });
        self.comparing.verify = job;
    }

    /// Runs a comparison on its own thread and sends the result.
    fn spawn_comparison(
        &self,
        name: &str,
        work: impl FnOnce(&AtomicBool) -> Option<TapesEvent> + Send + 'static,
    ) -> BackgroundJob {
        let sender = self.sender.clone();
        let job = BackgroundJob::start(name, move |cancel| {
            if let Some(event) = work(cancel).filter(|_| !cancel.load(Ordering::Relaxed)) {
                sender.send(EngineEvent::Tapes(event), cancel);
            }
        });
        job.unwrap_or_else(|error| {
            self.fail(format!("Cannot start a thread to compare: {error}"));
            BackgroundJob::default()
        })
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
    let bytes = bytes.map_err(|refusal| to_sentence(&refusal.to_string()))?;
    Ok(format::read(
        Source::from_bytes(bytes),
        &file.to_string_lossy(),
    ))
}

/// Returns each tape's similarity; `None` when it was cancelled. Files that are no longer tapes are left out.
fn rank(
    project: &Project,
    tape: &CurrentDocument,
    others: Vec<CurrentDocument>,
    cancel: &AtomicBool,
) -> Option<Vec<(DocId, TapeSimilarity)>> {
    let similarity = |tape: &CurrentDocument| {
        let similarity = || TapeSimilarityKey::from_document(&read_current(project, tape).ok()?);
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

fn overlay(
    project: &Project,
    root: Option<&Path>,
    wanted: &OverlayRequest,
) -> Result<ComparedTake, String> {
    let tape = read_current(project, &wanted.tape)?;
    let DocumentBody::Tape(tape) = &tape.body else {
        return Err("The file is no longer a tape".to_owned());
    };
    let other = match &wanted.request.other {
        ComparedTape::Open(_) => {
            let other = wanted.other.as_ref();
            read_current(project, other.ok_or("The other tape is no longer open")?)?
        }
        ComparedTape::Head => {
            let CurrentDocument { doc, item, .. } = &wanted.tape;
            let bytes = project.committed(doc.index(), item)?;
            format::read(Source::from_bytes(bytes), item.file_name())
        }
        ComparedTape::File(path) => read_file(path, root)?,
    };
    ComparedTake::new(tape, Arc::new(other))
        .ok_or_else(|| "The other file is not a tape".to_owned())
}

fn verify(
    order: &VerificationRequest,
    tape: &Document,
    root: Option<&Path>,
) -> Result<Verified, String> {
    let request = match &order.source {
        VerifySource::Text(text) => format::read(Source::new(&**text), "request.json"),
        VerifySource::File(path) => read_file(path, root)?,
    };
    let verdict = verify::verify(tape, &request, order.strictness)?;
    Ok(Verified {
        parts: side_by_side(tape, &request, &verdict),
        verdict,
        request: Arc::new(request),
    })
}
