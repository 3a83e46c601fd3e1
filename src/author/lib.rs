//! Authoring: fixtures from incidents, and changes of many files.
//!
//! [`import`] reads incidents into drafts of sessions; [`fixture`] writes calls as the fixture that a project plays; [`session`], [`seeds`] and [`contract`] know what each kind of fixture must be and
//! write it; [`replace`] and [`redact`] plan the same change in many files, so that it can be shown before anything is written.
//!
//! [`saving`] has the expectations, results and messages of a save, [`recovered`] and [`stored_text`] what is kept of unsaved edits.
//!
//! It does not write files and does not send anything.
//!
//! - [`SessionDraft`](import::SessionDraft): a session made of an incident, with the origin of each field.
//! - [`ReplacePlan`](replace::ReplacePlan): the places of a replacement, with what is refused.
//! - [`Redactor`](redact::Redactor): replaces personal data, the same value by the same placeholder everywhere.

// When a test unwraps its own value, the failed unwrap is message enough.
#![cfg_attr(test, expect(clippy::unwrap_used, reason = "a test fails where it unwraps"))]

pub mod command_step;
pub mod contract;
pub mod fixture;
pub mod import;
pub mod recovered;
pub mod redact;
pub mod replace;
pub mod saving;
pub mod seeds;
pub mod session;
pub mod stored_text;
pub mod tape_picture;
