//! Rules: what is checked, why it matters and how to fix it. One file for each rule; its doc comment is the text that users read.
//!
//! [`check_document()`] checks a single file, [`check_project`] checks files together, and [`Levels`] sets the severity of
//! each problem. The texts of rules that the readers in [`document`] apply while they parse are here, too. [`change`] has the changes that
//! fix what a rule finds, [`search`] the language of filters, which names rules, and [`settings`] the `retake.toml` of a project, which
//! sets their levels.
//!
//! It does not read files: what a rule needs to know of other files is in [`CheckFacts`].

// When a test unwraps its own value, the failed unwrap is message enough.
#![cfg_attr(test, expect(clippy::unwrap_used, reason = "a test fails where it unwraps"))]

pub mod change;
pub mod check_document;
pub mod search;
pub mod settings;

#[macro_use]
mod rule;
mod account_notes;
mod body_not_decodable;
pub mod cache_prefix;
mod call_ambiguous;
mod calls_unsure;
mod cassette_orphan;
mod config_refused;
mod contract_not_found;
mod delay_invalid;
mod delay_lost;
mod duplicate_key;
mod encoding;
mod encoding_mismatch;
mod expired;
mod format_mismatch;
mod hidden_characters;
mod invariant_unknown;
mod length_mismatch;
mod levels;
mod machine_bound;
mod missing_field;
mod model_mismatch;
mod nesting_too_deep;
mod never_loads;
pub mod node_uncovered;
mod phrases;
mod project;
mod recorded_error;
mod repeat_unreachable;
mod request_incomplete;
mod response_empty;
mod response_not_wrapped;
mod secret;
mod seed_empty;
mod seed_hash_key;
mod seed_key_reused;
mod seed_key_separator;
mod seed_not_json;
mod seed_prompt_in_key;
mod seed_wildcard_ambiguous;
mod session_id_reused;
mod session_incomplete;
mod shared_findings;
mod signature_missing;
mod signature_outdated;
mod signature_shared;
mod signature_unmatchable;
mod source_line_endings;
mod source_missing;
mod source_outside;
mod source_path_mismatch;
mod source_renamed;
mod source_stale;
mod source_unstamped;
#[cfg(test)]
mod stable_tests;
mod stream_empty;
mod stream_truncated;
mod syntax;
#[cfg(test)]
pub(crate) mod testing;
mod tool_not_offered;
mod tool_response_type;
mod tool_responses_unused;
mod unknown_format;
mod unreadable;
mod wrong_type;
mod yaml_typing;

pub use crate::check_document::{
    CheckFacts, CheckedDocument, ContractFacts, check_document, judge_document,
};
pub use account_notes::AccountNotes;
pub use contract_not_found::contract_references;
pub(crate) use encoding_mismatch::wrong_encodings;
pub(crate) use length_mismatch::wrong_lengths;

pub use levels::{Levels, Metadata, Overrides, RuleLevel, SourceMode, near_rule};
pub use never_loads::load_refusal;
pub use project::{check_folders, check_project, needs_other_files};
pub use rule::{Example, Rule};
pub use shared_findings::{
    SettingsKey, SharedFinding, ambiguous_problem, ambiguous_settings, ambiguous_settings_of,
    tests_without_cassette, unread_recordings,
};

use ::document::RuleId;

/// The texts of all rules, in the order of their ids.
static RULES: [&Rule; RuleId::ALL.len()] = rules! {
    unreadable syntax encoding duplicate_key unknown_format wrong_type missing_field
    nesting_too_deep response_not_wrapped response_empty tool_not_offered signature_missing
    signature_outdated signature_unmatchable signature_shared source_unstamped source_stale
    source_line_endings source_renamed source_missing source_outside source_path_mismatch
    node_uncovered delay_invalid delay_lost stream_empty model_mismatch request_incomplete
    session_incomplete session_id_reused contract_not_found invariant_unknown tool_response_type
    yaml_typing tool_responses_unused seed_key_reused seed_key_separator seed_prompt_in_key
    seed_hash_key seed_wildcard_ambiguous seed_empty seed_not_json call_ambiguous repeat_unreachable
    cassette_orphan never_loads expired recorded_error stream_truncated body_not_decodable
    length_mismatch encoding_mismatch secret hidden_characters format_mismatch calls_unsure
    machine_bound cache_prefix
};

/// Returns the rule with this id, with its texts for users.
pub fn rule(id: RuleId) -> &'static Rule {
    RULES[id as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_says_what_it_is_why_and_what_to_do() {
        for &id in RuleId::ALL {
            let rule = rule(id);
            assert_eq!(rule.id, id);
            assert!(
                !rule.title.ends_with('.') && rule.title.starts_with(char::is_uppercase),
                "{id}: a title is words without a full stop"
            );
            assert!(rule.text().ends_with('.') && !rule.text().contains("  "), "{id}");
            assert!(rule.fix.ends_with('.'), "{id}: {}", rule.fix);
        }
    }
}
