//! Which contract a document holds.

use super::Contract;
use crate::format::{Body, Document};

/// The contract of a session that names none.
pub const DEFAULT: &str = "default";

/// The contract that a document holds: a file of its own, or the one of a configuration.
pub fn contract_of(document: &Document) -> Option<&Contract> {
    match &document.body {
        Body::Contract(contract) => Some(contract),
        Body::Config(config) => config.contract.as_ref(),
        _ => None,
    }
}
