//! Paints messages, answers, tool calls, and rows of lists.

use egui::{Align, CornerRadius, Frame, Label, Layout, Margin, Role, Sense, Ui, vec2};

use super::content::{BodyLayers, RowState, RowText, SectionPart, SectionRow, ToolCallPart, Turn};
use super::copy::CopyAs;
use super::drafts::DraftFields;
use super::media_ui::media_ui;
use super::paint;
use super::prose::Prose;
use super::sections_ui::SectionContext;
use super::value_ui::{edit_item, edited_ui, pencil_ui, value_ui, values_ui};
use document::NodeId;
use widgets::icons;
use widgets::markdown::markdown_ui;
use widgets::theme::{self, Tone};
use workbench::{Action, Actions, DraftSize, ValueDraft};

/// Paints a turn of a conversation.
pub(super) fn turn_ui(ui: &mut Ui, turn: &Turn, context: &mut SectionContext<'_>) {
    paint::framed(ui, |ui| {
        if !turn.heading.title.is_empty() {
            let spot = turn.parts.iter().find_map(|part| match part {
                SectionPart::Media(spot) => Some(spot.is_answer),
                _ => None,
            });
            let size = spot.and_then(|is_answer| context.state.media.picture_size(is_answer));
            turn_heading_ui(ui, turn, context, |ui| {
                if let Some(size) = size {
                    widgets::remark(ui, &size);
                }
            });
        }
        widgets::indented(ui, |ui| parts_ui(ui, &turn.parts, context));
    });
}

/// Paints a row of a list: one line, and its parts below it.
pub(super) fn row_ui(ui: &mut Ui, row: &SectionRow, context: &mut SectionContext<'_>) {
    let tokens = context.tokens;
    paint::region(ui, Margin::symmetric(16, 6), |ui| {
        widgets::row_from_right(ui, 20.0, |ui| {
            right_ui(ui, &row.right, context);
            widgets::at_left(ui, |ui| {
                let lead = theme::text(&row.lead, theme::mono(theme::SMALL), tokens.muted);
                let (rect, _) = ui.allocate_exact_size(vec2(24.0, 20.0), Sense::hover());
                ui.put(rect, Label::new(lead).selectable(false));
                if let Some(state) = row.state {
                    let (sign, tone) = verdict_look(state);
                    widgets::icon(ui, sign, theme::ICON, tokens.tone(tone));
                }
                title_ui(ui, row, context);
            });
        });
        // Larger fields have no room within the line above.
        for row_text in std::iter::once(&row.title).chain(&row.right) {
            edited_ui(ui, row_text.node, Some(DraftSize::Sheet), context);
        }
        if !row.parts.is_empty() {
            Frame::new().inner_margin(Margin { left: 30, ..Margin::ZERO }).show(ui, |ui| {
                parts_ui(ui, &row.parts, context);
            });
        }
    });
}

/// Width of the field of a short value at the right of a row.
const SHORT_FIELD_WIDTH: f32 = 150.0;

fn title_ui(ui: &mut Ui, row: &SectionRow, context: &mut SectionContext<'_>) {
    let node = row.title.node;
    if edited_ui(ui, node, Some(DraftSize::Line), context) {
        return;
    }
    let title = theme::text(&row.title.text, theme::mono(theme::LABEL), context.tokens.text_strong);
    let title = ui.add(Label::new(title).truncate());
    let mut position = title.rect.right_center() + vec2(14.0, 0.0);
    // A title that is cut would push the button out of the row.
    position.x = position.x.min(ui.max_rect().right() - 10.0);
    let is_hovered = ui.rect_contains_pointer(title.rect.with_max_x(position.x + 10.0));
    value_menu(&title, Some(row.node), node, context);
    pencil_ui(ui, position, is_hovered, (node, DraftSize::Line), context);
}

/// Paints the texts at the right of a row, from the right edge.
fn right_ui(ui: &mut Ui, right: &[RowText], context: &mut SectionContext<'_>) {
    let tokens = context.tokens;
    let small_label = |text: &str| {
        Label::new(theme::text(text, theme::mono(theme::SMALL), tokens.muted)).truncate()
    };
    let texts = right.iter().filter(|row_text| !row_text.text.is_empty());
    let mut pencils = Vec::new();
    ui.spacing_mut().item_spacing.x = 0.0;
    for (index, row_text) in texts.rev().enumerate() {
        if index > 0 {
            ui.add_space(8.0);
            ui.add(small_label("·"));
            ui.add_space(8.0);
        }
        let drafts = &mut context.state.drafts;
        let is_line = |draft: &mut ValueDraft| draft.size == DraftSize::Line;
        if row_text.node.and_then(|node| drafts.find_mut(context.data, node)).is_some_and(is_line) {
            let size = vec2(SHORT_FIELD_WIDTH.min(ui.available_width()), 20.0);
            ui.allocate_ui_with_layout(size, Layout::left_to_right(Align::Center), |ui| {
                edited_ui(ui, row_text.node, None, context);
            });
            continue;
        }
        let response = ui.add(small_label(&row_text.text));
        let position = response.rect.left_center() - vec2(12.0, 0.0);
        let is_hovered = ui.rect_contains_pointer(response.rect.with_min_x(position.x - 10.0));
        value_menu(&response, None, row_text.node, context);
        pencils.push((position, is_hovered, row_text.node));
    }
    // Last, because the buttons overlap the texts further left.
    for (position, is_hovered, node) in pencils {
        pencil_ui(ui, position, is_hovered, (node, DraftSize::Line), context);
    }
    ui.spacing_mut().item_spacing.x = theme::ICON_GAP;
}

