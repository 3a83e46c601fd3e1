//! Paints both requests part by part, side by side; equal parts are folded.

use std::sync::Arc;

use egui::{Align, ScrollArea, Ui};

use super::data::{PartRow, ShownParts, describe_folded, part_of};
use crate::ops::tape::verify::{RequestPart, RequestPartStatus};
use crate::text::counted;
use crate::ui::compare::whole_sheet_ui;
use crate::ui::icons;
use crate::ui::theme::{self, Tone, tokens};
use crate::ui::widgets::{self, StyledText};
use crate::workbench::{Action, Verification, Verified};

/// State kept between frames.
#[derive(Debug, Default)]
pub(super) struct PartsState {
    /// Counter of the last difference that was scrolled into view.
    followed: u64,
}

/// Draws both requests.
pub(super) fn parts_ui(
    ui: &mut Ui,
    verified: &Arc<Verified>,
    verifying: &Verification,
    parts: &mut ShownParts,
    state: &mut PartsState,
) {
    let colors = tokens(ui);
    let rect = ui.available_rect_before_wrap();
    let (left, right) = rect.split_left_right_at_fraction(0.5);
    for (rect, words) in [(left, "The tape's request"), (right, "This request")] {
        let head = rect.with_max_y(rect.top() + theme::TABLE_HEADING);
        let font = theme::medium(theme::LABEL);
        let line = widgets::line(ui, words, font, colors.muted, head.width());
        let at = egui::pos2(head.left() + theme::PADDING, head.center().y);
        ui.painter().rect_filled(head, 0.0, colors.panel);
        widgets::paint_line(ui.painter(), at, line);
    }
    ui.add_space(theme::TABLE_HEADING);
    let wanted = (state.followed != verifying.shown)
        .then(|| verified.differences().nth(verifying.at))
        .flatten();
    state.followed = verifying.shown;
    let wanted = wanted.and_then(|one| part_of(&verified.parts, one));
    let here = verified.differences().nth(verifying.at);
    let here = here.and_then(|one| part_of(&verified.parts, one));
    let mut requests = FoldRequests::default();
    let area = ScrollArea::vertical().id_salt("parts").auto_shrink(false);
    area.show(ui, |ui| {
        for row in &parts.rows {
            match row {
                PartRow::Same(range) => {
                    let words = describe_folded(&verified.parts, range);
                    if widgets::fold_line(ui, &words).clicked() {
                        requests.unfold = Some(range.clone());
                    }
                }
                PartRow::Part(at) => {
                    let Some(part) = verified.parts.get(*at) else {
                        continue;
                    };
                    let top = ui.cursor();
                    heading_ui(ui, part, here == Some(*at));
                    if wanted == Some(*at) {
                        let rect = egui::Rect::from_min_size(top.min, egui::vec2(1.0, 120.0));
                        ui.scroll_to_rect(rect, Some(Align::Center));
                    }
                    if let Some(sheet) = parts.sheet(*at) {
                        let mut inner = Vec::new();
                        ui.push_id(at, |ui| whole_sheet_ui(ui, sheet, &mut inner));
                        requests.folds.extend(inner.iter().filter_map(|action| match action {
                            Action::ToggleFold { fold, .. } => Some((*at, *fold)),
                            _ => None,
                        }));
                    }
                    ui.add_space(theme::GAP);
                }
                PartRow::More(count) => {
                    let words = counted(*count, "more part", "more parts");
                    let font = theme::regular(theme::ROW);
                    widgets::strip(ui, theme::TOOL_ROW, |ui| {
                        StyledText::new().with(&words, font, colors.muted).show(ui);
                    });
                }
            }
        }
        ui.add_space(theme::PADDING);
    });
    if let Some(range) = requests.unfold {
        parts.unfold(&verified.parts, range);
    }
    for (part, fold) in requests.folds {
        parts.toggle_fold(&verified.parts, part, fold);
    }
}

/// Folds that were clicked while the parts were painted.
#[derive(Default)]
struct FoldRequests {
    unfold: Option<std::ops::Range<usize>>,
    folds: Vec<(usize, usize)>,
}

fn heading_ui(ui: &mut Ui, part: &RequestPart, is_here: bool) {
    let colors = tokens(ui);
    let (icon, words, tone) = match part.status {
        RequestPartStatus::Same => (icons::EQUAL, "equal", Tone::Plain),
        RequestPartStatus::Differs => (icons::EQUAL_NOT, "differs", Tone::Error),
        RequestPartStatus::Ignored => (icons::VOLUME_X, "ignored", Tone::Plain),
    };
    let top = ui.cursor().top();
    widgets::strip(ui, theme::TOOL_ROW, |ui| {
        let font = theme::semibold(theme::BODY);
        StyledText::new().with(&part.name, font, colors.text_strong).show(ui);
        widgets::tag(ui, icon, words, tone);
    });
    if is_here {
        let left = ui.max_rect().left();
        let bar = egui::Rect::from_x_y_ranges(left..=left + 200.0, top + 6.0..=top + 34.0);
        widgets::accent_bar(ui.painter(), colors, bar);
    }
}
