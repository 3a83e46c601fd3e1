//! `retake.toml`: what a project wants checked, and how much each finding weighs.
//!
//! | key | value |
//! |---|---|
//! | `paths` | what `retake check` looks at without a path: folders and files, from here |
//! | `mode` | `"strict"`, `"warn"` or `"skip"`, as `--mode` |
//! | `require_metadata` | whether every recording has to name its source |
//! | `ignore` | patterns as in a `.gitignore`: what they match is not listed |
//! | `[rules]` | a level for a rule, as `--rule`: `signature-shared = "off"` |
//! | `[secrets]` | `patterns`: regular expressions of what is a secret here; `allow`: of what is none, although it looks like one |
//! | `[review]` | `difftool`: the program that shows two takes beside each other, in place of the one git is set to |
//! | `[[review.ignore]]` | `at`, `text`, `tolerance`: differences that a [review](super::review) sets aside |
//! | `[regenerate]` | `command`: how recordings are made anew, with [placeholders](super::regenerate) in it |
//! | `[[answer]]` | a [rule](super::live::queue::AnswerRule) that answers requests at a queue: `name`; which ones by `node`, `offers`, `says`; with what by `tool`, `input` and `before`, or `text`, or `recording`; `reasoning` |
//!
//! What is not understood is told with its place, and all the rest holds.

mod answer;
mod review;

use std::str::FromStr as _;
use std::sync::Arc;

use gix::glob::{Pattern, pattern::Case, wildmatch};
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use super::Mark;
use super::check::{Level, Levels, Metadata, near_rule};
use super::live::queue::AnswerRule;
use super::regenerate::Template;
use super::review::Rule;
use super::secret::Own;
use crate::format::{Problem, RuleId};
use crate::text::{Source, Span, quoted, upper_first};

/// The name of the file, which also marks a project's root.
pub const FILE_NAME: &str = "retake.toml";

const KEYS: &[&str] = &[
    "paths",
    "mode",
    "require_metadata",
    "ignore",
    "rules",
    "secrets",
    "review",
    "regenerate",
    "answer",
];
const SECRETS_KEYS: &[&str] = &["patterns", "allow"];
const REGENERATE_KEYS: &[&str] = &["command"];

/// What a project wants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// What is checked when nothing is named, from the folder of the file; empty: everything.
    pub paths: Vec<String>,
    /// How much each finding weighs.
    pub levels: Levels,
    /// What is not listed.
    pub ignore: Ignore,
    /// What is a secret here, and what is none.
    pub secrets: Arc<Own>,
    /// Differences between takes that are set aside.
    pub review: Vec<Rule>,
    /// The program that shows two takes beside each other; `None`: the one that git is set to.
    pub difftool: Option<String>,
    /// The command that makes recordings anew.
    pub regenerate: Option<Template>,
    /// What answers requests at a queue, the first that fits.
    pub answers: Vec<AnswerRule>,
}

/// Patterns for files and folders that are not listed, as git understands those of a `.gitignore`: one without a slash
/// matches a name anywhere, one with a slash a path from the folder of the file; the last that matches decides, and `!` lists
/// again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ignore {
    patterns: Vec<Pattern>,
}

/// What a path names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathKind {
    /// A file.
    File,
    /// A folder, which is not looked into when a pattern matches it.
    Folder,
}

impl Ignore {
    /// True when there are no patterns.
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// Whether this very path, from the folder of the file, is ignored; its folders are asked for by themselves.
    pub fn matches(&self, path: &str, kind: PathKind) -> bool {
        let name = path.rfind('/').map(|slash| slash + 1);
        let is_folder = Some(kind == PathKind::Folder);
        let slashes = wildmatch::Mode::NO_MATCH_SLASH_LITERAL;
        let matches = |pattern: &&Pattern| {
            let path = path.into();
            pattern.matches_repo_relative_path(path, name, is_folder, Case::Sensitive, slashes)
        };
        let last = self.patterns.iter().rev().find(matches);
        last.is_some_and(|pattern| !pattern.is_negative())
    }

