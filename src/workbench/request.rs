//! Lists of many items, which are made away from the window's thread.

use super::items::Items;
use super::listing::{Choice, Listing, Orders};
use crate::ops::search::{self, Completion};

/// What a listing is made from: the items and the choice of what is listed, each by its revision.
pub type ListKey = (u64, u64);

/// A listing that is wanted, with all it is made from.
#[derive(Clone, Debug)]
pub struct ListRequest {
    pub(super) key: ListKey,
    pub(super) items: Items,
    pub(super) choice: Choice,
    /// The orders of the items, if they are known.
    pub(super) orders: Option<Orders>,
    /// The text of a filter that is to be completed as well.
    pub(super) typed: Option<String>,
}

impl ListRequest {
    /// Names the listing that is wanted.
    pub fn key(&self) -> ListKey {
        self.key
    }

    /// Makes the listing. For a hundred thousand items that may take longer than a frame has.
    pub fn list(&self) -> Listing {
        Listing::build(&self.items, &self.choice, self.orders.clone())
    }

    /// Looks for what could complete the filter; `None` where nobody asked for that.
    pub fn complete(&self) -> Option<Vec<Completion>> {
        let typed = self.typed.as_deref()?;
        let items = self.items.iter().map(|(_, item)| &**item);
        Some(search::complete(typed, typed.len(), items))
    }
}

/// Requests of the same name are the same.
impl PartialEq for ListRequest {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}
