//! Paints the visible rows of the tree of values.

use egui::{Key, Label, Rangef, Response, Role, Sense, Ui, pos2, vec2};

use super::drafts::{DraftFields, DraftOutcome};
use super::edit_ui::pencil;
use super::inspector_data::{InspectorData, Ready};
use super::tree::{CursorMove, FoldState, ValueTree, ValueTreeRow, row_key, row_value};
use super::tree_edit_ui::{action_for_keys, foot_ui, menu, step};
use super::value_action::ValueAction;
use super::{paint, tree_edit_ui, turn_ui};
use document::{Node, NodeId};
use widgets::theme::{self, TEXT_LINE, tokens};
use widgets::{Line, Row, RowSelection, RowShape, StyledText, icons};
use workbench::{Action, Actions, DraftSize, DraftTarget, ValueDraft, value_name};

/// Indentation of a level.
const INDENT_STEP: f32 = 16.0;
/// Width of the fold icon of a row.
const FOLD_WIDTH: f32 = 18.0;
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

/// Item whose values are shown, and what changes with them.
pub(super) struct TreeContext<'a> {
    pub(super) data: &'a InspectorData,
    pub(super) ready: &'a Ready,
    pub(super) drafts: &'a mut DraftFields,
    pub(super) actions: &'a mut Actions,
}

impl TreeContext<'_> {
    fn start(&mut self, action: ValueAction, node: NodeId) {
        let node = self.ready.document.node(node);
        self.drafts.start_action(action, node, self.data, self.ready, self.actions);
    }
}

