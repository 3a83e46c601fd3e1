//! Paints the recordings made from a source by whether they still match, and the selected one beside them.

use egui::{Color32, Frame, Margin, Ui, pos2};

use super::changes_ui::fit_look;
use super::recordings_data::{RecordingRow, RecordingsData, SelectedRecording, verdict};
use check::change::Change;
use document::text::{thousands, visible};
use protocol::DocId;
use widgets::theme::{self, tokens};
use widgets::{
    Button, Line, List, ROW_STRIP_WIDTH, Row, RowShape, RowSlot, SidePanel, StyledText, dates,
    icons, row_strip,
};
use workbench::{Action, Actions, Command, RecordingFit, SourceAction, Workbench};

/// A row, which leaves room for the strip and the day.
const ROW: RowShape = RowShape {
    height: 44.0,
    lines: &[22.0],
    margins: (40.0, 16.0),
    hair: true,
    ..RowShape::ONE_LINE
};
/// Width of the day at the right.
const DAY_WIDTH: f32 = 84.0;
/// From this width on the selected recording is beside the list.
const PANEL_MIN_WIDTH: f32 = 860.0;

/// Draws the list, and the selected recording beside it.
pub(super) fn recordings_ui(
    ui: &mut Ui,
    workbench: &Workbench,
    data: &mut RecordingsData,
    actions: &mut Actions,
) {
    data.update(workbench);
    let data = &*data;
    if let Some(selected) = &data.selected
        && ui.available_width() >= PANEL_MIN_WIDTH
    {
        let panel = SidePanel::right("recording of a source", 400.0, 300.0..=640.0);
        panel.show(ui, |ui| selected_ui(ui, workbench, selected, actions));
    }
    List::new("Recordings of the source", &ROW, data.rows.len())
        .selection(workbench.source.selected(), |doc| data.row_of(doc))
        .show(ui, |slot| match &data.rows[slot.index] {
            RecordingRow::Group(fit, docs) => group_ui(slot, *fit, docs, data, actions),
            RecordingRow::Recording(doc, fit, place) => {
                row_ui(slot, workbench, (*doc, *fit), *place, actions);
            }
        });
}

fn group_ui(
    slot: &mut RowSlot<'_>,
    fit: RecordingFit,
    docs: &[DocId],
    data: &RecordingsData,
    actions: &mut Actions,
) {
    let colors = tokens(slot.ui);
    let (icon, tone) = fit_look(fit);
    let label = fit.label(docs.len());
    let line = Line::of(&label, colors.heading()).icon(icon, colors.tone_or(tone, colors.muted));
    let shape = RowShape { margins: (theme::PADDING, theme::PADDING), ..ROW };
    slot.show_as(&shape, Row::new(label).line(line).fill(colors.panel));
    // Where nothing breaks, the first line offers it.
    let has_breaks =
        matches!(data.rows.first(), Some(RecordingRow::Group(RecordingFit::Breaks, _)));
    if fit == RecordingFit::Matches && has_breaks {
        let rect = slot.rect.shrink2(egui::vec2(theme::PADDING, 0.0));
        let text = format!("Restamp {}…", thousands(docs.len()));
        widgets::place_right(slot.ui, rect, |ui| {
            let response = ui.add(Button::secondary(&text).icon(icons::STAMP));
            widgets::on_click(&response, Action::Batch(Change::Restamp, docs.to_vec()), actions);
        });
    }
}

