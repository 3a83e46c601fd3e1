//! `retake record`: a local proxy between a client and a model that records each call as a tape.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use crossbeam_channel::{Receiver, select, unbounded};
use schemars::JsonSchema;
use serde::Serialize;

use super::{ListenArgs, LogOutput, clock};
use crate::common::{ColorOption, one_of};
use crate::output::{OutputStyle, shown};
use crate::{CommandError, CommandResult, CommandVerdict, open_error_message, print_stderr};
use author::fixture::FixtureTarget;
use engine::live::listen_for_interrupts;
use engine::live::record::{Recorder, RecorderOptions};
use engine::root::check_folder;
use play::live::log::{CallLog, LogRow as _};
use play::live::record::{
    self, DEFAULT_IDLE_TIMEOUT, ProxyOutcome, RecordEvent, RecordedCall, StoreResult,
};

/// Record the calls between a client and a model as tapes, as a local proxy.
///
/// Set the client's base URL to the address of this command. Both directions are forwarded byte for byte and without delay.
/// Each streamed answer of Anthropic, OpenAI or Gemini, and any other stream of server-sent events or JSON lines, becomes one
/// tape with the arrival times of its chunks. An answer that is not streamed becomes a tape with one chunk. Calls that fail,
/// break off or are cancelled are recorded and marked.
///
/// Keys are forwarded but never written: a tape contains no headers and no address, and a key of the client that a body
/// repeats is masked. A client sets the label and comment of a tape with the headers x-retake-label and x-retake-comment. The
/// command runs until it is stopped or its terminal is closed; pending calls are then recorded as far as they are received.
///
/// The model API is reached through the proxy that HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY set. SSL_CERT_FILE replaces
/// the trusted certificates.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  retake record --upstream https://generativelanguage.googleapis.com --to tapes/\n  \
                  retake record --upstream https://api.anthropic.com --to tapes --listen 0.0.0.0:8017 --open-to-network --json\n\n\
                  Then, for example: GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:8017 npm start"
)]
pub(crate) struct RecordArgs {
    /// The URL of the model API, such as https://api.anthropic.com.
    #[arg(long, value_name = "URL")]
    upstream: String,
    /// The folder for the tapes; it is created if it does not exist.
    #[arg(long, value_name = "DIR")]
    to: PathBuf,
    /// Also write the calls as a fixture of this program, one file for each label.
    #[arg(long = "as", value_name = "TARGET", value_parser = one_of(targets()))]
    fixture: Option<FixtureTarget>,
    /// The address to listen on; port 0 selects a free port.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8017")]
    listen: SocketAddr,
    #[command(flatten)]
    place: ListenArgs,
    /// The label of tapes whose client sets none.
    #[arg(long, value_name = "TEXT")]
    label: Option<String>,
    /// The comment of each tape.
    #[arg(long, value_name = "TEXT")]
    comment: Option<String>,
    /// Time out after this many seconds without data from the model. The client then gets status 504; an answer that has
    /// started breaks off, and is recorded and marked.
    #[arg(long = "patience", value_name = "SECONDS", default_value = DEFAULT_IDLE_TIMEOUT, value_parser = parse_timeout)]
    idle_timeout: Duration,
    /// Print JSON, one line for each call.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    look: ColorOption,
}

/// The programs whose fixtures hold HTTP calls.
fn targets() -> Vec<(&'static str, &'static str, FixtureTarget)> {
    let targets = FixtureTarget::ALL.iter().filter(|target| target.is_of_http());
    targets.map(|target| (target.as_str(), "", *target)).collect()
}

fn parse_timeout(text: &str) -> Result<Duration, String> {
    record::parse_idle_timeout(text)
        .ok_or_else(|| "expected a number of seconds above 0".to_owned())
}

pub(crate) fn run(arguments: &RecordArgs) -> CommandResult {
    // A folder that may not be written to is refused before the first call.
    check_folder(&arguments.to, None).map_err(|error| CommandError(open_error_message(&error)))?;
    // Unbounded, since a call must not wait for the log.
    let (sender, events) = unbounded();
    let listener = Box::new(move |event| {
        // The reader of the log may have exited; calls are still recorded.
        let _ = sender.send(event);
    });
    let setup = RecorderOptions {
        upstream: arguments.upstream.clone(),
        folder: arguments.to.clone(),
        fixture: arguments.fixture,
        label: arguments.label.clone(),
        comment: arguments.comment.clone(),
        idle_timeout: arguments.idle_timeout,
    };
    let listen_options = arguments.place.listen(arguments.listen);
    // Before the start of the recorder, so that an interrupt right after it is handled.
    let interrupts = listen_for_interrupts()?;
    let recorder = Recorder::start(setup, listen_options, listener)?;
    let mut lines = RecordLog {
        is_json: arguments.json,
        log: LogOutput::new(arguments.look.color, arguments.json)?,
        calls: CallLog::default(),
        all_kept: CommandVerdict::Passed,
    };
    lines.listening(&recorder)?;
    lines.follow(&events, &interrupts)?;
    // Ends the pending calls and closes the channel, so that the loop below ends.
    drop(recorder);
    // Calls that were pending are recorded now.
    for event in events {
        lines.note(event)?;
    }
    lines.log.finish()?;
    Ok(lines.all_kept)
}

