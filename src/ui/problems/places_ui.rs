//! Paints the places where a rule applies.

use egui::{Frame, Margin, Stroke, Ui, pos2, vec2};

use super::data::{ProblemsData, RuleDetail};
use super::detail_ui::section_heading;
use super::problems_ui::{PlaceRow, ProblemsState, next_keys};
use super::rules_ui::group_row;
use crate::text::thousands;
use crate::text::visible;
use crate::ui::code::sentence;
use crate::ui::icons;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{self, RowSelection, StyledText};
use crate::workbench::{Action, Library, ProblemId};

/// Draws the places of a rule, by folder.
pub(super) fn places_ui(
    ui: &mut Ui,
    data: &ProblemsData,
    library: &Library,
    detail: &RuleDetail,
    state: &mut ProblemsState,
    actions: &mut Vec<Action>,
) {
    let tokens = tokens(ui);
    Frame::new()
        .inner_margin(Margin {
            left: 16,
            right: 16,
            top: 8,
            bottom: 8,
        })
        .show(ui, |ui| {
            ui.horizontal(|ui| {
                section_heading(ui, "Places");
                StyledText::new()
                    .with(&detail.extent, theme::regular(theme::BODY), tokens.muted)
                    .show(ui);
                ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                    ui.allocate_ui(vec2(80.0, theme::KEY), |ui| {
                        widgets::key_hint(ui, &next_keys(), "next");
                    });
                });
            });
        });
    state.sync_rows(data);
    let selected = data.preview.as_ref().map(|preview| preview.id);
    let mut area = egui::ScrollArea::vertical()
        .auto_shrink(false)
        .id_salt("places");
    if selected != state.scrolled_to {
        state.scrolled_to = selected;
        if let Some(offset) = state.offset_of(data) {
            let shown = ui.available_height();
            area = area.vertical_scroll_offset((offset - shown / 2.0 + 22.0).max(0.0));
        }
    }
    ui.spacing_mut().item_spacing.y = 0.0;
    let mut toggled = None;
    area.show_viewport(ui, |ui, viewport| {
        let rows = &state.rows;
        ui.set_height(state.top_of(rows.len()));
        let origin = ui.min_rect().min;
        let first = state.row_at(viewport.min.y);
        let width = ui.available_width();
        for (index, row) in rows.iter().enumerate().skip(first) {
            let top = state.top_of(index);
            if top > viewport.max.y {
                break;
            }
            // Sums from the top are too imprecise far down; the distance to the first visible row is precise.
            let y = origin.y + viewport.min.y + (top - viewport.min.y);
            let rect = egui::Rect::from_min_size(pos2(origin.x, y), vec2(width, row.height()));
            let builder = egui::UiBuilder::new().max_rect(rect).id_salt(index);
            ui.scope_builder(builder, |ui| match *row {
                PlaceRow::Folder(index) => {
                    let Some(folder) = data.folders.get(index) else {
                        return;
                    };
                    let folded = state.folded_folders.contains(&folder.name);
                    let count = thousands(folder.places.len());
                    let icon = Some(icons::FOLDER);
                    if group_row(ui, &folder.name, "", &count, folded, icon, tokens.raised)
                        .clicked()
                    {
                        toggled = Some(folder.name.clone());
                    }
                }
                PlaceRow::Place(index) => {
                    if let Some(id) = data.places.get(index) {
                        place_ui(ui, library, *id, selected == Some(*id), actions);
                    }
                }
            });
        }
    });
    if let Some(name) = toggled
        && !state.folded_folders.remove(&name)
    {
        state.folded_folders.insert(name);
    }
}

