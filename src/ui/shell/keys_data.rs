//! Data of the sheet of keyboard shortcuts: what is listed first, and what a search finds.

use document::text::upper_first;
use protocol::Desk;
use widgets::icons;
use workbench::{Command, CommandSection, DeskView, Keymap, Location, Shortcut, Workbench};

/// The sheet while it is open.
#[derive(Debug, Default)]
pub struct KeysSheet {
    /// The text in the search field.
    pub query: String,
    /// The desk whose keys come first; `None` for the present one.
    pub desk: Option<Desk>,
}

/// Content of the sheet.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct KeysData {
    /// The keys of one desk; `None` in a search, or if nothing is open.
    pub desk: Option<KeyGroup>,
    /// The other groups, in two columns.
    pub columns: [Vec<KeyGroup>; 2],
    /// The desks whose keys can be shown instead.
    pub others: Vec<Desk>,
}

/// Commands under a heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct KeyGroup {
    pub icon: &'static str,
    pub name: &'static str,
    /// Desk where the keys apply; empty if they apply everywhere.
    pub note: &'static str,
    pub rows: Vec<KeyRow>,
}

/// A command with its keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct KeyRow {
    pub name: String,
    pub tooltip: &'static str,
    /// The key caps of each alternative.
    pub keys: Vec<Vec<String>>,
}

impl KeysData {
    /// Lists the keys of the present desk and those of every desk, or what the query finds.
    pub(super) fn new(workbench: &Workbench, sheet: &KeysSheet) -> Self {
        let present_location = workbench.core.here();
        let is_open = workbench.core.project.is_some();
        let query = Query::new(&sheet.query);
        let keymap = &workbench.core.user.settings.keymap;
        let location = match sheet.desk {
            Some(desk) if desk != present_location.desk => Location { desk, view: DeskView::List },
            _ => present_location,
        };
        let is_query = !query.words.is_empty();
        let has_desk = !is_query && (is_open || sheet.desk.is_some());
        let is_first = |desk: Desk| has_desk && desk == location.desk;
        let others = Desk::ALL.iter().copied().filter(|desk| !is_first(*desk));
        Self {
            desk: has_desk.then(|| desk_group(keymap, location, present_location)),
            columns: if is_query { found(keymap, &query) } else { everywhere(keymap, location) },
            others: others.collect(),
        }
    }
}

/// Returns the commands that have keys, or from which the user has removed them.
fn with_keys(keymap: &Keymap) -> impl Iterator<Item = Command> {
    let commands = Command::ALL.iter().copied();
    // A command whose keys were removed stays in the sheet, since users look there for the missing keys.
    commands.filter(|command| !keymap.shortcuts(*command).is_empty() || keymap.is_changed(*command))
}

/// Returns the commands that belong to one view.
fn desk_group(keymap: &Keymap, location: Location, present_location: Location) -> KeyGroup {
    let candidates = with_keys(keymap)
        .filter(|command| command.applies_in(location) && is_of_view(*command, location));
    let mut commands: Vec<Command> = candidates.collect();
    // Enter first, since it is the key of a desk that is used most; the sort is stable, so the others keep their order.
    commands.sort_by_key(|command| *command != Command::OpenSelected);
    KeyGroup {
        icon: icons::desk(location.desk),
        name: location.desk.name(),
        note: if location == present_location { "this desk" } else { "" },
        rows: commands.into_iter().map(|c| row(keymap, c)).collect(),
    }
}

