//! Resolves paths that the user named, and checks that they are in their root.

use std::io;
use std::path::{Component, Path, PathBuf};

use super::refusal::{OpenError, OutsideCause, OutsideRootError};
use check::settings::FILE_NAME;

/// Returns the absolute path without links of an existing path that the user named.
///
/// With a root, it has to be beneath it. Without one, no link on the way may lead out of the project that the link is in.
///
/// # Errors
///
/// [`OutsideRootError`], or whatever the system reports.
pub(crate) fn real_path(path: &Path, root: Option<&Path>) -> io::Result<PathBuf> {
    let full_path = std::fs::canonicalize(path)?;
    let Some(root) = root else {
        let mut position =
            if path.is_absolute() { PathBuf::new() } else { std::fs::canonicalize(".")? };
        follow_links(&mut position, path)?;
        return Ok(full_path);
    };
    let root = std::fs::canonicalize(root)?;
    if full_path.starts_with(&root) {
        Ok(full_path)
    } else {
        Err(OutsideRootError::error(root, full_path, OutsideCause::Place))
    }
}

/// Resolves a path that need not exist: returns the real path of the nearest existing folder above it (the path
/// itself if that is one), and the rest, which does not exist.
///
/// # Errors
///
/// As [`real_path`]; for a rest with `..` in it, `NotFound`.
pub(crate) fn real_above(path: &Path, root: Option<&Path>) -> io::Result<(PathBuf, PathBuf)> {
    for ancestor in path.ancestors() {
        let folder = if ancestor == Path::new("") { Path::new(".") } else { ancestor };
        // A broken link exists, and fails below.
        if folder.symlink_metadata().is_err() && ancestor.parent().is_some() {
            continue;
        }
        let rest = path.strip_prefix(ancestor).unwrap_or(path);
        let is_plain = |part: Component| matches!(part, Component::Normal(_));
        if !rest.components().all(is_plain) {
            return Err(io::ErrorKind::NotFound.into());
        }
        return Ok((real_path(folder, root)?, rest.to_owned()));
    }
    Err(io::ErrorKind::NotFound.into())
}

/// Checks that a folder, which need not exist yet, is in its root.
///
/// # Errors
///
/// Returns an error if it is outside, or if the folder above it cannot be reached.
pub fn check_folder(folder: &Path, root: Option<&Path>) -> Result<(), OpenError> {
    real_above(folder, root).map(drop).map_err(|error| OpenError { path: folder.to_owned(), error })
}

/// Files and folders that a project without git has at its root.
const PROJECT_SIGNS: [&str; 14] = [
    "flakestorm.yaml",
    "package.json",
    "deno.json",
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "requirements.txt",
    "Cargo.toml",
    "go.mod",
    "Gemfile",
    "mix.exs",
    ".hg",
    ".jj",
    ".svn",
];

/// Returns the project that a folder without links is in: the nearest folder, it or one above it, with `.git` or `retake.toml`. Else the
/// current folder, if this or a folder from there to `folder` has a sign of a project. Else the folder.
pub fn enclosing_project(folder: &Path) -> &Path {
    let project_here = || {
        let current = std::env::current_dir().and_then(std::fs::canonicalize).ok()?;
        let home = std::env::home_dir().and_then(|home| std::fs::canonicalize(home).ok());
        project_below(folder, &current, home.as_deref())
    };
    project_above(folder).or_else(project_here).unwrap_or(folder)
}

/// Returns `current` if there is a sign of a project from there to `folder`: paths in recordings begin where the user works. The home
/// folder and those above it contain more than projects, so there it is the first folder with a sign, whatever a program left in the home
/// folder.
fn project_below<'f>(folder: &'f Path, current: &Path, home: Option<&Path>) -> Option<&'f Path> {
    let is_broad = |folder: &Path| {
        folder.parent().is_none() || home.is_some_and(|home| home.starts_with(folder))
    };
    let has_sign = |folder: &Path| PROJECT_SIGNS.iter().any(|sign| folder.join(sign).exists());
    let folders = folder.ancestors().take_while(|ancestor| ancestor.starts_with(current));
    let first = folders.filter(|folder| !is_broad(folder) && has_sign(folder)).last()?;
    if is_broad(current) {
        return Some(first);
    }
    folder.ancestors().find(|ancestor| *ancestor == current)
}

/// Returns the nearest folder, `folder` or one above it, that is a project.
pub(crate) fn project_above(folder: &Path) -> Option<&Path> {
    let is_project = |folder: &&Path| {
        // In a linked work tree or a submodule, `.git` is a file.
        folder.join(".git").symlink_metadata().is_ok() || folder.join(FILE_NAME).is_file()
    };
    folder.ancestors().find(is_project)
}

