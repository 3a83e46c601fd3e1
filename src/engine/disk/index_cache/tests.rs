//! The promise of a cache: what is read with it is what is read without it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, SystemTime};

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use proptest::prelude::*;
use proptest::sample::Index;

use super::*;
use crate::disk::project::{Project, SourceLookup};
use crate::disk::scan::{ScanStep, scan};
use calls::source::content_hash;

/// A project and a folder for caches. Each of its files has another stamp after each change, without waiting for the clock.
struct Fixture {
    temp: tempfile::TempDir,
    /// The content of each file when it was scanned last, and its stamp, also of files that are gone.
    scanned: BTreeMap<String, (Vec<u8>, FileStamp)>,
}

impl Fixture {
    fn new(files: &[(&str, String)]) -> Self {
        let fixture = Self { temp: tempfile::tempdir().unwrap(), scanned: BTreeMap::new() };
        for (path, text) in files {
            fixture.write(path, text);
        }
        fixture
    }

    fn folder(&self) -> PathBuf {
        self.temp.path().join("project")
    }

    fn caches(&self) -> PathBuf {
        self.temp.path().join("caches")
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn stamp(&self, path: &str) -> FileStamp {
        let dir = Dir::open_ambient_dir(self.folder(), ambient_authority()).unwrap();
        FileStamp::new(&dir.symlink_metadata(path).unwrap())
    }

    fn files(&self) -> Vec<String> {
        let mut files = Vec::new();
        let mut folders = vec![self.folder()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let path = path.strip_prefix(self.folder()).unwrap();
                    files.push(path.to_str().unwrap().to_owned());
                }
            }
        }
        files.sort();
        files
    }

    /// Gives a file another stamp if it was changed within one tick of the clock, which only a test that does not wait can do.
    fn settle(&self) {
        for (path, (text, stamp)) in &self.scanned {
            let is_link = self.path(path).is_symlink();
            let bytes = fs::read(self.path(path));
            let is_changed = !is_link && bytes.is_ok_and(|bytes| bytes != *text);
            while is_changed && self.stamp(path) == *stamp {
                let file = File::options().write(true).open(self.path(path)).unwrap();
                let modified = file.metadata().unwrap().modified().unwrap();
                file.set_modified(modified).unwrap();
            }
        }
    }

    fn project(&self, caches: Option<&Path>) -> Project {
        let mut project = Project::open(&[self.folder()], Some(&*self.folder())).unwrap();
        project.caches = caches.map(|folder| CacheOptions {
            folder: folder.to_owned(),
            // Files that have just been made are stored, too.
            min_age: Duration::ZERO,
        });
        project
    }

    fn without_cache(&self) -> String {
        read(&self.project(None)).0
    }

    /// Reads with the cache, and writes it. Also returns how many rows were not known.
    fn with_cache(&mut self) -> (String, usize) {
        self.settle();
        let (text, caches) = read(&self.project(Some(&self.caches())));
        let added_count = caches.of(0).map_or(0, |cache| {
            let entries = cache.added.lock().unwrap();
            entries.as_ref().map_or(0, |entries| entries.count)
        });
        caches.write();
        let files = self.files().into_iter();
        for path in files {
            let text = fs::read(self.path(&path)).unwrap_or_default();
            let stamp = self.stamp(&path);
            self.scanned.insert(path, (text, stamp));
        }
        (text, added_count)
    }

    fn cache_file(&self) -> PathBuf {
        let files = fs::read_dir(self.caches()).unwrap();
        let mut paths = files.map(|file| file.unwrap().path());
        paths.find(|path| path.extension().is_some_and(|ending| ending == "index")).unwrap()
    }
}

