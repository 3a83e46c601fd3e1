//! Tests of the comparison of a tape, without the engine.

use std::any::Any;
use std::sync::Arc;

use super::*;
use crate::format;
use crate::ops::tape::overlay::{ComparedTake, TapeSimilarityKey};
use crate::ops::tape::prepared_tape::PreparedTape;
use crate::workbench::action::Action;
use crate::workbench::core::command::Command;
use crate::workbench::core::library::CurrentDocument;
use crate::workbench::core::view::Overlay;
use crate::workbench::event::EngineEvent;
use crate::workbench::testing::{Bench, doc};

/// The event that the engine sends, for files in memory.
pub(in crate::workbench) fn answer(request: &dyn Any) -> Option<EngineEvent> {
    let read = |tape: &CurrentDocument| {
        let (_, text) = tape.text.clone()?;
        Some(format::read(text, tape.item.file_name()))
    };
    if let Some(task) = request.downcast_ref::<PrepareTape>() {
        let tape = PreparedTape::new(Arc::clone(&task.document));
        let tape = tape.map(Arc::new).ok_or("not a tape".to_owned());
        return Some(task.answer(tape));
    }
    if let Some(RankTapes { tape, others }) = request.downcast_ref() {
        let ours = TapeSimilarityKey::from_document(&read(tape)?)?;
        let similarity = |other: &CurrentDocument| {
            let theirs = TapeSimilarityKey::from_document(&read(other)?)?;
            Some((other.doc, ours.compare(&theirs)))
        };
        let ranked = others.iter().filter_map(similarity).collect();
        let event = CompareEvent::Ranked(tape.doc, ranked, false);
        return Some(EngineEvent::Tapes(TapesEvent::Compare(event)));
    }
    if let Some(task) = request.downcast_ref::<CompareTapes>() {
        let Some(other) = &task.other else {
            return Some(task.answer(Err("The take is not here".to_owned())));
        };
        let tape = PreparedTape::new(Arc::new(read(&task.tape)?))?;
        let takes = ComparedTake::new(tape.tape()?, Arc::new(read(other)?));
        return Some(task.answer(takes.ok_or("The other file is not a tape".to_owned())));
    }
    None
}

fn tape(label: &str, model: &str, stream: &str) -> String {
    format!(
        "{{\"meta\": {{\"label\": \"{label}\", \"model\": \"{model}\", \"recordedAt\": \"t\"}}, \
         \"request\": {{\"model\": \"m\", \"systemPrompt\": \"{model}\", \"history\": [{{\"a\": 1, \"b\": 1}}]}}, \
         \"stream\": {stream}}}"
    )
}

/// A bench with three tapes; the second is a re-recording of the first.
fn bench() -> Bench {
    let chunks = r#"[{"delayNs": 1e9, "text": "It goes"}, {"delayNs": 1e7, "text": " on Tues"}, {"delayNs": 1e7, "text": "day"}, {"delayNs": 1e7, "text": " at noon"}]"#;
    let other = r#"[{"delayNs": 2e9, "text": "It goes"}, {"delayNs": 1e7, "text": " on"}, {"delayNs": 1e7, "text": " Tuesday"}, {"delayNs": 1.8e7, "text": " at two"}]"#;
    let mut bench = Bench::open(&[
        ("a.tape.json", &tape("a", "m", chunks)),
        ("z.tape.json", &tape("z", "m", other)),
        ("b.tape.json", &tape("b", "n", chunks)),
    ]);
    bench.act(Action::Select(doc(0)));
    bench.press(Command::GoTapes);
    bench.act(Action::from(TapesAction::Select(doc(0))));
    bench
}

fn takes(action: CompareAction) -> Action {
    Action::from(TapesAction::Compare(action))
}

