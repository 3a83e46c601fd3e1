//! Checks the files that git reads before a repository is opened as git opens it.

use std::path::{Path, PathBuf};

use crate::disk::root::{MAX_FILE_BYTES, describe_error};
use document::text::visible;

/// Refuses the repositories around a folder in which a file that git reads blindly is not a regular file of a bounded size: a FIFO
/// would hold up everyone who opens it. To be called before a repository is opened as git opens it.
pub(crate) fn check_git_files(folder: &Path) -> Result<(), String> {
    // Git may set this variable in hooks, and `retake check --staged` runs in one.
    let environment_dir = std::env::var_os("GIT_DIR").map(PathBuf::from);
    let folder = std::fs::canonicalize(folder).map_err(|error| describe_error(&error))?;
    let mut git_dirs: Vec<PathBuf> = environment_dir.into_iter().collect();
    // All of them, since it depends on their content which one git uses.
    for parent in folder.ancestors() {
        let place = parent.join(".git");
        match std::fs::metadata(&place) {
            Ok(metadata) if metadata.is_dir() => git_dirs.push(place),
            Ok(_) => {
                let target = read_pointer(&place)?.strip_prefix("gitdir: ").map(|t| parent.join(t));
                git_dirs.extend(target);
            }
            // If a repository has no work tree, the folder itself is the git directory.
            Err(_) if is_git_dir(parent) => git_dirs.push(parent.to_owned()),
            Err(_) => {}
        }
    }
    for git_dir in git_dirs {
        check_git_dir(&git_dir)?;
        let common = git_dir.join("commondir");
        if common.exists() {
            check_git_dir(&git_dir.join(read_pointer(&common)?))?;
        }
    }
    Ok(())
}

pub(crate) fn is_git_dir(folder: &Path) -> bool {
    let has_folders = ["objects", "refs"].iter().all(|name| folder.join(name).is_dir());
    has_folders && folder.join("HEAD").symlink_metadata().is_ok()
}

fn check_git_dir(git_dir: &Path) -> Result<(), String> {
    for name in GIT_FILE_NAMES.split_whitespace() {
        check_git_file(&git_dir.join(name))?;
    }
    check_git_folder(&git_dir.join("refs"), 0)
}

/// The files that git reads whenever it opens a repository, a branch or the index.
const GIT_FILE_NAMES: &str = "HEAD config config.worktree index packed-refs shallow commondir gitdir info/exclude info/attributes \
                            objects/info/alternates";

/// Refuses what exists and is neither a folder nor a regular file of a bounded size.
fn check_git_file(path: &Path) -> Result<(), String> {
    match std::fs::metadata(path) {
        Ok(metadata) if !(metadata.is_file() && metadata.len() <= MAX_FILE_BYTES) => Err(format!(
            "{} is not a regular file of at most 256 MiB, so the repository is not opened; restore the file",
            visible(&path.to_string_lossy())
        )),
        _ => Ok(()),
    }
}

/// Checks all files of branches and tags in a folder.
fn check_git_folder(folder: &Path, depth: usize) -> Result<(), String> {
    // A folder linked into itself must not recurse until the stack is full.
    const MAX_DEPTH: usize = 32;
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let kind = entry.file_type().map_err(|error| describe_error(&error))?;
        if kind.is_dir() && depth < MAX_DEPTH {
            check_git_folder(&entry.path(), depth + 1)?;
        } else if !kind.is_file() {
            check_git_file(&entry.path())?;
        }
    }
    Ok(())
}

/// Reads a small file that names a folder.
fn read_pointer(path: &Path) -> Result<String, String> {
    check_git_file(path)?;
    let text = std::fs::read_to_string(path).map_err(|error| describe_error(&error))?;
    Ok(text.trim_end().to_owned())
}

#[cfg(all(test, unix))]
mod tests {
    use rustix::fs::{CWD, Mode, mkfifoat};

    use super::*;

    #[test]
    fn what_would_hold_up_git_is_not_opened() {
        for name in ["HEAD", "index", "config", "refs/heads/main"] {
            let folder = tempfile::tempdir().unwrap();
            let git_dir = folder.path().join(".git");
            std::fs::create_dir_all(git_dir.join("refs/heads")).unwrap();
            assert_eq!(check_git_files(folder.path()), Ok(()));
            mkfifoat(CWD, git_dir.join(name), Mode::RUSR).unwrap();
            let reason = check_git_files(folder.path()).unwrap_err();
            assert!(reason.contains(name), "{reason}");
        }
        let folder = tempfile::tempdir().unwrap();
        let git_dir = folder.path().join("git");
        std::fs::create_dir_all(&git_dir).unwrap();
        std::os::unix::fs::symlink("/dev/zero", git_dir.join("packed-refs")).unwrap();
        std::fs::write(folder.path().join(".git"), "gitdir: git\n").unwrap();
        let reason = check_git_files(&folder.path().join("git")).unwrap_err();
        assert!(reason.contains("packed-refs"), "{reason}");
    }
}
