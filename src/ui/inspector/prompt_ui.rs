//! Paints the prompt of a node as a card, or in full.

use egui::{Align, Frame, Label, Layout, Margin, Sense, Ui, vec2};

use super::content::{PromptCard, PromptChip, PromptNode, SectionPart, ToolKind, Turn};
use super::paint;
use super::prose::Prose;
use super::sections_ui::SectionContext;
use super::turn_ui::{parts_ui, prose_ui, turn_heading_ui};
use widgets::theme::{self, Tone, tokens};
use widgets::{Line, StyledText, keymap};
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
        let command = Command::ToggleFullPrompt;
        let mut is_toggled = false;
        turn_heading_ui(ui, turn, context, |ui| {
            let link = widgets::link(ui, if is_full { "Card" } else { "Full text" });
            is_toggled = widgets::tip(link, command.name(), &keymap::caps(ui, command)).clicked();
        });
        context.actions.extend(is_toggled.then_some(Action::Run(command)));
        ui.add_space(2.0);
        widgets::indented(ui, |ui| {
            if is_full {
                parts_ui(ui, &turn.parts, context);
            } else {
                paint::card(ui, |ui| card_ui(ui, card, context));
            }
        });
    });
}

/// Whether a text of the message is being edited, which the card does not show.
fn is_edited(turn: &Turn, context: &mut SectionContext<'_>) -> bool {
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
                ui.label(theme::text(title, font, color));
            }
            // The lower numbers are those of the turn's parts, which may be unfolded in the full text.
            let key = (context.index, card.turn.parts.len() + index);
            prose_ui(ui, words, key, context);
        });
    }
}

/// Adds a part of the card, below a line.
fn part_ui(ui: &mut Ui, has_line: bool, add: impl FnOnce(&mut Ui)) {
    if has_line {
        widgets::dialog::divider(ui);
    }
    Frame::new().inner_margin(Margin::symmetric(12, 8)).show(ui, add);
}

/// Paints node, type, step and objective.
fn node_ui(ui: &mut Ui, node: &PromptNode) {
    let tokens = tokens(ui);
    widgets::row_from_right(ui, theme::TEXT_LINE, |ui| {
        let step = theme::text(&node.step, theme::regular(theme::LABEL), tokens.muted);
        ui.add(Label::new(step).truncate());
        widgets::at_left(ui, |ui| {
            ui.spacing_mut().item_spacing.x = theme::GAP;
            let name = theme::text(&node.name, theme::semibold(theme::BODY), tokens.text_strong);
            ui.add(Label::new(name).truncate());
            // DyGram writes this for a node without a type.
            if !node.kind.is_empty() && node.kind != "unknown" {
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
        Line::new(name, theme::regular(theme::LABEL), tokens(ui).muted).show_in(ui, rect);
        let size = vec2(ui.available_width(), CHIP_HEIGHT);
        let layout = Layout::left_to_right(Align::Center).with_main_wrap(true);
        ui.allocate_ui_with_layout(size, layout, |ui| {
            ui.spacing_mut().item_spacing = vec2(6.0, 4.0);
            chips.iter().for_each(|chip| chip_ui(ui, chip));
        });
    });
}

fn chip_ui(ui: &mut Ui, chip: &PromptChip) {
    let tokens = tokens(ui);
    let (fill, frame, name, icon_color) = if chip.called {
        (tokens.tint, tokens.accent, tokens.accent, tokens.accent)
    } else {
        (tokens.panel, tokens.line, tokens.text_strong, tokens.muted)
    };
    // Only transitions have an icon.
    let icon = if chip.kind == ToolKind::Transition { chip.kind.icon() } else { "" };
    let words = StyledText::new().with(&chip.name, theme::medium(theme::ROW), name).after(
        theme::ICON_GAP,
        &chip.note,
        theme::regular(theme::ROW),
        tokens.muted,
    );
    widgets::framed_tag(ui, (icon, icon_color), words, &chip.describe(), (fill, frame));
}
