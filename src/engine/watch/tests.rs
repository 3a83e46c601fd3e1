//! A real folder, and what is reported to the window. Nothing here waits for a time, only for an event.

use std::collections::BTreeMap;
use std::hash::BuildHasher as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use foldhash::fast::FixedState;
use proptest::prelude::*;

use super::folders::WatchedFolders;
use super::fs_events::{FsEventSender, WatchError, Watcher, event_channel};
use super::ledger::{NeedsReread, WatchedPath};
use super::*;
use crate::disk::project::SourceLookup;
use crate::disk::reader::read_row;
use crate::disk::scan::{ScanStep, scan};
use crate::disk::walk::{EntryKind, WalkEntry, paths_of};
use crate::{Engine, EngineOptions};
use author::recovered::DraftFileState;
use check::needs_other_files;
use document::text::Source;
use protocol::{DocId, RemovedItem};

/// Time for which nothing may be reported while something is waited for: longer than any machine needs.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The text of a session with this id.
fn session(id: &str) -> String {
    format!(r#"{{"id":"{id}","input":"hello","tool_responses":[]}}"#)
}

/// A folder that is watched, and the window's side of it.
struct WatchFixture {
    temp: tempfile::TempDir,
    events: Receiver<EngineEvent>,
    /// Items that the window would have, by number.
    items: BTreeMap<usize, Arc<Item>>,
    ids: usize,
    removed: Vec<(String, Option<usize>)>,
    rewritten: Vec<usize>,
    located: Vec<Option<usize>>,
    watching: WatchState,
    totals: ReadProgress,
    news: usize,
    watch: Watch,
}

impl WatchFixture {
    /// A folder with these files, watched as the system does.
    fn new(files: &[(&str, &str)]) -> Self {
        Self::with(files, FsWatch::from_system)
    }

    fn with(files: &[(&str, &str)], senses: impl FnOnce() -> FsWatch + Send + 'static) -> Self {
        let temp = tempfile::tempdir().unwrap();
        for (path, text) in files {
            write(&temp.path().join(path), text);
        }
        Self::of(temp, "", senses)
    }

    /// Opens a folder in the temporary one, whose root is the temporary one.
    fn of(
        temp: tempfile::TempDir,
        open: &str,
        senses: impl FnOnce() -> FsWatch + Send + 'static,
    ) -> Self {
        let (sender, events) = bounded(1 << 16);
        let sender = EventSender { events: sender, wake: Arc::new(|| {}) };
        let opened = [temp.path().join(open)];
        let project = Arc::new(Project::open(&opened, Some(temp.path())).unwrap());
        let (watch, follower) = Watch::start(&project, 1, sender, senses).unwrap();
        let mut desk = Self {
            temp,
            events,
            items: BTreeMap::new(),
            ids: 0,
            removed: Vec::new(),
            rewritten: Vec::new(),
            located: Vec::new(),
            watching: WatchState::Off,
            totals: ReadProgress::default(),
            news: 0,
            watch,
        };
        let handover = scanned(&project);
        for (index, item) in handover.rows.iter().enumerate() {
            let problems = handover
                .judged
                .iter()
                .filter(|(i, _)| *i == index)
                .map(|(_, problem)| problem.clone())
                .collect();
            desk.add(Arc::new(Item::clone(item).with_problems(problems)));
        }
        follower.send(handover).unwrap();
        desk.until("to be watched", |desk| desk.watching != WatchState::Off);
        desk
    }

    /// Looks for the document of an unsaved edit of a file.
    #[track_caller]
    fn locate(&mut self, path: &Path) -> Option<usize> {
        let draft = RecoveredDraft {
            id: 0,
            path: path.to_owned(),
            seconds: 0,
            base: Some(Source::new("1")),
            text: Source::new("2"),
            file_state: DraftFileState::Gone,
        };
        self.watch.drafts.clone().send(Arc::new(draft)).unwrap();
        self.until("an answer", |desk| !desk.located.is_empty());
        self.located.remove(0)
    }

    fn add(&mut self, item: Arc<Item>) {
        self.items.insert(self.ids, item);
        self.ids += 1;
    }

    fn path(&self, path: &str) -> PathBuf {
        self.temp.path().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        write(&self.path(path), text);
    }

    fn rename(&self, from: &str, to: &str) {
        std::fs::rename(self.path(from), self.path(to)).unwrap();
    }

    /// Receives events until a condition holds.
    #[track_caller]
    fn until(&mut self, what: &str, holds: impl Fn(&Self) -> bool) {
        while !holds(self) {
            let Ok(event) = self.events.recv_timeout(TIMEOUT) else {
                panic!("waited for {what}; there is\n{}", self.listed());
            };
            self.take(event);
        }
    }

    #[track_caller]
    fn until_listed(&mut self, expected: &str) {
        self.until(expected, |desk| desk.listed() == expected);
    }

    fn take(&mut self, event: EngineEvent) {
        match event {
            EngineEvent::ItemsFound { items, .. } => {
                items.into_iter().for_each(|item| self.add(item));
            }
            EngineEvent::DiskChanged(_, DiskChange::Changed(items)) => {
                self.news += items.len();
                for (doc, item) in items {
                    assert!(doc.index() < self.ids);
                    self.items.insert(doc.index(), item);
                }
            }
            // What shows beside others stays until it is judged again.
            EngineEvent::DiskChanged(_, DiskChange::Seen(items)) => {
                for (doc, item) in items {
                    let old_problems =
                        self.items.get(&doc.index()).map_or(&[][..], |item| &item.problems);
                    let problems = old_problems
                        .iter()
                        .filter(|p| needs_other_files(p.rule))
                        .cloned()
                        .collect();
                    let item = Item::clone(&item).with_problems(problems);
                    self.items.insert(doc.index(), Arc::new(item));
                }
            }
            EngineEvent::DiskChanged(_, DiskChange::Removed(removed_items)) => {
                for removed_item in removed_items {
                    let item = self.items.remove(&removed_item.doc.index()).unwrap();
                    let successor = removed_item.renamed_to.map(DocId::index);
                    self.removed.push((name(&item), successor));
                }
            }
            EngineEvent::DiskChanged(_, DiskChange::Rewritten(docs)) => {
                self.rewritten.extend(docs.into_iter().map(DocId::index));
            }
            EngineEvent::Located(_, doc) => self.located.push(doc.map(DocId::index)),
            EngineEvent::DiskChanged(_, DiskChange::Watching(state)) => self.watching = state,
            EngineEvent::DiskChanged(_, DiskChange::Totals(totals)) => self.totals = totals,
            other => panic!("unexpected event {other:?}"),
        }
    }

    /// Every item with its number, path and label, and the rules that found something.
    fn listed(&self) -> String {
        let line = |(number, item): (&usize, &Arc<Item>)| {
            let rules: Vec<&str> = item.problems.iter().map(|p| p.rule.as_str()).collect();
            let line = format!("{number} {} {} {}", name(item), item.label(), rules.join(" "));
            line.trim_end().to_owned()
        };
        self.items.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}

/// The path of an item, from the root.
fn name(item: &Item) -> String {
    item.root_path().to_string()
}

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn scanned(project: &Project) -> ScanHandover {
    let began = SystemTime::now();
    let (mut rows, mut judged) = (Vec::new(), Vec::new());
    let no_cancel = AtomicBool::new(false);
    let outcome = scan(project, SourceLookup::Look, &no_cancel, &mut |step| match step {
        ScanStep::Rows(items) => rows.extend(items),
        ScanStep::Judged(problems) => judged = problems,
        ScanStep::Progress(_) => {}
    })
    .unwrap();
    judged.sort_by_key(|(index, _)| *index);
    ScanHandover { rows, judged, known: outcome.known, unlisted: outcome.unlisted, began }
}

#[test]
fn files_that_come_change_and_go_are_reported() {
    let mut desk = WatchFixture::new(&[("a.json", &session("one"))]);
    desk.until_listed("0 a.json one");
    assert_eq!(desk.watching, WatchState::Live);

    desk.write("b.json", &session("two"));
    desk.until_listed("0 a.json one\n1 b.json two");
    desk.write("a.json", &session("three"));
    desk.until_listed("0 a.json three\n1 b.json two");

    std::fs::remove_file(desk.path("a.json")).unwrap();
    desk.until_listed("1 b.json two");
    desk.write("a.json", &session("back"));
    desk.until_listed("0 a.json back\n1 b.json two");
    desk.write("notes.txt", "no business of ours");
    desk.write("c.json", &session("c"));
    desk.until_listed("0 a.json back\n1 b.json two\n2 c.json c");
}

#[test]
fn a_deleted_file_is_listed_for_an_unsaved_edit_and_keeps_its_id_when_it_is_saved() {
    let mut desk = WatchFixture::new(&[("a.json", &session("one"))]);
    desk.until_listed("0 a.json one");
    let place = |path: &str| std::fs::canonicalize(desk.temp.path()).unwrap().join(path);
    let (sub, listed_path) = (place("sub/b.json"), place("a.json"));
    let other_paths =
        [place("../b.json"), place(".git/b.json"), PathBuf::from("/elsewhere/b.json")];
    for path in other_paths {
        assert_eq!(desk.locate(&path), None, "{}", path.display());
    }
    assert_eq!(desk.locate(&listed_path), Some(0));
    assert_eq!((desk.ids, desk.removed.len()), (1, 0));

    // Its folder is gone too.
    assert_eq!(desk.locate(&sub), Some(1));
    assert_eq!(name(&desk.items[&1]), "sub/b.json");
    desk.until("it to be gone", |desk| !desk.removed.is_empty());
    assert_eq!(desk.removed, [("sub/b.json".to_owned(), None)]);
    // Once more, as for another edit of it.
    assert_eq!(desk.locate(&sub), Some(1));
    desk.until("it to be gone", |desk| desk.removed.len() == 2);
    assert_eq!(desk.ids, 2);

    desk.write("sub/b.json", &session("back"));
    desk.until_listed("0 a.json one\n1 sub/b.json back");
    desk.until("it to be read", |desk| desk.rewritten.contains(&1));
    std::fs::remove_file(desk.path("a.json")).unwrap();
    desk.until_listed("1 sub/b.json back");
    assert_eq!(desk.locate(&listed_path), Some(0));
}

#[test]
fn a_file_that_is_renamed_goes_on_under_another_id() {
    let mut desk = WatchFixture::new(&[("a.json", &session("one"))]);
    desk.write("sub/b.json", &session("two"));
    desk.until_listed("0 a.json one\n1 sub/b.json two");
    desk.rename("a.json", "z.json");
    desk.until("a.json to go", |desk| !desk.removed.is_empty());
    assert_eq!(desk.removed, [("a.json".to_owned(), Some(2))]);
    desk.until_listed("1 sub/b.json two\n2 z.json one");

    // Another file in the place of a removed one does not succeed it.
    std::fs::remove_file(desk.path("z.json")).unwrap();
    desk.write("y.json", &session("another"));
    desk.until_listed("1 sub/b.json two\n3 y.json another");
    assert_eq!(desk.removed[1], ("z.json".to_owned(), None));
}

#[test]
fn a_folder_that_is_renamed_takes_its_files_along_and_stays_watched() {
    let mut desk = WatchFixture::new(&[("set/in/a.json", &session("one"))]);
    desk.rename("set", "other");
    desk.until("the set to go", |desk| !desk.removed.is_empty());
    assert_eq!(desk.removed, [("set/in/a.json".to_owned(), Some(1))]);
    desk.until_listed("1 other/in/a.json one");
    desk.write("other/in/a.json", &session("changed"));
    desk.until_listed("1 other/in/a.json changed");

    std::fs::remove_dir_all(desk.path("other")).unwrap();
    desk.until_listed("");
    desk.write("other/in/a.json", &session("again"));
    desk.until_listed("1 other/in/a.json again");
    desk.write("other/in/deep/er/b.json", &session("b"));
    desk.until_listed("1 other/in/a.json again\n2 other/in/deep/er/b.json b");
}

#[test]
fn a_save_as_editors_do_it_changes_the_item_and_nothing_else() {
    let mut desk = WatchFixture::new(&[("a.json", &session("one"))]);
    desk.write("a.json.tmp", &session("two"));
    desk.rename("a.json", "a.json~");
    desk.rename("a.json.tmp", "a.json");
    desk.until_listed("0 a.json two");
    assert_eq!((desk.removed.len(), desk.ids), (0, 1));
}

#[test]
fn a_file_that_is_written_as_it_was_is_reported_as_rewritten_only() {
    let mut desk = WatchFixture::new(&[("a.json", &session("one"))]);
    desk.rewritten.clear();
    desk.write("a.json", &session("one"));
    desk.until("the echo", |desk| !desk.rewritten.is_empty());
    assert_eq!((desk.news, &*desk.rewritten), (0, &[0][..]));
}

#[test]
fn what_happened_while_the_scan_ran_is_found() {
    let temp = tempfile::tempdir().unwrap();
    write(&temp.path().join("a.json"), &session("one"));
    let path = temp.path().to_owned();
    let mut desk = WatchFixture::of(temp, "", move || {
        // After the scan and before anything is watched.
        write(&path.join("a.json"), &session("changed"));
        write(&path.join("b.json"), &session("new"));
        FsWatch::from_system()
    });
    desk.until_listed("0 a.json changed\n1 b.json new");
}

#[test]
fn a_changed_source_judges_its_recordings_although_no_one_wrote_them() {
    let hash = calls::source::sha256_hex(b"then");
    let recording = format!(
        r#"{{"request":{{"requestId":"r","messages":[],"tools":[]}},"response":{{}},
           "sourceMetadata":{{"sourceFile":"m/x.dygram","contentHash":"{hash}"}}}}"#
    );
    let temp = tempfile::tempdir().unwrap();
    write(&temp.path().join("set/r.json"), &recording);
    // The source is outside what is opened, and inside the root.
    let mut desk = WatchFixture::of(temp, "set", FsWatch::from_system);
    let finding =
        |desk: &WatchFixture| desk.items[&0].source.as_ref().map(|source| source.found.as_str());
    assert_eq!(finding(&desk), Some("missing"));
    // So young a file is read once more to be sure.
    desk.rewritten.clear();
    desk.write("m/x.dygram", "then");
    desk.until("a fresh source", |desk| finding(desk) == Some("fresh"));
    desk.write("m/x.dygram", "now");
    desk.until("a stale source", |desk| finding(desk) == Some("stale"));
    let is_reported = |rule: &str| desk.items[&0].problems.iter().any(|p| p.rule.as_str() == rule);
    assert!(is_reported("source-stale"));
    assert!(desk.rewritten.is_empty());
}

