//! Archives of Inspect: a zip file with JSON members, read as JSON lines. They are never written.

use std::ops::Range;

use crate::body::unpack;
use crate::call::BodyLayer;

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

/// Returns the header of a log and its samples, one a line; `None` if the archive has none, cannot be unpacked, or has more than that many
/// bytes then.
pub fn lines(bytes: &[u8], max_bytes: usize) -> Option<Vec<u8>> {
    let members = members(bytes)?;
    // A log that is still written has no header yet.
    let is_header = |name: &str| members.iter().find(|member| member.name == name);
    let header = is_header("header.json").or_else(|| is_header("_journal/start.json"));
    let is_sample = |member: &&ArchiveMember<'_>| {
        member.name.starts_with("samples/") && member.name.ends_with(".json")
    };
    let mut lines = Vec::new();
    for member in header.into_iter().chain(members.iter().filter(is_sample)) {
        let max_bytes = max_bytes.checked_sub(lines.len())?;
        let content = match member.method {
            0 => member.packed.get(..member.packed.len().min(max_bytes + 1))?.to_vec(),
            8 => unpack(BodyLayer::Deflate, member.packed, max_bytes).ok()?,
            93 => unpack(BodyLayer::Zstd, member.packed, max_bytes).ok()?,
            _ => return None,
        };
        if content.len() > max_bytes {
            return None;
        }
        // A line break in JSON is only between values.
        lines.extend(
            content.into_iter().map(|byte| if b"\r\n".contains(&byte) { b' ' } else { byte }),
        );
        lines.push(b'\n');
    }
    (!lines.is_empty()).then_some(lines)
}

/// Reads the directory, which is at the end, before a comment.
fn members(bytes: &[u8]) -> Option<Vec<ArchiveMember<'_>>> {
    const END_BYTES: usize = 22;
    const MAX_COMMENT_BYTES: usize = 0xffff;
    let tail = bytes.len().saturating_sub(END_BYTES + MAX_COMMENT_BYTES);
    let end = tail + bytes.get(tail..)?.windows(4).rposition(|mark| mark == END_MARK)?;
    let count = number(bytes, end + 10..end + 12)?;
    let mut at = number(bytes, end + 16..end + 20)?;
    let mut members = Vec::new();
    for _ in 0..count {
        let entry = bytes.get(at..).filter(|entry| entry.starts_with(ENTRY_MARK))?;
        let name_bytes = number(entry, 28..30)?;
        let rest = number(entry, 30..32)? + number(entry, 32..34)?;
        let (packed_bytes, start) = (number(entry, 20..24)?, number(entry, 42..46)?);
        let member = bytes.get(start..).filter(|member| is_archive(member))?;
        // The name and the additions are there again, and these may differ.
        let content = 30 + number(member, 26..28)? + number(member, 28..30)?;
        members.push(ArchiveMember {
            name: std::str::from_utf8(entry.get(46..46 + name_bytes)?).ok()?,
            method: u16::try_from(number(entry, 10..12)?).ok()?,
            packed: member.get(content..content + packed_bytes)?,
        });
        at += 46 + name_bytes + rest;
    }
    Some(members)
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
        assert_eq!(text(1000).as_deref(), Some(expected));
        assert_eq!(text(expected.len()).as_deref(), Some(expected));
        assert_eq!(text(20), None);
        let running = archive(&[("_journal/start.json", 0, "{\"eval\": 0}")]);
        assert_eq!(lines(&running, 1000).as_deref(), Some(&b"{\"eval\": 0}\n"[..]));
        assert_eq!(lines(&archive(&[("notes.txt", 0, "x")]), 1000), None);
    }

    #[test]
    fn damaged_archives_have_no_lines() {
        let log = archive(&[("header.json", 93, "{}"), ("samples/a.json", 8, "{}")]);
        for end in 0..log.len() - 24 {
            assert_eq!(lines(&log[..end], 1000), None, "{end} bytes");
        }
        for at in 0..log.len() {
            let mut damaged = log.clone();
            damaged[at] ^= 0xff;
            // Only that it ends.
            let _ = lines(&damaged, 1000);
        }
    }
}
