//! Paints Markdown.

use std::ops::Range;

use egui::text::{CCursor, LayoutJob, TextFormat};
use egui::text_selection::LabelSelectionState;
use egui::{
    Align, CursorIcon, FontId, Frame, Galley, Margin, Pos2, Rect, Response, Role, Sense, Stroke,
    Ui, pos2, vec2,
};

use super::markdown_data::{BlockKind, InlineStyle, Lead, Markdown, MarkdownBlock};
use crate::icons;
use crate::theme::{self, Tokens, tokens};

/// Indentation of list items.
const LIST_INDENT: f32 = 18.0;
/// Indentation of a quote.
const QUOTE_INDENT: f32 = 12.0;
/// Maximum indentation.
const MAX_INDENT: f32 = 120.0;
/// The space between blocks.
const BLOCK_GAP: f32 = 8.0;
/// The height of a line of code.
const CODE_LINE_HEIGHT: f32 = 18.0;
/// The space around code within its frame, which is one point wide.
const CODE_MARGIN: Margin = Margin::symmetric(10, 6);
/// The height of a line between blocks.
const RULE_HEIGHT: f32 = 9.0;

/// Adds a text. Returns the target of a clicked link; nothing is opened.
pub fn markdown_ui(ui: &mut Ui, markdown: &Markdown) -> Option<String> {
    let mut pressed_link = None;
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        for (index, block) in markdown.blocks.iter().enumerate() {
            if index > 0 && !block.close {
                ui.add_space(BLOCK_GAP);
            }
            pressed_link = block_ui(ui, block).or(pressed_link.take());
        }
    });
    pressed_link
}

/// Returns the height of a text at this width, without adding it.
pub fn markdown_height(ui: &Ui, markdown: &Markdown, width: f32) -> f32 {
    let mut height = 0.0;
    for (index, block) in markdown.blocks.iter().enumerate() {
        if index > 0 && !block.close {
            height += BLOCK_GAP;
        }
        let width = width - indentation(block);
        let text = |width| {
            let job = layout(block, tokens(ui), width);
            ui.painter().layout_job(job).size().y
        };
        // Agrees with `block_ui`: comparisons place rendered texts by this height.
        height += match block.kind {
            BlockKind::Rule => RULE_HEIGHT,
            BlockKind::Code => {
                let frame_size = CODE_MARGIN.sum() + vec2(2.0, 2.0);
                text(width - frame_size.x) + frame_size.y
            }
            BlockKind::Paragraph | BlockKind::Heading(_) => text(width),
        };
    }
    height
}

/// Returns the space left of a block. A margin has only whole points.
fn indentation(block: &MarkdownBlock) -> f32 {
    // egui stores margins as `i8`.
    (block.indent as f32 * LIST_INDENT + block.quotes as f32 * QUOTE_INDENT).min(MAX_INDENT)
}

fn block_ui(ui: &mut Ui, block: &MarkdownBlock) -> Option<String> {
    let tokens = tokens(ui);
    let left = indentation(block);
    let top = ui.cursor().min;
    let margin = Margin { left: left as i8, ..Margin::ZERO };
    let mut pressed_link = None;
    let output = Frame::new().inner_margin(margin).show(ui, |ui| {
        ui.set_width(ui.available_width());
        match block.kind {
            BlockKind::Rule => {
                let (rect, _) = crate::allocate_row(ui, RULE_HEIGHT, Sense::hover());
                let line = Stroke::new(1.0, tokens.line);
                ui.painter().hline(rect.x_range(), rect.center().y.round() + 0.5, line);
            }
            BlockKind::Code => {
                let frame = Frame::new()
                    .fill(tokens.input)
                    .stroke((1.0, tokens.line))
                    .corner_radius(theme::RADIUS_CONTROL)
                    .inner_margin(CODE_MARGIN);
                frame.show(ui, |ui| {
                    ui.set_width(ui.available_width());
                    pressed_link = text_ui(ui, block);
                });
            }
            BlockKind::Paragraph | BlockKind::Heading(_) => pressed_link = text_ui(ui, block),
        }
    });
    let rect = output.response.rect;
    if block.quotes > 0 {
        let x = top.x + block.indent as f32 * LIST_INDENT + 1.0;
        ui.painter().vline(x, rect.y_range(), (2.0, tokens.line));
    }
    lead_ui(ui, block.lead, pos2(top.x + left, rect.top() + theme::TEXT_LINE / 2.0));
    pressed_link
}

