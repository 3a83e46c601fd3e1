//! The whole window: the shell, the desk in the middle, the inspector, and overlays.

use egui::{Frame, Panel, Ui};

use super::about::about_ui;
use super::audit::{AuditData, audit_ui};
use super::compare::{CompareData, compare_ui};
use super::conflict::{ConflictData, conflict_ui};
use super::format_ui::format_ui;
use super::history::history_ui;
use super::incident::{ImportView, fetch_ui, incident_ui, save_ui};
use super::inspector::{
    InspectorState, InspectorView, STRIP, decoded_ui, edits_decoded, inspector_ui, strip_ui,
};
use super::inspector_cache::InspectorCache;
use super::library::library_data::LibraryData;
use super::library::{LibraryView, library_ui};
use super::live::{self, LiveView, live_ui};
use super::palette::{Palette, palette_ui};
use super::playback::{self, PlaybackData, PlaybackView, playback_ui};
use super::problems::{ProblemsData, ProblemsState, problems_ui};
use super::recovered::recovered_ui;
use super::replace::{ReplaceView, replace_ui};
use super::review::{self, ReviewView, review_ui};
use super::seeds::{SeedsData, SeedsState, seeds_ui};
use super::sessions::{SessionsView, answers_ui, listing_ui, sessions_ui};
use super::settings_ui::{SettingsForm, settings_ui};
use super::shell::{KeysSheet, PathView, ShellData, keys_ui, notices_ui, path_ui, shell_ui};
use super::source::{SourceView, source_ui};
use super::start::{StartData, start_ui};
use super::step::{StepData, step_ui};
use super::stored_text::{crash_report_ui, log_ui};
use super::tapes::{TapesState, tapes_ui};
use super::terminal::terminal_ui;
use super::triage::{FailureData, TriageData, failure_ui, triage_ui};
use super::unsaved::{UnsavedData, unsaved_ui};
use protocol::Desk;
use widgets::theme::tokens;
use widgets::{SidePanel, fields, keymap};
use workbench::{
    Action, Actions, DeskView, FindRequest, ImportAction, InspectorPlacement, Overlay, Workbench,
};

/// Below this width the inspector opens over the desk.
const DOCKED_INSPECTOR_MIN_WIDTH: f32 = 1200.0;
/// Initial width of the inspector, and of the conversation of a run.
const INSPECTOR_WIDTH: f32 = 400.0;

/// State of the views between frames: scroll positions and cached data.
#[derive(Default)]
pub struct Views {
    shell: ShellData,
    library: LibraryView,
    import: ImportView,
    inspector_cache: InspectorCache,
    inspector: InspectorState,
    /// The find request of a command for the text that is shown next.
    find: Option<FindRequest>,
    problems: ProblemsData,
    problems_state: ProblemsState,
    audit: AuditData,
    seeds: SeedsData,
    seeds_state: SeedsState,
    sessions: SessionsView,
    source: SourceView,
    tapes: TapesState,
    review: ReviewView,
    live: LiveView,
    review_rule: review::RuleState,
    review_against: review::ReviewAgainstDraft,
    palette: Palette,
    keys: KeysSheet,
    path: PathView,
    compare: Option<CompareData>,
    conflict: Option<ConflictData>,
    playback: PlaybackView,
    drafts: playback::PlaybackDrafts,
    unsaved: UnsavedData,
    step: StepData,
    /// Whether the dialog of a step came while the user typed, so that what is typed next must not press its button.
    interrupts_typing: bool,
    triage: TriageData,
    failure: FailureData,
    replace: ReplaceView,
    settings: SettingsForm,
    overlay: Option<Overlay>,
}

