//! The edits that write a source into `sourceMetadata`.

use serde_json::Value as Json;

use super::{Renewal, member, whole};
use crate::Machine;
use document::edit::Edit;
use document::recording::Recording;
use document::{Document, Node, NodeKind, text};

/// Facts about its source that a recording stores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceStamp {
    /// `sourceFile`: its path from the project root, joined with `/`.
    pub file: Box<str>,
    /// `contentHash`, as [`content_hash`](calls::source::content_hash) computes it.
    pub hash: Box<str>,
    /// `fileSize`, in bytes.
    pub size: u64,
    /// `lastModified`: ISO 8601 in UTC with milliseconds; `None` where the system does not say.
    pub modified: Option<Box<str>>,
    /// The name of its machine, and its parts.
    pub names: MachineNames,
}

/// The names in a machine, by which a validation can say what changed. What is not known is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MachineNames {
    /// `machineTitle`
    pub title: Option<Box<str>>,
    /// `nodeNames`
    pub nodes: Option<Vec<String>>,
    /// `edgeLabels`
    pub labels: Option<Vec<String>>,
}

impl MachineNames {
    /// The names in a machine. Where something of it was not understood its lists are not known: what they lack would
    /// later be reported as new.
    pub fn new(machine: &Machine) -> Self {
        let is_whole = !machine.is_partial();
        let nodes = || machine.node_names().into_iter().map(str::to_owned).collect();
        Self {
            title: machine.title().map(Box::from),
            nodes: is_whole.then(nodes),
            labels: is_whole.then(|| machine.edge_labels()),
        }
    }
}

impl SourceStamp {
    /// Returns the members that identify this text.
    fn identity(&self) -> [(&'static str, Json); 3] {
        [
            ("sourceFile", (&*self.file).into()),
            ("contentHash", (&*self.hash).into()),
            ("fileSize", self.size.into()),
        ]
    }

    /// Returns details about the text, if known.
    fn particulars(&self) -> [(&'static str, Option<Json>); 4] {
        let MachineNames { title, nodes, labels } = &self.names;
        [
            ("lastModified", self.modified.as_deref().map(Json::from)),
            ("machineTitle", title.as_deref().map(Json::from)),
            ("nodeNames", nodes.clone().map(Json::from)),
            ("edgeLabels", labels.clone().map(Json::from)),
        ]
    }
}

pub(super) fn edits(
    document: &Document,
    recording: &Recording,
    source: &SourceStamp,
    renewal: Renewal,
) -> Vec<Edit> {
    let Some(metadata) = &recording.source else {
        let details = source.particulars().into_iter().filter_map(|(key, json)| Some((key, json?)));
        let members: Vec<(&str, Json)> = source.identity().into_iter().chain(details).collect();
        return whole(document, "sourceMetadata", &members).into_iter().collect();
    };
    if renewal == Renewal::Keep {
        return Vec::new();
    }
    let member_edit = |key: &str, json: &Json| member(document, "/sourceMetadata", key, json);
    let mut edits: Vec<Edit> =
        source.identity().iter().filter_map(|(key, json)| member_edit(key, json)).collect();
    let is_same_text = text(&metadata.value.hash) == Some(&source.hash);
    let old_metadata = document.node(metadata.node);
    for (key, json) in source.particulars() {
        edits.extend(match (old_metadata.get(key), json) {
            // A new checkout has other file times, which must not change what was recorded of the same text.
            (Some(node), Some(json)) if is_same_text && has_expected_type(node, &json) => None,
            (_, Some(json)) => member_edit(key, &json),
            (Some(_), None) if !is_same_text => {
                // The stored value is of the old text, and that of the new one is not known.
                Some(Edit::Remove { pointer: format!("/sourceMetadata/{key}") })
            }
            (_, None) => None,
        });
    }
    edits
}

/// Returns whether a stored value is of the type that it should have.
fn has_expected_type(node: Node<'_>, json: &Json) -> bool {
    match json {
        Json::Array(_) => node.kind() == NodeKind::Array,
        _ => node.kind() == NodeKind::String,
    }
}
