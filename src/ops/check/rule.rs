//! What people read of a rule, and the macro that makes it of a doc comment.

use crate::format::RuleId;

/// What people read of a rule, in the window, in `--help` and in reports.
#[derive(Debug)]
pub struct Rule {
    /// Its name on the command line.
    pub id: RuleId,
    /// What is wrong, in words; no full stop.
    pub title: &'static str,
    /// The doc comment, line by line as in the code; see [`Rule::text`].
    pub(super) lines: &'static [&'static str],
    /// What mends it. A problem may carry help of its own that says it nearer.
    pub fix: &'static str,
    /// A short piece of a file that breaks the rule, and the same mended.
    pub example: Option<Example>,
}

/// A short piece of a file before and after the mending, each with what becomes of it.
#[derive(Debug)]
pub struct Example {
    /// What the broken piece leads to, such as "Answers undefined".
    pub before_title: &'static str,
    /// The broken piece.
    pub before: &'static str,
    /// What the mended piece leads to.
    pub after_title: &'static str,
    /// The mended piece.
    pub after: &'static str,
}

impl Rule {
    /// What is judged and why it matters: paragraphs of Markdown, each on one line, with an empty line between them.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for line in self.lines.iter().map(|line| line.trim()) {
            if line.is_empty() {
                text.push_str("\n\n");
                continue;
            }
            if !text.is_empty() && !text.ends_with('\n') {
                text.push(' ');
            }
            text.push_str(line);
        }
        text
    }
}

/// Declares the `RULE` of a file: its doc comment becomes the rule's text.
macro_rules! rule {
    (
        $(#[doc = $line:literal])+
        $id:ident {
            title: $title:literal,
            fix: $fix:literal,
            $(before: $before_title:literal => $before:literal,
            after: $after_title:literal => $after:literal,)?
        }
    ) => {
        $(#[doc = $line])+
        pub(super) static RULE: $crate::ops::check::Rule = $crate::ops::check::Rule {
            id: $crate::format::RuleId::$id,
            title: $title,
            lines: &[$($line),+],
            fix: $fix,
            example: rule!(@example $($before_title, $before, $after_title, $after)?),
        };
    };
    (@example) => { None };
    (@example $before_title:literal, $before:literal, $after_title:literal, $after:literal) => {
        Some($crate::ops::check::Example {
            before_title: $before_title,
            before: $before,
            after_title: $after_title,
            after: $after,
        })
    };
}

#[cfg(test)]
mod tests {
    rule! {
        /// The first line
        /// goes on here.
        ///
        /// Another paragraph.
        Syntax { title: "T", fix: "F.", }
    }

    #[test]
    fn a_doc_comment_is_the_text() {
        assert_eq!(
            RULE.text(),
            "The first line goes on here.\n\nAnother paragraph."
        );
        assert!(RULE.example.is_none());
    }
}
