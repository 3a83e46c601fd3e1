//! Decompresses a response incrementally, so that a tape contains text. The client still receives the compressed bytes.

use std::io::{self, Write};

use brotli_decompressor::DecompressorWriter;
use flate2::write::{MultiGzDecoder, ZlibDecoder};

/// Supported encodings, as `accept-encoding` names them.
const ENCODINGS: [&str; 6] = ["gzip", "x-gzip", "deflate", "br", "identity", "*"];

/// Returns the encodings a client accepts without the unsupported ones; `None` if all are supported.
pub fn supported_encodings(accepted: &str) -> Option<String> {
    let name = |coding: &&str| {
        let name = coding.split(';').next().unwrap_or_default().trim();
        ENCODINGS.contains(&name.to_ascii_lowercase().as_str())
    };
    let codings: Vec<&str> = accepted.split(',').map(str::trim).collect();
    let kinds: Vec<&str> = codings.iter().copied().filter(|c| name(c)).collect();
    let is_same = kinds.len() == codings.len();
    // An empty header must not be left out: without it, a server may use any encoding.
    (!is_same).then(|| if kinds.is_empty() { "identity".to_owned() } else { kinds.join(", ") })
}

/// Decompresses bytes incrementally.
pub(super) struct Unpack {
    packing: Packing,
    /// Number of bytes that may still be produced.
    left: usize,
}

enum Packing {
    None,
    Gzip(MultiGzDecoder<Vec<u8>>),
    Deflate(ZlibDecoder<Vec<u8>>),
    Brotli(Box<DecompressorWriter<Vec<u8>>>),
}

/// Number of bytes decompressed at a time, which bounds the output of one step.
const STEP_BYTES: usize = 256;

impl Unpack {
    /// Returns `None` for an unsupported encoding.
    pub(super) fn new(encoding: &str, most: usize) -> Option<Self> {
        let packing = match encoding.trim().to_ascii_lowercase().as_str() {
            "" | "identity" => Packing::None,
            "gzip" | "x-gzip" => Packing::Gzip(MultiGzDecoder::new(Vec::new())),
            "deflate" => Packing::Deflate(ZlibDecoder::new(Vec::new())),
            "br" => Packing::Brotli(Box::new(DecompressorWriter::new(Vec::new(), 1 << 14))),
            _ => return None,
        };
        Some(Self { packing, left: most })
    }

    /// Decompresses bytes and appends the result to `out`.
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes are invalid or the limit is exceeded; `out` then has the result so far.
    pub(super) fn bytes(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
        for spoonful in bytes.chunks(STEP_BYTES) {
            let old_len = out.len();
            let result = self.packing.take(spoonful, out);
            let added_len = out.len() - old_len;
            if added_len > self.left {
                out.truncate(old_len + self.left);
                return Err(io::ErrorKind::FileTooLarge.into());
            }
            self.left -= added_len;
            result?;
        }
        Ok(())
    }
}

impl Packing {
    fn take(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
        // Flushed, so that a fragment has the time at which its bytes arrived.
        let take = |sink: &mut dyn Write| sink.write_all(bytes).and_then(|()| sink.flush());
        let (result, unpacked) = match self {
            Self::None => return out.write_all(bytes),
            Self::Gzip(sink) => (take(sink), sink.get_mut()),
            Self::Deflate(sink) => (take(sink), sink.get_mut()),
            Self::Brotli(sink) => (take(sink), sink.get_mut()),
        };
        out.append(unpacked);
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;

    #[test]
    fn each_part_of_a_packed_stream_is_there_at_once() {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        let mut unpack = Unpack::new("gzip", 1000).unwrap();
        for text in ["data: one\n\n", "data: two\n\n"] {
            encoder.write_all(text.as_bytes()).unwrap();
            encoder.flush().unwrap();
            let packed = std::mem::take(encoder.get_mut());
            let mut out = Vec::new();
            unpack.bytes(&packed, &mut out).unwrap();
            assert_eq!(String::from_utf8(out).unwrap(), text);
        }
    }

    #[test]
    fn a_bomb_ends_at_the_limit() {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&vec![0; 10 << 20]).unwrap();
        let mut out = Vec::new();
        let mut unpack = Unpack::new("gzip", 1000).unwrap();
        assert!(unpack.bytes(&encoder.finish().unwrap(), &mut out).is_err());
        assert_eq!(out.len(), 1000);
    }

    #[test]
    fn unsupported_encodings_are_not_requested() {
        assert_eq!(supported_encodings("gzip, deflate;q=0.5, br"), None);
        assert_eq!(supported_encodings("br, zstd, gzip").unwrap(), "br, gzip");
        assert_eq!(supported_encodings("zstd").unwrap(), "identity");
        assert!(Unpack::new("zstd", 9).is_none());
    }
}
