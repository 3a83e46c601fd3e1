//! Unsaved edits, kept in the platform's state folder so that they survive whatever ends the program.
//!
//! Each is a separate file, written like any other (temporary file, sync, rename) and readable only by its owner. Its
//! name begins with that of the run it belongs to; a run holds a lock as long as it is active, so that windows side by
//! side leave each other's edits alone, and the next start finds those of runs that ended.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use serde::{Deserialize, Serialize};

use crate::disk::root::{ReadRefusal, describe_error, read_file, uninterrupted};
use crate::disk::save::{
    SaveTarget, TempFileAccess, clean, create_locked, lock, open_private, open_to_lock,
    random_name, write_private,
};
use author::recovered::{DraftFileState, RecoveredDraft, RecoveredDrafts};
use calls::source::sha256_hex;
use document::text::{Source, visible};

/// The folder within the state folder.
const FOLDER_NAME: &str = "unsaved";

/// The largest edit that is stored, with the text it is based on: 64 MiB.
const MAX_DRAFT_BYTES: u64 = 64 << 20;

/// The most that is stored in total: 512 MiB.
const MAX_TOTAL_BYTES: u64 = 512 << 20;

/// The unsaved edits of this run, and of those that ended before.
///
/// Every method except the first one blocks on the disk.
#[derive(Debug)]
pub struct DraftStore {
    folder: PathBuf,
    dir: Dir,
    /// This run, once it has stored an edit.
    run: Option<RunLock>,
    /// Runs that ended, locked so that no other window offers their edits too.
    ended: Vec<RunLock>,
    /// The files of the edits that were offered, by their ids.
    offered: BTreeMap<u64, String>,
}

/// A run of the program. It lives for as long as its lock is held.
#[derive(Debug)]
struct RunLock {
    name: String,
    lock: File,
}

/// The content of a stored edit.
#[derive(Serialize, Deserialize)]
struct SavedDraft {
    folder: SavedPath,
    beneath: SavedPath,
    base: Option<String>,
    text: String,
}

/// A path, which need not be Unicode.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum SavedPath {
    Text(String),
    Bytes(Vec<u8>),
}

impl DraftStore {
    /// Opens the store in a state folder; see [`state::folder`](crate::disk::state::folder).
    ///
    /// # Errors
    ///
    /// A message for the user; unsaved edits cannot be stored then.
    pub fn open(state: &Path) -> Result<Self, String> {
        let folder = state.join(FOLDER_NAME);
        Self::open_at(&folder).map_err(|error| fault_sentence("Unsaved edits", &error, &folder))
    }

    fn open_at(folder: &Path) -> io::Result<Self> {
        Ok(Self {
            folder: folder.to_owned(),
            dir: open_private(folder)?,
            run: None,
            ended: Vec::new(),
            offered: BTreeMap::new(),
        })
    }

    /// Stores an unsaved edit, and replaces the stored one of the same file.
    ///
    /// # Errors
    ///
    /// A message for the user; the stored edit stays as it was.
    pub fn keep(
        &mut self,
        target: &SaveTarget,
        base: Option<&str>,
        text: &str,
    ) -> Result<(), String> {
        let (folder, beneath) = target.parts();
        let draft = SavedDraft {
            folder: SavedPath::from_path(folder),
            beneath: SavedPath::from_path(beneath),
            base: base.map(str::to_owned),
            text: text.to_owned(),
        };
        let bytes = serde_json::to_vec(&draft).map_err(io::Error::from);
        let result = bytes.and_then(|bytes| self.write(target, &bytes));
        result.map_err(|error| {
            let subject = format!("Unsaved edits of {}", visible(&target.shown));
            fault_sentence(&subject, &error, &self.folder)
        })
    }

