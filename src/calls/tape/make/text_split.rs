//! Splits a text into chunks, as a stream would.

use document::diff::word_diff::split;

/// A way to split a text. The parts joined are always the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextSplit {
    /// Sentences, each with the white space after it.
    Sentences,
    /// Approximate model tokens: a word with the space before it, split if it is long, or a punctuation character.
    Tokens,
    /// This many characters each; at least 1.
    Chars(usize),
}

/// Maximum number of characters of a token.
const MAX_TOKEN_CHARS: usize = 8;

impl TextSplit {
    /// Splits a text into parts in order; none is empty.
    pub fn split(self, text: &str) -> Vec<&str> {
        match self {
            // A step of 0 would panic.
            Self::Chars(chars) => {
                let starts = text.char_indices().step_by(chars.max(1)).skip(1);
                at_starts(text, starts.map(|(at, _)| at))
            }
            Self::Sentences => sentences(text),
            Self::Tokens => tokens(text),
        }
    }
}

/// Splits a text at these bytes.
fn at_starts(text: &str, starts: impl IntoIterator<Item = usize>) -> Vec<&str> {
    let ends = starts.into_iter().chain([text.len()]);
    let mut start = 0;
    let pieces = ends.map(|end| {
        let piece = text.get(start..end).unwrap_or_default();
        start = end;
        piece
    });
    pieces.filter(|piece| !piece.is_empty()).collect()
}

fn sentences(text: &str) -> Vec<&str> {
    let mut starts = Vec::new();
    let (mut has_ended, mut has_gap) = (false, false);
    for (at, c) in text.char_indices() {
        if has_gap && !c.is_whitespace() {
            starts.push(at);
            (has_ended, has_gap) = (false, false);
        }
        match c {
            // No space follows these in Chinese and Japanese.
            '。' | '！' | '？' => (has_ended, has_gap) = (true, true),
            '.' | '!' | '?' | '…' => has_ended = true,
            // A closing quote or bracket belongs to the sentence.
            '"' | '\'' | '”' | '’' | ')' | ']' => {}
            '\n' => has_gap = true,
            c if c.is_whitespace() => has_gap |= has_ended,
            _ => has_ended = false,
        }
    }
    at_starts(text, starts)
}

fn tokens(text: &str) -> Vec<&str> {
    let (mut starts, mut at) = (Vec::new(), 0);
    let mut is_after_space = false;
    for word in split(text) {
        if !is_after_space {
            starts.push(at);
        }
        is_after_space = word == " ";
        let parts = word.char_indices().step_by(MAX_TOKEN_CHARS).skip(1);
        starts.extend(parts.map(|(part, _)| at + part));
        at += word.len();
    }
    at_starts(text, starts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cut(pieces: TextSplit, text: &str) -> String {
        pieces.split(text).join("|")
    }

    #[test]
    fn a_text_is_cut_where_people_would() {
        let text = "It costs 3.50 now (\"really!\"). Why?\n\n - One. Übermorgenabends, né?";
        insta::assert_snapshot!(cut(TextSplit::Sentences, text), @r#"
        It costs 3.50 now ("really!"). |Why?

         |- One. |Übermorgenabends, né?
        "#);
        insta::assert_snapshot!(cut(TextSplit::Tokens, text), @r#"
        It| costs| 3|.|50| now| (|"|really|!|"|)|.| Why|?|
        |
        | -| One|.| Übermorg|enabends|,| né|?
        "#);
        insta::assert_snapshot!(cut(TextSplit::Chars(9), text), @r#"
        It costs |3.50 now |("really!|"). Why?
        |
         - One. |Übermorge|nabends, |né?
        "#);
        assert_eq!(cut(TextSplit::Chars(usize::MAX), text), text);
        assert_eq!(cut(TextSplit::Sentences, "一。二！三"), "一。|二！|三");
    }

    proptest! {
        #![proptest_config(document::text::cases(256))]

        #[test]
        fn the_pieces_are_the_text(text in "[a .!é\n\"😀]{0,30}", chars in 0usize..5) {
            for pieces in [TextSplit::Sentences, TextSplit::Tokens, TextSplit::Chars(chars), TextSplit::Chars(usize::MAX)] {
                let parts = pieces.split(&text);
                prop_assert_eq!(parts.concat(), text.as_str());
                prop_assert!(parts.iter().all(|piece| !piece.is_empty()));
            }
        }
    }
}
