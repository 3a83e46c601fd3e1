//! What the recordings of the project prove.

use std::sync::Arc;

use crate::{Items, RunSource};
use play::audit::AuditReport;

/// The revision of the items, and the number of times that logs were chosen.
pub type AuditKey = (u64, u64);

/// A request to judge all recordings.
#[derive(Debug)]
pub struct RunAudit {
    /// The key that the response carries.
    pub key: AuditKey,
    pub items: Items,
    /// The logs of a run, if some were chosen.
    pub logs: Option<RunSource>,
}

/// The answer to [`RunAudit`].
pub type AuditResult = Result<Arc<AuditReport>, String>;
