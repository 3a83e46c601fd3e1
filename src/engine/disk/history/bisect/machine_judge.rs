//! Judges recordings by what their nodes would request in a version of their machine.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use gix::ObjectId;

use super::super::machine_versions::FileHistory;
use super::{FolderFiles, GitFiles, Judge};
use crate::format;
use crate::ops::bisect::CallFit;
use crate::ops::files::file_name;
use crate::ops::machine::{Affected, CallAtNode, Machine, SourceVersions};
use crate::ops::source::match_recorded;
use crate::text::Source;

pub(super) struct MachineJudge {
    /// The names of the recordings on disk.
    names: Vec<(Arc<str>, Option<Arc<str>>)>,
    /// The bytes and the content of each version.
    versions: HashMap<ObjectId, Rc<(Vec<u8>, Machine)>>,
    /// The version with a recorded hash.
    by_hash: HashMap<Box<str>, Option<ObjectId>>,
    /// `None` for a file that is not a recording of the machine.
    recordings: HashMap<ObjectId, Option<Rc<StampedCall>>>,
    /// The names that the machine's file had.
    file_names: Vec<Box<str>>,
}

/// A recording, and the hash of the source that it names.
struct StampedCall {
    call: CallAtNode,
    hash: Option<Box<str>>,
}

impl MachineJudge {
    /// Reads all versions of the machine: `path` and `now` are those on disk.
    pub(super) fn new(
        path: &str,
        now: ObjectId,
        history: &FileHistory,
        set: &FolderFiles,
        files: &mut GitFiles<'_>,
    ) -> Self {
        let mut judge = Self {
            names: Vec::new(),
            versions: HashMap::new(),
            by_hash: HashMap::new(),
            recordings: HashMap::new(),
            file_names: vec![file_name(path).into()],
        };
        for at in history.at.values() {
            judge.file_names.push(file_name(&at.path).into());
        }
        judge.file_names.sort_unstable();
        judge.file_names.dedup();
        let blobs = history.at.values().map(|at| at.blob);
        for blob in blobs.chain([now]) {
            if !judge.versions.contains_key(&blob)
                && let Some(bytes) = files.read(blob)
            {
                let machine = Machine::read(&Source::from_bytes(bytes.clone()));
                judge.versions.insert(blob, Rc::new((bytes, machine)));
            }
        }
        for (name, id) in set.iter() {
            if let Some(recording) = judge.recording(name, *id, files) {
                let node = recording.call.node.as_deref().map(Arc::from);
                judge.names.push((name.as_ref().into(), node));
            }
        }
        judge
    }

    /// Returns a recording; `None` for a file that is none, or one of another machine.
    fn recording(
        &mut self,
        name: &str,
        id: ObjectId,
        files: &mut GitFiles<'_>,
    ) -> Option<Rc<StampedCall>> {
        if let Some(known) = self.recordings.get(&id) {
            return known.clone();
        }
        let recording = files.read(id).and_then(|bytes| self.parse(name, bytes)).map(Rc::new);
        self.recordings.insert(id, recording.clone());
        recording
    }

    fn parse(&mut self, name: &str, bytes: Vec<u8>) -> Option<StampedCall> {
        let document = format::read(Source::from_bytes(bytes), name);
        let recording = document.body.recording()?;
        let source = recording.source.as_ref().map(|field| &field.value);
        let file = source.and_then(|source| format::text(&source.file));
        let hash = source.and_then(|source| format::text(&source.hash));
        let is_named = file.is_none_or(|file| {
            let name = file_name(file);
            self.file_names.iter().any(|it| **it == *name)
        });
        let is_of_machine = is_named || hash.is_some_and(|hash| self.version(hash).is_some());
        is_of_machine
            .then(|| StampedCall { call: CallAtNode::new(recording), hash: hash.map(Box::from) })
    }

    /// Returns the version of the machine with a recorded hash.
    fn version(&mut self, hash: &str) -> Option<ObjectId> {
        if let Some(known) = self.by_hash.get(hash) {
            return *known;
        }
        let mut versions = self.versions.iter();
        let found = versions.find(|(_, it)| match_recorded(&it.0, hash).is_some());
        let found = found.map(|(id, _)| *id);
        self.by_hash.insert(hash.into(), found);
        found
    }
}

impl Judge for MachineJudge {
    fn calls(&self) -> Vec<(Arc<str>, Option<Arc<str>>)> {
        self.names.clone()
    }

    fn judge(
        &mut self,
        set: &FolderFiles,
        machine: Option<ObjectId>,
        files: &mut GitFiles<'_>,
    ) -> Vec<Option<CallFit>> {
        let now = machine.and_then(|id| self.versions.get(&id).cloned());
        let Some(now) = now else { return Vec::new() };
        let names = self.names.iter().enumerate();
        let positions: HashMap<Arc<str>, usize> =
            names.map(|(at, (name, _))| (Arc::clone(name), at)).collect();
        let mut by_version: HashMap<Option<ObjectId>, Vec<(usize, Rc<StampedCall>)>> =
            HashMap::new();
        for (name, id) in set.iter() {
            if let Some(position) = positions.get(&**name)
                && let Some(recording) = self.recording(name, *id, files)
            {
                let then = recording.hash.as_deref().and_then(|hash| self.version(hash));
                by_version.entry(then).or_default().push((*position, recording));
            }
        }
        let mut fits = vec![None; self.names.len()];
        for (then, recordings) in by_version {
            let then = then.and_then(|id| self.versions.get(&id)).cloned();
            let versions = SourceVersions::new(then.as_deref().map(|(_, it)| it), &now.1);
            for (position, recording) in recordings {
                fits[position] = Some(match versions.place(&recording.call).affected {
                    Affected::No { .. } => CallFit::Matches,
                    affected @ Affected::Yes { .. } => CallFit::Breaks(affected.to_string().into()),
                    affected @ Affected::Unknown { .. } => {
                        CallFit::Unknown(affected.to_string().into())
                    }
                });
            }
        }
        fits
    }
}
