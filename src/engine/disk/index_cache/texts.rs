//! Texts that many rows share: stored once, and referred to by number.

use std::sync::{Arc, OnceLock};

use foldhash::HashMap;

use super::table::{ListWriter, StoredList};
use calls::Pool;

/// The shared texts of a file, decoded when they are first used.
#[derive(Debug, Default)]
pub(super) struct StoredTexts {
    texts: StoredList,
    known: Box<[OnceLock<Arc<str>>]>,
}

impl StoredTexts {
    pub(super) fn parse(file: &[u8], offset: &mut usize) -> Option<Self> {
        let texts = StoredList::parse(file, offset)?;
        Some(Self { known: (0..texts.len()).map(|_| OnceLock::new()).collect(), texts })
    }

    pub(super) fn text(&self, file: &[u8], number: usize, pool: &Pool) -> Option<Arc<str>> {
        let cell = self.known.get(number)?;
        if cell.get().is_none() {
            let text = std::str::from_utf8(self.texts.get(file, number)?).ok()?;
            // Another thread may have been faster; the pool gave both the same text.
            let _ = cell.set(pool.text(text));
        }
        cell.get().cloned()
    }
}

/// The shared texts of a file that is to be written: those of the previous file with their numbers, then new ones.
#[derive(Debug, Default)]
pub(super) struct TextCollector {
    texts: ListWriter,
    numbers: HashMap<Box<[u8]>, usize>,
}

impl TextCollector {
    /// Begins with the texts of a file.
    pub(super) fn after(file: &[u8], stored: &StoredTexts) -> Self {
        let mut collector = Self::default();
        // All of them, used or not: rows are copied as bytes, which contain these numbers.
        for number in 0..stored.texts.len() {
            collector.push(stored.texts.get(file, number).unwrap_or_default());
        }
        collector
    }

    pub(super) fn text(&mut self, text: &str) -> usize {
        let number = self.numbers.get(text.as_bytes()).copied();
        number.unwrap_or_else(|| self.push(text.as_bytes()))
    }

    fn push(&mut self, text: &[u8]) -> usize {
        let number = self.texts.push(text);
        self.numbers.insert(text.into(), number);
        number
    }

    pub(super) fn write(&self, output: &mut Vec<u8>) -> Option<()> {
        self.texts.write(output)
    }
}
