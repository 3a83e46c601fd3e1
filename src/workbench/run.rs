//! What each command does, and when it can be used.

use super::action::{Action, Overlay, Pane, SaveWay, Step, Theme};
use super::batch::Batch;
use super::command::{Command, Section};
use super::desks::Quick;
use super::event::Effect;
use super::incident::{ImportAction, ImportState};
use super::inspector::Room;
use super::leaving::Leaving;
use super::library::DocId;
use super::listing::{self, Grouping};
use super::navigation::{Desk, View};
use super::review::{Reach, ReviewAction};
use super::seeds::{SeedsAction, Towards};
use super::sessions::Panel;
use super::sources::SourceAction;
use super::state::Workbench;
use super::tapes::{MadeOf, TakesAction, TapesAction, VerifyAction, Zoom};
use super::working_copy::WorkingCopy;
use crate::format::Severity;
use crate::ops::merge::Version;
use crate::ops::review::Verdict;
use crate::ops::tape::timing::MILLISECOND;

/// How many rows a page has, for the page keys.
const PAGE: isize = 20;

impl Workbench {
    pub(super) fn run(&mut self, command: Command) -> Vec<Effect> {
        // What lies under the palette or the table of keys is not to move unseen.
        if self.overlay.is_some()
            && matches!(
                command.section(),
                Section::List
                    | Section::Tape
                    | Section::Session
                    | Section::Compare
                    | Section::Review
            )
        {
            return Vec::new();
        }
        let is_column = matches!(command, Command::NextColumn | Command::PreviousColumn);
        if self.waiting.holds(command) {
            return Vec::new();
        }
        if let Err(reason) = self.can_run(command) {
            if is_column {
                // Arrows are pressed everywhere.
                return Vec::new();
            }
            self.notify(Severity::Note, format!("{}: {reason}.", command.name()));
            return Vec::new();
        }
        let selected = self.subject();
        match command {
            Command::OpenFolder => return vec![Effect::PickFolder],
            Command::OpenFiles => return vec![Effect::PickFiles],
            Command::ImportIncident => return self.act_on_import(ImportAction::PickFiles),
            Command::MakeSession => return self.make_session(),
            Command::ShowImport => return self.act_on_import(ImportAction::Show),
            Command::TakeDraft => self.toggle_draft(self.import.selected()),
            Command::RedactSecrets => return self.redact_all(),
            Command::Reload => return self.leave(Leaving::Reload),
            Command::CancelReading => return vec![Effect::CancelScan],
            Command::CloseProject => return self.leave(Leaving::Close),
            Command::Quit => return self.leave(Leaving::Quit),
            Command::TakeTheirs => self.choose_here(Version::Theirs),
            Command::TakeOurs => self.choose_here(Version::Ours),
            Command::TakeBase => self.choose_here(Version::Base),
            Command::MergeAndSave => {
                if let Some(id) = selected {
                    return self.resolve(id);
                }
            }
            Command::Save if self.shows_import() => return self.ask_to_save_sessions(),
            Command::Save => {
                if let Some(id) = selected {
                    return self.save(id, SaveWay::Usual);
                }
            }
            Command::SaveAs => {
                if let Some(id) = selected {
                    return self.ask_where(id);
                }
            }
            Command::SaveAll => return self.save_all(),
            Command::Revert => {
                if let Some(id) = selected {
                    return self.revert(id);
                }
            }
            Command::Find | Command::FindAndReplace | Command::FindNext | Command::FindPrevious => {
                return self.find(command);
            }
            Command::Undo if self.can_undo_import() => return self.undo_import(),
            Command::Undo if self.can_undo_files() => return self.undo_files(),
            Command::Undo => return self.undo(),
            Command::Redo => return self.redo(),
            Command::ShowUnsaved => self.overlay = toggled(self.overlay, Overlay::Unsaved),
            Command::ShowHistory => self.overlay = toggled(self.overlay, Overlay::History),
            Command::ShowRecovered => self.overlay = toggled(self.overlay, Overlay::Recovered),
            Command::ShowPalette => self.overlay = toggled(self.overlay, Overlay::Palette),
            Command::ShowKeys => self.overlay = toggled(self.overlay, Overlay::Keys),
            Command::GoLibrary => return self.go(Desk::Library, View::List),
            Command::GoPlayback => return self.go(Desk::Playback, View::List),
            Command::GoSeeds => return self.go(Desk::Seeds, View::List),
            Command::GoSessions => return self.go(Desk::Sessions, View::List),
            Command::GoTapes => return self.go(Desk::Tapes, View::List),
            Command::GoReview => return self.go(Desk::Review, View::List),
            Command::GoProblems => return self.go(Desk::Problems, View::List),
            Command::GoSources => return self.go_sources(),
            Command::Back => self.navigation.back(),
            Command::Forward => self.navigation.forward(),
            Command::Close => self.close(),
            Command::NextProblem => return self.step_problem(Step::Next),
            Command::PreviousProblem => return self.step_problem(Step::Previous),
            Command::FocusFilter => {
                self.filter_wanted = true;
                let desk = match self.here().desk {
                    Desk::Seeds => Desk::Seeds,
                    Desk::Library
                    | Desk::Playback
                    | Desk::Tapes
                    | Desk::Sessions
                    | Desk::Review
                    | Desk::Problems => Desk::Library,
                };
                if !self.shows_sources() {
                    return self.go(desk, View::List);
                }
            }
            Command::ClearFilter => {
                self.list.quick = Quick::All;
                return self.apply(Action::SetFilter(String::new()));
            }
            Command::NextRow => return self.step(Step::Next, 1),
            Command::PreviousRow => return self.step(Step::Previous, 1),
            Command::NextPage => return self.step(Step::Next, PAGE),
            Command::PreviousPage => return self.step(Step::Previous, PAGE),
            Command::NewTape => return self.begin_tape(None),
            Command::TapeOfRecording => {
                if let Some(doc) = self.chosen_recording() {
                    return self.begin_tape(Some(MadeOf::Answer(doc)));
                }
            }
            Command::PlayTape => self.play_tape(),
            Command::NextColumn if self.shows_tapes() => self.step_chunk(Step::Next),
            Command::PreviousColumn if self.shows_tapes() => self.step_chunk(Step::Previous),
            Command::PutFault => self.toggle_panel(Panel::Faults),
            Command::MoveResponseUp => return self.move_response(-1),
            Command::MoveResponseDown => return self.move_response(1),
            Command::AddResponse => return self.add_response(),
            Command::DuplicateResponse => return self.duplicate_response(),
            Command::DeleteResponse => return self.delete_response(),
            Command::ToggleSessions => self.toggle_sessions(),
            Command::AddToConfig
            | Command::ChooseAnswer
            | Command::RunSession
            | Command::RunFolder
            | Command::CopyRunCommand => return self.run_on_contract(command),
            Command::LoopTape => self.toggle_loop(),
            Command::SkipWait => self.skip_wait(),
            Command::LayTake => {
                return self.act_on_tapes(TapesAction::Takes(TakesAction::Choose));
            }
            Command::VerifyRequest => {
                return self.act_on_tapes(TapesAction::Verify(VerifyAction::Open));
            }
            Command::ZoomIn => return self.act_on_tapes(TapesAction::Zoom(Zoom::In)),
            Command::ZoomOut => return self.act_on_tapes(TapesAction::Zoom(Zoom::Out)),
            Command::ExportPicture => return self.export_picture(None),
            Command::LaterChunk => self.tapes.push(MILLISECOND),
            Command::EarlierChunk => self.tapes.push(-MILLISECOND),
            Command::MuchLaterChunk => self.tapes.push(10.0 * MILLISECOND),
            Command::MuchEarlierChunk => self.tapes.push(-10.0 * MILLISECOND),
            Command::FitTape => return self.act_on_tapes(TapesAction::Zoom(Zoom::Fit)),
            Command::NextColumn => {
                return self.apply(Action::Seeds(SeedsAction::Move(Towards::Right)));
            }
            Command::PreviousColumn => {
                return self.apply(Action::Seeds(SeedsAction::Move(Towards::Left)));
            }
            Command::FirstRow => return self.step_all(Step::Previous),
            Command::LastRow => return self.step_all(Step::Next),
            Command::OpenSelected => return self.open_selected(),
            Command::MarkSelected => {
                if let Some(id) = selected {
                    return self.apply(Action::ToggleMark(id));
                }
            }
            Command::ShowStale => return self.show_quick(Quick::Stale),
            Command::ShowProblems => return self.show_quick(Quick::Problems),
            Command::ShowUnstamped => return self.show_quick(Quick::Unstamped),
            Command::GroupByFolder => return self.group(Grouping::Folder),
            Command::GroupByStatus => return self.group(Grouping::Status),
            Command::Stamp => {
                let recordings = self.chosen_recordings();
                return self.batch(Batch::Stamp, recordings);
            }
            Command::CheckSet => return self.check_chosen_set(),
            Command::ServeFromSet => return self.serve_from_chosen_set(),
            Command::ReadLog => self.overlay = toggled(self.overlay, Overlay::FailureLog),
            Command::NewSeed => return self.apply(Action::Seeds(SeedsAction::New)),
            Command::CopySeed => return self.apply(Action::Seeds(SeedsAction::CopyCalls)),
            Command::StampListed => {
                return self.batch(Batch::Stamp, self.listed_recordings());
            }
            Command::RepathSource => return self.on_source(SourceAction::Repath),
            Command::RestampSource => return self.on_source(SourceAction::Restamp),
            Command::CopyPath => {
                let item = selected.and_then(|id| self.library.get(id));
                if let Some(path) = item.map(|item| item.path.to_string()) {
                    return self.copy(path);
                }
            }
            Command::ThenAndNow if self.shows_sources() => {
                return self.on_source(SourceAction::ThenAndNow);
            }
            Command::ThenAndNow => {
                if let Some(id) = selected {
                    return self.apply(Action::ThenAndNow(id));
                }
            }
            Command::CompareSelected => {
                if let Some((left, right)) = self.comparable() {
                    return self.apply(Action::Compare(left, right));
                }
            }
            Command::NextChange => self.step_change(Step::Next),
            Command::PreviousChange => self.step_change(Step::Previous),
            Command::SwapSides => {
                if let View::Compare { left, right } = self.here().view {
                    self.navigation.replace(View::Compare {
                        left: right,
                        right: left,
                    });
                }
            }
            Command::TogglePane => {
                self.pane = match self.pane {
                    Pane::Sides => Pane::Unified,
                    Pane::Unified => Pane::Sides,
                };
            }
            Command::AcceptPair => return self.run_decision(Reach::Pair, Verdict::Accept),
            Command::RejectPair => return self.run_decision(Reach::Pair, Verdict::Reject),
            Command::SkipPair => return self.run_decision(Reach::Pair, Verdict::Skip),
            Command::AcceptGroup => return self.run_decision(Reach::Group, Verdict::Accept),
            Command::RejectGroup => return self.run_decision(Reach::Group, Verdict::Reject),
            Command::AcceptRest => return self.run_decision(Reach::Rest, Verdict::Accept),
            Command::RejectRest => return self.run_decision(Reach::Rest, Verdict::Reject),
            Command::UndoDecision => return self.act_on_review(ReviewAction::Undo),
            Command::ApplyDecisions => return self.act_on_review(ReviewAction::ProposeApply),
            Command::IgnoreLikeThis => return self.act_on_review(ReviewAction::DraftRule),
            Command::LookAgain => return self.act_on_review(ReviewAction::LookAgain),
            Command::ChooseAgainst => {
                self.overlay = toggled(self.overlay, Overlay::ReviewAgainst);
            }
            Command::OpenDifftool => return self.act_on_review(ReviewAction::OpenDifftool),
            Command::Regenerate => self.regenerate(&self.breaking()),
            Command::RegenerateSelected => self.regenerate(&self.chosen_recordings()),
            Command::StopCommand => return self.stop_command(),
            Command::ToggleTerminal => self.terminal.toggle(),
            Command::ToggleInspector => self.inspector.toggle(),
            Command::ToggleTheme => {
                let theme = if self.remembered.theme == Theme::Light {
                    Theme::Dark
                } else {
                    Theme::Light
                };
                return self.apply(Action::SetTheme(theme));
            }
        }
        Vec::new()
    }

