//! Counts bytes, many at once.

/// Returns how many bytes fulfil a condition. Counts in bytes, many of which fit into a register.
pub fn count_bytes(text: &[u8], is_counted: impl Fn(u8) -> bool) -> usize {
    // The count of a block of 255 bytes fits into a `u8`.
    let blocks = text.chunks(usize::from(u8::MAX));
    let in_block = |block: &[u8]| {
        let counts = block.iter().map(|byte| u8::from(is_counted(*byte)));
        // Never wraps, see above; a checked sum would keep the compiler from vectorising.
        usize::from(counts.fold(0_u8, u8::wrapping_add))
    };
    blocks.map(in_block).sum()
}
