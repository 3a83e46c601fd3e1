//! Keeps the playback desk up to date.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::PlaybackEvent;
use super::desk::ShownSignatures;
use super::explanation::{ExplainCall, Explanation};
use super::request::{PlayRequest, RequestsSource};
use super::sets::{FindSets, FoundSets};
use crate::ops::diff::signature::SignatureDiff;
use crate::ops::playback::ToolsKnown;
use crate::text::Source;
use crate::workbench::core::disk_changes::DiskChange;
use crate::workbench::core::effect::Effect;
use crate::workbench::core::library::DocId;
use crate::workbench::core::navigation::{Desk, DeskView};
use crate::workbench::core::view::Overlay;
use crate::workbench::state::Workbench;

/// Up to how many items are sorted into sets on the window's thread.
const SORTED_AT_ONCE: usize = 4096;
/// With up to how many recordings a call is explained on the window's thread.
const EXPLAINED_AT_ONCE: usize = 512;

impl Workbench {
    /// Requests a new result if its inputs have changed. Does nothing while the desk is not shown, except that the live desk
    /// needs the list of sets, too.
    pub(in crate::workbench) fn sync_playback(&mut self) {
        if self.core.overlay == Some(Overlay::ServeCalls) {
            // The live desk offers the sets to serve.
            let effect = self.sync_sets();
            self.core.request(effect);
            return;
        }
        let here = self.core.here();
        match (here.desk, here.view) {
            _ if self.core.progress.is_some() => return,
            (Desk::Playback, DeskView::List) => {}
            (Desk::Live, DeskView::List) => {
                let effect = self.sync_sets();
                return self.core.request(effect);
            }
            _ => return,
        }
        let effects = [
            self.sync_sets(),
            self.sync_request(),
            self.sync_explanation(),
        ];
        self.sync_signatures();
        self.core.effects.extend(effects.into_iter().flatten());
    }

    fn sync_sets(&mut self) -> Option<Effect> {
        let revision = self.core.library.items_revision;
        if self.playback.sets_of.replace(revision) == Some(revision) {
            return None;
        }
        let items = &self.core.library.items;
        if items.len > SORTED_AT_ONCE {
            let items = items.clone();
            return Some(Effect::run(FindSets { revision, items }));
        }
        self.playback.sets = Arc::new(FoundSets::from_items(items));
        None
    }

    /// Requests playing if its inputs have changed. While files keep changing, one request runs after the other; a new choice
    /// of the user replaces the running request.
    fn sync_request(&mut self) -> Option<Effect> {
        let desk = &self.playback;
        let requests = desk.requests.clone()?;
        let finds_set = matches!(
            requests,
            RequestsSource::Log { .. } | RequestsSource::Path(_)
        );
        if !finds_set && desk.set.is_none() {
            return None;
        }
        let unsaved = self.core.library.unsaved();
        let key = desk.key(unsaved.map(|(doc, copy)| (doc, copy.revision)).collect());
        let before = desk.ordered.as_ref();
        if before == Some(&key) {
            return None;
        }
        let same_choice = before.is_some_and(|before| {
            (before.content, before.rules, before.compared_rules)
                == (key.content, key.rules, key.compared_rules)
        });
        if desk.awaited.is_some() && same_choice {
            return None;
        }
        let same_files = before.is_some_and(|before| {
            (before.content, before.touched, &before.edited)
                == (key.content, key.touched, &key.edited)
        });
        let known = desk
            .played
            .as_ref()
            .filter(|_| same_files && desk.awaited.is_none());
        let known = known.map(|played| Arc::clone(&played.input));
        let same_content = before.is_some_and(|before| before.content == key.content);
        let read = desk.played.as_ref().filter(|_| same_content);
        let read = read.map(|played| Arc::clone(&played.input));
        let texts = self.core.library.unsaved();
        let edited: Vec<(DocId, Source)> =
            texts.map(|(doc, copy)| (doc, copy.text.clone())).collect();
        let desk = &mut self.playback;
        desk.number += 1;
        desk.awaited = Some(desk.number);
        desk.ordered = Some(key);
        Some(Effect::run(PlayRequest {
            number: desk.number,
            items: self.core.library.items.clone(),
            edited,
            requests,
            set: desk.set.clone(),
            fallback: desk.fallback.clone(),
            typed: desk.typed.clone(),
            rules: desk.rules,
            is_new: desk.is_new,
            compared_rules: desk.compared_rules,
            known,
            read,
        }))
    }