fn row_ui(
    slot: &mut RowSlot<'_>,
    workbench: &Workbench,
    (doc, fit): (DocId, RecordingFit),
    (position, count): (usize, usize),
    actions: &mut Actions,
) {
    let Some(item) = workbench.core.library.get(doc) else { return };
    let colors = tokens(slot.ui);
    let (icon, tool, words) = super::called(item.summary.as_deref());
    let day = item.recorded_at.as_deref().map(dates::day_of_iso).unwrap_or_default();
    let text = StyledText::of(&tool, colors.heading()).with_gap(&words, colors.body());
    let label = visible(item.label()).into_owned();
    let reason = item.source.as_ref().and_then(|source| source.because.as_deref());
    let row = Row::new(format!("{label}, {tool}, {}", fit.label(1).trim_start_matches("1 ")))
        .selected(workbench.source.selected() == Some(doc))
        .line(Line::from(text).icon(icon, colors.muted))
        .tip(reason.map_or(label, super::reason));
    let shape = RowShape {
        margins: (ROW.margins.0, ROW.margins.1 + DAY_WIDTH + ROW_STRIP_WIDTH + theme::PADDING),
        ..ROW
    };
    let response = slot.show_as(&shape, row);
    let right = slot.rect.right() - theme::PADDING;
    let day_place = slot.rect.with_min_x(right - DAY_WIDTH).with_max_x(right);
    Line::default().right(StyledText::of(&day, colors.label())).show_in(slot.ui, day_place);
    // The block is where it is in the strip of its set.
    let step = ((ROW_STRIP_WIDTH - 24.0) / count.saturating_sub(1).max(1) as f32).min(26.0);
    let left = right - DAY_WIDTH - theme::PADDING - ROW_STRIP_WIDTH + step * position as f32;
    row_strip(slot.ui, pos2(left, slot.rect.center().y), &[verdict(fit).into()]);
    widgets::on_click(&response, SourceAction::Select(doc), actions);
    if response.double_clicked() {
        actions.push(Action::Run(Command::OpenSelected));
    }
}

fn selected_ui(
    ui: &mut Ui,
    workbench: &Workbench,
    selected: &SelectedRecording,
    actions: &mut Actions,
) {
    let doc = workbench.source.selected();
    let Some(item) = doc.and_then(|doc| workbench.core.library.get(doc)) else { return };
    let (icon, tool, words) = super::called(item.summary.as_deref());
    let name = if tool.is_empty() { words } else { tool };
    widgets::strip(ui, theme::DESK_HEADER, |ui| {
        let colors = tokens(ui);
        widgets::icon(ui, icon, theme::ICON, colors.muted);
        let place = format!(
            "{} of {} in {}",
            thousands(selected.position + 1),
            thousands(selected.docs.len()),
            selected.set
        );
        let title = StyledText::of(&name, colors.title()).with_gap(&place, colors.note());
        title.show(ui).on_hover_text(visible(item.label()));
    });
    widgets::hair_line(ui);
    widgets::padded(ui, |ui| {
        let chosen = widgets::call_strip(ui, &selected.blocks, Some(selected.position));
        if let Some(doc) = chosen.and_then(|index| selected.docs.get(index)) {
            actions.push(Action::from(SourceAction::Select(*doc)));
        }
    });
    widgets::hair_line(ui);
    let id = ("tools of a recording", doc);
    egui::ScrollArea::vertical().id_salt(id).auto_shrink(false).show(ui, |ui| {
        widgets::padded(ui, |ui| match &selected.offer {
            Some(offer) => {
                widgets::heading(ui, "", &format!("Offered at {}", offer.node), "");
                ui.add_space(theme::GAP);
                for (sign, tool, is_called) in &offer.tools {
                    tool_ui(ui, sign, tool, *is_called);
                }
            }
            None => {
                let (font, color) = tokens(ui).body();
                ui.label(theme::text(&selected.reason, font, color));
            }
        });
    });
}

fn tool_ui(ui: &mut Ui, sign: &str, tool: &str, is_called: bool) {
    let colors = tokens(ui);
    let (color, ground, change) = match sign {
        "+" => (colors.good, colors.added_line, ", added"),
        "−" => (colors.error, colors.removed_line, ", removed"),
        _ => (colors.text, Color32::TRANSPARENT, ""),
    };
    let called = if is_called { ", called" } else { "" };
    let name = visible(tool);
    let (font, name_color) = colors.data();
    let text = StyledText::new()
        .with(&format!("{sign:1} "), theme::mono_bold(theme::LABEL), color)
        .with(icons::tool(tool), theme::icon(theme::ICON), colors.muted)
        .after(theme::ICON_GAP, &visible(machine::short_tool(tool)), font, name_color);
    let right = StyledText::of(called.trim_start_matches(", "), colors.label());
    let frame = Frame::new().fill(ground).inner_margin(Margin::symmetric(theme::GAP as i8, 0));
    frame.show(ui, |ui| {
        let line = Line::from(text).right(right);
        line.show_named(ui, theme::ROW_HEIGHT, &format!("{name}{change}{called}"))
            .on_hover_text(name);
    });
}
