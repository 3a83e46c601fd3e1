//! Texts and signatures that many rows share: stored once, and referred to by number.

use std::sync::{Arc, OnceLock};

use foldhash::{HashMap, HashMapExt as _};

use super::bytes::{ByteReader, ByteWriter};
use super::table::{ListWriter, StoredList};
use calls::Pool;
use document::signature::{Signature, SignatureText};

/// The shared texts and signatures of a file, decoded when they are first used.
#[derive(Debug, Default)]
pub(super) struct StoredTexts {
    texts: StoredList,
    signatures: StoredList,
    known_texts: Box<[OnceLock<Arc<str>>]>,
    known_signatures: Box<[OnceLock<Arc<Signature>>]>,
}

impl StoredTexts {
    pub(super) fn parse(file: &[u8], offset: &mut usize) -> Option<Self> {
        let texts = StoredList::parse(file, offset)?;
        let signatures = StoredList::parse(file, offset)?;
        Some(Self {
            known_texts: (0..texts.len()).map(|_| OnceLock::new()).collect(),
            known_signatures: (0..signatures.len()).map(|_| OnceLock::new()).collect(),
            texts,
            signatures,
        })
    }

    fn raw<'a>(&self, file: &'a [u8], number: usize) -> Option<&'a str> {
        std::str::from_utf8(self.texts.get(file, number)?).ok()
    }

    pub(super) fn text(&self, file: &[u8], number: usize, pool: &Pool) -> Option<Arc<str>> {
        let cell = self.known_texts.get(number)?;
        if cell.get().is_none() {
            // Another thread may have been faster; the pool gave both the same text.
            let _ = cell.set(pool.text(self.raw(file, number)?));
        }
        cell.get().cloned()
    }

    pub(super) fn signature(&self, file: &[u8], id: usize, pool: &Pool) -> Option<Arc<Signature>> {
        let cell = self.known_signatures.get(id)?;
        if cell.get().is_none() {
            let mut reader = ByteReader(self.signatures.get(file, id)?);
            let message_count = reader.number()?;
            let mut names = || -> Option<Vec<&str>> {
                let count = reader.length()?;
                let mut names = Vec::with_capacity(count);
                for _ in 0..count {
                    names.push(self.raw(file, usize::try_from(reader.number()?).ok()?)?);
                }
                Some(names)
            };
            let text =
                SignatureText { message_count, tool_names: names()?, context_keys: names()? };
            // Another thread may have been faster; the pool gave both the same signature.
            let _ = cell.set(pool.signature(&text));
        }
        cell.get().cloned()
    }
}

/// The shared texts and signatures of a file that is to be written: those of the previous file with their numbers, then new ones.
#[derive(Debug, Default)]
pub(super) struct TextCollector {
    texts: ListWriter,
    signatures: ListWriter,
    numbers: HashMap<Box<[u8]>, usize>,
    signature_numbers: HashMap<Box<[u8]>, usize>,
}

impl TextCollector {
    /// Begins with the texts and signatures of a file.
    pub(super) fn after(file: &[u8], stored: &StoredTexts) -> Self {
        let list_entries = |list: &StoredList| {
            let (mut writer, mut numbers) = (ListWriter::default(), HashMap::new());
            for entry in (0..list.len()).map(|number| list.get(file, number).unwrap_or_default()) {
                // All of them, used or not: rows are copied as bytes, which contain these numbers.
                numbers.insert(entry.into(), writer.push(entry));
            }
            (writer, numbers)
        };
        let (texts, numbers) = list_entries(&stored.texts);
        let (signatures, signature_numbers) = list_entries(&stored.signatures);
        Self { texts, signatures, numbers, signature_numbers }
    }

    pub(super) fn text(&mut self, text: &str) -> usize {
        number_of(text.as_bytes(), &mut self.numbers, &mut self.texts)
    }

    pub(super) fn signature(&mut self, signature: &Signature) -> usize {
        let mut writer = ByteWriter::default();
        writer.number(signature.message_count);
        for names in [&signature.tool_names, &signature.context_keys] {
            writer.length(names.len());
            for name in names {
                writer.length(self.text(name));
            }
        }
        number_of(&writer.0, &mut self.signature_numbers, &mut self.signatures)
    }

    pub(super) fn write(&self, output: &mut Vec<u8>) -> Option<()> {
        self.texts.write(output)?;
        self.signatures.write(output)
    }
}

fn number_of(entry: &[u8], ids: &mut HashMap<Box<[u8]>, usize>, list: &mut ListWriter) -> usize {
    if let Some(number) = ids.get(entry) {
        return *number;
    }
    let number = list.push(entry);
    ids.insert(entry.into(), number);
    number
}