    /// Whether a file or one of the folders it lies in is ignored.
    pub fn hides(&self, file: &str) -> bool {
        let mut folders = file.match_indices('/').map(|(end, _)| &file[..end]);
        folders.any(|folder| self.matches(folder, PathKind::Folder))
            || self.matches(file, PathKind::File)
    }
}

/// Reads the file. What is not understood is a problem, in the order of the text, and left out.
pub fn parse(source: &Source) -> (Settings, Vec<Problem>) {
    let mut reader = Reader {
        source,
        settings: Settings::default(),
        problems: Vec::new(),
    };
    if source.fault().is_some() {
        let help = "Save the file as UTF-8.";
        reader.tell(RuleId::Encoding, Span::default(), "", "Is not UTF-8", help);
        return (reader.settings, reader.problems);
    }
    let (table, faults) = DeTable::parse_recoverable(source.text());
    match faults.first() {
        // One fault leads to others: the rest may not be what it seems.
        Some(fault) => {
            let at = fault.span().map_or(0, |span| span.start);
            let message = upper_first(fault.message().trim());
            let help = "Mend the text at the marked place; until then the defaults hold. In TOML, texts stand in quotes.";
            reader.tell(RuleId::Syntax, Span::empty(at), "", &message, help);
        }
        None => reader.file(table.get_ref()),
    }
    reader.problems.sort_by_key(|problem| problem.span);
    (reader.settings, reader.problems)
}

struct Reader<'a> {
    source: &'a Source,
    settings: Settings,
    problems: Vec<Problem>,
}

