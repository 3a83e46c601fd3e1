//! Paints the bar of the sheet of keys that changes the keys of one command.

use egui::{Align, EventFilter, Id, Key, Layout, Role, Sense, Ui, WidgetInfo, vec2};

use super::keys_data::{KeyChange, KeysSheet};
use crate::ui::keys::shortcut_of;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{self, Button, StyledText, focus_ring_inside, paint_line};
use crate::ui::{dialog, fields, icons};
use crate::workbench::{Action, Command, Shortcut, UserSettingsAction, Workbench};

/// The height of the bar.
pub(super) const BAR: f32 = 52.0;
/// From both sides to the content.
const SIDE: f32 = 20.0;

/// The control that has the focus when a command is selected.
pub(super) fn change_id() -> Id {
    Id::unique("change key")
}

/// Draws the selected command and what can be done with its keys.
pub(super) fn change_ui(
    ui: &mut Ui,
    workbench: &Workbench,
    command: Command,
    sheet: &mut KeysSheet,
    actions: &mut Vec<Action>,
) {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), BAR), Sense::hover());
    let inner = rect.shrink2(vec2(SIDE, 0.0));
    widgets::place_left(ui, inner, |ui| {
        ui.spacing_mut().item_spacing.x = theme::GAP;
        match sheet.change.clone() {
            KeyChange::None => idle_ui(ui, workbench, command, sheet, actions),
            KeyChange::Waits(refused) => {
                wait_ui(ui, workbench, command, refused.as_deref(), sheet, actions);
            }
            KeyChange::Conflict(shortcut, other) => {
                // Ids of its own: its buttons take keys that those of the other states do not.
                ui.push_id("conflict", |ui| {
                    conflict_ui(ui, workbench, (command, shortcut), other, sheet, actions);
                });
            }
        }
    });
}

fn name_of(command: Command) -> &'static str {
    command.name().trim_end_matches('…')
}

fn idle_ui(
    ui: &mut Ui,
    workbench: &Workbench,
    command: Command,
    sheet: &mut KeysSheet,
    actions: &mut Vec<Action>,
) {
    let user = &workbench.core.user;
    let keymap = &user.settings.keymap;
    let no_file = user.path.is_none().then_some("there is no folder for settings");
    StyledText::new()
        .with(name_of(command), theme::semibold(theme::ROW), tokens(ui).text_strong)
        .show(ui);
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        let mut set = |keys| {
            let change = UserSettingsAction::ChangeKeys(vec![(command, keys)]);
            actions.push(Action::UserSettings(change));
        };
        let is_usual = (!keymap.is_changed(command)).then_some("these are its usual keys");
        let has_none = keymap.shortcuts(command).is_empty();
        let has_none = has_none.then_some("it has no key");
        let reset = Button::ghost("Reset").icon(icons::UNDO_2);
        let reset = ui.add(reset.disabled(no_file.or(is_usual)));
        let remove = Button::ghost("Remove key").icon(icons::X);
        let remove = ui.add(remove.disabled(no_file.or(has_none)));
        if reset.clicked() {
            set(None);
        }
        if remove.clicked() {
            set(Some(Vec::new()));
        }
        let change = Button::secondary("Change key").icon(icons::KEYBOARD);
        let change = ui.add(change.disabled(no_file));
        // The row that was clicked hands over the focus.
        if ui.memory(|memory| memory.has_focus(change_id())) {
            change.request_focus();
        }
        if change.clicked() {
            sheet.change = KeyChange::Waits(None);
            ui.memory_mut(|memory| memory.request_focus(change_id()));
        }
    });
}

