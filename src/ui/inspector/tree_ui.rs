//! Paints the tree of values: the visible rows and no others.

use egui::text::{LayoutJob, TextFormat};
use egui::{Key, Label, Layout, RichText, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};

use super::data::{InspectorData, Ready};
use super::tree::{Fold, Move, ValueTree, row_key, row_value};
use super::{paint, turn_ui};
use crate::format::Node;
use crate::ui::icons;
use crate::ui::theme::{self, TEXT_LINE, tokens};
use crate::ui::widgets;
use crate::workbench::Action;

/// How far a value stands in from the one around it.
const STEP: f32 = 16.0;
/// Values deeper than this stand in no further.
const DEEPEST: u16 = 40;

/// Paints the tree and lets the keyboard walk it.
pub(super) fn tree_ui(
    ui: &mut Ui,
    data: &InspectorData,
    ready: &Ready,
    tree: &mut ValueTree,
    actions: &mut Vec<Action>,
) {
    let tokens = tokens(ui);
    tools_ui(ui, tree, data, actions);
    let id = ui.scope_id().with("tree");
    let focused = ui.memory(|memory| memory.has_focus(id));
    let mut area = egui::ScrollArea::both().auto_shrink(false);
    if focused && let Some(step) = pressed(ui) {
        tree.step(step);
        let y = tree.cursor() as f32 * TEXT_LINE;
        let (height, last) = (ui.available_height(), scrolled(ui, id));
        if y < last {
            area = area.vertical_scroll_offset(y);
        } else if y + 2.0 * TEXT_LINE > last + height {
            area = area.vertical_scroll_offset(y + 2.0 * TEXT_LINE - height);
        }
    }
    ui.spacing_mut().item_spacing = vec2(6.0, 0.0);
    let output = area.show_rows(ui, TEXT_LINE, tree.rows().len(), |ui, range| {
        let mut pressed = None;
        for index in range {
            let Some(row) = tree.rows().get(index).copied() else {
                break;
            };
            let node = ready.document.node(row.node);
            let (key, value) = (row_key(node), row_value(node));
            let galley = ui.painter().layout_job(row_job(ui, node, &key, &value));
            let left = 12.0 + f32::from(row.depth.min(DEEPEST)) * STEP;
            let seen = ui.available_width().max(ui.clip_rect().width());
            let width = seen.max(left + 18.0 + galley.size().x + theme::PADDING);
            let (rect, response) = ui.allocate_exact_size(vec2(width, TEXT_LINE), Sense::click());
            response.widget_info(|| {
                let name = match key.as_str() {
                    "" => value.clone(),
                    key => format!("{key}: {value}"),
                };
                WidgetInfo::labeled(egui::accesskit::Role::TreeItem, true, name)
            });
            let fill = match (index == tree.cursor(), response.hovered()) {
                (true, _) if focused => Some(tokens.selected),
                (true, _) => Some(tokens.quiet),
                (false, true) => Some(tokens.hover),
                (false, false) => None,
            };
            if let Some(fill) = fill {
                ui.painter().rect_filled(rect, 0.0, fill);
            }
            if index == tree.cursor() && focused {
                let bar = egui::Rect::from_min_size(rect.min, vec2(3.0, rect.height()));
                ui.painter().rect_filled(bar, 0.0, tokens.accent);
            }
            fold_ui(ui, rect, left, row.fold);
            let top = (rect.center().y - galley.size().y / 2.0).round();
            let at = pos2(rect.left() + left + 18.0, top);
            ui.painter().galley(at, galley, tokens.text);
            widgets::context_menu(&response, |ui| {
                turn_ui::copy_items(ui, row.node, data, ready, actions);
                if widgets::menu_item(ui, icons::TEXT, "Show this place in the text", &[], None)
                    .clicked()
                {
                    actions.push(Action::Reveal(data.id, node.span()));
                    ui.close();
                }
            });
            if response.clicked() || response.secondary_clicked() {
                pressed = Some((index, response.clicked()));
            }
        }
        if let Some((index, toggle)) = pressed {
            let again = tree.cursor() == index
                || tree
                    .rows()
                    .get(index)
                    .is_some_and(|row| row.fold == Fold::Closed);
            tree.set_cursor(index);
            if toggle && again {
                tree.toggle(index);
            }
            return true;
        }
        false
    });
    let rect = output.inner_rect;
    let response = ui.interact(rect, id, Sense::focusable_noninteractive());
    response.widget_info(|| WidgetInfo::labeled(egui::accesskit::Role::Tree, true, "Values"));
    if output.inner {
        response.request_focus();
    }
    if focused {
        let filter = egui::EventFilter {
            horizontal_arrows: true,
            vertical_arrows: true,
            ..egui::EventFilter::default()
        };
        ui.memory_mut(|memory| memory.set_focus_lock_filter(id, filter));
    }
    ui.data_mut(|memory| memory.insert_temp(id, output.state.clamped_offset().y));
}

