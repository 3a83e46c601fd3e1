//! The report about each draft.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::outbox::WriteOutcome;
use crate::output::shown;
use author::import::{self, FieldOrigin, Imported, SecretChoice, SessionDraft};
use calls::secret::SecretKind;

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
    /// It cannot be written, or Flakestorm would reject it, for this reason.
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
pub(super) fn secrets_of(secrets: &[import::DraftSecret], draft: usize) -> Vec<ReportedSecret> {
    let places = secrets.iter().flat_map(|secret| {
        let draft_places = secret.places.iter().filter(|(number, _)| *number == draft);
        draft_places.map(|(_, pointer)| ReportedSecret {
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
        let mut reasons: Vec<String> =
            self.draft.notes.iter().map(|note| format!("{}: {path}", shown(note))).collect();
        match &self.status {
            DraftStatus::Sent(WriteOutcome::Conflict(_)) => reasons
                .push(format!("Skipped: a different file exists; --force replaces it: {path}")),
            DraftStatus::Duplicate(spot) => {
                reasons.push(format!("The same session already exists in {}: {path}", shown(spot)));
            }
            DraftStatus::IdTaken(spot) => reasons.push(format!(
                "Another session with this id exists in {}; --force writes this one anyway: {path}",
                shown(spot)
            )),
            DraftStatus::Incomplete(fault) => reasons.push(format!("{fault}: {path}")),
            DraftStatus::Secret => {
                let open_reasons = open_reasons(&self.secrets).into_iter();
                reasons.extend(open_reasons.map(|reason| format!("{reason}: {path}")));
            }
            DraftStatus::Sent(_) => {}
        }
        reasons
    }
}

/// Instruction for secrets that are not decided.
pub(super) const DECIDE_SECRETS: &str =
    "Replace secrets with --redact, or keep them with --keep: all, a kind or a place";

/// The undecided ones of these secrets, in a sentence each without a full stop.
pub(super) fn open_reasons(secrets: &[ReportedSecret]) -> Vec<String> {
    let reason = |secret: &ReportedSecret| {
        let (kind, hint) = (secret.kind.name, shown(&secret.hint));
        format!("Contains what looks like {kind} ({hint}) at {}", shown(&secret.pointer))
    };
    secrets.iter().filter(|secret| secret.is_open()).map(reason).collect()
}

fn choice_name(choice: SecretChoice) -> &'static str {
    match choice {
        SecretChoice::Open => "open",
        SecretChoice::Redact => "redact",
        SecretChoice::Keep => "keep",
    }
}

/// All drafts as one document.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ImportDocument<'a> {
    drafts: Vec<DraftJson<'a>>,
    /// The number of entries that are no incidents, or that the filters leave out.
    passed_over: usize,
    notes: &'a [String],
}

#[derive(Serialize, JsonSchema)]
struct DraftJson<'a> {
    id: &'a str,
    path: &'a str,
    status: &'static str,
    /// Where the session is that has the same content or id; null if there is none.
    duplicate_of: Option<&'a str>,
    secrets: Vec<SecretJson<'a>>,
    notes: &'a [String],
    /// Where the value of each field comes from, by its JSON Pointer.
    origins: BTreeMap<&'a str, OriginJson<'a>>,
    /// The text of the file.
    text: &'a str,
}

/// A secret without its value.
#[derive(Serialize, JsonSchema)]
struct SecretJson<'a> {
    pointer: &'a str,
    kind: &'a str,
    name: &'a str,
    hint: &'a str,
    choice: &'static str,
}

/// Where a value comes from.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum OriginJson<'a> {
    Read {
        file: &'a str,
        pointer: &'a str,
        line: u32,
        column: u32,
    },
    /// How it was made.
    Made {
        made: &'a str,
    },
}

impl<'a> ImportDocument<'a> {
    pub(super) fn new(imported: &'a Imported, reports: &'a [DraftReport<'a>]) -> Self {
        Self {
            drafts: reports.iter().map(DraftJson::new).collect(),
            passed_over: imported.skipped,
            notes: &imported.notes,
        }
    }
}

impl<'a> DraftJson<'a> {
    fn new(report: &'a DraftReport<'a>) -> Self {
        let duplicate_of = match &report.status {
            DraftStatus::Duplicate(place) | DraftStatus::IdTaken(place) => Some(&**place),
            _ => None,
        };
        let secrets = report.secrets.iter().map(|secret| SecretJson {
            pointer: &secret.pointer,
            // The word that --redact and --keep take.
            kind: secret.kind.label,
            name: secret.kind.name,
            // Enough to recognise the secret by, and not the secret itself: reports end up in logs.
            hint: &secret.hint,
            choice: choice_name(secret.choice),
        });
        let origins = report.draft.origins.iter().map(|(place, o)| (&**place, OriginJson::new(o)));
        Self {
            id: &report.draft.session.id,
            path: &report.path,
            status: report.status.as_str(),
            duplicate_of,
            secrets: secrets.collect(),
            notes: &report.draft.notes,
            origins: origins.collect(),
            text: &report.text,
        }
    }
}

impl<'a> OriginJson<'a> {
    fn new(origin: &'a FieldOrigin) -> Self {
        match origin {
            FieldOrigin::Read { file, pointer, place } => {
                Self::Read { file, pointer, line: place.line, column: place.column }
            }
            FieldOrigin::Generated(made) => Self::Made { made },
        }
    }
}
