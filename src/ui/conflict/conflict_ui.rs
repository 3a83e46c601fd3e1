//! Paints the three versions, the list of places, and the result.

use egui::{Align, Frame, Layout, Margin, Panel, Role, Sense, Ui, UiBuilder, vec2};

use super::conflict_data::{ConflictData, ConflictPlace, Versions};
use super::lines_ui::{
    ScrolledRows, borders_ui, column_rect, result_lines, result_ui, row_ui, rows_ui, version_lines,
};
use crate::compare::{LIST_ROW, SIDE_HEAD, back_button, list_heading, stepper};
use document::merge::MergeSide;
use document::text::counted;
use widgets::icons;
use widgets::theme::{self, Tone, tokens};
use widgets::{Button, Line, List, Row, RowSlot, SidePanel, StyledText};
use workbench::{Action, Actions, Command, ConflictOrigin};

const PLACES_WIDTH: f32 = 312.0;
const RESULT_HEIGHT: f32 = 212.0;
/// Height of the choices below the current place.
const CHOICES_HEIGHT: f32 = 3.0 * theme::CONTROL + 2.0 * 4.0 + 10.0;
/// Height of the footer of the list of places.
const FOOT_HEIGHT: f32 = 176.0;

/// Draws a document that was changed both here and on disk.
pub fn conflict_ui(ui: &mut Ui, data: &ConflictData, actions: &mut Actions) {
    ui.spacing_mut().item_spacing = vec2(theme::GAP, 0.0);
    let frame = Frame::new().fill(tokens(ui).panel);
    let Some(versions) = &data.versions else {
        header_ui(ui, data, None, actions);
        widgets::skeleton_rows(ui, 8, theme::TEXT_LINE);
        return;
    };
    // Panels first: each takes its part of what remains, and the versions get the rest.
    SidePanel::right("places", PLACES_WIDTH, 280.0..=560.0)
        .show(ui, |ui| places_ui(ui, data, versions, actions));
    Panel::bottom("result")
        .exact_size(RESULT_HEIGHT)
        .resizable(false)
        .show_separator_line(false)
        .frame(frame)
        .show(ui, |ui| written_ui(ui, data, versions));
    header_ui(ui, data, Some(versions), actions);
    let heading = match versions.conflict.origin {
        ConflictOrigin::Disk => "Another program changed the file while it had unsaved edits here.",
        ConflictOrigin::Markers => {
            "The file contains conflict markers: its versions are not merged."
        }
    };
    widgets::banner(ui, Tone::Note, icons::REFRESH_CW, heading, &summary(versions));
    heads_ui(ui, versions.conflict.origin);
    widgets::hair_line(ui);
    borders_ui(ui, ui.available_rect_before_wrap());
    let wanted = versions.row_of.get(data.current).copied();
    let count = versions.rows.len();
    let rows = ScrolledRows { count, wanted, versions, lines: version_lines };
    rows_ui(ui, "versions", &rows, |ui, row, rect| row_ui(ui, versions, row, rect, data.current));
}

fn summary(versions: &Versions) -> String {
    let conflicts = versions.places.iter().filter(|place| place.is_conflict).count();
    let merged_count = versions.places.len() - conflicts;
    let counts = [
        (merged_count, "change merges automatically", "changes merge automatically"),
        (conflicts, "place was changed on both sides", "places were changed on both sides"),
    ];
    let present = counts.into_iter().filter(|(count, ..)| *count > 0);
    let words: Vec<_> = present.map(|(count, one, many)| counted(count, one, many)).collect();
    format!("Nothing is lost: {}.", words.join(", "))
}

fn header_ui(ui: &mut Ui, data: &ConflictData, versions: Option<&Versions>, actions: &mut Actions) {
    let (rect, _) = widgets::allocate_row(ui, theme::DESK_HEADER, Sense::hover());
    let inner = rect.shrink2(vec2(theme::GAP, 0.0));
    let layout = Layout::right_to_left(Align::Center);
    ui.scope_builder(UiBuilder::new().max_rect(inner).layout(layout), |ui| {
        ui.add_space(theme::GAP);
        if let Some(versions) = versions {
            stepper(ui, "Place", data.current, versions.places.len(), actions);
        }
        widgets::at_left(ui, |ui| {
            back_button(ui, actions);
            widgets::title(ui, &data.title);
            let origin = versions.map(|versions| versions.conflict.origin);
            // The markers are in the saved file, which has no unsaved edits.
            if origin == Some(ConflictOrigin::Markers) {
                widgets::tag(ui, icons::GIT_MERGE, "Conflict markers", Tone::Warning);
                return;
            }
            widgets::tag(ui, icons::REFRESH_CW, "Changed on disk", Tone::Note);
            widgets::tag(ui, icons::CIRCLE_DOT, &format!("Unsaved, {}", data.edits), Tone::Accent);
        });
    });
    widgets::line_below(ui, rect);
}

