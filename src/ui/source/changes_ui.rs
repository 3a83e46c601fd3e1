//! Paints the changes of a source, sorted by what they break, and the recordings that do not break.

use egui::{Align, Color32, Frame, Layout, Margin, Role, ScrollArea, Sense, Ui, pos2};

use super::then_now_data::{StaleData, StaleState};
use check::change::Change;
use document::text::{counted, thousands, visible};
use widgets::theme::{self, Tokens, Tone, tokens};
use widgets::{
    BlockVerdict, Button, Line, List, ROW_STRIP_WIDTH, Row, RowShape, RowSlot, StyledText, icons,
    row_strip,
};
use workbench::{
    Action, Actions, AffectedRecordings, RecordingFit, SourceChangeLine, SourceChangeSign,
};

const CHANGE_ROW: RowShape =
    RowShape { height: 44.0, lines: &[22.0], hair: true, ..RowShape::ONE_LINE };

/// The height of the bar.
const BAR_HEIGHT: f32 = 8.0;

/// Draws the changes above the recordings.
pub(super) fn changes_ui(ui: &mut Ui, data: &StaleData, actions: &mut Actions) {
    let StaleState::Found(result) = &data.state else { return };
    let has_breaks = data.changes.lines.iter().any(|line| line.breaks > 0);
    widgets::strip(ui, theme::DESK_HEADER, |ui| {
        widgets::title(ui, &result.count);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if has_breaks {
                widgets::small(ui, "breaks");
            }
        });
    });
    widgets::hair_line(ui);
    if let Some(remark) = result.source.machine.as_ref().and_then(|machine| machine.remark) {
        let (font, color) = tokens(ui).label();
        let text = theme::text(format!("{remark}."), font, color);
        Frame::new().inner_margin(Margin::symmetric(16, 10)).show(ui, |ui| ui.label(text));
    }
    // The recordings follow the list, and stay visible below a long one.
    let id = ui.scope_id().with("recordings of the source");
    let recordings_height: f32 = ui.data(|data| data.get_temp(id)).unwrap_or(160.0);
    let room = (ui.available_height() - recordings_height).max(2.0 * CHANGE_ROW.height);
    let (lines, current) = (&data.changes.lines, data.current);
    List::new("Changes of the source", &CHANGE_ROW, lines.len())
        .max_height(room.min(CHANGE_ROW.height * lines.len() as f32))
        .selection(Some(current), Some)
        .show(ui, |slot| change_ui(slot, &lines[slot.index], current, actions));
    let output = ScrollArea::vertical()
        .id_salt("recordings of the source")
        .auto_shrink(false)
        .show(ui, |ui| recordings_ui(ui, data, actions));
    ui.data_mut(|data| data.insert_temp(id, output.content_size.y));
}

fn change_ui(
    slot: &mut RowSlot<'_>,
    change: &SourceChangeLine,
    current: usize,
    actions: &mut Actions,
) {
    let colors = tokens(slot.ui);
    let (icon, color) = sign_look(change.sign, colors);
    let mut title = StyledText::new();
    for piece in change.short_title() {
        let (font, color) = if piece.strong {
            (theme::semibold(theme::ROW), colors.text_strong)
        } else {
            (theme::regular(theme::ROW), colors.text)
        };
        title.push(&visible(&piece.text), font, color);
    }
    let strip_width =
        if change.breaks > 0 { ROW_STRIP_WIDTH.min(26.0 * change.breaks as f32) } else { 0.0 };
    let shape = RowShape { margins: (16.0, 24.0 + strip_width), ..CHANGE_ROW };
    let row = Row::new(change.name())
        .selected(slot.index == current)
        .line(Line::from(title).icon(icon, color))
        .tip(format!("{}. {}", change.sentence(), change.detail));
    let response = slot.show_as(&shape, row);
    let blocks = vec![BlockVerdict::OrderDecides.into(); change.breaks];
    let left = pos2(slot.rect.right() - theme::PADDING - strip_width, slot.rect.center().y);
    row_strip(slot.ui, left, &blocks);
    widgets::on_click(&response, Action::ShowChange(slot.index), actions);
}

