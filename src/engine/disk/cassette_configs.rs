//! Finds the Python files and the configurations around cassettes, and reads each once.

use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;

use crate::disk::root::{Root, joined};
use crate::disk::sources::Memo;
use calls::cassette_config::{
    CassetteFacts, CassetteSources, ConfigOrigin, ConfigTexts, PythonFile, clients_named_in,
    configure, record_mode_in,
};
use calls::python::PythonModule;
use check::settings::FILE_NAME;
use document::cassette::CassetteClient;
use document::text::Source;

/// Larger Python files are not read: 1 MiB.
const MAX_PYTHON_BYTES: usize = 1 << 20;

/// The most Python files of one folder that are read.
const MAX_FILES: usize = 2000;

/// Configuration of the cassettes below one root, as it was when first read.
#[derive(Debug)]
pub(crate) struct CassetteConfigs {
    root: Arc<Root>,
    folders: Memo<Box<str>, Arc<TestFolder>>,
    /// The names of the files in the folders of cassettes, sorted.
    siblings: Memo<Box<str>, Arc<[Box<str>]>>,
}

/// Tests and settings of one folder, which apply to cassettes in it and below.
#[derive(Debug, Default, PartialEq)]
struct TestFolder {
    files: Vec<Arc<PythonFile>>,
    /// Other files that these import, as for their recorder.
    helpers: Vec<Arc<PythonFile>>,
    named_clients: Vec<(CassetteClient, ConfigOrigin)>,
    /// The record mode in the options of pytest.
    named_mode: Option<ConfigTexts>,
}

impl CassetteConfigs {
    /// Looks beneath `root`.
    pub(crate) fn new(root: Arc<Root>) -> Self {
        Self { root, folders: Memo::default(), siblings: Memo::default() }
    }

    /// Returns what is configured about the cassette at a path from the root.
    pub(crate) fn facts(&self, path: &str, client: Option<CassetteClient>) -> CassetteFacts {
        let own_folder = Path::new(path).parent().unwrap_or(Path::new(""));
        // The nearest folder first, since its files count before those above.
        let folders: Vec<Arc<TestFolder>> = own_folder
            .ancestors()
            .filter_map(Path::to_str)
            .map(|folder| self.folders.get(folder.into(), || Arc::new(self.read_folder(folder))))
            .collect();
        let own_folder = own_folder.to_str().unwrap_or_default();
        let settings = self.root.settings.settings.cassettes.clone();
        // Without an age the day stays 0, so that the same files give the same facts on every day.
        let needs_today = settings.max_age_days.is_some();
        let today = Timestamp::now().as_second().div_euclid(86_400);
        configure(&CassetteSources {
            path,
            client,
            settings,
            settings_path: FILE_NAME,
            files: folders.iter().flat_map(|f| f.files.clone()).collect(),
            helpers: folders.iter().flat_map(|f| f.helpers.clone()).collect(),
            named_clients: folders
                .iter()
                .map(|folder| folder.named_clients.clone())
                // Only the nearest folder counts, as pytest reads only the nearest of its configuration files.
                .find(|clients| !clients.is_empty())
                .unwrap_or_default(),
            named_mode: folders.iter().find_map(|folder| folder.named_mode.clone()),
            siblings: self.siblings.get(own_folder.into(), || self.names_in(own_folder)),
            today: u32::try_from(today).ok().filter(|_| needs_today).unwrap_or_default(),
        })
    }

    /// Returns the folders that were read, relative to the root.
    pub(crate) fn visited_folders(&self) -> Vec<Box<str>> {
        self.folders.questions()
    }

    /// Counts the folders that were read.
    pub(crate) fn places(&self) -> usize {
        self.folders.len()
    }

    /// Reads folders again. Returns whether anything in them has changed that cassettes depend on.
    pub(crate) fn refresh(&self, is_touched: impl Fn(&str) -> bool) -> bool {
        let folders = self.folders.refresh(|f| is_touched(f), |f| Arc::new(self.read_folder(f)));
        let siblings = &self.siblings;
        siblings.refresh(|folder| is_touched(folder), |folder| self.names_in(folder)) || folders
    }