#[test]
fn a_contract_that_comes_or_goes_judges_the_sessions_that_name_it() {
    let config = "version: '2.0'\nagent: { endpoint: http://localhost }\n\
                  contract: { name: own, invariants: [] }\nreplays: { sessions: [] }\n";
    let session = "id: a\ninput: b\ntool_responses: []\ncontract: c/strict.yaml\n";
    let mut desk = WatchFixture::new(&[("flakestorm.yaml", config), ("s.yaml", session)]);
    let is_missed = |desk: &WatchFixture| desk.listed().contains("contract-not-found");
    assert!(is_missed(&desk));
    desk.write("c/strict.yaml", "name: strict\ninvariants: []\n");
    desk.until("the contract", |desk| !is_missed(desk));
    desk.write("s.yaml", &session.replace("c/strict.yaml", "own"));
    std::fs::remove_file(desk.path("c/strict.yaml")).unwrap();
    desk.until("the contract to go", |desk| desk.items.len() == 2);
    desk.write("flakestorm.yaml", &config.replace("own", "other"));
    desk.until("the contract's new name", is_missed);
}

#[test]
fn cassettes_are_judged_again_when_their_tests_change() {
    let cassette = r#"{"version": 1, "interactions": [{"request": {"method": "GET", "uri": "https://api.openai.com/v1/models", "headers": {}, "body": null},
        "response": {"status": {"code": 200, "message": "OK"}, "headers": {}, "body": {"string": "{}"}}}]}"#;
    let module = "import pytest\n\n@pytest.mark.vcr\ndef test_one(): ...\n";
    let mut desk = WatchFixture::new(&[
        ("tests/test_mail.py", module),
        ("tests/cassettes/test_mail/test_one.json", cassette),
        ("other/cassettes/test_mail/test_one.json", cassette),
    ]);
    let test = |desk: &WatchFixture, root: &str| {
        let item = desk.items.values().find(|item| item.root_path().starts_with(root)).unwrap();
        let facts = item.cassette.as_deref().unwrap();
        facts.test.as_ref().map(|test| test.origin.to_string())
    };
    let first = Some("tests/test_mail.py:4".to_owned());
    assert_eq!((test(&desk, "tests"), test(&desk, "other")), (first, None));
    desk.write("tests/test_mail.py", &format!("# Mails\n{module}"));
    let new_origin = Some("tests/test_mail.py:5".to_owned());
    desk.until("the other line", |desk| test(desk, "tests") == new_origin);
    desk.write("other/test_mail.py", module);
    let other_origin = Some("other/test_mail.py:4".to_owned());
    desk.until("the other test", |desk| test(desk, "other") == other_origin);
}

