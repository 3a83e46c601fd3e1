//! Paints the places where a rule applies.

use egui::{Frame, Margin, Response, Ui, vec2};

use super::folds::{PlaceRow, ProblemsState};
use super::problems_data::{ProblemsData, RuleDetail};
use super::rules_ui::group_row;
use calls::Item;
use check::change::fix_at;
use document::Problem;
use document::text::visible;
use widgets::code::sentence;
use widgets::theme::{self, tokens};
use widgets::{Button, Line, List, Row, RowShape, RowSlot, StyledText};
use widgets::{icons, keymap};
use workbench::{Action, Actions, Command, Library, ProblemId, ProblemsAction};

/// Draws the places of a rule, by folder.
pub(super) fn places_ui(
    ui: &mut Ui,
    data: &ProblemsData,
    library: &Library,
    detail: &RuleDetail,
    state: &mut ProblemsState,
    actions: &mut Actions,
) {
    let tokens = tokens(ui);
    Frame::new().inner_margin(Margin { left: 16, right: 16, top: 8, bottom: 8 }).show(ui, |ui| {
        ui.horizontal(|ui| {
            section_heading(ui, "Places");
            let font = theme::regular(theme::BODY);
            StyledText::new().with(&detail.extent, font, tokens.muted).show(ui);
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                ui.allocate_ui(vec2(80.0, theme::KEY), |ui| {
                    widgets::key_hint(ui, &keymap::caps(ui, Command::NextRow), "next");
                });
            });
        });
    });
    state.sync_rows(data);
    let selected = data.preview.as_ref().map(|preview| preview.id);
    ui.spacing_mut().item_spacing.y = 0.0;
    let mut toggled_folder = None;
    List::new("Places of the rule", &RowShape::TWO_LINES, state.rows.len())
        .tops(&|row| state.top_of(row))
        .selection(selected, |_| state.row_of(data.selected_place()?))
        .levels(&|row| match state.rows[row] {
            PlaceRow::Folder(_) => 0,
            PlaceRow::Place(_) => 1,
        })
        .show(ui, |slot| match state.rows[slot.index] {
            PlaceRow::Folder(index) => {
                let Some(folder) = data.folders.get(index) else { return };
                let is_folded = state.is_folded(folder);
                let (name, count) = ((&*folder.name, ""), folder.places.len());
                let icon = if folder.is_summary { icons::INFO } else { icons::FOLDER };
                if group_row(slot, name, count, is_folded, Some(icon)).clicked() {
                    toggled_folder = Some(folder.name.clone());
                }
            }
            PlaceRow::Place(index) => {
                if let Some(id) = data.places.get(index) {
                    place_ui(slot, library, *id, selected == Some(*id), actions);
                }
            }
        });
    if let Some(name) = toggled_folder
        && !state.folded_folders.remove(&name)
    {
        state.folded_folders.insert(name);
    }
}

/// Width of the fix at the right of a row.
const FIX_WIDTH: f32 = 140.0;

fn place_ui(
    slot: &mut RowSlot<'_>,
    library: &Library,
    id: ProblemId,
    is_selected: bool,
    actions: &mut Actions,
) {
    let colors = tokens(slot.ui);
    let (Some(item), Some(problem)) = (library.get(id.doc), library.problem(id)) else { return };
    let (name, place) = (visible(item.file_name()), &problem.place);
    let mono = theme::mono(theme::LABEL);
    let mut words = StyledText::new().with(&name, mono.clone(), colors.text_strong);
    words.push(&format!(":{place}"), mono, colors.muted);
    let (message, label) = (visible(&problem.message), theme::regular(theme::LABEL));
    // Without wrapping: the row has one line for it and cuts the rest.
    let message = sentence(&message, label, colors.muted, colors.text, f32::INFINITY);
    let label = format!("{name}, line {}, column {}", place.line, place.column);
    let fix = fix_at(problem, item);
    let row = Row::new(label)
        .selected(is_selected)
        .line(Line::from(words).icon(icons::kind(item.kind), colors.muted))
        .line(Line::from(StyledText::from(message)).under_icon());
    // The button is painted over the row, whose text must not run below it.
    let room = fix.map_or(0.0, |_| FIX_WIDTH);
    let shape =
        RowShape { margins: (theme::PADDING, theme::PADDING + room), ..RowShape::TWO_LINES };
    let response = slot.show_as(&shape, row);
    widgets::on_click(&response, ProblemsAction::Select(id), actions);
    if let Some(fix) = fix {
        let rect = slot.rect.shrink2(vec2(theme::PADDING, 0.0));
        let label = fix.row_label();
        let (response, _) = widgets::place_right(slot.ui, rect, |ui| {
            // Only one button, for the selected row: a column of them would outweigh the messages.
            if is_selected {
                ui.add(Button::secondary(&label).tooltip(fix.leaves))
            } else {
                widgets::link(ui, &label).on_hover_text(fix.leaves)
            }
        });
        widgets::on_click(&response, ProblemsAction::Fix(fix.rule, Some(id.doc)), actions);
    }
    place_menu(&response, id, item, problem, actions);
}

/// Opens a place on a double click, and its menu on a right click.
fn place_menu(
    response: &Response,
    id: ProblemId,
    item: &Item,
    problem: &Problem,
    actions: &mut Actions,
) {
    if response.double_clicked() {
        actions.push(Action::Reveal(id.doc, problem.span));
    }
    widgets::context_menu(response, |ui| {
        for (name, text) in [
            ("Copy as path:line:column", format!("{}:{}", item.path, problem.place)),
            ("Copy JSON Pointer", problem.pointer.to_string()),
            ("Copy message", problem.message.to_string()),
        ] {
            widgets::menu_choice(ui, icons::COPY, name, Action::Copy(text), actions);
        }
    });
}

pub(super) fn section_heading(ui: &mut Ui, text: &str) {
    StyledText::new().with(text, theme::semibold(theme::BODY), tokens(ui).text_strong).show(ui);
}
