//! Shares equal texts and signatures between items.

use std::hash::BuildHasher as _;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use foldhash::fast::RandomState;
use foldhash::{HashMap, HashSet};

use document::Problem;
use document::text::Place;

use super::source::{SourceFinding, SourceState};
use document::signature::{Signature, SignatureText};

/// Keeps one copy of each text and signature, so that a hundred thousand items with few different ones need little memory.
///
/// Readers on several threads share one pool. Its contents live as long as the pool.
#[derive(Debug, Default)]
pub struct Pool {
    texts: Mutex<HashSet<Arc<str>>>,
    /// By the hash of the texts they were made of.
    signatures: Mutex<HashMap<u64, Vec<Arc<Signature>>>>,
    hasher: RandomState,
    /// Lists of problems that many files have.
    problems: Mutex<HashSet<Arc<[Problem]>>>,
    /// The state of recordings that name no source.
    unstamped: OnceLock<Arc<SourceState>>,
}

impl Pool {
    /// Returns the shared copy of a text.
    pub fn text(&self, text: &str) -> Arc<str> {
        // A panic in another thread leaves the set whole, since each insertion is one step.
        let mut texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(shared_text) = texts.get(text) {
            return shared_text.clone();
        }
        let shared_text: Arc<str> = text.into();
        texts.insert(shared_text.clone());
        shared_text
    }

    /// Replaces the texts of problems by their shared copies, since many problems have the same text.
    pub fn share_texts<'a>(&self, problems: impl IntoIterator<Item = &'a mut Problem>) {
        // Problems that follow each other often have the same texts, which need not be looked up.
        let (empty, mut last): (Arc<str>, Option<Arc<str>>) = (self.text(""), None);
        for problem in problems {
            let pointer = &*problem.pointer;
            problem.pointer =
                if pointer.is_empty() { Arc::clone(&empty) } else { self.text(pointer) };
            problem.message = match last.filter(|last| *last == problem.message) {
                Some(message) => message,
                None => self.text(&problem.message),
            };
            last = Some(Arc::clone(&problem.message));
            problem.help = problem.help.take().map(|help| self.text(&help));
        }
    }

    /// Returns the shared copy of the problems of a file, if all of them are about the file or its value: others differ in their places.
    pub fn problems(&self, problems: Vec<Problem>) -> Arc<[Problem]> {
        // A value that begins with its file is as long as that, and many files have one length.
        let is_of_file =
            |problem: &Problem| problem.pointer.is_empty() && problem.place == Place::START;
        if !problems.iter().all(is_of_file) {
            return problems.into();
        }
        let mut lists = self.problems.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(list) = lists.get(&*problems) {
            return Arc::clone(list);
        }
        let list: Arc<[Problem]> = problems.into();
        lists.insert(Arc::clone(&list));
        list
    }

    /// Returns the state of a source to share: that of all recordings that name none is one.
    pub fn source(&self, state: SourceState) -> Arc<SourceState> {
        let new = || Arc::new(SourceState::new(None, None, SourceFinding::Unstamped));
        let unstamped_state = self.unstamped.get_or_init(new);
        if **unstamped_state == state { Arc::clone(unstamped_state) } else { Arc::new(state) }
    }

    /// Returns the shared copy of a signature, with shared names.
    pub fn signature(&self, text: &SignatureText<'_>) -> Arc<Signature> {
        // By the hash of borrowed texts, so that nothing is allocated for a signature that is known.
        let hash = self.hasher.hash_one(text);
        let mut signatures = self.signatures.lock().unwrap_or_else(PoisonError::into_inner);
        let candidates = signatures.entry(hash).or_default();
        // Two signatures may have one hash.
        if let Some(shared_signature) = candidates.iter().find(|s| *text == ***s) {
            return Arc::clone(shared_signature);
        }
        let shared_signature = Arc::new(text.to_signature(|text| self.text(text)));
        candidates.push(Arc::clone(&shared_signature));
        shared_signature
    }
}

#[cfg(test)]
mod tests {
    use document::RuleId;
    use document::text::{Source, Span};

    use super::*;

    #[test]
    fn equal_problems_of_a_file_or_its_value_are_one() {
        let (pool, source) = (Pool::default(), Source::new("{\n}"));
        let problems = |pointer: &str, start: u32| {
            let span = Span { start, end: 3 };
            pool.problems(vec![Problem::at(RuleId::Secret, &source, span, pointer, "wrong")])
        };
        assert!(Arc::ptr_eq(&problems("", 0), &problems("", 0)));
        for (pointer, start) in [("/a", 0), ("", 2)] {
            assert!(!Arc::ptr_eq(&problems(pointer, start), &problems(pointer, start)));
        }
    }

    #[test]
    fn equal_signatures_and_names_are_one() {
        let pool = Pool::default();
        let signature = |names: &[&'static str]| {
            pool.signature(&SignatureText {
                tool_names: names.to_vec(),
                message_count: 1,
                context_keys: Vec::new(),
            })
        };
        let first = signature(&["a", "b"]);
        assert!(Arc::ptr_eq(&first, &signature(&["a", "b"])));
        let other = signature(&["b"]);
        assert!(Arc::ptr_eq(&first.tool_names[1], &other.tool_names[0]));
        assert!(Arc::ptr_eq(&pool.text("a"), &first.tool_names[0]));
    }
}
