//! The declarations of all commands: section, name, tooltip and keys.

use super::keys::Shortcut as S;
use super::keys::ShortcutKey::{
    Char, Delete, Down, End, Enter, Escape, F, Home, Insert, Left, PageDown, PageUp, Right, Up,
};

/// The declaration of a command.
pub(super) struct Declaration {
    pub(super) section: CommandSection,
    pub(super) name: &'static str,
    /// The name of its variant.
    pub(super) variant: &'static str,
    /// The Lucide name.
    pub(super) icon: &'static str,
    pub(super) tooltip: &'static str,
    pub(super) shortcuts: &'static [S],
}

macro_rules! commands {
    ($($(#[doc = $about:literal])+ $section:ident {
        $($(#[doc = $doc:literal])+ $variant:ident $name:literal $icon:literal [$($shortcut:expr),*];)*
    })*) => {
        /// A command in a menu, the palette or on the keyboard.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Command {
            $($($(#[doc = $doc])+ $variant,)*)*
        }

        /// The section that a command is listed in, in menus and in the table of keys.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum CommandSection {
            $($(#[doc = $about])+ $section,)*
        }

        impl CommandSection {
            /// All sections, in the order of the menu.
            pub const ALL: &[Self] = &[$(Self::$section,)*];

            /// The heading.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$section => stringify!($section),)*
                }
            }
        }

        /// The commands of each section as an enum of their own, so that a section's `match` must handle all of them.
        #[expect(
            clippy::enum_variant_names,
            reason = "a variant has the same name here as in `Command`, where `GoLibrary` needs its prefix"
        )]
        pub(crate) mod by_section {
            $(#[derive(Clone, Copy)]
            pub(crate) enum $section {
                $($variant,)*
            })*
        }

        /// A command within its section.
        pub(crate) enum SectionCommand {
            $($section(by_section::$section),)*
        }

        impl Command {
            /// Every command, in the order of the menu.
            pub const ALL: &[Self] = &[$($(Self::$variant,)*)*];

            pub(crate) fn within(self) -> SectionCommand {
                match self {
                    $($(Self::$variant => SectionCommand::$section(by_section::$section::$variant),)*)*
                }
            }

            pub(super) fn declaration(self) -> &'static Declaration {
                match self {
                    $($(Self::$variant => {
                        // A constant, so that the reference is `'static`.
                        const DECLARATION: &Declaration = &Declaration {
                            section: CommandSection::$section,
                            name: $name,
                            variant: stringify!($variant),
                            icon: $icon,
                            tooltip: concat!($($doc),+).trim_ascii_start(),
                            shortcuts: &[$($shortcut),*],
                        };
                        DECLARATION
                    })*)*
                }
            }
        }
    };
}

