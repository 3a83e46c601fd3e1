//! Bodies of HTTP messages as files store them: removes the layers around the content, with a limit on what comes out.

#[cfg(any(test, feature = "testing"))]
pub mod testing;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Read, Write as _};
use std::ops::Range;

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use brotli_decompressor::Decompressor;
use flate2::read::{DeflateDecoder, GzDecoder, MultiGzDecoder, ZlibDecoder};
use flate2::write::{DeflateEncoder, ZlibEncoder};
use flate2::{Compression, Crc, GzBuilder};
use ruzstd::decoding::StreamingDecoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use serde::de::IgnoredAny;

use crate::call::{BodyContent, BodyFault, BodyForm, BodyLayer, HttpBody, StoredBody};
use crate::text::{Source, count_bytes};
use crate::{Node, NodeId};

/// The most bytes that one layer may expand to: 32 MiB.
const MAX_DECODED_BYTES: usize = 32 << 20;

/// Base64 as PyYAML accepts it, whose padding may be incomplete.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Headers of a message that describe its body.
#[derive(Clone, Debug, Default)]
pub struct BodyHeaders {
    /// `content-type` in lower case.
    pub(crate) content_type: String,
    /// The layers of `content-encoding`, in the order in which they were applied.
    pub encodings: Vec<BodyLayer>,
    is_chunked: bool,
}

impl BodyHeaders {
    pub fn new(head: &[(String, String)]) -> Self {
        let values = |name: &'static str| {
            let head = head.iter();
            head.filter(move |(key, _)| key.eq_ignore_ascii_case(name))
                .map(|(_, value)| value.to_ascii_lowercase())
        };
        let layer = |coding: &str| match coding.trim() {
            "gzip" | "x-gzip" => Some(BodyLayer::Gzip),
            "deflate" => Some(BodyLayer::Deflate),
            "br" => Some(BodyLayer::Brotli),
            "zstd" => Some(BodyLayer::Zstd),
            _ => None,
        };
        let encodings = values("content-encoding")
            .flat_map(|value| value.split(',').filter_map(layer).collect::<Vec<_>>());
        Self {
            content_type: values("content-type").next().unwrap_or_default(),
            encodings: encodings.collect(),
            is_chunked: values("transfer-encoding").any(|value| value.contains("chunked")),
        }
    }

    /// Returns whether the content is an archive, which is not to be unpacked.
    fn is_packed(&self) -> bool {
        let kinds = ["gzip", "zip", "zstd", "octet-stream", "x-tar"];
        kinds.iter().any(|kind| self.content_type.contains(kind))
    }

    /// Returns whether the type is one of texts.
    fn is_text(&self) -> bool {
        let texts = ["json", "xml", "javascript", "urlencoded", "text/"];
        texts.iter().any(|kind| self.content_type.contains(kind))
    }

    /// Returns whether text is not in UTF-8.
    fn has_other_charset(&self) -> bool {
        let charset = self.content_type.split_once("charset=");
        charset.is_some_and(|(_, name)| !name.trim_start_matches('"').starts_with("utf"))
    }
}

/// Returns whether a content can be used as it is: JSON where the type is JSON, another text if nothing of it is damaged. Compressed
/// bytes that were stored as text are not readable, however they are written: as Latin-1, with U+FFFD for what is not UTF-8, as
/// Python's `b'\x1f…'`, as Base64 or in hexadecimal. Bytes of any other type than text are readable, since they may be anything.
pub fn is_readable(content: &[u8], headers: &BodyHeaders) -> bool {
    // Form feed and escape are in texts for printers and terminals.
    let is_control = |c: char| c.is_control() && !"\t\n\r\x0c\x1b".contains(c);
    let is_ascii_control = |c: char| c.is_ascii() && is_control(c);
    let Ok(text) = std::str::from_utf8(content) else {
        let mut chars = content.iter().map(|byte| char::from(*byte));
        return !headers.is_text() || headers.has_other_charset() && !chars.any(is_ascii_control);
    };
    let text = text.trim_matches(['\u{feff}', ' ', '\t', '\n', '\r']);
    // Google puts this before JSON, so that no page runs it.
    let json = text.strip_prefix(")]}'").unwrap_or(text);
    if let Ok(text) = serde_json::from_str::<String>(json) {
        return !text.contains(is_control) && !is_packed_text(&text, &headers.encodings);
    }
    // The text may be one document, or have one in each line.
    let mut values = serde_json::Deserializer::from_str(json).into_iter::<IgnoredAny>();
    if values.next().is_some_and(|first| first.is_ok()) && values.all(|value| value.is_ok()) {
        return true;
    }
    let has_type = !headers.content_type.is_empty();
    let is_json = headers.content_type.contains("json") || !has_type && text.starts_with('{');
    let mut starts =
        ["data:", "event:", "id:", "retry:", ":", "<"].iter().take(if is_json { 2 } else { 6 });
    if starts.any(|start| text.starts_with(start)) {
        // The content may have been received with U+FFFD and similar characters.
        return !text.contains(is_ascii_control);
    }
    let is_lost = |c: char| is_control(c) || matches!(c, '\u{fffd}'..='\u{ffff}');
    !is_json && !text.contains(is_lost) && !is_packed_text(text, &headers.encodings)
}

/// Returns whether a text has the bytes of one of these layers, written as letters.
fn is_packed_text(text: &str, layers: &[BodyLayer]) -> bool {
    // Programs print compressed bytes mostly as escapes, because few of them are ASCII letters.
    let is_printed = (text.starts_with("b'") || text.starts_with("b\"")) && text.contains("\\x");
    if is_printed || text.matches("\\x").count() * 16 > text.len() {
        return true;
    }
    // A shorter text may be a word that has only letters of Base64.
    const MIN_LETTERS: usize = 16;
    let decoders = [decode_any_base64, decode_hex].into_iter();
    let mut texts = decoders.filter_map(|decode| decode(text));
    let is_in = |bytes: &[u8]| {
        let is_layer = |layer: &BodyLayer| match signature(*layer) {
            Some(signature) => bytes.starts_with(signature),
            // A layer without a signature: that many bytes are not a word that happens to be valid Base64.
            None if bytes.len() > 48 => true,
            None => unpack(*layer, bytes, MAX_DECODED_BYTES).is_ok_and(|body| !body.is_empty()),
        };
        layers.iter().any(is_layer)
    };
    text.len() >= MIN_LETTERS && !text.contains(' ') && texts.any(|bytes| is_in(&bytes))
}

