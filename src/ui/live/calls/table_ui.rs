//! Paints the two tables of calls. Only visible rows are rendered.

use egui::{Rect, Sense, Ui, pos2, vec2};

use super::calls_ui::{CallsContext, calls_action};
use super::heading_ui::{heading_ui, headings_ui};
use super::row_ui::{row_line, row_ui};
use super::scale::timeline_scale;
use crate::text::counted;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{self, StyledText};
use crate::workbench::{Action, CallId, CallsAction, ListenerKind};

/// The call that was scrolled to last.
#[derive(Default)]
pub(super) struct ScrolledTo(Option<CallId>);

/// Draws both tables. `viewport` is their visible part.
pub(super) fn tables_ui(
    ui: &mut Ui,
    context: &CallsContext<'_>,
    viewport: Rect,
    seen: &mut ScrolledTo,
    actions: &mut Vec<Action>,
) {
    let recorded = &context.desk.recorded;
    let served = &context.desk.served;
    if recorded.is_empty() && served.is_empty() {
        return nothing_ui(ui, context);
    }
    let top = ui.max_rect().top();
    for which in ListenerKind::ALL {
        let is_empty = match which {
            ListenerKind::Recorder => recorded.is_empty(),
            ListenerKind::Server => served.is_empty(),
        };
        // A table that was never used takes no space.
        if is_empty && !context.desk.state(which).is_on() {
            continue;
        }
        heading_ui(ui, context, which, actions);
        headings_ui(ui, context, which);
        if is_empty {
            empty_ui(ui, which);
        }
        let (shown, folded) = context.desk.shown(which);
        rows_ui(
            ui,
            context,
            (shown, viewport.translate(vec2(0.0, top))),
            seen,
            actions,
        );
        fold_ui(ui, context, which, folded, actions);
    }
}

/// Paints the empty state before the first call.
fn nothing_ui(ui: &mut Ui, context: &CallsContext<'_>) {
    let sentence = if context.desk.addresses().is_empty() {
        "The recorder and the server are off; no socket is open."
    } else {
        "No calls yet. Point a client at the address on the left."
    };
    widgets::empty_state(ui, sentence, None);
}

fn empty_ui(ui: &mut Ui, which: ListenerKind) {
    let words = match which {
        ListenerKind::Recorder => "No recorded calls yet.",
        ListenerKind::Server => "No served calls yet.",
    };
    widgets::strip(ui, theme::ROW_TWO_LINES, |ui| {
        let color = tokens(ui).muted;
        StyledText::new()
            .with(words, theme::regular(theme::BODY), color)
            .show(ui);
    });
}

/// Draws the visible calls.
fn rows_ui(
    ui: &mut Ui,
    context: &CallsContext<'_>,
    (shown, viewport): (&[CallId], Rect),
    seen: &mut ScrolledTo,
    actions: &mut Vec<Action>,
) {
    let Some(which) = shown.first().map(|id| id.listener) else {
        return;
    };
    let size = vec2(
        ui.available_width(),
        shown.len() as f32 * theme::ROW_TWO_LINES,
    );
    let (all, _) = ui.allocate_exact_size(size, Sense::hover());
    let row_at = |index: usize| {
        let top = all.top() + index as f32 * theme::ROW_TWO_LINES;
        Rect::from_min_size(
            pos2(all.left(), top),
            vec2(all.width(), theme::ROW_TWO_LINES),
        )
    };
    if let Some(selected) = context.desk.selected
        && seen.0 != Some(selected)
        && let Some(at) = shown.iter().position(|id| *id == selected)
    {
        seen.0 = Some(selected);
        ui.scroll_to_rect(row_at(at), None);
    }
    let in_sight = |y: f32| ((y - all.top()) / theme::ROW_TWO_LINES).max(0.0) as usize;
    let from = in_sight(viewport.top()).min(shown.len());
    let to = (in_sight(viewport.bottom()) + 1).min(shown.len());
    let scale = timeline_scale(context, which);
    for (index, id) in shown.iter().enumerate().take(to).skip(from) {
        row_ui(ui, context, (*id, row_at(index), scale), actions);
    }
}

/// Paints the link that shows earlier calls.
fn fold_ui(
    ui: &mut Ui,
    context: &CallsContext<'_>,
    which: ListenerKind,
    folded: usize,
    actions: &mut Vec<Action>,
) {
    let is_unfolded = match which {
        ListenerKind::Recorder => context.desk.recorded.is_unfolded,
        ListenerKind::Server => context.desk.served.is_unfolded,
    };
    let (words, link) = match (folded, is_unfolded) {
        (0, false) => return,
        (0, true) => ("All calls are shown".to_owned(), "Fold"),
        (count, _) => (counted(count, "earlier call", "earlier calls"), "Show"),
    };
    let row = widgets::strip(ui, theme::ROW_HEIGHT, |ui| {
        let color = tokens(ui).muted;
        StyledText::new()
            .with(&words, theme::regular(theme::ROW), color)
            .show(ui);
        if widgets::link(ui, link).clicked() {
            actions.push(calls_action(CallsAction::ToggleFold(which)));
        }
    });
    row_line(ui, row.bottom());
}
