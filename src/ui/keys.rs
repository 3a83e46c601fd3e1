//! Maps keys to commands.

use egui::{Event, Modifiers};

use super::fields;
use crate::workbench::{Command, Key, Section, Shortcut, Workbench};

/// What handles the keys before commands do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    /// Nothing.
    Nobody,
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

impl Owner {
    fn of(ctx: &egui::Context, workbench: &Workbench) -> Self {
        if egui::Popup::is_any_open(ctx) {
            Self::Menu
        } else if ctx.memory(|memory| memory.has_focus(fields::text())) || fields::is_in_live(ctx) {
            Self::Text
        } else if ctx.text_edit_focused() || workbench.awaits_typing() {
            Self::Field
        } else if workbench.offers_faults() {
            Self::Digits
        } else if ctx.memory(|memory| memory.focused().is_some()) {
            Self::Control
        } else {
            Self::Nobody
        }
    }

    /// Returns whether a command gets these keys.
    fn leaves(self, shortcut: Shortcut) -> bool {
        match self {
            Self::Nobody => true,
            Self::Digits => {
                !matches!(shortcut.key, Key::Char(sign) if sign.is_ascii_digit()) || shortcut.ctrl
            }
            Self::Control => {
                matches!(shortcut.key, Key::Char(sign) if sign != ' ')
                    || matches!(shortcut.key, Key::Delete | Key::Insert)
                    || !shortcut.is_typed()
            }
            Self::Field if undoes_typing(shortcut) => false,
            Self::Field | Self::Text | Self::Menu => {
                !shortcut.is_typed() && shortcut.key != Key::Escape
            }
        }
    }
}

/// Returns whether the shortcut is undo or redo of a field, whose input is not in the document yet.
fn undoes_typing(shortcut: Shortcut) -> bool {
    shortcut.ctrl && !shortcut.alt && matches!(shortcut.key, Key::Char('z' | 'y'))
}

/// Takes the keys of this frame that run commands, in order.
pub fn take_commands(ctx: &egui::Context, workbench: &Workbench) -> Vec<Command> {
    let owner = Owner::of(ctx, workbench);
    let mut commands = Vec::new();
    ctx.input_mut(|input| {
        input.events.retain(|event| {
            let Event::Key {
                key,
                pressed: true,
                modifiers,
                ..
            } = event
            else {
                return true;
            };
            let command = Command::ALL.iter().copied().find(|command| {
                let mut shortcuts = command.shortcuts().iter();
                shortcuts.any(|shortcut| {
                    is_heard(*command, *shortcut, workbench)
                        && owner.leaves(*shortcut)
                        && is_pressed(*shortcut, *key, *modifiers)
                })
            });
            commands.extend(command);
            command.is_none()
        });
        if !commands.is_empty() && !matches!(owner, Owner::Field | Owner::Text) {
            // The same key press also arrives as text, which must not end up in a field that a command focuses.
            input
                .events
                .retain(|event| !matches!(event, Event::Text(_)));
        }
    });
    commands
}

/// Returns whether a shortcut is active here: shortcuts of a desk apply only to that desk; Ctrl to start a tape works
/// on every desk.
fn is_heard(command: Command, shortcut: Shortcut, workbench: &Workbench) -> bool {
    let section = command.section();
    let is_here = |desk| desk == workbench.here().desk;
    let is_digit = matches!(shortcut.key, Key::Char(sign) if sign.is_ascii_digit());
    if is_digit && shortcut.is_typed() && workbench.chooses_by_digits() {
        return false;
    }
    let is_of_desk = section.desk().is_none_or(is_here);
    // A character is not a shortcut where its command has no meaning.
    let applies = !shortcut.is_typed() || workbench.applies_here(command);
    // An overlay gets the keys of the desk that it covers.
    !workbench.is_covered(command)
        && applies
        && (is_of_desk || section == Section::Tape && shortcut.ctrl)
}

/// Compares exactly: an additional Shift makes it a different shortcut.
fn is_pressed(shortcut: Shortcut, key: egui::Key, held: Modifiers) -> bool {
    let shift = held.shift == shortcut.shift || needs_shift(shortcut.key);
    key == egui_key(shortcut.key)
        && held.command == shortcut.ctrl
        && held.alt == shortcut.alt
        && shift
}

/// Returns whether many keyboards need Shift for this character.
fn needs_shift(key: Key) -> bool {
    matches!(key, Key::Char('?' | '/' | '+'))
}

fn egui_key(key: Key) -> egui::Key {
    match key {
        Key::Char(' ') => egui::Key::Space,
        Key::Char(c) => {
            egui::Key::from_name(&c.to_uppercase().to_string()).unwrap_or(egui::Key::F35)
        }
        Key::F(number) => egui::Key::from_name(&format!("F{number}")).unwrap_or(egui::Key::F35),
        Key::Down => egui::Key::ArrowDown,
        Key::Up => egui::Key::ArrowUp,
        Key::Left => egui::Key::ArrowLeft,
        Key::Right => egui::Key::ArrowRight,
        Key::PageDown => egui::Key::PageDown,
        Key::PageUp => egui::Key::PageUp,
        Key::Home => egui::Key::Home,
        Key::End => egui::Key::End,
        Key::Enter => egui::Key::Enter,
        Key::Escape => egui::Key::Escape,
        Key::Delete => egui::Key::Delete,
        Key::Insert => egui::Key::Insert,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shortcut_has_a_key_the_window_can_see() {
        for command in Command::ALL {
            for shortcut in command.shortcuts() {
                assert_ne!(
                    egui_key(shortcut.key),
                    egui::Key::F35,
                    "{command:?} {shortcut}"
                );
            }
        }
    }
}
