//! Plain words: no word of `banned_words.txt` is in the name of a file, an identifier, a comment or a text, and the names
//! of types are specific.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

/// Names that do not say what a type is.
const VAGUE: &str = "What Which Who Whom Whose When Where Why How By At In On Of Off For From To With Without Within \
    Among Behind Beside Before After Above Below Beneath Between Over Under Around Through Until Since Against Otherwise \
    Then Than Thing Way";

/// The most definitions of one name of a type in the crate; `Error` may be defined more often.
const MAX_DEFINITIONS: usize = 2;

/// What a text is, which decides the words that are banned in it.
#[derive(Clone, Copy, PartialEq)]
enum TextKind {
    FileName,
    Identifier,
    /// The name of a function or a module, where it is defined.
    FunctionName,
    Comment,
    /// A text that a user sees.
    Message,
    /// A text in a test, which may be a sample.
    TestText,
}

/// A banned word or phrase, or a phrase that may contain banned words.
struct Phrase {
    words: Vec<String>,
    section: &'static str,
    replacement: &'static str,
}

impl Phrase {
    /// Whether the phrase is banned in such a text.
    fn applies_to(&self, kind: TextKind) -> bool {
        use TextKind::{FileName, FunctionName, Identifier, Message};
        match self.section {
            "texts" => kind == Message,
            "everywhere but samples" => kind != TextKind::TestText,
            "identifiers" => matches!(kind, FileName | Identifier | FunctionName),
            "functions" => kind == FunctionName,
            _ => true,
        }
    }
}

/// A banned word in a file.
struct Finding<'a> {
    line: usize,
    phrase: &'a Phrase,
}

struct BannedWords {
    /// The phrases by their first words; exceptions first.
    phrases: HashMap<String, Vec<Phrase>>,
    /// Words that one file or folder may contain: its path and the word.
    allowed: Vec<(&'static str, &'static str)>,
}

impl BannedWords {
    fn read() -> Self {
        let mut section = "";
        let mut phrases: HashMap<String, Vec<Phrase>> = HashMap::new();
        let mut allowed = Vec::new();
        for line in include_str!("banned_words.txt").lines() {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some(name) = line.strip_prefix('[') {
                section = name.trim_end_matches(']');
                continue;
            }
            let entry = line.split_once(" = ").filter(|entry| !entry.1.is_empty());
            let (text, replacement) =
                entry.unwrap_or_else(|| panic!("{line:?} has no replacement or reason"));
            if section == "exceptions of files" {
                allowed.push(text.split_once(": ").unwrap());
                continue;
            }
            let words: Vec<String> = split_words(text).into_iter().map(|(_, word)| word).collect();
            phrases.entry(words[0].clone()).or_default().push(Phrase {
                words,
                section,
                replacement,
            });
        }
        for same_start in phrases.values_mut() {
            same_start.sort_by_key(|phrase| phrase.section != "exceptions");
        }
        Self { phrases, allowed }
    }

