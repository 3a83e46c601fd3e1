//! Answers that are worked out once.

use std::hash::Hash;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use foldhash::HashMap;

/// Answers to questions, each worked out once, by whoever asks first; others wait for it.
#[derive(Debug)]
pub(in crate::engine) struct Once<Q, A> {
    answers: Mutex<HashMap<Q, Arc<OnceLock<A>>>>,
}

impl<Q, A> Default for Once<Q, A> {
    fn default() -> Self {
        Self {
            answers: Mutex::default(),
        }
    }
}

impl<Q: Eq + Hash, A: Clone> Once<Q, A> {
    pub(in crate::engine) fn get(&self, question: Q, answer: impl FnOnce() -> A) -> A {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let cell = Arc::clone(answers.entry(question).or_default());
        drop(answers);
        cell.get_or_init(answer).clone()
    }

    /// Everything that was asked.
    pub(in crate::engine) fn questions(&self) -> Vec<Q>
    where
        Q: Clone,
    {
        let answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        answers.keys().cloned().collect()
    }

    /// The answer to a question that was asked.
    pub(in crate::engine) fn known(&self, question: &Q) -> Option<A> {
        let answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        answers.get(question)?.get().cloned()
    }

    /// Answers a question anew. True when the answer is another one.
    pub(in crate::engine) fn renew(&self, question: Q, answer: A) -> bool
    where
        A: PartialEq,
    {
        let cell = Arc::new(OnceLock::from(answer));
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let old = answers.insert(question, Arc::clone(&cell));
        old.is_none_or(|old| old.get() != cell.get())
    }

    /// Forgets all answers: each is worked out again when it is asked for.
    pub(in crate::engine) fn forget(&self) {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        answers.clear();
    }
}