    /// Goes on by some rows in what is listed: items, problems, or changes. A page of problems is all that a rule found.
    fn step(&mut self, step: Step, rows: isize) -> Vec<Effect> {
        let here = self.here();
        match (here.view, here.desk) {
            (View::List, Desk::Library) => self.step_row(match step {
                Step::Next => rows,
                Step::Previous => -rows,
            }),
            (View::List, Desk::Playback) => {
                self.step_call(step, rows.unsigned_abs());
                Vec::new()
            }
            (View::List, Desk::Seeds) => {
                let rows = match step {
                    Step::Next => rows,
                    Step::Previous => -rows,
                };
                self.apply(Action::Seeds(SeedsAction::Move(Towards::Rows(rows))))
            }
            (View::List, Desk::Sessions) => self.step_session(match step {
                Step::Next => rows,
                Step::Previous => -rows,
            }),
            (View::List, Desk::Tapes) => self.step_tape(match step {
                Step::Next => rows,
                Step::Previous => -rows,
            }),
            (View::List, Desk::Review) => {
                self.review.step(step, rows.unsigned_abs());
                Vec::new()
            }
            (View::List, Desk::Problems) if self.shows_sources() => {
                self.step_source(step, rows.unsigned_abs())
            }
            (View::List, Desk::Problems) if rows == PAGE => self.step_rule(step),
            (View::List, Desk::Problems) => self.step_place(step),
            (View::Import, _) => self.step_draft(step, rows.unsigned_abs()),
            (View::Compare { .. } | View::ThenAndNow(_) | View::Conflict(_), _) => {
                self.step_change(step);
                Vec::new()
            }
        }
    }

