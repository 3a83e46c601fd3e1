//! A request beside the tape: asked for, judged in words, shown part by part with every difference at its place.

mod ask_ui;
mod data;
mod differences_ui;
mod parts_ui;
mod verify_ui;

pub(super) use verify_ui::{VerifyState, verify_ui};
