//! The verdict on each set, played in hybrid mode with the first requests of its machine if that can be read completely, else with
//! its own requests. What a test requests is not known: it also depends on the answers.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::request::RequestsSource;
use super::sets::machine;
use super::{PlaybackAction, PlaybackDesk};
use crate::format::FileKind;
use crate::ops::Item;
use crate::ops::playback::{PlaybackRules, SetVerdict};
use crate::text::{Source, visible};
use crate::workbench::core::effect::Effect;
use crate::workbench::core::items::Items;
use crate::workbench::core::library::DocId;
use crate::workbench::core::listing::Grouping;
use crate::workbench::core::navigation::Desk;
use crate::workbench::core::state::Core;
use crate::workbench::core::working_copy::Revision;

/// The verdicts on sets, by folder.
pub type JudgedSets = BTreeMap<Arc<str>, JudgedSet>;

/// Plays each set that has changed since it was judged; the answers are `PlaybackEvent::SetsJudged`.
#[derive(Debug)]
pub struct JudgeSets {
    /// The number that the answers carry.
    pub number: u64,
    pub items: Items,
    /// The texts of edited documents, used in place of the files.
    pub edited: Vec<(DocId, Revision, Source)>,
    /// The verdicts so far.
    pub judged: Arc<JudgedSets>,
}

/// A set with its verdict.
#[derive(Clone, Debug)]
pub struct JudgedSet {
    /// The files that were played; `None` if one of them was written since.
    pub files: Option<Arc<[JudgedFile]>>,
    /// The machine whose requests were played; `None` for the requests of the set itself.
    pub machine: Option<Arc<str>>,
    pub verdict: Arc<SetVerdict>,
}

/// A file of a set, as it was played.
#[derive(Clone, Debug)]
pub struct JudgedFile {
    pub doc: DocId,
    pub item: Arc<Item>,
    /// The revision of its text, if it was edited.
    pub revision: Option<Revision>,
}

impl JudgedFile {
    fn is_same(&self, other: &Self) -> bool {
        (self.doc, self.revision) == (other.doc, other.revision)
            && Arc::ptr_eq(&self.item, &other.item)
    }
}

/// A set to play.
#[derive(Debug)]
pub struct SetToJudge {
    pub folder: Arc<str>,
    pub files: Vec<JudgedFile>,
    /// The machine that its recordings were made from; the first one by path, if there are several.
    pub machine: Option<Arc<str>>,
}

impl JudgeSets {
    /// Returns the sets that have changed since they were judged, by folder.
    pub fn changed(&self) -> Vec<SetToJudge> {
        let edited: HashMap<DocId, Revision> =
            self.edited.iter().map(|(doc, revision, _)| (*doc, *revision)).collect();
        let mut sets: BTreeMap<&str, Vec<JudgedFile>> = BTreeMap::new();
        for (doc, item) in self.items.iter() {
            if item.file_name().ends_with(".json") {
                sets.entry(item.folder()).or_default().push(JudgedFile {
                    doc,
                    item: Arc::clone(item),
                    revision: edited.get(&doc).copied(),
                });
            }
        }
        let is_set = |files: &[JudgedFile]| {
            let mut items = files.iter().map(|file| &file.item);
            items.any(|item| item.kind == FileKind::Recording)
        };
        let sets = sets
            .into_iter()
            .filter(|(folder, files)| {
                is_set(files) && !self.judged.get(*folder).is_some_and(|set| set.is_of(files))
            })
            .map(|(folder, files)| {
                let machines = files.iter().filter_map(|file| match file.item.kind {
                    FileKind::Recording | FileKind::Request => machine(&file.item),
                    _ => None,
                });
                SetToJudge { folder: folder.into(), machine: machines.min().map(Arc::from), files }
            });
        sets.collect()
    }
}

impl JudgedSet {
    /// Returns the verdict with the requests that were played: `own requests: 7 of 7`.
    pub fn label(&self) -> String {
        let requests = match self.machine {
            Some(_) => "first requests",
            None => "own requests",
        };
        format!("{requests}: {}", visible(&self.verdict.label))
    }

