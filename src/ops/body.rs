//! Bodies of HTTP messages as files store them: removes the layers around the content, with a limit on what comes out.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{Read, Write as _};

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use brotli_decompressor::Decompressor;
use flate2::read::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use flate2::write::{GzEncoder, ZlibEncoder};
use flate2::{Compression, Crc};
use ruzstd::decoding::StreamingDecoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use crate::format::call::{BodyContent, BodyFault, BodyForm, BodyLayer, HttpBody};
use crate::format::cassette::StoredBody;
use crate::format::{Node, NodeId};
use crate::text::{Source, count_bytes};

/// The most bytes that one layer may expand to: 32 MiB.
const MAX_DECODED: usize = 32 << 20;

/// Base64 as PyYAML accepts it, whose padding may be incomplete.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// What the headers of a message say of its body.
#[derive(Clone, Debug, Default)]
pub(in crate::ops) struct BodyHeaders {
    /// `content-type` in lower case.
    pub(in crate::ops) content_type: String,
    /// The layers of `content-encoding`, in the order in which they were applied.
    pub(in crate::ops) encodings: Vec<BodyLayer>,
    is_chunked: bool,
}

impl BodyHeaders {
    pub(in crate::ops) fn new(headers: &[(String, String)]) -> Self {
        let values = |name: &'static str| {
            let headers = headers.iter();
            headers
                .filter(move |(key, _)| key.eq_ignore_ascii_case(name))
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
        let packed = ["gzip", "zip", "zstd", "octet-stream", "x-tar"];
        packed.iter().any(|kind| self.content_type.contains(kind))
    }
}

/// Reads a body: removes its layers, outermost first. `None` if the message has none.
pub(in crate::ops) fn read_body(stored: StoredBody<'_>, headers: &BodyHeaders) -> Option<HttpBody> {
    let mut body = HttpBody {
        node: NodeId::ROOT,
        layers: Vec::new(),
        sent_bytes: None,
        form: BodyForm::Empty,
        content: BodyContent::Text(Source::new("")),
        fault: None,
    };
    let is_as_sent = !matches!(stored, StoredBody::JsonText(_));
    let mut as_written = "";
    let bytes: Cow<'_, [u8]> = match stored {
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
            body.unwrap_text(node, BodyLayer::Base64, decode_base64)
                .into()
        }
        StoredBody::Hex(node) => {
            body.node = node.id();
            let bytes = body.unwrap_text(node, BodyLayer::Hex, decode_hex);
            // cassetter takes it as text then.
            body.fault = None;
            bytes.into()
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
    /// Decodes the layer of the file; a text that is not valid stays as it is.
    fn unwrap_text(
        &mut self,
        node: Node<'_>,
        layer: BodyLayer,
        decode: fn(&str) -> Option<Vec<u8>>,
    ) -> Vec<u8> {
        let text = node.scalar_text().unwrap_or_default();
        match decode(text) {
            Some(bytes) => {
                self.layers.push(layer);
                bytes
            }
            None => {
                self.fault = Some(BodyFault::Invalid(layer));
                text.as_bytes().to_vec()
            }
        }
    }

    /// Removes the layers of HTTP. Clients often store a body without them, but with the headers that name them.
    fn remove_layers<'b>(
        &mut self,
        mut bytes: Cow<'b, [u8]>,
        headers: &BodyHeaders,
    ) -> Cow<'b, [u8]> {
        if self.fault.is_some() || bytes.is_empty() {
            return bytes;
        }
        if headers.is_chunked
            && let Some(joined) = join_chunks(&bytes)
        {
            self.layers.push(BodyLayer::Chunked);
            bytes = joined.into();
        }
        let undeclared = match bytes[..] {
            _ if !headers.encodings.is_empty() || headers.is_packed() => None,
            [0x1f, 0x8b, 8, ..] => Some(BodyLayer::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(BodyLayer::Zstd),
            _ => None,
        };
        let layers = headers.encodings.iter().rev().copied().chain(undeclared);
        for layer in layers {
            let is_there = match layer {
                BodyLayer::Gzip => bytes.starts_with(&[0x1f, 0x8b]),
                BodyLayer::Zstd => bytes.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]),
                // A stream that stores a short text may be text itself, except for how it ends.
                BodyLayer::Brotli if bytes.ends_with(&[STORED_END]) => true,
                _ => std::str::from_utf8(&bytes).is_err(),
            };
            if !is_there {
                break;
            }
            self.layers.push(layer);
            match unpack(layer, &bytes, MAX_DECODED) {
                Ok(unpacked) => bytes = unpacked.into(),
                Err(fault) => {
                    self.layers.pop();
                    self.fault = Some(fault);
                    break;
                }
            }
        }
        bytes
    }
}

