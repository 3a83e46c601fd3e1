//! Commands that apply to the current view: the keys of others do nothing there.

use crate::{Command, CommandSection, DeskView, Location, Workbench};
use protocol::Desk;

impl Command {
    /// Whether a command can have a meaning in this view, whatever is selected there.
    pub fn applies_in(self, place: Location) -> bool {
        let is_list = place.view == DeskView::List;
        let is_desk = |desks: &[Desk]| is_list && desks.contains(&place.desk);
        match self {
            Self::NextChange | Self::PreviousChange => {
                !is_list || is_desk(&[Desk::Playback, Desk::Review])
            }
            Self::ToggleDiffLayout => !is_list || is_desk(&[Desk::Review]),
            Self::SwapSides => matches!(place.view, DeskView::Compare { .. }),
            Self::UseTheirs | Self::UseOurs | Self::UseBase => {
                matches!(place.view, DeskView::Conflict(_))
            }
            Self::CompareSelected | Self::MarkSelected => {
                is_desk(&[Desk::Library, Desk::Playback, Desk::Tapes, Desk::Problems])
            }
            Self::GroupByFolder
            | Self::PlaySet
            | Self::ExcludeFile
            | Self::Unfold
            | Self::FirstFinding
            | Self::SecondFinding
            | Self::ThirdFinding
            | Self::ToggleFullPrompt
            | Self::EditDecoded => is_desk(&[Desk::Library]),
            Self::ShowMap => is_desk(&[Desk::Library, Desk::Playback]),
            Self::ExportPicture => {
                matches!(place.view, DeskView::Source(_)) || is_desk(&[Desk::Tapes, Desk::Playback])
            }
            Self::FixAllCauses => place.view.is_run(),
            Self::FixPlayback => place.view.is_run() || is_desk(&[Desk::Playback]),
            Self::RegenerateSelected => place.view.is_run() || is_desk(&[Desk::Library]),
            Self::ToggleDraft
            | Self::ChooseFixture
            | Self::RedactSecrets
            | Self::ReplaceSecret
            | Self::KeepSecret
            | Self::SaveSessions => place.view == DeskView::Import,
            command if command.applies_to_strip() => is_desk(&[Desk::Tapes, Desk::Playback]),
            _ => {
                let desk = self.section().desk();
                desk.is_none_or(|desk| is_desk(&[desk]))
            }
        }
    }
}