    /// Describes which requests were played, and the result.
    pub fn describe(&self) -> String {
        let requests = match &self.machine {
            Some(path) => format!("The first request of each node of {}", visible(path)),
            None => "The requests of the set itself".to_owned(),
        };
        let title = visible(&self.verdict.title).replace('`', "");
        format!("{requests}, in hybrid mode. {title}")
    }

    fn is_of(&self, files: &[JudgedFile]) -> bool {
        let judged = self.files.as_deref();
        judged.is_some_and(|judged| {
            let mut pairs = judged.iter().zip(files);
            judged.len() == files.len() && pairs.all(|(judged, now)| judged.is_same(now))
        })
    }
}

/// The inputs of all verdicts.
#[derive(Debug, PartialEq, Eq)]
struct VerdictKey {
    /// The revision of the items.
    items: u64,
    /// The edited texts.
    edited: Vec<(DocId, Revision)>,
    /// How often files were written.
    written: u64,
}

/// The verdicts that the playback desk has, and what they were requested for.
#[derive(Debug, Default)]
pub(super) struct Verdicts {
    judged: Arc<JudgedSets>,
    /// The number of the last request.
    number: u64,
    /// What it was made for.
    requested: Option<VerdictKey>,
    written: u64,
}

impl Verdicts {
    /// Returns the same without verdicts. The answers of earlier requests are dropped.
    pub(super) fn reset(&self) -> Self {
        Self { number: self.number, ..Self::default() }
    }

    /// Notes that files in this folder were written, which does not always change their items.
    pub(super) fn mark_written(&mut self, folder: &str) {
        self.written += 1;
        if let Some(set) = Arc::make_mut(&mut self.judged).get_mut(folder) {
            set.files = None;
        }
    }

    pub(super) fn receive(&mut self, number: u64, judged: Vec<(Arc<str>, JudgedSet)>) {
        if number == self.number {
            Arc::make_mut(&mut self.judged).extend(judged);
        }
    }

    /// Requests the verdicts if a set may have changed, once everything has been read and while they are shown.
    pub(super) fn sync(&mut self, core: &Core) -> Option<Effect> {
        let is_grouped = core.list.grouping == Grouping::Folder && core.shows(Desk::Library);
        if core.progress.is_some() || !is_grouped && !core.shows(Desk::Playback) {
            return None;
        }
        let unsaved = core.library.unsaved();
        let wanted = Some(VerdictKey {
            items: core.library.items_revision,
            edited: unsaved.map(|(doc, copy)| (doc, copy.revision)).collect(),
            written: self.written,
        });
        if self.requested == wanted || core.library.items.is_empty() {
            return None;
        }
        self.requested = wanted;
        self.number += 1;
        let edited = core.library.unsaved();
        Some(Effect::run(JudgeSets {
            number: self.number,
            items: core.library.items.clone(),
            edited: edited.map(|(doc, copy)| (doc, copy.revision, copy.text.clone())).collect(),
            judged: Arc::clone(&self.judged),
        }))
    }
}

impl PlaybackDesk {
    /// The verdict on a set; `None` while it is not known.
    pub fn judged(&self, folder: &str) -> Option<&JudgedSet> {
        self.verdicts.judged.get(folder)
    }

    /// Plays a set in the same way as its verdict.
    pub(super) fn play_set(&mut self, core: &mut Core, folder: Arc<str>) {
        let machine = match self.judged(&folder) {
            Some(judged) => judged.machine.clone(),
            None => {
                self.sync_sets(core);
                let machine = self.sets.machine_of(&folder);
                machine.map(|machine| Arc::clone(&machine.path))
            }
        };
        self.set = Some(folder);
        self.rules = PlaybackRules::default();
        let requests = machine.map_or(RequestsSource::SetItself, RequestsSource::Machine);
        self.act(core, PlaybackAction::PlayHybrid(requests));
    }
}
