//! Paints the selected pair: its name, its calls, the change that a decision is about, and both recordings.

use std::sync::Arc;

use egui::{ScrollArea, Sense, Ui, vec2};

use super::format_text;
use super::queue_ui::distinct_name;
use super::review_data::{ChangeData, PairData, PairSheet, ReviewData};
use crate::compare::{FORMATS, first_difference_ui, format_name, stepper};
use compare::review::{ChangeSubject, PartnerCandidate};
use document::text::{thousands, visible};
use protocol::ReviewBase;
use widgets::sheet::{sheet_ui, whole_sheet_ui};
use widgets::theme::{self, Tokens, tokens};
use widgets::{Button, Line, List, Row, RowShape, StyledText, icons, on_click};
use workbench::{
    Action, Actions, Command, DecisionScope, DiffLayout, InspectorTab, ReviewAction, Workbench,
};

const CHANGE_HEIGHT: f32 = 32.0;
/// Maximum share of the height for the change that a decision is about; a longer one scrolls by itself.
const MAX_CHANGE_SHARE: f32 = 0.5;

/// Draws the selected pair.
pub(super) fn pair_ui(
    ui: &mut Ui,
    workbench: &Workbench,
    data: &ReviewData,
    is_narrow: bool,
    actions: &mut Actions,
) {
    let Some(pair) = &data.pair else { return };
    head_ui(ui, workbench, (data, pair), is_narrow, actions);
    calls_ui(ui, pair, actions);
    if !pair.remarks.is_empty() {
        remarks_ui(ui, pair, actions);
    }
    if pair.shows_partners {
        return partners_ui(ui, &pair.partners, actions);
    }
    if let Some(change) = &data.change {
        change_ui(ui, workbench, (pair, change), actions);
    }
    let Some(sheet) = &data.sheet else {
        let fault = workbench.review.shown().and_then(Result::err);
        return widgets::empty_sentence(ui, fault.unwrap_or("Preparing both recordings…"));
    };
    let mut sheet_actions = Vec::new();
    // By pair, so that scrolling starts at the top of another one.
    ui.push_id(&pair.key.path, |ui| {
        sheet_ui(ui, &sheet.sheet, &sheet.focus, &mut sheet_actions);
    });
    let desk_action = |action| match action {
        // The sheet counts its own differences; the desk counts the changes of the pair.
        Action::ShowChange(number) => {
            Some(ReviewAction::ShowChange(data.change_of(number)?).into())
        }
        action => Some(with_section(action, sheet.folds)),
    };
    actions.extend(sheet_actions.into_iter().filter_map(desk_action));
}

/// Moves the section of a fold by an offset, because several sheets of a pair have folds of their own.
fn with_section(action: Action, offset: usize) -> Action {
    match action {
        Action::ToggleFold { section, fold } => {
            Action::ToggleFold { section: section + offset, fold }
        }
        action => action,
    }
}

fn head_ui(
    ui: &mut Ui,
    workbench: &Workbench,
    (data, pair): (&ReviewData, &PairData),
    is_narrow: bool,
    actions: &mut Actions,
) {
    let (rect, _) = widgets::allocate_row(ui, theme::DESK_HEADER, Sense::hover());
    let inner = rect.shrink2(vec2(theme::PADDING, 0.0));
    // From the right first: the tools have a fixed width, and the name takes the rest.
    let ((), right) = widgets::place_right(ui, inner, |ui| {
        ui.spacing_mut().item_spacing.x = theme::SECTION_GAP;
        widgets::view_menu(ui, |ui| {
            view_entries(ui, workbench, data.sheet.as_ref(), is_narrow, actions);
        });
        if data.names.len() > 1 {
            let place = format!("{} of {}", thousands(pair.place + 1), thousands(data.names.len()));
            widgets::muted(ui, &place);
        }
    });
    let Some(name) = data.names.get(pair.place) else { return };
    let room = inner.with_max_x(right - theme::GAP);
    let response = ui.interact(room, ui.scope_id().with("name of the pair"), Sense::hover());
    widgets::describe(&response, egui::Role::Heading, &name.text);
    response.on_hover_text(&name.tip);
    Line::distinct(&distinct_name(&data.names, pair.place), true).show_in(ui, room);
    widgets::line_below(ui, rect);
}

