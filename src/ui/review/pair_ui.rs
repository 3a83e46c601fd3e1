//! Paints the selected pair: its header, its conversation, and both recordings.

use egui::{Align, Layout, Sense, Stroke, StrokeKind, Ui, UiBuilder, pos2, vec2};

use super::format_text::truncate_middle;
use super::review_data::{ChainTurn, PairData, PairSheet, ReviewData};
use crate::compare::{FORMATS, format_name, format_switch, stepper};
use document::diff::Side;
use document::text::visible;
use protocol::ReviewBase;
use widgets::graph::dashed_border;
use widgets::sheet::sheet_ui;
use widgets::theme::{self, Tone, tokens};
use widgets::{Button, StyledText, dates, icons};
use workbench::{
    Action, Actions, Command, DecisionStatus, DiffLayout, InspectorTab, ReviewAction, ReviewDesk,
    Workbench,
};

const CHAIN_HEIGHT: f32 = 48.0;
const SIDE_HEIGHT: f32 = 32.0;
const TURN_HEIGHT: f32 = 28.0;
const REMARK_HEIGHT: f32 = 36.0;
/// Below this width the conversation has no label.
const CHAIN_LABEL_MIN_WIDTH: f32 = 320.0;
/// Width of a character of the title.
const LETTER_WIDTH: f32 = 7.9;
/// Below this width of the middle column the header has icons without labels.
const LABELS_MIN_WIDTH: f32 = 560.0;

/// Draws the selected pair.
pub(super) fn pair_ui(
    ui: &mut Ui,
    workbench: &Workbench,
    data: &ReviewData,
    (pane, is_narrow): (DiffLayout, bool),
    actions: &mut Actions,
) {
    let Some(pair) = &data.pair else { return };
    head_ui(ui, workbench, (pair, data.sheet.as_ref()), (pane, is_narrow), actions);
    chain_ui(ui, &workbench.review, pair, actions);
    sides_ui(ui, &workbench.review, data.sheet.as_ref(), pane);
    if let Some(remark) = &pair.remark {
        remark_ui(ui, pair, remark, actions);
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
            let change = data.change_of(number)?;
            Some(Action::from(ReviewAction::ShowChange(change)))
        }
        Action::ToggleFold { section, fold } => {
            let section = section + sheet.folds;
            Some(Action::ToggleFold { section, fold })
        }
        action => Some(action),
    };
    actions.extend(sheet_actions.into_iter().filter_map(desk_action));
}

fn head_ui(
    ui: &mut Ui,
    workbench: &Workbench,
    (pair, sheet): (&PairData, Option<&PairSheet>),
    (pane, is_narrow): (DiffLayout, bool),
    actions: &mut Actions,
) {
    let colors = tokens(ui);
    let (rect, _) = widgets::allocate_row(ui, theme::DESK_HEADER, Sense::hover());
    let inner = rect.shrink2(vec2(theme::PADDING, 0.0));
    let has_words = rect.width() >= LABELS_MIN_WIDTH;
    // From the right first: the tools have a fixed width, and the title takes the rest.
    let ((), right) = widgets::place_right(ui, inner, |ui| {
        ui.spacing_mut().item_spacing.x = theme::GAP;
        tools_ui(ui, workbench, (sheet, has_words), (pane, is_narrow), actions);
    });
    widgets::place_left(ui, inner.with_max_x(right - theme::GAP), |ui| {
        ui.spacing_mut().item_spacing.x = theme::GAP;
        let (icon, _) =
            ui.allocate_exact_size(vec2(theme::ICON_HEADING, theme::ICON_HEADING), Sense::hover());
        let kind = icons::kind(pair.kind);
        widgets::paint_icon(ui.painter(), icon.center(), kind, theme::ICON_HEADING, colors.muted);
        // The end of a name is what differs.
        let letters = (ui.available_width() / LETTER_WIDTH) as usize;
        let title = truncate_middle(&pair.title, letters.max(8));
        let (font, color) = (theme::mono_bold(theme::BODY), colors.text_strong);
        let title = StyledText::new().with(&title, font, color).show(ui);
        title.on_hover_text(visible(&pair.key.path));
        if has_words {
            let ordinal = theme::regular(theme::BODY);
            StyledText::new().with(&pair.ordinal, ordinal, colors.muted).show(ui);
        }
        let is_marked = pair.mark.is_decided() || pair.mark == DecisionStatus::Discussed;
        // A narrower tag would be cut; the queue shows the decision, too.
        if is_marked && ui.available_width() > 80.0 {
            mark_tag(ui, pair.mark);
        }
    });
    widgets::line_below(ui, rect);
}