/// Returns whether a command that applies in a view is listed with that view's keys, not with those of every list.
pub fn is_of_view(command: Command, location: Location) -> bool {
    let is_desk =
        |desks: &[Desk]| location.view == DeskView::List && desks.contains(&location.desk);
    match command {
        Command::OpenSelected
        | Command::MarkSelected
        | Command::GroupByFolder
        | Command::PlaySet
        | Command::Unfold
        | Command::FirstFinding
        | Command::SecondFinding
        | Command::ThirdFinding
        | Command::ToggleFullPrompt
        | Command::EditDecoded => true,
        Command::OpenView => is_desk(&[Desk::Library, Desk::Playback, Desk::Review]),
        Command::FocusFilter => is_desk(&[Desk::Library, Desk::Seeds]),
        Command::NextColumn | Command::PreviousColumn => {
            is_desk(&[Desk::Library, Desk::Playback, Desk::Tapes, Desk::Seeds])
        }
        Command::CopyPath | Command::CompareSource => is_desk(&[Desk::Library, Desk::Problems]),
        Command::ShowMap => is_desk(&[Desk::Library, Desk::Playback]),
        Command::ToggleInspector => is_desk(&[Desk::Library, Desk::Playback]),
        command => {
            command.section() == CommandSection::Compare || command.section().desk().is_some()
        }
    }
}

/// Returns the keys that apply on every desk.
fn everywhere(keymap: &Keymap, location: Location) -> [Vec<KeyGroup>; 2] {
    // One row for all desks is right only while their keys are Ctrl and a number.
    let has_usual_desks = !Desk::ALL.iter().any(|d| keymap.is_changed(Command::go_to(*d)));
    let rows = |sections: &[CommandSection]| {
        let commands = with_keys(keymap).filter(|command| sections.contains(&command.section()));
        let rows = commands.filter(|command| !is_of_view(*command, location));
        let is_left_out = |command: &Command| {
            // These commands have a meaning on some desks only, and are listed there.
            matches!(command, Command::NextColumn | Command::PreviousColumn | Command::FocusFilter)
                || has_usual_desks && Desk::ALL.iter().any(|desk| Command::go_to(*desk) == *command)
        };
        let rows = rows.filter(|command| !is_left_out(command));
        rows.map(|c| row(keymap, c)).collect::<Vec<KeyRow>>()
    };
    let group = |section: CommandSection, name, sections: &[CommandSection]| KeyGroup {
        icon: icons::section(section),
        name,
        note: "",
        rows: rows(sections),
    };
    let mut go_group = group(CommandSection::Go, "Go to", &[CommandSection::Go]);
    for row in &mut go_group.rows {
        // The heading already says it.
        if let Some(rest) = row.name.strip_prefix("Go to a ") {
            row.name = upper_first(rest);
        }
    }
    let desks = KeyRow {
        name: format!("Desk 1 to {}", Desk::ALL.len()),
        tooltip: "Shows a desk, numbered from the top of the rail.",
        keys: vec![vec!["Ctrl".to_owned(), format!("1–{}", Desk::ALL.len())]],
    };
    if has_usual_desks {
        // Second, after the palette, which is the first command of the section.
        go_group.rows.insert(1.min(go_group.rows.len()), desks);
    }
    [
        vec![go_group, group(CommandSection::List, "Lists", &[CommandSection::List])],
        vec![
            group(CommandSection::File, "File", &[CommandSection::File]),
            group(CommandSection::Edit, "Edit", &[CommandSection::Edit]),
            group(CommandSection::Window, "Window", &[CommandSection::Run, CommandSection::Window]),
        ],
    ]
}

fn row(keymap: &Keymap, command: Command) -> KeyRow {
    let keys = keymap.shortcuts(command).iter();
    KeyRow {
        name: command.name().to_owned(),
        tooltip: command.tooltip(),
        keys: keys.map(|keys| keys.caps()).collect(),
    }
}

/// A name or keys to look for, in lower case.
struct Query {
    words: Vec<String>,
}

impl Query {
    fn new(text: &str) -> Self {
        let text = text.to_lowercase();
        // Both spellings of a shortcut are typed: `Ctrl D` and `Ctrl+D`.
        let words = text.split([' ', '+']).filter(|word| !word.is_empty());
        Self { words: words.map(str::to_owned).collect() }
    }

    /// Returns whether every word begins a word of the name.
    fn matches_name(&self, name: &str) -> bool {
        let name = name.to_lowercase();
        let mut words = self.words.iter();
        words.all(|word| name.split(' ').any(|part| part.starts_with(word.as_str())))
    }

