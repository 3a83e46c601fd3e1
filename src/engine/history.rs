//! Finds the text a recording was made from again, in the history of the git repository inside the project root.
//!
//! A recording keeps only the SHA-256 of its source. The commits are walked from the newest on, and the blobs that stood
//! at the source's path are hashed; if none fits, every other file with the same extension is, which is how a renamed
//! source is found.

use std::collections::{BinaryHeap, HashMap, HashSet};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use gix::ObjectId;
use gix::objs::{CommitRefIter, Find as _, Kind, TagRefIter, TreeRefIter};

use super::git::{self, NoRepository, Repository};
use super::root::Root;
use crate::ops::source::{sha256_hex, with_crlf, with_lf};

/// How much of a history is searched before giving up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Commits that are walked.
    pub commits: usize,
    /// Bytes of commits, trees and blobs that are read.
    pub bytes: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            commits: 50_000,
            bytes: 4 << 30,
        }
    }
}

/// What a search for the recorded text gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SourceSearch {
    /// The very text.
    Found(AsRecorded),
    /// Not found, and why.
    NotFound(NotFound),
}

/// A source as it was when it was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AsRecorded {
    /// The text, byte for byte: its SHA-256 is the recorded one.
    pub text: Vec<u8>,
    /// The newest commit that has it, 40 hex digits.
    pub commit: String,
    /// When that was committed, in seconds since 1970 (UTC).
    pub committed_at: i64,
    /// Its path in that commit, from the project root when the repository lies there.
    pub path: String,
    /// True when the commit holds it with other line ends than it was recorded with.
    pub line_ends_differ: bool,
}

/// Why the recorded text was not found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotFound {
    /// There is no git repository inside the project root.
    NoRepository,
    /// The repository, or a part of it, lies outside the project root and was not read; the reason in words.
    OutsideRoot(Arc<str>),
    /// The history was cut off by a shallow clone before the text was found.
    Shallow {
        /// Commits searched.
        commits: usize,
    },
    /// Objects are missing, as in a partial clone.
    Partial {
        /// Commits searched.
        commits: usize,
        /// Objects that are missing.
        missing: usize,
    },
    /// The whole history was searched: the text was never committed.
    NotInHistory {
        /// Commits searched.
        commits: usize,
    },
    /// A bound was reached.
    GaveUp {
        /// Commits searched.
        commits: usize,
    },
    /// The user stopped it.
    Cancelled,
    /// The repository cannot be read; the reason in words.
    Broken(Arc<str>),
}

impl fmt::Display for NotFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRepository => {
                f.write_str("there is no git repository inside the project root to look in")
            }
            Self::OutsideRoot(reason) => {
                write!(f, "the git repository was not read: {reason}")
            }
            Self::Shallow { commits } => write!(
                f,
                "the history is cut off (a shallow clone) and the {} in it do not have the text; \
                 `git fetch --unshallow` brings the rest",
                Commits(*commits)
            ),
            Self::Partial { commits, missing } => write!(
                f,
                "the history is incomplete ({missing} objects are missing, as in a partial clone) and what is there \
                 of {} does not have the text",
                Commits(*commits)
            ),
            Self::NotInHistory { commits } => write!(
                f,
                "the text was never committed: {} searched, none has it",
                Commits(*commits)
            ),
            Self::GaveUp { commits } => write!(
                f,
                "the search was given up after {}: the history is very large",
                Commits(*commits)
            ),
            Self::Cancelled => f.write_str("the search was stopped"),
            Self::Broken(reason) => write!(f, "the git repository cannot be read: {reason}"),
        }
    }
}

struct Commits(usize);

impl fmt::Display for Commits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            1 => f.write_str("1 commit"),
            count => write!(f, "{count} commits"),
        }
    }
}

