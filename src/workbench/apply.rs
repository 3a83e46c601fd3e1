//! Applies actions to the state.

use crate::{
    Action, DeskAction, DeskState, DeskView, Effect, ImportAction, Leaving, Location, Notice,
    Overlay, SaveTo, Workbench,
};
use check::change::Change;
use check::search::FilterQuery;
use protocol::{Cancellable, Desk, DocId, ProjectInfo, UnpackSamples};

/// Returns whether the user goes on to something else, so that earlier refusals are obsolete.
fn is_new_request(action: &Action) -> bool {
    match action {
        Action::Run(_) | Action::Go(_) | Action::Open(_) => true,
        Action::Desk(DeskAction::Import(action)) => {
            matches!(action, ImportAction::Paste(_) | ImportAction::Drop(_))
        }
        _ => false,
    }
}

impl Workbench {
    /// Applies one action. Changes memory only and returns the work on files as effects.
    #[must_use]
    pub fn apply(&mut self, action: Action) -> Vec<Effect> {
        // Collected before the action, because a refusal by this action must stay.
        let refusals = if is_new_request(&action) { self.core.refusals() } else { Vec::new() };
        self.act(action);
        let effects = self.settle();
        self.core.notices.retain(|notice: &Notice| !refusals.contains(&notice.id));
        effects
    }

    /// Applies an action as a part of another one.
    pub(super) fn act(&mut self, action: Action) {
        match action {
            Action::Run(command) => {
                if self.core.apply_value_drafts(command) {
                    self.run(command);
                }
            }
            Action::Go(desk) => self.core.go(desk, DeskView::List),
            Action::Open(paths) => {
                // An action that waits for other paths must not run after these.
                self.after_open = None;
                self.core.leave(Leaving::Open(paths));
            }
            Action::OpenThen(paths, next_action) => {
                self.after_open = Some((paths.clone(), *next_action));
                self.core.leave(Leaving::Open(paths));
            }
            Action::OpenSamples(stop) => self.core.request(Effect::run(UnpackSamples(stop))),
            Action::Path(action) => self.on_path_action(action),
            Action::ForgetRecent(path) => {
                self.core.remembered.recent.retain(|other| *other != path);
                self.core.request(Effect::Remember(self.core.remembered.clone()));
            }
            Action::Select(id) => self.core.select(id),
            Action::SelectCall(id, call) => self.core.select_target((id, Some(call))),
            Action::OpenTest(id) => self.open_test(id),
            Action::ToggleMark(id) => {
                self.core.list.marked =
                    if self.core.list.marked == Some(id) { None } else { Some(id) };
            }
            Action::SetFilter(text) => {
                self.core.list.query = FilterQuery::parse(&text);
                // The last term is complete: completions are for a new one.
                let input = format!("{text} ");
                self.core.list.set_filter(text, input);
            }
            Action::TypeFilter(text) => {
                self.core.list.query = FilterQuery::parse_begun(&text);
                self.core.list.set_filter(text.clone(), text);
            }
            Action::ShowVerdict(verdict) => {
                self.core.list.verdict = verdict;
                self.core.list.options_revision += 1;
            }
            Action::ActOnFinding(kind) => self.act_on_finding(kind),
            Action::SortBy(sort) => {
                self.core.list.sort = sort;
                self.core.list.options_revision += 1;
            }
            Action::GroupBy(grouping) => {
                self.core.list.grouping = grouping;
                // The folded groups have the headings of the previous grouping.
                self.core.list.folded.clear();
                self.core.list.options_revision += 1;
            }
            Action::ToggleGroup(name) => {
                if !self.core.list.folded.remove(&name) {
                    self.core.list.folded.insert(name);
                }
                self.core.list.options_revision += 1;
            }
            Action::ToggleNotes => self.core.list.shows_notes = !self.core.list.shows_notes,
            Action::ToggleCalls(id) => {
                let is_unfolded = self.core.is_unfolded(id);
                self.core.select(id);
                self.core.unfold_selected(!is_unfolded);
            }
            Action::EnterList => self.core.list.is_entered = true,
            Action::ShowTab(tab) => self.core.tab = tab,
            Action::Reveal(id, span) => self.core.reveal(id, span),
            Action::ShowParts(path, parts) => self.show_parts(&path, parts),
            Action::Compare(left, right) => {
                self.core.go(self.core.here().desk, DeskView::Compare { left, right });
            }
            Action::CompareSource(id) => self.core.compare_source(id),
            Action::CompareCall(call) => self.core.compare_call(call),
            Action::ShowChange(change) => {
                if let Some(side) = &mut self.core.side {
                    side.show(change);
                }
            }
            Action::ToggleFold { section, fold } if self.core.shows(Desk::Review) => {
                self.review.toggle_fold(section, fold);
            }
            Action::ToggleFold { section, fold } => {
                if let Some(side) = &mut self.core.side {
                    side.toggle(section, fold);
                }
            }
            Action::SetDiffLayout(pane) => self.core.diff_layout = pane,
            Action::EditValue { doc, base, change } => {
                self.core.edit_value(doc, base, change, None);
            }
            Action::Draft(doc, step, draft) => self.core.on_draft(doc, step, *draft),
            Action::PreviewChange(key, change) => self.core.preview_change(key, change),
            Action::EditText { doc, base, edit, name } => {
                self.core.edit_text(doc, base, edit, name);
            }
            Action::DecideStep(decision) => self.core.decide_step(decision),
            Action::Batch(batch, docs) => self.core.plan_batch(batch, docs),
            Action::Format(action) => self.core.on_format_action(action),
            Action::Replace(action) => self.core.on_replace_action(action),
            Action::StampGroup(name) => {
                self.core.plan_batch(Change::Stamp, self.core.listed_recordings(Some(&name)));
            }
            Action::EndTyping => self.core.journal.end_typing(),
            Action::JumpTo(steps) => self.core.jump_to(steps),
            Action::UndoCommandStep(mode) => self.core.undo_command_step(mode),
            Action::Save(doc, mode) => self.core.save(doc, mode),
            Action::SaveAs(doc) => self.core.pick_save_path(doc),
            Action::ExportPicture(theme) => self.export_picture(Some(theme)),
            Action::DrawPicture(draw) => self.core.request(Effect::run(draw)),
            Action::SaveTo(SaveTo { doc, path }) => self.core.save_as(doc, path),
            Action::Revert(doc) => self.core.revert(doc),
            Action::ShowConflict(doc) => self.core.show_conflict(doc),
            Action::Choose(place, version) => {
                if let Some(side) = &mut self.core.side {
                    side.choose(place, version);
                }
            }
            Action::Resolve(doc) => self.core.resolve(doc),
            Action::KeepOurs(doc) => self.core.save_resolution(doc, None, None, String::new()),
            Action::Discard => self.core.discard(),
            Action::Recover(id) => self.core.recover(id),
            Action::DropDraft(id) => self.core.drop_draft(id),
            Action::Desk(action) => self.act_on_desk(action),
            Action::Copy(text) => self.core.copy(text),
            Action::SetOverlay(overlay) => self.core.overlay = overlay,
            Action::SetTheme(theme) => self.core.set_theme(theme),
            Action::UserSettings(action) => self.core.on_user_settings_action(action),
            Action::Dismiss(id) => self.core.notices.retain(|notice| notice.id != id),
        };
        self.core.sync_view();
    }

