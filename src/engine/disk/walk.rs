//! Finds the files in the opened paths, in a fixed order, without ever leaving them.

use std::borrow::Cow;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_std::fs::{FileType, Metadata};

use crate::disk::file_names::{is_looked_at, is_ours, is_skipped};
use crate::disk::file_stamp::{FileStamp, Identity, identity};
use crate::disk::gitignore::{
    self, FolderIgnore, GitVerdict, IgnoredCount, from_root, read_patterns,
};
use crate::disk::root::{OpenFolder, OpenedPath, ReadRefusal, display_path, joined, kind_name};
use check::settings::PathKind;
use document::Severity;
use document::signature::utf16_order;

/// A file, or something that is reported in its place.
#[derive(Clone, Debug)]
pub(crate) struct WalkEntry {
    /// Position in the order in which everything is listed: names of a folder in UTF-16 order, then its folders.
    pub(crate) order: u64,
    /// The index of the opened path.
    pub(crate) opened: usize,
    /// Path beneath the opened folder's handle.
    pub(crate) beneath: PathBuf,
    /// As it was given, joined with `/`.
    pub(crate) path: Arc<str>,
    /// From the project root.
    pub(crate) root_path: Arc<str>,
    /// Its treatment.
    pub(crate) kind: EntryKind,
    /// Whether it is reached by a link to a file.
    pub(crate) is_link: bool,
    /// The stamp of a file that is no link, if stamps are taken.
    pub(crate) stamp: Option<FileStamp>,
}

/// Treatment of a found path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum EntryKind {
    /// A regular file with a known extension; it is read, or at least its beginning.
    File,
    /// A file the user named, whatever its name and kind.
    Named,
    /// Something that is not opened, with the severity and the reason.
    Refused(Severity, Arc<str>),
}

/// Folders and links that a walk has visited.
#[derive(Debug, Default)]
pub(crate) struct WalkSummary {
    /// The folders that were listed: the index of the opened path, their path in it, and their identity.
    pub(crate) folders: Vec<(usize, PathBuf, Option<Identity>)>,
    /// The links to files among what was reported.
    pub(crate) file_links: Vec<(usize, PathBuf)>,
    /// Number of links to folders, followed or not.
    pub(crate) folder_links: usize,
    /// Number of files and folders that were left out because git ignores them.
    pub(crate) ignored: IgnoredCount,
}

/// Whether a walk takes the stamp of each file, which is a system call for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stamps {
    Take,
    Skip,
}

/// Walks all opened paths. Stops when `emit` breaks.
pub(crate) fn walk(
    opened: &[OpenedPath],
    stamps: Stamps,
    emit: &mut dyn FnMut(WalkEntry) -> ControlFlow<()>,
) -> ControlFlow<(), WalkSummary> {
    let mut walk = Walker::new(opened, emit);
    walk.stamps = stamps;
    for (index, opened) in opened.iter().enumerate() {
        walk.walk_opened(index, opened)?;
    }
    ControlFlow::Continue(walk.passed)
}

/// Walks one path in an opened folder, and everything below it. Links to folders are counted, not followed: whether
/// they are followed depends on all opened paths. Reports nothing if the path does not exist.
pub(crate) fn walk_at(
    opened: &[OpenedPath],
    index: usize,
    path: &Path,
    emit: &mut dyn FnMut(WalkEntry) -> ControlFlow<()>,
) -> ControlFlow<(), WalkSummary> {
    let mut walk = Walker::new(opened, emit);
    let opened = &opened[index];
    let base = WalkBase { index, opened };
    if opened.file.is_some() {
        walk.walk_opened(index, opened)?;
    } else if let Ok(metadata) = opened.dir.symlink_metadata(path) {
        let kind = metadata.file_type();
        let ignore = FolderIgnore::of(opened, path.parent().unwrap_or(Path::new("")));
        let mut found_folders = FoundFolders::default();
        let name = path.file_name().unwrap_or_default();
        let entry = ListedEntry { path: path.to_owned(), name, kind, folder: None };
        walk.visit_entry(&base, entry, ignore.as_ref(), &mut found_folders)?;
        for folder in found_folders.folders {
            walk.list_folders(&base, folder, &mut found_folders.links)?;
        }
    }
    ControlFlow::Continue(walk.passed)
}

