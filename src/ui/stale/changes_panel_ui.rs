//! The panel beside a source comparison: changes of the machine, affected recordings, and fixes.

use egui::{
    Align, Color32, Frame, Layout, Margin, Panel, RichText, Sense, Ui, UiBuilder, pos2, vec2,
};

use super::affected::{AffectedRecordings, RecordingFit};
use super::changes::{SourceChangeLine, SourceChangeSign};
use super::data::{StaleData, StaleState};
use crate::ops::change::Change;
use crate::text::thousands;
use crate::ui::compare::list_heading;
use crate::ui::icons;
use crate::ui::terminal::regenerate_ui;
use crate::ui::theme::{self, Tokens, Tone, tokens};
use crate::ui::widgets::{self, Button, Line, List, Row, RowShape, StyledText};
use crate::workbench::{Action, Desk};

const ROWS: RowShape = RowShape {
    height: 48.0,
    lines: &[15.0, 33.0],
    hair: false,
    ..RowShape::TWO_LINES
};

/// Draws the changes above the affected recordings.
pub(super) fn changes_panel_ui(ui: &mut Ui, data: &StaleData, actions: &mut Vec<Action>) {
    let count = match &data.state {
        StaleState::Found(found) => found.count.as_str(),
        StaleState::Searching => "searching",
        StaleState::Failed(_) => "unknown",
    };
    list_heading(ui, "What changed", count, "");
    Panel::bottom("recordings of the source")
        .resizable(false)
        .frame(Frame::new())
        .show(ui, |ui| {
            ui.spacing_mut().item_spacing = vec2(theme::GAP, 0.0);
            recordings_ui(ui, data, actions);
        });
    if let StaleState::Found(found) = &data.state {
        let remark = found.source.machine.as_ref().and_then(|it| it.remark);
        if let Some(remark) = remark {
            remark_ui(ui, remark);
        }
        changes_ui(ui, &found.changes, data.current, actions);
    }
}

/// Paints why the list of changes may be incomplete.
fn remark_ui(ui: &mut Ui, remark: &str) {
    Frame::new()
        .inner_margin(Margin::symmetric(16, 10))
        .show(ui, |ui| {
            let text = RichText::new(format!("{remark}.")).font(theme::regular(theme::LABEL));
            ui.label(text.color(tokens(ui).muted));
        });
}

fn changes_ui(
    ui: &mut Ui,
    changes: &[SourceChangeLine],
    current: usize,
    actions: &mut Vec<Action>,
) {
    let row_of = |current| {
        let mut rows = changes.iter();
        rows.position(|change| change.change == Some(current))
    };
    List::new("Changes of the source", &ROWS, changes.len())
        .selection(Some(current), row_of)
        .show(ui, |slot| {
            let change = &changes[slot.index];
            let row = change_row(change, change.change == Some(current), tokens(slot.ui));
            if let (true, Some(change)) = (slot.show(row).clicked(), change.change) {
                actions.push(Action::ShowChange(change));
            }
        });
}

