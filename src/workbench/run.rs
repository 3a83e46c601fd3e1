//! What each command does.

use super::action::{Action, Overlay, Pane, SaveWay, Step, Theme};
use super::batch::Batch;
use super::command::{Command, Section};
use super::desks::Quick;
use super::event::Effect;
use super::incident::{FetchAction, ImportAction};
use super::leaving::Leaving;
use super::listing::Grouping;
use super::live::{CallsAction, Listener};
use super::navigation::{Desk, View};
use super::review::{Reach, ReviewAction};
use super::seeds::{SeedsAction, Towards};
use super::sessions::Panel;
use super::sources::SourceAction;
use super::state::Workbench;
use super::stepping::PAGE;
use super::tapes::{MadeOf, TakesAction, TapesAction, VerifyAction, Zoom};
use crate::format::Severity;
use crate::ops::merge::Version;
use crate::ops::review::Verdict;
use crate::ops::tape::timing::MILLISECOND;

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
                    | Section::Live
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
            Command::ImportFromLangSmith => {
                return self.act_on_import(ImportAction::Fetch(FetchAction::Open(None)));
            }
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
            Command::GoLive => return self.go(Desk::Live, View::List),
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
                    | Desk::Live
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
            Command::WatchQueue
            | Command::StopWatching
            | Command::AnswerByTool
            | Command::AnswerByText
            | Command::AnswerByRecording
            | Command::AnswerByRule
            | Command::WriteAnswer
            | Command::KeepAsRule
            | Command::CompareNearest => return self.run_queue(command),
            Command::LookAgain => return self.act_on_review(ReviewAction::LookAgain),
            Command::ChooseAgainst => {
                self.overlay = toggled(self.overlay, Overlay::ReviewAgainst);
            }
            Command::OpenDifftool => return self.act_on_review(ReviewAction::OpenDifftool),
            Command::Regenerate => self.regenerate(&self.breaking()),
            Command::RegenerateSelected => self.regenerate(&self.chosen_recordings()),
            Command::RecordCalls => return self.act_on_calls(CallsAction::Ask(Listener::Recorder)),
            Command::ServeCalls => return self.act_on_calls(CallsAction::Ask(Listener::Server)),
            Command::ServeSelected => {
                if let Some(path) = self.servable() {
                    return self.act_on_calls(CallsAction::AskToServe(path));
                }
            }
            Command::StopRecording => return self.stop_listening(Listener::Recorder),
            Command::StopServing => return self.stop_listening(Listener::Server),
            Command::CopyBaseUrl => return self.act_on_calls(CallsAction::CopyVariable),
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

    fn run_decision(&mut self, reach: Reach, verdict: Verdict) -> Vec<Effect> {
        self.act_on_review(ReviewAction::Decide(reach, verdict))
    }
}

fn toggled(overlay: Option<Overlay>, wanted: Overlay) -> Option<Overlay> {
    if overlay == Some(wanted) {
        None
    } else {
        Some(wanted)
    }
}
