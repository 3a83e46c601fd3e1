//! Compares a machine with the names that were stored with a recording.

use std::collections::HashSet;

use super::describe::{ChangedPart, MachineChangeKind, MachineSubject};
use super::{Machine, MachineChange, MachineDiff, Spans};
use document::recording::SourceMetadata;
use document::text;

/// The names that a recording stores of its machine. Empty lists may not have been stored and are not compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredNames {
    /// `machineTitle`
    pub title: Option<String>,
    /// `nodeNames`
    pub nodes: Vec<String>,
    /// `edgeLabels`
    pub labels: Vec<String>,
}

impl StoredNames {
    /// Reads the names stored with a recording.
    pub fn from_recording(metadata: &SourceMetadata) -> Self {
        Self {
            title: text(&metadata.machine_title).map(str::to_owned),
            nodes: metadata.node_names.clone(),
            labels: metadata.edge_labels.clone(),
        }
    }
}

impl MachineDiff {
    /// Compares the names stored with a recording with the current machine. Finds less than a comparison of two
    /// machines, and adds a remark about that.
    pub fn from_stored(then: &StoredNames, now: &Machine) -> Self {
        let mut changes = Vec::new();
        let title = now.title();
        if then.title.is_some() && then.title.as_deref() != title {
            let kind = MachineChangeKind::Part {
                part: ChangedPart::Title,
                then: then.title.as_deref().map(Into::into),
                now: title.map(Into::into),
            };
            let span = now.title.as_ref().map(|title| title.span);
            changes.push(change(MachineSubject::Machine, kind, span));
        }
        let nodes = now.named_spans().into_iter().map(|(name, span)| (name.to_owned(), span));
        names(&then.nodes, nodes.collect(), MachineSubject::Node, &mut changes);
        let labels = now.edges.iter().filter_map(|edge| Some((edge.label()?, edge.span)));
        names(&then.labels, labels.collect(), MachineSubject::Label, &mut changes);
        Self {
            changes,
            comments_differ: false,
            remark: Some(
                "Only the title, the names of nodes and the labels of edges were stored with the recording, so there may be more changes",
            ),
        }
    }
}

/// Reports added names in the order of the text, and removed names.
fn names(
    then: &[String],
    now: Vec<(String, document::text::Span)>,
    subject: fn(Box<str>) -> MachineSubject,
    changes: &mut Vec<MachineChange>,
) {
    if then.is_empty() {
        return;
    }
    let old_names: HashSet<&str> = then.iter().map(String::as_str).collect();
    let mut new_names = HashSet::new();
    for (name, span) in &now {
        if new_names.insert(name.as_str()) && !old_names.contains(name.as_str()) {
            let subject = subject(name.as_str().into());
            changes.push(change(subject, MachineChangeKind::Added, Some(*span)));
        }
    }
    let mut removed_names = HashSet::new();
    for name in then {
        if !new_names.contains(name.as_str()) && removed_names.insert(name.as_str()) {
            changes.push(change(subject(name.as_str().into()), MachineChangeKind::Gone, None));
        }
    }
}

fn change(
    subject: MachineSubject,
    kind: MachineChangeKind,
    now: Option<document::text::Span>,
) -> MachineChange {
    // Without the old machine, it is not known what its nodes offered.
    MachineChange { subject, kind, spans: Spans { then: None, now }, offers: Vec::new() }
}
