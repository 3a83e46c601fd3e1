//! Paints the invariants of a contract with their verdicts.

use std::sync::Arc;

use egui::{Align, Color32, Galley, Layout, Role, Sense, Stroke, Ui, pos2, vec2};

use super::contract_data::{InvariantCounts, describe_invariant, faults, verdict};
use author::contract::InvariantVerdict;
use document::text::visible;
use protocol::{CheckedInvariant, ContractReport};
use widgets::icons;
use widgets::theme::{self, tokens};
use workbench::{Action, Actions, ContractAction, SessionsAction};

pub(super) fn invariants_ui(ui: &mut Ui, report: &ContractReport, actions: &mut Actions) {
    if report.invariants.is_empty() {
        return;
    }
    let is_tried = report.answer.is_some();
    head_ui(ui, report, is_tried);
    widgets::hair_line(ui);
    for invariant in &report.invariants {
        invariant_ui(ui, invariant, is_tried, actions);
    }
}

fn head_ui(ui: &mut Ui, report: &ContractReport, is_tried: bool) {
    let colors = tokens(ui);
    widgets::strip(ui, 36.0, |ui| {
        let count = report.invariants.len().to_string();
        widgets::title_note(ui, ("Invariants", theme::BODY), (&count, theme::ROW));
        if !is_tried {
            return;
        }
        let counts = InvariantCounts::new(report);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.spacing_mut().item_spacing.x = theme::GAP;
            for (count, word, icon, color) in [
                (counts.open, "open", icons::CIRCLE_DASHED, colors.muted),
                (counts.pass, "pass", icons::CIRCLE_CHECK, colors.good),
                (counts.fail, "fail", icons::CIRCLE_X, colors.error),
            ] {
                if count > 0 {
                    count_ui(ui, icon, &format!("{count} {word}"), color);
                }
            }
        });
    });
}

fn count_ui(ui: &mut Ui, icon: &str, words: &str, color: Color32) {
    let line = widgets::line(ui, words, theme::regular(theme::LABEL), color, 96.0);
    let text_offset = theme::ICON_TAG + 4.0;
    let size = vec2(text_offset + line.size().x, theme::TEXT_LINE);
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    widgets::describe(&response, Role::Label, words);
    let center = rect.left_center() + vec2(theme::ICON_TAG / 2.0, 0.0);
    widgets::paint_icon(ui.painter(), center, icon, theme::ICON_TAG, color);
    widgets::paint_line(ui.painter(), rect.left_center() + vec2(text_offset, 0.0), line);
}

/// The galleys of a row.
struct InvariantGalleys {
    id: Arc<Galley>,
    message: Arc<Galley>,
    faults: Vec<Arc<Galley>>,
    verdict: Arc<Galley>,
    severity: Arc<Galley>,
}

impl InvariantGalleys {
    fn new(ui: &Ui, invariant: &CheckedInvariant, is_tried: bool, width: f32) -> Self {
        let colors = tokens(ui);
        let (word, tone) = verdict(&invariant.tried.verdict);
        let needs_model = matches!(invariant.tried.verdict, InvariantVerdict::NeedsModel(_));
        // Without an answer nothing has been checked; that a model is needed is known all the same.
        let word = if is_tried || needs_model { word } else { "" };
        let color = colors.tone_or(tone, colors.muted);
        let font = theme::regular(theme::LABEL);
        let verdict = widgets::line(ui, word, font.clone(), color, width);
        let severity = visible(&invariant.tried.severity);
        let severity = widgets::line(ui, &severity, font.clone(), colors.muted, width / 2.0);
        let severity_width = severity.size().x + theme::GAP;
        let id = match invariant.tried.id.as_str() {
            "" => "no id".into(),
            id => visible(id),
        };
        let room = width - verdict.size().x - theme::GAP;
        let id = widgets::line(ui, &id, theme::mono(theme::ROW), colors.text_strong, room);
        let galley = |words: String, color, room: f32| {
            // A narrower column would put every word on a line of its own.
            ui.painter().layout(words, theme::regular(theme::ROW), color, room.max(80.0))
        };
        let reason = describe_invariant(invariant, is_tried);
        Self {
            message: galley(reason, colors.text, width - severity_width),
            faults: faults(invariant)
                .into_iter()
                .map(|fault| galley(fault, colors.warning, width))
                .collect(),
            id,
            verdict,
            severity,
        }
    }