/// Returns how the bytes of a layer begin, if they always begin so.
fn signature(layer: BodyLayer) -> Option<&'static [u8]> {
    match layer {
        BodyLayer::Gzip | BodyLayer::RawGzip => Some(&[0x1f, 0x8b, 8]),
        BodyLayer::Zstd => Some(&[0x28, 0xb5, 0x2f, 0xfd]),
        _ => None,
    }
}

/// Reads a body: removes its layers, outermost first. `None` if the message has none.
pub fn read_body(body_text: StoredBody<'_>, headers: &BodyHeaders) -> Option<HttpBody> {
    let mut body = HttpBody {
        node: NodeId::ROOT,
        layers: Vec::new(),
        sent_bytes: None,
        form: BodyForm::Empty,
        content: BodyContent::Text(Source::new("")),
        fault: None,
        is_inside: matches!(body_text, StoredBody::Inside(..)),
    };
    let is_as_sent = !matches!(body_text, StoredBody::JsonText(_));
    let mut as_written = "";
    let bytes: Cow<'_, [u8]> = match body_text {
        StoredBody::Missing => return None,
        StoredBody::Tree(node) => {
            body.node = node.id();
            body.form = BodyForm::Json;
            body.content = BodyContent::Tree(node.id());
            return Some(body);
        }
        StoredBody::Text(node) | StoredBody::JsonText(node) => {
            body.node = node.id();
            as_written = node.scalar_text().unwrap_or_default();
            Cow::Borrowed(as_written.as_bytes())
        }
        StoredBody::Base64(node) => {
            body.node = node.id();
            let text = node.scalar_text().unwrap_or_default().as_bytes();
            let mut bytes = body.unwrap_stored(text, BodyLayer::Base64);
            // vcr for R compresses what it stores, whatever was received.
            if node.key() == Some("raw_gzip") && body.fault.is_none() && !bytes.is_empty() {
                bytes = body.unwrap_stored(&bytes, BodyLayer::RawGzip);
            }
            bytes.into()
        }
        StoredBody::Hex(node) => {
            body.node = node.id();
            let text = node.scalar_text().unwrap_or_default().as_bytes();
            let bytes = body.unwrap_stored(text, BodyLayer::Hex);
            // cassetter reads a text that is not valid hexadecimal as it is.
            body.fault = None;
            bytes.into()
        }
        StoredBody::Lines(node, lines, separator) => {
            body.node = node.id();
            let lines: Vec<&str> = lines.into_iter().filter_map(Node::as_str).collect();
            lines.join(separator).into_bytes().into()
        }
        StoredBody::Inside(node, range) => {
            body.node = node.id();
            let text = node.as_str().and_then(|text| text.get(range)).unwrap_or_default();
            // A string in the text is a body as text.
            let inner: Option<String> = serde_json::from_str(text).ok();
            inner.unwrap_or_else(|| text.to_owned()).into_bytes().into()
        }
        StoredBody::Parts(node, parts) => {
            body.node = node.id();
            let is_encoded = |part: &StoredBody<'_>| matches!(part, StoredBody::Base64(_));
            if parts.iter().any(is_encoded) {
                body.layers.push(BodyLayer::Base64);
            }
            let part = |part: &StoredBody<'_>| match part {
                StoredBody::Base64(node) => node.as_str().and_then(decode_base64),
                StoredBody::Text(node) => Some(node.scalar_text()?.as_bytes().to_vec()),
                _ => None,
            };
            let bytes: Vec<u8> = parts.iter().filter_map(part).flatten().collect();
            bytes.into()
        }
    };
    body.sent_bytes = is_as_sent.then_some(bytes.len());
    let bytes = body.remove_layers(bytes, headers);
    body.content = match bytes {
        Cow::Borrowed(_) => BodyContent::Text(Source::new(as_written)),
        Cow::Owned(bytes) => match String::from_utf8(bytes) {
            Ok(text) => BodyContent::Text(Source::new(text)),
            Err(error) => BodyContent::Bytes(error.into_bytes()),
        },
    };
    body.form = form(&body.content, headers);
    Some(body)
}

impl HttpBody {
    /// Removes a layer of the file; what is not valid stays as it is.
    fn unwrap_stored(&mut self, layer_bytes: &[u8], layer: BodyLayer) -> Vec<u8> {
        match unpack(layer, layer_bytes, MAX_DECODED_BYTES) {
            Ok(bytes) => {
                self.layers.push(layer);
                bytes
            }
            Err(fault) => {
                self.fault = Some(fault);
                layer_bytes.to_vec()
            }
        }
    }

    /// Removes the layers of HTTP. Clients often store a body without them, but with the headers that name them.
    fn remove_layers<'b>(&mut self, mut bytes: Cow<'b, [u8]>, head: &BodyHeaders) -> Cow<'b, [u8]> {
        if self.fault.is_some() || bytes.is_empty() {
            return bytes;
        }
        if head.is_chunked
            && let Some(joined_chunks) = join_chunks(&bytes)
        {
            self.layers.push(BodyLayer::Chunked);
            bytes = joined_chunks.into();
        }
        let has = |layer| signature(layer).is_some_and(|signature| bytes.starts_with(signature));
        let guess = [BodyLayer::Gzip, BodyLayer::Zstd].into_iter().find(|layer| has(*layer));
        let extra = guess.filter(|_| head.encodings.is_empty() && !head.is_packed());
        let mut layers = head.encodings.iter().rev().copied().chain(extra).peekable();
        while let Some(layer) = layers.next() {
            // Layers without a signature: short content in them may happen to be UTF-8.
            let has_mark = match signature(layer) {
                Some(signature) => bytes.starts_with(signature),
                None => std::str::from_utf8(&bytes).is_err(),
            };
            if !has_mark && is_readable(&bytes, head) {
                break;
            }
            let fault = match unpack(layer, &bytes, MAX_DECODED_BYTES) {
                Ok(content)
                    if has_mark || layers.peek().is_some() || is_readable(&content, head) =>
                {
                    self.layers.push(layer);
                    bytes = content.into();
                    continue;
                }
                Err(fault) if has_mark || !matches!(fault, BodyFault::Invalid(_)) => fault,
                // Deflate decodes most bytes to something, so unreadable content shows that the layer is not there.
                Ok(_) | Err(_) => BodyFault::Unreadable(layer),
            };
            self.fault = Some(fault);
            break;
        }
        // Gzip that was stored as Latin-1 or with U+FFFD, which no header shows.
        if let [0x1f, 0xc2, 0x8b, 8, ..] | [0x1f, 0xef, 0xbf, 0xbd, 8, ..] = bytes[..] {
            self.fault = Some(BodyFault::Unreadable(BodyLayer::Gzip));
        }
        bytes
    }
}

