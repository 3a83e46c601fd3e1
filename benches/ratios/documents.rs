//! Pictures of large documents: two long texts side by side, a long line, and a long tape that is played.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::time::Duration;

use document::Severity;
use egui::{Event as Input, Pos2, pos2, vec2};
use protocol::{Desk, DocId};
use workbench::{Action, Command, InspectorTab, SideBySideContent, TapesAction, Workbench};

use crate::corpus::stored;
use crate::opened_folder::OpenedFolder;
use crate::window::turn_wheel;
use crate::{Target, amount, heading, line, millis};

/// How many pictures are painted of each document; of every hundred, the slowest is left out.
const PICTURE_COUNT: usize = 300;
/// What a picture may take, in milliseconds.
const PICTURE_TARGET: Target = Target::new(6.0, 4.0);
/// What a tape may take of a processor while it is played at 60 pictures a second.
const PLAYING_TARGET: Target = Target::new(0.3, 0.2);

pub(crate) fn measure() -> io::Result<()> {
    heading("pictures of large documents, p99");
    let folder = stored("large-documents", write_documents)?;
    compare(&folder.join("texts"))?;
    show_line(&folder.join("line"))?;
    play(&folder.join("tapes"))
}

/// Two recordings of a hundred thousand lines, of which one in twenty differs; one of 200 MB in one line; a tape of a million chunks.
fn write_documents(root: &Path) -> io::Result<()> {
    const LINE_COUNT: usize = 100_000;
    const BYTE_COUNT: usize = 200 << 20;
    const CHUNK_COUNT: usize = 1_000_000;
    for folder in ["texts", "line", "tapes"] {
        fs::create_dir(root.join(folder))?;
        fs::write(root.join(folder).join("retake.toml"), "")?;
    }
    for (name, difference) in [("left", 0), ("right", 1)] {
        let mut file = create(&root.join("texts").join(name).with_extension("json"))?;
        begin_recording(&mut file, "\n")?;
        for number in 0..LINE_COUNT {
            let value = number + if number % 20 == 0 { difference } else { 0 };
            writeln!(file, "    \"key {number}\": {value},")?;
        }
        end_recording(&mut file)?;
    }
    let mut file = create(&root.join("line/line.json"))?;
    begin_recording(&mut file, " ")?;
    let entry = |number: usize| {
        format!(
            "\"key {number:09}\": {{\"value\": 1{number:09}, \"text\": \"some words of an answer, as long as most are\"}}, "
        )
    };
    for number in 0..BYTE_COUNT / entry(0).len() {
        file.write_all(entry(number).as_bytes())?;
    }
    end_recording(&mut file)?;
    let mut file = create(&root.join("tapes/tape.json"))?;
    file.write_all(br#"{"meta": {"label": "long", "model": "m", "recordedAt": "2026-01-18T16:00:00Z"}, "request": {"model": "m", "contents": "x", "config": {}}, "stream": ["#)?;
    for number in 0..CHUNK_COUNT {
        let comma = if number == 0 { "" } else { ", " };
        write!(file, r#"{comma}{{"delayNs": 1000000, "text": "word {number} "}}"#)?;
    }
    file.write_all(b"]}")?;
    file.flush()
}

fn create(path: &Path) -> io::Result<io::BufWriter<fs::File>> {
    fs::File::create(path).map(io::BufWriter::new)
}

/// Begins a recording up to the entries of what the model was given.
fn begin_recording(file: &mut impl io::Write, end: &str) -> io::Result<()> {
    write!(
        file,
        r#"{{"request": {{"type": "llm_invocation_request", "requestId": "r", "messages": [], "tools": [], "context": {{{end}"#
    )
}

fn end_recording(file: &mut impl io::Write) -> io::Result<()> {
    file.write_all(br#""last": 0}}, "response": {"type": "llm_invocation_response", "response": {"content": [{"type": "text", "text": "Done"}], "stop_reason": "end_turn"}}}"#)?;
    file.flush()
}

/// Opens a folder of documents, which must be valid: an invalid one would be shown otherwise.
fn open(folder: &Path) -> io::Result<OpenedFolder> {
    let opened_folder = OpenedFolder::open(folder)?;
    let errors = opened_folder.workbench().core.library.count(Severity::Error);
    assert_eq!(errors, 0);
    Ok(opened_folder)
}

fn compare(folder: &Path) -> io::Result<()> {
    let mut opened_folder = open(folder)?;
    opened_folder.act(Action::Compare(DocId::new(0), DocId::new(1)));
    opened_folder.wait(is_compared);
    let middle = pos2(700.0, 500.0);
    scroll("two texts of 100,000 lines, scrolling", &mut opened_folder, middle);
    Ok(())
}

fn is_compared(workbench: &Workbench) -> bool {
    let side = workbench.core.side.as_ref();
    side.is_some_and(|side| !matches!(side.content, SideBySideContent::Working))
}

fn show_line(folder: &Path) -> io::Result<()> {
    let mut opened_folder = open(folder)?;
    let doc = DocId::new(0);
    opened_folder.act(Action::Select(doc));
    opened_folder.act(Action::ShowTab(InspectorTab::Text));
    opened_folder.wait(|workbench| workbench.core.library.document(doc).is_some());
    opened_folder.wait_for_text("some words");
    // Only the beginning of such a line is shown, so nothing moves.
    let times = pictures(&mut opened_folder, pos2(1240.0, 500.0), wheel);
    report("a JSON of 200 MB in one line", &times);
    Ok(())
}

fn play(folder: &Path) -> io::Result<()> {
    let mut opened_folder = open(folder)?;
    let doc = DocId::new(0);
    opened_folder.act(Action::Go(Desk::Tapes));
    opened_folder.act(Action::from(TapesAction::Select(doc)));
    opened_folder.wait(|workbench| workbench.tapes.prepared().is_some());
    opened_folder.act(Action::Run(Command::PlayTape));
    assert!(opened_folder.workbench().tapes.transport.is_playing());
    let times = pictures(&mut opened_folder, pos2(700.0, 500.0), Vec::new);
    assert!(opened_folder.workbench().tapes.transport.chunk().is_some());
    report("a tape of 1,000,000 chunks, playing", &times);
    let typical = times[PICTURE_COUNT / 2].as_secs_f64();
    amount("the same at 60 pictures a second", typical * 60.0, "cores", PLAYING_TARGET);
    Ok(())
}

/// Measures pictures while the text below the pointer is scrolled.
fn scroll(name: &str, opened_folder: &mut OpenedFolder, pointer: Pos2) {
    let old_texts = opened_folder.window.texts();
    let times = pictures(opened_folder, pointer, wheel);
    assert_ne!(opened_folder.window.texts(), old_texts, "{name}: nothing moved");
    report(name, &times);
}

fn wheel() -> Vec<Input> {
    vec![turn_wheel(vec2(-90.0, -90.0))]
}

/// Paints pictures with this input each; returns how long each took, the quickest first.
fn pictures(
    opened_folder: &mut OpenedFolder,
    pointer: Pos2,
    input: impl Fn() -> Vec<Input>,
) -> Vec<Duration> {
    opened_folder.picture(vec![Input::PointerMoved(pointer)]);
    let mut times: Vec<Duration> =
        (0..PICTURE_COUNT).map(|_| opened_folder.picture(input())).collect();
    times.sort_unstable();
    times
}

fn report(name: &str, times: &[Duration]) {
    amount(name, millis(times[PICTURE_COUNT * 99 / 100]), "ms", PICTURE_TARGET);
    line(
        "the typical one",
        times[PICTURE_COUNT / 2],
        ("the slowest of all", times[PICTURE_COUNT - 1]),
    );
}
