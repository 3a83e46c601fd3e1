//! Compares cassettes by their calls: which call became which, and what differs in their decoded bodies.
//!
//! The calls of both files are [aligned](alignment), and each is read as a [view](view) of its decoded bodies. What differs
//! has pointers as edits have them: into a decoded body after a `#`.

mod alignment;
mod body_subject;
mod call_texts;
mod consequences;
mod decoded;
mod differences;
mod keep_noise;
mod partial;
mod view;

use std::cell::OnceCell;

use alignment::{align, in_order};
use view::CallView;

use super::change::{AlignedCalls, TakeChange};
use super::ignore_rule::IgnoreRule;
use document::call::ModelCall;
use document::{Document, FileKind};

pub use decoded::decoded_values;
pub(super) use keep_noise::keep_noise;
pub(super) use partial::partial_text;

/// Returns what differs between two cassettes; `None` if one of them is none, or has no calls.
pub(super) fn changes(
    old: &Document,
    new: &Document,
    rules: &[IgnoreRule],
) -> Option<Vec<TakeChange>> {
    let views = [CallView::read_all(old)?, CallView::read_all(new)?];
    let mut changes = differences::describe(&differences::find(&views, &align(&views)));
    // Before consequences are folded: what a rule ignores is no cause.
    for change in &mut changes {
        change.ignored = change.ignored.or_else(|| change.matching_rule(rules));
    }
    consequences::fold(&mut changes, &views);
    Some(changes)
}

/// Returns the numbers of the calls of two cassettes in the order of the new one, each removed call behind the one that it followed. `None` if one of
/// them is no cassette.
pub fn aligned_calls(old: &Document, new: &Document) -> Option<Vec<AlignedCalls>> {
    if [old, new].iter().any(|take| take.kind() != FileKind::Cassette) {
        return None;
    }
    Some(in_order(&align(&[CallView::read_all(old)?, CallView::read_all(new)?])))
}

/// The calls of a cassette, to compare their answers.
pub struct RecordedAnswers<'d> {
    document: &'d Document,
    calls: &'d [ModelCall<'d>],
    /// The calls that were compared, since most are not.
    views: Vec<OnceCell<Option<CallView<'d>>>>,
}

impl<'d> RecordedAnswers<'d> {
    /// Creates the comparison of these calls of a cassette.
    pub fn new(document: &'d Document, calls: &'d [ModelCall<'d>]) -> Self {
        Self { document, calls, views: calls.iter().map(|_| OnceCell::new()).collect() }
    }

    /// Returns whether the answers of two calls, by their numbers from 1, differ only in what a review ignores.
    pub fn are_alike(&self, first: usize, other: usize) -> bool {
        let find = |number: usize| {
            let (view, call) = self.views.get(number - 1).zip(self.calls.get(number - 1))?;
            let read = || CallView::read(self.document, number, call.clone());
            view.get_or_init(read).as_ref()
        };
        let (Some(first), Some(other)) = (find(first), find(other)) else { return false };
        // Not described: that compares the words of texts, which takes most of the time of a check.
        differences::ignored(&differences::answers(first, other)).iter().all(Option::is_some)
    }
}

#[cfg(test)]
mod tests;
