//! Applies actions to the state.

use super::saving::SaveTo;
use std::path::PathBuf;

use super::action::{Action, InspectorTab};
use super::desks::QuickFilter;
use super::event::{Effect, ProjectInfo};
use super::incident::FetchRequest;
use super::leaving::Leaving;
use super::library::DocId;
use super::listing::Grouping;
use super::live::CallsAction;
use super::navigation::{Desk, DeskView, Location};
use super::side_by_side::{CompareItems, CompareSourceVersions, SideBySide};
use super::state::{Core, Workbench};
use super::task::ScanRequest;
use crate::format::Severity;
use crate::ops::change::Change;
use crate::ops::search::FilterQuery;
use crate::text::visible;

/// How many recent folders are remembered.
const MAX_RECENT: usize = 12;
/// The beginning of the notice about copied text.
const COPIED: &str = "Copied: ";
/// How many characters of the copied text the notice shows.
const COPIED_SHOWN: usize = 48;

impl Core {
    fn set_filter(&mut self, text: String, typed: String) {
        self.list.filter = text;
        self.list.typed = Some(typed);
        self.list.options_revision += 1;
    }

    /// Requests the data of the current view if it is not loaded, and drops the data of the previous view.
    pub(super) fn sync_view(&mut self) -> Option<Effect> {
        let view = self.here().view;
        if self.side.as_ref().is_some_and(|side| side.view == view) {
            return None;
        }
        let effect = match view {
            DeskView::List | DeskView::Import => None,
            DeskView::Conflict(doc) => {
                let merge = self.merge_versions(doc);
                if merge.is_none() {
                    // Resolved elsewhere.
                    self.navigation.replace(DeskView::List);
                }
                merge
            }
            DeskView::Compare { left, right } => {
                CompareItems::new(&self.library, left, right).map(Effect::run)
            }
            DeskView::Source(doc) => {
                CompareSourceVersions::new(&self.library, doc).map(Effect::run)
            }
        };
        let left_behind = self.side.take().is_some();
        self.side = effect.as_ref().map(|_| SideBySide::new(view));
        effect.or_else(|| left_behind.then(Effect::cancel::<CompareItems>))
    }

    /// Copies text and reports it in a notice, because nothing else on screen changes.
    pub(super) fn copy(&mut self, text: String) {
        let first = text.trim_start().lines().next().unwrap_or_default();
        let shown: String = first.chars().take(COPIED_SHOWN).collect();
        let goes_on = shown.len() < text.trim().len();
        let more = if goes_on { "…" } else { "" };
        self.notices
            .retain(|notice| !notice.text.starts_with(COPIED));
        self.notify(
            Severity::Note,
            format!("{COPIED}{}{more}", visible(shown.trim_end())),
        );
        self.request(Effect::Copy(text));
    }

    pub(super) fn open(&mut self, paths: Vec<PathBuf>) {
        if paths.is_empty() {
            return;
        }
        for path in paths.iter().rev() {
            self.remembered.recent.retain(|other| other != path);
            self.remembered.recent.insert(0, path.clone());
        }
        self.remembered.recent.truncate(MAX_RECENT);
        self.remembered.opened.clone_from(&paths);
        self.request(Effect::Remember(self.remembered.clone()));
        self.request(Effect::run(ScanRequest(paths)));
    }

    pub(super) fn go(&mut self, desk: Desk, view: DeskView) {
        self.navigation.go(Location { desk, view });
        self.overlay = None;
    }

    /// Shows an item in the inspector, whatever view is shown now. Keeps the overlay open.
    pub(super) fn show(&mut self, id: DocId) {
        let overlay = self.overlay;
        self.go(Desk::Library, DeskView::List);
        self.overlay = overlay;
        self.inspector.show();
        self.select(id);
    }

    pub(super) fn select(&mut self, id: DocId) {
        self.list.selected = Some(id);
        if self.reveal.is_some_and(|(doc, _)| doc != id) {
            self.reveal = None;
        }
        self.request_document(id);
    }

    pub(super) fn request_document(&mut self, id: DocId) {
        let is_missing = self.library.request(id);
        let read = is_missing.then(|| self.read_file(id)).flatten();
        self.request(read);
    }

    pub(super) fn step_row(&mut self, by: isize) {
        if let Some(id) = self.list.listing.step(self.list.selected, by) {
            self.select(id);
        }
    }

    pub(super) fn step_to(&mut self, end: impl Fn((DocId, DocId)) -> DocId) {
        if let Some(ends) = self.list.listing.first_and_last() {
            self.select(end(ends));
        }
    }

