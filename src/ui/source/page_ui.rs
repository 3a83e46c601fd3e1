//! Paints the page of a source: its name and tabs, the first line, and what the tab shows.

use egui::{Key, Modifiers, Rect, Ui, Vec2, vec2};

use super::map_ui::{MapView, map_ui};
use super::page_data::SourceData;
use super::recordings_data::RecordingsData;
use super::recordings_ui::recordings_ui;
use super::then_now_data::StaleData;
use super::then_now_ui::{ChangesPlace, then_now_ui};
use crate::compare::{LIST_FROM, NARROW};
use document::text::visible;
use machine::picture::PictureTheme;
use protocol::DocId;
use widgets::theme;
use widgets::{Button, Headline, TabLabel, icons};
use workbench::{
    Action, Actions, Command, DiffLayout, RecordingFit, SourceAction, SourceTab, Workbench,
};

/// View state of the page between frames.
#[derive(Default)]
pub struct SourceView {
    data: Option<SourceData>,
    versions: Option<StaleData>,
    recordings: RecordingsData,
    map: MapView,
    /// Whether a narrow window shows the changes in place of the texts.
    shows_changes: bool,
}

/// Draws the source of a recording.
pub fn source_ui(
    ui: &mut Ui,
    workbench: &Workbench,
    doc: DocId,
    view: &mut SourceView,
    actions: &mut Actions,
) {
    SourceData::update(&mut view.data, workbench, doc);
    let Some(data) = view.data.clone() else {
        return widgets::empty_sentence(ui, "The recording has no source.");
    };
    ui.spacing_mut().item_spacing = vec2(theme::GAP, 0.0);
    head_ui(ui, workbench, &data, view, actions);
    widgets::hair_line(ui);
    first_line_ui(ui, &data, actions);
    let is_stamped = workbench.core.library.get(doc).is_some_and(|item| {
        item.source.as_ref().is_some_and(|source| source.recorded_hash.is_some())
    });
    if !is_stamped {
        // The first line says what to do.
        return;
    }
    match workbench.core.source_tab {
        SourceTab::ThenAndNow => {
            StaleData::update(&mut view.versions, workbench, ui.ctx().content_rect().width());
            let place = match (ui.available_width() >= LIST_FROM, view.shows_changes) {
                (true, _) => ChangesPlace::Beside,
                (false, true) => ChangesPlace::Alone,
                (false, false) => ChangesPlace::Hidden,
            };
            if let Some(versions) = &view.versions {
                then_now_ui(ui, versions, place, actions);
            }
            // A user who chooses a change wants to see it in the texts.
            if actions.iter().any(|action| matches!(action, Action::ShowChange(_))) {
                view.shows_changes = false;
            }
        }
        SourceTab::Map => map_ui(ui, workbench, &mut view.map, actions),
        SourceTab::Recordings => recordings_ui(ui, workbench, &mut view.recordings, actions),
    }
}

fn head_ui(
    ui: &mut Ui,
    workbench: &Workbench,
    data: &SourceData,
    view: &mut SourceView,
    actions: &mut Actions,
) {
    widgets::strip(ui, theme::DESK_HEADER, |ui| {
        widgets::title(ui, &data.title).on_hover_text(&data.path);
        if workbench.core.list.listing.orders.sources.rows.len() > 1 {
            other_sources_ui(ui, workbench, data, actions);
        }
        let left = ui.cursor().left() + theme::PADDING;
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            match workbench.core.source_tab {
                SourceTab::ThenAndNow => texts_menu(ui, workbench, view, actions),
                SourceTab::Map => widgets::view_menu(ui, |ui| map_menu(ui, &mut view.map, actions)),
                SourceTab::Recordings => {}
            }
        });
        tabs_ui(ui, workbench, (left, data.doc), actions);
    });
}

