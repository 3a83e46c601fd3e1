//! The fields that commands put the cursor into, by the ids under which egui keeps the focus.

use egui::{Context, Id};

/// The filter of the library.
pub(super) fn filter() -> Id {
    Id::unique("library filter")
}

/// Whether a list lies under the field that has the focus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum List {
    /// Esc is for what lies on top of the window.
    #[default]
    Closed,
    /// Esc is for this list.
    Open,
}

/// Says whether the filter has its list open.
pub(super) fn set_filter_list(ctx: &Context, list: List) {
    ctx.data_mut(|data| data.insert_temp(filter(), list));
}

/// Whether the focus is in a field whose list is open.
pub(super) fn focused_list(ctx: &Context) -> List {
    match ctx.memory(|memory| memory.has_focus(filter())) {
        true => ctx.data(|data| data.get_temp(filter())).unwrap_or_default(),
        false => List::Closed,
    }
}
