//! Finds and reads the sources that recordings are stamped with.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use foldhash::{HashMap, HashMapExt as _};

use crate::disk::project::{Project, RootContext};
use crate::disk::root::{Root, describe_error, display_path, folder_of, real_path, to_sentence};
use crate::disk::sources::paths_below;
use calls::Item;
use calls::source::{SourceFinding, content_hash};
use document::recording::{Recording, RecordingVersion};
use document::text::{Source, quoted};
use document::{Document, text};
use machine::Machine;
use machine::stamp::{
    MachineNames, Renewal, SourceCandidate, SourceStamp, SourceTraces, Stamp, StampContextKeys,
    StampOptions, choose, is_complete, recording_of, stamp,
};

/// Origin of the source of a recording.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum StampSource {
    /// Each recording names its own.
    #[default]
    Named,
    /// All recordings come from this file.
    File(PathBuf),
    /// Each recording comes from one of the sources in this folder and below; see [`choose`].
    Folder(PathBuf),
    /// Each comes from one of the sources of its project.
    Project,
}

/// Options for stamping recordings.
#[derive(Clone, Debug)]
pub struct StampRequest {
    /// The sources to stamp recordings with.
    pub source: StampSource,
    /// The lowest version of the stamped recordings: version 2 has no source.
    pub version: RecordingVersion,
    /// Treatment of existing stamps.
    pub renewal: Renewal,
    /// The context keys of signatures.
    pub context_keys: StampContextKeys,
}

/// Plans the stamps of many recordings. Every source is read once.
#[derive(Debug)]
pub struct StampPlanner<'a> {
    project: &'a Project,
    request: StampRequest,
    /// The sources that were read below each root.
    read: Vec<SourcesBeneathRoot>,
    /// The index of the opened path and the source, by the number of the recording.
    planned: HashMap<usize, (usize, Arc<SourceStamp>)>,
}

/// The sources that were read beneath one root.
#[derive(Debug)]
struct SourcesBeneathRoot {
    root_context: Arc<RootContext>,
    /// By their paths from the root.
    stamps: HashMap<String, Result<Arc<SourceStamp>, String>>,
    candidates: Option<Arc<[SourceCandidate]>>,
}

impl<'a> StampPlanner<'a> {
    /// Prepares to stamp what is open.
    ///
    /// # Errors
    ///
    /// A message without a full stop, when the file or folder of the sources does not exist.
    pub fn new(project: &'a Project, mut request: StampRequest) -> Result<Self, String> {
        let is_folder = matches!(request.source, StampSource::Folder(_));
        if let StampSource::File(path) | StampSource::Folder(path) = &mut request.source {
            *path = resolve_source(path, is_folder, project.bound())?;
        }
        Ok(Self { project, request, read: Vec::new(), planned: HashMap::new() })
    }

    /// Plans the stamp of the recording with the number `index`, in the text that `document` is
    /// a reading of; `None` when there is nothing to write.
    ///
    /// # Errors
    ///
    /// The reason it cannot be stamped, as a message without a full stop.
    pub fn plan(
        &mut self,
        index: usize,
        item: &Item,
        document: &Document,
    ) -> Result<Option<Stamp>, String> {
        let recording = recording_of(document)?;
        let StampRequest { version, renewal, .. } = self.request;
        if renewal == Renewal::Keep && is_complete(recording, version) {
            return Ok(None);
        }
        let has_source = renewal == Renewal::Keep && recording.source.is_some();
        let source = match version {
            RecordingVersion::V3 if !has_source => Some(self.source(index, item, recording)?),
            _ => None,
        };
        if let (Some(source), Some(opened)) = (&source, self.project.opened_of(index)) {
            self.planned.insert(index, (opened, Arc::clone(source)));
        }
        let options = StampOptions {
            source: source.as_deref(),
            renewal,
            context_keys: self.request.context_keys,
        };
        stamp(document, &options)
    }

    /// Keeps a copy of the source that the recording which arrived as number `index` was planned to be stamped with, where
    /// the project stores such copies: it is used when the source has changed and is not in git.
    pub fn keep_source(&self, index: usize) {
        let Some((opened, source)) = self.planned.get(&index) else { return };
        let root = &self.project.root_contexts[*opened].root;
        if let Some(snapshots) = self.project.snapshots.as_deref()
            && snapshots.find(&source.hash).is_none()
        {
            snapshots.keep(&source.hash, || root.read(&source.file).ok());
        }
    }

    /// The source of a recording.
    fn source(
        &mut self,
        index: usize,
        item: &Item,
        recording: &Recording,
    ) -> Result<Arc<SourceStamp>, String> {
        let context = self.project.root_context_of(index).ok_or("This file is no longer open")?;
        let position = self
            .read
            .iter()
            // Recordings of several projects may be stamped at once, each from its own sources.
            .position(|sources| Arc::ptr_eq(&sources.root_context, context))
            .unwrap_or_else(|| {
                self.read.push(SourcesBeneathRoot {
                    root_context: Arc::clone(context),
                    stamps: HashMap::new(),
                    candidates: None,
                });
                self.read.len() - 1
            });
        let sources = &mut self.read[position];
        let folder = item.folder();
        let path = match &self.request.source {
            StampSource::Named => sources.named_source(folder, recording)?,
            StampSource::File(file) => path_from_root(&sources.root_context.root, file)?,
            StampSource::Folder(folder) => {
                let folder = path_from_root(&sources.root_context.root, folder)?;
                sources.choose_source(&folder, SourceTraces::new(recording, item.set()))?
            }
            StampSource::Project => {
                sources.choose_source("", SourceTraces::new(recording, item.set()))?
            }
        };
        sources.cached_stamp(path)
    }
}

