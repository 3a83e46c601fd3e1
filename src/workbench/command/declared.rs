//! The commands, declared once: section, name, meaning and keys.

use super::keys::Key::{
    Char, Down, End, Enter, Escape, F, Home, Left, PageDown, PageUp, Right, Up,
};
use super::keys::{Key, Shortcut as S};
use super::section::Section;

/// What is declared of a command.
pub(super) struct Declaration {
    pub(super) section: Section,
    pub(super) name: &'static str,
    pub(super) tooltip: &'static str,
    pub(super) shortcuts: &'static [S],
}

macro_rules! commands {
    ($($section:ident {
        $($(#[doc = $doc:literal])+ $variant:ident $name:literal [$($shortcut:expr),*];)*
    })*) => {
        /// Something that can be done by name, from a menu, the palette or the keyboard.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Command {
            $($($(#[doc = $doc])+ $variant,)*)*
        }

        /// The commands of each section by themselves, so that none is forgotten where a section is matched.
        #[expect(
            clippy::enum_variant_names,
            reason = "a variant has the same name here as in `Command`, where `GoLibrary` needs its prefix"
        )]
        pub(super) mod of {
            $(#[derive(Clone, Copy)]
            pub(in super::super) enum $section {
                $($variant,)*
            })*
        }

        /// A command within its section.
        pub(super) enum Within {
            $($section(of::$section),)*
        }

        impl Command {
            /// Every command, in the order of the menu.
            pub const ALL: &[Self] = &[$($(Self::$variant,)*)*];

            pub(super) fn within(self) -> Within {
                match self {
                    $($(Self::$variant => Within::$section(of::$section::$variant),)*)*
                }
            }

            pub(super) fn declaration(self) -> &'static Declaration {
                match self {
                    $($(Self::$variant => {
                        const DECLARATION: &Declaration = &Declaration {
                            section: Section::$section,
                            name: $name,
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
    File {
        /// Opens a folder of recordings, sessions, tapes or seeds in place of what is open.
        OpenFolder "Open a folder…" [S::ctrl('o')];
        /// Opens single files in place of what is open.
        OpenFiles "Open files…" [S::ctrl_shift('o')];
        /// Makes sessions of an incident: a Flakestorm report, LangSmith runs, recordings, an HTTP archive, a failure log or a text. Shows them before anything is written.
        ImportIncident "Import an incident…" [S::ctrl_shift('i')];
        /// Fetches runs from LangSmith, one by its id or those of a project, and makes sessions of them. Asks nothing of it before you say so; shows the sessions before anything is written.
        ImportFromLangSmith "Import from LangSmith…" [];
        /// Reads everything that is open again from disk.
        Reload "Read again" [S::ctrl('r'), S::plain(F(5))];
        /// Stops reading; what was read stays.
        CancelReading "Stop reading" [];
        /// Writes the selected document to its file. What others changed there meanwhile is never overwritten.
        Save "Save" [S::ctrl('s')];
        /// Writes everything that is unsaved; what cannot be written stays open, with the reason.
        SaveAll "Save all" [S::ctrl_alt('s')];
        /// Writes the selected document's text to another file.
        SaveAs "Save as…" [S::ctrl_shift('s')];
        /// Takes all unsaved edits of the selected document back; undo brings them again.
        Revert "Revert to what is on disk" [];
        /// Shows every unsaved document with the lines that would change on disk.
        ShowUnsaved "Show unsaved changes" [S::ctrl_shift('u')];
        /// Offers the unsaved edits that an earlier run of the program has left.
        ShowRecovered "Show recovered edits" [];
        /// Closes what is open and shows the start page.
        CloseProject "Close the project" [S::ctrl('w')];
        /// Closes the window.
        Quit "Quit" [S::ctrl('q')];
    }

    Edit {
        /// Takes the latest edit back, in whatever document it was made.
        Undo "Undo" [S::ctrl('z')];
        /// Does what was undone again.
        Redo "Redo" [S::ctrl_shift('z'), S::ctrl('y')];
        /// Shows every edit in the order it was made, to go back to any of them.
        ShowHistory "History of edits" [S::ctrl_shift('h')];
        /// Finds words in the text that is shown; where none is, filters the list.
        Find "Find" [S::ctrl('f')];
        /// Finds words in the text of the selected item and puts others in their place.
        FindAndReplace "Find and replace" [S::ctrl('h')];
        /// Goes to the next place where the words were found.
        FindNext "Next match" [S::plain(F(3))];
        /// Goes to the place before.
        FindPrevious "Previous match" [S::shift(F(3))];
    }

    Go {
        /// Finds any command, file or problem by a few letters of its name.
        ShowPalette "Go to a file, problem or command…" [S::ctrl_shift('p'), S::ctrl('k')];
        /// Shows everything that is open, one row an item.
        GoLibrary "Library" [S::ctrl('1')];
        /// Shows what a client serves for each request, and why.
        GoPlayback "Playback" [S::ctrl('2')];
        /// Shows tapes along the axis of their time, plays and cuts them.
        GoTapes "Tapes" [S::ctrl('3')];
        /// Shows sessions as forms and as text, with the contract each has to keep.
        GoSessions "Sessions" [S::ctrl('4')];
        /// Shows what a memory provider is seeded with, and which seed answers a call.
        GoSeeds "Seeds" [S::ctrl('5')];
        /// Shows takes that were made anew, in groups of those that changed in the same way, to be decided.
        GoReview "Review" [S::ctrl('6')];
        /// Shows everything that is wrong, by rule.
        GoProblems "Problems" [S::ctrl('7')];
        /// Shows programs that run now: who waits for an answer, and what is recorded or served.
        GoLive "Live" [S::ctrl('8')];
        /// Shows the sources that recordings were made from: what became of each, and whom that touches.
        GoSources "Sources" [];
        /// Goes back to where you were.
        Back "Back" [S::alt(Left)];
        /// Goes forward again.
        Forward "Forward" [S::alt(Right)];
        /// Closes what lies on top, one thing a press. Decides nothing.
        Close "Close what is on top" [S::plain(Escape)];
        /// Goes to the next problem, whatever desk is shown.
        NextProblem "Next problem" [S::plain(F(8))];
        /// Goes to the problem before.
        PreviousProblem "Previous problem" [S::shift(F(8))];
    }

    List {
        /// Puts the cursor into the filter of the list.
        FocusFilter "Filter the list" [S::plain(Char('/'))];
        /// Shows every item again.
        ClearFilter "Clear the filter" [];
        /// Selects the row below.
        NextRow "Next row" [S::plain(Char('j')), S::plain(Down)];
        /// Selects the row above.
        PreviousRow "Previous row" [S::plain(Char('k')), S::plain(Up)];
        /// Selects the row a page further down; among problems, the next rule.
        NextPage "Page down" [S::plain(PageDown)];
        /// Selects the row a page further up; among problems, the rule before.
        PreviousPage "Page up" [S::plain(PageUp)];
        /// Goes one to the right: to the next seed, or on a tape to the next chunk.
        NextColumn "Next column" [S::plain(Right)];
        /// Goes one to the left: to the seed before, or on a tape to the chunk before.
        PreviousColumn "Previous column" [S::plain(Left)];
        /// Selects the first row; on a tape, goes to its start.
        FirstRow "First row" [S::plain(Home)];
        /// Selects the last row; on a tape, goes to its end.
        LastRow "Last row" [S::plain(End)];
        /// Opens the selected row: the place of a problem or seed, the recording that answers a call, a tool response, a stale source side by side, else the inspector.
        OpenSelected "Open the selected row" [S::plain(Enter)];
        /// Marks the selected row as the other side of a comparison, or takes the mark away.
        MarkSelected "Mark for comparing" [S::plain(Char('m'))];
        /// Shows only items whose source changed.
        ShowStale "Show only stale recordings" [];
        /// Shows only items with an error or a warning.
        ShowProblems "Show only items with problems" [];
        /// Shows only recordings without source metadata.
        ShowUnstamped "Show only unstamped recordings" [];
        /// Puts rows under the folders they lie in, or no longer.
        GroupByFolder "Group by folder" [S::plain(Char('g'))];
        /// Puts rows under how they stand, or no longer.
        GroupByStatus "Group by status" [];
        /// Adds or renews the signature and the source of the selected recording, and of the marked one; shows it before it is saved.
        Stamp "Stamp with its source…" [];
        /// The same for every recording that is listed.
        StampListed "Stamp all that are listed…" [];
        /// Plays the requests of the selected recording's set against the set itself.
        CheckSet "Play its set against itself" [];
        /// Serves from the selected recording's set; which requests are played is chosen at the playback desk.
        ServeFromSet "Play requests against its set" [];
        /// Takes the log of a failed playback, and shows what was asked and why nothing answered.
        ReadLog "Paste a failure log…" [];
        /// Begins another seed, for the call that is looked up.
        NewSeed "New seed…" [];
        /// Copies the selected seed as a call for test code.
        CopySeed "Copy as TypeScript" [];
        /// Writes the new path of a renamed source into the recordings made from it; shows them before they are saved.
        RepathSource "Rewrite the path of its source…" [];
        /// Renews what recordings keep of a source that they still fit; shows them before they are saved.
        RestampSource "Restamp what still fits its source…" [];
        /// Copies the path of the selected item.
        CopyPath "Copy the path" [S::ctrl_shift('c')];
    }

    Tape {
        /// Makes a tape of a saved response, a text or a recording, and shows it before it is saved.
        NewTape "New tape…" [S::ctrl('n')];
        /// Makes a tape of the selected recording's answer, and shows it before it is saved.
        TapeOfRecording "Make a tape of this recording…" [];
        /// Plays the tape in its own time, or pauses.
        PlayTape "Play or pause" [S::plain(Char(' '))];
        /// Plays the chosen range, or the whole tape, again and again.
        LoopTape "Loop" [S::plain(Char('l'))];
        /// Goes on to where a wait of more than a minute ends.
        SkipWait "Skip the long wait" [];
        /// Shows half as much of the tape, about the playhead.
        ZoomIn "Zoom in" [S::plain(Char('+'))];
        /// Shows twice as much of the tape.
        ZoomOut "Zoom out" [S::plain(Char('-'))];
        /// Shows the whole tape.
        FitTape "Fit the whole tape" [];
        /// Draws what is shown of the tape into a file: SVG or PNG, as its name ends.
        ExportPicture "Export picture…" [S::ctrl_shift('e')];
        /// Lays another take over the tape, in step by what both say, and tells what differs.
        LayTake "Lay another take over…" [S::plain(Char('o'))];
        /// Says whether a request is the one that the tape was made for, and where it differs.
        VerifyRequest "Verify a request…" [S::plain(Char('r'))];
        /// Lets the chunk at the playhead, or the chosen range, come a millisecond later, and all behind it.
        LaterChunk "1 ms later" [S::shift(Right)];
        /// Lets the chunk at the playhead, or the chosen range, come a millisecond earlier, and all behind it.
        EarlierChunk "1 ms earlier" [S::shift(Left)];
        /// Lets the chunk at the playhead, or the chosen range, come 10 milliseconds later, and all behind it.
        MuchLaterChunk "10 ms later" [S::alt_shift(Right)];
        /// Lets the chunk at the playhead, or the chosen range, come 10 milliseconds earlier, and all behind it.
        MuchEarlierChunk "10 ms earlier" [S::alt_shift(Left)];
    }

    Session {
        /// Offers what can go wrong with the selected tool response; a digit puts it in.
        PutFault "Put a fault in…" [S::plain(Char('f'))];
        /// Moves the selected tool response up.
        MoveResponseUp "Move the tool response up" [S::alt(Up)];
        /// Moves the selected tool response down.
        MoveResponseDown "Move the tool response down" [S::alt(Down)];
        /// Adds a tool response after the selected one, or at the end, and edits the name of its tool.
        AddResponse "Add a tool response" [S::plain(Char('a')), S::plain(Key::Insert)];
        /// Edits the selected tool response, starting with the name of its tool; Tab goes on to the next field.
        EditResponse "Edit the tool response" [S::plain(F(2))];
        /// Puts a copy of the selected tool response behind it.
        DuplicateResponse "Duplicate the tool response" [S::plain(Char('d'))];
        /// Deletes the selected tool response; undo brings it back.
        DeleteResponse "Delete the tool response" [S::plain(Key::Delete)];
        /// Makes a session of the recordings that are selected, else of all in the set of the one that is; of a failure log at the playback desk. Shows it before anything is written.
        MakeSession "Make a session of it…" [];
        /// Shows the drafts again that were imported last.
        ShowImport "Show the drafts of the last import" [];
        /// Takes the draft along when the others are saved, or leaves it.
        TakeDraft "Take or leave the draft" [S::plain(Char('t'))];
        /// Puts a word in place of every secret of the drafts, the same word wherever it stands.
        RedactSecrets "Redact all secrets" [S::ctrl('e')];
        /// Shows or hides the list of sessions.
        ToggleSessions "Show or hide the list of sessions" [];
        /// Shows how the session's file would be listed in the configuration, and lists it when you say so.
        AddToConfig "Add to config…" [];
        /// Chooses the answer that the session's contract is tried on: a recorded one, or one of your own.
        ChooseAnswer "Try the contract on an answer…" [];
        /// Shows the command that runs the session by flakestorm; it runs when you say so.
        RunSession "Run the session…" [];
        /// Shows the commands that run all sessions of its folder.
        RunFolder "Run all sessions of its folder…" [];
        /// Copies the command that runs the session.
        CopyRunCommand "Copy the command that runs the session" [];
    }

    Compare {
        /// Shows the source of the selected recording as it was recorded and as it is now.
        ThenAndNow "Show stale source then and now" [S::ctrl('d')];
        /// Shows the selected and the marked item side by side.
        CompareSelected "Compare side by side" [S::plain(Char('c'))];
        /// Goes to the next change, or difference of takes and requests; at the playback desk to the next call with a wrong answer.
        NextChange "Next change" [S::plain(Char('n'))];
        /// Goes to the change before; at the playback desk to the wrong answer before.
        PreviousChange "Previous change" [S::plain(Char('p'))];
        /// Puts the left side at the right and the right side at the left.
        SwapSides "Swap sides" [S::plain(Char('x'))];
        /// Changes between two sides and one text with both.
        TogglePane "Sides or unified" [S::plain(Char('v'))];

        /// Takes what is on disk at the place in focus.
        TakeTheirs "Take theirs here" [S::plain(Char('1'))];
        /// Takes what was edited here at the place in focus.
        TakeOurs "Take ours here" [S::plain(Char('2'))];
        /// Takes neither at the place in focus: it stays as it was read.
        TakeBase "Take neither here" [S::plain(Char('3'))];
        /// Writes one text made of all versions, as chosen.
        MergeAndSave "Merge and save" [];
    }

    Review {
        /// Keeps the new take of the selected pair; what was taken in part stays so.
        AcceptPair "Accept" [S::plain(Char('a'))];
        /// Puts the old bytes of the selected pair back when decisions are applied.
        RejectPair "Reject" [S::plain(Char('r'))];
        /// Leaves the selected pair for later.
        SkipPair "Skip" [S::plain(Char('s'))];
        /// Keeps the new takes of all that is undecided in the group.
        AcceptGroup "Accept all of the group" [S::shift(Char('a'))];
        /// Puts the old bytes of all that is undecided in the group back.
        RejectGroup "Reject all of the group" [S::shift(Char('r'))];
        /// Keeps the new takes of everything that is undecided, in whatever group.
        AcceptRest "Accept the rest" [];
        /// Puts the old bytes of everything that is undecided back, in whatever group.
        RejectRest "Reject the rest" [];
        /// Takes the latest decision back, however many pairs it was about.
        UndoDecision "Undo the decision" [S::plain(Char('u'))];
        /// Shows what the decisions write to files; nothing is written before.
        ApplyDecisions "Apply the decisions…" [];
        /// Sets differences like the change in focus aside, by a rule in the project's file.
        IgnoreLikeThis "Ignore differences like this…" [];
        /// Pairs and compares all takes anew.
        LookAgain "Look at the takes again" [];
        /// Chooses what the takes are compared with: a revision of git, a folder, pending takes, a file.
        ChooseAgainst "Review against…" [];
        /// Shows the command that opens the selected pair in the diff tool of the project or of git.
        OpenDifftool "Open in your own diff tool…" [];
    }

    Live {
        /// Watches a folder in which programs wait for an answer.
        WatchQueue "Watch a queue…" [];
        /// Watches the queue no longer at which the shown request waits.
        StopWatching "Stop watching the queue" [];
        /// Answers by calling a tool.
        AnswerByTool "Answer by a tool" [S::plain(Char('t'))];
        /// Answers by words.
        AnswerByText "Answer by a text" [S::plain(Char('w'))];
        /// Answers as a recording that comes near.
        AnswerByRecording "Answer by the nearest recording" [S::plain(Char('r'))];
        /// Answers by the first of the project's rules that fits.
        AnswerByRule "Answer by a rule" [S::plain(Char('u'))];
        /// Writes the answer for the program that waits, whole at once.
        WriteAnswer "Write the answer" [S::ctrl_key(Enter)];
        /// Makes a rule of the answer, and shows what is added to the project's file.
        KeepAsRule "Keep as rule…" [];
        /// Shows the request and the nearest recording side by side.
        CompareNearest "Compare with nearest" [S::plain(Char('d'))];
        /// Stands between a client and a model, and keeps each call as a tape; shows the form first.
        RecordCalls "Record calls…" [S::ctrl_alt('r')];
        /// Ends the recorder; calls that are under way are kept as far as they came.
        StopRecording "Stop recording" [];
        /// Plays tapes and recording sets to real clients at a local address; shows the form first.
        ServeCalls "Serve tapes and sets…" [S::ctrl_alt('v')];
        /// The same for the selected tape, or for the set of the selected recording.
        ServeSelected "Serve the selected tape or set…" [];
        /// Ends the server; calls that are under way break off.
        StopServing "Stop serving" [];
        /// Copies what points a client's SDK at the server, or at the recorder.
        CopyBaseUrl "Copy the base URL" [S::ctrl_alt('b')];
    }

    Run {
        /// Shows the project's command for every recording that a request made today would not match; it runs when you say so.
        Regenerate "Regenerate what breaks…" [];
        /// The same for the selected recording, and for the marked one.
        RegenerateSelected "Regenerate the selected…" [];
        /// Stops the command that runs, with all it started.
        StopCommand "Stop the running command" [];
        /// Shows or hides what commands say.
        ToggleTerminal "Show or hide the terminal" [S::ctrl('j')];
    }

    Window {
        /// Shows or hides the inspector.
        ToggleInspector "Show or hide the inspector" [S::ctrl('i')];
        /// Changes between dark and light.
        ToggleTheme "Dark or light" [];
        /// Shows every key.
        ShowKeys "Keys" [S::plain(F(1)), S::plain(Char('?'))];
    }
}
