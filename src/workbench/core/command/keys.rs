//! Keyboard keys and shortcuts.

use std::fmt;
use std::str::FromStr;

use super::Command;

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

    /// Returns how it is written in a file: as it is shown, except that keys without a letter have a name.
    pub fn spell(self) -> String {
        let entry = NAMED_KEYS.iter().find(|(_, key)| *key == self.key);
        let Some((name, _)) = entry else { return self.to_string() };
        let mut caps = self.caps();
        caps.pop();
        caps.push((*name).to_owned());
        caps.join("+")
    }

    /// Returns for what these keys are needed, if they cannot be those of a command.
    pub fn needed_elsewhere(self, command: Command) -> Option<&'static str> {
        let is_undo = matches!(command, Command::Undo | Command::Redo);
        match self.key {
            // Only keys with Ctrl, without Alt, have a meaning elsewhere.
            _ if !self.ctrl || self.alt => None,
            // With Shift, too: text fields redo with Ctrl+Shift+Z.
            ShortcutKey::Char('z' | 'y') if !is_undo => Some("needed by text fields"),
            ShortcutKey::Char('a' | 'c' | 'v' | 'x') if !self.shift => {
                Some("needed by text fields")
            }
            ShortcutKey::Left
            | ShortcutKey::Right
            | ShortcutKey::Home
            | ShortcutKey::End
            | ShortcutKey::Delete
            | ShortcutKey::Insert => Some("needed by text fields"),
            // egui itself zooms by these keys.
            ShortcutKey::Char('+' | '-' | '=' | '0') => Some("needed to zoom the window"),
            _ => None,
        }
    }
}

impl fmt::Display for Shortcut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.caps().join("+"))
    }
}

/// Arrows, as they are shown.
pub(super) const ARROW_KEYS: [(&str, ShortcutKey); 4] = [
    ("↓", ShortcutKey::Down),
    ("↑", ShortcutKey::Up),
    ("←", ShortcutKey::Left),
    ("→", ShortcutKey::Right),
];

/// The keys that are written as a word.
pub(super) const NAMED_KEYS: [(&str, ShortcutKey); 14] = [
    ("Space", ShortcutKey::Char(' ')),
    ("Plus", ShortcutKey::Char('+')),
    ("Down", ShortcutKey::Down),
    ("Up", ShortcutKey::Up),
    ("Left", ShortcutKey::Left),
    ("Right", ShortcutKey::Right),
    ("PageDown", ShortcutKey::PageDown),
    ("PageUp", ShortcutKey::PageUp),
    ("Home", ShortcutKey::Home),
    ("End", ShortcutKey::End),
    ("Enter", ShortcutKey::Enter),
    ("Esc", ShortcutKey::Escape),
    ("Delete", ShortcutKey::Delete),
    ("Insert", ShortcutKey::Insert),
];

/// The signs that are keys, besides letters, digits and those with a [name](NAMED_KEYS).
pub(super) const SIGNS: &str = "-=,./;:'[]\\`|?!{}";

/// The signs for which many keyboards need Shift. They are written without it.
const SHIFT_SIGNS: &str = "?/+:|!{}";

/// The last function key.
pub(super) const LAST_FUNCTION_KEY: u8 = 24;

impl ShortcutKey {
    /// Whether many keyboards need Shift for this character, so that Shift makes no difference.
    pub fn needs_shift(self) -> bool {
        matches!(self, Self::Char(sign) if SHIFT_SIGNS.contains(sign))
    }
}

impl FromStr for Shortcut {
    type Err = String;

