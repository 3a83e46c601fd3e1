//! `retake serve`: a local server that answers model API calls from tapes and recordings.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use crossbeam_channel::{Receiver, select, unbounded};
use schemars::JsonSchema;
use serde::Serialize;

use super::{ListenArgs, LogOutput, clock, served};
use crate::common::{ColorOption, FolderOptions, one_of};
use crate::matching::MODES;
use crate::output::{OutputStyle, shown};
use crate::play::speed;
use crate::{
    CommandError, CommandResult, CommandVerdict, print_stderr, report_error, report_ignored,
};
use calls::tape::playback::{Speed, TapePlayback};
use calls::tape::verify::Strictness;
use document::text::{count, some};
use engine::live::{
    CassetteRules, DriftLog, Fixtures, LocalServer, ServeOptions, listen_for_interrupts, serve,
};
use play::live::log::{CallLog, LogRow as _};
use play::live::serve::{Fallback, ServeRules, ServedCall};
use play::playback::PlaybackMode;

/// Serve tapes, recordings and the calls of HTTP archives and cassettes to real clients over the model APIs.
///
/// Set the client's base URL to the address of this command. Anthropic's messages, OpenAI's chat completions and responses,
/// and Gemini's generateContent and streamGenerateContent are answered chunk by chunk at the recorded times, with the
/// recorded tool calls, stalls and errors.
///
/// A tape answers the request it was recorded with. If no tape matches, recordings answer as a set, as in `retake match`; the
/// calls of an HTTP archive (HAR) are a set of their own, without those that failed. A cassette is played by the rules of the client
/// that owns it, such as vcrpy, except for scheme, host and port; a call of it that failed is served with its status and body. A call
/// without a match gets an error that
/// names the nearest ones; with --next, it gets the next tape instead. The log has a line for each call: what was served, why,
/// and how the request differed. The command runs until it is stopped.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  retake serve tapes/ --strict\n  retake serve tapes/slow-start.json --speed 10 --next\n  \
                  retake serve fixtures/triage --mode signature --json\n  \
                  retake serve tests/cassettes --watch-drift requests.jsonl\n\n\
                  Then, for example: ANTHROPIC_BASE_URL=http://127.0.0.1:8020 npm test"
)]
pub(crate) struct ServeArgs {
    /// Tapes and HTTP archives, and folders of tapes, recordings and archives.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// The address to listen on; port 0 selects a free port.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8020")]
    listen: SocketAddr,
    #[command(flatten)]
    place: ListenArgs,
    /// The playback speed, from 0.1 to 100.
    #[arg(long, value_name = "FACTOR", default_value = "1", value_parser = speed, conflicts_with = "instant")]
    speed: f64,
    /// Send all chunks without delay.
    #[arg(long)]
    instant: bool,
    /// Compare requests as the player of such tapes does; this is the default.
    #[arg(long, conflicts_with = "loose")]
    strict: bool,
    /// Ignore ids and dates when comparing requests.
    #[arg(long)]
    loose: bool,
    /// If nothing matches, serve the next tape in order.
    #[arg(long)]
    next: bool,
    /// How recordings are chosen.
    #[arg(long, value_name = "MODE", default_value = "hybrid", value_parser = one_of(MODES))]
    mode: PlaybackMode,
    /// What the clients of cassettes compare, such as method,path,body [default: as the project says, else the client's default].
    #[arg(long, value_name = "MATCHERS", value_delimiter = ',')]
    match_on: Vec<Box<str>>,
    /// Let the clients of cassettes play a call repeatedly.
    #[arg(long)]
    allow_repeats: bool,
    /// Log all requests to this file, for `retake drift`.
    #[arg(long, value_name = "FILE")]
    watch_drift: Option<PathBuf>,
    /// Print JSON, one line for each call.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    within: FolderOptions,
    #[command(flatten)]
    look: ColorOption,
}