/// Reads a project. Returns everything that is reported, in the order in which it is listed.
fn read(project: &Project) -> (String, IndexCaches) {
    let (mut rows, mut judged) = (Vec::new(), Vec::new());
    let no_cancel = AtomicBool::new(false);
    let outcome = scan(project, SourceLookup::Look, &no_cancel, &mut |step| match step {
        ScanStep::Rows(items) => rows.extend(items),
        ScanStep::Judged(problems) => judged = problems,
        ScanStep::Progress(_) => {}
    })
    .unwrap();
    let mut lines: Vec<(u64, String)> = Vec::new();
    for (number, (item, order)) in rows.iter().zip(&outcome.order).enumerate() {
        let mut problems: Vec<String> = (judged.iter())
            .filter(|(index, _)| *index == number)
            .map(|(_, problem)| format!("{problem:#?}"))
            .collect();
        problems.sort();
        let mut item = Item::clone(item);
        // Hashes hide what the secrets themselves hide.
        let secrets = item.rare.edit().secrets.take();
        let masked_text = secrets.map(|secrets| secrets.apply(&contents().join("\n")).into_owned());
        let problems = problems.join("\n");
        lines.push((*order, format!("{item:#?}\n{masked_text:?}\n{problems}\n")));
    }
    lines.sort();
    let mut text = format!("{:?}\n", outcome.progress);
    for (_, item) in lines {
        let _ = write!(text, "{item}");
    }
    (text, outcome.caches)
}

const MACHINES: [&str; 3] = [
    "machine \"a\"\ntask start \"One\" { prompt: \"p\" }\n",
    "machine \"a\"\ntask start \"Two\" { prompt: \"p\" }\n",
    "machine \"b\"\r\ntask other { prompt: \"p\" }\r\n",
];

/// Possible contents of a file. Those at odd places are as long as the one before.
fn contents() -> Vec<String> {
    let recording = |id: &str, tool: &str, source: &str, machine: &str| {
        let hash = content_hash(machine.as_bytes());
        format!(
            r##"{{"request":{{"requestId":"{id}","timestamp":"2025-12-05T19:07:42.176Z","systemPrompt":"# Task\n- **Node**: start","messages":[{{"role":"user","content":"hi"}}],"tools":[{{"name":"{tool}"}}]}},"response":{{"response":{{"content":[{{"type":"tool_use","id":"1","name":"{tool}","input":{{"a":"words"}}}}]}}}},"sourceMetadata":{{"sourceFile":"{source}","contentHash":"{hash}"}}}}"##
        )
    };
    let plain = |tool: &str, answer: &str| {
        format!(
            r#"{{"request":{{"messages":[],"tools":[{{"name":"t"}}]}},"response":{{"response":{{"content":[{{"type":"tool_use","id":"1","name":"{tool}","input":{{}}}},{{"type":"text","text":"{answer}"}}]}}}}}}"#
        )
    };
    let session =
        |contract: &str| format!("id: a\ninput: b\ntool_responses: []\ncontract: {contract}\n");
    let config = |name: &str| {
        format!(
            "version: '2.0'\nagent: {{ endpoint: http://localhost }}\ncontract: {{ name: {name}, invariants: [] }}\nreplays: {{ sessions: [] }}\n"
        )
    };
    let tape = |text: &str| {
        format!(
            r#"{{"meta":{{"label":"basic","model":"m"}},"request":{{"model":"m","contents":"x","config":{{}}}},"stream":[{{"delayNs":1.5,"text":"{text}"}},{{"delayNs":2e6,"text":""}}]}}"#
        )
    };
    let har = |status: u16| {
        format!(
            r#"{{"log":{{"version":"1.2","creator":{{"name":"x","version":"1"}},"entries":[{{"startedDateTime":"2025-01-01T00:00:00Z","request":{{"method":"POST","url":"https://api.openai.com/v1/chat/completions","postData":{{"text":"{{\"model\":\"gpt-4o\",\"messages\":[{{\"role\":\"user\",\"content\":\"hi\"}}]}}"}}}},"response":{{"status":{status},"content":{{"text":"{{}}"}}}}}}]}}}}"#
        )
    };
    let secret = |end: &str| {
        let token = format!("ghp_{}", "Zk3vQ8rT1mXw7LpBy5Nc".repeat(2));
        plain("t", &format!("{token} {end}"))
    };
    let gemini = |key: &str| {
        har(200).replace(
            "api.openai.com/v1/chat/completions",
            &format!(
                "generativelanguage.googleapis.com/v1beta/models/g:generateContent?key=AIza{key}"
            ),
        )
    };
    let seeds =
        |model: &str| format!("seedMemoryTraceResponse('critique', '{model}', 'j', 0, '{{');");
    vec![
        recording("one", "t", "m/a.dygram", MACHINES[0]),
        recording("two", "u", "m/a.dygram", MACHINES[0]),
        recording("one", "t", "m/a.dygram", MACHINES[1]),
        recording("one", "t", "m/b.dygram", MACHINES[1]),
        recording("one", "t", "../out.dy", MACHINES[2]),
        recording("two", "t", "../out.dy", MACHINES[2]),
        plain("t", "an answer"),
        plain("u", "no answer"),
        session("one"),
        session("two"),
        session("set/a.json"),
        session("set/b.json"),
        config("one"),
        config("two"),
        tape("a"),
        tape("b"),
        har(200),
        har(500),
        secret("a"),
        secret("b"),
        plain("t", "mail to anna@acme.org, password=hunter2 now"),
        plain("t", "mail to john@acme.org, password=hunter3 now"),
        gemini("Zk3vQ8rT1mXw7LpBy5NcZk3vQ8rT1mXw7Lp"),
        gemini("Yk3vQ8rT1mXw7LpBy5NcZk3vQ8rT1mXw7Lq"),
        seeds("m"),
        seeds("n"),
        "{ // comments\n \"a\": 1 }".into(),
        "{ // comments\n \"b\": 2 }".into(),
        "{\"name\": \"x\"}".into(),
        "{\"name\": \"y\"}".into(),
        "{\"stre".into(),
        "# only \n".into(),
        String::new(),
        "export const a = 1;".into(),
        "export const b = 1;".into(),
    ]
}

