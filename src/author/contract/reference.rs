//! Contract that a document holds.

use document::contract::Contract;
use document::{Document, DocumentBody};

/// The contract of a session that names none.
pub const DEFAULT: &str = "default";

/// Returns the contract that a document holds: a file of its own, or the one of a configuration.
pub fn contract_of(document: &Document) -> Option<&Contract> {
    match &document.body {
        DocumentBody::Contract(contract) => Some(contract),
        DocumentBody::Config(config) => config.contract.as_ref(),
        _ => None,
    }
}
