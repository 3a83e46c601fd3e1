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
    let real = std::fs::canonicalize(path)?;
    let Some(root) = root else {
        let mut at = if path.is_absolute() { PathBuf::new() } else { std::fs::canonicalize(".")? };
        follow_links(&mut at, path)?;
        return Ok(real);
    };
    let root = std::fs::canonicalize(root)?;
    if real.starts_with(&root) {
        Ok(real)
    } else {
        Err(OutsideRootError::error(root, real, OutsideCause::Place))
    }
}

/// Resolves a path that need not exist: returns the real path of the nearest existing folder above it (the path
/// itself if that is one), and the rest, which does not exist.
///
/// # Errors
///
/// As [`real_path`]; for a rest with `..` in it, `NotFound`.
pub(crate) fn real_above(path: &Path, root: Option<&Path>) -> io::Result<(PathBuf, PathBuf)> {
    for above in path.ancestors() {
        let there = if above == Path::new("") { Path::new(".") } else { above };
        // A broken link exists, and fails below.
        if there.symlink_metadata().is_err() && above.parent().is_some() {
            continue;
        }
        let rest = path.strip_prefix(above).unwrap_or(path);
        let is_plain = |part: Component| matches!(part, Component::Normal(_));
        if !rest.components().all(is_plain) {
            return Err(io::ErrorKind::NotFound.into());
        }
        return Ok((real_path(there, root)?, rest.to_owned()));
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

/// The nearest folder, `folder` or one above it, that is a project: it holds `.git` or `retake.toml`. Else `folder`.
pub fn enclosing_project(folder: &Path) -> &Path {
    project_above(folder).unwrap_or(folder)
}

/// Returns the nearest folder, `folder` or one above it, that is a project.
pub(crate) fn project_above(folder: &Path) -> Option<&Path> {
    let is_project = |folder: &&Path| {
        // In a linked work tree or a submodule, `.git` is a file.
        folder.join(".git").symlink_metadata().is_ok() || folder.join(FILE_NAME).is_file()
    };
    folder.ancestors().find(is_project)
}

/// Follows a path part by part from the folder `at`, and fails at a link that leads out of the project it is in. The system has
/// resolved the path before, so its links form no cycle.
fn follow_links(at: &mut PathBuf, path: &Path) -> io::Result<()> {
    for part in path.components() {
        match part {
            Component::Prefix(_) => *at = PathBuf::from(part.as_os_str()),
            Component::RootDir => {
                at.push(part);
                // On Windows, canonical paths have a prefix of their own, and `at` is compared with such paths below.
                *at = std::fs::canonicalize(&at)?;
            }
            Component::CurDir => {}
            Component::ParentDir => {
                // `at` contains no links, so `..` leads to the folder above it.
                at.pop();
            }
            Component::Normal(name) => {
                let place = at.join(name);
                if !place.symlink_metadata()?.is_symlink() {
                    *at = place;
                    continue;
                }
                let target = std::fs::canonicalize(&place)?;
                if let Some(project) = project_above(at)
                    && !target.starts_with(project)
                {
                    let root = project.to_owned();
                    return Err(OutsideRootError::error(root, target, OutsideCause::Link));
                }
                follow_links(at, &std::fs::read_link(&place)?)?;
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
    fn a_path_that_is_not_there_yet_is_bounded_by_the_folder_above_it() {
        let temp = place();
        let above = |path: &str, root: Option<&Path>| {
            let found = real_above(&temp.path().join(path), root);
            found.map(|(there, rest)| {
                let there = there.file_name().unwrap().to_string_lossy().into_owned();
                format!("{there} {}", rest.display())
            })
        };
        assert_eq!(above("in/new/x", None).unwrap(), "in new/x");
        assert_eq!(above("in/sub", None).unwrap(), "sub ");
        assert!(above("in/folder/new", None).is_err());
        assert!(above("in/dead/x", None).is_err());
        assert!(above("in/new/../../out/x", None).is_err());
        let root = temp.path().join("in");
        assert_eq!(above("in/new", Some(&root)).unwrap(), "in new");
        assert!(above("out/new", Some(&root)).is_err());
        assert!(above("new", Some(&root)).is_err());
    }
}
