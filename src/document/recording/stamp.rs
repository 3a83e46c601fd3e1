//! The recorder's stamp on a recording: its signature, and the source it was made from.

use crate::field::Field;
use crate::fields::Fields;
use crate::problems::ProblemList;
use crate::tree::Node;

/// The `signature` field of a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredSignature {
    /// `toolNames`, in the order of the file.
    pub tool_names: Vec<String>,
    /// `messageCount`; `None` when it is missing or no whole number.
    pub message_count: Option<u64>,
    /// `contextKeys`, in the order of the file.
    pub context_keys: Vec<String>,
}

/// The `sourceMetadata` field of a recording.
#[derive(Clone, Debug)]
pub struct SourceMetadata {
    /// `sourceFile`: relative to the project root, as written.
    pub file: Option<Field<String>>,
    /// `contentHash`: SHA-256 of the source's text as UTF-8, 64 lower-case hex digits.
    pub hash: Option<Field<String>>,
    /// `fileSize`, in bytes.
    pub file_size: Option<Field<f64>>,
    /// `lastModified`, as written.
    pub last_modified: Option<Field<String>>,
    /// `machineTitle`
    pub machine_title: Option<Field<String>>,
    /// `nodeNames`
    pub node_names: Vec<String>,
    /// `edgeLabels`
    pub edge_labels: Vec<String>,
}

impl StoredSignature {
    pub(super) fn read(node: Node<'_>, problems: &mut ProblemList) -> Self {
        let mut fields = Fields::new(node, problems);
        for key in ["toolNames", "messageCount", "contextKeys"] {
            fields.require(key);
        }
        let count = fields.whole("messageCount");
        Self {
            tool_names: fields.texts("toolNames"),
            message_count: count.and_then(|count| u64::try_from(count.value).ok()),
            context_keys: fields.texts("contextKeys"),
        }
    }
}

impl SourceMetadata {
    pub(super) fn read(node: Node<'_>, problems: &mut ProblemList) -> Self {
        let mut fields = Fields::new(node, problems);
        Self {
            // Without these two nothing can be compared; the other fields only help to say what has changed.
            file: fields.required_text("sourceFile"),
            hash: fields.required_text("contentHash"),
            file_size: fields.number("fileSize"),
            last_modified: fields.text("lastModified"),
            machine_title: fields.text("machineTitle"),
            node_names: fields.texts("nodeNames"),
            edge_labels: fields.texts("edgeLabels"),
        }
    }
}
