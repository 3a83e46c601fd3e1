//! Paints the field for a path.

use egui::{Align, EventFilter, Id, Key, Layout, Modifiers, Ui};

use widgets::dialog::{DialogHead, dialog};
use widgets::theme::{self, tokens};
use widgets::{
    Button, Line, List, Row, RowShape, StyledText, TextField, fields, icons, key_hint, on_click,
};
use workbench::{Action, Actions, Overlay, PathAction, PathField, Workbench};

/// Number of completions that are visible at once.
const MAX_VISIBLE_ROWS: usize = 10;

const COMPLETION_ROW: RowShape = RowShape { margins: (9.0, 8.0), ..RowShape::ONE_LINE };

/// The field as it is edited.
#[derive(Debug, Default)]
pub struct PathView {
    text: String,
    /// The number of the last text that was not typed.
    completed: u64,
    /// The selected completion.
    chosen: Option<usize>,
    /// The form under the field.
    pub form: Option<Overlay>,
}

/// Draws the field for a path over the desk, with the names that the text can continue with.
pub fn path_ui(ui: &mut Ui, workbench: &Workbench, view: &mut PathView, actions: &mut Actions) {
    let field = &workbench.core.path_field;
    view.form = field.form;
    let id = Id::unique("path field");
    // By number: the same text may be completed twice, with edits between.
    if view.completed != field.completed {
        view.completed = field.completed;
        view.text.clone_from(&field.text);
        view.chosen = None;
        fields::caret_to_end(ui, id, &view.text);
    }
    // Before the field is painted, which would take Tab and the arrows.
    let action = pressed(ui, field, view);
    actions.extend(action.map(Action::Path));
    let head = head(field, workbench.core.project.is_some());
    // Apart from the others, because closing this dialog means more than closing an overlay: its caller is waiting.
    let mut dialog_actions = Vec::new();
    let body = |ui: &mut Ui, actions: &mut Actions| {
        field_ui(ui, id, field, view, actions);
        completions_ui(ui, field.completions(), view, actions);
        ui.add_space(theme::PADDING);
    };
    dialog(ui, "path dialog", head, &mut dialog_actions, body, |ui, actions| {
        foot_ui(ui, field, actions);
    });
    for action in dialog_actions {
        actions.push(match action {
            Action::SetOverlay(None) => Action::Path(PathAction::Close),
            action => action,
        });
    }
}

fn head(field: &PathField, is_open: bool) -> DialogHead<'static> {
    let (title, detail) = match &field.dialog {
        Some(dialog) if field.is_refused => {
            (dialog.title, "Change the name: the chosen one does not fit.")
        }
        Some(dialog) => {
            (dialog.title, "This desktop has no file dialog. Type or paste the path instead.")
        }
        None if is_open => (
            "Open a folder or a file",
            "Type or paste its path: absolute, from ~, or relative to what is open.",
        ),
        None => (
            "Open a folder or a file",
            "Type or paste its path: absolute, from ~, or relative to the working directory.",
        ),
    };
    DialogHead { icon: icons::FOLDER_OPEN, title, detail }
}

/// Handles the keys of this frame, apart from text.
fn pressed(ui: &Ui, field: &PathField, view: &mut PathView) -> Option<PathAction> {
    let presses = |key| ui.input_mut(|input| input.consume_key(Modifiers::NONE, key));
    let names = field.completions();
    if presses(Key::Escape) {
        return Some(PathAction::Close);
    }
    if !names.is_empty() {
        let (count, index) = (names.len(), view.chosen);
        if presses(Key::ArrowDown) {
            view.chosen = Some(index.map_or(0, |i| (i + 1) % count));
        }
        if presses(Key::ArrowUp) {
            view.chosen =
                // Above the first row is the last one; without a choice, too.
                Some(index.map_or(count, |i| i.min(count)).wrapping_sub(1).min(count - 1));
        }
    }
    let name = view.chosen.and_then(|index| names.get(index)).cloned();
    if presses(Key::Tab) {
        return Some(name.map_or(PathAction::Complete, PathAction::Choose));
    }
    if presses(Key::Enter) {
        return Some(name.map_or(PathAction::Submit, PathAction::Choose));
    }
    None
}

fn field_ui(ui: &mut Ui, id: Id, field: &PathField, view: &mut PathView, actions: &mut Actions) {
    let edit =
        TextField::new(id, "Path", &mut view.text).mono().hint("Such as ~/project/recordings");
    let width = ui.available_width();
    // For the ring around the field.
    ui.add_space(2.0);
    let response = edit.show(ui, width, |_| {}, |_| {});
    if response.changed() {
        view.chosen = None;
        actions.push(Action::Path(PathAction::Edit(view.text.clone())));
    }
    fields::focus_first(ui, &response);
    if response.has_focus() {
        let filter =
            EventFilter { tab: true, horizontal_arrows: true, vertical_arrows: true, escape: true };
        // Tab completes here, and egui would move the focus.
        ui.memory_mut(|memory| memory.set_focus_lock_filter(id, filter));
    }
    if let Some(fault) = &field.fault {
        ui.add_space(theme::GAP);
        let (font, color) = (theme::regular(theme::ROW), tokens(ui).error);
        StyledText::new()
            .with(icons::CIRCLE_X, theme::icon(theme::ICON_TAG), color)
            .after(theme::ICON_GAP, fault, font, color)
            .show(ui)
            .on_hover_text(fault);
    }
}

/// Draws the names that the text can continue with. The focus stays in the field.
fn completions_ui(ui: &mut Ui, names: &[String], view: &mut PathView, actions: &mut Actions) {
    if names.is_empty() {
        return;
    }
    ui.add_space(theme::GAP);
    let colors = tokens(ui);
    List::new("Completions", &COMPLETION_ROW, names.len())
        .without_focus(&|_| true)
        .selection(view.chosen, Some)
        .max_height(MAX_VISIBLE_ROWS.min(names.len()) as f32 * COMPLETION_ROW.height)
        .show(ui, |slot| {
            let name = &names[slot.index];
            let icon =
                if name.ends_with(std::path::is_separator) { icons::FOLDER } else { icons::FILE };
            // The part that was typed is muted. A name may differ from it in case, so lengths are compared, not letters.
            let prefix_length = view.text.len().min(name.len());
            let (prefix, rest) = name.split_at_checked(prefix_length).unwrap_or(("", name));
            let font = || theme::mono(theme::LABEL);
            let text = StyledText::new().with(prefix, font(), colors.muted).with(
                rest,
                font(),
                colors.text_strong,
            );
            let row = Row::new(&**name)
                .line(Line::from(text).icon(icon, colors.muted).indent(theme::INDENT))
                .selected(view.chosen == Some(slot.index));
            on_click(&slot.show(row), Action::Path(PathAction::Choose(name.clone())), actions);
        });
}

fn foot_ui(ui: &mut Ui, field: &PathField, actions: &mut Actions) {
    let (label, icon) = if field.dialog.is_some() {
        ("Choose", icons::CHECK)
    } else {
        ("Open", icons::FOLDER_OPEN)
    };
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        let response = ui.add(Button::primary(label).icon(icon).keys(vec!["Enter".to_owned()]));
        on_click(&response, Action::Path(PathAction::Submit), actions);
        let response = ui.add(Button::secondary("Cancel").keys(vec!["Esc".to_owned()]));
        on_click(&response, Action::Path(PathAction::Close), actions);
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            key_hint(ui, &["Tab"], "complete");
            ui.add_space(theme::PADDING);
            key_hint(ui, &["↑", "↓"], "choose a name");
        });
    });
}
