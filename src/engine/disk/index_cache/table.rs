//! Lists and tables in the file of a cache, which are used where they are, without decoding them first.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

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

/// Entries of files, sorted by their paths. An entry is valid for a file with the same stamp.
#[derive(Debug, Default)]
pub(super) struct StoredTable {
    entries: StoredList,
    /// Whether each entry is still valid: whether it was used.
    is_used: Box<[AtomicBool]>,
}

impl StoredTable {
    pub(super) fn parse(file: &[u8], offset: &mut usize) -> Option<Self> {
        let entries = StoredList::parse(file, offset)?;
        let is_used = (0..entries.count).map(|_| AtomicBool::new(false));
        Some(Self { is_used: is_used.collect(), entries })
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Finds what is stored of the file at a path, if it has this stamp.
    pub(super) fn find<'a>(
        &self,
        file: &'a [u8],
        path: &str,
        stamp: &FileStamp,
    ) -> Option<ByteReader<'a>> {
        let (mut start, mut end) = (0, self.entries.len());
        while start < end {
            let index = start.midpoint(end);
            let mut entry = ByteReader(self.entries.get(file, index)?);
            let stored_stamp: [u8; FileStamp::BYTES] = entry.array()?;
            match entry.text()?.cmp(path) {
                Ordering::Less => start = index + 1,
                Ordering::Greater => end = index,
                Ordering::Equal if stored_stamp == stamp.to_bytes() => {
                    self.is_used[index].store(true, Relaxed);
                    return Some(entry);
                }
                Ordering::Equal => return None,
            }
        }
        None
    }

    /// Adds the entries that were used to others.
    pub(super) fn copy_used(&self, file: &[u8], writer: &mut ListWriter) {
        for (index, is_used) in self.is_used.iter().enumerate() {
            if is_used.load(Relaxed)
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
pub(super) fn write_table(entries: &ListWriter, output: &mut Vec<u8>) -> Option<()> {
    let mut sorted = Vec::with_capacity(entries.len());
    for index in 0..entries.len() {
        let mut entry = ByteReader(entries.get(index));
        entry.bytes(FileStamp::BYTES)?;
        sorted.push((entry.text()?, entries.get(index)));
    }
    sorted.sort_unstable();
    let mut table = ListWriter::default();
    for (_, entry) in sorted {
        table.push(entry);
    }
    table.write(output)
}

fn number_at(bytes: &[u8], offset: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(offset..)?.first_chunk()?))
}
