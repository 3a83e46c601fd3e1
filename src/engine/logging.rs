//! The log: what is recorded, how a line is written, and where it goes. The window writes it to a file of Retake's own, on a thread
//! of its own; the command line writes it to stderr, and only if `RETAKE_LOG` is set.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use env_filter::Filter;
use log::{Level, LevelFilter, Log, Metadata, Record};

use crate::disk::guard::lock;
use crate::disk::log_file::LogFile;
use crate::run::spawn;
use calls::secret::Mask;
use document::text::visible;

/// The environment variable with the filter, in the syntax of `RUST_LOG`.
const FILTER_VARIABLE: &str = "RETAKE_LOG";

/// Number of lines that a crash report repeats.
const MAX_RECENT_LINES: usize = 50;

/// The most bytes of a message.
const MAX_MESSAGE_BYTES: usize = 4096;

/// Time that the end of the program waits for the last lines.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(1);

static LOGGER: OnceLock<Logger> = OnceLock::new();

/// Receives every record of an error, whatever the filter.
pub type ErrorObserver = fn(&Record<'_>);

/// Writes records to where they go.
struct Logger {
    filter: Filter,
    /// Whether lines go to stderr while there is no file.
    to_stderr: bool,
    file: OnceLock<Sender<Entry>>,
    on_error: OnceLock<ErrorObserver>,
    recent: Mutex<VecDeque<String>>,
}

enum Entry {
    Line(String),
    /// Confirms that all lines before it are written.
    Flush(Sender<()>),
}

/// Starts the log. Until [`log_to_file`], lines go to stderr if `RETAKE_LOG` is set, else only into crash reports.
pub fn start_logging() {
    let filter_text = std::env::var(FILTER_VARIABLE).ok().filter(|f| !f.is_empty());
    let (filter, fault) = parse_filter(filter_text.as_deref());
    let logger = LOGGER.get_or_init(|| Logger::new(filter, filter_text.is_some()));
    // Fails if there is another logger, or if the log was started before.
    if log::set_logger(logger).is_ok() {
        log::set_max_level(logger.filter.filter());
        if let Some(reason) = fault {
            log::warn!("{FILTER_VARIABLE} is not a filter, so the default is used: {reason}");
        }
        log::info!("{}", program());
    }
}

/// Returns the program's version, the commit it was built from if that is known, and its platform.
pub(super) fn program() -> String {
    format!(
        "Retake {}, {} {}, {} build",
        document::program::version(),
        std::env::consts::OS,
        std::env::consts::ARCH,
        if cfg!(debug_assertions) { "debug" } else { "release" }
    )
}

/// Writes the log to the file in the state folder from now on; `on_error` receives every record of an error.
pub fn log_to_file(state: Option<&Path>, on_error: ErrorObserver) {
    start_logging();
    let Some(logger) = LOGGER.get() else { return };
    if logger.on_error.set(on_error).is_ok() {
        // The observer receives errors even if the filter is `off`.
        let level = logger.filter.filter().max(LevelFilter::Error);
        log::set_max_level(level);
    }
    if logger.filter.filter() == LevelFilter::Off {
        return;
    }
    // Without a file, the window works as before.
    let Some(Ok(file)) = state.map(LogFile::open) else { return };
    let (queue, entries) = unbounded();
    for line in recent_lines() {
        let _ = queue.send(Entry::Line(line));
    }
    if spawn("log", move || write_entries(&file, &entries)).is_ok() {
        let _ = logger.file.set(queue);
    }
}

/// Waits until all lines so far are written, but not long.
pub fn flush_log() {
    if let Some(logger) = LOGGER.get() {
        logger.flush();
    }
}

/// Returns the latest lines, for a crash report; none if the log is being written to on this thread right now.
pub(super) fn recent_lines() -> Vec<String> {
    let lines = LOGGER.get().and_then(|logger| logger.recent.try_lock().ok());
    lines.map_or_else(Vec::new, |lines| lines.iter().cloned().collect())
}

/// Returns the filter; with none or an invalid one, the default and the fault.
fn parse_filter(text: Option<&str>) -> (Filter, Option<String>) {
    let mut builder = env_filter::Builder::new();
    let filter = text.map(|text| builder.try_parse(text).map(|b| b.build()));
    let fault = match filter {
        Some(Ok(filter)) => return (filter, None),
        Some(Err(error)) => Some(error.to_string()),
        None => None,
    };
    let mut builder = env_filter::Builder::new();
    builder.filter_level(LevelFilter::Warn);
    builder.filter_module("retake", LevelFilter::Info);
    (builder.build(), fault)
}

/// Returns a record as one line without line end: no secret of a known form, no hidden characters.
fn line(record: &Record<'_>) -> String {
    let masked_text = Mask::default().apply(&record.args().to_string()).into_owned();
    let mut message = visible(&masked_text).into_owned();
    // Cut after masking: half of a secret would not be recognised.
    if message.len() > MAX_MESSAGE_BYTES {
        message.truncate(message.floor_char_boundary(MAX_MESSAGE_BYTES));
        message.push('…');
    }
    let now = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S.%3fZ");
    format!("{now} {:<5} {}: {message}", record.level(), record.target())
}

/// Writes lines until the program ends; those that arrived together are written together.
fn write_entries(file: &LogFile, entries: &Receiver<Entry>) {
    while let Ok(first) = entries.recv() {
        let (mut lines, mut flushes) = (String::new(), Vec::new());
        for entry in std::iter::once(first).chain(entries.try_iter()) {
            match entry {
                Entry::Line(line) => {
                    lines.push_str(&line);
                    lines.push('\n');
                }
                Entry::Flush(flush) => flushes.push(flush),
            }
        }
        if !lines.is_empty() {
            // A log that cannot be written must not stop anything.
            let _ = file.append(&lines);
        }
        for flush in flushes {
            let _ = flush.send(());
        }
    }
}

impl Logger {
    fn new(filter: Filter, to_stderr: bool) -> Self {
        Self {
            filter,
            to_stderr,
            file: OnceLock::new(),
            on_error: OnceLock::new(),
            recent: Mutex::default(),
        }
    }

    fn write(&self, line: String) {
        let mut lines = lock(&self.recent);
        if lines.len() == MAX_RECENT_LINES {
            lines.pop_front();
        }
        lines.push_back(line.clone());
        drop(lines);
        match self.file.get() {
            // The window's thread logs as well, and must not wait for the disk.
            Some(queue) => drop(queue.send(Entry::Line(line))),
            None if self.to_stderr => {
                // `eprintln!` would panic if stderr is closed.
                let _ = writeln!(io::stderr(), "{line}");
            }
            None => {}
        }
    }
}

/// Members of the workspace, whose records are named as parts of the program: users filter by `retake`, and know no members.
const MEMBERS: [&str; 13] = [
    "document",
    "calls",
    "machine",
    "compare",
    "play",
    "author",
    "check",
    "protocol",
    "workbench",
    "engine",
    "widgets",
    "ui",
    "cli",
];

/// Returns the target of a record as part of the program, if it is one of its members.
fn shown_target(target: &str) -> Cow<'_, str> {
    match target.split("::").next() {
        Some(name) if MEMBERS.contains(&name) => format!("retake::{target}").into(),
        _ => target.into(),
    }
}

