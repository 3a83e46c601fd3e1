//! The window: views that read plain data, paint what is visible, and push actions.

pub mod icons;
pub mod palette;
pub mod shell;
pub mod start;
pub mod theme;
pub mod widgets;
