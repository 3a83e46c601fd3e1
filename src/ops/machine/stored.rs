//! Compares a machine with the names that were stored with a recording.

use std::collections::HashSet;

use super::said::{Part, Subject, What};
use super::{Change, Machine, MachineDiff, Spans};
use crate::format::recording::SourceMetadata;
use crate::format::text;

/// The names that a recording stores of its machine. Empty lists may not have been stored and are not compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stored {
    /// `machineTitle`
    pub title: Option<String>,
    /// `nodeNames`
    pub nodes: Vec<String>,
    /// `edgeLabels`
    pub labels: Vec<String>,
}

impl Stored {
    /// Reads the names stored with a recording.
    pub fn of(metadata: &SourceMetadata) -> Self {
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
    pub fn of_stored(then: &Stored, now: &Machine) -> Self {
        let mut changes = Vec::new();
        let title = now.title();
        if then.title.is_some() && then.title.as_deref() != title {
            let what = What::Part {
                part: Part::Title,
                then: then.title.as_deref().map(Into::into),
                now: title.map(Into::into),
            };
            let span = now.title.as_ref().map(|title| title.span);
            changes.push(change(Subject::Machine, what, span));
        }
        let nodes = now.named().into_iter();
        let nodes = nodes.map(|(name, span)| (name.to_owned(), span)).collect();
        names(&then.nodes, nodes, Subject::Node, &mut changes);
        let labels = now
            .edges
            .iter()
            .filter_map(|edge| Some((edge.label()?, edge.span)));
        names(&then.labels, labels.collect(), Subject::Label, &mut changes);
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
    now: Vec<(String, crate::text::Span)>,
    subject: fn(Box<str>) -> Subject,
    changes: &mut Vec<Change>,
) {
    if then.is_empty() {
        return;
    }
    let was: HashSet<&str> = then.iter().map(String::as_str).collect();
    let mut is = HashSet::new();
    for (name, span) in &now {
        if is.insert(name.as_str()) && !was.contains(name.as_str()) {
            changes.push(change(
                subject(name.as_str().into()),
                What::Added,
                Some(*span),
            ));
        }
    }
    let mut told = HashSet::new();
    for name in then {
        if !is.contains(name.as_str()) && told.insert(name.as_str()) {
            changes.push(change(subject(name.as_str().into()), What::Gone, None));
        }
    }
}

fn change(subject: Subject, what: What, now: Option<crate::text::Span>) -> Change {
    Change {
        subject,
        what,
        spans: Spans { then: None, now },
        offers: Vec::new(),
    }
}