/// Key by which a walk recognises a file or folder, so that paths that overlap list it once.
#[derive(Debug, PartialEq, Eq, Hash)]
enum PlaceKey {
    Identity(Identity),
    /// The absolute path, where the system has no identities.
    Path(PathBuf),
}

impl PlaceKey {
    fn new(opened: &OpenedPath, beneath: &Path, metadata: &Metadata) -> Self {
        identity(metadata).map_or_else(|| Self::Path(opened.folder.join(beneath)), Self::Identity)
    }

    /// The key of what a path leads to; `None` when nothing is there.
    fn of(opened: &OpenedPath, beneath: &Path) -> Option<Self> {
        Some(Self::new(opened, beneath, &opened.dir.metadata(beneath).ok()?))
    }
}

struct Walker<'a> {
    /// Files that the user named; a folder does not list them again.
    named: HashSet<PlaceKey>,
    /// Folders that were listed, and where.
    seen: HashMap<PlaceKey, (usize, PathBuf)>,
    /// Named files that were listed.
    listed_named: HashSet<PlaceKey>,
    passed: WalkSummary,
    order: u64,
    stamps: Stamps,
    emit: &'a mut dyn FnMut(WalkEntry) -> ControlFlow<()>,
}

/// One opened path on the way.
struct WalkBase<'a> {
    index: usize,
    opened: &'a OpenedPath,
}

/// A folder that is listed later.
struct FoundFolder {
    /// Its path below the opened folder.
    path: PathBuf,
    /// The patterns of the folders above it; `None` where git ignores nothing.
    ignore: Option<FolderIgnore>,
}

/// The folders in a folder, and the links to folders.
#[derive(Default)]
struct FoundFolders {
    folders: Vec<FoundFolder>,
    links: Vec<FoundFolder>,
}

/// An entry of a folder.
struct ListedEntry<'a> {
    /// Its path below the opened folder.
    path: PathBuf,
    name: &'a OsStr,
    kind: FileType,
    /// The folder, if it is open.
    folder: Option<&'a OpenFolder>,
}

/// The content of a folder.
struct ListedFolder {
    folder: OpenFolder,
    /// The names, sorted as the players sort them.
    names: Vec<(OsString, FileType)>,
    /// Its `.gitignore`.
    patterns: Option<Vec<u8>>,
    /// Whether it is the top of a work tree of git.
    is_work_tree: bool,
}

impl<'a> Walker<'a> {
    fn new(opened: &[OpenedPath], emit: &'a mut dyn FnMut(WalkEntry) -> ControlFlow<()>) -> Self {
        let keys = opened.iter().filter_map(|opened| PlaceKey::of(opened, opened.file.as_ref()?));
        Self {
            named: keys.collect(),
            seen: HashMap::new(),
            listed_named: HashSet::new(),
            passed: WalkSummary::default(),
            order: 0,
            stamps: Stamps::Skip,
            emit,
        }
    }

    fn walk_opened(&mut self, index: usize, opened: &OpenedPath) -> ControlFlow<()> {
        let base = WalkBase { index, opened };
        if let Some(file) = &opened.file {
            let key = PlaceKey::of(opened, file);
            // The user may name a file twice.
            if key.is_some_and(|key| !self.listed_named.insert(key)) {
                return ControlFlow::Continue(());
            }
            return self.report(&base, file.clone(), EntryKind::Named);
        }
        if let Some(staged) = opened.root.staged.as_ref() {
            let mut files = staged.listed.iter();
            return files.try_for_each(|file| self.report(&base, file.into(), EntryKind::File));
        }
        let mut links = Vec::new();
        let folder = FoundFolder { path: PathBuf::new(), ignore: FolderIgnore::above(opened) };
        self.list_folders(&base, folder, &mut links)?;
        // Links come last: most lead to a folder that was listed by its own name.
        links.reverse();
        while let Some(link) = links.pop() {
            self.follow_folder_link(&base, link, &mut links)?;
        }
        ControlFlow::Continue(())
    }

