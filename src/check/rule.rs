//! The texts of a rule, and the macro that makes them from a doc comment.

use document::RuleId;

/// The texts of a rule for the window, `--help` and reports.
#[derive(Debug)]
pub struct Rule {
    /// The name on the command line.
    pub id: RuleId,
    /// Name of the problem, without a full stop.
    pub title: &'static str,
    /// The doc comment, line by line as in the code; see [`Rule::text`].
    pub(super) lines: &'static [&'static str],
    /// Advice to fix it. A problem may have its own, more specific help.
    pub fix: &'static str,
    /// A short part of a file that breaks the rule, and the same part fixed.
    pub example: Option<Example>,
}

/// A short part of a file before and after the fix, each with its effect.
#[derive(Debug)]
pub struct Example {
    /// The effect of the broken part, such as "Returns undefined".
    pub before_title: &'static str,
    /// The broken part.
    pub before: &'static str,
    /// The effect of the fixed part.
    pub after_title: &'static str,
    /// The fixed part.
    pub after: &'static str,
}

impl Rule {
    /// Returns what is checked and why it matters: paragraphs of Markdown, each on one line, with an empty line between them.
    pub fn text(&self) -> String {
        let mut text = String::new();
        // A macro gets each line of a doc comment as a literal of its own, and cannot join them.
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
        pub(super) static RULE: $crate::Rule = $crate::Rule {
            id: document::RuleId::$id,
            title: $title,
            lines: &[$($line),+],
            fix: $fix,
            example: rule!(@example $($before_title, $before, $after_title, $after)?),
        };
    };
    (@example) => { None };
    (@example $before_title:literal, $before:literal, $after_title:literal, $after:literal) => {
        Some($crate::Example {
            before_title: $before_title,
            before: $before,
            after_title: $after_title,
            after: $after,
        })
    };
}

/// Lists the `RULE` of each of these files.
macro_rules! rules {
    ($($file:ident)*) => { [$(&$file::RULE),*] };
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
        assert_eq!(RULE.text(), "The first line goes on here.\n\nAnother paragraph.");
        assert!(RULE.example.is_none());
    }
}
