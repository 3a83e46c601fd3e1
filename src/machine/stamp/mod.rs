//! Stamps recordings: adds or renews `signature` and `sourceMetadata`, and touches no other byte.
//!
//! A stamp makes a recording of the first version (neither of the two) one of the second (with a signature) or the third
//! (with a source). Only what differs is written, so that a stamped recording stays as it is when it is stamped again.
//!
//! **Context keys.** The clients that are shipped compute an empty list of context keys for each request and for each
//! recording without a signature. A new signature therefore stores an empty list: the recording goes on to match what it
//! matched before. Keys that are stored stay, although no shipped client can match them, because clients that go by the
//! document do; [`StampContextKeys`] can change this.
//!
//! **The same text.** If the stored hash is that of the source, everything else that was stored about it was written by the
//! recorder and is kept; only missing fields are added. So a new checkout, which changes all file times, stamps nothing.
//! If the hash is different, all fields are updated, and those that are unknown for the new text are removed.

mod choice;
mod repath;
mod signature;
mod source;
#[cfg(test)]
mod tests;

pub use choice::{SourceCandidate, SourceTraces, Undecided, choose};
pub use repath::repath;
pub use source::{MachineNames, SourceStamp};

use serde_json::Value as Json;

use document::edit::{self, Edit, JsonValue};
use document::recording::{Recording, RecordingVersion};
use document::text::TextEdit;
use document::{Document, FileKind, Node, Syntax, json, text};

#[derive(Clone, Copy, Debug)]
pub struct StampOptions<'a> {
    /// The source; `None` stamps a signature only, which makes a recording of the second version.
    pub source: Option<&'a SourceStamp>,
    /// Treatment of an existing stamp.
    pub renewal: Renewal,
    /// The context keys of the signature.
    pub context_keys: StampContextKeys,
}

/// Treatment of an existing stamp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Renewal {
    /// It is renewed where it differs.
    #[default]
    Renew,
    /// It stays, whatever it says; only what is missing is added.
    Keep,
}

/// The context keys that a signature lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StampContextKeys {
    /// Those that are stored; where none are, none.
    #[default]
    AsStored,
    /// None, as shipped clients compute.
    Shipped,
    /// Those of the request's context, as the document says.
    Documented,
}

/// Edit that stamps a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// The one change of its text.
    pub edit: TextEdit,
    /// Whether the source has changed since the last stamp.
    pub source: StampChange,
}

/// Whether a source has changed since a recording was last stamped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StampChange {
    /// It is the same text, or none was stamped.
    Same,
    /// It is a different text. A stamp does not show whether the recording still matches its request.
    Changed,
}

/// Returns true if a recording has everything that a version requires.
pub fn is_complete(recording: &Recording, version: RecordingVersion) -> bool {
    match version {
        RecordingVersion::V1 => true,
        RecordingVersion::V2 => recording.signature.is_some(),
        RecordingVersion::V3 => recording.signature.is_some() && recording.source.is_some(),
    }
}

/// Returns the recording in a document.
///
/// # Errors
///
/// A sentence without a full stop, when it is of another kind.
pub fn recording_of(document: &Document) -> Result<&Recording, String> {
    document.body.recording().ok_or_else(|| match document.kind() {
        FileKind::Unknown => "The file is not a recording".to_owned(),
        _ => format!("Expected a recording, found {}", document.describe_kind()),
    })
}

/// Finds what stamps a recording; `None` when there is nothing to write.
///
/// # Errors
///
/// A sentence without a full stop, when it is no recording, cannot be read as a whole, or has a request from which no
/// signature can be computed.
pub fn stamp(document: &Document, options: &StampOptions<'_>) -> Result<Option<Stamp>, String> {
    let recording = recording_of(document)?;
    if document.syntax == Syntax::Yaml {
        return Err("The file is YAML, but players read JSON".to_owned());
    }
    if let Some(fault) = document.tree.fault() {
        return Err(format!(
            "The file cannot be read completely: {} (line {})",
            fault.message, fault.place.line
        ));
    }
    // First, because new members are appended, and recorders write the signature before the source.
    let mut edits = signature::edits(document, recording, options)?;
    if let Some(source) = options.source {
        edits.extend(source::edits(document, recording, source, options.renewal));
    }
    let edit = edit::plan_all(&document.tree, &edits).map_err(|refusal| refusal.to_string())?;
    Ok(edit.map(|edit| Stamp { edit, source: stamp_change(recording, options) }))
}

fn stamp_change(recording: &Recording, options: &StampOptions<'_>) -> StampChange {
    let old_hash = recording.source.as_ref().and_then(|field| text(&field.value.hash));
    match (old_hash, options.source, options.renewal) {
        (Some(old_hash), Some(new_source), Renewal::Renew) if *old_hash != *new_source.hash => {
            StampChange::Changed
        }
        _ => StampChange::Same,
    }
}

/// Returns the edit that makes the member `key` of the object at `parent` say `new_json`; `None` when it does.
fn member(document: &Document, parent: &str, key: &str, new_json: &Json) -> Option<Edit> {
    let parent_node = document.tree.at_pointer(parent)?;
    let pointer = format!("{parent}/{key}");
    let value = JsonValue::parse(&new_json.to_string()).ok()?;
    match parent_node.get(key) {
        None => Some(Edit::Insert { pointer, value }),
        Some(node) if says(node, new_json) => None,
        Some(_) => Some(Edit::Set { pointer, value }),
    }
}

/// The edit that puts an object of these members, in this order, into the document's root, in place of what may be there.
fn whole(document: &Document, key: &str, members: &[(&str, Json)]) -> Option<Edit> {
    let members = members.iter().map(|(key, json)| format!("{}:{json}", Json::from(*key)));
    let json = format!("{{{}}}", members.collect::<Vec<_>>().join(","));
    let (pointer, value) = (format!("/{key}"), JsonValue::parse(&json).ok()?);
    Some(match document.tree.root()?.get(key) {
        None => Edit::Insert { pointer, value },
        Some(_) => Edit::Set { pointer, value },
    })
}

/// Returns whether a value reads as `new_json`, however it is spelled.
fn says(node: Node<'_>, new_json: &Json) -> bool {
    // `1` and `1.0` are equal, and another spelling is no reason to write.
    if let (Some(old_number), Some(new_number)) = (node.as_f64(), new_json.as_f64()) {
        return old_number == new_number;
    }
    serde_json::from_str::<Json>(&json::text(node)).is_ok_and(|j| j == *new_json)
}
