//! Items in the order of arrival, in blocks that clones share.

use std::sync::Arc;

use calls::Item;

/// Identifies an item while its project is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DocId(u32);

impl DocId {
    /// Creates the id of the item that arrived as number `index`, from 0.
    pub fn new(index: usize) -> Self {
        Self(u32::try_from(index).unwrap_or(u32::MAX))
    }

    /// The number of the item in the order of arrival, from 0.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Number of items in a block: the most pointers that a change copies while a clone is in use.
const BLOCK_LEN: usize = 1024;

/// All items of a project, by number. A clone is cheap and does not change, so that another thread can use it while items
/// are added and changed.
#[derive(Clone, Debug, Default)]
pub struct Items {
    /// All blocks but the last are full. The slot of a removed item stays empty.
    blocks: Vec<Arc<Vec<Option<Arc<Item>>>>>,
    pub len: usize,
}

impl Items {
    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Number of ids that were assigned, including those of removed items.
    pub fn ids(&self) -> usize {
        let full_blocks = self.blocks.len().saturating_sub(1);
        full_blocks * BLOCK_LEN + self.blocks.last().map_or(0, |last| last.len())
    }

    /// Returns the item with this id; `None` if it was removed.
    pub fn get(&self, id: DocId) -> Option<&Arc<Item>> {
        self.blocks.get(id.index() / BLOCK_LEN)?.get(id.index() % BLOCK_LEN)?.as_ref()
    }

    /// Returns all items with their ids, in the order of arrival.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (DocId, &Arc<Item>)> {
        self.blocks.iter().enumerate().flat_map(|(number, piece)| {
            let first = number * BLOCK_LEN;
            let items = piece.iter().enumerate();
            items.filter_map(move |(index, item)| Some((DocId::new(first + index), item.as_ref()?)))
        })
    }

    /// Adds an item with the next id.
    pub fn push(&mut self, item: Arc<Item>) {
        match self.blocks.last_mut() {
            Some(last) if last.len() < BLOCK_LEN => Arc::make_mut(last).push(Some(item)),
            _ => self.blocks.push(Arc::new(vec![Some(item)])),
        }
        self.len += 1;
    }

    /// Replaces an item, or removes it, and returns the old one. The id must be assigned already.
    pub fn replace(&mut self, id: DocId, item: Option<Arc<Item>>) -> Option<Arc<Item>> {
        let piece = self.blocks.get_mut(id.index() / BLOCK_LEN)?;
        // A clone, which another thread may be using, keeps the old item.
        let place = Arc::make_mut(piece).get_mut(id.index() % BLOCK_LEN)?;
        self.len += usize::from(item.is_some());
        let old = std::mem::replace(place, item);
        self.len -= usize::from(old.is_some());
        old
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_stays_as_it_is_while_items_come_and_change() {
        let item = |number: usize| Arc::new(Item::new(&format!("{number}.json")));
        let mut items = Items::default();
        (0..BLOCK_LEN + 1).for_each(|number| items.push(item(number)));
        let copy = items.clone();
        let old = items.replace(DocId::new(1), Some(item(7)));
        assert_eq!(&*old.unwrap().path, "1.json");
        items.push(item(BLOCK_LEN + 1));
        let missing_id = DocId::new(BLOCK_LEN + 2);
        assert!(items.replace(missing_id, Some(item(0))).is_none());

        let path =
            |items: &Items, index| items.get(DocId::new(index)).map(|item| item.path.to_string());
        assert_eq!(path(&copy, 1).as_deref(), Some("1.json"));
        assert_eq!(path(&items, 1).as_deref(), Some("7.json"));
        assert_eq!((copy.len, items.len), (BLOCK_LEN + 1, BLOCK_LEN + 2));
        assert_eq!(path(&copy, BLOCK_LEN + 1), None);
        let last = items.iter().next_back();
        assert_eq!(last.map(|(id, _)| id), Some(DocId::new(BLOCK_LEN + 1)));
        assert!(items.iter().enumerate().all(|(index, (id, _))| id.index() == index));

        let removed_id = DocId::new(1);
        items.replace(removed_id, None);
        assert_eq!((items.len, items.ids()), (BLOCK_LEN + 1, BLOCK_LEN + 2));
        assert!(items.get(removed_id).is_none() && items.iter().all(|(id, _)| id != removed_id));
        items.replace(removed_id, Some(item(8)));
        assert_eq!((items.len, items.ids()), (BLOCK_LEN + 2, BLOCK_LEN + 2));
    }
}
