//! Changes one value of `settings.toml`; everything else stays, byte for byte.

use document::json;
use document::text::Source;
use toml::de::{DeTable, DeValue};

/// The content of a new file.
pub(super) const SETTINGS_TEMPLATE: &str = include_str!("../../../../assets/settings.toml");

/// Returns the text with another value at a key of its first level. Without a value, the lines of the key become comments.
///
/// # Errors
///
/// Returns the reason the text cannot be changed, as a sentence without a full stop. Then it has to be edited by hand.
pub(super) fn with_value(input: &Source, key: &str, value: Option<&str>) -> Result<String, String> {
    // Not the recovering parser: in a faulty text the value may be at another place.
    let parse = |text| {
        DeTable::parse(text).map_err(|fault| {
            let offset = fault.span().map_or(0, |span| span.start);
            format!("Line {} is not TOML", input.place(offset).line)
        })
    };
    let mut text = input.text().to_owned();
    let table = parse(input.text())?;
    // A string of JSON is also one of TOML.
    let value = value.map(json::quote);
    let line_start = |offset: usize| input.text()[..offset].rfind('\n').map_or(0, |at| at + 1);
    match (table.get_ref().get_key_value(key), value) {
        (Some((_, old)), Some(value)) => text.replace_range(old.span(), &value),
        (Some((name, old)), None) => {
            let start = line_start(name.span().start);
            let lines = input.text()[start..old.span().end].replace('\n', "\n# ");
            text.replace_range(start..old.span().end, &format!("# {lines}"));
        }
        (None, Some(value)) => {
            let place = place_of(input.text(), table.get_ref(), key);
            let end = if input.text().contains("\r\n") { "\r\n" } else { "\n" };
            // The last line of a file may have no end.
            let line = input.text()[line_start(place)..place].trim_start_matches('\u{feff}');
            let before = if line.is_empty() { "" } else { end };
            text.insert_str(place, &format!("{before}{key} = {value}{end}"));
        }
        (None, None) => {}
    }
    // What was not foreseen must not spoil the file.
    parse(&text).map(|_| ())?;
    Ok(text)
}

/// Returns the offset at which a new key belongs: after the comment that has it as an example, else after the last key, but before
/// the first table.
fn place_of(text: &str, table: &DeTable<'_>, key: &str) -> usize {
    let line_end = |index: usize| text[index..].find('\n').map_or(text.len(), |at| index + at + 1);
    let is_header = |start: usize| {
        let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
        text[line..].trim_start_matches('\u{feff}').trim_start().starts_with('[')
    };
    let entries = || table.iter().map(|(name, value)| (name.span().start, value));
    let headers = entries().filter(|(start, value)| {
        matches!(value.get_ref(), DeValue::Table(_) | DeValue::Array(_)) && is_header(*start)
    });
    let first_table = headers.map(|(start, _)| start).min().unwrap_or(text.len());
    let example = text.find(&format!("\n# {key} = ")).filter(|at| *at < first_table);
    let last_key = entries().filter(|(start, _)| *start < first_table).map(|(_, v)| v.span().end);
    match (example, last_key.max()) {
        (Some(at), _) => line_end(at + 1),
        (None, Some(end)) => line_end(end),
        (None, None) if text.starts_with('\u{feff}') => '\u{feff}'.len_utf8(),
        (None, None) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse::parse;
    use super::*;
    use crate::core::command::Command;

    #[test]
    fn comments_and_everything_else_stay() {
        let cases = [
            (
                "# Mine.\ntheme =  'dark' # at night\n\n[keys] # few\nquit = 'F10'\n\n# The end.",
                "'dark'",
            ),
            ("\u{feff}theme = \"\"\"\r\ndark\"\"\"\r\neditor = 3", "\"\"\"\r\ndark\"\"\""),
            ("\"theme\"=\"system\"", "\"system\""),
        ];
        for (text, old) in cases {
            let result = with_value(&Source::new(text), "theme", Some("light"));
            assert_eq!(result, Ok(text.replace(old, "\"light\"")));
        }
        let refusal =
            with_value(&Source::new("theme = 'dark'\nquit = [\n"), "theme", Some("light"));
        assert_eq!(refusal, Err("Line 2 is not TOML".to_owned()));
    }

    #[test]
    fn a_new_key_gets_its_place_and_one_that_goes_becomes_a_comment() {
        let cases = [
            ("", Some("m"), "difftool = \"m\"\n"),
            ("\u{feff}", Some("m"), "\u{feff}difftool = \"m\"\n"),
            (
                "theme = 'dark' # at night",
                Some("m"),
                "theme = 'dark' # at night\ndifftool = \"m\"\n",
            ),
            (
                "theme = 'dark'\r\n[keys]\r\n",
                Some("m"),
                "theme = 'dark'\r\ndifftool = \"m\"\r\n[keys]\r\n",
            ),
            (
                "# A.\n# difftool = \"x\"\n\n[keys]\n",
                Some("m"),
                "# A.\n# difftool = \"x\"\ndifftool = \"m\"\n\n[keys]\n",
            ),
            (
                "difftool = \"\"\"\nm\"\"\" # mine\n",
                None,
                "# difftool = \"\"\"\n# m\"\"\" # mine\n",
            ),
            ("theme = 'dark'\n", None, "theme = 'dark'\n"),
        ];
        for (text, value, expected) in cases {
            let result = with_value(&Source::new(text), "difftool", value);
            assert_eq!(result.as_deref(), Ok(expected), "{text}");
        }
        let result = with_value(&Source::new(SETTINGS_TEMPLATE), "difftool", Some("meld")).unwrap();
        let (settings, problems) = parse(&Source::new(result.as_str()));
        assert_eq!((settings.difftool.as_deref(), problems), (Some("meld"), vec![]));
    }

    #[test]
    fn the_example_of_the_guide_has_no_problem() {
        let page = include_str!("../../../../assets/guide/settings.md");
        let example = page.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
        let (settings, problems) = parse(&Source::new(example));
        assert_eq!(problems, []);
        assert!(settings.keymap.is_changed(Command::Quit));
        let rows = page.lines().filter(|line| line.contains("{file}"));
        for editor in rows.filter_map(|line| line.split("| `\"").nth(1)) {
            let editor = editor.split('"').next().unwrap();
            assert!(protocol::EditorCommand::parse(editor).is_ok(), "{editor}");
        }
    }

    #[test]
    fn the_content_of_a_new_file_has_no_problem() {
        let (settings, problems) = parse(&Source::new(SETTINGS_TEMPLATE));
        assert_eq!((settings, problems), Default::default());
        // Each example is right, too.
        let examples = SETTINGS_TEMPLATE
            .lines()
            .filter_map(|line| line.strip_prefix("# "))
            .filter(|line| line.contains(" = ") || line.starts_with('['))
            .collect::<Vec<_>>()
            .join("\n");
        let (settings, problems) = parse(&Source::new(examples));
        assert_eq!(problems, []);
        assert!(settings.theme.is_some() && settings.editor.is_some());
        assert!(settings.keymap.is_changed(Command::SaveAll));
    }
}
