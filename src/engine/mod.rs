//! Files and threads: everything that touches the disk is here, and nothing here decides what is wrong with a file.

pub mod git;
pub mod history;
pub mod root;
mod walk;
