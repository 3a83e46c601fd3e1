//! The fields that commands put the cursor into, by the ids under which egui keeps the focus.

use egui::Id;

/// The filter of the library.
pub(super) fn filter() -> Id {
    Id::unique("library filter")
}

/// The text of a file.
pub(super) fn text() -> Id {
    Id::unique("text of a file")
}