commands! {
    /// Opening, closing, reading.
    File {
        /// Opens a folder of recordings, sessions, tapes or seeds and closes the current project.
        OpenFolder "Open folder…" "folder-open" [S::ctrl('o')];
        /// Opens single files and closes the current project.
        OpenFiles "Open files…" "file" [S::ctrl_shift('o')];
        /// Unpacks a small help desk project with its history into a temporary folder and opens it. The folder is deleted when the window closes.
        OpenSamples "Open the samples" "map" [];
        /// Opens another window without a project, beside this one.
        NewWindow "New window" "plus" [S::ctrl_shift('n')];
        /// Makes sessions from an incident: a Flakestorm report, transcripts and traces of agents, recordings, cassettes, an HTTP archive, a chat or a failure log. Shows them before anything is written.
        ImportIncident "Import incident…" "download" [S::ctrl_shift('i')];
        /// Fetches one run by its id, or the runs of a project, from LangSmith and makes sessions from them. Sends nothing until you confirm, and shows the sessions before anything is written.
        ImportFromLangSmith "Import from LangSmith…" "download" [];
        /// Reads all open files from disk again.
        Reload "Reload" "refresh-cw" [S::ctrl('r'), S::plain(F(5))];
        /// Stops reading, or searching the content of files. What is already read or found stays listed.
        CancelReading "Stop reading" "x" [];
        /// Writes the selected document to its file. Never overwrites changes that another program made to the file.
        Save "Save" "save" [S::ctrl('s')];
        /// Writes all unsaved documents. A document that cannot be written stays open and shows the reason.
        SaveAll "Save all" "save" [S::ctrl_alt('s')];
        /// Writes the text of the selected document to another file.
        SaveAs "Save as…" "save" [S::ctrl_shift('s')];
        /// Discards all unsaved edits of the selected document. Undo restores them.
        Revert "Revert to saved file" "undo-2" [];
        /// Shows every unsaved document with the lines that saving would change.
        ShowUnsaved "Show unsaved changes" "circle-dot" [S::ctrl_shift('u')];
        /// Shows unsaved edits that were recovered from an earlier run.
        ShowRecovered "Show recovered edits" "history" [];
        /// Shows the latest lines of the log, which stays on this computer.
        ShowLog "Show log" "file-text" [];
        /// Shows the report of the last crash. Sends nothing.
        ShowCrashReport "Show crash report" "triangle-alert" [];
        /// Closes all open files and shows the start page.
        CloseProject "Close project" "folder" [S::ctrl('w')];
        /// Closes the window.
        Quit "Quit" "log-out" [S::ctrl('q')];
    }

    /// Edits and undo.
    Edit {
        /// Undoes the latest edit, whichever document it is in.
        Undo "Undo" "undo-2" [S::ctrl('z')];
        /// Redoes the last undone edit.
        Redo "Redo" "redo-2" [S::ctrl_shift('z'), S::ctrl('y')];
        /// Shows all edits in order, so that you can go back to any of them.
        ShowHistory "Edit history" "history" [S::ctrl_shift('h')];
        /// Finds text in the document that is shown. Filters the list if no document is shown.
        Find "Find" "search" [S::ctrl('f')];
        /// Finds text in the selected item and replaces it.
        FindAndReplace "Find and replace" "replace" [S::ctrl('h')];
        /// Replaces text or values in all files. Shows every place before anything is changed.
        ReplaceInFiles "Replace in files…" "replace" [S::ctrl_alt('h')];
        /// Renames a tool, a node, a model or an id wherever files refer to it. Shows every place before anything is changed.
        RenameThroughout "Rename throughout…" "replace" [];
        /// Goes to the next match.
        FindNext "Next match" "arrow-down" [S::plain(F(3))];
        /// Goes to the previous match.
        FindPrevious "Previous match" "arrow-up" [S::shift(F(3))];
    }

    /// Moving between desks and views.
    Go {
        /// Finds any command, file or problem by a few letters of its name.
        ShowPalette "Go to a file or command…" "search" [S::ctrl_shift('p'), S::ctrl('k')];
        /// Opens a folder or a file by its path, which Tab completes.
        GoPath "Go to a path…" "folder-open" [S::ctrl('l')];
        /// Shows all open items, one per row.
        GoLibrary "Library" "library" [S::ctrl('1')];
        /// Shows which recording answers each request, and why.
        GoPlayback "Playback" "list-checks" [S::ctrl('2')];
        /// Shows tapes on a time axis, plays them and edits their timing.
        GoTapes "Tapes" "cassette-tape" [S::ctrl('3')];
        /// Shows sessions as forms and as text, with the contract of each session.
        GoSessions "Sessions" "messages-square" [S::ctrl('4')];
        /// Shows the seeds of a memory provider, and which seed answers a call.
        GoSeeds "Seeds" "sprout" [S::ctrl('5')];
        /// Shows re-recorded files in groups of similar changes, to accept or reject them.
        GoReview "Review" "git-compare" [S::ctrl('6')];
        /// Shows all problems, grouped by rule.
        GoProblems "Problems" "triangle-alert" [S::ctrl('7')];
        /// Shows running programs: requests that wait for an answer, and calls that are recorded or served.
        GoLive "Live" "radio" [S::ctrl('8')];
        /// Shows what a green run does not prove: skipped tests, recordings that nothing plays, empty answers.
        GoAudit "Audit" "shield-check" [S::ctrl('9')];
        /// Goes back to the previous view.
        Back "Back" "arrow-left" [S::alt(Left)];
        /// Goes forward to the view you came back from.
        Forward "Forward" "arrow-right" [S::alt(Right)];
        /// Closes the topmost panel, one at a time. Decides nothing.
        Close "Close panel" "x" [S::plain(Escape)];
        /// Goes to the next problem, on any desk.
        NextProblem "Next problem" "arrow-down" [S::plain(F(8))];
        /// Goes to the previous problem, on any desk.
        PreviousProblem "Previous problem" "arrow-up" [S::shift(F(8))];
    }

    /// Lists and what is selected in them.
    List {
        /// Moves the cursor to the filter of the list.
        FocusFilter "Filter list" "funnel" [S::plain(Char('/'))];
        /// Opens the menu of how the desk shows its content.
        OpenView "View options" "sliders-horizontal" [S::plain(Char('v'))];
        /// Removes the filter and shows every item.
        ClearFilter "Clear filter" "funnel" [];
        /// Selects the row below.
        NextRow "Next row" "arrow-down" [S::plain(Char('j')), S::plain(Down)];
        /// Selects the row above.
        PreviousRow "Previous row" "arrow-up" [S::plain(Char('k')), S::plain(Up)];
        /// Selects the row one page further down, or the next rule in the list of problems.
        NextPage "Page down" "chevron-down" [S::plain(PageDown)];
        /// Selects the row one page further up, or the previous rule in the list of problems.
        PreviousPage "Page up" "chevron-up" [S::plain(PageUp)];
        /// Goes to the next seed on the right, to the next chunk of a tape, the next call of a run or of the selected file, the next recording of a set, or the next version on the map.
        NextColumn "Next column" "arrow-right" [S::plain(Right)];
        /// Goes to the next seed on the left, to the previous chunk of a tape, the previous call of a run or of the selected file, the previous recording of a set, or the version before on the map.
        PreviousColumn "Previous column" "arrow-left" [S::plain(Left)];
        /// Selects the first row, or goes to the start of a tape.
        FirstRow "First row" "chevron-up" [S::plain(Home)];
        /// Selects the last row, or goes to the end of a tape.
        LastRow "Last row" "chevron-down" [S::plain(End)];
        /// Opens the selected row: the location of a problem or seed, the recording that answers a call, a failure of a run, a tool response, the recordings of a node on a map, or a stale source side by side. Opens the inspector for other rows.
        OpenSelected "Open selected row" "corner-down-left" [S::plain(Enter)];
        /// Marks the selected row as the other side of a comparison, or removes the mark.
        MarkSelected "Mark for comparison" "pin" [S::plain(Char('m'))];
        /// Lists the recordings of the selected set, or the calls of the selected file, below it, or hides them.
        Unfold "Unfold or fold" "chevrons-up-down" [S::plain(Char(' '))];
        /// Does what the first finding above the list offers.
        FirstFinding "First finding" "list-checks" [S::alt(Char('1'))];
        /// Does what the second finding above the list offers.
        SecondFinding "Second finding" "list-checks" [S::alt(Char('2'))];
        /// Does what the third finding above the list offers.
        ThirdFinding "Third finding" "list-checks" [S::alt(Char('3'))];
        /// Shows only recordings whose source changed.
        ShowStale "Show only stale recordings" "clock-alert" [];
        /// Shows only items with an error or a warning.
        ShowProblems "Show only items with problems" "triangle-alert" [];
        /// Shows only recordings without source metadata.
        ShowUnstamped "Show only unstamped recordings" "circle-dashed" [];
        /// Shows the machine of the selected recording as a map: its recordings at its nodes, in each version of the history.
        ShowMap "Map" "workflow" [S::shift(Char('m'))];
        /// Shows the recordings made from the source of the selected recording, by whether they still match.
        ShowSourceRecordings "Recordings" "file-play" [];
        /// Groups rows by folder, or removes the grouping.
        GroupByFolder "Group by folder" "list-tree" [S::plain(Char('g'))];
        /// Groups rows by status, or removes the grouping.
        GroupByStatus "Group by status" "list-tree" [];
        /// Adds or updates the signature and the source of the selected recording and of the marked one. Shows the changes before they are saved.
        Stamp "Stamp recording…" "stamp" [];
        /// Adds or updates the signature and the source of all listed recordings. Shows the changes before they are saved.
        StampListed "Stamp all listed recordings…" "stamp" [];
        /// Plays the set of the selected recording, or the selected cassette: the calls of a test in their order, and which recording answers each.
        PlaySet "Play set or cassette" "play" [S::plain(Char('p'))];
        /// Plays the requests of the selected recording's set against the set itself.
        CheckSet "Play set against itself" "list-checks" [];
        /// Plays requests against the set of the selected recording. Choose the requests on the playback desk.
        ServeFromSet "Play requests against this set" "list-checks" [];
        /// Reads the log of a failed playback, and shows which request failed and why nothing answered it.
        ReadLog "Paste failure log…" "clipboard-paste" [];
        /// Reads the logs and JUnit reports of a whole run, and groups its failures by cause.
        TriageRun "Triage a run…" "list-tree" [];
        /// Creates a seed for the call that is looked up.
        NewSeed "New seed…" "plus" [];
        /// Copies the selected seed as a call for test code.
        CopySeed "Copy as TypeScript" "file-code" [];
        /// Writes the new path of a renamed source to the recordings made from it. Shows the changes before they are saved.
        RepathSource "Update source path…" "file-symlink" [];
        /// Updates the source metadata of recordings that still match their source. Shows the changes before they are saved.
        RestampSource "Restamp matching recordings…" "stamp" [];
        /// Describes where in the selected file the requests and answers of its calls are, for all files of its format.
        DescribeFormat "Describe this format…" "file-braces" [];
        /// Adds to retake.toml that the selected file is no recording, although it has the shape of one. Undo removes it there.
        ExcludeFile "Not a recording" "eye-off" [S::plain(Char('x'))];
        /// Copies the path of the selected item.
        CopyPath "Copy path" "copy" [S::ctrl_shift('c')];
        /// Copies the path of the selected item with the selected call, chunk or line, quoted for a shell: `retake` opens it there.
        CopyLink "Copy link" "link" [];
        /// Opens the file of the selected item, at the selected problem, in the editor that you have set in settings.toml.
        OpenInEditor "Open in editor" "external-link" [S::plain(F(4))];
    }

    /// A playback and its fixes.
    Playback {
        /// Changes the recordings as the first fix for the selected call does, or for the selected cause of a run. Shows the changes before they are saved.
        FixPlayback "Fix playback…" "wrench" [S::plain(Char('f'))];
        /// Fixes all causes of a run. Shows the changes before they are saved.
        FixAllCauses "Fix all causes…" "wand-sparkles" [S::shift(Char('f'))];
        /// Shows the causes of the last run again.
        ShowTriage "Show last run" "list-tree" [];
        /// Saves the run, or the log of the played failure, as one page for any browser: each call, what was served and why, and the fix. Secrets are masked.
        ShareRun "Share run…" "upload" [];
    }

    /// A tape and its playhead.
    Tape {
        /// Makes a tape from a saved response, a text or a recording, and shows it before it is saved.
        NewTape "New tape…" "plus" [S::ctrl('n')];
        /// Makes a tape from the answer of the selected recording, and shows it before it is saved.
        TapeOfRecording "Make tape from recording…" "cassette-tape" [];
        /// Plays the tape or the run at its recorded timing, or pauses.
        PlayTape "Play or pause" "play" [S::plain(Char(' '))];
        /// Plays the selected range, or the whole tape, repeatedly.
        LoopTape "Loop" "repeat-2" [S::plain(Char('l'))];
        /// Skips to the end of a wait of more than a minute.
        SkipWait "Skip long wait" "skip-forward" [];
        /// Zooms in by a factor of two, around the playhead.
        ZoomIn "Zoom in" "zoom-in" [S::plain(Char('+'))];
        /// Zooms out by a factor of two, around the playhead.
        ZoomOut "Zoom out" "zoom-out" [S::plain(Char('-'))];
        /// Shows the whole tape or run.
        FitTape "Fit whole tape" "unfold-vertical" [];
        /// Saves the tape, the map of a machine or the strip of a run as an SVG file.
        ExportPicture "Save picture…" "image-down" [S::ctrl_shift('e')];
        /// Moves the chunk at the playhead, or the selected range, and all later chunks 1 ms later.
        LaterChunk "1 ms later" "arrow-right" [S::shift(Right)];
        /// Moves the chunk at the playhead, or the selected range, and all later chunks 1 ms earlier.
        EarlierChunk "1 ms earlier" "arrow-left" [S::shift(Left)];
        /// Moves the chunk at the playhead, or the selected range, and all later chunks 10 ms later.
        MuchLaterChunk "10 ms later" "arrow-right" [S::alt_shift(Right)];
        /// Moves the chunk at the playhead, or the selected range, and all later chunks 10 ms earlier.
        MuchEarlierChunk "10 ms earlier" "arrow-left" [S::alt_shift(Left)];
    }

    /// A session and its tool responses.
    Session {
        /// Shows the faults that can be injected into the selected tool response. Press a digit to choose one.
        PutFault "Inject fault…" "zap" [S::plain(Char('f'))];
        /// Moves the selected tool response up.
        MoveResponseUp "Move tool response up" "arrow-up" [S::alt(Up)];
        /// Moves the selected tool response down.
        MoveResponseDown "Move tool response down" "arrow-down" [S::alt(Down)];
        /// Adds a tool response after the selected one, or at the end, and edits its tool name.
        AddResponse "Add tool response" "plus" [S::plain(Char('a')), S::plain(Insert)];
        /// Edits the selected tool response, starting with its tool name. Tab moves to the next field.
        EditResponse "Edit tool response" "pencil" [S::plain(F(2))];
        /// Duplicates the selected tool response.
        DuplicateResponse "Duplicate tool response" "copy" [S::plain(Char('d'))];
        /// Deletes the selected tool response. Undo restores it.
        DeleteResponse "Delete tool response" "trash-2" [S::plain(Delete)];
        /// Makes a session from the selected recordings, from the whole set if one recording is selected, or from the failure log on the playback desk. Shows it before anything is written.
        MakeSession "Make session…" "messages-square" [];
        /// Shows the session drafts of the last import.
        ShowImport "Show last import" "download" [];
        /// Opens the menu of what an import becomes: sessions, or a fixture of one of the programs that play some.
        ChooseFixture "Make a fixture of…" "chevron-down" [S::plain(Char('m'))];
        /// Includes the draft when drafts are saved, or excludes it.
        ToggleDraft "Include or exclude draft" "square-check" [S::plain(Char('t'))];
        /// Replaces every secret in the drafts, the same secret always by the same placeholder.
        RedactSecrets "Redact all secrets" "eye-off" [S::ctrl('e')];
        /// Replaces the first undecided value of the drafts by a placeholder, everywhere.
        ReplaceSecret "Replace value" "eye-off" [S::plain(Char('r'))];
        /// Keeps the first undecided value of the drafts as it is.
        KeepSecret "Keep value" "eye" [S::plain(Char('o'))];
        /// Writes the fixture of the calls, or shows what writing the included drafts would change and writes them when you confirm.
        SaveSessions "Save import…" "save" [S::ctrl_key(Enter)];
        /// Shows the text of the session's file in place of its contract, or the contract again.
        ToggleSessionText "Show or hide YAML" "file-braces" [S::plain(Char('y'))];
        /// Shows how the session is added to the configuration, and adds it when you confirm.
        AddToConfig "Add to config…" "plus" [];
        /// Chooses the answer to test the session's contract on: a recorded answer or your own text.
        ChooseAnswer "Test contract on answer…" "clipboard-list" [];
        /// Shows the command that runs the session with flakestorm. Runs it when you confirm.
        RunSession "Run session…" "play" [];
        /// Shows the commands that run all sessions in the folder. Runs them when you confirm.
        RunFolder "Run all sessions in folder…" "play" [];
        /// Copies the command that runs the session.
        CopyRunCommand "Copy run command" "copy" [];
    }

    /// Problems and their fixes.
    Problem {
        /// Fixes all places of the selected rule, or of that of the selected item's worst problem. Shows the changes before they are saved.
        FixRule "Fix all places of the rule…" "wrench" [S::plain(Char('f'))];
        /// Fixes the selected problem, or the worst of the selected item that has a fix. Shows the changes before they are saved.
        FixProblem "Fix problem…" "wrench" [S::shift(Char('f'))];
    }

    /// Comparing two items.
    Compare {
        /// Shows the source of the selected recording, stale or not, at the time of recording and now.
        CompareSource "Then and now" "columns-2" [S::ctrl('d')];
        /// Compares the selected item with the marked item side by side.
        CompareSelected "Compare side by side" "columns-2" [S::plain(Char('c'))];
        /// Goes to the next change or difference, or to the next wrong answer on the playback desk, or to the next cause of a run.
        NextChange "Next change" "arrow-down" [S::plain(Char('n'))];
        /// Goes to the previous change or difference, or to the previous wrong answer on the playback desk, or to the previous cause of a run.
        PreviousChange "Previous change" "arrow-up" [S::plain(Char('p'))];
        /// Swaps the left side and the right side.
        SwapSides "Swap sides" "arrow-left-right" [S::plain(Char('x'))];
        /// Switches between two sides and one unified text.
        ToggleDiffLayout "Side by side or unified" "columns-2" [S::plain(Char('V'))];
        /// Renames the tool of the selected change in the recordings made from the source. Shows the changes before they are saved.
        RenameTool "Rename the tool throughout this set…" "replace" [];

        /// Uses the version on disk for the conflict in focus.
        UseTheirs "Use theirs here" "hard-drive" [S::plain(Char('1'))];
        /// Uses your edited version for the conflict in focus.
        UseOurs "Use ours here" "pencil" [S::plain(Char('2'))];
        /// Uses neither version for the conflict in focus, but the text as it was read.
        UseBase "Use neither here" "undo-2" [S::plain(Char('3'))];
        /// Merges the chosen versions into one text and saves it.
        MergeAndSave "Merge and save" "git-merge" [];
    }

    /// Reviewing re-recorded files.
    Review {
        /// Opens the next group, whatever is decided in this one.
        NextGroup "Next group" "arrow-down" [S::shift(Char('j'))];
        /// Opens the previous group.
        PreviousGroup "Previous group" "arrow-up" [S::shift(Char('k'))];
        /// Accepts the new recording of the selected pair. Changes that were kept from the old recording stay.
        AcceptPair "Accept" "check" [S::plain(Char('a'))];
        /// Rejects the new recording of the selected pair. Applying the decisions restores the old file.
        RejectPair "Reject" "x" [S::plain(Char('r'))];
        /// Accepts what the new recording of the selected pair says, with the ids, times, headers, order and format of the old one.
        KeepNoisePair "Keep old noise" "volume-x" [S::plain(Char('o'))];
        /// Leaves the selected pair undecided for now.
        SkipPair "Skip" "skip-forward" [S::plain(Char('s'))];
        /// Marks the selected pair for a talk with others. It stays undecided.
        DiscussPair "Discuss" "message-square" [S::plain(Char('d'))];
        /// Accepts all undecided pairs of the group, without those to discuss unless only they are left.
        AcceptGroup "Accept group" "check" [S::shift(Char('a'))];
        /// Rejects all undecided pairs of the group, without those to discuss unless only they are left.
        RejectGroup "Reject group" "x" [S::shift(Char('r'))];
        /// Accepts what all undecided pairs of the group say, with the old ids, times, headers, order and format.
        KeepNoiseGroup "Keep old noise of group" "volume-x" [S::shift(Char('o'))];
        /// Marks all undecided pairs of the group for a talk with others. They stay undecided.
        DiscussGroup "Discuss group" "message-square" [S::shift(Char('d'))];
        /// Accepts all undecided pairs of the lane of the selected pair, without those to discuss.
        AcceptLane "Accept lane" "check" [S::alt(Char('a'))];
        /// Rejects all undecided pairs of the lane of the selected pair, without those to discuss.
        RejectLane "Reject lane" "x" [S::alt(Char('r'))];
        /// Accepts what all undecided pairs of the lane say, with the old ids, times, headers, order and format.
        KeepNoiseLane "Keep old noise of lane" "volume-x" [S::alt(Char('o'))];
        /// Accepts all undecided pairs of all groups, without those to discuss.
        AcceptRest "Accept the rest" "check" [];
        /// Rejects all undecided pairs of all groups, without those to discuss.
        RejectRest "Reject the rest" "x" [];
        /// Accepts what all undecided pairs of all groups say, with the old ids, times, headers, order and format.
        KeepNoiseRest "Keep old noise of the rest" "volume-x" [];
        /// Undoes the latest decision, for all pairs that it decided. Files that were written stay: Undo restores them.
        UndoDecision "Undo decision" "undo-2" [S::plain(Char('u'))];
        /// Shows which files the decisions change. Writes nothing until you confirm.
        ApplyDecisions "Apply decisions…" "list-checks" [S::ctrl_key(Enter)];
        /// Adds a rule to retake.toml that ignores differences like the change in focus.
        IgnoreLikeThis "Ignore differences like this…" "volume-x" [];
        /// Pairs and compares all recordings again.
        CompareAgain "Compare again" "refresh-cw" [];
        /// Chooses what to compare with: a git revision, a folder, pending recordings or a file.
        ChooseReviewBase "Review against…" "git-compare" [];
        /// Shows the command that opens the selected pair in the diff tool of the project or of git. Runs it when you confirm.
        OpenDifftool "Open in diff tool…" "external-link" [];
    }

    /// Running programs: queues, the recorder and the server.
    Live {
        /// Watches a folder in which programs wait for an answer.
        WatchQueue "Watch queue…" "eye" [];
        /// Stops watching the queue of the shown request.
        StopWatching "Stop watching queue" "square" [];
        /// Answers with a tool call.
        AnswerByTool "Answer with tool call" "wrench" [S::plain(Char('t'))];
        /// Answers with text.
        AnswerByText "Answer with text" "text" [S::plain(Char('w'))];
        /// Answers with the answer of a similar recording.
        AnswerByRecording "Answer with nearest recording" "file-play" [S::plain(Char('r'))];
        /// Answers with the first project rule that matches.
        AnswerByRule "Answer with rule" "list-checks" [S::plain(Char('u'))];
        /// Writes the answer file for the waiting program, in one step.
        WriteAnswer "Write the answer" "send" [S::ctrl_key(Enter)];
        /// Makes a rule from the answer, and shows the lines to add to retake.toml.
        KeepAsRule "Save as rule…" "list-checks" [S::shift(Char('r'))];
        /// Compares the request with the nearest recording side by side.
        CompareNearest "Compare with nearest recording" "columns-2" [S::plain(Char('d'))];
        /// Forwards calls from a client to a model and records each call as a tape. Shows the form first.
        RecordCalls "Record calls…" "radio" [S::ctrl_alt('r')];
        /// Stops the recorder. Calls in progress are saved as far as they were received.
        StopRecording "Stop recording" "radio" [];
        /// Serves tapes and recording sets to clients at a local address. Shows the form first.
        ServeCalls "Serve tapes and sets…" "server" [S::ctrl_alt('v')];
        /// Serves the selected tape, or the set of the selected recording. Shows the form first.
        ServeSelected "Serve selected tape or set…" "server" [];
        /// Stops the server. Calls in progress are cut off.
        StopServing "Stop serving" "server" [];
        /// Copies the base URL that points a client's SDK at the server or the recorder.
        CopyBaseUrl "Copy base URL" "copy" [S::ctrl_alt('b')];
    }

    /// The project's own commands.
    Run {
        /// Shows the project's command for every recording that today's requests do not match. Runs it when you confirm.
        Regenerate "Record all that break again…" "radio" [];
        /// Shows the project's command for the selected recording and the marked one, or for those of the selected cause of a run. Runs it when you confirm.
        RegenerateSelected "Record again…" "radio" [S::plain(Char('a'))];
        /// Stops the running command and all processes it started.
        StopCommand "Stop running command" "square" [];
        /// Shows or hides the output of commands.
        ToggleTerminal "Show or hide terminal" "square-terminal" [S::ctrl('j')];
    }

    /// Appearance and help.
    Window {
        /// Shows or hides the inspector.
        ToggleInspector "Show or hide inspector" "panel-right" [S::ctrl('i')];
        /// Shows the prompt of the selected recording as full text, or as a card.
        ToggleFullPrompt "Show or hide full prompt" "text" [S::plain(Char('e'))];
        /// Edits the body of the selected call without the layers around it: of the answer, or else of the request.
        EditDecoded "Edit decoded body" "layers" [S::plain(Char('d'))];
        /// Switches between the dark and the light theme.
        ToggleTheme "Switch dark or light theme" "moon" [];
        /// Shows your own settings as a form, and what is wrong in their file.
        OpenSettings "Settings" "settings" [S::ctrl(',')];
        /// Shows all keyboard shortcuts, and changes them.
        ShowKeys "Keyboard shortcuts" "keyboard" [S::plain(F(1)), S::plain(Char('?'))];
        /// Shows the version, the license and the licenses of all libraries.
        ShowAbout "About Retake" "info" [];
    }
}
