//! Configuration of a cassette in a project: the program that plays it, its matchers, and the test that uses it.
//!
//! The settings of `retake.toml` come first. Everything else is read from the literals of the [Python](super::python) files around the
//! cassette, as pytest-recording, pytest-vcr and vcrpy find it: the marks of the test, the fixture `vcr_config`, and calls of
//! `use_cassette`. Each value has its origin, and what is no literal is not known.

mod names;
#[cfg(test)]
mod tests;
mod uses;

use std::fmt;
use std::sync::Arc;

use super::python::{PythonExpression, PythonFunction, PythonModule, PythonValue};
use document::cassette::CassetteClient;
use document::text::Place;
pub use names::cassette_name;
use names::split_path;
use uses::{TestUse, UseKind};

/// The table `[cassettes]` of `retake.toml`. Each value has its line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CassetteSettings {
    pub client: Option<(CassetteClient, u32)>,
    pub match_on: Option<(Vec<Box<str>>, u32)>,
    /// Whether the first call that matches answers again and again.
    pub repeats: Option<(bool, u32)>,
    /// A call that was recorded more days ago is reported.
    pub max_age_days: Option<(u32, u32)>,
}

/// Place of a value: a path from the project root, and a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConfigOrigin {
    pub path: Arc<str>,
    pub line: u32,
}

impl fmt::Display for ConfigOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.path, self.line)
    }
}

/// A setting that is a list of texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigTexts {
    /// The name of the setting, such as `match_on`.
    pub key: Arc<str>,
    /// `None` if it is no literal, so that only a run knows it.
    pub texts: Option<Vec<Box<str>>>,
    pub origin: ConfigOrigin,
}

impl ConfigTexts {
    fn new(key: &str, texts: Option<Vec<Box<str>>>, origin: ConfigOrigin) -> Self {
        Self { key: key.into(), texts, origin }
    }
}

/// A setting that takes values out of requests, or replaces them, before they are compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigFilter {
    /// The name of the setting, such as `filter_headers`.
    pub key: Arc<str>,
    /// `None` if it is no literal, so that only a run knows it. A setting that is `True` has none.
    pub entries: Option<Vec<FilterEntry>>,
    pub origin: ConfigOrigin,
}

/// A name with the value that replaces its own; without a value it is removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilterEntry {
    pub name: Box<str>,
    pub value: Option<Box<str>>,
}

impl FilterEntry {
    /// Reads a name, or a pair of a name and a text or `None`.
    fn read(value: &PythonExpression) -> Option<Self> {
        match &value.value {
            PythonValue::Text(name) => Some(Self { name: name.clone(), value: None }),
            PythonValue::List(pair) => match &pair[..] {
                [name, value] => Some(Self {
                    name: name.text()?.into(),
                    value: match &value.value {
                        PythonValue::None => None,
                        _ => Some(value.text()?.into()),
                    },
                }),
                _ => None,
            },
            _ => None,
        }
    }
}

/// Settings that filter requests. The last two say how the others do it.
const FILTER_KEYS: [&str; 5] = [
    "filter_headers",
    "filter_query_parameters",
    "filter_post_data_parameters",
    "filter_nested_post_data_parameters",
    "filter_replacement",
];

/// Settings by which requests are changed before they are compared, and which are not applied: functions of the user, and patterns.
const HOOK_KEYS: [&str; 6] = [
    "before_record_request",
    "before_record",
    "uri_normalizer",
    "filter_sensitive_data",
    "after_load_interaction",
    "body_scrub_patterns",
];

/// The matchers of vcrpy unless `match_on` says otherwise.
const VCRPY_MATCHERS: [&str; 6] = ["method", "scheme", "host", "port", "path", "query"];

/// A test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestPlace {
    /// The name, with that of its class: `TestMail.test_draft`.
    pub name: Arc<str>,
    pub origin: ConfigOrigin,
}

/// The most days that may pass after a call was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MaxAge {
    pub days: u32,
    pub origin: ConfigOrigin,
    /// The earliest day on which a call that is not too old was recorded, in days since 1970-01-01.
    pub earliest: u32,
}

