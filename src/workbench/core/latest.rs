//! Answers that are awaited from the engine: the latest one, without those that come too late.

/// An answer of the engine, by the key of what it was made from. While a newer one is awaited, the older one stays.
#[derive(Clone, Debug)]
pub struct Latest<K, T> {
    /// The key of the answer that is there.
    pub(crate) key: Option<K>,
    /// The key of the answer that is awaited.
    pub(crate) awaited: Option<K>,
    pub value: Option<T>,
}

impl<K, T> Default for Latest<K, T> {
    fn default() -> Self {
        Self { key: None, awaited: None, value: None }
    }
}

impl<K: Clone + PartialEq, T> Latest<K, T> {
    /// Notes what is wanted; true if it has to be requested, because it is neither there nor awaited.
    pub(crate) fn want(&mut self, key: &K) -> bool {
        let is_missing = self.key.as_ref() != Some(key);
        let is_new = is_missing && self.awaited.as_ref() != Some(key);
        // If the answer is there, another one that was awaited is no longer wanted.
        self.awaited = is_missing.then(|| key.clone());
        is_new
    }

    /// Whether an answer is awaited.
    pub fn is_awaited(&self) -> bool {
        self.awaited.is_some()
    }

    /// Awaits nothing any more; true if something was awaited.
    pub(crate) fn cancel(&mut self) -> bool {
        self.awaited.take().is_some()
    }

    /// Returns true for the answer that is awaited, and awaits nothing any more. An answer that comes too late has no effect.
    pub(crate) fn accept(&mut self, key: &K) -> bool {
        let is_awaited = self.awaited.as_ref() == Some(key);
        if is_awaited {
            self.key = self.awaited.take();
        }
        is_awaited
    }

    /// Stores the answer that is awaited; false for one that comes too late.
    pub(crate) fn receive(&mut self, key: &K, value: T) -> bool {
        let is_awaited = self.accept(key);
        if is_awaited {
            self.value = Some(value);
        }
        is_awaited
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_or_awaited_is_not_requested_again_and_late_answers_are_dropped() {
        let mut latest = Latest::<u64, &str>::default();
        assert!(latest.want(&1));
        assert!(!latest.want(&1));
        assert!(latest.want(&2));
        assert!(!latest.accept(&1), "it is too late");
        assert!(latest.accept(&2));
        latest.value = Some("two");
        assert!(!latest.want(&2));
        assert!(latest.want(&3));
        assert_eq!(latest.value, Some("two"), "the older one stays");
        assert!(latest.cancel());
        assert!(!latest.accept(&3));
        assert!(latest.want(&3), "what was cancelled is requested again");
    }

    #[test]
    fn an_older_answer_that_is_wanted_again_is_still_there() {
        let mut latest = Latest::<u64, &str>::default();
        assert!(latest.want(&1) && latest.accept(&1));
        assert!(latest.want(&2));
        assert!(!latest.want(&1));
        assert!(!latest.accept(&2), "it is not awaited");
    }
}