impl Log for Logger {
    /// Libraries are recorded up to warnings: more of theirs may contain keys or contents.
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        let target = &*shown_target(metadata.target());
        let is_own = target == "retake" || target.starts_with("retake::");
        let metadata = Metadata::builder().level(metadata.level()).target(target).build();
        (is_own || metadata.level() <= Level::Warn) && self.filter.enabled(&metadata)
    }

    fn log(&self, record: &Record<'_>) {
        if record.level() == Level::Error
            && let Some(observe) = self.on_error.get()
        {
            observe(record);
        }
        let target = shown_target(record.target());
        let record =
            Record::builder().args(*record.args()).level(record.level()).target(&target).build();
        if self.enabled(record.metadata()) && self.filter.matches(&record) {
            self.write(line(&record));
        }
    }

    fn flush(&self) {
        let Some(queue) = self.file.get() else { return };
        let (sender, receiver) = bounded(1);
        if queue.send(Entry::Flush(sender)).is_ok() {
            let _ = receiver.recv_timeout(FLUSH_TIMEOUT);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns what a logger with this filter records, without the times.
    fn logged(filter: &str, records: &[(Level, &str, &str)]) -> String {
        let logger = Logger::new(parse_filter(Some(filter).filter(|f| !f.is_empty())).0, false);
        for (level, target, message) in records {
            logger.log(
                &Record::builder()
                    .level(*level)
                    .target(target)
                    .args(format_args!("{message}"))
                    .build(),
            );
        }
        let entries = logger.recent.lock().unwrap();
        let lines = entries.iter().map(|line| line.split_once(' ').unwrap().1);
        lines.collect::<Vec<_>>().join("\n")
    }

    const RECORDS: [(Level, &str, &str); 5] = [
        (Level::Warn, "winit::window", "no cursor"),
        (Level::Debug, "winit::window", "a key was pressed"),
        (Level::Info, "engine", "opened /a"),
        (Level::Debug, "engine::run", "listed, 3 ms"),
        (Level::Error, "workbench", "Cannot save."),
    ];

    #[test]
    fn the_filter_has_the_syntax_of_rust_log_and_libraries_are_recorded_up_to_warnings() {
        let logs = ["", "debug", "error", "off", "retake::engine=trace", "retake=loud"]
            .map(|filter| format!("[{filter}]\n{}\n", logged(filter, &RECORDS)));
        insta::assert_snapshot!(logs.concat(), @r"
        []
        WARN  winit::window: no cursor
        INFO  retake::engine: opened /a
        ERROR retake::workbench: Cannot save.
        [debug]
        WARN  winit::window: no cursor
        INFO  retake::engine: opened /a
        DEBUG retake::engine::run: listed, 3 ms
        ERROR retake::workbench: Cannot save.
        [error]
        ERROR retake::workbench: Cannot save.
        [off]

        [retake::engine=trace]
        INFO  retake::engine: opened /a
        DEBUG retake::engine::run: listed, 3 ms
        [retake=loud]
        WARN  winit::window: no cursor
        INFO  retake::engine: opened /a
        ERROR retake::workbench: Cannot save.
        ");
    }

    #[test]
    fn a_record_is_one_line_without_secrets_and_hidden_characters() {
        let key = format!("ghp_{}", "Zk3vQ8rT1mXw7LpBy5Nc".repeat(2));
        let message = format!("first\nsecond \u{1b}[31m\u{202e} {key}");
        let long_message = "é".repeat(MAX_MESSAGE_BYTES);
        let records = [(Level::Warn, "retake", &*message), (Level::Warn, "retake", &*long_message)];
        let lines = logged("", &records);
        let lines: Vec<&str> = lines.lines().collect();
        insta::assert_snapshot!(lines[0], @r"WARN  retake: first\nsecond \u{1b}[31m\u{202e} ghp_…");
        assert_eq!(lines.len(), 2);
        assert!(lines[1].len() < MAX_MESSAGE_BYTES + 40 && lines[1].ends_with("é…"));
    }

    #[test]
    fn a_time_is_utc_in_rfc_3339() {
        let record = Record::builder().target("retake").build();
        let line = line(&record);
        let (time, _) = line.split_once(' ').unwrap();
        assert!(time.ends_with('Z') && time.len() == "2026-06-11T10:00:00.000Z".len());
        time.parse::<jiff::Timestamp>().unwrap();
    }

    #[test]
    fn lines_are_in_the_file_after_a_flush() {
        let state = tempfile::tempdir().unwrap();
        let logger = Logger::new(parse_filter(None).0, false);
        let file = LogFile::open(state.path()).unwrap();
        let (queue, entries) = unbounded();
        let thread = std::thread::spawn(move || write_entries(&file, &entries));
        assert!(logger.file.set(queue).is_ok());
        logger.write("a line".to_owned());
        logger.flush();
        let text = std::fs::read_to_string(LogFile::path(state.path())).unwrap();
        assert_eq!(text, "a line\n");
        drop(logger);
        thread.join().unwrap();
    }
}
