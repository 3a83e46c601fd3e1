//! `[[format]]`: descriptions of home-made formats.

use std::ops::Range;
use std::sync::Arc;

use toml::Spanned;
use toml::de::DeValue;

use super::{Ignore, SettingsReader};
use document::format::{CallPointers, FormatEvidence, FormatPart, RecordingFormat};
use document::text::{Source, Span};
use document::{Document, Problem, RuleId, read_as};

const HELP: &str = "Write a table [[format]] with paths = ['fixtures/*.json'], and request = '/req' and answer = '/res', or recording = false.";

pub(super) const KEYS: &[&str] =
    &["name", "paths", "calls", "request", "answer", "key", "time", "status", "test", "recording"];

/// The described formats of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Formats {
    formats: Vec<DescribedFormat>,
}

/// A described format, with the places of its table and of the keys in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct DescribedFormat {
    format: Arc<RecordingFormat>,
    paths: Ignore,
    /// The pointer to the table.
    pointer: String,
    places: Vec<(Box<str>, Span)>,
    /// From the first key to the last value.
    content: Span,
}

impl Formats {
    /// Adds a format, which counts more than those added earlier.
    pub fn add(&mut self, format: RecordingFormat) {
        let mut paths = Ignore::default();
        for pattern in &format.paths {
            paths.add(pattern.as_bytes());
        }
        let format = Arc::new(format);
        self.formats.push(DescribedFormat { format, paths, ..DescribedFormat::default() });
    }

    /// Returns the format of a file by its path from the folder of `retake.toml`.
    pub fn of(&self, path: &str) -> Option<&Arc<RecordingFormat>> {
        let found = self.formats.iter().rfind(|described| described.paths.hides(path));
        found.map(|described| &described.format)
    }

    /// Returns the bytes of the table with exactly these paths, for which another one with them would leave no file; `None` if there is
    /// none, or one with comments, which belong to its author.
    pub fn table_of(&self, text: &str, paths: &[String]) -> Option<Range<usize>> {
        const HEADER: &str = "[[format]]";
        let described = self.formats.iter().rfind(|described| described.format.paths == paths)?;
        let content = described.content.start as usize..described.content.end as usize;
        let start = text.get(..content.start)?.rfind(HEADER)?;
        let is_own = text[start + HEADER.len()..content.start].trim().is_empty();
        (is_own && !text[content.clone()].contains('#')).then_some(start..content.end)
    }

