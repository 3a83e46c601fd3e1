//! Live: how late chunks are at a client, and what that costs. Beside `retake serve`: a bare server that writes the same bytes
//! by the same schedule. Beside `retake record` before `retake serve`: `retake serve` alone.

#[path = "live/client.rs"]
mod client;
#[path = "live/floor.rs"]
mod floor;
#[path = "live/process.rs"]
mod process;

use std::io;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::{heading, line, millis};
use client::{Schedule, send_calls};
pub(crate) use floor::serve as serve_floor;
use process::Process;

/// How many calls there are at once.
const CALLS: usize = 200;
/// How many chunks each answer has.
const CHUNKS: usize = 100;
/// The number of chunks of the answer that is requested alone.
const ALONE: usize = 2_000;

/// What was measured of one server, each in order of lateness.
struct Measured {
    /// How late each chunk was on the schedule of its call, which begins when the server has read the question: as far as the
    /// client can measure, with the chunk that was least late.
    late: Vec<Duration>,
    /// How long after the question each schedule began.
    begun: Vec<Duration>,
    cpu: Duration,
}

pub(crate) fn measure() -> io::Result<()> {
    heading("200 answers of 100 chunks at once");
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    let tapes = folder.join("tapes");
    std::fs::create_dir_all(&tapes)?;
    let many = Schedule::new("many", CHUNKS, Duration::from_millis(20));
    let alone = Schedule::new("alone", ALONE, Duration::from_millis(5));
    for schedule in [&many, &alone] {
        let file = format!("{}.json", schedule.name);
        std::fs::write(tapes.join(file), schedule.tape())?;
    }
    let frames = folder.join("frames.json");
    std::fs::write(&frames, frames_of(&many, &tapes)?)?;
    let serve = || Process::retake(&["serve".as_ref(), tapes.as_ref()]);
    let record = |upstream: &Process, to: &Path| {
        let upstream = format!("http://{}", upstream.address);
        let arguments = ["record", "--upstream", &upstream, "--to"].map(AsRef::as_ref);
        Process::retake(&[&arguments[..], &[to.as_ref()]].concat())
    };

    let bare = calls(&Process::floor(&frames)?, &many, CALLS)?;
    let served = calls(&serve()?, &many, CALLS)?;
    let upstream = serve()?;
    let recorded = calls(&record(&upstream, &folder.join("many"))?, &many, CALLS)?;
    lines("serve", &served, ("a bare server", &bare));
    lines("record before serve", &recorded, ("serve alone", &served));

    let upstream = serve()?;
    let to = folder.join("alone");
    let recorder = record(&upstream, &to)?;
    let recorded = calls(&recorder, &alone, 1)?;
    // It ends when all is written.
    drop(recorder);
    let added = added(&to, &alone)?;
    println!("one call, {ALONE} chunks, through record: late {}", percentiles(&recorded.late));
    println!("delays on its tape, beside those served: off by {}", percentiles(&added));
    Ok(())
}

/// The bytes of each chunk, with its time, as `retake serve` writes them.
fn frames_of(schedule: &Schedule, tapes: &Path) -> io::Result<String> {
    let serve = Process::retake(&["serve".as_ref(), tapes.as_ref(), "--instant".as_ref()])?;
    let answers = send_calls(serve.address, schedule, 1)?;
    let frames = client::frames(&answers[0].bytes);
    let frames = schedule.due().zip(frames);
    let frames = frames.map(|(due, text)| json!({ "due": due.as_nanos() as u64, "text": text }));
    Ok(Value::from_iter(frames).to_string())
}

fn calls(server: &Process, schedule: &Schedule, count: usize) -> io::Result<Measured> {
    let before = server.cpu();
    let answers = send_calls(server.address, schedule, count)?;
    let cpu = server.cpu() - before;
    let (mut late, mut begun) = (Vec::new(), Vec::new());
    for answer in &answers {
        assert_eq!(answer.came.len(), schedule.chunks, "each chunk arrives");
        let each = answer.came.iter().zip(schedule.due());
        let each = each.map(|(came, due)| came.saturating_sub(due));
        let first = each.clone().min().unwrap_or_default();
        late.extend(each.map(|late| late - first));
        begun.push(first);
    }
    late.sort_unstable();
    begun.sort_unstable();
    Ok(Measured { late, begun, cpu })
}

/// How far each delay on the tape is from the one that was served.
fn added(folder: &Path, schedule: &Schedule) -> io::Result<Vec<Duration>> {
    let file = std::fs::read_dir(folder)?.next().ok_or(io::ErrorKind::NotFound)??;
    let tape: Value = serde_json::from_str(&std::fs::read_to_string(file.path())?)?;
    let stream = tape["stream"].as_array().ok_or(io::ErrorKind::InvalidData)?;
    assert_eq!(stream.len(), schedule.chunks, "each chunk is kept");
    let delays = stream.iter().map(|chunk| chunk["delayNs"].as_f64().unwrap_or_default());
    let delays = delays.map(|nanos| Duration::from_nanos(nanos as u64));
    let mut off: Vec<Duration> =
        delays.zip(schedule.delays()).map(|(recorded, served)| recorded.abs_diff(served)).collect();
    off.sort_unstable();
    Ok(off)
}

fn lines(name: &str, ours: &Measured, (beside, theirs): (&str, &Measured)) {
    let what = format!("{name}, late at p99");
    line(&what, at(&ours.late, 0.99), (beside, at(&theirs.late, 0.99)));
    line(&format!("{name}, processor"), ours.cpu, (beside, theirs.cpu));
    for (who, measured) in [(name, ours), (beside, theirs)] {
        let (late, begun) = (percentiles(&measured.late), percentiles(&measured.begun));
        println!("  {who}: late {late}; begun after {begun}");
    }
}

fn percentiles(sorted: &[Duration]) -> String {
    let [p50, p99, max] = [0.5, 0.99, 1.0].map(|share| millis(at(sorted, share)));
    format!("p50 {p50:.2} ms, p99 {p99:.2} ms, at most {max:.2} ms")
}

fn at(sorted: &[Duration], share: f64) -> Duration {
    let index = ((sorted.len() as f64 * share).ceil() as usize).clamp(1, sorted.len());
    sorted[index - 1]
}