fn heads_ui(ui: &mut Ui, origin: ConflictOrigin) {
    let (rect, _) = widgets::allocate_row(ui, SIDE_HEAD, Sense::hover());
    let notes = match origin {
        ConflictOrigin::Disk => ["as last read", "on disk now", "unsaved, here"],
        ConflictOrigin::Markers => ["common ancestor", "incoming", "current"],
    };
    let heads = [
        (icons::FILE_TEXT, "Base", notes[0]),
        (icons::HARD_DRIVE, "Theirs", notes[1]),
        (icons::PENCIL_LINE, "Ours", notes[2]),
    ];
    for (column, (icon, title, note)) in heads.into_iter().enumerate() {
        let inner = column_rect(rect, column).shrink2(vec2(theme::PADDING, 0.0));
        head_line(ui, icon, title, note).show_in(ui, inner);
    }
    borders_ui(ui, rect);
}

/// Returns the line above a text.
fn head_line(ui: &Ui, icon: &'static str, title: &str, note: &str) -> Line {
    let colors = tokens(ui);
    let words = StyledText::of(title, colors.heading()).with_gap(note, colors.label());
    Line::from(words).icon(icon, colors.muted)
}

fn written_ui(ui: &mut Ui, data: &ConflictData, versions: &Versions) {
    let tokens = tokens(ui);
    let decided_count = versions.places.len() - versions.undecided;
    let (font, decided_label) = (theme::regular(theme::ROW), format!("{decided_count} decided"));
    let open_label = match versions.undecided {
        0 => String::new(),
        count => format!("{count} open"),
    };
    let right = StyledText::new().with(&decided_label, font.clone(), tokens.good).after(
        theme::GAP,
        &open_label,
        font,
        tokens.warning,
    );
    let note = "the file to be written, with the choices made so far";
    let line = head_line(ui, icons::GIT_MERGE, "Result", note).right(right).right_share(0.5);
    let response = line.show(ui, SIDE_HEAD);
    let name = format!("Result, {decided_label}, {} open", versions.undecided);
    widgets::describe(&response, Role::Heading, &name);
    widgets::line_above(ui, response.rect);
    widgets::hair_line(ui);
    let wanted = versions.result_of.get(data.current).copied();
    let count = versions.result.len();
    let rows = ScrolledRows { count, wanted, versions, lines: result_lines };
    rows_ui(ui, "written", &rows, |ui, row, rect| result_ui(ui, versions, row, rect, data.current));
}

fn places_ui(ui: &mut Ui, data: &ConflictData, versions: &Versions, actions: &mut Actions) {
    ui.spacing_mut().item_spacing = vec2(theme::GAP, 0.0);
    // The heading says only what remains to be done.
    let note = match versions.undecided {
        0 => String::new(),
        count => format!("{count} to decide"),
    };
    list_heading(ui, "Places", &versions.places.len().to_string(), &note);
    let room = (ui.available_height() - FOOT_HEIGHT).max(LIST_ROW.height);
    let has_choices = versions.places.get(data.current).map(|place| place.is_conflict);
    let tops = |place| {
        // The choices are below the current place, and only conflicts have any.
        let is_below = place > data.current && has_choices == Some(true);
        place as f32 * LIST_ROW.height + if is_below { CHOICES_HEIGHT } else { 0.0 }
    };
    List::new("Places in conflict", &LIST_ROW, versions.places.len())
        .tops(&tops)
        .max_height(room)
        .selection(Some(data.current), Some)
        .show(ui, |slot| {
            let place = &versions.places[slot.index];
            place_ui(slot, place, slot.index == data.current, actions);
        });
    whole_ui(ui, data, versions, actions);
}