    /// Returns what is wrong with the descriptions, given the paths of all files that are read. `read` adds what a description finds in
    /// its files, of which these are the paths.
    pub fn faults(
        &self,
        source: &Source,
        paths: &[Arc<str>],
        read: impl Fn(&RecordingFormat, &[&Arc<str>]) -> FormatEvidence,
    ) -> Vec<Problem> {
        let mut problems = Vec::new();
        for described in &self.formats {
            let format = &described.format;
            let mut add = |key: &str, message: &str, help: &str| {
                let place = described.places.iter().find(|(name, _)| **name == *key);
                let span = place.map_or(Span::default(), |(_, span)| *span);
                let pointer = format!("{}/{key}", described.pointer);
                let rule = RuleId::FormatMismatch;
                problems.push(Problem::at(rule, source, span, pointer, message).with_help(help));
            };
            let named: Vec<&Arc<str>> =
                paths.iter().filter(|path| described.paths.hides(path)).collect();
            let is_own = |path: &&Arc<str>| self.of(path).is_some_and(|f| Arc::ptr_eq(f, format));
            let own: Vec<&Arc<str>> = named.iter().copied().filter(is_own).collect();
            if own.is_empty() {
                let message = match named.len() {
                    0 => "None of the files that are read has one of these paths",
                    _ => "All files of these paths are described by tables after this one",
                };
                add("paths", message, "Correct the paths, or delete the table.");
            } else if format.pointers.is_some() {
                for (part, message) in read(format, &own).faults(format) {
                    add(part.as_str(), &message, "Correct the pointer, or delete the line.");
                }
            }
        }
        problems
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
            self.format(value, format!("/format/{index}"));
        }
    }

    /// Adds the format of one table. What is not understood in it makes it none: it would find other calls than it is meant for.
    fn format(&mut self, value: &Spanned<DeValue>, pointer: String) -> Option<()> {
        let problem_count = self.toml.problems.len();
        let table = self.toml.table(value, &pointer, HELP)?;
        let mut format = RecordingFormat::default();
        let mut pointers = CallPointers::default();
        let value_of = |name: &str| table.iter().find(|(key, _)| key.get_ref() == name);
        let is_recording =
            value_of("recording").is_none_or(|(_, value)| value.get_ref().as_bool() != Some(false));
        for (key, value) in table {
            let name: &str = key.get_ref();
            let place = format!("{pointer}/{name}");
            let part = FormatPart::ALL.iter().find(|part| part.as_str() == name);
            match (name, part) {
                ("name", _) => {
                    format.name =
                        self.toml.text(value, &place, HELP).unwrap_or_default().to_owned();
                }
                ("paths", _) => format.paths = self.format_paths(value, &place),
                ("recording", _) => {
                    let help = "Write recording = false if the files are no recordings; else leave it out, and write request and answer.";
                    self.flag(value, &place, help);
                }
                (_, None) => self.toml.report_key(key, &pointer, KEYS),
                (_, Some(_)) if !is_recording => {
                    let message = format!("`{name}` has no meaning beside recording = false");
                    self.toml.report_value(value, &place, &message, HELP);
                }
                (_, Some(part)) => match self.toml.text(value, &place, HELP) {
                    Some("") => {
                        let help = "Write a pointer such as '/answer', or delete the line if it is not required.";
                        let message = format!("`{name}` is empty, and no pointer");
                        self.toml.report_value(value, &place, &message, help);
                    }
                    text => text.unwrap_or_default().clone_into(pointers.get_mut(*part)),
                },
            }
        }
        if value_of("paths").is_none() {
            self.toml.report_value(value, &pointer, "`paths` is missing", HELP);
        }
        // What is missing may be what was not understood.
        if is_recording && self.toml.problems.len() == problem_count {
            if let Some((part, message)) = pointers.fault() {
                let part_name = part.as_str();
                let (value, place, message) = match (value_of(part_name), value_of("recording")) {
                    (Some((_, value)), _) => (value, format!("{pointer}/{part_name}"), message),
                    (None, Some((_, value))) => {
                        let reason = "recording = true does not say where the calls are";
                        (value, format!("{pointer}/recording"), format!("{message}: {reason}"))
                    }
                    (None, None) => (value, pointer.clone(), message),
                };
                self.toml.report_value(value, &place, &message, HELP);
            }
            format.pointers = Some(pointers);
        }
        if self.toml.problems.len() == problem_count {
            self.settings.formats.add(format);
            let described = self.settings.formats.formats.last_mut()?;
            described.places.extend(table.iter().map(|(key, value)| {
                let span = value.span();
                (key.get_ref().as_ref().into(), Span::new(span.start, span.end))
            }));
            let starts = table.iter().map(|(key, _)| key.span().start);
            let ends = table.iter().map(|(_, value)| value.span().end);
            described.content = Span::new(starts.min()?, ends.max()?);
            described.pointer = pointer;
        }
        Some(())
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
            settings.formats.formats.iter().map(|described| described.format.toml()).collect();
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
    fn a_table_is_replaced_by_one_of_its_paths() {
        let keys = "paths = ['a', 'b']\nrequest = '/q'\nanswer = '/a'";
        let paths = ["a".to_owned(), "b".to_owned()];
        for (text, table) in [
            (format!("# c\n[[format]]\n{keys}\n\n[rules]\n"), Some(format!("[[format]]\n{keys}"))),
            (format!("[[format]]\n{}\n", keys.replace("request", "# c\nrequest")), None),
            (format!("[[format]]\n{}\n", keys.replace("'b'", "'c'")), None),
            ("format = [{paths = ['a', 'b'], recording = false}] # [[format]]\n".to_owned(), None),
        ] {
            let range = parse(&Source::new(&*text)).0.formats.table_of(&text, &paths);
            assert_eq!(range.map(|range| text[range].to_owned()), table, "{text}");
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
            "paths = ['a']\nrecording = true\n",
            "paths = ['a']\nrequest = '/q'\nanswer = ''\n",
            "paths = ['a']\nrequest = '/~2'\nanswer = '/a'\n",
            "paths = ['a']\nrequest = '/**/q'\nanswer = '/a'\n",
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
        37:13 /format/9/recording `request` is missing: recording = true does not say where the calls are
        41:10 /format/10/answer `answer` is empty, and no pointer
        44:11 /format/11/request The pointer `/~2` has a `~` of no escape: write `~0` for `~`, `~1` for `/`
        48:11 /format/12/request The pointer `/**/q` has `**`: write one `*` for each level
        ");
    }
}