/// Configuration of one cassette. The default: nothing is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CassetteFacts {
    /// The program that plays it; `None`: as its content says.
    pub client: Option<(CassetteClient, ConfigOrigin)>,
    /// Matchers of the program; `None`: its default ones.
    pub match_on: Option<ConfigTexts>,
    /// When calls are played and when they are recorded: one text, as its program names the mode. `None`: the program's default.
    pub record_mode: Option<ConfigTexts>,
    /// Place of the setting that a call may be played repeatedly.
    pub repeats: Option<ConfigOrigin>,
    /// The hosts whose calls are not loaded.
    pub ignored: Vec<ConfigTexts>,
    /// What is taken out of requests before they are compared.
    pub filters: Vec<ConfigFilter>,
    /// Values in bodies that are not compared.
    pub ignored_paths: Option<ConfigTexts>,
    /// Functions that change requests before they are compared, by the names of their settings.
    pub hooks: Vec<(Arc<str>, ConfigOrigin)>,
    /// Whether a plugin of pytest loads it: by default it records nothing.
    pub uses_plugin: bool,
    /// The test that uses it.
    pub test: Option<TestPlace>,
    /// Further tests that use it.
    pub other_tests: Vec<TestPlace>,
    /// Whether that test says that it expects an error.
    pub expects_error: bool,
    /// Reason why no test uses it.
    pub orphan: Option<Arc<str>>,
    /// Tests of the same file that have no cassette. Only the first cassette of a folder has them.
    pub missing: Vec<TestPlace>,
    pub max_age: Option<MaxAge>,
    /// Place of the setting by which the program itself compares the age of calls.
    pub expires: Option<ConfigOrigin>,
}

impl CassetteFacts {
    /// Returns the tests that use it.
    pub fn tests(&self) -> impl Iterator<Item = &TestPlace> {
        self.test.iter().chain(&self.other_tests)
    }

    /// Returns the setting by which the calls of a host, in lower case, are not loaded.
    pub fn ignoring(&self, host: &str) -> Option<&ConfigTexts> {
        let is_ignored =
            |setting: &&ConfigTexts| setting.texts.iter().flatten().any(|name| **name == *host);
        self.ignored.iter().find(is_ignored)
    }
}

/// A Python file of the project.
#[derive(Clone, Debug, PartialEq)]
pub struct PythonFile {
    /// The path from the project root.
    pub path: Arc<str>,
    pub module: PythonModule,
}

impl PythonFile {
    fn origin(&self, place: Place) -> ConfigOrigin {
        ConfigOrigin { path: Arc::clone(&self.path), line: place.line }
    }

    fn test_place(&self, test: &PythonFunction) -> TestPlace {
        TestPlace { name: full_name(&self.module, test).into(), origin: self.origin(test.place) }
    }
}

/// Files and settings around a cassette.
#[derive(Clone, Debug, Default)]
pub struct CassetteSources<'a> {
    /// The path of the cassette from the project root.
    pub path: &'a str,
    /// The program that its content is from, if known.
    pub client: Option<CassetteClient>,
    pub settings: CassetteSettings,
    /// The file with the settings, from the project root.
    pub settings_path: &'a str,
    /// Files that may contain the test, those nearest first, and `conftest.py` files in and above the folder of the cassette.
    pub files: Vec<Arc<PythonFile>>,
    /// Other files of these folders that they import.
    pub helpers: Vec<Arc<PythonFile>>,
    /// The programs that `pytest.ini` and `pyproject.toml` name.
    pub named_clients: Vec<(CassetteClient, ConfigOrigin)>,
    /// The record mode in the options of `pytest.ini` and `pyproject.toml`.
    pub named_mode: Option<ConfigTexts>,
    /// The names of the files in the folder of the cassette.
    pub siblings: Arc<[Box<str>]>,
    /// Days since 1970-01-01; 0 if unknown.
    pub today: u32,
}

