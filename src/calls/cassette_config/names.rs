//! The names that pytest-recording, pytest-vcr and vcrpy give to the cassettes of tests.

/// Endings of the files of cassettes.
const ENDINGS: [&str; 4] = [".yaml", ".yml", ".json", ".toml"];

/// Splits a path into its folder, which is empty for the root, and its name.
pub(super) fn split_path(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

/// Returns a name without the ending of a cassette.
pub(super) fn without_ending(name: &str) -> &str {
    ENDINGS.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name)
}

/// Returns whether a folder is another one, or below it.
pub(super) fn is_in(folder: &str, parent: &str) -> bool {
    parent.is_empty()
        || folder.strip_prefix(parent).is_some_and(|tail| tail.is_empty() || tail.starts_with('/'))
}

/// Returns whether a cassette, without its ending, is that of a test. `test` is the name of its function with that of its class; the
/// cassette may have parameters in brackets.
///
/// pytest-recording shortens names of more than 255 characters: their beginning, `...` and 32 hexadecimal digits remain.
pub(super) fn is_of_test(cassette: &str, test: &str) -> bool {
    if let Some((start, hash)) = cassette.rsplit_once("...")
        && hash.len() == 32
        && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
        // If the name was cut in its parameters, what precedes them is whole.
        && !start.contains('[')
    {
        return test.starts_with(start);
    }
    cassette.split('[').next() == Some(test)
}

/// Returns the name of the file for a name that a mark sets, which gets an ending only if it has none.
pub(super) fn is_file_of(file: &str, name: &str) -> bool {
    let ending = file.strip_prefix(name);
    ending.is_some_and(|ending| ending.is_empty() || ENDINGS.contains(&ending))
}

/// Returns whether `test_path`, a path in a test, may mean a file or a folder. It is relative to the folder in which the tests run: any
/// above the test, or its own.
pub(super) fn may_mean(test_path: &str, path: &str, test_folder: &str) -> bool {
    let test_path = test_path.trim_start_matches("./").trim_end_matches('/');
    let Some(prefix) = path.strip_suffix(test_path) else { return false };
    let prefix = match prefix.strip_suffix('/') {
        Some(prefix) => prefix,
        None if prefix.is_empty() => prefix,
        None => return false,
    };
    !test_path.is_empty() && is_in(test_folder, prefix)
}

/// Returns the name without its ending that pytest-recording and cassetter give to the cassette of a test, which has its class and its
/// parameters: letters that a system refuses in names are replaced.
pub fn cassette_name(test: &str) -> String {
    test.replace(['<', '>', '?', '%', '*', ':', '|', '"', '\'', '/', '\\'], "-")
}
