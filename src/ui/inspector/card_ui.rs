//! Paints the sections around the conversation: banners, folds, offered tools, facts.

use egui::{
    Align, Color32, CornerRadius, Frame, Label, Layout, Margin, Role, Sense, Ui, WidgetInfo, vec2,
};

use super::content::{Banner, Fact, FactList, Fold, FoldKind, Heading, OfferedTool, Tools};
use super::paint;
use super::sections_ui::{FOLD_HEIGHT, SectionContext};
use super::turn_ui::copy_menu;
use super::value_ui::{edit_item, value_ui, values_ui};
use widgets::theme::{self, tokens};
use widgets::{Line, Row, RowShape, StyledText, icons};
use workbench::{Action, Actions, DraftSize};

/// Maximum width of the names of facts.
const MAX_NAME_WIDTH: f32 = 112.0;

/// Paints a banner.
pub(super) fn banner_ui(ui: &mut Ui, banner: &Banner, actions: &mut Actions) {
    let tone = widgets::severity_tone(banner.severity);
    if banner.actions.is_empty() {
        widgets::banner(ui, tone, banner.icon, &banner.title, &banner.text);
        return;
    }
    widgets::banner_with(ui, tone, banner.icon, &banner.title, &banner.text, |ui| {
        ui.spacing_mut().item_spacing.x = theme::GAP;
        for (name, action) in &banner.actions {
            // Decisions about the project are above the list; here one button is not more than another.
            let button = widgets::Button::secondary(name);
            let icon = match action {
                Action::CompareSource(_) => icons::COLUMNS_2,
                Action::Desk(workbench::DeskAction::Terminal(_)) => icons::SQUARE_TERMINAL,
                _ => "",
            };
            let button = if icon.is_empty() { button } else { button.icon(icon) };
            widgets::on_click(&ui.add(button), action.clone(), actions);
        }
    });
}

/// Paints the heading of the following rows.
pub(super) fn list_heading_ui(ui: &mut Ui, heading: &Heading) {
    paint::region(ui, Margin::symmetric(16, 8), |ui| {
        paint::heading(ui, heading, (true, &heading.note), |_| {});
    });
}

/// Paints the tools that a request offers and highlights the called ones.
pub(super) fn tools_ui(ui: &mut Ui, tools: &Tools, context: &mut SectionContext<'_>) {
    paint::framed(ui, |ui| {
        widgets::indented(ui, |ui| {
            paint::card(ui, |ui| {
                ui.spacing_mut().item_spacing.y = 0.0;
                let last = tools.tools.len().saturating_sub(1);
                for (number, tool) in tools.tools.iter().enumerate() {
                    // The fill of the first and the last row must not cover the round corners of the card.
                    let top = if number == 0 { 8 } else { 0 };
                    let bottom = if number == last { 8 } else { 0 };
                    let corners = CornerRadius { nw: top, ne: top, sw: bottom, se: bottom };
                    tool_ui(ui, tool, (context.index, number), corners, context);
                }
            });
        });
    });
}

fn tool_ui(
    ui: &mut Ui,
    tool: &OfferedTool,
    key: (usize, usize),
    corners: CornerRadius,
    context: &mut SectionContext<'_>,
) {
    let tokens = context.tokens;
    let (rect, response) = widgets::allocate_row(ui, theme::ROW_HEIGHT, Sense::click());
    let name = format!("{}{}", tool.tool.prefix, tool.tool.rest);
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, format!("Tool {name}")));
    let is_open = context.state.open.contains(&key);
    let fill = match (tool.called, response.hovered()) {
        (true, _) => tokens.tint,
        (false, true) => tokens.hover,
        (false, false) => Color32::TRANSPARENT,
    };
    let ring = if response.has_focus() { tokens.ring } else { Color32::TRANSPARENT };
    let ground = Frame::new().fill(fill).stroke((2.0, ring)).corner_radius(corners);
    widgets::place(ui, rect.shrink(0.5), |ui| {
        ground.show(ui, |ui| ui.set_min_size(ui.available_size()));
    });
    widgets::place_right(ui, rect.shrink2(vec2(12.0, 0.0)), |ui| {
        if tool.called {
            let label = theme::text("called", theme::regular(theme::LABEL), tokens.accent);
            ui.add(Label::new(label).selectable(false));
        }
        widgets::at_left(ui, |ui| {
            ui.spacing_mut().item_spacing.x = theme::GAP;
            let color = if tool.called { tokens.accent } else { tokens.muted };
            widgets::icon(ui, tool.tool.kind.icon(), theme::ICON, color);
            let name = paint::tool_name(&tool.tool, tokens, ui.available_width());
            ui.add(Label::new(name).selectable(false));
        });
    });
    copy_menu(&response, tool.node, context);
    if response.clicked() {
        context.state.toggle(key);
    }
    if !is_open {
        // Once the tool is open, the description is below it.
        if !tool.description.is_empty() {
            response.on_hover_text(&tool.description);
        }
        return;
    }
    Frame::new().inner_margin(Margin { left: 34, right: 12, top: 2, bottom: 8 }).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 4.0;
        if !tool.description.is_empty() {
            let node =
                context.ready.document.node(tool.node).get("description").map(|node| node.id());
            value_ui(ui, (node, DraftSize::Sheet), context, |ui, _| {
                ui.label(theme::text(&tool.description, theme::regular(theme::ROW), tokens.text));
            });
        }
        match &tool.schema {
            None => {
                widgets::remark(ui, "no input schema");
            }
            Some(schema) => values_ui(ui, schema, context),
        }
    });
}

