//! The source of recordings: its comparison, its changes, and the recordings that they affect.

pub(crate) mod affected;
pub(crate) mod changes;
