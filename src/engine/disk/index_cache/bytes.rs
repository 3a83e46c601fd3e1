//! Writes and reads numbers and texts as bytes. Reading never fails otherwise than by `None`, on any bytes.

/// Writes values one after the other.
#[derive(Debug, Default)]
pub(super) struct ByteWriter(pub(super) Vec<u8>);

impl ByteWriter {
    /// Writes a number in as few bytes as it needs: seven bits in each, the lowest first.
    pub(super) fn number(&mut self, number: u64) {
        let mut rest = number;
        while rest >= 0x80 {
            self.0.push(rest.to_le_bytes()[0] | 0x80);
            rest >>= 7;
        }
        self.0.push(rest.to_le_bytes()[0]);
    }

    pub(super) fn length(&mut self, length: usize) {
        self.number(length as u64);
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    /// Writes a text with its length.
    pub(super) fn text(&mut self, text: &str) {
        self.length(text.len());
        self.bytes(text.as_bytes());
    }
}

/// Reads values one after the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct ByteReader<'a>(pub(super) &'a [u8]);

impl<'a> ByteReader<'a> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    pub(super) fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        // Ends after ten bytes, so that a damaged number cannot shift too far.
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    /// Reads a number of things that take a byte each at least.
    pub(super) fn length(&mut self) -> Option<usize> {
        let length = usize::try_from(self.number()?).ok()?;
        // Refused before anything of a damaged length is allocated.
        (length <= self.0.len()).then_some(length)
    }

    pub(super) fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(bytes)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (array, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*array)
    }

    pub(super) fn text(&mut self) -> Option<&'a str> {
        let length = self.length()?;
        std::str::from_utf8(self.bytes(length)?).ok()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(document::text::cases(256))]

        #[test]
        fn what_was_written_is_read(number: u64, text: String) {
            let mut writer = ByteWriter::default();
            writer.number(number);
            writer.text(&text);
            let mut reader = ByteReader(&writer.0);
            prop_assert_eq!(reader.number(), Some(number));
            prop_assert_eq!(reader.text(), Some(&*text));
            prop_assert_eq!(reader.byte(), None);
        }

        #[test]
        fn any_bytes_are_read_without_a_panic(bytes: Vec<u8>) {
            let mut reader = ByteReader(&bytes);
            while reader.text().is_some() && reader.number().is_some() {}
        }
    }
}