    /// The banned words in a text that begins on a line.
    fn find(&self, text: &str, kind: TextKind, first_line: usize) -> Vec<Finding<'_>> {
        let (words, mut findings, mut at) = (split_words(text), Vec::new(), 0);
        while let Some((offset, word)) = words.get(at) {
            let phrases = self.phrases.get(word).map_or(&[][..], Vec::as_slice);
            let found = phrases.iter().find(|phrase| {
                let is_whole = kind != TextKind::FunctionName || phrase.words.len() == words.len();
                let rest = words[at..].iter().map(|(_, word)| word);
                phrase.applies_to(kind)
                    && (phrase.section != "functions" || is_whole)
                    && words.len() - at >= phrase.words.len()
                    && rest.zip(&phrase.words).all(|(word, of_phrase)| word == of_phrase)
            });
            at += found.map_or(1, |phrase| phrase.words.len());
            if let Some(phrase) = found.filter(|phrase| phrase.section != "exceptions") {
                let line = first_line + text[..*offset].matches('\n').count();
                findings.push(Finding { line, phrase });
            }
        }
        findings
    }

    /// The banned words in a file and in its name.
    fn find_in_file(&self, path: &str, text: &str) -> Vec<Finding<'_>> {
        let mut findings = self.find(path, TextKind::FileName, 1);
        if path.ends_with(".rs") {
            findings.extend(self.find_in_code(text, is_test(path)));
        } else {
            findings.extend(self.find(text, TextKind::Message, 1));
        }
        let is_allowed = |phrase: &Phrase| {
            let mut allowed = self.allowed.iter();
            allowed.any(|(file, word)| path.starts_with(file) && phrase.words.join(" ") == *word)
        };
        findings.retain(|finding| !is_allowed(finding.phrase));
        findings
    }

    fn find_in_code(&self, code: &str, mut is_test: bool) -> Vec<Finding<'_>> {
        let mut findings = Vec::new();
        // Most identifiers occur often.
        let mut harmless = HashSet::new();
        let mut last = Token::Sign(' ');
        for (line, token) in tokens(code) {
            is_test |= (last, token) == (Token::Identifier("mod"), Token::Identifier("tests"));
            let found = match token {
                Token::Comment(text) => self.find(text, TextKind::Comment, line),
                Token::Literal(text) => {
                    let kind = if is_test { TextKind::TestText } else { TextKind::Message };
                    self.find(&without_arguments(text), kind, line)
                }
                Token::Identifier(name) if matches!(last, Token::Identifier("fn" | "mod")) => {
                    self.find(name, TextKind::FunctionName, line)
                }
                Token::Identifier(name) if harmless.contains(name) => Vec::new(),
                Token::Identifier(name) => {
                    let found = self.find(name, TextKind::Identifier, line);
                    if found.is_empty() {
                        harmless.insert(name);
                    }
                    found
                }
                Token::Sign(_) => Vec::new(),
            };
            findings.extend(found);
            last = token;
        }
        findings
    }
}

/// Whether a file contains only tests, or measures.
fn is_test(path: &str) -> bool {
    !path.starts_with("src/") || path.ends_with("/tests.rs") || path.contains("/tests/")
}

/// The words of a text or an identifier in lower case, each with its offset. A word with hyphens is one word.
fn split_words(text: &str) -> Vec<(usize, String)> {
    let mut words: Vec<(usize, String)> = Vec::new();
    let (mut before, mut is_inside) = (' ', false);
    let mut signs = text.char_indices().peekable();
    while let Some((at, sign)) = signs.next() {
        let is_apostrophe =
            sign == '\'' && is_inside && signs.peek().is_some_and(|(_, next)| next.is_alphabetic());
        if sign.is_alphanumeric() || sign == '-' || is_apostrophe {
            let next = signs.peek().map_or(' ', |(_, next)| *next);
            let is_hump = sign.is_uppercase()
                && (before.is_lowercase() || before.is_uppercase() && next.is_lowercase());
            if !is_inside || is_hump {
                words.push((at, String::new()));
            }
            if let Some((_, word)) = words.last_mut() {
                word.extend(sign.to_lowercase());
            }
            is_inside = true;
        } else {
            is_inside = false;
        }
        before = sign;
    }
    words
}