/// Adds the entries of the menu *View*: the old side, and how the pair is shown.
fn view_entries(
    ui: &mut Ui,
    workbench: &Workbench,
    sheet: Option<&PairSheet>,
    is_narrow: bool,
    actions: &mut Actions,
) {
    let desk = &workbench.review;
    let revision = |name: &str| ReviewBase::Revision(name.into());
    let bases = [
        ("HEAD", "last commit", revision("HEAD")),
        ("HEAD~1", "commit before", revision("HEAD~1")),
        ("Pending files", "beside the files", ReviewBase::Sidecars),
    ];
    widgets::menu_heading(ui, "Old side");
    let is_other = bases.iter().all(|(.., base)| *base != desk.base);
    for (name, note, base) in bases {
        if widgets::menu_switch(ui, name, note, (desk.base == base, true)) {
            actions.push(Action::from(ReviewAction::SetBase(base)));
            ui.close();
        }
    }
    let base = if is_other { desk.base.label() } else { String::new() };
    if widgets::menu_switch(ui, Command::ChooseReviewBase.name(), &base, (is_other, true)) {
        actions.push(Action::Run(Command::ChooseReviewBase));
        ui.close();
    }
    widgets::menu_run(ui, Command::CompareAgain, Ok(()), actions);
    let Some(sheet) = sheet else { return };
    widgets::menu_heading(ui, "Show");
    let is_offered = |tab: &InspectorTab| match tab {
        InspectorTab::Conversation => sheet.has_conversation,
        InspectorTab::Tree => sheet.has_json,
        _ => true,
    };
    for tab in FORMATS.into_iter().filter(is_offered) {
        let (name, look) = (format_name(tab), (sheet.shown_as == tab, true));
        widgets::menu_option(ui, (name, ""), look, Action::ShowTab(tab), actions);
    }
    let (noise, section) = sheet.noise;
    if noise > 0
        && widgets::menu_switch(ui, "Noise", &thousands(noise), (sheet.is_noise_open, false))
    {
        actions.push(Action::ToggleFold { section, fold: 0 });
    }
    // A narrow desk has room for the unified diff only.
    let is_split = workbench.core.diff_layout == DiffLayout::SideBySide;
    if !is_narrow && widgets::menu_switch(ui, "Side by side", "", (is_split, false)) {
        actions.push(Action::Run(Command::ToggleDiffLayout));
    }
}

/// Draws the strip of the old recording over that of the new one.
fn calls_ui(ui: &mut Ui, pair: &PairData, actions: &mut Actions) {
    // The strip of one call would say nothing.
    if pair.calls.len() < 2 {
        return;
    }
    let blocks: Vec<_> = pair.calls.iter().map(|(block, _)| block.clone()).collect();
    let chosen = widgets::padded(ui, |ui| {
        let chosen = widgets::aligned_strips(ui, ["Old", "New"], &blocks, pair.call);
        if let Some((sentence, action)) = &pair.first {
            first_difference_ui(ui, sentence, action, actions);
        }
        chosen
    });
    widgets::hair_line(ui);
    if let Some((_, action)) = chosen.and_then(|index| pair.calls.get(index)) {
        actions.push(Action::from(action.clone()));
    }
}

/// Draws what is to be known of the pair as a whole.
fn remarks_ui(ui: &mut Ui, pair: &PairData, actions: &mut Actions) {
    let colors = tokens(ui);
    let (icon, color) = if pair.is_warning {
        (icons::TRIANGLE_ALERT, colors.warning)
    } else {
        (icons::INFO, colors.muted)
    };
    widgets::padded(ui, |ui| {
        ui.spacing_mut().item_spacing = vec2(theme::SECTION_GAP, theme::GAP);
        ui.horizontal_wrapped(|ui| {
            widgets::icon(ui, icon, theme::ICON, color);
            for remark in &pair.remarks {
                ui.label(theme::text(visible(remark), theme::regular(theme::ROW), colors.text));
            }
            if let Some(verdict) = pair.keep_edits.clone() {
                let response = ui.add(Button::secondary("Keep the edits"));
                let action = ReviewAction::Decide(DecisionScope::Pair, verdict);
                widgets::on_click(&response, action, actions);
            }
            let Some(doc) = pair.doc else { return };
            if pair.has_conflict {
                let response = ui.add(Button::secondary("Show versions"));
                widgets::on_click(&response, Action::ShowConflict(doc), actions);
            }
            if pair.leads_to_source {
                let response = widgets::link(ui, "Then and now");
                widgets::on_click(&response, Action::CompareSource(doc), actions);
            }
        });
    });
    widgets::hair_line(ui);
}

/// Returns the icon of the kind of change.
fn subject_icon(subject: ChangeSubject) -> &'static str {
    match subject {
        ChangeSubject::OfferedTool => icons::WRENCH,
        ChangeSubject::ToolCall => icons::ARROW_RIGHT,
        ChangeSubject::Prompt | ChangeSubject::Message => icons::USER,
        ChangeSubject::Answer | ChangeSubject::Reasoning => icons::SPARKLES,
        ChangeSubject::StopReason => icons::OCTAGON_X,
        ChangeSubject::ToolResponse => icons::CORNER_DOWN_LEFT,
        ChangeSubject::Signature => icons::FINGERPRINT,
        ChangeSubject::Source => icons::FILE_CODE,
        ChangeSubject::Context => icons::BRACES,
        ChangeSubject::Model => icons::SEND,
        ChangeSubject::Timing => icons::CLOCK,
        ChangeSubject::HttpCall => icons::ARROW_LEFT_RIGHT,
        ChangeSubject::Value => icons::PENCIL_LINE,
        ChangeSubject::Text => icons::FILE_TEXT,
    }
}

