//! Which commands apply to the current view, so that their keys do nothing elsewhere.

use crate::workbench::core::command::Command;
use crate::workbench::core::navigation::{Desk, DeskView};
use crate::workbench::state::Workbench;

impl Workbench {
    /// Whether a command applies to the current view. The palette and the menu always show it, with the reason if it is
    /// disabled; a key that also types text is handled only if this is true.
    pub fn applies_here(&self, command: Command) -> bool {
        let here = self.core.here();
        let is_list = here.view == DeskView::List;
        let is_desk = |desks: &[Desk]| is_list && desks.contains(&here.desk);
        match command {
            Command::NextChange | Command::PreviousChange => {
                !is_list || is_desk(&[Desk::Playback, Desk::Tapes, Desk::Review])
            }
            Command::ToggleDiffLayout => !is_list || is_desk(&[Desk::Review]),
            Command::SwapSides => matches!(here.view, DeskView::Compare { .. }),
            Command::UseTheirs | Command::UseOurs | Command::UseBase => {
                matches!(here.view, DeskView::Conflict(_))
            }
            Command::CompareSelected | Command::MarkSelected => {
                is_desk(&[Desk::Library, Desk::Playback, Desk::Tapes, Desk::Problems])
            }
            Command::FixProblem | Command::FixRule => {
                is_desk(&[Desk::Problems]) && self.problem_subject().is_some()
            }
            Command::GroupByFolder => is_desk(&[Desk::Library]),
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workbench::testing::Bench;

    #[test]
    fn keys_of_other_desks_have_no_meaning_on_the_sessions_desk() {
        let mut bench = Bench::open(&[("j.json", "{}")]);
        let applying = |bench: &Bench| -> Vec<Command> {
            let all = Command::ALL.iter().copied();
            let of_desk = |command: &Command| {
                let desk = command.section().desk();
                let is_here = desk.is_none_or(|desk| desk == bench.workbench.core.here().desk);
                is_here && bench.workbench.applies_here(*command)
            };
            let letters = |command: &Command| {
                let mut keys = command.shortcuts().iter();
                keys.any(|it| {
                    it.is_typed()
                        && matches!(
                            it.key,
                            crate::workbench::ShortcutKey::Char('a'..='z' | '0'..='9')
                        )
                })
            };
            all.filter(of_desk).filter(letters).collect()
        };
        bench.press(Command::GoSessions);
        insta::assert_snapshot!(format!("{:?}", applying(&bench)), @"[NextRow, PreviousRow, PutFault, AddResponse, DuplicateResponse, ToggleDraft]");
        bench.press(Command::GoLibrary);
        insta::assert_snapshot!(format!("{:?}", applying(&bench)), @"[NextRow, PreviousRow, MarkSelected, GroupByFolder, CompareSelected]");
    }
}