/// A part of a source file.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Token<'a> {
    Comment(&'a str),
    /// The text of a string, with its escapes.
    Literal(&'a str),
    Identifier(&'a str),
    Sign(char),
}

/// Splits Rust code into tokens, each with its line. Characters, numbers and white space are left out.
fn tokens(code: &str) -> Vec<(usize, Token<'_>)> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let (mut tokens, mut rest, mut line) = (Vec::new(), code, 1);
    while let Some(first) = rest.chars().next() {
        let (length, token) = if first.is_whitespace() {
            (first.len_utf8(), None)
        } else if rest.starts_with("//") {
            let end = rest.find('\n').unwrap_or(rest.len());
            (end, Some(Token::Comment(&rest[..end])))
        } else if rest.starts_with("/*") {
            let end = rest.find("*/").map_or(rest.len(), |end| end + 2);
            (end, Some(Token::Comment(&rest[..end])))
        } else if let Some((length, text)) = string(rest) {
            (length, Some(Token::Literal(text)))
        } else if first == '\'' {
            (character(rest), None)
        } else if is_name(first) {
            let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
            let name = Token::Identifier(&rest[..end]);
            (end, Some(name).filter(|_| !first.is_numeric()))
        } else {
            (first.len_utf8(), Some(Token::Sign(first)))
        };
        tokens.extend(token.map(|token| (line, token)));
        line += rest[..length].matches('\n').count();
        rest = &rest[length..];
    }
    tokens
}

/// The length of the string that code begins with, and its text.
fn string(code: &str) -> Option<(usize, &str)> {
    let prefix = code.bytes().take(3).position(|c| matches!(c, b'"' | b'#'))?;
    if !matches!(&code[..prefix], "" | "b" | "c" | "r" | "br" | "cr") {
        return None;
    }
    if code[..prefix].ends_with('r') {
        let hashes = code[prefix..].find(|c| c != '#')?;
        let start = prefix + hashes + 1;
        let text = code[prefix + hashes..].strip_prefix('"')?;
        let close = format!("\"{}", "#".repeat(hashes));
        let end = text.find(&close)?;
        return Some((start + end + close.len(), &text[..end]));
    }
    let text = code[prefix..].strip_prefix('"')?;
    let mut is_escaped = false;
    let end = text.find(|c| {
        let is_end = c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        is_end
    })?;
    Some((prefix + end + 2, &text[..end]))
}

/// The length of the character that code begins with; of a lifetime, only the length of its apostrophe.
fn character(code: &str) -> usize {
    let mut signs = code.char_indices().skip(1);
    match (signs.next(), signs.next()) {
        (Some((_, '\\')), Some((escaped, sign))) => {
            let after = escaped + sign.len_utf8();
            after + code[after..].find('\'').map_or(0, |end| end + 1)
        }
        (Some(_), Some((end, '\''))) => end + 1,
        _ => 1,
    }
}

/// A literal with white space in place of escapes and of what is in braces: arguments, or the fields of JSON.
fn without_arguments(literal: &str) -> String {
    let (mut depth, mut is_escaped) = (0_usize, false);
    let replaced = literal.chars().map(|sign| {
        let is_code = depth > 0 || is_escaped || sign == '\\';
        is_escaped = sign == '\\' && !is_escaped;
        depth = match sign {
            '{' => depth + 1,
            '}' => depth.saturating_sub(1),
            _ => depth,
        };
        if is_code && sign != '\n' { ' ' } else { sign }
    });
    replaced.collect()
}

/// All files below a folder, or the file itself.
fn files(path: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(path) else {
        return vec![path.to_owned()];
    };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().flat_map(|path| files(path)).collect()
}

/// The source files and documents, by their paths.
fn sources() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let places =
        ["src", "tests", "benches", "README.md", "assets/guide", "sample-recordings/README.md"];
    let all = places.iter().flat_map(|place| files(&root.join(place)));
    let read = all.filter_map(|path| {
        let name = path.strip_prefix(root).ok()?.to_str()?.replace('\\', "/");
        let is_source = name.ends_with(".rs") || name.ends_with(".md");
        is_source.then(|| (name, std::fs::read_to_string(path).unwrap()))
    });
    read.collect()
}

#[test]
fn names_comments_and_texts_contain_no_banned_word() {
    let banned = BannedWords::read();
    let mut report = Vec::new();
    for (path, text) in sources() {
        for Finding { line, phrase } in banned.find_in_file(&path, &text) {
            let (word, replacement) = (phrase.words.join(" "), phrase.replacement);
            let code = text.lines().nth(line - 1).unwrap_or_default().trim();
            report.push(format!("{path}:{line}: “{word}”; better: {replacement}\n    {code:.140}"));
        }
    }
    report.dedup();
    let count = report.len();
    assert!(report.is_empty(), "{count} places:\n{}", report.join("\n"));
}

/// The definitions of types in code. Associated types do not count: their traits prescribe the names.
fn types(code: &str) -> Vec<(usize, &str)> {
    let (mut types, mut blocks, mut is_impl) = (Vec::new(), Vec::new(), false);
    let mut last = Token::Sign(' ');
    for (line, token) in tokens(code) {
        let is_associated = blocks.last() == Some(&true);
        match (last, token) {
            (_, Token::Sign('{')) => blocks.push(std::mem::take(&mut is_impl)),
            (_, Token::Sign('}')) => drop(blocks.pop()),
            (_, Token::Sign(';')) => is_impl = false,
            (_, Token::Identifier("impl")) => is_impl = true,
            (Token::Identifier("type"), Token::Identifier(name)) if !is_associated => {
                types.push((line, name));
            }
            (Token::Identifier(keyword), Token::Identifier(name))
                if name.starts_with(char::is_uppercase) =>
            {
                if matches!(keyword, "struct" | "enum" | "union" | "trait") {
                    types.push((line, name));
                }
                is_impl |= keyword == "trait";
            }
            _ => {}
        }
        last = token;
    }
    types
}

#[test]
fn names_of_types_are_specific() {
    let sources = sources();
    let mut definitions: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (path, code) in sources.iter().filter(|(path, _)| path.ends_with(".rs")) {
        for (line, name) in types(code) {
            let places = definitions.entry(name).or_default();
            places.push(format!("{path}:{line}"));
        }
    }
    let mut report = Vec::new();
    for (name, places) in definitions {
        if VAGUE.split_whitespace().any(|vague| vague == name) {
            report.push(format!("{name} does not say what it is: {places:?}"));
        }
        if places.len() > MAX_DEFINITIONS && name != "Error" {
            let count = places.len();
            report.push(format!("{name} is defined {count} times: {places:?}"));
        }
    }
    assert!(report.is_empty(), "{}", report.join("\n"));
}

#[test]
fn code_is_split_into_tokens() {
    let code = r####"/// A "doc".
fn f<'a>(x: &'a str, y: char) { // one
    let s = ("a\"b", b"c", r"\", r#"d"e"#, "g \
        h", 'x', '\'', '\u{1F600}', b'"', 0x1f);
} /* two */"####;
    let comments_and_literals = tokens(code).into_iter().filter_map(|(line, token)| match token {
        Token::Comment(text) | Token::Literal(text) => Some((line, text)),
        _ => None,
    });
    let expected = [
        (1, "/// A \"doc\"."),
        (2, "// one"),
        (3, "a\\\"b"),
        (3, "c"),
        (3, "\\"),
        (3, "d\"e"),
        (3, "g \\\n        h"),
        (5, "/* two */"),
    ];
    assert!(comments_and_literals.eq(expected), "{:#?}", tokens(code));
    let names = tokens(code).into_iter().filter_map(|(_, token)| match token {
        Token::Identifier(name) => Some(name),
        _ => None,
    });
    let names: Vec<&str> = names.collect();
    assert_eq!(names.join(" "), "fn f a x a str y char let s b");
}

#[test]
fn texts_are_split_into_words() {
    let of = |text: &str| {
        let words: Vec<String> = split_words(text).into_iter().map(|(_, word)| word).collect();
        words.join(" ")
    };
    assert_eq!(of("isToldBy_us, HTTPTold"), "is told by us http told");
    assert_eq!(of("'said' it's --set-aside"), "said it's --set-aside");
    let literal = "{told}\\nasked {{\"said\": 1}} \\\"shown\\\"";
    assert_eq!(of(&without_arguments(literal)), "asked shown");
}

#[test]
fn a_banned_word_is_found_where_it_is() {
    let banned = BannedWords::read();
    let find = |code: &str| {
        let found = banned.find_in_code(code, false).into_iter();
        let found = found.map(|it| format!("{} {}", it.line, it.phrase.words.join(" ")));
        found.collect::<Vec<_>>().join(", ")
    };
    assert_eq!(find("// It stands for\n// what stands"), "2 stands");
    assert_eq!(find("fn told(a: &'static str) {}"), "1 told");
    assert_eq!(find("let x = \"a\n{told} by\n itself\";"), "2 by itself");
    assert_eq!(find("fn again() { again_later(); }"), "1 again");
}

#[test]
fn a_type_is_found_where_it_is_defined() {
    let code = "impl A { type B = C; }\nstruct D;\nmod e { type F = G; }\ntrait H { type I; }";
    assert_eq!(types(code), [(2, "D"), (3, "F"), (4, "H")]);
}
