use std::fmt::Write as _;

use super::*;
use crate::action::Action;
use crate::core::command::Command;
use crate::core::effect::Effect;
use crate::core::step::StepDecision;
use crate::desks::problems::ProblemsAction;
use crate::state::Workbench;
use crate::testing::{Bench, doc};
use calls::source::{MovedSource, PresentSource, SourceFinding};
use calls::{Item, ItemFacts};
use document::FileKind;
use protocol::{EngineEvent, Items, PlanBatch, PlanChange, ProjectInfo, Remembered};

fn present(path: &str, text: &str) -> Arc<PresentSource> {
    Arc::new(PresentSource::from_bytes(path, text.as_bytes(), true))
}

/// A recording of a source with this status, and whether it still matches.
fn recording(path: &str, file: &str, finding: SourceFinding, affected: Option<bool>) -> Item {
    let hash = Arc::from("0".repeat(64));
    let source = SourceState {
        affected,
        breaks_at: affected.filter(|a| *a).map(|_| "classify".into()),
        ..SourceState::new(Some(file.into()), Some(hash), finding)
    };
    Item::from(ItemFacts {
        kind: FileKind::Recording,
        recorded_at: Some("2026-03-12T08:00:00Z".into()),
        source: Some(source.into()),
        ..ItemFacts::new(path)
    })
}

fn unstamped(path: &str) -> Item {
    let source = SourceState::new(None, None, SourceFinding::Unstamped);
    Item::from(ItemFacts {
        kind: FileKind::Recording,
        source: Some(source.into()),
        ..ItemFacts::new(path)
    })
}

/// One source of each status: stale, gone, renamed to two places, renamed to one, line ends, unchanged, and outside.
fn items() -> Vec<Item> {
    let stale_finding = || SourceFinding::Stale(present("m/triage.dy", "now"));
    let two_places = || {
        let places = ["m/a/route.dy", "m/b/route.dy"]
            .map(|path| MovedSource::unchanged(present(path, "then")));
        SourceFinding::Renamed(places.into())
    };
    let one_place =
        SourceFinding::Renamed([MovedSource::unchanged(present("m/lost.dy", "then"))].into());
    vec![
        recording("x/1.json", "m/triage.dy", stale_finding(), Some(false)),
        recording("y/2.json", "m/triage.dy", stale_finding(), Some(true)),
        recording("y/3.json", "m/triage.dy", stale_finding(), None),
        recording("x/4.json", "m/gone.dy", SourceFinding::Missing(None), None),
        recording("x/5.json", "m/route.dy", two_places(), None),
        recording("x/6.json", "m/route.dy", two_places(), None),
        recording("x/7.json", "m/parcel.dy", one_place, None),
        recording(
            "x/8.json",
            "m/ends.dy",
            SourceFinding::LineEndings(present("m/ends.dy", "a\n")),
            None,
        ),
        recording("x/9.json", "m/fresh.dy", SourceFinding::Fresh(present("m/fresh.dy", "a")), None),
        recording("z/10.json", "../m.dy", SourceFinding::Outside("out".into()), None),
        unstamped("z/11.json"),
    ]
}

fn opened(items: Vec<Item>) -> Workbench {
    let mut workbench = Workbench::new(Remembered::default());
    let (generation, progress) = (1, protocol::ReadProgress::default());
    let project = ProjectInfo::default();
    let items = items.into_iter().map(Arc::new).collect();
    for event in [
        EngineEvent::ScanStarted { generation, project },
        EngineEvent::ItemsFound { generation, items },
        EngineEvent::ScanEnded { generation, progress, cancelled: false },
    ] {
        assert_eq!(workbench.receive(event), []);
    }
    press(&mut workbench, Command::GoSources);
    workbench
}

fn press(workbench: &mut Workbench, command: Command) -> Vec<Effect> {
    act(workbench, Action::Run(command))
}

fn act_on_sources(workbench: &mut Workbench, action: SourceAction) -> Vec<Effect> {
    act(workbench, Action::from(ProblemsAction::Sources(action)))
}

fn act(workbench: &mut Workbench, action: Action) -> Vec<Effect> {
    let effects = workbench.apply(action);
    workbench.refresh();
    effects
}

/// The list as text, the selected row marked.
fn picture(workbench: &Workbench) -> String {
    let desk = &workbench.problems.sources;
    let mut text = String::new();
    for row in (0..desk.listed()).filter_map(|i| desk.row(i)) {
        let is_selected = desk.selected() == Some(row);
        let mark = if is_selected { ">" } else { " " };
        let FitCounts { breaks, unknown, matches } = row.fits;
        let (status, file) = (row.status.as_str(), &row.name.file);
        let _ = writeln!(
            text,
            "{mark}{status} {file}: {} in {}, {breaks} break, {matches} match, {unknown} unknown",
            row.recordings.len(),
            row.sets,
        );
    }
    text
}

