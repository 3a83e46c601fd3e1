//! The order in which a test sends requests that its client does not distinguish.

use std::sync::Arc;

use super::IndexedCassette;
use crate::client::{
    CassettePlayer, CassetteState, ClientRules, Matcher, RecordedRequest, RequestBody,
};
use crate::run_log::TestCode;
use document::Document;
use document::edit::{Edit, plan_all};
use document::text::Source;

/// Calls of a cassette in another order.
#[derive(Clone, Debug)]
pub(super) struct OrderChange {
    pub(super) path: Arc<str>,
    /// The text of the file after it.
    pub(super) text: String,
}

/// Returns the calls that the client takes for equal although their bodies differ, in groups.
pub(super) fn equal_groups(requests: &[RecordedRequest], rules: &ClientRules) -> Vec<Vec<usize>> {
    let player = CassettePlayer::new(requests.to_vec(), CassetteState::Loaded, rules.clone());
    let mut groups = player.map(|player| player.equal_calls()).unwrap_or_default();
    let body = |index: &usize| Some(&requests.get(*index)?.request.body);
    groups.retain(|group| {
        let differs =
            |[a, b]: [&RequestBody; 2]| !rules.body_differences(Matcher::Body, [a, b]).is_empty();
        let pairs = group.iter().filter_map(|index| Some([body(group.first()?)?, body(index)?]));
        pairs.into_iter().any(differs)
    });
    groups
}

/// Returns the first of such groups that is recorded in another order than the code sends it, in the order of the code. A text that
/// only one call of a group has shows where the code sends that call.
pub(super) fn sent_order(
    requests: &[RecordedRequest],
    rules: &ClientRules,
    code: &TestCode,
) -> Option<Vec<usize>> {
    let has = |index: usize, text: &str| {
        let body = requests.get(index).and_then(|call| call.request.body.json());
        body.is_some_and(|body| {
            body.tree().nodes().any(|node| node.as_str().is_some_and(|value| value.contains(text)))
        })
    };
    let order = |group: Vec<usize>| {
        let mut sent: Vec<usize> = Vec::new();
        for text in &code.texts {
            let mut with_text = group.iter().copied().filter(|index| has(*index, text));
            if let (Some(index), None) = (with_text.next(), with_text.next())
                && !sent.contains(&index)
            {
                sent.push(index);
            }
        }
        (sent.len() == group.len() && !sent.is_sorted()).then_some(sent)
    };
    let groups = equal_groups(requests, rules).into_iter().filter(|_| code.is_whole);
    groups.filter_map(order).next()
}

/// Plans to put calls in the order in which they are sent. Returns nothing if the client would not play them so.
pub(super) fn reorder(
    cassette: &IndexedCassette,
    document: &Document,
    rules: &ClientRules,
    code: &TestCode,
) -> Option<OrderChange> {
    let requests = RecordedRequest::all(document);
    let sent = sent_order(&requests, rules, code)?;
    let mut places = sent.clone();
    places.sort_unstable();
    // Another test may play them in their order.
    if !cassette.facts.other_tests.is_empty() {
        return None;
    }
    let pointer = |call: &RecordedRequest| Some(document.tree.find(call.node)?.pointer());
    let pointers = requests.iter().map(pointer).collect::<Option<Vec<String>>>()?;
    let (list, _) = pointers.first()?.rsplit_once('/')?;
    // Only where each element of the list is a call, an index is a place.
    let is_place = |(at, pointer): (usize, &String)| *pointer == format!("{list}/{at}");
    if !pointers.iter().enumerate().all(is_place) {
        return None;
    }
    let mut order: Vec<usize> = (0..requests.len()).collect();
    let mut edits = Vec::new();
    for (place, index) in places.iter().zip(&sent) {
        let from = order.iter().position(|other| other == index)?;
        if from == *place {
            continue;
        }
        // The one there goes to the place that becomes free, so that the calls between stay.
        let moves = [(from, *place), (place + 1, from)];
        for (from, to) in moves.into_iter().filter(|(from, to)| from != to) {
            edits.push(Edit::Move { pointer: format!("{list}/{from}"), to });
            let call = order.remove(from);
            order.insert(to, call);
        }
    }
    let mut text = document.source().text().to_owned();
    plan_all(&document.tree, &edits).ok()??.apply(&mut text);
    let changed = document::read(Source::new(text.as_str()), &cassette.path);
    let calls = RecordedRequest::all(&changed);
    let mut player = CassettePlayer::new(calls, CassetteState::Loaded, rules.clone()).ok()?;
    let plays = |(place, index): (&usize, &usize)| {
        player.answer(&requests[*index].request).outcome.played() == Some(*place)
    };
    places
        .iter()
        .zip(&sent)
        .all(plays)
        .then(|| OrderChange { path: Arc::clone(&cassette.path), text })
}
