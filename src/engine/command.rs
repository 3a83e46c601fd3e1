//! Runs a command that the user has seen and started. Its output is shown live; it can be stopped with all its child processes.

mod process;
mod screen;
#[cfg(test)]
mod tests;

use std::io::{PipeReader, Read as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, bounded, never, select};

use self::process::Process;
use self::screen::Screen;
use crate::engine::event_sender::EventSender;
use crate::engine::run::{Control, TaskContext, spawn_guarded};
use crate::workbench::{CommandEnd, EngineEvent, RunCommand, TaskRequest as _, TerminalEvent};

/// The shortest time between two reports of output.
const REPORT_INTERVAL: Duration = Duration::from_millis(50);
/// The time between two reports of the elapsed time.
const ELAPSED_INTERVAL: Duration = Duration::from_secs(1);
/// How long a command may take to end after the request to terminate, before it is killed.
const GRACE: Duration = Duration::from_secs(3);
/// How long to wait for the remaining output of a killed command: a detached child process may keep the pipe open forever.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(1);
/// How often the process is polled after its output has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(10);
/// The most bytes that are read at once.
const CHUNK: usize = 64 * 1024;
/// The most chunks in the channel; the command waits when it is full.
const CHUNKS: usize = 16;

/// Handle of the running command, if there is one. Dropping it stops the command and waits for its end.
#[derive(Default)]
pub(super) struct CommandHandle {
    /// Dropped to stop the command.
    stop: Option<Sender<()>>,
    /// True once results are no longer received.
    closing: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl CommandHandle {
    fn start(command: CommandToRun, sender: EventSender) -> std::io::Result<Self> {
        let (stop, stopped) = bounded(0);
        let closing = Arc::new(AtomicBool::new(false));
        let closed = Arc::clone(&closing);
        let send = move |event| {
            sender.send(event, &closed);
        };
        let request = command.request.clone();
        let (description, to_window) = (request.describe(), send.clone());
        let fail = move |reason| to_window(request.fail(reason));
        let thread = spawn_guarded("command", description, fail, move || {
            let run = command.request.run;
            let report = |event| send(EngineEvent::Terminal(run, event));
            report(run_to_end(&command, stopped, &report));
        })?;
        Ok(Self { stop: Some(stop), closing, thread: Some(thread) })
    }
}

impl Drop for CommandHandle {
    fn drop(&mut self) {
        self.closing.store(true, Ordering::Relaxed);
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A request to run a command, with the place where it runs.
struct CommandToRun {
    request: RunCommand,
    folder: PathBuf,
    grace: Duration,
}

impl Control for RunCommand {
    type Running = CommandHandle;

    /// Runs it in the project's folder. The workbench ensures that only one runs at a time.
    fn execute(&self, running: &mut CommandHandle, context: &TaskContext) {
        let folder = context.project.as_ref().and_then(|project| project.root());
        let folder = folder.ok_or_else(|| "nothing is open".to_owned());
        let started = folder.and_then(|root| {
            let command = CommandToRun {
                request: self.clone(),
                folder: root.path().to_owned(),
                grace: GRACE,
            };
            let started = CommandHandle::start(command, context.sender.clone());
            started.map_err(|error| error.to_string())
        });
        match started {
            Ok(started) => *running = started,
            Err(reason) => {
                let ended = TerminalEvent::Ended(CommandEnd::NotStarted(reason), Duration::ZERO);
                context.sender.try_send(EngineEvent::Terminal(self.run, ended));
            }
        }
    }

    /// Stops the command and its child processes: terminates it, then kills it after the grace period.
    fn cancel(running: &mut CommandHandle) {
        running.stop = None;
    }

    fn fail(&self, reason: String) -> EngineEvent {
        let ended = TerminalEvent::Ended(CommandEnd::Unknown(reason), Duration::ZERO);
        EngineEvent::Terminal(self.run, ended)
    }
}

/// Runs a command to its end. Sending an event may block.
fn run_to_end(
    command: &CommandToRun,
    stopped: Receiver<()>,
    report: &dyn Fn(TerminalEvent),
) -> TerminalEvent {
    let began = Instant::now();
    let ending = match Process::start(&command.request.command, &command.folder) {
        Err(error) => CommandEnd::NotStarted(error.to_string()),
        Ok((mut process, output)) => match read_pipe(output) {
            Ok(chunks) => {
                CommandMonitor::new(process, began, report).run(chunks, stopped, command.grace)
            }
            Err(error) => {
                process.kill();
                CommandEnd::NotStarted(error.to_string())
            }
        },
    };
    TerminalEvent::Ended(ending, began.elapsed())
}

/// Reads a pipe on a separate thread, which ends when the pipe or the channel is closed.
fn read_pipe(mut output: PipeReader) -> std::io::Result<Receiver<Vec<u8>>> {
    let (sender, chunks) = bounded(CHUNKS);
    let to_screen = sender.clone();
    let fail = move |reason: String| drop(to_screen.send(reason.into_bytes()));
    let description = "reading the output".to_owned();
    spawn_guarded("command output", description, fail, move || {
        let mut buffer = vec![0; CHUNK];
        while let Ok(read @ 1..) = output.read(&mut buffer) {
            if sender.send(buffer[..read].to_vec()).is_err() {
                break;
            }
        }
    })?;
    Ok(chunks)
}

/// Follows a command until it has ended.
struct CommandMonitor<'a> {
    process: Process,
    screen: Screen,
    started_at: Instant,
    report: &'a dyn Fn(TerminalEvent),
    /// When progress was last reported.
    last_report: Instant,
    /// How far stopping the command has come.
    stopping: StopState,
}

/// How far stopping a command has come.
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
    fn new(process: Process, began: Instant, report: &'a dyn Fn(TerminalEvent)) -> Self {
        Self {
            process,
            screen: Screen::default(),
            started_at: began,
            report,
            last_report: began,
            stopping: StopState::No,
        }
    }

