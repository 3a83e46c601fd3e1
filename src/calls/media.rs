//! Pictures and sounds in the bodies of a call, found by their content, whatever field holds them.
//!
//! They are decoded to what a view draws: a picture of limited size, and a sound as the heights of its wave. A sound is not played.

use std::io::Cursor;

use document::body::decode_any_base64;
use document::call::{BodyContent, BodyForm, HttpBody};
use document::text::{Source, named_enum};
use document::{Document, DocumentBody, Node, NodeId, NodeKind, json};
use image::{ImageFormat, ImageReader, Limits};

use crate::reading::call_at;

/// Most media of one call: an agent sends its pictures again with each call.
const MAX_MEDIA: usize = 12;
/// Most bytes of one medium, as Base64.
const MAX_BASE64_BYTES: usize = 48 << 20;
/// Most memory that decoding one picture may take, in bytes.
const MAX_DECODED_BYTES: u64 = 256 << 20;
/// Greatest width and height of a picture in its file.
const MAX_FILE_PIXELS: u32 = 16_384;
/// Greatest width and height of a picture as it is kept: twice the points it is drawn with.
const MAX_SHOWN_PIXELS: [u32; 2] = [896, 1_792];
/// Number of heights of a wave.
const WAVE_HEIGHTS: usize = 96;
/// Shortest Base64 that is looked at: signatures of formats are also in short ids.
const MIN_BASE64_BYTES: usize = 64;

named_enum! {
    /// Format of a picture or a sound.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum MediaFormat {
        Png = "PNG",
        Jpeg = "JPEG",
        Gif = "GIF",
        WebP = "WebP",
        Wav = "WAV",
        Mp3 = "MP3",
        Ogg = "Ogg",
        Flac = "FLAC",
        /// Samples of 16 bits without a header.
        Pcm = "PCM",
    }

    /// Returns its name.
    pub fn name;
}

/// A picture or a sound of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Medium {
    /// Whether the answer has it, not the request.
    pub is_answer: bool,
    pub format: MediaFormat,
    /// Size without Base64.
    pub bytes: usize,
    pub content: MediumContent,
}

/// What is drawn of a medium.
#[derive(Clone, Debug, PartialEq)]
pub enum MediumContent {
    Picture(Picture),
    Sound(Sound),
    /// It is damaged, too large, or in a format that is not decoded.
    NotDecoded,
}

/// A picture, decoded.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// Width and height in the file.
    pub size: [u32; 2],
    /// Width and height of `rgba`.
    pub shown_size: [u32; 2],
    pub rgba: Vec<u8>,
}

/// A sound, as far as it is read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sound {
    /// Heights of its wave, from 0 to 1; none if its samples are compressed.
    pub heights: Vec<f32>,
    pub seconds: Option<f32>,
}

impl MediaFormat {
    /// Returns the format that begins with these bytes.
    fn of_bytes(bytes: &[u8]) -> Option<Self> {
        Some(match bytes {
            [0x89, b'P', b'N', b'G', ..] => Self::Png,
            [0xff, 0xd8, 0xff, ..] => Self::Jpeg,
            [b'G', b'I', b'F', b'8', ..] => Self::Gif,
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Self::WebP,
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'A', b'V', b'E', ..] => Self::Wav,
            [b'I', b'D', b'3', ..] | [0xff, 0xf3 | 0xfb, ..] => Self::Mp3,
            [b'O', b'g', b'g', b'S', ..] => Self::Ogg,
            [b'f', b'L', b'a', b'C', ..] => Self::Flac,
            _ => return None,
        })
    }
}

/// Returns the pictures and sounds of a call: of the request, then of the answer.
pub fn media_of_call(document: &Document, node: NodeId) -> Vec<Medium> {
    let mut media = Vec::new();
    let http = match &document.body {
        DocumentBody::Foreign(_) => call_at(document, node).and_then(|call| call.facts.http),
        _ => None,
    };
    match (&document.body, http) {
        (_, Some(http)) => {
            for (body, is_answer) in [(http.request_body, false), (http.response_body, true)] {
                if let Some(body) = body {
                    media.extend(media_of_body(document, &body, is_answer));
                }
            }
        }
        (DocumentBody::Recording(_) | DocumentBody::Request(_), None) => {
            let root = document.tree.root();
            for (key, is_answer) in [("request", false), ("response", true)] {
                let side = root.and_then(|root| root.get(key));
                media.extend(side.into_iter().flat_map(|side| media_in(side, is_answer)));
            }
        }
        _ => {}
    }
    media.truncate(MAX_MEDIA);
    media
}