impl Workbench {
    /// Whether a command has a meaning in the current view. The palette and the menu always show it, with the reason if it
    /// is disabled; a key that also types text is handled only if this is true, so it does nothing on an empty desk.
    pub fn applies_here(&self, command: Command) -> bool {
        let is_subject_shown = match command {
            Command::NextChange
            | Command::PreviousChange
            | Command::ToggleDiffLayout
            | Command::ToggleDraft
            | Command::ChooseFixture
            | Command::ReplaceSecret
            | Command::KeepSecret
            | Command::SaveSessions
            | Command::ToggleFullPrompt
            | Command::EditDecoded
            | Command::ExcludeFile
            | Command::NextRow
            | Command::PreviousRow
            | Command::NextPage
            | Command::PreviousPage
            | Command::NextColumn
            | Command::PreviousColumn
            | Command::FirstRow
            | Command::LastRow
            | Command::ExportPicture
            | Command::OpenSelected
            | Command::Unfold => command.enabled(self).is_ok(),
            Command::ShowMap if self.core.shows(Desk::Playback) => command.enabled(self).is_ok(),
            _ => match command.section() {
                CommandSection::Problem => self.problem_subject().is_some(),
                CommandSection::Tape if self.shows_strip() => true,
                CommandSection::Tape => {
                    self.core.shows(Desk::Tapes) && self.tapes.prepared().is_some()
                }
                CommandSection::Session => self.sessions.session(&self.core).is_some(),
                CommandSection::Playback | CommandSection::Review | CommandSection::Live => {
                    command.enabled(self).is_ok()
                }
                _ => true,
            },
        };
        is_subject_shown && command.applies_in(self.core.here())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::Action;
    use crate::testing::Bench;

    #[test]
    fn keys_of_other_desks_have_no_meaning_on_the_sessions_desk() {
        let mut bench = Bench::open(&[("j.json", "{}")]);
        let commands = |bench: &Bench| -> Vec<Command> {
            let all_commands = Command::ALL.iter().copied();
            let is_of_desk = |command: &Command| {
                let desk = command.section().desk();
                let is_here = desk.is_none_or(|desk| desk == bench.workbench.core.here().desk);
                is_here && bench.workbench.applies_here(*command)
            };
            let letters = |command: &Command| {
                let mut keys = command.default_shortcuts().iter();
                keys.any(|shortcut| {
                    shortcut.is_typed()
                        && matches!(shortcut.key, crate::ShortcutKey::Char('a'..='z' | '0'..='9'))
                })
            };
            all_commands.filter(is_of_desk).filter(letters).collect()
        };
        bench.press(Command::GoSessions);
        insta::assert_snapshot!(format!("{:?}", commands(&bench)), @"[OpenView]");
        bench.press(Command::GoLibrary);
        insta::assert_snapshot!(format!("{:?}", commands(&bench)), @"[OpenView, NextRow, PreviousRow, MarkSelected, ShowMap, GroupByFolder, PlaySet, CompareSelected, RegenerateSelected]");
    }

    #[test]
    fn keys_without_a_subject_do_nothing_except_those_that_need_a_selection() {
        let mut bench = Bench::open(&[("j.json", "{}")]);
        let mut lines = Vec::new();
        for desk in Desk::ALL {
            bench.press(Command::go_to(*desk));
            let commands = Command::ALL.iter().copied().filter(|command| {
                let is_here = command.section().desk().is_none_or(|d| d == *desk);
                is_here && command.default_shortcuts().iter().any(|keys| keys.is_typed())
            });
            for command in commands.filter(|command| bench.workbench.applies_here(*command)) {
                if let Err(reason) = command.enabled(&bench.workbench) {
                    lines.push(format!("{}: {}: {reason}", desk.name(), command.name()));
                }
            }
        }
        insta::assert_snapshot!(lines.join("\n"), @"
        Library: Map: no recordings are open
        Library: Play set or cassette: select a recording first
        Library: Compare side by side: select two comparable items first
        Library: Record again…: select a recording first
        Playback: Mark for comparison: select an item first
        Playback: Compare side by side: select two comparable items first
        Tapes: Mark for comparison: select an item first
        Tapes: Compare side by side: select two comparable items first
        Problems: Mark for comparison: select an item first
        Problems: Compare side by side: select two comparable items first
        ");
    }

    /// The commands whose keys the line at the bottom shows.
    const BOTTOM_COMMANDS: [Command; 12] = [
        Command::NextRow,
        Command::PreviousRow,
        Command::NextColumn,
        Command::PreviousColumn,
        Command::NextChange,
        Command::PreviousChange,
        Command::OpenSelected,
        Command::ToggleDraft,
        Command::RedactSecrets,
        Command::NextProblem,
        Command::PlayTape,
        Command::WriteAnswer,
    ];

    /// A name, paths with their texts, and the filter of the library.
    type FilteredFiles<'a> = (&'a str, &'a [(&'a str, &'a str)], &'a str);

    #[test]
    fn nothing_listed_has_no_keys() {
        let mut lines = Vec::new();
        let cases: [FilteredFiles<'_>; 4] = [
            ("empty", &[], ""),
            ("broken", &[("a.json", "{\"request\": {")], ""),
            ("other", &[("j.json", "{}")], ""),
            ("no hits", &[("j.json", "{}")], "path:nothing"),
        ];
        for (name, files, filter) in cases {
            let mut bench = Bench::open(files);
            bench.act(Action::SetFilter(filter.to_owned()));
            let views = Desk::ALL.iter().map(|desk| (*desk, DeskView::List));
            let other_views =
                [DeskView::Import, DeskView::Triage].map(|view| (Desk::Library, view));
            for (desk, view) in views.chain(other_views) {
                bench.workbench.core.go(desk, view);
                let runs = |command: &Command| command.enabled(&bench.workbench).is_ok();
                let keys: Vec<Command> = BOTTOM_COMMANDS.into_iter().filter(runs).collect();
                if !keys.is_empty() {
                    lines.push(format!("{name}: {}, {view:?}: {keys:?}", desk.name()));
                }
            }
        }
        // What is selected stays shown beside a list without it.
        insta::assert_snapshot!(lines.join("\n"), @"
        broken: Library, List: [NextRow, PreviousRow, OpenSelected]
        other: Library, List: [NextRow, PreviousRow, OpenSelected]
        no hits: Library, List: [OpenSelected]
        ");
    }
}