    /// Lists a folder and everything below it.
    fn list_folders(
        &mut self,
        base: &WalkBase,
        folder: FoundFolder,
        links: &mut Vec<FoundFolder>,
    ) -> ControlFlow<()> {
        let mut stack = vec![folder];
        while let Some(folder) = stack.pop() {
            let mut found_folders = FoundFolders::default();
            if let Err(refusal) = self.list_folder(base, &folder, &mut found_folders)? {
                self.refuse(base, folder.path, Severity::Error, &refusal.to_string())?;
            }
            // Reversed onto a stack, so that folders are listed in the order of their names.
            stack.extend(found_folders.folders.into_iter().rev());
            links.append(&mut found_folders.links);
        }
        ControlFlow::Continue(())
    }

    /// Lists one folder; its subfolders and links to folders are collected for later.
    fn list_folder(
        &mut self,
        base: &WalkBase,
        folder: &FoundFolder,
        found_folders: &mut FoundFolders,
    ) -> ControlFlow<(), Result<(), ReadRefusal>> {
        let listed_folder = match self.list_names(base, &folder.path) {
            Ok(Some(listed_folder)) => listed_folder,
            Ok(None) => return ControlFlow::Continue(Ok(())),
            Err(error) => return ControlFlow::Continue(Err(ReadRefusal::from_error(&error))),
        };
        let mut ignore = folder.ignore.clone();
        if listed_folder.is_work_tree {
            let top = from_root(base.opened, &folder.path);
            ignore = Some(FolderIgnore::at_top(&base.opened.root, top));
        }
        if let (Some(ignore), Some(patterns)) = (&mut ignore, &listed_folder.patterns) {
            ignore.add(patterns);
        }
        for (name, kind) in listed_folder.names {
            let open_folder = Some(&listed_folder.folder);
            let path = folder.path.join(&name);
            let entry = ListedEntry { path, name: &name, kind, folder: open_folder };
            self.visit_entry(base, entry, ignore.as_ref(), found_folders)?;
        }
        ControlFlow::Continue(Ok(()))
    }

    /// Reports one entry of a folder, in which `ignore` is ignored; a folder or a link to one is collected for later.
    fn visit_entry(
        &mut self,
        base: &WalkBase,
        entry: ListedEntry<'_>,
        ignore: Option<&FolderIgnore>,
        found_folders: &mut FoundFolders,
    ) -> ControlFlow<()> {
        let ListedEntry { path, name, kind, folder } = entry;
        // By the name alone where that is enough, since the last part of a path is searched for.
        let is_read = || is_looked_at(Path::new(name)) || base.opened.describes(&path);
        let is_none = kind.is_file() && !is_read() || kind.is_dir() && is_skipped(Path::new(name));
        if is_none || is_ignored(base.opened, &path, kind) {
            return ControlFlow::Continue(());
        }
        let (verdict, inner_ignore) = match ignore {
            None => (GitVerdict::Listed, None),
            Some(ignore) => {
                let name = name.to_string_lossy();
                let verdict = ignore.verdict(&name, path_kind(kind.is_dir()));
                let is_entered = verdict != GitVerdict::Ignored && !kind.is_file();
                (verdict, is_entered.then(|| ignore.enter(&name, verdict)))
            }
        };
        if verdict == GitVerdict::Ignored {
            self.count_ignored(base, &path, kind);
            return ControlFlow::Continue(());
        }
        if kind.is_symlink() {
            return self.visit_link(base, path, inner_ignore, &mut found_folders.links);
        }
        if kind.is_dir() {
            found_folders.folders.push(FoundFolder { path, ignore: inner_ignore });
            return ControlFlow::Continue(());
        }
        if kind.is_file() {
            // A stamp costs a system call, so only files that are read have one.
            let folder = folder.filter(|_| self.stamps == Stamps::Take);
            let stamp = folder.and_then(|folder| folder.stamp(name));
            return self.visit_file(base, path, stamp, false);
        }
        self.refuse(base, path, Severity::Error, &format!("it is {}, not a file", kind_name(kind)))
    }

