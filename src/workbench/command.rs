//! Every command, declared once: name, meaning, keys, and when it can be used.
//!
//! Menus, the palette, the keyboard and the README's table of keys are all made from these declarations.

use std::fmt;

use super::navigation::Desk;
use super::state::Workbench;

/// A key on the keyboard, as it is written on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    /// A letter, digit or sign, lower case.
    Char(char),
    /// A function key.
    F(u8),
    /// Down arrow.
    Down,
    /// Up arrow.
    Up,
    /// Left arrow.
    Left,
    /// Right arrow.
    Right,
    /// Page down.
    PageDown,
    /// Page up.
    PageUp,
    /// Home.
    Home,
    /// End.
    End,
    /// Enter.
    Enter,
    /// Escape.
    Escape,
    /// Delete.
    Delete,
}

/// A key with what is held down beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shortcut {
    /// With Ctrl (Command on a Mac).
    pub ctrl: bool,
    /// With Shift.
    pub shift: bool,
    /// With Alt.
    pub alt: bool,
    /// The key.
    pub key: Key,
}

impl Shortcut {
    const fn plain(key: Key) -> Self {
        Self {
            ctrl: false,
            shift: false,
            alt: false,
            key,
        }
    }

    const fn shift(key: Key) -> Self {
        Self {
            shift: true,
            ..Self::plain(key)
        }
    }

    const fn ctrl(key: char) -> Self {
        Self {
            ctrl: true,
            ..Self::plain(Key::Char(key))
        }
    }

    const fn ctrl_key(key: Key) -> Self {
        Self {
            ctrl: true,
            ..Self::plain(key)
        }
    }

    const fn ctrl_shift(key: char) -> Self {
        Self {
            shift: true,
            ..Self::ctrl(key)
        }
    }

    const fn ctrl_alt(key: char) -> Self {
        Self {
            alt: true,
            ..Self::ctrl(key)
        }
    }

    const fn alt(key: Key) -> Self {
        Self {
            alt: true,
            ..Self::plain(key)
        }
    }

    const fn alt_shift(key: Key) -> Self {
        Self {
            shift: true,
            ..Self::alt(key)
        }
    }

    /// True for keys that are also typed as text, so that they must not act while a field has the focus.
    pub fn is_typed(self) -> bool {
        !self.ctrl && !self.alt && !matches!(self.key, Key::F(_) | Key::Escape)
    }

    /// What stands on the key caps, in order: `["Ctrl", "Shift", "P"]`.
    pub fn caps(self) -> Vec<String> {
        // A capital letter says it shorter.
        let is_capital = self.shift
            && !self.ctrl
            && !self.alt
            && matches!(self.key, Key::Char(c) if c.is_ascii_lowercase());
        let held = [
            (self.ctrl, "Ctrl"),
            (self.alt, "Alt"),
            (self.shift && !is_capital, "Shift"),
        ];
        let mut caps: Vec<String> = held
            .iter()
            .filter(|(on, _)| *on)
            .map(|(_, cap)| (*cap).to_owned())
            .collect();
        caps.push(match self.key {
            Key::Char(' ') => "Space".to_owned(),
            Key::Char(c) if self.ctrl || is_capital => c.to_uppercase().to_string(),
            Key::Char(c) => c.to_string(),
            Key::F(number) => format!("F{number}"),
            Key::Down => "↓".to_owned(),
            Key::Up => "↑".to_owned(),
            Key::Left => "←".to_owned(),
            Key::Right => "→".to_owned(),
            Key::PageDown => "PageDown".to_owned(),
            Key::PageUp => "PageUp".to_owned(),
            Key::Home => "Home".to_owned(),
            Key::End => "End".to_owned(),
            Key::Enter => "Enter".to_owned(),
            Key::Escape => "Esc".to_owned(),
            Key::Delete => "Delete".to_owned(),
        });
        caps
    }
}

impl fmt::Display for Shortcut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.caps().join("+"))
    }
}

