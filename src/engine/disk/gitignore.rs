//! Decides what git ignores in a folder: by the `.gitignore` files from the top of the work tree down, and by `.git/info/exclude`.
//!
//! As git does it, a file that is tracked is never ignored, and nothing in an ignored folder can be listed again by a pattern. No
//! configuration is read, so a file of patterns for all repositories (`core.excludesFile`) has no effect.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use cap_std::fs::Dir;

use crate::disk::git;
use crate::disk::root::{OpenedPath, Root, display_path, read_file};
use check::settings::{Ignore, IgnoreDecision, PathKind};

/// The name of the files.
pub(crate) const FILE_NAME: &str = ".gitignore";

/// Patterns that apply in one folder of a work tree.
#[derive(Clone, Debug)]
pub(crate) struct FolderIgnore {
    work_tree: Arc<WorkTree>,
    /// The files of patterns that apply, those with the least weight first.
    patterns: Vec<Arc<PatternFile>>,
    /// The folder from the top of the work tree: empty, or with a `/` at its end.
    folder: String,
    /// Whether the folder itself is ignored: then only tracked files in it are listed.
    is_ignored: bool,
}

/// The patterns of one file.
#[derive(Clone, Debug)]
struct PatternFile {
    /// The folder that they count from, as [`FolderIgnore::folder`].
    folder: String,
    ignore: Ignore,
}

/// A work tree of git.
#[derive(Debug)]
struct WorkTree {
    root: Arc<Root>,
    /// Its top, from the root.
    top: String,
    /// Its index, read when something is ignored; `None` if it cannot be read.
    index: OnceLock<Option<gix::index::File>>,
}

/// Treatment of a file or folder in a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GitVerdict {
    Listed,
    /// A folder is not listed, neither are the files in it.
    Ignored,
    /// A folder that is ignored, with tracked files in it.
    TrackedFilesListed,
}

/// Number of files and folders that were left out because git ignores them. The content of the folders is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IgnoredCount {
    pub files: usize,
    pub folders: usize,
}

impl FolderIgnore {
    /// Returns the patterns at the top of a work tree, by its path from the root, without the top's own `.gitignore`.
    pub(crate) fn at_top(root: &Arc<Root>, top: String) -> Self {
        let exclude = git::exclude(root, &top);
        let mut ignore = Self {
            work_tree: Arc::new(WorkTree { root: Arc::clone(root), top, index: OnceLock::new() }),
            patterns: Vec::new(),
            folder: String::new(),
            is_ignored: false,
        };
        exclude.iter().for_each(|text| ignore.add(text));
        ignore
    }

    /// Returns the patterns of the folders above an opened one; `None` outside of a work tree, and where the folder is the top of one.
    /// Since the user named the folder, it is not ignored itself.
    pub(crate) fn above(opened: &OpenedPath) -> Option<Self> {
        if opened.root.settings.settings.lists_git_ignored {
            return None;
        }
        let place = git::enclosing_work_tree(opened)?;
        let path_below_top = place.path_from_top(&place.folder).filter(|p| !p.is_empty())?;
        let mut folder = PathBuf::from(&place.top);
        let mut ignore = Self::at_top(&place.bounds, place.top.clone());
        for name in path_below_top.split('/') {
            if let Some(text) = read_patterns(&place.bounds.dir, &folder) {
                ignore.add(&text);
            }
            ignore.except(name);
            ignore = ignore.enter(name, GitVerdict::Listed);
            folder.push(name);
        }
        Some(ignore)
    }

    /// Returns the patterns that apply in a folder, by its path below an opened one; `None` outside of a work tree.
    pub(crate) fn of(opened: &OpenedPath, beneath: &Path) -> Option<Self> {
        if opened.root.settings.settings.lists_git_ignored {
            return None;
        }
        let mut ignore = Self::above(opened);
        let mut folder = PathBuf::new();
        let mut names = beneath.components();
        loop {
            if opened.dir.symlink_metadata(folder.join(".git")).is_ok() {
                // A work tree inside of another one is a repository of its own: git applies no patterns from outside.
                ignore = Some(Self::at_top(&opened.root, from_root(opened, &folder)));
            }
            if let (Some(ignore), Some(text)) = (&mut ignore, read_patterns(&opened.dir, &folder)) {
                ignore.add(&text);
            }
            let Some(name) = names.next() else { return ignore };
            folder.push(name);
            let name = name.as_os_str().to_string_lossy();
            ignore = ignore.map(|i| i.enter(&name, i.verdict(&name, PathKind::Folder)));
        }
    }