/// Removes one layer.
///
/// # Errors
///
/// Returns an error if the bytes are invalid or break off, or if more than `max` come out.
pub(crate) fn unpack(layer: BodyLayer, bytes: &[u8], max: usize) -> Result<Vec<u8>, BodyFault> {
    match layer {
        BodyLayer::Gzip | BodyLayer::RawGzip => read_up_to(MultiGzDecoder::new(bytes), layer, max),
        BodyLayer::Deflate => match read_up_to(ZlibDecoder::new(bytes), layer, max) {
            // Some servers send the stream without the header of zlib.
            Err(BodyFault::Invalid(_)) => read_up_to(DeflateDecoder::new(bytes), layer, max),
            content => content,
        },
        BodyLayer::Brotli => read_up_to(Decompressor::new(bytes, 4096), layer, max),
        BodyLayer::Zstd => match StreamingDecoder::new(bytes) {
            Ok(decoder) => read_up_to(decoder, layer, max),
            Err(_) => Err(BodyFault::Invalid(layer)),
        },
        BodyLayer::Base64 | BodyLayer::Hex | BodyLayer::Chunked => {
            let text = || std::str::from_utf8(bytes).ok();
            let content = match layer {
                BodyLayer::Base64 => text().and_then(decode_base64),
                BodyLayer::Hex => text().and_then(decode_hex),
                _ => join_chunks(bytes),
            };
            content.ok_or(BodyFault::Invalid(layer))
        }
    }
}

/// Returns whether bytes begin as gzip does.
pub fn is_gzip(bytes: &[u8]) -> bool {
    signature(BodyLayer::Gzip).is_some_and(|signature| bytes.starts_with(signature))
}

/// Unpacks a file that is compressed with gzip.
///
/// # Errors
///
/// Returns an error if the bytes are invalid or break off, or if more than `max_bytes` come out.
pub fn gunzip(bytes: &[u8], max_bytes: usize) -> Result<Vec<u8>, BodyFault> {
    read_up_to(MultiGzDecoder::new(bytes), BodyLayer::Gzip, max_bytes)
}

/// Compresses a file as `gzip` does, without a time and a name, so that equal contents make equal files.
pub fn gzip(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzBuilder::new().write(Vec::new(), Compression::default());
    encoder.write_all(bytes)?;
    encoder.finish()
}

fn read_up_to(reader: impl Read, layer: BodyLayer, max_bytes: usize) -> Result<Vec<u8>, BodyFault> {
    let mut content = Vec::new();
    // One byte more shows whether the content ends at the limit or goes on.
    match reader.take(max_bytes as u64 + 1).read_to_end(&mut content) {
        Err(_) => Err(BodyFault::Invalid(layer)),
        Ok(_) if content.len() > max_bytes => Err(BodyFault::TooLarge(layer, max_bytes)),
        Ok(_) => Ok(content),
    }
}

/// Puts the layers around the content of a body again, each written as in `old`, which is what the file has now. Returns it as the
/// file stores it, and how many bytes are sent. `None` if it would be no text.
pub fn pack(content: Vec<u8>, layers: &[BodyLayer], old: &str) -> Option<(String, usize)> {
    // The old bytes inside each layer, so that each is written again in the form it had.
    let mut old_bytes = vec![old.as_bytes().to_vec()];
    for layer in layers {
        let inner_bytes = old_bytes.last().map(|bytes| unpack(*layer, bytes, MAX_DECODED_BYTES));
        old_bytes.push(inner_bytes.and_then(Result::ok).unwrap_or_default());
    }
    let (mut bytes, mut sent_bytes) = (content, None);
    for (layer, old) in layers.iter().zip(&old_bytes).rev() {
        if matches!(layer, BodyLayer::Base64 | BodyLayer::Hex | BodyLayer::RawGzip) {
            sent_bytes.get_or_insert(bytes.len());
        }
        bytes = add_layer(*layer, &bytes, old)?;
    }
    let sent_bytes = sent_bytes.unwrap_or(bytes.len());
    Some((String::from_utf8(bytes).ok()?, sent_bytes))
}

