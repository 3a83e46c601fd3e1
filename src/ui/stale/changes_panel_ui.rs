//! The panel beside a source comparison: changes of the machine, affected recordings, and fixes.

use egui::{
    Align, Color32, Frame, Layout, Margin, Rect, RichText, ScrollArea, Sense, Ui, UiBuilder, pos2,
    vec2,
};

use super::stale_data::{StaleData, StaleState};
use crate::compare::list_heading;
use crate::terminal::regenerate_ui;
use check::change::Change;
use document::text::{counted, thousands, visible};
use protocol::Desk;
use widgets::theme::{self, Tokens, Tone, tokens};
use widgets::{Button, Line, List, Row, RowShape, StyledText, icons};
use workbench::{
    Action, Actions, AffectedRecordings, Command, RecordingFit, SourceChangeLine, SourceChangeSign,
    ToolRename,
};

const CHANGE_ROW: RowShape =
    RowShape { height: 48.0, lines: &[15.0, 33.0], hair: false, ..RowShape::TWO_LINES };

/// The height of the bar, and the space between its parts.
const BAR_HEIGHT: f32 = 8.0;
const BAR_GAP: f32 = 2.0;

/// Draws the changes above the affected recordings.
pub(super) fn changes_panel_ui(ui: &mut Ui, data: &StaleData, actions: &mut Actions) {
    let count = match &data.state {
        StaleState::Found(result) => result.count.as_str(),
        StaleState::Searching => "searching",
        StaleState::Failed(_) => "unknown",
    };
    let breaks = match data.changes.affected.breaks() {
        0 => String::new(),
        1 => "1 breaks in all".to_owned(),
        breaks => format!("{} break in all", thousands(breaks)),
    };
    list_heading(ui, "What changed", count, &breaks);
    ui.spacing_mut().item_spacing = vec2(theme::GAP, 0.0);
    // The recordings follow the list, and stay visible below a long one.
    let id = ui.scope_id().with("recordings of the source");
    // The height of the recordings in the previous frame; in the first frame a guess.
    let recordings_height: f32 = ui.data(|data| data.get_temp(id)).unwrap_or(200.0);
    if let StaleState::Found(result) = &data.state {
        let remark = result.source.machine.as_ref().and_then(|m| m.remark);
        if let Some(remark) = remark {
            remark_ui(ui, remark);
        }
        let height = (ui.available_height() - recordings_height).max(2.0 * CHANGE_ROW.height);
        changes_ui(ui, data, height, actions);
    }
    // The placeholder has its own scroll position, so that the list of recordings keeps the one that the user set.
    let is_found = matches!(data.state, StaleState::Found(_));
    let output = ScrollArea::vertical()
        .id_salt(("recordings of the source", is_found))
        .auto_shrink(false)
        .show(ui, |ui| recordings_ui(ui, data, actions));
    if is_found {
        ui.data_mut(|data| data.insert_temp(id, output.content_size.y));
    }
}

/// Paints the reason why the list of changes may be incomplete.
fn remark_ui(ui: &mut Ui, remark: &str) {
    Frame::new().inner_margin(Margin::symmetric(16, 10)).show(ui, |ui| {
        ui.label(theme::text(format!("{remark}."), theme::regular(theme::LABEL), tokens(ui).muted));
    });
}

