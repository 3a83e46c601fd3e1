//! The keys of all commands, as the user has changed them.

use std::collections::HashMap;

use super::{Command, Shortcut};

/// The keys of all commands: the declared ones, except where the user has chosen others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Keymap {
    changed: HashMap<Command, Vec<Shortcut>>,
}

impl Keymap {
    /// The shortcuts that run a command; the first one is shown.
    pub fn shortcuts(&self, command: Command) -> &[Shortcut] {
        self.changed.get(&command).map(Vec::as_slice).unwrap_or_else(|| command.default_shortcuts())
    }

    /// The key caps of the shortcut that is shown; empty if there is none.
    pub fn caps(&self, command: Command) -> Vec<String> {
        self.shortcuts(command).first().map_or_else(Vec::new, |keys| keys.caps())
    }

    /// Whether the user has chosen the keys of a command.
    pub fn is_changed(&self, command: Command) -> bool {
        self.changed.contains_key(&command)
    }

    /// Sets the keys of a command.
    pub(crate) fn set(&mut self, command: Command, keys: Vec<Shortcut>) {
        self.changed.insert(command, keys);
    }

    /// Adds a shortcut to those that the user has chosen for a command.
    pub(crate) fn add(&mut self, command: Command, shortcut: Shortcut) {
        let keys = self.changed.entry(command).or_default();
        if !keys.contains(&shortcut) {
            keys.push(shortcut);
        }
    }

    /// Returns another command that the same keys run on a desk where this one applies.
    pub fn conflict(&self, command: Command, shortcut: Shortcut) -> Option<Command> {
        Command::ALL.iter().copied().find(|other| {
            *other != command
                // One letter may mean different things in two views.
                && command.shares_view(*other)
                && self.shortcuts(*other).contains(&shortcut)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_commands_have_the_same_keys_where_both_apply() {
        let keymap = Keymap::default();
        for command in Command::ALL {
            for shortcut in keymap.shortcuts(*command) {
                let other = keymap.conflict(*command, *shortcut);
                assert_eq!(other, None, "{command:?}: {shortcut}");
                assert_eq!(shortcut.needed_elsewhere(*command), None, "{shortcut}");
            }
        }
    }
}
