//! The keys, for tests.

use super::ShortcutKey;
use super::keys::{LAST_FUNCTION_KEY, NAMED_KEYS, SIGNS};

impl ShortcutKey {
    /// Every key that a command can have.
    pub fn all() -> impl Iterator<Item = Self> {
        let chars = ('a'..='z').chain('0'..='9').chain(SIGNS.chars());
        let functions = (1..=LAST_FUNCTION_KEY).map(Self::F);
        let named_keys = NAMED_KEYS.iter().map(|(_, key)| *key);
        chars.map(Self::Char).chain(functions).chain(named_keys)
    }
}
