//! Looks up what the user types into the field for a path: what it names, and how it could continue.

use std::io;
use std::path::{Path, PathBuf, is_separator};
use std::sync::atomic::{AtomicBool, Ordering};

use super::root::{describe_error, real_path};
use document::text::visible;
use protocol::{PathKind, PathLookup};

/// The most names that are offered.
const MAX_COMPLETIONS: usize = 200;
/// The most names of a folder that are looked at.
// The lookup is repeated for each character that is typed.
const MAX_ENTRIES: usize = 20_000;

/// Looks up a typed path. `~` is `home`, and a relative path begins at `base`, or beside it if that is a file. With a root,
/// nothing outside it is read. Stops when it is cancelled; then names are missing.
pub(crate) fn look_up(
    text: &str,
    base: Option<&Path>,
    home: Option<&Path>,
    root: Option<&Path>,
    cancel: &AtomicBool,
) -> PathLookup {
    let base = base.and_then(|base| if base.is_file() { base.parent() } else { Some(base) });
    let path = resolve(text, base, home);
    PathLookup {
        kind: kind(&path, root),
        completions: completions(text, base, home, root, cancel),
        path,
    }
}

/// Returns the path that a text names, without `~` and without quotes around it.
fn resolve(text: &str, base: Option<&Path>, home: Option<&Path>) -> PathBuf {
    let text = text.trim();
    // "Copy as path" of Windows puts a path in quotes.
    let unquote = |sign: char| text.strip_prefix(sign)?.strip_suffix(sign);
    let text = unquote('"').or_else(|| unquote('\'')).unwrap_or(text);
    let path = match (text.strip_prefix('~'), home) {
        (Some(""), Some(home)) => home.to_owned(),
        (Some(rest), Some(home)) if rest.starts_with(is_separator) => {
            home.join(rest.trim_start_matches(is_separator))
        }
        _ => PathBuf::from(text),
    };
    let path = base.map_or_else(|| path.clone(), |base| base.join(&path));
    std::path::absolute(&path).unwrap_or(path)
}

