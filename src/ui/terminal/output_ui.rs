//! Paints the visible lines of a command's output.

use egui::text::{LayoutJob, TextFormat};
use egui::text_selection::LabelSelectionState;
use egui::{Color32, Rect, Role, ScrollArea, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};

use crate::text::counted;
use crate::ui::theme::{self, TEXT_LINE, Tokens, tokens};
use crate::workbench::{Ink, OutputLine, Terminal};

/// Paints the lines. Follows the end unless the user scrolled away. `widest` is the width of the widest line painted so
/// far.
pub(super) fn output_ui(ui: &mut Ui, terminal: &Terminal, widest: &mut f32) {
    let output = &terminal.output;
    let above = usize::from(output.dropped > 0);
    let rows = above + output.len() + usize::from(terminal.open_line.is_some());
    let width = ui.available_width();
    ui.spacing_mut().item_spacing = vec2(0.0, 0.0);
    let area = ScrollArea::both().auto_shrink(false).stick_to_bottom(true);
    area.show_viewport(ui, |ui, viewport| {
        ui.set_height(rows as f32 * TEXT_LINE + theme::GAP);
        ui.set_width(width.max(*widest + 2.0 * theme::PADDING));
        let corner = ui.min_rect().min + vec2(theme::PADDING, 0.0);
        let first = (viewport.min.y / TEXT_LINE).floor().max(0.0) as usize;
        let last = ((viewport.max.y / TEXT_LINE).ceil() as usize + 1).min(rows);
        for row in first..last {
            let at = pos2(corner.x, corner.y + row as f32 * TEXT_LINE);
            let line = row.checked_sub(above);
            let line = line.map(|line| output.get(line).or(terminal.open_line.as_ref()));
            let painted = match line {
                None => dropped_ui(ui, at, output.dropped),
                Some(None) => 0.0,
                // The id is the line number in the whole output, which is stable when earlier lines are dropped.
                Some(Some(line)) => line_ui(ui, at, line, output.dropped + row),
            };
            *widest = widest.max(painted);
        }
    });
}

fn dropped_ui(ui: &Ui, at: egui::Pos2, dropped: usize) -> f32 {
    let text = format!("{} before this were dropped.", counted(dropped, "line", "lines"));
    let color = tokens(ui).muted;
    let galley = ui.painter().layout_no_wrap(text, theme::regular(theme::ROW), color);
    let width = galley.size().x;
    ui.painter().galley(at, galley, color);
    width
}

fn line_ui(ui: &mut Ui, at: egui::Pos2, line: &OutputLine, number: usize) -> f32 {
    if line.text.is_empty() {
        return 0.0;
    }
    let tokens = tokens(ui);
    let galley = ui.painter().layout_job(job(line, tokens));
    let size = galley.size();
    let rect = Rect::from_min_size(at, vec2(size.x.max(8.0), TEXT_LINE));
    let response = ui.interact(rect, ui.scope_id().with(("line", number)), Sense::click_and_drag());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &line.text));
    let top = at.y + ((TEXT_LINE - size.y) / 2.0).round();
    let place = pos2(at.x, top);
    LabelSelectionState::label_text_selection(
        ui,
        &response,
        place,
        galley,
        tokens.text,
        Stroke::NONE,
    );
    size.x
}

fn job(line: &OutputLine, tokens: &Tokens) -> LayoutJob {
    let font = theme::mono(theme::ROW);
    let mut job = LayoutJob { break_on_newline: false, ..LayoutJob::default() };
    job.wrap.max_width = f32::INFINITY;
    let mut add = |text: Option<&str>, color| {
        let text = text.unwrap_or_default();
        job.append(text, 0.0, TextFormat::simple(font.clone(), color));
    };
    let mut at = 0;
    for (range, ink) in &line.inks {
        add(line.text.get(at..range.start), tokens.text);
        add(line.text.get(range.clone()), color(*ink, tokens));
        at = range.end;
    }
    add(line.text.get(at..), tokens.text);
    job
}

fn color(ink: Ink, tokens: &Tokens) -> Color32 {
    match ink {
        Ink::Plain => tokens.text,
        Ink::Strong => tokens.text_strong,
        Ink::Muted => tokens.muted,
        Ink::Red => tokens.error,
        Ink::Green => tokens.good,
        Ink::Yellow => tokens.warning,
        Ink::Blue => tokens.note,
        Ink::Magenta => tokens.keyword,
        Ink::Cyan => tokens.key,
    }
}
