//! What each command needs before it can be used.

use super::command::Command;
use super::desks::Quick;
use super::incident::ImportState;
use super::navigation::{Desk, View};
use super::state::Workbench;
use super::working_copy::WorkingCopy;

impl Workbench {
    /// Whether a command can be used now; if not, the reason in a few words.
    pub fn can_run(&self, command: Command) -> Result<(), &'static str> {
        let need = |held: bool, reason| if held { Ok(()) } else { Err(reason) };
        let selected = self.selected();
        match command {
            Command::ImportIncident | Command::ImportFromLangSmith => {
                need(self.project.is_some(), "open a folder first")
            }
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
            Command::NextRow
            | Command::PreviousRow
            | Command::NextPage
            | Command::PreviousPage
            | Command::FirstRow
            | Command::LastRow
            | Command::OpenSelected
                if self.shows_queue() =>
            {
                let waits = self.live.queue.selected().is_some() || self.live.queue.waiting() > 0;
                need(waits, "nobody waits")
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
            Command::OpenSelected if self.shows_live() => Ok(()),
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
            Command::RecordCalls | Command::ServeCalls => {
                need(self.project.is_some(), "open a folder first")
            }
            Command::ServeSelected => need(
                self.servable().is_some(),
                "select a tape or a recording first",
            ),
            Command::StopRecording => need(
                self.live.calls.recorder().state().is_on(),
                "nothing is recorded",
            ),
            Command::StopServing => need(
                self.live.calls.server().state().is_on(),
                "nothing is served",
            ),
            Command::CopyBaseUrl => need(
                self.live.calls.pointed().is_some(),
                "nothing is recorded or served",
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
            Command::GoLive | Command::GoReview | Command::ChooseAgainst => {
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
            Command::WatchQueue
            | Command::StopWatching
            | Command::AnswerByTool
            | Command::AnswerByText
            | Command::AnswerByRecording
            | Command::AnswerByRule
            | Command::WriteAnswer
            | Command::KeepAsRule
            | Command::CompareNearest => self.can_run_queue(command),
            Command::SwapSides => need(
                matches!(self.here().view, View::Compare { .. }),
                "no two items are side by side",
            ),
            _ => Ok(()),
        }
    }
}
