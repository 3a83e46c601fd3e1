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
use super::outlet::Outlet;
use super::runner::Engine;
use crate::workbench::{Ending, Event, RunId, TerminalEvent};

/// The shortest time between two reports of output.
const TELL_EVERY: Duration = Duration::from_millis(50);
/// The time between two reports of the elapsed time.
const COUNT_EVERY: Duration = Duration::from_secs(1);
/// How long a command may take to end after the request to terminate, before it is killed.
const GRACE: Duration = Duration::from_secs(3);
/// How long to wait for the remaining output of a killed command: a detached child process may keep the pipe open for ever.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// How often the process is polled after its output has ended.
const LOOK_EVERY: Duration = Duration::from_millis(10);
/// The most bytes that are read at once.
const CHUNK: usize = 64 * 1024;
/// The most chunks in the channel; the command waits when it is full.
const CHUNKS: usize = 16;

/// Handle of the running command, if there is one. Dropping it stops the command and waits for its end.
#[derive(Default)]
pub(super) struct Running {
    /// Dropped to stop the command.
    stop: Option<Sender<()>>,
    /// True once results are no longer received.
    closing: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    fn start(order: Order, sender: Outlet) -> std::io::Result<Self> {
        let (stop, stopped) = bounded(0);
        let closing = Arc::new(AtomicBool::new(false));
        let closed = Arc::clone(&closing);
        let thread = thread::Builder::new().name("retake command".into());
        let thread = thread.spawn(move || {
            let run = order.run;
            let ended = carry_out(&order, stopped, &|event| {
                sender.send(Event::Terminal(run, event), &closed);
            });
            sender.send(Event::Terminal(run, ended), &closed);
        })?;
        Ok(Self {
            stop: Some(stop),
            closing,
            thread: Some(thread),
        })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.closing.store(true, Ordering::Relaxed);
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A command to run.
struct Order {
    run: RunId,
    command: String,
    folder: PathBuf,
    grace: Duration,
}

impl Engine {
    /// Runs a command in the project's folder; its events carry the number of the run. The workbench ensures
    /// that only one runs at a time.
    pub fn run_command(&mut self, run: RunId, command: String) {
        let folder = self.project.as_ref().and_then(|project| project.root());
        let Some(folder) = folder.map(|root| root.path().to_owned()) else {
            return self.not_run(run, "nothing is open".to_owned());
        };
        let order = Order {
            run,
            command,
            folder,
            grace: GRACE,
        };
        match Running::start(order, self.outlet.clone()) {
            Ok(running) => self.running = running,
            Err(error) => self.not_run(run, error.to_string()),
        }
    }

    fn not_run(&self, run: RunId, reason: String) {
        let ended = TerminalEvent::Ended(Ending::NotStarted(reason), Duration::ZERO);
        self.send(Event::Terminal(run, ended));
    }

    /// Stops the running command and its child processes: terminates it, then kills it after the grace period.
    pub fn stop_command(&mut self) {
        self.running.stop = None;
    }
}

/// Runs a command to its end. Sending an event may block.
fn carry_out(
    order: &Order,
    stopped: Receiver<()>,
    report: &dyn Fn(TerminalEvent),
) -> TerminalEvent {
    let began = Instant::now();
    let ending = match Process::start(&order.command, &order.folder) {
        Err(error) => Ending::NotStarted(error.to_string()),
        Ok((mut process, output)) => match listen(output) {
            Ok(chunks) => {
                Follower::new(process, began, report).follow(chunks, stopped, order.grace)
            }
            Err(error) => {
                process.kill();
                Ending::NotStarted(error.to_string())
            }
        },
    };
    TerminalEvent::Ended(ending, began.elapsed())
}

/// Reads a pipe on a separate thread, which ends when the pipe or the channel is closed.
fn listen(mut output: PipeReader) -> std::io::Result<Receiver<Vec<u8>>> {
    let (sender, chunks) = bounded(CHUNKS);
    let thread = thread::Builder::new().name("retake command output".into());
    thread.spawn(move || {
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
struct Follower<'a> {
    process: Process,
    screen: Screen,
    began: Instant,
    tell: &'a dyn Fn(TerminalEvent),
    /// When progress was last reported.
    told: Instant,
    /// How far stopping the command has come.
    stopping: Stopping,
}

/// How far stopping a command has come.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stopping {
    /// Stopping was not requested.
    No,
    /// Termination was requested; it will be killed at this time.
    Asked(Instant),
    /// It was killed. Its remaining output is read until this time.
    Killed(Instant),
}

impl<'a> Follower<'a> {
    fn new(process: Process, began: Instant, report: &'a dyn Fn(TerminalEvent)) -> Self {
        Self {
            process,
            screen: Screen::default(),
            began,
            tell: report,
            told: began,
            stopping: Stopping::No,
        }
    }

    /// Runs until the output has ended and the shell has exited.
    fn follow(
        mut self,
        mut chunks: Receiver<Vec<u8>>,
        mut stopped: Receiver<()>,
        grace: Duration,
    ) -> Ending {
        let mut look_every = TELL_EVERY;
        loop {
            select! {
                recv(chunks) -> chunk => match chunk {
                    Ok(bytes) => self.screen.feed(&bytes),
                    Err(_) => (chunks, look_every) = (never(), LOOK_EVERY),
                },
                recv(stopped) -> _ => {
                    stopped = never();
                    self.process.terminate();
                    self.stopping = Stopping::Asked(Instant::now() + grace);
                }
                default(look_every) => {}
            }
            let now = Instant::now();
            self.tell(now);
            match self.stopping {
                Stopping::Asked(until) if now >= until => {
                    self.process.kill();
                    self.stopping = Stopping::Killed(now + LAST_WORDS);
                }
                Stopping::Killed(until) if now >= until => break,
                _ => {}
            }
            if look_every == LOOK_EVERY && self.process.is_over() {
                break;
            }
        }
        self.end()
    }

    /// Reports new output and the elapsed time.
    fn tell(&mut self, now: Instant) {
        let since = now - self.told;
        if since < TELL_EVERY {
            return;
        }
        let more = self.screen.more();
        if more.is_some() || since >= COUNT_EVERY {
            self.told = now;
            let elapsed = now - self.began;
            (self.tell)(TerminalEvent::Said(more.unwrap_or_default(), elapsed));
        }
    }

    fn end(mut self) -> Ending {
        self.screen.end();
        if let Some(more) = self.screen.more() {
            (self.tell)(TerminalEvent::Said(more, self.began.elapsed()));
        }
        if self.stopping != Stopping::No {
            // Child processes may have closed their output and kept running.
            self.process.kill();
        }
        match (self.process.end(), self.stopping) {
            (_, Stopping::Asked(_) | Stopping::Killed(_)) => Ending::Stopped,
            (Ok(ending), Stopping::No) => ending,
            (Err(error), Stopping::No) => Ending::Unknown(error.to_string()),
        }
    }
}