/// Adds one layer, written like `old`, which is empty if there is none to be like.
fn add_layer(layer: BodyLayer, bytes: &[u8], old: &[u8]) -> Option<Vec<u8>> {
    match layer {
        BodyLayer::Gzip | BodyLayer::RawGzip => {
            let mut builder = GzBuilder::new();
            if let Some(header) = GzDecoder::new(old).header() {
                // The time of the old header is not copied: it is not that of these bytes, and would make equal bodies differ.
                builder = builder.operating_system(header.operating_system());
                let (name, comment) = (header.filename(), header.comment());
                builder = name.into_iter().fold(builder, GzBuilder::filename);
                builder = comment.into_iter().fold(builder, GzBuilder::comment);
            }
            // This byte of the header says how well it was compressed (RFC 1952: XFL).
            let level = match old.get(8) {
                Some(2) => Compression::best(),
                Some(4) => Compression::fast(),
                _ => Compression::default(),
            };
            let mut encoder = builder.write(Vec::new(), level);
            encoder.write_all(bytes).ok()?;
            encoder.finish().ok()
        }
        BodyLayer::Deflate => {
            let is_raw = |old| read_up_to(ZlibDecoder::new(old), layer, MAX_DECODED_BYTES).is_err();
            if !old.is_empty() && is_raw(old) {
                let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
                encoder.write_all(bytes).ok()?;
                return encoder.finish().ok();
            }
            let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(bytes).ok()?;
            encoder.finish().ok()
        }
        // The library has no other level that compresses.
        BodyLayer::Zstd => Some(compress_to_vec(bytes, CompressionLevel::Fastest)),
        BodyLayer::Chunked => {
            // A chunk of zero bytes would end the body.
            let chunk = match bytes {
                [] => Vec::new(),
                _ => [format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat(),
            };
            Some([&chunk, &b"0\r\n\r\n"[..]].concat())
        }
        BodyLayer::Brotli => Some(stored_brotli(bytes)),
        BodyLayer::Base64 => Some(base64_like(bytes, std::str::from_utf8(old).ok()?).into()),
        BodyLayer::Hex => {
            let is_upper = old.iter().any(u8::is_ascii_uppercase);
            let text: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            Some(if is_upper { text.to_uppercase() } else { text }.into())
        }
    }
}

/// Writes Base64 like an old text: in lines of the same length, and with padding or without.
fn base64_like(bytes: &[u8], old: &str) -> String {
    let mut text = BASE64.encode(bytes);
    let letters = old.bytes().filter(|byte| !byte.is_ascii_whitespace());
    if !old.contains('=') && letters.count() % 4 != 0 {
        text.truncate(text.trim_end_matches('=').len());
    }
    let first = old.split_ascii_whitespace().next();
    if let Some(first) = first.filter(|_| old.trim_ascii().contains('\n')) {
        let lines: Vec<Cow<'_, str>> =
            text.as_bytes().chunks(first.len()).map(String::from_utf8_lossy).collect();
        text = lines.join("\n");
    }
    if old.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// Writes a brotli stream that stores the bytes as they are: blocks of up to 64 KiB (RFC 7932, section 9.2), and an empty last one.
fn stored_brotli(bytes: &[u8]) -> Vec<u8> {
    let mut stream = Vec::with_capacity(bytes.len() + 8);
    for (index, block) in bytes.chunks(1 << 16).enumerate() {
        // Not the last block, its length less one in 4 nibbles, not compressed. A zero bit before the first block sets the window
        // to 64 KiB.
        let head = ((block.len() - 1) << 3) | (1 << 19);
        let head = if index == 0 { head << 1 } else { head };
        stream.extend_from_slice(&head.to_le_bytes()[..3]);
        stream.extend_from_slice(block);
    }
    // The stream ends with an empty last block.
    stream.push(if bytes.is_empty() { 0x06 } else { 0x03 });
    stream
}

/// Decodes Base64 that may be split over lines.
pub fn decode_base64(text: &str) -> Option<Vec<u8>> {
    let bytes = text.as_bytes();
    let mut content = Vec::with_capacity(bytes.len());
    let mut start = 0;
    for end in memchr::memchr_iter(b'\n', bytes).chain([bytes.len()]) {
        content.extend_from_slice(&bytes[start..end]);
        start = end + 1;
    }
    if count_bytes(&content, |byte| byte.is_ascii_whitespace()) > 0 {
        content.retain(|byte| !byte.is_ascii_whitespace());
    }
    BASE64.decode(content).ok()
}

/// Decodes Base64 with the letters of MIME or of URLs, which Google's libraries send.
pub fn decode_any_base64(text: &str) -> Option<Vec<u8>> {
    if text.contains(['-', '_']) {
        decode_base64(&text.replace('-', "+").replace('_', "/"))
    } else {
        decode_base64(text)
    }
}

pub fn decode_hex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: &u8| (*byte as char).to_digit(16);
    let pairs = text.as_bytes().chunks(2);
    pairs.map(|pair| Some((digit(pair.first()?)? * 16 + digit(pair.get(1)?)?) as u8)).collect()
}

/// Joins the chunks of HTTP/1.1; `None` if the bytes are not in chunks up to the end.
fn join_chunks(mut bytes: &[u8]) -> Option<Vec<u8>> {
    let mut content = Vec::new();
    loop {
        let end = memchr::memchr(b'\n', bytes)?;
        let size = std::str::from_utf8(&bytes[..end]).ok()?.trim_end().split(';').next()?.trim();
        let size = usize::from_str_radix(size, 16).ok()?;
        bytes = &bytes[end + 1..];
        if size == 0 {
            return Some(content);
        }
        content.extend_from_slice(bytes.get(..size)?);
        bytes = bytes.get(size..)?;
        bytes = bytes.strip_prefix(b"\r\n").or(bytes.strip_prefix(b"\n"))?;
    }
}

/// Recognises content by the headers, or else by its beginning.
fn form(content: &BodyContent, headers: &BodyHeaders) -> BodyForm {
    let is_kind = |kind: &str| headers.content_type.contains(kind);
    let BodyContent::Text(text) = content else {
        return match content {
            BodyContent::Bytes(_) if is_kind("amazon.eventstream") => BodyForm::EventStream,
            BodyContent::Bytes(_) if is_kind("multipart/") => BodyForm::Multipart,
            _ => BodyForm::Binary,
        };
    };
    let start = text.text().trim_start();
    match start.as_bytes().first() {
        None => BodyForm::Empty,
        _ if is_kind("event-stream") => BodyForm::Events,
        _ if is_kind("amazon.eventstream") => BodyForm::EventStream,
        _ if is_kind("form-urlencoded") => BodyForm::Form,
        _ if is_kind("multipart/") => BodyForm::Multipart,
        Some(b'{' | b'[') => BodyForm::Json,
        _ if start.starts_with("data:") || start.starts_with("event:") => BodyForm::Events,
        _ => BodyForm::Text,
    }
}

/// Returns the parts of a multipart body, each as the places of its headers and of its content, by the boundary in its first line.
pub fn form_parts(bytes: &[u8]) -> Vec<[Range<usize>; 2]> {
    let line = memchr::memchr(b'\n', bytes).unwrap_or(bytes.len());
    let boundary = bytes[..line].trim_ascii_end();
    if !boundary.starts_with(b"--") || boundary.len() < 3 {
        return Vec::new();
    }
    let starts: Vec<usize> = memchr::memmem::find_iter(bytes, boundary).collect();
    let ends = starts.iter().skip(1).copied().chain([bytes.len()]);
    let parts = starts.iter().zip(ends).map(|(start, end)| {
        let start = start + boundary.len();
        let part = &bytes[start..end];
        let gap = |mark: &[u8]| memchr::memmem::find(part, mark).map(|at| start + at + mark.len());
        let gap = gap(b"\r\n\r\n").or_else(|| gap(b"\n\n")).unwrap_or(end);
        let rest = &bytes[gap..end];
        let line = rest.strip_suffix(b"\n").unwrap_or(rest);
        let content = line.strip_suffix(b"\r").unwrap_or(line);
        [start..gap, gap..gap + content.len()]
    });
    parts.collect()
}

/// Returns the payloads of an `application/vnd.amazon.eventstream`, each with its type. What breaks off is left out.
pub fn event_stream(mut bytes: &[u8]) -> Vec<(String, &[u8])> {
    let mut messages = Vec::new();
    while let Some([total, head]) = message_lengths(bytes) {
        // The prelude is 12 bytes, and the message ends with a checksum of 4.
        let Some(message) = bytes.get(..total).filter(|_| total >= 16) else { break };
        let (Some(headers), Some(payload)) =
            (message.get(12..12 + head), message.get(12 + head..total - 4))
        else {
            break;
        };
        messages.push((event_type(headers).unwrap_or_default(), payload));
        bytes = &bytes[total..];
    }
    messages
}

/// Returns the lengths of the message at the start of an event stream, and of its headers.
fn message_lengths(stream: &[u8]) -> Option<[usize; 2]> {
    let (total, rest) = stream.split_first_chunk::<4>()?;
    Some([total, rest.first_chunk()?].map(|length| u32::from_be_bytes(*length) as usize))
}

/// Fault of an event stream, with the number of the message from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventStreamFault {
    /// A length or a checksum does not fit.
    Damaged(usize),
    BreaksOff(usize),
}