fn media_of_body(document: &Document, body: &HttpBody, is_answer: bool) -> Vec<Medium> {
    match &body.content {
        BodyContent::Tree(node) => media_in(document.node(*node), is_answer),
        BodyContent::Text(text) if body.form == BodyForm::Events => {
            let list = text.text().lines().filter_map(|line| line.strip_prefix("data:"));
            let trees = list.filter_map(|event| json::parse_container(&Source::new(event.trim())));
            let media = trees.flat_map(|tree| {
                tree.root().map(|root| media_in(root, is_answer)).unwrap_or_default()
            });
            // The end of a stream repeats what was sent before.
            let mut media: Vec<Medium> = media.collect();
            media.dedup();
            media
        }
        BodyContent::Text(text) => match json::parse_container(text) {
            Some(tree) => tree.root().map(|root| media_in(root, is_answer)).unwrap_or_default(),
            None => Vec::new(),
        },
        BodyContent::Bytes(bytes) => {
            let format = MediaFormat::of_bytes(bytes);
            format.map(|format| decode(format, bytes, None, is_answer)).into_iter().collect()
        }
    }
}

fn media_in(root: Node<'_>, is_answer: bool) -> Vec<Medium> {
    let nodes = root.tree().nodes_at(root.positions());
    let texts = nodes.filter(|node| node.kind() == NodeKind::String);
    // Earlier stages of a picture that is streamed.
    let texts = texts.filter(|node| node.key() != Some("partial_image_b64"));
    texts.filter_map(|node| medium(node, is_answer)).take(MAX_MEDIA).collect()
}

/// Returns the format of a medium in a text of Base64, and its size without Base64.
pub fn format_of_base64(text: &str) -> Option<(MediaFormat, usize)> {
    let base64 = text.split_once(";base64,").map_or(text, |(_, base64)| base64);
    let head: String = base64.chars().take(24).collect();
    let format = MediaFormat::of_bytes(&decode_any_base64(&head)?)?;
    Some((format, base64.len() / 4 * 3))
}

/// Returns the medium in a text: Base64 or a data URI, with the type beside it where its bytes do not say one.
fn medium(node: Node<'_>, is_answer: bool) -> Option<Medium> {
    let text = node.as_str()?;
    if !(MIN_BASE64_BYTES..=MAX_BASE64_BYTES).contains(&text.len()) {
        return None;
    }
    let uri = text.strip_prefix("data:").and_then(|uri| uri.split_once(";base64,"));
    let base64 = uri.map_or(text, |(_, base64)| base64);
    let stated_type = uri.map(|(stated_type, _)| stated_type).or_else(|| {
        let keys = ["mimeType", "mime_type", "media_type"];
        let parent = node.parent()?;
        keys.iter().find_map(|key| parent.get(key)?.as_str())
    });
    // Only the beginning, since most texts are none.
    let head: String = base64.chars().take(24).collect();
    let sniffed_format = MediaFormat::of_bytes(&decode_any_base64(&head)?);
    let is_pcm =
        |name: &&str| ["audio/L16", "audio/l16", "audio/pcm"].iter().any(|p| name.starts_with(p));
    let pcm = || stated_type.filter(is_pcm).map(|_| MediaFormat::Pcm);
    let format = sniffed_format.or_else(pcm)?;
    let bytes = decode_any_base64(base64)?;
    Some(decode(format, &bytes, stated_type, is_answer))
}

