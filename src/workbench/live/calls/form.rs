//! The forms with which the recorder and the server are started, and what is understood of them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::run::{RecordOrder, ServeOrder, StartFault, StartField};
use crate::ops::live::record::{self, PATIENCE};
use crate::ops::live::serve::{Otherwise, Rules};
use crate::ops::playback::Mode;
use crate::ops::tape::playback::Speed;
use crate::ops::tape::verify::Strictness;

/// The model's side that a recorder passes calls on to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Upstream {
    /// Anthropic's.
    #[default]
    Anthropic,
    /// OpenAI's.
    OpenAi,
    /// Google's Gemini.
    Gemini,
    /// Any other, by its address.
    Other,
}

impl Upstream {
    /// All, in the order of the form.
    pub const ALL: [Self; 4] = [Self::Anthropic, Self::OpenAi, Self::Gemini, Self::Other];

    /// Its address; `None` where that is typed.
    pub fn url(self) -> Option<&'static str> {
        match self {
            Self::Anthropic => Some("https://api.anthropic.com"),
            Self::OpenAi => Some("https://api.openai.com"),
            Self::Gemini => Some("https://generativelanguage.googleapis.com"),
            Self::Other => None,
        }
    }
}

/// The form with which the recorder is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordForm {
    /// Where the model is.
    pub upstream: Upstream,
    /// Its address, where it is another one.
    pub url: String,
    /// The port.
    pub port: String,
    /// The folder for the tapes, from the folder that is open.
    pub folder: String,
    /// What tapes are called whose client does not say it; may be empty.
    pub label: String,
    /// What is said of each tape; may be empty.
    pub comment: String,
    /// After how many seconds without a byte the model's side is given up.
    pub patience: String,
}

impl Default for RecordForm {
    fn default() -> Self {
        Self {
            upstream: Upstream::default(),
            url: String::new(),
            port: "8017".to_owned(),
            folder: "tapes".to_owned(),
            label: String::new(),
            comment: String::new(),
            patience: PATIENCE.to_owned(),
        }
    }
}

impl RecordForm {
    /// What the form says.
    ///
    /// # Errors
    ///
    /// The first field that cannot be taken as it is.
    pub fn order(&self) -> Result<RecordOrder, StartFault> {
        let url = self.upstream.url().unwrap_or(self.url.trim());
        let has_host = |scheme: &str| {
            url.strip_prefix(scheme)
                .is_some_and(|host| !host.is_empty())
        };
        if !has_host("https://") && !has_host("http://") {
            let words =
                "The address begins with https:// or http://, such as https://api.anthropic.com";
            return Err(StartFault::of(StartField::Upstream, words));
        }
        let text = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        Ok(RecordOrder {
            upstream: url.to_owned(),
            folder: folder(&self.folder)?,
            port: port(&self.port)?,
            label: text(&self.label),
            comment: text(&self.comment),
            patience: patience(&self.patience)?,
        })
    }
}

/// What is served.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum What {
    /// Everything that is open.
    #[default]
    All,
    /// What lies at these paths, as files are listed.
    Some(BTreeSet<Arc<str>>),
}

/// How fast answers are told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Pace {
    /// Half as fast as recorded.
    Half,
    /// As recorded.
    #[default]
    AsRecorded,
    /// Twice as fast.
    Double,
    /// Ten times as fast.
    Tenfold,
    /// At once.
    Instant,
}

impl Pace {
    /// All, from the slowest.
    pub const ALL: [Self; 5] = [
        Self::Half,
        Self::AsRecorded,
        Self::Double,
        Self::Tenfold,
        Self::Instant,
    ];

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
    /// What is served.
    pub what: What,
    /// How requests are compared with those of tapes.
    pub strictness: Strictness,
    /// How recordings of sets are chosen.
    pub mode: Mode,
    /// What a call gets that nothing matches.
    pub otherwise: Otherwise,
    /// How fast answers are told.
    pub pace: Pace,
    /// The port.
    pub port: String,
}

impl Default for ServeForm {
    fn default() -> Self {
        Self {
            what: What::default(),
            strictness: Strictness::default(),
            mode: Mode::default(),
            otherwise: Otherwise::default(),
            pace: Pace::default(),
            port: "8020".to_owned(),
        }
    }
}

impl ServeForm {
    /// What the form says. `opened` is what is open.
    ///
    /// # Errors
    ///
    /// The first field that cannot be taken as it is.
    pub fn order(&self, opened: &[PathBuf]) -> Result<ServeOrder, StartFault> {
        let paths = match &self.what {
            What::All => opened.to_vec(),
            What::Some(chosen) => topmost(chosen),
        };
        if paths.is_empty() {
            let words = "Choose a folder of tapes or a set first";
            return Err(StartFault::of(StartField::Sources, words));
        }
        Ok(ServeOrder {
            paths,
            rules: Rules {
                tapes: self.strictness,
                mode: self.mode,
                otherwise: self.otherwise,
            },
            speed: self.pace.speed(),
            port: port(&self.port)?,
        })
    }
}

/// Paths without those that lie in others of them.
fn topmost(paths: &BTreeSet<Arc<str>>) -> Vec<PathBuf> {
    let paths: Vec<&Path> = paths.iter().map(|path| Path::new(&**path)).collect();
    let is_below = |path: &Path, other: &Path| path != other && path.starts_with(other);
    let topmost = paths
        .iter()
        .filter(|path| !paths.iter().any(|other| is_below(path, other)));
    topmost.map(|path| path.to_path_buf()).collect()
}

fn port(text: &str) -> Result<u16, StartFault> {
    let words = "A port is a number up to 65535; 0 takes any that is free";
    let port = text.trim().parse();
    port.map_err(|_| StartFault::of(StartField::Port, words))
}

fn patience(text: &str) -> Result<Duration, StartFault> {
    let words = "Say the seconds as a number above 0, such as 120";
    record::patience(text).ok_or_else(|| StartFault::of(StartField::Patience, words))
}

/// A folder that lies in the one that is open.
fn folder(text: &str) -> Result<String, StartFault> {
    let folder = text.trim().replace('\\', "/");
    let folder = folder.trim_end_matches('/');
    let inside = |part: &str| !matches!(part, "" | "." | "..");
    let fault = |words| Err(StartFault::of(StartField::Folder, words));
    match folder {
        "" => fault("Name the folder for the tapes"),
        folder if folder.contains(':') || !folder.split('/').all(inside) => {
            fault("The folder lies in the one that is open, such as tapes/new")
        }
        folder => Ok(folder.to_owned()),
    }
}