    /// Goes to an end of what is listed.
    fn step_all(&mut self, step: Step) -> Vec<Effect> {
        let here = self.here();
        match (here.view, here.desk, step) {
            (View::List, Desk::Library, Step::Next) => self.step_to(|ends| ends.1),
            (View::List, Desk::Library, Step::Previous) => self.step_to(|ends| ends.0),
            (View::List, Desk::Playback, step) => {
                self.step_to_last_call(step);
                Vec::new()
            }
            (View::List, Desk::Seeds, Step::Next) => {
                self.apply(Action::Seeds(SeedsAction::Move(Towards::Last)))
            }
            (View::List, Desk::Seeds, Step::Previous) => {
                self.apply(Action::Seeds(SeedsAction::Move(Towards::First)))
            }
            (View::List, Desk::Sessions, step) => self.step_to_end_of_sessions(step),
            (View::List, Desk::Tapes, _) => {
                self.step_to_end_of_tape(step);
                Vec::new()
            }
            (View::List, Desk::Review, _) => {
                self.review.step_to_end(step);
                Vec::new()
            }
            (View::List, Desk::Problems, _) if self.shows_sources() => {
                self.step_source(step, usize::MAX)
            }
            (View::List, Desk::Problems, _) => self.step_to_end(step),
            (View::Import, ..) => self.step_draft(step, usize::MAX),
            (View::Compare { .. } | View::ThenAndNow(_) | View::Conflict(_), ..) => {
                if let Some(side) = &mut self.side {
                    side.show(match step {
                        Step::Next => side.changes().saturating_sub(1),
                        Step::Previous => 0,
                    });
                }
                Vec::new()
            }
        }
    }

