//! The text of a new `retake.toml`: every key with a comment.

use document::format::RecordingFormat;

/// Text after `paths`. Lines that start with `#` and no space are settings, with the default or an example as their value.
const OTHER_SETTINGS: &str = r##"
# How to treat sources that have changed or are missing: "strict" (errors), "warn" or "skip".
#mode = "warn"

# The level from which `retake check` fails: "error", "warning" or "note".
#fail_on = "error"

# Whether a recording that does not name its source is an error.
#require_metadata = false

# Files and folders that are not listed, as in a .gitignore.
#ignore = ["drafts/", "*.tmp.json"]

# Whether files that git ignores are left out.
#gitignore = true

# The level of a rule: "error", "warning", "note" or "off". `retake rules` lists all rules.
#[rules]
#signature-shared = "off"

#[secrets]
# Regular expressions of secrets that only this project knows.
#patterns = [{ name = "acme-key", regex = 'ACME-\d{12}' }]
# Texts that look like secrets, but are not.
#allow = ['.*@example\.com']
# Files whose secrets are not reported, as in a .gitignore.
#ignore = ["fixtures/fake-keys/"]

#[cassettes]
# The program that plays them: "vcrpy", "cassetter", "ruby-vcr", "r-vcr" or "go-vcr".
#client = "vcrpy"
# What it compares, in place of what the tests set.
#match_on = ["method", "uri", "body"]
# Whether the first call that matches answers again and again.
#allow_playback_repeats = true
# Calls that were recorded more days ago are reported.
#max_age_days = 180

#[stable]
# Whether recordings, cassettes and tapes are made stable whenever Retake saves them, as `retake stabilize` does.
#on_save = true
# More headers to remove; * stands for the rest of a name.
#headers = ["x-trace-*"]
# Headers and keys that stay as they are.
#keep = ["date", "recorded_at"]

#[review]
# The program that compares two recordings, in place of git's diff.tool.
#difftool = "meld"

# Differences that `retake diff` and `retake review` ignore: at a place, where they are in this text, or up to this number.
#[[review.ignore]]
#at = "/**/usage"
#[[review.ignore]]
#at = "/**/note"
#text = 'build \d+'
#[[review.ignore]]
#at = "/**/temperature"
#tolerance = 0.01

# The command that makes recordings again, for the window.
#[regenerate]
#command = "npm test -- {sets}"

# The recordings of a recorder of one's own: where in a file its calls, their requests and their answers are, as JSON pointers.
#[[format]]
#name = "acme"
#paths = ["tests/recordings/*.json"]
#calls = "/calls"
#request = "/req/body"
#answer = "/res/body"
#key = "/hash"
#time = "/at"
#status = "/res/code"
#test = "/test"
# Files that only look like recordings.
#[[format]]
#paths = ["tests/data/*.json"]
#recording = false

# Rules that answer requests in a queue. `node`, `offers` and `says` select the requests; the answer is a call of a tool, a text
# or a recording.
#[[answer]]
#name = "intake-reads"
#node = "intake"
#offers = ["read_Ticket"]
#tool = "read_Ticket"
#input = '{"path": "subject"}'
#before = "Let me look."
#reasoning = "The subject is required."
#[[answer]]
#name = "greeting"
#says = "hello"
#text = "Hello, how can I help?"
#[[answer]]
#name = "close"
#node = "close"
#recording = "fixtures/close/turn-1.json"
"##;

/// The first line of the example of a format.
const FORMAT_EXAMPLE: &str = "#[[format]]\n#name = \"acme\"\n";

/// Returns the text of a new settings file: `paths` with these paths, and every other key in a comment, with descriptions of these
/// formats. Without paths, that key is in a comment as well, because the whole project is checked.
pub fn template(paths: &[String], formats: &[RecordingFormat]) -> String {
    let formats = formats.iter().map(|format| {
        let table = format.toml();
        let lines = table.lines().map(|line| format!("#{line}\n"));
        format!("# Found here, by its shape:\n{}", lines.collect::<String>())
    });
    let formats = formats.collect::<String>() + "# An example with every key:\n" + FORMAT_EXAMPLE;
    let other_settings = OTHER_SETTINGS.replacen(FORMAT_EXAMPLE, &formats, 1);
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
         {paths}{other_settings}"
    )
}

#[cfg(test)]
mod tests {
    use super::super::{CASSETTES_KEYS, KEYS, REGENERATE_KEYS, SECRETS_KEYS, STABLE_KEYS, parse};
    use super::*;
    use document::format::{CallPointers, FormatPart};
    use document::text::Source;
    use std::sync::Arc;

    fn found_format() -> RecordingFormat {
        let mut pointers = CallPointers::default();
        "/sent".clone_into(pointers.get_mut(FormatPart::Request));
        "/got".clone_into(pointers.get_mut(FormatPart::Answer));
        let (name, paths) = (String::new(), vec!["found/*.json".to_owned()]);
        RecordingFormat { name, paths, pointers: Some(pointers) }
    }

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
            let text = template(paths, &[found_format()]);
            let (settings, problems) = parse(&Source::new(text.clone()));
            assert_eq!((&*settings.paths, problems), (paths, Vec::new()));
            let (settings, problems) = parse(&Source::new(uncommented(&text)));
            assert_eq!(problems, Vec::new());
            assert_eq!(settings.answers.len(), 3);
            assert_eq!(settings.review.len(), 3);
            assert_eq!(settings.formats.of("found/a.json"), Some(&Arc::new(found_format())));
            assert!(settings.formats.describes("tests/recordings/a.json"));
        }
    }

    #[test]
    fn a_new_file_has_every_key() {
        let text = template(&[], &[]);
        let tables =
            ["rules", "secrets", "cassettes", "stable", "review", "regenerate", "format", "answer"];
        let review = ["difftool", "ignore", "at", "text", "tolerance"];
        let keys = [
            KEYS,
            SECRETS_KEYS,
            CASSETTES_KEYS,
            STABLE_KEYS,
            REGENERATE_KEYS,
            super::super::answer::KEYS,
            super::super::format::KEYS,
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