/// Returns what is configured about a cassette.
pub fn configure(sources: &CassetteSources<'_>) -> CassetteFacts {
    let settings = &sources.settings;
    let settings_origin = |line: u32| ConfigOrigin { path: sources.settings_path.into(), line };
    let mut facts = CassetteFacts {
        client: settings.client.map(|(client, line)| (client, settings_origin(line))),
        match_on: settings.match_on.as_ref().map(|(texts, line)| {
            ConfigTexts::new("match_on", Some(texts.clone()), settings_origin(*line))
        }),
        repeats: (settings.repeats)
            .filter(|(is_set, _)| *is_set)
            .map(|(_, line)| settings_origin(line)),
        max_age: settings.max_age_days.map(|(days, line)| MaxAge {
            days,
            origin: settings_origin(line),
            // Without today's date no call is too old.
            earliest: sources.today.saturating_sub(days),
        }),
        ..CassetteFacts::default()
    };
    let found_tests = uses::find(sources);
    if let Some(test_use) = &found_tests.test {
        facts.test = Some(test_use.file.test_place(test_use.function));
        facts.expects_error = test_use.function.expects_error;
        let read_setting = |key: &str| test_use.setting(key, sources);
        let read_texts = |key: &str| {
            let (value, origin) = read_setting(key)?;
            Some(ConfigTexts::new(key, value.texts(), origin))
        };
        if settings.match_on.is_none() {
            facts.match_on =
                with_additional(read_texts("match_on"), read_texts("additional_matchers"));
        }
        facts.ignored.extend(read_texts("ignore_hosts"));
        facts.ignored.extend(read_setting("ignore_localhost").and_then(|(value, origin)| {
            let texts = match value.value {
                PythonValue::Bool(true) => Some(LOCAL_HOSTS.map(Box::from).to_vec()),
                PythonValue::Bool(false) | PythonValue::None => return None,
                _ => None,
            };
            Some(ConfigTexts::new("ignore_localhost", texts, origin))
        }));
        facts.filters = FILTER_KEYS
            .into_iter()
            .filter_map(|key| {
                let (value, origin) = read_setting(key)?;
                let entries = match &value.value {
                    PythonValue::None | PythonValue::Bool(false) => return None,
                    PythonValue::Bool(true) => Some(Vec::new()),
                    PythonValue::Text(_) => FilterEntry::read(&value).map(|entry| vec![entry]),
                    PythonValue::List(items) => items.iter().map(FilterEntry::read).collect(),
                    _ => None,
                };
                Some(ConfigFilter { key: key.into(), entries, origin })
            })
            .collect();
        facts.ignored_paths = read_texts("ignore_json_paths");
        let hook = |key: &str| {
            let (value, origin) = read_setting(key)?;
            (value.value != PythonValue::None).then(|| (Arc::from(key), origin))
        };
        facts.hooks = HOOK_KEYS.into_iter().filter_map(hook).collect();
        facts.uses_plugin = matches!(test_use.kind, UseKind::Plugin);
        // A `false` in the settings is a value, too, and overrides the one of the code.
        if settings.repeats.is_none() {
            let repeats = read_setting("allow_playback_repeats")
                .filter(|(flag, _)| flag.value == PythonValue::Bool(true));
            facts.repeats = repeats.map(|(_, origin)| origin);
        }
        facts.record_mode = read_setting("record_mode").map(|(value, origin)| {
            let mode = record_mode(&value).map(|mode| vec![mode]);
            ConfigTexts::new("record_mode", mode, origin)
        });
        // Only the plugins read these options, not `use_cassette`.
        if matches!(test_use.kind, UseKind::Plugin) {
            facts.record_mode = facts.record_mode.or_else(|| sources.named_mode.clone());
        }
        let expires = read_setting("max_age").filter(|(age, _)| age.value != PythonValue::None);
        facts.expires = expires.map(|(_, origin)| origin);
        facts.client = facts.client.or_else(|| imported_client(test_use, sources));
    }
    let is_read = sources.client.is_none_or(CassetteClient::has_read_settings);
    if found_tests.test.is_none() && facts.match_on.is_none() && is_read {
        facts.match_on = unused_match_on(sources);
    }
    facts.client = facts.client.or_else(|| only_client(sources.named_clients.clone()));
    facts.other_tests = found_tests.others;
    facts.orphan = found_tests.orphan;
    facts.missing = found_tests.missing;
    facts
}

/// Returns what `vcr_config` above a cassette compares, for one whose test is not found: its folder may be computed.
fn unused_match_on(sources: &CassetteSources<'_>) -> Option<ConfigTexts> {
    let conftest = conftests(sources, sources.path).next()?;
    let (value, origin) = configured("match_on", conftest, sources)?;
    Some(ConfigTexts::new("match_on", value.texts(), origin))
}

