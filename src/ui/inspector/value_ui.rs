//! Paints a value that can be edited in place: the value with its edit button, or its field.

use egui::{Pos2, Sense, Ui, pos2};

use super::drafts::DraftFields;
use super::edit_ui::{LINE_HEIGHT, field_id, line_ui, pencil, sheet_ui};
use super::paint;
use super::sections_ui::SectionContext;
use super::values::Values;
use document::NodeId;
use document::text::visible;
use widgets::icons;
use widgets::theme::TEXT_LINE;
use workbench::DraftSize;

/// A value that is shown, and the least size of its field while it is edited. A computed value has no node and cannot be edited.
pub(super) type EditableSpot = (Option<NodeId>, DraftSize);

/// Paints a value with `paint` and an edit button under the pointer, or its field while it is edited.
pub(super) fn value_ui(
    ui: &mut Ui,
    spot: EditableSpot,
    context: &mut SectionContext<'_>,
    paint: impl FnOnce(&mut Ui, &mut SectionContext<'_>),
) {
    if edited_ui(ui, spot.0, None, context) {
        return;
    }
    let rect = ui.scope(|ui| paint(ui, context)).response.rect;
    // The whole width, so that the pointer can go from a short value to its button.
    let room = rect.with_max_x(ui.max_rect().right());
    let position = pos2(room.right() - 10.0, rect.top() + 9.0);
    let is_hovered = ui.rect_contains_pointer(room);
    pencil_ui(ui, position, is_hovered, spot, context);
}

/// Paints a value as lines of keys and values, with its edit button or as its field.
pub(super) fn values_ui(ui: &mut Ui, values: &Values, context: &mut SectionContext<'_>) {
    value_ui(ui, (values.node, DraftSize::Line), context, |ui, context| {
        ui.label(paint::values(values, context.tokens, ui.available_width()));
    });
}

/// Paints the edit button of a value and starts editing when it is clicked.
pub(super) fn pencil_ui(
    ui: &mut Ui,
    position: Pos2,
    is_hovered: bool,
    spot: EditableSpot,
    context: &mut SectionContext<'_>,
) {
    let Some(node) = spot.0.filter(|_| DraftFields::can_edit(context.ready)) else { return };
    let node = context.ready.document.node(node);
    let name = match &*node.pointer() {
        "" => "Edit the whole file".to_owned(),
        pointer => format!("Edit {}", visible(pointer)),
    };
    if pencil(ui, position, is_hovered, &name) {
        context.start_edit(node);
        // A paragraph gets a large field even if its text is short.
        if spot.1 == DraftSize::Sheet
            && let Some(draft) = context.state.drafts.find_mut(context.data, node.id())
        {
            draft.size = DraftSize::Sheet;
        }
    }
}

/// Adds the menu entry that edits a value.
pub(super) fn edit_item(ui: &mut Ui, node: NodeId, context: &mut SectionContext<'_>) {
    let fault = (!DraftFields::can_edit(context.ready)).then_some("the file is not UTF-8 text");
    if widgets::menu_action(ui, icons::PENCIL, "Edit…", fault) {
        context.start_edit(context.ready.document.node(node));
    }
}

/// Paints the field of a value in place of the value if it is being edited. Returns false if it is not.
pub(super) fn edited_ui(
    ui: &mut Ui,
    node: Option<NodeId>,
    size: Option<DraftSize>,
    context: &mut SectionContext<'_>,
) -> bool {
    let data = context.data;
    let drafts = &mut context.state.drafts;
    let draft = node.and_then(|node| drafts.find_mut(data, node));
    let Some(draft) = draft.filter(|draft| size.is_none_or(|size| draft.size == size)) else {
        return false;
    };
    let outcome = match draft.size {
        DraftSize::Line => {
            let (rect, _) = widgets::allocate_row(ui, TEXT_LINE, Sense::hover());
            line_ui(ui, rect, draft)
        }
        DraftSize::Sheet => sheet_ui(ui, draft, 16.0 * LINE_HEIGHT),
    };
    let (id, goal) = (field_id(draft), draft.target.clone());
    if drafts.handle_outcome(node, &goal, outcome, data, context.actions) {
        // The field no longer exists, and commands would not get their keys.
        ui.memory_mut(|memory| memory.surrender_focus(id));
        ui.request_repaint();
    }
    true
}