/// Searches the history for the text whose SHA-256 is `recorded_hash`.
///
/// `paths` are where the source may have stood, from the project root, the likeliest first; they are tried before any
/// other path with the extension of the first. Blocks; stops soon after `cancel` is set.
pub fn find_as_recorded(
    root: &Root,
    paths: &[String],
    recorded_hash: &str,
    bounds: Bounds,
    cancel: &AtomicBool,
) -> SourceSearch {
    let found = paths
        .iter()
        .map(|path| git::open(root, folder(path)))
        .reduce(|best, next| match best {
            Err(NoRepository::Absent) => next,
            best => best,
        });
    let repository = match found {
        Some(Ok(repository)) => repository,
        None | Some(Err(NoRepository::Absent)) => {
            return SourceSearch::NotFound(NotFound::NoRepository);
        }
        Some(Err(NoRepository::OutsideRoot(reason))) => {
            return SourceSearch::NotFound(NotFound::OutsideRoot(reason));
        }
        Some(Err(NoRepository::Broken(reason))) => {
            return SourceSearch::NotFound(NotFound::Broken(reason));
        }
    };
    let mut search = Search {
        repository: &repository,
        recorded_hash,
        bounds,
        cancel,
        read: 0,
        commits: 0,
        missing: HashSet::new(),
        judged: HashSet::new(),
        buffer: Vec::new(),
    };
    match search.run(paths) {
        Ok(found) => SourceSearch::Found(found),
        Err(reason) => SourceSearch::NotFound(reason),
    }
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn extension(name: &[u8]) -> Option<&[u8]> {
    let dot = memchr::memrchr(b'.', name)?;
    name.get(dot + 1..)
}

/// What is kept of a commit. Ordered by time first, so that a heap hands out the newest.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Commit {
    time: i64,
    id: ObjectId,
    tree: ObjectId,
    parents: Vec<ObjectId>,
}

/// A text that fits, and whether its line ends had to be changed for it.
struct Fit {
    text: Vec<u8>,
    line_ends_differ: bool,
}

struct Search<'a> {
    repository: &'a Repository,
    recorded_hash: &'a str,
    bounds: Bounds,
    cancel: &'a AtomicBool,
    /// Bytes read so far.
    read: u64,
    /// Commits walked so far.
    commits: usize,
    missing: HashSet<ObjectId>,
    /// Blobs that do not fit.
    judged: HashSet<ObjectId>,
    buffer: Vec<u8>,
}