    fn height(&self) -> f32 {
        let faults: f32 = self.faults.iter().map(|f| f.size().y + 4.0).sum();
        (27.0 + self.message.size().y + faults + 8.0).ceil()
    }
}

/// Draws an invariant; a click shows it in its file.
fn invariant_ui(ui: &mut Ui, invariant: &CheckedInvariant, is_tried: bool, actions: &mut Actions) {
    let colors = tokens(ui);
    let inner = ui.available_width() - 2.0 * theme::PADDING - theme::INDENT;
    let galleys = InvariantGalleys::new(ui, invariant, is_tried, inner);
    let (rect, response) = widgets::allocate_row(ui, galleys.height(), Sense::click());
    widgets::describe(&response, Role::Button, &accessible_name(invariant, is_tried));
    // The height is needed for scrolling, the shapes only on screen.
    if ui.is_rect_visible(rect) {
        let painter = ui.painter();
        if response.hovered() {
            painter.rect_filled(rect, 0.0, colors.hover);
        }
        let (left, right) = (rect.left() + theme::PADDING, rect.right() - theme::PADDING);
        let (first, second) = (rect.top() + 16.0, rect.top() + 26.0);
        let (icon, color) = verdict_sign(ui, invariant, is_tried);
        widgets::paint_icon(painter, pos2(left + 7.0, first), icon, theme::ICON, color);
        let text_left = left + theme::INDENT;
        widgets::paint_line(painter, pos2(text_left, first), galleys.id);
        widgets::paint_line_right(painter, pos2(right, first), galleys.verdict);
        let severity = galleys.severity;
        let middle = second + severity.size().y / 2.0 + 1.0;
        widgets::paint_line_right(painter, pos2(right, middle), severity);
        let mut top = second + galleys.message.size().y + 4.0;
        painter.galley(pos2(text_left, second), galleys.message, colors.text);
        for fault in galleys.faults {
            let height = fault.size().y + 4.0;
            painter.galley(pos2(text_left, top), fault, colors.warning);
            top += height;
        }
    }
    widgets::focus_ring(ui, &response, theme::RADIUS_KEY);
    if let Some((doc, span)) = invariant.spot.reveal.filter(|_| response.clicked()) {
        actions.push(Action::Reveal(doc, span));
    }
    fix_ui(ui, invariant, actions);
    let hair = Stroke::new(1.0, colors.hair);
    // Below the fix, which has a row of its own.
    let bottom = ui.min_rect().bottom() - 0.5;
    ui.painter().hline(rect.x_range(), bottom, hair);
}

fn verdict_sign(ui: &Ui, invariant: &CheckedInvariant, is_tried: bool) -> (&'static str, Color32) {
    let colors = tokens(ui);
    match invariant.tried.verdict.passed().filter(|_| is_tried) {
        Some(true) => (icons::CIRCLE_CHECK, colors.good),
        Some(false) => (icons::CIRCLE_X, colors.error),
        None => (icons::CIRCLE_DASHED, colors.muted),
    }
}

/// Returns the name of the row for screen readers.
fn accessible_name(invariant: &CheckedInvariant, is_tried: bool) -> String {
    let (word, _) = verdict(&invariant.tried.verdict);
    let mut parts = vec![visible(&invariant.tried.id).into_owned()];
    if is_tried {
        parts.push(word.to_lowercase());
    }
    parts.push(visible(&invariant.tried.severity).into_owned());
    parts.push(describe_invariant(invariant, is_tried));
    parts.extend(faults(invariant));
    parts.join(", ")
}

/// Draws the fix that changes the type to the one that was probably meant.
fn fix_ui(ui: &mut Ui, invariant: &CheckedInvariant, actions: &mut Actions) {
    let (Some(new_type), Some((doc, _))) = (&invariant.suggestion, invariant.spot.reveal) else {
        return;
    };
    widgets::strip(ui, 26.0, |ui| {
        ui.add_space(theme::INDENT);
        if widgets::link(ui, &format!("Change to {new_type}")).clicked() {
            let action =
                ContractAction::SetType(doc, invariant.pointer.to_string(), new_type.to_string());
            actions.push(Action::from(SessionsAction::Contract(action)));
        }
    });
}