    /// Adds the patterns of the folder's own `.gitignore`.
    pub(crate) fn add(&mut self, text: &[u8]) {
        let ignore = Ignore::parse(text);
        // No pattern inside of an ignored folder can list anything again.
        if !ignore.is_empty() && !self.is_ignored {
            self.patterns.push(Arc::new(PatternFile { folder: self.folder.clone(), ignore }));
        }
    }

    /// Returns the patterns that apply in a subfolder, before its own `.gitignore` is read, given the verdict about it.
    pub(crate) fn enter(&self, name: &str, verdict: GitVerdict) -> Self {
        Self {
            work_tree: Arc::clone(&self.work_tree),
            patterns: self.patterns.clone(),
            folder: format!("{}{name}/", self.folder),
            is_ignored: self.is_ignored || verdict != GitVerdict::Listed,
        }
    }

    /// Decides about a file or folder in this folder. A link is a file, whatever it leads to.
    pub(crate) fn verdict(&self, name: &str, kind: PathKind) -> GitVerdict {
        // Most folders have no patterns: nothing is allocated for their files.
        if self.patterns.is_empty() && !self.is_ignored {
            return GitVerdict::Listed;
        }
        let path = format!("{}{name}", self.folder);
        let is_ignored = self.is_ignored || self.deciding(&path, kind).is_some();
        match kind {
            _ if !is_ignored => GitVerdict::Listed,
            PathKind::File if self.work_tree.is_tracked(&path) => GitVerdict::Listed,
            PathKind::Folder if self.work_tree.has_tracked(&path) => GitVerdict::TrackedFilesListed,
            PathKind::File | PathKind::Folder => GitVerdict::Ignored,
        }
    }

    /// The index of the file whose pattern ignores a path; `None` if the path is not ignored.
    fn deciding(&self, path: &str, kind: PathKind) -> Option<usize> {
        // In git the file of patterns nearest to a path decides about it.
        let mut decisions = self.patterns.iter().enumerate().rev().filter_map(|(index, file)| {
            Some((index, file.ignore.decide(path.strip_prefix(&*file.folder)?, kind)?))
        });
        let (index, decision) = decisions.next()?;
        (decision == IgnoreDecision::Ignored).then_some(index)
    }

    /// Removes what ignores a subfolder.
    fn except(&mut self, name: &str) {
        let path = format!("{}{name}", self.folder);
        while let Some(index) = self.deciding(&path, PathKind::Folder) {
            let file = Arc::make_mut(&mut self.patterns[index]);
            let path_below = path[file.folder.len()..].to_owned();
            file.ignore.remove_deciding(&path_below, PathKind::Folder);
        }
    }
}

impl WorkTree {
    fn is_tracked(&self, path: &str) -> bool {
        let index = self.index();
        index.is_some_and(|index| index.entry_by_path(path.into()).is_some())
    }

    fn has_tracked(&self, folder: &str) -> bool {
        let index = self.index();
        index.is_some_and(|index| index.path_is_directory(folder.into()))
    }

    fn index(&self) -> Option<&gix::index::File> {
        // Reading the index of a large repository takes long, and only ignored paths need it.
        self.index.get_or_init(|| git::index(&self.root, &self.top)).as_ref()
    }
}

/// Returns the folders above an opened one whose `.gitignore` applies in it, and the path of the repository's own patterns.
pub(crate) fn files_above(opened: &OpenedPath) -> Vec<PathBuf> {
    let Some(place) = git::enclosing_work_tree(opened) else { return Vec::new() };
    let folders = Path::new(&*place.folder).ancestors().take_while(|f| f.starts_with(&place.top));
    let files = folders.map(|folder| place.bounds.path().join(folder).join(FILE_NAME));
    files.chain(git::exclude_path(&place.bounds, &place.top)).collect()
}

/// Reads the `.gitignore` of a folder. As git, it follows no link there.
pub(crate) fn read_patterns(dir: &Dir, folder: &Path) -> Option<Vec<u8>> {
    let path = folder.join(FILE_NAME);
    dir.symlink_metadata(&path).ok()?.is_file().then(|| read_file(dir, &path).ok())?
}

