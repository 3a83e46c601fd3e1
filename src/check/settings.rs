//! `retake.toml`: the settings of a project.
//!
//! | key | value |
//! |---|---|
//! | `paths` | what `retake check` checks without a path: folders and files, relative to this file |
//! | `mode` | `"strict"`, `"warn"` or `"skip"`, like `--mode` |
//! | `fail_on` | `"error"`, `"warning"` or `"note"`: the level from which `retake check` fails, like `--fail-on` |
//! | `require_metadata` | whether every recording must name its source |
//! | `ignore` | patterns as in `.gitignore`: matching files and folders are not listed |
//! | `gitignore` | `false`: files that git ignores are listed, too, like `--no-ignore` |
//! | `[rules]` | the level of a rule, like `--rule`: `signature-shared = "off"` |
//! | `[secrets]` | `patterns`: regular expressions of additional secrets, also as tables with `name` and `regex`; `allow`: of texts that only look like secrets; `ignore`: patterns as in `.gitignore` of files whose secrets are not reported |
//! | `[cassettes]` | `client`: the program that plays the cassettes; `match_on`: what it compares; `allow_playback_repeats`: whether the first call that matches answers again and again; `max_age_days`: calls that were recorded earlier are reported |
//! | `[stable]` | `on_save`: whether recordings, cassettes and tapes are made [stable](calls::stable) whenever they are saved; `headers`: more headers to remove; `keep`: headers and keys that stay |
//! | `[review]` | `difftool`: the program that compares two takes, in place of git's `diff.tool` |
//! | `[[review.ignore]]` | `at`, `text`, `tolerance`: differences that a [review](compare::review) ignores |
//! | `[regenerate]` | `command`: the command that regenerates recordings, with [placeholders](calls::regenerate) |
//! | `[[format]]` | a [description](document::format) of the recordings of one's own recorder: `name`; `paths`, patterns as in `.gitignore`; JSON pointers to `calls`, `request`, `answer`, `key`, `time`, `status` and `test`; or `recording`: `false` for files that are not recordings |
//! | `[[answer]]` | a [rule](play::live::queue::AnswerRule) that answers requests in a queue: `name`; `node`, `offers` and `says` select the requests; `tool`, `input` and `before`, or `text`, or `recording` are the answer; `reasoning` |
//!
//! Settings that are not understood are reported with their place; all others apply.

mod answer;
#[cfg(test)]
mod answer_tests;
mod format;
mod ignore;
mod review;
mod template;
mod toml_reader;

use std::str::FromStr as _;
use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::{Levels, Metadata, RuleLevel, near_rule};
use calls::cassette_config::CassetteSettings;
use calls::regenerate::Template;
use calls::secret::CustomPatterns;
use calls::stable::StableSettings;
use compare::review::IgnoreRule;
use document::ValueMark;
use document::cassette::CassetteClient;
use document::text::{Source, Span, quoted, upper_first};
use document::{Problem, RuleId};
use play::live::queue::AnswerRule;

pub use format::Formats;
pub use ignore::{Ignore, IgnoreDecision, PathKind};
pub use template::template;
pub use toml_reader::TomlReader;

/// The name of the file. Its folder is the project root.
pub use calls::item::SETTINGS_FILE_NAME as FILE_NAME;

macro_rules! keys {
    ($($key:literal $reader:ident;)*) => {
        const KEYS: &[&str] = &[$($key),*];

        impl SettingsReader<'_> {
            fn file(&mut self, table: &DeTable) {
                for (key, value) in table {
                    match key.get_ref().as_ref() {
                        $($key => self.$reader(value),)*
                        _ => self.toml.report_key(key, "", KEYS),
                    }
                }
            }
        }
    };
}

// Each key with what reads its value.
keys! {
    "paths" paths;
    "mode" mode;
    "fail_on" fail_on;
    "require_metadata" require_metadata;
    "ignore" ignore;
    "gitignore" gitignore;
    "rules" rules;
    "secrets" secrets;
    "cassettes" cassettes;
    "stable" stable;
    "review" review;
    "regenerate" regenerate;
    "format" formats;
    "answer" answers;
}

