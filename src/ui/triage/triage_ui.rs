//! Paints a whole run: its causes on the left, and the selected one with its failures on the right.

use egui::{Align, Frame, Layout, Margin, Panel, Ui, vec2};

use super::triage_data::{CauseDetail, CauseRow, CauseStatus, Evidence, FailureRow, TriageData};
use document::text::{thousands, visible};
use play::playback::fixes::RECORD_ALL_LABEL;
use widgets::code::sentence;
use widgets::theme::{self, Tokens, Tone, tokens};
use widgets::{Button, Line, List, Row, RowShape, RowSlot, SidePanel, StyledText, icons};
use workbench::{Action, Actions, Command, TriageAction, TriageDesk, TriageState, Workbench};

/// State of the view that is kept between frames.
#[derive(Debug, Default)]
pub struct TriageView {
    data: TriageData,
}

/// Below this width of the desk the causes are above the failures.
const SIDE_PANEL_MIN_WIDTH: f32 = 640.0;
/// Left edge of the text of a cause; the icon is before it.
const CAUSE_TEXT_LEFT: f32 = 44.0;
const CAUSE_ROW: RowShape = RowShape {
    height: 56.0,
    lines: &[18.0, 37.0],
    margins: (CAUSE_TEXT_LEFT, theme::PADDING),
    ..RowShape::TWO_LINES
};

/// Draws the view. User input becomes an [`Action`].
pub fn triage_ui(ui: &mut Ui, workbench: &Workbench, view: &mut TriageView, actions: &mut Actions) {
    view.data.update(workbench);
    let (desk, data) = (&workbench.triage, &view.data);
    ui.spacing_mut().item_spacing = vec2(theme::GAP, 0.0);
    if desk.state != TriageState::Ready {
        return waiting_ui(ui, desk, actions);
    }
    head_ui(ui, workbench, data, actions);
    progress_ui(ui, desk);
    let causes = |ui: &mut Ui, actions: &mut Actions| causes_ui(ui, desk, data, actions);
    if ui.available_width() >= SIDE_PANEL_MIN_WIDTH {
        let panel = SidePanel::left("causes of the run", 328.0, 240.0..=560.0);
        panel.show(ui, |ui| causes(ui, actions));
    } else {
        // Three at most: the failures below need the room, and the list of causes scrolls.
        let row_count = data.causes.len().clamp(1, 3) as f32;
        Panel::top("causes of the run above")
            .exact_size(row_count * CAUSE_ROW.height)
            .frame(Frame::new().fill(tokens(ui).panel))
            .show(ui, |ui| causes(ui, actions));
    }
    detail_ui(ui, workbench, &data.detail, actions);
    widgets::hair_line(ui);
    failures_ui(ui, desk, data, actions);
}

/// Draws the placeholder before there are causes.
fn waiting_ui(ui: &mut Ui, desk: &TriageDesk, actions: &mut Actions) {
    let name = desk.run.as_ref().map_or("", |run| &run.name);
    let heading = |title| (icons::LIST_TREE, title);
    let click = match &desk.state {
        TriageState::Reading | TriageState::Ready => {
            let words = format!("Playing the failures of {} again in their sets.", visible(name));
            widgets::empty_desk(ui, heading("Looking for the causes…"), &words, &[])
        }
        TriageState::Failed(reason) => {
            let labels = [Command::TriageRun.name()];
            widgets::empty_desk(ui, heading("No failure to triage"), &visible(reason), &labels)
        }
        TriageState::Nothing => {
            let words = "Paste the log of a run, or drop its logs and JUnit reports on the window.";
            let labels = [Command::TriageRun.name()];
            widgets::empty_desk(ui, heading("No run was read yet"), words, &labels)
        }
    };
    if click.is_some() {
        actions.push(Action::Run(Command::TriageRun));
    }
}