/// Paints the list marker left of an item's text.
fn lead_ui(ui: &Ui, lead: Lead, at: Pos2) {
    let tokens = tokens(ui);
    let center = at - vec2(LIST_INDENT / 2.0 + 2.0, 0.0);
    let icon = |icon, color| {
        crate::paint_icon(ui.painter(), center, icon, theme::ICON_TAG, color);
    };
    match lead {
        Lead::None => {}
        Lead::Bullet => {
            ui.painter().circle_filled(center.round(), 2.0, tokens.muted);
        }
        Lead::Number(number) => {
            let font = theme::regular(theme::LABEL);
            let line = crate::line(ui, &format!("{number}."), font, tokens.muted, 60.0);
            crate::paint_line_right(ui.painter(), at - vec2(5.0, 0.0), line);
        }
        Lead::Done => icon(icons::CHECK, tokens.good),
        Lead::ToDo => icon(icons::CIRCLE_DASHED, tokens.muted),
    }
}

fn text_ui(ui: &mut Ui, block: &MarkdownBlock) -> Option<String> {
    let job = layout(block, tokens(ui), ui.available_width());
    let galley = ui.painter().layout_job(job);
    let sense = Sense::click_and_drag() - Sense::FOCUSABLE;
    // The text itself is no stop of the Tab key; only the links in it are.
    let (rect, response) = ui.allocate_exact_size(galley.size(), sense);
    crate::describe(&response, Role::Label, &block.text);
    let pressed_link = links_ui(ui, block, &galley, &response);
    let response = response.on_hover_cursor(CursorIcon::Text);
    let color = tokens(ui).text;
    LabelSelectionState::label_text_selection(ui, &response, rect.min, galley, color, Stroke::NONE);
    pressed_link
}

/// Makes links clickable and returns the target of a clicked one.
fn links_ui(ui: &Ui, block: &MarkdownBlock, galley: &Galley, text: &Response) -> Option<String> {
    let mut pressed_link = None;
    for (index, span) in block.spans.iter().enumerate() {
        let Some(link) = &span.link else { continue };
        let name = &block.text[span.range.clone()];
        for rect in rects(galley, &block.text, span.range.clone()) {
            let rect = rect.translate(text.rect.min.to_vec2());
            // A link that wraps has a rectangle in each row, and each needs its own id.
            let id = text.id.with((index, rect.top() as i32));
            let response = ui.interact(rect, id, Sense::click());
            crate::describe(&response, Role::Link, name);
            if response.has_focus() {
                crate::focus_ring_inside(ui, rect.expand(1.0), 2);
            }
            if response.clicked() {
                pressed_link = Some(link.clone());
            }
            let response = response.on_hover_cursor(CursorIcon::PointingHand);
            let tip = format!("Copy {}", document::text::visible(link));
            crate::hint(response, &tip);
        }
    }
    pressed_link
}

/// Returns the rects of a byte range within its galley, one per row.
fn rects(galley: &Galley, text: &str, range: Range<usize>) -> Vec<Rect> {
    let char_of = |byte: usize| text[..byte].chars().count();
    let (from, to) = (char_of(range.start), char_of(range.end));
    let mut rects: Vec<Rect> = Vec::new();
    for at in from..to {
        let start = galley.pos_from_cursor(CCursor::new(at));
        let end =
            // At the end of a row, the cursor after the last character would otherwise be in the next row.
            galley.pos_from_cursor(CCursor { prefer_next_row: false, ..CCursor::new(at + 1) });
        let letter = start.union(end);
        match rects.last_mut() {
            Some(last) if (last.top() - letter.top()).abs() < 1.0 => *last = last.union(letter),
            _ if (start.top() - end.top()).abs() < 1.0 => rects.push(letter),
            // A space at which the text wraps belongs to neither row.
            _ => {}
        }
    }
    rects
}