    /// Counts what git ignores. What is read all the same, because the user named it, is not ignored.
    fn count_ignored(&mut self, base: &WalkBase, path: &Path, kind: FileType) {
        if kind.is_dir() {
            self.passed.ignored.folders += 1;
        } else if is_read(base.opened, path) && !self.is_named(base, path) {
            self.passed.ignored.files += 1;
        }
    }

    /// Reports a file that is read, unless the user named it.
    fn visit_file(
        &mut self,
        base: &WalkBase,
        path: PathBuf,
        stamp: Option<FileStamp>,
        is_link: bool,
    ) -> ControlFlow<()> {
        if !self.is_named(base, &path) {
            self.report_found(base, path, EntryKind::File, stamp, is_link)
        } else {
            ControlFlow::Continue(())
        }
    }

    fn visit_link(
        &mut self,
        base: &WalkBase,
        path: PathBuf,
        ignore: Option<FolderIgnore>,
        links: &mut Vec<FoundFolder>,
    ) -> ControlFlow<()> {
        let reason = match base.opened.dir.metadata(&path) {
            Ok(target) if target.is_dir() => {
                if !is_skipped(&path) {
                    self.passed.folder_links += 1;
                    links.push(FoundFolder { path, ignore });
                }
                return ControlFlow::Continue(());
            }
            Ok(target) if target.is_file() => {
                if !is_read(base.opened, &path) {
                    return ControlFlow::Continue(());
                }
                // The system reports a change only under the name of the target.
                self.passed.file_links.push((base.index, path.clone()));
                return self.visit_file(base, path, None, true);
            }
            Ok(target) => format!("it is a link to {}", kind_name(target.file_type())),
            Err(error) => match ReadRefusal::from_error(&error) {
                ReadRefusal::Missing => "it is a broken link".to_owned(),
                ReadRefusal::Outside(_) => {
                    "it is a link to a place outside the opened folder; it is not followed"
                        .to_owned()
                }
                ReadRefusal::Unreadable(reason) => reason.to_string(),
            },
        };
        self.refuse(base, path, Severity::Error, &reason)
    }

    /// The content of a folder; `None` when the folder was listed before.
    fn list_names(&mut self, base: &WalkBase, folder: &Path) -> io::Result<Option<ListedFolder>> {
        let open_folder = OpenFolder::open(&base.opened.dir, folder)?;
        let dir = &open_folder.dir;
        // Of the open handle, so that the identity is that of the folder that is listed.
        let metadata = dir.dir_metadata()?;
        let Entry::Vacant(entry) = self.seen.entry(PlaceKey::new(base.opened, folder, &metadata))
        else {
            return Ok(None);
        };
        entry.insert((base.index, folder.to_owned()));
        let folder_entry = (base.index, folder.to_owned(), identity(&metadata));
        self.passed.folders.push(folder_entry);
        let mut names = Vec::new();
        let (mut is_work_tree, mut patterns) = (false, None);
        for (name, kind) in open_folder.names()? {
            if !base.opened.root.settings.settings.lists_git_ignored {
                is_work_tree |= name == ".git";
                if name == gitignore::FILE_NAME {
                    patterns = read_patterns(dir, Path::new(""));
                }
            }
            names.push((name, kind));
        }
        names.sort_unstable_by(|(a, _), (b, _)| {
            // Names that are not UTF-8 may have the same text.
            utf16_order(&a.to_string_lossy(), &b.to_string_lossy()).then_with(|| a.cmp(b))
        });
        Ok(Some(ListedFolder { folder: open_folder, names, patterns, is_work_tree }))
    }

