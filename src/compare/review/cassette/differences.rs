//! Differences between aligned calls, with their places in the file.

use std::collections::BTreeMap;

use super::alignment::{in_order, request_mark};
use super::body_subject::{is_generated, topic};
use super::view::{BodyJson, BodyParts, BodySide, BodyView, CallView, is_telemetry};
use crate::review::IgnoreReason;
use crate::review::align::Alignment;
use crate::review::change::{CallPlace, ChangedCallPart, TakeChange, TakeValue};
use crate::review::change_pattern::{ChangePatterns, PatternRank, tool_renames};
use crate::review::noise::{find_noise, is_message_content};
use crate::review::structure::{ChangeKind, ValueDifference, differences, differences_besides};
use crate::review::subject::{ChangeSubject, ChangeTopic};
use calls::json::{Json, object};
use calls::tape::verify::ignore;
use document::cassette::Interaction;
use document::diff::Side;
use document::recorded::PayloadForm;
use document::text::quoted;
use document::{FileKind, Node, NodeKind, yaml};

/// One difference between two cassettes.
pub(super) struct CallDifference<'a> {
    pub(super) difference: ValueDifference<'a>,
    /// The decoded bodies that it is in, old and new; none if it is in the file itself.
    pub(super) bodies: Option<[&'a BodyJson; 2]>,
    /// The calls whose bodies these are.
    calls: Option<[&'a CallView<'a>; 2]>,
    /// The message whose body it is in, or is.
    pub(super) body: Option<BodySide>,
    /// The name of the header that it is in, in lower case, and the message of that.
    pub(super) header: Option<(String, BodySide)>,
    topic: ChangeTopic<'a>,
    ignored: Option<IgnoreReason>,
    values: [Option<TakeValue>; 2],
    pub(super) place: CallPlace,
    /// The number of the recorded call whose request an added call has.
    repeated: Option<usize>,
}

impl CallDifference<'_> {
    /// Returns whether it is in what the model says or is sent.
    fn is_message_content(&self) -> bool {
        let Some((node, [_, json])) = self.difference.node().zip(self.bodies) else { return false };
        // In a form that is not read, words with blanks between them are the content of a message.
        let is_sentence = |text: &str| text.contains(char::is_whitespace) && !ignore::is_date(text);
        let mut around = node.ancestors().skip(1);
        node.as_str().is_some_and(is_sentence)
            || is_message_content(self.topic.subject, node, around.any(|node| json.is_nested(node)))
    }

    /// Returns whether a value that is otherwise ignored for this reason may be content: any time in an answer whose form is not
    /// read, except under the keys with which APIs say when they answered.
    fn may_be_content(&self, reason: IgnoreReason) -> bool {
        const CREATION_KEYS: [&str; 5] =
            ["created", "created_at", "createdAt", "create_time", "createTime"];
        let key = self.difference.node().and_then(Node::key).unwrap_or_default();
        reason == IgnoreReason::Time && self.place.is_unread_answer && !CREATION_KEYS.contains(&key)
    }

    /// Returns where the record of a side repeats, in another form, the value in a body that a pointer leads to.
    pub(super) fn repeated(&self, base: Side, pointer: &str) -> Vec<String> {
        let call = self.calls.map(|calls| calls[base as usize]);
        let Some((call, side)) = call.zip(self.body) else { return Vec::new() };
        let body = call.body(side).node.filter(|_| call.interaction.recorded().is_some());
        let rest = body.and_then(|body| pointer.strip_prefix(&*body.pointer()));
        let Some(rest) = rest.map(|rest| rest.trim_start_matches('#')) else { return Vec::new() };
        let values = call.interaction.body_values();
        let others = values[side as usize].iter().skip(1);
        others.map(|other| format!("{}#{rest}", other.pointer())).collect()
    }

    /// Returns the change, without its description.
    pub(super) fn change(&self) -> TakeChange {
        let [old, new] = self.values.clone();
        TakeChange::at_values(self.difference.kind, old, new)
    }
}

