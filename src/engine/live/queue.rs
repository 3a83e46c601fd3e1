//! Answers the requests that wait at a queue.
//!
//! The folder is looked at many times a second, by its path: it may vanish and come back, and lie where no system tells of
//! changes.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use jiff::Timestamp;

use super::stock::Stock;
use crate::engine::root::read;
use crate::engine::save::{SaveRequest, Target, make_folders, save};
use crate::format::{self, Body};
use crate::ops::Pool;
use crate::ops::live::queue::{Event, REQUESTS, RESPONSES, of_recording};
use crate::ops::playback::{Asked, requests};
use crate::ops::saving::{Expected, Fault, ReadOnly};
use crate::text::Source;

/// How long after one look the next one comes.
pub const BREATH: Duration = Duration::from_millis(50);

/// How long a request may stay half written before that is told.
const HALF_WRITTEN: Duration = Duration::from_secs(2);

/// A queue that is watched.
#[derive(Debug)]
pub struct Queue {
    folder: PathBuf,
    /// The requests that were seen, by the names of their files without `.json`.
    seen: HashMap<Arc<str>, Seen>,
    is_there: bool,
}

/// The name of a request, and when it was written.
type Written = (Arc<str>, Option<SystemTime>);

#[derive(Debug)]
struct Seen {
    written: Option<SystemTime>,
    since: Instant,
    is_done: bool,
}

/// A request that waits.
#[derive(Debug)]
pub struct Waiting {
    /// The name of its file without `.json`.
    pub name: Arc<str>,
    /// What it asks.
    pub asked: Arc<Asked>,
    /// Its text.
    pub text: Arc<str>,
}

impl Queue {
    /// A queue at a folder, which need not be there yet.
    pub fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            seen: HashMap::new(),
            is_there: true,
        }
    }

    /// Looks for requests that wait and were not handed out before; those that have an answer do not wait.
    pub fn look(&mut self, tell: &mut dyn FnMut(Event)) -> Vec<Waiting> {
        let names = self.names();
        let is_there = names.is_ok();
        if is_there != std::mem::replace(&mut self.is_there, is_there) {
            tell(if is_there { Event::Back } else { Event::Gone });
        }
        let Ok((dir, names)) = names else {
            self.seen.clear();
            return Vec::new();
        };
        self.seen
            .retain(|name, _| names.iter().any(|(known, _)| known == name));
        let mut waiting = Vec::new();
        for (name, written) in names {
            if self.is_new(&name, written) && !has_answer(&dir, &name) {
                waiting.extend(self.take(&dir, &name, tell));
            }
        }
        waiting
    }

    /// The requests that lie there, each with the time at which it was written.
    fn names(&self) -> io::Result<(Dir, Vec<Written>)> {
        let dir = Dir::open_ambient_dir(&self.folder, ambient_authority())?;
        let entries = match dir.read_dir(REQUESTS) {
            Ok(entries) => entries,
            // The first request makes it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((dir, Vec::new())),
            Err(error) => return Err(error),
        };
        let mut names = Vec::new();
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if let Some(stem) = name
                .strip_suffix(".json")
                .filter(|stem| !stem.starts_with('.'))
            {
                let written = entry.metadata().and_then(|metadata| metadata.modified());
                names.push((
                    stem.into(),
                    written.ok().map(cap_std::time::SystemTime::into_std),
                ));
            }
        }
        names.sort();
        Ok((dir, names))
    }

    /// Whether a request was not handed out, or was written anew since.
    fn is_new(&mut self, name: &Arc<str>, written: Option<SystemTime>) -> bool {
        let seen = self.seen.entry(Arc::clone(name)).or_insert_with(|| Seen {
            written,
            since: Instant::now(),
            is_done: false,
        });
        if seen.written != written {
            *seen = Seen {
                written,
                since: Instant::now(),
                is_done: false,
            };
        }
        !seen.is_done
    }

    /// Reads a request. One that is half written is looked at again.
    fn take(&mut self, dir: &Dir, name: &Arc<str>, tell: &mut dyn FnMut(Event)) -> Option<Waiting> {
        let path = format!("{REQUESTS}/{name}.json");
        let read = request(dir, &path);
        let seen = self.seen.get_mut(name)?;
        match read {
            Ok((asked, text)) => {
                seen.is_done = true;
                let asked = Arc::new(asked);
                tell(Event::Waits(Arc::clone(name), Arc::clone(&asked)));
                Some(Waiting {
                    name: Arc::clone(name),
                    asked,
                    text,
                })
            }
            Err(reason) => {
                if seen.since.elapsed() >= HALF_WRITTEN {
                    seen.is_done = true;
                    tell(Event::Failed(Arc::clone(name), reason));
                }
                None
            }
        }
    }

    /// Writes an answer, whole at once. One that is there stays.
    ///
    /// # Errors
    ///
    /// Why it was not written, in a sentence.
    pub fn write(&self, name: &str, json: &str) -> Result<(), String> {
        if !self.folder.is_dir() {
            return Err("The folder of the queue is not there any more".to_owned());
        }
        let path = self.folder.join(RESPONSES).join(format!("{name}.json"));
        make_folders(&path)?;
        let request = SaveRequest {
            target: Target::chosen(&path).map_err(|fault| fault.to_string())?,
            bytes: json.as_bytes().into(),
            expected: Expected::Nothing,
            read_only: ReadOnly::Refuse,
        };
        match save(&request) {
            Ok(_) => Ok(()),
            Err(fault) if matches!(fault.reason, Fault::Exists { .. }) => {
                Err("Somebody else has answered it meanwhile".to_owned())
            }
            Err(fault) => Err(fault.to_string()),
        }
    }

    /// Answers a request from a set.
    pub fn answer(&self, waiting: &Waiting, stock: &Stock) -> Event {
        let name = Arc::clone(&waiting.name);
        let (choice, document) = stock.recording(&waiting.asked);
        let Some(document) = document else {
            return Event::Unanswered(name, Arc::new(choice));
        };
        let id = waiting.asked.id.as_deref().unwrap_or(&name);
        let written = document.and_then(|document| match &document.body {
            Body::Recording(recording) => {
                of_recording(&document, recording, id, &choice, Timestamp::now())
            }
            _ => Err("What answers it is no recording any more".to_owned()),
        });
        match written.and_then(|json| self.write(&name, &json)) {
            Ok(()) => Event::Answered(name, Arc::new(choice)),
            Err(reason) => Event::Failed(name, reason),
        }
    }
}

fn has_answer(dir: &Dir, name: &str) -> bool {
    dir.symlink_metadata(format!("{RESPONSES}/{name}.json"))
        .is_ok()
}

/// Reads a request as a whole.
fn request(dir: &Dir, path: &str) -> Result<(Asked, Arc<str>), String> {
    let bytes =
        read(dir, Path::new(path)).map_err(|refusal| format!("It cannot be read: {refusal}"))?;
    let source = Source::from_bytes(bytes);
    let text: Arc<str> = source.text().into();
    let document = format::read(source, path);
    if let Some(fault) = document.tree.fault() {
        return Err(format!("It is no JSON: {}", fault.message));
    }
    let asked = requests::of_document(path.into(), &document, &Pool::default())?;
    Ok((asked, text))
}
