//! Paints the visible rows of the tree of values.

use egui::text::{LayoutJob, TextFormat};
use egui::{Key, Label, Layout, Response, Role, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};

use super::drafts::{DraftOutcome, ValueDrafts};
use super::edit::{DraftSize, DraftTarget, ValueDraft, name_of};
use super::edit_ui::pencil;
use super::inspector_data::{InspectorData, Ready};
use super::tree::{CursorMove, FoldState, ValueTree, ValueTreeRow, row_key, row_value};
use super::tree_edit_ui::{action_for_keys, foot_ui, menu, step};
use super::value_action::ValueAction;
use super::{paint, tree_edit_ui, turn_ui};
use document::Node;
use widgets::icons;
use widgets::theme::{self, TEXT_LINE, tokens};
use workbench::{Action, Actions};

/// Indentation of a level.
const INDENT_STEP: f32 = 16.0;
/// Values deeper than this are not indented further.
const MAX_INDENTED_DEPTH: u16 = 40;

/// Requests of the user in a row.
#[derive(Clone, Copy, Debug)]
enum TreeRequest {
    /// Move the cursor there.
    Select,
    /// Move the cursor there, and fold or unfold it.
    Toggle,
    /// Run an action on its value.
    Act(ValueAction),
    /// Finish its draft with this outcome.
    FinishDraft(DraftOutcome),
}

/// Paints the tree and handles its keys and edits.
pub(super) fn tree_ui(
    ui: &mut Ui,
    data: &InspectorData,
    ready: &Ready,
    tree: &mut ValueTree,
    drafts: &mut ValueDrafts,
    actions: &mut Actions,
) {
    let id = ui.scope_id().with("tree");
    tools_ui(ui, tree, data, actions);
    let is_new = |draft: &ValueDraft| draft.needs_focus && draft.size == DraftSize::Sheet;
    let has_opened = drafts.last_matching(data, is_new).is_some();
    if foot_ui(ui, data, drafts, actions) {
        ui.memory_mut(|memory| memory.request_focus(id));
    }
    let is_focused = ui.memory(|memory| memory.has_focus(id));
    let has_landed = drafts.take_applied_pointer().is_some_and(|pointer| tree.reveal(&pointer));
    // A field that opens below the tree may hide the row of the cursor.
    let mut has_moved = has_landed || has_opened;
    if is_focused {
        let node = tree.selected().map(Node::id).map(|node| ready.document.node(node));
        // Before the arrows that move the cursor: egui ignores additional Alt, and Alt+arrows move values.
        if let Some((node, action)) = node.and_then(|node| Some((node, action_for_keys(ui, node)?)))
        {
            drafts.start_action(action, node, data, ready, actions);
            // A field below the tree was not drawn in this frame yet.
            ui.request_repaint();
            has_moved = true;
        } else if let Some(step) = move_for_keys(ui) {
            tree.step(step);
            has_moved = true;
        }
    }
    let mut area = egui::ScrollArea::both().auto_shrink(false);
    if has_moved && let Some(offset) = reveal(ui, id, tree.cursor) {
        area = area.vertical_scroll_offset(offset);
    }
    ui.spacing_mut().item_spacing = vec2(6.0, 0.0);
    let output = area.show_rows(ui, TEXT_LINE, tree.rows.len(), |ui, range| {
        let mut request = None;
        for index in range {
            let has_cursor = index == tree.cursor;
            let row_context = TreeRowContext { data, ready, has_cursor, is_focused };
            let Some(row) = tree.rows.get(index).copied() else { break };
            let row_request = row_ui(ui, row, &row_context, drafts, actions);
            request = row_request.map(|request| (index, request)).or(request);
        }
        request
    });
    let rect = output.inner_rect;
    // The rows react to the pointer; the tree as a whole only to keys.
    let response = ui.interact(rect, id, Sense::focusable_noninteractive());
    response.widget_info(|| WidgetInfo::labeled(Role::Tree, true, "Values"));
    if let Some((index, request)) = output.inner
        && handle_request(tree, index, request, (data, ready), drafts, actions)
    {
        response.request_focus();
    }
    if output.inner.is_some() {
        ui.request_repaint();
    }
    if is_focused {
        // egui would move the focus with the arrows.
        let arrows = egui::EventFilter::default();
        let filter = egui::EventFilter { horizontal_arrows: true, vertical_arrows: true, ..arrows };
        ui.memory_mut(|memory| memory.set_focus_lock_filter(id, filter));
    }
    ui.data_mut(|memory| memory.insert_temp(id, output.state.clamped_offset().y));
}