    fn write(&mut self, target: &SaveTarget, bytes: &[u8]) -> io::Result<()> {
        let run = match &self.run {
            Some(run) => run,
            None => self.run.insert(RunLock::begin(&self.dir)?),
        };
        let name = run.file(target);
        let is_full = {
            // The stored edit of the same file is replaced, so it needs no room.
            let other_names = list_drafts(&self.dir)?.into_iter().filter(|file| *file != name);
            let sizes = other_names.filter_map(|file| Some(self.dir.metadata(file).ok()?.len()));
            sizes.sum::<u64>() + bytes.len() as u64 > MAX_TOTAL_BYTES
        };
        if bytes.len() as u64 > MAX_DRAFT_BYTES || is_full {
            return Err(io::Error::other("there are too many of them, or they are too large"));
        }
        write_private(&self.dir, name.as_ref(), bytes)
    }

    /// Deletes the stored edit of a file: the file was saved, or its edits were undone.
    pub fn forget(&mut self, target: &SaveTarget) {
        if let Some(run) = &self.run {
            self.remove(&run.file(target));
        }
    }

    /// Returns the edits of runs that ended. Open windows keep theirs.
    pub fn list_left_over(&mut self) -> RecoveredDrafts {
        // Runs that were killed while they wrote may have left temporary files.
        clean(&self.dir, &mut |_| {});
        let mut leftovers = RecoveredDrafts::default();
        let names = match list_names(&self.dir) {
            Ok(names) => names,
            Err(error) => {
                let remark = fault_sentence("Unsaved edits of earlier runs", &error, &self.folder);
                leftovers.remarks.push(remark);
                return leftovers;
            }
        };
        let runs: BTreeSet<&str> = names.iter().filter_map(|name| run_name(name)).collect();
        for name in runs {
            if let Some(run) = RunLock::take_over(&self.dir, name) {
                self.ended.push(run);
            }
        }
        let mut drafts = Vec::new();
        for name in names.iter().filter(|name| self.is_from_ended_run(name)) {
            match self.read(name) {
                Ok(Some(draft)) => drafts.push((name.clone(), draft)),
                // The edit was saved just before the run ended.
                Ok(None) => self.remove(name),
                Err(reason) => leftovers.remarks.push(format!(
                    "An unsaved edit was stored but cannot be read ({reason}); it stays at {}",
                    self.folder.join(name).display()
                )),
            }
        }
        drafts.sort_by(|(_, a), (_, b)| (a.seconds, &a.path).cmp(&(b.seconds, &b.path)));
        self.offered.clear();
        for (id, (name, draft)) in (0..).zip(drafts) {
            self.offered.insert(id, name);
            leftovers.drafts.push(RecoveredDraft { id, ..draft });
        }
        self.close_ended();
        leftovers
    }

    /// Deletes an edit that was offered: it was recovered, or is not needed.
    pub fn discard(&mut self, id: u64) {
        if let Some(name) = self.offered.remove(&id) {
            self.remove(&name);
            self.close_ended();
        }
    }

    fn is_from_ended_run(&self, name: &str) -> bool {
        let is_of = |run: &RunLock| name.ends_with(".json") && run_name(name) == Some(&run.name);
        self.ended.iter().any(is_of)
    }

    /// Reads a stored edit; `None` when the file already contains that text.
    fn read(&self, name: &str) -> Result<Option<RecoveredDraft>, String> {
        let bytes = read_file(&self.dir, name.as_ref()).map_err(|refusal| refusal.to_string())?;
        let draft: SavedDraft =
            serde_json::from_slice(&bytes).map_err(|_| "its content is invalid")?;
        let seconds = self.dir.metadata(name).and_then(|m| m.modified()).ok();
        let since = seconds.and_then(|time| time.into_std().duration_since(UNIX_EPOCH).ok());
        let (folder, beneath) = (draft.folder.into_path(), draft.beneath.into_path());
        let file_state = match read_current(&folder, &beneath) {
            Ok(bytes) if bytes == draft.text.as_bytes() => return Ok(None),
            Ok(bytes) if Some(&*bytes) == draft.base.as_deref().map(str::as_bytes) => {
                DraftFileState::Same
            }
            Ok(bytes) => DraftFileState::Changed(Source::from_bytes(bytes)),
            // A new file that was never saved.
            Err(ReadRefusal::Missing) if draft.base.is_none() => DraftFileState::Same,
            Err(ReadRefusal::Missing) => DraftFileState::Gone,
            Err(refusal) => DraftFileState::Unreadable(refusal.to_string()),
        };
        Ok(Some(RecoveredDraft {
            id: 0,
            path: folder.join(beneath),
            seconds: since.map_or(0, |since| since.as_secs().try_into().unwrap_or(i64::MAX)),
            base: draft.base.map(Source::new),
            text: Source::new(draft.text),
            file_state,
        }))
    }

