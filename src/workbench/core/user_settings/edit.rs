//! Changes single values in `settings.toml`; everything else stays, byte for byte.

use toml::de::{DeTable, DeValue};

use super::parse::parse;
use crate::format::{Problem, json};
use crate::text::Source;
use crate::workbench::core::command::{Command, Shortcut};
use crate::workbench::core::view::Theme;

/// The content of a new file.
pub(super) const TEMPLATE: &str = include_str!("../../../../assets/settings.toml");

/// A change of one value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SettingChange {
    Theme(Theme),
    /// The keys of a command; `None` for those that are declared.
    Keys(Command, Option<Vec<Shortcut>>),
}

/// Returns the text with changes.
///
/// # Errors
///
/// Why the text cannot be changed in this way, as a sentence without a full stop. Then it has to be edited by hand.
pub(super) fn change(source: &Source, changes: &[SettingChange]) -> Result<Source, String> {
    let (mut wanted, before) = parse(source);
    let mut after = source.clone();
    for change in changes {
        after = Source::new(change_one(&after, change)?);
        match change {
            SettingChange::Theme(theme) => wanted.theme = Some(*theme),
            SettingChange::Keys(command, Some(keys)) => wanted.keymap.set(*command, keys.clone()),
            SettingChange::Keys(command, None) => wanted.keymap.reset(*command),
        }
    }
    let (read, problems) = parse(&after);
    let is_new = |it: &&Problem| !before.iter().any(|old| old.message == it.message);
    let unchangeable = "The file is written in a way that cannot be changed here";
    if let Some(problem) = problems.iter().find(is_new) {
        let is_about_keys = problem.pointer.starts_with("/keys/");
        return Err((if is_about_keys { &*problem.message } else { unchangeable }).to_owned());
    }
    let is_as_wanted = |change: &SettingChange| match change {
        SettingChange::Theme(_) => read.theme == wanted.theme,
        SettingChange::Keys(command, _) => {
            read.keymap.shortcuts(*command) == wanted.keymap.shortcuts(*command)
        }
    };
    // Where something was wrong before, the change may have corrected it.
    if before.is_empty() && read != wanted || !changes.iter().all(is_as_wanted) {
        return Err(unchangeable.to_owned());
    }
    Ok(after)
}

fn change_one(source: &Source, change: &SettingChange) -> Result<String, String> {
    let text = source.text();
    let table = DeTable::parse(text).map_err(|fault| {
        let at = fault.span().map_or(0, |span| span.start);
        format!("Line {} is not TOML", source.place(at).line)
    })?;
    let table = table.get_ref();
    let find = |table: &DeTable, name: &str| {
        let entry = table.iter().find(|(key, _)| key.get_ref() == name);
        entry.map(|(key, value)| (key.span().start, value.span()))
    };
    let mut new = text.to_owned();
    match change {
        SettingChange::Theme(theme) => {
            let (_, value) = find(table, "theme").ok_or("The file has no theme")?;
            new.replace_range(value, &json::quote(theme.name()));
        }
        SettingChange::Keys(command, keys) => {
            let id = command.id();
            let entries = table.get("keys").and_then(|it| it.get_ref().as_table());
            let found = entries.and_then(|entries| find(entries, &id));
            match (found, keys) {
                (Some((_, value)), Some(keys)) => new.replace_range(value, &write_keys(keys)),
                (Some((start, value)), None) => remove_line(&mut new, start, value.end),
                (None, None) => {}
                (None, Some(keys)) => {
                    let line = format!("{id} = {}", write_keys(keys));
                    insert_line(&mut new, table, &line);
                }
            }
        }
    }
    Ok(new)
}

fn write_keys(keys: &[Shortcut]) -> String {
    let quoted = keys.iter().map(|keys| json::quote(&keys.spell()));
    let quoted: Vec<String> = quoted.collect();
    match &quoted[..] {
        [one] => one.clone(),
        all => format!("[{}]", all.join(", ")),
    }
}

/// Removes an entry with its line, but not a comment behind it.
fn remove_line(text: &mut String, start: usize, end: usize) {
    let line_end = text[end..].find('\n').map_or(text.len(), |at| end + at + 1);
    let behind = &text[end..line_end];
    let comment = end + behind.len() - behind.trim_start().len();
    let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    if comment < line_end && text[comment..].starts_with('#') {
        text.replace_range(start..comment, "");
    } else if text[line_start..start].trim().is_empty() {
        text.replace_range(line_start..line_end, "");
    }
}

