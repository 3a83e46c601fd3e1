//! The audit desk: what the recordings prove, one sentence for each cause, with its places.

pub mod audit_data;
mod audit_ui;

pub use audit_data::AuditData;
pub use audit_ui::audit_ui;