/// Paints the tree and handles its keys and edits.
pub(super) fn tree_ui(ui: &mut Ui, tree: &mut ValueTree, context: &mut TreeContext<'_>) {
    let id = ui.scope_id().with("tree");
    tools_ui(ui, tree, context.data, context.actions);
    let is_new = |draft: &ValueDraft| draft.needs_focus && draft.size == DraftSize::Sheet;
    let has_opened = context.drafts.last_matching(context.data, is_new).is_some();
    if foot_ui(ui, context) {
        ui.memory_mut(|memory| memory.request_focus(id));
    }
    let is_focused = ui.memory(|memory| memory.has_focus(id));
    let applied_pointer = context.drafts.take_applied_pointer();
    let has_landed = applied_pointer.is_some_and(|pointer| tree.reveal(&pointer));
    // A field that opens below the tree may hide the row of the cursor.
    let mut has_moved = has_landed || has_opened;
    if is_focused {
        let node = tree.selected().map(Node::id);
        // Before the arrows that move the cursor: egui ignores additional Alt, and Alt+arrows move values.
        let action = node.and_then(|id| action_for_keys(ui, context.ready.document.node(id)));
        if let Some((node, action)) = node.zip(action) {
            context.start(action, node);
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
            let Some(row) = tree.rows.get(index).copied() else { break };
            let row_request = row_ui(ui, row, (index == tree.cursor, is_focused), context);
            request = row_request.map(|request| (index, request)).or(request);
        }
        request
    });
    // The rows react to the pointer; the tree as a whole only to keys.
    let response = ui.interact(output.inner_rect, id, Sense::focusable_noninteractive());
    widgets::describe(&response, Role::Tree, "Values");
    if let Some((index, request)) = output.inner {
        if handle_request(tree, index, request, context) {
            response.request_focus();
        }
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
    context: &mut TreeContext<'_>,
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
            context.start(action, row.node);
            true
        }
        TreeRequest::FinishDraft(outcome) => {
            let TreeContext { data, drafts, actions, .. } = context;
            let target = drafts.find_mut(data, row.node).map(|draft| draft.target.clone());
            let is_settled = target.is_some_and(|target| {
                drafts.handle_outcome(Some(row.node), &target, outcome, data, actions)
            });
            if is_settled && let Some(next) = step(tree, outcome) {
                context.start(ValueAction::Edit, next);
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

/// A row of the tree.
const TREE_ROW: RowShape = RowShape { height: TEXT_LINE, lines: &[10.0], ..RowShape::ONE_LINE };

/// Paints a row, with the field of its draft. Returns what the user does with it.
fn row_ui(
    ui: &mut Ui,
    row: ValueTreeRow,
    (has_cursor, is_focused): (bool, bool),
    context: &mut TreeContext<'_>,
) -> Option<TreeRequest> {
    let (data, ready) = (context.data, context.ready);
    let node = ready.document.node(row.node);
    let (key, value) = (row_key(node), row_value(node));
    let indent = f32::from(row.depth.min(MAX_INDENTED_DEPTH)) * INDENT_STEP;
    let shape = RowShape { margins: (12.0 + indent, 0.0), ..TREE_ROW };
    let [key_text, value_text] = texts(ui, node, &key, &value);
    let [key_width, value_width] =
        [&key_text, &value_text].map(|text| text.clone().galley(ui, f32::INFINITY).size().x);
    let visible_width = ui.available_width().max(ui.clip_rect().width());
    let left = shape.margins.0 + FOLD_WIDTH;
    let width = visible_width.max(left + key_width + value_width + theme::PADDING);
    let (rect, response) = ui.allocate_exact_size(vec2(width, TEXT_LINE), Sense::click());
    let is_hovered = response.contains_pointer();
    let key_at = rect.left() + left;
    let value_at = key_at + key_width;
    let drafts = &mut *context.drafts;
    let draft = drafts.find_mut(data, row.node).filter(|draft| draft.size == DraftSize::Line);
    let target = draft.as_ref().map(|draft| draft.target.clone());
    let chevron = match row.fold {
        FoldState::Leaf => "",
        FoldState::Closed => icons::CHEVRON_RIGHT,
        FoldState::Open => icons::CHEVRON_DOWN,
    };
    let shown_key = if target == Some(DraftTarget::Key) { StyledText::new() } else { key_text };
    let name = if key.is_empty() { value } else { format!("{key}: {value}") };
    let mut content = Row::new(&*name)
        .selection(match (has_cursor, is_focused) {
            (true, true) => RowSelection::Selected,
            (true, false) => RowSelection::SelectedAway,
            (false, _) => RowSelection::None,
        })
        .line(Line::from(shown_key).icon(chevron, tokens(ui).muted).indent(FOLD_WIDTH));
    if target != Some(DraftTarget::Value) {
        content = content.cell(Rangef::new(value_at, rect.right())).line(value_text);
    }
    let response = content.show_as(ui, &shape, rect, response);
    widgets::describe(&response, Role::TreeItem, &name);
    if let Some(draft) = draft {
        let outcome = tree_edit_ui::row_ui(ui, rect, (key_at, value_at), draft);
        return (outcome != DraftOutcome::Open).then_some(TreeRequest::FinishDraft(outcome));
    }
    let mut request = None;
    widgets::context_menu(&response, |ui| {
        request = menu(ui, node, ready).map(TreeRequest::Act);
        turn_ui::copy_items(ui, row.node, data, ready, context.actions);
        if widgets::menu_action(ui, icons::TEXT, "Show this place in the text", None) {
            context.actions.push(Action::Reveal(data.id, node.span()));
        }
    });
    // Only where the pointer or the cursor is: a button in each row would make each a stop of the Tab key.
    if DraftFields::can_edit(ready) && (is_hovered || has_cursor) {
        let center = pos2(ui.clip_rect().right() - 18.0, rect.center().y);
        if pencil(ui, center, true, &format!("Edit {}", value_name(&node.pointer()))) {
            return Some(TreeRequest::Act(ValueAction::Edit));
        }
    }
    request.or_else(|| request_of_click(&response, row, value_at))
}

/// Returns the texts of a key and of a value.
fn texts(ui: &Ui, node: Node<'_>, key: &str, value: &str) -> [StyledText; 2] {
    let (tokens, font) = (tokens(ui), || theme::mono(theme::LABEL));
    let key_color = if node.key().is_some() { tokens.key } else { tokens.muted };
    let colon = if key.is_empty() { "" } else { ": " };
    let key = StyledText::new().with(key, font(), key_color).with(colon, font(), tokens.muted);
    let value_color = paint::value_color(node.kind(), tokens);
    [key, StyledText::new().with(value, font(), value_color)]
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

/// Paints the tool row above the tree: the place of the cursor, and the fold buttons.
fn tools_ui(ui: &mut Ui, tree: &mut ValueTree, data: &InspectorData, actions: &mut Actions) {
    let muted = tokens(ui).muted;
    let mut fold = None;
    widgets::row_from_right(ui, 32.0, |ui| {
        ui.add_space(12.0);
        for (icon, name, is_folded) in [
            (icons::CHEVRONS_DOWN_UP, "Fold all", true),
            (icons::CHEVRONS_UP_DOWN, "Unfold all", false),
        ] {
            if widgets::icon_button(ui, icon, name).clicked() {
                fold = Some(is_folded);
            }
        }
        let Some(node) = tree.selected() else { return };
        let pointer = node.pointer();
        let copy = widgets::icon_button(ui, icons::COPY, "Copy JSON Pointer");
        widgets::on_click(&copy, Action::Copy(pointer.clone()), actions);
        let show = widgets::icon_button(ui, icons::TEXT, "Show this place in the text");
        widgets::on_click(&show, Action::Reveal(data.id, node.span()), actions);
        widgets::at_left(ui, |ui| {
            ui.add_space(theme::PADDING);
            let words = match pointer.as_str() {
                "" => "whole file".into(),
                pointer => document::text::visible(pointer),
            };
            let place = format!("{words}  ({})", node.kind().name());
            ui.add(Label::new(theme::text(place, theme::mono(theme::SMALL), muted)).truncate());
        });
    });
    widgets::line_below(ui, ui.max_rect().with_max_y(ui.min_rect().bottom()));
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
    let is_pressed = |(key, _): &&(Key, CursorMove)| {
        ui.input_mut(|input| input.consume_key(egui::Modifiers::NONE, *key))
    };
    KEYS.iter().find(is_pressed).map(|(_, step)| *step)
}