impl Search<'_> {
    fn run(&mut self, paths: &[String]) -> Result<AsRecorded, NotFound> {
        let mut commits = Vec::new();
        let gave_up = match self.walk(paths, &mut commits)? {
            Walked::Found(found) => return Ok(found),
            Walked::All => false,
            Walked::Bounded => true,
        };
        if let Some(found) = self.elsewhere(paths, &commits)? {
            return Ok(found);
        }
        let commits = commits.len();
        Err(match self.missing.len() {
            _ if gave_up => NotFound::GaveUp { commits },
            _ if self.repository.shallow => NotFound::Shallow { commits },
            0 => NotFound::NotInHistory { commits },
            missing => NotFound::Partial { commits, missing },
        })
    }

    /// Walks the commits from the newest on and looks at the source's own paths in each.
    fn walk(&mut self, paths: &[String], commits: &mut Vec<Commit>) -> Result<Walked, NotFound> {
        let work_tree = &self.repository.work_tree;
        let paths: Vec<(&String, Vec<&str>)> = paths
            .iter()
            .filter_map(|path| {
                let inside = match work_tree.as_str() {
                    "" => path.as_str(),
                    work_tree => path.strip_prefix(work_tree)?.strip_prefix('/')?,
                };
                Some((path, inside.split('/').collect()))
            })
            .collect();
        let mut lookups = Lookups::new();
        let mut seen = HashSet::new();
        let mut next = BinaryHeap::new();
        for tip in self.tips()? {
            if seen.insert(tip) {
                self.enqueue(tip, &mut next);
            }
        }
        while let Some(mut commit) = next.pop() {
            self.check()?;
            if commits.len() >= self.bounds.commits {
                return Ok(Walked::Bounded);
            }
            self.commits += 1;
            for (index, (path, parts)) in paths.iter().enumerate() {
                let Some(blob) = self.blob_at(commit.tree, index, parts, &mut lookups) else {
                    continue;
                };
                if let Some(fit) = self.judge(blob)? {
                    return Ok(Walked::Found(as_recorded(&commit, path, fit)));
                }
            }
            for parent in std::mem::take(&mut commit.parents) {
                if seen.insert(parent) {
                    self.enqueue(parent, &mut next);
                }
            }
            commits.push(commit);
        }
        Ok(Walked::All)
    }

    /// Looks at every file of every commit that has the source's extension.
    fn elsewhere(
        &mut self,
        paths: &[String],
        commits: &[Commit],
    ) -> Result<Option<AsRecorded>, NotFound> {
        let wanted = paths.first().and_then(|path| extension(path.as_bytes()));
        let mut seen = HashSet::new();
        for commit in commits {
            let mut trees = vec![(commit.tree, self.repository.work_tree.clone())];
            while let Some((tree, folder)) = trees.pop() {
                self.check()?;
                if !seen.insert(tree) {
                    continue;
                }
                let mut blobs = Vec::new();
                for entry in self.tree(tree) {
                    let name = String::from_utf8_lossy(&entry.name);
                    let path = match folder.as_str() {
                        "" => name.into_owned(),
                        folder => format!("{folder}/{name}"),
                    };
                    if entry.is_tree {
                        trees.push((entry.id, path));
                    } else if extension(&entry.name) == wanted {
                        blobs.push((entry.id, path));
                    }
                }
                for (blob, path) in blobs {
                    if let Some(fit) = self.judge(blob)? {
                        return Ok(Some(as_recorded(commit, &path, fit)));
                    }
                }
            }
        }
        Ok(None)
    }

    /// Where HEAD and all branches and tags point.
    fn tips(&self) -> Result<Vec<ObjectId>, NotFound> {
        let broken = |error: &dyn fmt::Display| NotFound::Broken(error.to_string().into());
        let refs = &self.repository.refs;
        let head = refs.try_find("HEAD").map_err(|error| broken(&error))?;
        let platform = refs.iter().map_err(|error| broken(&error))?;
        let all = platform.all().map_err(|error| broken(&error))?;
        let targets = head
            .into_iter()
            // One broken branch does not hide the others.
            .chain(all.filter_map(Result::ok))
            .filter_map(|reference| match reference.target {
                gix::refs::Target::Object(id) => Some(id),
                // Its own target is among the references.
                gix::refs::Target::Symbolic(_) => None,
            });
        Ok(targets.collect())
    }

    /// Puts a commit in line by its time; a tag stands for what it points to.
    fn enqueue(&mut self, mut id: ObjectId, next: &mut BinaryHeap<Commit>) {
        const MAX_TAGS: usize = 8;
        let hash = gix::hash::Kind::Sha1;
        for _ in 0..MAX_TAGS {
            match self.load(id) {
                Some(Kind::Commit) => {
                    let fields = || CommitRefIter::from_bytes(&self.buffer, hash);
                    if let Ok(tree) = fields().tree_id() {
                        let committer = fields().committer();
                        next.push(Commit {
                            time: committer.map_or(0, |committer| committer.seconds()),
                            id,
                            tree,
                            parents: fields().parent_ids().collect(),
                        });
                    }
                    return;
                }
                Some(Kind::Tag) => match TagRefIter::from_bytes(&self.buffer, hash).target_id() {
                    Ok(target) => id = target,
                    Err(_) => return,
                },
                Some(Kind::Tree | Kind::Blob) | None => return,
            }
        }
    }

    /// The entries of a tree; none when it is missing or no tree.
    fn tree(&mut self, id: ObjectId) -> Vec<Entry> {
        if self.load(id) != Some(Kind::Tree) {
            return Vec::new();
        }
        let entries = TreeRefIter::from_bytes(&self.buffer, gix::hash::Kind::Sha1);
        let entries = entries.filter_map(Result::ok).filter_map(|entry| {
            let is_tree = entry.mode.is_tree();
            (is_tree || entry.mode.is_blob()).then(|| Entry {
                id: entry.oid.to_owned(),
                name: entry.filename.to_vec(),
                is_tree,
            })
        });
        entries.collect()
    }

    /// The blob at a path below a tree. Trees that stay the same from commit to commit are looked at once.
    fn blob_at(
        &mut self,
        tree: ObjectId,
        path: usize,
        parts: &[&str],
        lookups: &mut Lookups,
    ) -> Option<ObjectId> {
        let mut at = tree;
        for (depth, part) in parts.iter().enumerate() {
            let key = (at, path, depth);
            let step = match lookups.get(&key) {
                Some(step) => *step,
                None => {
                    let is_last = depth + 1 == parts.len();
                    let step = self.tree(at).into_iter().find_map(|entry| {
                        (entry.name == part.as_bytes() && entry.is_tree != is_last)
                            .then_some(entry.id)
                    });
                    lookups.insert(key, step);
                    step
                }
            };
            at = step?;
        }
        Some(at)
    }

    /// Compares a blob with the recorded hash, as it is and with other line ends. Each blob once.
    fn judge(&mut self, id: ObjectId) -> Result<Option<Fit>, NotFound> {
        self.check()?;
        if !self.judged.insert(id) || self.load(id) != Some(Kind::Blob) {
            return Ok(None);
        }
        let text = &self.buffer;
        if *sha256_hex(text) == *self.recorded_hash {
            return Ok(Some(Fit {
                text: text.clone(),
                line_ends_differ: false,
            }));
        }
        let variants = [with_lf(text), with_crlf(text)];
        let fit = variants
            .into_iter()
            .find(|variant| *sha256_hex(variant) == *self.recorded_hash);
        Ok(fit.map(|text| Fit {
            text,
            line_ends_differ: true,
        }))
    }

    /// Reads an object into the buffer; `None` when it is missing or cannot be read.
    fn load(&mut self, id: ObjectId) -> Option<Kind> {
        let objects = &self.repository.objects;
        let kind = match objects.try_find(&id, &mut self.buffer) {
            Ok(Some(object)) => Some(object.kind),
            Ok(None) | Err(_) => None,
        };
        match kind {
            Some(_) => self.read += self.buffer.len() as u64,
            None => {
                self.missing.insert(id);
            }
        }
        kind
    }

    fn check(&self) -> Result<(), NotFound> {
        if self.cancel.load(Ordering::Relaxed) {
            return Err(NotFound::Cancelled);
        }
        if self.read > self.bounds.bytes {
            return Err(NotFound::GaveUp {
                commits: self.commits,
            });
        }
        Ok(())
    }
}