/// Paints the window. User input becomes [`Action`](workbench::Action)s.
pub fn window_ui(ui: &mut Ui, workbench: &mut Workbench, views: &mut Views, actions: &mut Actions) {
    let width = ui.ctx().content_rect().width();
    let placement = if width >= DOCKED_INSPECTOR_MIN_WIDTH {
        InspectorPlacement::Docked
    } else {
        InspectorPlacement::Floating
    };
    // The only call that may change the workbench; views get it read-only below.
    let requests = workbench.begin_frame(placement);
    let workbench = &*workbench;
    // Before any view, because buttons show the keys of their commands.
    keymap::publish(ui.ctx(), &workbench.core.user.settings.keymap);
    if requests.focus_filter {
        let field = match workbench.core.here().desk {
            Desk::Seeds => fields::seeds(),
            _ => fields::filter(),
        };
        ui.memory_mut(|memory| memory.request_focus(field));
    }
    if requests.open_view {
        widgets::open_view_menu(ui.ctx());
    }
    // Kept until a text is shown, since the file of the request may still be read.
    views.find = requests.find.or(views.find);
    if let Some(data) = views.inspector_cache.data.as_ref().filter(|_| requests.edit_decoded) {
        views.inspector.edit_decoded(data, &workbench.core.value_drafts, actions);
    }
    views.shell.refresh(workbench);
    // Panels before the desk: egui gives the central panel what the others leave.
    shell_ui(ui, workbench, &views.shell, actions);
    if workbench.terminal.is_shown {
        terminal_ui(ui, workbench, actions);
    }
    desk_ui(ui, workbench, views, actions);
    paste_ui(ui, workbench, actions);
    overlay_ui(ui, workbench, views, actions);
    notices_ui(ui, &views.shell.notices, actions);
    // Last, over all else: any view of this frame may have noted the text that it cut.
    widgets::elided_tooltip_ui(ui);
}

fn desk_ui(ui: &mut Ui, workbench: &Workbench, views: &mut Views, actions: &mut Actions) {
    let width = ui.ctx().content_rect().width();
    if workbench.core.project.is_none() {
        let data = StartData::new(workbench);
        return central_panel(ui, |ui| start_ui(ui, &data, actions));
    }
    let location = workbench.core.here();
    match (location.view, location.desk) {
        (DeskView::List, Desk::Library) => {
            return library_desk_ui(ui, workbench, views, actions);
        }
        (DeskView::List, Desk::Playback) => {
            return playback_desk_ui(ui, workbench, views, actions);
        }
        (DeskView::Compare { .. }, _) => CompareData::update(&mut views.compare, workbench, width),
        (DeskView::Conflict(_), _) => ConflictData::update(&mut views.conflict, workbench),
        _ => {}
    }
    central_panel(ui, |ui| match (location.view, location.desk) {
        (DeskView::Import, _) => incident_ui(ui, &workbench.import, &mut views.import, actions),
        (DeskView::Triage, _) => triage_ui(ui, workbench, &mut views.triage, actions),
        (DeskView::Failure, _) => failure_ui(ui, workbench, &mut views.failure, actions),
        (DeskView::Compare { .. }, _) => {
            if let Some(data) = &views.compare {
                compare_ui(ui, data, actions);
            }
        }
        (DeskView::Conflict(_), _) => {
            if let Some(data) = &views.conflict {
                conflict_ui(ui, data, actions);
            }
        }
        (DeskView::Source(doc), _) => {
            source_ui(ui, workbench, doc, &mut views.source, actions);
        }
        (DeskView::List, Desk::Tapes) => {
            tapes_ui(ui, workbench, &mut views.tapes, actions);
            paste_ui(ui, workbench, actions);
        }
        (DeskView::List, Desk::Sessions) => {
            views.sessions.find = views.find.take();
            sessions_ui(ui, workbench, &mut views.sessions, actions);
        }
        (DeskView::List, Desk::Review) => review_ui(ui, workbench, &mut views.review, actions),
        (DeskView::List, Desk::Audit) => audit_ui(ui, workbench, &mut views.audit, actions),
        (DeskView::List, Desk::Live) => live_ui(ui, workbench, &mut views.live, actions),
        (DeskView::List, Desk::Problems) => {
            views.problems.update(workbench, &views.problems_state.folds);
            problems_ui(ui, workbench, &views.problems, &mut views.problems_state, actions);
        }
        (DeskView::List, Desk::Seeds) => {
            views.seeds.update(workbench);
            seeds_ui(ui, &workbench.seeds, &views.seeds, &mut views.seeds_state, actions);
        }
        // Drawn above, with panels around the desk.
        (DeskView::List, Desk::Library | Desk::Playback) => {}
    });
}

/// Paints a desk in the space that the panels leave.
fn central_panel(ui: &mut Ui, desk: impl FnOnce(&mut Ui)) {
    let frame = Frame::new().fill(tokens(ui).desk);
    egui::CentralPanel::default().frame(frame).show(ui, desk);
}