/// Paints the result of a check: failures are prominent, passes are muted.
fn verdict_ui(ui: &mut Ui, verdict: RowState, finding: &str) {
    let tokens = theme::tokens(ui);
    let (sign, tone) = verdict_look(verdict);
    let color = if tone == Tone::Good { tokens.muted } else { tokens.tone(tone) };
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = theme::ICON_GAP;
        widgets::icon(ui, sign, theme::ICON_TAG, tokens.tone(tone));
        ui.add(Label::new(theme::text(finding, theme::regular(theme::LABEL), color)).wrap());
    });
}

/// Paints a bar for each event, as high as the event is long.
fn events_ui(ui: &mut Ui, lengths: &[usize]) {
    let (rect, response) = widgets::allocate_row(ui, 16.0, Sense::hover());
    widgets::describe(&response, Role::Image, &format!("Lengths of {} events", lengths.len()));
    let heights: Vec<f32> = lengths.iter().map(|length| *length as f32).collect();
    widgets::paint_bars(ui, rect, &heights, (3.0, 8.4), (theme::tokens(ui).accent, false));
}

/// Paints the layers of a body as one line, and the link that edits what is in them.
fn layers_ui(ui: &mut Ui, layers: &BodyLayers, context: &mut SectionContext<'_>) {
    widgets::row_from_right(ui, theme::TEXT_LINE, |ui| {
        let can_edit = layers.is_text && DraftFields::can_edit(context.ready);
        if can_edit && widgets::link(ui, "Edit decoded").clicked() {
            context.state.drafts.edit_body(layers, context.data, context.ready);
        }
        widgets::at_left(ui, |ui| {
            ui.spacing_mut().item_spacing.x = theme::ICON_GAP;
            widgets::icon(ui, icons::LAYERS, theme::ICON_TAG, context.tokens.muted);
            let mut names = layers.names.clone();
            let medium = context.state.media.only_answer().filter(|_| layers.is_of_answer);
            names.extend(medium.into_iter().flat_map(|m| ["base64", m.format.name()]));
            let size = medium.map(|medium| medium.bytes).or(layers.bytes);
            let size = size.map(|size| format!(", {}", document::text::bytes(size as u64)));
            let line = names.join(" › ") + &size.unwrap_or_default();
            let line = theme::text(line, theme::regular(theme::LABEL), context.tokens.muted);
            ui.add(Label::new(line).truncate());
        });
    });
}

fn verdict_look(state: RowState) -> (&'static str, Tone) {
    match state {
        RowState::Good => (icons::CIRCLE_CHECK, Tone::Good),
        RowState::Bad => (icons::CIRCLE_X, Tone::Error),
        RowState::Doubtful => (icons::TRIANGLE_ALERT, Tone::Warning),
    }
}

/// Paints the heading of a turn, which leads to its place in the text; what else is known of it is shown on hover.
pub(super) fn turn_heading_ui(
    ui: &mut Ui,
    turn: &Turn,
    context: &mut SectionContext<'_>,
    add: impl FnOnce(&mut Ui),
) {
    let title = paint::heading(ui, &turn.heading, (turn.is_main, ""), add);
    let mut facts = vec![&*turn.heading.note, &*turn.right];
    facts.retain(|fact| !fact.is_empty());
    let title = if facts.is_empty() { title } else { title.on_hover_text(facts.join("\n")) };
    let Some(node) = turn.node else { return };
    let place = ui.interact(title.rect, title.id.with("place"), Sense::click());
    let name = format!("Show the place of {}", turn.heading.title);
    widgets::describe(&place, Role::Link, &name);
    if place.has_focus() {
        widgets::focus_ring_inside(ui, place.rect, theme::RADIUS_KEY);
    }
    if place.on_hover_cursor(egui::CursorIcon::PointingHand).clicked() {
        let span = context.ready.document.node(node).span();
        context.actions.push(Action::Reveal(context.data.id, span));
    }
    copy_menu(&title, node, context);
}

/// Adds the context menu of a value: copy, pointer, place.
pub(super) fn copy_menu(response: &egui::Response, node: NodeId, context: &mut SectionContext<'_>) {
    value_menu(response, Some(node), None, context);
}

/// Adds the context menu with an edit entry for `value`, which may differ from the copied value.
fn value_menu(
    response: &egui::Response,
    copy_node: Option<NodeId>,
    value: Option<NodeId>,
    context: &mut SectionContext<'_>,
) {
    let Some(copy_node) = copy_node.or(value) else { return };
    widgets::context_menu(response, |ui| {
        if let Some(value) = value {
            edit_item(ui, value, context);
        }
        copy_items(ui, copy_node, context.data, context.ready, context.actions);
    });
}