    /// Parses keys such as `Ctrl+Shift+S`, `F5` or `?`. A capital letter alone is the letter with Shift.
    fn from_str(text: &str) -> Result<Self, String> {
        // The key is replaced below: there is no shortcut without one.
        let mut shortcut = Self::plain(ShortcutKey::Enter);
        let mut rest = text.trim();
        // The last `+` may be the key itself.
        while let Some((modifier, remainder)) =
            rest.split_once('+').filter(|(modifier, _)| !modifier.is_empty())
        {
            match modifier.trim().to_ascii_lowercase().as_str() {
                "ctrl" | "control" | "cmd" | "command" => shortcut.ctrl = true,
                "shift" => shortcut.shift = true,
                "alt" | "option" => shortcut.alt = true,
                _ => {
                    let modifier = document::text::quoted(modifier.trim());
                    return Err(format!("{modifier} is not Ctrl, Alt or Shift"));
                }
            }
            rest = remainder.trim();
        }
        let is_plain = !shortcut.ctrl && !shortcut.alt && !shortcut.shift;
        shortcut.key = parse_key(rest).ok_or_else(|| match rest {
            "" => "The keys are empty".to_owned(),
            _ => format!("There is no key {}", document::text::quoted(rest)),
        })?;
        let is_capital =
            is_plain && rest.len() == 1 && rest.bytes().all(|b| b.is_ascii_uppercase());
        shortcut.shift |= is_capital;
        // If a sign is typed with Shift, the event may or may not have it.
        shortcut.shift &= !shortcut.key.needs_shift();
        Ok(shortcut)
    }
}

fn parse_key(text: &str) -> Option<ShortcutKey> {
    let mut entries = NAMED_KEYS.iter().chain(&ARROW_KEYS);
    if let Some((_, key)) = entries.find(|(name, _)| name.eq_ignore_ascii_case(text)) {
        return Some(*key);
    }
    let mut signs = text.chars();
    let (first, rest) = (signs.next()?, signs.as_str());
    match first {
        'f' | 'F' if !rest.is_empty() => {
            // Rust would also parse `+5` and `05`.
            let number = rest.parse().ok().filter(|_| !rest.starts_with(['+', '0']))?;
            (1..=LAST_FUNCTION_KEY).contains(&number).then_some(ShortcutKey::F(number))
        }
        _ if !rest.is_empty() => None,
        ' ' | '+' => Some(ShortcutKey::Char(first)),
        _ if first.is_ascii_alphanumeric() || SIGNS.contains(first) => {
            Some(ShortcutKey::Char(first.to_ascii_lowercase()))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_shortcut_reads_back_as_it_is_written_and_as_it_is_shown() {
        for key in ShortcutKey::all() {
            for bits in 0..8 {
                let shortcut = Shortcut {
                    ctrl: bits & 1 != 0,
                    alt: bits & 2 != 0,
                    shift: bits & 4 != 0 && !key.needs_shift(),
                    key,
                };
                assert_eq!(shortcut.spell().parse(), Ok(shortcut), "{}", shortcut.spell());
                if key != ShortcutKey::Char('+') {
                    assert_eq!(shortcut.to_string().parse(), Ok(shortcut), "{shortcut}");
                }
            }
        }
    }

    #[test]
    fn keys_are_written_in_several_ways() {
        let spell = |text: &str| match text.parse::<Shortcut>() {
            Ok(keys) => keys.spell(),
            Err(reason) => reason,
        };
        let spellings = [
            "ctrl + shift + s",
            "Cmd+S",
            "option+left",
            "A",
            "a",
            "Shift+a",
            "?",
            "Shift+?",
            "Ctrl++",
            "+",
            "f12",
            "F25",
            "F05",
            "Tab",
            "Hyper+S",
            "Ctrl+",
            "",
            "ö",
            "Ctrl+Ctrl",
        ];
        insta::assert_snapshot!(spellings.map(spell).join("\n"), @r"
        Ctrl+Shift+S
        Ctrl+S
        Alt+Left
        A
        a
        A
        ?
        ?
        Ctrl+Plus
        Plus
        F12
        There is no key `F25`
        There is no key `F05`
        There is no key `Tab`
        `Hyper` is not Ctrl, Alt or Shift
        The keys are empty
        The keys are empty
        There is no key `ö`
        There is no key `Ctrl`
        ");
    }

    proptest! {
        #[test]
        fn no_text_is_too_strange(text in ".{0,12}", keys in "(Ctrl|Shift|\\+| ){0,4}.?") {
            let _ = text.parse::<Shortcut>();
            let _ = keys.parse::<Shortcut>();
        }
    }
}
