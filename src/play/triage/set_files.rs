//! A set with the texts of its files, to try fixes in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::playback::fixes::Fix;
use crate::playback::{RecordingSet, SetRecording, SkippedFile};
use calls::Pool;
use calls::stable::{StableSettings, stabilize};
use document::files::{FileStep, file_name};
use document::text::Source;

/// A set with the texts of its recordings.
#[derive(Clone, Debug, Default)]
pub struct SetFiles {
    pub set: Arc<RecordingSet>,
    /// By position in the set.
    texts: Vec<Source>,
    /// Settings by which changed files are made stable; `None` if those of the project do not require it.
    stable: Option<Arc<StableSettings>>,
}

impl SetFiles {
    /// Reads the files of a folder, given in any order with their paths. A file that cannot be read has the reason in place of its
    /// text, as a sentence without a full stop.
    pub fn new(
        folder: &str,
        files: impl IntoIterator<Item = (Arc<str>, Result<Source, String>)>,
        pool: &Pool,
    ) -> Self {
        let mut texts = BTreeMap::new();
        let read = files.into_iter().map(|(path, text)| match text {
            Ok(text) => {
                texts.insert(Arc::clone(&path), text.clone());
                read_recording(path, text, pool)
            }
            Err(reason) => Err(SkippedFile { path, reason: reason.into() }),
        });
        Self::with_texts(RecordingSet::new(folder, read.collect::<Vec<_>>()), texts)
    }

    fn with_texts(set: RecordingSet, mut texts: BTreeMap<Arc<str>, Source>) -> Self {
        let text_of = |recording: &SetRecording| {
            texts.remove(&recording.path).unwrap_or_else(|| Source::new(""))
        };
        let texts = set.recordings.iter().map(text_of);
        Self { texts: texts.collect(), set: Arc::new(set), stable: None }
    }

    /// Returns the same set, in which fixes make the files that they change stable.
    #[must_use]
    pub fn stable(self, settings: StableSettings) -> Self {
        let stable = Some(Arc::new(settings));
        Self { stable, ..self }
    }

    /// Returns what becomes of each file that differs in another version of the set: its path, and its content before and after.
    pub fn changes<'a>(&'a self, new_files: &'a Self) -> Vec<FileChange<'a>> {
        let by_path = |files: &'a Self| -> BTreeMap<&'a str, &'a [u8]> {
            let recordings = files.set.recordings.iter().zip(&files.texts);
            recordings.map(|(recording, text)| (&*recording.path, text.text().as_bytes())).collect()
        };
        let (old_texts, new_texts) = (by_path(self), by_path(new_files));
        let paths: BTreeSet<&str> = old_texts.keys().chain(new_texts.keys()).copied().collect();
        let change = |path: &'a str| FileChange {
            path,
            before: old_texts.get(path).copied(),
            after: new_texts.get(path).copied(),
        };
        paths.into_iter().map(change).filter(|change| change.before != change.after).collect()
    }

    /// Returns the steps of fixes that rename or copy files, in order.
    pub fn file_steps<'a>(&self, fixes: impl Iterator<Item = &'a Fix>) -> Vec<FileStep> {
        let mut copy = FixedSet { files: self.clone(), steps: Vec::new(), refused: Vec::new() };
        fixes.for_each(|fix| copy.change_files(fix));
        copy.steps
    }

    /// Applies fixes in memory. Also returns the steps that write the result, in order, and why single recordings could not be fixed,
    /// as sentences without a full stop.
    pub fn fixed(&self, fixes: &[Fix], pool: &Pool) -> FixedSet {
        let mut copy = FixedSet { files: self.clone(), steps: Vec::new(), refused: Vec::new() };
        let (edits, moves): (Vec<&Fix>, Vec<&Fix>) =
            // Edits first: they name recordings by position, which renames and copies change.
            fixes.iter().partition(|fix| !fix.edited().is_empty());
        copy.edit(&edits, pool);
        moves.into_iter().for_each(|fix| copy.change_files(fix));
        copy
    }
}