fn sign_look(sign: SourceChangeSign, tokens: &Tokens) -> (&'static str, Color32) {
    match sign {
        SourceChangeSign::Added => (icons::CIRCLE_PLUS, tokens.good),
        SourceChangeSign::Removed => (icons::CIRCLE_MINUS, tokens.error),
        SourceChangeSign::EdgeAdded => (icons::SPLINE, tokens.good),
        SourceChangeSign::EdgeRemoved => (icons::SPLINE, tokens.error),
        SourceChangeSign::Edge => (icons::SPLINE, tokens.note),
        SourceChangeSign::Renamed | SourceChangeSign::Changed => (icons::PENCIL_LINE, tokens.note),
        SourceChangeSign::Title => (icons::TYPE, tokens.note),
        SourceChangeSign::Replaced => (icons::REPLACE, tokens.note),
        SourceChangeSign::Comment => (icons::SLASH, tokens.muted),
    }
}

/// Paints the share of each state, and what the first line does not say: those that do not break, and a tool that was renamed.
fn recordings_ui(ui: &mut Ui, data: &StaleData, actions: &mut Actions) {
    let affected = &data.changes.affected;
    if affected.of(RecordingFit::Breaks).is_empty() {
        return;
    }
    widgets::padded(ui, |ui| {
        share_ui(ui, affected);
        ui.add_space(theme::GAP);
        for rename in data.changes.renames() {
            let (change, docs) = rename.change(affected);
            let from = visible(machine::short_tool(&rename.from)).into_owned();
            let words = counted(rename.offering, "offers", "offer") + " " + &from;
            let button = (format!("Rename in {}…", thousands(rename.offering)), icons::REPLACE);
            let action = Action::Batch(change, docs);
            line_ui(ui, (icons::PENCIL_LINE, Tone::Note), &words, Some((button, action)), actions);
        }
        for (fit, docs) in &affected.by_fit {
            let restamp = || {
                let label = format!("Restamp {}…", thousands(docs.len()));
                ((label, icons::STAMP), Action::Batch(Change::Restamp, docs.clone()))
            };
            let fix = (*fit == RecordingFit::Matches).then(restamp);
            if *fit != RecordingFit::Breaks {
                line_ui(ui, fit_look(*fit), &fit.label(docs.len()), fix, actions);
            }
        }
    });
}

/// Paints an icon, words, and a button at the right.
fn line_ui(
    ui: &mut Ui,
    (icon, tone): (&'static str, Tone),
    words: &str,
    fix: Option<((String, &str), Action)>,
    actions: &mut Actions,
) {
    let colors = tokens(ui);
    let (rect, response) = widgets::allocate_row(ui, 32.0, Sense::hover());
    widgets::describe(&response, Role::Label, words);
    let ((), end) = widgets::place_right(ui, rect, |ui| {
        if let Some(((label, icon), action)) = fix {
            let response = ui.add(Button::secondary(&label).icon(icon));
            widgets::on_click(&response, action, actions);
        }
    });
    let line = Line::of(words, colors.body()).icon(icon, colors.tone_or(tone, colors.muted));
    line.show_in(ui, rect.with_max_x(end - theme::GAP));
}

/// Returns the icon and the tone of a state.
pub(crate) fn fit_look(fit: RecordingFit) -> (&'static str, Tone) {
    match fit {
        RecordingFit::Breaks => (icons::CLOCK_ALERT, Tone::Warning),
        RecordingFit::Unknown => (icons::CIRCLE_QUESTION_MARK, Tone::Plain),
        RecordingFit::Matches => (icons::CIRCLE_CHECK, Tone::Good),
        RecordingFit::Other(status) => widgets::status_look(status),
    }
}

/// Paints the share of each state as a bar.
fn share_ui(ui: &mut Ui, affected: &AffectedRecordings) {
    let colors = tokens(ui);
    let color = |fit: RecordingFit| match fit {
        RecordingFit::Matches => colors.good.gamma_multiply(0.5),
        fit => colors.tone_or(fit_look(fit).1, colors.strong),
    };
    let parts = affected.by_fit.iter().map(|(fit, docs)| (docs.len(), color(*fit), false));
    let (rect, _) = widgets::allocate_row(ui, BAR_HEIGHT, Sense::hover());
    widgets::share_bar(ui, rect, &parts.collect::<Vec<_>>());
}
