//! Paints the two tables of calls. Only visible rows are rendered.

use egui::Ui;

use super::calls_ui::{CallsContext, calls_action};
use super::heading_ui::heading_ui;
use super::row_ui::{place_columns, row_line, row_ui};
use super::scale::timeline_scale;
use crate::ops::tape::timing::format_duration;
use crate::text::counted;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{self, List, RowShape, StyledText};
use crate::workbench::{Action, CallsAction, ListenerKind};

/// Draws both tables.
pub(super) fn tables_ui(ui: &mut Ui, context: &CallsContext<'_>, actions: &mut Vec<Action>) {
    let recorded = &context.desk.recorded;
    let served = &context.desk.served;
    if recorded.is_empty() && served.is_empty() {
        return nothing_ui(ui, context);
    }
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
        let scale = timeline_scale(context, which);
        let chunks = format!("Chunks over time, to {}", format_duration(scale as f64));
        let columns = place_columns(ui, which, &chunks);
        columns.heading(ui, None);
        if is_empty {
            empty_ui(ui, which);
        }
        let (shown, folded) = context.desk.shown(which);
        let name = match which {
            ListenerKind::Recorder => "Recorded calls",
            ListenerKind::Server => "Served calls",
        };
        List::new(name, &RowShape::TWO_LINES, shown.len())
            .selection(context.desk.selected, |selected| {
                shown.iter().position(|id| *id == selected)
            })
            .show_inside(ui, |slot| {
                row_ui(slot, context, shown[slot.index], (&columns, scale), actions);
            });
        fold_ui(ui, context, which, folded, actions);
    }
}

/// Paints the empty state before the first call.
fn nothing_ui(ui: &mut Ui, context: &CallsContext<'_>) {
    let sentence = if context.desk.addresses().is_empty() {
        "The recorder and the server are off; nothing listens."
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
        StyledText::new().with(words, theme::regular(theme::BODY), color).show(ui);
    });
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
        StyledText::new().with(&words, theme::regular(theme::ROW), color).show(ui);
        if widgets::link(ui, link).clicked() {
            actions.push(calls_action(CallsAction::ToggleFold(which)));
        }
    });
    row_line(ui, row.bottom());
}
