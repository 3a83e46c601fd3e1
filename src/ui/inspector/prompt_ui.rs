//! Paints the prompt of a node as a card, or in full.

use egui::{
    Align, CornerRadius, Frame, Label, Layout, Margin, Role, Sense, Stroke, StrokeKind, Ui,
    WidgetInfo, pos2, vec2,
};

use super::content::{ConversationTurn, PromptCard, PromptChip, PromptNode, SectionPart, ToolKind};
use super::paint;
use super::prose::Prose;
use super::sections_state::SectionContext;
use super::turn_ui::{parts_ui, prose_ui, turn_heading_ui};
use widgets::keymap;
use widgets::theme::{self, Tone, tokens};
use workbench::{Action, Command};

/// Width of the names before the chips.
const NAME_WIDTH: f32 = 76.0;
/// The height of a chip.
const CHIP_HEIGHT: f32 = 24.0;

/// Paints the prompt of a node.
pub(super) fn prompt_ui(ui: &mut Ui, card: &PromptCard, context: &mut SectionContext<'_>) {
    let turn = &card.turn;
    let is_full = context.state.full_prompt || is_edited(turn, context);
    paint::framed(ui, |ui| {
        let mut is_toggled = false;
        turn_heading_ui(ui, turn, context, |ui| {
            let label = if is_full { "Card" } else { "Full text" };
            let command = Command::ToggleFullPrompt;
            let caps = keymap::caps(ui, command);
            is_toggled = widgets::tip(widgets::link(ui, label), command.name(), &caps).clicked();
        });
        if is_toggled {
            context.actions.push(Action::Run(Command::ToggleFullPrompt));
        }
        ui.add_space(2.0);
        Frame::new().inner_margin(Margin { left: 22, ..Margin::ZERO }).show(ui, |ui| {
            if is_full {
                parts_ui(ui, &turn.parts, context);
            } else {
                paint::card(ui, |ui| card_ui(ui, card, context));
            }
        });
    });
}

/// Whether a text of the message is being edited, which the card does not show.
fn is_edited(turn: &ConversationTurn, context: &mut SectionContext<'_>) -> bool {
    turn.parts.iter().any(|part| match part {
        SectionPart::Prose(Prose { node: Some(node), .. }) => {
            context.state.drafts.find_mut(context.data, *node).is_some()
        }
        _ => false,
    })
}

fn card_ui(ui: &mut Ui, card: &PromptCard, context: &mut SectionContext<'_>) {
    ui.set_width(ui.available_width());
    ui.spacing_mut().item_spacing.y = 0.0;
    part_ui(ui, false, |ui| node_ui(ui, &card.node));
    let rows = card.node.rows();
    if rows.iter().any(|(_, chips)| !chips.is_empty()) {
        part_ui(ui, true, |ui| {
            ui.spacing_mut().item_spacing.y = 6.0;
            for (name, chips) in rows {
                chips_ui(ui, name, chips);
            }
        });
    }
    for (index, (title, words)) in card.own.iter().enumerate() {
        part_ui(ui, true, |ui| {
            ui.spacing_mut().item_spacing.y = 4.0;
            if !title.is_empty() {
                let (font, color) = (theme::semibold(theme::BODY), context.tokens.text_strong);
                ui.add(Label::new(theme::text(title, font, color)).wrap());
            }
            // The lower numbers are those of the turn's parts, which may be unfolded in the full text.
            let key = (context.index, card.turn.parts.len() + index);
            prose_ui(ui, words, key, context);
        });
    }
}

/// Adds a part of the card, below a line.
fn part_ui(ui: &mut Ui, has_line: bool, add: impl FnOnce(&mut Ui)) {
    let rect = Frame::new().inner_margin(Margin::symmetric(12, 8)).show(ui, add).response.rect;
    if has_line {
        ui.painter().hline(ui.max_rect().x_range(), rect.top(), Stroke::new(1.0, tokens(ui).line));
    }
}

/// Paints node, type, step and objective.
fn node_ui(ui: &mut Ui, node: &PromptNode) {
    let tokens = tokens(ui);
    let size = vec2(ui.available_width(), theme::TEXT_LINE);
    ui.allocate_ui_with_layout(size, Layout::right_to_left(Align::Center), |ui| {
        let step = theme::text(&node.step, theme::regular(theme::LABEL), tokens.muted);
        ui.add(Label::new(step).truncate());
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            ui.spacing_mut().item_spacing.x = theme::GAP;
            let name = theme::text(&node.name, theme::semibold(theme::BODY), tokens.text_strong);
            ui.add(Label::new(name).truncate());
            if !node.kind.is_empty() {
                widgets::tag(ui, "", &node.kind, Tone::Plain);
            }
        });
    });
    if !node.objective.is_empty() {
        ui.add_space(2.0);
        let words = theme::text(&node.objective, theme::regular(theme::BODY), tokens.text)
            .line_height(Some(theme::TEXT_LINE));
        ui.add(Label::new(words).wrap());
    }
}

/// Paints a name, and chips after it that wrap.
fn chips_ui(ui: &mut Ui, name: &str, chips: &[PromptChip]) {
    if chips.is_empty() {
        return;
    }
    ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = 0.0;
        let (rect, _) = ui.allocate_exact_size(vec2(NAME_WIDTH, CHIP_HEIGHT), Sense::hover());
        let label =
            widgets::line(ui, name, theme::regular(theme::LABEL), tokens(ui).muted, NAME_WIDTH);
        widgets::paint_line(ui.painter(), pos2(rect.left(), rect.center().y), label);
        let width = ui.available_width();
        ui.allocate_ui_with_layout(
            vec2(width, CHIP_HEIGHT),
            Layout::left_to_right(Align::Center).with_main_wrap(true),
            |ui| {
                ui.spacing_mut().item_spacing = vec2(6.0, 4.0);
                for chip in chips {
                    chip_ui(ui, chip, width);
                }
            },
        );
    });
}

fn chip_ui(ui: &mut Ui, chip: &PromptChip, width: f32) {
    let tokens = tokens(ui);
    let (fill, frame, name, icon) = if chip.called {
        (tokens.tint, tokens.accent, tokens.accent, tokens.accent)
    } else {
        (tokens.panel, tokens.line, tokens.text_strong, tokens.muted)
    };
    let icon_space = icon_width(chip.kind);
    let line = widgets::StyledText::new()
        .with(&chip.name, theme::medium(theme::ROW), name)
        .after(theme::ICON_GAP, &chip.note, theme::regular(theme::ROW), tokens.muted)
        .galley(ui, width - icon_space - 16.0);
    // Whole points, so that the frames are sharp.
    let size = vec2((line.size().x + icon_space + 16.0).ceil(), CHIP_HEIGHT);
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, chip.describe()));
    let radius = CornerRadius::same(theme::RADIUS_CONTROL);
    let painter = ui.painter();
    painter.rect(rect, radius, fill, Stroke::new(1.0, frame), StrokeKind::Inside);
    let (left, middle) = (rect.left() + 8.0, rect.center().y);
    if icon_space > 0.0 {
        let center = pos2(left + theme::ICON_TAG / 2.0, middle);
        widgets::paint_icon(painter, center, chip.kind.icon(), theme::ICON_TAG, icon);
    }
    widgets::paint_line(painter, pos2(left + icon_space, middle), line);
}

/// Returns the width of the icon of a chip: only transitions have one.
fn icon_width(kind: ToolKind) -> f32 {
    if kind == ToolKind::Transition { theme::ICON_TAG + theme::ICON_GAP } else { 0.0 }
}