/// What one look into a tree gave: the tree, which path, how deep, and the entry there.
type Lookups = HashMap<(ObjectId, usize, usize), Option<ObjectId>>;

enum Walked {
    Found(AsRecorded),
    All,
    Bounded,
}

struct Entry {
    id: ObjectId,
    name: Vec<u8>,
    is_tree: bool,
}

fn as_recorded(commit: &Commit, path: &str, fit: Fit) -> AsRecorded {
    AsRecorded {
        text: fit.text,
        commit: commit.id.to_string(),
        committed_at: commit.time,
        path: path.to_owned(),
        line_ends_differ: fit.line_ends_differ,
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};
    use std::process::Command;

    use super::*;

    /// A repository in a folder of its own, made by git without any configuration but the test's.
    struct Repo {
        temp: tempfile::TempDir,
        commits: usize,
    }

    impl Repo {
        fn new() -> Self {
            let repo = Self {
                temp: tempfile::tempdir().unwrap(),
                commits: 0,
            };
            repo.git(&["init", "-q", "-b", "main"]);
            repo
        }

        fn path(&self, path: &str) -> PathBuf {
            self.temp.path().join(path)
        }

        fn git(&self, args: &[&str]) -> String {
            git(self.temp.path(), args)
        }

        /// Commits all there is, each commit a day after the one before.
        fn commit(&mut self) -> String {
            self.commits += 1;
            self.git(&["add", "-A"]);
            let date = format!("{} +0000", 1_700_000_000 + self.commits * 86_400);
            let output = Command::new("git")
                .args(["commit", "-q", "--allow-empty", "-m", "change"])
                .current_dir(self.temp.path())
                .envs(isolated())
                .env("GIT_COMMITTER_DATE", &date)
                .env("GIT_AUTHOR_DATE", &date)
                .output();
            assert!(output.unwrap().status.success());
            self.git(&["rev-parse", "HEAD"])
        }

        fn write(&mut self, path: &str, text: &str) -> String {
            let file = self.path(path);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
            self.commit()
        }

        fn find(&self, path: &str, text: &str) -> SourceSearch {
            find(self.temp.path(), path, text)
        }
    }

    fn isolated() -> [(&'static str, &'static str); 8] {
        [
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
            ("GIT_CONFIG_SYSTEM", "/dev/null"),
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_TERMINAL_PROMPT", "0"),
            ("GIT_AUTHOR_NAME", "A"),
            ("GIT_AUTHOR_EMAIL", "a@example.org"),
            ("GIT_COMMITTER_NAME", "A"),
            ("GIT_COMMITTER_EMAIL", "a@example.org"),
        ]
    }

    fn git(folder: &Path, args: &[&str]) -> String {
        let output = Command::new("git")
            .args(["-c", "protocol.file.allow=always"])
            .args(args)
            .current_dir(folder)
            .envs(isolated())
            .env_remove("GIT_DIR")
            .env_remove("GIT_WORK_TREE")
            .output()
            .unwrap();
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {args:?}: {complaint}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    fn find(folder: &Path, path: &str, text: &str) -> SourceSearch {
        let root = Root::open(folder).unwrap();
        let hash = sha256_hex(text.as_bytes());
        let never = AtomicBool::new(false);
        find_as_recorded(&root, &[path.to_owned()], &hash, Bounds::default(), &never)
    }

    fn found(search: SourceSearch) -> AsRecorded {
        match search {
            SourceSearch::Found(found) => found,
            SourceSearch::NotFound(reason) => panic!("{reason}"),
        }
    }

    fn reason(search: SourceSearch) -> NotFound {
        match search {
            SourceSearch::Found(found) => panic!("{found:?}"),
            SourceSearch::NotFound(reason) => reason,
        }
    }

    #[test]
    fn an_old_text_is_found_in_the_newest_commit_that_has_it() {
        let mut repo = Repo::new();
        let mut commits = Vec::new();
        for n in 0..20 {
            commits.push(repo.write("machines/a.dygram", &format!("machine \"{}\"\n", n / 2)));
        }
        let text = "machine \"3\"\n";
        for packed in [false, true] {
            if packed {
                repo.git(&["gc", "-q"]);
            }
            let found = found(repo.find("machines/a.dygram", text));
            assert_eq!(found.text, text.as_bytes());
            assert_eq!(found.path, "machines/a.dygram");
            assert_eq!(found.commit, commits[7]);
            assert_eq!(found.committed_at, 1_700_000_000 + 8 * 86_400);
            assert!(!found.line_ends_differ);
        }
        assert_eq!(
            reason(repo.find("machines/a.dygram", "machine \"never\"\n")),
            NotFound::NotInHistory { commits: 20 }
        );
    }

    #[test]
    fn a_renamed_source_is_found_under_its_old_name() {
        let mut repo = Repo::new();
        let old = repo.write("old/first.dygram", "machine \"old\"\n");
        repo.git(&["mv", "old/first.dygram", "second.dygram"]);
        repo.write("second.dygram", "machine \"new\"\n");
        let found = found(repo.find("second.dygram", "machine \"old\"\n"));
        assert_eq!(
            (found.path.as_str(), found.commit),
            ("old/first.dygram", old)
        );
    }

    #[test]
    fn the_recorded_line_ends_are_given_back() {
        let mut repo = Repo::new();
        repo.write("a.dygram", "a\nb\n");
        repo.write("a.dygram", "c\r\nd\r\n");
        repo.write("a.dygram", "now\n");
        for recorded in ["a\r\nb\r\n", "c\nd\n"] {
            let found = found(repo.find("a.dygram", recorded));
            assert_eq!(found.text, recorded.as_bytes());
            assert!(found.line_ends_differ);
        }
    }

    #[test]
    fn branches_and_tags_are_searched_too() {
        let mut repo = Repo::new();
        repo.write("a.dygram", "first\n");
        repo.git(&["checkout", "-q", "-b", "side"]);
        repo.write("a.dygram", "side\n");
        repo.git(&["tag", "-a", "-m", "kept", "kept"]);
        repo.git(&["checkout", "-q", "main"]);
        repo.git(&["branch", "-q", "-D", "side"]);
        found(repo.find("a.dygram", "side\n"));
    }

    #[test]
    fn a_work_tree_below_the_root_is_searched_with_paths_from_the_root() {
        let outer = tempfile::tempdir().unwrap();
        let inner = outer.path().join("app");
        std::fs::create_dir(&inner).unwrap();
        git(&inner, &["init", "-q"]);
        std::fs::write(inner.join("a.dygram"), "old\n").unwrap();
        git(&inner, &["add", "-A"]);
        git(&inner, &["commit", "-q", "-m", "a"]);
        assert_eq!(
            found(find(outer.path(), "app/a.dygram", "old\n")).path,
            "app/a.dygram"
        );
        assert_eq!(
            reason(find(outer.path(), "a.dygram", "old\n")),
            NotFound::NoRepository
        );
    }

    #[test]
    fn what_cannot_be_searched_is_told_plainly() {
        let mut repo = Repo::new();
        repo.write("a.dygram", "old\n");
        repo.write("a.dygram", "newer\n");
        repo.write("a.dygram", "newest\n");
        let url = format!("file://{}", repo.temp.path().display());
        let place = tempfile::tempdir().unwrap();
        let clone = |name: &str, args: &[&str]| {
            git(
                place.path(),
                &[&["clone", "-q"], args, &[&url, name]].concat(),
            );
            place.path().join(name)
        };

        let shallow = clone("shallow", &["--depth", "2"]);
        assert_eq!(
            reason(find(&shallow, "a.dygram", "old\n")),
            NotFound::Shallow { commits: 2 }
        );
        found(find(&shallow, "a.dygram", "newer\n"));

        let plain = repo.path("").display().to_string();
        git(place.path(), &["clone", "-q", "--shared", &plain, "shared"]);
        let shared = reason(find(&place.path().join("shared"), "a.dygram", "old\n"));
        assert!(matches!(shared, NotFound::OutsideRoot(_)), "{shared}");

        let linked = place.path().join("linked");
        repo.git(&["worktree", "add", "-q", linked.to_str().unwrap()]);
        let linked = reason(find(&linked, "a.dygram", "old\n"));
        assert!(matches!(linked, NotFound::OutsideRoot(_)), "{linked}");

        let blob = repo.git(&["rev-parse", "HEAD~2:a.dygram"]);
        let object = format!(".git/objects/{}/{}", &blob[..2], &blob[2..]);
        std::fs::remove_file(repo.path(&object)).unwrap();
        assert_eq!(
            reason(repo.find("a.dygram", "old\n")),
            NotFound::Partial {
                commits: 3,
                missing: 1
            }
        );

        let root = Root::open(repo.temp.path()).unwrap();
        let paths = ["a.dygram".to_owned()];
        let search = |bounds, cancel| {
            let cancel = AtomicBool::new(cancel);
            reason(find_as_recorded(&root, &paths, "0", bounds, &cancel))
        };
        assert_eq!(search(Bounds::default(), true), NotFound::Cancelled);
        let bounds = Bounds {
            commits: 1,
            ..Bounds::default()
        };
        assert_eq!(search(bounds, false), NotFound::GaveUp { commits: 1 });

        let none = tempfile::tempdir().unwrap();
        assert_eq!(
            reason(find(none.path(), "a.dygram", "old\n")),
            NotFound::NoRepository
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_repository_that_would_lead_out_or_block_is_not_read() {
        use std::os::unix::fs::symlink;
        let mut repo = Repo::new();
        repo.write("a.dygram", "old\n");
        let outside = tempfile::tempdir().unwrap();
        let moved = outside.path().join("objects");
        std::fs::rename(repo.path(".git/objects"), &moved).unwrap();
        symlink(&moved, repo.path(".git/objects")).unwrap();
        let answer = reason(repo.find("a.dygram", "old\n"));
        assert!(matches!(answer, NotFound::OutsideRoot(_)), "{answer}");

        let mut repo = Repo::new();
        repo.write("a.dygram", "old\n");
        let packed = repo.path(".git/packed-refs");
        let _ = std::fs::remove_file(&packed);
        let mode = rustix::fs::Mode::RWXU;
        let kind = rustix::fs::FileType::Fifo;
        rustix::fs::mknodat(rustix::fs::CWD, packed, kind, mode, 0).unwrap();
        let answer = reason(repo.find("a.dygram", "old\n"));
        assert!(matches!(answer, NotFound::Broken(_)), "{answer}");
    }

    #[cfg(unix)]
    #[test]
    fn a_hostile_configuration_runs_nothing() {
        let mut repo = Repo::new();
        repo.write("a.dygram", "old\n");
        repo.write("a.dygram", "new\n");
        let trap = repo.path("trap");
        let config = format!(
            "[core]\n\tfsmonitor = touch {0}\n\tsshCommand = touch {0}\n\tpager = touch {0}\n\
             [filter \"x\"]\n\tsmudge = touch {0}\n[include]\n\tpath = /dev/zero\n[alias]\n\tx = !touch {0}\n",
            trap.display()
        );
        std::fs::write(repo.path(".git/config"), config).unwrap();
        std::fs::write(repo.path(".gitattributes"), "* filter=x\n").unwrap();
        found(repo.find("a.dygram", "old\n"));
        assert!(!trap.exists());
    }
}
