//! The report about each draft.

use serde_json::{Value, json};

use crate::cli::outbox::WriteOutcome;
use crate::cli::output::shown;
use crate::ops::import::{self, FieldOrigin, Imported, SecretChoice, SessionDraft};
use crate::ops::secret::SecretKind;

/// The status of a draft.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum DraftStatus {
    /// Its file was written, or exists.
    Sent(WriteOutcome),
    /// A session with the same input and answers exists.
    Duplicate(String),
    /// Another session with its id exists.
    IdTaken(String),
    /// It contains a secret that is not decided.
    Secret,
    /// It cannot be written, or Flakestorm would refuse it, for this reason.
    Incomplete(String),
}

impl DraftStatus {
    /// Whether it was not written and needs attention.
    pub(super) fn needs_attention(&self) -> bool {
        matches!(
            self,
            Self::Sent(WriteOutcome::Conflict(_))
                | Self::IdTaken(_)
                | Self::Secret
                | Self::Incomplete(_)
        )
    }

    fn as_str(&self) -> &'static str {
        match self {
            Self::Sent(WriteOutcome::Written) => "written",
            Self::Sent(WriteOutcome::Same) => "same",
            Self::Sent(WriteOutcome::Conflict(_)) => "conflict",
            Self::Duplicate(_) => "duplicate",
            Self::IdTaken(_) => "id-taken",
            Self::Secret => "secret",
            Self::Incomplete(_) => "incomplete",
        }
    }
}

/// A secret in a draft, without its value.
pub(super) struct ReportedSecret {
    pointer: String,
    kind: SecretKind,
    hint: String,
    choice: SecretChoice,
}

impl ReportedSecret {
    /// Whether it is undecided.
    pub(super) fn is_open(&self) -> bool {
        self.choice == SecretChoice::Open
    }
}

/// The secrets of the draft with this number, in each of its places.
pub(super) fn secrets_of(all: &[import::DraftSecret], draft: usize) -> Vec<ReportedSecret> {
    let places = all.iter().flat_map(|secret| {
        let here = secret.places.iter().filter(|(number, _)| *number == draft);
        here.map(|(_, pointer)| ReportedSecret {
            pointer: pointer.clone(),
            kind: secret.kind,
            hint: secret.hint.clone(),
            choice: secret.choice,
        })
    });
    places.collect()
}

/// A draft and its status.
pub(super) struct DraftReport<'a> {
    pub(super) draft: &'a SessionDraft,
    pub(super) path: String,
    pub(super) text: String,
    pub(super) status: DraftStatus,
    pub(super) secrets: Vec<ReportedSecret>,
}

impl DraftReport<'_> {
    /// The messages about it, one for each line.
    pub(super) fn reasons(&self) -> Vec<String> {
        let path = shown(&self.path);
        let mut reasons: Vec<String> = self
            .draft
            .notes
            .iter()
            .map(|note| format!("{}: {path}", shown(note)))
            .collect();
        match &self.status {
            DraftStatus::Sent(WriteOutcome::Conflict(_)) => {
                reasons.push(format!(
                    "Skipped: a different file exists; --force replaces it: {path}"
                ));
            }
            DraftStatus::Duplicate(place) => reasons.push(format!(
                "The same session already exists in {}: {path}",
                shown(place)
            )),
            DraftStatus::IdTaken(place) => reasons.push(format!(
                "Another session with this id exists in {}; --force writes this one anyway: {path}",
                shown(place)
            )),
            DraftStatus::Incomplete(fault) => reasons.push(format!("{fault}: {path}")),
            DraftStatus::Secret => {
                let open = self.secrets.iter().filter(|secret| secret.is_open());
                reasons.extend(open.map(|secret| {
                    let (kind, hint) = (secret.kind.name, shown(&secret.hint));
                    let pointer = shown(&secret.pointer);
                    format!("Contains what looks like {kind} ({hint}) at {pointer}: {path}")
                }));
            }
            DraftStatus::Sent(_) => {}
        }
        reasons
    }

    fn json(&self) -> Value {
        let origin = |(pointer, origin): &(String, FieldOrigin)| {
            let value = match origin {
                FieldOrigin::Read {
                    file,
                    pointer,
                    place,
                } => json!({
                    "file": **file, "pointer": pointer, "line": place.line, "column": place.column,
                }),
                FieldOrigin::Generated(how) => json!({ "made": how }),
            };
            (pointer.clone(), value)
        };
        let origins: serde_json::Map<String, Value> =
            self.draft.origins.iter().map(origin).collect();
        let duplicate = match &self.status {
            DraftStatus::Duplicate(place) | DraftStatus::IdTaken(place) => Some(place),
            _ => None,
        };
        let secrets = self
            .secrets
            .iter()
            .map(|it| json!({ "pointer": it.pointer, "kind": it.kind.label, "name": it.kind.name, "hint": it.hint, "choice": choice_name(it.choice) }));
        json!({
            "id": self.draft.session.id, "path": self.path, "status": self.status.as_str(), "duplicate_of": duplicate,
            "secrets": secrets.collect::<Vec<Value>>(), "notes": self.draft.notes, "origins": origins, "text": self.text,
        })
    }
}

fn choice_name(choice: SecretChoice) -> &'static str {
    match choice {
        SecretChoice::Open => "open",
        SecretChoice::Redact => "redact",
        SecretChoice::Keep => "keep",
    }
}

/// All drafts as one document.
pub(super) fn json(imported: &Imported, all: &[DraftReport<'_>]) -> Value {
    let drafts: Vec<Value> = all.iter().map(DraftReport::json).collect();
    json!({ "drafts": drafts, "passed_over": imported.skipped, "notes": imported.notes })
}
