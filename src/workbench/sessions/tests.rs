//! Data in, text out.