fn scrolled(ui: &Ui, id: egui::Id) -> f32 {
    ui.data(|memory| memory.get_temp(id)).unwrap_or_default()
}

/// The sign that tells whether a row can be unfolded.
fn fold_ui(ui: &Ui, rect: egui::Rect, left: f32, fold: Fold) {
    let sign = match fold {
        Fold::Leaf => return,
        Fold::Closed => icons::CHEVRON_RIGHT,
        Fold::Open => icons::CHEVRON_DOWN,
    };
    let center = pos2(rect.left() + left + 7.0, rect.center().y);
    widgets::paint_icon(
        ui.painter(),
        center,
        sign,
        theme::ICON_TAG,
        tokens(ui).muted,
    );
}

fn row_job(ui: &Ui, node: Node<'_>, key: &str, value: &str) -> LayoutJob {
    let tokens = tokens(ui);
    let font = theme::mono(theme::LABEL);
    let plain = |color| TextFormat::simple(font.clone(), color);
    let mut job = LayoutJob::default();
    if !key.is_empty() {
        let color = if node.key().is_some() {
            tokens.key
        } else {
            tokens.muted
        };
        job.append(key, 0.0, plain(color));
        job.append(": ", 0.0, plain(tokens.muted));
    }
    job.append(value, 0.0, plain(paint::value_color(node.kind(), tokens)));
    job
}

/// What stands above the tree: the place of the cursor, and folding.
fn tools_ui(ui: &mut Ui, tree: &mut ValueTree, data: &InspectorData, actions: &mut Vec<Action>) {
    let tokens = tokens(ui);
    let mut fold = None;
    let size = vec2(ui.available_width(), 32.0);
    ui.allocate_ui_with_layout(size, Layout::right_to_left(egui::Align::Center), |ui| {
        ui.add_space(12.0);
        if widgets::icon_button(ui, icons::CHEVRONS_DOWN_UP, "Fold all").clicked() {
            fold = Some(Fold::Closed);
        }
        if widgets::icon_button(ui, icons::CHEVRONS_UP_DOWN, "Unfold all").clicked() {
            fold = Some(Fold::Open);
        }
        let Some(node) = tree.selected() else {
            return;
        };
        let pointer = node.pointer();
        if widgets::icon_button(ui, icons::COPY, "Copy JSON Pointer").clicked() {
            actions.push(Action::Copy(pointer.clone()));
        }
        let (span, kind) = (node.span(), node.kind().name());
        if widgets::icon_button(ui, icons::TEXT, "Show this place in the text").clicked() {
            actions.push(Action::Reveal(data.id, span));
        }
        ui.with_layout(Layout::left_to_right(egui::Align::Center), |ui| {
            ui.add_space(theme::PADDING);
            let words = match pointer.as_str() {
                "" => "whole file".to_owned(),
                pointer => crate::text::visible(pointer).into_owned(),
            };
            let words = RichText::new(format!("{words}  ({kind})")).font(theme::mono(theme::SMALL));
            ui.add(Label::new(words.color(tokens.muted)).truncate());
        });
    });
    let y = ui.min_rect().bottom();
    ui.painter()
        .hline(ui.max_rect().x_range(), y, Stroke::new(1.0, tokens.hair));
    if let Some(fold) = fold {
        tree.fold_all(fold);
    }
}

fn pressed(ui: &Ui) -> Option<Move> {
    const KEYS: [(Key, Move); 6] = [
        (Key::ArrowUp, Move::Up),
        (Key::ArrowDown, Move::Down),
        (Key::ArrowLeft, Move::Left),
        (Key::ArrowRight, Move::Right),
        (Key::Home, Move::Start),
        (Key::End, Move::End),
    ];
    ui.input_mut(|input| {
        let pressed = KEYS
            .iter()
            .find(|(key, _)| input.consume_key(egui::Modifiers::NONE, *key));
        pressed.map(|(_, step)| *step)
    })
}
