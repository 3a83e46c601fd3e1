//! Rules that ignore differences: drafted from a difference, previewed, and added to the project's file.

use std::sync::Arc;

use super::{ReviewDesk, ReviewEvent, SaveIgnoreRule};
use crate::format::Severity;
use crate::ops::review::{IgnoreRule, Review, TakeChange};
use crate::text::quoted;
use crate::workbench::core::effect::Effect;
use crate::workbench::core::state::Core;
use crate::workbench::core::view::Overlay;
use crate::workbench::event::EngineEvent;
use crate::workbench::request::{Compute, Lane};

/// The most pairs that are named of those that a rule would hide.
const MAX_NAMED_PAIRS: usize = 5;

/// The form of a rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleDraft {
    /// The places it applies to.
    pub at: String,
    /// The pattern of text that may differ; empty for any text.
    pub text: String,
    /// The allowed difference of numbers; empty for any.
    pub tolerance: String,
}

/// What a rule would ignore.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RulePreview {
    pub draft: RuleDraft,
    /// The number of differences that are not ignored yet.
    pub changes: usize,
    /// The number of pairs with such differences.
    pub pairs: usize,
    /// The number of these pairs that have no other difference.
    pub fully_ignored: usize,
    /// The first of these pairs.
    pub first: Vec<String>,
}

impl RuleDraft {
    /// Creates a rule for differences like this one: at the same path, in any element of a list.
    pub(super) fn from_change(change: &TakeChange) -> Self {
        let is_index = |step: &&str| !step.is_empty() && step.bytes().all(|it| it.is_ascii_digit());
        let steps: Vec<&str> = change
            .pointer()
            .split('/')
            .map(|step| if is_index(&step) { "*" } else { step })
            .collect();
        Self { at: steps.join("/"), ..Self::default() }
    }

    /// Returns the rule.
    ///
    /// # Errors
    ///
    /// What is invalid, as a sentence without a full stop.
    pub fn rule(&self) -> Result<IgnoreRule, String> {
        let mut rule = IgnoreRule::at(self.at.trim())?;
        if !self.text.is_empty() {
            let text = regex::Regex::new(&self.text);
            rule.text =
                Some(text.map_err(|_| "The text pattern is not a valid regular expression")?);
        }
        let tolerance = self.tolerance.trim();
        if !tolerance.is_empty() {
            let number = tolerance.parse::<f64>().ok().filter(|it| it.is_finite() && *it >= 0.0);
            rule.tolerance = Some(number.ok_or("The tolerance must be a number of at least 0")?);
        }
        Ok(rule)
    }
}

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
        self.revision += 1;
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

    pub(super) fn on_rule_previewed(
        &mut self,
        core: &mut Core,
        preview: Result<RulePreview, String>,
    ) {
        match preview {
            Ok(preview) => self.rule_preview = Some(preview),
            Err(reason) => core.close_failed(Overlay::ReviewRule, &reason),
        }
        self.revision += 1;
    }

    pub(super) fn save_rule(&mut self, core: &mut Core) {
        core.overlay = None;
        match self.draft.rule() {
            Ok(rule) => core.request(Effect::run(SaveIgnoreRule { rule })),
            Err(reason) => {
                core.refuse(Severity::Warning, format!("{reason}."));
            }
        }
    }

    pub(super) fn on_rule_saved(&mut self, core: &mut Core, kept: Result<(), String>) {
        match kept {
            Ok(()) => {
                core.notify(Severity::Note, "The rule was added to retake.toml.");
                self.is_dirty = true;
            }
            Err(reason) => core.notify(Severity::Error, format!("{reason}.")),
        }
    }
}

/// Finds what a rule would ignore.
fn preview_rule(review: &Review, draft: &RuleDraft, rule: &IgnoreRule) -> RulePreview {
    let silenced = review.effect_of_rule(rule);
    let first = silenced.pairs.iter().take(MAX_NAMED_PAIRS);
    RulePreview {
        draft: draft.clone(),
        changes: silenced.changes,
        pairs: silenced.pairs.len(),
        fully_ignored: silenced.nothing_left,
        first: first.filter_map(|at| Some(review.pairs.get(*at)?.pair.path().to_owned())).collect(),
    }
}