fn place_ui(slot: &mut RowSlot<'_>, place: &ConflictPlace, is_here: bool, actions: &mut Actions) {
    let tokens = tokens(slot.ui);
    let (icon, color) = match place.version {
        Some(_) => (icons::CHECK, tokens.good),
        None => (icons::TRIANGLE_ALERT, tokens.warning),
    };
    let (title, detail) = (theme::mono(theme::LABEL), theme::regular(theme::LABEL));
    let row = Row::new(format!("{}, {}", place.title, place.detail))
        .selected(is_here)
        .line(Line::new(&place.title, title, tokens.text_strong).icon(icon, color))
        .line(Line::new(&place.detail, detail, tokens.text).indent(theme::INDENT));
    let (row_rect, choices) = slot.rect.split_top_bottom_at_y(slot.rect.top() + LIST_ROW.height);
    slot.rect = row_rect;
    widgets::on_click(&slot.show(row), Action::ShowChange(slot.index), actions);
    if is_here && place.is_conflict {
        let index = slot.index;
        widgets::place(slot.ui, choices, |ui| choices_ui(ui, place, index, actions));
    }
}

fn choices_ui(ui: &mut Ui, place: &ConflictPlace, index: usize, actions: &mut Actions) {
    let fill = tokens(ui).selected;
    let margin = Margin { left: 38, right: 16, top: 0, bottom: 10 };
    Frame::new().fill(fill).inner_margin(margin).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 4.0;
        let [base, theirs, ours] = &place.shown;
        let choices = [
            (Command::UseTheirs, MergeSide::Theirs, "Theirs", theirs),
            (Command::UseOurs, MergeSide::Ours, "Ours", ours),
            (Command::UseBase, MergeSide::Base, "Neither", base),
        ];
        let width = ui.available_width();
        for (command, version, side, value) in choices {
            let value = if value.is_empty() { "nothing" } else { value };
            let label = format!("{side}: {value}");
            let name = format!("{}: {value}", command.name());
            let button = Button::secondary(&label)
                .name_for_readers(&name)
                .icon(icons::command(command))
                .on(place.version == Some(version))
                .width(width)
                .command(command, Ok(()))
                .show_keys();
            widgets::on_click(&ui.add(button), Action::Choose(index, version), actions);
        }
    });
}

/// Draws the actions on the whole file.
fn whole_ui(ui: &mut Ui, data: &ConflictData, versions: &Versions, actions: &mut Actions) {
    widgets::hair_line(ui);
    Frame::new().inner_margin(Margin::same(16)).show(ui, |ui| {
        ui.spacing_mut().item_spacing = vec2(theme::GAP, theme::GAP);
        widgets::subtitle(ui, "The whole file");
        let half = (ui.available_width() - theme::GAP) / 2.0;
        ui.horizontal(|ui| {
            // In a file with markers all versions are in that file: none is on disk to be restored.
            let is_markers = versions.conflict.origin == ConflictOrigin::Markers;
            let theirs = Button::secondary("Use all theirs").icon(icons::HARD_DRIVE);
            let their_tip =
                "Show the file on disk. Your edits stay in the history: Undo restores them";
            let ours = Button::secondary("Use all ours").icon(icons::PENCIL_LINE);
            let our_tip =
                "Overwrite the file on disk, which is shown in the middle, with your text";
            for (button, tip, version, action) in [
                (theirs, their_tip, MergeSide::Theirs, Action::Revert(data.doc)),
                (ours, our_tip, MergeSide::Ours, Action::KeepOurs(data.doc)),
            ] {
                let marker_tip = "Use this version at every place and save the file";
                let button = button.tooltip(if is_markers { marker_tip } else { tip });
                if !ui.add(button.width(half)).clicked() {
                    continue;
                }
                if is_markers {
                    let places = 0..versions.places.len();
                    actions.extend(places.map(|place| Action::Choose(place, version)));
                    actions.push(Action::Resolve(data.doc));
                } else {
                    actions.push(action);
                }
            }
        });
        let width = ui.available_width();
        let reason = (versions.undecided > 0).then_some("choose a version at each place first");
        let merge = Button::primary("Merge and save").icon(icons::GIT_MERGE).width(width);
        // An undecided place has no text that could be written.
        widgets::on_click(&ui.add(merge.disabled(reason)), Action::Resolve(data.doc), actions);
        let advice = match versions.places.iter().position(|place| place.version.is_none()) {
            Some(place) => format!("Place {} is not decided yet.", place + 1),
            None => "Every place is decided.".to_owned(),
        };
        widgets::note(ui, &advice);
    });
}
