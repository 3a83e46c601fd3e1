//! Keyboard keys and shortcuts.

use std::fmt;

use super::parse_keys::{ARROW_KEYS, NAMED_KEYS};

/// A key, by the label on its cap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ShortcutKey {
    /// A letter, digit or sign, in lower case.
    Char(char),
    /// A function key.
    F(u8),
    /// Down arrow.
    Down,
    /// Up arrow.
    Up,
    /// Left arrow.
    Left,
    /// Right arrow.
    Right,
    PageDown,
    PageUp,
    Home,
    End,
    Enter,
    Escape,
    Delete,
    Insert,
}

/// A key with its modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shortcut {
    /// With Ctrl (Command on a Mac).
    pub ctrl: bool,
    pub shift: bool,
    pub alt: bool,
    pub key: ShortcutKey,
}

impl Shortcut {
    pub(super) const fn plain(key: ShortcutKey) -> Self {
        Self { ctrl: false, shift: false, alt: false, key }
    }

    pub(super) const fn shift(key: ShortcutKey) -> Self {
        Self { shift: true, ..Self::plain(key) }
    }

    pub(super) const fn ctrl(key: char) -> Self {
        Self { ctrl: true, ..Self::plain(ShortcutKey::Char(key)) }
    }

    pub(super) const fn ctrl_key(key: ShortcutKey) -> Self {
        Self { ctrl: true, ..Self::plain(key) }
    }

    pub(super) const fn ctrl_shift(key: char) -> Self {
        Self { shift: true, ..Self::ctrl(key) }
    }

    pub(super) const fn ctrl_alt(key: char) -> Self {
        Self { alt: true, ..Self::ctrl(key) }
    }

    pub(super) const fn alt(key: ShortcutKey) -> Self {
        Self { alt: true, ..Self::plain(key) }
    }

    pub(super) const fn alt_shift(key: ShortcutKey) -> Self {
        Self { shift: true, ..Self::alt(key) }
    }

    /// Whether the keys also type text, so that they must not run a command while a text field has the focus.
    pub fn is_typed(self) -> bool {
        // Arrows, Enter and Delete are needed in a field as well; function keys and Esc are not.
        !self.ctrl && !self.alt && !matches!(self.key, ShortcutKey::F(_) | ShortcutKey::Escape)
    }

    /// The labels of the key caps, in order: `["Ctrl", "Shift", "P"]`.
    pub fn caps(self) -> Vec<String> {
        // A capital letter is shorter than Shift and the letter.
        let is_capital = self.shift
            && !self.ctrl
            && !self.alt
            && matches!(self.key, ShortcutKey::Char(c) if c.is_ascii_lowercase());
        let keys = [(self.ctrl, "Ctrl"), (self.alt, "Alt"), (self.shift && !is_capital, "Shift")];
        let mut caps: Vec<String> =
            keys.iter().filter(|(is_held, _)| *is_held).map(|(_, cap)| (*cap).to_owned()).collect();
        caps.push(match self.key {
            ShortcutKey::Char(' ') => "Space".to_owned(),
            ShortcutKey::Char(c) if self.ctrl || self.alt || is_capital => {
                c.to_uppercase().to_string()
            }
            ShortcutKey::Char(c) => c.to_string(),
            ShortcutKey::F(number) => format!("F{number}"),
            key => {
                let mut names = ARROW_KEYS.iter().chain(&NAMED_KEYS);
                names.find(|(_, other)| *other == key).map_or("", |(name, _)| name).to_owned()
            }
        });
        caps
    }
}

impl fmt::Display for Shortcut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.caps().join("+"))
    }
}
