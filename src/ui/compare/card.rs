//! The prompt of a node in a comparison: a card on each side, in which only what differs is prominent.

use std::collections::HashSet;
use std::sync::Arc;

use egui::{
    Color32, CornerRadius, Galley, Rangef, Rect, Role, Sense, Stroke, StrokeKind, Ui, Vec2,
    WidgetInfo, vec2,
};

use crate::ops::diff::Side;
use crate::ops::diff::recordings::{CallSection, RecordingComparison, SectionKind};
use crate::ops::prompt::NodePrompt;
use crate::ui::inspector::{CHIP, ChipLayout, ChipLook, NAME, PromptChip, PromptNode};
use crate::ui::theme::{self, tokens};
use crate::ui::widgets;

/// The space within the frame.
const INSIDE: Vec2 = vec2(12.0, 8.0);
/// The space above and below the frame.
const AROUND: f32 = 6.0;
/// The space between two chips.
const BETWEEN: Vec2 = vec2(6.0, 4.0);

/// The node of a prompt on both sides.
#[derive(Clone, Debug)]
pub(super) struct PromptPair([PromptNode; 2]);

impl PromptPair {
    /// Reads the prompts of a section; `None` unless both sides name their node.
    pub(super) fn new(calls: &RecordingComparison, section: &CallSection) -> Option<Self> {
        if section.kind != SectionKind::Message || !section.is_text {
            return None;
        }
        let node = |side: Side| {
            let is_call = |it: &&CallSection| it.kind == SectionKind::ToolCall;
            let called = calls.sections.iter().filter(is_call);
            let called: HashSet<&str> = called.map(|it| it.diff.line(side, 1)).collect();
            let prompt = NodePrompt::parse(section.diff.source(side).text())?;
            Some(PromptNode::new(&prompt, &called))
        };
        Some(Self([node(Side::Left)?, node(Side::Right)?]))
    }

    /// Returns whether both sides say the same, whatever their answers call.
    pub(super) fn is_same(&self) -> bool {
        let [left, right] = self.0.each_ref().map(|node| {
            let mut node = node.clone();
            let chips = node.transitions.iter_mut().chain(&mut node.context);
            chips.for_each(|chip| chip.called = false);
            node
        });
        left == right
    }

    fn node(&self, side: Side) -> &PromptNode {
        &self.0[side as usize]
    }

    /// Returns the height of the card of a side, with the space around it.
    pub(super) fn height(&self, ui: &Ui, side: Side, width: f32) -> f32 {
        CardLayout::new(ui, self, side, width).height + 2.0 * AROUND
    }

    /// Paints the card of a side at the top of `rect`.
    pub(super) fn paint(&self, ui: &Ui, id: egui::Id, side: Side, rect: Rect) {
        let tokens = tokens(ui);
        let layout = CardLayout::new(ui, self, side, rect.width());
        let top = rect.top() + AROUND;
        let frame = rect.with_min_y(top).with_max_y(top + layout.height);
        let radius = CornerRadius::same(theme::RADIUS_CARD);
        let stroke = Stroke::new(1.0, tokens.line);
        let painter = ui.painter();
        painter.rect(frame, radius, tokens.input, stroke, StrokeKind::Inside);
        for part in layout.parts {
            match part {
                CardPart::Line(y) => {
                    let range = Rangef::new(frame.left() + 1.0, frame.right() - 1.0);
                    painter.hline(range, frame.top() + y, stroke);
                }
                CardPart::Text(at, galley) => {
                    painter.galley(frame.min + at, galley, tokens.text);
                }
                CardPart::Chip(at, chip) => chip.paint(ui, frame.min + at),
            }
        }
        let response = ui.interact(frame, id, Sense::hover());
        let words = describe(self.node(side));
        response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &words));
    }
}

/// Returns what a card shows as one text.
fn describe(node: &PromptNode) -> String {
    let mut words = format!("Prompt of {}", node.name);
    for part in [&node.kind, &node.step] {
        if !part.is_empty() {
            words.push_str(", ");
            words.push_str(part);
        }
    }
    words.push('.');
    if !node.objective.is_empty() {
        words.push(' ');
        words.push_str(&node.objective);
    }
    for (name, chips) in node.rows() {
        if !chips.is_empty() {
            let chips: Vec<String> = chips.iter().map(PromptChip::describe).collect();
            words.push_str(&format!(" {name}: {}.", chips.join("; ")));
        }
    }
    words
}

