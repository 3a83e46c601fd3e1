//! Commands are shown before they run, run one at a time, and run only when the user confirms.

use super::*;
use crate::testing::doc;
use crate::{Action, Bench, Command};
use calls::regenerate::Template;
use document::ValueMark;
use protocol::{EngineEvent, ProjectInfo, TerminalEvent};

/// Opens two files in a project with this command.
fn bench(command: &str) -> Bench {
    let mut bench = Bench::open(&[("a/turn-1.json", "{}"), ("b/turn-1.json", "{}")]);
    let project = bench.workbench.core.project.as_mut().unwrap();
    project.regenerate = Template::parse(command, ValueMark::default()).ok();
    bench
}

impl Bench {
    fn terminal(&mut self, action: TerminalAction) {
        self.act(Action::from(action));
    }

    fn regenerate(&mut self) {
        self.terminal(TerminalAction::Regenerate(vec![doc(0), doc(1)]));
    }

    /// Clicks Run.
    fn start(&mut self) {
        let number = self.workbench.terminal.proposals;
        self.terminal(TerminalAction::Run(number));
    }

    fn receive_terminal(&mut self, event: TerminalEvent) {
        let id = self.workbench.terminal.run.as_ref().unwrap().id;
        self.receive(EngineEvent::Terminal(id, event));
    }

    fn end(&mut self, end: CommandEnd) {
        self.receive_terminal(TerminalEvent::Ended(end));
    }

    fn say(&mut self, text: &str) {
        self.receive_terminal(TerminalEvent::Output(text.lines().map(str::to_owned).collect()));
    }

    /// The prompt, the run and the output as text.
    fn shown(&self) -> String {
        let terminal = &self.workbench.terminal;
        let prompt = terminal.prompt.as_ref().map(|prompt| match prompt {
            TerminalPrompt::Run(proposal) => {
                format!("{}: {:?}\n", proposal.name, proposal.commands)
            }
            other => format!("{other:?}\n"),
        });
        let run = terminal.run.as_ref().map(|run| format!("{} {:?}\n", run.at, &run.state));
        prompt.unwrap_or_default() + &run.unwrap_or_default() + &terminal.output.text()
    }
}

#[test]
fn nothing_runs_before_it_was_shown_and_pressed() {
    let mut bench = bench("again {recordings}");
    bench.start();
    bench.regenerate();
    assert!(bench.workbench.terminal.is_shown);
    assert_eq!(bench.requested, [""; 0]);
    insta::assert_snapshot!(bench.shown(), @r#"Record 2 recordings again: ["again a/turn-1.json b/turn-1.json"]"#);
    // The proposal with the earlier number is out of date.
    let number = bench.workbench.terminal.proposals - 1;
    bench.terminal(TerminalAction::Run(number));
    assert_eq!(bench.requested, [""; 0]);
    bench.press(Command::Close);
    assert!(!bench.workbench.terminal.is_shown);
    bench.start();
    assert_eq!(bench.requested, [""; 0]);

    bench.regenerate();
    bench.start();
    bench.start();
    assert_eq!(bench.requested, ["run again a/turn-1.json b/turn-1.json"]);
}

#[test]
fn what_runs_is_followed_to_its_end() {
    let mut bench = bench("again");
    bench.regenerate();
    bench.start();
    bench.say("one\ntwo");
    insta::assert_snapshot!(bench.shown(), @"
    0 Running
    $ again
    one
    two
    ");
    bench.say("three");
    bench.end(CommandEnd::Code(1));
    insta::assert_snapshot!(bench.shown(), @"
    0 Ended(Code(1))
    $ again
    one
    two
    three
    ");
    assert_eq!(bench.notice_texts(), ["The command ended with exit code 1."]);
    bench.terminal(TerminalAction::CopyOutput);

    // The output is that of one run.
    bench.regenerate();
    bench.start();
    assert_eq!(bench.requested, ["run again", "run again"]);
    assert_eq!(bench.shown(), "0 Running\n$ again\n");
}

#[test]
fn several_commands_run_for_as_long_as_they_succeed() {
    let mut bench = bench("again {recording}");
    bench.regenerate();
    bench.start();
    bench.end(CommandEnd::Code(0));
    assert_eq!(bench.requested, ["run again a/turn-1.json", "run again b/turn-1.json"]);
    bench.end(CommandEnd::Code(0));
    insta::assert_snapshot!(bench.shown(), @"
    1 Ended(Code(0))
    $ again a/turn-1.json
    $ again b/turn-1.json
    ");

    bench.regenerate();
    bench.start();
    bench.end(CommandEnd::Code(2));
    assert_eq!(bench.requested.len(), 3);
    assert!(bench.shown().starts_with("0 Ended(Code(2))"));
}

#[test]
fn there_is_one_command_at_a_time_and_it_can_be_stopped() {
    let mut bench = bench("again {recording}");
    bench.press(Command::StopCommand);
    assert_eq!(bench.notice_texts(), ["Stop running command: no command is running."]);
    bench.regenerate();
    bench.start();
    bench.regenerate();
    assert_eq!(
        bench.notice_texts(),
        [
            "Stop running command: no command is running.",
            "A command is running. Stop it or wait until it ends."
        ]
    );
    assert_eq!(bench.workbench.terminal.prompt.as_ref(), None);
    bench.press(Command::StopCommand);
    bench.terminal(TerminalAction::Stop);
    assert_eq!(bench.requested, ["run again a/turn-1.json", "stop"]);
    // The command ended before the stop; the next one does not start.
    bench.end(CommandEnd::Code(0));
    assert_eq!(bench.requested.len(), 2);
    assert_eq!(bench.notice_texts(), ["The command ended with exit code 0."]);
}

#[test]
fn what_cannot_be_run_says_why() {
    let mut unset_bench = bench("");
    unset_bench.regenerate();
    let mut misfit_bench = bench("again {source}");
    misfit_bench.regenerate();
    let mut hidden_bench = bench("again");
    hidden_bench.terminal(TerminalAction::Propose(Proposal {
        commands: vec!["a\u{202e}b".to_owned()],
        ..Proposal::default()
    }));
    for bench in [&mut unset_bench, &mut misfit_bench, &mut hidden_bench] {
        bench.start();
        assert_eq!(bench.requested, [""; 0]);
    }
    let texts = [unset_bench.shown(), misfit_bench.shown(), hidden_bench.shown()];
    insta::assert_snapshot!(texts.concat(), @r#"
    NoCommand(None)
    Refused("2 recordings are skipped; the first, `a/turn-1.json`, is not a recording.")
    Refused("The command contains invisible characters.")
    "#);
    misfit_bench.press(Command::Regenerate);
    let reason = "Record all that break again: no recordings are breaking.";
    assert_eq!(misfit_bench.notice_texts(), [reason]);
    misfit_bench.press(Command::RegenerateSelected);
    let reason = "Record again: select a recording first.";
    assert_eq!(misfit_bench.notice_texts(), [reason]);
}

#[test]
fn another_project_has_no_use_for_what_was_proposed() {
    let mut bench = bench("again");
    bench.regenerate();
    let start_event = |root: &str| EngineEvent::ScanStarted {
        generation: 2,
        project: ProjectInfo { root: root.to_owned(), ..ProjectInfo::default() },
    };
    bench.receive(start_event(""));
    assert!(bench.workbench.terminal.prompt.is_some());
    bench.receive(start_event("/elsewhere"));
    assert_eq!(bench.workbench.terminal.prompt.as_ref(), None);
}
