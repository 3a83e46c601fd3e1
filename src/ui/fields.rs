//! The fields that commands put the cursor into, by the ids under which egui keeps the focus.

use egui::Id;

/// The filter of the library.
pub(super) fn filter() -> Id {
    Id::unique("library filter")
}

/// The filter of the list of sources.
pub(super) fn sources() -> Id {
    Id::unique("sources filter")
}

/// The filter of the seeds.
pub(super) fn seeds() -> Id {
    Id::unique("seeds filter")
}

/// The text of a file.
pub(super) fn text() -> Id {
    Id::unique("text of a file")
}
