//! Regenerates recordings with the command in the project's file.

use super::Terminal;
use crate::core::Core;
use crate::core::proposal::{CommandOrigin, Proposal, TerminalPrompt};
use calls::regenerate::CommandLines;
use check::settings::FILE_NAME;
use document::shell::CommandShell;
use document::text::{counted, visible};
use protocol::DocId;

impl Terminal {
    /// Shows the command that regenerates these recordings. Does not run it.
    pub(crate) fn regenerate(&mut self, core: &mut Core, docs: &[DocId]) {
        self.propose(core, regeneration_prompt(core, docs));
    }
}

fn regeneration_prompt(core: &Core, docs: &[DocId]) -> TerminalPrompt {
    let template = core.project.as_ref().and_then(|p| p.regenerate.as_ref());
    let Some(template) = template else {
        return TerminalPrompt::NoCommand(fault_of_settings(core));
    };
    let items = docs.iter().filter_map(|doc| core.library.get(*doc));
    let CommandLines { commands, skipped: remarks } =
        match template.write(items, CommandShell::CURRENT) {
            Ok(lines) => lines,
            Err(reason) => return TerminalPrompt::Refused(reason),
        };
    if commands.is_empty() {
        let reason = "No recordings to record again.".to_owned();
        return TerminalPrompt::Refused(remarks.into_iter().next().unwrap_or(reason));
    }
    TerminalPrompt::Run(Proposal {
        name: format!("Record {} again", counted(docs.len(), "recording", "recordings")),
        commands,
        remarks,
        origin: Some(CommandOrigin {
            file: FILE_NAME.to_owned(),
            line: template.mark().place.line,
            reveal: core.library.find(FILE_NAME).map(|doc| (doc, template.mark().span)),
        }),
    })
}

/// The problem in the project's file, if its command is invalid.
fn fault_of_settings(core: &Core) -> Option<String> {
    let item = core.library.get(core.library.find(FILE_NAME)?)?;
    // A problem with an empty pointer is one of the whole file, of which the command is not read either.
    let is_about_command = |pointer: &str| pointer.is_empty() || pointer.starts_with("/regenerate");
    let problem = item.problems.iter().find(|problem| is_about_command(&problem.pointer))?;
    Some(visible(&problem.message).into_owned())
}
