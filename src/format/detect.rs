//! Tells the kinds of files apart by what they hold.