/// Checks the lengths and checksums of an `application/vnd.amazon.eventstream`, and returns its first fault.
pub fn event_stream_fault(mut bytes: &[u8]) -> Option<EventStreamFault> {
    for index in 1.. {
        if bytes.is_empty() {
            break;
        }
        let Some((prelude, [total, head])) = bytes.get(..12).zip(message_lengths(bytes)) else {
            return Some(EventStreamFault::BreaksOff(index));
        };
        if checksum(&prelude[..8]) != prelude[8..] || total < 16 + head {
            return Some(EventStreamFault::Damaged(index));
        }
        let Some((message, rest)) = bytes.split_at_checked(total) else {
            return Some(EventStreamFault::BreaksOff(index));
        };
        if checksum(&message[..total - 4]) != message[total - 4..] {
            return Some(EventStreamFault::Damaged(index));
        }
        bytes = rest;
    }
    None
}

fn checksum(bytes: &[u8]) -> [u8; 4] {
    let mut sum = Crc::new();
    sum.update(bytes);
    sum.sum().to_be_bytes()
}

/// Puts other payloads into the messages of an event stream, by their numbers from 0, with the lengths and checksums that fit.
pub fn with_payloads(mut bytes: &[u8], payloads: &BTreeMap<usize, String>) -> Option<Vec<u8>> {
    let mut stream = Vec::with_capacity(bytes.len());
    for index in 0.. {
        if bytes.is_empty() {
            break;
        }
        let [total, head] = message_lengths(bytes)?;
        let message = bytes.get(..total).filter(|_| total >= 16)?;
        match payloads.get(&index) {
            None => stream.extend_from_slice(message),
            Some(payload) => {
                let headers = message.get(12..12 + head)?;
                let start = stream.len();
                let total = u32::try_from(16 + head + payload.len()).ok()?;
                stream.extend_from_slice(&total.to_be_bytes());
                stream.extend_from_slice(&message[4..8]);
                stream.extend_from_slice(&checksum(&stream[start..]));
                stream.extend_from_slice(headers);
                stream.extend_from_slice(payload.as_bytes());
                stream.extend_from_slice(&checksum(&stream[start..]));
            }
        }
        bytes = &bytes[total..];
    }
    Some(stream)
}

/// Returns the value of `:event-type` or `:exception-type`: headers are a name, a type (7 for a text) and a value, each with its length.
fn event_type(mut headers: &[u8]) -> Option<String> {
    while let Some((&len, rest)) = headers.split_first() {
        let (name, rest) = rest.split_at_checked(len.into())?;
        let (kind, rest) = rest.split_first()?;
        if *kind != 7 {
            return None;
        }
        let (len, rest) = rest.split_first_chunk::<2>()?;
        let (value, rest) = rest.split_at_checked(u16::from_be_bytes(*len).into())?;
        if matches!(name, b":event-type" | b":exception-type") {
            return String::from_utf8(value.to_vec()).ok();
        }
        headers = rest;
    }
    None
}

