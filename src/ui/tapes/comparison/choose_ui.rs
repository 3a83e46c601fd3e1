//! Paints the dialog that chooses another tape for a comparison.

use egui::{Align, Id, Key, Layout, Modifiers, Ui};

use super::data::{TakeChoice, TakeChooser};
use crate::ui::dialog::{DialogHead, dialog};
use crate::ui::icons;
use crate::ui::tapes::TapesState;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{Button, Line, List, Row, RowShape, StyledText, TextField};
use crate::workbench::{Action, CompareAction, Overlay, TapesAction, Workbench};

/// Maximum height of the list.
const MAX_LIST_HEIGHT: f32 = 352.0;

const ROWS: RowShape = RowShape { margins: (12.0, 12.0), hair: false, ..RowShape::TWO_LINES };

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
    move_choice(ui, choosing);
    let rows = choosing.rows(&workbench.tapes, &workbench.core.library).to_vec();
    let head = DialogHead {
        icon: icons::LAYERS,
        title: "Compare with another tape",
        detail: "The tapes are aligned by their text, not by chunk numbers.",
    };
    let mut chosen = None;
    let mut at = choosing.selected;
    let body = |ui: &mut Ui, _: &mut Vec<Action>| {
        let name = "Find a tape";
        let field = TextField::search(Id::unique("find a tape"), name, &mut choosing.typed);
        let width = ui.available_width();
        let field = field.hint("Part of a name or path").show(ui, width, |_| {}, |_| {});
        if ui.memory(|memory| memory.focused().is_none()) {
            field.request_focus();
        }
        ui.add_space(theme::GAP);
        chosen = list_ui(ui, &rows, &mut at);
        ui.add_space(theme::GAP);
    };
    let enter = ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Enter));
    dialog(ui, "choose a tape", head, actions, body, foot_ui);
    choosing.selected = at;
    let chosen = chosen.or(enter.then_some(at));
    if let Some(choice) = chosen.and_then(|at| rows.get(at)) {
        let compare = TapesAction::Compare(choice.action.clone());
        actions.push(Action::from(compare));
    }
}

/// Moves the selection with the arrow keys.
fn move_choice(ui: &Ui, choosing: &mut TakeChooser) {
    let presses = |key| ui.input_mut(|input| input.count_and_consume_key(Modifiers::NONE, key));
    let (down, up) = (presses(Key::ArrowDown), presses(Key::ArrowUp));
    choosing.selected = (choosing.selected + down).saturating_sub(up);
}

/// Draws the list; returns the row that was clicked. A row with the keyboard focus is selected.
fn list_ui(ui: &mut Ui, rows: &[TakeChoice], at: &mut usize) -> Option<usize> {
    let colors = tokens(ui);
    if rows.is_empty() {
        let words = "No tape has this name.";
        StyledText::new().with(words, theme::regular(theme::BODY), colors.muted).show(ui);
        return None;
    }
    let mut pressed = None;
    List::new("Other tapes", &ROWS, rows.len())
        .max_height(MAX_LIST_HEIGHT.min(rows.len() as f32 * ROWS.height))
        .selection(Some(*at), Some)
        .show(ui, |slot| {
            let choice = &rows[slot.index];
            let name = [&choice.name, choice.similarity, &choice.facts];
            let name: Vec<&str> = name.into_iter().filter(|part| !part.is_empty()).collect();
            let similarity = theme::regular(theme::LABEL);
            let similarity = StyledText::new().with(choice.similarity, similarity, colors.note);
            let row = Row::new(name.join(", "))
                .selected(slot.index == *at)
                .line(Line::title(&choice.name, colors).right(similarity))
                .line(Line::detail(&choice.facts, colors));
            let response = slot.show(row);
            if response.gained_focus() {
                *at = slot.index;
            }
            if response.clicked() {
                pressed = Some(slot.index);
            }
        });
    pressed
}

fn foot_ui(ui: &mut Ui, actions: &mut Vec<Action>) {
    let file = Button::secondary("Choose a file…").icon(icons::FOLDER_OPEN);
    if ui.add(file).clicked() {
        actions.push(Action::SetOverlay(None));
        actions.push(Action::from(TapesAction::Compare(CompareAction::Pick)));
    }
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        let cancel = Button::secondary("Cancel").keys(vec!["Esc".to_owned()]);
        if ui.add(cancel.show_keys()).clicked() {
            actions.push(Action::SetOverlay(None::<Overlay>));
        }
    });
}
