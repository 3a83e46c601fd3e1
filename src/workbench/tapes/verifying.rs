//! Whether a request is the one that the tape was made for: the request, the verdict, and the difference that is looked at.

use std::path::PathBuf;
use std::sync::Arc;

use super::ForTape;
use super::action::TapesEffect;
use super::desk::TapesDesk;
use crate::format::Document;
use crate::ops::tape::verify::{Difference, Part, Strictness, Verdict};
use crate::workbench::event::Effect;
use crate::workbench::library::DocId;
use crate::workbench::state::Workbench;
use crate::workbench::working_copy::Revision;

/// Where a request comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestFrom {
    /// It was typed or pasted.
    Text(Arc<str>),
    /// It is in a file: a request by itself, or a tape, whose request is meant.
    File(PathBuf),
}

impl RequestFrom {
    /// What it is called.
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

/// What the user asks for of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VerifyAction {
    /// Ask for a request.
    Open,
    /// Choose a file.
    Pick,
    /// Compare this one.
    Take(RequestFrom),
    /// Compare so strictly.
    SetStrictness(Strictness),
    /// Look at a difference, by its number from 0; those that are set aside follow.
    Show(usize),
    /// Show the tape again.
    Close,
}

/// What is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyOrder {
    /// The tape.
    pub doc: DocId,
    /// Names the text of it that is meant.
    pub revision: Revision,
    /// The request.
    pub from: RequestFrom,
    /// How strictly.
    pub strictness: Strictness,
}

/// A request that was compared.
#[derive(Clone, Debug)]
pub struct Verified {
    /// Its text, read.
    pub request: Arc<Document>,
    /// What came of it.
    pub verdict: Verdict,
    /// Both requests beside each other.
    pub parts: Vec<Part>,
}

impl Verified {
    /// What differs, and then what differs and is set aside.
    pub fn all(&self) -> impl Iterator<Item = &Difference> {
        self.verdict.differences.iter().chain(&self.verdict.ignored)
    }

    /// How many that are.
    pub fn len(&self) -> usize {
        self.verdict.differences.len() + self.verdict.ignored.len()
    }

    /// Whether nothing differs at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// What came of an order.
#[derive(Debug)]
struct Done {
    order: VerifyOrder,
    result: Result<Arc<Verified>, Arc<str>>,
}

/// A request beside the tape that is shown.
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
    /// The request, once there is one.
    pub fn from(&self) -> Option<&RequestFrom> {
        self.from.as_ref()
    }

    /// How strictly it is compared.
    pub fn strictness(&self) -> Strictness {
        self.strictness
    }

    /// What came of it, or why it cannot be compared; `None` until that is known.
    pub fn done(&self) -> Option<Result<&Arc<Verified>, &str>> {
        let done = self.done.as_ref()?;
        Some(done.result.as_ref().map_err(|reason| &**reason))
    }

    /// Which difference is looked at, from 0.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Grows whenever a difference is to be brought into sight.
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
    /// The request beside the tape, while one is verified.
    pub fn verifying(&self) -> Option<&Verifying> {
        self.verifying.as_ref()
    }
}

impl Workbench {
    /// Whether a file that is dropped on the window is taken for a request.
    pub fn takes_request(&self) -> bool {
        self.shows_tapes() && self.tapes.verifying.is_some()
    }

    /// Does what the user asked for of a request.
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

    /// Takes what came of comparing a request.
    pub(super) fn verified(&mut self, order: VerifyOrder, result: Result<Arc<Verified>, String>) {
        let verifying = self.tapes.verifying.as_mut();
        let awaits = |verifying: &&mut Verifying| verifying.awaited.as_ref() == Some(&order);
        if let Some(verifying) = verifying.filter(awaits) {
            verifying.awaited = None;
            let result = result.map_err(Arc::from);
            verifying.done = Some(Done { order, result });
        }
    }

    /// Has the request compared with the tape as it is now.
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

    /// Goes on by some differences of the verdict.
    pub(super) fn step_verdict(&mut self, by: isize) {
        if let Some(verifying) = &mut self.tapes.verifying {
            verifying.show(verifying.at.saturating_add_signed(by));
        }
    }
}
