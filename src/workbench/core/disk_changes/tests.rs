//! Changes on disk, reported to a workbench in memory.

use super::*;
use crate::testing::doc;
use crate::{Action, Bench, Command, OpenDocument, SaveMode, Workbench};
use calls::ItemFacts;
use document::text::Source;
use document::{FileKind, RuleId};
use protocol::{
    Cancellable, CommitsKey, Desk, EngineEvent, FindCommits, ParseText, ProjectInfo, ReadDocument,
    ReadProgress, Remembered,
};

/// A workbench with these files open and listed by path.
fn open(paths: &[&str]) -> Workbench {
    let mut workbench = Workbench::new(Remembered::default());
    scan(&mut workbench, 1, paths);
    let _ = workbench.apply(Action::SortBy(protocol::Sort::Name));
    let _ = workbench.apply(Action::GroupBy(protocol::Grouping::None));
    workbench.refresh();
    workbench
}

fn scan(workbench: &mut Workbench, generation: u64, paths: &[&str]) -> Vec<Effect> {
    let project = ProjectInfo { opened: vec!["fixtures".into()], ..ProjectInfo::default() };
    workbench.receive(EngineEvent::ScanStarted { generation, project });
    let items = paths.iter().map(|path| Arc::new(item(path))).collect();
    let effects = workbench.receive(EngineEvent::ItemsFound { generation, items });
    workbench.receive(EngineEvent::ScanEnded {
        generation,
        progress: ReadProgress::default(),
        cancelled: false,
    });
    workbench.refresh();
    effects
}

fn item(path: &str) -> Item {
    Item::from(ItemFacts { kind: FileKind::Recording, ..ItemFacts::new(path) })
}

fn receive(workbench: &mut Workbench, change: DiskChange) -> Vec<Effect> {
    let effects = workbench.receive(EngineEvent::DiskChanged(1, change));
    workbench.refresh();
    effects
}

fn remove(workbench: &mut Workbench, doc: usize, successor: Option<usize>) -> Vec<Effect> {
    let removed_item = RemovedItem { doc: DocId::new(doc), renamed_to: successor.map(DocId::new) };
    receive(workbench, DiskChange::Removed(vec![removed_item]))
}

fn select(workbench: &mut Workbench, doc: usize) {
    let _ = workbench.apply(Action::Select(DocId::new(doc)));
}

/// Loads a document.
fn read(workbench: &mut Workbench, doc: usize, text: &str) {
    let document = document::read(Source::new(text), "a.json");
    workbench.receive(EngineEvent::Opened(DocId::new(doc), Ok(Arc::new(document))));
}

/// The paths in the list, the selected one marked.
fn rows(workbench: &Workbench) -> String {
    let rows = workbench.core.list.listing.rows.iter().filter_map(LibraryRow::item).map(|doc| {
        let mark = if workbench.core.list.selected == Some(doc) { ">" } else { "" };
        let path = workbench.core.library.get(doc).map_or("gone", |item| &item.path);
        format!("{mark}{path}")
    });
    rows.collect::<Vec<_>>().join(" ")
}

/// The documents that are read again by effects that do nothing else.
fn read_again(effects: &[Effect]) -> Vec<usize> {
    let requests = effects.iter().map(|effect| effect.request().unwrap());
    requests.map(|request: &ReadDocument| request.doc.index()).collect()
}

#[test]
fn when_the_selected_item_goes_its_neighbour_is_selected_until_it_is_back() {
    let mut workbench = open(&["a.json", "b.json", "c.json"]);
    select(&mut workbench, 1);
    assert_eq!(read_again(&remove(&mut workbench, 1, None)), [2]);
    assert_eq!(rows(&workbench), "a.json >c.json");
    assert_eq!(workbench.core.library.len(), 2);

    let entry = (DocId::new(1), Arc::new(item("b.json")));
    let effects = receive(&mut workbench, DiskChange::Changed(vec![entry]));
    assert_eq!(read_again(&effects), [1]);
    assert_eq!(rows(&workbench), "a.json >b.json c.json");

    remove(&mut workbench, 2, None);
    remove(&mut workbench, 1, None);
    assert_eq!(rows(&workbench), ">a.json");
    remove(&mut workbench, 0, None);
    assert_eq!((rows(&workbench), workbench.core.library.len()), (String::new(), 0));
}

