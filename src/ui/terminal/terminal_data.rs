//! Words of the terminal panel.

use document::text::visible;
use protocol::CommandEnd;
use widgets::theme::Tone;
use workbench::{REGENERATE_EXAMPLE, RunState, Terminal, TerminalPrompt, TerminalRun};

/// Returns the title of what is shown, and its state.
pub(super) fn title(terminal: &Terminal) -> (&str, (Tone, String)) {
    let (title, state) = match (&terminal.prompt, &terminal.run) {
        // A proposal is above the last output: it waits for the user.
        (Some(TerminalPrompt::Run(proposal)), _) => (proposal.name.as_str(), "Not run yet"),
        (Some(TerminalPrompt::NoCommand(_)), _) => ("Record again", "No command is set"),
        (Some(TerminalPrompt::Refused(_)), _) => ("Record again", "Nothing to run"),
        (None, Some(run)) => return (&run.proposal.name, run_state(run)),
        (None, None) => ("Terminal", ""),
    };
    (title, (Tone::Plain, state.to_owned()))
}

/// Returns a sentence and the text below it: the commands to run, or what to write to a file.
pub(super) fn prompt_words(prompt: &TerminalPrompt, root: &str) -> (String, String) {
    let place = match root {
        "" => "the project's folder".to_owned(),
        root => visible(root).into_owned(),
    };
    match prompt {
        TerminalPrompt::Run(proposal) => {
            let lead = match proposal.commands.len() {
                1 => format!("Runs in {place} when you click Run."),
                count => format!(
                    "These {count} commands run in {place} when you click Run, one after another, until one fails."
                ),
            };
            (lead, proposal.commands.join("\n"))
        }
        TerminalPrompt::NoCommand(fault) => {
            let lead = match fault {
                None => format!(
                    "The project has no command for this. Add one to retake.toml in {place}, for example:"
                ),
                Some(fault) => format!(
                    "The command in retake.toml is invalid: {fault}. Write it to the file in {place} like this:"
                ),
            };
            (lead, REGENERATE_EXAMPLE.to_owned())
        }
        TerminalPrompt::Refused(reason) => (reason.clone(), String::new()),
    }
}

/// Describes the state of a run.
fn run_state(run: &TerminalRun) -> (Tone, String) {
    let (count, number) = (run.count(), run.at + 1);
    // The number says something only if there are several commands.
    let prefix = match count {
        1 => String::new(),
        _ => format!("Command {number} of {count}: "),
    };
    let (tone, words) = match &run.state {
        RunState::Running => (Tone::Note, "running".to_owned()),
        RunState::Stopping => (Tone::Note, "stopping…".to_owned()),
        RunState::Ended(CommandEnd::Code(0)) => (Tone::Good, "ended with exit code 0".to_owned()),
        RunState::Ended(CommandEnd::Code(code)) => {
            (Tone::Error, format!("ended with exit code {code}"))
        }
        RunState::Ended(CommandEnd::Signal(signal)) => {
            (Tone::Error, format!("ended by signal {signal}"))
        }
        RunState::Ended(CommandEnd::Stopped) => (Tone::Warning, "stopped".to_owned()),
        RunState::Ended(CommandEnd::NotStarted(reason)) => {
            (Tone::Error, format!("could not be started: {}", visible(reason)))
        }
        RunState::Ended(CommandEnd::Unknown(reason)) => {
            (Tone::Error, format!("exit status unknown: {}", visible(reason)))
        }
    };
    let words =
        if prefix.is_empty() { document::text::upper_first(&words) } else { prefix + &words };
    // Commands run one after another until one fails, so those after it were not started.
    let rest = if run.is_running() { 0 } else { count - number };
    let rest = match rest {
        0 => String::new(),
        1 => ", 1 command was not run".to_owned(),
        _ => format!(", {rest} commands were not run"),
    };
    (tone, words + &rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::{EngineEvent, Remembered, RunCommand, TerminalEvent};
    use workbench::{Action, Effect, Proposal, TerminalAction, Workbench};

    /// Runs commands one after another with these endings, and returns the state after each.
    fn states_of(commands: &[&str], endings: &[CommandEnd]) -> String {
        let mut workbench = Workbench::new(Remembered::default());
        let proposal = Proposal {
            commands: commands.iter().map(|c| (*c).to_owned()).collect(),
            ..Proposal::default()
        };
        let _ = workbench.apply(Action::from(TerminalAction::Propose(proposal)));
        let number = workbench.terminal.proposals;
        let mut effects = workbench.apply(Action::from(TerminalAction::Run(number)));
        let mut words = vec![title(&workbench.terminal).1.1];
        for ending in endings {
            let Some(RunCommand { run, .. }) = effects.first().and_then(Effect::request) else {
                break;
            };
            let event = TerminalEvent::Ended(ending.clone());
            effects = workbench.receive(EngineEvent::Terminal(*run, event));
            words.push(title(&workbench.terminal).1.1);
        }
        words.join("\n")
    }

    #[test]
    fn the_state_of_a_run_is_described() {
        let reason = || "no such file".to_owned();
        let states = [
            states_of(&["a"], &[CommandEnd::Code(0)]),
            states_of(&["a"], &[CommandEnd::Signal(9)]),
            states_of(&["a"], &[CommandEnd::NotStarted(reason())]),
            states_of(&["a"], &[CommandEnd::Unknown(reason())]),
            states_of(&["a", "b", "c"], &[CommandEnd::Code(0), CommandEnd::Code(2)]),
            states_of(&["a", "b", "c"], &[CommandEnd::Stopped]),
        ];
        insta::assert_snapshot!(states.join("\n\n"), @"
        Running
        Ended with exit code 0

        Running
        Ended by signal 9

        Running
        Could not be started: no such file

        Running
        Exit status unknown: no such file

        Command 1 of 3: running
        Command 2 of 3: running
        Command 2 of 3: ended with exit code 2, 1 command was not run

        Command 1 of 3: running
        Command 1 of 3: stopped, 2 commands were not run
        ");
    }
}