/// Finds all differences: by calls, in the order of the new file; within a call what was sent, what was answered, and the rest.
pub(super) fn find<'a>(
    views: &'a [Vec<CallView<'a>>; 2],
    alignment: &Alignment,
) -> Vec<CallDifference<'a>> {
    let [old, new] = views;
    let mut finder =
        DifferenceFinder { is_numbered: old.len().max(new.len()) > 1, found: Vec::new() };
    let mut recorded: BTreeMap<u64, usize> = BTreeMap::new();
    if alignment.sources.contains(&None) {
        // By the numbers in the new file. A call that is gone was replaced, not repeated.
        let stayed = alignment.partners.iter().zip(old);
        for (partner, view) in stayed.filter_map(|(partner, view)| Some(((*partner)?, view))) {
            recorded.entry(request_mark(view)).or_insert(partner + 1);
        }
    }
    for calls in in_order(alignment) {
        let at =
            |views: &'a [CallView<'a>], number: Option<usize>| views.get(number?.checked_sub(1)?);
        match (at(old, calls.old), at(new, calls.new)) {
            (Some(old), Some(new)) => {
                let is_moved = alignment.moved.get(old.number - 1);
                if is_moved == Some(&true) {
                    finder.whole_call(ChangeKind::Moved, [Some(old), Some(new)]);
                }
                finder.calls(old, new);
            }
            (None, Some(new)) => {
                finder.whole_call(ChangeKind::Added, [None, Some(new)]);
                if let Some(added) = finder.found.last_mut() {
                    added.repeated = recorded.get(&request_mark(new)).copied();
                }
            }
            (Some(old), None) => finder.whole_call(ChangeKind::Removed, [Some(old), None]),
            (None, None) => {}
        }
    }
    if let (Some(old), Some(new)) = (old.first(), new.first()) {
        finder.outside([old, new], views);
    }
    finder.found
}

/// Finds what differs between the answers of two calls of one file.
pub(super) fn answers<'a>(
    first: &'a CallView<'a>,
    other: &'a CallView<'a>,
) -> Vec<CallDifference<'a>> {
    let mut finder = DifferenceFinder { is_numbered: true, found: Vec::new() };
    finder.answers([first, other]);
    finder.found
}