    pub(super) fn show_quick_filter(&mut self, quick: QuickFilter) {
        self.go(Desk::Library, DeskView::List);
        self.list.quick_filter = quick;
        self.list.options_revision += 1;
    }
}

impl Workbench {
    /// Applies one action. Changes memory only and returns the work on files as effects.
    #[must_use]
    pub fn apply(&mut self, action: Action) -> Vec<Effect> {
        self.act(action);
        self.settle()
    }

    /// Applies an action as a part of another one.
    pub(super) fn act(&mut self, action: Action) {
        match action {
            Action::Run(command) => self.run(command),
            Action::Go(desk) => self.core.go(desk, DeskView::List),
            Action::Open(paths) if paths.is_empty() => {}
            Action::Open(paths) => self.core.leave(Leaving::Open(paths)),
            Action::ForgetRecent(path) => {
                self.core.remembered.recent.retain(|other| *other != path);
                self.core
                    .request(Effect::Remember(self.core.remembered.clone()));
            }
            Action::Select(id) => self.core.select(id),
            Action::ToggleMark(id) => {
                self.core.list.marked = if self.core.list.marked == Some(id) {
                    None
                } else {
                    Some(id)
                };
            }
            Action::SetFilter(text) => {
                self.core.list.query = FilterQuery::parse(&text);
                // The last term is complete: completions are for a new one.
                let typed = format!("{text} ");
                self.core.set_filter(text, typed);
            }
            Action::TypeFilter(text) => {
                self.core.list.query = FilterQuery::parse_begun(&text);
                self.core.set_filter(text.clone(), text);
            }
            Action::SetQuickFilter(quick) => {
                self.core.list.quick_filter = quick;
                self.core.list.options_revision += 1;
            }
            Action::SortBy(column) => {
                self.core.list.sort = self.core.list.sort.after_click(column);
                self.core.list.options_revision += 1;
            }
            Action::GroupBy(grouping) => {
                self.core.list.grouping = grouping;
                self.core.list.folded.clear();
                self.core.list.options_revision += 1;
            }
            Action::ToggleGroup(name) => {
                if !self.core.list.folded.remove(&name) {
                    self.core.list.folded.insert(name);
                }
                self.core.list.options_revision += 1;
            }
            Action::ShowTab(tab) => {
                self.core.tab = tab;
            }
            Action::Reveal(id, span) => {
                self.core.tab = InspectorTab::Text;
                self.core.reveal = Some((id, span));
                self.core.inspector.show();
                self.core.go(Desk::Library, DeskView::List);
                self.core.select(id);
            }
            Action::Compare(left, right) => {
                self.core
                    .go(self.core.here().desk, DeskView::Compare { left, right });
            }
            Action::CompareSource(id) => self.core.go(self.core.here().desk, DeskView::Source(id)),
            Action::ShowChange(change) => {
                if let Some(side) = &mut self.core.side {
                    side.show(change);
                }
            }
            Action::ToggleFold { section, fold } if self.core.shows(Desk::Review) => {
                self.toggle_review_fold(section, fold);
            }
            Action::ToggleFold { section, fold } => {
                if let Some(side) = &mut self.core.side {
                    side.toggle(section, fold);
                }
            }
            Action::SetDiffLayout(pane) => {
                self.core.diff_layout = pane;
            }
            Action::Seeds(action) => self.act_on_seeds(action),
            Action::SetProblemsView(by) => {
                self.problems.view = by;
            }
            Action::Sessions(action) => self.act_on_sessions(action),
            Action::Tapes(action) => self.act_on_tapes(action),
            Action::SelectRule(rule) => {
                self.problems.rule = Some(rule);
                self.problems.problem = None;
            }
            Action::SelectProblem(problem) => self.select_problem(problem),
            Action::FilterProblems(level) => self.filter_problems(level),
            Action::EditValue { doc, base, edit } => self.core.edit_value(doc, base, edit),
            Action::TypeText { doc, base, edit } => self.core.type_text(doc, base, edit),
            Action::EditText {
                doc,
                base,
                edit,
                name,
            } => self.core.edit_text(doc, base, edit, name),
            Action::Batch(batch, docs) => self.core.plan_batch(batch, docs),
            Action::StampGroup(name) => self
                .core
                .plan_batch(Change::Stamp, self.core.recordings_of(&name)),
            Action::Sources(action) => self.act_on_sources(action),
            Action::EndTyping => {
                self.core.journal.end_typing();
            }
            Action::JumpTo(steps) => {
                let subject = self.subject();
                self.core.jump_to(steps, subject);
            }
            Action::Save(doc, way) => self.core.save(doc, way),
            Action::SaveAs(doc) => self.core.pick_save_path(doc),
            Action::SaveTo(SaveTo { doc, path }) => self.core.save_as(doc, path),
            Action::Revert(doc) => self.core.revert(doc),
            Action::ShowConflict(doc) => self.core.show_conflict(doc),
            Action::Choose(place, version) => {
                self.core.choose(place, version);
            }
            Action::Resolve(doc) => self.core.resolve(doc),
            Action::KeepOurs(doc) => self.core.keep_ours(doc),
            Action::Discard => self.core.discard(),
            Action::Recover(id) => self.core.recover(id),
            Action::DropDraft(id) => self.core.drop_draft(id),
            Action::Import(action) => self.act_on_import(action),
            Action::Playback(action) => self.act_on_playback(action),
            Action::Live(action) => self.act_on_live(action),
            Action::Review(action) => self.act_on_review(action),
            Action::Terminal(action) => self.act_on_terminal(action),
            Action::Copy(text) => self.core.copy(text),
            Action::SetOverlay(overlay) => {
                self.core.overlay = overlay;
            }
            Action::SetTheme(theme) => {
                self.core.remembered.theme = theme;
                self.core
                    .request(Effect::Remember(self.core.remembered.clone()));
            }
            Action::Dismiss(id) => {
                self.core.notices.retain(|notice| notice.id != id);
            }
        };
        let effect = self.core.sync_view();
        self.core.request(effect);
    }

