//! Keeps the playback desk up to date.

use std::sync::Arc;

use super::PlaybackDesk;
use crate::{Core, Effect, Latest};
use compare::signature::SignatureDiff;
use document::text::quoted;
use play::playback::ToolsKnown;
use protocol::{
    Compute, EngineEvent, Explanation, FoundSets, Lane, PlayKey, PlayRequest, PlaybackEvent,
    RequestsSource,
};

/// Up to how many items are sorted into sets on the window's thread.
const MAX_ITEMS_AT_ONCE: usize = 4096;
/// With up to how many recordings a call is explained on the window's thread.
const MAX_RECORDINGS_AT_ONCE: usize = 512;

impl PlaybackDesk {
    pub(super) fn sync_sets(&mut self, core: &mut Core) {
        let revision = core.library.items_revision;
        if self.sets_of.replace(revision) == Some(revision) {
            return;
        }
        let items = &core.library.items;
        if items.len > MAX_ITEMS_AT_ONCE {
            let items = items.clone();
            let job = "sorting recordings into sets".to_owned();
            return core.request(Effect::run(Compute::new(Lane::Newest("sets"), job, move || {
                let sets = Arc::new(FoundSets::from_items(&items));
                EngineEvent::Playback(PlaybackEvent::SetsFound(revision, sets))
            })));
        }
        self.sets = Arc::new(FoundSets::from_items(items));
    }

    /// Requests playing if its inputs have changed. While files keep changing, one request runs after the other; a new choice
    /// of the user replaces the running request.
    pub(super) fn sync_request(&mut self, core: &Core) -> Option<Effect> {
        let queue = self.requests.clone()?;
        // A log may name its set itself.
        let finds_set = matches!(queue, RequestsSource::Log { .. } | RequestsSource::Path { .. });
        if !finds_set && self.set.is_none() {
            return None;
        }
        let key = PlayKey {
            generation: core.generation,
            content: self.content,
            touched: self.touched,
            edited: core.library.unsaved_revisions(),
            rules: self.rules,
            matchers: self.matchers.clone(),
        };
        let is_chosen = |other: &PlayKey| {
            (other.content, other.rules, &other.matchers) == (key.content, key.rules, &key.matchers)
        };
        if self.playing.awaited.as_ref().is_some_and(is_chosen) {
            return None;
        }
        let input = |is_of: &dyn Fn(&PlayKey) -> bool| {
            let result = self.playing.value.as_ref();
            let is_of = self.playing.key.as_ref().is_some_and(is_of);
            result.filter(|_| is_of).map(|result| Arc::clone(&result.input))
        };
        let known_input = input(&|old| {
            (old.content, old.touched, &old.edited, &old.matchers)
                == (key.content, key.touched, &key.edited, &key.matchers)
        });
        let read_input = input(&|old| old.content == key.content);
        if !self.playing.want(&key) {
            return None;
        }
        Some(Effect::run(PlayRequest {
            key,
            items: core.library.items.clone(),
            edited: core.library.unsaved_texts(),
            requests: queue,
            set: self.set.clone(),
            fallback: self.fallback.clone(),
            is_new: self.is_new,
            known: known_input,
            read: read_input,
        }))
    }

    pub(super) fn sync_explanation(&mut self) -> Option<Effect> {
        let result =
            self.playing.value.as_ref().filter(|result| result.input.cassette.is_none())?;
        let key = (self.number, self.call);
        if self.call >= result.run.calls.len() || !self.explanation.want(&key) {
            return None;
        }
        if result.run.set.recordings.len() > MAX_RECORDINGS_AT_ONCE {
            let set = quoted(&result.run.set.folder);
            return Some(Effect::run(Compute::answering(
                Lane::Newest("explain"),
                format!("explaining call {} against {set}", self.call + 1),
                (Arc::clone(result), key),
                |(result, key)| Ok(Explanation::new(result, key.1)),
                |(_, key), reason| EngineEvent::Playback(PlaybackEvent::Explained(*key, reason)),
            )));
        }
        self.explanation.receive(&key, Ok(Explanation::new(result, self.call)));
        None
    }

    pub(super) fn sync_signatures(&mut self) {
        // The client of a cassette compares no signatures.
        let result = self.playing.value.clone().filter(|result| result.input.cassette.is_none());
        let Some((result, position)) = result.zip(self.position()) else {
            self.signatures = Latest::default();
            return;
        };
        let key = (self.number, self.call, position);
        // Accepted at once: comparing two signatures takes no time worth a thread.
        if !self.signatures.want(&key) || !self.signatures.accept(&key) {
            return;
        }
        let request = result.run.calls.get(self.call).map(|call| &call.request);
        // Without its tools, a request has no signature.
        let known_request = request.filter(|request| request.tools_known == ToolsKnown::Yes);
        let recording = result.run.set.recordings.get(position);
        self.signatures.value = known_request.zip(recording).map(|(known_request, recording)| {
            Arc::new(SignatureDiff::new(known_request.matching.clone(), recording.matching.clone()))
        });
    }

    /// Ignores responses that are no longer expected.
    pub(crate) fn receive(&mut self, core: &mut Core, event: PlaybackEvent) {
        match event {
            PlaybackEvent::Played(key, result) => {
                if self.playing.accept(&key) {
                    self.set_result(core, result);
                }
            }
            PlaybackEvent::SetsFound(revision, sets) => {
                if self.sets_of == Some(revision) {
                    self.sets = sets;
                }
            }
            PlaybackEvent::SetsJudged(number, verdicts) => self.verdicts.receive(number, verdicts),
            PlaybackEvent::Explained(key, explanation) => {
                self.explanation.receive(&key, explanation);
            }
            PlaybackEvent::FilesChanged(request, outcome) => {
                self.on_files_changed(core, request, outcome);
            }
        }
    }
}