#[test]
fn problems_beside_others_come_and_go_with_the_others() {
    let mut desk = WatchFixture::new(&[("a.yaml", "id: same\ninput: b\ntool_responses: []\n")]);
    desk.until_listed("0 a.yaml same");
    desk.write("b.yaml", "id: same\ninput: c\ntool_responses: []\n");
    desk.until_listed("0 a.yaml same session-id-reused\n1 b.yaml same session-id-reused");
    desk.write("b.yaml", "id: other\ninput: c\ntool_responses: []\n");
    desk.until_listed("0 a.yaml same\n1 b.yaml other");
}

#[test]
fn a_file_of_no_known_kind_is_listed_for_as_long_as_others_are_beside_it() {
    let mut desk = WatchFixture::new(&[("set/x.json", "{}"), ("a.json", &session("one"))]);
    desk.until_listed("0 a.json one");
    desk.write("set/b.json", &session("two"));
    desk.until("the stranger", |desk| desk.items.len() == 3);
    std::fs::remove_file(desk.path("set/b.json")).unwrap();
    desk.until_listed("0 a.json one");
}

#[test]
fn the_totals_follow() {
    let mut desk = WatchFixture::new(&[("a.json", &session("one"))]);
    let bytes = session("one").len() as u64;
    desk.until("totals", |desk| desk.totals.bytes == bytes);
    desk.write("b.json", &session("one"));
    desk.until("totals", |desk| desk.totals.bytes == 2 * bytes);
    assert_eq!(desk.totals.read, 2);
}