fn decode(format: MediaFormat, bytes: &[u8], stated_type: Option<&str>, is_answer: bool) -> Medium {
    use MediaFormat::{Flac, Gif, Jpeg, Mp3, Ogg, Pcm, Png, Wav, WebP};
    let content = match format {
        Png => picture(bytes, ImageFormat::Png).map(MediumContent::Picture),
        Jpeg => picture(bytes, ImageFormat::Jpeg).map(MediumContent::Picture),
        Gif | WebP => None,
        Wav => Some(MediumContent::Sound(wave(bytes).unwrap_or_default())),
        Pcm => {
            let rate = stated_type.and_then(|name| name.split_once("rate="));
            let rate = rate.and_then(|(_, rate)| rate.split(';').next()?.trim().parse().ok());
            Some(MediumContent::Sound(samples(bytes, 1, rate)))
        }
        Mp3 | Ogg | Flac => Some(MediumContent::Sound(Sound::default())),
    };
    let content = content.unwrap_or(MediumContent::NotDecoded);
    Medium { is_answer, format, bytes: bytes.len(), content }
}

fn picture(bytes: &[u8], format: ImageFormat) -> Option<Picture> {
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_FILE_PIXELS);
    limits.max_image_height = Some(MAX_FILE_PIXELS);
    limits.max_alloc = Some(MAX_DECODED_BYTES);
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    reader.limits(limits);
    let picture = reader.decode().ok()?;
    let size = [picture.width(), picture.height()];
    let [max_width, max_height] = MAX_SHOWN_PIXELS;
    let is_small = size[0] <= max_width && size[1] <= max_height;
    let shown = if is_small { picture } else { picture.thumbnail(max_width, max_height) };
    let rgba = shown.into_rgba8();
    Some(Picture { size, shown_size: [rgba.width(), rgba.height()], rgba: rgba.into_raw() })
}

/// Reads a WAV file of 16 bits a sample; of another one, the length.
fn wave(bytes: &[u8]) -> Option<Sound> {
    let number = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let short = |at: usize| Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?));
    let (mut at, mut format) = (12, None);
    loop {
        let name = bytes.get(at..at + 4)?;
        let length = number(at + 4)? as usize;
        let start = at + 8;
        match name {
            b"fmt " => format = Some((short(start + 2)?, number(start + 4)?, short(start + 14)?)),
            b"data" => {
                let (channels, rate, bits) = format?;
                // A file that was streamed says a length that it does not have.
                let end = start.saturating_add(length).min(bytes.len());
                let data = bytes.get(start..end)?;
                if bits == 16 {
                    return Some(samples(data, channels.max(1).into(), Some(rate)));
                }
                let bytes_per_second =
                    f64::from(rate) * f64::from(channels) * f64::from(bits) / 8.0;
                let seconds =
                    (bytes_per_second > 0.0).then(|| (data.len() as f64 / bytes_per_second) as f32);
                return Some(Sound { heights: Vec::new(), seconds });
            }
            _ => {}
        }
        // Chunks begin at even places.
        at = start.checked_add(length)?.next_multiple_of(2);
    }
}