/// Decodes the escapes of a field of a form or an address: `%41` and `+`.
pub fn decode_escapes(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let digits = tail.get(..2).and_then(|hex_digits| std::str::from_utf8(hex_digits).ok());
        match (first, digits.and_then(|hex_digits| u8::from_str_radix(hex_digits, 16).ok())) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &tail[2..];
                continue;
            }
            (b'+', _) => bytes.push(b' '),
            _ => bytes.push(first),
        }
        rest = tail;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::testing::event_message;
    use super::*;
    use crate::text::Source;
    use crate::{json, yaml};

    /// The layers, the form and the content of a body that is the value of a YAML file.
    fn described(value: &str, headers: &[(&str, &str)]) -> String {
        let (tree, _) = yaml::parse(&Source::new(format!("body: {value}\n")));
        let node = tree.at_pointer("/body").unwrap();
        let stored_body = if crate::cassette::is_binary(node) {
            StoredBody::Base64(node)
        } else {
            StoredBody::Text(node)
        };
        let headers: Vec<(String, String)> =
            headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let body = read_body(stored_body, &BodyHeaders::new(&headers)).unwrap();
        let layers: Vec<&str> = body.layers.iter().map(|layer| layer.as_str()).collect();
        let content = match &body.content {
            BodyContent::Text(text) => format!("{:?}", text.text()),
            BodyContent::Bytes(bytes) => format!("{} bytes", bytes.len()),
            BodyContent::Tree(_) => "a tree".to_owned(),
        };
        let fault = body.fault.map_or_else(String::new, |fault| format!(", {fault}"));
        format!("{} {} {content}{fault}", layers.join(" "), body.form.as_str())
    }

    fn binary(bytes: &[u8]) -> String {
        format!("!!binary {}", BASE64.encode(bytes))
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        add_layer(BodyLayer::Gzip, bytes, b"").unwrap()
    }

    fn raw_deflate(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn is_zlib(bytes: &[u8]) -> bool {
        ZlibDecoder::new(bytes).read_to_end(&mut Vec::new()).is_ok()
    }

    /// The layers and the fault of a body that is a text.
    fn judged(text: &str, coding: &str, content_type: &str) -> (String, Option<BodyFault>) {
        let json_text = json::quote(text);
        let (tree, _) = json::parse(&Source::new(format!("{{\"body\": {json_text}}}")));
        let stored_body = StoredBody::Text(tree.at_pointer("/body").unwrap());
        let headers = [("content-encoding", coding), ("content-type", content_type)]
            .map(|(name, value)| (name.to_owned(), value.to_owned()));
        let body = read_body(stored_body, &BodyHeaders::new(&headers)).unwrap();
        let layers: Vec<&str> = body.layers.iter().map(|layer| layer.as_str()).collect();
        (layers.join(" "), body.fault)
    }

    #[test]
    fn compressed_bytes_that_were_stored_as_text_are_a_fault() {
        use BodyLayer::{Brotli, Deflate, Gzip, Zstd};
        let content =
            r#"{"id": "chatcmpl-AbCdEf0123456789", "choices": [{"index": 0, "text": "é"}]}"#;
        // What is in it, compressed by another program.
        let brotli = "iyWAeyJpZCI6ICJjaGF0Y21wbC1BYkNkRWYwMTIzNDU2Nzg5IiwgImNob2ljZXMiOiBbeyJpbmRleCI6IDAsICJ0ZXh0IjogIsOpIn1dfQM=";
        let pack_content = |layer| add_layer(layer, content.as_bytes(), b"").unwrap();
        let bodies = [
            ("gzip", Gzip, pack_content(Gzip)),
            ("x-gzip", Gzip, pack_content(Gzip)[..30].to_vec()),
            ("deflate", Deflate, pack_content(Deflate)),
            ("deflate", Deflate, raw_deflate(content.as_bytes())),
            ("br", Brotli, pack_content(Brotli)),
            ("br", Brotli, decode_base64(brotli).unwrap()),
            ("zstd", Zstd, pack_content(Zstd)),
            ("br, gzip", Gzip, pack_content(Gzip)),
            (
                "deflate",
                Deflate,
                raw_deflate(b"The quick brown fox jumps over the lazy dog. It jumps over it."),
            ),
        ];
        let escape = |byte: &u8| match byte {
            b' '..=b'~' if !b"\\'\"".contains(byte) => char::from(*byte).to_string(),
            byte => format!("\\x{byte:02x}"),
        };
        let escapes = |bytes: &[u8]| bytes.iter().map(escape).collect::<String>();
        for (coding, layer, bytes) in bodies {
            let latin: String = bytes.iter().map(|byte| char::from(*byte)).collect();
            let base64 = BASE64.encode(&bytes);
            let texts = [
                String::from_utf8_lossy(&bytes).into_owned(),
                json::quote(&latin),
                latin,
                format!("b'{}'", escapes(&bytes)),
                format!("b\"{}\"", escapes(&bytes)),
                format!("\"{}\"", escapes(&bytes)),
                escapes(&bytes),
                base64_like(&bytes, "abcdefgh\nabcd"),
                base64.replace('+', "-").replace('/', "_"),
                bytes.iter().map(|byte| format!("{byte:02X}")).collect(),
                base64,
            ];
            for (index, text) in texts.iter().enumerate() {
                for kind in ["application/json", "text/plain", "text/html", "text/event-stream", ""]
                {
                    // A word in Base64 may be a text, if it may be any text.
                    let is_word = text.len() < 24 && index > 6 && !kind.contains("json");
                    let (layers, fault) = judged(text, coding, kind);
                    let expected = (!is_word).then_some(BodyFault::Unreadable(layer));
                    assert_eq!((&*layers, fault), ("", expected), "{coding} {kind} {text}");
                }
            }
        }
        let gzip_texts = ["\u{1f}\u{8b}\u{8}\0\0", "\u{1f}\u{fffd}\u{8}\0"];
        for text in gzip_texts {
            assert_eq!(judged(text, "", "text/plain").1, Some(BodyFault::Unreadable(Gzip)));
        }
    }

    #[test]
    fn a_body_that_is_readable_without_its_layer_has_no_fault() {
        let json = "application/json; charset=utf-8";
        let readable = [
            (json, r#"{"a": "\u001f\ufffd", "b": "�"}"#),
            (json, "\u{feff}[1, 2]\n"),
            (json, "{\"a\": 1}\n{\"a\": 2}\n"),
            (json, ")]}'\n\n105\n[[\"wrb.fr\"]]\n25\n[[\"e\"]]\n"),
            (json, "\"ok\""),
            (json, "data: {\"a\": 1}\n\ndata: [DONE]\n\n"),
            ("text/event-stream", ": ping\n\nevent: a\ndata: \u{fffd}\n\n"),
            ("text/event-stream", "{\"error\": \"overloaded\"}"),
            ("text/html", "<!doctype html><p>\u{fffd}</p>"),
            ("application/xml", "<a/>"),
            ("text/plain", "upstream connect error\u{1b}[0m"),
            ("text/plain", "H4sI is how Base64 of gzip begins"),
            ("application/x-www-form-urlencoded", "a=b&c=%1f%8b"),
            ("", "SGVsbG8sIGhlcmUgaXMgYSB0ZXh0"),
            ("image/svg+xml", "<svg/>"),
        ];
        for (kind, text) in readable {
            for coding in ["gzip", "br", "deflate", "zstd", "gzip, br"] {
                assert_eq!(judged(text, coding, kind), (String::new(), None), "{kind} {text}");
            }
        }
        let unreadable = [
            (json, "{\"a\": 1, \"b"),
            (json, "[redacted]"),
            (json, "<html></html>"),
            (json, "upstream connect error"),
            ("text/html", "<p>\0\u{1}</p>"),
            ("text/plain", "caf\u{fffd}"),
            ("text/plain", "caf\u{c3}\u{a9}\u{8b}"),
        ];
        for (kind, text) in unreadable {
            let fault = Some(BodyFault::Unreadable(BodyLayer::Gzip));
            assert_eq!(judged(text, "gzip", kind).1, fault, "{kind} {text}");
            assert_eq!(judged(text, "", kind).1, None, "{kind} {text}");
        }
        // Bytes may be anything, if they are no text by their type.
        let bytes = [
            ("image/png", &b"\x89PNG\r\n\x1a\n\0\0"[..], "4 bytes"),
            ("text/html; charset=ISO-8859-1", b"<p>caf\xe9</p>", "12 bytes"),
            (
                "application/json",
                b"\x89PNG\r\n",
                ", it is not in gzip, and not readable without it",
            ),
            ("text/html", b"<p>caf\xe9</p>", ", it is not in gzip, and not readable without it"),
        ];
        for (kind, bytes, end) in bytes {
            let headers = [("content-encoding", "gzip"), ("content-type", kind)];
            let description = described(&binary(bytes), &headers);
            assert_eq!(description.contains(", "), end.starts_with(", "), "{description}");
            assert!(!end.starts_with(", ") || description.ends_with(end), "{description}");
        }
    }

    proptest! {
        #![proptest_config(crate::text::cases(256))]

        #[test]
        fn a_body_is_written_as_it_was(
            content in ".{0,300}",
            old_content in ".{1,300}",
            codings in prop::collection::vec(0..5_usize, 0..3),
            is_hex in any::<bool>(),
            is_raw in any::<bool>(),
            is_upper in any::<bool>(),
            is_padded in any::<bool>(),
            width in prop::option::of(1..20_usize),
        ) {
            use BodyLayer::{Base64, Brotli, Chunked, Deflate, Gzip, Hex, Zstd};
            let text_layer = if is_hex { Hex } else { Base64 };
            let codings = codings.iter().map(|coding| [Gzip, Deflate, Brotli, Zstd, Chunked][*coding]);
            let layers: Vec<BodyLayer> = [text_layer].into_iter().chain(codings).collect();
            let wrap = |bytes: Vec<u8>, layer: &BodyLayer| match layer {
                Deflate if is_raw => raw_deflate(&bytes),
                Hex if is_upper => bytes.iter().flat_map(|byte| format!("{byte:02X}").into_bytes()).collect(),
                Base64 => {
                    let mut text = BASE64.encode(bytes);
                    if !is_padded {
                        text = text.trim_end_matches('=').to_owned();
                    }
                    let lines = text.as_bytes().chunks(width.unwrap_or(usize::MAX));
                    lines.collect::<Vec<_>>().join(&b'\n')
                }
                layer => add_layer(*layer, &bytes, b"").unwrap(),
            };
            let wrap_content = |content: &str| layers.iter().rev().fold(content.as_bytes().to_vec(), wrap);
            let old = String::from_utf8(wrap_content(&old_content)).unwrap();
            let (stored_text, sent_bytes) = pack(content.clone().into_bytes(), &layers, &old).unwrap();
            let mut bytes = stored_text.clone().into_bytes();
            for (index, layer) in layers.iter().enumerate() {
                prop_assert!(*layer != Deflate || is_zlib(&bytes) != is_raw);
                bytes = unpack(*layer, &bytes, 1 << 20).unwrap();
                prop_assert!(index > 0 || bytes.len() == sent_bytes);
            }
            prop_assert_eq!(&bytes, content.as_bytes());
            let lines: Vec<&str> = stored_text.lines().collect();
            if is_hex {
                prop_assert!(is_upper || stored_text.to_lowercase() == stored_text);
                prop_assert!(!is_upper || !old.contains(|c: char| c.is_ascii_uppercase()) || stored_text.to_uppercase() == stored_text);
            } else if let Some(width) = width.filter(|_| old.contains('\n')) {
                prop_assert!(lines.iter().rev().skip(1).all(|line| line.len() == width));
            } else {
                prop_assert_eq!(lines.len(), usize::from(!stored_text.is_empty()));
            }
            // The same content is the same text.
            let text_again = pack(content.into_bytes(), &layers, &stored_text).unwrap().0;
            prop_assert!(text_again == stored_text || old_content.is_empty() || stored_text.is_empty());
        }
    }

    #[test]
    fn gzip_keeps_its_name_and_its_system_but_no_time() {
        let mut old = GzBuilder::new()
            .mtime(7)
            .operating_system(3)
            .filename("a.json")
            .write(Vec::new(), Compression::best());
        old.write_all(b"{}").unwrap();
        let old = old.finish().unwrap();
        let new = add_layer(BodyLayer::Gzip, b"[]", &old).unwrap();
        assert_eq!(new[..4], old[..4]);
        assert_eq!(new[4..8], [0; 4]);
        assert_eq!(new[8..17], old[8..17]);
        assert_eq!(unpack(BodyLayer::Gzip, &new, 9).unwrap(), b"[]");
    }

    #[test]
    fn what_vcr_for_r_compresses_is_no_encoding() {
        let read = |bytes: &[u8], coding: &str| {
            let text = json::quote(&BASE64.encode(bytes));
            let (tree, _) = json::parse(&Source::new(format!("{{\"raw_gzip\": {text}}}")));
            let stored_body = StoredBody::Base64(tree.at_pointer("/raw_gzip").unwrap());
            let headers = [("content-encoding".to_owned(), coding.to_owned())];
            let body = read_body(stored_body, &BodyHeaders::new(&headers)).unwrap();
            (body.layers, body.sent_bytes, body.fault)
        };
        use BodyLayer::{Base64, Gzip, RawGzip};
        for coding in ["", "gzip"] {
            assert_eq!(read(&gzip(b"{}"), coding), (vec![Base64, RawGzip], Some(2), None));
        }
        let twice = gzip(&gzip(b"{}"));
        let sent_bytes = gzip(b"{}").len();
        assert_eq!(read(&twice, "gzip"), (vec![Base64, RawGzip, Gzip], Some(sent_bytes), None));
        let fault = read(&gzip(b"{}")[..12], "").2;
        assert_eq!(fault, Some(BodyFault::Invalid(RawGzip)));
        let content = b"[]".to_vec();
        assert_eq!(pack(content, &[Base64, RawGzip], "").unwrap().1, 2);
    }

    #[test]
    fn the_layers_that_the_headers_name_are_removed() {
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
        zlib.write_all(b"data: 1\n\n").unwrap();
        let zlib = zlib.finish().unwrap();
        // zstd of `{"a":1}`: a frame with one raw block.
        let zstd = b"\x28\xb5\x2f\xfd\x20\x07\x39\x00\x00{\"a\":1}";
        let brotli = b"\x0b\x03\x80{\"a\":1}\x03";
        let encoding = |name| [("Content-Encoding", name)];
        let lines = [
            described("'{\"a\": 1}'", &[]),
            described(&binary(&gzip(b"{}")), &encoding("gzip")),
            described(&binary(&gzip(b"{}")), &[]),
            described(&binary(&zlib), &encoding("deflate")),
            described(&binary(zstd), &encoding("zstd")),
            described(&binary(brotli), &encoding("br")),
            described("'{}'", &encoding("gzip")),
            described(
                "\"3\\r\\na=b\\r\\n0\\r\\n\\r\\n\"",
                &[
                    ("transfer-encoding", "chunked"),
                    ("content-type", "application/x-www-form-urlencoded"),
                ],
            ),
            described(&binary(b"\xff\x00"), &[("content-type", "multipart/form-data; boundary=x")]),
            described("!!binary 'a-b'", &[]),
            described(&binary(&gzip(&[b'x'; 99])[..20]), &encoding("gzip")),
        ];
        insta::assert_snapshot!(lines.join("\n"), @r#"
         JSON "{\"a\": 1}"
        base64 gzip JSON "{}"
        base64 gzip JSON "{}"
        base64 deflate events "data: 1\n\n"
        base64 zstd JSON "{\"a\":1}"
        base64 br JSON "{\"a\":1}"
         JSON "{}"
        chunked form "a=b"
        base64 multipart 2 bytes
         text "a-b", it is not valid base64
        base64 bytes 20 bytes, it is not valid gzip
        "#);
    }

    #[test]
    fn layers_are_put_around_a_content_again() {
        use BodyLayer::{Base64, Brotli, Chunked, Deflate, Gzip, Hex, Zstd};
        let content = b"{\"a\": 1}";
        for layers in [
            &[][..],
            &[Base64],
            &[Hex, Gzip],
            &[Base64, Deflate],
            &[Base64, Chunked, Zstd],
            &[Base64, Zstd, Gzip],
            &[Base64, Brotli],
        ] {
            let (text, _) = pack(content.to_vec(), layers, "").unwrap();
            let bytes_read = layers
                .iter()
                .fold(text.into_bytes(), |bytes, layer| unpack(*layer, &bytes, 99).unwrap());
            assert_eq!(bytes_read, content, "{layers:?}");
        }
        for len in [0, 1, 65_536, 65_537, 200_000] {
            let content: Vec<u8> = (0..len).map(|at| (at % 251) as u8).collect();
            assert_eq!(unpack(Brotli, &stored_brotli(&content), len + 1).unwrap(), content);
        }
    }

    #[test]
    fn what_expands_too_far_is_refused() {
        let bomb = gzip(&vec![0; 100_000]);
        let outcome = unpack(BodyLayer::Gzip, &bomb, 99_999);
        assert_eq!(outcome, Err(BodyFault::TooLarge(BodyLayer::Gzip, 99_999)));
        assert_eq!(unpack(BodyLayer::Gzip, &bomb, 100_000).unwrap().len(), 100_000);
    }

    #[test]
    fn messages_of_an_event_stream_have_their_types() {
        let stream =
            [event_message("messageStart", "{}"), event_message("messageStop", "{\"a\":1}")]
                .concat();
        let read = event_stream(&stream);
        assert_eq!(
            read,
            [("messageStart".to_owned(), &b"{}"[..]), ("messageStop".to_owned(), b"{\"a\":1}")]
        );
        assert_eq!(event_stream(&stream[..stream.len() - 1]).len(), 1);
        let payloads = BTreeMap::from([(1, "{\"a\": 2}".to_owned())]);
        let new_stream = with_payloads(&stream, &payloads).unwrap();
        assert_eq!(event_stream(&new_stream)[1].1, b"{\"a\": 2}");
        let first = 16 + 1 + 11 + 3 + "messageStart".len() + 2;
        assert_eq!(new_stream[..first], stream[..first]);
        // The checksum of a message and its own checksum have the same one, whatever they are.
        let mut sum = Crc::new();
        sum.update(&new_stream[first..new_stream.len() - 4]);
        assert_eq!(new_stream[new_stream.len() - 4..], sum.sum().to_be_bytes());
        assert_eq!(with_payloads(&stream[1..], &payloads), None);
        assert!(event_stream(b"\0\0\0\x08\0\0\0\x01").is_empty());
    }

    #[test]
    fn escapes_are_decoded() {
        assert_eq!(decode_escapes("a+b%20%C3%A9%zz%4"), "a b é%zz%4");
    }
}