/// Removes one layer.
///
/// # Errors
///
/// Returns an error if the bytes are invalid or break off, or if more than `most` come out.
fn unpack(layer: BodyLayer, bytes: &[u8], most: usize) -> Result<Vec<u8>, BodyFault> {
    match layer {
        BodyLayer::Gzip => read_up_to(MultiGzDecoder::new(bytes), layer, most),
        BodyLayer::Deflate => match read_up_to(ZlibDecoder::new(bytes), layer, most) {
            // Some servers send the bare stream.
            Err(BodyFault::Invalid(_)) => read_up_to(DeflateDecoder::new(bytes), layer, most),
            unpacked => unpacked,
        },
        BodyLayer::Brotli => read_up_to(Decompressor::new(bytes, 4096), layer, most),
        BodyLayer::Zstd => match StreamingDecoder::new(bytes) {
            Ok(decoder) => read_up_to(decoder, layer, most),
            Err(_) => Err(BodyFault::Invalid(layer)),
        },
        BodyLayer::Base64 | BodyLayer::Hex | BodyLayer::Chunked => Err(BodyFault::Invalid(layer)),
    }
}

fn read_up_to(reader: impl Read, layer: BodyLayer, most: usize) -> Result<Vec<u8>, BodyFault> {
    let mut unpacked = Vec::new();
    match reader.take(most as u64 + 1).read_to_end(&mut unpacked) {
        Err(_) => Err(BodyFault::Invalid(layer)),
        Ok(_) if unpacked.len() > most => Err(BodyFault::TooLarge(layer, most)),
        Ok(_) => Ok(unpacked),
    }
}

/// Puts the layers around the content of a body again. Returns it as the file stores it, and how many bytes are sent. `None` if a layer
/// can only be removed.
pub(in crate::ops) fn pack(content: Vec<u8>, layers: &[BodyLayer]) -> Option<(String, usize)> {
    let is_of_file = |layer: &&BodyLayer| matches!(layer, BodyLayer::Base64 | BodyLayer::Hex);
    let mut bytes = content;
    for layer in layers.iter().rev().filter(|layer| !is_of_file(layer)) {
        bytes = add_layer(*layer, &bytes)?;
    }
    let sent = bytes.len();
    let stored = match layers.iter().find(is_of_file) {
        Some(BodyLayer::Hex) => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        Some(_) => BASE64.encode(bytes),
        None => String::from_utf8(bytes).ok()?,
    };
    Some((stored, sent))
}

fn add_layer(layer: BodyLayer, bytes: &[u8]) -> Option<Vec<u8>> {
    match layer {
        BodyLayer::Gzip => {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(bytes).ok()?;
            encoder.finish().ok()
        }
        BodyLayer::Deflate => {
            let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(bytes).ok()?;
            encoder.finish().ok()
        }
        BodyLayer::Zstd => Some(compress_to_vec(bytes, CompressionLevel::Fastest)),
        BodyLayer::Chunked => {
            let head = format!("{:x}\r\n", bytes.len());
            Some([head.as_bytes(), bytes, b"\r\n0\r\n\r\n"].concat())
        }
        BodyLayer::Brotli => Some(stored_brotli(bytes)),
        BodyLayer::Base64 | BodyLayer::Hex => None,
    }
}

/// How a brotli stream that stores bytes ends: a last block that is empty.
const STORED_END: u8 = 0x03;

