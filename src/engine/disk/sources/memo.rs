//! A cache of results that are computed once.

use std::hash::Hash;
use std::sync::{Arc, Mutex, OnceLock};

use foldhash::HashMap;

use crate::disk::guard::lock;

/// Results by key, each computed once, by the thread that requests it first; others wait for it.
#[derive(Debug)]
pub(crate) struct Memo<Q, A> {
    answers: Mutex<HashMap<Q, Arc<OnceLock<A>>>>,
}

impl<Q, A> Default for Memo<Q, A> {
    fn default() -> Self {
        Self { answers: Mutex::default() }
    }
}

impl<Q: Eq + Hash, A: Clone> Memo<Q, A> {
    pub(crate) fn get(&self, question: Q, answer: impl FnOnce() -> A) -> A {
        // The lock is free again before the result is computed, so that threads with other keys do not wait.
        let cell = Arc::clone(lock(&self.answers).entry(question).or_default());
        cell.get_or_init(answer).clone()
    }

    /// Returns all keys that were requested.
    pub(crate) fn questions(&self) -> Vec<Q>
    where
        Q: Clone,
    {
        lock(&self.answers).keys().cloned().collect()
    }

    /// Counts the keys that were requested.
    pub(crate) fn len(&self) -> usize {
        lock(&self.answers).len()
    }

    /// Returns whether a key was requested.
    pub(crate) fn contains(&self, question: &Q) -> bool {
        lock(&self.answers).contains_key(question)
    }

    /// Returns the result for a key that was requested.
    pub(crate) fn known(&self, question: &Q) -> Option<A> {
        lock(&self.answers).get(question)?.get().cloned()
    }

    /// Replaces a result. Returns true when it has changed.
    pub(crate) fn update(&self, question: Q, answer: A) -> bool
    where
        A: PartialEq,
    {
        // A new cell, since one that is set cannot be set again, and other threads may still hold it.
        let cell = Arc::new(OnceLock::from(answer));
        let old = lock(&self.answers).insert(question, Arc::clone(&cell));
        old.is_none_or(|old| old.get() != cell.get())
    }

    /// Computes the results for some of the keys that were requested again. Returns true when one has changed.
    pub(crate) fn refresh(&self, is_touched: impl Fn(&Q) -> bool, answer: impl Fn(&Q) -> A) -> bool
    where
        Q: Clone,
        A: PartialEq,
    {
        let questions = self.questions().into_iter().filter(is_touched);
        let updates = questions.map(|question| {
            let answer = answer(&question);
            self.update(question, answer)
        });
        // `any` would stop at the first change and leave the other results as they were.
        updates.fold(false, |any, one| any | one)
    }

    /// Clears the cache: each result is computed again when it is requested.
    pub(crate) fn forget(&self) {
        lock(&self.answers).clear();
    }
}
