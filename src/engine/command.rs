//! Runs a command that the user has seen and started. Its output is shown as plain lines; it can be stopped with all its child processes.

mod process;
#[cfg(test)]
mod tests;

use std::io::{PipeReader, Read as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, bounded, never, select};

use self::process::Process;
use crate::event_sender::EventSender;
use crate::joined_thread::JoinedThread;
use crate::run::{CancelOnDrop, TaskContext, spawn_guarded};
use document::text::visible;
use play::run_log::without_escapes;
use protocol::{CommandEnd, EngineEvent, RunCommand, TerminalEvent};

/// Time in which a command must end after the request to terminate, before it is killed.
const TERMINATE_TIMEOUT: Duration = Duration::from_secs(3);
/// Wait for the remaining output of a killed command: a detached child process may keep the pipe open forever.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(1);
/// Interval at which the process is polled after its output has ended, or after a stop was requested.
const POLL_INTERVAL: Duration = Duration::from_millis(10);
/// Shown in place of a tab.
const TAB_SPACES: &str = "    ";
/// A longer line is shown as several.
// Without a limit, a program that writes no line end would fill the memory.
const MAX_LINE_BYTES: usize = 16 * 1024;
/// The most bytes that are read at once.
const CHUNK_BYTES: usize = 64 * 1024;
/// The most chunks in the channel; the command waits when it is full.
const MAX_CHUNKS: usize = 16;

/// Handle of the running command, if there is one. Dropping it stops the command and waits for its end.
#[derive(Default)]
pub(super) struct CommandHandle {
    /// Set once results are no longer received.
    _closing: CancelOnDrop,
    /// Dropped to stop the command.
    stop: Option<Sender<()>>,
    _thread: JoinedThread,
}

impl CommandHandle {
    fn start(command: CommandToRun, title: String, sender: EventSender) -> std::io::Result<Self> {
        // Nothing is ever sent: dropping `stop` disconnects the channel, which is the request to stop.
        let (stop, stop_receiver) = bounded(0);
        let closing = CancelOnDrop::default();
        let cancel = Arc::clone(&closing.0);
        let send = move |event| {
            sender.send(event, &cancel);
        };
        let (request, to_window) = (command.request.clone(), send.clone());
        let fail = move |reason| to_window(failed(&request, reason));
        let thread = spawn_guarded("command", title, fail, move || {
            let run = command.request.run;
            let report = |event| send(EngineEvent::Terminal(run, event));
            report(run_to_end(&command, stop_receiver, &report));
        })?;
        Ok(Self { _closing: closing, stop: Some(stop), _thread: thread.into() })
    }

    /// Stops the command and its child processes: terminates it, then kills it after the grace period.
    pub(super) fn stop(&mut self) {
        self.stop = None;
    }
}

/// A request to run a command, with the place where it runs.
struct CommandToRun {
    request: RunCommand,
    folder: PathBuf,
    grace: Duration,
}

/// Runs a command in the project's folder. The workbench ensures that only one runs at a time.
pub(super) fn execute(request: &RunCommand, running: &mut CommandHandle, context: &TaskContext) {
    let root = context.project.as_ref().and_then(|project| project.root());
    let handle = root.ok_or_else(|| "nothing is open".to_owned()).and_then(|root| {
        let command = CommandToRun {
            request: request.clone(),
            folder: root.path().to_owned(),
            grace: TERMINATE_TIMEOUT,
        };
        let (description, sender) = (context.description.clone(), context.sender.clone());
        let handle = CommandHandle::start(command, description, sender);
        handle.map_err(|error| error.to_string())
    });
    match handle {
        Ok(handle) => *running = handle,
        Err(reason) => {
            let event = TerminalEvent::Ended(CommandEnd::NotStarted(reason));
            context.sender.try_send(EngineEvent::Terminal(request.run, event));
        }
    }
}

pub(super) fn failed(request: &RunCommand, reason: String) -> EngineEvent {
    let event = TerminalEvent::Ended(CommandEnd::Unknown(reason));
    EngineEvent::Terminal(request.run, event)
}

/// Runs a command to its end. Sending an event may block.
fn run_to_end(
    command: &CommandToRun,
    stop: Receiver<()>,
    report: &dyn Fn(TerminalEvent),
) -> TerminalEvent {
    let ending = match Process::start(&command.request.command, &command.folder) {
        Err(error) => CommandEnd::NotStarted(error.to_string()),
        Ok((mut process, output)) => match read_pipe(output) {
            Ok(chunks) => CommandMonitor::new(process, report).run(chunks, stop, command.grace),
            Err(error) => {
                // Without a reader the pipe fills up, and the command would wait for it forever.
                process.kill();
                CommandEnd::NotStarted(error.to_string())
            }
        },
    };
    TerminalEvent::Ended(ending)
}

