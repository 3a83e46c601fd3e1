//! Pictures of large documents: two long texts side by side, a long line, and a long tape that is played.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::time::Duration;

use egui::{Event as Input, Modifiers, MouseWheelSource, MouseWheelUnit, TouchPhase, pos2, vec2};
use retake::workbench::{
    Action, Command, Desk, DocId, InspectorTab, SideBySideContent, TapesAction, Workbench,
};

use crate::corpus::stored;
use crate::opened_folder::OpenedFolder;
use crate::{Target, amount, heading, line, millis};

/// How many pictures are painted of each document; of every hundred, the slowest is left out.
const PICTURES: usize = 300;
/// What a picture may take, in milliseconds.
const PICTURE: Target = Target::new(6.0, 4.0);
/// What a tape may take of a processor while it is played at 60 pictures a second.
const PLAYING: Target = Target::new(0.3, 0.2);

pub(crate) fn measure() -> io::Result<()> {
    heading("pictures of large documents, p99");
    let folder = stored("documents", write_documents)?;
    compare(&folder.join("texts"))?;
    scroll_line(&folder.join("line"))?;
    play(&folder.join("tapes"))
}

/// Two recordings of a hundred thousand lines, of which one in twenty differs; one of 200 MB in one line; a tape of a million chunks.
fn write_documents(root: &Path) -> io::Result<()> {
    const LINES: usize = 100_000;
    const BYTES: usize = 200 << 20;
    const CHUNKS: usize = 1_000_000;
    for folder in ["texts", "line", "tapes"] {
        fs::create_dir(root.join(folder))?;
        fs::write(root.join(folder).join("retake.toml"), "")?;
    }
    for (name, other) in [("left", 0), ("right", 1)] {
        let mut file = create(&root.join("texts").join(name).with_extension("json"))?;
        begin_recording(&mut file, "\n")?;
        for number in 0..LINES {
            let value = number + if number % 20 == 0 { other } else { 0 };
            writeln!(file, "    \"key {number}\": {value},")?;
        }
        end_recording(&mut file)?;
    }
    let mut file = create(&root.join("line/line.json"))?;
    begin_recording(&mut file, " ")?;
    let entry = |number: usize| {
        format!("\"key {number:09}\": {{\"value\": {number:09}, \"text\": \"some words\"}}, ")
    };
    for number in 0..BYTES / entry(0).len() {
        file.write_all(entry(number).as_bytes())?;
    }
    end_recording(&mut file)?;
    let mut file = create(&root.join("tapes/tape.json"))?;
    file.write_all(br#"{"request": {"model": "m", "contents": "x", "config": {}}, "stream": ["#)?;
    for number in 0..CHUNKS {
        let comma = if number == 0 { "" } else { ", " };
        write!(
            file,
            r#"{comma}{{"delayNs": 1000000, "text": "word {number} "}}"#
        )?;
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

fn compare(folder: &Path) -> io::Result<()> {
    let mut opened = OpenedFolder::open(folder)?;
    opened.act(Action::Compare(DocId::new(0), DocId::new(1)));
    opened.wait(is_compared);
    scroll("two texts of 100,000 lines, scrolling", &mut opened);
    Ok(())
}

fn is_compared(workbench: &Workbench) -> bool {
    let side = workbench.core.side.as_ref();
    side.is_some_and(|side| !matches!(side.content, SideBySideContent::Working))
}

fn scroll_line(folder: &Path) -> io::Result<()> {
    let mut opened = OpenedFolder::open(folder)?;
    let doc = DocId::new(0);
    opened.act(Action::Select(doc));
    opened.act(Action::ShowTab(InspectorTab::Text));
    opened.wait(|workbench| workbench.core.library.document(doc).is_some());
    scroll("a JSON of 200 MB in one line, scrolling", &mut opened);
    Ok(())
}

fn play(folder: &Path) -> io::Result<()> {
    let mut opened = OpenedFolder::open(folder)?;
    let doc = DocId::new(0);
    opened.act(Action::Go(Desk::Tapes));
    opened.act(Action::from(TapesAction::Select(doc)));
    opened.wait(|workbench| workbench.tapes.prepared().is_some());
    opened.act(Action::Run(Command::PlayTape));
    let times = pictures(&mut opened, Vec::new);
    report("a tape of 1,000,000 chunks, playing", &times);
    let typical = times[PICTURES / 2].as_secs_f64();
    amount(
        "the same at 60 pictures a second",
        typical * 60.0,
        "cores",
        PLAYING,
    );
    Ok(())
}

/// Measures pictures while a text is scrolled, down and up again.
fn scroll(name: &str, opened: &mut OpenedFolder) {
    let mut number = 0;
    let times = pictures(opened, || {
        number += 1;
        let down = if number % PICTURES < PICTURES / 2 {
            -1.0
        } else {
            1.0
        };
        vec![Input::MouseWheel {
            source: MouseWheelSource::Wheel,
            unit: MouseWheelUnit::Point,
            delta: vec2(0.0, 90.0 * down),
            modifiers: Modifiers::NONE,
            phase: TouchPhase::Move,
        }]
    });
    report(name, &times);
}

/// Paints pictures with this input each; returns how long each took, the quickest first.
fn pictures(opened: &mut OpenedFolder, mut input: impl FnMut() -> Vec<Input>) -> Vec<Duration> {
    opened.picture(vec![Input::PointerMoved(pos2(700.0, 500.0))]);
    let mut times: Vec<Duration> = (0..PICTURES).map(|_| opened.picture(input())).collect();
    times.sort_unstable();
    times
}

fn report(name: &str, times: &[Duration]) {
    amount(name, millis(times[PICTURES * 99 / 100]), "ms", PICTURE);
    line(
        "the typical one",
        times[PICTURES / 2],
        ("the slowest of all", times[PICTURES - 1]),
    );
}