    fn matches_keys(&self, shortcut: Shortcut) -> KeyMatch {
        let caps = shortcut.caps();
        let is_same = |(word, cap): (&String, &String)| {
            // Arrows cannot be typed on a keyboard.
            let cap = match cap.as_str() {
                "←" => "left",
                "→" => "right",
                "↑" => "up",
                "↓" => "down",
                cap => &cap.to_lowercase(),
            };
            word == cap
        };
        let is_prefix = self.words.len() <= caps.len() && self.words.iter().zip(&caps).all(is_same);
        match (is_prefix, self.words.len() == caps.len()) {
            (false, _) => KeyMatch::None,
            (true, false) => KeyMatch::Begins,
            (true, true) => KeyMatch::Exact,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum KeyMatch {
    None,
    /// The keys that are held, without the last one.
    Begins,
    Exact,
}

/// Returns the commands that a query finds, of all desks and without keys, too, in two columns of similar height.
fn found(keymap: &Keymap, query: &Query) -> [Vec<KeyGroup>; 2] {
    let key_match = |command: Command| {
        let matches = keymap.shortcuts(command).iter().map(|keys| query.matches_keys(*keys));
        matches.max().unwrap_or(KeyMatch::None)
    };
    let commands = || Command::ALL.iter().copied();
    let best = commands().map(key_match).max().unwrap_or(KeyMatch::None);
    let is_found = |command: &Command| {
        let keys = key_match(*command);
        // Only the best matches by key: `Ctrl D` must not list all commands with Ctrl.
        keys != KeyMatch::None && keys == best || query.matches_name(command.name())
    };
    let groups: Vec<KeyGroup> = CommandSection::ALL
        .iter()
        .map(|section| KeyGroup {
            icon: icons::section(*section),
            name: section.name(),
            note: section.desk().map_or("", Desk::name),
            rows: commands()
                .filter(|command| command.section() == *section && is_found(command))
                .map(|c| row(keymap, c))
                .collect(),
        })
        .filter(|group| !group.rows.is_empty())
        .collect();
    // About two rows for the heading and the space above it.
    let height = |group: &KeyGroup| group.rows.len() + 2;
    let total: usize = groups.iter().map(height).sum();
    let mut columns = [Vec::new(), Vec::new()];
    let mut used_rows = 0;
    for group in groups {
        // In order, not balanced: groups stay where their order leads the eye.
        let column = usize::from(used_rows * 2 >= total);
        used_rows += height(&group);
        columns[column].push(group);
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::{EngineEvent, ProjectInfo, Remembered};
    use workbench::Action;

    fn open() -> Workbench {
        let mut workbench = Workbench::new(Remembered::default());
        workbench
            .receive(EngineEvent::ScanStarted { generation: 1, project: ProjectInfo::default() });
        workbench
    }

    fn describe(groups: &[KeyGroup]) -> String {
        let mut text = String::new();
        for group in groups {
            text += format!("# {} {}", group.name, group.note).trim_end();
            text += "\n";
            for row in &group.rows {
                let keys: Vec<String> = row.keys.iter().map(|caps| caps.join(" ")).collect();
                text += &format!("{}: {}\n", row.name, keys.join(" or "));
            }
        }
        text
    }

    fn find(query: &str) -> String {
        let sheet = KeysSheet { query: query.to_owned(), ..KeysSheet::default() };
        let data = KeysData::new(&open(), &sheet);
        assert_eq!(data.desk, None);
        describe(&data.columns.concat())
    }

    #[test]
    fn the_keys_of_the_present_desk_come_first_and_those_of_others_are_left_out() {
        let mut workbench = open();
        let data = KeysData::new(&workbench, &KeysSheet::default());
        insta::assert_snapshot!(describe(data.desk.as_slice()), @"
        # Library this desk
        Open selected row: Enter
        Filter list: /
        View options: v
        Next column: →
        Previous column: ←
        Mark for comparison: m
        Unfold or fold: Space
        First finding: Alt 1
        Second finding: Alt 2
        Third finding: Alt 3
        Map: M
        Group by folder: g
        Play set or cassette: p
        Copy path: Ctrl Shift C
        Then and now: Ctrl D
        Compare side by side: c
        Show or hide inspector: Ctrl I
        Show or hide full prompt: e
        Edit decoded body: d
        ");
        insta::assert_snapshot!(describe(&data.columns.concat()), @"
        # Go to
        File or command…: Ctrl Shift P or Ctrl K
        Desk 1 to 9: Ctrl 1–9
        Path…: Ctrl L
        Back: Alt ←
        Forward: Alt →
        Close panel: Esc
        Next problem: F8
        Previous problem: Shift F8
        # Lists
        Next row: j or ↓
        Previous row: k or ↑
        Page down: PageDown
        Page up: PageUp
        First row: Home
        Last row: End
        Not a recording: x
        Open in editor: F4
        # File
        Open folder…: Ctrl O
        Open files…: Ctrl Shift O
        New window: Ctrl Shift N
        Import incident…: Ctrl Shift I
        Reload: Ctrl R or F5
        Save: Ctrl S
        Save all: Ctrl Alt S
        Save as…: Ctrl Shift S
        Show unsaved changes: Ctrl Shift U
        Close project: Ctrl W
        Quit: Ctrl Q
        # Edit
        Undo: Ctrl Z
        Redo: Ctrl Shift Z or Ctrl Y
        Edit history: Ctrl Shift H
        Find: Ctrl F
        Find and replace: Ctrl H
        Replace in files…: Ctrl Alt H
        Next match: F3
        Previous match: Shift F3
        # Window
        Record again…: a
        Show or hide terminal: Ctrl J
        Settings: Ctrl ,
        Keyboard shortcuts: F1 or ?
        ");

        drop(workbench.apply(Action::Go(Desk::Review)));
        let data = KeysData::new(&workbench, &KeysSheet::default());
        insta::assert_snapshot!(describe(data.desk.as_slice()), @"
        # Review this desk
        Open selected row: Enter
        View options: v
        Next change: n
        Previous change: p
        Side by side or unified: V
        Next group: J
        Previous group: K
        Accept: a
        Reject: r
        Keep old noise: o
        Skip: s
        Discuss: d
        Accept group: A
        Reject group: R
        Keep old noise of group: O
        Discuss group: D
        Accept lane: Alt A
        Reject lane: Alt R
        Keep old noise of lane: Alt O
        Undo decision: u
        Apply decisions…: Ctrl Enter
        ");
    }

    #[test]
    fn the_keys_of_another_desk_are_shown_on_request() {
        let sheet = KeysSheet { desk: Some(Desk::Live), ..KeysSheet::default() };
        let data = KeysData::new(&open(), &sheet);
        insta::assert_snapshot!(describe(data.desk.as_slice()), @r"
        # Live
        Open selected row: Enter
        Answer with tool call: t
        Answer with text: w
        Answer with nearest recording: r
        Answer with rule: u
        Write the answer: Ctrl Enter
        Save as rule…: R
        Compare with nearest recording: d
        Record calls…: Ctrl Alt R
        Serve tapes and sets…: Ctrl Alt V
        Copy base URL: Ctrl Alt B
        ");
        assert!(data.others.contains(&Desk::Library));
    }

    #[test]
    fn a_name_or_keys_find_a_command_of_any_desk() {
        insta::assert_snapshot!(find("fault"), @r"
        # Session Sessions
        Inject fault…: f
        ");
        insta::assert_snapshot!(find("Ctrl+D"), @"
        # Compare
        Then and now: Ctrl D
        ");
        insta::assert_snapshot!(find("ctrl alt"), @r"
        # File
        Save all: Ctrl Alt S
        # Edit
        Replace in files…: Ctrl Alt H
        # Live Live
        Record calls…: Ctrl Alt R
        Serve tapes and sets…: Ctrl Alt V
        Copy base URL: Ctrl Alt B
        ");
        insta::assert_snapshot!(find("alt left"), @r"
        # Go
        Back: Alt ←
        ");
        insta::assert_snapshot!(find("nothing like it"), @"");
    }
}