#[cfg(unix)]
#[test]
fn folders_and_files_behind_links_are_followed() {
    use std::os::unix::fs::symlink;
    let temp = tempfile::tempdir().unwrap();
    write(&temp.path().join("target/a.json"), &session("one"));
    write(&temp.path().join("set/b.json"), &session("two"));
    symlink("target", temp.path().join("built")).unwrap();
    symlink("set/b.json", temp.path().join("same.json")).unwrap();
    let mut desk = WatchFixture::of(temp, "", FsWatch::from_system);
    assert_eq!(desk.items.len(), 3);
    let labels = |desk: &WatchFixture| {
        let mut labels: Vec<String> =
            desk.items.values().map(|item| item.label().to_owned()).collect();
        labels.sort();
        labels.join(" ")
    };
    // Nothing in a folder that is passed by is listed, but through the link it is.
    desk.write("target/a.json", &session("three"));
    desk.until("the folder behind a link", |desk| labels(desk) == "three two two");
    desk.write("set/b.json", &session("four"));
    desk.until("the file behind a link", |desk| labels(desk) == "four four three");
    std::fs::remove_file(desk.path("built")).unwrap();
    desk.until("the link to go", |desk| labels(desk) == "four four");
}

#[test]
fn a_storm_of_writes_ends_in_the_true_state() {
    let mut desk = WatchFixture::new(&[("0.json", &session("calm"))]);
    for round in 0..20 {
        for number in 0..100 {
            let path = format!("set-{}/{number}.json", number % 7);
            match (number + round) % 3 {
                0 if round > 0 => drop(std::fs::remove_file(desk.path(&path))),
                _ => desk.write(&path, &session(&format!("{round}-{number}"))),
            }
        }
    }
    let mut expected = BTreeMap::from([("0.json".to_owned(), "calm".to_owned())]);
    for number in (0..100).filter(|number| (number + 19) % 3 != 0) {
        let path = format!("set-{}/{number}.json", number % 7);
        expected.insert(path, format!("19-{number}"));
    }
    let state = |desk: &WatchFixture| -> BTreeMap<String, String> {
        let items = desk.items.values();
        items.map(|item| (name(item), item.label().to_owned())).collect()
    };
    desk.until("the true state", |desk| state(desk) == expected);
    assert_eq!(desk.watching, WatchState::Live);
}

