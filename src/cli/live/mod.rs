//! Commands that run until they are stopped.

pub(super) mod answer;
pub(super) mod record;
pub(super) mod serve;
pub(super) mod served;

use std::io;
use std::net::SocketAddr;
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, SendTimeoutError, Sender, TrySendError, bounded};
use serde::Serialize;

use super::output::Output;
use super::{ColorMode, CommandError, CommandResult, print_stderr};
use document::text::count;
use engine::live::{ListenOptions, ListenScope};

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
            scope: if self.open_to_network { ListenScope::Network } else { ListenScope::Loopback },
        }
    }
}

/// A log on stdout with one line for each call. If the reader closes the pipe, the command continues.
struct LogOutput {
    output: Output,
    is_json: bool,
    /// To the thread that writes, so that a reader that stops reading delays neither calls nor the end.
    lines: Sender<Option<Vec<u8>>>,
    written: Receiver<io::Result<()>>,
    /// Number of lines left out since the last one that was taken.
    missing: usize,
}

/// A line of the log in place of those that are left out, as JSON.
#[derive(Serialize)]
struct MissingLines {
    event: &'static str,
    lines: usize,
}

/// Longest wait of the end of a command for a reader that takes no line.
const READER_TIMEOUT: Duration = Duration::from_millis(500);

/// Maximum number of lines that wait for a reader. A reader that is slower than the calls for a while loses none.
const MAX_WAITING_LINES: usize = 1 << 14;

impl LogOutput {
    fn new(color: ColorMode, is_json: bool) -> io::Result<Self> {
        // The other thread keeps stdout locked.
        let output = Output::in_memory(color);
        Self::start(output, is_json, move || {
            let mut stdout = Output::new(color);
            move |line: &[u8]| stdout.raw(line).and_then(|()| stdout.flush())
        })
    }

    /// Starts the thread that writes lines with what `open` returns.
    fn start<W: FnMut(&[u8]) -> io::Result<()>>(
        output: Output,
        is_json: bool,
        open: impl FnOnce() -> W + Send + 'static,
    ) -> io::Result<Self> {
        let (lines, line_receiver) = bounded::<Option<Vec<u8>>>(MAX_WAITING_LINES);
        // Room for the result, so that the thread can end without a receiver.
        let (result_sender, results) = bounded(1);
        let write_all = move || {
            let mut write = open();
            line_receiver.iter().map_while(|line| line).try_for_each(|line| write(&line))
        };
        thread::Builder::new().name("retake log".into()).spawn(move || {
            let result = match write_all() {
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
                result => result,
            };
            // No one waits if the command failed.
            let _ = result_sender.send(result);
        })?;
        Ok(Self { output, is_json, lines, written: results, missing: 0 })
    }

    fn write(&mut self, write: impl FnOnce(&mut Output) -> io::Result<()>) -> CommandResult<()> {
        self.note_missing()?;
        write(&mut self.output)?;
        let line = self.output.take_bytes()?;
        match self.lines.try_send(Some(line)) {
            Ok(()) => {
                self.missing = 0;
                Ok(())
            }
            // A call must not wait for the log.
            Err(TrySendError::Full(_)) => {
                self.missing += 1;
                Ok(())
            }
            // The reader closed the pipe, or a line could not be written.
            Err(TrySendError::Disconnected(_)) => {
                self.written.try_recv().unwrap_or(Ok(())).map_err(CommandError::from)
            }
        }
    }

    /// Begins the next line with a note about those that are left out before it.
    fn note_missing(&mut self) -> io::Result<()> {
        let lines = self.missing;
        if lines == 0 {
            return Ok(());
        }
        if self.is_json {
            let event = "missing";
            return self.output.json(&MissingLines { event, lines });
        }
        let lines = count(lines, "line");
        self.output.line(&format!("{lines} left out here: the log was read too slowly"))
    }