/// Draws the tabs from a left edge on, and takes their digits.
fn tabs_ui(ui: &mut Ui, workbench: &Workbench, (left, doc): (f32, DocId), actions: &mut Actions) {
    let labels = SourceTab::ALL.map(|tab| TabLabel { text: tab.command().name(), badge: None });
    let current = SourceTab::ALL.iter().position(|tab| *tab == workbench.core.source_tab);
    let header = ui.max_rect();
    let place = header.with_min_x(left).with_max_x(left + 320.0);
    let clicked = widgets::place(ui, place, |ui| widgets::tabs(ui, &labels, current.unwrap_or(0)));
    let has_keys = workbench.core.overlay.is_none() && !ui.ctx().text_edit_focused();
    let typed = has_keys.then(|| {
        ui.input_mut(|input| {
            let mut digits = [Key::Num1, Key::Num2, Key::Num3].into_iter();
            digits.position(|digit| input.consume_key(Modifiers::NONE, digit))
        })
    });
    if let Some(index) = clicked.or(typed.flatten()) {
        actions.push(Action::from(SourceAction::Show(doc, SourceTab::ALL[index])));
    }
}

/// Draws the menu of the other sources.
fn other_sources_ui(ui: &mut Ui, workbench: &Workbench, data: &SourceData, actions: &mut Actions) {
    let core = &workbench.core;
    let button = widgets::icon_button(ui, icons::CHEVRON_DOWN, "Choose a source");
    widgets::menu(&button, |ui| {
        let mut rows: Vec<_> = core.list.listing.orders.sources.rows.iter().collect();
        rows.sort_by_key(|row| (row.status, &row.name.file));
        for row in rows {
            let path = visible(core.library.shown_path(&row.name.file)).into_owned();
            let note = match row.breaks {
                0 => String::new(),
                breaks => RecordingFit::Breaks.label(breaks),
            };
            let is_shown = path == data.path;
            if widgets::menu_switch(ui, &path, &note, (is_shown, true)) {
                actions.push(Action::from(SourceAction::Show(row.first, core.source_tab)));
                ui.close();
            }
        }
    });
}

fn texts_menu(ui: &mut Ui, workbench: &Workbench, view: &mut SourceView, actions: &mut Actions) {
    let width = ui.ctx().content_rect().width();
    if width < NARROW {
        let button = Button::secondary("Changes").icon(icons::LIST_ORDERED);
        let tip = "Lists the changes in place of the texts";
        if ui.add(button.tooltip(tip).on(view.shows_changes)).clicked() {
            view.shows_changes ^= true;
        }
        return;
    }
    widgets::view_menu(ui, |ui| {
        let layout = workbench.core.diff_layout;
        let choices = [("Side by side", DiffLayout::SideBySide), ("Unified", DiffLayout::Unified)];
        for (text, choice) in choices {
            if widgets::menu_switch(ui, text, "", (layout == choice, true)) {
                actions.push(Action::SetDiffLayout(choice));
            }
        }
    });
}

fn map_menu(ui: &mut Ui, view: &mut MapView, actions: &mut Actions) {
    if widgets::menu_action(ui, "", "Fit", None) {
        view.fit();
    }
    for (text, factor) in [("Zoom in", 1.25), ("Zoom out", 0.8)] {
        if widgets::menu_item(ui, "", text, &[], None).clicked() {
            view.zoom_by(factor, Vec2::ZERO);
        }
    }
    widgets::menu_heading(ui, Command::ExportPicture.name());
    for (theme, text) in
        [(PictureTheme::Light, "Light theme…"), (PictureTheme::Dark, "Dark theme…")]
    {
        widgets::menu_choice(ui, icons::IMAGE_DOWN, text, Action::ExportPicture(theme), actions);
    }
}

fn first_line_ui(ui: &mut Ui, data: &SourceData, actions: &mut Actions) {
    let line = Headline::new(document::Severity::Warning, &data.lead, &data.rest)
        .icon(data.icon, data.tone);
    let Some((label, fixes)) = &data.fix else {
        line.show(ui, None);
        return;
    };
    let button = Button::primary(label);
    if let [(_, action)] = &fixes[..] {
        if line.show(ui, Some(button)) {
            actions.push(action.clone());
        }
        return;
    }
    let top = ui.cursor().top();
    line.show(ui, None);
    let row = Rect::from_x_y_ranges(ui.max_rect().x_range(), top..=ui.cursor().top());
    widgets::place_right(ui, row.shrink2(vec2(theme::PADDING, 0.0)), |ui| {
        widgets::menu(&ui.add(button.trailing(icons::CHEVRON_DOWN)), |ui| {
            for (place, action) in fixes {
                widgets::menu_choice(ui, icons::FILE_SYMLINK, place, action.clone(), actions);
            }
        });
    });
}