/// Draws the change that a decision is about. It stays in place while the recordings below scroll.
fn change_ui(
    ui: &mut Ui,
    workbench: &Workbench,
    (pair, change): (&PairData, &ChangeData),
    actions: &mut Actions,
) {
    let colors = tokens(ui);
    let max_height = ui.available_height() * MAX_CHANGE_SHARE;
    let (rect, _) = widgets::allocate_row(ui, CHANGE_HEIGHT, Sense::hover());
    let inner = rect.shrink2(vec2(theme::PADDING, 0.0));
    let ((), right) = widgets::place_right(ui, inner, |ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        if pair.changes > 1 {
            stepper(ui, "Change", workbench.review.pane.change, pair.changes, actions);
        }
    });
    let room = inner.with_max_x(right - theme::GAP);
    let words = format_text::rich_text(&change.sentence, theme::BODY, colors.text_strong, colors);
    Line::from(words).icon(subject_icon(change.subject), colors.muted).show_in(ui, room);
    let response = ui.interact(room, ui.scope_id().with("change"), Sense::hover());
    let name = format_text::without_backticks(&change.sentence);
    widgets::describe(&response, egui::Role::Heading, &name);
    response.on_hover_text(visible(&change.key.pointer));
    let mut bottom = rect.bottom();
    if let Some(sheet) = &change.sheet {
        let mut sheet_actions = Vec::new();
        ScrollArea::vertical()
            .id_salt(("values", &pair.key.path, change.folds))
            .max_height(max_height)
            .auto_shrink([false, true])
            .show(ui, |ui| whole_sheet_ui(ui, sheet, &mut sheet_actions));
        bottom = ui.cursor().top();
        // A click in it selects nothing: it is selected.
        sheet_actions.retain(|action| !matches!(action, Action::ShowChange(_)));
        actions.extend(sheet_actions.into_iter().map(|action| with_section(action, change.folds)));
    }
    widgets::accent_bar(ui, rect.with_max_y(bottom));
    widgets::hair_line(ui);
}

/// An old recording to pair with: its name, and what would differ.
const PARTNER_ROW: RowShape =
    RowShape { height: 86.0, lines: &[16.0, 34.0, 51.0, 68.0], ..RowShape::TWO_LINES };

/// Returns a candidate's whole name and what would differ, wrapped.
fn partner_lines(partner: &PartnerCandidate, colors: &Tokens) -> Vec<StyledText> {
    /// More rows than a path or sentence has.
    const MAX_ROWS: usize = 8;
    let (path, font) = (visible(&partner.path), theme::mono(theme::ROW));
    let name = StyledText::new().with(&path, font, colors.text_strong);
    let differences = partner.differences.iter();
    let differences =
        differences.map(|d| format_text::rich_text(d, theme::LABEL, colors.text, colors));
    let lines = std::iter::once(name).chain(differences);
    lines.map(|line| line.rows(MAX_ROWS)).collect()
}

/// Draws the old recordings. A click pairs one.
fn partners_ui(ui: &mut Ui, partners: &[PartnerCandidate], actions: &mut Actions) {
    let colors = tokens(ui);
    let room = ui.available_width() - PARTNER_ROW.margins.0 - PARTNER_ROW.margins.1;
    let mut tops = vec![0.0];
    for partner in partners {
        let lines = partner_lines(partner, colors);
        let next_top = PARTNER_ROW.lines.get(lines.len()).copied();
        // The place of the next line is the height of a row with fewer lines.
        let row_height = next_top.unwrap_or(PARTNER_ROW.height);
        let extra_height: f32 =
            lines.into_iter().map(|line| widgets::height_below(ui, line, room)).sum();
        tops.push(tops.last().copied().unwrap_or_default() + row_height + extra_height);
    }
    List::new("Old recordings without a partner", &PARTNER_ROW, partners.len())
        .tops(&|row| tops[row])
        .show(ui, |slot| {
            let partner = &partners[slot.index];
            let text = partner.differences.join(", ");
            let text = format_text::without_backticks(&text);
            let mut row = Row::new(format!("Pair with {}: {text}", visible(&partner.path)));
            for line in partner_lines(partner, colors) {
                row = row.line(line);
            }
            on_click(&slot.show(row), ReviewAction::PairWith(Arc::clone(&partner.path)), actions);
        });
}