/// Paints the library and its selected item: beside it, or in a narrow window as a strip below it or an overlay on
/// request.
fn library_desk_ui(ui: &mut Ui, workbench: &Workbench, views: &mut Views, actions: &mut Actions) {
    // Before the panels: whether there is something to inspect decides which of them open.
    let selected = workbench.core.list.selected;
    let has_data = selected.is_some_and(|id| views.inspector_cache.update(ui, workbench, id));
    let data = views.inspector_cache.data.as_ref();
    let drafts = &workbench.core.value_drafts;
    if let Some(data) = data.filter(|data| Some(data.id) == selected && edits_decoded(data, drafts))
    {
        let edit = (drafts, &workbench.core.change_preview);
        return decoded_ui(ui, data, edit, &mut views.inspector, actions);
    }
    let frame = Frame::new().fill(tokens(ui).panel);
    let area = ui.available_rect_before_wrap();
    match (workbench.core.inspector.placement, workbench.core.inspector.is_shown()) {
        (InspectorPlacement::Docked, true) if has_data => {
            let panel = SidePanel::right("inspector", INSPECTOR_WIDTH, 320.0..=720.0);
            panel.show(ui, |ui| selected_ui(ui, workbench, views, actions));
        }
        (InspectorPlacement::Floating, false) if has_data => {
            let panel = Panel::bottom("inspector strip")
                .exact_size(STRIP)
                .show_separator_line(false)
                .frame(frame);
            let data = views.inspector_cache.data.as_ref();
            let strip = panel.show(ui, |ui| data.map(|data| strip_ui(ui, data, actions)));
            widgets::keep_clear(ui, strip.response.rect);
        }
        _ => {}
    }
    // After the inspector, so that the list gets the remaining width in the same frame.
    let data = LibraryData::new(workbench);
    central_panel(ui, |ui| library_ui(ui, &data, &mut views.library, actions));
    // The cache may still show the previous item; an overlay must not cover the list with that.
    let is_selected = views.inspector_cache.data.as_ref().map(|data| data.id) == selected;
    if selected.is_some()
        && is_selected
        && (workbench.core.inspector.placement, workbench.core.inspector.is_shown())
            == (InspectorPlacement::Floating, true)
    {
        widgets::side_overlay(ui, area, |ui| selected_ui(ui, workbench, views, actions));
    }
}

/// Paints the playback desk and the conversation: beside it, or in a narrow window as an overlay.
fn playback_desk_ui(ui: &mut Ui, workbench: &Workbench, views: &mut Views, actions: &mut Actions) {
    let data = PlaybackData::new(workbench);
    let area = ui.available_rect_before_wrap();
    let has_call = data.desk.selected().is_some();
    let placement = has_call
        .then_some(workbench.core.inspector.placement)
        .filter(|_| workbench.core.inspector.is_shown());
    if placement == Some(InspectorPlacement::Docked) {
        SidePanel::right("conversation", INSPECTOR_WIDTH, 320.0..=720.0).show(ui, |ui| {
            playback::conversation_ui(ui, &data, InspectorPlacement::Docked, actions);
        });
    }
    if has_call
        && placement.is_none()
        && workbench.core.inspector.placement == InspectorPlacement::Floating
    {
        let panel = Panel::bottom("call summary")
            .exact_size(playback::SUMMARY_HEIGHT)
            .show_separator_line(false)
            .resizable(false)
            .frame(Frame::new().fill(tokens(ui).panel));
        let strip = panel.show(ui, |ui| playback::summary_ui(ui, &data, actions));
        widgets::keep_clear(ui, strip.response.rect);
    }
    central_panel(ui, |ui| playback_ui(ui, &data, &mut views.playback, actions));
    if placement == Some(InspectorPlacement::Floating) {
        widgets::side_overlay(ui, area, |ui| {
            playback::conversation_ui(ui, &data, InspectorPlacement::Floating, actions);
        });
    }
}

/// Handles pasted text if no field takes it.
fn paste_ui(ui: &Ui, workbench: &Workbench, actions: &mut Actions) {
    // The form for a new tape is filled by pasting, also outside of its fields.
    let is_taken = |overlay| overlay != Overlay::NewTape;
    if workbench.core.overlay.is_some_and(is_taken) || ui.ctx().text_edit_focused() {
        return;
    }
    let text = ui.input(|input| {
        // egui takes no event away when a field pastes it, so the focus above decides.
        let mut events = input.events.iter();
        events.find_map(|event| match event {
            egui::Event::Paste(text) => Some(text.clone()),
            _ => None,
        })
    });
    actions.extend(text.map(|text| Action::from(ImportAction::Paste(text))));
}

