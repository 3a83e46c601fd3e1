//! Keyboard keys and shortcuts.

use std::fmt;

/// A key, by the label on its cap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Key {
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
    /// Page down.
    PageDown,
    /// Page up.
    PageUp,
    /// Home.
    Home,
    /// End.
    End,
    /// Enter.
    Enter,
    /// Escape.
    Escape,
    /// Delete.
    Delete,
    /// Insert.
    Insert,
}

/// A key with its modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shortcut {
    /// With Ctrl (Command on a Mac).
    pub ctrl: bool,
    /// With Shift.
    pub shift: bool,
    /// With Alt.
    pub alt: bool,
    /// The key.
    pub key: Key,
}

impl Shortcut {
    pub(super) const fn plain(key: Key) -> Self {
        Self {
            ctrl: false,
            shift: false,
            alt: false,
            key,
        }
    }

    pub(super) const fn shift(key: Key) -> Self {
        Self {
            shift: true,
            ..Self::plain(key)
        }
    }

    pub(super) const fn ctrl(key: char) -> Self {
        Self {
            ctrl: true,
            ..Self::plain(Key::Char(key))
        }
    }

    pub(super) const fn ctrl_key(key: Key) -> Self {
        Self {
            ctrl: true,
            ..Self::plain(key)
        }
    }

    pub(super) const fn ctrl_shift(key: char) -> Self {
        Self {
            shift: true,
            ..Self::ctrl(key)
        }
    }

    pub(super) const fn ctrl_alt(key: char) -> Self {
        Self {
            alt: true,
            ..Self::ctrl(key)
        }
    }

    pub(super) const fn alt(key: Key) -> Self {
        Self {
            alt: true,
            ..Self::plain(key)
        }
    }

    pub(super) const fn alt_shift(key: Key) -> Self {
        Self {
            shift: true,
            ..Self::alt(key)
        }
    }

    /// Whether the keys also type text, so that they must not run a command while a text field has the focus.
    pub fn is_typed(self) -> bool {
        !self.ctrl && !self.alt && !matches!(self.key, Key::F(_) | Key::Escape)
    }

    /// The labels of the key caps, in order: `["Ctrl", "Shift", "P"]`.
    pub fn caps(self) -> Vec<String> {
        // A capital letter is shorter than Shift and the letter.
        let is_capital = self.shift
            && !self.ctrl
            && !self.alt
            && matches!(self.key, Key::Char(c) if c.is_ascii_lowercase());
        let held = [
            (self.ctrl, "Ctrl"),
            (self.alt, "Alt"),
            (self.shift && !is_capital, "Shift"),
        ];
        let mut caps: Vec<String> = held
            .iter()
            .filter(|(on, _)| *on)
            .map(|(_, cap)| (*cap).to_owned())
            .collect();
        caps.push(match self.key {
            Key::Char(' ') => "Space".to_owned(),
            Key::Char(c) if self.ctrl || is_capital => c.to_uppercase().to_string(),
            Key::Char(c) => c.to_string(),
            Key::F(number) => format!("F{number}"),
            Key::Down => "↓".to_owned(),
            Key::Up => "↑".to_owned(),
            Key::Left => "←".to_owned(),
            Key::Right => "→".to_owned(),
            Key::PageDown => "PageDown".to_owned(),
            Key::PageUp => "PageUp".to_owned(),
            Key::Home => "Home".to_owned(),
            Key::End => "End".to_owned(),
            Key::Enter => "Enter".to_owned(),
            Key::Escape => "Esc".to_owned(),
            Key::Delete => "Delete".to_owned(),
            Key::Insert => "Insert".to_owned(),
        });
        caps
    }
}

impl fmt::Display for Shortcut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.caps().join("+"))
    }
}