const TREE_PATHS: [&str; 12] = [
    "a.json",
    "b.json",
    "set/a.json",
    "set/b.json",
    "set/deep/a.yaml",
    "set/tsconfig.json",
    ".vscode/a.json",
    "flakestorm.yaml",
    "one.har",
    "x.test.ts",
    "calls.jsonl",
    "set/none.jsonl",
];

const SOURCES: [&str; 3] = ["m/a.dygram", "m/b.dygram", "set/m/a.dygram"];

const SETTINGS: [&str; 5] = [
    "",
    "[secrets]\npatterns = [\"no answer\"]\n",
    "ignore = [\"set/deep/\"]\n",
    "[secrets]\nignore = [\"set/\"]\n",
    "[rules]\nresponse-empty = \"off\"\ntool-not-offered = \"error\"\n",
];

fn pick<'a>(index: &Index, choices: &[&'a str]) -> &'a str {
    choices[index.index(choices.len())]
}

/// A change of the files of a project.
#[derive(Clone, Debug)]
enum Change {
    Write(Index, Index),
    /// Another text of the same length, written into the file, with the old time of modification.
    Overwrite(Index),
    /// As `Overwrite`, by a new file in place of the old one.
    Replace(Index),
    Touch(Index),
    Rename(Index, Index),
    Delete(Index),
    Source(Index, Index),
    MoveSource(Index, Index),
    DeleteSource(Index),
    Settings(Index),
    Link(Index, Index),
}

fn changes() -> impl Strategy<Value = Change> {
    let one = any::<Index>;
    let two = || (any::<Index>(), any::<Index>());
    prop_oneof![
        3 => two().prop_map(|(a, b)| Change::Write(a, b)),
        3 => one().prop_map(Change::Overwrite),
        3 => one().prop_map(Change::Replace),
        1 => one().prop_map(Change::Touch),
        2 => two().prop_map(|(a, b)| Change::Rename(a, b)),
        1 => one().prop_map(Change::Delete),
        2 => two().prop_map(|(a, b)| Change::Source(a, b)),
        1 => two().prop_map(|(a, b)| Change::MoveSource(a, b)),
        1 => one().prop_map(Change::DeleteSource),
        1 => one().prop_map(Change::Settings),
        1 => two().prop_map(|(a, b)| Change::Link(a, b)),
    ]
}