/// Returns the path of a folder from the root, by its path from an opened folder.
pub(crate) fn from_root(opened: &OpenedPath, beneath: &Path) -> String {
    display_path(&Path::new(&*opened.prefix).join(beneath)).to_string()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::io::Write as _;
    use std::ops::ControlFlow;
    use std::process::{Command, Stdio};

    use proptest::prelude::*;

    use super::*;
    use crate::disk::root::{ReadBounds, open_all};
    use crate::disk::walk::{Stamps, walk};

    /// Runs git in a folder without the configuration of the user or the system, and returns what it prints. `code` is the
    /// highest exit code that is no error.
    fn git(folder: &Path, arguments: &[&str], input: &str, code: i32) -> String {
        let mut git = Command::new("git")
            .args(arguments)
            .current_dir(folder)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env_remove("GIT_DIR")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        git.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let output = git.wait_with_output().unwrap();
        assert!(output.status.code() <= Some(code), "git {arguments:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn write(folder: &Path, path: &str, text: &str) {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// A work tree with these files of patterns, and with these files.
    fn work_tree(patterns: &[(&str, &str)], files: &[&str]) -> tempfile::TempDir {
        let temp = tempfile::tempdir().unwrap();
        git(temp.path(), &["init", "-q"], "", 0);
        for (path, text) in patterns {
            write(temp.path(), path, text);
        }
        for path in files {
            write(temp.path(), path, "{}");
        }
        temp
    }

    /// Returns the files that a walk of a folder lists, from the top of the work tree, and what it leaves out.
    fn listed(top: &Path, folder: &str) -> (BTreeSet<String>, IgnoredCount) {
        listed_within(top, folder, None.into())
    }

    fn listed_within(
        top: &Path,
        folder: &str,
        bounds: ReadBounds<'_>,
    ) -> (BTreeSet<String>, IgnoredCount) {
        let opened = open_all(&[top.join(folder)], bounds).unwrap();
        let mut files = BTreeSet::new();
        let top = opened[0].root.path().to_owned();
        let folder_path = opened[0].folder.strip_prefix(&top).unwrap().to_owned();
        let outcome = walk(&opened, Stamps::Skip, &mut |found| {
            files.insert(display_path(&folder_path.join(found.beneath)).to_string());
            ControlFlow::Continue(())
        });
        let ControlFlow::Continue(summary) = outcome else {
            unreachable!();
        };
        (files, summary.ignored)
    }

    /// Returns those of the files that git does not ignore.
    fn not_ignored(top: &Path, files: &BTreeSet<String>) -> BTreeSet<String> {
        let names: Vec<&str> = files.iter().map(String::as_str).collect();
        let ignored_files: BTreeSet<String> =
            git(top, &["check-ignore", "--stdin"], &names.join("\n"), 1)
                .lines()
                .map(str::to_owned)
                .collect();
        files.difference(&ignored_files).cloned().collect()
    }

    fn table(patterns: &[(&str, &str)], files: &[&str], folder: &str) -> String {
        let temp = work_tree(patterns, files);
        let (files, count) = listed(temp.path(), folder);
        let files: Vec<String> = files.into_iter().collect();
        format!("{} ({} {})", files.join(" "), count.files, count.folders)
    }

    #[test]
    fn patterns_of_every_folder_count_and_ignored_folders_are_not_entered() {
        let patterns = [
            (".gitignore", "dist/\n*.tmp.json\n"),
            ("sets/.gitignore", "!keep.tmp.json\n/drafts\n"),
            (".git/info/exclude", "secret.json\n"),
        ];
        let files = [
            "a.json",
            "a.tmp.json",
            "notes.txt",
            "secret.json",
            "dist/b.json",
            "sets/keep.tmp.json",
            "sets/other.tmp.json",
            "sets/drafts/c.json",
            "sets/dist/keep.tmp.json",
            "deep/drafts/d.json",
        ];
        assert_eq!(
            table(&patterns, &files, ""),
            "a.json deep/drafts/d.json sets/keep.tmp.json (3 3)"
        );
    }

    #[test]
    fn a_folder_that_is_named_is_listed_and_what_is_ignored_in_it_stays_out() {
        let files = ["out/a.json", "out/sub/b.json", "out/c.tmp.json"];
        for patterns in ["out/\n*.tmp.json", "*\n!*.json\n*.tmp.json", "/*\n*.tmp.json"] {
            let patterns = [(".gitignore", patterns)];
            let result = table(&patterns, &files, "out");
            assert_eq!(result, "out/a.json out/sub/b.json (1 0)", "{patterns:?}");
            assert_eq!(table(&patterns, &files, "out/sub"), "out/sub/b.json (0 0)");
        }
        let patterns = [(".gitignore", "out/"), ("out/.gitignore", "sub")];
        assert_eq!(table(&patterns, &files, "out"), "out/a.json out/c.tmp.json (0 1)");
        // Of a folder that is not ignored, only what git lists is listed.
        let patterns = [(".gitignore", "*\n!out/\n!a.json")];
        assert_eq!(table(&patterns, &files, "out"), "out/a.json (1 1)");
    }

    #[test]
    fn tracked_files_are_never_ignored() {
        let patterns = [(".gitignore", "out/\n*.tmp.json")];
        let files = ["out/a.json", "out/b.json", "out/no/c.json", "d.tmp.json", "e.tmp.json"];
        let temp = work_tree(&patterns, &files);
        git(temp.path(), &["add", "-f", "out/a.json", "d.tmp.json"], "", 0);
        let (files, count) = listed(temp.path(), "");
        assert_eq!(Vec::from_iter(files), ["d.tmp.json", "out/a.json"]);
        let (files, folders) = (2, 1);
        assert_eq!(count, IgnoredCount { files, folders });
    }

    #[test]
    fn a_work_tree_inside_another_one_and_one_around_the_project_have_their_own_patterns() {
        let files = ["a.json", "sub/a.json", "sub/b.json", "app/a.json", "app/c.json"];
        let temp = work_tree(&[(".gitignore", "a.json\n/app/c.json\n")], &files);
        git(&temp.path().join("sub"), &["init", "-q"], "", 0);
        write(temp.path(), "sub/.gitignore", "b.json");
        let (files, _) = listed(temp.path(), "");
        assert_eq!(Vec::from_iter(files), ["sub/a.json"]);
        write(temp.path(), "app/retake.toml", "");
        assert!(listed(temp.path(), "app").0.is_empty());
        // Outside of a work tree, the file has no meaning.
        let plain = tempfile::tempdir().unwrap();
        write(plain.path(), ".gitignore", "*");
        write(plain.path(), "a.json", "{}");
        assert_eq!(listed(plain.path(), "").0.len(), 1);
    }

    #[test]
    fn what_is_ignored_is_listed_on_request() {
        let temp = work_tree(&[(".gitignore", "*.json")], &["a.json"]);
        assert!(listed(temp.path(), "").0.is_empty());
        let bounds = ReadBounds { lists_git_ignored: true, ..ReadBounds::default() };
        let (files, count) = listed_within(temp.path(), "", bounds);
        assert_eq!((files.len(), count), (1, IgnoredCount::default()));
        write(temp.path(), "retake.toml", "gitignore = false");
        assert_eq!(listed(temp.path(), "").0.len(), 1);
    }

    fn pattern() -> impl Strategy<Value = String> {
        let names = prop::sample::select(vec![
            "a",
            "b",
            "c",
            "*",
            "**",
            "*.json",
            "x.json",
            "y.json",
            "?.json",
            "[xy].json",
            "x*",
            "*y*",
        ]);
        let names = prop::collection::vec(names, 1..4).prop_map(|names| names.join("/"));
        let ends = (prop::sample::select(vec!["", "", "!", "/", "!/", "#", "\\"]), names);
        let last = prop::sample::select(vec!["", "", "/", " ", "\\ ", "\r"]);
        (ends, last).prop_map(|((first, names), last)| format!("{first}{names}{last}\n"))
    }

    fn path(last: &'static str) -> impl Strategy<Value = String> {
        let folders = prop::collection::vec(prop::sample::select(vec!["a", "b", "c"]), 0..4);
        folders.prop_map(move |folders| {
            let folders: String = folders.iter().map(|name| format!("{name}/")).collect();
            format!("{folders}{last}")
        })
    }

    proptest! {
        #![proptest_config(document::text::cases(96))]

        #[test]
        fn a_walk_lists_what_git_does_not_ignore(
            patterns in prop::collection::btree_map(
                prop_oneof![path(".gitignore"), Just(".git/info/exclude".to_owned())],
                prop::collection::vec(pattern(), 1..5).prop_map(|lines| lines.concat()),
                0..4,
            ),
            files in prop::collection::btree_set(
                prop_oneof![path("x.json"), path("y.json"), path("a.json"), path("xy.yaml")],
                1..12,
            ),
            tracked in prop::collection::vec(any::<prop::sample::Index>(), 0..3),
            folder in prop::sample::select(vec!["", "a", "a/b"]),
        ) {
            let patterns: Vec<(&str, &str)> =
                patterns.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
            let paths: Vec<&str> = files.iter().map(String::as_str).collect();
            let temp = work_tree(&patterns, &paths);
            for index in tracked {
                git(temp.path(), &["add", "-f", paths[index.index(paths.len())]], "", 0);
            }
            let expected = not_ignored(temp.path(), &files);
            prop_assert_eq!(&listed(temp.path(), "").0, &expected);
            let is_ignored = || {
                let arguments = ["check-ignore", "--no-index", folder];
                !git(temp.path(), &arguments, "", 1).is_empty()
            };
            if !folder.is_empty() && temp.path().join(folder).is_dir() && !is_ignored() {
                let prefix = format!("{folder}/");
                let files_below = expected.into_iter().filter(|path| path.starts_with(&prefix));
                prop_assert_eq!(listed(temp.path(), folder).0, files_below.collect::<BTreeSet<_>>());
            }
        }
    }
}