fn samples(data: &[u8], channels: usize, rate: Option<u32>) -> Sound {
    let count = data.len() / 2;
    let samples = data.chunks_exact(2).map(|pair| i16::from_le_bytes([pair[0], pair[1]]));
    let per_height = count.div_ceil(WAVE_HEIGHTS).max(1);
    let mut heights = vec![0.0_f32; count.div_ceil(per_height)];
    for (index, sample) in samples.enumerate() {
        let height = &mut heights[index / per_height];
        *height = height.max(f32::from(sample.unsigned_abs()) / 32_768.0);
    }
    let rate = rate.filter(|rate| *rate > 0);
    let seconds = rate.map(|rate| (count / channels) as f32 / rate as f32);
    Sound { heights, seconds }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine as _;
    use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE};
    use std::fmt::Write as _;

    fn png() -> Vec<u8> {
        let mut bytes = Cursor::new(Vec::new());
        let pixels = image::RgbaImage::from_pixel(3, 2, image::Rgba([200, 10, 10, 255]));
        pixels.write_to(&mut bytes, ImageFormat::Png).unwrap();
        bytes.into_inner()
    }

    fn wav() -> Vec<u8> {
        let samples: Vec<u8> =
            (0..8_000_i16).flat_map(|n| (n.wrapping_mul(4)).to_le_bytes()).collect();
        let mut bytes = b"RIFF\0\0\0\0WAVEfmt ".to_vec();
        bytes.extend(16_u32.to_le_bytes());
        bytes.extend([1, 0, 1, 0]);
        bytes.extend(8_000_u32.to_le_bytes());
        bytes.extend(16_000_u32.to_le_bytes());
        bytes.extend([2, 0, 16, 0]);
        bytes.extend(b"data");
        bytes.extend((samples.len() as u32).to_le_bytes());
        bytes.extend(samples);
        bytes
    }

    /// Returns the media of a call with this request and answer, one in a line.
    fn listed(request: &str, answer: &str) -> String {
        let text = format!(
            "interactions:\n- request: {{method: POST, uri: 'https://api.openai.com/v1/responses', headers: {{}}, body: '{request}'}}\n  response: {{status: {{code: 200, message: OK}}, headers: {{}}, body: {{string: '{answer}'}}}}\nversion: 1\n"
        );
        let document = document::read(Source::new(text), "a.yaml");
        let calls = crate::reading::all_calls(&document);
        let mut lines = String::new();
        for medium in media_of_call(&document, calls[0].node) {
            let side = if medium.is_answer { "answer" } else { "request" };
            let content = match &medium.content {
                MediumContent::Picture(picture) => format!("{:?}", picture.size),
                MediumContent::Sound(sound) => {
                    format!("{} heights, {:?}", sound.heights.len(), sound.seconds)
                }
                MediumContent::NotDecoded => "not decoded".to_owned(),
            };
            let _ = writeln!(lines, "{side}: {}, {content}", medium.format.name());
        }
        lines
    }

    #[test]
    fn media_are_found_by_their_content_in_the_fields_of_all_providers() {
        let picture = BASE64_STANDARD.encode(png());
        let url_picture = BASE64_URL_SAFE.encode(png());
        let sound = BASE64_STANDARD.encode(wav());
        let pcm = BASE64_STANDARD.encode([0_u8, 1].repeat(24_000));
        let damaged = BASE64_STANDARD.encode(&png()[..48]);
        let request = format!(
            r#"{{"model": "m", "input": [{{"role": "user", "content": [{{"type": "input_image", "image_url": "data:image/png;base64,{picture}"}}, {{"type": "image", "source": {{"type": "base64", "media_type": "image/png", "data": "{picture}"}}}}, {{"type": "input_audio", "input_audio": {{"data": "{sound}", "format": "wav"}}}}, {{"type": "input_image", "image_url": "https://a.example/picture-with-a-long-name-that-is-no-base64-at-all-but-long.png"}}]}}]}}"#
        );
        let answer = format!(
            r#"{{"output": [{{"type": "image_generation_call", "result": "{picture}"}}, {{"inlineData": {{"mimeType": "image/png", "data": "{url_picture}"}}}}, {{"inlineData": {{"mimeType": "audio/L16;codec=pcm;rate=24000", "data": "{pcm}"}}}}, {{"b64_json": "{damaged}"}}]}}"#
        );
        insta::assert_snapshot!(listed(&request, &answer), @"
        request: PNG, [3, 2]
        request: PNG, [3, 2]
        request: WAV, 96 heights, Some(1.0)
        answer: PNG, [3, 2]
        answer: PNG, [3, 2]
        answer: PCM, 96 heights, Some(1.0)
        answer: PNG, not decoded
        ");
    }

    #[test]
    fn large_pictures_are_kept_small_and_damaged_ones_are_none() {
        let mut bytes = Cursor::new(Vec::new());
        let pixels = image::RgbImage::new(2_000, 1_000);
        pixels.write_to(&mut bytes, ImageFormat::Png).unwrap();
        let bytes = bytes.into_inner();
        let picture = picture(&bytes, ImageFormat::Png).unwrap();
        assert_eq!((picture.size, picture.shown_size), ([2_000, 1_000], [896, 448]));
        assert_eq!(super::picture(&bytes[..60], ImageFormat::Png), None);
        assert_eq!(wave(&wav()[..20]), None);
    }
}