impl Fixture {
    fn carry_out(&self, change: &Change) {
        let contents = contents();
        let path = |index: &Index| self.path(pick(index, &TREE_PATHS));
        let source = |index: &Index| self.path(pick(index, &SOURCES));
        let modified = |path: &Path| fs::metadata(path).and_then(|m| m.modified()).ok();
        let set_modified = |path: &Path, time: SystemTime| {
            let file = File::options().write(true).open(path).unwrap();
            file.set_modified(time).unwrap();
        };
        let folder_above = |path: &Path| fs::create_dir_all(path.parent().unwrap()).unwrap();
        // The other text of the pair, if it has the same length.
        let other_text = |path: &Path| {
            let old_text = fs::read_to_string(path).ok()?;
            let number = contents.iter().position(|text| *text == old_text)?;
            contents.get(number ^ 1).filter(|c| c.len() == old_text.len())
        };
        let is_link = |path: &Path| path.symlink_metadata().is_ok_and(|m| m.is_symlink());
        match change {
            Change::Write(index, text) => {
                self.write(pick(index, &TREE_PATHS), &contents[text.index(contents.len())]);
            }
            Change::Overwrite(index) => {
                let path = path(index);
                if let (Some(text), Some(time)) = (other_text(&path), modified(&path)) {
                    fs::write(&path, text).unwrap();
                    set_modified(&path, time);
                }
            }
            Change::Replace(index) => {
                let path = path(index);
                if let (Some(text), Some(time)) = (other_text(&path), modified(&path)) {
                    let new = path.with_extension("new");
                    fs::write(&new, text).unwrap();
                    set_modified(&new, time);
                    fs::rename(new, path).unwrap();
                }
            }
            Change::Touch(index) => {
                if path(index).exists() {
                    set_modified(&path(index), SystemTime::UNIX_EPOCH);
                }
            }
            Change::Rename(from, to) => {
                folder_above(&path(to));
                let _ = fs::rename(path(from), path(to));
            }
            Change::Delete(index) => {
                let _ = fs::remove_file(path(index));
            }
            Change::Source(index, text) => self.write(pick(index, &SOURCES), pick(text, &MACHINES)),
            Change::MoveSource(from, to) => {
                folder_above(&source(to));
                let _ = fs::rename(source(from), source(to));
            }
            Change::DeleteSource(index) => {
                let _ = fs::remove_file(source(index));
            }
            Change::Settings(text) => self.write("retake.toml", pick(text, &SETTINGS)),
            Change::Link(from, to) => {
                if path(from) != path(to) && !is_link(&path(to)) {
                    folder_above(&path(from));
                    let _ = fs::remove_file(path(from));
                    #[cfg(unix)]
                    std::os::unix::fs::symlink(path(to), path(from)).unwrap();
                }
            }
        }
    }
}

#[cfg(unix)]
proptest! {
    #![proptest_config(document::text::cases(48))]

    #[test]
    fn results_are_those_without_a_cache(
        files in proptest::collection::vec(any::<Index>(), TREE_PATHS.len()),
        changes in proptest::collection::vec(changes(), 1..12),
    ) {
        let contents = contents();
        let texts = files.iter().map(|index| contents[index.index(contents.len())].clone());
        let files: Vec<(&str, String)> = TREE_PATHS.into_iter().zip(texts).collect();
        let mut fixture = Fixture::new(&files);
        fixture.write(SOURCES[0], MACHINES[0]);
        prop_assert_eq!(fixture.with_cache().0, fixture.without_cache());
        for change in &changes {
            fixture.carry_out(change);
            prop_assert_eq!(fixture.with_cache().0, fixture.without_cache(), "{:?}", change);
        }
    }

    #[test]
    fn a_damaged_cache_costs_only_time(position in any::<Index>(), bit in 0..8_u8, cut in any::<bool>()) {
        let mut fixture = Fixture::new(&samples());
        let (expected, _) = fixture.with_cache();
        let mut bytes = fs::read(fixture.cache_file()).unwrap();
        let position = position.index(bytes.len());
        if cut {
            bytes.truncate(position);
        } else {
            bytes[position] ^= 1 << bit;
        }
        fs::write(fixture.cache_file(), bytes).unwrap();
        let (text, added_count) = fixture.with_cache();
        prop_assert_eq!(text, expected);
        prop_assert!(added_count > 0);
    }
}

fn samples() -> Vec<(&'static str, String)> {
    let contents = contents();
    let numbers = [0, 6, 14, 7, 16];
    let paths = ["a.json", "set/a.json", "b.json", "set/b.json", "one.har"];
    let texts = numbers.map(|number| contents[number].clone());
    paths.into_iter().zip(texts).collect()
}

