//! Finds the set of a failure among all sets of a project.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use aho_corasick::AhoCorasick;

use super::{FailureKind, LoggedFailure, MismatchKind};
use calls::Item;
use document::FileKind;
use document::text::counted;

/// A folder that a log may belong to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundFolder {
    /// From the project root.
    pub folder: Arc<str>,
    /// The evidence, as the end of a sentence: `the log names its folder`.
    pub why: String,
    /// Whether the log names the folder, one of its recordings, or a test of it.
    pub is_named: bool,
}

/// The set that a log belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetOfLog {
    /// There is no evidence for any set.
    Unknown,
    /// This one has the most evidence.
    One(FoundFolder),
    /// These have the same evidence.
    Several(Vec<FoundFolder>),
}

/// The sets of a project, by what logs mention of them, so that the time for a failure does not depend on the number of recordings.
#[derive(Debug, Default)]
pub struct SetIndex {
    /// The folders from the project root, sorted.
    folders: Vec<Arc<str>>,
    /// The number of recordings of each folder.
    totals: Vec<usize>,
    /// The positions of the folders with a recording of an id, one for each recording.
    by_id: HashMap<Box<str>, Vec<usize>>,
    /// Those in which a recording offers a tool.
    by_tool: HashMap<Arc<str>, BTreeSet<usize>>,
    /// Those with a name, and the names in the order of `names`.
    by_name: Vec<(Box<str>, Vec<usize>)>,
    /// Finds names of folders in a text; `None` if there are none.
    names: Option<AhoCorasick>,
}

/// Evidence for a folder.
#[derive(Default)]
struct FolderTraces {
    /// Whether the number of recordings is that in the log.
    has_total: bool,
    /// The number of trailing folders that the path in the log shares.
    shared: usize,
    /// Number of its recordings that the failure mentions.
    named: usize,
    /// Whether a recording offers the tool that was not found, or one that the log names as recorded.
    has_tool: bool,
    /// Whether the test is named after it.
    is_in_test: bool,
}

impl SetIndex {
    pub fn new<'a>(items: impl Iterator<Item = &'a Item>) -> Self {
        let mut by_folder: BTreeMap<&str, Vec<&Item>> = BTreeMap::new();
        for item in items.filter(|item| item.kind == FileKind::Recording) {
            by_folder.entry(item.folder()).or_default().push(item);
        }
        let mut index = Self::default();
        let mut by_name: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (position, (folder, items)) in by_folder.into_iter().enumerate() {
            index.folders.push(folder.into());
            index.totals.push(items.len());
            by_name.entry(last_part(folder)).or_default().push(position);
            for item in items {
                if let Some(id) = &item.id {
                    index.by_id.entry(id.clone()).or_default().push(position);
                }
                for tool in item.signature.iter().flat_map(|s| s.tool_names.iter()) {
                    index.by_tool.entry(Arc::clone(tool)).or_default().insert(position);
                }
            }
        }
        // Recordings in the root have no folder name, and an empty pattern is found everywhere.
        by_name.remove("");
        let by_name = by_name.into_iter();
        index.by_name = by_name.map(|(name, of_name)| (name.into(), of_name)).collect();
        let names = index.by_name.iter().map(|(name, _)| &**name);
        index.names = AhoCorasick::new(names).ok();
        index
    }

    /// Returns the folders for which there is evidence other than the number of recordings.
    fn traces(&self, failure: &LoggedFailure) -> BTreeMap<usize, FolderTraces> {
        let mut traces_by_folder: BTreeMap<usize, FolderTraces> = BTreeMap::new();
        if let Some(directory) = failure.directory.as_deref() {
            let name = self.by_name.binary_search_by(|(n, _)| (**n).cmp(last_part(directory)));
            for folder in name.map_or(&[][..], |name| &self.by_name[name].1) {
                let shared = shared_parts(directory, &self.folders[*folder]);
                if shared > 0 {
                    traces_by_folder.entry(*folder).or_default().shared = shared;
                }
            }
        }
        for id in failure.ids() {
            for folder in self.by_id.get(id).into_iter().flatten() {
                traces_by_folder.entry(*folder).or_default().named += 1;
            }
        }
        for tool in failure.tools() {
            for folder in self.by_tool.get(tool).into_iter().flatten() {
                traces_by_folder.entry(*folder).or_default().has_tool = true;
            }
        }
        // If the test is not known, the lines before the failure may name the folder.
        let text = failure.test.as_ref().unwrap_or(&failure.context);
        // The name of one folder may be part of that of another.
        for name in self.names.iter().flat_map(|names| names.find_overlapping_iter(&**text)) {
            if is_word(text, name.range()) {
                for folder in &self.by_name[name.pattern().as_usize()].1 {
                    traces_by_folder.entry(*folder).or_default().is_in_test = true;
                }
            }
        }
        if failure.directory.is_some() {
            // The log names another folder, and tools are no proof against that; nor is the name of a test where that folder is empty.
            let lacks_recordings = failure.lacks_recordings();
            traces_by_folder.retain(|_, t| t.shared > 0 || !lacks_recordings && t.is_named());
        }
        let total = failure.total();
        for (folder, traces) in &mut traces_by_folder {
            traces.has_total = total == Some(self.totals[*folder]);
        }
        traces_by_folder
    }

    /// Returns the folders with as many recordings as a log reports.
    fn with_total(&self, total: Option<usize>) -> BTreeMap<usize, FolderTraces> {
        let all = self.totals.iter().enumerate();
        let folders = all.filter(|(_, recordings)| Some(**recordings) == total);
        let traces = || FolderTraces { has_total: true, ..FolderTraces::default() };
        folders.map(|(folder, _)| (folder, traces())).collect()
    }
}