/// Under which heading a command stands in menus and in the table of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Section {
    /// Opening, closing, reading.
    File,
    /// Edits and the way back.
    Edit,
    /// Moving between desks and views.
    Go,
    /// Lists and what is selected in them.
    List,
    /// A tape and its playhead.
    Tape,
    /// A session and its tool responses.
    Session,
    /// Two things side by side.
    Compare,
    /// Takes made anew, and what is decided about them.
    Review,
    /// Programs that run now, and what they are told.
    Live,
    /// Commands outside.
    Run,
    /// Looks and help.
    Window,
}

impl Section {
    /// The sections in the order of the menu.
    pub const ALL: &[Self] = &[
        Self::File,
        Self::Edit,
        Self::Go,
        Self::List,
        Self::Tape,
        Self::Session,
        Self::Compare,
        Self::Review,
        Self::Live,
        Self::Run,
        Self::Window,
    ];

    /// The desk that has the letters of its commands for itself; `None` where they are heard everywhere.
    pub fn desk(self) -> Option<Desk> {
        match self {
            Self::Tape => Some(Desk::Tapes),
            Self::Session => Some(Desk::Sessions),
            Self::Review => Some(Desk::Review),
            Self::Live => Some(Desk::Live),
            _ => None,
        }
    }

    /// The heading.
    pub fn name(self) -> &'static str {
        match self {
            Self::File => "File",
            Self::Edit => "Edit",
            Self::Go => "Go",
            Self::List => "List",
            Self::Tape => "Tape",
            Self::Session => "Session",
            Self::Compare => "Compare",
            Self::Review => "Review",
            Self::Live => "Live",
            Self::Run => "Run",
            Self::Window => "Window",
        }
    }
}

/// What is declared of a command.
struct Declaration {
    section: Section,
    name: &'static str,
    tooltip: &'static str,
    shortcuts: &'static [Shortcut],
}