impl Reader<'_> {
    fn tell(&mut self, rule: RuleId, span: Span, pointer: &str, message: &str, help: &str) {
        let problem = Problem::at(rule, self.source, span, pointer, message);
        self.problems.push(problem.with_help(help));
    }

    /// Tells of a value that is not what its key takes.
    fn refuse<T>(&mut self, value: &Spanned<T>, pointer: &str, message: &str, help: &str) {
        let span = value.span();
        let span = Span::new(span.start, span.end);
        self.tell(RuleId::WrongType, span, pointer, message, help);
    }

    /// Tells of a key that means nothing here: nobody is to rely on it.
    fn refuse_key(&mut self, key: &Spanned<DeString>, table: &str, known: &[&str]) {
        let name: &str = key.get_ref();
        let near = similar::get_close_matches(name, known, 1, 0.6);
        let near = match near.first() {
            Some(near) => format!("; did you mean `{near}`?"),
            None => String::new(),
        };
        let message = format!("There is no setting {}{near}", quoted(name));
        let help = format!("Settings here are {}.", known.join(", "));
        self.refuse(key, &format!("{table}/{name}"), &message, &help);
    }

    fn file(&mut self, table: &DeTable) {
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "paths" => self.paths(value),
                "mode" => self.mode(value),
                "require_metadata" => self.require_metadata(value),
                "ignore" => self.ignore(value),
                "rules" => self.rules(value),
                "secrets" => self.secrets(value),
                "review" => self.review(value),
                "regenerate" => self.regenerate(value),
                "answer" => self.answers(value),
                _ => self.refuse_key(key, "", KEYS),
            }
        }
    }

    fn paths(&mut self, value: &Spanned<DeValue>) {
        let help = "Write folders and files as a list, such as paths = [\"fixtures\"].";
        for (path, text) in self.texts(value, "/paths", help) {
            let leads_out = text.starts_with('/') || text.split('/').any(|part| part == "..");
            if !leads_out {
                self.settings.paths.push(text.to_owned());
            } else {
                let message = format!("{} leads out of the project", quoted(text));
                let help = "Write paths from the folder of this file, without `..`.";
                self.refuse(path, "/paths", &message, help);
            }
        }
    }

    fn mode(&mut self, value: &Spanned<DeValue>) {
        let help = "Write mode = \"strict\", \"warn\" or \"skip\".";
        let Some(word) = self.text(value, "/mode", help) else {
            return;
        };
        match word.parse() {
            Ok(mode) => self.settings.levels.mode = mode,
            Err(error) => self.refuse(value, "/mode", &upper_first(&error), help),
        }
    }

    fn require_metadata(&mut self, value: &Spanned<DeValue>) {
        let help = "Write require_metadata = true or false, without quotes.";
        self.settings.levels.metadata = match value.get_ref() {
            DeValue::Boolean(true) => Metadata::Required,
            DeValue::Boolean(false) => Metadata::Optional,
            other => {
                return self.refuse(
                    value,
                    "/require_metadata",
                    &wrong("true or false", other),
                    help,
                );
            }
        };
    }

    fn ignore(&mut self, value: &Spanned<DeValue>) {
        let help = "Write patterns as a list, such as ignore = [\"drafts/\", \"*.tmp.json\"].";
        for (pattern, text) in self.texts(value, "/ignore", help) {
            match gix::glob::parse(text) {
                Some(pattern) => self.settings.ignore.patterns.push(pattern),
                None => self.refuse(pattern, "/ignore", "The pattern is empty", help),
            }
        }
    }

    fn rules(&mut self, value: &Spanned<DeValue>) {
        let help = "Write a table: [rules], and below it lines such as signature-shared = \"off\".";
        let Some(table) = self.table(value, "/rules", help) else {
            return;
        };
        for (key, value) in table {
            let pointer = format!("/rules/{}", key.get_ref());
            let rule = match near_rule(key.get_ref()) {
                Ok(rule) => rule,
                Err(error) => {
                    let help = "`retake check` prints the id of a rule with each problem.";
                    self.refuse(key, &pointer, &upper_first(&error), help);
                    continue;
                }
            };
            let help = "A level is \"error\", \"warning\", \"note\" or \"off\".";
            let Some(word) = self.text(value, &pointer, help) else {
                continue;
            };
            match Level::from_str(word) {
                Ok(level) => drop(self.settings.levels.rules.insert(rule, level)),
                Err(error) => self.refuse(value, &pointer, &upper_first(&error), help),
            }
        }
    }

    fn secrets(&mut self, value: &Spanned<DeValue>) {
        let help =
            "Write a table: [secrets], and below it lists such as patterns = [\"ACME-[0-9]{12}\"].";
        let Some(table) = self.table(value, "/secrets", help) else {
            return;
        };
        let mut own = Own::default();
        for (key, value) in table {
            let pointer = format!("/secrets/{}", key.get_ref());
            let add: fn(&mut Own, &str) -> Result<(), String> = match key.get_ref().as_ref() {
                "patterns" => Own::add_pattern,
                "allow" => Own::add_allowed,
                _ => {
                    self.refuse_key(key, "/secrets", SECRETS_KEYS);
                    continue;
                }
            };
            for (pattern, text) in self.texts(value, &pointer, help) {
                if let Err(reason) = add(&mut own, text) {
                    let message = format!("{} is no regular expression: {reason}", quoted(text));
                    let help = "In TOML, write regular expressions in single quotes: '\\d{12}'.";
                    self.refuse(pattern, &pointer, &message, help);
                }
            }
        }
        self.settings.secrets = Arc::new(own);
    }

    fn regenerate(&mut self, value: &Spanned<DeValue>) {
        let help = "Write a table: [regenerate], and below it command = \"npm test -- {sets}\".";
        let Some(table) = self.table(value, "/regenerate", help) else {
            return;
        };
        for (key, value) in table {
            let pointer = "/regenerate/command";
            match key.get_ref().as_ref() {
                "command" => {
                    let Some(command) = self.text(value, pointer, help) else {
                        continue;
                    };
                    let (start, end) = (value.span().start, value.span().end);
                    let mark = Mark {
                        span: Span::new(start, end),
                        place: self.source.place(start),
                    };
                    match Template::parse(command, mark) {
                        Ok(template) => self.settings.regenerate = Some(template),
                        Err(unfit) => self.refuse(value, pointer, &unfit.message, &unfit.help),
                    }
                }
                _ => self.refuse_key(key, "/regenerate", REGENERATE_KEYS),
            }
        }
    }

    fn text<'v>(
        &mut self,
        value: &'v Spanned<DeValue>,
        pointer: &str,
        help: &str,
    ) -> Option<&'v str> {
        let text = value.get_ref().as_str();
        if text.is_none() {
            self.refuse(value, pointer, &wrong("a text", value.get_ref()), help);
        }
        text
    }

    fn table<'v, 'i>(
        &mut self,
        value: &'v Spanned<DeValue<'i>>,
        pointer: &str,
        help: &str,
    ) -> Option<&'v DeTable<'i>> {
        let table = value.get_ref().as_table();
        if table.is_none() {
            self.refuse(value, pointer, &wrong("a table", value.get_ref()), help);
        }
        table
    }

    /// The texts of a list; whatever else stands there is told.
    fn texts<'v, 'i>(
        &mut self,
        value: &'v Spanned<DeValue<'i>>,
        pointer: &str,
        help: &str,
    ) -> Vec<(&'v Spanned<DeValue<'i>>, &'v str)> {
        let Some(list) = value.get_ref().as_array() else {
            self.refuse(
                value,
                pointer,
                &wrong("a list of texts", value.get_ref()),
                help,
            );
            return Vec::new();
        };
        let texts = list.iter().enumerate();
        let texts = texts.filter_map(|(index, one)| {
            let text = self.text(one, &format!("{pointer}/{index}"), help)?;
            Some((one, text))
        });
        texts.collect()
    }
}