    pub(super) fn close_project(&mut self) {
        self.start_project(self.core.generation, ProjectInfo::default());
        self.core.project = None;
        self.core.progress = None;
        self.core.remembered.opened.clear();
        self.stop_queues();
        self.act_on_calls(CallsAction::StopBoth);
        self.core.request(Effect::cancel::<ScanRequest>());
        self.core.request(Effect::cancel::<FetchRequest>());
        self.core
            .request(Effect::Remember(self.core.remembered.clone()));
    }

    /// Handles Esc: closes the topmost panel, one at a time.
    pub(super) fn close(&mut self) {
        if self.core.overlay.is_some() {
            self.core.overlay = None;
        } else if self.terminal.has_prompt() {
            self.terminal.withdraw();
        } else if self.core.here().view != DeskView::List {
            self.core.navigation.go(Location {
                view: DeskView::List,
                ..self.core.here()
            });
        } else {
            match self.core.here().desk {
                Desk::Seeds => self.close_form(),
                Desk::Tapes => self.close_top_of_tape(),
                Desk::Sessions if self.close_in_session() => {}
                _ if self.core.inspector.close() => {}
                Desk::Playback => self.playback.list_all(),
                Desk::Sessions | Desk::Review | Desk::Live => {}
                Desk::Library | Desk::Problems => self.core.list.marked = None,
            }
        }
    }

    pub(super) fn toggle_grouping(&mut self, grouping: Grouping) {
        let grouping = if self.core.list.grouping == grouping {
            Grouping::None
        } else {
            grouping
        };
        self.act(Action::GroupBy(grouping));
    }

    /// The two items that a comparison would show: the selected one and the marked one.
    pub(super) fn pair_to_compare(&self) -> Option<(DocId, DocId)> {
        let selected = self.subject()?;
        let marked = self.core.list.marked.filter(|marked| *marked != selected)?;
        Some((selected, marked))
    }

    /// The item that commands apply to: the selected one; on the problems desk, the one with the selected problem; side
    /// by side, the left one.
    pub(super) fn subject(&self) -> Option<DocId> {
        let here = self.core.here();
        match (here.view, here.desk) {
            (DeskView::List, Desk::Library) => self.core.list.selected,
            (DeskView::List, Desk::Playback) => self.served_doc(),
            (DeskView::List, Desk::Seeds) => self.seeds.selected.map(|seed| seed.doc),
            (DeskView::List, Desk::Sessions) => {
                self.sessions.selected.as_ref().map(|session| session.doc)
            }
            (DeskView::List, Desk::Tapes) => self.tapes.selected,
            (DeskView::List, Desk::Review) => self.review.doc,
            (DeskView::List, Desk::Live) => None,
            (DeskView::List, Desk::Problems) if self.shows_sources() => None,
            (DeskView::List, Desk::Problems) => self.problems.problem.map(|problem| problem.doc),
            (DeskView::Import, _) => None,
            (DeskView::Compare { left, .. }, _) => Some(left),
            (DeskView::Source(id) | DeskView::Conflict(id), _) => Some(id),
        }
    }
}