/// A part of a card, from its left top corner.
enum CardPart {
    /// A line across the card.
    Line(f32),
    Text(Vec2, Arc<Galley>),
    Chip(Vec2, ChipLayout),
}

/// A card of some width.
struct CardLayout {
    parts: Vec<CardPart>,
    height: f32,
}

impl CardLayout {
    fn new(ui: &Ui, pair: &PromptPair, side: Side, width: f32) -> Self {
        let tokens = tokens(ui);
        let (node, other) = (pair.node(side), pair.node(side.other()));
        let changed = match side {
            Side::Left => tokens.removed_word,
            Side::Right => tokens.added_word,
        };
        let look = |is_same: bool, color: Color32| {
            if is_same { (color, Color32::TRANSPARENT) } else { (tokens.text_strong, changed) }
        };
        let mut layout = Self { parts: Vec::new(), height: INSIDE.y };
        let room = width - 2.0 * INSIDE.x;
        let mut words = widgets::StyledText::new();
        let (color, ground) = look(node.name == other.name, tokens.text);
        words.push_marked(&node.name, theme::semibold(theme::BODY), color, ground);
        let small = || theme::regular(theme::LABEL);
        for (text, same) in [(&node.kind, &other.kind), (&node.step, &other.step)] {
            if !text.is_empty() {
                let (color, ground) = look(text == same, tokens.muted);
                words.push("   ", small(), color);
                words.push_marked(text, small(), color, ground);
            }
        }
        layout.text(words.galley(ui, room), theme::TEXT_LINE);
        if !node.objective.is_empty() {
            let (color, background) = look(node.objective == other.objective, tokens.muted);
            let mut job = egui::text::LayoutJob::default();
            job.wrap.max_width = room;
            let format = egui::TextFormat {
                background,
                line_height: Some(theme::TEXT_LINE),
                ..egui::TextFormat::simple(theme::regular(theme::BODY), color)
            };
            job.append(&node.objective, 0.0, format);
            let galley = ui.painter().layout_job(job);
            let height = galley.size().y;
            layout.text(galley, height);
        }
        let mut rows = node
            .rows()
            .into_iter()
            .zip(other.rows())
            .filter(|((_, chips), _)| !chips.is_empty())
            .peekable();
        if rows.peek().is_some() {
            layout.parts.push(CardPart::Line(layout.height + INSIDE.y));
            layout.height += 2.0 * INSIDE.y;
        }
        while let Some(((name, chips), (_, others))) = rows.next() {
            let label = widgets::line(ui, name, small(), tokens.muted, NAME);
            let at = vec2(INSIDE.x, layout.height + (CHIP - label.size().y) / 2.0);
            layout.parts.push(CardPart::Text(at, label));
            let mut at = vec2(INSIDE.x + NAME, layout.height);
            for chip in chips {
                let is_same = others.iter().any(|other| other.is_same_as(chip));
                let look = if chip.called {
                    ChipLook::called(tokens)
                } else {
                    ChipLook {
                        fill: if is_same { tokens.panel } else { changed },
                        stroke: tokens.line,
                        name: look(is_same, tokens.muted).0,
                    }
                };
                let chip = ChipLayout::new(ui, chip, look, room - NAME);
                if at.x > INSIDE.x + NAME && at.x + chip.size.x > width - INSIDE.x {
                    at = vec2(INSIDE.x + NAME, at.y + CHIP + BETWEEN.y);
                }
                let size = chip.size.x;
                layout.parts.push(CardPart::Chip(at, chip));
                at.x += size + BETWEEN.x;
            }
            layout.height = at.y + CHIP;
            if rows.peek().is_some() {
                layout.height += BETWEEN.x;
            }
        }
        layout.height += INSIDE.y;
        layout
    }

    fn text(&mut self, galley: Arc<Galley>, height: f32) {
        let at = vec2(INSIDE.x, self.height + (height - galley.size().y) / 2.0);
        self.parts.push(CardPart::Text(at, galley));
        self.height += height;
    }
}