fn head_ui(ui: &mut Ui, workbench: &Workbench, data: &TriageData, actions: &mut Actions) {
    let (desk, colors) = (&workbench.triage, tokens(ui));
    let title = desk.title().unwrap_or_default();
    let name = desk.run.as_ref().map_or("", |run| &run.name);
    let parts = [
        (title.as_str(), theme::semibold(theme::TITLE), colors.text_strong),
        (&data.unassigned, theme::regular(theme::BODY), colors.text),
        (&visible(name), theme::mono(theme::LABEL), colors.muted),
    ];
    let rect = widgets::strip(ui, theme::DESK_HEADER, |ui| {
        let inner = ui.available_rect_before_wrap();
        let ((), right) = widgets::place_right(ui, inner, |ui| {
            // The one thing to do next; without a fix, that is another run.
            if desk.all_fix().is_some() {
                let fix = Button::primary("Fix all…").icon(icons::WAND_SPARKLES);
                let button = fix.command(Command::FixAllCauses, Ok(())).show_keys();
                widgets::command_button(ui, button, Command::FixAllCauses, actions);
            } else {
                let button = Button::secondary(Command::TriageRun.name()).icon(icons::LIST_TREE);
                widgets::command_button(ui, button, Command::TriageRun, actions);
            }
            let share = Button::secondary("Share…").icon(icons::UPLOAD);
            let button = share.command(Command::ShareRun, Ok(()));
            widgets::command_button(ui, button, Command::ShareRun, actions);
        });
        widgets::place_left(ui, inner.with_max_x(right - theme::GAP), |ui| {
            ui.spacing_mut().item_spacing.x = theme::SECTION_GAP;
            for (text, font, color) in parts {
                if !text.is_empty() {
                    StyledText::new().with(text, font, color).show(ui);
                }
            }
        });
    });
    widgets::line_below(ui, rect);
}

/// Draws the number of failures that are answered now.
fn progress_ui(ui: &mut Ui, desk: &TriageDesk) {
    let (Some(summary), Some(run)) = (desk.answered(), &desk.triaged) else { return };
    let colors = tokens(ui);
    let is_whole = run.progress.count() == run.triage.failures.len();
    let (icon, tone) = if is_whole {
        (icons::CIRCLE_CHECK, Tone::Good)
    } else {
        (icons::CIRCLE_DOT, Tone::Warning)
    };
    let rect = widgets::strip(ui, theme::TOOL_ROW, |ui| {
        widgets::tag(ui, icon, &summary, tone);
        let words = if desk.is_playing() {
            "playing again…"
        } else {
            "with the texts as they are in the window"
        };
        StyledText::new().with(words, theme::regular(theme::LABEL), colors.muted).show(ui);
    });
    widgets::line_below(ui, rect);
}

fn causes_ui(ui: &mut Ui, desk: &TriageDesk, data: &TriageData, actions: &mut Actions) {
    ui.spacing_mut().item_spacing.y = 0.0;
    let mut tops = vec![0.0];
    let mut end = 0.0;
    for cause in &data.causes {
        end += cause_height(ui, cause);
        tops.push(end);
    }
    List::new("Causes", &CAUSE_ROW, data.causes.len())
        .tops(&|row| tops[row])
        .selection(Some(desk.cause), Some)
        .show(ui, |slot| {
            let cause = &data.causes[slot.index];
            cause_ui(slot, cause, slot.index == desk.cause, actions);
        });
}

/// Returns the title of a cause in up to three lines.
fn cause_title(cause: &CauseRow, color: egui::Color32) -> StyledText {
    let font = theme::regular(theme::BODY);
    StyledText::from(sentence(&cause.title, font, color, color, f32::INFINITY)).rows(3)
}

fn count_text(cause: &CauseRow, colors: &Tokens) -> StyledText {
    StyledText::new().with(&thousands(cause.count), theme::mono(theme::ROW), colors.text)
}

fn cause_height(ui: &Ui, cause: &CauseRow) -> f32 {
    let colors = tokens(ui);
    let count = count_text(cause, colors).galley(ui, f32::INFINITY).size().x;
    // The same room as in the row, or the heights would not be those of the wrapped titles.
    let room = ui.available_width() - CAUSE_TEXT_LEFT - theme::PADDING - count - theme::GAP;
    CAUSE_ROW.height + widgets::height_below(ui, cause_title(cause, colors.text), room)
}