impl SourcesBeneathRoot {
    /// The path of the source that a recording names itself.
    fn named_source(&self, folder: &str, recording: &Recording) -> Result<String, String> {
        let meta = recording.source.as_ref().map(|field| &field.value);
        let file = meta.and_then(|meta| text(&meta.file)).ok_or("The recording names no source")?;
        // Without a hash it can only be found by its name.
        let hash = meta.and_then(|meta| text(&meta.hash));
        let sources = &self.root_context.sources;
        match sources.find(folder, Some(&file.into()), hash.or(Some(""))) {
            SourceFinding::Outside(reason) => {
                Err(format!("The source {} was not read: {reason}", quoted(file)))
            }
            SourceFinding::Renamed(files) if files.len() > 1 => Err(format!(
                "The source {} no longer exists, and several files could replace it",
                quoted(file)
            )),
            finding => match finding.present() {
                Some(file) => Ok(file.path.to_string()),
                None => Err(format!("The source {} does not exist", quoted(file))),
            },
        }
    }

    /// The path of the source in a folder to which a recording's traces lead.
    fn choose_source(&mut self, folder: &str, traces: SourceTraces<'_>) -> Result<String, String> {
        // One list for each root is enough, since a request has only one folder.
        let candidates = match &self.candidates {
            Some(candidates) => Arc::clone(candidates),
            None => self.read_all(folder),
        };
        let index = choose(&candidates, traces).map_err(|reason| reason.to_string())?;
        Ok(candidates[index].path.to_string())
    }

    fn read_all(&mut self, folder: &str) -> Arc<[SourceCandidate]> {
        let paths = paths_below(&self.root_context.root, folder);
        let candidates: Arc<[SourceCandidate]> = paths
            .into_iter()
            .filter_map(|path| self.cached_stamp(path).ok())
            .map(|stamp| SourceCandidate {
                path: stamp.file.clone(),
                hash: stamp.hash.clone(),
                title: stamp.names.title.clone(),
            })
            .collect();
        self.candidates = Some(Arc::clone(&candidates));
        candidates
    }

    fn cached_stamp(&mut self, path: String) -> Result<Arc<SourceStamp>, String> {
        if let Some(stamp) = self.stamps.get(&path) {
            return stamp.clone();
        }
        let stamp = read_stamp(&self.root_context.root, &path).map(Arc::new);
        // Failures are stored, too: many recordings may name one source that cannot be read.
        self.stamps.insert(path, stamp.clone());
        stamp
    }
}

/// Reads a source for its stamp.
fn read_stamp(root: &Root, path: &str) -> Result<SourceStamp, String> {
    let bytes = root.read(path).map_err(|refusal| {
        let source = quoted(path);
        format!("{}: source {source}", to_sentence(refusal))
    })?;
    Ok(SourceStamp {
        file: path.into(),
        hash: content_hash(&bytes),
        size: bytes.len() as u64,
        modified: modified(root, path),
        names: MachineNames::new(&Machine::read(&Source::from_bytes(bytes))),
    })
}

/// Returns the time of the last change of a file, as JavaScript writes it.
fn modified(root: &Root, path: &str) -> Option<Box<str>> {
    let modified = root.dir.metadata(path).ok()?.modified().ok()?.into_std();
    let time = jiff::Timestamp::try_from(modified).ok()?.round(jiff::Unit::Millisecond).ok()?;
    // `toISOString` of JavaScript always writes three digits.
    Some(format!("{time:.3}").into())
}

/// Returns the absolute path of a file or folder in which only the last name may be a link: a source keeps the name that the user gave.
fn resolve_source(path: &Path, is_folder: bool, root: Option<&Path>) -> Result<PathBuf, String> {
    let message = |reason: &str| format!("{reason}: {}", quoted(&path.to_string_lossy()));
    let fault = |error: std::io::Error| {
        message(&format!("The source cannot be read: {}", describe_error(&error)))
    };
    let full_path = real_path(path, root).map_err(fault)?;
    match (is_folder, full_path.is_dir(), path.file_name()) {
        (true, true, _) => Ok(full_path),
        (true, false, _) => Err(message("Expected a folder of sources, found a file")),
        (false, false, Some(name)) => {
            Ok(std::fs::canonicalize(folder_of(path)).map_err(fault)?.join(name))
        }
        (false, ..) => Err(message("The source is a folder, not a file")),
    }
}

/// Returns a path as recordings store it: relative to the root.
fn path_from_root(root: &Root, path: &Path) -> Result<String, String> {
    match path.strip_prefix(root.path()) {
        Ok(relative) => Ok(display_path(relative).to_string()),
        Err(_) => Err(format!(
            "The source is outside the project root {}; give another root with --root",
            quoted(&root.path().to_string_lossy())
        )),
    }
}