/// Adds the matchers that vcrpy compares beside those of `match_on`.
fn with_additional(
    match_on: Option<ConfigTexts>,
    additional: Option<ConfigTexts>,
) -> Option<ConfigTexts> {
    let Some(additional) = additional else { return match_on };
    let texts = match match_on {
        Some(setting) => setting.texts,
        None => Some(VCRPY_MATCHERS.map(Box::from).to_vec()),
    };
    let texts = texts.zip(additional.texts).map(|(texts, more)| [texts, more].concat());
    Some(ConfigTexts { key: "match_on".into(), texts, origin: additional.origin })
}

/// Returns the name of a record mode: a text, or a member of vcrpy's enumeration, such as `vcr.mode.NEW_EPISODES`.
fn record_mode(value: &PythonExpression) -> Option<Box<str>> {
    let member = || {
        let (modes, name) = value.name()?.rsplit_once('.')?;
        let is_mode = ["mode", "RecordMode"].contains(&modes.rsplit('.').next()?);
        is_mode.then(|| name.to_ascii_lowercase().into())
    };
    value.text().map(Box::from).or_else(member)
}

/// The hosts that `ignore_localhost` ignores.
const LOCAL_HOSTS: [&str; 4] = ["localhost", "0.0.0.0", "127.0.0.1", "::1"];

/// Returns the program that the file of a test, or a `conftest.py` above it, imports, unless it imports several.
fn imported_client(
    usage: &TestUse<'_>,
    sources: &CassetteSources<'_>,
) -> Option<(CassetteClient, ConfigOrigin)> {
    let imports =
        [usage.file].into_iter().chain(conftests(sources, &usage.file.path)).flat_map(|file| {
            file.module.modules.iter().filter_map(|(module, place)| {
                let client = match module.split('.').next()? {
                    "cassetter" => CassetteClient::Cassetter,
                    "vcr" | "pytest_recording" | "pytest_vcr" => CassetteClient::Vcrpy,
                    _ => return None,
                };
                Some((client, file.origin(*place)))
            })
        });
    only_client(imports.collect())
}

/// Returns the first if all are of one program.
fn only_client(c: Vec<(CassetteClient, ConfigOrigin)>) -> Option<(CassetteClient, ConfigOrigin)> {
    let first = c.first()?;
    c.iter().all(|(client, _)| *client == first.0).then(|| first.clone())
}

/// Returns the programs that a configuration of pytest or of a project names, as dependencies or plugins.
pub fn clients_named_in(path: &str, text: &str) -> Vec<(CassetteClient, ConfigOrigin)> {
    let words = |line: &str| {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
        // Names of packages may have `-` or `_`.
        line.split(move |c| !is_part(c)).map(|word| word.replace('_', "-")).collect::<Vec<_>>()
    };
    let client = |word: &str| match word {
        "cassetter" => Some(CassetteClient::Cassetter),
        "vcrpy" | "pytest-recording" | "pytest-vcr" => Some(CassetteClient::Vcrpy),
        _ => None,
    };
    let lines = (1..)
        .zip(text.lines())
        .map(|(number, line)| (number, line.split('#').next().unwrap_or_default()));
    let clients = lines.flat_map(|(number, line)| {
        words(line).into_iter().filter_map(move |word| Some((number, client(&word)?)))
    });
    let origin = |line| ConfigOrigin { path: path.into(), line };
    clients.map(|(line, client)| (client, origin(line))).collect()
}

/// Returns the record mode in the options of a configuration of pytest: that of the plugin pytest-recording or cassetter, or of
/// pytest-vcr.
pub fn record_mode_in(path: &str, text: &str) -> Option<ConfigTexts> {
    (1..).zip(text.lines()).find_map(|(line, text)| {
        let text = text.split('#').next().unwrap_or_default();
        let options = ["--record-mode", "--vcr-record"].into_iter();
        let (key, at) = options.filter_map(|o| Some((o, text.find(o)? + o.len()))).next()?;
        // An option with its value, or two items of a list in `pyproject.toml`.
        let value = text[at..].trim_start_matches(['=', ' ', '"', '\'', ',']);
        let end = value.find(|c: char| !(c.is_alphanumeric() || c == '_'));
        let mode = &value[..end.unwrap_or(value.len())];
        let origin = ConfigOrigin { path: path.into(), line };
        (!mode.is_empty()).then(|| ConfigTexts::new(key, Some(vec![mode.into()]), origin))
    })
}

