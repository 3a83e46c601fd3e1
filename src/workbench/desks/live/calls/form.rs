//! The forms that start the recorder and the server, and their validation.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::run::{RecordRequest, ServeRequest, StartFault, StartField};
use crate::ops::live::record::{self, DEFAULT_IDLE_TIMEOUT};
use crate::ops::live::serve::{Fallback, ServeRules};
use crate::ops::playback::PlaybackMode;
use crate::ops::tape::playback::Speed;
use crate::ops::tape::verify::Strictness;

/// The API that the recorder forwards calls to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum UpstreamChoice {
    /// Anthropic's.
    #[default]
    Anthropic,
    /// OpenAI's.
    OpenAi,
    /// Google's Gemini.
    Gemini,
    /// Another API, by its URL.
    Other,
}

impl UpstreamChoice {
    /// All, in the order of the form.
    pub const ALL: [Self; 4] = [Self::Anthropic, Self::OpenAi, Self::Gemini, Self::Other];

    /// Its URL; `None` if the user types it.
    pub fn url(self) -> Option<&'static str> {
        match self {
            Self::Anthropic => Some("https://api.anthropic.com"),
            Self::OpenAi => Some("https://api.openai.com"),
            Self::Gemini => Some("https://generativelanguage.googleapis.com"),
            Self::Other => None,
        }
    }
}

/// The form that starts the recorder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordForm {
    /// The API.
    pub upstream: UpstreamChoice,
    /// The URL of another API.
    pub url: String,
    pub port: String,
    /// The folder for the tapes, from the open folder.
    pub folder: String,
    /// The name of tapes whose client gives no name; may be empty.
    pub label: String,
    /// The comment on each tape; may be empty.
    pub comment: String,
    /// After how many seconds without a byte the upstream times out.
    pub idle_timeout: String,
}

impl Default for RecordForm {
    fn default() -> Self {
        Self {
            upstream: UpstreamChoice::default(),
            url: String::new(),
            port: "8017".to_owned(),
            folder: "tapes".to_owned(),
            label: String::new(),
            comment: String::new(),
            idle_timeout: DEFAULT_IDLE_TIMEOUT.to_owned(),
        }
    }
}

impl RecordForm {
    /// Returns the settings of the recorder.
    ///
    /// # Errors
    ///
    /// The first invalid field.
    pub fn request(&self) -> Result<RecordRequest, StartFault> {
        let url = self.upstream.url().unwrap_or(self.url.trim());
        let has_host = |scheme: &str| url.strip_prefix(scheme).is_some_and(|host| !host.is_empty());
        if !has_host("https://") && !has_host("http://") {
            let words = "Expected a URL that starts with https:// or http://, such as https://api.anthropic.com";
            return Err(StartFault::in_field(StartField::Upstream, words));
        }
        let text = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        Ok(RecordRequest {
            upstream: url.to_owned(),
            folder: parse_folder(&self.folder)?,
            port: parse_port(&self.port)?,
            label: text(&self.label),
            comment: text(&self.comment),
            idle_timeout: parse_idle_timeout(&self.idle_timeout)?,
        })
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ServeSelection {
    /// All open tapes and sets.
    #[default]
    All,
    /// These paths, as files are listed.
    Paths(BTreeSet<Arc<str>>),
}

/// The speed of served answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ServePace {
    /// Half as fast as recorded.
    Half,
    #[default]
    AsRecorded,
    /// Twice as fast.
    Double,
    /// Ten times as fast.
    Tenfold,
    /// At once.
    Instant,
}

impl ServePace {
    /// All, from the slowest.
    pub const ALL: [Self; 5] =
        [Self::Half, Self::AsRecorded, Self::Double, Self::Tenfold, Self::Instant];

    fn speed(self) -> Speed {
        match self {
            Self::Half => Speed::Times(0.5),
            Self::AsRecorded => Speed::Times(1.0),
            Self::Double => Speed::Times(2.0),
            Self::Tenfold => Speed::Times(10.0),
            Self::Instant => Speed::Instant,
        }
    }
}

/// The form with which the server is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServeForm {
    pub selection: ServeSelection,
    /// How requests are compared with those of tapes.
    pub strictness: Strictness,
    /// How recordings of sets are chosen.
    pub mode: PlaybackMode,
    /// What to do with a call that nothing matches.
    pub fallback: Fallback,
    /// The speed of answers.
    pub pace: ServePace,
    pub port: String,
}

impl Default for ServeForm {
    fn default() -> Self {
        Self {
            selection: ServeSelection::default(),
            strictness: Strictness::default(),
            mode: PlaybackMode::default(),
            fallback: Fallback::default(),
            pace: ServePace::default(),
            port: "8020".to_owned(),
        }
    }
}

impl ServeForm {
    /// Returns the settings of the server. `opened` are the open paths.
    ///
    /// # Errors
    ///
    /// The first invalid field.
    pub fn request(&self, opened: &[PathBuf]) -> Result<ServeRequest, StartFault> {
        let paths = match &self.selection {
            ServeSelection::All => opened.to_vec(),
            ServeSelection::Paths(chosen) => without_nested(chosen),
        };
        if paths.is_empty() {
            let words = "Choose a folder of tapes or a set";
            return Err(StartFault::in_field(StartField::Sources, words));
        }
        Ok(ServeRequest {
            paths,
            rules: ServeRules { tapes: self.strictness, mode: self.mode, fallback: self.fallback },
            speed: self.pace.speed(),
            port: parse_port(&self.port)?,
        })
    }
}

/// Removes paths that are inside another path of the set.
fn without_nested(paths: &BTreeSet<Arc<str>>) -> Vec<PathBuf> {
    let paths: Vec<&Path> = paths.iter().map(|path| Path::new(&**path)).collect();
    let is_below = |path: &Path, other: &Path| path != other && path.starts_with(other);
    let topmost = paths.iter().filter(|path| !paths.iter().any(|other| is_below(path, other)));
    topmost.map(|path| path.to_path_buf()).collect()
}

fn parse_port(text: &str) -> Result<u16, StartFault> {
    let words = "Expected a port number up to 65535; 0 uses any free port";
    let port = text.trim().parse();
    port.map_err(|_| StartFault::in_field(StartField::Port, words))
}

fn parse_idle_timeout(text: &str) -> Result<Duration, StartFault> {
    let words = "Expected a number of seconds above 0, such as 120";
    record::parse_idle_timeout(text)
        .ok_or_else(|| StartFault::in_field(StartField::IdleTimeout, words))
}

/// Parses a folder inside the open folder.
fn parse_folder(text: &str) -> Result<String, StartFault> {
    let folder = text.trim().replace('\\', "/");
    let folder = folder.trim_end_matches('/');
    let inside = |part: &str| !matches!(part, "" | "." | "..");
    let fault = |words| Err(StartFault::in_field(StartField::Folder, words));
    match folder {
        "" => fault("Enter a folder for the tapes"),
        folder if folder.contains(':') || !folder.split('/').all(inside) => {
            fault("Expected a folder inside the open folder, such as tapes/new")
        }
        folder => Ok(folder.to_owned()),
    }
}
