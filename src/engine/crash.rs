//! Handles a panic of the program: a report in the state folder, a line in the log and, unless the panic is caught, a line on
//! stderr. Nothing is sent.

use std::backtrace::Backtrace;
use std::io::{self, Write as _};
use std::panic::PanicHookInfo;
use std::sync::Mutex;
use std::thread;

use crate::disk::crash_reports::{self, PanicOutcome};
use crate::disk::guard::{is_caught, lock};
use crate::disk::state;
use crate::logging::{flush_log, program, recent_lines};
use calls::secret::Mask;
use document::text::{visible, visible_lines};

/// The most bytes of a message: that of a wrong slice repeats the text.
const MAX_MESSAGE_BYTES: usize = 500;

/// The places of panics that were caught: each has one report in a run.
// Work that is repeated for each file may panic thousands of times at one place.
static REPORTED_PLACES: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Makes every later panic of this process leave a report.
pub fn report_panics() {
    std::panic::set_hook(Box::new(on_panic));
}

fn on_panic(panic: &PanicHookInfo<'_>) {
    let current = thread::current();
    let thread = current.name().unwrap_or("without a name");
    let place = panic.location().map_or_else(String::new, ToString::to_string);
    let outcome =
        // A panic ends only its own thread; it ends the process only on the main thread.
        if is_caught() || thread != "main" { PanicOutcome::Continued } else { PanicOutcome::Ended };
    if outcome == PanicOutcome::Continued {
        let mut places = lock(&REPORTED_PLACES);
        if places.contains(&place) {
            log::error!("Internal error at {place}, as before");
            return;
        }
        places.push(place.clone());
    }
    let mut message = panic.payload_as_str().unwrap_or("no message").to_owned();
    if message.len() > MAX_MESSAGE_BYTES {
        message.truncate(message.floor_char_boundary(MAX_MESSAGE_BYTES));
        message.push('…');
    }
    let text = report(outcome, thread, &message, &place);
    let note = state::folder().map(|state| crash_reports::write(&state, outcome, &text));
    let note = match note {
        Some(Ok(path)) => format!("the report is in {}", path.display()),
        Some(Err(error)) => format!("no report could be written: {error}"),
        None => "there is no folder for a report; set RETAKE_STATE_DIR".to_owned(),
    };
    // The message may repeat a text from a file, so it is only in the report.
    log::error!("Internal error at {place}; {note}");
    if !is_caught() {
        let message = visible(&message).into_owned();
        // `eprintln!` would panic on a closed stderr, and a panic inside of the hook aborts the process.
        let line = format!("retake: Internal error: {message} ({place}); {note}");
        let _ = writeln!(io::stderr(), "{}", Mask::default().apply(&line));
    }
    if outcome == PanicOutcome::Ended {
        // The log is written by a thread, which ends with the process.
        flush_log();
    }
}

/// Returns the text of a report, with secrets of known forms masked and hidden characters escaped.
fn report(outcome: PanicOutcome, thread: &str, message: &str, place: &str) -> String {
    let outcome = match outcome {
        PanicOutcome::Ended => "Retake ended. Unsaved edits are offered at the next start.",
        PanicOutcome::Continued => "Retake went on; only the work on this thread failed.",
    };
    let (program, time) = (program(), jiff::Timestamp::now());
    let backtrace = Backtrace::force_capture();
    let log = recent_lines().join("\n");
    let text = format!(
        "{program}\nTime: {time}\nThread: {thread}\nMessage: {message}\nPlace: {place}\n{outcome}\n\
         Nothing was sent. Read this text before you pass it on: paths and a part of a file may be in it.\n\n\
         Backtrace (a release build has no names of functions):\n{backtrace}\n\nThe last lines of the log:\n{log}\n"
    );
    visible_lines(&Mask::default().apply(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_has_no_secrets_and_no_hidden_characters() {
        let key = format!("ghp_{}", "Zk3vQ8rT1mXw7LpBy5Nc".repeat(2));
        let message = format!("index out of range in \u{202e}{key}");
        let text = report(PanicOutcome::Ended, "main", &message, "src/x.rs:1:2");
        let lines: Vec<&str> = text.lines().filter(|l| !l.starts_with("Time: ")).collect();
        insta::assert_snapshot!(lines[1..6].join("\n"), @r"
        Thread: main
        Message: index out of range in \u{202e}ghp_…
        Place: src/x.rs:1:2
        Retake ended. Unsaved edits are offered at the next start.
        Nothing was sent. Read this text before you pass it on: paths and a part of a file may be in it.
        ");
        assert!(lines[0].starts_with("Retake "), "{text}");
        assert!(text.contains("Backtrace") && text.ends_with("log:\n\n"), "{text}");
    }
}
