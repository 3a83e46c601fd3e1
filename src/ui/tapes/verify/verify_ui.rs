//! Paints the comparison of a request with the tape: input, verdict, both sides and the differences.

use egui::{Align, Layout, Panel, Ui};

use super::data::{ShownParts, verdict_text};
use super::differences_ui::differences_ui;
use super::parts_ui::{PartsState, parts_ui};
use super::request_ui::{RequestDraft, request_ui};
use crate::ops::tape::verify::Strictness;
use crate::text::visible;
use crate::ui::icons;
use crate::ui::theme::{self, Tone, tokens};
use crate::ui::widgets::{self, Button, Segment, SidePanel, StyledText};
use crate::workbench::{Action, DocId, TapesAction, Verification, VerifyAction};

/// Width of the list of differences, and minimum width of the parts next to it.
const LIST: f32 = 380.0;
const BESIDE: f32 = 420.0;

/// State of the panel that is kept between frames.
#[derive(Debug, Default)]
pub(in crate::ui::tapes) struct VerifyState {
    draft: RequestDraft,
    parts: ShownParts,
    scrolled: PartsState,
}

/// Draws the panel in place of the timeline.
pub(in crate::ui::tapes) fn verify_ui(
    ui: &mut Ui,
    doc: DocId,
    verifying: &Verification,
    state: &mut VerifyState,
    actions: &mut Vec<Action>,
) {
    head_ui(ui, verifying, actions);
    widgets::hair_line(ui);
    let name = verifying.source.as_ref().map(|from| visible(&from.name()).into_owned());
    match (verifying.source.as_ref(), verifying.done()) {
        (None, _) => request_ui(ui, &mut state.draft, actions),
        (Some(_), None) => widgets::skeleton_rows(ui, 6, theme::ROW_TWO_LINES),
        (Some(_), Some(Err(reason))) => {
            let heading = "The request cannot be compared.";
            let body = format!("{}: {reason}.", name.unwrap_or_default());
            widgets::banner(ui, Tone::Error, icons::FILE_X, heading, &body);
            request_ui(ui, &mut state.draft, actions);
        }
        (Some(_), Some(Ok(verified))) => {
            let words = verdict_text(&verified.verdict, verifying.strictness());
            let icon = if verified.verdict.matches() { icons::EQUAL } else { icons::EQUAL_NOT };
            widgets::banner(ui, words.tone, icon, &words.heading, &words.body);
            widgets::hair_line(ui);
            state.parts.update(verified);
            let has_list = !verified.is_empty();
            if has_list && ui.available_width() >= LIST + BESIDE {
                let panel = SidePanel::right("differences of requests", LIST, 280.0..=640.0);
                panel.show(ui, |ui| {
                    differences_ui(ui, doc, verified, verifying, actions);
                });
            } else if has_list {
                let panel = Panel::bottom("request differences");
                let panel = panel.exact_size((ui.available_height() * 0.45).round());
                let frame = egui::Frame::new().fill(tokens(ui).panel);
                panel.resizable(false).frame(frame).show(ui, |ui| {
                    differences_ui(ui, doc, verified, verifying, actions);
                });
            }
            parts_ui(ui, verified, verifying, &mut state.parts, &mut state.scrolled);
        }
    }
}

/// Draws the title, the strictness and the buttons.
fn head_ui(ui: &mut Ui, verifying: &Verification, actions: &mut Vec<Action>) {
    let colors = tokens(ui);
    let mut push = |action| actions.push(Action::from(TapesAction::Verify(action)));
    widgets::strip(ui, theme::TOOL_ROW_SEGMENTS, |ui| {
        let name = match verifying.source.as_ref() {
            Some(from) => visible(&from.name()).into_owned(),
            None => "Verify request".to_owned(),
        };
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let close = Button::secondary("Close").keys(vec!["Esc".to_owned()]);
            if ui.add(close.tooltip("Show the tape again")).clicked() {
                push(VerifyAction::Close);
            }
            if verifying.source.is_some() {
                let other = Button::secondary("Another request…").icon(icons::FILE_CHECK);
                if ui.add(other).clicked() {
                    push(VerifyAction::Open);
                }
            }
            let segments = [Segment::text("Strict"), Segment::text("Loose")];
            let all = [Strictness::Strict, Strictness::Loose];
            let chosen = all.iter().position(|one| *one == verifying.strictness());
            ui.scope(|ui| {
                let pressed = widgets::segmented(ui, &segments, chosen.unwrap_or_default());
                if let Some(strictness) = pressed.and_then(|at| all.get(at)) {
                    push(VerifyAction::SetStrictness(*strictness));
                }
            });
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                let title = theme::semibold(theme::BODY);
                StyledText::new().with(&name, title, colors.text_strong).show(ui);
            });
        });
    });
}