    fn remove(&self, name: &str) {
        // An edit that cannot be removed is offered again, which loses nothing.
        let _ = uninterrupted(|| self.dir.remove_file(name));
    }

    /// Releases ended runs without edits.
    fn close_ended(&mut self) {
        let files = list_drafts(&self.dir).unwrap_or_default();
        let (dir, ended_runs) = (&self.dir, &mut self.ended);
        let has_some = |run: &RunLock| files.iter().any(|file| run_name(file) == Some(&run.name));
        let remove = |run: &RunLock| uninterrupted(|| dir.remove_file(lock_file(&run.name)));
        ended_runs.retain(|run| has_some(run) || remove(run).is_err());
    }
}

impl Drop for DraftStore {
    fn drop(&mut self) {
        self.ended.extend(self.run.take());
        self.close_ended();
    }
}

impl Drop for RunLock {
    fn drop(&mut self) {
        // A program that is being started has a copy of the file for a moment, which would keep a lock that is only closed.
        let _ = self.lock.unlock();
    }
}

impl RunLock {
    /// Begins one of a new name.
    fn begin(dir: &Dir) -> io::Result<Self> {
        loop {
            let name = random_name();
            if let Some(lock) = create_locked(dir, &lock_file(&name), TempFileAccess::Private)? {
                return Ok(Self { name, lock });
            }
        }
    }

    /// Takes over a run that ended; `None` while it lives, or when another window was faster.
    fn take_over(dir: &Dir, name: &str) -> Option<Self> {
        let file = match open_to_lock(dir, lock_file(name).as_ref()) {
            Ok(file) => file,
            // An edit is offered even if the lock of its run was deleted.
            Err(_) => create_locked(dir, &lock_file(name), TempFileAccess::Private).ok()??,
        };
        // Where files cannot be locked, an edit that is offered twice is better than one that is lost.
        let is_ours = lock(&file).unwrap_or(true);
        is_ours.then(|| Self { name: name.to_owned(), lock: file })
    }

    /// Returns the name of the file that stores a target's edit.
    fn file(&self, target: &SaveTarget) -> String {
        // Hashed, since a path may be longer than a name can be.
        let hash = sha256_hex(target.path().as_os_str().as_encoded_bytes());
        format!("{}-{}.json", self.name, &hash[..16])
    }
}

impl SavedPath {
    pub(crate) fn from_path(path: &Path) -> Self {
        match path.to_str() {
            Some(text) => Self::Text(text.to_owned()),
            None => Self::Bytes(path.as_os_str().as_encoded_bytes().to_vec()),
        }
    }

    pub(crate) fn into_path(self) -> PathBuf {
        match self {
            Self::Text(text) => text.into(),
            #[cfg(unix)]
            Self::Bytes(bytes) => {
                <std::ffi::OsString as std::os::unix::ffi::OsStringExt>::from_vec(bytes).into()
            }
            #[cfg(not(unix))]
            // Rust promises this encoding only within one build, and another one may have written it.
            Self::Bytes(bytes) => String::from_utf8_lossy(&bytes).into_owned().into(),
        }
    }
}

