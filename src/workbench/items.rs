//! Items in the order of arrival, in pieces that copies share.

use std::sync::Arc;

use super::library::DocId;
use crate::ops::Item;

/// How many items a piece holds: so many pointers a change copies at most while a copy of the items is at work elsewhere.
const PIECE: usize = 1024;

/// Every item of a project, by number. A copy costs little however many there are and stays as it is, so that a thread can
/// work on it while items come and change.
#[derive(Clone, Debug, Default)]
pub struct Items {
    /// All but the last are full.
    pieces: Vec<Arc<Vec<Arc<Item>>>>,
    len: usize,
}

impl Items {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The item with this id.
    pub fn get(&self, id: DocId) -> Option<&Arc<Item>> {
        let piece = self.pieces.get(id.index() / PIECE)?;
        piece.get(id.index() % PIECE)
    }

    /// Every item with its id, in the order of arrival.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (DocId, &Arc<Item>)> {
        let pieces = self.pieces.iter().enumerate();
        pieces.flat_map(|(number, piece)| {
            let first = number * PIECE;
            let items = piece.iter().enumerate();
            items.map(move |(at, item)| (DocId::new(first + at), item))
        })
    }

    /// Adds an item with the next id.
    pub(crate) fn push(&mut self, item: Arc<Item>) {
        match self.pieces.last_mut() {
            Some(last) if last.len() < PIECE => Arc::make_mut(last).push(item),
            _ => self.pieces.push(Arc::new(vec![item])),
        }
        self.len += 1;
    }

    /// Puts an item in the place of another and gives that back; an id that is not there yet changes nothing.
    pub(super) fn replace(&mut self, id: DocId, item: Arc<Item>) -> Option<Arc<Item>> {
        let piece = self.pieces.get_mut(id.index() / PIECE)?;
        let place = Arc::make_mut(piece).get_mut(id.index() % PIECE)?;
        Some(std::mem::replace(place, item))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_stays_as_it_is_while_items_come_and_change() {
        let item = |number: usize| Arc::new(Item::new(&format!("{number}.json")));
        let mut items = Items::default();
        (0..PIECE + 1).for_each(|number| items.push(item(number)));
        let copy = items.clone();
        let old = items.replace(DocId::new(1), item(7));
        assert_eq!(&*old.unwrap().path, "1.json");
        items.push(item(PIECE + 1));
        assert!(items.replace(DocId::new(PIECE + 2), item(0)).is_none());

        let path = |items: &Items, at| items.get(DocId::new(at)).map(|item| item.path.to_string());
        assert_eq!(path(&copy, 1).as_deref(), Some("1.json"));
        assert_eq!(path(&items, 1).as_deref(), Some("7.json"));
        assert_eq!((copy.len(), items.len()), (PIECE + 1, PIECE + 2));
        assert_eq!(path(&copy, PIECE + 1), None);
        let last = items.iter().next_back();
        assert_eq!(last.map(|(id, _)| id), Some(DocId::new(PIECE + 1)));
        assert!(
            items
                .iter()
                .enumerate()
                .all(|(at, (id, _))| id.index() == at)
        );
    }
}
