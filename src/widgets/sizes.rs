//! The widths of panels that the user has set by dragging.

use std::collections::BTreeMap;

use egui::{Context, Id, Ui};

use protocol::Sizes;

/// Widths by the name of the panel. Fractions of points are kept while an edge is dragged.
type SetSizes = BTreeMap<String, f32>;

fn id() -> Id {
    Id::unique("sizes set by the user")
}

/// Returns the size that the user has set.
pub(super) fn size(ui: &Ui, name: &str) -> Option<f32> {
    ui.data(|data| data.get_temp::<SetSizes>(id()))?.get(name).copied()
}

/// Sets a size, or resets it to its default.
pub(super) fn set_size(ui: &Ui, name: &str, size: Option<f32>) {
    ui.data_mut(|data| {
        let sizes: &mut SetSizes = data.get_temp_mut_or_default(id());
        match size {
            Some(size) => drop(sizes.insert(name.to_owned(), size)),
            None => drop(sizes.remove(name)),
        }
    });
}

/// Returns all sizes that the user has set, in whole points.
pub fn sizes(ctx: &Context) -> Sizes {
    let set: SetSizes = ctx.data(|data| data.get_temp(id())).unwrap_or_default();
    set.into_iter().map(|(name, size)| (name, size.round() as u32)).collect()
}

/// Replaces all sizes by those that were set before.
pub fn restore_sizes(ctx: &Context, sizes: &Sizes) {
    let set: SetSizes = sizes.iter().map(|(name, size)| (name.clone(), *size as f32)).collect();
    ctx.data_mut(|data| data.insert_temp(id(), set));
}