macro_rules! commands {
    ($($(#[doc = $doc:literal])+ $variant:ident = $section:ident $name:literal [$($shortcut:expr),*];)*) => {
        /// Something that can be done by name, from a menu, the palette or the keyboard.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Command {
            $($(#[doc = $doc])+ $variant,)*
        }

        impl Command {
            /// Every command, in the order of the menu.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            fn declaration(self) -> &'static Declaration {
                match self {
                    $(Self::$variant => {
                        const DECLARATION: &Declaration = &Declaration {
                            section: Section::$section,
                            name: $name,
                            tooltip: concat!($($doc),+).trim_ascii_start(),
                            shortcuts: &[$($shortcut),*],
                        };
                        DECLARATION
                    })*
                }
            }
        }
    };
}

use Key::{Char, Down, End, Enter, Escape, F, Home, Left, PageDown, PageUp, Right, Up};
use Shortcut as S;

commands! {
    /// Opens a folder of recordings, sessions, tapes or seeds in place of what is open.
    OpenFolder = File "Open a folder…" [S::ctrl('o')];
    /// Opens single files in place of what is open.
    OpenFiles = File "Open files…" [S::ctrl_shift('o')];
    /// Makes sessions of an incident: a Flakestorm report, LangSmith runs, recordings, an HTTP archive, a failure log or a text. Shows them before anything is written.
    ImportIncident = File "Import an incident…" [S::ctrl_shift('i')];
    /// Fetches runs from LangSmith, one by its id or those of a project, and makes sessions of them. Asks nothing of it before you say so; shows the sessions before anything is written.
    ImportFromLangSmith = File "Import from LangSmith…" [];
    /// Reads everything that is open again from disk.
    Reload = File "Read again" [S::ctrl('r'), S::plain(F(5))];
    /// Stops reading; what was read stays.
    CancelReading = File "Stop reading" [];
    /// Writes the selected document to its file. What others changed there meanwhile is never overwritten.
    Save = File "Save" [S::ctrl('s')];
    /// Writes everything that is unsaved; what cannot be written stays open, with the reason.
    SaveAll = File "Save all" [S::ctrl_alt('s')];
    /// Writes the selected document's text to another file.
    SaveAs = File "Save as…" [S::ctrl_shift('s')];
    /// Takes all unsaved edits of the selected document back; undo brings them again.
    Revert = File "Revert to what is on disk" [];
    /// Shows every unsaved document with the lines that would change on disk.
    ShowUnsaved = File "Show unsaved changes" [S::ctrl_shift('u')];
    /// Offers the unsaved edits that an earlier run of the program has left.
    ShowRecovered = File "Show recovered edits" [];
    /// Closes what is open and shows the start page.
    CloseProject = File "Close the project" [S::ctrl('w')];
    /// Closes the window.
    Quit = File "Quit" [S::ctrl('q')];

    /// Takes the latest edit back, in whatever document it was made.
    Undo = Edit "Undo" [S::ctrl('z')];
    /// Does what was undone again.
    Redo = Edit "Redo" [S::ctrl_shift('z'), S::ctrl('y')];
    /// Shows every edit in the order it was made, to go back to any of them.
    ShowHistory = Edit "History of edits" [S::ctrl_shift('h')];
    /// Finds words in the text that is shown; where none is, filters the list.
    Find = Edit "Find" [S::ctrl('f')];
    /// Finds words in the text of the selected item and puts others in their place.
    FindAndReplace = Edit "Find and replace" [S::ctrl('h')];
    /// Goes to the next place where the words were found.
    FindNext = Edit "Next match" [S::plain(F(3))];
    /// Goes to the place before.
    FindPrevious = Edit "Previous match" [S::shift(F(3))];

    /// Finds any command, file or problem by a few letters of its name.
    ShowPalette = Go "Go to a file, problem or command…" [S::ctrl_shift('p'), S::ctrl('k')];
    /// Shows everything that is open, one row an item.
    GoLibrary = Go "Library" [S::ctrl('1')];
    /// Shows what a client serves for each request, and why.
    GoPlayback = Go "Playback" [S::ctrl('2')];
    /// Shows tapes along the axis of their time, plays and cuts them.
    GoTapes = Go "Tapes" [S::ctrl('3')];
    /// Shows sessions as forms and as text, with the contract each has to keep.
    GoSessions = Go "Sessions" [S::ctrl('4')];
    /// Shows what a memory provider is seeded with, and which seed answers a call.
    GoSeeds = Go "Seeds" [S::ctrl('5')];
    /// Shows takes that were made anew, in groups of those that changed in the same way, to be decided.
    GoReview = Go "Review" [S::ctrl('6')];
    /// Shows everything that is wrong, by rule.
    GoProblems = Go "Problems" [S::ctrl('7')];
    /// Shows programs that run now: who waits for an answer, and what is recorded or served.
    GoLive = Go "Live" [S::ctrl('8')];
    /// Shows the sources that recordings were made from: what became of each, and whom that touches.
    GoSources = Go "Sources" [];
    /// Goes back to where you were.
    Back = Go "Back" [S::alt(Left)];
    /// Goes forward again.
    Forward = Go "Forward" [S::alt(Right)];
    /// Closes what lies on top, one thing a press. Decides nothing.
    Close = Go "Close what is on top" [S::plain(Escape)];
    /// Goes to the next problem, whatever desk is shown.
    NextProblem = Go "Next problem" [S::plain(F(8))];
    /// Goes to the problem before.
    PreviousProblem = Go "Previous problem" [S::shift(F(8))];

    /// Puts the cursor into the filter of the list.
    FocusFilter = List "Filter the list" [S::plain(Char('/'))];
    /// Shows every item again.
    ClearFilter = List "Clear the filter" [];
    /// Selects the row below.
    NextRow = List "Next row" [S::plain(Char('j')), S::plain(Down)];
    /// Selects the row above.
    PreviousRow = List "Previous row" [S::plain(Char('k')), S::plain(Up)];
    /// Selects the row a page further down; among problems, the next rule.
    NextPage = List "Page down" [S::plain(PageDown)];
    /// Selects the row a page further up; among problems, the rule before.
    PreviousPage = List "Page up" [S::plain(PageUp)];
    /// Goes one to the right: to the next seed, or on a tape to the next chunk.
    NextColumn = List "Next column" [S::plain(Right)];
    /// Goes one to the left: to the seed before, or on a tape to the chunk before.
    PreviousColumn = List "Previous column" [S::plain(Left)];
    /// Selects the first row; on a tape, goes to its start.
    FirstRow = List "First row" [S::plain(Home)];
    /// Selects the last row; on a tape, goes to its end.
    LastRow = List "Last row" [S::plain(End)];
    /// Opens the selected row: the place of a problem or seed, the recording that answers a call, a tool response, a stale source side by side, else the inspector.
    OpenSelected = List "Open the selected row" [S::plain(Enter)];
    /// Marks the selected row as the other side of a comparison, or takes the mark away.
    MarkSelected = List "Mark for comparing" [S::plain(Char('m'))];
    /// Shows only items whose source changed.
    ShowStale = List "Show only stale recordings" [];
    /// Shows only items with an error or a warning.
    ShowProblems = List "Show only items with problems" [];
    /// Shows only recordings without source metadata.
    ShowUnstamped = List "Show only unstamped recordings" [];
    /// Puts rows under the folders they lie in, or no longer.
    GroupByFolder = List "Group by folder" [S::plain(Char('g'))];
    /// Puts rows under how they stand, or no longer.
    GroupByStatus = List "Group by status" [];
    /// Adds or renews the signature and the source of the selected recording, and of the marked one; shows it before it is saved.
    Stamp = List "Stamp with its source…" [];
    /// The same for every recording that is listed.
    StampListed = List "Stamp all that are listed…" [];
    /// Plays the requests of the selected recording's set against the set itself.
    CheckSet = List "Play its set against itself" [];
    /// Serves from the selected recording's set; which requests are played is chosen at the playback desk.
    ServeFromSet = List "Play requests against its set" [];
    /// Takes the log of a failed playback, and shows what was asked and why nothing answered.
    ReadLog = List "Paste a failure log…" [];
    /// Begins another seed, for the call that is looked up.
    NewSeed = List "New seed…" [];
    /// Copies the selected seed as a call for test code.
    CopySeed = List "Copy as TypeScript" [];
    /// Writes the new path of a renamed source into the recordings made from it; shows them before they are saved.
    RepathSource = List "Rewrite the path of its source…" [];
    /// Renews what recordings keep of a source that they still fit; shows them before they are saved.
    RestampSource = List "Restamp what still fits its source…" [];
    /// Copies the path of the selected item.
    CopyPath = List "Copy the path" [S::ctrl_shift('c')];

    /// Makes a tape of a saved response, a text or a recording, and shows it before it is saved.
    NewTape = Tape "New tape…" [S::ctrl('n')];
    /// Makes a tape of the selected recording's answer, and shows it before it is saved.
    TapeOfRecording = Tape "Make a tape of this recording…" [];
    /// Plays the tape in its own time, or pauses.
    PlayTape = Tape "Play or pause" [S::plain(Char(' '))];
    /// Plays the chosen range, or the whole tape, again and again.
    LoopTape = Tape "Loop" [S::plain(Char('l'))];
    /// Goes on to where a wait of more than a minute ends.
    SkipWait = Tape "Skip the long wait" [];
    /// Shows half as much of the tape, about the playhead.
    ZoomIn = Tape "Zoom in" [S::plain(Char('+'))];
    /// Shows twice as much of the tape.
    ZoomOut = Tape "Zoom out" [S::plain(Char('-'))];
    /// Shows the whole tape.
    FitTape = Tape "Fit the whole tape" [];
    /// Draws what is shown of the tape into a file: SVG or PNG, as its name ends.
    ExportPicture = Tape "Export picture…" [S::ctrl_shift('e')];
    /// Lays another take over the tape, in step by what both say, and tells what differs.
    LayTake = Tape "Lay another take over…" [S::plain(Char('o'))];
    /// Says whether a request is the one that the tape was made for, and where it differs.
    VerifyRequest = Tape "Verify a request…" [S::plain(Char('r'))];
    /// Lets the chunk at the playhead, or the chosen range, come a millisecond later, and all behind it.
    LaterChunk = Tape "1 ms later" [S::shift(Right)];
    /// Lets the chunk at the playhead, or the chosen range, come a millisecond earlier, and all behind it.
    EarlierChunk = Tape "1 ms earlier" [S::shift(Left)];
    /// Lets the chunk at the playhead, or the chosen range, come 10 milliseconds later, and all behind it.
    MuchLaterChunk = Tape "10 ms later" [S::alt_shift(Right)];
    /// Lets the chunk at the playhead, or the chosen range, come 10 milliseconds earlier, and all behind it.
    MuchEarlierChunk = Tape "10 ms earlier" [S::alt_shift(Left)];

    /// Offers what can go wrong with the selected tool response; a digit puts it in.
    PutFault = Session "Put a fault in…" [S::plain(Char('f'))];
    /// Moves the selected tool response up.
    MoveResponseUp = Session "Move the tool response up" [S::alt(Up)];
    /// Moves the selected tool response down.
    MoveResponseDown = Session "Move the tool response down" [S::alt(Down)];
    /// Adds a tool response behind the selected one, or at the end.
    AddResponse = Session "Add a tool response" [S::plain(Char('a'))];
    /// Puts a copy of the selected tool response behind it.
    DuplicateResponse = Session "Duplicate the tool response" [S::plain(Char('d'))];
    /// Deletes the selected tool response; undo brings it back.
    DeleteResponse = Session "Delete the tool response" [S::plain(Key::Delete)];
    /// Makes a session of the recordings that are selected, else of all in the set of the one that is; of a failure log at the playback desk. Shows it before anything is written.
    MakeSession = Session "Make a session of it…" [];
    /// Shows the drafts again that were imported last.
    ShowImport = Session "Show the drafts of the last import" [];
    /// Takes the draft along when the others are saved, or leaves it.
    TakeDraft = Session "Take or leave the draft" [S::plain(Char('t'))];
    /// Puts a word in place of every secret of the drafts, the same word wherever it stands.
    RedactSecrets = Session "Redact all secrets" [S::ctrl('e')];
    /// Shows or hides the list of sessions.
    ToggleSessions = Session "Show or hide the list of sessions" [];
    /// Shows how the session's file would be listed in the configuration, and lists it when you say so.
    AddToConfig = Session "Add to config…" [];
    /// Chooses the answer that the session's contract is tried on: a recorded one, or one of your own.
    ChooseAnswer = Session "Try the contract on an answer…" [];
    /// Shows the command that runs the session by flakestorm; it runs when you say so.
    RunSession = Session "Run the session…" [];
    /// Shows the commands that run all sessions of its folder.
    RunFolder = Session "Run all sessions of its folder…" [];
    /// Copies the command that runs the session.
    CopyRunCommand = Session "Copy the command that runs the session" [];

    /// Shows the source of the selected recording as it was recorded and as it is now.
    ThenAndNow = Compare "Show stale source then and now" [S::ctrl('d')];
    /// Shows the selected and the marked item side by side.
    CompareSelected = Compare "Compare side by side" [S::plain(Char('c'))];
    /// Goes to the next change, or difference of takes and requests; at the playback desk to the next call with a wrong answer.
    NextChange = Compare "Next change" [S::plain(Char('n'))];
    /// Goes to the change before; at the playback desk to the wrong answer before.
    PreviousChange = Compare "Previous change" [S::plain(Char('p'))];
    /// Puts the left side at the right and the right side at the left.
    SwapSides = Compare "Swap sides" [S::plain(Char('x'))];
    /// Changes between two sides and one text with both.
    TogglePane = Compare "Sides or unified" [S::plain(Char('v'))];

    /// Takes what is on disk at the place in focus.
    TakeTheirs = Compare "Take theirs here" [S::plain(Char('1'))];
    /// Takes what was edited here at the place in focus.
    TakeOurs = Compare "Take ours here" [S::plain(Char('2'))];
    /// Takes neither at the place in focus: it stays as it was read.
    TakeBase = Compare "Take neither here" [S::plain(Char('3'))];
    /// Writes one text made of all versions, as chosen.
    MergeAndSave = Compare "Merge and save" [];

    /// Keeps the new take of the selected pair; what was taken in part stays so.
    AcceptPair = Review "Accept" [S::plain(Char('a'))];
    /// Puts the old bytes of the selected pair back when decisions are applied.
    RejectPair = Review "Reject" [S::plain(Char('r'))];
    /// Leaves the selected pair for later.
    SkipPair = Review "Skip" [S::plain(Char('s'))];
    /// Keeps the new takes of all that is undecided in the group.
    AcceptGroup = Review "Accept all of the group" [S::shift(Char('a'))];
    /// Puts the old bytes of all that is undecided in the group back.
    RejectGroup = Review "Reject all of the group" [S::shift(Char('r'))];
    /// Keeps the new takes of everything that is undecided, in whatever group.
    AcceptRest = Review "Accept the rest" [];
    /// Puts the old bytes of everything that is undecided back, in whatever group.
    RejectRest = Review "Reject the rest" [];
    /// Takes the latest decision back, however many pairs it was about.
    UndoDecision = Review "Undo the decision" [S::plain(Char('u'))];
    /// Shows what the decisions write to files; nothing is written before.
    ApplyDecisions = Review "Apply the decisions…" [];
    /// Sets differences like the change in focus aside, by a rule in the project's file.
    IgnoreLikeThis = Review "Ignore differences like this…" [];
    /// Pairs and compares all takes anew.
    LookAgain = Review "Look at the takes again" [];
    /// Chooses what the takes are compared with: a revision of git, a folder, pending takes, a file.
    ChooseAgainst = Review "Review against…" [];
    /// Shows the command that opens the selected pair in the diff tool of the project or of git.
    OpenDifftool = Review "Open in your own diff tool…" [];

    /// Watches a folder in which programs wait for an answer.
    WatchQueue = Live "Watch a queue…" [];
    /// Watches the queue no longer at which the shown request waits.
    StopWatching = Live "Stop watching the queue" [];
    /// Answers by calling a tool.
    AnswerByTool = Live "Answer by a tool" [S::plain(Char('t'))];
    /// Answers by words.
    AnswerByText = Live "Answer by a text" [S::plain(Char('w'))];
    /// Answers as a recording that comes near.
    AnswerByRecording = Live "Answer by the nearest recording" [S::plain(Char('r'))];
    /// Answers by the first of the project's rules that fits.
    AnswerByRule = Live "Answer by a rule" [S::plain(Char('u'))];
    /// Writes the answer for the program that waits, whole at once.
    WriteAnswer = Live "Write the answer" [S::ctrl_key(Enter)];
    /// Makes a rule of the answer, and shows what is added to the project's file.
    KeepAsRule = Live "Keep as rule…" [];
    /// Shows the request and the nearest recording side by side.
    CompareNearest = Live "Compare with nearest" [S::plain(Char('d'))];
    /// Stands between a client and a model, and keeps each call as a tape; shows the form first.
    RecordCalls = Live "Record calls…" [S::ctrl_alt('r')];
    /// Ends the recorder; calls that are under way are kept as far as they came.
    StopRecording = Live "Stop recording" [];
    /// Plays tapes and recording sets to real clients at a local address; shows the form first.
    ServeCalls = Live "Serve tapes and sets…" [S::ctrl_alt('v')];
    /// The same for the selected tape, or for the set of the selected recording.
    ServeSelected = Live "Serve the selected tape or set…" [];
    /// Ends the server; calls that are under way break off.
    StopServing = Live "Stop serving" [];
    /// Copies what points a client's SDK at the server, or at the recorder.
    CopyBaseUrl = Live "Copy the base URL" [S::ctrl_alt('b')];

    /// Shows the project's command for every recording that a request made today would not match; it runs when you say so.
    Regenerate = Run "Regenerate what breaks…" [];
    /// The same for the selected recording, and for the marked one.
    RegenerateSelected = Run "Regenerate the selected…" [];
    /// Stops the command that runs, with all it started.
    StopCommand = Run "Stop the running command" [];
    /// Shows or hides what commands say.
    ToggleTerminal = Run "Show or hide the terminal" [S::ctrl('j')];

    /// Shows or hides the inspector.
    ToggleInspector = Window "Show or hide the inspector" [S::ctrl('i')];
    /// Changes between dark and light.
    ToggleTheme = Window "Dark or light" [];
    /// Shows every key.
    ShowKeys = Window "Keys" [S::plain(F(1)), S::plain(Char('?'))];
}

impl Command {
    /// The name in menus and in the palette; `…` when more input follows.
    pub fn name(self) -> &'static str {
        self.declaration().name
    }

    /// What it does, in a sentence.
    pub fn tooltip(self) -> &'static str {
        self.declaration().tooltip
    }

    /// The keys that run it; the first is the one shown.
    pub fn shortcuts(self) -> &'static [Shortcut] {
        self.declaration().shortcuts
    }

    /// The heading it stands under.
    pub fn section(self) -> Section {
        self.declaration().section
    }

    /// Whether it can be used now; if not, the reason in a few words.
    pub fn enabled(self, workbench: &Workbench) -> Result<(), &'static str> {
        workbench.can_run(self)
    }
}

