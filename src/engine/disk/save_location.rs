//! The surroundings of a folder in which sessions are written: the configuration above it, and existing files.

use std::path::{Path, PathBuf};

use crate::disk::contract_configs::CONFIGS;
use crate::disk::root::{Root, enclosing_project};
use document::text::Source;
use document::{Document, DocumentBody};

/// A configuration and its place.
#[derive(Debug)]
pub struct NearestConfig {
    /// The path from the root of its project, to be shown.
    pub path: String,
    /// On disk.
    pub file: PathBuf,
    /// Its content.
    pub document: Document,
}

/// Finds the nearest configuration in a folder or above it, up to `root`, else up to the root of its project. The folder need not
/// exist.
pub fn find_nearest_config(folder: &Path, root: Option<&Path>) -> Option<NearestConfig> {
    let real_folder = folder.ancestors().find_map(|folder| {
        let folder = if folder == Path::new("") { Path::new(".") } else { folder };
        std::fs::canonicalize(folder).ok()
    })?;
    let root = Root::open(root.unwrap_or(enclosing_project(&real_folder))).ok()?;
    let beneath = real_folder.strip_prefix(root.path()).ok()?;
    beneath
        .ancestors()
        .find_map(|folder| CONFIGS.iter().find_map(|name| read_config(&root, &folder.join(name))))
}

fn read_config(root: &Root, beneath: &Path) -> Option<NearestConfig> {
    let path = beneath.to_str()?.to_owned();
    let bytes = root.read(&path).ok()?;
    let document = document::read(Source::from_bytes(bytes), beneath.file_name()?.to_str()?);
    matches!(document.body, DocumentBody::Config(_)).then(|| NearestConfig {
        file: root.path().join(beneath),
        path,
        document,
    })
}

/// Returns the absolute path of a file, which need not exist.
pub fn absolute(path: &Path) -> PathBuf {
    let location = path
        .ancestors()
        .skip(1)
        .map(|folder| if folder == Path::new("") { Path::new(".") } else { folder })
        .find_map(|folder| Some((folder, std::fs::canonicalize(folder).ok()?)));
    match location {
        Some((folder, real_folder)) => real_folder.join(path.strip_prefix(folder).unwrap_or(path)),
        None => path.to_owned(),
    }
}
