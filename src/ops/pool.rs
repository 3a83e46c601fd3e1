//! One copy of what many items share.

use std::collections::HashSet;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use super::signature::Signature;

/// Keeps one copy of each text and signature, so that a hundred thousand items with few different ones stay small.
///
/// Readers on several threads share one pool. What is in it lives as long as the pool.
#[derive(Debug, Default)]
pub struct Pool {
    texts: Mutex<HashSet<Arc<str>>>,
    signatures: Mutex<HashSet<Arc<Signature>>>,
}

impl Pool {
    /// The one copy of a text.
    pub fn text(&self, text: &str) -> Arc<str> {
        let mut texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kept) = texts.get(text) {
            return kept.clone();
        }
        let kept: Arc<str> = text.into();
        texts.insert(kept.clone());
        kept
    }

    /// The one copy of a signature, its names shared as well.
    pub fn signature(&self, mut signature: Signature) -> Arc<Signature> {
        if let Some(kept) = self.known(&signature) {
            return kept;
        }
        for name in signature
            .tool_names
            .iter_mut()
            .chain(&mut signature.context_keys)
        {
            *name = self.text(name);
        }
        let mut signatures = self
            .signatures
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        get_or_insert(&mut signatures, signature)
    }

    fn known(&self, signature: &Signature) -> Option<Arc<Signature>> {
        let signatures = self
            .signatures
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        signatures.get(signature).cloned()
    }
}

fn get_or_insert<T: Hash + Eq>(kept: &mut HashSet<Arc<T>>, new: T) -> Arc<T> {
    if let Some(known) = kept.get(&new) {
        return known.clone();
    }
    let new = Arc::new(new);
    kept.insert(new.clone());
    new
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_signatures_and_names_are_one() {
        let pool = Pool::default();
        let signature = |names: &[&str]| Signature {
            tool_names: names.iter().map(|name| Arc::from(*name)).collect(),
            message_count: 1,
            context_keys: Box::default(),
        };
        let first = pool.signature(signature(&["a", "b"]));
        assert!(Arc::ptr_eq(&first, &pool.signature(signature(&["a", "b"]))));
        let other = pool.signature(signature(&["b"]));
        assert!(Arc::ptr_eq(&first.tool_names[1], &other.tool_names[0]));
        assert!(Arc::ptr_eq(&pool.text("a"), &first.tool_names[0]));
    }
}
