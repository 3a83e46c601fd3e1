//! The surroundings of a folder in which sessions are written: the configuration above it, and existing files.

use std::path::{Path, PathBuf};

use super::contracts::CONFIGS;
use super::root::{Root, enclosing};
use crate::format::{self, Body, Document};
use crate::text::Source;

/// A configuration and its place.
#[derive(Debug)]
pub struct ConfigAbove {
    /// The path from the root of its project, to be shown.
    pub path: String,
    /// On disk.
    pub file: PathBuf,
    /// What it holds.
    pub document: Document,
}

/// Finds the nearest configuration in a folder or above it, up to `root`, else up to the root of its project. The folder need not
/// exist.
pub fn config_above(folder: &Path, root: Option<&Path>) -> Option<ConfigAbove> {
    let there = folder.ancestors().find_map(|folder| {
        let folder = if folder == Path::new("") {
            Path::new(".")
        } else {
            folder
        };
        std::fs::canonicalize(folder).ok()
    })?;
    let root = Root::open(root.unwrap_or(enclosing(&there))).ok()?;
    let beneath = there.strip_prefix(root.path()).ok()?;
    beneath.ancestors().find_map(|folder| {
        CONFIGS
            .iter()
            .find_map(|name| config_in(&root, &folder.join(name)))
    })
}

fn config_in(root: &Root, beneath: &Path) -> Option<ConfigAbove> {
    let path = beneath.to_str()?.to_owned();
    let bytes = root.read(&path).ok()?;
    let name = beneath.file_name()?.to_str()?;
    let document = format::read(Source::from_bytes(bytes), name);
    matches!(document.body, Body::Config(_)).then(|| ConfigAbove {
        file: root.path().join(beneath),
        path,
        document,
    })
}

/// Returns the absolute path of a file, which need not exist.
pub fn absolute(path: &Path) -> PathBuf {
    let there = path
        .ancestors()
        .skip(1)
        .map(|folder| {
            if folder == Path::new("") {
                Path::new(".")
            } else {
                folder
            }
        })
        .find_map(|folder| Some((folder, std::fs::canonicalize(folder).ok()?)));
    match there {
        Some((folder, real)) => {
            let below = path.strip_prefix(folder).unwrap_or(path);
            real.join(below)
        }
        None => path.to_owned(),
    }
}
