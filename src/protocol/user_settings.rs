//! The file with the user's settings, and the user's editor.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use document::text::{Place, quoted};

/// The name of the file.
pub const USER_SETTINGS_FILE: &str = "settings.toml";

/// Content of the file: its bytes; `None` if there is no file.
pub type UserSettingsFile = Result<Option<Arc<[u8]>>, String>;

/// A request to read the file.
#[derive(Debug)]
pub struct ReadUserSettings(pub PathBuf);

/// A request to write the file.
#[derive(Debug)]
pub struct WriteUserSettings {
    pub path: PathBuf,
    /// Content that must be there now; `None`: no file.
    pub before: Option<Arc<[u8]>>,
    pub after: Arc<[u8]>,
}

/// The command that opens a file in the user's editor: a program with its arguments. It runs without a shell, so that the name
/// of a file is always a part of one argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditorCommand {
    words: Vec<String>,
}

const PLACEHOLDERS: [&str; 3] = ["file", "line", "column"];

impl EditorCommand {
    /// Parses a command: words, in quotes if they contain spaces.
    ///
    /// # Errors
    ///
    /// Returns the fault, as a sentence without a full stop.
    pub fn parse(text: &str) -> Result<Self, String> {
        let words = split_words(text)?;
        if words.is_empty() {
            return Err("The command is empty".to_owned());
        }
        for word in &words {
            for (position, _) in word.match_indices('{') {
                let name = word[position + 1..].split('}').next().unwrap_or_default();
                if !PLACEHOLDERS.contains(&name) {
                    return Err(format!("Unknown placeholder {}", quoted(name)));
                }
            }
        }
        // If `{file}` were the program, the file would be run instead of opened.
        if !words.iter().skip(1).any(|word| word.contains("{file}")) {
            return Err("The command has no {file}".to_owned());
        }
        Ok(Self { words })
    }

    /// Returns the program.
    pub fn program(&self) -> &str {
        self.words.first().map_or("", String::as_str)
    }

    /// Returns the arguments that open a file at a place.
    pub fn arguments(&self, file: &Path, place: Place) -> Vec<String> {
        let file = file.to_string_lossy();
        let words = self.words.iter().skip(1).map(|word| {
            // The path last, as it may contain braces.
            let word = word
                .replace("{line}", &place.line.to_string())
                .replace("{column}", &place.column.to_string());
            word.replace("{file}", &file)
        });
        words.collect()
    }
}

impl fmt::Display for EditorCommand {
    /// Formats the command as it is written: words with spaces in quotes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, word) in self.words.iter().enumerate() {
            let space = if index > 0 { " " } else { "" };
            let quote = if word.contains('"') { "'" } else { "\"" };
            let needs_quote = word.is_empty() || word.contains([' ', '\t', '"', '\'']);
            let quote = if needs_quote { quote } else { "" };
            write!(f, "{space}{quote}{word}{quote}")?;
        }
        Ok(())
    }
}

/// Splits a command into words, as a shell does with simple quotes. A backslash is an ordinary character.
fn split_words(text: &str) -> Result<Vec<String>, String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for sign in text.chars() {
        match quote {
            Some(open) if sign == open => quote = None,
            None if matches!(sign, '"' | '\'') => {
                quote = Some(sign);
                // Two quotes with nothing between them are an empty word.
                word.get_or_insert_default();
            }
            None if sign.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(sign),
        }
    }
    words.extend(word);
    match quote {
        Some(open) => Err(format!("The quote {open} is not closed")),
        None => Ok(words),
    }
}

/// A request to open a file in the user's editor.
#[derive(Debug)]
pub struct OpenEditor {
    pub editor: EditorCommand,
    pub file: PathBuf,
    pub place: Place,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_a_part_of_one_argument() {
        let place = Place { line: 3, column: 7 };
        let arguments = |command: &str, file: &str| {
            let editor = EditorCommand::parse(command).unwrap();
            (editor.program().to_owned(), editor.arguments(Path::new(file), place).join("|"))
        };
        let expected = |program: &str, rest: &str| (program.to_owned(), rest.to_owned());
        assert_eq!(
            arguments("code -g {file}:{line}:{column}", "/a b/$(x) {line}.json"),
            expected("code", "-g|/a b/$(x) {line}.json:3:7")
        );
        assert_eq!(
            arguments(r#""C:\My Editor\e.exe" --at='{line} {column}' "" "{file}""#, "a"),
            expected(r"C:\My Editor\e.exe", "--at=3 7||a")
        );
    }

    #[test]
    fn a_command_that_opens_nothing_says_why() {
        let commands = ["", "code", "{file}", "code {fil}", "code '{file}", "code {file} {"];
        let reasons = commands.map(|c| EditorCommand::parse(c).unwrap_err());
        insta::assert_snapshot!(reasons.join("\n"), @r"
        The command is empty
        The command has no {file}
        The command has no {file}
        Unknown placeholder `fil`
        The quote ' is not closed
        Unknown placeholder ``
        ");
    }

    proptest::proptest! {
        #[test]
        fn no_command_is_too_strange(text in ".{0,30}", rest in "[{}filecodn'\" ]{0,20}") {
            let _ = EditorCommand::parse(&text);
            let _ = EditorCommand::parse(&rest);
        }
    }
}