#[test]
fn the_history_of_the_selected_file_is_found_again_after_a_commit() {
    let mut workbench = open(&["a.json"]);
    select(&mut workbench, 0);
    read(&mut workbench, 0, "{}");
    let keys_of = |effects: Vec<Effect>| -> Vec<CommitsKey> {
        let requests = effects.iter().filter_map(Effect::request);
        requests.map(|request: &FindCommits| request.key).collect()
    };
    let answer = |key: CommitsKey| EngineEvent::CommitsFound(key, Vec::new());
    let [first] = keys_of(workbench.refresh())[..] else {
        panic!("the commits are requested once");
    };
    workbench.receive(answer(first));
    assert!(keys_of(workbench.refresh()).is_empty());
    workbench.receive(EngineEvent::DiskChanged(1, DiskChange::Commit));
    let [second] = keys_of(workbench.refresh())[..] else {
        panic!("the commits are requested again");
    };
    assert_ne!(first, second);
}

#[test]
fn selection_and_reading_follow_a_file_that_is_renamed() {
    let mut workbench = open(&["a.json", "b.json"]);
    select(&mut workbench, 0);
    read(&mut workbench, 0, "{}");
    let generation = 1;
    let items = vec![Arc::new(item("z.json"))];
    workbench.receive(EngineEvent::ItemsFound { generation, items });
    // It is read again under its new name, and the previous document is shown meanwhile.
    let successor = DocId::new(2);
    assert_eq!(read_again(&remove(&mut workbench, 0, Some(2))), [2]);
    assert_eq!(rows(&workbench), "b.json >z.json");
    assert!(matches!(workbench.core.library.opened(successor), Some(OpenDocument::Ready(..))));
    assert!(workbench.core.library.opened(DocId::new(0)).is_none());
}

#[test]
fn a_rewritten_file_is_read_again_where_someone_looks_and_what_was_read_stays_meanwhile() {
    let mut workbench = open(&["a.json", "b.json"]);
    select(&mut workbench, 0);
    read(&mut workbench, 0, "{}");
    let docs = vec![DocId::new(0), DocId::new(1)];
    let effects = receive(&mut workbench, DiskChange::Rewritten(docs));
    assert_eq!(read_again(&effects), [0]);
    assert!(workbench.core.library.document(DocId::new(0)).is_some());

    // The same text again changes nothing on screen.
    let revision = workbench.core.library.revision;
    read(&mut workbench, 0, "{}");
    assert_eq!(workbench.core.library.revision, revision);
    read(&mut workbench, 0, "{ }");
    assert!(workbench.core.library.revision > revision);
}

#[test]
fn what_is_known_already_changes_nothing() {
    let mut workbench = open(&["a.json"]);
    let revision = workbench.core.library.revision;
    let items = vec![(DocId::new(0), Arc::new(item("a.json")))];
    assert_eq!(receive(&mut workbench, DiskChange::Changed(items)), []);
    assert_eq!(workbench.core.library.revision, revision);
}

#[test]
fn a_selected_problem_stays_selected_when_others_come_before_it() {
    let with_rules = |rules: &[RuleId]| {
        item("a.json")
            .with_problems(rules.iter().map(|rule| Problem::whole_file(*rule, "wrong")).collect())
    };
    let mut workbench = open(&["a.json"]);
    let change =
        |rules: &[RuleId]| DiskChange::Changed(vec![(DocId::new(0), Arc::new(with_rules(rules)))]);
    receive(&mut workbench, change(&[RuleId::MissingField]));
    let _ = workbench.apply(Action::Run(Command::NextProblem));
    receive(&mut workbench, change(&[RuleId::Syntax, RuleId::MissingField]));
    let problem = workbench.problems.problem;
    assert_eq!(problem.map(|id| id.index), Some(1));
    receive(&mut workbench, change(&[]));
    assert_eq!(workbench.problems.problem, None);
    assert_eq!(workbench.core.here().desk, Desk::Problems);
}

#[test]
fn a_view_of_what_is_gone_gives_way_to_the_list() {
    let mut workbench = open(&["a.json", "b.json", "c.json"]);
    let compare = Action::Compare(DocId::new(0), DocId::new(1));
    let _ = workbench.apply(compare);
    let request = workbench.core.library.compare(DocId::new(0), DocId::new(1));
    assert_eq!(
        receive(&mut workbench, DiskChange::Rewritten(vec![DocId::new(1)])),
        [Effect::run(request.unwrap())]
    );
    assert_eq!(remove(&mut workbench, 1, None), [Effect::Cancel(Cancellable::Comparison)]);
    assert_eq!(workbench.core.here().view, DeskView::List);
}