/// Returns the `conftest.py` files that apply to a file, the nearest first.
fn conftests<'a>(
    sources: &'a CassetteSources<'_>,
    path: &str,
) -> impl Iterator<Item = &'a PythonFile> {
    let (folder, _) = split_path(path);
    let is_above = |conftest: &&PythonFile| {
        let (conftest_folder, name) = split_path(&conftest.path);
        name == "conftest.py" && names::is_in(folder, conftest_folder)
    };
    let files = sources.files.iter().map(|file| &**file);
    let mut conftest_files: Vec<&PythonFile> = files.filter(is_above).collect();
    // All are above the same file, so a longer path is a nearer one.
    conftest_files.sort_by_key(|conftest| std::cmp::Reverse(conftest.path.len()));
    conftest_files.into_iter()
}

/// Returns what a fixture returns for the tests of a file, and the file that has the fixture; `None` if there is none.
fn fixture_value<'a>(
    name: &str,
    file: &'a PythonFile,
    sources: &'a CassetteSources<'_>,
) -> Option<(PythonExpression, &'a PythonFile)> {
    [file].into_iter().chain(conftests(sources, &file.path)).find_map(|file| {
        let mut fixtures = file.module.fixtures(name);
        let fixture = fixtures.next()?;
        let is_only = fixtures.next().is_none();
        // Only a run knows which of several fixtures with one name counts.
        let value = file.module.result(fixture).filter(|_| is_only);
        let value =
            value.unwrap_or(PythonExpression { value: PythonValue::Unknown, place: fixture.place });
        Some((value, file))
    })
}

/// Returns a setting in `vcr_config`, or else in a hook, for the tests of a file.
fn configured(
    key: &str,
    file: &PythonFile,
    sources: &CassetteSources<'_>,
) -> Option<(PythonExpression, ConfigOrigin)> {
    let fixture_setting = || {
        let (value, file) = fixture_value("vcr_config", file, sources)?;
        Some((value.entry(key)?.clone(), file))
    };
    let hook_setting = || {
        let (value, file) = hook_value(key, file, sources)?;
        Some((value.clone(), file))
    };
    let (value, file) = fixture_setting().or_else(hook_setting)?;
    let origin = file.origin(value.place);
    Some((value, origin))
}

/// Returns what the nearest hook of pytest-recording assigns to a setting of the recorder, as in `vcr.match_on = […]`.
fn hook_value<'a>(
    key: &str,
    file: &PythonFile,
    sources: &'a CassetteSources<'_>,
) -> Option<(&'a PythonExpression, &'a PythonFile)> {
    conftests(sources, &file.path).find_map(|file| {
        let hook = file.module.functions.iter().find(|function| function.is_recorder_hook())?;
        // If a setting is assigned several times, the last assignment counts.
        let mut assignments = hook.assignments.iter().rev();
        let (_, value) =
            assignments.find(|(name, _)| name.rsplit_once('.').is_some_and(|(_, k)| k == key))?;
        Some((value, file))
    })
}

/// Returns the name of a function, with that of its class.
fn full_name(module: &PythonModule, function: &PythonFunction) -> String {
    match function.class.and_then(|class| module.classes.get(class)) {
        Some(class) => format!("{}.{}", class.name, function.name),
        None => function.name.to_string(),
    }
}

impl TestUse<'_> {
    /// Returns a setting of vcrpy for this test, and where it is written; `None` if it is set nowhere.
    fn setting(
        &self,
        key: &str,
        sources: &CassetteSources<'_>,
    ) -> Option<(PythonExpression, ConfigOrigin)> {
        let locate = |file: &PythonFile, value: &PythonExpression| {
            let origin = file.origin(value.place);
            (value.clone(), origin)
        };
        let locate_here = |value: &PythonExpression| locate(self.file, value);
        match &self.kind {
            UseKind::Call(call) => {
                // vcrpy prefers an argument of the call to one of the recorder.
                call.call().and_then(|call| call.argument(key)).map(locate_here).or_else(|| {
                    let (recorder, file) = uses::recorder(call, self.file, sources).flatten()?;
                    Some(locate(file, recorder.entry(key)?))
                })
            }
            UseKind::Plugin => {
                // The order of pytest-recording: the closest mark first, then `vcr_config`.
                let marks = uses::marks(&self.file.module, self.function, "vcr");
                let mark_argument = marks.iter().find_map(|mark| mark.call()?.argument(key));
                let from_conftest = || configured(key, self.file, sources);
                mark_argument.map(locate_here).or_else(from_conftest)
            }
        }
    }
}