fn change_row(change: &SourceChangeLine, is_current: bool, tokens: &Tokens) -> Row {
    const INDENT: f32 = theme::INDENT + 5.0;
    let (icon, color) = sign_look(change.sign, tokens);
    let mut title = StyledText::new();
    for piece in &change.title {
        if piece.strong {
            title.push(&piece.text, theme::semibold(theme::ROW), tokens.text_strong);
        } else {
            title.push(&piece.text, theme::regular(theme::ROW), tokens.text);
        }
    }
    let font = || theme::regular(theme::LABEL);
    let mut words = StyledText::new().with(&change.detail, font(), tokens.muted);
    if change.breaks > 0 {
        let space = if change.detail.is_empty() {
            0.0
        } else {
            theme::GAP
        };
        words = words.after(space, &change.breaks_label(), font(), tokens.warning);
    }
    Row::new(change.name())
        .selected(is_current)
        .line(Line::from(title).icon(icon, color).indent(INDENT))
        .line(Line::from(words).indent(INDENT))
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

/// Paints the state of the recordings made from this source, and the fixes.
fn recordings_ui(ui: &mut Ui, data: &StaleData, actions: &mut Vec<Action>) {
    widgets::hair_line(ui);
    let touched = &data.affected;
    Frame::new().inner_margin(Margin::same(16)).show(ui, |ui| {
        recordings_heading(ui, data, actions);
        ui.add_space(theme::GAP);
        for (fit, count) in &touched.by_fit {
            fit_ui(ui, *fit, *count);
        }
        if !touched.breaking.is_empty() {
            ui.add_space(theme::GAP);
            regenerate_ui(ui, &touched.breaking, actions);
        }
        restamp_ui(ui, touched, actions);
    });
}

/// Offers to restamp the recordings that still match.
fn restamp_ui(ui: &mut Ui, touched: &AffectedRecordings, actions: &mut Vec<Action>) {
    let text = match touched.still_match.len() {
        0 => return,
        1 => "Restamp the one that still matches…".to_owned(),
        count => format!("Restamp the {} that still match…", thousands(count)),
    };
    ui.add_space(theme::GAP);
    let tip = "Updates what they store about their source. You see the change before it is saved.";
    let button = Button::primary(&text).icon(icons::STAMP).tooltip(tip);
    if ui.add(button.width(ui.available_width())).clicked() {
        actions.push(Action::Batch(Change::Restamp, touched.still_match.clone()));
    }
}

/// Paints a summary with a link to the breaking recordings, or else to all.
fn recordings_heading(ui: &mut Ui, data: &StaleData, actions: &mut Vec<Action>) {
    let tokens = tokens(ui);
    let touched = &data.affected;
    let size = vec2(ui.available_width(), theme::TEXT_LINE);
    let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
    let layout = Layout::right_to_left(Align::Center);
    let builder = UiBuilder::new().max_rect(rect).layout(layout);
    ui.scope_builder(builder, |ui| {
        let (link, filter) = match touched.breaks() {
            0 => ("Open in Library".to_owned(), ""),
            1 => ("Show the one".to_owned(), "status:breaks "),
            count => (format!("Show the {}", thousands(count)), "status:breaks "),
        };
        if touched.count() > 0 && widgets::link(ui, &link).clicked() {
            let file = data.file.replace('"', "\\\"");
            actions.push(Action::SetFilter(format!("{filter}source:\"{file}\"")));
            actions.push(Action::Go(Desk::Library));
        }
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            let words = touched.summary();
            let (all, rest) = words.split_at(words.find(':').unwrap_or(words.len()));
            let font = theme::regular(theme::ROW);
            StyledText::new()
                .with(all, theme::semibold(theme::BODY), tokens.text_strong)
                .with(rest, font, tokens.muted)
                .show(ui)
                .on_hover_text(&words);
        });
    });
}

fn fit_ui(ui: &mut Ui, fit: RecordingFit, count: usize) {
    let tokens = tokens(ui);
    let size = vec2(ui.available_width(), 24.0);
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    let (number, word) = (thousands(count), fit.describe(count));
    let words = format!("{number} {word}");
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, &words));
    let (icon, tone) = match fit {
        RecordingFit::Breaks => (icons::TRIANGLE_ALERT, Tone::Warning),
        RecordingFit::Unknown => (icons::CIRCLE_QUESTION_MARK, Tone::Plain),
        RecordingFit::Matches => (icons::CIRCLE_CHECK, Tone::Good),
        RecordingFit::Other(status) => widgets::status_look(status),
    };
    let middle = rect.center().y;
    let at = pos2(rect.left() + 7.0, middle);
    widgets::paint_icon(ui.painter(), at, icon, theme::ICON, tokens.tone(tone));
    let mono = theme::mono(theme::LABEL);
    let number = widgets::line(ui, &number, mono, tokens.text_strong, 60.0);
    widgets::paint_line_right(ui.painter(), pos2(rect.left() + 46.0, middle), number);
    let room = rect.width() - 60.0;
    let word = widgets::line(ui, &word, theme::regular(theme::ROW), tokens.text, room);
    widgets::paint_line(ui.painter(), pos2(rect.left() + 56.0, middle), word);
}