#[test]
fn reading_again_keeps_filter_sort_and_selection() {
    let mut workbench = open(&["a.json", "b.json", "other.yaml"]);
    let _ = workbench.apply(Action::SetFilter("json".to_owned()));
    select(&mut workbench, 1);
    // The files arrive in another order, and one is new.
    let effects = scan(&mut workbench, 2, &["b.json", "aa.json", "a.json", "other.yaml"]);
    assert_eq!(read_again(&effects), [0]);
    assert_eq!(rows(&workbench), "a.json aa.json >b.json");
    assert_eq!(&workbench.core.list.filter, "json");
}

#[test]
fn what_is_edited_here_is_kept_whatever_happens_to_its_file() {
    let mut bench = Bench::open(&[("a.json", "{\"a\": 1}"), ("b.json", "{\"b\": 1}")]);
    bench.set(doc(0), "/a", "2");
    let removal = |index| {
        let renamed_to = None;
        EngineEvent::DiskChanged(
            1,
            DiskChange::Removed(vec![RemovedItem { doc: doc(index), renamed_to }]),
        )
    };
    bench.receive(removal(0));
    let library = &bench.workbench.core.library;
    assert!(library.get(doc(0)).is_some());
    assert_eq!(library.copy(doc(0)).unwrap().on_disk, OnDisk::Gone);
    assert_eq!(
        bench.notice_texts(),
        ["a.json was deleted on disk. Its edits are still here; save to create it again."]
    );

    // Without unsaved edits it is removed, and undo of the edit restores it.
    bench.set(doc(1), "/b", "2");
    bench.act(Action::Save(doc(1), SaveMode::Usual));
    bench.receive(removal(1));
    assert!(bench.workbench.core.library.get(doc(1)).is_none());
    bench.press(Command::Undo);
    assert!(bench.workbench.core.library.get(doc(1)).is_some());
    assert_eq!(bench.unsaved(), [0, 1]);
}

#[test]
fn a_project_that_changed_as_a_whole_is_read_again_once_no_edit_is_unsaved() {
    let mut bench = Bench::open(&[("a.json", "{\"a\": 1}")]);
    bench.set(doc(0), "/a", "2");
    for _ in 0..2 {
        bench.receive(EngineEvent::DiskChanged(1, DiskChange::Replaced));
    }
    assert_eq!(
        bench.notice_texts(),
        [
            "The settings of the project or its folder changed on disk. They are read again once no edit is unsaved."
        ]
    );
    let scans = |bench: &Bench| bench.requested.iter().filter(|r| *r == "scan").count();
    assert_eq!(scans(&bench), 0);
    bench.act(Action::Save(doc(0), SaveMode::Usual));
    assert_eq!(scans(&bench), 1);
    assert!(!bench.notice_texts().iter().any(|text| text.starts_with("The settings")));
}

#[test]
fn an_edited_document_is_judged_again_when_what_it_depends_on_changes() {
    let mut bench = Bench::open(&[("a.json", "{\"a\": 1}"), ("b.json", "{\"b\": 1}")]);
    bench.set(doc(0), "/a", "2");
    let workbench = &mut bench.workbench;
    let mut parsed_texts = |make_change: fn(Vec<(DocId, Arc<Item>)>) -> DiskChange,
                            rows: &[usize]| {
        let row = |index: &usize| (doc(*index), Arc::new(item("changed.json")));
        let change = make_change(rows.iter().map(row).collect());
        let effects = workbench.receive(EngineEvent::DiskChanged(1, change));
        let requests = effects.iter().filter_map(Effect::request);
        let texts = requests
            .map(|request: &ParseText| format!("{} {}", request.item.path, request.text.text()));
        texts.collect::<Vec<_>>()
    };
    // What depends on other items is known of the file.
    let expected = ["changed.json {\"a\": 2}"];
    assert_eq!(parsed_texts(DiskChange::Changed, &[0, 1]), expected);
    assert_eq!(parsed_texts(DiskChange::Seen, &[0]), expected);
    // The row of the file is not that of the text; that of a document without edits is.
    assert!(parsed_texts(DiskChange::Changed, &[1]).is_empty());
    let path = |index| &*bench.workbench.core.library.get(doc(index)).unwrap().path;
    assert_eq!([path(0), path(1)], ["a.json", "changed.json"]);
}

#[test]
fn changes_of_closed_or_reloaded_files_are_ignored() {
    let mut workbench = open(&["a.json"]);
    let removal =
        || DiskChange::Removed(vec![RemovedItem { doc: DocId::new(0), renamed_to: None }]);
    workbench.receive(EngineEvent::DiskChanged(0, removal()));
    assert_eq!(workbench.core.library.len(), 1);
    let _ = workbench.apply(Action::Run(Command::CloseProject));
    assert_eq!(workbench.receive(EngineEvent::DiskChanged(1, DiskChange::Replaced)), []);
}
