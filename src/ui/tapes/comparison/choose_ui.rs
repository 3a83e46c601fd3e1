//! Paints the dialog that chooses another tape for a comparison.

use egui::{Align, Id, Key, Layout, Modifiers, ScrollArea, Ui, pos2};

use super::data::{TakeChoice, TakeChooser};
use crate::ui::dialog::{DialogHead, dialog};
use crate::ui::icons;
use crate::ui::tapes::TapesState;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{self, Button, RowSelection, StyledText, TextField};
use crate::workbench::{Action, CompareAction, Overlay, TapesAction, Workbench};

/// Maximum height of the list.
const MAX_LIST_HEIGHT: f32 = 352.0;

/// Draws the dialog over the desk. `opened` is true in its first frame.
pub fn choose_ui(
    ui: &mut Ui,
    workbench: &Workbench,
    state: &mut TapesState,
    opened: bool,
    actions: &mut Vec<Action>,
) {
    let choosing = &mut state.comparison.chooser;
    if opened {
        *choosing = TakeChooser::default();
    }
    let moved = move_choice(ui, choosing);
    let rows = choosing
        .rows(workbench.tapes_desk(), workbench.library())
        .to_vec();
    let head = DialogHead {
        icon: icons::LAYERS,
        title: "Compare with another tape",
        detail: "The tapes are aligned by their text, not by chunk numbers. The most similar tapes are listed first.",
    };
    let mut chosen = None;
    let at = choosing.selected;
    let body = |ui: &mut Ui, _: &mut Vec<Action>| {
        let name = "Find a tape";
        let field = TextField::search(Id::unique("find a tape"), name, &mut choosing.typed);
        let width = ui.available_width();
        let field = field
            .hint("Part of a name or path")
            .show(ui, width, |_| {}, |_| {});
        if ui.memory(|memory| memory.focused().is_none()) {
            field.request_focus();
        }
        ui.add_space(theme::GAP);
        chosen = list_ui(ui, &rows, at, moved);
        ui.add_space(theme::GAP);
    };
    let enter = ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Enter));
    dialog(ui, "choose a tape", head, actions, body, foot_ui);
    let chosen = chosen.or(enter.then_some(at));
    if let Some(choice) = chosen.and_then(|at| rows.get(at)) {
        let compare = TapesAction::Compare(choice.action.clone());
        actions.push(Action::Tapes(compare));
    }
}

/// Moves the selection with the arrow keys; returns whether it moved.
fn move_choice(ui: &Ui, choosing: &mut TakeChooser) -> bool {
    let presses = |key| ui.input_mut(|input| input.count_and_consume_key(Modifiers::NONE, key));
    let (down, up) = (presses(Key::ArrowDown), presses(Key::ArrowUp));
    choosing.selected = (choosing.selected + down).saturating_sub(up);
    down + up > 0
}

fn list_ui(ui: &mut Ui, rows: &[TakeChoice], at: usize, moved: bool) -> Option<usize> {
    if rows.is_empty() {
        let color = tokens(ui).muted;
        let words = "No tape has this name.";
        StyledText::new()
            .with(words, theme::regular(theme::BODY), color)
            .show(ui);
        return None;
    }
    let mut area = ScrollArea::vertical()
        .id_salt("takes")
        .max_height(MAX_LIST_HEIGHT.min(rows.len() as f32 * theme::ROW_TWO_LINES))
        .auto_shrink(false);
    if moved {
        let top = at as f32 * theme::ROW_TWO_LINES;
        area = area.vertical_scroll_offset((top - MAX_LIST_HEIGHT / 2.0).max(0.0));
    }
    let mut pressed = None;
    area.show_rows(ui, theme::ROW_TWO_LINES, rows.len(), |ui, shown| {
        for index in shown {
            if row_ui(ui, &rows[index], index == at) {
                pressed = Some(index);
            }
        }
    });
    pressed
}

fn row_ui(ui: &mut Ui, choice: &TakeChoice, is_chosen: bool) -> bool {
    let tokens = tokens(ui);
    let chosen = if is_chosen {
        RowSelection::Selected
    } else {
        RowSelection::None
    };
    let name = [&choice.name, choice.similarity, &choice.facts].map(str::to_owned);
    let name: Vec<String> = name.into_iter().filter(|part| !part.is_empty()).collect();
    let response = widgets::row(ui, theme::ROW_TWO_LINES, chosen, &name.join(", "));
    let rect = response.rect.shrink2(egui::vec2(theme::PADDING - 4.0, 0.0));
    let (painter, left) = (ui.painter(), rect.left());
    let similarity = widgets::line(
        ui,
        choice.similarity,
        theme::regular(theme::LABEL),
        tokens.note,
        120.0,
    );
    let room = rect.width() - similarity.size().x - theme::GAP;
    widgets::paint_line_right(painter, pos2(rect.right(), rect.top() + 14.0), similarity);
    for (words, font, color, y) in [
        (
            &choice.name,
            theme::regular(theme::BODY),
            tokens.text_strong,
            14.0,
        ),
        (
            &choice.facts,
            theme::regular(theme::LABEL),
            tokens.muted,
            31.0,
        ),
    ] {
        let line = widgets::line(ui, words, font, color, room);
        widgets::paint_line(painter, pos2(left, rect.top() + y), line);
    }
    response.clicked()
}

fn foot_ui(ui: &mut Ui, actions: &mut Vec<Action>) {
    let file = Button::secondary("Choose a file…").icon(icons::FOLDER_OPEN);
    if ui.add(file).clicked() {
        actions.push(Action::SetOverlay(None));
        actions.push(Action::Tapes(TapesAction::Compare(CompareAction::Pick)));
    }
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        let cancel = Button::secondary("Cancel").keys(vec!["Esc".to_owned()]);
        if ui.add(cancel.show_keys()).clicked() {
            actions.push(Action::SetOverlay(None::<Overlay>));
        }
    });
}
