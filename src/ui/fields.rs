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

/// A field whose letters are in a file at once, by where they stand in it.
pub(super) fn live(pointer: &str, name: &str) -> Id {
    Id::unique(("live field", pointer, name))
}

/// Says that a field is such a one: what is typed into it is undone in its file.
pub(super) fn mark_live(ctx: &egui::Context, id: Id) {
    ctx.data_mut(|data| data.insert_temp(id.with("is live"), true));
}

/// Whether the field that has the focus is such a one.
pub(super) fn is_in_live(ctx: &egui::Context) -> bool {
    let focused = ctx.memory(|memory| memory.focused());
    focused.is_some_and(|id| ctx.data(|data| data.get_temp(id.with("is live")) == Some(true)))
}

/// The text of a file.
pub(super) fn text() -> Id {
    Id::unique("text of a file")
}