/// Follows a path part by part from the folder `position`, and fails at a link that leads out of the project it is in. The system has
/// resolved the path before, so its links form no cycle.
fn follow_links(position: &mut PathBuf, path: &Path) -> io::Result<()> {
    for part in path.components() {
        match part {
            Component::Prefix(_) => *position = PathBuf::from(part.as_os_str()),
            Component::RootDir => {
                position.push(part);
                // On Windows, canonical paths have a prefix of their own, and `position` is compared with such paths below.
                *position = std::fs::canonicalize(&position)?;
            }
            Component::CurDir => {}
            Component::ParentDir => {
                // `position` contains no links, so `..` leads to the folder above it.
                position.pop();
            }
            Component::Normal(name) => {
                let place = position.join(name);
                if !place.symlink_metadata()?.is_symlink() {
                    *position = place;
                    continue;
                }
                let target = std::fs::canonicalize(&place)?;
                if let Some(project) = project_above(position)
                    && !target.starts_with(project)
                {
                    let root = project.to_owned();
                    return Err(OutsideRootError::error(root, target, OutsideCause::Link));
                }
                follow_links(position, &std::fs::read_link(&place)?)?;
            }
        }
    }
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// A project `in` with links, beside a folder `out`.
    fn place() -> tempfile::TempDir {
        let temp = tempfile::tempdir().unwrap();
        let at = |path: &str| temp.path().join(path);
        for folder in ["in/.git", "in/sub", "out"] {
            std::fs::create_dir_all(at(folder)).unwrap();
        }
        for file in ["in/a", "in/sub/b", "out/c"] {
            std::fs::write(at(file), "").unwrap();
        }
        symlink("../out/c", at("in/file")).unwrap();
        symlink("../out", at("in/folder")).unwrap();
        symlink("../a", at("in/sub/inside")).unwrap();
        symlink("in", at("way-in")).unwrap();
        symlink("in/folder", at("way-through")).unwrap();
        symlink("nowhere", at("in/dead")).unwrap();
        temp
    }

    #[test]
    fn a_link_in_a_project_may_not_lead_out_of_it() {
        let temp = place();
        let resolved = |path: &str| match real_path(&temp.path().join(path), None) {
            Ok(real) => format!("{}", real.file_name().unwrap().display()),
            Err(error) if OutsideRootError::from_error(&error).is_some() => "leads out".to_owned(),
            Err(error) => error.kind().to_string(),
        };
        assert_eq!(resolved("out/c"), "c");
        assert_eq!(resolved("in/sub/inside"), "a");
        assert_eq!(resolved("in/sub/../a"), "a");
        assert_eq!(resolved("way-in/a"), "a");
        for path in [
            "in/file",
            "in/folder",
            "in/folder/c",
            "way-in/folder/c",
            "way-through/c",
            "in/folder/../in/a",
        ] {
            assert_eq!(resolved(path), "leads out", "{path}");
        }
        assert_eq!(resolved("in/dead"), "entity not found");
    }

    #[test]
    fn a_given_root_bounds_every_path() {
        let temp = place();
        let root = temp.path().join("way-in");
        let is_inside = |path: &str| real_path(&temp.path().join(path), Some(&root)).is_ok();
        for path in ["in/a", "way-in/sub/b", "in", "out/../in/a"] {
            assert!(is_inside(path), "{path}");
        }
        for path in ["out/c", "in/file", "in/folder/c", ".", "way-in/.."] {
            assert!(!is_inside(path), "{path}");
        }
        let error = real_path(&temp.path().join("in/file"), Some(&root)).unwrap_err();
        let target = std::fs::canonicalize(temp.path()).unwrap().join("out/c");
        assert!(
            error.to_string().starts_with(&format!("{} is outside the root", target.display()))
        );
    }

    #[test]
    fn without_git_the_project_is_in_the_current_folder() {
        let temp = place();
        let at = |path: &str| temp.path().join(path);
        for folder in ["a/b/replays", "a/c", "plain/set"] {
            std::fs::create_dir_all(at(folder)).unwrap();
        }
        for file in ["a/package.json", "a/b/flakestorm.yaml"] {
            std::fs::write(at(file), "").unwrap();
        }
        let home = Path::new("/home/a").to_owned();
        let project = |folder: &str, current: &str, home: &Path| {
            let folder = at(folder);
            let project = project_below(&folder, &at(current), Some(home));
            project.map(|path| path.strip_prefix(temp.path()).unwrap().display().to_string())
        };
        for (folder, current, expected) in [
            ("a/b/replays", "a", Some("a")),
            ("a/b/replays", "", Some("")),
            ("a/b/replays", "a/b", Some("a/b")),
            ("a/b/replays", "a/b/replays", None),
            ("a/c", "a/c", None),
            ("a/c", "plain", None),
            ("plain/set", "plain", None),
        ] {
            assert_eq!(project(folder, current, &home).as_deref(), expected, "{folder} {current}");
        }
        assert_eq!(project("a/b/replays", "", &home).as_deref(), Some(""));
        for (current, home, expected) in
            [("", "", "a"), ("", "x", "a"), ("a", "a", "a/b"), ("", "a", "a/b")]
        {
            let found = project("a/b/replays", current, &at(home));
            assert_eq!(found.as_deref(), Some(expected), "{current} {home}");
        }
    }

    #[test]
    fn a_path_that_is_not_there_yet_is_bounded_by_the_folder_above_it() {
        let temp = place();
        let describe = |path: &str, root: Option<&Path>| {
            let found = real_above(&temp.path().join(path), root);
            found.map(|(folder, rest)| {
                let folder = folder.file_name().unwrap().to_string_lossy().into_owned();
                format!("{folder} {}", rest.display())
            })
        };
        assert_eq!(describe("in/new/x", None).unwrap(), "in new/x");
        assert_eq!(describe("in/sub", None).unwrap(), "sub ");
        assert!(describe("in/folder/new", None).is_err());
        assert!(describe("in/dead/x", None).is_err());
        assert!(describe("in/new/../../out/x", None).is_err());
        let root = temp.path().join("in");
        assert_eq!(describe("in/new", Some(&root)).unwrap(), "in new");
        assert!(describe("out/new", Some(&root)).is_err());
        assert!(describe("new", Some(&root)).is_err());
    }
}
