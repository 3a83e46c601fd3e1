//! Rules that ignore differences: drafted from a difference, previewed, and added to the project's file.

use std::sync::Arc;

use super::ReviewDesk;
use crate::{Core, Effect, Overlay};
use compare::review::{IgnoreRule, Review};
use document::Severity;
use document::text::quoted;
use protocol::{Compute, EngineEvent, Lane, ReviewEvent, RuleDraft, RulePreview, SaveIgnoreRule};

/// The most pairs that are named of those that a rule would hide.
const MAX_NAMED_PAIRS: usize = 5;

impl ReviewDesk {
    pub(super) fn draft_rule(&mut self, core: &mut Core) {
        let Some(draft) = self.change_in_focus().map(RuleDraft::from_change) else {
            core.refuse(Severity::Note, "Select a change first.");
            return;
        };
        core.overlay = Some(Overlay::ReviewRule);
        self.type_rule(core, draft);
    }

    pub(super) fn type_rule(&mut self, core: &mut Core, draft: RuleDraft) {
        self.draft = draft;
        if let Ok(rule) = self.draft.rule() {
            core.request(Effect::run(Compute::answering(
                Lane::Newest("rule"),
                format!("checking the rule for {}", quoted(&self.draft.at)),
                (Arc::clone(&self.review), self.draft.clone(), rule),
                |(review, draft, rule)| Ok(preview_rule(review, draft, rule)),
                |_, preview| EngineEvent::Review(ReviewEvent::RulePreviewed(preview)),
            )));
        }
    }

    pub(super) fn on_rule_previewed(&mut self, core: &mut Core, view: Result<RulePreview, String>) {
        match view {
            Ok(view) => self.rule_preview = Some(view),
            Err(reason) => core.close_failed(Overlay::ReviewRule, &reason),
        }
    }

    pub(super) fn save_rule(&mut self, core: &mut Core) {
        core.overlay = None;
        match self.draft.rule() {
            Ok(rule) => core.request(Effect::run(SaveIgnoreRule { rule })),
            Err(reason) => core.refuse(Severity::Warning, format!("{reason}.")),
        }
    }

    pub(super) fn on_rule_saved(&mut self, core: &mut Core, result: Result<(), String>) {
        if core.or_notify(result).is_some() {
            core.notify(Severity::Note, "The rule was added to retake.toml.");
            // Differences that the rule ignores are still listed.
            self.is_dirty = true;
        }
    }
}

/// Finds what a rule would ignore.
fn preview_rule(review: &Review, draft: &RuleDraft, rule: &IgnoreRule) -> RulePreview {
    let effect = review.effect_of_rule(rule);
    let first = effect.pairs.iter().take(MAX_NAMED_PAIRS);
    RulePreview {
        draft: draft.clone(),
        changes: effect.changes,
        pairs: effect.pairs.len(),
        fully_ignored: effect.nothing_left,
        first: first
            .filter_map(|index| Some(review.pairs.get(*index)?.pair.path().to_owned()))
            .collect(),
    }
}