    /// Runs until the output has ended and the shell has exited.
    fn run(
        mut self,
        mut chunks: Receiver<Vec<u8>>,
        mut stopped: Receiver<()>,
        grace: Duration,
    ) -> CommandEnd {
        let mut look_every = REPORT_INTERVAL;
        loop {
            select! {
                recv(chunks) -> chunk => match chunk {
                    Ok(bytes) => self.screen.feed(&bytes),
                    Err(_) => (chunks, look_every) = (never(), POLL_INTERVAL),
                },
                recv(stopped) -> _ => {
                    stopped = never();
                    self.process.terminate();
                    self.stopping = StopState::Requested(Instant::now() + grace);
                }
                default(look_every) => {}
            }
            let now = Instant::now();
            self.report_progress(now);
            match self.stopping {
                StopState::Requested(until) if now >= until => {
                    self.process.kill();
                    self.stopping = StopState::Killed(now + DRAIN_TIMEOUT);
                }
                StopState::Killed(until) if now >= until => break,
                _ => {}
            }
            if look_every == POLL_INTERVAL && self.process.is_over() {
                break;
            }
        }
        self.wait_for_end()
    }

    /// Reports new output and the elapsed time.
    fn report_progress(&mut self, now: Instant) {
        let since = now - self.last_report;
        if since < REPORT_INTERVAL {
            return;
        }
        let more = self.screen.take_update();
        if more.is_some() || since >= ELAPSED_INTERVAL {
            self.last_report = now;
            let elapsed = now - self.started_at;
            (self.report)(TerminalEvent::Output(more.unwrap_or_default(), elapsed));
        }
    }

    fn wait_for_end(mut self) -> CommandEnd {
        self.screen.end();
        if let Some(more) = self.screen.take_update() {
            (self.report)(TerminalEvent::Output(more, self.started_at.elapsed()));
        }
        if self.stopping != StopState::No {
            // Child processes may have closed their output and kept running.
            self.process.kill();
        }
        match (self.process.end(), self.stopping) {
            (_, StopState::Requested(_) | StopState::Killed(_)) => CommandEnd::Stopped,
            (Ok(ending), StopState::No) => ending,
            (Err(error), StopState::No) => CommandEnd::Unknown(error.to_string()),
        }
    }
}
