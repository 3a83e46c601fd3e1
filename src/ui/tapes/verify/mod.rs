//! Compares a request with the tape: the verdict, and both requests part by part with their differences.

mod data;
mod differences_ui;
mod parts_ui;
mod request_ui;
mod verify_ui;

pub(super) use verify_ui::{VerifyState, verify_ui};