fn kind(path: &Path, root: Option<&Path>) -> Result<PathKind, String> {
    let metadata = real_path(path, root).and_then(std::fs::metadata);
    match metadata {
        Ok(metadata) if metadata.is_dir() => Ok(PathKind::Folder),
        Ok(metadata) if metadata.is_file() => Ok(PathKind::File),
        Ok(_) => Err("Neither a file nor a folder".to_owned()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(missing(path, root)),
        Err(error) => Err(unreadable(&error)),
    }
}

fn unreadable(error: &io::Error) -> String {
    format!("Cannot be read: {}", describe_error(error))
}

/// Names the first part of a path that does not exist.
fn missing(path: &Path, root: Option<&Path>) -> String {
    let mut ancestor = Path::new("/");
    for folder in path.ancestors().skip(1) {
        match real_path(folder, root) {
            Ok(_) => {
                ancestor = folder;
                break;
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return unreadable(&error),
        }
    }
    let first = path.strip_prefix(ancestor).unwrap_or(path).components().next();
    let name = first.map_or_else(String::new, |c| c.as_os_str().to_string_lossy().into());
    format!("`{}` does not exist in {}", visible(&name), visible(&ancestor.to_string_lossy()))
}

/// Returns the text with each name that its last part begins; folders end with `/`.
fn completions(
    text: &str,
    base: Option<&Path>,
    home: Option<&Path>,
    root: Option<&Path>,
    cancel: &AtomicBool,
) -> Vec<String> {
    if text == "~" {
        return home.map(|_| "~/".to_owned()).into_iter().collect();
    }
    let (parent_text, name_start) = text.split_at(text.rfind(is_separator).map_or(0, |i| i + 1));
    let folder = if parent_text.is_empty() { "." } else { parent_text };
    let Ok(folder) = real_path(&resolve(folder, base, home), root) else { return Vec::new() };
    let Ok(entries) = std::fs::read_dir(&folder) else { return Vec::new() };
    let is_running = || !cancel.load(Ordering::Relaxed);
    let entries = entries.take(MAX_ENTRIES).take_while(|_| is_running());
    let matching_names = entries.flatten().filter_map(|entry| {
        // A name that is not text cannot be typed.
        let name = entry.file_name().into_string().ok()?;
        // As in a shell, hidden names are offered once a dot is typed.
        let is_hidden = name.starts_with('.') && !name_start.starts_with('.');
        (name.starts_with(name_start) && !is_hidden).then_some(name)
    });
    let mut names: Vec<String> = matching_names.collect();
    names.sort();
    // Before the folders among the names are found, which takes a system call or more for each name.
    names.truncate(MAX_COMPLETIONS);
    let names = names.into_iter().take_while(|_| is_running());
    let with_end = |name: String| {
        let is_folder = real_path(&folder.join(&name), root).is_ok_and(|p| p.is_dir());
        let end = if is_folder { "/" } else { "" };
        format!("{parent_text}{name}{end}")
    };
    names.map(with_end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for name in ["recordings/one", "recipes", ".hidden"] {
            std::fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        std::fs::write(folder.path().join("readme.md"), "").unwrap();
        folder
    }

    /// Looks up below a folder that is both the base and the home, and shows paths from it.
    fn describe(text: &str, root: Option<&str>) -> String {
        let folder = folder();
        let folder_path = &std::fs::canonicalize(folder.path()).unwrap();
        let root = root.map(|root| folder_path.join(root));
        let no_cancel = AtomicBool::new(false);
        let found =
            look_up(text, Some(folder_path), Some(folder_path), root.as_deref(), &no_cancel);
        let text = format!("{:?} {:?}", found.kind, found.completions);
        text.replace(&*folder_path.to_string_lossy(), "HOME")
    }

    #[test]
    fn a_path_is_completed_from_the_names_in_its_folder() {
        insta::assert_snapshot!(describe("re", None), @r#"Err("`re` does not exist in HOME") ["readme.md", "recipes/", "recordings/"]"#);
        insta::assert_snapshot!(describe("~/recordings/", None), @r#"Ok(Folder) ["~/recordings/one/"]"#);
        insta::assert_snapshot!(describe(".h", None), @r#"Err("`.h` does not exist in HOME") [".hidden/"]"#);
        insta::assert_snapshot!(describe("~", None), @r#"Ok(Folder) ["~/"]"#);
        insta::assert_snapshot!(describe("", None), @r#"Ok(Folder) ["readme.md", "recipes/", "recordings/"]"#);
    }

    #[test]
    fn a_path_is_a_file_or_a_folder_or_the_missing_part_is_named() {
        insta::assert_snapshot!(describe("readme.md", None), @r#"Ok(File) ["readme.md"]"#);
        insta::assert_snapshot!(describe(" '~/recordings/one' ", None), @"Ok(Folder) []");
        insta::assert_snapshot!(describe("recordings/two/three.json", None), @r#"Err("`two` does not exist in HOME/recordings") []"#);
    }

    #[test]
    fn nothing_outside_the_root_is_read() {
        insta::assert_snapshot!(describe("re", Some("recordings")), @r#"Err("Cannot be read: HOME is outside the root HOME/recordings") []"#);
        insta::assert_snapshot!(describe("readme.md", Some("recordings")), @r#"Err("Cannot be read: HOME/readme.md is outside the root HOME/recordings") []"#);
        insta::assert_snapshot!(describe("recordings/two", Some("recordings")), @r#"Err("`two` does not exist in HOME/recordings") []"#);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_out_of_the_root_is_not_followed() {
        let folder = folder();
        let root = folder.path().join("recordings");
        std::os::unix::fs::symlink(folder.path(), root.join("out")).unwrap();
        std::os::unix::fs::symlink("one", root.join("inside")).unwrap();
        let no_cancel = AtomicBool::new(false);
        let names =
            |root| look_up("", Some(&folder.path().join("recordings")), None, root, &no_cancel);
        assert_eq!(names(None).completions, ["inside/", "one/", "out/"]);
        assert_eq!(names(Some(&root)).completions, ["inside/", "one/", "out"]);
    }

    #[test]
    fn a_cancelled_lookup_reads_no_names() {
        let folder = folder();
        let cancelled = AtomicBool::new(true);
        let found = look_up("re", Some(folder.path()), None, None, &cancelled);
        assert!(found.completions.is_empty());
    }
}