#[cfg(unix)]
#[test]
fn an_unchanged_file_is_not_read_again() {
    let mut fixture = Fixture::new(&samples());
    assert_eq!(fixture.with_cache().1, 5);
    let bytes = fs::read(fixture.cache_file()).unwrap();
    assert_eq!(fixture.with_cache().1, 0);
    // Nor is the cache written again.
    assert!(fs::read(fixture.cache_file()).unwrap() == bytes);
    fixture.write("set/a.json", &contents()[0]);
    fs::remove_file(fixture.path("b.json")).unwrap();
    assert_eq!(fixture.with_cache().1, 1);
    assert_eq!(fixture.with_cache().1, 0);
    fixture.write("retake.toml", "[rules]\n");
    assert_eq!(fixture.with_cache().1, 4);
}

#[cfg(unix)]
#[test]
fn a_session_is_read_again_when_its_contracts_have_changed() {
    let contents = contents();
    let mut fixture = Fixture::new(&samples());
    fixture.write("flakestorm.yaml", &contents[12]);
    fixture.write("set/deep/a.yaml", &contents[8]);
    fixture.write("set/deep/b.yaml", &contents[10]);
    assert_eq!(fixture.with_cache().1, 8);
    assert_eq!(fixture.with_cache().1, 0);
    // The session that names a file depends on that, too.
    fs::remove_file(fixture.path("set/a.json")).unwrap();
    assert_eq!(fixture.with_cache(), (fixture.without_cache(), 1));
    fixture.write("flakestorm.yaml", &contents[13]);
    assert_eq!(fixture.with_cache(), (fixture.without_cache(), 3));
    assert_eq!(fixture.with_cache().1, 0);
}

#[cfg(unix)]
#[test]
fn a_source_is_read_again_when_it_has_changed() {
    let mut fixture = Fixture::new(&samples());
    fixture.write(SOURCES[0], MACHINES[0]);
    // The source and the files.
    assert_eq!(fixture.with_cache().1, 6);
    assert_eq!(fixture.with_cache(), (fixture.without_cache(), 0));
    fixture.write(SOURCES[0], MACHINES[1]);
    assert_eq!(fixture.with_cache(), (fixture.without_cache(), 1));
}

#[cfg(unix)]
#[test]
fn a_file_that_has_just_changed_is_read_again() {
    let fixture = Fixture::new(&samples());
    let mut project = fixture.project(None);
    project.use_caches(Some(fixture.caches()));
    read(&project).1.write();
    assert!(!fixture.caches().exists());
}

#[cfg(unix)]
#[test]
fn what_is_in_a_file_with_a_secret_is_not_stored() {
    let contents = contents();
    let secrets = contents[18..22].iter().cloned();
    let paths = ["key.json", "other-key.json", "mail.json", "other-mail.json", "url.har"];
    let mut fixture = Fixture::new(&samples());
    for (path, text) in paths.into_iter().zip(secrets.chain([contents[22].clone()])) {
        fixture.write(path, &text);
    }
    let (first, read_count) = fixture.with_cache();
    assert_eq!((&first, read_count), (&fixture.without_cache(), 10));
    for file in fs::read_dir(fixture.caches()).unwrap() {
        let bytes = fs::read(file.unwrap().path()).unwrap();
        for secret in ["ghp_Z", "AIzaZ", "Zk3v", "mXw7LpBy5N", "anna@", "john@", "hunter2"] {
            assert!(memchr::memmem::find(&bytes, secret.as_bytes()).is_none(), "{secret}");
        }
    }
    assert_eq!(fixture.with_cache(), (first, 0));
}

#[cfg(unix)]
#[test]
fn a_row_that_would_quote_a_secret_is_not_stored() {
    let mut files = samples();
    let token = format!("ghp_{}", "Zk3vQ8rT1mXw7LpBy5Nc".repeat(2));
    files[0].1 = files[0].1.replace("\"one\"", &format!("\"{token}\""));
    assert!(files[0].1.contains(&token));
    // Nor is one whose path does.
    let mail = contents()[20].clone();
    files.push(("to-anna@acme.org.json", mail));
    let mut fixture = Fixture::new(&files);
    let (first, read_count) = fixture.with_cache();
    assert_eq!(read_count, 4);
    assert_eq!(fixture.with_cache(), (first, 0));
}

