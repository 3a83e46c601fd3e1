//! Names of files that are read in folders, and of folders that are skipped.

use std::path::Path;

use check::settings;
use document::code::is_code;

/// Folders without fixtures; `.retake` contains the decisions of reviews.
pub(crate) const SKIPPED_FOLDERS: [&str; 4] = [".git", ".retake", "node_modules", "target"];

/// Returns whether a folder of this name is skipped.
pub(crate) fn is_skipped(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    SKIPPED_FOLDERS.iter().any(|folder| name == *folder)
}

/// Returns whether a name has one of the extensions that are read in folders.
pub(crate) fn is_ours(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default();
    ["json", "yaml", "yml"].iter().any(|ending| extension.eq_ignore_ascii_case(ending))
}

/// Returns whether a file of this name is read in folders: a known extension, or code, which may contain seeds.
pub(crate) fn may_be_ours(path: &Path) -> bool {
    let is_code = || path.to_str().is_some_and(is_code);
    is_ours(path) || is_code()
}

/// Returns whether a name has an extension of another tool's files, whose beginning is read.
pub(crate) fn is_of_another_tool(path: &Path) -> bool {
    let suffix = path.extension().unwrap_or_default();
    let name = path.file_name().unwrap_or_default();
    let endings = ["jsonl", "ndjson", "har", "eval", "toml", "responses", "httprr", "sse", "traj"];
    // Retake's own settings are a TOML file, too.
    name != settings::FILE_NAME && endings.iter().any(|ending| suffix.eq_ignore_ascii_case(ending))
        || name.to_string_lossy().ends_with(".chunks.txt")
}

/// Returns whether a name has no extension of its own but may be one of a cassette, as tests name them: `use_cassette("refund")`.
/// The beginning of such a file is read.
pub(crate) fn may_be_cassette(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let endings =
        ["]", ".vcr", ".cassette", ".yaml.gz", ".yml.gz", ".json.gz", ".jsonl.gz", ".httprr.gz"];
    // `]` ends the names of parametrised tests, after which pytest plugins name their cassettes.
    !name.contains('.') || endings.iter().any(|ending| name.ends_with(ending))
}

/// Returns whether a file of this name is read in folders, at least its beginning.
pub(crate) fn is_looked_at(path: &Path) -> bool {
    may_be_ours(path) || is_of_another_tool(path) || may_be_cassette(path)
}
