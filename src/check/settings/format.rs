//! `[[format]]`: descriptions of home-made formats.

use std::sync::Arc;

use toml::Spanned;
use toml::de::DeValue;

use super::{Ignore, SettingsReader};
use document::Document;
use document::format::{CallPointers, FormatPart, RecordingFormat};
use document::read_as;
use document::text::Source;

const HELP: &str = "Write a table [[format]] with paths = ['fixtures/*.json'], and request = '/req' and answer = '/res', or recording = false.";

pub(super) const KEYS: &[&str] =
    &["name", "paths", "calls", "request", "answer", "key", "time", "status", "test", "recording"];

/// The described formats of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Formats {
    formats: Vec<(Ignore, Arc<RecordingFormat>)>,
}

impl Formats {
    /// Adds a format, which counts more than those added earlier.
    pub fn add(&mut self, format: RecordingFormat) {
        let mut paths = Ignore::default();
        for pattern in &format.paths {
            paths.add(pattern.as_bytes());
        }
        self.formats.push((paths, Arc::new(format)));
    }

    /// Returns the format of a file by its path from the folder of `retake.toml`.
    pub fn of(&self, path: &str) -> Option<&Arc<RecordingFormat>> {
        let found = self.formats.iter().rfind(|(paths, _)| paths.hides(path));
        found.map(|(_, format)| format)
    }

    /// Returns true if nothing is described.
    pub fn is_empty(&self) -> bool {
        self.formats.is_empty()
    }

    /// Returns whether the description of a format says where the calls of a file are.
    pub fn describes(&self, path: &str) -> bool {
        self.of(path).is_some_and(|format| format.pointers.is_some())
    }

    /// Parses the text of a file, by the description of its format if it has one.
    pub fn read(&self, source: Source, path: &str) -> Document {
        read_as(source, path, self.of(path))
    }
}

