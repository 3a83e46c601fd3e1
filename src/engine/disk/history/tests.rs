use std::path::{Path, PathBuf};
use std::process::Command;

use super::*;
use crate::disk::review::{Baseline, ReviewInputs};
use calls::source::sha256_hex;

/// A repository in a folder of its own, made by git without any configuration but the test's.
struct Repo {
    temp: tempfile::TempDir,
    commits: usize,
}

impl Repo {
    fn new() -> Self {
        let repo = Self { temp: tempfile::tempdir().unwrap(), commits: 0 };
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

    fn find(&self, path: &str, text: &str) -> Result<OriginalSource, NotFound> {
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

fn find(folder: &Path, path: &str, text: &str) -> Result<OriginalSource, NotFound> {
    let root = Root::open(folder).unwrap();
    let hash = sha256_hex(text.as_bytes());
    let no_cancel = AtomicBool::new(false);
    find_as_recorded(&root, &[path.to_owned()], &hash, SearchBounds::default(), &no_cancel)
}

fn found(search: Result<OriginalSource, NotFound>) -> OriginalSource {
    search.unwrap()
}

/// The path and the commit in which a source was found.
fn place(source: &OriginalSource) -> (&str, &str) {
    match &source.origin {
        SourceOrigin::Commit { id, path, .. } => (path, id),
        origin => panic!("{origin:?}"),
    }
}

fn reason(search: Result<OriginalSource, NotFound>) -> NotFound {
    search.unwrap_err()
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
        assert_eq!(found.bytes, text.as_bytes());
        let origin = SourceOrigin::Commit {
            id: commits[7].clone(),
            seconds: 1_700_000_000 + 8 * 86_400,
            path: "machines/a.dygram".to_owned(),
            line: None,
        };
        assert_eq!(found.origin, origin);
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
    assert_eq!(place(&found), ("old/first.dygram", &*old));
}

#[test]
fn the_recorded_line_ends_are_given_back() {
    let mut repo = Repo::new();
    repo.write("a.dygram", "a\nb\n");
    repo.write("a.dygram", "c\r\nd\r\n");
    repo.write("a.dygram", "now\n");
    for text in ["a\r\nb\r\n", "c\nd\n"] {
        let found = found(repo.find("a.dygram", text));
        assert_eq!(found.bytes, text.as_bytes());
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
    assert_eq!(place(&found(find(outer.path(), "app/a.dygram", "old\n"))).0, "app/a.dygram");
    assert_eq!(reason(find(outer.path(), "a.dygram", "old\n")), NotFound::NoRepository);
}

#[test]
fn what_cannot_be_searched_is_reported_plainly() {
    let mut repo = Repo::new();
    repo.write("a.dygram", "old\n");
    repo.write("a.dygram", "newer\n");
    repo.write("a.dygram", "newest\n");
    let url = format!("file://{}", repo.temp.path().display());
    let place = tempfile::tempdir().unwrap();
    let clone = |name: &str, args: &[&str]| {
        git(place.path(), &[&["clone", "-q"], args, &[&url, name]].concat());
        place.path().join(name)
    };

    let shallow = clone("shallow", &["--depth", "2"]);
    assert_eq!(reason(find(&shallow, "a.dygram", "old\n")), NotFound::Shallow { commits: 2 });
    found(find(&shallow, "a.dygram", "newer\n"));

    let plain = repo.path("").display().to_string();
    git(place.path(), &["clone", "-q", "--shared", &plain, "shared"]);
    let shared = place.path().join("shared");
    found(find(&shared, "a.dygram", "old\n"));
    // What is no object store of a repository is not read.
    let alternates = shared.join(".git/objects/info/alternates");
    std::fs::write(alternates, format!("{}\n", place.path().display())).unwrap();
    let answer = reason(find(&shared, "a.dygram", "old\n"));
    assert!(matches!(answer, NotFound::OutsideRoot(_)), "{answer}");
    // More than a process may open at once.
    let alternates = shared.join(".git/objects/info/alternates");
    let store = format!("{}\n", repo.path(".git/objects").display());
    std::fs::write(alternates, store.repeat(100_000)).unwrap();
    let many = reason(find(&shared, "a.dygram", "old\n"));
    assert!(many.to_string().contains("5 stores or more"), "{many}");

    let blob = repo.git(&["rev-parse", "HEAD~2:a.dygram"]);
    let object = format!(".git/objects/{}/{}", &blob[..2], &blob[2..]);
    std::fs::remove_file(repo.path(&object)).unwrap();
    assert_eq!(
        reason(repo.find("a.dygram", "old\n")),
        NotFound::Partial { commits: 3, missing: 1 }
    );

    let root = Root::open(repo.temp.path()).unwrap();
    let paths = ["a.dygram".to_owned()];
    let search = |bounds, cancel| {
        let cancel = AtomicBool::new(cancel);
        reason(find_as_recorded(&root, &paths, "0", bounds, &cancel))
    };
    assert_eq!(search(SearchBounds::default(), true), NotFound::Cancelled);
    let bounds = SearchBounds { commits: 1, ..SearchBounds::default() };
    assert_eq!(search(bounds, false), NotFound::LimitReached { commits: 1 });

    let empty_folder = tempfile::tempdir().unwrap();
    assert_eq!(reason(find(empty_folder.path(), "a.dygram", "old\n")), NotFound::NoRepository);
}

#[cfg(unix)]
#[test]
fn a_repository_that_would_lead_out_or_block_is_not_read() {
    use std::os::unix::fs::symlink;
    let mut repo = Repo::new();
    repo.write("a.dygram", "old\n");
    let outside = tempfile::tempdir().unwrap();
    let objects_folder = outside.path().join("objects");
    std::fs::rename(repo.path(".git/objects"), &objects_folder).unwrap();
    symlink(&objects_folder, repo.path(".git/objects")).unwrap();
    let answer = reason(repo.find("a.dygram", "old\n"));
    assert!(matches!(answer, NotFound::OutsideRoot(_)), "{answer}");

    let mut repo = Repo::new();
    repo.write("a.dygram", "old\n");
    let packed_refs = repo.path(".git/packed-refs");
    let _ = std::fs::remove_file(&packed_refs);
    let mode = rustix::fs::Mode::RWXU;
    let kind = rustix::fs::FileType::Fifo;
    rustix::fs::mknodat(rustix::fs::CWD, packed_refs, kind, mode, 0).unwrap();
    let answer = reason(repo.find("a.dygram", "old\n"));
    assert!(matches!(answer, NotFound::Broken(_)), "{answer}");
}

#[test]
fn kinds_of_repositories_that_are_not_understood_are_reported() {
    let temp = tempfile::tempdir().unwrap();
    git(temp.path(), &["init", "-q", "--object-format=sha256"]);
    git(temp.path(), &["commit", "-q", "--allow-empty", "-m", "a"]);
    let answer = reason(find(temp.path(), "a.dygram", "old\n"));
    assert!(answer.to_string().contains("SHA-256"), "{answer}");

    let mut repo = Repo::new();
    repo.write("a.dygram", "old\n");
    std::fs::create_dir(repo.path(".git/reftable")).unwrap();
    let answer = reason(repo.find("a.dygram", "old\n"));
    assert!(answer.to_string().contains("reftable"), "{answer}");
}

#[cfg(unix)]
#[test]
fn a_work_tree_whose_own_references_would_block_is_not_read() {
    let mut repo = Repo::new();
    repo.write("a.dygram", "old\n");
    let linked = repo.path("linked");
    repo.git(&["worktree", "add", "-q", linked.to_str().unwrap()]);
    let find = || {
        let root = Root::open(repo.temp.path()).unwrap();
        let no_cancel = AtomicBool::new(false);
        let hash = sha256_hex(b"old\n");
        let paths = ["linked/a.dygram".to_owned()];
        find_as_recorded(&root, &paths, &hash, SearchBounds::default(), &no_cancel)
    };
    found(find());
    let refs_folder = repo.path(".git/worktrees/linked/refs");
    std::fs::create_dir_all(&refs_folder).unwrap();
    let (mode, kind) = (rustix::fs::Mode::RWXU, rustix::fs::FileType::Fifo);
    rustix::fs::mknodat(rustix::fs::CWD, refs_folder.join("pipe"), kind, mode, 0).unwrap();
    let answer = reason(find());
    assert!(matches!(answer, NotFound::Broken(_)), "{answer}");
}

#[test]
fn a_linked_work_tree_outside_its_repository_is_searched_when_that_names_it() {
    let mut repo = Repo::new();
    repo.write("a.dygram", "old\n");
    repo.write("a.dygram", "new\n");
    let temp = tempfile::tempdir().unwrap();
    let linked = temp.path().join("linked");
    repo.git(&["worktree", "add", "-q", linked.to_str().unwrap()]);
    let source = found(find(&linked, "a.dygram", "old\n"));
    assert_eq!((place(&source).0, source.bytes.as_slice()), ("a.dygram", &b"old\n"[..]));
    let root = Root::open(&linked).unwrap();
    assert_eq!(git::branch(&root).as_deref(), Some("linked"));
    assert!(git::head(&root).unwrap().is_file());

    // Another folder that claims to be this work tree, or points to a repository that knows of none.
    let forged = temp.path().join("forged");
    std::fs::create_dir(&forged).unwrap();
    std::fs::copy(linked.join(".git"), forged.join(".git")).unwrap();
    let pointer = format!("gitdir: {}\n", repo.path(".git").display());
    for dot_git in [None, Some(pointer.as_str()), Some("gitdir: /\n"), Some("gitdir: ../none\n")] {
        if let Some(text) = dot_git {
            std::fs::write(forged.join(".git"), text).unwrap();
        }
        let answer = reason(find(&forged, "a.dygram", "old\n"));
        assert!(matches!(answer, NotFound::OutsideRoot(_)), "{answer}");
        assert_eq!(git::branch(&Root::open(&forged).unwrap()), None);
    }
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

#[test]
fn the_first_files_of_a_review_include_a_folder_beside_one_with_a_longer_name() {
    let mut repo = Repo::new();
    for path in ["a/x.json", "a-b/x.json"] {
        repo.write(path, "{}");
    }
    let baseline = Baseline::Revision("HEAD".to_owned());
    let takes = ReviewInputs::read_first(repo.temp.path(), None, &baseline, 9).unwrap();
    let paths: Vec<&str> = takes.old.iter().map(|take| &*take.path).collect();
    assert_eq!(paths, ["a/x.json", "a-b/x.json"]);
}

#[test]
fn a_commit_that_cannot_be_read_again_has_no_author_of_another() {
    let mut repo = Repo::new();
    let ids = ["a", "b"].map(|text| repo.write("a.txt", text).parse::<ObjectId>().unwrap());
    let repository = git::open(&Root::open(repo.temp.path()).unwrap(), "").unwrap();
    let cancel = AtomicBool::new(false);
    let mut objects = Objects::new(&repository, SearchBounds::default(), &cancel);
    let [first, _] = ids.map(|id| objects.commit(id).unwrap());
    let name = first.id.to_string();
    std::fs::remove_file(repo.path(&format!(".git/objects/{}/{}", &name[..2], &name[2..])))
        .unwrap();
    let summary = objects.summary(&first, false);
    assert_eq!((&*summary.author, &*summary.subject), ("", ""));
    assert_eq!(summary.written_at, first.time);
}
