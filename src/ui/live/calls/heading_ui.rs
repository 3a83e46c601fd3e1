//! Paints the heading of a table: its name with the number of calls, and the filter.

use egui::{Id, Rect, Sense, Ui, WidgetInfo, pos2, vec2};

use super::calls_ui::{CallsContext, calls_action};
use crate::text::thousands;
use crate::ui::icons;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{self, Button, StyledText};
use crate::workbench::{Action, CallFilter, CallsAction, ListenerKind};

/// Draws the name of a table and its number of calls, and at the right the filter and the number of failed calls.
pub(super) fn heading_ui(
    ui: &mut Ui,
    context: &CallsContext<'_>,
    which: ListenerKind,
    actions: &mut Vec<Action>,
) {
    let desk = context.desk;
    let is_first = which == ListenerKind::Recorder
        || desk.recorded.is_empty() && !desk.state(ListenerKind::Recorder).is_on();
    let failed = match which {
        ListenerKind::Recorder => 0,
        ListenerKind::Server => desk.served.failed,
    };
    let left = super::calls_ui::split_row(ui, theme::DESK_HEADER, |ui| {
        if is_first {
            filter_ui(ui, desk.filter, actions);
        }
        if failed > 0 {
            failed_ui(ui, failed);
        }
    });
    name_ui(ui, left, context, which);
}

/// Paints the number of calls without a complete answer.
fn failed_ui(ui: &mut Ui, failed: usize) {
    let color = tokens(ui).error;
    let words = format!("{} without a complete answer", thousands(failed));
    let line = StyledText::new().with(&words, theme::regular(theme::ROW), color);
    line.show(ui);
    let (icon, _) = ui.allocate_exact_size(vec2(theme::ICON, theme::TEXT_LINE), Sense::hover());
    let center = icon.center();
    widgets::paint_icon(ui.painter(), center, icons::CIRCLE_X, theme::ICON, color);
}

fn name_ui(ui: &Ui, rect: Rect, context: &CallsContext<'_>, which: ListenerKind) {
    let colors = tokens(ui);
    let desk = context.desk;
    let (icon, title, count, streaming) = match which {
        ListenerKind::Recorder => {
            let rows = &desk.recorded;
            (icons::RADIO, "Recorded calls", rows.len(), rows.streaming)
        }
        ListenerKind::Server => {
            let rows = &desk.served;
            (icons::SERVER, "Served calls", rows.len(), rows.streaming)
        }
    };
    let note = match streaming {
        0 => thousands(count),
        streaming => format!("{}, {} streaming", thousands(count), thousands(streaming)),
    };
    let color = match desk.address(which) {
        Some(_) => colors.good,
        None => colors.muted,
    };
    let center = pos2(rect.left() + 8.0, rect.center().y);
    widgets::paint_icon(ui.painter(), center, icon, theme::ICON_HEADING, color);
    let (font, quiet) = (theme::semibold(theme::TITLE), theme::regular(theme::BODY));
    let line = StyledText::new().with(title, font, colors.text_strong);
    let line = line.after(theme::GAP, &note, quiet, colors.muted);
    let response = ui.interact(rect, Id::unique(("calls", title)), Sense::hover());
    let name = format!("{title} {note}");
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Heading, true, &name));
    let indent = theme::INDENT + 2.0;
    let line = line.galley(ui, rect.width() - indent);
    let at = pos2(rect.left() + indent, rect.center().y);
    widgets::paint_line(ui.painter(), at, line);
}

/// Paints the filter of the list.
fn filter_ui(ui: &mut Ui, listed: CallFilter, actions: &mut Vec<Action>) {
    let word = |listed| match listed {
        CallFilter::All => "All calls",
        CallFilter::Streaming => "Streaming",
        CallFilter::Failed => "Failed",
    };
    let button = Button::ghost(word(listed))
        .icon(icons::FUNNEL)
        .trailing(icons::CHEVRON_DOWN)
        .tooltip("Which calls are listed");
    let response = ui.add(button);
    widgets::menu(&response, |ui| {
        for choice in CallFilter::ALL {
            let icon = if choice == listed { icons::CHECK } else { "" };
            if widgets::menu_item(ui, icon, word(choice), &[], None).clicked() {
                actions.push(calls_action(CallsAction::List(choice)));
                ui.close();
            }
        }
    });
}