    /// Waits until all lines are written, but not for a reader that stopped reading; what it did not read is reported.
    fn finish(mut self) -> CommandResult<()> {
        let missing_lines = self.missing;
        if missing_lines > 0 {
            self.note_missing()?;
            let note = self.output.take_bytes()?;
            // If the queue stays full for so long, the reader has stopped reading.
            if let Err(SendTimeoutError::Timeout(_)) =
                self.lines.send_timeout(Some(note), READER_TIMEOUT)
            {
                report_unread(self.lines.len() + 1 + missing_lines);
                return Ok(());
            }
        }
        if let Err(SendTimeoutError::Timeout(_)) = self.lines.send_timeout(None, READER_TIMEOUT) {
            report_unread(self.lines.len() + 1);
            return Ok(());
        }
        loop {
            // The end marker in the queue is counted in place of the line that is being written.
            let line_count = self.lines.len();
            match self.written.recv_timeout(READER_TIMEOUT) {
                // A thread that ended left its result.
                Ok(result) => return result.map_err(CommandError::from),
                Err(_) if self.lines.len() < line_count => {}
                Err(_) => {
                    report_unread(line_count.max(1));
                    return Ok(());
                }
            }
        }
    }
}

/// Reports on stderr that the last lines of a log were not read; does not wait for stderr, which may have the same reader.
fn report_unread(lines: usize) {
    let lines = count(lines, "line");
    let message = format!("The log is incomplete: its reader did not read the last {lines}");
    let (sender, receiver) = bounded(1);
    let print = move || {
        print_stderr(&message);
        let _ = sender.send(());
    };
    if thread::Builder::new().spawn(print).is_ok() {
        let _ = receiver.recv_timeout(READER_TIMEOUT);
    }
}

/// A time of day for the log, in the local time zone or UTC.
fn clock(time: jiff::Timestamp) -> String {
    // A container often has no time zone.
    let zone = jiff::tz::TimeZone::try_system().unwrap_or(jiff::tz::TimeZone::UTC);
    time.to_zoned(zone).strftime("%H:%M:%S").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns what is written of this many lines if the reader takes the first ones only after the others came.
    fn read_late(count: usize, is_json: bool) -> (usize, String) {
        let (start_sender, start_receiver) = bounded(0);
        let (open_sender, open_receiver) = bounded::<()>(0);
        let (line_sender, line_receiver) = crossbeam_channel::unbounded();
        let output = Output::in_memory(ColorMode::Never);
        let mut log = LogOutput::start(output, is_json, move || {
            let mut is_first = true;
            move |line: &[u8]| {
                if std::mem::take(&mut is_first) {
                    start_sender.send(()).unwrap();
                    let _ = open_receiver.recv();
                }
                line_sender.send(line.to_vec()).unwrap();
                Ok(())
            }
        })
        .unwrap();
        let line = |log: &mut LogOutput, number: usize| {
            log.write(|output| output.line(&number.to_string())).unwrap();
        };
        line(&mut log, 0);
        start_receiver.recv().unwrap();
        (1..count).for_each(|number| line(&mut log, number));
        drop(open_sender);
        log.finish().unwrap();
        let text = String::from_utf8(line_receiver.iter().flatten().collect()).unwrap();
        let mut lines = text.lines().enumerate();
        let first_other = lines.find(|(index, line)| *line != index.to_string());
        let (line_count, rest) = first_other.unwrap_or((count, ""));
        (line_count, rest.to_owned())
    }

    #[test]
    fn lines_are_written_in_order_and_those_that_find_no_room_are_counted() {
        let room = MAX_WAITING_LINES + 1;
        for (count, is_json, expected) in [
            (1, false, ""),
            (room, false, ""),
            (room + 1, false, "1 line left out here: the log was read too slowly"),
            (room + 3, false, "3 lines left out here: the log was read too slowly"),
            (room + 3, true, r#"{"event":"missing","lines":3}"#),
        ] {
            let result = read_late(count, is_json);
            assert_eq!(result, (count.min(room), expected.to_owned()), "{count}");
        }
    }

    #[test]
    fn a_reader_that_is_gone_ends_no_command_and_delays_no_end() {
        for (error, expected) in
            [(io::ErrorKind::BrokenPipe, Ok(())), (io::ErrorKind::StorageFull, Err(()))]
        {
            let output = Output::in_memory(ColorMode::Never);
            let mut log = LogOutput::start(output, false, move || {
                move |_: &[u8]| Err(io::Error::from(error))
            })
            .unwrap();
            let result = log.write(|output| output.line("call")).and_then(|()| log.finish());
            assert_eq!(result.map_err(|_| ()), expected, "{error}");
        }
    }
}
