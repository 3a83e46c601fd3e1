//! Paints the old recordings that the selected new one can be paired with.

use std::sync::Arc;

use egui::Ui;

use super::format_text;
use compare::review::PartnerCandidate;
use document::text::visible;
use widgets::theme::{self, Tokens, tokens};
use widgets::{List, Row, RowShape, StyledText, on_click};
use workbench::{Actions, ReviewAction};

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
pub(super) fn partners_ui(ui: &mut Ui, partners: &[PartnerCandidate], actions: &mut Actions) {
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
