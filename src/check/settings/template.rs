//! The text of a new `retake.toml`: every key with a comment.

/// Text after `paths`. Lines that start with `#` and no space are settings, with the default or an example as their value.
const OTHER_SETTINGS: &str = include_str!("template.toml");

/// Returns the text of a new settings file: `paths` with these paths, and every other key in a comment. Without paths, that key
/// is in a comment as well, because the whole project is checked.
pub fn template(paths: &[String]) -> String {
    // A string of JSON is also one of TOML.
    let quoted_paths: Vec<String> =
        (paths.iter()).map(|path| serde_json::Value::from(path.as_str()).to_string()).collect();
    let paths = match quoted_paths.as_slice() {
        [] => "#paths = [\"fixtures\"]\n".to_owned(),
        [path] => format!("paths = [{path}]\n"),
        paths => format!("paths = [\n  {},\n]\n", paths.join(",\n  ")),
    };
    format!(
        "# Settings of this project for Retake. Every key is optional.\n\n\
         # Files and folders that `retake check` reads if none are named, relative to this file. Default: the whole project.\n\
         {paths}{OTHER_SETTINGS}"
    )
}

#[cfg(test)]
mod tests {
    use super::super::{CASSETTES_KEYS, KEYS, REGENERATE_KEYS, SECRETS_KEYS, STABLE_KEYS, parse};
    use super::*;
    use document::text::Source;

    /// The text with every setting out of its comment.
    fn uncommented(text: &str) -> String {
        let lines = text.lines().map(|line| match line.strip_prefix('#') {
            Some(setting) if !setting.starts_with(' ') => setting,
            _ => line,
        });
        lines.map(|line| format!("{line}\n")).collect()
    }

    #[test]
    fn a_new_file_is_valid_with_and_without_its_comments() {
        let paths = ["fixtures", "a \"b\"/ü"].map(str::to_owned);
        for paths in [&paths[..], &paths[..1], &[]] {
            let text = template(paths);
            let (settings, problems) = parse(&Source::new(text.clone()));
            assert_eq!((&*settings.paths, problems), (paths, Vec::new()));
            let (settings, problems) = parse(&Source::new(uncommented(&text)));
            assert_eq!(problems, Vec::new());
            assert_eq!(settings.answers.len(), 3);
            assert_eq!(settings.review.len(), 3);
        }
    }

    #[test]
    fn a_new_file_has_every_key() {
        let text = template(&[]);
        let tables = ["rules", "secrets", "cassettes", "stable", "review", "regenerate", "answer"];
        let review = ["difftool", "ignore", "at", "text", "tolerance"];
        let keys = [
            KEYS,
            SECRETS_KEYS,
            CASSETTES_KEYS,
            STABLE_KEYS,
            REGENERATE_KEYS,
            super::super::answer::KEYS,
            &review,
        ];
        for key in keys.into_iter().flatten() {
            let is_there = text.lines().any(|line| {
                let line = line.trim_start_matches('#');
                if tables.contains(key) {
                    line.starts_with(&format!("[{key}]")) || line.starts_with(&format!("[[{key}]]"))
                } else {
                    line.starts_with(&format!("{key} = "))
                }
            });
            assert!(is_there, "{key}");
        }
    }
}
