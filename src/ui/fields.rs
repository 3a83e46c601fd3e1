//! The fields that commands put the cursor into, by the ids under which egui keeps the focus.

use egui::Id;

/// The filter of the library.
pub(super) fn filter() -> Id {
    Id::unique("library filter")
}
