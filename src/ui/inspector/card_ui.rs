//! Paints the sections around the conversation: banners, offered tools, facts.

use egui::{Align, CornerRadius, Frame, Label, Layout, Margin, Role, Sense, Ui, WidgetInfo, vec2};

use super::content::{Banner, FactList, InspectorFact, OfferedTool, SectionHeading, Tools};
use super::edit::DraftSize;
use super::paint;
use super::sections_state::SectionContext;
use super::turn_ui::copy_menu;
use super::value_ui::{edit_item, value_ui};
use widgets::icons;
use widgets::theme::{self, tokens};
use workbench::{Action, Actions};

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
pub(super) fn list_heading_ui(ui: &mut Ui, heading: &SectionHeading) {
    Frame::new().inner_margin(Margin { left: 16, right: 16, top: 8, bottom: 8 }).show(ui, |ui| {
        ui.set_width(ui.available_width());
        paint::heading(ui, heading, (true, &heading.note), |_| {});
    });
    paint::hairline(ui);
}

/// Paints the tools that a request offers and highlights the called ones.
pub(super) fn tools_ui(ui: &mut Ui, tools: &Tools, context: &mut SectionContext<'_>) {
    paint::framed(ui, |ui| {
        Frame::new().inner_margin(Margin { left: 22, ..Margin::ZERO }).show(ui, |ui| {
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
        (true, _) => Some(tokens.tint),
        (false, true) => Some(tokens.hover),
        (false, false) => None,
    };
    if let Some(fill) = fill {
        ui.painter().rect_filled(rect.shrink(0.5), corners, fill);
    }
    if response.has_focus() {
        let ring = egui::Stroke::new(2.0, tokens.ring);
        ui.painter().rect_stroke(rect.shrink(1.0), corners, ring, egui::StrokeKind::Inside);
    }
    let builder = egui::UiBuilder::new()
        .max_rect(rect.shrink2(vec2(12.0, 0.0)))
        .layout(Layout::right_to_left(Align::Center));
    ui.scope_builder(builder, |ui| {
        if tool.called {
            let label = theme::text("called", theme::regular(theme::LABEL), tokens.accent);
            ui.add(Label::new(label).selectable(false));
        }
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            ui.spacing_mut().item_spacing.x = theme::GAP;
            let color = if tool.called { tokens.accent } else { tokens.muted };
            paint::icon(ui, tool.tool.kind.icon(), theme::ICON, color);
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
                let font = theme::regular(theme::LABEL);
                ui.label(theme::text("no input schema", font, tokens.muted));
            }
            Some(schema) => {
                value_ui(ui, (schema.node, DraftSize::Line), context, |ui, _| {
                    ui.label(paint::values(schema, tokens, ui.available_width()));
                });
            }
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
        Frame::new().inner_margin(Margin { left: 22, ..Margin::ZERO }).show(ui, |ui| {
            let names = facts.facts.iter().map(|fact| {
                let font = theme::regular(theme::LABEL);
                ui.painter().layout_no_wrap(fact.name.clone(), font, tokens.muted).size().x
            });
            // One long name must not push all values to the right.
            let column = names.fold(0.0, f32::max).min(MAX_NAME_WIDTH) + 14.0;
            for fact in &facts.facts {
                fact_ui(ui, fact, column, context);
            }
            let Some(foot) = &facts.footer else { return };
            ui.horizontal_wrapped(|ui| {
                ui.spacing_mut().item_spacing.x = 4.0;
                ui.label(theme::text(&foot.text, theme::regular(theme::LABEL), tokens.muted));
                if widgets::link(ui, &foot.link_label).clicked() {
                    context.actions.push(foot.action.clone());
                }
            });
        });
    });
}

fn fact_ui(ui: &mut Ui, fact: &InspectorFact, column: f32, context: &mut SectionContext<'_>) {
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

fn fact_value_ui(ui: &mut Ui, fact: &InspectorFact, context: &mut SectionContext<'_>) {
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