/// The comparison, the selected step, and the position of the playhead.
fn over(bench: &Bench) -> String {
    let desk = &bench.workbench.tapes;
    let over = &desk.comparison;
    match over.state() {
        ComparisonState::None => "nothing".to_owned(),
        ComparisonState::Loading => "coming".to_owned(),
        ComparisonState::Failed(reason) => reason.to_owned(),
        ComparisonState::Ready(_, differing) => {
            let step = over.step().map(|step| step.describe(over.tolerance_nanos()));
            format!(
                "{}; {} of {}: {}; at {:.2} s",
                differing.summary().describe(differing.tolerance_nanos()),
                over.at + 1,
                differing.steps().len(),
                step.unwrap_or_default(),
                desk.transport.nanos / 1e9
            )
        }
    }
}

#[test]
fn the_selected_tape_gives_its_own_miniature_and_its_file_is_not_read_for_one() {
    let mut bench = bench();
    let wants = |bench: &Bench| {
        let (desk, library) = (&bench.workbench.tapes, &bench.workbench.core.library);
        [0, 1].map(|at| desk.needs_thumbnail(doc(at), library.get(doc(at)).unwrap()))
    };
    assert_eq!(wants(&bench), [false, true]);
    let thumbnail = bench.workbench.tapes.thumbnail(doc(0)).unwrap();
    assert_eq!(thumbnail.preview.beginning(7), "It goes");
    assert_eq!(thumbnail.columns.iter().copied().fold(0.0, f32::max), 1.0);
    bench.act(Action::from(TapesAction::Select(doc(1))));
    assert_eq!(wants(&bench), [false, false]);
}

#[test]
fn the_most_similar_tape_is_first_and_compared_until_esc() {
    let mut bench = bench();
    bench.press(Command::CompareTape);
    assert_eq!(bench.workbench.core.overlay, Some(Overlay::CompareTape));
    let candidates = &bench.workbench.tapes.comparison.candidates;
    let named = candidates.iter().map(|(doc, similarity)| (doc.index(), similarity.describe()));
    assert_eq!(named.collect::<Vec<_>>(), [(1, "same request"), (2, "")]);
    bench.act(takes(CompareAction::CompareWith(ComparedTape::Open(doc(1)))));
    assert_eq!(bench.workbench.core.overlay, None);
    insta::assert_snapshot!(over(&bench), @"0 the same, 1 re-chunked, 1 text changed, 1 slower by more than 5 ms; 1 of 3: 1.0 s slower; at 0.00 s");
    bench.press(Command::NextChange);
    bench.press(Command::NextRow);
    insta::assert_snapshot!(over(&bench), @"0 the same, 1 re-chunked, 1 text changed, 1 slower by more than 5 ms; 3 of 3: text changed; at 1.03 s");
    bench.press(Command::NextRow);
    bench.press(Command::PreviousChange);
    insta::assert_snapshot!(over(&bench), @"0 the same, 1 re-chunked, 1 text changed, 1 slower by more than 5 ms; 2 of 3: re-chunked; at 1.01 s");
    bench.press(Command::Close);
    assert_eq!(over(&bench), "nothing");
    bench.press(Command::NextRow);
    assert_ne!(bench.workbench.tapes.selected, Some(doc(0)));
}

#[test]
fn both_tapes_are_visible_and_a_changed_tape_is_compared_again() {
    let mut bench = bench();
    bench.act(takes(CompareAction::CompareWith(ComparedTape::Open(doc(1)))));
    let shown = bench.workbench.tapes.shown();
    assert_eq!(shown.to_nanos, 2.038e9);
    bench.type_over(doc(0), " at noon", " at two");
    insta::assert_snapshot!(over(&bench), @"0 the same, 1 re-chunked, 2 slower by more than 5 ms; 1 of 3: 1.0 s slower; at 0.00 s");
    bench.type_over(doc(1), " at two", " at ten");
    insta::assert_snapshot!(over(&bench), @"0 the same, 1 re-chunked, 1 text changed, 1 slower by more than 5 ms; 1 of 3: 1.0 s slower; at 0.00 s");
    bench.act(takes(CompareAction::CompareWith(ComparedTape::Head)));
    assert_eq!(over(&bench), "The take is not here");
}