    /// Follows a link to a folder, unless that folder is listed already.
    fn follow_folder_link(
        &mut self,
        base: &WalkBase,
        link: FoundFolder,
        links: &mut Vec<FoundFolder>,
    ) -> ControlFlow<()> {
        let target = PlaceKey::of(base.opened, &link.path);
        let place = target.and_then(|target| self.seen.get(&target));
        let Some((index, folder)) = place else {
            let mut inner_links = Vec::new();
            self.list_folders(base, link, &mut inner_links)?;
            inner_links.reverse();
            links.append(&mut inner_links);
            return ControlFlow::Continue(());
        };
        let reason = if *index == base.index && link.path.starts_with(folder) {
            "it is a link to a folder above it; it is not followed"
        } else {
            "it is a link to a folder that is already listed; it is not followed"
        };
        // Only a note, since the files are listed under another name.
        self.refuse(base, link.path, Severity::Note, reason)
    }

    fn is_named(&self, base: &WalkBase, path: &Path) -> bool {
        // Mostly only folders are named; then no file costs the system call below.
        if self.named.is_empty() {
            return false;
        }
        PlaceKey::of(base.opened, path).is_some_and(|key| self.named.contains(&key))
    }

    /// Reports what is not opened. A name that does not look like a file for Retake is only a note, unless it is a folder
    /// whose content is not read.
    fn refuse(
        &mut self,
        base: &WalkBase,
        path: PathBuf,
        severity: Severity,
        reason: &str,
    ) -> ControlFlow<()> {
        let is_folder = base.opened.dir.symlink_metadata(&path).is_ok_and(|m| m.is_dir());
        let severity = if is_folder || is_ours(&path) || path.as_os_str().is_empty() {
            severity
        } else {
            Severity::Note
        };
        self.report(base, path, EntryKind::Refused(severity, reason.into()))
    }

    fn report(&mut self, base: &WalkBase, beneath: PathBuf, kind: EntryKind) -> ControlFlow<()> {
        self.report_found(base, beneath, kind, None, false)
    }

    fn report_found(
        &mut self,
        base: &WalkBase,
        beneath: PathBuf,
        kind: EntryKind,
        stamp: Option<FileStamp>,
        is_link: bool,
    ) -> ControlFlow<()> {
        let (path, root_path) = paths_of(base.opened, &beneath);
        self.order += 1;
        (self.emit)(WalkEntry {
            order: self.order,
            opened: base.index,
            beneath,
            path,
            root_path,
            kind,
            is_link,
            stamp,
        })
    }
}

/// Returns the path of a file as it was given, joined with `/`, and its path from the project root.
pub(crate) fn paths_of(opened: &OpenedPath, beneath: &Path) -> (Arc<str>, Arc<str>) {
    // The path of a walk needs no change, unless it is not UTF-8 or has other separators.
    let relative_path: Cow<'_, str> = match beneath.to_str() {
        Some(path) if cfg!(unix) => path.into(),
        _ => display_path(beneath).to_string().into(),
    };
    if relative_path.is_empty() {
        return (Arc::clone(&opened.given), Arc::clone(&opened.prefix));
    }
    let path: Arc<str> = match opened.file {
        Some(_) => Arc::clone(&opened.given),
        None if opened.root.staged.is_some() => joined(&opened.given, &relative_path).into(),
        // Without a first part, it is in the root of the file system.
        None => [&*opened.given, "/", &*relative_path].concat().into(),
    };
    let root_path: Arc<str> = match &*opened.prefix {
        "" => (&*relative_path).into(),
        prefix => [prefix, "/", &*relative_path].concat().into(),
    };
    // Mostly both are the same text, which is then in memory once for each file.
    let root_path = if root_path == path { Arc::clone(&path) } else { root_path };
    (path, root_path)
}

/// Returns whether a file is read in folders, at least its beginning: by its name, or because its format is described.
fn is_read(opened: &OpenedPath, path: &Path) -> bool {
    is_looked_at(path) || opened.describes(path)
}

fn path_kind(is_folder: bool) -> PathKind {
    if is_folder { PathKind::Folder } else { PathKind::File }
}

