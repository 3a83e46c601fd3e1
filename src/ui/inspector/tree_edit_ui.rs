//! Editing in the tree of values: keys, menu entries, and the fields in a row and below the tree.

use egui::{Frame, Key, Margin, Modifiers, Rect, Ui, pos2};

use super::data::{InspectorData, Ready};
use super::deed::Deed;
use super::drafts::{Drafts, Outcome};
use super::edit::{Draft, Goal, Size};
use super::line_ui::line_ui;
use super::sheet_ui::sheet_ui;
use super::tree::{Fold, Move, ValueTree};
use crate::format::{Node, NodeId};
use crate::ui::icons;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets;
use crate::workbench::Action;

/// Minimum width of a field in a row.
const NARROWEST: f32 = 140.0;

/// The keys of the actions. Of two actions with the same key, the available one runs.
const KEYS: [(Modifiers, Key, Deed); 9] = [
    (Modifiers::SHIFT, Key::F2, Deed::Rename),
    (Modifiers::NONE, Key::F2, Deed::Edit),
    (Modifiers::NONE, Key::Enter, Deed::Edit),
    (Modifiers::NONE, Key::Insert, Deed::InsertAfter),
    (Modifiers::NONE, Key::Insert, Deed::Add),
    (
        Modifiers::COMMAND.plus(Modifiers::SHIFT),
        Key::D,
        Deed::Duplicate,
    ),
    (Modifiers::ALT, Key::ArrowUp, Deed::MoveUp),
    (Modifiers::ALT, Key::ArrowDown, Deed::MoveDown),
    (Modifiers::NONE, Key::Delete, Deed::Remove),
];

/// Returns the action for the pressed keys.
pub(super) fn pressed(ui: &Ui, node: Node<'_>) -> Option<Deed> {
    let fitting = Deed::fitting(node);
    ui.input_mut(|input| {
        let mut keys = KEYS
            .iter()
            .filter(|(_, _, action)| fitting.contains(action));
        let pressed = keys.find(|(held, key, _)| input.consume_key(*held, *key));
        pressed.map(|(_, _, action)| *action)
    })
}

/// Adds the menu entries that change a value. Returns the chosen one.
pub(super) fn menu(ui: &mut Ui, node: Node<'_>, ready: &Ready) -> Option<Deed> {
    let mut chosen = None;
    let fault = (!Drafts::allowed(ready)).then_some("the file is not UTF-8 text");
    for action in Deed::fitting(node) {
        let caps: Vec<String> = action
            .caps(node)
            .iter()
            .map(|&cap| cap.to_owned())
            .collect();
        let reason = fault.or_else(|| action.hindrance(node));
        if widgets::menu_item(ui, icon(action), action.name(node), &caps, reason).clicked() {
            chosen = Some(action);
            ui.close();
        }
    }
    chosen
}

fn icon(action: Deed) -> &'static str {
    match action {
        Deed::Edit => icons::PENCIL,
        Deed::Rename => icons::TAG,
        Deed::InsertBefore | Deed::InsertAfter | Deed::Add => icons::PLUS,
        Deed::Duplicate => icons::LAYERS,
        Deed::MoveUp => icons::ARROW_UP,
        Deed::MoveDown => icons::ARROW_DOWN,
        Deed::Remove => icons::TRASH_2,
    }
}

/// Paints the field of a row that is being edited. `key` is the width of its key, `value` where its value begins.
pub(super) fn row_ui(ui: &mut Ui, row: Rect, key: f32, value: f32, draft: &mut Draft) -> Outcome {
    let right = ui.clip_rect().right().min(row.right()) - 8.0;
    let (left, right) = match draft.goal {
        Goal::Key => (key, value.max(key + NARROWEST)),
        _ => (value, right.max(value + NARROWEST)),
    };
    // The text does not move: the field begins left of it by its own padding.
    let rect = Rect::from_min_max(pos2(left - 4.0, row.top()), pos2(right, row.bottom()));
    line_ui(ui, rect, draft)
}

/// Paints drafts that need more space than a row below the tree.
pub(super) fn foot_ui(
    ui: &mut Ui,
    data: &InspectorData,
    drafts: &mut Drafts,
    actions: &mut Vec<Action>,
) -> bool {
    let Some(draft) = drafts.last(data, |draft| draft.size == Size::Sheet) else {
        return false;
    };
    let tokens = tokens(ui);
    let most = (ui.available_height() * 0.5 - 90.0).max(64.0);
    let frame = Frame::new()
        .fill(tokens.raised)
        .inner_margin(Margin::symmetric(16, 10));
    let foot = egui::Panel::bottom("value editor").resizable(false);
    let shown = foot.frame(frame).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = theme::ICON_GAP;
        sheet_ui(ui, draft, most)
    });
    let (node, goal) = (draft.node, draft.goal.clone());
    let settled = drafts.settle(node, &goal, shown.inner, data, actions);
    settled && shown.inner != Outcome::Left
}

/// Moves to the next or previous value without children, and returns it.
pub(super) fn step(tree: &mut ValueTree, outcome: Outcome) -> Option<NodeId> {
    let step = match outcome {
        Outcome::Next => Move::Down,
        Outcome::Previous => Move::Up,
        Outcome::Open | Outcome::Apply | Outcome::Left | Outcome::Cancel => return None,
    };
    loop {
        let before = tree.cursor();
        tree.step(step);
        let row = tree.rows().get(tree.cursor())?;
        if tree.cursor() == before {
            return None;
        }
        if row.fold == Fold::Leaf {
            return Some(row.node);
        }
    }
}