/// The log.
struct RecordLog {
    is_json: bool,
    log: LogOutput,
    calls: CallLog<RecordedCall>,
    all_kept: CommandVerdict,
}

/// A line of the log, as JSON.
#[derive(Serialize, JsonSchema)]
pub(crate) struct RecordLogLine<'a> {
    event: &'static str,
    call: u64,
    at: String,
    api: Option<&'static str>,
    address: &'a str,
    label: Option<&'a str>,
    model: Option<&'a str>,
    tools: usize,
    messages: usize,
    status: Option<u16>,
    ended: &'static str,
    message: Option<&'a str>,
    took_ns: u64,
    tape: Option<&'a str>,
    chunks: Option<usize>,
    bytes: Option<usize>,
    notes: &'a [String],
}

#[derive(Serialize, JsonSchema)]
struct RecordListening {
    event: &'static str,
    address: String,
}

impl RecordLog {
    fn listening(&mut self, recorder: &Recorder) -> CommandResult<()> {
        let address = recorder.address().to_string();
        if !self.is_json {
            print_stderr(&format!("Recording at http://{address}"));
            return Ok(());
        }
        self.log.write(|output| output.document(&RecordListening { event: "listening", address }))
    }

    /// Writes the log until the command is stopped.
    fn follow(
        &mut self,
        events: &Receiver<RecordEvent>,
        interrupts: &Receiver<()>,
    ) -> CommandResult<()> {
        loop {
            select! {
                recv(events) -> event => match event {
                    Ok(event) => self.note(event)?,
                    Err(_) => return Ok(()),
                },
                recv(interrupts) -> _ => return Ok(()),
            }
        }
    }

    fn note(&mut self, event: RecordEvent) -> CommandResult<()> {
        let Some(call) = self.calls.note(event) else { return Ok(()) };
        if let Some(StoreResult::Failed(_)) = call.stored {
            // The client got its answer, but the recording that was wanted is missing.
            self.all_kept = CommandVerdict::Incomplete;
        }
        let is_json = self.is_json;
        self.log.write(|output| {
            if is_json {
                output.json(&json(&call))
            } else {
                let time = clock(call.began.at);
                let time = output.styled(OutputStyle::Quiet, &time);
                output.line(&format!("{time} {}", shown(&call.describe())))
            }
        })
    }
}

fn json(call: &RecordedCall) -> RecordLogLine<'_> {
    let request = call.request.as_deref();
    let (outcome_name, message) = match call.ended.as_ref().map(|(outcome, _)| outcome) {
        Some(
            outcome @ (ProxyOutcome::CutOff(reason)
            | ProxyOutcome::Unreached(_, reason)
            | ProxyOutcome::Refused(_, reason)),
        ) => (outcome.as_str(), Some(reason.as_str())),
        // Only finished calls are logged, so one without an outcome ended well.
        outcome => (outcome.map_or("done", ProxyOutcome::as_str), None),
    };
    let mut line = RecordLogLine {
        event: "call",
        call: call.number,
        at: call.began.at.to_string(),
        api: call.began.api.map(|api| api.as_str()),
        address: &call.began.address,
        label: call.began.label.as_deref(),
        model: request.and_then(|request| request.model.as_deref()),
        tools: request.map_or(0, |request| request.tools),
        messages: request.map_or(0, |request| request.messages),
        status: call.status(),
        ended: outcome_name,
        message,
        took_ns: call.ended.as_ref().map_or(0, |(_, nanos)| *nanos),
        tape: None,
        chunks: None,
        bytes: None,
        notes: &[],
    };
    match &call.stored {
        Some(StoreResult::Tape { path, bytes, chunks, notes }) => {
            line.tape = Some(path);
            (line.chunks, line.bytes) = (Some(*chunks), Some(*bytes));
            line.notes = notes;
        }
        // In place of the message of the call: the missing tape is what the user has to solve.
        Some(StoreResult::Failed(reason)) => line.message = Some(reason),
        Some(StoreResult::PassedOn | StoreResult::Refused) | None => {}
    }
    line
}
