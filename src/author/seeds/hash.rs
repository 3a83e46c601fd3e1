//! The hash in deprecated keys.

/// Hashes the first user message as the provider does: 32 bits, `h = h * 31 + unit` over the UTF-16 units, absolute, in
/// base 36.
pub fn user_text_hash(text: &str) -> String {
    let add = |hash: i32, unit: u16| hash.wrapping_mul(31).wrapping_add(i32::from(unit));
    let hash = text.encode_utf16().fold(0, add);
    // JavaScript's numbers hold what -2^31 without its sign is.
    base_36(hash.unsigned_abs())
}

fn base_36(mut number: u32) -> String {
    let mut digits = Vec::new();
    // 0 has a digit, too.
    loop {
        digits.extend(char::from_digit(number % 36, 36));
        number /= 36;
        if number == 0 {
            return digits.iter().rev().collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_javascript() {
        assert_eq!(user_text_hash(""), "0");
        assert_eq!(user_text_hash("a"), "2p");
        assert_eq!(user_text_hash("hello"), "1n1e4y");
        assert_eq!(user_text_hash("😀"), "11zz7");
        assert_eq!(user_text_hash("polygenelubricants"), "zik0zk");
    }
}
