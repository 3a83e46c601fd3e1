//! Commands are run by a real shell; what is over is known by the end of its pipe.
#![cfg(unix)]

use crossbeam_channel::{Receiver, unbounded};

use super::*;
use crate::{Engine, EngineOptions};
use protocol::RunId;

/// Time that something may take that is waited for: longer than any machine needs.
const TIMEOUT: Duration = Duration::from_secs(60);

struct CommandFixture {
    running: CommandHandle,
    events: Receiver<EngineEvent>,
    folder: tempfile::TempDir,
}

fn run(command: &str) -> CommandFixture {
    let (events, receiver) = unbounded();
    let sender = EventSender { events, wake: Arc::new(|| {}) };
    let folder = tempfile::tempdir().unwrap();
    let command = CommandToRun {
        request: RunCommand { run: RunId::default(), command: command.to_owned() },
        folder: folder.path().to_owned(),
        // A test that waits for it waits for a command that does not listen.
        grace: Duration::from_millis(1),
    };
    CommandFixture {
        running: CommandHandle::start(command, String::new(), sender).unwrap(),
        events: receiver,
        folder,
    }
}

impl CommandFixture {
    fn next(&self) -> TerminalEvent {
        match self.events.recv_timeout(TIMEOUT).unwrap() {
            EngineEvent::Terminal(_, event) => event,
            other => panic!("{other:?}"),
        }
    }

    /// Waits until the command has printed something.
    fn wait_for(&self, text: &str) {
        loop {
            let TerminalEvent::Output(lines) = self.next() else {
                panic!("the command ended before it printed {text}");
            };
            if lines.iter().any(|line| line == text) {
                return;
            }
        }
    }

    /// Returns all output up to the end, and the status.
    fn end(&self) -> (Vec<String>, CommandEnd) {
        let mut lines = Vec::new();
        loop {
            match self.next() {
                TerminalEvent::Output(new_lines) => lines.extend(new_lines),
                TerminalEvent::Ended(ending) => return (lines, ending),
            }
        }
    }

    fn stop(&mut self) {
        self.running.stop = None;
    }
}

#[test]
fn all_is_received_in_its_order_up_to_the_exit_code() {
    let (lines, ending) = run("echo one; echo two >&2; echo three; cat; exit 3").end();
    assert_eq!(lines, ["one", "two", "three"]);
    assert_eq!(ending, CommandEnd::Code(3));
    assert_eq!(run("kill -9 $$").end().1, CommandEnd::Signal(9));
    assert_eq!(run("exec >&- 2>&-; exit 4").end().1, CommandEnd::Code(4));
}

#[test]
fn it_runs_in_the_folder_of_the_project() {
    let shell = run("pwd -P; printf 'no end of line'");
    let folder = std::fs::canonicalize(shell.folder.path()).unwrap();
    let (lines, _) = shell.end();
    assert_eq!(lines, [&*folder.to_string_lossy(), "no end of line"]);
}

#[test]
fn output_is_shown_as_plain_lines() {
    assert_eq!(run(r"printf 'a\377b\n'").end().0, ["a\u{fffd}b"]);
    let cases = [
        ("one\r\ntwo\n\nthree", "one|two||three"),
        (" 10%\r 20%\r100%\ndone\r\r\n", "100%|done"),
        ("\u{1b}[1;31mred\u{1b}[0m \u{1b}]0;title\u{7}plain\u{1b}[2K\n", "red plain"),
        ("a\u{202e}b\t\u{7}\n", "a\\u{202e}b    \\u{7}"),
    ];
    for (output, lines) in cases {
        assert_eq!(plain_lines(output.as_bytes()).join("|"), lines);
    }
    // A line that never ends is shown in parts.
    let lines = run("head -c 100000 /dev/zero | tr '\\0' x").end().0;
    assert_eq!((lines.len() > 1, lines.concat().len()), (true, 100_000));
}

#[test]
fn stopping_ends_all_that_was_started() {
    // The pipe ends only when those that sleep are gone.
    let mut shell = run("sleep 1000 & (sleep 1000; echo never) & echo up; wait");
    shell.wait_for("up");
    shell.stop();
    assert_eq!(shell.end(), (Vec::new(), CommandEnd::Stopped));
}

#[test]
fn a_process_that_ignores_signals_is_ended_too() {
    let mut shell = run("trap '' TERM; echo up; while :; do sleep 1000; done");
    shell.wait_for("up");
    shell.stop();
    assert_eq!(shell.end().1, CommandEnd::Stopped);
}

#[test]
fn who_goes_stops_what_runs() {
    let shell = run("echo $$; exec sleep 1000");
    let TerminalEvent::Output(lines) = shell.next() else {
        panic!("it ended");
    };
    let pid: i32 = lines[0].parse().unwrap();
    drop(shell);
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    assert!(rustix::process::test_kill_process(pid).is_err());
}

#[test]
fn without_a_project_nothing_runs() {
    let (mut engine, events) = Engine::start(EngineOptions::default(), || {}).unwrap();
    engine.run(RunCommand { run: RunId::default(), command: "echo hello".to_owned() }.into());
    let event = events.recv_timeout(TIMEOUT).unwrap();
    let not_started = CommandEnd::NotStarted("nothing is open".to_owned());
    assert!(
        matches!(event, EngineEvent::Terminal(_, TerminalEvent::Ended(ending)) if ending == not_started)
    );
}
