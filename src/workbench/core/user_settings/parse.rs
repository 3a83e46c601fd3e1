//! Reads `settings.toml`.

use crate::{Command, Keymap, Shortcut};
use check::settings::TomlReader;
use document::text::{Source, quoted, upper_first};
use document::{Problem, RuleId};
use protocol::{EditorCommand, Theme};
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

const KEYS: &[&str] = &["theme", "motion", "editor", "difftool", "keys"];

/// The settings of one user, for every project.
///
/// | key | value |
/// |---|---|
/// | `theme` | `"system"`, `"light"` or `"dark"` |
/// | `motion` | `"full"` or `"reduced"` |
/// | `editor` | the command of *Open in editor*, with `{file}`, `{line}` and `{column}` |
/// | `difftool` | the program that compares two takes in projects that set none |
/// | `[keys]` | the keys of a command, by its [id](Command::id): `save-all = "Ctrl+Shift+S"`, several in a list, none in an empty list |
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserSettings {
    /// The color theme; `None`: as chosen in the window.
    pub theme: Option<Theme>,
    /// Whether nothing moves by itself: a playhead jumps, panels and menus appear at once.
    pub reduced_motion: bool,
    pub editor: Option<EditorCommand>,
    /// The program that compares two takes; `None`: git's `diff.tool`.
    pub difftool: Option<String>,
    pub keymap: Keymap,
}

/// Reads the file. What is not understood is skipped and returned as problems, in the order of the text.
pub(super) fn parse(source: &Source) -> (UserSettings, Vec<Problem>) {
    let mut reader =
        SettingsReader { toml: TomlReader::new(source), settings: UserSettings::default() };
    let Some(table) = reader.toml.parse() else {
        return (reader.settings, reader.toml.into_problems());
    };
    reader.file(table.get_ref());
    let mut problems = reader.toml.into_problems();
    // Problems around a syntax error may be only its consequences.
    if problems.iter().any(|p| p.rule == RuleId::Syntax) {
        problems.retain(|p| p.rule == RuleId::Syntax);
        let help = "Fix the text at the marked place. In TOML, strings are in quotes.";
        problems = problems.into_iter().map(|p| p.with_help(help)).collect();
    }
    (reader.settings, problems)
}

struct SettingsReader<'a> {
    toml: TomlReader<'a>,
    settings: UserSettings,
}

/// An entry of the table of keys: the keys that were understood, each with its value.
struct Entry<'a, 'i> {
    command: Command,
    start: usize,
    keys: Vec<(Shortcut, &'a Spanned<DeValue<'i>>)>,
}

