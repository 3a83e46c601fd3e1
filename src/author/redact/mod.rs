//! Finds personal data and secrets across files, and replaces them: the same value by the same placeholder everywhere.
//!
//! [`PersonalValues`] collects the values of all files first, so that one that is recognised in one file is replaced in all, also where
//! nothing shows what it is. [`redact`] then replaces them in one document, and checks that nothing changed that decides which
//! recording answers a request.

#[cfg(test)]
mod decoded_view_tests;
mod labelled;
mod machine;
mod personal;
mod redact_document;
mod same_choices;
#[cfg(test)]
mod tests;
mod values;

pub use machine::scan_machine;
pub use personal::NameList;
pub use redact_document::{RedactedDocument, Redactor, redact, redact_text, remaining_place};
pub use same_choices::{SetChange, makes_same_choices};
pub use values::{
    CHECKED_FOR, CHECKED_FOR_MACHINE, PersonalValues, ValueKind, find_personal_data, scan_personal,
};
