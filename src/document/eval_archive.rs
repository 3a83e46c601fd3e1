//! Zip files: those of Inspect with JSON members, read as JSON lines, and those of CI with logs. They are never written.

use std::ops::Range;

use crate::body::unpack;
use crate::call::{BodyFault, BodyLayer};

const MEMBER_MARK: &[u8] = b"PK\x03\x04";
const ENTRY_MARK: &[u8] = b"PK\x01\x02";
const END_MARK: &[u8] = b"PK\x05\x06";

/// Returns whether bytes begin as a zip archive does.
pub fn is_archive(bytes: &[u8]) -> bool {
    bytes.starts_with(MEMBER_MARK)
}

/// A member, as the directory at the end of the archive describes it.
struct ArchiveMember<'b> {
    name: &'b str,
    method: u16,
    packed: &'b [u8],
}

/// Returns the header of a log and its samples, one a line.
///
/// # Errors
///
/// Returns the reason if it is no log, a member cannot be unpacked, or it has more than that many bytes then.
pub fn lines(bytes: &[u8], max_bytes: usize) -> Result<Vec<u8>, String> {
    let members = members(bytes)?;
    // A log that is still written has no header yet.
    let is_header = |name: &str| members.iter().find(|member| member.name == name);
    let header = is_header("header.json").or_else(|| is_header("_journal/start.json"));
    let is_sample = |member: &&ArchiveMember<'_>| {
        member.name.starts_with("samples/") && member.name.ends_with(".json")
    };
    let mut lines = Vec::new();
    for member in header.into_iter().chain(members.iter().filter(is_sample)) {
        let content = member.unpack(max_bytes.saturating_sub(lines.len()))?;
        // A line break in JSON is only between values.
        lines.extend(
            content.into_iter().map(|byte| if b"\r\n".contains(&byte) { b' ' } else { byte }),
        );
        lines.push(b'\n');
    }
    if lines.is_empty() { Err("it has neither a header nor samples".to_owned()) } else { Ok(lines) }
}

/// Returns the members whose name is wanted, with their names, in the order of the archive.
///
/// # Errors
///
/// A message without a full stop, if one cannot be unpacked, or together they have more than that many bytes then.
pub fn unpacked_members(
    bytes: &[u8],
    max_bytes: usize,
    is_wanted: impl Fn(&str) -> bool,
) -> Result<Vec<(String, Vec<u8>)>, String> {
    let mut rest_bytes = max_bytes;
    let wanted = members(bytes)?.into_iter().filter(|member| is_wanted(member.name));
    let unpacked = wanted.map(|member| {
        let content = member.unpack(rest_bytes)?;
        rest_bytes -= content.len();
        Ok((member.name.to_owned(), content))
    });
    unpacked.collect()
}

impl ArchiveMember<'_> {
    fn unpack(&self, max_bytes: usize) -> Result<Vec<u8>, String> {
        let fault = |fault: BodyFault| format!("{}: {fault}", self.name);
        let content = match self.method {
            0 => self.packed[..self.packed.len().min(max_bytes + 1)].to_vec(),
            8 => unpack(BodyLayer::Deflate, self.packed, max_bytes).map_err(fault)?,
            93 => unpack(BodyLayer::Zstd, self.packed, max_bytes).map_err(fault)?,
            method => return Err(format!("{}: method {method} is not read", self.name)),
        };
        if content.len() > max_bytes {
            return Err("it has too many bytes".to_owned());
        }
        Ok(content)
    }
}

/// Reads the directory, which is at the end, before a comment.
fn members(bytes: &[u8]) -> Result<Vec<ArchiveMember<'_>>, String> {
    const END_BYTES: usize = 22;
    const MAX_COMMENT_BYTES: usize = 0xffff;
    let tail = &bytes[bytes.len().saturating_sub(END_BYTES + MAX_COMMENT_BYTES)..];
    let end = || {
        let end = tail.get(tail.windows(4).rposition(|mark| mark == END_MARK)?..)?;
        Some((number(end, 10..12)?, number(end, 16..20)?))
    };
    let (count, mut at) = end().ok_or("its directory is missing: the file was cut off")?;
    let mut members = Vec::new();
    for index in 1..=count {
        let fault = || format!("entry {index} of {count} in its directory is damaged");
        let (member, entry_bytes) = entry(bytes, at).ok_or_else(fault)?;
        members.push(member);
        at += entry_bytes;
    }
    Ok(members)
}

/// Reads the member of an entry of the directory, and returns the size of the entry.
fn entry(bytes: &[u8], at: usize) -> Option<(ArchiveMember<'_>, usize)> {
    let entry = bytes.get(at..).filter(|entry| entry.starts_with(ENTRY_MARK))?;
    let name_bytes = number(entry, 28..30)?;
    let rest = number(entry, 30..32)? + number(entry, 32..34)?;
    let (packed_bytes, start) = (number(entry, 20..24)?, number(entry, 42..46)?);
    let content = bytes.get(start..).filter(|member| is_archive(member))?;
    // The name and the additions are there again, and these may differ.
    let content_start = 30 + number(content, 26..28)? + number(content, 28..30)?;
    let member = ArchiveMember {
        name: std::str::from_utf8(entry.get(46..46 + name_bytes)?).ok()?,
        method: u16::try_from(number(entry, 10..12)?).ok()?,
        packed: content.get(content_start..content_start + packed_bytes)?,
    };
    Some((member, 46 + name_bytes + rest))
}