fn selected_ui(ui: &mut Ui, workbench: &Workbench, views: &mut Views, actions: &mut Actions) {
    let Some(data) = views.inspector_cache.data.as_ref() else { return };
    // The place to reveal may be in a file that is still being read.
    let reveal = workbench.core.reveal.filter(|(doc, _)| *doc == data.id);
    let view = InspectorView {
        room: workbench.core.inspector.placement,
        tab: workbench.core.tab,
        text: views.inspector_cache.text.as_ref(),
        reveal: reveal.map(|(_, span)| span),
        drafts: &workbench.core.value_drafts,
        full_prompt: workbench.core.inspector.full_prompt,
        find: views.find.take(),
        media: workbench.core.media.of(data.id),
    };
    inspector_ui(ui, data, &view, &mut views.inspector, actions);
}

fn overlay_ui(ui: &mut Ui, workbench: &Workbench, views: &mut Views, actions: &mut Actions) {
    let overlay = workbench.core.overlay;
    let previous = std::mem::replace(&mut views.overlay, overlay);
    let is_changed = previous != overlay;
    // A form that was under the field for a path keeps what is in it.
    let is_again = previous == Some(Overlay::Path) && views.path.form == overlay;
    let is_opened = is_changed && !is_again;
    if is_opened && overlay.is_some_and(|o| o != Overlay::Path) {
        // All forms together: only one overlay is open at a time.
        views.drafts = playback::PlaybackDrafts::default();
        views.review_rule.reset(&workbench.review);
        views.review_against.prefill(&workbench.review);
        views.sessions.contract.reset();
        views.palette.reset();
        views.keys = KeysSheet::default();
        views.settings = SettingsForm::default();
        views.unsaved = UnsavedData::default();
    }
    if is_changed && overlay == Some(Overlay::Step) {
        // Requested once, when the dialog opens; later it has the focus itself.
        views.interrupts_typing = previous.is_none() && ui.ctx().text_edit_focused();
    }
    if is_changed && overlay.is_some() {
        // A menu that stays open would take the keys of the overlay.
        egui::Popup::close_all(ui.ctx());
        // The focused control is now below the overlay.
        ui.memory_mut(|memory| {
            if let Some(id) = memory.focused() {
                memory.surrender_focus(id);
            }
        });
    }
    match overlay {
        Some(Overlay::Palette) => {
            views.palette.refresh(workbench);
            palette_ui(ui, &mut views.palette, actions);
        }
        Some(Overlay::Keys) => keys_ui(ui, workbench, &mut views.keys, actions),
        Some(Overlay::Path) => {
            if is_opened {
                views.path = PathView::default();
            }
            path_ui(ui, workbench, &mut views.path, actions);
        }
        Some(Overlay::Unsaved) => {
            views.unsaved.update(workbench);
            unsaved_ui(ui, &mut views.unsaved, actions);
        }
        Some(Overlay::Step) => {
            views.step.update(workbench);
            step_ui(ui, &mut views.step, !views.interrupts_typing, actions);
        }
        Some(Overlay::DescribeFormat) => format_ui(ui, workbench, actions),
        Some(Overlay::Replace) => replace_ui(ui, workbench, &mut views.replace, actions),
        Some(Overlay::History) => history_ui(ui, workbench, actions),
        Some(Overlay::Recovered) => recovered_ui(ui, workbench, actions),
        Some(Overlay::Log) => log_ui(ui, workbench, actions),
        Some(Overlay::CrashReport) => crash_report_ui(ui, workbench, actions),
        Some(Overlay::About) => about_ui(ui, actions),
        Some(Overlay::FailureLog) => playback::log_ui(ui, &mut views.drafts, actions),
        Some(Overlay::SaveSessions) => save_ui(ui, workbench, &mut views.import, actions),
        Some(Overlay::FetchRuns) => fetch_ui(ui, &workbench.import.fetch, actions),
        Some(Overlay::NewTape) => super::tapes::new_tape_ui(ui, &workbench.tapes, actions),
        Some(Overlay::FileChanges) => {
            playback::files_ui(ui, &PlaybackData::new(workbench), actions);
        }
        Some(Overlay::ReviewApply) => review::apply_ui(ui, &workbench.review, actions),
        Some(Overlay::ReviewRule) => {
            review::rule_ui(ui, &workbench.review, &mut views.review_rule, actions);
        }
        Some(Overlay::AnswerRule) => live::rule_ui(ui, workbench, actions),
        Some(Overlay::ReviewAgainst) => {
            review::against_ui(ui, &mut views.review_against, actions);
        }
        Some(Overlay::AddToConfig) => {
            listing_ui(ui, workbench, &mut views.sessions.contract, actions);
        }
        Some(Overlay::ChooseAnswer) => {
            answers_ui(ui, workbench, &mut views.sessions.contract, actions);
        }
        Some(Overlay::Settings) => settings_ui(ui, workbench, &mut views.settings, actions),
        None => {}
    }
}