fn place_ui(
    ui: &mut Ui,
    library: &Library,
    id: ProblemId,
    selected: bool,
    actions: &mut Vec<Action>,
) {
    let tokens = tokens(ui);
    let Some((item, problem)) = library
        .get(id.doc)
        .and_then(|item| Some((item, item.problems.get(id.index)?)))
    else {
        return;
    };
    let name = visible(item.file_name());
    let chosen = if selected {
        RowSelection::Selected
    } else {
        RowSelection::None
    };
    let label = format!(
        "{name}, line {}, column {}",
        problem.place.line, problem.place.column
    );
    let response = widgets::row(ui, theme::ROW_TWO_LINES, chosen, &label);
    let rect = response.rect;
    let left = rect.left() + theme::PADDING;
    let sign = icons::kind(item.kind);
    widgets::paint_icon(
        ui.painter(),
        pos2(left + 7.0, rect.top() + 14.0),
        sign,
        theme::ICON,
        tokens.muted,
    );
    let font = theme::mono(theme::LABEL);
    let room = rect.width() - 2.0 * theme::PADDING - theme::INDENT;
    let place = StyledText::new()
        .with(&name, font.clone(), tokens.text_strong)
        .with(&format!(":{}", problem.place), font, tokens.muted)
        .galley(ui, room);
    widgets::paint_line(
        ui.painter(),
        pos2(left + theme::INDENT, rect.top() + 14.0),
        place,
    );
    let message = visible(&problem.message);
    let mut job = sentence(
        &message,
        theme::regular(theme::LABEL),
        tokens.muted,
        tokens.text,
        room,
    );
    job.wrap.max_rows = 1;
    job.wrap.break_anywhere = true;
    let message = ui.painter().layout_job(job);
    widgets::paint_line(
        ui.painter(),
        pos2(left + theme::INDENT, rect.bottom() - 13.0),
        message,
    );
    ui.painter().hline(
        rect.x_range(),
        rect.bottom() - 0.5,
        Stroke::new(1.0, tokens.hair),
    );
    if response.clicked() {
        actions.push(Action::SelectProblem(id));
    }
    if response.double_clicked() {
        actions.push(Action::Reveal(id.doc, problem.span));
    }
    widgets::context_menu(&response, |ui| {
        if widgets::menu_item(ui, icons::COPY, "Copy as path:line:column", &[], None).clicked() {
            actions.push(Action::Copy(format!("{}:{}", item.path, problem.place)));
            ui.close();
        }
        if widgets::menu_item(ui, icons::COPY, "Copy JSON Pointer", &[], None).clicked() {
            actions.push(Action::Copy(problem.pointer.to_string()));
            ui.close();
        }
        if widgets::menu_item(ui, icons::COPY, "Copy message", &[], None).clicked() {
            actions.push(Action::Copy(problem.message.to_string()));
            ui.close();
        }
    });
}

impl PlaceRow {
    fn height(self) -> f32 {
        match self {
            Self::Folder(_) => theme::ROW_HEIGHT,
            Self::Place(_) => theme::ROW_TWO_LINES,
        }
    }
}

impl ProblemsState {
    /// Rebuilds the visible rows if places or folds changed.
    fn sync_rows(&mut self, data: &ProblemsData) {
        let key = (data.places_version, self.folded_folders.len());
        if self.rows_key == key {
            return;
        }
        self.rows_key = key;
        self.rows.clear();
        self.folder_rows.clear();
        for (index, folder) in data.folders.iter().enumerate() {
            self.folder_rows.push(self.rows.len());
            self.rows.push(PlaceRow::Folder(index));
            if !self.folded_folders.contains(&folder.name) {
                self.rows.extend(folder.places.clone().map(PlaceRow::Place));
            }
        }
    }

    /// Returns the vertical position of the selected place.
    fn offset_of(&self, data: &ProblemsData) -> Option<f32> {
        let place = data.selected_place()?;
        let row = self
            .rows
            .iter()
            .position(|row| *row == PlaceRow::Place(place))?;
        Some(self.top_of(row))
    }

    /// Returns the top of a row: rows of places are taller than those of folders.
    fn top_of(&self, row: usize) -> f32 {
        let folders = self.folder_rows.partition_point(|&folder| folder < row);
        folders as f32 * theme::ROW_HEIGHT + (row - folders) as f32 * theme::ROW_TWO_LINES
    }

    /// Returns the row at this vertical position.
    fn row_at(&self, y: f32) -> usize {
        let (mut low, mut high) = (0, self.rows.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.top_of(middle + 1) <= y {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}