/// Adds a line behind the last entry of the table of keys, or with a new table at the end.
fn insert_line(text: &mut String, table: &DeTable, line: &str) {
    let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let keys = table.get("keys");
    let last = keys.and_then(|keys| {
        let entries = keys.get_ref().as_table()?.iter();
        let ends = entries.map(|(_, value): (_, &toml::Spanned<DeValue>)| value.span().end);
        Some(ends.max().unwrap_or(keys.span().end))
    });
    let mut at = text.len();
    let mut added = String::new();
    match last {
        Some(last) => match text[last..].find('\n') {
            Some(end) => at = last + end + 1,
            None => added += line_end,
        },
        None => {
            if !text.is_empty() && !text.ends_with('\n') {
                added += line_end;
            }
            if !text.is_empty() {
                added += line_end;
            }
            added += "[keys]";
            added += line_end;
        }
    }
    added += line;
    added += line_end;
    text.insert_str(at, &added);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(command: Command, keys: &[&str]) -> SettingChange {
        let keys = keys.iter().map(|keys| keys.parse().unwrap());
        SettingChange::Keys(command, Some(keys.collect()))
    }

    fn changed(text: &str, changes: &[SettingChange]) -> String {
        match change(&Source::new(text), changes) {
            Ok(source) => source.text().to_owned(),
            Err(reason) => format!("error: {reason}"),
        }
    }

    const TEXT: &str = "# Mine.\ntheme =  'dark' # at night\n\n[keys] # few\nquit = 'F10' # far away\n\n  # More.\nsave = [\n  'F6', # one\n]\n\n# The end.";

    #[test]
    fn comments_and_everything_else_stay() {
        insta::assert_snapshot!(changed(TEXT, &[SettingChange::Theme(Theme::Light)]), @r#"
        # Mine.
        theme =  "light" # at night

        [keys] # few
        quit = 'F10' # far away

          # More.
        save = [
          'F6', # one
        ]

        # The end.
        "#);
        insta::assert_snapshot!(changed(TEXT, &[keys(Command::Quit, &["Ctrl+Q", "F10"])]), @r#"
        # Mine.
        theme =  'dark' # at night

        [keys] # few
        quit = ["Ctrl+Q", "F10"] # far away

          # More.
        save = [
          'F6', # one
        ]

        # The end.
        "#);
        insta::assert_snapshot!(changed(TEXT, &[SettingChange::Keys(Command::Quit, None)]), @r"
        # Mine.
        theme =  'dark' # at night

        [keys] # few
        # far away

          # More.
        save = [
          'F6', # one
        ]

        # The end.
        ");
        insta::assert_snapshot!(changed(TEXT, &[keys(Command::Undo, &[])]), @r"
        # Mine.
        theme =  'dark' # at night

        [keys] # few
        quit = 'F10' # far away

          # More.
        save = [
          'F6', # one
        ]
        undo = []

        # The end.
        ");
        insta::assert_snapshot!(changed(TEXT, &[SettingChange::Keys(Command::Save, None)]), @r"
        # Mine.
        theme =  'dark' # at night

        [keys] # few
        quit = 'F10' # far away

          # More.

        # The end.
        ");
    }

    #[test]
    fn a_table_is_added_where_there_is_none() {
        let change = [keys(Command::SaveAll, &["Ctrl+Shift+A"])];
        assert_eq!(changed("", &change), "[keys]\nsave-all = \"Ctrl+Shift+A\"\n");
        assert_eq!(
            changed("theme = 'dark'\r\n", &change),
            "theme = 'dark'\r\n\r\n[keys]\r\nsave-all = \"Ctrl+Shift+A\"\r\n"
        );
        assert_eq!(changed("[keys]", &change), "[keys]\nsave-all = \"Ctrl+Shift+A\"\n");
        assert_eq!(
            changed("[keys]\n[other]\n", &change),
            "[keys]\nsave-all = \"Ctrl+Shift+A\"\n[other]\n"
        );
        let dotted = changed("\u{feff}keys.quit = 'F10'", &change);
        assert_eq!(dotted, "error: The file is written in a way that cannot be changed here");
    }

    #[test]
    fn what_cannot_be_changed_stays() {
        let undo = [keys(Command::Undo, &["F10"])];
        for text in ["keys = {quit = 'F10'}\n", "keys = 3\n", "[keys]\nquit = \n", TEXT] {
            let reason = changed(text, &undo);
            assert!(reason.starts_with("error: "), "{text}: {reason}");
        }
        insta::assert_snapshot!(changed(TEXT, &undo), @"error: `F10` is already a key of `quit`");
    }

    #[test]
    fn the_example_of_the_guide_has_no_problem() {
        let page = include_str!("../../../../assets/guide/settings.md");
        let example = page.split("```toml\n").nth(1).unwrap();
        let example = example.split("```").next().unwrap();
        let (settings, problems) = parse(&Source::new(example));
        assert_eq!(problems, []);
        assert!(settings.keymap.is_changed(Command::Quit));
        let rows = page.lines().filter(|line| line.contains("{file}"));
        for editor in rows.filter_map(|line| line.split("| `\"").nth(1)) {
            let editor = editor.split('"').next().unwrap();
            assert!(super::super::EditorCommand::parse(editor).is_ok(), "{editor}");
        }
    }

    #[test]
    fn the_content_of_a_new_file_has_no_problem() {
        let (settings, problems) = parse(&Source::new(TEMPLATE));
        assert_eq!((settings, problems), Default::default());
        // Each example is right, too.
        let examples = TEMPLATE.lines().filter_map(|line| line.strip_prefix("# "));
        let examples = examples.filter(|line| line.contains(" = ") || line.starts_with('['));
        let examples = examples.collect::<Vec<_>>().join("\n");
        let (settings, problems) = parse(&Source::new(examples));
        assert_eq!(problems, []);
        assert!(settings.theme.is_some() && settings.editor.is_some());
        assert!(settings.keymap.is_changed(Command::SaveAll));
    }
}
