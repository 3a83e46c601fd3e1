//! Paints the heading of a table: its name with the number of calls, and the names of its columns.

use egui::{Id, Rect, Sense, Ui, WidgetInfo, pos2, vec2};

use super::calls_ui::{Sight, act};
use super::row_ui::{Columns, hair};
use super::scale::scale;
use crate::ops::diff::thousands;
use crate::ops::tape::timing::format_duration;
use crate::ui::icons;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{self, Button, Words};
use crate::workbench::{Action, CallsAction, Listed, Listener};

/// Draws the name of a table and its number of calls, and at the right the filter and the number of failed calls.
pub(super) fn heading_ui(
    ui: &mut Ui,
    context: &Sight<'_>,
    which: Listener,
    actions: &mut Vec<Action>,
) {
    let desk = context.desk;
    let is_first = which == Listener::Recorder
        || desk.recorded().is_empty() && !desk.state(Listener::Recorder).is_on();
    let failed = match which {
        Listener::Recorder => 0,
        Listener::Server => desk.served().failed(),
    };
    let left = super::calls_ui::split_row(ui, theme::DESK_HEADER, |ui| {
        if is_first {
            filter_ui(ui, desk.listed(), actions);
        }
        if failed > 0 {
            failed_ui(ui, failed);
        }
    });
    name_ui(ui, left, context, which);
    hair(ui, left.bottom());
}

/// Paints the number of calls without a complete answer.
fn failed_ui(ui: &mut Ui, failed: usize) {
    let color = tokens(ui).error;
    let words = format!("{} without a complete answer", thousands(failed));
    let line = Words::new().with(&words, theme::regular(theme::ROW), color);
    line.show(ui);
    let (icon, _) = ui.allocate_exact_size(vec2(theme::ICON, theme::TEXT_LINE), Sense::hover());
    let center = icon.center();
    widgets::paint_icon(ui.painter(), center, icons::CIRCLE_X, theme::ICON, color);
}

fn name_ui(ui: &Ui, rect: Rect, context: &Sight<'_>, which: Listener) {
    let colors = tokens(ui);
    let desk = context.desk;
    let (icon, title, count, streaming) = match which {
        Listener::Recorder => {
            let rows = desk.recorded();
            (icons::RADIO, "Recorded calls", rows.len(), rows.streaming())
        }
        Listener::Server => {
            let rows = desk.served();
            (icons::SERVER, "Served calls", rows.len(), rows.streaming())
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
    let line = Words::new().with(title, font, colors.text_strong);
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
fn filter_ui(ui: &mut Ui, listed: Listed, actions: &mut Vec<Action>) {
    let word = |listed| match listed {
        Listed::All => "All calls",
        Listed::Streaming => "Streaming",
        Listed::Failed => "Failed",
    };
    let button = Button::ghost(word(listed))
        .icon(icons::FUNNEL)
        .trailing(icons::CHEVRON_DOWN)
        .tooltip("Which calls are listed");
    let response = ui.add(button);
    widgets::menu(&response, |ui| {
        for choice in Listed::ALL {
            let icon = if choice == listed { icons::CHECK } else { "" };
            if widgets::menu_item(ui, icon, word(choice), &[], None).clicked() {
                actions.push(act(CallsAction::List(choice)));
                ui.close();
            }
        }
    });
}

/// Draws the names of a table's columns.
pub(super) fn headings_ui(ui: &mut Ui, context: &Sight<'_>, which: Listener) {
    let colors = tokens(ui);
    let size = vec2(ui.available_width(), theme::TABLE_HEADING);
    let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
    ui.painter().rect_filled(rect, 0.0, colors.panel);
    let columns = Columns::of(rect);
    let chunks = format!(
        "Chunks over time, to {}",
        format_duration(scale(context, which) as f64)
    );
    let result = match which {
        Listener::Recorder => "Result",
        Listener::Server => "Served by",
    };
    let texts = [
        (rect.left() + theme::PADDING, columns.call, "Time"),
        (columns.call, columns.chunks, "Call"),
        (columns.chunks, columns.state, &*chunks),
        (columns.state, columns.result, "State"),
        (columns.result, columns.end, result),
    ];
    for (left, right, text) in texts {
        let font = theme::medium(theme::LABEL);
        let line = widgets::line(ui, text, font, colors.muted, right - left - 8.0);
        widgets::paint_line(ui.painter(), pos2(left, rect.center().y), line);
    }
    hair(ui, rect.bottom());
}
