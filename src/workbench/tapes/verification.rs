//! Verification of a request against the tape's own: the request, the verdict, and the selected difference.

use std::path::PathBuf;
use std::sync::Arc;

use super::ForTape;
use super::action::TapesEffect;
use super::desk::TapesDesk;
use crate::format::Document;
use crate::ops::tape::verify::{RequestDifference, RequestPart, Strictness, VerifyVerdict};
use crate::workbench::event::Effect;
use crate::workbench::library::DocId;
use crate::workbench::state::Workbench;
use crate::workbench::working_copy::Revision;

/// The source of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestFrom {
    /// Typed or pasted text.
    Text(Arc<str>),
    /// A file: a request, or a tape with its request.
    File(PathBuf),
}

impl RequestFrom {
    /// The label.
    pub fn name(&self) -> String {
        match self {
            Self::Text(_) => "Pasted request".to_owned(),
            Self::File(path) => match path.file_name() {
                Some(name) => name.to_string_lossy().into_owned(),
                None => path.to_string_lossy().into_owned(),
            },
        }
    }
}

/// An action of the verification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VerifyAction {
    /// Opens the form.
    Open,
    /// Opens a dialog to choose a file.
    Pick,
    /// Compares this request.
    Take(RequestFrom),
    /// Sets the strictness.
    SetStrictness(Strictness),
    /// Selects a difference, by its number from 0; ignored differences come last.
    Show(usize),
    /// Closes the verification.
    Close,
}

/// The inputs of a verification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyOrder {
    /// The tape.
    pub doc: DocId,
    /// The revision of its text.
    pub revision: Revision,
    /// The request.
    pub from: RequestFrom,
    /// The strictness.
    pub strictness: Strictness,
}

/// A verified request.
#[derive(Clone, Debug)]
pub struct Verified {
    /// Its parsed text.
    pub request: Arc<Document>,
    /// The verdict.
    pub verdict: VerifyVerdict,
    /// Both requests side by side.
    pub parts: Vec<RequestPart>,
}

impl Verified {
    /// The differences, then the ignored differences.
    pub fn all(&self) -> impl Iterator<Item = &RequestDifference> {
        self.verdict.differences.iter().chain(&self.verdict.ignored)
    }

    /// The number of all differences.
    pub fn len(&self) -> usize {
        self.verdict.differences.len() + self.verdict.ignored.len()
    }

    /// Whether there are no differences.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The result of a verification.
#[derive(Debug)]
struct Done {
    order: VerifyOrder,
    result: Result<Arc<Verified>, Arc<str>>,
}

/// The verification of a request.
#[derive(Debug, Default)]
pub struct Verifying {
    from: Option<RequestFrom>,
    strictness: Strictness,
    awaited: Option<VerifyOrder>,
    done: Option<Done>,
    at: usize,
    shown: u64,
}

impl Verifying {
    /// The request, if one is chosen.
    pub fn from(&self) -> Option<&RequestFrom> {
        self.from.as_ref()
    }

    /// The strictness.
    pub fn strictness(&self) -> Strictness {
        self.strictness
    }

    /// The result, or why it cannot be compared; `None` until it is known.
    pub fn done(&self) -> Option<Result<&Arc<Verified>, &str>> {
        let done = self.done.as_ref()?;
        Some(done.result.as_ref().map_err(|reason| &**reason))
    }

    /// The selected difference, from 0.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Grows whenever a difference is to be scrolled into view.
    pub fn shown(&self) -> u64 {
        self.shown
    }

    fn show(&mut self, at: usize) {
        let Some(Ok(verified)) = self.done() else {
            return;
        };
        self.at = at.min(verified.len().saturating_sub(1));
        self.shown += 1;
    }
}

impl TapesDesk {
    /// The verification, while it is open.
    pub fn verifying(&self) -> Option<&Verifying> {
        self.verifying.as_ref()
    }
}

impl Workbench {
    /// Whether a file that is dropped on the window is used as a request.
    pub fn takes_request(&self) -> bool {
        self.shows_tapes() && self.tapes.verifying.is_some()
    }

    /// Handles an action of the verification.
    pub(super) fn act_on_request(&mut self, action: VerifyAction) -> Vec<Effect> {
        let tapes = &mut self.tapes;
        let strictness = tapes.verifying.as_ref().map(Verifying::strictness);
        match action {
            VerifyAction::Open => {
                tapes.form = None;
                tapes.verifying = Some(Verifying::default());
            }
            VerifyAction::Pick => return vec![Effect::Tapes(TapesEffect::Pick(ForTape::Request))],
            VerifyAction::Take(from) => {
                tapes.verifying = Some(Verifying {
                    from: Some(from),
                    strictness: strictness.unwrap_or_default(),
                    ..Verifying::default()
                });
            }
            VerifyAction::SetStrictness(strictness) => {
                if let Some(verifying) = &mut tapes.verifying {
                    verifying.strictness = strictness;
                    verifying.at = 0;
                }
            }
            VerifyAction::Show(at) => {
                if let Some(verifying) = &mut tapes.verifying {
                    verifying.show(at);
                }
            }
            VerifyAction::Close => tapes.verifying = None,
        }
        Vec::new()
    }

    /// Handles the result of a verification.
    pub(super) fn verified(&mut self, order: VerifyOrder, result: Result<Arc<Verified>, String>) {
        let verifying = self.tapes.verifying.as_mut();
        let awaits = |verifying: &&mut Verifying| verifying.awaited.as_ref() == Some(&order);
        if let Some(verifying) = verifying.filter(awaits) {
            verifying.awaited = None;
            let result = result.map_err(Arc::from);
            verifying.done = Some(Done { order, result });
        }
    }

    /// Verifies again if the tape has changed.
    pub(super) fn follow_request(&mut self) -> Option<Effect> {
        let tapes = &mut self.tapes;
        tapes.reel()?;
        let (doc, revision) = (tapes.selected?, tapes.revision()?);
        let verifying = tapes.verifying.as_mut()?;
        let order = VerifyOrder {
            doc,
            revision,
            from: verifying.from.clone()?,
            strictness: verifying.strictness,
        };
        let is_done = verifying
            .done
            .as_ref()
            .is_some_and(|done| done.order == order);
        if is_done || verifying.awaited.as_ref() == Some(&order) {
            return None;
        }
        verifying.awaited = Some(order.clone());
        Some(Effect::Tapes(TapesEffect::Verify(order)))
    }

    /// Moves the selection by some differences.
    pub(super) fn step_verdict(&mut self, by: isize) {
        if let Some(verifying) = &mut self.tapes.verifying {
            verifying.show(verifying.at.saturating_add_signed(by));
        }
    }
}