    fn open_selected(&mut self) -> Vec<Effect> {
        if self.shows_import() {
            return self.ask_to_save_sessions();
        }
        if self.shows_sources() {
            return self.on_source(SourceAction::ThenAndNow);
        }
        if self.shows_sessions() {
            self.open_response();
            return Vec::new();
        }
        if self.shows_tapes() || self.shows_review() {
            return self.subject().map_or_else(Vec::new, |id| self.show(id));
        }
        let here = self.here();
        if (here.view, here.desk) == (View::List, Desk::Seeds) {
            return match self.seeds.selected() {
                Some(seed) => self.apply(Action::Seeds(SeedsAction::Open(seed))),
                None => Vec::new(),
            };
        }
        let problem = self
            .problems
            .problem
            .filter(|_| here.desk == Desk::Problems);
        if let Some(id) = problem.filter(|_| here.view == View::List)
            && let Some(span) = self.problem(id).map(|problem| problem.span)
        {
            return self.apply(Action::Reveal(id.doc, span));
        }
        if (here.desk, here.view) == (Desk::Playback, View::List) {
            return self.open_served();
        }
        // Over the desk it was not seen yet, and a glance at it may be all that is wanted.
        if self.inspector.room == Room::Over && !self.inspector.is_shown() {
            self.inspector.show();
            return Vec::new();
        }
        self.inspector.show();
        let stale = |id: &DocId| self.library.get(*id).is_some_and(listing::is_stale);
        match self.subject().filter(stale) {
            Some(id) => self.apply(Action::ThenAndNow(id)),
            None => Vec::new(),
        }
    }

