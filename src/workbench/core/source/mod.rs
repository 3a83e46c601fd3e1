//! The source of recordings: its comparison, its changes, and the recordings that they affect.

pub(in crate::workbench) mod affected;
pub(in crate::workbench) mod changes;