    fn names_in(&self, folder: &str) -> Arc<[Box<str>]> {
        let mut names: Vec<Box<str>> = match &self.root.staged {
            Some(staged) => {
                // Checking staged files must not see what is only in the work tree.
                let names = staged.paths().filter_map(|path| {
                    let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
                    (parent == folder).then(|| name.into())
                });
                names.collect()
            }
            None => {
                // The system opens no folder with an empty name.
                let folder = if folder.is_empty() { "." } else { folder };
                let entries = self.root.dir.read_dir(folder).into_iter().flatten();
                let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
                names.map(String::into_boxed_str).collect()
            }
        };
        names.sort_unstable();
        names.into()
    }

    fn read_folder(&self, folder: &str) -> TestFolder {
        let mut tests = TestFolder::default();
        let names = self.names_in(folder);
        for name in names.iter() {
            if matches!(&**name, "pytest.ini" | "pyproject.toml") {
                let path = joined(folder, name);
                let text = self.read_text(&path);
                let Some(text) = text else { continue };
                tests.named_clients.extend(clients_named_in(&path, text.text()));
                tests.named_mode = tests.named_mode.or(record_mode_in(&path, text.text()));
            } else if is_of_tests(name) && tests.files.len() < MAX_FILES {
                tests.files.extend(self.read_python(joined(folder, name)));
            }
        }
        let imported_modules = tests.files.iter().flat_map(|file| &file.module.modules);
        let mut imported_modules: Vec<String> = imported_modules
            // The last part of `tests.helpers.vcr` names the file; where its packages begin depends on how pytest is started.
            .filter_map(|(module, _)| Some(format!("{}.py", module.rsplit('.').next()?)))
            .filter(|name| !is_of_tests(name) && names.iter().any(|n| **n == **name))
            .collect();
        imported_modules.sort_unstable();
        imported_modules.dedup();
        let imported_modules = imported_modules
            .iter()
            .take(MAX_FILES)
            .filter_map(|name| self.read_python(joined(folder, name)));
        tests.helpers = imported_modules.collect();
        tests
    }

    fn read_python(&self, path: String) -> Option<Arc<PythonFile>> {
        let module = PythonModule::parse(&self.read_text(&path)?);
        Some(Arc::new(PythonFile { path: path.into(), module }))
    }

    /// Reads a file; `None` if it cannot be read or is too large.
    fn read_text(&self, path: &str) -> Option<Source> {
        let bytes = self.root.read(path).ok()?;
        (bytes.len() <= MAX_PYTHON_BYTES).then(|| Source::from_bytes(bytes))
    }
}

/// Returns whether pytest finds tests or fixtures in a file of this name by default.
fn is_of_tests(name: &str) -> bool {
    name.strip_suffix(".py")
        .is_some_and(|s| s.starts_with("test_") || s.ends_with("_test") || s == "conftest")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_read_once_and_again_after_a_change() {
        let temp = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = temp.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("pyproject.toml", "dependencies = ['cassetter']\n");
        write("tests/test_a.py", "def test_b(): ...\n");
        write("tests/cassettes/test_a/test_b.yaml", "");
        let configs = CassetteConfigs::new(Arc::new(Root::open(temp.path()).unwrap()));
        let test = || {
            let facts = configs.facts("tests/cassettes/test_a/test_b.yaml", None);
            let client = facts.client.map(|(client, origin)| format!("{client:?} {origin}"));
            let test = facts.test.map(|test| test.origin.to_string());
            (client.unwrap_or_default(), test.unwrap_or_default())
        };
        let expected_client = "Cassetter pyproject.toml:1".to_owned();
        assert_eq!(test(), (expected_client.clone(), "tests/test_a.py:1".into()));
        let mut folders = configs.visited_folders();
        folders.sort_unstable();
        let expected = ["", "tests", "tests/cassettes", "tests/cassettes/test_a"];
        assert!(folders.iter().map(|folder| &**folder).eq(expected));

        write("tests/test_a.py", "\n\ndef test_b(): ...\n");
        assert!(!configs.refresh(|folder| folder == "tests/cassettes"));
        assert_eq!(test().1, "tests/test_a.py:1");
        assert!(configs.refresh(|folder| folder == "tests"));
        assert_eq!(test(), (expected_client, "tests/test_a.py:3".into()));
        assert!(!configs.refresh(|_| true));
    }
}