/// Paints names and values.
pub(super) fn facts_ui(ui: &mut Ui, facts: &FactList, context: &mut SectionContext<'_>) {
    let tokens = tokens(ui);
    paint::framed(ui, |ui| {
        if !facts.heading.title.is_empty() {
            paint::heading(ui, &facts.heading, (true, &facts.heading.note), |_| {});
        }
        widgets::indented(ui, |ui| {
            let names = facts.facts.iter().map(|fact| {
                let font = theme::regular(theme::LABEL);
                widgets::line(ui, &fact.name, font, tokens.muted, f32::INFINITY).size().x
            });
            // One long name must not push all values to the right.
            let column = names.fold(0.0, f32::max).min(MAX_NAME_WIDTH) + 14.0;
            for fact in &facts.facts {
                fact_ui(ui, fact, column, context);
            }
            let Some(foot) = &facts.footer else { return };
            ui.horizontal_wrapped(|ui| {
                ui.spacing_mut().item_spacing.x = 4.0;
                widgets::remark(ui, &foot.text);
                let link = widgets::link(ui, &foot.link_label);
                widgets::on_click(&link, foot.action.clone(), context.actions);
            });
        });
    });
}

fn fact_ui(ui: &mut Ui, fact: &Fact, column: f32, context: &mut SectionContext<'_>) {
    let tokens = tokens(ui);
    ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = 0.0;
        let name = theme::text(&fact.name, theme::regular(theme::LABEL), tokens.muted);
        ui.allocate_ui_with_layout(vec2(column, 18.0), Layout::left_to_right(Align::Min), |ui| {
            ui.set_min_width(column);
            ui.add(Label::new(name).truncate());
        });
        ui.vertical(|ui| {
            value_ui(ui, (fact.node, DraftSize::Line), context, |ui, context| {
                fact_value_ui(ui, fact, context);
            });
        });
    });
}

fn fact_value_ui(ui: &mut Ui, fact: &Fact, context: &mut SectionContext<'_>) {
    let tokens = context.tokens;
    let font = if fact.is_data { theme::mono(theme::LABEL) } else { theme::regular(theme::LABEL) };
    let value = theme::text(&fact.value, font, tokens.text_strong);
    let mut job = egui::text::LayoutJob::default();
    value.append_to(&mut job, ui.style(), egui::FontSelection::Default, Align::Min);
    if !fact.remark.is_empty() {
        theme::text(format!("  {}", fact.remark), theme::regular(theme::LABEL), tokens.muted)
            .append_to(&mut job, ui.style(), egui::FontSelection::Default, Align::Min);
    }
    let response = ui.add(Label::new(job).wrap());
    // The row may show a shortened value, but a copy is complete.
    let full_value = fact.full.as_ref().unwrap_or(&fact.value);
    widgets::context_menu(&response, |ui| {
        if let Some(node) = fact.node {
            edit_item(ui, node, context);
        }
        if widgets::menu_action(ui, icons::COPY, &format!("Copy “{}”", fact.name), None) {
            context.actions.push(Action::Copy(full_value.clone()));
        }
    });
}

const FOLD_ROW: RowShape =
    RowShape { height: FOLD_HEIGHT, lines: &[16.0], hair: true, ..RowShape::ONE_LINE };

/// Paints the row, and opens or closes it.
pub(super) fn fold_ui(ui: &mut Ui, fold: &Fold, context: &mut SectionContext<'_>) {
    let tokens = tokens(ui);
    let (title, note) = (&fold.heading.title, &*fold.heading.note);
    let words = |note: &str| {
        StyledText::new().with(title, theme::medium(theme::ROW), tokens.text_strong).after(
            theme::GAP,
            note,
            theme::regular(theme::ROW),
            tokens.muted,
        )
    };
    let room = ui.available_width() - 2.0 * (theme::PADDING + theme::INDENT);
    let is_cut = words(note).galley(ui, room).elided;
    // Cutting a path at its end would hide the name of the file first.
    let file = note.rsplit_once('/').filter(|_| is_cut && fold.kind == FoldKind::Source);
    let shown_note = file.map_or_else(|| note.to_owned(), |(_, file)| format!("…/{file}"));
    let (icon, comma) = (fold.heading.icon, if note.is_empty() { "" } else { ", " });
    let line = Line::from(words(&shown_note)).icon(icon, paint::heading_color(icon, tokens));
    let row = Row::new(format!("{title}{comma}{note}")).line(line);
    let row = if is_cut { row.tip(format!("{title} {note}")) } else { row };
    if fold.sections == 0 {
        let margins = (theme::PADDING + theme::INDENT, theme::PADDING);
        row.disabled(true).show(ui, &RowShape { margins, ..FOLD_ROW });
    } else if row.expanded(context.state.is_open(fold.kind)).show(ui, &FOLD_ROW).clicked() {
        context.state.toggle_fold(fold.kind);
        ui.request_repaint();
    }
}