fn files(workbench: &Workbench) -> String {
    let desk = &workbench.problems.sources;
    let rows = (0..desk.listed()).filter_map(|i| desk.row(i));
    let files: Vec<&str> = rows.map(|row| &*row.name.file).collect();
    files.join(" ")
}

#[test]
fn the_most_urgent_sources_are_first() {
    let workbench = opened(items());
    insta::assert_snapshot!(picture(&workbench), @"
    >breaks m/triage.dy: 3 in 2, 1 break, 1 match, 1 unknown
     missing m/gone.dy: 1 in 1, 0 break, 0 match, 1 unknown
     outside ../m.dy: 1 in 1, 0 break, 0 match, 1 unknown
     renamed m/route.dy: 2 in 1, 0 break, 2 match, 0 unknown
     renamed m/parcel.dy: 1 in 1, 0 break, 1 match, 0 unknown
     line-endings m/ends.dy: 1 in 1, 0 break, 1 match, 0 unknown
     fresh m/fresh.dy: 1 in 1, 0 break, 1 match, 0 unknown
    ");
    let desk = &workbench.problems.sources;
    assert_eq!((desk.counts.fits.breaks, desk.counts.fixable, desk.list.unstamped), (1, 5, 1));
    assert_eq!(desk.row(0).unwrap().first, doc(1));
}

#[test]
fn the_list_is_filtered_by_status_and_by_text() {
    let mut workbench = opened(items());
    act_on_sources(&mut workbench, SourceAction::Filter(SourceFilter::Renamed));
    assert_eq!(files(&workbench), "m/route.dy m/parcel.dy");
    act_on_sources(&mut workbench, SourceAction::Type("LOST".to_owned()));
    assert_eq!(files(&workbench), "m/parcel.dy");
    let desk = &workbench.problems.sources;
    assert_eq!(desk.selected().unwrap().name.file.as_ref(), "m/parcel.dy");
    assert_eq!(desk.count(SourceFilter::All), 1);
    act_on_sources(&mut workbench, SourceAction::Filter(SourceFilter::All));
    act_on_sources(&mut workbench, SourceAction::Type("classify".to_owned()));
    assert_eq!(files(&workbench), "m/triage.dy");
    act_on_sources(&mut workbench, SourceAction::Type(String::new()));
    act_on_sources(&mut workbench, SourceAction::SortBy(SourceColumn::Source));
    let ascending_files = files(&workbench);
    act_on_sources(&mut workbench, SourceAction::SortBy(SourceColumn::Source));
    let descending_files = files(&workbench);
    assert!(ascending_files.split(' ').eq(descending_files.split(' ').rev()));
    assert!(ascending_files.starts_with("../m.dy m/ends.dy m/fresh.dy"), "{ascending_files}");
}

#[test]
fn keys_go_from_source_to_source_and_enter_shows_it_then_and_now() {
    let mut workbench = opened(items());
    let file = |workbench: &Workbench| {
        let desk = &workbench.problems.sources;
        desk.selected().unwrap().name.file.to_string()
    };
    let mut files = Vec::new();
    for command in [
        Command::NextRow,
        Command::NextRow,
        Command::PreviousRow,
        Command::LastRow,
        Command::NextPage,
        Command::FirstRow,
    ] {
        assert_eq!(press(&mut workbench, command), []);
        files.push(file(&workbench));
    }
    assert_eq!(files.join(" "), "m/gone.dy ../m.dy m/gone.dy m/fresh.dy m/fresh.dy m/triage.dy");
    let effects = press(&mut workbench, Command::OpenSelected);
    let request = workbench.core.library.compare_source(doc(1));
    assert_eq!(effects, [Effect::run(request.unwrap())]);
    press(&mut workbench, Command::Close);
    assert!(workbench.problems.shows_sources(&workbench.core));
}

#[test]
fn a_place_is_never_chosen_for_the_user() {
    let mut workbench = opened(items());
    let row = |workbench: &Workbench, file: &str| {
        let sources = &workbench.core.list.listing.orders.sources;
        let mut rows = sources.rows.iter();
        rows.find(|row| &*row.name.file == file).unwrap().clone()
    };
    let source = row(&workbench, "m/route.dy");
    let name = || source.name.clone();
    let desk = |workbench: &Workbench| {
        let desk = &workbench.problems.sources;
        desk.place_of(&source).map(str::to_owned)
    };
    assert_eq!(desk(&workbench), None);
    assert_eq!(act_on_sources(&mut workbench, SourceAction::Repath(name())), []);
    let place = Box::from("m/b/route.dy");
    act_on_sources(&mut workbench, SourceAction::Choose(name(), place));
    assert_eq!(desk(&workbench).as_deref(), Some("m/b/route.dy"));
    assert_eq!(
        act_on_sources(&mut workbench, SourceAction::Repath(name())),
        [batch_effect(&workbench, Change::RewritePath("m/b/route.dy".into()), &[doc(4), doc(5)])]
    );

    let single_name = row(&workbench, "m/parcel.dy").name;
    assert_eq!(
        act_on_sources(&mut workbench, SourceAction::Repath(single_name)),
        [batch_effect(&workbench, Change::RewritePath("m/lost.dy".into()), &[doc(6)])]
    );
    // Only the recordings that still match a stale source are stamped.
    for (file, docs) in [("m/triage.dy", vec![doc(0)]), ("m/ends.dy", vec![doc(7)])] {
        let name = row(&workbench, file).name;
        assert_eq!(
            act_on_sources(&mut workbench, SourceAction::Restamp(name)),
            [batch_effect(&workbench, Change::Restamp, &docs)]
        );
    }
}

/// The effect that plans a change of these documents.
fn batch_effect(workbench: &Workbench, change: Change, docs: &[DocId]) -> Effect {
    let documents = docs.iter().map(|doc| workbench.core.library.current(*doc).unwrap());
    Effect::run(PlanBatch(PlanChange {
        generation: workbench.core.generation,
        documents: documents.collect(),
        change,
    }))
}

#[test]
fn commands_are_about_the_source_of_the_selected_recording() {
    let mut workbench = opened(items());
    act(&mut workbench, Action::Go(Desk::Library));
    act(&mut workbench, Action::Select(doc(6)));
    assert_eq!(
        press(&mut workbench, Command::RepathSource),
        [batch_effect(&workbench, Change::RewritePath("m/lost.dy".into()), &[doc(6)])]
    );
    act(&mut workbench, Action::Select(doc(8)));
    assert_eq!(Command::RepathSource.enabled(&workbench), Err("the source was not renamed"));
    assert_eq!(
        Command::RestampSource.enabled(&workbench),
        Err("none of its recordings can be restamped")
    );
    // If several files contain the text, the user has to choose one.
    act(&mut workbench, Action::Select(doc(5)));
    assert_eq!(press(&mut workbench, Command::RepathSource), []);
    assert!(workbench.problems.shows_sources(&workbench.core));
    let desk = &workbench.problems.sources;
    assert_eq!(desk.selected().unwrap().name.file.as_ref(), "m/route.dy");
}

#[test]
fn the_neighbour_is_selected_when_a_source_goes() {
    let mut workbench = opened(items());
    press(&mut workbench, Command::NextRow);
    let mut item = items().swap_remove(8);
    item.path = "x/4.json".into();
    workbench.core.library.replace(vec![(doc(3), Arc::new(item))]);
    workbench.refresh();
    let desk = &workbench.problems.sources;
    assert_eq!(desk.selected().unwrap().name.file.as_ref(), "../m.dy");
    assert_eq!(desk.selected_row(), Some(1));
}

#[test]
fn written_alike_from_two_folders_two_files_are_two_sources() {
    let finding = |path| SourceFinding::Fresh(present(path, "a"));
    let items = [
        recording("x/1.json", "a.dy", finding("x/a.dy"), None),
        recording("y/2.json", "a.dy", finding("y/a.dy"), None),
    ];
    let mut all_items = Items::default();
    items.into_iter().for_each(|item| all_items.push(Arc::new(item)));
    let list = SourceList::new(&all_items, &[doc(0), doc(1)]);
    assert_eq!(list.rows.len(), 2);
}

#[test]
fn a_path_is_rewritten_as_one_step_that_one_undo_restores() {
    let text = r#"{"request": {"messages": [], "tools": []}, "response": {"response": {"content": []}},
 "sourceMetadata": {"sourceFile": "m/old.dy", "contentHash": "00"}}"#;
    let mut bench = Bench::open(&[("1.json", text), ("2.json", text), ("3.json", "{}")]);
    let batch = Change::RewritePath("m/new.dy".into());
    let docs = (0..3).map(doc).collect();
    bench.act(Action::Batch(batch, docs));
    let step = bench.workbench.core.step.as_ref().unwrap();
    assert_eq!(step.remarks, ["3.json was not rewritten: The file is not a recording."]);
    bench.act(Action::DecideStep(StepDecision::KeepUnsaved));
    assert_eq!(bench.steps(), ["Update the path in 2 recordings"]);
    assert_eq!(bench.text(doc(1)), text.replace("old", "new"));
    assert_eq!(bench.disk[&doc(1)], text);
    bench.press(Command::Undo);
    assert_eq!(bench.unsaved(), [0; 0]);
    assert_eq!(bench.text(doc(1)), text);
}