/// Returns whether the project's `retake.toml` ignores this path. The target of a link counts as a folder.
fn is_ignored(opened: &OpenedPath, path: &Path, kind: FileType) -> bool {
    let ignore = &opened.root.settings.settings.ignore;
    // Most projects ignore nothing; then no path is built for each file.
    if ignore.is_empty() {
        return false;
    }
    let kind = path_kind(kind.is_dir() || kind.is_symlink());
    ignore.matches(&joined(&opened.prefix, &display_path(path)), kind)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::disk::root::open_all;
    use std::os::unix::fs::symlink;

    /// Lists a folder as `path` or `path: severity: reason`.
    fn listed(folder: &Path, paths: &[&str]) -> String {
        let paths: Vec<PathBuf> = paths.iter().map(|path| folder.join(path)).collect();
        let opened = open_all(&paths, Some(folder)).unwrap();
        let mut lines = String::new();
        let _ = walk(&opened, Stamps::Skip, &mut |entry| {
            lines.push_str(&entry.root_path);
            if let EntryKind::Refused(severity, reason) = entry.kind {
                lines.push_str(&format!(": {severity}: {reason}"));
            }
            lines.push('\n');
            ControlFlow::Continue(())
        });
        lines
    }

    fn project(files: &[&str]) -> tempfile::TempDir {
        let temp = tempfile::tempdir().unwrap();
        for file in files {
            let path = temp.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "{}").unwrap();
        }
        temp
    }

    #[test]
    fn names_come_as_the_players_sort_them_and_skipped_folders_stay_out() {
        let temp = project(&[
            "turn-2.json",
            "turn-10.JSON",
            "😀.yml",
            "\u{ff5e}.yaml",
            "notes.txt",
            "b/c.json",
            "a/z.json",
            ".git/x.json",
            "node_modules/x.json",
            "deep/target/x.json",
        ]);
        insta::assert_snapshot!(listed(temp.path(), &["."]), @r"
        turn-10.JSON
        turn-2.json
        😀.yml
        ～.yaml
        a/z.json
        b/c.json
        ");
        insta::assert_snapshot!(listed(temp.path(), &["notes.txt", "b", ".", "b/c.json", "a/z.json"]), @r"
        notes.txt
        turn-10.JSON
        turn-2.json
        😀.yml
        ～.yaml
        b/c.json
        a/z.json
        ");
    }

    #[test]
    fn what_is_not_opened_is_reported_with_its_reason() {
        let temp = project(&["in/a.json", "in/sub/b.json", "out/c.json", "in/target/d.json"]);
        let place = |path: &str| temp.path().join(path);
        symlink(".", place("in/again")).unwrap();
        symlink("../..", place("in/sub/out")).unwrap();
        symlink("a.json", place("in/sub/other.json")).unwrap();
        symlink("../a.json", place("in/sub/same.json")).unwrap();
        symlink("sub", place("in/twin")).unwrap();
        symlink("target", place("in/built")).unwrap();
        symlink("../out/c.json", place("in/c.json")).unwrap();
        symlink("self.json", place("in/self.json")).unwrap();
        let fifo = rustix::fs::mknodat(
            rustix::fs::CWD,
            place("in/pipe.json"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RWXU,
            0,
        );
        fifo.unwrap();
        std::os::unix::net::UnixListener::bind(place("in/socket")).unwrap();

        insta::assert_snapshot!(listed(temp.path(), &["in"]), @r"
        in/a.json
        in/c.json: error: it is a link to a place outside the opened folder; it is not followed
        in/pipe.json: error: it is a FIFO (named pipe), not a file
        in/self.json: error: it is a link that points to itself
        in/socket: note: it is a socket, not a file
        in/sub/b.json
        in/sub/other.json: error: it is a broken link
        in/sub/out: note: it is a link to a place outside the opened folder; it is not followed
        in/sub/same.json
        in/again: note: it is a link to a folder above it; it is not followed
        in/built/d.json
        in/twin: note: it is a link to a folder that is already listed; it is not followed
        ");
    }
}
