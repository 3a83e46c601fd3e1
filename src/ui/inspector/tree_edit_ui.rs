//! Editing in the tree of values: keys, menu entries, and the fields in a row and below the tree.

use egui::{Frame, Key, Margin, Modifiers, Rect, Ui, pos2};

use super::drafts::{DraftFields, DraftOutcome};
use super::edit_ui::{line_ui, sheet_ui};
use super::inspector_data::Ready;
use super::tree::{CursorMove, FoldState, ValueTree};
use super::tree_ui::TreeContext;
use super::value_action::ValueAction;
use document::{Node, NodeId};
use widgets::icons;
use widgets::theme::{self, tokens};
use workbench::{DraftSize, DraftTarget, ValueDraft};

/// Minimum width of a field in a row.
const MIN_FIELD_WIDTH: f32 = 140.0;

/// The keys of the actions. Of two actions with the same key, the available one runs.
const KEYS: [(Modifiers, Key, ValueAction); 9] = [
    // Before the same key without Shift, which would match, too.
    (Modifiers::SHIFT, Key::F2, ValueAction::Rename),
    (Modifiers::NONE, Key::F2, ValueAction::Edit),
    (Modifiers::NONE, Key::Enter, ValueAction::Edit),
    (Modifiers::NONE, Key::Insert, ValueAction::InsertAfter),
    (Modifiers::NONE, Key::Insert, ValueAction::Add),
    (Modifiers::COMMAND.plus(Modifiers::SHIFT), Key::D, ValueAction::Duplicate),
    (Modifiers::ALT, Key::ArrowUp, ValueAction::MoveUp),
    (Modifiers::ALT, Key::ArrowDown, ValueAction::MoveDown),
    (Modifiers::NONE, Key::Delete, ValueAction::Remove),
];

/// Returns the action for the pressed keys.
pub(super) fn action_for_keys(ui: &Ui, node: Node<'_>) -> Option<ValueAction> {
    let actions = ValueAction::available_for(node);
    let mut keys = KEYS.iter().filter(|(_, _, action)| actions.contains(action));
    let is_pressed = |(modifiers, key, _): &&(Modifiers, Key, ValueAction)| {
        ui.input_mut(|input| input.consume_key(*modifiers, *key))
    };
    keys.find(is_pressed).map(|(_, _, action)| *action)
}

/// Adds the menu entries that change a value. Returns the chosen one.
pub(super) fn menu(ui: &mut Ui, node: Node<'_>, ready: &Ready) -> Option<ValueAction> {
    let mut choice = None;
    let fault = (!DraftFields::can_edit(ready)).then_some("the file is not UTF-8 text");
    for action in ValueAction::available_for(node) {
        let caps: Vec<String> = action.caps(node).iter().map(|&cap| cap.to_owned()).collect();
        let reason = fault.or_else(|| action.disabled_reason(node));
        if widgets::menu_item(ui, icon(action), action.name(node), &caps, reason).clicked() {
            choice = Some(action);
            ui.close();
        }
    }
    choice
}

fn icon(action: ValueAction) -> &'static str {
    match action {
        ValueAction::Edit => icons::PENCIL,
        ValueAction::Rename => icons::TAG,
        ValueAction::InsertBefore | ValueAction::InsertAfter | ValueAction::Add => icons::PLUS,
        ValueAction::Duplicate => icons::LAYERS,
        ValueAction::MoveUp => icons::ARROW_UP,
        ValueAction::MoveDown => icons::ARROW_DOWN,
        ValueAction::Remove => icons::TRASH_2,
    }
}

/// Paints the field of a row that is being edited, whose key and value begin at these places.
pub(super) fn row_ui(
    ui: &mut Ui,
    row: Rect,
    (key, value): (f32, f32),
    draft: &mut ValueDraft,
) -> DraftOutcome {
    let right = ui.clip_rect().right().min(row.right()) - 8.0;
    let (left, right) = match draft.target {
        DraftTarget::Key => (key, value.max(key + MIN_FIELD_WIDTH)),
        _ => (value, right.max(value + MIN_FIELD_WIDTH)),
    };
    // The text does not move: the field begins left of it by its own padding.
    let rect = Rect::from_min_max(pos2(left - 4.0, row.top()), pos2(right, row.bottom()));
    line_ui(ui, rect, draft)
}

/// Paints drafts that need more space than a row below the tree. Returns whether one was applied or discarded and the tree gets the focus.
pub(super) fn foot_ui(ui: &mut Ui, context: &mut TreeContext<'_>) -> bool {
    let TreeContext { data, drafts, actions, .. } = context;
    let Some(draft) = drafts.last_matching(data, |draft| draft.size == DraftSize::Sheet) else {
        return false;
    };
    let max_height = (ui.available_height() * 0.5 - 90.0).max(64.0);
    let frame = Frame::new().fill(tokens(ui).raised).inner_margin(Margin::symmetric(16, 10));
    let panel = egui::Panel::bottom("value editor").resizable(false).frame(frame);
    let outcome = panel.show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = theme::ICON_GAP;
        sheet_ui(ui, draft, max_height)
    });
    let (node, target, outcome) = (draft.node, draft.target.clone(), outcome.inner);
    let is_settled = drafts.handle_outcome(node, &target, outcome, data, actions);
    // After a click elsewhere the focus is where the user put it.
    is_settled && outcome != DraftOutcome::LostFocus
}

/// Moves to the next or previous value without children, and returns it.
pub(super) fn step(tree: &mut ValueTree, outcome: DraftOutcome) -> Option<NodeId> {
    let step = match outcome {
        DraftOutcome::Next => CursorMove::Down,
        DraftOutcome::Previous => CursorMove::Up,
        DraftOutcome::Open
        | DraftOutcome::Apply
        | DraftOutcome::LostFocus
        | DraftOutcome::Cancel => return None,
    };
    loop {
        let old_cursor = tree.cursor;
        tree.step(step);
        let row = tree.rows.get(tree.cursor)?;
        if tree.cursor == old_cursor {
            return None;
        }
        if row.fold == FoldState::Leaf {
            return Some(row.node);
        }
    }
}
