//! A side-by-side comparison: its result, and the position of the user.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::ops::Item;
use crate::ops::diff::fold::OpenFolds;
use crate::ops::diff::recordings::RecordingComparison;
use crate::ops::diff::source::SourceDiff;
use crate::ops::machine::{MachineDiff, MachineDrawing};
use crate::ops::source::SourceOrigin;
use crate::text::{Source, quoted};
use crate::workbench::core::conflict::Conflict;
use crate::workbench::core::library::{DocId, Library};
use crate::workbench::core::navigation::DeskView;
use crate::workbench::core::state::Core;
use crate::workbench::core::task::TaskRequest;

/// The compared items, the result, and the position of the user.
#[derive(Clone, Debug)]
pub struct SideBySide {
    pub(in crate::workbench) view: DeskView,
    pub content: SideBySideContent,
    pub change: usize,
    opened: BTreeMap<usize, OpenFolds>,
    /// Grows with every change of the result or the folds, so that views update their layout.
    pub revision: u64,
}

/// The result of a comparison.
#[derive(Clone, Debug)]
pub enum SideBySideContent {
    /// In progress.
    Working,
    /// Two recordings, or a recording and a request.
    Recordings(Arc<RecordingComparison>),
    /// A source at the time of recording and now.
    Source(Arc<SourceComparison>),
    /// A document in its base version, on disk and as edited here.
    Versions(Conflict),
    /// Failed, for this reason.
    Failed(Arc<str>),
}

/// Compares two items as they are on disk.
#[derive(Debug)]
pub struct CompareItems {
    pub left: (DocId, Arc<Item>),
    pub right: (DocId, Arc<Item>),
}

/// Looks up the recorded source of a recording, and compares it with the current one.
#[derive(Debug)]
pub struct CompareSourceVersions {
    pub doc: DocId,
    pub item: Arc<Item>,
}

impl Core {
    /// Stores a comparison, unless another view is shown by now.
    pub(in crate::workbench) fn on_comparison(
        &mut self,
        view: DeskView,
        found: Result<SideBySideContent, String>,
    ) {
        if let Some(side) = self.side.as_mut().filter(|side| side.view == view) {
            side.content = found.unwrap_or_else(|reason| SideBySideContent::Failed(reason.into()));
            side.revision += 1;
        }
    }
}

impl CompareItems {
    pub(in crate::workbench) fn new(library: &Library, left: DocId, right: DocId) -> Option<Self> {
        Some(Self {
            left: (left, library.share(left)?),
            right: (right, library.share(right)?),
        })
    }
}

impl CompareSourceVersions {
    pub(in crate::workbench) fn new(library: &Library, doc: DocId) -> Option<Self> {
        let item = library.share(doc)?;
        Some(Self { doc, item })
    }
}

impl TaskRequest for CompareItems {
    fn describe(&self) -> String {
        let [left, right] = [&self.left, &self.right].map(|(_, item)| quoted(&item.root_path));
        format!("comparing {left} with {right}")
    }
}

impl TaskRequest for CompareSourceVersions {
    fn describe(&self) -> String {
        format!("looking up the source of {}", quoted(&self.item.root_path))
    }
}

/// The source of a recording, at the time of recording and now.
#[derive(Clone, Debug)]
pub struct SourceComparison {
    /// The `sourceFile` of the recording.
    pub file: String,
    /// The `contentHash` of the recording.
    pub recorded_hash: String,
    /// The text at the time of recording, or why it was not found, in a sentence.
    pub recorded: Result<SourceAsRecorded, String>,
    /// The current text, or why there is none, in a sentence.
    pub current: Result<CurrentSource, String>,
    /// The difference; `None` unless both texts are known.
    pub diff: Option<SourceDiff>,
    /// The difference of the machine; without the recorded text, as far as the recording contains it. `None` without the current text.
    pub machine: Option<MachineDiff>,
    /// The drawing of the machine with its changes; `None` if there is none, or if it is too large.
    pub drawing: Option<MachineDrawing>,
    /// What the recording contains about its source: title, nodes and labels, for when the text is not found.
    pub recorded_facts: Vec<(&'static str, String)>,
}

/// A source at the time of recording.
#[derive(Clone, Debug)]
pub struct SourceAsRecorded {
    pub text: Source,
    /// Where it was found.
    pub origin: SourceOrigin,
}

/// A source now.
#[derive(Clone, Debug)]
pub struct CurrentSource {
    pub text: Source,
    /// Its path from the project root.
    pub path: String,
    /// SHA-256, 64 lower-case hex digits.
    pub hash: String,
    /// The modification time of the file, in seconds since 1970 (UTC), if it is known.
    pub seconds: Option<i64>,
}

impl SideBySide {
    pub(in crate::workbench) fn new(view: DeskView) -> Self {
        Self {
            view,
            content: SideBySideContent::Working,
            change: 0,
            opened: BTreeMap::new(),
            revision: 0,
        }
    }

    /// The open folds of a section; a source is one section, number 0.
    pub fn opened(&self, section: usize) -> Option<&OpenFolds> {
        self.opened.get(&section)
    }

    /// How many changes there are to step through.
    pub fn changes(&self) -> usize {
        match &self.content {
            SideBySideContent::Recordings(comparison) => comparison.differences.len(),
            SideBySideContent::Source(source) => {
                source.diff.as_ref().map_or(0, |diff| diff.changes.len())
            }
            SideBySideContent::Versions(conflict) => conflict.places.len(),
            SideBySideContent::Working | SideBySideContent::Failed(_) => 0,
        }
    }

    pub(in crate::workbench) fn show(&mut self, change: usize) {
        self.change = change.min(self.changes().saturating_sub(1));
    }

    pub(in crate::workbench) fn toggle(&mut self, section: usize, fold: usize) {
        let opened = self.opened.entry(section).or_default();
        if !opened.remove(&fold) {
            opened.insert(fold);
        }
        self.revision += 1;
    }
}
