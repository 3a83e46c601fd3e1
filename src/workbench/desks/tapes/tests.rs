//! Tests of the tapes desk, without the engine.

use std::sync::Arc;

use super::*;
use crate::testing::doc;
use crate::{Action, Bench, Command};
use calls::tape::prepared_tape::PreparedTape;
use protocol::EngineEvent;

/// The event that the engine sends, for files in memory.
pub(crate) fn answer(request: &PrepareTape) -> EngineEvent {
    let tape = PreparedTape::new(Arc::clone(&request.document))
        .map(Arc::new)
        .ok_or("not a tape".to_owned());
    EngineEvent::Tapes(TapesEvent::Prepared(request.doc, request.revision, tape))
}

#[test]
fn the_selected_tape_gives_its_own_miniature_and_its_file_is_not_read_for_one() {
    let tape = r#"{"meta": {"model": "m", "recordedAt": "t"}, "request": {"model": "m", "contents": "Hi"},
        "stream": [{"delayNs": 1e9, "text": "It goes"}, {"delayNs": 1e7, "text": " on"}]}"#;
    let mut bench = Bench::open(&[("a.tape.json", tape), ("b.tape.json", tape)]);
    bench.act(Action::Select(doc(0)));
    bench.press(Command::GoTapes);
    bench.act(Action::from(TapesAction::Select(doc(0))));
    let wanted_thumbnails = |bench: &Bench| {
        let (desk, library) = (&bench.workbench.tapes, &bench.workbench.core.library);
        [0, 1].map(|index| desk.needs_thumbnail(doc(index), library.get(doc(index)).unwrap()))
    };
    assert_eq!(wanted_thumbnails(&bench), [false, true]);
    let thumbnail = bench.workbench.tapes.thumbnails.get(&doc(0)).unwrap();
    assert_eq!(thumbnail.columns.iter().copied().fold(0.0, f32::max), 1.0);
    bench.act(Action::from(TapesAction::Select(doc(1))));
    assert_eq!(wanted_thumbnails(&bench), [false, false]);
}