/// Writes a brotli stream that stores the bytes as they are: blocks of up to 64 KiB (RFC 7932, section 9.2), and an empty last one.
fn stored_brotli(bytes: &[u8]) -> Vec<u8> {
    let mut stream = Vec::with_capacity(bytes.len() + 8);
    for (index, block) in bytes.chunks(1 << 16).enumerate() {
        // Not the last block, a length of 4 nibbles, less one, and not compressed. Before the first one is the size of the window,
        // 64 KiB: a zero bit.
        let head = ((block.len() - 1) << 3) | (1 << 19);
        let head = if index == 0 { head << 1 } else { head };
        stream.extend_from_slice(&head.to_le_bytes()[..3]);
        stream.extend_from_slice(block);
    }
    stream.push(if bytes.is_empty() { 0x06 } else { STORED_END });
    stream
}

/// Decodes Base64 that may be split over lines.
pub(in crate::ops) fn decode_base64(text: &str) -> Option<Vec<u8>> {
    let bytes = text.as_bytes();
    let mut joined = Vec::with_capacity(bytes.len());
    let mut start = 0;
    for end in memchr::memchr_iter(b'\n', bytes).chain([bytes.len()]) {
        joined.extend_from_slice(&bytes[start..end]);
        start = end + 1;
    }
    if count_bytes(&joined, |byte| byte.is_ascii_whitespace()) > 0 {
        joined.retain(|byte| !byte.is_ascii_whitespace());
    }
    BASE64.decode(joined).ok()
}

fn decode_hex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: &u8| (*byte as char).to_digit(16);
    let pairs = text.as_bytes().chunks(2);
    pairs
        .map(|pair| Some((digit(pair.first()?)? * 16 + digit(pair.get(1)?)?) as u8))
        .collect()
}

/// Joins the chunks of HTTP/1.1; `None` if the bytes are not in chunks up to the end.
fn join_chunks(mut bytes: &[u8]) -> Option<Vec<u8>> {
    let mut joined = Vec::new();
    loop {
        let end = memchr::memchr(b'\n', bytes)?;
        let line = std::str::from_utf8(&bytes[..end]).ok()?.trim_end();
        let size = line.split(';').next()?.trim();
        let size = usize::from_str_radix(size, 16).ok()?;
        bytes = &bytes[end + 1..];
        if size == 0 {
            return Some(joined);
        }
        joined.extend_from_slice(bytes.get(..size)?);
        bytes = bytes.get(size..)?;
        bytes = bytes.strip_prefix(b"\r\n").or(bytes.strip_prefix(b"\n"))?;
    }
}

/// Recognises content by the headers, or else by its beginning.
fn form(content: &BodyContent, headers: &BodyHeaders) -> BodyForm {
    let is = |kind: &str| headers.content_type.contains(kind);
    let BodyContent::Text(text) = content else {
        return match content {
            BodyContent::Bytes(_) if is("amazon.eventstream") => BodyForm::EventStream,
            BodyContent::Bytes(_) if is("multipart/") => BodyForm::Multipart,
            _ => BodyForm::Binary,
        };
    };
    let start = text.text().trim_start();
    match start.as_bytes().first() {
        None => BodyForm::Empty,
        _ if is("event-stream") => BodyForm::Events,
        _ if is("amazon.eventstream") => BodyForm::EventStream,
        _ if is("form-urlencoded") => BodyForm::Form,
        _ if is("multipart/") => BodyForm::Multipart,
        Some(b'{' | b'[') => BodyForm::Json,
        _ if start.starts_with("data:") || start.starts_with("event:") => BodyForm::Events,
        _ => BodyForm::Text,
    }
}

/// Returns the payloads of an `application/vnd.amazon.eventstream`, each with its type. What breaks off is left out.
pub(in crate::ops) fn event_stream(mut bytes: &[u8]) -> Vec<(String, &[u8])> {
    let number = |bytes: &[u8]| Some(u32::from_be_bytes(bytes.try_into().ok()?) as usize);
    let mut messages = Vec::new();
    while let Some((total, head)) = bytes
        .get(..4)
        .and_then(number)
        .zip(bytes.get(4..8).and_then(number))
    {
        // The prelude is 12 bytes, and the message ends with a checksum of 4.
        let Some(message) = bytes.get(..total).filter(|_| total >= 16) else {
            break;
        };
        let (Some(headers), Some(payload)) = (
            message.get(12..12 + head),
            message.get(12 + head..total - 4),
        ) else {
            break;
        };
        messages.push((event_type(headers).unwrap_or_default(), payload));
        bytes = &bytes[total..];
    }
    messages
}