/// Executes a request of a row. Returns whether the tree then has the keyboard focus.
fn handle_request(
    tree: &mut ValueTree,
    index: usize,
    request: TreeRequest,
    (data, ready): (&InspectorData, &Ready),
    drafts: &mut ValueDrafts,
    actions: &mut Actions,
) -> bool {
    let Some(row) = tree.rows.get(index).copied() else { return false };
    let was_there = tree.cursor == index;
    tree.set_cursor(index);
    match request {
        TreeRequest::Select => true,
        TreeRequest::Toggle => {
            // The first click on an open value only selects it, so that looking at it does not fold it.
            if was_there || row.fold == FoldState::Closed {
                tree.toggle(index);
            }
            true
        }
        TreeRequest::Act(action) => {
            drafts.start_action(action, ready.document.node(row.node), data, ready, actions);
            true
        }
        TreeRequest::FinishDraft(outcome) => {
            let goal = drafts.find_mut(data, row.node).map(|draft| draft.target.clone());
            let is_settled = goal.is_some_and(|goal| {
                drafts.handle_outcome(Some(row.node), &goal, outcome, data, actions)
            });
            if is_settled && let Some(next) = step(tree, outcome) {
                let node = ready.document.node(next);
                drafts.start_action(ValueAction::Edit, node, data, ready, actions);
            }
            // After a click elsewhere the focus is where the user put it.
            is_settled && outcome != DraftOutcome::LostFocus
        }
    }
}

/// Returns how far to scroll to make a row visible; `None` if it is visible.
fn reveal(ui: &Ui, id: egui::Id, row: usize) -> Option<f32> {
    let y = row as f32 * TEXT_LINE;
    let offset: f32 = ui.data(|memory| memory.get_temp(id)).unwrap_or_default();
    let height = ui.available_height();
    if y < offset {
        return Some(y);
    }
    (y + 2.0 * TEXT_LINE > offset + height).then_some(y + 2.0 * TEXT_LINE - height)
}

/// Context for painting a row.
struct TreeRowContext<'a> {
    data: &'a InspectorData,
    ready: &'a Ready,
    /// Whether the row has the cursor.
    has_cursor: bool,
    /// Whether the tree has the keyboard focus.
    is_focused: bool,
}

fn row_ui(
    ui: &mut Ui,
    row: ValueTreeRow,
    context: &TreeRowContext<'_>,
    drafts: &mut ValueDrafts,
    actions: &mut Actions,
) -> Option<TreeRequest> {
    let tokens = tokens(ui);
    let node = context.ready.document.node(row.node);
    let (key, value) = (row_key(node), row_value(node));
    let key_galley = ui.painter().layout_job(key_job(ui, node, &key));
    let value_galley = ui.painter().layout_job(value_job(ui, node, &value));
    let left = 12.0 + f32::from(row.depth.min(MAX_INDENTED_DEPTH)) * INDENT_STEP + 18.0;
    let visible_width = ui.available_width().max(ui.clip_rect().width());
    let text = left + key_galley.size().x + value_galley.size().x;
    let width = visible_width.max(text + theme::PADDING);
    let (rect, response) = ui.allocate_exact_size(vec2(width, TEXT_LINE), Sense::click());
    response.widget_info(|| {
        let name = match key.as_str() {
            "" => value.clone(),
            key => format!("{key}: {value}"),
        };
        WidgetInfo::labeled(Role::TreeItem, true, name)
    });
    let is_hovered = response.contains_pointer();
    let fill = match (context.has_cursor, is_hovered) {
        (true, _) if context.is_focused => Some(tokens.selected),
        (true, _) => Some(tokens.quiet),
        (false, true) => Some(tokens.hover),
        (false, false) => None,
    };
    if let Some(fill) = fill {
        ui.painter().rect_filled(rect, 0.0, fill);
    }
    if context.has_cursor && context.is_focused {
        let bar = egui::Rect::from_min_size(rect.min, vec2(3.0, rect.height()));
        ui.painter().rect_filled(bar, 0.0, tokens.accent);
    }
    fold_ui(ui, rect, left - 18.0, row.fold);
    let key_at = rect.left() + left;
    let value_at = key_at + key_galley.size().x;
    let draft =
        drafts.find_mut(context.data, row.node).filter(|draft| draft.size == DraftSize::Line);
    let goal = draft.as_ref().map(|draft| draft.target.clone());
    for (x, galley, target) in
        [(key_at, key_galley, DraftTarget::Key), (value_at, value_galley, DraftTarget::Value)]
    {
        if goal != Some(target) {
            let top = (rect.center().y - galley.size().y / 2.0).round();
            ui.painter().galley(pos2(x, top), galley, tokens.text);
        }
    }
    if let Some(draft) = draft {
        let outcome = tree_edit_ui::row_ui(ui, rect, key_at, value_at, draft);
        return (outcome != DraftOutcome::Open).then_some(TreeRequest::FinishDraft(outcome));
    }
    let mut request = None;
    widgets::context_menu(&response, |ui| {
        request = menu(ui, node, context.ready).map(TreeRequest::Act);
        turn_ui::copy_items(ui, row.node, context.data, context.ready, actions);
        if widgets::menu_action(ui, icons::TEXT, "Show this place in the text", None) {
            actions.push(Action::Reveal(context.data.id, node.span()));
        }
    });
    // Only where the pointer or the cursor is: a button in each row would make each a stop of the Tab key.
    let can_edit = ValueDrafts::can_edit(context.ready) && (is_hovered || context.has_cursor);
    if can_edit && goal.is_none() {
        let center = pos2(ui.clip_rect().right() - 18.0, rect.center().y);
        if pencil(ui, center, true, &format!("Edit {}", name_of(&node.pointer()))) {
            return Some(TreeRequest::Act(ValueAction::Edit));
        }
    }
    request.or_else(|| request_of_click(&response, row, value_at))
}