/// A system that allows the given number of watches, and reports no events.
struct Fake {
    left: Arc<Mutex<usize>>,
    /// Kept, so that it does not look as if the system had gone.
    _sender: Arc<FsEventSender>,
}

impl Watcher for Fake {
    fn watch(&mut self, _: &Path) -> Result<(), WatchError> {
        let mut remaining = self.left.lock().unwrap();
        *remaining = remaining.checked_sub(1).ok_or(WatchError::NoneLeft)?;
        Ok(())
    }

    fn unwatch(&mut self, _: &Path) {
        *self.left.lock().unwrap() += 1;
    }
}

/// A fake system with the given number of watches, which tests can change, and a sender for its events.
fn fake(watches: usize) -> (Arc<Mutex<usize>>, Arc<FsEventSender>, FsWatch) {
    let remaining_watches = Arc::new(Mutex::new(watches));
    let (sender, receiver) = event_channel();
    let sender = Arc::new(sender);
    let watcher =
        Box::new(Fake { left: Arc::clone(&remaining_watches), _sender: Arc::clone(&sender) });
    (remaining_watches, sender, FsWatch { watcher, receiver })
}

#[test]
fn without_watches_everything_is_looked_through_until_there_are_some() {
    let (remaining_watches, _sender, senses) = fake(1);
    let mut desk =
        WatchFixture::with(&[("a.json", &session("one")), ("b/b.json", &session("b"))], || senses);
    assert_eq!(desk.watching, WatchState::Rescanning(WatchFailure::NoWatchesLeft));
    desk.write("c.json", &session("two"));
    desk.until("the new file", |desk| desk.items.len() == 3);
    desk.write("d/d.json", &session("d"));
    desk.until("the new folder", |desk| desk.listed().contains("d/d.json"));
    *remaining_watches.lock().unwrap() = 10;
    desk.until("to be live", |desk| desk.watching == WatchState::Live);
}