const SECRETS_KEYS: &[&str] = &["patterns", "allow", "ignore"];
const CASSETTES_KEYS: &[&str] = &["client", "match_on", "allow_playback_repeats", "max_age_days"];
const STABLE_KEYS: &[&str] = &["on_save", "headers", "keep"];
const REGENERATE_KEYS: &[&str] = &["command"];

/// Settings of one project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Paths that are checked by default, relative to the folder of the file; empty: everything.
    pub paths: Vec<String>,
    /// The severity of each problem.
    pub levels: Levels,
    /// Files and folders that are not listed.
    pub ignore: Ignore,
    /// Whether files that git ignores are listed.
    pub lists_git_ignored: bool,
    /// The project's patterns of secrets, and of texts that are not secrets.
    pub secrets: Arc<CustomPatterns>,
    /// Files in which nothing is reported as a secret.
    pub secrets_ignore: Ignore,
    /// Settings of the programs that play cassettes.
    pub cassettes: CassetteSettings,
    /// Settings by which files are made stable.
    pub stable: StableSettings,
    /// Differences between takes that are ignored.
    pub review: Vec<IgnoreRule>,
    /// The program that compares two takes; `None`: git's `diff.tool`.
    pub difftool: Option<String>,
    /// The command that regenerates recordings.
    pub regenerate: Option<Template>,
    /// Descriptions of home-made formats.
    pub formats: Formats,
    /// Rules that answer requests in a queue; the first that matches is used.
    pub answers: Vec<AnswerRule>,
}

/// The largest settings file that is read: what people write is far smaller.
pub const MAX_FILE_BYTES: usize = 1 << 20;

/// The most problems of a file for which a similar name is looked for.
const MAX_SUGGESTIONS: usize = 100;

/// Returns the problem of a settings file that is too large to be read.
fn too_large(source: &Source) -> Option<Problem> {
    let message = "The file is larger than 1 MiB, so none of it is used";
    let problem = Problem::whole_file(RuleId::Unreadable, message)
        .with_help("Remove what is not needed; join many patterns into one with `|`.");
    (source.text().len() > MAX_FILE_BYTES).then_some(problem)
}

/// Reads the file. Settings that are not understood are skipped and returned as problems, in the order of the text.
pub fn parse(source: &Source) -> (Settings, Vec<Problem>) {
    if let Some(problem) = too_large(source) {
        return (Settings::default(), vec![problem]);
    }
    let mut reader =
        SettingsReader { toml: TomlReader::new(source), settings: Settings::default() };
    // One error causes others, so nothing of a text that is no TOML is used.
    if let Some(table) = reader.toml.parse()
        && reader.toml.problems.is_empty()
    {
        reader.file(table.get_ref());
    }
    (reader.settings, reader.toml.into_problems())
}

struct SettingsReader<'a> {
    toml: TomlReader<'a>,
    settings: Settings,
}

