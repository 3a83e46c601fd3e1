//! Edits as text in, text out.