/// Draws the control that waits for the new keys, and handles them.
fn wait_ui(
    ui: &mut Ui,
    workbench: &Workbench,
    command: Command,
    refused: Option<&str>,
    sheet: &mut KeysSheet,
    actions: &mut Vec<Action>,
) {
    let colors = tokens(ui);
    let (id, rect) = (change_id(), ui.available_rect_before_wrap());
    let response = ui.interact(rect, id, Sense::click());
    let mut words = format!("Press the new keys of {}. Esc cancels.", name_of(command));
    if let Some(refused) = refused {
        words = format!("{refused} {words}");
    }
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &words));
    response.request_focus();
    fields::mark_keys(ui.ctx(), id);
    let filter =
        EventFilter { tab: true, horizontal_arrows: true, vertical_arrows: true, escape: true };
    ui.memory_mut(|memory| memory.set_focus_lock_filter(id, filter));
    let shown = rect.shrink2(vec2(0.0, theme::GAP));
    ui.painter().rect_filled(shown, theme::RADIUS_CONTROL, colors.input);
    focus_ring_inside(ui, shown, theme::RADIUS_CONTROL);
    let font = theme::regular(theme::ROW);
    let line = widgets::line(ui, &words, font, colors.text_strong, shown.width() - 20.0);
    paint_line(ui.painter(), shown.left_center() + vec2(10.0, 0.0), line);
    ui.advance_cursor_after_rect(rect);
    let Some(pressed) = take_keys(ui) else {
        return;
    };
    sheet.change = match pressed {
        Pressed::Escape => KeyChange::None,
        Pressed::Unknown => KeyChange::Waits(Some("This key cannot be used.".to_owned())),
        Pressed::Keys(shortcut) => {
            let keymap = &workbench.core.user.settings.keymap;
            if let Some(reason) = shortcut.needed_elsewhere(command) {
                KeyChange::Waits(Some(format!("{shortcut} is {reason}.")))
            } else if let Some(other) = keymap.conflict(command, shortcut) {
                KeyChange::Conflict(shortcut, other)
            } else {
                let change = vec![(command, Some(vec![shortcut]))];
                actions.push(Action::UserSettings(UserSettingsAction::ChangeKeys(change)));
                KeyChange::None
            }
        }
    };
    ui.ctx().request_repaint();
}

enum Pressed {
    Escape,
    /// Keys that no command can have.
    Unknown,
    Keys(Shortcut),
}

/// Takes the keys that were pressed in this frame.
fn take_keys(ui: &Ui) -> Option<Pressed> {
    let letter = |key: char| {
        Pressed::Keys(Shortcut {
            ctrl: true,
            shift: false,
            alt: false,
            key: crate::workbench::ShortcutKey::Char(key),
        })
    };
    ui.input_mut(|input| {
        let mut pressed = None;
        input.events.retain(|event| {
            let found = match event {
                egui::Event::Key { key: Key::Escape, pressed: true, .. } => Pressed::Escape,
                // A keyboard reports the keys that are only held, too.
                egui::Event::Key { key, .. } if is_modifier(*key) => return false,
                egui::Event::Key { key, pressed: true, modifiers, .. } => {
                    shortcut_of(*key, *modifiers).map_or(Pressed::Unknown, Pressed::Keys)
                }
                // The system's own keys for these arrive as what they do.
                egui::Event::Copy => letter('c'),
                egui::Event::Cut => letter('x'),
                egui::Event::Paste(_) => letter('v'),
                egui::Event::Text(_) => return false,
                _ => return true,
            };
            if !matches!(pressed, Some(Pressed::Escape | Pressed::Keys(_))) {
                pressed = Some(found);
            }
            false
        });
        pressed
    })
}

fn is_modifier(key: Key) -> bool {
    let name = key.name();
    let kinds = ["Shift", "Control", "Alt", "Super", "Meta"];
    kinds.iter().any(|kind| name.starts_with(kind))
}

fn conflict_ui(
    ui: &mut Ui,
    workbench: &Workbench,
    (command, shortcut): (Command, Shortcut),
    other: Command,
    sheet: &mut KeysSheet,
    actions: &mut Vec<Action>,
) {
    let words = format!("{shortcut} is a key of {}.", name_of(other));
    dialog::small_text(ui, &words);
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        let cancel = Button::ghost("Cancel").keys(vec!["Esc".to_owned()]);
        let cancel = ui.add(cancel.show_keys());
        let text = format!("Use it for {}", name_of(command));
        let take = ui.add(Button::secondary(&text).tooltip("Removes it from the other command"));
        if ui.memory(|memory| memory.focused().is_none_or(|it| it == change_id())) {
            take.request_focus();
        }
        for button in [&take, &cancel] {
            // Esc goes back to the command, and does not close the sheet.
            let filter = EventFilter { escape: true, ..EventFilter::default() };
            ui.memory_mut(|memory| memory.set_focus_lock_filter(button.id, filter));
            fields::mark_keys(ui.ctx(), button.id);
        }
        if take.clicked() {
            let keymap = &workbench.core.user.settings.keymap;
            let rest = keymap.shortcuts(other).iter().copied();
            let rest = rest.filter(|keys| *keys != shortcut).collect();
            let changes = vec![(other, Some(rest)), (command, Some(vec![shortcut]))];
            actions.push(Action::UserSettings(UserSettingsAction::ChangeKeys(changes)));
        }
        if take.clicked() || cancel.clicked() {
            sheet.change = KeyChange::None;
        }
    });
}
