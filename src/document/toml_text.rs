//! Writes values for the project's `retake.toml`.

use crate::json;

/// Returns a text as a TOML string, in single quotes if possible.
pub fn quote(text: &str) -> String {
    if text.contains('\'') || text.chars().any(char::is_control) {
        // JSON's escapes are TOML's, too, except for DEL, which JSON leaves as it is.
        json::quote(text).replace('\u{7f}', "\\u007f")
    } else {
        format!("'{text}'")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn single_quotes_are_preferred() {
        assert_eq!(quote(r"^\d+$"), r"'^\d+$'");
        assert_eq!(quote("it's"), "\"it's\"");
        assert_eq!(quote("a\u{7f}"), r#""a\u007f""#);
    }

    proptest! {
        #![proptest_config(crate::text::cases(256))]

        #[test]
        fn quoted_text_reads_back(text in "[\\x00-\\x7f]{0,5}\\PC{0,10}\u{7f}?") {
            let table: toml::Table = format!("a = {}", quote(&text)).parse().unwrap();
            prop_assert_eq!(table["a"].as_str(), Some(text.as_str()));
        }
    }
}
