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
const CALL_COUNT: usize = 200;
/// How many chunks each answer has.
const CHUNK_COUNT: usize = 100;
/// The number of chunks of the answer that is requested alone.
const SINGLE_CALL_CHUNKS: usize = 2_000;

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
    let many = Schedule::new("many", CHUNK_COUNT, Duration::from_millis(20));
    let single = Schedule::new("alone", SINGLE_CALL_CHUNKS, Duration::from_millis(5));
    for schedule in [&many, &single] {
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

    let floor_measures = calls(&Process::floor(&frames)?, &many, CALL_COUNT)?;
    let serve_measures = calls(&serve()?, &many, CALL_COUNT)?;
    let upstream = serve()?;
    let record_measures = calls(&record(&upstream, &folder.join("many"))?, &many, CALL_COUNT)?;
    lines("serve", &serve_measures, ("a bare server", &floor_measures));
    lines("record before serve", &record_measures, ("serve alone", &serve_measures));

    let upstream = serve()?;
    let to = folder.join("alone");
    let recorder = record(&upstream, &to)?;
    let record_measures = calls(&recorder, &single, 1)?;
    // It ends when all is written.
    drop(recorder);
    let added_delays = added(&to, &single)?;
    println!(
        "one call, {SINGLE_CALL_CHUNKS} chunks, through record: late {}",
        percentiles(&record_measures.late)
    );
    println!("delays on its tape, beside those served: off by {}", percentiles(&added_delays));
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
    let old_cpu = server.cpu();
    let answers = send_calls(server.address, schedule, count)?;
    let cpu = server.cpu() - old_cpu;
    let (mut late, mut begun) = (Vec::new(), Vec::new());
    for answer in &answers {
        assert_eq!(answer.came.len(), schedule.chunks, "each chunk arrives");
        let delays = answer.came.iter().zip(schedule.due());
        let delays = delays.map(|(arrival, due)| arrival.saturating_sub(due));
        let first = delays.clone().min().unwrap_or_default();
        late.extend(delays.map(|delay| delay - first));
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
    let mut differences: Vec<Duration> = delays
        .zip(schedule.delays())
        .map(|(recorded_delay, served_delay)| recorded_delay.abs_diff(served_delay))
        .collect();
    differences.sort_unstable();
    Ok(differences)
}

fn lines(name: &str, ours: &Measured, (reference_name, theirs): (&str, &Measured)) {
    let label = format!("{name}, late at p99");
    line(&label, at(&ours.late, 0.99), (reference_name, at(&theirs.late, 0.99)));
    line(&format!("{name}, processor"), ours.cpu, (reference_name, theirs.cpu));
    for (subject, measures) in [(name, ours), (reference_name, theirs)] {
        let (late, begun) = (percentiles(&measures.late), percentiles(&measures.begun));
        println!("  {subject}: late {late}; begun after {begun}");
    }
}

fn percentiles(times: &[Duration]) -> String {
    let [p50, p99, max] = [0.5, 0.99, 1.0].map(|share| millis(at(times, share)));
    format!("p50 {p50:.2} ms, p99 {p99:.2} ms, at most {max:.2} ms")
}

fn at(times: &[Duration], share: f64) -> Duration {
    let index = ((times.len() as f64 * share).ceil() as usize).clamp(1, times.len());
    times[index - 1]
}