/// The table of keys as Markdown, for the README.
pub fn keys_markdown() -> String {
    let mut table = "| key | what it does |\n| --- | --- |\n".to_owned();
    for section in Section::ALL {
        let commands = Command::ALL
            .iter()
            .filter(|command| command.section() == *section);
        for command in commands.filter(|command| !command.shortcuts().is_empty()) {
            let keys: Vec<String> = command
                .shortcuts()
                .iter()
                .map(|keys| format!("`{keys}`"))
                .collect();
            table += &format!("| {} | {} |\n", keys.join(" or "), command.tooltip());
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn no_two_commands_share_a_key_or_a_name() {
        let (mut keys, mut names) = (HashMap::new(), HashMap::new());
        for command in Command::ALL {
            assert_eq!(names.insert(command.name(), command), None, "{command:?}");
            for shortcut in command.shortcuts() {
                // Commands of one desk alone may share a key with those of another.
                let desk = command.section().desk();
                let other = keys.insert((shortcut, desk), command);
                assert_eq!(other, None, "{shortcut} is taken twice");
            }
        }
        for (shortcut, desk) in keys.keys().filter(|(_, desk)| desk.is_some()) {
            let everywhere = keys.get(&(*shortcut, None));
            assert_eq!(
                everywhere, None,
                "{shortcut} of {desk:?} is taken everywhere"
            );
        }
    }

    #[test]
    fn key_caps_are_written_as_people_say_them() {
        assert_eq!(
            Command::ShowPalette.shortcuts()[0].to_string(),
            "Ctrl+Shift+P"
        );
        assert_eq!(
            Command::PreviousProblem.shortcuts()[0].to_string(),
            "Shift+F8"
        );
        assert_eq!(Command::NextChange.shortcuts()[0].to_string(), "n");
    }
}