fn layout(block: &MarkdownBlock, tokens: &Tokens, width: f32) -> LayoutJob {
    let mut job = LayoutJob::default();
    job.wrap.max_width = width;
    let mut push = |range: Range<usize>, format: TextFormat| {
        if let Some(text) = block.text.get(range).filter(|text| !text.is_empty()) {
            job.append(text, 0.0, format);
        }
    };
    let plain_format = format(block.kind, InlineStyle::default(), tokens);
    let mut at = 0;
    for span in &block.spans {
        push(at..span.range.start, plain_format.clone());
        let mut format = format(block.kind, span.style, tokens);
        if span.link.is_some() {
            format.color = tokens.accent;
        }
        push(span.range.clone(), format);
        at = span.range.end;
    }
    push(at..block.text.len(), plain_format);
    job
}

fn format(kind: BlockKind, face: InlineStyle, tokens: &Tokens) -> TextFormat {
    let (font, color, line) = look(kind, face, tokens);
    let strike_width = if face.struck { 1.0 } else { 0.0 };
    TextFormat {
        italics: face.emphasized,
        strikethrough: Stroke::new(strike_width, tokens.muted),
        line_height: Some(line),
        valign: Align::Center,
        ..TextFormat::simple(font, color)
    }
}

fn look(kind: BlockKind, face: InlineStyle, tokens: &Tokens) -> (FontId, egui::Color32, f32) {
    match kind {
        BlockKind::Code if face.strong => {
            (theme::mono_bold(theme::LABEL), tokens.text_strong, CODE_LINE_HEIGHT)
        }
        BlockKind::Code => (theme::mono(theme::LABEL), tokens.text, CODE_LINE_HEIGHT),
        BlockKind::Heading(1 | 2) => {
            (theme::semibold(theme::BODY), tokens.text_strong, theme::TEXT_LINE)
        }
        BlockKind::Heading(_) => (theme::medium(theme::BODY), tokens.text_strong, theme::TEXT_LINE),
        _ if face.code => (theme::mono(theme::ROW), tokens.text_strong, theme::TEXT_LINE),
        _ if face.strong => (theme::semibold(theme::BODY), tokens.text_strong, theme::TEXT_LINE),
        _ => (theme::regular(theme::BODY), tokens.text, theme::TEXT_LINE),
    }
}

#[cfg(test)]
mod tests {
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;

    use super::*;
    use protocol::Theme;

    #[test]
    fn the_height_is_known_before_a_text_is_painted() {
        let markdown = Markdown::new(
            "# A\n\nSome words that do not fit into one line of 160 points.\n\n- one\n- two\n  - three\n\n\
             > quoted words of some length\n\n```\ncode\nand more code that is too long for it\n```\n\n---\n\n| a | b |\n|-|-|\n| 1 | 2 |\n",
        );
        let paint = move |ui: &mut Ui, heights: &mut Vec<f32>| {
            theme::install(ui.ctx(), Theme::Dark);
            let height = markdown_height(ui, &markdown, ui.available_width());
            let output = ui.scope(|ui| drop(markdown_ui(ui, &markdown)));
            *heights = vec![height, output.response.rect.height()];
        };
        let builder = Harness::builder().with_size([160.0, 900.0]);
        let mut harness = builder.build_ui_state(paint, Vec::new());
        harness.run();
        assert!(harness.state()[0] > 300.0);
        assert_eq!(harness.state()[0], harness.state()[1]);
    }

    #[test]
    fn a_wrapped_link_is_clickable_and_only_its_target_is_returned() {
        let markdown = Markdown::new("See [all the words of this link](https://example.org/a).");
        let paint = move |ui: &mut Ui, links: &mut Vec<String>| {
            theme::install(ui.ctx(), Theme::Dark);
            links.extend(markdown_ui(ui, &markdown));
        };
        let builder = Harness::builder().with_size([120.0, 200.0]);
        let mut harness = builder.build_ui_state(paint, Vec::new());
        harness.run();
        let parts = harness.get_all_by_label("all the words of this link").count();
        assert!(parts > 1);
        harness.get_all_by_label("all the words of this link").next().unwrap().click();
        harness.run();
        assert_eq!(*harness.state(), ["https://example.org/a"]);
    }
}