impl SettingsReader<'_> {
    fn file(&mut self, table: &DeTable) {
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "theme" => self.theme(value),
                "motion" => self.motion(value),
                "editor" => self.editor(value),
                "difftool" => {
                    let tool = self.toml.text(value, "/difftool", "Write difftool = \"meld\".");
                    self.settings.difftool = tool.map(str::to_owned);
                }
                "keys" => self.keys(value),
                _ => self.toml.report_key(key, "", KEYS),
            }
        }
    }

    fn theme(&mut self, value: &Spanned<DeValue>) {
        let help = "Write theme = \"system\", \"light\" or \"dark\".";
        let Some(name) = self.toml.text(value, "/theme", help) else { return };
        self.settings.theme = Theme::from_name(name);
        if self.settings.theme.is_none() {
            let message = format!("There is no theme {}", quoted(name));
            self.toml.report_value(value, "/theme", &message, help);
        }
    }

    fn motion(&mut self, value: &Spanned<DeValue>) {
        let help = "Write motion = \"full\" or \"reduced\".";
        match self.toml.text(value, "/motion", help) {
            Some("full") | None => {}
            Some("reduced") => self.settings.reduced_motion = true,
            Some(name) => {
                let message = format!("There is no motion {}", quoted(name));
                self.toml.report_value(value, "/motion", &message, help);
            }
        }
    }

    fn editor(&mut self, value: &Spanned<DeValue>) {
        let help = "Write editor = \"code -g {file}:{line}:{column}\".";
        let Some(text) = self.toml.text(value, "/editor", help) else { return };
        match EditorCommand::parse(text) {
            Ok(editor) => self.settings.editor = Some(editor),
            Err(message) => self.toml.report_value(value, "/editor", &message, help),
        }
    }

    fn keys(&mut self, value: &Spanned<DeValue>) {
        let help = "Write a table [keys] with lines such as save-all = \"Ctrl+Shift+S\".";
        let Some(table) = self.toml.table(value, "/keys", help) else { return };
        let entries = table.iter();
        let mut entries: Vec<Entry<'_, '_>> =
            entries.filter_map(|(key, value)| self.entry(key, value)).collect();
        // In the order of the text: of two entries with the same keys, the first gets them.
        entries.sort_by_key(|entry| entry.start);
        for entry in &entries {
            // The default keys of a command with an entry are free for all entries, also for earlier ones.
            self.settings.keymap.set(entry.command, Vec::new());
        }
        for entry in entries {
            let is_none_wanted = entry.keys.is_empty();
            for (shortcut, value) in entry.keys {
                self.add(entry.command, shortcut, value);
            }
            let keymap = &mut self.settings.keymap;
            if !is_none_wanted && keymap.shortcuts(entry.command).is_empty() {
                // A command does not lose its default keys because of a mistake in its entry.
                let free_shortcuts: Vec<Shortcut> = entry
                    .command
                    .default_shortcuts()
                    .iter()
                    .filter(|keys| keymap.conflict(entry.command, **keys).is_none())
                    .copied()
                    .collect();
                keymap.set(entry.command, free_shortcuts);
            }
        }
    }

    /// Gives a command a shortcut that is free.
    fn add(&mut self, command: Command, shortcut: Shortcut, value: &Spanned<DeValue>) {
        let pointer = format!("/keys/{}", command.id());
        let keys = shortcut.spell();
        if let Some(reason) = shortcut.needed_elsewhere(command) {
            let help = "Choose other keys.";
            self.toml.report_value(value, &pointer, &format!("`{keys}` is {reason}"), help);
        } else if let Some(other) = self.settings.keymap.conflict(command, shortcut) {
            let message = format!("`{keys}` is already a key of `{}`", other.id());
            let help = format!(
                "Choose other keys, or change those of `{0}` in the table [keys], too: {0} = [] removes them.",
                other.id()
            );
            self.toml.report_value(value, &pointer, &message, &help);
        } else {
            self.settings.keymap.add(command, shortcut);
        }
    }

    /// Reads the keys of one command; `None` if the command is unknown or none of its keys is understood.
    fn entry<'a, 'i>(
        &mut self,
        key: &Spanned<DeString>,
        value: &'a Spanned<DeValue<'i>>,
    ) -> Option<Entry<'a, 'i>> {
        let name: &str = key.get_ref();
        let pointer = format!("/keys/{name}");
        let Some(command) = Command::from_id(name) else {
            let ids: Vec<String> = Command::ALL.iter().map(|c| c.id()).collect();
            let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
            // 0.6 is the default cutoff of Python's `difflib`, whose function this is.
            let suggestion = similar::get_close_matches(name, &ids, 1, 0.6);
            let suggestion = suggestion
                .first()
                .map_or_else(String::new, |suggestion| format!("; did you mean `{suggestion}`?"));
            let message = format!("There is no command {}{suggestion}", quoted(name));
            let help = "The page of the guide about settings lists the commands.";
            self.toml.report_value(key, &pointer, &message, help);
            return None;
        };
        let help = "Write keys such as \"Ctrl+Shift+S\", several as a list, and [] for none.";
        let texts = match value.get_ref() {
            DeValue::Array(_) => self.toml.texts(value, &pointer, help),
            _ => Vec::from_iter(self.toml.text(value, &pointer, help).map(|text| (value, text))),
        };
        let wants_none = value.get_ref().as_array().is_some_and(|a| a.is_empty());
        let mut keys = Vec::new();
        for (value, text) in texts {
            match text.parse::<Shortcut>() {
                Ok(shortcut) => keys.push((shortcut, value)),
                Err(reason) => {
                    self.toml.report_value(value, &pointer, &upper_first(&reason), help);
                }
            }
        }
        (wants_none || !keys.is_empty()).then_some(Entry { command, start: key.span().start, keys })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn describe(text: &str) -> String {
        let (settings, problems) = parse(&Source::new(text));
        let mut lines: Vec<String> =
            problems.iter().map(|p| format!("{} {}", p.place, p.message)).collect();
        for command in Command::ALL {
            if settings.keymap.is_changed(*command) {
                let keys = settings.keymap.shortcuts(*command).iter();
                let keys: Vec<String> = keys.map(|keys| keys.spell()).collect();
                lines.push(format!("{} = {}", command.id(), keys.join(" or ")));
            }
        }
        lines.push(format!("{:?} {:?}", settings.theme, settings.editor));
        lines.join("\n")
    }

    #[test]
    fn everything_that_can_be_set() {
        let text = r#"
            theme = "light"
            motion = "reduced"
            editor = "code -g {file}:{line}:{column}"
            difftool = "meld"
            [keys]
            save-all = "Ctrl+Shift+S"
            save-as = []
            reload = ["F5", "Ctrl+Alt+L"]
        "#;
        insta::assert_snapshot!(describe(text), @r#"
        reload = F5 or Ctrl+Alt+L
        save-all = Ctrl+Shift+S
        save-as = 
        Some(Light) Some(EditorCommand { words: ["code", "-g", "{file}:{line}:{column}"] })
        "#);
        assert!(parse(&Source::new(text)).0.reduced_motion);
        assert_eq!(parse(&Source::new("")).0, UserSettings::default());
    }

    #[test]
    fn what_is_not_understood_has_a_place_and_the_rest_is_used() {
        let text = r#"them = "dark"
theme = "purple"
motion = "slow"
editor = 3
[keys]
save-al = "F6"
save-all = "Ctrl+Shift+S"
save-as = "Ctrl+Foo"
reload = ["F6", 7]
quit = "Ctrl+C"
undo = true
find-next = "F6"
accept-pair = "j"
go-tapes = "F9"
"#;
        insta::assert_snapshot!(describe(text), @r"
        1:1 Unknown setting `them`; did you mean `theme`?
        2:9 There is no theme `purple`
        3:10 There is no motion `slow`
        4:10 Expected a string, found a number
        6:1 There is no command `save-al`; did you mean `save-all`?
        7:12 `Ctrl+Shift+S` is already a key of `save-as`
        8:11 There is no key `Foo`
        9:17 Expected a string, found a number
        10:8 `Ctrl+C` is needed by text fields
        11:8 Expected a string, found a boolean
        12:13 `F6` is already a key of `reload`
        13:15 `j` is already a key of `next-row`
        reload = F6
        save-all = Ctrl+Alt+S
        quit = Ctrl+Q
        find-next = F3
        go-tapes = F9
        accept-pair = a
        None None
        ");
    }

    #[test]
    fn two_commands_can_exchange_their_keys() {
        let text = "[keys]\nfind-next = \"Shift+F3\"\nfind-previous = \"F3\"\n";
        insta::assert_snapshot!(describe(text), @r"
        find-next = Shift+F3
        find-previous = F3
        None None
        ");
    }

    #[test]
    fn of_a_text_that_is_no_toml_the_rest_is_used() {
        insta::assert_snapshot!(describe("theme = \"dark\"\n[keys]\nquit = [\nsave = 3"), @r"
        4:6 Unexpected `=` in array, expected value, `]`
        Some(Dark) None
        ");
        insta::assert_snapshot!(describe("theme = dark\n[keys]\nquit = \"F7\"\n"), @r"
        1:9 String values must be quoted, expected literal string
        quit = F7
        Some(Dark) None
        ");
        let (_, problems) = parse(&Source::from_bytes(b"theme = \"\xff\"".to_vec()));
        assert_eq!(problems[0].rule, RuleId::Encoding);
    }

    proptest::proptest! {
        #[test]
        fn no_text_is_too_strange(text in ".{0,80}", key in "(theme|editor|keys|keys.save|[a-z]{1,8})") {
            let _ = parse(&Source::new(text.as_str()));
            let _ = parse(&Source::new(format!("{key} = {text}")));
            let _ = parse(&Source::new(format!("{key} = {text:?}\n[keys]\nsave = {text:?}")));
            let _ = parse(&Source::from_bytes(text.bytes().map(|b| b ^ 0x80).collect::<Vec<u8>>()));
        }
    }
}