    fn sync_explanation(&mut self) -> Option<Effect> {
        let desk = &mut self.playback;
        let played = desk.played.as_ref()?;
        let wanted = (played.number, desk.call);
        if desk.explaining == Some(wanted) || desk.call >= played.run.calls.len() {
            return None;
        }
        desk.explaining = Some(wanted);
        if played.run.set.recordings.len() > EXPLAINED_AT_ONCE {
            desk.explanation = None;
            let (played, call) = (Arc::clone(played), desk.call);
            return Some(Effect::run(ExplainCall { played, call }));
        }
        desk.explanation = Some(Ok(Arc::new(Explanation::new(played, desk.call))));
        None
    }

    fn sync_signatures(&mut self) {
        let desk = &mut self.playback;
        let (Some(played), Some(position)) = (desk.played.clone(), desk.position()) else {
            desk.signatures = None;
            return;
        };
        let (number, call) = (played.number, desk.call);
        let is_shown = |shown: &ShownSignatures| {
            (shown.number, shown.call, shown.position) == (number, call, position)
        };
        if desk.signatures.as_ref().is_some_and(is_shown) {
            return;
        }
        let requested = played.run.calls.get(call).map(|call| &call.request);
        let requested = requested.filter(|requested| requested.tools_known == ToolsKnown::Yes);
        let requested = requested.map(|requested| &requested.matching);
        let recorded = played.run.set.recordings.get(position);
        desk.signatures = requested
            .zip(recorded)
            .map(|(requested, recorded)| ShownSignatures {
                number,
                call,
                position,
                diff: Arc::new(SignatureDiff::new(
                    requested.clone(),
                    recorded.matching.clone(),
                )),
            });
    }

    /// Handles an event. Ignores responses that are no longer expected.
    pub(in crate::workbench) fn on_playback_event(&mut self, event: PlaybackEvent) {
        match event {
            PlaybackEvent::Played(number, result) if self.playback.awaited == Some(number) => {
                self.playback.awaited = None;
                self.playback.set_result(result);
            }
            PlaybackEvent::SetsFound(revision, sets) => {
                if self.playback.sets_of == Some(revision) {
                    self.playback.sets = sets;
                }
            }
            PlaybackEvent::Explained(played, explanation) => {
                let is_shown = self.playback.played.as_ref();
                if is_shown.is_some_and(|shown| Arc::ptr_eq(shown, &played)) {
                    self.playback.explanation = Some(explanation);
                }
            }
            PlaybackEvent::FilesChanged(order, changed) => self.on_files_changed(order, changed),
            PlaybackEvent::Played(..) => {}
        }
    }
}

impl Workbench {
    /// Notes which folders changed on disk, before the change is applied.
    pub(in crate::workbench) fn mark_playback_dirty(&mut self, news: &DiskChange) {
        let known = |doc: &DocId| {
            self.core
                .library
                .get(*doc)
                .map(|item| item.folder().to_owned())
        };
        let folders: BTreeSet<String> = match news {
            DiskChange::Changed(items) | DiskChange::Seen(items) => items
                .iter()
                .map(|(_, item)| item.folder().to_owned())
                .collect(),
            DiskChange::Rewritten(docs) => docs.iter().filter_map(known).collect(),
            DiskChange::Removed(gone) => gone.iter().filter_map(|gone| known(&gone.doc)).collect(),
            _ => return,
        };
        for folder in folders {
            self.playback.mark_dirty(&folder);
        }
    }
}