/// Reads a pipe on a separate thread, which ends when the pipe or the channel is closed.
fn read_pipe(mut output: PipeReader) -> std::io::Result<Receiver<Vec<u8>>> {
    let (sender, chunks) = bounded(MAX_CHUNKS);
    let to_screen = sender.clone();
    let fail = move |reason: String| drop(to_screen.send(reason.into_bytes()));
    let description = "reading the output".to_owned();
    spawn_guarded("command output", description, fail, move || {
        let mut buffer = vec![0; CHUNK_BYTES];
        while let Ok(count @ 1..) = output.read(&mut buffer) {
            if sender.send(buffer[..count].to_vec()).is_err() {
                break;
            }
        }
    })?;
    Ok(chunks)
}

/// Follows a command until it has ended.
struct CommandMonitor<'a> {
    process: Process,
    /// The beginning of a line.
    partial: Vec<u8>,
    report: &'a dyn Fn(TerminalEvent),
    /// Progress of stopping the command.
    stopping: StopState,
}

/// Progress of stopping a command.
#[derive(Clone, Copy, PartialEq, Eq)]
enum StopState {
    /// Stopping was not requested.
    No,
    /// Termination was requested; it will be killed at this time.
    Requested(Instant),
    /// It was killed. Its remaining output is read until this time.
    Killed(Instant),
}

impl Drop for CommandMonitor<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            // Without this, the command would go on unseen.
            self.process.kill();
        }
    }
}

impl<'a> CommandMonitor<'a> {
    fn new(process: Process, report: &'a dyn Fn(TerminalEvent)) -> Self {
        Self { process, partial: Vec::new(), report, stopping: StopState::No }
    }

    /// Runs until the output has ended and the shell has exited.
    fn run(
        mut self,
        mut chunks: Receiver<Vec<u8>>,
        mut stop_receiver: Receiver<()>,
        grace: Duration,
    ) -> CommandEnd {
        let mut has_ended = false;
        loop {
            let is_ending = has_ended || self.stopping != StopState::No;
            // No channel reports that a process has exited; until its output ends, the channels wake the loop anyway.
            let poll_interval = if is_ending { POLL_INTERVAL } else { TERMINATE_TIMEOUT };
            select! {
                recv(chunks) -> chunk => match chunk {
                    Ok(bytes) => self.report_output(&bytes),
                    // A disconnected channel is always ready and would make this loop spin.
                    Err(_) => (chunks, has_ended) = (never(), true),
                },
                recv(stop_receiver) -> _ => {
                    stop_receiver = never();
                    self.process.terminate();
                    self.stopping = StopState::Requested(Instant::now() + grace);
                }
                default(poll_interval) => {}
            }
            let now = Instant::now();
            match self.stopping {
                StopState::Requested(until) if now >= until => {
                    self.process.kill();
                    self.stopping = StopState::Killed(now + DRAIN_TIMEOUT);
                }
                StopState::Killed(until) if now >= until => break,
                _ => {}
            }
            if has_ended && self.process.is_over() {
                break;
            }
        }
        self.wait_for_end()
    }

    /// Reports the lines that are complete.
    fn report_output(&mut self, bytes: &[u8]) {
        self.partial.extend_from_slice(bytes);
        let complete_bytes = self.partial.iter().rposition(|byte| *byte == b'\n').map(|i| i + 1);
        let is_long = self.partial.len() > MAX_LINE_BYTES;
        self.report_lines(complete_bytes.unwrap_or(if is_long { self.partial.len() } else { 0 }));
    }

    fn report_lines(&mut self, bytes: usize) {
        let rest = self.partial.split_off(bytes);
        let lines = plain_lines(&std::mem::replace(&mut self.partial, rest));
        if !lines.is_empty() {
            (self.report)(TerminalEvent::Output(lines));
        }
    }

    fn wait_for_end(mut self) -> CommandEnd {
        self.report_lines(self.partial.len());
        if self.stopping != StopState::No {
            // Child processes may have closed their output and kept running.
            self.process.kill();
        }
        match (self.process.end(), self.stopping) {
            // The status of a stopped command reports only Retake's own signal.
            (_, StopState::Requested(_) | StopState::Killed(_)) => CommandEnd::Stopped,
            (Ok(ending), StopState::No) => ending,
            (Err(error), StopState::No) => CommandEnd::Unknown(error.to_string()),
        }
    }
}

/// Returns the lines of output without colours, with hidden characters made visible. Of a line that was written over, as
/// progress bars are, the last state remains.
fn plain_lines(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    let lines = text.lines().map(|line| {
        let mut states = line.rsplit('\r').map(without_escapes);
        let state = states.find(|state| !state.is_empty()).unwrap_or_default();
        // Tabs first, since `visible` would show them as `\t`.
        visible(&state.replace('\t', TAB_SPACES)).into_owned()
    });
    lines.collect()
}