    fn run_decision(&mut self, reach: Reach, verdict: Verdict) -> Vec<Effect> {
        self.act_on_review(ReviewAction::Decide(reach, verdict))
    }

    fn step_change(&mut self, step: Step) {
        if (self.here().desk, self.here().view) == (Desk::Playback, View::List) {
            return self.step_wrong(step);
        }
        if self.shows_review() {
            return self.review.step_change(step);
        }
        if self.shows_tapes() {
            return self.step_differences(match step {
                Step::Next => 1,
                Step::Previous => -1,
            });
        }
        let Some(side) = &mut self.side else { return };
        side.show(match step {
            Step::Next => side.change() + 1,
            Step::Previous => side.change().saturating_sub(1),
        });
    }

    /// Whether a command can be used now; if not, the reason in a few words.
    pub fn can_run(&self, command: Command) -> Result<(), &'static str> {
        let need = |held: bool, reason| if held { Ok(()) } else { Err(reason) };
        let selected = self.selected();
        match command {
            Command::ImportIncident => need(self.project.is_some(), "open a folder first"),
            Command::MakeSession => need(self.can_make_session(), "select a recording first"),
            Command::ShowImport => need(self.import.is_begun(), "nothing was imported"),
            Command::TakeDraft | Command::RedactSecrets => {
                need(self.shows_import(), "no drafts are shown")
            }
            Command::Save | Command::OpenSelected if self.shows_import() => need(
                matches!(self.import.state(), ImportState::Ready),
                "there are no drafts yet",
            ),
            Command::Reload | Command::CloseProject => {
                need(self.project.is_some(), "nothing is open")
            }
            Command::CancelReading => need(self.progress.is_some(), "nothing is being read"),
            Command::Back => need(self.navigation.can_go_back(), "this is where you began"),
            Command::Forward => need(self.navigation.can_go_forward(), "there is nothing ahead"),
            Command::NextProblem | Command::PreviousProblem => need(
                self.library.tally().next().is_some(),
                "there are no problems",
            ),
            Command::FindAndReplace => need(
                selected.is_some() || self.shows_text(),
                "select an item first",
            ),
            Command::FindNext | Command::FindPrevious => {
                need(self.shows_text(), "no text is shown")
            }
            Command::NextRow
            | Command::PreviousRow
            | Command::NextPage
            | Command::PreviousPage
            | Command::FirstRow
            | Command::LastRow
                if self.shows_review() =>
            {
                self.can_decide()
            }
            Command::Find
            | Command::FocusFilter
            | Command::NextRow
            | Command::PreviousRow
            | Command::NextPage
            | Command::PreviousPage
            | Command::FirstRow
            | Command::LastRow
            | Command::ShowStale
            | Command::ShowProblems
            | Command::ShowUnstamped
            | Command::StampListed => need(!self.library.is_empty(), "nothing is open"),
            Command::GroupByFolder | Command::GroupByStatus => need(
                self.here().desk == Desk::Library && self.here().view == View::List,
                "the library is not shown",
            ),
            Command::NextColumn | Command::PreviousColumn if self.shows_tapes() => {
                need(self.tapes.reel().is_some(), "no tape is shown")
            }
            Command::NextColumn
            | Command::PreviousColumn
            | Command::NewSeed
            | Command::CopySeed => {
                let here = self.here();
                let is_shown = (here.view, here.desk) == (View::List, Desk::Seeds);
                need(is_shown, "the seeds are not shown")
            }
            Command::ClearFilter => need(
                !self.list.filter.is_empty() || self.list.quick != Quick::All,
                "there is no filter",
            ),
            Command::OpenSelected | Command::ThenAndNow if self.shows_sources() => {
                need(self.source_subject().is_some(), "select a source first")
            }
            Command::RepathSource => {
                let row = self.source_subject().ok_or("select a source first")?;
                need(row.renamed > 0, "the source was not renamed")
            }
            Command::RestampSource => {
                let row = self.source_subject().ok_or("select a source first")?;
                need(row.restampable > 0, "no recording of it can be restamped")
            }
            Command::OpenSelected | Command::MarkSelected | Command::CopyPath => {
                need(selected.is_some(), "select an item first")
            }
            Command::Stamp => need(
                !self.chosen_recordings().is_empty(),
                "select a recording first",
            ),
            Command::Regenerate => need(self.library.breaking().len() > 0, "no recording breaks"),
            Command::RegenerateSelected => need(
                !self.chosen_recordings().is_empty(),
                "select a recording first",
            ),
            Command::StopCommand => {
                need(self.terminal.running().is_some(), "no command is running")
            }
            Command::ThenAndNow => {
                let item = selected.ok_or("select a recording first")?;
                let source = item
                    .source
                    .as_ref()
                    .ok_or("only recordings have a source")?;
                need(
                    source.recorded_hash.is_some(),
                    "the recording names no source",
                )
            }
            Command::Save | Command::Revert => {
                let id = self.subject().ok_or("select an item first")?;
                let is_unsaved = self.library.copy(id).is_some_and(WorkingCopy::is_unsaved);
                need(is_unsaved, "everything in it is saved")
            }
            Command::SaveAs => {
                let id = self.subject().ok_or("select an item first")?;
                need(self.library.text(id).is_some(), "its text is not at hand")
            }
            Command::SaveAll | Command::ShowUnsaved => need(
                self.library.unsaved().next().is_some(),
                "everything is saved",
            ),
            Command::Undo => need(
                self.can_undo_import() || self.can_undo_files() || self.journal.last().is_some(),
                "nothing was edited",
            ),
            Command::Redo => need(self.journal.next().is_some(), "nothing was undone"),
            Command::ShowHistory => need(!self.journal.steps().is_empty(), "nothing was edited"),
            Command::ShowRecovered => need(!self.drafts.is_empty(), "no edits were left behind"),
            Command::CompareSelected => need(
                self.comparable().is_some(),
                "select two items that can be compared",
            ),
            Command::NextChange | Command::PreviousChange
                if self.here().desk == Desk::Playback && self.here().view == View::List =>
            {
                need(self.playback.played().is_some(), "nothing is played")
            }
            Command::NextChange | Command::PreviousChange | Command::TogglePane
                if self.shows_review() =>
            {
                self.can_decide()
            }
            Command::NextChange | Command::PreviousChange if self.shows_tapes() => need(
                self.tapes.is_compared(),
                "no other take is laid over the tape, and no request is verified",
            ),
            Command::NextChange | Command::PreviousChange | Command::TogglePane => {
                need(self.here().view != View::List, "nothing is side by side")
            }
            Command::GoReview | Command::ChooseAgainst => {
                need(self.project.is_some(), "nothing is open")
            }
            Command::GoPlayback => need(self.project.is_some(), "nothing is open"),
            Command::ReadLog => need(!self.library.is_empty(), "nothing is open"),
            Command::CheckSet | Command::ServeFromSet => {
                need(self.chosen_set().is_some(), "select a recording first")
            }
            Command::TakeTheirs | Command::TakeOurs | Command::TakeBase | Command::MergeAndSave => {
                need(
                    matches!(self.here().view, View::Conflict(_)),
                    "no versions are compared",
                )
            }
            Command::NewTape => need(self.project.is_some(), "open a folder first"),
            Command::TapeOfRecording => need(
                self.chosen_recording().is_some(),
                "select a recording in the library first",
            ),
            Command::PlayTape
            | Command::ExportPicture
            | Command::LoopTape
            | Command::ZoomIn
            | Command::ZoomOut
            | Command::FitTape
            | Command::LayTake
            | Command::VerifyRequest => need(
                self.shows_tapes() && self.tapes.reel().is_some(),
                "no tape is shown",
            ),
            Command::AddResponse => need(
                self.shows_sessions() && self.session().is_some(),
                "no session is shown",
            ),
            Command::ToggleSessions => need(self.shows_sessions(), "no session is shown"),
            Command::AddToConfig
            | Command::ChooseAnswer
            | Command::RunSession
            | Command::RunFolder
            | Command::CopyRunCommand => self.can_run_on_contract(command),
            Command::PutFault
            | Command::MoveResponseUp
            | Command::MoveResponseDown
            | Command::DuplicateResponse
            | Command::DeleteResponse => need(
                self.shows_sessions() && self.sessions.response().is_some(),
                "select a tool response first",
            ),
            Command::LaterChunk
            | Command::EarlierChunk
            | Command::MuchLaterChunk
            | Command::MuchEarlierChunk => need(
                self.shows_tapes() && self.tapes.has_chosen(),
                "go to a chunk of a tape first",
            ),
            Command::SkipWait => need(
                self.shows_tapes() && self.tapes.is_in_long_wait(),
                "the playhead is in no wait of more than a minute",
            ),
            Command::AcceptPair
            | Command::RejectPair
            | Command::SkipPair
            | Command::AcceptGroup
            | Command::RejectGroup
            | Command::OpenDifftool
            | Command::IgnoreLikeThis => self.can_decide(),
            Command::AcceptRest | Command::RejectRest => {
                self.can_decide()?;
                need(self.has_undecided(), "everything is decided")
            }
            Command::UndoDecision => {
                let can_undo = self.shows_review() && self.review.can_undo();
                need(can_undo, "nothing was decided")
            }
            Command::ApplyDecisions => need(
                self.shows_review() && self.review.to_apply() > 0,
                "there is no decision to apply",
            ),
            Command::LookAgain => need(self.shows_review(), "the review is not shown"),
            Command::SwapSides => need(
                matches!(self.here().view, View::Compare { .. }),
                "no two items are side by side",
            ),
            _ => Ok(()),
        }
    }
}

fn toggled(overlay: Option<Overlay>, wanted: Overlay) -> Option<Overlay> {
    if overlay == Some(wanted) {
        None
    } else {
        Some(wanted)
    }
}