/// The content of a file that was edited.
fn read_current(folder: &Path, beneath: &Path) -> Result<Vec<u8>, ReadRefusal> {
    let dir = uninterrupted(|| Dir::open_ambient_dir(folder, ambient_authority()));
    read_file(&dir.map_err(|error| ReadRefusal::from_error(&error))?, beneath)
}

fn lock_file(run: &str) -> String {
    format!("{run}.lock")
}

/// Returns the run a file belongs to: the hexadecimal digits at the start of its name.
fn run_name(name: &str) -> Option<&str> {
    let (run, rest) = name.split_once(['-', '.'])?;
    let is_ours = rest == "lock" || rest.ends_with(".json");
    // Only names that this module gives: whatever else is in the folder is left alone.
    (is_ours && run.len() == 16 && run.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(run)
}

fn list_names(dir: &Dir) -> io::Result<Vec<String>> {
    let entries = uninterrupted(|| dir.entries())?;
    entries.map(|entry| Ok(entry?.file_name().into_string().unwrap_or_default())).collect()
}

/// The names of all edits that are kept.
fn list_drafts(dir: &Dir) -> io::Result<Vec<String>> {
    let mut names = list_names(dir)?;
    names.retain(|name| name.ends_with(".json"));
    Ok(names)
}

fn fault_sentence(subject: &str, error: &io::Error, folder: &Path) -> String {
    format!("{subject} cannot be stored: {} at {}", describe_error(error), folder.display())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::root::Root;

    struct DraftFixture {
        temp: tempfile::TempDir,
        root: Root,
    }

    fn desk(files: &[(&str, &str)]) -> DraftFixture {
        let temp = tempfile::tempdir().unwrap();
        let folder = temp.path().join("root");
        std::fs::create_dir(&folder).unwrap();
        for (name, text) in files {
            std::fs::write(folder.join(name), text).unwrap();
        }
        let root = Root::open(&folder).unwrap();
        DraftFixture { temp, root }
    }

    impl DraftFixture {
        fn start(&self) -> DraftStore {
            DraftStore::open_at(&self.kept_files()).unwrap()
        }

        fn kept_files(&self) -> PathBuf {
            self.temp.path().join("state/unsaved")
        }

        fn target(&self, path: &str) -> SaveTarget {
            SaveTarget::beneath(&self.root, path).unwrap()
        }

        fn list_drafts(&self) -> usize {
            std::fs::read_dir(self.kept_files()).unwrap().count()
        }
    }

    /// Ends a run as a kill does: its lock is gone, and nothing else happens.
    fn kill(mut drafts: DraftStore) {
        drafts.run = None;
    }

    fn describe(leftovers: &RecoveredDrafts) -> String {
        let drafts = leftovers.drafts.iter().map(|draft| {
            let RecoveredDraft { path, base, text, file_state: now, .. } = draft;
            let name = path.file_name().unwrap().to_string_lossy();
            let base = base.as_ref().map(Source::text);
            format!("{name}: {base:?} {:?} {}\n", text.text(), describe_now(now))
        });
        let remarks = leftovers.remarks.iter().map(|remark| {
            let (remark, _) = remark.split_once(" at /").unwrap();
            format!("{remark}\n")
        });
        drafts.chain(remarks).collect()
    }

    fn describe_now(state: &DraftFileState) -> String {
        match state {
            DraftFileState::Changed(source) => format!("changed: {:?}", source.text()),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn edits_survive_a_kill_and_are_held_against_the_file_as_it_is() {
        let desk = desk(&[("same.json", "1"), ("changed.json", "1"), ("saved.json", "1")]);
        let mut drafts = desk.start();
        for name in ["same.json", "changed.json", "saved.json", "gone.json"] {
            drafts.keep(&desk.target(name), Some("1"), "half").unwrap();
            drafts.keep(&desk.target(name), Some("1"), "2\r\n\u{0}ü").unwrap();
        }
        drafts.keep(&desk.target("new.json"), None, "made").unwrap();
        kill(drafts);
        std::fs::write(desk.root.path().join("changed.json"), "theirs").unwrap();
        std::fs::write(desk.root.path().join("saved.json"), "2\r\n\u{0}ü").unwrap();

        let mut drafts = desk.start();
        let mut leftovers = drafts.list_left_over();
        leftovers.drafts.sort_by(|a, b| a.path.cmp(&b.path));
        insta::assert_snapshot!(describe(&leftovers), @r#"
        changed.json: Some("1") "2\r\n\0ü" changed: "theirs"
        gone.json: Some("1") "2\r\n\0ü" Gone
        new.json: None "made" Same
        same.json: Some("1") "2\r\n\0ü" Same
        "#);
        for draft in leftovers.drafts {
            drafts.discard(draft.id);
        }
        assert_eq!(desk.list_drafts(), 0);
        assert_eq!(drafts.list_left_over(), RecoveredDrafts::default());
    }

    #[test]
    fn what_is_saved_or_undone_is_not_offered() {
        let desk = desk(&[]);
        let mut drafts = desk.start();
        drafts.keep(&desk.target("a.json"), Some("1"), "2").unwrap();
        drafts.keep(&desk.target("b.json"), Some("1"), "2").unwrap();
        drafts.forget(&desk.target("a.json"));
        drafts.forget(&desk.target("never-kept.json"));
        assert_eq!(desk.list_drafts(), 2);
        drafts.forget(&desk.target("b.json"));
        drop(drafts);
        assert_eq!(desk.list_drafts(), 0);
    }

    #[test]
    fn windows_side_by_side_leave_each_others_edits_alone() {
        let desk = desk(&[("a.json", "1")]);
        let (mut one, mut other) = (desk.start(), desk.start());
        one.keep(&desk.target("a.json"), Some("1"), "one").unwrap();
        other.keep(&desk.target("a.json"), Some("1"), "other").unwrap();
        assert_eq!(one.list_left_over(), RecoveredDrafts::default());
        assert_eq!(desk.start().list_left_over(), RecoveredDrafts::default());

        kill(one);
        let mut first = desk.start();
        assert_eq!(first.list_left_over().drafts.len(), 1);
        // No one else offers what is being offered, until that window is closed without a decision.
        assert_eq!(desk.start().list_left_over(), RecoveredDrafts::default());
        drop(first);
        insta::assert_snapshot!(describe(&desk.start().list_left_over()), @r#"a.json: Some("1") "one" Same"#);
        drop(other);
    }

    #[test]
    fn what_cannot_be_read_is_reported_and_stays() {
        let desk = desk(&[]);
        let mut drafts = desk.start();
        drafts.keep(&desk.target("a.json"), None, "text").unwrap();
        kill(drafts);
        let names = list_names(&desk.start().dir).unwrap();
        let name = names.iter().find(|name| name.ends_with(".json")).unwrap();
        std::fs::write(desk.kept_files().join(name), "{ \"folder\": 1").unwrap();
        std::fs::write(desk.kept_files().join("notes.json"), "not ours").unwrap();
        insta::assert_snapshot!(describe(&desk.start().list_left_over()), @"An unsaved edit was stored but cannot be read (its content is invalid); it stays");
        assert!(desk.kept_files().join(name).exists());
        assert!(desk.kept_files().join("notes.json").exists());
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_may_read_them_and_any_path_is_kept() {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt as _;
        use std::os::unix::fs::PermissionsExt as _;
        let desk = desk(&[]);
        let path = desk.root.path().join(OsStr::from_bytes(b"\xff.json"));
        let target = SaveTarget::chosen(&path, None).unwrap();
        let mut drafts = desk.start();
        drafts.keep(&target, None, "text").unwrap();
        for entry in std::fs::read_dir(desk.kept_files()).unwrap() {
            let mode = entry.unwrap().metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o077, 0);
        }
        kill(drafts);
        let leftovers = desk.start().list_left_over();
        assert_eq!(leftovers.drafts[0].path, path);
        assert_eq!(leftovers.drafts[0].file_state, DraftFileState::Same);
    }
}
