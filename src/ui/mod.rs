//! The window: views that read plain data, paint what is visible, and push actions.

pub mod code;
mod fields;
pub mod icons;
pub mod inspector;
pub mod keys;
pub mod library;
pub mod problems;
pub mod theme;
pub mod widgets;
