//! Maps keys to commands.

use egui::{Event, Modifiers};

use widgets::fields;
use workbench::{Command, CommandSection, Shortcut, ShortcutKey, Workbench};

/// Part of the window that handles the keys before commands do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KeyOwner {
    /// Nothing.
    None,
    /// A focused button, link or row: Enter and Space activate it, arrows move on.
    Control,
    /// A field: it gets typed text, and Esc closes what it has opened.
    Field,
    /// The text of a file: like a field, but input is in the document immediately and is undone there.
    Text,
    /// A panel in which digits choose.
    Digits,
    /// An open menu: arrows and Enter choose in it, Esc closes it.
    Menu,
}

impl KeyOwner {
    fn current(ctx: &egui::Context, workbench: &Workbench) -> Self {
        // The first that holds counts: a menu may open above a field that keeps the focus.
        if egui::Popup::is_any_open(ctx) {
            Self::Menu
        } else if ctx.memory(|memory| memory.has_focus(fields::text())) || fields::is_in_live(ctx) {
            Self::Text
        } else if ctx.text_edit_focused()
            || fields::is_in_typed(ctx)
            || workbench.sessions.awaits_typing(&workbench.core)
        {
            Self::Field
        } else if workbench.sessions.offers_faults(&workbench.core) {
            Self::Digits
        } else if ctx.memory(|memory| memory.focused().is_some()) {
            Self::Control
        } else {
            Self::None
        }
    }

    /// Returns whether a command gets these keys.
    fn allows_command(self, shortcut: Shortcut) -> bool {
        match self {
            Self::None => true,
            Self::Digits => {
                !matches!(shortcut.key, ShortcutKey::Char(sign) if sign.is_ascii_digit())
                    || shortcut.ctrl
            }
            Self::Control => {
                // egui activates a control with Space and Enter, and moves the focus with arrows.
                matches!(shortcut.key, ShortcutKey::Char(sign) if sign != ' ')
                    || matches!(shortcut.key, ShortcutKey::Delete | ShortcutKey::Insert)
                    || !shortcut.is_typed()
            }
            // egui's fields undo by themselves.
            Self::Field if undoes_typing(shortcut) => false,
            Self::Field | Self::Text | Self::Menu => {
                !shortcut.is_typed() && shortcut.key != ShortcutKey::Escape
            }
        }
    }
}

/// Returns whether the shortcut is undo or redo of a field, whose input is not in the document yet.
fn undoes_typing(shortcut: Shortcut) -> bool {
    shortcut.ctrl && !shortcut.alt && matches!(shortcut.key, ShortcutKey::Char('z' | 'y'))
}

/// Takes the keys of this frame that run commands, in order.
pub fn take_commands(ctx: &egui::Context, workbench: &Workbench) -> Vec<Command> {
    let mut commands = Vec::new();
    let owner = KeyOwner::current(ctx, workbench);
    let keymap = &workbench.core.user.settings.keymap;
    ctx.input_mut(|input| {
        input.events.retain(|event| {
            let Event::Key { key, pressed: true, modifiers, .. } = event else { return true };
            // One key may belong to several commands that apply at different desks.
            let command = Command::ALL.iter().copied().find(|command| {
                let mut shortcuts = keymap.shortcuts(*command).iter();
                shortcuts.any(|shortcut| {
                    is_active_here(*command, *shortcut, workbench)
                        && owner.allows_command(*shortcut)
                        && is_pressed(*shortcut, *key, *modifiers)
                })
            });
            commands.extend(command);
            command.is_none()
        });
        if !commands.is_empty() && !matches!(owner, KeyOwner::Field | KeyOwner::Text) {
            // The same key press also arrives as text, which must not end up in a field that a command focuses.
            input.events.retain(|event| !matches!(event, Event::Text(_)));
        }
    });
    commands
}

/// Returns whether a shortcut is active here: shortcuts of a desk apply only to that desk; Ctrl to start a tape works
/// on every desk.
fn is_active_here(command: Command, shortcut: Shortcut, workbench: &Workbench) -> bool {
    let section = command.section();
    let is_here = |desk| desk == workbench.core.here().desk;
    let is_digit = matches!(shortcut.key, ShortcutKey::Char(sign) if sign.is_ascii_digit());
    if is_digit && shortcut.is_typed() && workbench.live.chooses_by_digits(&workbench.core) {
        return false;
    }
    // Some commands for tapes apply on the playback desk, too.
    let is_of_desk = section.desk().is_none_or(is_here)
        || section == CommandSection::Tape && command.applies_in(workbench.core.here());
    // A character is not a shortcut where its command has no meaning.
    let is_applicable = !shortcut.is_typed() || workbench.applies_here(command);
    // An overlay gets the keys of the desk that it covers.
    !workbench.is_covered(command)
        && is_applicable
        && (is_of_desk || section == CommandSection::Tape && shortcut.ctrl)
}

/// Compares exactly: an additional Shift makes it a different shortcut.
fn is_pressed(shortcut: Shortcut, key: egui::Key, modifiers: Modifiers) -> bool {
    let shift = modifiers.shift == shortcut.shift || shortcut.key.needs_shift();
    key == egui_key(shortcut.key)
        && modifiers.command == shortcut.ctrl
        && modifiers.alt == shortcut.alt
        && shift
}

fn egui_key(key: ShortcutKey) -> egui::Key {
    match key {
        ShortcutKey::Char(' ') => egui::Key::Space,
        ShortcutKey::Char(c) => {
            // No keyboard has F35, so a character that egui does not know is never pressed.
            egui::Key::from_name(&c.to_uppercase().to_string()).unwrap_or(egui::Key::F35)
        }
        ShortcutKey::F(number) => {
            egui::Key::from_name(&format!("F{number}")).unwrap_or(egui::Key::F35)
        }
        ShortcutKey::Down => egui::Key::ArrowDown,
        ShortcutKey::Up => egui::Key::ArrowUp,
        ShortcutKey::Left => egui::Key::ArrowLeft,
        ShortcutKey::Right => egui::Key::ArrowRight,
        ShortcutKey::PageDown => egui::Key::PageDown,
        ShortcutKey::PageUp => egui::Key::PageUp,
        ShortcutKey::Home => egui::Key::Home,
        ShortcutKey::End => egui::Key::End,
        ShortcutKey::Enter => egui::Key::Enter,
        ShortcutKey::Escape => egui::Key::Escape,
        ShortcutKey::Delete => egui::Key::Delete,
        ShortcutKey::Insert => egui::Key::Insert,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shortcut_has_a_key_the_window_can_see() {
        for key in ShortcutKey::all() {
            let others = ShortcutKey::all().filter(|other| egui_key(*other) == egui_key(key));
            assert_eq!(others.collect::<Vec<_>>(), [key]);
        }
    }
}
