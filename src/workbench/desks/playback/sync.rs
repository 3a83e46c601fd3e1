//! Keeps the playback desk up to date.

use std::sync::Arc;

use super::desk::ShownSignatures;
use super::explanation::Explanation;
use super::request::{PlayRequest, RequestsSource};
use super::sets::FoundSets;
use super::{PlaybackDesk, PlaybackEvent};
use crate::ops::diff::signature::SignatureDiff;
use crate::ops::playback::ToolsKnown;
use crate::text::{Source, quoted};
use crate::workbench::core::effect::Effect;
use crate::workbench::core::library::DocId;
use crate::workbench::core::state::Core;
use crate::workbench::event::EngineEvent;
use crate::workbench::request::{Compute, Lane};

/// Up to how many items are sorted into sets on the window's thread.
const SORTED_AT_ONCE: usize = 4096;
/// With up to how many recordings a call is explained on the window's thread.
const EXPLAINED_AT_ONCE: usize = 512;

impl PlaybackDesk {
    pub(super) fn sync_sets(&mut self, core: &mut Core) {
        let revision = core.library.items_revision;
        if self.sets_of.replace(revision) == Some(revision) {
            return;
        }
        let items = &core.library.items;
        if items.len > SORTED_AT_ONCE {
            let items = items.clone();
            let work = "sorting recordings into sets".to_owned();
            return core.request(Effect::run(Compute::new(
                Lane::Newest("sets"),
                work,
                move || {
                    let sets = Arc::new(FoundSets::from_items(&items));
                    EngineEvent::Playback(PlaybackEvent::SetsFound(revision, sets))
                },
            )));
        }
        self.sets = Arc::new(FoundSets::from_items(items));
    }

    /// Requests playing if its inputs have changed. While files keep changing, one request runs after the other; a new choice
    /// of the user replaces the running request.
    pub(super) fn sync_request(&mut self, core: &Core) -> Option<Effect> {
        let requests = self.requests.clone()?;
        let finds_set =
            matches!(requests, RequestsSource::Log { .. } | RequestsSource::Path { .. });
        if !finds_set && self.set.is_none() {
            return None;
        }
        let unsaved = core.library.unsaved();
        let key = self.key(unsaved.map(|(doc, copy)| (doc, copy.revision)).collect());
        let before = self.ordered.as_ref();
        if before == Some(&key) {
            return None;
        }
        let same_choice =
            before.is_some_and(|before| (before.content, before.rules) == (key.content, key.rules));
        if self.awaited.is_some() && same_choice {
            return None;
        }
        let same_files = before.is_some_and(|before| {
            (before.content, before.touched, &before.edited)
                == (key.content, key.touched, &key.edited)
        });
        let known = self
            .played
            .as_ref()
            .filter(|_| same_files && self.awaited.is_none())
            .map(|played| Arc::clone(&played.input));
        let same_content = before.is_some_and(|before| before.content == key.content);
        let read =
            self.played.as_ref().filter(|_| same_content).map(|played| Arc::clone(&played.input));
        let texts = core.library.unsaved();
        let edited: Vec<(DocId, Source)> =
            texts.map(|(doc, copy)| (doc, copy.text.clone())).collect();
        self.number += 1;
        self.awaited = Some(self.number);
        self.ordered = Some(key);
        Some(Effect::run(PlayRequest {
            number: self.number,
            items: core.library.items.clone(),
            edited,
            requests,
            set: self.set.clone(),
            fallback: self.fallback.clone(),
            typed: self.typed.clone(),
            rules: self.rules,
            is_new: self.is_new,
            known,
            read,
        }))
    }

    pub(super) fn sync_explanation(&mut self) -> Option<Effect> {
        let played = self.played.as_ref()?;
        let wanted = (played.number, self.call);
        if self.explaining == Some(wanted) || self.call >= played.run.calls.len() {
            return None;
        }
        self.explaining = Some(wanted);
        if played.run.set.recordings.len() > EXPLAINED_AT_ONCE {
            self.explanation = None;
            let set = quoted(&played.run.set.folder);
            return Some(Effect::run(Compute::answering(
                Lane::Newest("explain"),
                format!("explaining call {} against {set}", self.call + 1),
                (Arc::clone(played), self.call),
                |(played, call)| Ok(Arc::new(Explanation::new(played, *call))),
                |(played, _), explained| {
                    let explained = PlaybackEvent::Explained(Arc::clone(played), explained);
                    EngineEvent::Playback(explained)
                },
            )));
        }
        self.explanation = Some(Ok(Arc::new(Explanation::new(played, self.call))));
        None
    }

    pub(super) fn sync_signatures(&mut self) {
        let (Some(played), Some(position)) = (self.played.clone(), self.position()) else {
            self.signatures = None;
            return;
        };
        let (number, call) = (played.number, self.call);
        let is_shown = |shown: &ShownSignatures| {
            (shown.number, shown.call, shown.position) == (number, call, position)
        };
        if self.signatures.as_ref().is_some_and(is_shown) {
            return;
        }
        let requested = played.run.calls.get(call).map(|call| &call.request);
        let requested = requested.filter(|requested| requested.tools_known == ToolsKnown::Yes);
        let requested = requested.map(|requested| &requested.matching);
        let recorded = played.run.set.recordings.get(position);
        self.signatures = requested.zip(recorded).map(|(requested, recorded)| ShownSignatures {
            number,
            call,
            position,
            diff: Arc::new(SignatureDiff::new(requested.clone(), recorded.matching.clone())),
        });
    }

    /// Ignores responses that are no longer expected.
    pub(in crate::workbench) fn receive(&mut self, core: &mut Core, event: PlaybackEvent) {
        match event {
            PlaybackEvent::Played(number, result) if self.awaited == Some(number) => {
                self.awaited = None;
                self.set_result(core, result);
            }
            PlaybackEvent::SetsFound(revision, sets) => {
                if self.sets_of == Some(revision) {
                    self.sets = sets;
                }
            }
            PlaybackEvent::SetsJudged(number, judged) => self.verdicts.receive(number, judged),
            PlaybackEvent::Explained(played, explanation) => {
                let is_shown = self.played.as_ref();
                if is_shown.is_some_and(|shown| Arc::ptr_eq(shown, &played)) {
                    self.explanation = Some(explanation);
                }
            }
            PlaybackEvent::FilesChanged(order, changed) => {
                self.on_files_changed(core, order, changed);
            }
            PlaybackEvent::Played(..) => {}
        }
    }
}