pub(crate) fn run(args: &ServeArgs) -> CommandResult {
    let bounds = args.within.bounds();
    let mut fixtures = Fixtures::read(&args.paths, bounds, args.options())?;
    fixtures.faults.iter().for_each(|fault| report_error(fault));
    let counts = ServedCounts {
        tapes: fixtures.tapes,
        sets: fixtures.sets.iter().map(|(path, _)| shown(path).into_owned()).collect(),
        recordings: fixtures.sets.iter().map(|(_, count)| count).sum(),
    };
    report_ignored(fixtures.ignored, counts.is_nothing())?;
    if counts.is_nothing() {
        return Err("No tapes and no recordings to serve".into());
    }
    fixtures.faults.clear();
    if let Some(path) = &args.watch_drift {
        let log = DriftLog::create(path, args.within.root()).map_err(CommandError)?;
        fixtures.drift_log = Some(Arc::new(log));
    }
    let drift_log = fixtures.drift_log.clone();
    let (sender, rows) = unbounded();
    // Each call is assembled on its own thread, so that its single chunks do not wake the thread that writes the log.
    let calls = Mutex::new(CallLog::<ServedCall>::default());
    let listener = Arc::new(move |event| {
        // A panic in one call must not end the log of the others.
        let mut calls = calls.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(row) = calls.note(event) {
            // The reader of the log may have exited; calls are still served.
            let _ = sender.send(row);
        }
    });
    let listen_options = args.place.listen(args.listen);
    // Before the start of the server, so that an interrupt right after it is handled.
    let interrupts = listen_for_interrupts()?;
    let host = serve::start(fixtures, listen_options, listener)
        .map_err(|fault| CommandError(fault.to_string()))?;
    let mut log = LogOutput::new(args.look.color, args.json)?;
    write_log(args, &host, &counts, &mut log, (&rows, &interrupts))?;
    log.finish()?;
    if let Some(reason) = drift_log.and_then(|log| log.take_fault()) {
        report_error(&reason);
        return Ok(CommandVerdict::Incomplete);
    }
    Ok(CommandVerdict::Passed)
}

/// Writes the log until the command is stopped.
fn write_log(
    arguments: &ServeArgs,
    host: &LocalServer,
    counts: &ServedCounts,
    log: &mut LogOutput,
    (rows, interrupts): (&Receiver<ServedCall>, &Receiver<()>),
) -> CommandResult<()> {
    let address = host.address;
    if arguments.json {
        log.write(|output| {
            output.document(&ServeListening {
                event: "listening",
                address: address.to_string(),
                tapes: counts.tapes,
                recordings: counts.recordings,
            })
        })?;
    } else {
        print_stderr(&format!("Serving {} at http://{address}", counts.describe()));
    }
    loop {
        select! {
            recv(rows) -> row => {
                let Ok(row) = row else { return Ok(()) };
                log.write(|output| if arguments.json { output.json(&served::json(&row)) } else {
                    let time = output.styled(OutputStyle::Quiet, &clock(row.began.at)).into_owned();
                    output.line(&format!("{time} {}", shown(&row.describe())))
                })?;
            }
            recv(interrupts) -> _ => return Ok(()),
        }
    }
}

/// Number of folders and files that the first line names.
const MAX_NAMED_SETS: usize = 3;

/// The served files.
struct ServedCounts {
    tapes: usize,
    /// The folders and files of the recordings.
    sets: Vec<String>,
    recordings: usize,
}

impl ServedCounts {
    fn is_nothing(&self) -> bool {
        self.tapes + self.recordings == 0
    }

    fn describe(&self) -> String {
        let tapes = (self.tapes > 0).then(|| count(self.tapes, "tape"));
        let recordings = (self.recordings > 0).then(|| {
            let recordings = count(self.recordings, "recording");
            format!("{recordings} from {}", some(&self.sets, MAX_NAMED_SETS))
        });
        tapes.into_iter().chain(recordings).collect::<Vec<_>>().join(" and ")
    }
}

impl ServeArgs {
    fn options(&self) -> ServeOptions {
        let rules = ServeRules {
            tapes: if self.loose { Strictness::Loose } else { Strictness::Strict },
            mode: self.mode,
            fallback: if self.next { Fallback::Next } else { Fallback::Refuse },
        };
        let playback = TapePlayback {
            speed: if self.instant { Speed::Instant } else { Speed::Times(self.speed) },
            ..TapePlayback::default()
        };
        let cassettes =
            CassetteRules { matchers: self.match_on.clone(), repeats: self.allow_repeats };
        ServeOptions { rules, playback, cassettes }
    }
}

/// The first line of the log, as JSON.
#[derive(Serialize, JsonSchema)]
struct ServeListening {
    event: &'static str,
    address: String,
    tapes: usize,
    recordings: usize,
}
