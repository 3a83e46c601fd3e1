//! Commands that run until they are stopped.

pub(super) mod answer;
pub(super) mod record;
pub(super) mod serve;
pub(super) mod served;

use std::io;
use std::net::SocketAddr;
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};

use super::output::Output;
use super::{ColorMode, CommandError};
use crate::engine::live::{ListenOptions, ListenScope};

/// The address on which a command listens.
#[derive(Debug, clap::Args)]
struct ListenArgs {
    /// Allow addresses that other computers can reach, and accept requests with any host name and from web pages of any
    /// origin.
    #[arg(long)]
    open_to_network: bool,
}

impl ListenArgs {
    fn listen(&self, address: SocketAddr) -> ListenOptions {
        ListenOptions {
            address,
            scope: if self.open_to_network {
                ListenScope::Network
            } else {
                ListenScope::Loopback
            },
        }
    }
}

/// A log on stdout with one line for each call. If the reader closes the pipe, the command continues.
struct LogOutput {
    output: Output,
    /// To the thread that writes, so that a reader that stops reading delays neither calls nor the end.
    lines: Sender<Option<Vec<u8>>>,
    written: Receiver<io::Result<()>>,
}

/// Longest wait of the end of a command for a reader that takes no line.
const READER_TIMEOUT: Duration = Duration::from_millis(500);

impl LogOutput {
    fn new(color: ColorMode) -> io::Result<Self> {
        // The other thread keeps stdout locked.
        let output = Output::in_memory(color);
        let (lines, received) = unbounded::<Option<Vec<u8>>>();
        let (done, written) = bounded(1);
        let write = move || {
            let mut stdout = Output::new(color);
            let mut lines = received.iter().map_while(|line| line);
            lines.try_for_each(|line| stdout.raw(&line).and_then(|()| stdout.flush()))
        };
        thread::Builder::new()
            .name("retake log".into())
            .spawn(move || {
                let result = match write() {
                    Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
                    result => result,
                };
                // No one waits if the command failed.
                let _ = done.send(result);
            })?;
        Ok(Self {
            output,
            lines,
            written,
        })
    }

    fn write(
        &mut self,
        write: impl FnOnce(&mut Output) -> io::Result<()>,
    ) -> Result<(), CommandError> {
        write(&mut self.output)?;
        let line = self.output.take_bytes()?;
        match self.lines.send(Some(line)) {
            Ok(()) => Ok(()),
            // The reader closed the pipe, or a line could not be written.
            Err(_) => self
                .written
                .try_recv()
                .unwrap_or(Ok(()))
                .map_err(CommandError::from),
        }
    }

    /// Waits until all lines are written, but not for a reader that stopped reading.
    fn finish(self) -> Result<(), CommandError> {
        // A thread that ended left its result.
        let _ = self.lines.send(None);
        loop {
            let waiting = self.lines.len();
            match self.written.recv_timeout(READER_TIMEOUT) {
                Ok(result) => return result.map_err(CommandError::from),
                Err(_) if self.lines.len() < waiting => {}
                Err(_) => return Ok(()),
            }
        }
    }
}

/// A time of day for the log, in the local time zone or UTC.
fn clock(at: jiff::Timestamp) -> String {
    let zone = jiff::tz::TimeZone::try_system().unwrap_or(jiff::tz::TimeZone::UTC);
    at.to_zoned(zone).strftime("%H:%M:%S").to_string()
}