fn cause_look(cause: &CauseRow, colors: &Tokens) -> (&'static str, egui::Color32) {
    match cause.status {
        CauseStatus::Solved => (icons::CIRCLE_CHECK, colors.good),
        CauseStatus::Partly => (icons::CIRCLE_DOT, colors.warning),
        CauseStatus::Open if cause.needs_recording => (icons::REFRESH_CW, colors.text),
        CauseStatus::Open => (icons::CIRCLE_X, colors.text),
    }
}

fn cause_ui(slot: &mut RowSlot<'_>, cause: &CauseRow, is_selected: bool, actions: &mut Actions) {
    let colors = tokens(slot.ui);
    let count = thousands(cause.count);
    let name = cause.title.replace('`', "");
    let (icon, icon_color) = cause_look(cause, colors);
    let color = if is_selected { colors.text_strong } else { colors.text };
    let title = cause_title(cause, color);
    let right = count_text(cause, colors);
    let detail_color = match cause.status {
        CauseStatus::Solved => colors.good,
        _ if is_selected => colors.text,
        _ => colors.muted,
    };
    let row = Row::new(format!("{name}, {count}, {}", cause.detail))
        .selected(is_selected)
        .line(Line::from(title).right(right))
        .line(Line::new(&cause.detail, theme::regular(theme::LABEL), detail_color));
    widgets::on_click(&slot.show(row), TriageAction::SelectCause(slot.index), actions);
    let center = slot.rect.left_top() + vec2(theme::PADDING + 9.0, CAUSE_ROW.lines[0]);
    widgets::paint_icon(slot.ui.painter(), center, icon, theme::ICON_HEADING, icon_color);
}

fn detail_ui(ui: &mut Ui, workbench: &Workbench, detail: &CauseDetail, actions: &mut Actions) {
    Frame::new().inner_margin(Margin::symmetric(16, 14)).show(ui, |ui| {
        ui.set_width(ui.available_width());
        ui.spacing_mut().item_spacing.y = theme::GAP;
        ui.horizontal(|ui| {
            let colors = tokens(ui);
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if detail.status == CauseStatus::Solved {
                    widgets::tag(ui, icons::CIRCLE_CHECK, "Solved", Tone::Good);
                }
                ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                    let (font, color) = (theme::semibold(theme::TITLE), colors.text_strong);
                    let title = sentence(&detail.title, font, color, color, f32::INFINITY);
                    StyledText::from(title).show(ui);
                });
            });
        });
        sentence_ui(ui, &detail.sentence);
        if let Some(evidence) = &detail.evidence {
            ui.vertical(|ui| {
                ui.spacing_mut().item_spacing.y = 2.0;
                evidence_ui(ui, evidence, actions);
            });
        }
        fix_ui(ui, workbench, detail, actions);
    });
}

fn sentence_ui(ui: &mut Ui, text: &str) {
    let colors = tokens(ui);
    let (font, width) = (theme::regular(theme::BODY), ui.available_width());
    ui.label(sentence(text, font, colors.text, colors.text_strong, width));
}

fn evidence_ui(ui: &mut Ui, evidence: &Evidence, actions: &mut Actions) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = theme::GAP;
        let path = || std::sync::Arc::clone(&evidence.path);
        let response = widgets::mono_link(ui, &evidence.shown);
        widgets::on_click(&response, TriageAction::OpenRecording(path()), actions);
        if evidence.is_stale {
            let link = widgets::warning_link(ui, icons::CLOCK_ALERT, Command::CompareSource.name());
            if link.on_hover_text("The source has changed since the recording").clicked() {
                actions.push(Action::from(TriageAction::CompareSource(path())));
            }
        }
    });
    if !evidence.why.is_empty() {
        sentence_ui(ui, &evidence.why);
    }
}