/// Draws the decision as a tag.
fn mark_tag(ui: &mut Ui, mark: DecisionStatus) {
    let (icon, tone) = match mark {
        DecisionStatus::Accepted => (icons::CHECK, Tone::Good),
        DecisionStatus::NoiseKept => (icons::VOLUME_X, Tone::Good),
        DecisionStatus::Rejected => (icons::X, Tone::Error),
        DecisionStatus::Discussed => (icons::MESSAGE_SQUARE, Tone::Warning),
        _ => (icons::ARROW_LEFT_RIGHT, Tone::Note),
    };
    widgets::tag(ui, icon, mark.label(), tone);
}

/// Draws the choices of how the recordings are shown, from right to left.
fn tools_ui(
    ui: &mut Ui,
    workbench: &Workbench,
    (sheet, has_words): (Option<&PairSheet>, bool),
    (pane, is_narrow): (DiffLayout, bool),
    actions: &mut Actions,
) {
    let enabled = Command::OpenDifftool.enabled(workbench);
    widgets::command_icon(ui, icons::EXTERNAL_LINK, Command::OpenDifftool, enabled, actions);
    // A narrow desk has room for the unified diff only.
    if !is_narrow {
        let button = Button::icon_only(icons::COLUMNS_2, Command::ToggleDiffLayout.name())
            .command(Command::ToggleDiffLayout, Ok(()))
            .on(pane == DiffLayout::SideBySide);
        widgets::command_button(ui, button, Command::ToggleDiffLayout, actions);
    }
    let Some(sheet) = sheet else { return };
    let is_offered = |tab: &InspectorTab| match tab {
        InspectorTab::Conversation => sheet.has_conversation,
        InspectorTab::Tree => sheet.has_json,
        _ => true,
    };
    let tabs: Vec<InspectorTab> = FORMATS.into_iter().filter(is_offered).collect();
    if has_words {
        return format_switch(ui, &tabs, sheet.shown_as, actions);
    }
    let response = ui.add(Button::icon_only(icons::EYE, "Show as"));
    widgets::menu(&response, |ui| {
        for tab in tabs {
            let icon = if tab == sheet.shown_as { icons::CHECK } else { icons::FILE_TEXT };
            widgets::menu_choice(ui, icon, format_name(tab), Action::ShowTab(tab), actions);
        }
    });
}

fn chain_ui(ui: &mut Ui, desk: &ReviewDesk, pair: &PairData, actions: &mut Actions) {
    let colors = tokens(ui);
    let (rect, _) = widgets::allocate_row(ui, CHAIN_HEIGHT, Sense::hover());
    let inner = rect.shrink2(vec2(theme::PADDING, 0.0));
    let ((), right) = widgets::place_right(ui, inner, |ui| {
        ui.spacing_mut().item_spacing.x = theme::GAP;
        stepper(ui, "Change", desk.pane.change, pair.count, actions);
    });
    let left = inner.with_max_x(right - theme::PADDING);
    widgets::place_left(ui, left, |ui| {
        // Turns that do not fit are cut, not painted over the stepper.
        ui.set_clip_rect(ui.clip_rect().intersect(left));
        ui.spacing_mut().item_spacing.x = theme::GAP;
        if pair.chain.is_empty() {
            let words = match pair.chain_label {
                _ if pair.is_broken => "Calls are not read",
                "Calls" => "Single call",
                _ => "Single turn",
            };
            StyledText::new().with(words, theme::regular(theme::ROW), colors.muted).show(ui);
            return;
        }
        if left.width() >= CHAIN_LABEL_MIN_WIDTH {
            StyledText::new()
                .with(pair.chain_label, theme::regular(theme::ROW), colors.muted)
                .show(ui);
        }
        for (index, turn) in pair.chain.iter().enumerate() {
            // Calls of a cassette do not follow from each other, so no arrow is between them.
            if index > 0 && pair.chain_label == "Chain" {
                let (place, _) = ui.allocate_exact_size(vec2(10.0, TURN_HEIGHT), Sense::hover());
                let icon = icons::CHEVRON_RIGHT;
                widgets::paint_icon(ui.painter(), place.center(), icon, theme::ICON, colors.muted);
            }
            turn_ui(ui, turn, actions);
        }
    });
    widgets::line_below(ui, rect);
}

