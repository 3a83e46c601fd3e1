//! Quotes values for a shell, so that the name of a file or folder is never interpreted as shell syntax.

use crate::text::HiddenKind;

/// The shell that a command is written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandShell {
    /// `sh -c`.
    Posix,
    /// `cmd /C`, on Windows.
    Cmd,
}

/// Syntax after which quoting is not certain to work: here-documents, arithmetic, backquotes and `$'…'` handle quotes differently.
const AMBIGUOUS_SIGNS: &[&str] = &["<<", "((", "`", "$'"];

impl CommandShell {
    /// The shell of this system.
    pub const CURRENT: Self = if cfg!(windows) { Self::Cmd } else { Self::Posix };

    /// Returns a value as one word, with quotes if necessary. `None` if it cannot be quoted or contains hidden characters; for
    /// `cmd` also if it contains `"` or `%`, which are expanded even in quotes.
    pub fn quote(self, value: &str) -> Option<String> {
        let is_shown =
            |c: char| HiddenKind::classify(c).is_none() && !matches!(c, '\t' | '\n' | '\r');
        // A user must see which command runs: hidden characters would make it look like another one.
        if value.is_empty() || !value.chars().all(is_shown) {
            return None;
        }
        let is_plain = |c: char| c.is_ascii_alphanumeric() || self.plain().contains(c);
        if value.chars().all(is_plain) {
            return Some(value.to_owned());
        }
        match self {
            // Nothing is an escape in single quotes: they are closed around an escaped one.
            Self::Posix => Some(format!("'{}'", value.replace('\'', r"'\''"))),
            // Most programs of Windows read a backslash before the closing quote as its escape.
            Self::Cmd if value.contains(['"', '%']) || value.ends_with('\\') => None,
            Self::Cmd => Some(format!("\"{value}\"")),
        }
    }

    /// Characters besides letters and digits that need no quotes.
    fn plain(self) -> &'static str {
        match self {
            Self::Posix => "_-./@%+:",
            Self::Cmd => "_-./:+",
        }
    }

    /// Returns the maximum length of a command in bytes.
    pub fn longest(self) -> usize {
        match self {
            // `sh -c` gets the command as one argument, which Linux limits to 128 KiB with the byte at its end.
            Self::Posix => 128 * 1024 - 1,
            // `cmd` accepts 8191 characters.
            Self::Cmd => 8000,
        }
    }
}

/// Returns true if a word after `prefix` is read as a word of its own, outside quotes, comments and the like. Returns false
/// if that is not certain.
pub fn is_bare_behind(prefix: &str) -> bool {
    if AMBIGUOUS_SIGNS.iter().any(|sign| prefix.contains(sign)) {
        return false;
    }
    let (mut quote, mut last) = (None, ' ');
    let mut chars = prefix.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some('#'), '\n') => quote = None,
            (Some('"') | None, '\\') if chars.next().is_none() => return false,
            (Some(open), c) if open == c && c != '#' => quote = None,
            (None, '\'' | '"') => quote = Some(c),
            (None, '#') if last.is_whitespace() || ";&|(".contains(last) => quote = Some(c),
            _ => {}
        }
        last = c;
    }
    // In `${…}` a value is a part of the expansion, and not a word of its own.
    let open_brace = prefix.rfind("${").is_some_and(|at| !prefix[at..].contains('}'));
    quote.is_none() && !open_brace
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_one_word_or_is_not_quoted_at_all() {
        let values = [
            "a/turn-1.json",
            "it's here.json",
            "$(touch x)",
            "a=b",
            "50%",
            "say \"hi\"",
            "é",
            "a\nb",
            "a\u{202e}b",
            "",
        ];
        let lines = values.map(|value| {
            let word = |shell: CommandShell| shell.quote(value).unwrap_or_else(|| "no".to_owned());
            format!("{value:?}: {}, {}", word(CommandShell::Posix), word(CommandShell::Cmd))
        });
        insta::assert_snapshot!(lines.join("\n"), @r#"
        "a/turn-1.json": a/turn-1.json, a/turn-1.json
        "it's here.json": 'it'\''s here.json', "it's here.json"
        "$(touch x)": '$(touch x)', "$(touch x)"
        "a=b": 'a=b', "a=b"
        "50%": 50%, no
        "say \"hi\"": 'say "hi"', no
        "é": 'é', "é"
        "a\nb": no, no
        "a\u{202e}b": no, no
        "": no, no
        "#);
    }

    #[test]
    fn quotes_comments_and_the_like_are_no_place_for_a_word() {
        let bare_prefixes = [
            "",
            "npm test -- ",
            "A='b c' x --set=",
            r#"echo "it's" "#,
            r"echo \' ",
            "# it's\nnpm test ",
            "a#b ",
            "x $(cat ",
            "echo ${HOME} ",
        ];
        for prefix in bare_prefixes {
            assert!(is_bare_behind(prefix), "{prefix}");
        }
        let other_prefixes = [
            "echo '",
            "echo \"",
            r#"echo "\""#,
            r"echo \",
            "# ",
            "x; # ",
            "cat <<E\n",
            "echo $((1 + ",
            "echo `cat ",
            "echo $'it\\'s' '",
            "echo ${a:-",
        ];
        for prefix in other_prefixes {
            assert!(!is_bare_behind(prefix), "{prefix}");
        }
    }
}
