//! The recordings made from a source, and the selected one in its set.

use std::collections::HashMap;
use std::sync::Arc;

use calls::Item;
use document::FileKind;
use document::text::visible;
use machine::MachineMap;
use protocol::DocId;
use widgets::{BlockVerdict, CallBlock};
use workbench::{Library, RecordingFit, Workbench};

/// The list.
#[derive(Debug, Default)]
pub(super) struct RecordingsData {
    pub(super) rows: Vec<RecordingRow>,
    pub(super) selected: Option<SelectedRecording>,
    key: Option<DataKey>,
}

/// Inputs: the revisions of the library and of the comparison, the selected recording, and whether the map is read.
type DataKey = (u64, u64, Option<DocId>, bool);

/// A row of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RecordingRow {
    /// A heading, with the recordings below it.
    Group(RecordingFit, Vec<DocId>),
    /// A recording, with its place in its set and the number of recordings there.
    Recording(DocId, RecordingFit, (usize, usize)),
}

/// The selected recording in its set.
#[derive(Clone, Debug)]
pub(super) struct SelectedRecording {
    /// The last folder.
    pub(super) set: String,
    /// The recordings of the set in the order of their files.
    pub(super) docs: Vec<DocId>,
    pub(super) blocks: Vec<CallBlock>,
    pub(super) position: usize,
    pub(super) offer: Option<Offer>,
    /// The reason that it breaks or matches.
    pub(super) reason: String,
}

/// The tools that a request offers at a node now, and those that it offered when it was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Offer {
    pub(super) node: String,
    /// Each with its sign, `+` or `−`, and whether the answer calls it.
    pub(super) tools: Vec<(&'static str, Arc<str>, bool)>,
}

impl RecordingsData {
    pub(super) fn update(&mut self, workbench: &Workbench) {
        let library = &workbench.core.library;
        let Some(side) = &workbench.core.side else { return };
        let (map, selected) = (workbench.source.map(), workbench.source.selected());
        let key = (library.revision, side.revision, selected, map.is_some());
        if self.key == Some(key) {
            return;
        }
        self.key = Some(key);
        let sets = Sets::new(workbench);
        self.rows.clear();
        for (fit, docs) in &side.source.affected.by_fit {
            self.rows.push(RecordingRow::Group(*fit, docs.clone()));
            let row = |doc: &DocId| RecordingRow::Recording(*doc, *fit, sets.place(library, *doc));
            self.rows.extend(docs.iter().map(row));
        }
        self.selected = selected.and_then(|doc| {
            let item = library.get(doc)?;
            let docs = sets.0.get(item.folder()).cloned().unwrap_or_default();
            let fit = |doc: &DocId| RecordingFit::of_doc(library, *doc).map(verdict);
            let source = item.source.as_ref();
            Some(SelectedRecording {
                set: visible(item.set()).into_owned(),
                position: docs.iter().position(|other| *other == doc)?,
                blocks: docs.iter().map(|doc| fit(doc).unwrap_or_default().into()).collect(),
                offer: map.and_then(|map| Offer::new(workbench, map, (doc, item))),
                reason: source
                    .and_then(|source| source.because.as_deref())
                    .map_or_else(String::new, super::reason),
                docs,
            })
        });
    }

    pub(super) fn row_of(&self, doc: DocId) -> Option<usize> {
        let is_row =
            |row: &RecordingRow| matches!(row, RecordingRow::Recording(other, ..) if *other == doc);
        self.rows.iter().position(is_row)
    }
}

impl Offer {
    fn new(workbench: &Workbench, map: &MachineMap, (doc, item): (DocId, &Item)) -> Option<Self> {
        let (_, node) = workbench.source.node_of(doc)?;
        let call = workbench.source.recordings().iter().position(|other| *other == doc)?;
        let old_tools = &item.signature.as_ref()?.tool_names;
        let is_called = |tool: &str| map.called[call].iter().any(|called| **called == *tool);
        let removed = old_tools.iter().filter(|old| !node.tools.iter().any(|new| **new == ***old));
        let mut tools: Vec<_> =
            removed.map(|tool| ("−", Arc::clone(tool), is_called(tool))).collect();
        // Two edges to one node offer a tool twice.
        tools.dedup();
        tools.extend(node.tools.iter().map(|tool| {
            let is_old = old_tools.iter().any(|old| **old == **tool);
            (if is_old { "" } else { "+" }, Arc::from(&**tool), is_called(tool))
        }));
        tools.sort_by_key(|(sign, ..)| ["−", "+", ""].iter().position(|other| other == sign));
        Some(Self { node: visible(&node.qualified).into_owned(), tools })
    }
}

/// Returns the verdict of a recording in a strip.
pub(super) fn verdict(fit: RecordingFit) -> BlockVerdict {
    match fit {
        RecordingFit::Breaks => BlockVerdict::OrderDecides,
        RecordingFit::Matches => BlockVerdict::StillMatches,
        RecordingFit::Unknown => BlockVerdict::Waiting,
        RecordingFit::Other(_) => BlockVerdict::Right,
    }
}

/// The recordings of each folder, in the order of their files.
struct Sets<'a>(HashMap<&'a str, Vec<DocId>>);

impl<'a> Sets<'a> {
    fn new(workbench: &'a Workbench) -> Self {
        let mut sets: HashMap<&str, Vec<DocId>> = HashMap::new();
        for doc in &*workbench.core.list.listing.orders.by_path {
            let item = workbench.core.library.get(*doc);
            if let Some(item) = item.filter(|item| item.kind == FileKind::Recording) {
                sets.entry(item.folder()).or_default().push(*doc);
            }
        }
        Self(sets)
    }

    fn place(&self, library: &Library, doc: DocId) -> (usize, usize) {
        let docs = library
            .get(doc)
            .and_then(|item| self.0.get(item.folder()))
            .map_or(&[][..], Vec::as_slice);
        (docs.iter().position(|other| *other == doc).unwrap_or(0), docs.len())
    }
}