/// Puts other payloads into the messages of an event stream, by their numbers from 0, with the lengths and checksums that fit.
pub(in crate::ops) fn with_payloads(
    mut bytes: &[u8],
    payloads: &BTreeMap<usize, String>,
) -> Option<Vec<u8>> {
    let number = |at: usize, bytes: &[u8]| -> Option<usize> {
        let number = bytes.get(at..at + 4)?.try_into().ok()?;
        usize::try_from(u32::from_be_bytes(number)).ok()
    };
    let checksum = |bytes: &[u8]| {
        let mut sum = Crc::new();
        sum.update(bytes);
        sum.sum().to_be_bytes()
    };
    let mut stream = Vec::with_capacity(bytes.len());
    for index in 0.. {
        if bytes.is_empty() {
            break;
        }
        let (total, head) = (number(0, bytes)?, number(4, bytes)?);
        let message = bytes.get(..total).filter(|_| total >= 16)?;
        match payloads.get(&index) {
            None => stream.extend_from_slice(message),
            Some(payload) => {
                let headers = message.get(12..12 + head)?;
                let start = stream.len();
                let total = u32::try_from(16 + head + payload.len()).ok()?;
                stream.extend_from_slice(&total.to_be_bytes());
                stream.extend_from_slice(&message[4..8]);
                let sum = checksum(&stream[start..]);
                stream.extend_from_slice(&sum);
                stream.extend_from_slice(headers);
                stream.extend_from_slice(payload.as_bytes());
                let sum = checksum(&stream[start..]);
                stream.extend_from_slice(&sum);
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
pub(in crate::ops) fn decode_escapes(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let digits = after.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        let escaped = digits.and_then(|two| u8::from_str_radix(two, 16).ok());
        match (first, escaped) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &after[2..];
                continue;
            }
            (b'+', _) => bytes.push(b' '),
            _ => bytes.push(first),
        }
        rest = after;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
pub(in crate::ops) mod testing {
    use super::*;

    /// A message of an event stream of Amazon, with its type and without valid checksums.
    pub(in crate::ops) fn event_message(kind: &str, payload: &str) -> Vec<u8> {
        let mut headers = vec![11];
        headers.extend(b":event-type\x07");
        headers.extend((kind.len() as u16).to_be_bytes());
        headers.extend(kind.as_bytes());
        let total = 16 + headers.len() + payload.len();
        let mut bytes = (total as u32).to_be_bytes().to_vec();
        bytes.extend((headers.len() as u32).to_be_bytes());
        bytes.extend([0; 4]);
        bytes.extend(headers);
        bytes.extend(payload.as_bytes());
        // Like most checksums, this is no text.
        bytes.extend([0xff; 4]);
        bytes
    }

    /// A body as vcrpy stores what was sent packed: its value, and the headers that describe it.
    pub(in crate::ops) fn packed_body(content: &str, coding: BodyLayer) -> [String; 2] {
        let layers = [BodyLayer::Base64, coding];
        let (packed, sent) = pack(content.as_bytes().to_vec(), &layers).unwrap();
        let lines = packed.as_bytes().chunks(76);
        let lines: Vec<&str> = lines
            .map(|line| std::str::from_utf8(line).unwrap())
            .collect();
        let value = format!("!!binary |\n        {}", lines.join("\n        "));
        let headers = format!(
            "      content-encoding:\n      - {}\n      content-length:\n      - '{sent}'\n",
            coding.as_str()
        );
        [value, headers]
    }
}

#[cfg(test)]
mod tests {
    use super::testing::event_message;
    use super::*;
    use crate::format::yaml;
    use crate::text::Source;

    /// The layers, the form and the content of a body that is the value of a YAML file.
    fn described(value: &str, headers: &[(&str, &str)]) -> String {
        let (tree, _) = yaml::parse(&Source::new(format!("body: {value}\n")));
        let node = tree.at_pointer("/body").unwrap();
        let stored = if crate::format::cassette::is_binary(node) {
            StoredBody::Base64(node)
        } else {
            StoredBody::Text(node)
        };
        let headers: Vec<(String, String)> = headers
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        let body = read_body(stored, &BodyHeaders::new(&headers)).unwrap();
        let layers: Vec<&str> = body.layers.iter().map(|layer| layer.as_str()).collect();
        let content = match &body.content {
            BodyContent::Text(text) => format!("{:?}", text.text()),
            BodyContent::Bytes(bytes) => format!("{} bytes", bytes.len()),
            BodyContent::Tree(_) => "a tree".to_owned(),
        };
        let fault = body
            .fault
            .map_or_else(String::new, |fault| format!(", {fault}"));
        format!(
            "{} {} {content}{fault}",
            layers.join(" "),
            body.form.as_str()
        )
    }

    fn binary(bytes: &[u8]) -> String {
        format!("!!binary {}", BASE64.encode(bytes))
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
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
            described(
                &binary(b"\xff\x00"),
                &[("content-type", "multipart/form-data; boundary=x")],
            ),
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
            let (stored, sent) = pack(content.to_vec(), layers).unwrap();
            let mut bytes = match layers.first() {
                Some(Base64) => decode_base64(&stored).unwrap(),
                Some(Hex) => decode_hex(&stored).unwrap(),
                _ => stored.into_bytes(),
            };
            assert_eq!(bytes.len(), sent);
            for layer in layers.iter().skip(1) {
                bytes = match layer {
                    Chunked => join_chunks(&bytes).unwrap(),
                    layer => unpack(*layer, &bytes, 99).unwrap(),
                };
            }
            assert_eq!(bytes, content, "{layers:?}");
        }
        for len in [0, 1, 65_536, 65_537, 200_000] {
            let content: Vec<u8> = (0..len).map(|at| (at % 251) as u8).collect();
            assert_eq!(
                unpack(Brotli, &stored_brotli(&content), len + 1).unwrap(),
                content
            );
        }
    }

    #[test]
    fn what_expands_too_far_is_refused() {
        let bomb = gzip(&vec![0; 100_000]);
        let refused = unpack(BodyLayer::Gzip, &bomb, 99_999);
        assert_eq!(refused, Err(BodyFault::TooLarge(BodyLayer::Gzip, 99_999)));
        assert_eq!(
            unpack(BodyLayer::Gzip, &bomb, 100_000).unwrap().len(),
            100_000
        );
    }

    #[test]
    fn messages_of_an_event_stream_have_their_types() {
        let stream = [
            event_message("messageStart", "{}"),
            event_message("messageStop", "{\"a\":1}"),
        ]
        .concat();
        let read = event_stream(&stream);
        assert_eq!(
            read,
            [
                ("messageStart".to_owned(), &b"{}"[..]),
                ("messageStop".to_owned(), b"{\"a\":1}")
            ]
        );
        assert_eq!(event_stream(&stream[..stream.len() - 1]).len(), 1);
        let payloads = BTreeMap::from([(1, "{\"a\": 2}".to_owned())]);
        let changed = with_payloads(&stream, &payloads).unwrap();
        assert_eq!(event_stream(&changed)[1].1, b"{\"a\": 2}");
        let first = 16 + 1 + 11 + 3 + "messageStart".len() + 2;
        assert_eq!(changed[..first], stream[..first]);
        // The checksum of a message and its own checksum have the same one, whatever they are.
        let mut sum = Crc::new();
        sum.update(&changed[first..changed.len() - 4]);
        assert_eq!(changed[changed.len() - 4..], sum.sum().to_be_bytes());
        assert_eq!(with_payloads(&stream[1..], &payloads), None);
        assert!(event_stream(b"\0\0\0\x08\0\0\0\x01").is_empty());
    }

    #[test]
    fn escapes_are_decoded() {
        assert_eq!(decode_escapes("a+b%20%C3%A9%zz%4"), "a b é%zz%4");
    }
}