fn turn_ui(ui: &mut Ui, turn: &ChainTurn, actions: &mut Actions) {
    let colors = tokens(ui);
    let words = StyledText::new()
        .with(&turn.name, theme::mono(theme::LABEL), colors.text_strong)
        .after(theme::ICON_GAP, &turn.mark_label, theme::regular(theme::LABEL), colors.muted)
        .galley(ui, f32::INFINITY);
    let size = vec2(words.size().x + 20.0, TURN_HEIGHT);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    let name = format!("{} {}", turn.name, turn.mark_label);
    let is_here = turn.is_here;
    response
        .widget_info(|| egui::WidgetInfo::selected(egui::Role::RadioButton, true, is_here, &name));
    let (fill, line) = match (turn.is_here, response.hovered()) {
        (true, _) => (colors.selected, colors.ring),
        (false, true) => (colors.hover, colors.line),
        (false, false) => (colors.desk, colors.line),
    };
    let stroke = Stroke::new(1.0, line);
    let radius = f32::from(theme::RADIUS_CONTROL);
    if turn.is_unpaired && !turn.is_here {
        ui.painter().rect_filled(rect, radius, fill);
        ui.painter().extend(dashed_border(rect, stroke, 4.0));
    } else {
        ui.painter().rect(rect, radius, fill, stroke, StrokeKind::Inside);
    }
    widgets::paint_line(ui.painter(), pos2(rect.left() + 10.0, rect.center().y), words);
    if response.has_focus() {
        widgets::focus_ring_inside(ui, rect, theme::RADIUS_CONTROL);
    }
    widgets::on_click(&response, turn.action.clone(), actions);
}

fn sides_ui(ui: &mut Ui, desk: &ReviewDesk, sheet: Option<&PairSheet>, pane: DiffLayout) {
    let (rect, _) = widgets::allocate_row(ui, SIDE_HEIGHT, Sense::hover());
    // Whole pixels, or the line between the sides would be blurred; the sheet below cuts at the same place.
    let middle = rect.left() + (rect.width() / 2.0).floor();
    let halves = [rect.with_max_x(middle), rect.with_min_x(middle + 1.0)];
    for ((half, word), side) in halves.into_iter().zip(["Old", "New"]).zip(Side::BOTH) {
        let inner = half.shrink2(vec2(theme::PADDING, 0.0));
        let layout = Layout::left_to_right(Align::Center);
        let mut child = ui.new_child(UiBuilder::new().max_rect(inner).layout(layout));
        let colors = tokens(&child);
        let words =
            StyledText::new().with(word, theme::semibold(theme::ROW), colors.text_strong).after(
                theme::GAP,
                &side_file(desk, sheet, side),
                theme::regular(theme::LABEL),
                colors.muted,
            );
        words.show(&mut child);
    }
    if pane == DiffLayout::SideBySide {
        let hair = Stroke::new(1.0, tokens(ui).hair);
        ui.painter().vline(middle + 0.5, rect.y_range(), hair);
    }
    widgets::line_below(ui, rect);
}

/// Returns where the recording of a side is from, and when it was recorded.
fn side_file(desk: &ReviewDesk, sheet: Option<&PairSheet>, side: Side) -> String {
    let path_name = |path: &std::path::Path| visible(&path.to_string_lossy()).into_owned();
    let place = match (&desk.base, side) {
        (ReviewBase::Revision(revision), Side::Left) => visible(revision).into_owned(),
        (ReviewBase::Revision(_) | ReviewBase::Folder(_), Side::Right) => "working tree".to_owned(),
        (ReviewBase::Folder(folder), Side::Left) => path_name(folder),
        (ReviewBase::Sidecars, Side::Left) => "the file".to_owned(),
        (ReviewBase::Sidecars, Side::Right) => "pending".to_owned(),
        (ReviewBase::Files { old, .. }, Side::Left) => path_name(old),
        (ReviewBase::Files { new, .. }, Side::Right) => path_name(new),
    };
    let recording_date = sheet.and_then(|sheet| sheet.recorded_at(side)).map(dates::day_of_iso);
    let commit_date = desk.committed_at.filter(|_| side == Side::Left).map(dates::day_of_seconds);
    // The recording's own date first: a commit may be much later.
    match recording_date.or(commit_date) {
        Some(date) => format!("{place}, {date}"),
        None => place,
    }
}

/// Draws the remark about the pair above its text.
fn remark_ui(ui: &mut Ui, pair: &PairData, remark: &str, actions: &mut Actions) {
    let colors = tokens(ui);
    let (icon, color) = if pair.is_broken {
        (icons::TRIANGLE_ALERT, colors.warning)
    } else {
        (icons::INFO, colors.note)
    };
    let (rect, response) = widgets::allocate_row(ui, REMARK_HEIGHT, Sense::hover());
    let remark = visible(remark);
    widgets::describe(&response, egui::Role::Label, &remark);
    ui.painter().rect_filled(rect, 0.0, colors.fold);
    let mut inner = rect.shrink2(vec2(theme::PADDING, 0.0));
    if let (true, Some(doc)) = (pair.has_conflict, pair.doc) {
        let ((), right) = widgets::place_right(ui, inner, |ui| {
            let response = ui.add(Button::secondary("Show versions"));
            widgets::on_click(&response, Action::ShowConflict(doc), actions);
        });
        inner.max.x = right - theme::GAP;
    }
    widgets::paint_icon_word(ui, inner, (icon, color), (&remark, colors.text));
    widgets::line_below(ui, rect);
}