fn changes_ui(ui: &mut Ui, data: &StaleData, height: f32, actions: &mut Actions) {
    let (changes, current) = (&data.changes.lines, data.current);
    List::new("Changes of the source", &CHANGE_ROW, changes.len())
        // A short list ends after its rows, so that the recordings follow at once.
        .max_height(height.min(CHANGE_ROW.height * changes.len() as f32))
        .selection(Some(current), Some)
        .show(ui, |slot| {
            let index = slot.index;
            let row = change_row(&changes[index], index == current, tokens(slot.ui));
            widgets::on_click(&slot.show(row), Action::ShowChange(index), actions);
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
        let space = if change.detail.is_empty() { 0.0 } else { theme::GAP };
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
fn recordings_ui(ui: &mut Ui, data: &StaleData, actions: &mut Actions) {
    widgets::hair_line(ui);
    let recordings = &data.changes.affected;
    Frame::new().inner_margin(Margin::same(16)).show(ui, |ui| {
        recordings_heading(ui, data, actions);
        ui.add_space(theme::GAP);
        share_ui(ui, recordings);
        for (fit, count) in &recordings.by_fit {
            fit_ui(ui, *fit, *count);
        }
        let sentence = data.changes.breaks_in_all();
        if let Some(sentence) = sentence.filter(|_| matches!(data.state, StaleState::Found(_))) {
            ui.add_space(6.0);
            ui.label(theme::text(
                visible(&sentence),
                theme::regular(theme::LABEL),
                tokens(ui).muted,
            ));
        }
        let renames = data.changes.renames();
        for (index, rename) in renames.iter().enumerate() {
            // One primary button at most; renaming comes first, as it fixes recordings without recording again.
            rename_ui(ui, rename, recordings, index == 0, actions);
        }
        if !recordings.breaking.is_empty() {
            ui.add_space(theme::GAP);
            regenerate_ui(ui, &recordings.breaking, renames.is_empty(), actions);
        }
        restamp_ui(ui, recordings, actions);
    });
}

/// Paints the share of each state as a bar.
fn share_ui(ui: &mut Ui, recordings: &AffectedRecordings) {
    let gaps = BAR_GAP * recordings.by_fit.len().saturating_sub(1) as f32;
    let (rect, _) = widgets::allocate_row(ui, BAR_HEIGHT, Sense::hover());
    let mut left = rect.left();
    for (fit, count) in &recordings.by_fit {
        let share = *count as f32 / recordings.count().max(1) as f32;
        let width = (rect.width() - gaps) * share;
        let part = Rect::from_min_size(pos2(left, rect.top()), vec2(width, BAR_HEIGHT));
        let (_, tone) = fit_look(*fit);
        let colors = tokens(ui);
        ui.painter().rect_filled(part, 2.0, colors.tone_or(tone, colors.strong));
        left += width + BAR_GAP;
    }
    ui.add_space(6.0);
}

/// Offers to rename a tool in the recordings as the source did.
fn rename_ui(
    ui: &mut Ui,
    rename: &ToolRename,
    recordings: &AffectedRecordings,
    is_primary: bool,
    actions: &mut Actions,
) {
    ui.add_space(theme::GAP);
    let (change, docs) = rename.change(recordings);
    let tip = format!("{} You see the changes before they are saved.", change.does());
    let name = Command::RenameTool.name();
    let button = if is_primary { Button::primary(name) } else { Button::secondary(name) };
    let button = button.icon(icons::REPLACE).tooltip(&tip).width(ui.available_width());
    widgets::on_click(&ui.add(button), Action::Batch(change, docs), actions);
    let [from, to] = [&rename.from, &rename.to].map(|name| visible(name));
    let offer = counted(rename.offering, "recording offers", "recordings offer");
    let words = RichText::new(format!("{offer} {from}, which is {to} now."));
    ui.add_space(6.0);
    ui.label(words.font(theme::regular(theme::LABEL)).color(tokens(ui).muted));
}

/// Offers to restamp the recordings that still match.
fn restamp_ui(ui: &mut Ui, recordings: &AffectedRecordings, actions: &mut Actions) {
    let text = match recordings.still_match.len() {
        0 => return,
        1 => "Restamp the one that still matches…".to_owned(),
        count => format!("Restamp the {} that still match…", thousands(count)),
    };
    ui.add_space(theme::GAP);
    let tip = "Updates what they store about their source. You see the change before it is saved.";
    let button = match recordings.breaks() {
        0 => Button::primary(&text),
        // Recordings that break need a fix first.
        _ => Button::secondary(&text),
    };
    if ui.add(button.icon(icons::STAMP).tooltip(tip).width(ui.available_width())).clicked() {
        actions.push(Action::Batch(Change::Restamp, recordings.still_match.clone()));
    }
}

/// Paints a summary with a link to the breaking recordings, or else to all.
fn recordings_heading(ui: &mut Ui, data: &StaleData, actions: &mut Actions) {
    let tokens = tokens(ui);
    let recordings = &data.changes.affected;
    let (rect, _) = widgets::allocate_row(ui, theme::TEXT_LINE, Sense::hover());
    let layout = Layout::right_to_left(Align::Center);
    ui.scope_builder(UiBuilder::new().max_rect(rect).layout(layout), |ui| {
        let (link, filter) = match recordings.breaks() {
            0 => ("Open in Library".to_owned(), ""),
            1 => ("Show the one".to_owned(), "status:breaks "),
            count => (format!("Show the {}", thousands(count)), "status:breaks "),
        };
        if recordings.count() > 0 && widgets::link(ui, &link).clicked() {
            // The filter language escapes a quote like this.
            let file = data.file.replace('"', "\\\"");
            actions.push(Action::SetFilter(format!("{filter}source:\"{file}\"")));
            actions.push(Action::Go(Desk::Library));
        }
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            let words = recordings.summary();
            // The total before the colon is the heading.
            let (total, rest) = words.split_at(words.find(':').unwrap_or(words.len()));
            StyledText::new()
                .with(total, theme::semibold(theme::BODY), tokens.text_strong)
                .with(rest, theme::regular(theme::ROW), tokens.muted)
                .show(ui)
                .on_hover_text(&words);
        });
    });
}

fn fit_look(fit: RecordingFit) -> (&'static str, Tone) {
    match fit {
        RecordingFit::Breaks => (icons::TRIANGLE_ALERT, Tone::Warning),
        RecordingFit::Unknown => (icons::CIRCLE_QUESTION_MARK, Tone::Plain),
        RecordingFit::Matches => (icons::CIRCLE_CHECK, Tone::Good),
        RecordingFit::Other(status) => widgets::status_look(status),
    }
}

fn fit_ui(ui: &mut Ui, fit: RecordingFit, count: usize) {
    let tokens = tokens(ui);
    let (rect, response) = widgets::allocate_row(ui, 24.0, Sense::hover());
    let (number, word) = (thousands(count), fit.describe(count));
    widgets::describe(&response, egui::Role::Label, &format!("{number} {word}"));
    let (icon, tone) = fit_look(fit);
    let middle = rect.center().y;
    let center = pos2(rect.left() + 7.0, middle);
    widgets::paint_icon(ui.painter(), center, icon, theme::ICON, tokens.tone(tone));
    let number = widgets::line(ui, &number, theme::mono(theme::LABEL), tokens.text_strong, 60.0);
    widgets::paint_line_right(ui.painter(), pos2(rect.left() + 46.0, middle), number);
    let room = rect.width() - 60.0;
    let word = widgets::line(ui, &word, theme::regular(theme::ROW), tokens.text, room);
    widgets::paint_line(ui.painter(), pos2(rect.left() + 56.0, middle), word);
}