/// Returns a number of two or four bytes.
fn number(bytes: &[u8], range: Range<usize>) -> Option<usize> {
    Some(bytes.get(range)?.iter().rev().fold(0, |number, byte| number << 8 | usize::from(*byte)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::DeflateEncoder;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};
    use std::io::Write as _;

    fn archive(members: &[(&str, u16, &str)]) -> Vec<u8> {
        let (mut bytes, mut directory) = (Vec::new(), Vec::new());
        for (name, method, text) in members {
            let packed = match method {
                8 => {
                    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
                    encoder.write_all(text.as_bytes()).unwrap();
                    encoder.finish().unwrap()
                }
                93 => compress_to_vec(text.as_bytes(), CompressionLevel::Fastest),
                _ => text.as_bytes().to_vec(),
            };
            let start = u32::try_from(bytes.len()).unwrap();
            let sizes = [packed.len(), text.len()].map(|size| u32::try_from(size).unwrap());
            let name_bytes = u16::try_from(name.len()).unwrap();
            let mut common =
                [[0; 4], [0; 4], sizes[0].to_le_bytes(), sizes[1].to_le_bytes()].concat();
            common.extend(name_bytes.to_le_bytes());
            let fields = [&[45, 0, 0, 0][..], &method.to_le_bytes(), &common].concat();
            bytes.extend([MEMBER_MARK, &fields, &[2, 0], name.as_bytes(), b"xx", &packed].concat());
            let place = [&[0; 12][..], &start.to_le_bytes()].concat();
            directory.extend([ENTRY_MARK, &[45, 3], &fields, &place, name.as_bytes()].concat());
        }
        let start = u32::try_from(bytes.len()).unwrap().to_le_bytes();
        let count = u16::try_from(members.len()).unwrap().to_le_bytes();
        let end = [END_MARK, &[0; 6], &count, &[0; 4], &start, &[2, 0], b"ok"].concat();
        [bytes, directory, end].concat()
    }

    #[test]
    fn header_and_samples_become_lines() {
        let log = archive(&[
            ("_journal/start.json", 0, "{\"eval\": 0}"),
            ("samples/b_epoch_1.json", 93, "{\r\n \"id\": \"b\"\n}"),
            ("summaries.json", 93, "[]"),
            ("samples/a_epoch_1.json", 8, "{\"id\": \"a\"}"),
            ("header.json", 8, "{\"eval\": 1}"),
        ]);
        let text = |max_bytes| lines(&log, max_bytes).map(|text| String::from_utf8(text).unwrap());
        let expected = "{\"eval\": 1}\n{   \"id\": \"b\" }\n{\"id\": \"a\"}\n";
        assert_eq!(text(1000).as_deref(), Ok(expected));
        assert_eq!(text(expected.len()).as_deref(), Ok(expected));
        assert_eq!(text(20), Err("samples/b_epoch_1.json: zstd expands to more than 0 MiB".into()));
        let running = archive(&[("_journal/start.json", 0, "{\"eval\": 0}")]);
        assert_eq!(lines(&running, 1000).as_deref(), Ok(&b"{\"eval\": 0}\n"[..]));
        let logs = archive(&[("b/1_test.txt", 8, "x"), ("a.bin", 1, "?"), ("a.txt", 0, "yy")]);
        assert!(lines(&logs, 1000).is_err());
        let names = |max_bytes| {
            let members = unpacked_members(&logs, max_bytes, |name| name.ends_with(".txt"));
            let names = members.iter().flatten();
            names.map(|(name, text)| format!("{name} {}", text.len())).collect::<Vec<_>>()
        };
        assert_eq!(names(3), ["b/1_test.txt 1", "a.txt 2"]);
        assert!(names(2).is_empty());
    }

    #[test]
    fn damaged_archives_have_no_lines_but_a_reason() {
        let log = archive(&[("header.json", 93, "{}"), ("samples/a.json", 8, "{}")]);
        let cut_off = Err("its directory is missing: the file was cut off".to_owned());
        for end in 0..log.len() - 24 {
            assert_eq!(lines(&log[..end], 1000), cut_off, "{end} bytes");
        }
        let changed = |place: &str, offset: usize| {
            let at = log.windows(place.len()).position(|bytes| bytes == place.as_bytes()).unwrap();
            let mut damaged = log.clone();
            damaged[at + offset] ^= 0xff;
            lines(&damaged, 1000).unwrap_err()
        };
        assert_eq!(changed("PK\u{1}\u{2}", 0), "entry 1 of 2 in its directory is damaged");
        assert_eq!(changed("header.jsonxx", 13), "header.json: it is not valid zstd");
        assert_eq!(changed("PK\u{1}\u{2}", 10), "header.json: method 162 is not read");
        let other = lines(&archive(&[("notes.txt", 0, "x")]), 1000);
        assert_eq!(other, Err("it has neither a header nor samples".to_owned()));
        for at in 0..log.len() {
            let mut damaged = log.clone();
            damaged[at] ^= 0xff;
            // Only that it ends.
            let _ = lines(&damaged, 1000);
        }
    }
}