    pub(super) fn close_project(&mut self) {
        self.start_project(self.core.generation, ProjectInfo::default());
        self.core.project = None;
        self.core.progress = None;
        // The user has closed it, so the next start does not open it.
        self.core.remembered.opened.clear();
        self.live.stop_all(&mut self.core);
        // Also stops watching for changes.
        self.core.request(Effect::Cancel(Cancellable::Scan));
        self.core.request(Effect::Cancel(Cancellable::Fetch));
        self.core.request(Effect::Remember(self.core.remembered.clone()));
    }

    /// Handles Esc: closes the topmost panel, one at a time.
    pub(super) fn close(&mut self) {
        if self.core.overlay == Some(Overlay::Path) {
            self.close_path_field();
        } else if self.core.overlay.is_some() {
            self.core.overlay = None;
        } else if self.terminal.close(&mut self.core)
            || matches!(self.core.here().view, DeskView::Source(_) | DeskView::Failure)
                && self.close_desk()
        {
            // The panel, the node of the map, or the failure of the run is closed.
        } else if self.core.here().view == DeskView::Import && self.core.navigation.can_go_back() {
            // An import can begin on any desk, so the user goes back to that one.
            self.core.navigation.back();
        } else if self.core.here().view != DeskView::List {
            self.core.navigation.go(Location { view: DeskView::List, ..self.core.here() });
        } else {
            let is_closed = self.close_desk() || self.core.inspector.close();
            if !is_closed && matches!(self.core.here().desk, Desk::Library | Desk::Problems) {
                self.core.list.marked = None;
            }
        }
    }

    fn close_desk(&mut self) -> bool {
        let desk = self.shown_desk_mut();
        desk.is_some_and(|(desk, core)| desk.close(core))
    }

    /// The item that commands apply to: the selected one; on the problems desk, the one with the selected problem; side
    /// by side, the left one.
    pub(super) fn subject(&self) -> Option<DocId> {
        let location = self.core.here();
        match (location.view, location.desk) {
            (DeskView::List, Desk::Library) => self.core.list.selected,
            (DeskView::Compare { left, .. }, _) => Some(left),
            (DeskView::Conflict(id), _) => Some(id),
            _ => self.shown_desk()?.subject(&self.core),
        }
    }
}