impl LoggedFailure {
    /// Finds the set of a failure.
    pub fn set_among(&self, sets: &SetIndex) -> SetOfLog {
        let mut traces = sets.traces(self);
        // A log that names a folder which is not here is of another project or state; a number proves nothing against that.
        if traces.is_empty() && self.directory.is_none() {
            traces = sets.with_total(self.total());
        }
        let most = traces.values().map(FolderTraces::score).max();
        let best = traces.iter().filter(|(_, traces)| Some(traces.score()) == most);
        let best_folders = best.map(|(folder, traces)| FoundFolder {
            folder: Arc::clone(&sets.folders[*folder]),
            why: traces.why(),
            is_named: traces.is_named(),
        });
        let mut folders: Vec<FoundFolder> = best_folders.collect();
        match folders.len() {
            0 => SetOfLog::Unknown,
            1 => SetOfLog::One(folders.remove(0)),
            _ => SetOfLog::Several(folders),
        }
    }

    /// Returns the ids of recordings that the log mentions.
    fn ids(&self) -> BTreeSet<&str> {
        let listed = match &self.kind {
            FailureKind::NoMatch { available, .. } => &available[..],
            _ => &[],
        };
        let listed = listed.iter().filter_map(|one| one.id.as_deref());
        listed.chain(self.served().map(|id| &**id)).collect()
    }

    /// Returns the tool that was not found, and those that the log lists for recordings that answered.
    fn tools(&self) -> BTreeSet<&str> {
        let mismatches = self.calls.iter().flat_map(|call| &call.mismatches);
        let recorded = mismatches.filter_map(|mismatch| match &mismatch.kind {
            MismatchKind::Name { recorded, .. } => Some(&**recorded),
            _ => None,
        });
        let lost = match &self.kind {
            FailureKind::ToolNotFound { tool } => Some(&**tool),
            _ => None,
        };
        recorded.chain(lost).collect()
    }
}

impl FolderTraces {
    /// Returns whether the log names the folder, one of its recordings, or a test of it.
    fn is_named(&self) -> bool {
        self.shared > 0 || self.named > 0 || self.is_in_test
    }

    /// Returns the amount of evidence.
    fn score(&self) -> usize {
        let mut score = 100 * usize::from(self.shared > 0) + self.shared.min(9);
        // The cap keeps many recordings below the folder itself.
        score += 10 * self.named.min(8);
        score += 40 * usize::from(self.is_in_test);
        score += 4 * usize::from(self.has_tool);
        // The weakest evidence: many sets have the same number of recordings.
        score + usize::from(self.has_total)
    }

    /// Returns the strongest evidence, as the end of a sentence.
    fn why(&self) -> String {
        if self.shared > 0 {
            return "the log names its folder".to_owned();
        }
        if self.named > 0 {
            let phrase = counted(self.named, "recording", "recordings");
            return format!("it has {phrase} that the log mentions");
        }
        if self.is_in_test {
            return "the test is named after it".to_owned();
        }
        if self.has_tool {
            return "it has a tool that the log mentions".to_owned();
        }
        "it has as many recordings as the log reports".to_owned()
    }
}

/// Returns the last folder of a path.
fn last_part(path: &str) -> &str {
    path.rsplit(['/', '\\']).find(|part| !part.is_empty() && *part != ".").unwrap_or_default()
}

/// Returns whether a part of a text is not part of a longer word.
fn is_word(text: &str, part: std::ops::Range<usize>) -> bool {
    let is_part = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
    let (text_before, text_after) = (&text[..part.start], &text[part.end..]);
    !is_part(text_before.chars().next_back()) && !is_part(text_after.chars().next())
}

/// Returns how many trailing folders two paths share, if these are all of the shorter one. The folders above differ
/// between computers.
fn shared_parts(directory: &str, folder: &str) -> usize {
    let parts = |path: &str| -> Vec<String> {
        let parts = path.split(['/', '\\']).filter(|part| !part.is_empty() && *part != ".");
        parts.map(str::to_owned).rev().collect()
    };
    let (a, b) = (parts(directory), parts(folder));
    let shared = a.len().min(b.len());
    if a[..shared] == b[..shared] { shared } else { 0 }
}
