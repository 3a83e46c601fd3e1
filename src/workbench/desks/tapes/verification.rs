//! Verification of a request against the tape's own: the request, the verdict, and the selected difference.

use crate::workbench::core::latest::Latest;
use std::path::PathBuf;
use std::sync::Arc;

use super::action::TapesAction;
use super::desk::TapesDesk;
use crate::format::Document;
use crate::ops::tape::verify::{RequestDifference, RequestPart, Strictness, VerifyVerdict};
use crate::text::quoted;
use crate::workbench::core::dialog::DialogKind;
use crate::workbench::core::effect::Effect;
use crate::workbench::core::library::DocId;
use crate::workbench::core::navigation::Desk;
use crate::workbench::core::state::Core;
use crate::workbench::core::task::TaskRequest;
use crate::workbench::core::working_copy::Revision;

/// The source of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VerifySource {
    /// Typed or pasted text.
    Text(Arc<str>),
    /// A file: a request, or a tape with its request.
    File(PathBuf),
}

impl VerifySource {
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
    Compare(VerifySource),
    SetStrictness(Strictness),
    /// Selects a difference, by its number from 0; ignored differences come last.
    Show(usize),
    Close,
}

/// The inputs of a verification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerificationRequest {
    /// The tape.
    pub doc: DocId,
    /// The revision of its text.
    pub revision: Revision,
    pub source: VerifySource,
    pub strictness: Strictness,
}

/// Compares a request with that of a tape.
#[derive(Debug)]
pub struct VerifyRequest {
    pub request: VerificationRequest,
    /// The path of the tape, for messages.
    pub path: Arc<str>,
    pub document: Arc<Document>,
}

impl TaskRequest for VerifyRequest {
    fn describe(&self) -> String {
        format!("comparing a request with {}", quoted(&self.path))
    }
}

/// A verified request.
#[derive(Clone, Debug)]
pub struct Verified {
    /// Its parsed text.
    pub request: Arc<Document>,
    pub verdict: VerifyVerdict,
    /// Both requests side by side.
    pub parts: Vec<RequestPart>,
}

impl Verified {
    /// The differences, then the ignored differences.
    pub fn differences(&self) -> impl Iterator<Item = &RequestDifference> {
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

/// The verification of a request.
#[derive(Debug, Default)]
pub struct Verification {
    pub source: Option<VerifySource>,
    strictness: Strictness,
    done: Latest<VerificationRequest, Result<Arc<Verified>, Arc<str>>>,
    pub at: usize,
    pub shown: u64,
}

impl Verification {
    pub fn strictness(&self) -> Strictness {
        self.strictness
    }

    /// The result, or why it cannot be compared; `None` until it is known.
    pub fn done(&self) -> Option<Result<&Arc<Verified>, &str>> {
        let done = self.done.value.as_ref()?;
        Some(done.as_ref().map_err(|reason| &**reason))
    }

    pub(super) fn show(&mut self, at: usize) {
        let Some(Ok(verified)) = self.done() else {
            return;
        };
        self.at = at.min(verified.len().saturating_sub(1));
        self.shown += 1;
    }
}

impl TapesDesk {
    /// Whether a file that is dropped on the window is used as a request.
    pub fn accepts_dropped_request(&self, core: &Core) -> bool {
        core.shows(Desk::Tapes) && self.verification.is_some()
    }

    /// Handles an action of the verification.
    pub(super) fn act_on_request(&mut self, core: &mut Core, action: VerifyAction) {
        let strictness = self.verification.as_ref().map(Verification::strictness);
        match action {
            VerifyAction::Open => {
                self.form = None;
                self.verification = Some(Verification::default());
            }
            VerifyAction::Pick => {
                let title = "Choose the request to verify";
                let compare = |path| {
                    let compare = VerifyAction::Compare(VerifySource::File(path));
                    TapesAction::Verify(compare)
                };
                core.request(Effect::pick(title, DialogKind::File, compare));
            }
            VerifyAction::Compare(from) => {
                self.verification = Some(Verification {
                    source: Some(from),
                    strictness: strictness.unwrap_or_default(),
                    ..Verification::default()
                });
            }
            VerifyAction::SetStrictness(strictness) => {
                if let Some(verifying) = &mut self.verification {
                    verifying.strictness = strictness;
                    verifying.at = 0;
                }
            }
            VerifyAction::Show(at) => {
                if let Some(verifying) = &mut self.verification {
                    verifying.show(at);
                }
            }
            VerifyAction::Close => self.verification = None,
        }
    }

    /// Handles the result of a verification.
    pub(super) fn on_verified(
        &mut self,
        order: VerificationRequest,
        result: Result<Arc<Verified>, String>,
    ) {
        if let Some(verifying) = &mut self.verification
            && verifying.done.accept(&order)
        {
            verifying.done.value = Some(result.map_err(Arc::from));
        }
    }

    /// Verifies again if the tape has changed.
    pub(super) fn sync_verification(&mut self, core: &Core) -> Option<Effect> {
        self.prepared()?;
        let (doc, revision) = (self.selected?, self.revision()?);
        let verifying = self.verification.as_mut()?;
        let order = VerificationRequest {
            doc,
            revision,
            source: verifying.source.clone()?,
            strictness: verifying.strictness,
        };
        let document = Arc::clone(core.library.document(doc)?);
        let path = Arc::clone(&core.library.get(doc)?.root_path);
        if !verifying.done.want(&order) {
            return None;
        }
        Some(Effect::run(VerifyRequest { request: order, path, document }))
    }
}