/// Content of a file before and after a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileChange<'a> {
    pub path: &'a str,
    /// Its content; `None` if there is no such file.
    pub before: Option<&'a [u8]>,
    pub after: Option<&'a [u8]>,
}

/// A set after fixes.
#[derive(Clone, Debug, Default)]
pub struct FixedSet {
    pub files: SetFiles,
    /// Steps that write it, in order.
    pub steps: Vec<FileStep>,
    /// Recordings that could not be fixed, and why.
    pub refused: Vec<SkippedFile>,
}

impl FixedSet {
    /// Applies edits of texts, which keep all positions.
    fn edit(&mut self, fixes: &[&Fix], pool: &Pool) {
        let edited: BTreeSet<usize> = fixes.iter().flat_map(|fix| fix.edited()).copied().collect();
        // The set is shared with runs that were played before the fix.
        let mut set = RecordingSet::clone(&self.files.set);
        for index in edited {
            let (Some(recording), Some(text)) =
                (set.recordings.get_mut(index), self.files.texts.get_mut(index))
            else {
                continue;
            };
            let path = Arc::clone(&recording.path);
            let old_text = text.clone();
            for fix in fixes.iter().filter(|fix| fix.edited().contains(&index)) {
                // Read again for each fix, because the one before moved the places in the text.
                let document = document::read(text.clone(), file_name(&path));
                match fix.edit(&document) {
                    Ok(Some(edit)) => {
                        let mut changed = text.text().to_owned();
                        edit.apply(&mut changed);
                        *text = Source::new(changed);
                    }
                    Ok(None) => {}
                    Err(reason) => self
                        .refused
                        .push(SkippedFile { path: Arc::clone(&path), reason: reason.into() }),
                }
            }
            if *text == old_text {
                continue;
            }
            if let Some(settings) = &self.files.stable {
                let document = document::read(text.clone(), file_name(&path));
                let stable = stabilize(&document, file_name(&path), settings, None);
                // A file that cannot be made stable is still fixed.
                *text = stable.ok().and_then(|stable| stable.after).unwrap_or_else(|| text.clone());
            }
            match read_recording(Arc::clone(&path), text.clone(), pool) {
                Ok(read) => *recording = read,
                Err(skipped) => self.refused.push(skipped),
            }
            let bytes = |text: &Source| Some(text.text().as_bytes().into());
            self.steps.push(FileStep::Write { path, before: bytes(&old_text), after: bytes(text) });
        }
        self.files.set = Arc::new(set);
    }

    /// Renames or copies files.
    fn change_files(&mut self, fix: &Fix) {
        let set = &*self.files.set;
        let steps = fix.files(set);
        let recordings = set.recordings.iter().zip(&self.files.texts);
        let mut all: BTreeMap<Arc<str>, (SetRecording, Source)> =
            recordings.map(|(r, t)| (Arc::clone(&r.path), (r.clone(), t.clone()))).collect();
        for step in &steps {
            match step {
                FileStep::Rename { from, to } => {
                    if let Some(recording) = all.remove(from) {
                        all.insert(Arc::clone(to), recording);
                    }
                }
                FileStep::Copy { from, to } => {
                    if let Some(copied) = all.get(from).cloned() {
                        all.insert(Arc::clone(to), copied);
                    }
                }
                FileStep::Create { .. } | FileStep::Write { .. } => {}
            }
        }
        let (mut recordings, mut texts) = (Vec::new(), BTreeMap::new());
        for (path, (mut recording, text)) in all {
            recording.path = Arc::clone(&path);
            texts.insert(path, text);
            recordings.push(recording);
        }
        let files = recordings.into_iter().map(Ok);
        // Sorted again, because new names have other positions.
        let set = RecordingSet::new(&set.folder, files.chain(set.skipped.iter().cloned().map(Err)));
        self.files = SetFiles::with_texts(set, texts);
        self.steps.extend(steps);
    }
}

fn read_recording(path: Arc<str>, text: Source, pool: &Pool) -> Result<SetRecording, SkippedFile> {
    let document = document::read(text, file_name(&path));
    SetRecording::read(path, &document, pool)
}