impl SettingsReader<'_> {
    fn paths(&mut self, value: &Spanned<DeValue>) {
        let help = "Write folders and files as a list, such as paths = [\"fixtures\"].";
        for (path, text) in self.toml.texts(value, "/paths", help) {
            // Nothing outside the project root is read, no matter who wrote the settings.
            let is_outside = text.starts_with('/') || text.split('/').any(|part| part == "..");
            if !is_outside {
                self.settings.paths.push(text.to_owned());
            } else {
                let message = format!("{} is outside the project", quoted(text));
                let help = "Write paths relative to the folder of this file, without `..`.";
                self.toml.report_value(path, "/paths", &message, help);
            }
        }
    }

    fn mode(&mut self, value: &Spanned<DeValue>) {
        let help = "Write mode = \"strict\", \"warn\" or \"skip\".";
        let Some(word) = self.toml.text(value, "/mode", help) else { return };
        match word.parse() {
            Ok(mode) => self.settings.levels.mode = mode,
            Err(error) => self.toml.report_value(value, "/mode", &upper_first(&error), help),
        }
    }

    fn fail_on(&mut self, value: &Spanned<DeValue>) {
        let help = "Write fail_on = \"error\", \"warning\" or \"note\".";
        let Some(word) = self.toml.text(value, "/fail_on", help) else { return };
        match word.parse() {
            Ok(RuleLevel::At(severity)) => self.settings.levels.fail_on = Some(severity),
            Ok(RuleLevel::Off) | Err(_) => {
                let message = format!("{} is not a level that can fail", quoted(word));
                self.toml.report_value(value, "/fail_on", &message, help);
            }
        }
    }

    fn require_metadata(&mut self, value: &Spanned<DeValue>) {
        let help = "Write require_metadata = true or false, without quotes.";
        self.settings.levels.metadata = match self.flag(value, "/require_metadata", help) {
            Some(true) => Metadata::Required,
            Some(false) => Metadata::Optional,
            None => return,
        };
    }

    fn gitignore(&mut self, value: &Spanned<DeValue>) {
        let help = "Write gitignore = true or false, without quotes.";
        let is_respected = self.flag(value, "/gitignore", help);
        // A faulty value leaves the default: such files are not listed.
        self.settings.lists_git_ignored = is_respected == Some(false);
    }

    /// Returns a value that is true or false; reports another one.
    fn flag(&mut self, value: &Spanned<DeValue>, pointer: &str, help: &str) -> Option<bool> {
        self.toml.expect(value.get_ref().as_bool(), "true or false", value, pointer, help)
    }

    fn ignore(&mut self, value: &Spanned<DeValue>) {
        let help = "Write patterns as a list, such as ignore = [\"drafts/\", \"*.tmp.json\"].";
        self.settings.ignore = self.path_patterns(value, "/ignore", help);
    }

    fn path_patterns(&mut self, value: &Spanned<DeValue>, pointer: &str, help: &str) -> Ignore {
        let mut ignore = Ignore::default();
        for (pattern, text) in self.toml.texts(value, pointer, help) {
            if !ignore.add(text.as_bytes()) {
                self.toml.report_value(pattern, pointer, "The pattern is empty", help);
            }
        }
        ignore
    }

    fn rules(&mut self, value: &Spanned<DeValue>) {
        let help = "Write a table [rules] with lines such as signature-shared = \"off\".";
        let Some(table) = self.toml.table(value, "/rules", help) else { return };
        for (key, value) in table {
            let pointer = format!("/rules/{}", key.get_ref());
            // The search for a similar name takes long.
            let is_crowded = self.toml.problems.len() >= MAX_SUGGESTIONS;
            let rule = if is_crowded { key.get_ref().parse() } else { near_rule(key.get_ref()) };
            let rule = match rule {
                Ok(rule) => rule,
                Err(error) => {
                    let help = "`retake check` prints the id of a rule with each problem.";
                    self.toml.report_value(key, &pointer, &upper_first(&error), help);
                    continue;
                }
            };
            let help = "A level is \"error\", \"warning\", \"note\" or \"off\".";
            let Some(word) = self.toml.text(value, &pointer, help) else { continue };
            match RuleLevel::from_str(word) {
                Ok(level) => drop(self.settings.levels.rules.insert(rule, level)),
                Err(error) => self.toml.report_value(value, &pointer, &upper_first(&error), help),
            }
        }
    }

    fn secrets(&mut self, value: &Spanned<DeValue>) {
        let help = "Write a table [secrets] with lists such as patterns = [\"ACME-[0-9]{12}\"].";
        let Some(table) = self.toml.table(value, "/secrets", help) else { return };
        let mut custom_patterns = CustomPatterns::default();
        for (key, value) in table {
            let pointer = format!("/secrets/{}", key.get_ref());
            let name: &str = key.get_ref();
            if name == "ignore" {
                self.settings.secrets_ignore = self.path_patterns(value, &pointer, help);
                continue;
            }
            if !SECRETS_KEYS.contains(&name) {
                self.toml.report_key(key, "/secrets", SECRETS_KEYS);
                continue;
            }
            for (pattern, label, text) in self.secret_patterns(value, &pointer, name, help) {
                let result = if name == "allow" {
                    custom_patterns.add_allowed(text)
                } else {
                    custom_patterns.add_named(label, text)
                };
                if let Err(reason) = result {
                    let message = format!("{} is not a regular expression: {reason}", quoted(text));
                    let help = "In TOML, write regular expressions in single quotes: '\\d{12}'.";
                    self.toml.report_value(pattern, &pointer, &message, help);
                }
            }
        }
        self.settings.secrets = Arc::new(custom_patterns);
    }

    /// Returns each pattern with its name, which is empty for a plain string.
    fn secret_patterns<'v, 'i>(
        &mut self,
        value: &'v Spanned<DeValue<'i>>,
        pointer: &str,
        key: &str,
        help: &str,
    ) -> Vec<(&'v Spanned<DeValue<'i>>, &'v str, &'v str)> {
        let tables = value.get_ref().as_array().filter(|_| key == "patterns");
        let has_tables = tables.is_some_and(|t| t.iter().any(|v| v.get_ref().is_table()));
        if !has_tables {
            let texts = self.toml.texts(value, pointer, help).into_iter();
            return texts.map(|(element, text)| (element, "", text)).collect();
        }
        let patterns = tables.into_iter().flatten().enumerate().filter_map(|(index, element)| {
            let member = |key| element.get_ref().get(key)?.get_ref().as_str();
            let pattern = member("name")
                .zip(member("regex"))
                .or(element.get_ref().as_str().map(|text| ("", text)));
            pattern.map(|(name, text)| (element, name, text)).or_else(|| {
                let pointer = format!("{pointer}/{index}");
                let help = "Write { name = \"ACME key\", regex = 'ACME-\\d{12}' }.";
                self.toml.report_value(element, &pointer, "Expected a name and a regex", help);
                None
            })
        });
        patterns.collect()
    }

    fn cassettes(&mut self, value: &Spanned<DeValue>) {
        let help = "Write a table [cassettes] with lines such as match_on = [\"method\", \"uri\", \"body\"].";
        let Some(table) = self.toml.table(value, "/cassettes", help) else { return };
        for (key, value) in table {
            let pointer = format!("/cassettes/{}", key.get_ref());
            // Messages name the line that set what a cassette is judged by.
            let line = self.toml.source.place(value.span().start).line;
            match key.get_ref().as_ref() {
                "client" => {
                    let programs = CassetteClient::ALL.iter();
                    let names: Vec<&str> = programs.map(|client| client.as_str()).collect();
                    let help = format!("The programs are {}.", names.join(", "));
                    let Some(name) = self.toml.text(value, &pointer, &help) else { continue };
                    match CassetteClient::ALL.iter().find(|client| client.as_str() == name) {
                        Some(client) => self.settings.cassettes.client = Some((*client, line)),
                        None => {
                            let message = format!("There is no program {}", quoted(name));
                            self.toml.report_value(value, &pointer, &message, &help);
                        }
                    }
                }
                "match_on" => {
                    let texts = self.toml.texts(value, &pointer, help).into_iter();
                    let texts: Vec<Box<str>> = texts.map(|(_, text)| text.into()).collect();
                    // A list of faulty values is empty here, and must not mean that nothing is compared.
                    let is_set = !texts.is_empty();
                    self.settings.cassettes.match_on = is_set.then_some((texts, line));
                }
                "allow_playback_repeats" => {
                    let is_set = self.flag(value, &pointer, "Write allow_playback_repeats = true.");
                    self.settings.cassettes.repeats = is_set.map(|is_set| (is_set, line));
                }
                "max_age_days" => {
                    let days = match value.get_ref() {
                        // TOML allows `_` between digits.
                        DeValue::Integer(number) => number.as_str().replace('_', "").parse().ok(),
                        _ => None,
                    };
                    self.settings.cassettes.max_age_days = days.map(|days| (days, line));
                    if days.is_none() {
                        let help = "Write max_age_days = 180.";
                        self.toml.report_value(value, &pointer, "Expected a number of days", help);
                    }
                }
                _ => self.toml.report_key(key, "/cassettes", CASSETTES_KEYS),
            }
        }
    }

    fn stable(&mut self, value: &Spanned<DeValue>) {
        let help = "Write a table [stable] with lines such as on_save = true.";
        let Some(table) = self.toml.table(value, "/stable", help) else { return };
        for (key, value) in table {
            let pointer = format!("/stable/{}", key.get_ref());
            match key.get_ref().as_ref() {
                "on_save" => {
                    let is_set = self.flag(value, &pointer, "Write on_save = true.");
                    self.settings.stable.on_save = is_set == Some(true);
                }
                // Headers are compared without case, unlike the keys below.
                "headers" => {
                    let help = "Write headers = [\"x-trace-*\"].";
                    let names = self.toml.texts(value, &pointer, help).into_iter();
                    let lower_names = names.map(|(_, name)| name.to_ascii_lowercase().into());
                    self.settings.stable.headers = lower_names.collect();
                }
                "keep" => {
                    let help = "Write keep = [\"date\", \"recorded_at\"].";
                    let names = self.toml.texts(value, &pointer, help).into_iter();
                    self.settings.stable.keep = names.map(|(_, name)| name.into()).collect();
                }
                _ => self.toml.report_key(key, "/stable", STABLE_KEYS),
            }
        }
    }

    fn regenerate(&mut self, value: &Spanned<DeValue>) {
        let help = "Write a table [regenerate] with command = \"npm test -- {sets}\".";
        let Some(table) = self.toml.table(value, "/regenerate", help) else { return };
        for (key, value) in table {
            let pointer = "/regenerate/command";
            match key.get_ref().as_ref() {
                "command" => {
                    let Some(command) = self.toml.text(value, pointer, help) else { continue };
                    let span = Span::new(value.span().start, value.span().end);
                    let mark =
                        ValueMark { span, place: self.toml.source.place(value.span().start) };
                    match Template::parse(command, mark) {
                        Ok(template) => self.settings.regenerate = Some(template),
                        Err(fault) => {
                            self.toml.report_value(value, pointer, &fault.message, &fault.help);
                        }
                    }
                }
                _ => self.toml.report_key(key, "/regenerate", REGENERATE_KEYS),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SourceMode;
    use document::RuleId;

    /// Each problem on a line, with its help below.
    fn describe_problems(text: &str) -> String {
        let (_, problems) = parse(&Source::new(text));
        let line = |problem: &Problem| {
            let Problem { rule, place, pointer, message, .. } = problem;
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
            gitignore = false
            [rules]
            source-line-endings = "error"
            signature-shared = "off"
            [cassettes]
            client = "cassetter"
            match_on = ["method", "body"]
            allow_playback_repeats = false
            max_age_days = 1_80
            [regenerate]
            command = "DYGRAM_TEST_MODE=interactive npm test -- {recordings} ${HOME}"
        "#;
        assert_eq!(describe_problems(text), "");
        let (settings, _) = parse(&Source::new(text));
        assert_eq!(settings.paths, ["fixtures", "replays/a.yaml"]);
        assert_eq!(settings.levels.mode, SourceMode::Strict);
        assert_eq!(settings.levels.metadata, Metadata::Required);
        assert_eq!(settings.levels.rules[&RuleId::SignatureShared], RuleLevel::Off);
        assert!(settings.ignore.matches("a/drafts", PathKind::Folder));
        assert!(settings.lists_git_ignored);
        assert!(settings.regenerate.is_some());
        let expected = CassetteSettings {
            client: Some((CassetteClient::Cassetter, 11)),
            match_on: Some((vec!["method".into(), "body".into()], 12)),
            repeats: Some((false, 13)),
            max_age_days: Some((180, 14)),
        };
        assert_eq!(settings.cassettes, expected);
        assert_eq!(parse(&Source::new("")).0, Settings::default());
    }

    #[test]
    fn what_is_not_understood_is_reported_with_what_to_do_and_the_rest_holds() {
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
[cassettes]
client = "vcr"
max_age_days = "1"
match = []
allow_playback_repeats = 1
[regenerate]
comand = "x"
command = "npm test {file}"
"#;
        insta::assert_snapshot!(describe_problems(text), @r#"
        1:1 wrong-type /mod Unknown setting `mod`; did you mean `mode`?
          The settings here are paths, mode, fail_on, require_metadata, ignore, gitignore, rules, secrets, cassettes, stable, review, regenerate, format, answer.
        2:16 wrong-type /paths `../out` is outside the project
          Write paths relative to the folder of this file, without `..`.
        2:26 wrong-type /paths/2 Expected a string, found a number
          Write folders and files as a list, such as paths = ["fixtures"].
        3:8 wrong-type /mode There is no mode "loud"; it is strict, warn or skip
          Write mode = "strict", "warn" or "skip".
        4:20 wrong-type /require_metadata Expected true or false, found a string
          Write require_metadata = true or false, without quotes.
        5:10 wrong-type /ignore Expected a list of strings, found a string
          Write patterns as a list, such as ignore = ["drafts/", "*.tmp.json"].
        7:1 wrong-type /rules/source-stail There is no rule "source-stail"; did you mean "source-stale"?
          `retake check` prints the id of a rule with each problem.
        8:10 wrong-type /rules/syntax There is no level "loud"; use error, warning, note or off
          A level is "error", "warning", "note" or "off".
        9:12 wrong-type /rules/encoding Expected a string, found a number
          A level is "error", "warning", "note" or "off".
        12:10 wrong-type /cassettes/client There is no program `vcr`
          The programs are vcrpy, cassetter, ruby-vcr, r-vcr, go-vcr.
        13:16 wrong-type /cassettes/max_age_days Expected a number of days
          Write max_age_days = 180.
        14:1 wrong-type /cassettes/match Unknown setting `match`; did you mean `match_on`?
          The settings here are client, match_on, allow_playback_repeats, max_age_days.
        15:26 wrong-type /cassettes/allow_playback_repeats Expected true or false, found a number
          Write allow_playback_repeats = true.
        17:1 wrong-type /regenerate/comand Unknown setting `comand`; did you mean `command`?
          The settings here are command.
        18:11 wrong-type /regenerate/command Unknown placeholder `file`
          The placeholders are {source}, {sources}, {set}, {sets}, {folder}, {folders}, {recording}, {recordings}.
        "#);
        let (settings, _) = parse(&Source::new(text));
        assert_eq!(settings.paths, ["ok"]);
        assert_eq!(settings.levels.rules.len(), 1);
    }

    #[test]
    fn a_text_that_is_no_toml_leaves_the_defaults() {
        insta::assert_snapshot!(describe_problems("mode = \"strict\"\nrules = [\n"), @"
        2:10 syntax  Unclosed array, expected `]`
          Fix the text at the marked place; until then the defaults apply. In TOML, strings are in quotes.
        ");
        insta::assert_snapshot!(describe_problems("\u{feff}mode = strict"), @"
        1:8 syntax  String values must be quoted, expected literal string
          Fix the text at the marked place; until then the defaults apply. In TOML, strings are in quotes.
        ");
        let (settings, _) = parse(&Source::new("mode = \"strict\"\nrules = ["));
        assert_eq!(settings, Settings::default());
        let (_, problems) = parse(&Source::from_bytes(b"mode = \"\xff\"".to_vec()));
        assert_eq!(problems[0].rule, RuleId::Encoding);
    }

    proptest::proptest! {
        #![proptest_config(document::text::cases(256))]

        #[test]
        fn no_text_is_too_strange(text in ".{0,80}", key in "[a-z_]{1,10}") {
            let _ = parse(&Source::new(text.as_str()));
            let _ = parse(&Source::new(format!("{key} = {text}")));
            let (settings, _) = parse(&Source::new(format!("ignore = [{text:?}]")));
            let _ = settings.ignore.hides("a/b.json");
        }
    }
}
