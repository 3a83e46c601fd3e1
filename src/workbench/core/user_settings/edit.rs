//! Changes the theme in `settings.toml`; everything else stays, byte for byte.

use toml::de::DeTable;

use document::json;
use document::text::Source;
use protocol::Theme;

/// The content of a new file.
pub(super) const SETTINGS_TEMPLATE: &str = include_str!("../../../../assets/settings.toml");

/// Returns the text with another theme.
///
/// # Errors
///
/// Returns the reason the text cannot be changed, as a sentence without a full stop. Then it has to be edited by hand.
pub(super) fn with_theme(source: &Source, theme: Theme) -> Result<String, String> {
    let mut text = source.text().to_owned();
    // Not the recovering parser: in a faulty text the value may be at another place.
    let table = DeTable::parse(source.text()).map_err(|fault| {
        let offset = fault.span().map_or(0, |span| span.start);
        format!("Line {} is not TOML", source.place(offset).line)
    })?;
    let value = table.get_ref().get("theme").ok_or("The file has no theme")?;
    // A string of JSON is also one of TOML.
    text.replace_range(value.span(), &json::quote(theme.name()));
    Ok(text)
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
            let result = with_theme(&Source::new(text), Theme::Light);
            assert_eq!(result, Ok(text.replace(old, "\"light\"")));
        }
        let refusal = |text| with_theme(&Source::new(text), Theme::Light).unwrap_err();
        assert_eq!(refusal("theme = 'dark'\nquit = [\n"), "Line 2 is not TOML");
        assert_eq!(refusal("[keys]\n"), "The file has no theme");
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
