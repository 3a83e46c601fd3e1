//! The report about each draft.

use serde_json::{Value, json};

use crate::cli::outbox::Sent;
use crate::cli::output::shown;
use crate::ops::import::{self, FieldOrigin, Imported, SecretChoice, SessionDraft};
use crate::ops::secret::SecretKind;

/// The status of a draft.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// Its file was written, or exists.
    Sent(Sent),
    /// A session with the same input and answers exists.
    Duplicate(String),
    /// Another session with its id exists.
    IdTaken(String),
    /// It contains a secret that is not decided.
    Secret,
    /// Flakestorm would refuse it, for this reason.
    Incomplete(&'static str),
}

impl Fate {
    /// Whether it was not written and needs attention.
    pub(super) fn is_left(&self) -> bool {
        matches!(
            self,
            Self::Sent(Sent::Conflict(_)) | Self::IdTaken(_) | Self::Secret | Self::Incomplete(_)
        )
    }

    fn word(&self) -> &'static str {
        match self {
            Self::Sent(Sent::Written) => "written",
            Self::Sent(Sent::Same) => "same",
            Self::Sent(Sent::Conflict(_)) => "conflict",
            Self::Duplicate(_) => "duplicate",
            Self::IdTaken(_) => "id-taken",
            Self::Secret => "secret",
            Self::Incomplete(_) => "incomplete",
        }
    }
}

/// A secret in a draft, without its value.
pub(super) struct Secret {
    pointer: String,
    kind: SecretKind,
    hint: String,
    choice: SecretChoice,
}

impl Secret {
    /// Whether it is undecided.
    pub(super) fn is_open(&self) -> bool {
        self.choice == SecretChoice::Open
    }
}

/// The secrets of the draft with this number, in each of its places.
pub(super) fn secrets_of(all: &[import::DraftSecret], draft: usize) -> Vec<Secret> {
    let places = all.iter().flat_map(|secret| {
        let here = secret.places.iter().filter(|(number, _)| *number == draft);
        here.map(|(_, pointer)| Secret {
            pointer: pointer.clone(),
            kind: secret.kind,
            hint: secret.hint.clone(),
            choice: secret.choice,
        })
    });
    places.collect()
}

/// A draft and its status.
pub(super) struct Told<'a> {
    pub(super) draft: &'a SessionDraft,
    pub(super) path: String,
    pub(super) text: String,
    pub(super) fate: Fate,
    pub(super) secrets: Vec<Secret>,
}

impl Told<'_> {
    /// The messages about it, one for each line.
    pub(super) fn reasons(&self) -> Vec<String> {
        let path = shown(&self.path);
        let mut reasons: Vec<String> = self
            .draft
            .notes
            .iter()
            .map(|note| format!("{}: {path}", shown(note)))
            .collect();
        match &self.fate {
            Fate::Sent(Sent::Conflict(_)) => {
                reasons.push(format!(
                    "Skipped: a different file exists; --force replaces it: {path}"
                ));
            }
            Fate::Duplicate(place) => reasons.push(format!(
                "The same session already exists in {}: {path}",
                shown(place)
            )),
            Fate::IdTaken(place) => reasons.push(format!(
                "Another session with this id exists in {}; --force writes this one anyway: {path}",
                shown(place)
            )),
            Fate::Incomplete(fault) => reasons.push(format!("{fault}: {path}")),
            Fate::Secret => {
                let open = self.secrets.iter().filter(|secret| secret.is_open());
                reasons.extend(open.map(|secret| {
                    let (kind, hint) = (secret.kind.name, shown(&secret.hint));
                    let pointer = shown(&secret.pointer);
                    format!("Contains what looks like {kind} ({hint}) at {pointer}: {path}")
                }));
            }
            Fate::Sent(_) => {}
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
        let duplicate = match &self.fate {
            Fate::Duplicate(place) | Fate::IdTaken(place) => Some(place),
            _ => None,
        };
        let secrets = self
            .secrets
            .iter()
            .map(|it| json!({ "pointer": it.pointer, "kind": it.kind.label, "name": it.kind.name, "hint": it.hint, "choice": word(it.choice) }));
        json!({
            "id": self.draft.session.id, "path": self.path, "status": self.fate.word(), "duplicate_of": duplicate,
            "secrets": secrets.collect::<Vec<Value>>(), "notes": self.draft.notes, "origins": origins, "text": self.text,
        })
    }
}

fn word(choice: SecretChoice) -> &'static str {
    match choice {
        SecretChoice::Open => "open",
        SecretChoice::Redact => "redact",
        SecretChoice::Keep => "keep",
    }
}

/// All drafts as one document.
pub(super) fn json(imported: &Imported, all: &[Told<'_>]) -> Value {
    let drafts: Vec<Value> = all.iter().map(Told::json).collect();
    json!({ "drafts": drafts, "passed_over": imported.skipped, "notes": imported.notes })
}