impl SettingsReader<'_> {
    pub(super) fn formats(&mut self, value: &Spanned<DeValue>) {
        let tables = value.get_ref().as_array();
        let tables = self.toml.expect(tables, "a list of tables", value, "/format", HELP);
        for (index, value) in tables.into_iter().flatten().enumerate() {
            if let Some(format) = self.format(value, &format!("/format/{index}")) {
                self.settings.formats.add(format);
            }
        }
    }

    /// Reads one table. What is not understood in it makes it none: it would find other calls than it is meant for.
    fn format(&mut self, value: &Spanned<DeValue>, pointer: &str) -> Option<RecordingFormat> {
        let problem_count = self.toml.problems.len();
        let table = self.toml.table(value, pointer, HELP)?;
        let mut format = RecordingFormat::default();
        let (mut pointers, mut is_recording) = (CallPointers::default(), true);
        let mut places = Vec::new();
        for (key, value) in table {
            let place = format!("{pointer}/{}", key.get_ref());
            let name: &str = key.get_ref();
            match name {
                "name" => {
                    format.name =
                        self.toml.text(value, &place, HELP).unwrap_or_default().to_owned();
                }
                "paths" => format.paths = self.format_paths(value, &place),
                "recording" => {
                    let help = "Write recording = false; without it the files are recordings.";
                    is_recording = self.flag(value, &place, help) != Some(false);
                }
                _ => {
                    let Some(part) = FormatPart::ALL.iter().find(|part| part.as_str() == name)
                    else {
                        self.toml.report_key(key, pointer, KEYS);
                        continue;
                    };
                    let text = self.toml.text(value, &place, HELP).unwrap_or_default();
                    text.clone_into(pointers.get_mut(*part));
                    places.push((*part, value, place));
                }
            }
        }
        if !table.iter().any(|(key, _)| key.get_ref() == "paths") {
            self.toml.report_value(value, pointer, "`paths` is missing", HELP);
        }
        if !is_recording {
            for (part, value, place) in places {
                let message =
                    format!("`{}` has no meaning beside recording = false", part.as_str());
                self.toml.report_value(value, &place, &message, HELP);
            }
        } else if self.toml.problems.len() == problem_count {
            // What is missing may be what was not understood.
            if let Some((part, message)) = pointers.fault() {
                let place = places.iter().find(|(other, ..)| *other == part);
                match place {
                    Some((_, value, place)) => {
                        self.toml.report_value(value, place, &message, HELP);
                    }
                    None => self.toml.report_value(value, pointer, &message, HELP),
                }
            }
            format.pointers = Some(pointers);
        }
        (self.toml.problems.len() == problem_count).then_some(format)
    }

    fn format_paths(&mut self, value: &Spanned<DeValue>, pointer: &str) -> Vec<String> {
        let help = "Write patterns as a list, such as paths = ['fixtures/*.json'].";
        let problem_count = self.toml.problems.len();
        let texts = self.toml.texts(value, pointer, help);
        if texts.is_empty() && self.toml.problems.len() == problem_count {
            self.toml.report_value(value, pointer, "There is no path", help);
        }
        for (pattern, text) in &texts {
            if !Ignore::default().add(text.as_bytes()) {
                self.toml.report_value(pattern, pointer, "The pattern is empty", help);
            }
        }
        texts.into_iter().map(|(_, text)| text.to_owned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    #[test]
    fn a_table_is_written_as_it_is_read_and_the_last_one_counts() {
        let text = "[[format]]\nname = 'acme'\npaths = ['rec/', '*.log']\ncalls = '/log'\nrequest = '/req'\nanswer = '/res'\nstatus = '/status'\n\n\
            [[format]]\npaths = ['rec/other/*']\nrecording = false\n";
        let (settings, problems) = parse(&Source::new(text));
        assert!(problems.is_empty(), "{problems:?}");
        let tables: Vec<String> =
            settings.formats.formats.iter().map(|(_, format)| format.toml()).collect();
        assert_eq!(tables.join("\n"), text);
        let named = |path| settings.formats.of(path).map(|format| format.name.as_str());
        for (path, name) in [
            ("rec/a.json", Some("acme")),
            ("x/b.log", Some("acme")),
            ("rec/other/a.json", Some("")),
            ("a.json", None),
        ] {
            assert_eq!(named(path), name, "{path}");
        }
    }

    #[test]
    fn a_table_that_is_not_understood_is_none() {
        let tables = [
            "paths = ['a']\nrequest = '/q'\nanswers = '/a'\n",
            "paths = ['a']\nrequest = 'q'\nanswer = '/a'\n",
            "request = '/q'\nanswer = '/a'\n",
            "paths = []\nrecording = false\n",
            "paths = 'a'\nrequest = '/q'\nanswer = '/a'\n",
            "paths = ['a']\nrequest = '/q'\n",
            "paths = ['a']\nrequest = '/c/*/q'\nanswer = '/a'\n",
            "paths = ['a']\nrecording = false\ntime = '/t'\n",
            "paths = ['a']\nrecording = 'no'\nrequest = 1\nanswer = '/a'\n",
        ];
        let text: String = tables.iter().map(|table| format!("[[format]]\n{table}")).collect();
        let (settings, problems) = parse(&Source::new(text));
        assert_eq!(settings.formats, Formats::default());
        let lines = problems.iter().map(|p| format!("{} {} {}\n", p.place, p.pointer, p.message));
        insta::assert_snapshot!(lines.collect::<String>(), @"
        4:1 /format/0/answers Unknown setting `answers`; did you mean `answer`?
        7:11 /format/1/request The pointer `q` does not begin with `/`
        9:1 /format/2 `paths` is missing
        13:9 /format/3/paths There is no path
        16:9 /format/4/paths Expected a list of strings, found a string
        19:1 /format/5 `answer` is missing
        25:10 /format/6/answer `request` and `answer` have different numbers of `*`
        29:8 /format/7/time `time` has no meaning beside recording = false
        32:13 /format/8/recording Expected true or false, found a string
        33:11 /format/8/request Expected a string, found a number
        ");
    }
}
