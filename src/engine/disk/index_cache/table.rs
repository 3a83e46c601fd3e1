//! Lists and tables in the file of a cache, which are used where they are, without decoding them first.

use std::hash::BuildHasher as _;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use foldhash::quality::FixedState;

use super::bytes::{ByteReader, ByteWriter};
use crate::disk::file_stamp::FileStamp;

/// Byte strings by number: how many, where each begins, and their bytes.
#[derive(Debug, Default)]
pub(super) struct StoredList {
    count: usize,
    /// Offset of the bounds in the file.
    bounds: usize,
    /// Range of the bytes in the file.
    bytes: Range<usize>,
}

impl StoredList {
    /// Reads where the parts of a list are; `file` is all of the file, `offset` the place of the list, which is moved behind it.
    pub(super) fn parse(file: &[u8], offset: &mut usize) -> Option<Self> {
        let count = usize::try_from(number_at(file, *offset)?).ok()?;
        let bounds = *offset + 4;
        // The numbers come from a file, which may be damaged: no sum of them may overflow.
        let start = bounds.checked_add(count.checked_add(1)?.checked_mul(4)?)?;
        let mut list = Self { count, bounds, bytes: start..start };
        let length = usize::try_from(number_at(file, bounds + count * 4)?).ok()?;
        list.bytes.end = start.checked_add(length)?;
        *offset = list.bytes.end;
        (list.bytes.end <= file.len()).then_some(list)
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// Returns the bytes of an entry; `None` where there is none.
    pub(super) fn get<'a>(&self, file: &'a [u8], index: usize) -> Option<&'a [u8]> {
        if index >= self.count {
            return None;
        }
        let bound = |index| usize::try_from(number_at(file, self.bounds + index * 4)?).ok();
        file.get(self.bytes.clone())?.get(bound(index)?..bound(index + 1)?)
    }
}

/// Byte strings that become a [`StoredList`].
#[derive(Debug)]
pub(super) struct ListWriter {
    bounds: Vec<usize>,
    bytes: Vec<u8>,
}

impl Default for ListWriter {
    fn default() -> Self {
        Self { bounds: vec![0], bytes: Vec::new() }
    }
}

impl ListWriter {
    pub(super) fn len(&self) -> usize {
        self.bounds.len() - 1
    }

    /// Adds an entry and returns its number.
    pub(super) fn push(&mut self, entry: &[u8]) -> usize {
        self.push_with(|writer| writer.bytes(entry))
    }

    /// Adds the entry that is written by `write`.
    pub(super) fn push_with(&mut self, write: impl FnOnce(&mut ByteWriter)) -> usize {
        let mut writer = ByteWriter(std::mem::take(&mut self.bytes));
        write(&mut writer);
        self.bytes = writer.0;
        self.bounds.push(self.bytes.len());
        self.bounds.len() - 2
    }

    fn get(&self, index: usize) -> &[u8] {
        &self.bytes[self.bounds[index]..self.bounds[index + 1]]
    }

    /// Writes the list; `None` when it is too long for its bounds.
    pub(super) fn write(&self, output: &mut Vec<u8>) -> Option<()> {
        output.extend(u32::try_from(self.len()).ok()?.to_le_bytes());
        for bound in &self.bounds {
            output.extend(u32::try_from(*bound).ok()?.to_le_bytes());
        }
        output.extend_from_slice(&self.bytes);
        Some(())
    }
}

/// Entries of files, by their paths. An entry is valid for a file with the same stamp.
#[derive(Debug, Default)]
pub(super) struct StoredTable {
    entries: StoredList,
    /// Range of the numbers of the entries in the file, each plus one, by the hash of the path; zero where there is none.
    slots: Range<usize>,
    /// Whether each entry is still valid: whether it was used.
    is_used: Box<[AtomicBool]>,
}

impl StoredTable {
    pub(super) fn parse(file: &[u8], offset: &mut usize) -> Option<Self> {
        let entries = StoredList::parse(file, offset)?;
        let slots = slot_count(entries.count).checked_mul(4)?;
        let slots = *offset..offset.checked_add(slots)?;
        *offset = slots.end;
        let is_used = (0..entries.count).map(|_| AtomicBool::new(false));
        (slots.end <= file.len()).then(|| Self { is_used: is_used.collect(), entries, slots })
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Finds what is stored of the file at a path, if it has this stamp.
    pub(super) fn find<'a>(
        &self,
        file: &'a [u8],
        seed: u64,
        path: &str,
        stamp: &FileStamp,
    ) -> Option<ByteReader<'a>> {
        let slots = file.get(self.slots.clone())?;
        let count = slots.len() / 4;
        let mut slot = first_slot(seed, path, count);
        // Bounded, in case that no slot is free.
        for _ in 0..count {
            let index = number_at(slots, slot * 4)?.checked_sub(1)?;
            let index = usize::try_from(index).ok()?;
            let mut entry = ByteReader(self.entries.get(file, index)?);
            let stored_stamp: [u8; FileStamp::BYTES] = entry.array()?;
            if entry.text()? == path {
                // The search ends here in any case: a path has one entry.
                let is_same = stored_stamp == stamp.to_bytes();
                return is_same.then(|| {
                    self.is_used[index].store(true, Ordering::Relaxed);
                    entry
                });
            }
            slot = (slot + 1) % count;
        }
        None
    }

    /// Adds the entries that were used to others.
    pub(super) fn copy_used(&self, file: &[u8], writer: &mut ListWriter) {
        for (index, is_used) in self.is_used.iter().enumerate() {
            if is_used.load(Ordering::Relaxed)
                && let Some(entry) = self.entries.get(file, index)
            {
                writer.push(entry);
            }
        }
    }
}

/// Begins the entry of a file, for [`StoredTable::find`].
pub(super) fn begin_entry(writer: &mut ByteWriter, path: &str, stamp: &FileStamp) {
    writer.bytes(&stamp.to_bytes());
    writer.text(path);
}

/// Writes entries as a [`StoredTable`].
pub(super) fn write_table(entries: &ListWriter, seed: u64, output: &mut Vec<u8>) -> Option<()> {
    entries.write(output)?;
    let count = slot_count(entries.len());
    let mut slots = vec![0_u32; count];
    for index in 0..entries.len() {
        let mut entry = ByteReader(entries.get(index));
        entry.bytes(FileStamp::BYTES)?;
        let mut slot = first_slot(seed, entry.text()?, count);
        while slots[slot] != 0 {
            slot = (slot + 1) % count;
        }
        slots[slot] = u32::try_from(index + 1).ok()?;
    }
    output.extend(slots.iter().flat_map(|slot| slot.to_le_bytes()));
    Some(())
}

/// Returns how many slots a table has: at least twice as many as entries.
fn slot_count(entries: usize) -> usize {
    // Half of the slots stay free, so that the search for a path that is not stored ends soon.
    (entries.saturating_mul(2) + 1).next_power_of_two()
}

fn first_slot(seed: u64, path: &str, count: usize) -> usize {
    let hash = FixedState::with_seed(seed).hash_one(path.as_bytes());
    usize::try_from(hash % count.max(1) as u64).unwrap_or(0)
}

fn number_at(bytes: &[u8], offset: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(offset..)?.first_chunk()?))
}
