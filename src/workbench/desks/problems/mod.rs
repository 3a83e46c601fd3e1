//! The problems desk: problems by rule or file, and the sources of recordings.

pub(in crate::workbench) mod list;
pub(in crate::workbench) mod sources;