/// Returns for each difference the reason for which a review ignores it; none of a whole call.
pub(super) fn ignored(found: &[CallDifference<'_>]) -> Vec<Option<IgnoreReason>> {
    let differences: Vec<_> = found.iter().map(|call| call.difference).collect();
    let in_content: Vec<bool> = found.iter().map(CallDifference::is_message_content).collect();
    let reasons = found.iter().zip(find_noise(&differences, &in_content)).map(|(call, noise)| {
        // Only the name of a header shows whether it varies from call to call: versions of APIs are dates.
        let noise = noise.filter(|reason| call.header.is_none() && !call.may_be_content(*reason));
        call.ignored.or(noise).filter(|_| call.topic.subject != ChangeSubject::HttpCall)
    });
    reasons.collect()
}

/// Describes the differences.
pub(super) fn describe(found: &[CallDifference<'_>]) -> Vec<TakeChange> {
    let subjects = found.iter().map(|call| Some(call.topic.subject));
    let renames = tool_renames(found.iter().map(|call| &call.difference).zip(subjects));
    let described = found.iter().zip(ignored(found)).map(|(call, reason)| {
        let mut change = call.change();
        if call.topic.subject == ChangeSubject::HttpCall {
            change.subject = ChangeSubject::HttpCall;
            let (sentence, patterns) = describe_call(call);
            (change.sentence, change.patterns) = (sentence.into(), patterns);
        } else {
            change = change.about(&call.topic, &call.difference, &renames);
            change.ignored = reason;
        }
        change.call = Some(Box::new(call.place.clone()));
        change
    });
    described.collect()
}

/// Describes a call that was added, removed or moved.
fn describe_call(call: &CallDifference<'_>) -> (String, ChangePatterns) {
    let name = call.topic.label.as_deref().unwrap_or_default();
    let number = |number: Option<usize>| number.unwrap_or_default();
    let [old, new] = call.place.numbers;
    let status = call.difference.node().and_then(status_of_failure);
    let code = status.map_or_else(String::new, |status| format!(", status {status}"));
    let (sentence, name) = match call.difference.kind {
        ChangeKind::Moved => (
            format!("Call {} moved to {}", number(old), number(new)),
            "Calls in another order".to_owned(),
        ),
        ChangeKind::Removed => {
            (format!("Call {} removed{code}", number(old)), format!("Call {name} removed{code}"))
        }
        ChangeKind::Added | ChangeKind::Changed => match call.repeated {
            Some(recorded) => (
                format!("Call {} added{code}, with the request of call {recorded}", number(new)),
                format!("Call recorded again{code}"),
            ),
            None => {
                (format!("Call {} added{code}", number(new)), format!("Call {name} added{code}"))
            }
        },
    };
    (sentence, ChangePatterns::named(PatternRank::Called, name))
}

/// Facts of a difference of values of the file itself.
struct FilePlace {
    label: Option<String>,
    reason: Option<IgnoreReason>,
    part: ChangedCallPart,
    header: Option<(String, BodySide)>,
}

impl Default for FilePlace {
    fn default() -> Self {
        Self { label: None, reason: None, part: ChangedCallPart::Other, header: None }
    }
}

struct DifferenceFinder<'a> {
    /// Whether calls are named by their numbers.
    is_numbered: bool,
    found: Vec<CallDifference<'a>>,
}

impl<'a> DifferenceFinder<'a> {
    fn place(&self, calls: [Option<&CallView<'_>>; 2], is_separable: bool) -> CallPlace {
        CallPlace {
            numbers: calls.map(|call| call.map(|call| call.number)),
            shown_at: [None, None],
            is_separable,
            is_unread_answer: false,
            part: ChangedCallPart::Other,
        }
    }

    fn whole_call(&mut self, kind: ChangeKind, calls: [Option<&'a CallView<'a>>; 2]) {
        let Some(view) = calls[1].or(calls[0]) else { return };
        let node = view.interaction.node;
        let value = |view: &CallView<'_>| TakeValue {
            pointer: view.interaction.node.pointer().into(),
            span: view.interaction.node.span(),
            json: summary(view).into_string().into(),
        };
        self.found.push(CallDifference {
            difference: ValueDifference {
                kind,
                nodes: calls.map(|call| call.map(|call| call.interaction.node)),
                within: None,
            },
            bodies: None,
            calls: None,
            body: None,
            header: None,
            topic: ChangeTopic {
                subject: ChangeSubject::HttpCall,
                label: Some(call_name(view)),
                ..ChangeTopic::of_value(FileKind::Cassette, node)
            },
            ignored: None,
            values: calls.map(|call| call.map(value)),
            place: self.place(calls, false),
            repeated: None,
        });
    }

    fn calls(&mut self, old: &'a CallView<'a>, new: &'a CallView<'a>) {
        let calls = [old, new];
        let interactions = calls.map(|call| call.interaction);
        if interactions.iter().any(|call| call.recorded().is_some()) {
            let nodes = interactions.map(|call| call.node);
            // A request with or without a twin has its record at another depth.
            let depth = nodes.map(|node| node.ancestors().count()).into_iter().min();
            let around = |node: Node<'a>| {
                let extra = node.ancestors().count() - depth.unwrap_or_default();
                node.ancestors().nth(extra).unwrap_or(node)
            };
            self.members(calls, nodes.map(around), ChangedCallPart::Other);
            let answers = interactions.map(|call| call.recorded()?.answer_node);
            if let [Some(old), Some(new)] = answers {
                self.members(calls, [old, new], ChangedCallPart::Other);
            }
            for side in [BodySide::Request, BodySide::Response] {
                self.bodies(calls, side);
                self.headers(calls, side);
            }
            return;
        }
        self.members(calls, interactions.map(|call| call.request), ChangedCallPart::Request);
        self.bodies(calls, BodySide::Request);
        self.headers(calls, BodySide::Request);
        self.answers(calls);
        // Messages are compared above, and go-vcr's `id` only counts the calls.
        let messages = interactions.map(|call| {
            let values = [Some(call.request), call.response, call.node.get("id")];
            values.into_iter().flatten().map(Node::id).collect()
        });
        for difference in differences_besides(interactions.map(|call| call.node), messages) {
            self.in_file(Some(calls), difference, FilePlace::default());
        }
    }

    fn answers(&mut self, calls: [&'a CallView<'a>; 2]) {
        if let [Some(old), Some(new)] = calls.map(|call| call.interaction.response) {
            self.members(calls, [old, new], ChangedCallPart::Other);
        }
        self.bodies(calls, BodySide::Response);
        self.headers(calls, BodySide::Response);
    }

    /// Finds what differs in a file besides its calls, of a recorder that writes more than a list of them.
    fn outside(&mut self, first: [&'a CallView<'a>; 2], views: &'a [Vec<CallView<'a>>; 2]) {
        if first.iter().all(|call| call.interaction.recorded().is_none()) {
            return;
        }
        let [Some(old), Some(new)] = first.map(|call| call.interaction.node.tree().root()) else {
            return;
        };
        let of_calls = views.each_ref().map(|calls| {
            let values = calls.iter().flat_map(|call| {
                let answer = call.interaction.recorded().and_then(|call| call.answer_node);
                let own = [Some(call.interaction.node), answer].into_iter().flatten();
                own.chain(call.compared_apart())
            });
            values.map(Node::id).collect()
        });
        for difference in differences_besides([old, new], of_calls) {
            self.in_file(None, difference, FilePlace::default());
        }
    }

    /// Finds what differs in a message besides its body and its headers.
    fn members(
        &mut self,
        calls: [&'a CallView<'a>; 2],
        nodes: [Node<'a>; 2],
        part: ChangedCallPart,
    ) {
        let apart = calls.map(|call| call.compared_apart().map(Node::id).collect());
        for difference in differences_besides(nodes, apart) {
            let Some(node) = difference.node() else { continue };
            let interaction = &calls[usize::from(difference.nodes[1].is_some())].interaction;
            let key = node.key().unwrap_or_default();
            let is = |other: Option<Node<'_>>| other.is_some_and(|other| other.id() == node.id());
            let recorded = interaction.recorded();
            let label = match key {
                _ if is(interaction.address()) => Some("Address"),
                _ if is(interaction.status_node()) => Some("Status"),
                _ if is(recorded.and_then(|call| call.method)) => Some("Method"),
                _ if recorded.is_some() => None,
                "uri" | "url" => Some("Address"),
                "method" => Some("Method"),
                "code" | "status_code" | "status" => Some("Status"),
                "message" => Some("Status text"),
                _ => None,
            };
            let part = match label {
                Some("Status" | "Status text") => ChangedCallPart::Answer,
                Some(_) => ChangedCallPart::Request,
                None if recorded.is_some() && interaction.is_in_request(node) => {
                    ChangedCallPart::Request
                }
                None => part,
            };
            // go-vcr repeats the header beside the body, and it follows from the body.
            let is_length = matches!(key, "content_length" | "contentLength");
            let reason = is_length.then_some(IgnoreReason::Header);
            let label = label.map(str::to_owned);
            self.in_file(Some(calls), difference, FilePlace { label, reason, part, header: None });
        }
    }

    /// Finds headers that differ, by their names without case and with their values in order.
    fn headers(&mut self, calls: [&'a CallView<'a>; 2], side: BodySide) {
        let headers = calls.map(|call| call.interaction.header_values()[side as usize]);
        let mut values: BTreeMap<String, [Vec<Node<'a>>; 2]> = BTreeMap::new();
        for (at, call) in calls.iter().enumerate() {
            for (name, value) in match side {
                BodySide::Request => call.interaction.request_headers(),
                BodySide::Response => call.interaction.response_headers(),
            } {
                values.entry(name.to_ascii_lowercase()).or_default()[at].push(value);
            }
        }
        let within = headers[0].zip(headers[1]).map(|(old, new)| [old, new]);
        for (name, [old, new]) in values {
            let reason = (!is_contract(&name, side)).then_some(IgnoreReason::Header);
            let label = format!("Header {}", quoted(&name));
            for at in 0..old.len().max(new.len()) {
                let values = [old.get(at).copied(), new.get(at).copied()];
                let kind = match values {
                    [Some(old), Some(new)] if old.scalar_text() == new.scalar_text() => continue,
                    [Some(_), Some(_)] => ChangeKind::Changed,
                    [None, _] => ChangeKind::Added,
                    [_, None] => ChangeKind::Removed,
                };
                // A header with one value is added and removed as a whole.
                let outermost = |value: Node<'a>| match value.parent() {
                    Some(list) if list.kind() == NodeKind::Array && list.len() == 1 => list,
                    // `{name, value}`, or a list of both.
                    Some(pair) if pair.parent().map(Node::kind) == Some(NodeKind::Array) => pair,
                    _ => value,
                };
                let nodes = match kind {
                    ChangeKind::Changed => values,
                    _ => values.map(|value| value.map(outermost)),
                };
                let difference = ValueDifference { kind, nodes, within };
                let part = match side {
                    BodySide::Request => ChangedCallPart::Request,
                    BodySide::Response => ChangedCallPart::Other,
                };
                let (label, header) = (Some(label.clone()), Some((name.clone(), side)));
                self.in_file(Some(calls), difference, FilePlace { label, reason, part, header });
            }
        }
    }

    /// Adds a difference of values of the file itself.
    fn in_file(
        &mut self,
        calls: Option<[&'a CallView<'a>; 2]>,
        difference: ValueDifference<'a>,
        place: FilePlace,
    ) {
        let Some(node) = difference.node() else { return };
        let is_plain = |node: Node<'_>| {
            node.tree().nodes_at(node.positions()).into_iter().all(|node| yaml::tag(node).is_none())
        };
        let nodes = difference.nodes.into_iter().flatten();
        let is_separable = node.tree().syntax().has_editable_values()
            && nodes.into_iter().all(is_plain)
            // A header with several values may gain or lose one, which cannot be reverted alone.
            && (difference.kind == ChangeKind::Changed
                || node.parent().is_none_or(|parent| parent.kind() == NodeKind::Object));
        self.found.push(CallDifference {
            values: difference.nodes.map(|node| node.map(TakeValue::new)),
            difference,
            bodies: None,
            calls: None,
            body: None,
            header: place.header,
            topic: ChangeTopic {
                label: place.label,
                call: calls.and_then(|calls| self.number(calls)),
                subject: ChangeSubject::Value,
                thing: node,
                ..ChangeTopic::of_value(FileKind::Cassette, node)
            },
            ignored: place.reason,
            place: CallPlace {
                part: place.part,
                ..self.place([0, 1].map(|side| Some(calls?[side])), is_separable)
            },
            repeated: None,
        });
    }

    fn number(&self, calls: [&CallView<'_>; 2]) -> Option<usize> {
        self.is_numbered.then_some(calls[1].number)
    }

    fn bodies(&mut self, calls: [&'a CallView<'a>; 2], side: BodySide) {
        let bodies = calls.map(|call| call.body(side));
        let is_editable = bodies[0].is_editable && bodies[1].is_editable;
        let contents = bodies.map(|body| &body.content);
        let jsons = match contents {
            [BodyParts::Answer(_), BodyParts::Json(_)]
            | [BodyParts::Json(_), BodyParts::Answer(_)] => {
                // One answer was streamed and the other was not: only what both assemble to can be compared.
                let assembled = calls.map(CallView::assembled);
                if assembled.iter().all(Option::is_some) {
                    assembled
                } else {
                    bodies.map(BodyView::json)
                }
            }
            _ => bodies.map(BodyView::json),
        };
        let is_json = |content: &BodyParts| {
            matches!(content, BodyParts::Json(_) | BodyParts::Answer(_) | BodyParts::Form(_))
        };
        let body_differences = match jsons.map(|json| json.and_then(BodyJson::root)) {
            [Some(old), Some(new)] if contents.into_iter().all(is_json) => {
                differences(old.tree(), new.tree())
            }
            [Some(old), Some(new)] if old.as_str().is_some() && old.as_str() == new.as_str() => {
                return;
            }
            [None, None] => return,
            nodes => vec![ValueDifference {
                kind: match nodes {
                    [None, _] => ChangeKind::Added,
                    [_, None] => ChangeKind::Removed,
                    _ => ChangeKind::Changed,
                },
                nodes,
                within: None,
            }],
        };
        for difference in body_differences {
            if is_of_other_side(calls, (jsons, side), &difference) {
                continue;
            }
            self.in_body(calls, bodies, (jsons, side), difference, is_editable);
        }
    }

    fn in_body(
        &mut self,
        calls: [&'a CallView<'a>; 2],
        bodies: [&'a BodyView<'a>; 2],
        (jsons, side): ([Option<&'a BodyJson>; 2], BodySide),
        difference: ValueDifference<'a>,
        is_editable: bool,
    ) {
        let about = |at: usize| {
            let node = difference.nodes[at]?;
            Some((topic(calls[at], side, node), node))
        };
        let pair = [about(0), about(1)];
        let shown_at = pair.each_ref().map(|t| t.as_ref().map(|(t, _)| t.shown_at.clone().into()));
        let [old, new] = pair;
        let (Some((about, node)), Some(json)) = (new.or(old), jsons[1].or(jsons[0])) else {
            return;
        };
        let value = |at: usize| {
            let (node, json, body) = (difference.nodes[at]?, jsons[at]?, bodies[at].node?);
            Some(TakeValue {
                pointer: json.pointer(node).into(),
                span: body.span(),
                json: json.value(node).json().into(),
            })
        };
        let is_json_text =
            |at: usize| difference.nodes[at].zip(jsons[at]).is_some_and(|(n, j)| j.is_nested(n));
        let label = match (bodies[1].content.is_form(), side) {
            (true, _) => form_label(node),
            _ if node.parent().is_some() => repeated_reasoning_label(node, side),
            (_, BodySide::Request) => Some("Request body".to_owned()),
            (_, BodySide::Response) => Some("Response body".to_owned()),
        };
        let reason = if calls.into_iter().all(is_telemetry) {
            Some(IgnoreReason::Telemetry)
        } else if is_usage(node, side) {
            Some(IgnoreReason::Usage)
        } else {
            is_generated(json, side, node).then_some(IgnoreReason::Id)
        };
        let place = self.place(calls.map(Some), is_editable);
        let is_read = calls.into_iter().all(|call| call.call.answer().is_some());
        self.found.push(CallDifference {
            values: [value(0), value(1)],
            difference,
            bodies: jsons[0].zip(jsons[1]).map(|(old, new)| [old, new]),
            calls: Some(calls),
            body: Some(side),
            header: None,
            topic: ChangeTopic {
                label,
                call: self.number(calls),
                is_json_text: [is_json_text(0), is_json_text(1)],
                ..about.topic
            },
            ignored: reason,
            place: CallPlace {
                shown_at,
                is_unread_answer: side == BodySide::Response && !is_read,
                part: match side {
                    BodySide::Request => ChangedCallPart::Request,
                    BodySide::Response if node.parent().is_none() => ChangedCallPart::Answer,
                    BodySide::Response => ChangedCallPart::Other,
                },
                ..place
            },
            repeated: None,
        });
    }
}

/// Returns whether a difference in one body of a call is listed in the other one: a recorder may store an answer within its request, or both
/// in one object.
fn is_of_other_side(
    calls: [&CallView<'_>; 2],
    (jsons, side): ([Option<&BodyJson>; 2], BodySide),
    difference: &ValueDifference<'_>,
) -> bool {
    let at = usize::from(difference.nodes[1].is_some());
    let (Some(node), Some(json)) = (difference.node(), jsons[at]) else { return false };
    let other = calls[at].body(side.other()).node;
    let [Some(own), Some(other)] = [calls[at].body(side).node, other] else { return false };
    if own.id() == other.id() {
        // Two bodies in one text have nothing in common.
        let sent = calls[at].interaction.recorded().and_then(|call| call.sent);
        if sent.is_none_or(|sent| sent.form != PayloadForm::Tree) {
            return false;
        }
        let is_answer = topic(calls[at], BodySide::Response, node).topic.subject
            != ChangeSubject::Value
            || is_usage(node, BodySide::Response)
            || is_generated(json, BodySide::Response, node);
        return is_answer == (side == BodySide::Request);
    }
    let [own, other, pointer] = [own.pointer(), other.pointer(), json.pointer(node)];
    let rest = pointer.strip_prefix(&*other);
    other.len() > own.len()
        && rest.is_some_and(|rest| matches!(rest.bytes().next(), None | Some(b'/' | b'#')))
}

/// Returns the name of a value of a form: its part, and its role in that.
fn form_label(node: Node<'_>) -> Option<String> {
    let part = node.ancestors().find(|n| n.parent().is_some_and(|n| n.parent().is_none()))?;
    // The first letter is added below, because it is a capital only at the start of a sentence.
    let name = format!("art {}", quoted(part.key()?));
    Some(match node.key() {
        _ if part.id() == node.id() => format!("P{name}"),
        Some("filename") => format!("File name of p{name}"),
        Some("type") => format!("Type of p{name}"),
        _ => format!("Content of p{name}"),
    })
}

/// Returns the name of a value of the reasoning that a request repeats beside its messages.
fn repeated_reasoning_label(node: Node<'_>, side: BodySide) -> Option<String> {
    let item = node.ancestors().find(|node| node.parent().and_then(Node::key) == Some("input"))?;
    let kind = item.get("type").and_then(Node::as_str);
    let is_reasoning = side == BodySide::Request && kind == Some("reasoning");
    is_reasoning.then(|| match node.key() {
        None | Some("text") => "Reasoning in the request".to_owned(),
        Some(key) => format!("Field {} of reasoning in the request", quoted(key)),
    })
}

/// Returns whether a value says how many tokens a call used.
fn is_usage(node: Node<'_>, side: BodySide) -> bool {
    let mut around = node.ancestors();
    let names_usage = |node: Node<'_>| {
        // The keys of OpenAI and Anthropic, Gemini, Bedrock Converse, Groq and llama.cpp.
        matches!(node.key(), Some("usage" | "usageMetadata" | "metrics" | "x_groq" | "timings"))
    };
    side == BodySide::Response && around.any(names_usage)
}

/// Returns whether a header of a request says which version of an API is called. All other headers vary by themselves.
fn is_contract(name: &str, side: BodySide) -> bool {
    let is_version = name.ends_with("-version") || name.ends_with("-beta");
    // `x-stainless-package-version` is the version of the SDK, not of the API.
    side == BodySide::Request && is_version && !name.starts_with("x-stainless")
}

/// Returns the name of a call: by its model, else by the end of its address that is no id.
fn call_name(view: &CallView<'_>) -> String {
    match &view.call.facts.model {
        Some(model) if view.call.is_of_model() => format!("of {}", quoted(model)),
        _ => {
            let url = view.interaction.uri();
            let path = url.split(['?', '#']).next().unwrap_or(url);
            // An id differs in each recording, so it says neither what was called nor which calls belong together.
            let mut parts = path.trim_end_matches('/').rsplit('/');
            let end = parts.find(|part| !ignore::is_id(part));
            format!("to {}", quoted(end.unwrap_or(path)))
        }
    }
}

/// Returns the status of an HTTP call that failed.
fn status_of_failure(call: Node<'_>) -> Option<u16> {
    let status = Interaction::parse(call)?.status();
    (status >= 400).then_some(status)
}

/// Returns what a call is, as an object: its address, the last message, the answer.
fn summary(view: &CallView<'_>) -> Json {
    let document = &view.call.document;
    let address = format!("{} {}", view.interaction.method(), view.interaction.uri());
    let request = document.body.request();
    let message = request.and_then(|request| {
        let texts: Vec<&str> = request.messages.last()?.texts().collect();
        (!texts.is_empty()).then(|| ("last_message", Json::from(texts.join("\n"))))
    });
    let answer = view.call.answer().map(|answer| {
        let texts: Vec<&str> = answer.texts().collect();
        let tools: Vec<Json> = answer.tools().map(Json::from).collect();
        object! { "text": texts.join("\n"), "calls": tools }
    });
    let status = view.interaction.status();
    let members = [
        Some(("call", Json::from(address))),
        message,
        Some(("status", Json::raw(status.to_string()))),
        answer.map(|answer| ("answer", answer)),
    ];
    Json::object(members.into_iter().flatten())
}