fn wrong(expected: &str, found: &DeValue) -> String {
    let found = match found {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    };
    format!("Is {found}, where {expected} belongs")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::check::Mode;

    /// Each problem on a line, with its help below.
    fn told(text: &str) -> String {
        let (_, problems) = parse(&Source::new(text));
        let line = |problem: &Problem| {
            let Problem {
                rule,
                place,
                pointer,
                message,
                ..
            } = problem;
            let help = problem.help.as_deref().unwrap_or_default();
            format!("{place} {rule} {pointer} {message}\n  {help}\n")
        };
        problems.iter().map(line).collect()
    }

    #[test]
    fn everything_that_can_be_set() {
        let text = r#"
            paths = ["fixtures", "replays/a.yaml"]
            mode = "strict"
            require_metadata = true
            ignore = ["drafts/"]
            [rules]
            source-line-endings = "error"
            signature-shared = "off"
            [regenerate]
            command = "DYGRAM_TEST_MODE=interactive npm test -- {recordings} ${HOME}"
        "#;
        assert_eq!(told(text), "");
        let (settings, _) = parse(&Source::new(text));
        assert_eq!(settings.paths, ["fixtures", "replays/a.yaml"]);
        assert_eq!(settings.levels.mode, Mode::Strict);
        assert_eq!(settings.levels.metadata, Metadata::Required);
        assert_eq!(settings.levels.rules[&RuleId::SignatureShared], Level::Off);
        assert!(settings.ignore.matches("a/drafts", PathKind::Folder));
        assert!(settings.regenerate.is_some());
        assert_eq!(parse(&Source::new("")).0, Settings::default());
    }

    #[test]
    fn what_is_not_understood_is_told_with_what_to_do_and_the_rest_holds() {
        let text = r#"mod = "strict"
paths = ["ok", "../out", 3]
mode = "loud"
require_metadata = "yes"
ignore = "drafts"
[rules]
source-stail = "off"
syntax = "loud"
encoding = 1
unreadable = "note"
[regenerate]
comand = "x"
command = "npm test {file}"
"#;
        insta::assert_snapshot!(told(text), @r#"
        1:1 wrong-type /mod There is no setting `mod`; did you mean `mode`?
          Settings here are paths, mode, require_metadata, ignore, rules, secrets, review, regenerate, answer.
        2:16 wrong-type /paths `../out` leads out of the project
          Write paths from the folder of this file, without `..`.
        2:26 wrong-type /paths/2 Is a number, where a text belongs
          Write folders and files as a list, such as paths = ["fixtures"].
        3:8 wrong-type /mode There is no mode "loud"; it is strict, warn or skip
          Write mode = "strict", "warn" or "skip".
        4:20 wrong-type /require_metadata Is a text, where true or false belongs
          Write require_metadata = true or false, without quotes.
        5:10 wrong-type /ignore Is a text, where a list of texts belongs
          Write patterns as a list, such as ignore = ["drafts/", "*.tmp.json"].
        7:1 wrong-type /rules/source-stail There is no rule "source-stail"; did you mean "source-stale"?
          `retake check` prints the id of a rule with each problem.
        8:10 wrong-type /rules/syntax There is no level "loud"; it is error, warning, note or off
          A level is "error", "warning", "note" or "off".
        9:12 wrong-type /rules/encoding Is a number, where a text belongs
          A level is "error", "warning", "note" or "off".
        12:1 wrong-type /regenerate/comand There is no setting `comand`; did you mean `command`?
          Settings here are command.
        13:11 wrong-type /regenerate/command There is no placeholder `file`
          Placeholders are {source}, {sources}, {set}, {sets}, {folder}, {folders}, {recording}, {recordings}.
        "#);
        let (settings, _) = parse(&Source::new(text));
        assert_eq!(settings.paths, ["ok"]);
        assert_eq!(settings.levels.rules.len(), 1);
    }

    #[test]
    fn a_text_that_is_no_toml_leaves_the_defaults() {
        insta::assert_snapshot!(told("mode = \"strict\"\nrules = [\n"), @"
        2:10 syntax  Unclosed array, expected `]`
          Mend the text at the marked place; until then the defaults hold. In TOML, texts stand in quotes.
        ");
        insta::assert_snapshot!(told("\u{feff}mode = strict"), @"
        1:8 syntax  String values must be quoted, expected literal string
          Mend the text at the marked place; until then the defaults hold. In TOML, texts stand in quotes.
        ");
        let (settings, _) = parse(&Source::new("mode = \"strict\"\nrules = ["));
        assert_eq!(settings, Settings::default());
        let (_, problems) = parse(&Source::from_bytes(b"mode = \"\xff\"".to_vec()));
        assert_eq!(problems[0].rule, RuleId::Encoding);
    }

    #[test]
    fn patterns_mean_what_they_mean_to_git() {
        let text = r#"ignore = ["*.tmp.json", "/top.json", "drafts/", "a/**/x.json", "old-?", "!keep.tmp.json"]"#;
        let (settings, _) = parse(&Source::new(text));
        let hides = |path| settings.ignore.hides(path);
        for path in [
            "a.tmp.json",
            "deep/er/a.tmp.json",
            "top.json",
            "sets/drafts/one/a.json",
            "a/x.json",
            "a/b/c/x.json",
            "sets/old-1/a.json",
        ] {
            assert!(hides(path), "{path}");
        }
        for path in [
            "deep/top.json",
            "drafts",
            "b/x.json",
            "old-12/a.json",
            "deep/keep.tmp.json",
            "a.json",
        ] {
            assert!(!hides(path), "{path}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_is_too_strange(text in ".{0,80}", key in "[a-z_]{1,10}") {
            let _ = parse(&Source::new(text.as_str()));
            let _ = parse(&Source::new(format!("{key} = {text}")));
            let (settings, _) = parse(&Source::new(format!("ignore = [{text:?}]")));
            let _ = settings.ignore.hides("a/b.json");
        }
    }
}