#[cfg(unix)]
#[test]
fn without_the_key_of_its_hashes_a_cache_is_nothing() {
    let mut fixture = Fixture::new(&samples());
    let (first, _) = fixture.with_cache();
    let key = fixture.caches().join("secrets.key");
    for damage in [&|path: &Path| fs::remove_file(path), &|path: &Path| fs::write(path, "short")]
        as [&dyn Fn(&Path) -> std::io::Result<()>; 2]
    {
        let old_key = fs::read(&key).unwrap();
        damage(&key).unwrap();
        assert_eq!(fixture.with_cache(), (first.clone(), 5));
        assert_ne!(fs::read(&key).unwrap(), old_key);
        assert_eq!(fixture.with_cache().1, 0);
    }
}

#[cfg(unix)]
#[test]
fn a_row_is_stored_without_what_names_an_account() {
    let id = "org-Aq3Zk8Rt1mXw7LpBy5NcQ2wE";
    let mut files = samples();
    files[1].1 = format!(
        r#"{{"version": 1, "interactions": [{{"request": {{"method": "GET", "uri": "https://api.openai.com/v1/models", "body": null, "headers": {{}}}},
        "response": {{"status": {{"code": 200, "message": "OK"}}, "headers": {{"openai-organization": ["{id}"]}}, "body": {{"string": ""}}}}}}]}}"#
    );
    let mut fixture = Fixture::new(&files);
    let (first, read_count) = fixture.with_cache();
    assert_eq!((&first, read_count), (&fixture.without_cache(), 5));
    assert!(first.contains("the id of an organization"), "{first}");
    let bytes = fs::read(fixture.cache_file()).unwrap();
    assert!(memchr::memmem::find(&bytes, id.as_bytes()).is_none());
    assert_eq!(fixture.with_cache(), (first, 0));
}

#[cfg(unix)]
#[test]
fn only_the_owner_may_read_it_and_a_link_is_not_followed() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let mut fixture = Fixture::new(&samples());
    fixture.with_cache();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&fixture.caches()), 0o700);
    assert_eq!(mode(&fixture.cache_file()), 0o600);
    assert_eq!(mode(&fixture.caches().join("secrets.key")), 0o600);
    let (file, other_file) = (fixture.cache_file(), fixture.temp.path().join("elsewhere"));
    fs::write(&other_file, "mine").unwrap();
    fs::remove_file(&file).unwrap();
    symlink(&other_file, &file).unwrap();
    fixture.with_cache();
    assert_eq!(fs::read_to_string(&other_file).unwrap(), "mine");
    assert_eq!(fixture.with_cache().1, 0);
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_written_is_no_error() {
    let mut fixture = Fixture::new(&samples());
    fs::write(fixture.caches(), "a file").unwrap();
    assert_eq!(fixture.with_cache().0, fixture.without_cache());
    assert_eq!(fixture.with_cache().1, 5);
}

#[cfg(unix)]
#[test]
fn several_programs_read_and_write_at_once() {
    let mut fixture = Fixture::new(&samples());
    let (expected, _) = fixture.with_cache();
    let project = || fixture.project(Some(&fixture.caches()));
    let file = fixture.cache_file();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for round in 0..8 {
                    if round % 3 == 2 {
                        let _ = fs::remove_file(&file);
                    }
                    let (text, caches) = read(&project());
                    assert_eq!(text, expected);
                    caches.write();
                }
            });
        }
    });
    let (text, caches) = read(&project());
    assert_eq!(text, expected);
    caches.write();
    // The cache and its key.
    assert_eq!(fs::read_dir(fixture.caches()).unwrap().count(), 2);
}

#[test]
fn a_row_is_read_as_it_was_written_and_any_bytes_without_a_panic() {
    let mut bytes = bytes::ByteWriter::default();
    let mut texts = TextCollector::default();
    let item = Item::new("");
    let mut writer = RowWriter { bytes: &mut bytes, texts: &mut texts };
    let beside = (&RowExtras::default(), &HashedSecrets::default());
    StoredRow::write(FileListing::Deferred, &item, beside, &mut writer);
    let pool = Pool::default();
    for end in 0..=bytes.0.len() {
        let mut reader = RowReader {
            bytes: bytes::ByteReader(&bytes.0[..end]),
            texts: &texts.texts,
            mask_key: HashKey([0; 16]),
            pool: &pool,
        };
        let row = StoredRow::read(&mut reader);
        assert_eq!(row.is_some(), end == bytes.0.len());
    }
}
