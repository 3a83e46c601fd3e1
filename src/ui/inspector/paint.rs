//! Painting helpers of the inspector.

use egui::text::{LayoutJob, TextFormat};
use egui::{Color32, Frame, Label, Margin, Response, Ui};

use super::content::{Heading, PrefixedToolName};
use super::values::Values;
use document::NodeKind;
use widgets::icons;
use widgets::theme::{self, Tokens, tokens};

/// Adds a card: a frame with round corners.
pub(crate) fn card<R>(ui: &mut Ui, add: impl FnOnce(&mut Ui) -> R) -> R {
    widgets::card_with(ui, tokens(ui).input, Margin::ZERO, add)
}

/// Adds a region with padding and a line below it.
pub(crate) fn framed(ui: &mut Ui, add: impl FnOnce(&mut Ui)) {
    region(ui, Margin { left: 16, right: 16, top: 10, bottom: 12 }, add);
}

/// Adds a region with this padding and a line below it.
pub(super) fn region(ui: &mut Ui, margin: Margin, add: impl FnOnce(&mut Ui)) {
    let region = Frame::new().inner_margin(margin).show(ui, |ui| {
        ui.set_width(ui.available_width());
        add(ui);
    });
    widgets::line_below(ui, region.response.rect);
}

/// Returns the colour of the icon of a heading: the accent for the model.
pub(super) fn heading_color(icon: &str, tokens: &Tokens) -> Color32 {
    if icon == icons::SPARKLES { tokens.accent } else { tokens.muted }
}

/// Lays out a tool's name: a muted prefix and a strong rest.
pub(crate) fn tool_name(name: &PrefixedToolName, tokens: &Tokens, width: f32) -> LayoutJob {
    let font = theme::mono(theme::LABEL);
    let mut job = LayoutJob::default();
    job.append(name.prefix, 0.0, TextFormat::simple(font.clone(), tokens.muted));
    job.append(&name.rest, 0.0, TextFormat::simple(font, tokens.text_strong));
    job.wrap.max_width = width;
    job.wrap.max_rows = 1;
    // Otherwise a long name would be cut at an underscore, however much room is left.
    job.wrap.break_anywhere = true;
    job
}

/// Adds a heading: its icon on the left edge, its title, its note, and space at the right for `add`. Returns the response of the title.
pub(super) fn heading(
    ui: &mut Ui,
    heading: &Heading,
    (is_strong, note): (bool, &str),
    add: impl FnOnce(&mut Ui),
) -> Response {
    let tokens = tokens(ui);
    widgets::row_from_right(ui, 20.0, |ui| {
        // First, because the title takes the rest of the width.
        add(ui);
        widgets::at_left(ui, |ui| {
            ui.spacing_mut().item_spacing.x = theme::GAP;
            widgets::icon(ui, heading.icon, theme::ICON, heading_color(heading.icon, tokens));
            let (font, color) = if is_strong {
                (theme::semibold(theme::BODY), tokens.text_strong)
            } else {
                (theme::medium(theme::LABEL), tokens.muted)
            };
            let title = ui.label(theme::text(&heading.title, font, color));
            if !note.is_empty() {
                let note = theme::text(note, theme::regular(theme::BODY), tokens.text);
                ui.add(Label::new(note).truncate());
            }
            title
        })
    })
}

/// Lays out the lines of a value with coloured keys and values.
pub(super) fn values(values: &Values, tokens: &Tokens, width: f32) -> LayoutJob {
    let text_format = |color| TextFormat::simple(theme::mono(theme::LABEL), color);
    let mut job = LayoutJob::default();
    job.wrap.max_width = width;
    for (index, line) in values.lines.iter().enumerate() {
        if index > 0 {
            job.append("\n", 0.0, text_format(tokens.text));
        }
        // Deeper values would have no width left for their text.
        let indent = f32::from(line.depth.min(16)) * 14.0;
        match line.key.as_str() {
            "" => {}
            "-" => job.append("- ", indent, text_format(tokens.muted)),
            key => {
                job.append(key, indent, text_format(tokens.key));
                let colon = if line.value.is_empty() { ":" } else { ": " };
                job.append(colon, 0.0, text_format(tokens.muted));
            }
        }
        job.append(&line.value, 0.0, text_format(value_color(line.kind, tokens)));
    }
    if values.more > 0 {
        let remark = format!("\n… {} more values; the tab next to Text shows all", values.more);
        job.append(&remark, 0.0, TextFormat::simple(theme::regular(theme::LABEL), tokens.muted));
    }
    job
}

/// Returns the colour of a value.
pub(super) fn value_color(kind: NodeKind, tokens: &Tokens) -> Color32 {
    match kind {
        NodeKind::String => tokens.string,
        NodeKind::Number | NodeKind::Bool | NodeKind::Null | NodeKind::Timestamp => tokens.number,
        NodeKind::Array | NodeKind::Object | NodeKind::Expression => tokens.muted,
    }
}