/// Returns the request of a click on a row: a second click on a key edits the key, on a value the value.
fn request_of_click(response: &Response, row: ValueTreeRow, value_at: f32) -> Option<TreeRequest> {
    let position = response.interact_pointer_pos();
    let is_on_key = position.is_some_and(|p| p.x < value_at);
    match row.fold {
        FoldState::Leaf if response.double_clicked() && is_on_key => {
            Some(TreeRequest::Act(ValueAction::Rename))
        }
        FoldState::Leaf if response.double_clicked() => Some(TreeRequest::Act(ValueAction::Edit)),
        _ if response.clicked() => Some(TreeRequest::Toggle),
        _ if response.secondary_clicked() => Some(TreeRequest::Select),
        _ => None,
    }
}

/// Paints the fold icon of a row.
fn fold_ui(ui: &Ui, rect: egui::Rect, left: f32, fold: FoldState) {
    let sign = match fold {
        FoldState::Leaf => return,
        FoldState::Closed => icons::CHEVRON_RIGHT,
        FoldState::Open => icons::CHEVRON_DOWN,
    };
    let center = pos2(rect.left() + left + 7.0, rect.center().y);
    widgets::paint_icon(ui.painter(), center, sign, theme::ICON_TAG, tokens(ui).muted);
}

fn key_job(ui: &Ui, node: Node<'_>, key: &str) -> LayoutJob {
    let tokens = tokens(ui);
    let text_format = |color| TextFormat::simple(theme::mono(theme::LABEL), color);
    let mut job = LayoutJob::default();
    if !key.is_empty() {
        let color = if node.key().is_some() { tokens.key } else { tokens.muted };
        job.append(key, 0.0, text_format(color));
        job.append(": ", 0.0, text_format(tokens.muted));
    }
    job
}

fn value_job(ui: &Ui, node: Node<'_>, value: &str) -> LayoutJob {
    let color = paint::value_color(node.kind(), tokens(ui));
    let mut job = LayoutJob::default();
    job.append(value, 0.0, TextFormat::simple(theme::mono(theme::LABEL), color));
    job
}

/// Paints the tool row above the tree: the place of the cursor, and the fold buttons.
fn tools_ui(ui: &mut Ui, tree: &mut ValueTree, data: &InspectorData, actions: &mut Actions) {
    let tokens = tokens(ui);
    let mut fold = None;
    let size = vec2(ui.available_width(), 32.0);
    ui.allocate_ui_with_layout(size, Layout::right_to_left(egui::Align::Center), |ui| {
        ui.add_space(12.0);
        if widgets::icon_button(ui, icons::CHEVRONS_DOWN_UP, "Fold all").clicked() {
            fold = Some(true);
        }
        if widgets::icon_button(ui, icons::CHEVRONS_UP_DOWN, "Unfold all").clicked() {
            fold = Some(false);
        }
        let Some(node) = tree.selected() else { return };
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
                pointer => document::text::visible(pointer).into_owned(),
            };
            let place = format!("{words}  ({kind})");
            let place = theme::text(place, theme::mono(theme::SMALL), tokens.muted);
            ui.add(Label::new(place).truncate());
        });
    });
    let y = ui.min_rect().bottom();
    ui.painter().hline(ui.max_rect().x_range(), y, Stroke::new(1.0, tokens.hair));
    if let Some(fold) = fold {
        tree.fold_all(fold);
    }
}

fn move_for_keys(ui: &Ui) -> Option<CursorMove> {
    const KEYS: [(Key, CursorMove); 6] = [
        (Key::ArrowUp, CursorMove::Up),
        (Key::ArrowDown, CursorMove::Down),
        (Key::ArrowLeft, CursorMove::Left),
        (Key::ArrowRight, CursorMove::Right),
        (Key::Home, CursorMove::Start),
        (Key::End, CursorMove::End),
    ];
    ui.input_mut(|input| {
        let entry = KEYS.iter().find(|(key, _)| input.consume_key(egui::Modifiers::NONE, *key));
        entry.map(|(_, step)| *step)
    })
}