fn fix_ui(ui: &mut Ui, workbench: &Workbench, detail: &CauseDetail, actions: &mut Actions) {
    let colors = tokens(ui);
    if !detail.fix.is_empty() {
        ui.add_space(4.0);
        ui.horizontal(|ui| {
            let button = Button::secondary("Fix cause…")
                .icon(icons::WRENCH)
                .command(Command::FixPlayback, Ok(()));
            widgets::command_button(ui, button.show_keys(), Command::FixPlayback, actions);
            let font = theme::regular(theme::ROW);
            let words = sentence(&detail.fix, font, colors.text, colors.text_strong, f32::INFINITY);
            StyledText::from(words).show(ui);
        });
    }
    // A fix comes first; beside one, only restoring from git is offered, which costs nothing.
    let is_restorable = detail.fix.is_empty() || detail.restore.is_some();
    if detail.needs_recording && detail.status != CauseStatus::Solved && is_restorable {
        if let Some(restore) = &detail.restore {
            let button = Button::secondary("Copy the restore command").icon(icons::COPY);
            if ui.add(button.tooltip(&visible(restore))).clicked() {
                actions.push(Action::Copy(restore.clone()));
            }
        }
        let words =
            if workbench.core.can_regenerate() { "Regenerate…" } else { RECORD_ALL_LABEL };
        let response = ui.add(Button::secondary(words).icon(icons::REFRESH_CW));
        widgets::on_click(&response, TriageAction::Regenerate, actions);
    }
}

fn failures_ui(ui: &mut Ui, desk: &TriageDesk, data: &TriageData, actions: &mut Actions) {
    ui.spacing_mut().item_spacing.y = 0.0;
    let rows = &data.rows;
    List::new("Failures", &RowShape::ONE_LINE, rows.len())
        // Another cause starts at its top.
        .of(desk.cause)
        .selection(Some((desk.cause, desk.failure)), |(_, failure)| {
            let is_selected =
                |row: &FailureRow| matches!(row, FailureRow::Failure { at, .. } if *at == failure);
            rows.iter().position(is_selected)
        })
        .show(ui, |slot| match &rows[slot.index] {
            FailureRow::Set { name, count, first } => {
                let (font, color) = (theme::mono(theme::LABEL), tokens(slot.ui).text);
                let line = Line::new(name, font, color).icon(icons::FOLDER, tokens(slot.ui).muted);
                heading_ui(slot, (name, *count, *first), line, actions);
            }
            FailureRow::Reason { words, count, first } => {
                let (font, color) = (theme::regular(theme::LABEL), tokens(slot.ui).text);
                let text = sentence(words, font, color, color, f32::INFINITY);
                let name = words.replace('`', "");
                let line = Line::from(StyledText::from(text));
                heading_ui(slot, (&name, *count, *first), line, actions);
            }
            FailureRow::Failure { at, test, place, is_answered } => {
                let colors = tokens(slot.ui);
                let (icon, color, word) = if *is_answered {
                    (icons::CHECK, colors.good, ", answered now")
                } else {
                    (icons::X, colors.muted, "")
                };
                let is_selected = desk.failure == *at;
                let text = if is_selected { colors.text_strong } else { colors.text };
                let right = StyledText::new().with(place, theme::mono(theme::LABEL), colors.muted);
                let line = Line::new(test, theme::regular(theme::ROW), text)
                    .elide_middle()
                    .icon(icon, color)
                    .right(right)
                    .right_share(0.4);
                let row = Row::new(format!("{test}, {place}{word}")).selected(is_selected);
                let response = slot.show(row.line(line));
                widgets::on_click(&response, TriageAction::SelectFailure(*at), actions);
                // Not *else*: the first click of the two selects the failure that is played.
                if response.double_clicked() {
                    actions.push(Action::from(TriageAction::PlayFailure));
                }
            }
        });
}

/// Draws a heading above failures, with their number. A click selects the first of them.
fn heading_ui(
    slot: &mut RowSlot<'_>,
    (name, count, first): (&str, usize, usize),
    line: Line,
    actions: &mut Actions,
) {
    let colors = tokens(slot.ui);
    let count = thousands(count);
    let right = StyledText::new().with(&count, theme::mono(theme::LABEL), colors.text);
    let row = Row::new(format!("{name}, {count}")).fill(colors.raised);
    let response = slot.show(row.line(line.right(right)));
    widgets::on_click(&response, TriageAction::SelectFailure(first), actions);
}