#[test]
fn when_events_are_lost_everything_is_looked_through_once() {
    let (_, sender, senses) = fake(100);
    let mut desk = WatchFixture::with(&[("a.json", &session("one"))], || senses);
    assert_eq!(desk.watching, WatchState::Live);
    desk.write("a.json", &session("three"));
    desk.write("b.json", &session("two"));
    sender.send(FsEvent::Lost);
    let state = WatchState::Rescanning(WatchFailure::TooManyChanges);
    desk.until("the loss to be reported", |desk| desk.watching == state);
    desk.until_listed("0 a.json three\n1 b.json two");
    desk.until("to be live", |desk| desk.watching == WatchState::Live);
}

#[test]
fn a_folder_is_watched_by_its_place_and_known_by_each_name() {
    let (remaining_watches, _sender, senses) = fake(2);
    let temp = tempfile::tempdir().unwrap();
    let place = temp.path().canonicalize().unwrap();
    std::fs::create_dir(place.join("real")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("real", place.join("link")).unwrap();
    let mut folders = WatchedFolders::new(senses.watcher);
    let folders_of = |names: &[&str]| names.iter().map(|name| (place.join(name), None)).collect();
    assert_eq!(folders.update(&folders_of(&["real", "link"])).len(), 2);
    assert_eq!(*remaining_watches.lock().unwrap(), 1);
    assert_eq!(
        folders.names_of(&place.join("real/a.json")),
        [place.join("link/a.json"), place.join("real/a.json")]
    );
    folders.update(&folders_of(&["link"]));
    assert_eq!(folders.names_of(&place.join("real")), [place.join("link")]);
    folders.update(&folders_of(&[]));
    assert_eq!(*remaining_watches.lock().unwrap(), 2);
}

/// An opened folder may be removed and created again: that is another folder, and all of it is read again.
#[test]
fn a_folder_that_comes_back_is_opened_again() {
    let temp = tempfile::tempdir().unwrap();
    let folder = temp.path().join("set");
    write(&folder.join("a.json"), &session("one"));
    let (mut engine, events) = Engine::start(EngineOptions::default(), || {}).unwrap();
    engine.scan(vec![folder.clone()]);
    let until = |is_expected: &dyn Fn(&DiskChange) -> bool| {
        loop {
            match events.recv_timeout(TIMEOUT).unwrap() {
                EngineEvent::DiskChanged(_, news) if is_expected(&news) => return,
                _ => {}
            }
        }
    };
    let is_watching = |watching: WatchState| move |news: &DiskChange| matches!(news, DiskChange::Watching(now) if *now == watching);
    until(&is_watching(WatchState::Live));
    // The file goes first: when a folder goes that is open here, the system reports nothing.
    std::fs::remove_file(folder.join("a.json")).unwrap();
    until(&|news| matches!(news, DiskChange::Removed(_)));
    std::fs::remove_dir(&folder).unwrap();
    until(&is_watching(WatchState::Gone));
    write(&folder.join("a.json"), &session("two"));
    until(&|news| matches!(news, DiskChange::Replaced));
}

/// The settings of a project are read when it is opened: with other settings, it is opened again.
#[test]
fn a_project_with_other_settings_is_opened_again() {
    let temp = tempfile::tempdir().unwrap();
    let settings_text = |severity: &str| format!("[rules]\nsession-incomplete = \"{severity}\"\n");
    write(&temp.path().join("retake.toml"), &settings_text("note"));
    write(&temp.path().join("set/a.json"), &session("one"));
    let (mut engine, events) = Engine::start(EngineOptions::default(), || {}).unwrap();
    engine.scan(vec![temp.path().join("set")]);
    let until = |is_expected: &dyn Fn(&EngineEvent) -> bool| {
        while !is_expected(&events.recv_timeout(TIMEOUT).unwrap()) {}
    };
    until(&|event| {
        matches!(event, EngineEvent::DiskChanged(_, DiskChange::Watching(WatchState::Live)))
    });
    write(&temp.path().join("retake.toml"), &settings_text("off"));
    until(&|event| matches!(event, EngineEvent::DiskChanged(_, DiskChange::Replaced)));

    // One that is not understood is reported beside what was opened, and the defaults hold.
    write(&temp.path().join("retake.toml"), "mode = 1");
    engine.scan(vec![temp.path().join("set")]);
    until(&|event| match event {
        EngineEvent::ItemsFound { items, .. } => items.iter().any(|item| {
            let rules: Vec<&str> = item.problems.iter().map(|p| p.rule.as_str()).collect();
            item.root_path() == "retake.toml" && rules == ["wrong-type"]
        }),
        _ => false,
    });
}

#[test]
fn another_branch_is_reported() {
    let files = [(".git/HEAD", "ref: refs/heads/main\n"), ("a.json", "{}")];
    let temp = tempfile::tempdir().unwrap();
    for (path, text) in files {
        write(&temp.path().join(path), text);
    }
    let (mut engine, events) = Engine::start(EngineOptions::default(), || {}).unwrap();
    engine.scan(vec![temp.path().to_owned()]);
    let next = || events.recv_timeout(TIMEOUT).unwrap();
    while !matches!(next(), EngineEvent::DiskChanged(_, DiskChange::Watching(WatchState::Live))) {}
    write(&temp.path().join(".git/HEAD.lock"), "ref: refs/heads/other\n");
    std::fs::rename(temp.path().join(".git/HEAD.lock"), temp.path().join(".git/HEAD")).unwrap();
    loop {
        if let EngineEvent::DiskChanged(_, DiskChange::Branch(branch)) = next() {
            assert_eq!(branch.as_deref(), Some("other"));
            return;
        }
    }
}

#[test]
fn a_commit_is_reported() {
    let commit = |digit: &str| format!("{}\n", digit.repeat(40));
    let temp = tempfile::tempdir().unwrap();
    let files = [
        (".git/HEAD", "ref: refs/heads/main\n"),
        (".git/refs/heads/main", &*commit("a")),
        (".git/objects/info/empty", ""),
        (".git/index", "old"),
        ("a.json", "{}"),
    ];
    for (path, text) in files {
        write(&temp.path().join(path), text);
    }
    let (mut engine, events) = Engine::start(EngineOptions::default(), || {}).unwrap();
    engine.scan(vec![temp.path().to_owned()]);
    let next = || events.recv_timeout(TIMEOUT).unwrap();
    while !matches!(next(), EngineEvent::DiskChanged(_, DiskChange::Watching(WatchState::Live))) {}
    // Git writes the branch, then the index.
    write(&temp.path().join(".git/refs/heads/main"), &commit("b"));
    write(&temp.path().join(".git/index"), "new");
    while !matches!(next(), EngineEvent::DiskChanged(_, DiskChange::Commit)) {}
}

#[test]
fn what_git_ignores_comes_and_goes_with_its_patterns() {
    let (a, b) = (session("a"), session("b"));
    let files = [
        (".git/HEAD", ""),
        (".gitignore", "*.tmp.json"),
        ("set/a.json", &*a),
        ("set/b.tmp.json", &*b),
    ];
    let temp = tempfile::tempdir().unwrap();
    for (path, text) in files {
        write(&temp.path().join(path), text);
    }
    // The file is above what is open.
    let mut desk = WatchFixture::of(temp, "set", FsWatch::from_system);
    desk.until_listed("0 set/a.json a");
    desk.until("the count", |desk| desk.totals.ignored == 1);
    desk.write("set/c.tmp.json", &session("c"));
    desk.write("set/d.json", &session("d"));
    desk.until_listed("0 set/a.json a\n1 set/d.json d");
    desk.write(".gitignore", "d.json");
    desk.until_listed("0 set/a.json a\n2 set/b.tmp.json b\n3 set/c.tmp.json c");
    desk.write("set/.gitignore", "*");
    desk.until_listed("");
}

/// A ledger, and what the window shows after everything that it has published.
struct Published {
    ledger: Ledger,
    items: BTreeMap<DocId, Arc<Item>>,
    ids: usize,
}

impl Published {
    fn new() -> Self {
        let ledger = Ledger::new(SystemTime::now(), 0);
        let (items, ids) = (BTreeMap::new(), 0);
        Self { ledger, items, ids }
    }

    /// Enters that a file is there, or no longer, and publishes it. Returns what is removed.
    fn publish(&mut self, project: &Project, beneath: &Path, is_there: bool) -> Vec<RemovedItem> {
        self.ledger.begin_rescan();
        let (path, root_path) = paths_of(&project.opened[0], beneath);
        let entry = WalkEntry {
            order: 0,
            opened: 0,
            beneath: beneath.to_owned(),
            path,
            root_path,
            kind: EntryKind::File,
            is_link: false,
            stamp: None,
        };
        let (opened, beneath) = (0, beneath.to_owned());
        if is_there {
            let to_read = self
                .ledger
                .note_present(project, entry, NeedsReread::Reported)
                .expect("it was reported");
            let (item, listing) = read_row(project, &to_read.found, SourceLookup::Look, None);
            self.ledger.enter(to_read, item, listing);
        } else {
            self.ledger.note_gone(&FileKey { opened, beneath: beneath.into() });
        }
        let changes = self.ledger.publish(project, Removals::Report);
        for item in changes.added {
            self.items.insert(DocId::new(self.ids), item);
            self.ids += 1;
        }
        self.items.extend(changes.changed);
        for removed_item in &changes.removed {
            self.items.remove(&removed_item.doc);
        }
        changes.removed
    }
}

proptest! {
    #![proptest_config(document::text::cases(64))]

    #[test]
    fn what_is_published_of_a_few_folders_is_what_is_published_of_all(
        steps in proptest::collection::vec((0..7_usize, 0..8_usize), 1..16)
    ) {
        const RECORDING: &str =
            include_str!("../../../sample-recordings/recordings/close-ticket/req-1780281201443-1.json");
        let unstamped_recording = RECORDING.replace("sourceMetadata", "other");
        let texts = [
            RECORDING,
            &unstamped_recording,
            r#"{"id": "s", "input": "x", "tool_responses": []}"#,
            r#"{"memory:one": "{}"}"#,
            r#"{"a": 1}"#,
            "{\"a",
            "{}",
        ];
        let files = ["a.json", "b.json", "x/a.json", "x/b.json", "x/y/a.json", "z/a.json", "z/a.seeds.json"];
        let temp = tempfile::tempdir().unwrap();
        let opened = [temp.path().to_owned()];
        let project = Project::open(&opened, Some(temp.path())).unwrap();
        let (mut few, mut all) = (Published::new(), Published::new());
        for (file, text) in steps {
            let beneath = Path::new(files[file]);
            let path = temp.path().join(beneath);
            match texts.get(text) {
                Some(text) => write(&path, text),
                None => drop(std::fs::remove_file(&path)),
            }
            let is_there = text < texts.len();
            all.ledger.publishes_all = true;
            let removed_items = all.publish(&project, beneath, is_there);
            prop_assert_eq!(few.publish(&project, beneath, is_there), removed_items);
            prop_assert_eq!(&few.items, &all.items);
            prop_assert_eq!(few.ledger.totals, all.ledger.totals);
        }
    }
}

#[test]
fn a_path_that_is_the_end_of_an_items_path_is_the_same_path() {
    let item = Item::new("/p/é/a.json");
    let hash = |path: &WatchedPath| FixedState::default().hash_one(path);
    for (text, is_end) in [("é/a.json", true), ("a.json", true), ("b.json", false)] {
        let own = WatchedPath::from(PathBuf::from(text));
        let shared = own.clone().in_path_of(&item);
        assert_eq!(matches!(shared, WatchedPath::End(..)), is_end);
        assert_eq!((&shared, hash(&shared)), (&own, hash(&own)));
        assert_eq!(&*shared, Path::new(text));
    }
}