/// Adds the "Copy as" entries for a value.
pub(super) fn copy_items(
    ui: &mut Ui,
    node: NodeId,
    data: &super::inspector_data::InspectorData,
    ready: &super::inspector_data::Ready,
    actions: &mut Actions,
) {
    for form in CopyAs::ALL {
        if widgets::menu_action(ui, icons::COPY, &format!("Copy as {}", form.name()), None) {
            let document = &ready.document;
            actions.push(Action::Copy(form.text(document, document.node(node), &data.path)));
        }
    }
}

pub(super) fn parts_ui(ui: &mut Ui, parts: &[SectionPart], context: &mut SectionContext<'_>) {
    let tokens = context.tokens;
    // A line with an icon is as tall as a line without.
    ui.spacing_mut().interact_size.y = 16.0;
    for (number, part) in parts.iter().enumerate() {
        let key = (context.index, number);
        match part {
            SectionPart::Prose(prose) => {
                value_ui(ui, (prose.node, DraftSize::Sheet), context, |ui, context| {
                    prose_ui(ui, prose, key, context);
                });
            }
            SectionPart::Json(prose, values) => {
                value_ui(ui, (prose.node, DraftSize::Sheet), context, |ui, context| {
                    if context.state.as_written {
                        prose_ui(ui, prose, key, context);
                    } else {
                        ui.label(paint::values(values, tokens, ui.available_width()));
                    }
                });
            }
            SectionPart::Verdict(verdict, finding) => verdict_ui(ui, *verdict, finding),
            SectionPart::Layers(layers) => layers_ui(ui, layers, context),
            SectionPart::Events(lengths) => events_ui(ui, lengths),
            SectionPart::Media(spot) => media_ui(ui, *spot, &mut context.state.media),
            SectionPart::Data(data) => {
                paint::card(ui, |ui| {
                    Frame::new().inner_margin(Margin::symmetric(12, 6)).show(ui, |ui| {
                        ui.set_width(ui.available_width());
                        widgets::data(ui, data);
                    });
                });
            }
            SectionPart::Remark(remark) => {
                widgets::remark(ui, remark);
            }
            SectionPart::Call(call) => call_ui(ui, call, context),
            SectionPart::Value(caption, values) => {
                if !caption.is_empty() {
                    widgets::remark(ui, caption);
                }
                values_ui(ui, values, context);
            }
        }
    }
}

pub(super) fn prose_ui(
    ui: &mut Ui,
    prose: &Prose,
    key: (usize, usize),
    context: &mut SectionContext<'_>,
) {
    let SectionContext { tokens, state, actions, .. } = context;
    let is_unfolded = !prose.is_folded() || state.open.contains(&key);
    let text = if is_unfolded { &prose.text } else { prose.beginning() };
    if state.as_written {
        ui.label(theme::text(text, theme::mono(theme::LABEL), tokens.text).line_height(Some(18.0)));
    } else {
        actions.extend(markdown_ui(ui, &state.markdown(key, is_unfolded, text)).map(Action::Copy));
    }
    if prose.is_folded() {
        let words = match (is_unfolded, prose.lines) {
            (true, _) => "Show less".to_owned(),
            (false, 1) => "Show all".to_owned(),
            (false, lines) => format!("Show all {} lines", document::text::thousands(lines)),
        };
        let sign = if is_unfolded { icons::FOLD_VERTICAL } else { icons::UNFOLD_VERTICAL };
        if widgets::icon_link(ui, sign, &words).clicked() {
            state.toggle(key);
        }
    }
    if is_unfolded && prose.is_truncated {
        let remark = "Only the beginning is shown here; the Text tab shows the whole text.";
        widgets::remark(ui, remark);
    }
}

fn call_ui(ui: &mut Ui, call: &ToolCallPart, context: &mut SectionContext<'_>) {
    let tokens = context.tokens;
    ui.add_space(2.0);
    paint::card(ui, |ui| {
        ui.set_width(ui.available_width());
        let corners = CornerRadius { nw: 8, ne: 8, sw: 0, se: 0 };
        let head = Frame::new()
            .fill(tokens.tint)
            .corner_radius(corners)
            .inner_margin(Margin::symmetric(12, 4));
        head.show(ui, |ui| {
            ui.set_width(ui.available_width());
            ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = theme::GAP;
                widgets::icon(ui, call.tool.kind.icon(), theme::ICON, tokens.accent);
                let name = paint::tool_name(&call.tool, tokens, ui.available_width());
                let name = ui.label(name);
                copy_menu(&name, call.node, context);
                if !call.id.is_empty() {
                    name.on_hover_ui(|ui| {
                        widgets::data(ui, &call.id);
                    });
                }
            });
        });
        widgets::dialog::divider(ui);
        Frame::new().inner_margin(Margin::symmetric(12, 6)).show(ui, |ui| {
            if call.input.lines.is_empty() {
                widgets::remark(ui, "no input");
            } else {
                values_ui(ui, &call.input, context);
            }
        });
    });
}
