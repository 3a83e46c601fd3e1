//! The desks, each with its own state, actions and requests. No desk names another one.

pub(in crate::workbench) mod incident;
pub(in crate::workbench) mod live;
pub(in crate::workbench) mod playback;
pub(in crate::workbench) mod problems;
pub(in crate::workbench) mod review;
pub(in crate::workbench) mod seeds;
pub(in crate::workbench) mod sessions;
pub(in crate::workbench) mod tapes;
pub(in crate::workbench) mod terminal;
