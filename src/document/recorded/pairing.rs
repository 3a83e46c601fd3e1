//! Pairs of requests and answers. A record has both; where records have one of them, an id, the place in two lists or the order of events
//! decides. What is not certain is not paired, and counted.

use std::collections::{HashMap, HashSet};

use super::super::found_calls::{ApiShape, CallsFound, PayloadForm, Side};
use super::super::shapes;
use super::super::tree::{Node, NodeId, NodeKind};
use super::facts::{RecordedCall, is_error_status, other_call, plain, side_named, untyped_body};
use super::payload::{Payload, payload, vague_request};

/// The most containers around a payload that are looked through; the parser allows more.
const MAX_DEPTH: usize = 48;

/// The most payloads of one record; more are in a collection of records, where equal ones are different calls.
const MAX_IN_RECORD: usize = 8;

#[derive(Default)]
pub(super) struct Search<'a> {
    calls: CallsFound<Node<'a>>,
    /// Payloads in the targets of YAML's aliases that have no partner there.
    anchors: HashMap<NodeId, Vec<Payload<'a>>>,
}

/// Finds the calls of a tree.
pub(super) fn search<'a>(root: Node<'a>) -> CallsFound<Node<'a>> {
    let mut search = Search::default();
    let targets = root.tree().nodes().filter_map(Node::alias_target);
    search.anchors.extend(targets.map(|target| (target.id(), Vec::new())));
    let found = search.collect(root, 0);
    search.finish(root, found);
    search.forget_definitions();
    search.calls.calls.sort_by_key(|call| call.node.id());
    search.calls
}

impl<'a> Search<'a> {
    /// Returns the payloads in a value that have no partner in it.
    fn collect(&mut self, node: Node<'a>, depth: usize) -> Vec<Payload<'a>> {
        if depth > MAX_DEPTH {
            return Vec::new();
        }
        if let Some(target) = node.alias_target() {
            return self.of_alias(node, target.id());
        }
        let found = self.collect_own(node, depth);
        if let Some(anchor) = self.anchors.get_mut(&node.id()) {
            anchor.extend(found.iter().take(MAX_IN_RECORD));
        }
        found
    }

    /// Returns the payloads in the target of an alias; one that is a payload itself has its place where the alias is.
    fn of_alias(&self, alias: Node<'a>, target: NodeId) -> Vec<Payload<'a>> {
        let found = self.anchors.get(&target).into_iter().flatten();
        found
            .map(|payload| {
                let is_target = payload.node.id() == target;
                Payload { node: if is_target { alias } else { payload.node }, ..*payload }
            })
            .collect()
    }

    fn collect_own(&mut self, node: Node<'a>, depth: usize) -> Vec<Payload<'a>> {
        let first_call = self.calls.calls.len();
        let mut members = Vec::new();
        if let Some(payload) = payload(node).or_else(|| vague_request(node)) {
            if let Some(request) = payload.request_beside() {
                // A logger may merge both sides.
                self.push(RecordedCall::new(node, [Some(request), Some(payload)]));
                return Vec::new();
            }
            if payload.form == PayloadForm::Tree && node.kind() == NodeKind::Object {
                members = self.collect_beside(payload, depth);
            }
            let beside = members.iter().flat_map(|(_, found)| found).copied();
            let sides = match payload.side {
                Side::Request => sole_answer(beside).map(|answer| (payload, answer)),
                Side::Answer => {
                    sole(beside.filter(Payload::is_request)).map(|request| (request, payload))
                }
                Side::Error => None,
            };
            if let Some((request, answer)) = sides {
                self.push(RecordedCall::new(node, [Some(request), Some(answer)]));
                return Vec::new();
            }
            if !payload.is_vague() {
                return vec![payload];
            }
        }
        if !matches!(node.kind(), NodeKind::Array | NodeKind::Object)
            || self.pair_lists(node, depth)
            || self.pair_frames(node)
        {
            return Vec::new();
        }
        let mut members = members.into_iter().peekable();
        let mut found: Vec<Payload<'a>> = Vec::new();
        for item in node.items() {
            let in_item = match members.next_if(|(member, _)| *member == item.id()) {
                Some((_, in_item)) => in_item,
                None => self.collect(item, depth + 1),
            };
            // A record may have its request twice, as text and as values.
            let is_twin = |payload: &Payload<'a>| {
                node.kind() == NodeKind::Object
                    && found.len() <= MAX_IN_RECORD
                    && found.iter().any(|other| other.is_same(payload))
            };
            let in_item: Vec<Payload<'a>> =
                in_item.into_iter().filter(|payload| !is_twin(payload)).collect();
            found.extend(in_item);
        }
        if found.is_empty() {
            return found;
        }
        let has_calls = self.calls.calls.len() > first_call;
        self.combine(node, found, has_calls)
    }

    /// Returns the payloads in each member that a recorder may have added to a request or an answer.
    fn collect_beside(
        &mut self,
        payload: Payload<'a>,
        depth: usize,
    ) -> Vec<(NodeId, Vec<Payload<'a>>)> {
        let sent_keys = ["messages", "contents", "input", "tools", "system", "prompt"];
        let is_added = |item: &Node<'a>| {
            let key = item.key().unwrap_or_default();
            if payload.is_request() {
                !sent_keys.contains(&key)
            } else {
                side_named(&plain(key)) == Some(0)
            }
        };
        let members = payload.node.items().filter(is_added);
        members.map(|member| (member.id(), self.collect(member, depth + 1))).collect()
    }

    /// Pairs the payloads in a container, or returns them.
    fn combine(
        &mut self,
        node: Node<'a>,
        found: Vec<Payload<'a>>,
        has_calls: bool,
    ) -> Vec<Payload<'a>> {
        let (requests, answers): (Vec<Payload<'a>>, Vec<Payload<'a>>) =
            found.iter().copied().partition(Payload::is_request);
        let is_list = node.kind() == NodeKind::Array;
        if requests.is_empty() {
            // An error without its request says nothing outside of its list, such as one of attempts.
            let is_kept = |payload: &Payload<'a>| !is_list || payload.side == Side::Answer;
            return answers.into_iter().filter(is_kept).collect();
        }
        if let [request] = requests[..] {
            let answer = sole_answer(answers.iter().copied())
                .or_else(|| named_answer(node, &answers).filter(|_| !is_list));
            return match answer {
                Some(answer) => self.pair(node, request, answer),
                None if answers.is_empty() && !is_list => self.pair_untyped(node, request),
                None if answers.is_empty() => found,
                None => self.give_up(&found),
            };
        }
        if answers.is_empty() { found } else { self.pair_several(node, found, has_calls) }
    }

    /// Pairs several requests of a container with its answers.
    fn pair_several(
        &mut self,
        node: Node<'a>,
        found: Vec<Payload<'a>>,
        has_calls: bool,
    ) -> Vec<Payload<'a>> {
        let (requests, answers): (Vec<Payload<'a>>, Vec<Payload<'a>>) =
            found.iter().copied().partition(Payload::is_request);
        // Settings and prompts beside a request may have the shape of another one.
        let is_listed = |payload: &Payload<'a>| {
            let outside = |list: &Node<'a>| list.positions().start < node.positions().start;
            let mut around = payload.node.ancestors().skip(1).take_while(|list| !outside(list));
            around.any(|list| list.kind() == NodeKind::Array)
        };
        let of_api = |answer: Payload<'a>| {
            let api = answer.api.filter(|_| !found.iter().any(is_listed))?;
            Some((sole(requests.iter().filter(|request| request.api == Some(api)))?, answer))
        };
        if let Some((request, answer)) = sole(answers.iter().copied()).and_then(of_api) {
            return self.pair(node, *request, answer);
        }
        let records = records_in(node, [&requests, &answers]);
        let in_order = || {
            let pairs = by_order(&found)?;
            let is_torn = |&(request, answer): &(usize, usize)| {
                let payloads = [requests[request], answers[answer]];
                are_torn([records[0][request], records[1][answer]], payloads)
            };
            (!pairs.iter().any(is_torn)).then_some(pairs)
        };
        let pairs = by_ids(node, &records)
            .or_else(|| by_places(&records).filter(|_| !has_calls))
            .or_else(in_order)
            .filter(|pairs| pairs.iter().all(|(a, b)| is_possible(&requests[*a], &answers[*b])));
        let Some(pairs) = pairs else { return self.give_up(&found) };
        for (request, answer) in &pairs {
            let records = [records[0][*request], records[1][*answer]];
            let payloads = [Some(requests[*request]), Some(answers[*answer])];
            self.push(RecordedCall::of_records(records, payloads));
        }
        self.calls.unsure.extend(unpaired([&requests, &answers], &pairs));
        Vec::new()
    }

    /// Pairs the only request of a container with its only answer.
    fn pair(
        &mut self,
        node: Node<'a>,
        request: Payload<'a>,
        answer: Payload<'a>,
    ) -> Vec<Payload<'a>> {
        let records = [request, answer].map(|payload| record_in(node, payload, 0));
        if !is_possible(&request, &answer) || are_torn(records, [request, answer]) {
            return self.give_up(&[request, answer]);
        }
        let payloads = [Some(request), Some(answer)];
        let lists = [request, answer].map(|payload| record_in(node, payload, 1));
        let are_in_lists = records.iter().zip(&lists).all(|(record, element)| {
            record.kind() == NodeKind::Array && element.id() != record.id()
        });
        let call = if are_in_lists {
            RecordedCall::of_records(lists, payloads)
        } else {
            RecordedCall::new(node, payloads)
        };
        self.push(call);
        Vec::new()
    }

    /// Takes a record without an answer of a known shape for a call if it has the status of one: an error, or nothing.
    fn pair_untyped(&mut self, record: Node<'a>, request: Payload<'a>) -> Vec<Payload<'a>> {
        let mut call = RecordedCall::new(record, [Some(request), None]);
        let Some(status) = call.status else { return vec![request] };
        // An embedding, mostly: the answer would show a model's response.
        if request.is_vague_input() && !is_error_status(status) {
            self.calls.calls.extend(other_call(record));
        } else {
            call.received = untyped_body(record, request.node, status);
            self.push(call);
        }
        Vec::new()
    }

    fn give_up(&mut self, found: &[Payload<'a>]) -> Vec<Payload<'a>> {
        self.calls.unsure.extend(found);
        Vec::new()
    }

    /// Adds a call; that of an embedding only if it is a call of HTTP.
    fn push(&mut self, call: RecordedCall<'a>) {
        let sides = [call.sent, call.received].into_iter().flatten();
        let is_embedding = sides.into_iter().any(|side| side.api == Some(ApiShape::Embeddings));
        self.calls.calls.extend(if is_embedding { other_call(call.node) } else { Some(call) });
    }

    /// Pairs the records of two lists that are named after requests and responses, also those whose answer has no known shape.
    fn pair_lists(&mut self, node: Node<'a>, depth: usize) -> bool {
        let list = |side| {
            let is_list = |item: &Node<'a>| {
                let key = plain(item.key().unwrap_or_default());
                item.kind() == NodeKind::Array
                    && key.ends_with('s')
                    && side_named(&key) == Some(side)
            };
            node.items().find(is_list)
        };
        let is_record = |item: Node<'a>| shapes::is_object(item) && payload(item).is_none();
        let (Some(requests), Some(answers)) = (list(0), list(1)) else { return false };
        let are_records = requests.items().chain(answers.items()).all(is_record);
        if requests.is_empty() || requests.len() != answers.len() || !are_records {
            return false;
        }
        let records: [Vec<Node<'a>>; 2] = [requests, answers].map(|list| list.items().collect());
        let pairs = by_ids(node, &records)
            .unwrap_or_else(|| (0..requests.len()).map(|at| (at, at)).collect());
        for record in unpaired([&records[0], &records[1]], &pairs) {
            let left = self.collect(record, depth + 2);
            self.calls.unsure.extend(left);
        }
        for (request, answer) in pairs {
            let [request, answer] = [records[0][request], records[1][answer]];
            let sent = self.collect(request, depth + 2);
            match (&sent[..], &self.collect(answer, depth + 2)[..]) {
                ([sent], [received]) if sent.is_request() && is_possible(sent, received) => {
                    let payloads = [Some(*sent), Some(*received)];
                    self.push(RecordedCall::of_records([request, answer], payloads));
                }
                ([sent], []) if sent.is_request() => {
                    self.pair_untyped_records([request, answer], *sent);
                }
                ([], _) => {}
                (sent, received) => self.calls.unsure.extend(sent.iter().chain(received)),
            }
        }
        true
    }

    /// Pairs a request with the record of an answer that has no known shape.
    fn pair_untyped_records(&mut self, records: [Node<'a>; 2], request: Payload<'a>) {
        let mut call = RecordedCall::of_records(records, [Some(request), None]);
        match call.status {
            Some(status) if request.is_vague_input() && !is_error_status(status) => {}
            status => {
                call.received =
                    status.and_then(|status| untyped_body(records[1], request.node, status));
                self.push(call);
            }
        }
    }

    /// Pairs each request in a list of messages of a WebSocket with what the server sends before the next one.
    fn pair_frames(&mut self, list: Node<'a>) -> bool {
        let direction = |frame: Node<'a>| frame.get("direction").and_then(Node::as_str);
        let is_frame = |frame: Node<'a>| direction(frame).is_some() && frame.get("body").is_some();
        if list.kind() != NodeKind::Array || list.is_empty() || !list.items().all(is_frame) {
            return false;
        }
        let frames: Vec<Node<'a>> = list.items().collect();
        let request = |frame: Node<'a>| {
            let sent = payload(frame.get("body")?)?;
            (direction(frame) == Some("client") && sent.is_request()).then_some(sent)
        };
        let starts: Vec<usize> =
            (0..frames.len()).filter(|index| request(frames[*index]).is_some()).collect();
        for (index, start) in starts.iter().enumerate() {
            let first = start + 1;
            let end = starts.get(index + 1).copied().unwrap_or(frames.len());
            let is_server = |frame: &&Node<'a>| direction(**frame) == Some("server");
            let count = frames[first..end].iter().take_while(is_server).count();
            let form = PayloadForm::Frames { first, count };
            let sent = request(frames[*start]);
            let received = Payload { node: list, form, side: Side::Answer, api: None };
            let record = list.parent().unwrap_or(list);
            let mut call = RecordedCall::new(record, [sent, (count > 0).then_some(received)]);
            if let Some(sent) = sent.filter(|_| starts.len() > 1) {
                call.node = sent.node;
            }
            self.push(call);
        }
        !starts.is_empty()
    }

    /// Adds the answers without a request, and what other calls a file has.
    fn finish(&mut self, root: Node<'a>, mut found: Vec<Payload<'a>>) {
        let is_alone = self.calls.calls.is_empty() && !found.iter().any(Payload::is_request);
        self.add_other_calls(root, &mut found);
        let is_kept =
            |payload: &Payload<'a>| payload.side != Side::Error || payload.node.id() == root.id();
        let found = found.into_iter().filter(is_kept);
        if is_alone {
            for answer in found {
                self.push(RecordedCall::new(answer.node, [None, Some(answer)]));
            }
        } else {
            self.calls.unsure.extend(found);
        }
    }

    /// Adds the HTTP calls that are of no model, and those whose request has no body.
    fn add_other_calls(&mut self, root: Node<'a>, found: &mut Vec<Payload<'a>>) {
        let lists =
            [root].into_iter().chain(root.items()).filter(|list| list.kind() == NodeKind::Array);
        let records: Vec<Node<'a>> =
            [root].into_iter().chain(lists.flat_map(Node::items)).collect();
        let mut of_models: Vec<usize> =
            self.calls.calls.iter().map(|call| call.node.id().number() as usize).collect();
        of_models.sort_unstable();
        for record in records {
            let positions = record.positions();
            let next = of_models.partition_point(|number| *number < positions.start);
            if of_models.get(next).is_some_and(|number| *number < positions.end) {
                continue;
            }
            let Some(call) = other_call(record) else { continue };
            let is_in =
                |payload: &Payload<'a>| positions.contains(&(payload.node.id().number() as usize));
            let answer = sole(found.iter().copied().filter(is_in))
                .filter(|payload| payload.side == Side::Answer);
            found.retain(|payload| answer.is_none() || !is_in(payload));
            self.push(RecordedCall { received: answer.or(call.received), ..call });
        }
    }

    /// Forgets the calls that are only there to be used by aliases: YAML has no other place for shared values than a member.
    fn forget_definitions(&mut self) {
        let target = |payload: Option<Payload<'a>>| payload?.node.alias_target().map(Node::id);
        let used: Vec<[Option<NodeId>; 2]> = self
            .calls
            .calls
            .iter()
            .map(|call| [target(call.sent), target(call.received)])
            .filter(|sides| sides.iter().any(Option::is_some))
            .collect();
        let is_definition = |node: Node<'a>| {
            let key = node.key().unwrap_or_default().to_ascii_lowercase();
            key.starts_with(['.', '_'])
                || ["x-", "anchor", "def", "shared", "common", "template"]
                    .iter()
                    .any(|name| key.contains(name))
        };
        if used.is_empty() {
            return;
        }
        self.calls.calls.retain(|call| {
            let own =
                [call.sent, call.received].map(|payload| payload.map(|payload| payload.node.id()));
            !(used.contains(&own) && call.node.ancestors().any(is_definition))
        });
    }
}

/// Returns the only one.
fn sole<T>(mut items: impl Iterator<Item = T>) -> Option<T> {
    let first = items.next();
    first.filter(|_| items.next().is_none())
}

/// Returns the only answer; without one the last error, since a client tries again after the others.
fn sole_answer<'a>(found: impl Iterator<Item = Payload<'a>> + Clone) -> Option<Payload<'a>> {
    let of = |side| found.clone().filter(move |payload| payload.side == side);
    if of(Side::Answer).next().is_some() { sole(of(Side::Answer)) } else { of(Side::Error).last() }
}

/// Returns the answer of a record that has others beside it, if their keys say which it is.
fn named_answer<'a>(record: Node<'a>, answers: &[Payload<'a>]) -> Option<Payload<'a>> {
    const OF_OTHERS: [&str; 8] =
        ["draft", "gold", "expect", "refer", "previous", "earlier", "baseline", "ideal"];
    let key = |answer: &Payload<'a>| plain(record_in(record, *answer, 0).key().unwrap_or_default());
    let with_key = |is_right: &dyn Fn(&str) -> bool| {
        sole(answers.iter().filter(|answer| is_right(&key(answer))))
    };
    let named = with_key(&|key| side_named(key) == Some(1));
    let others = |key: &str| OF_OTHERS.iter().any(|name| key.starts_with(name));
    named.or_else(|| with_key(&|key| !others(key))).copied()
}

/// Returns the value around a payload that is this many levels inside of a container, or the payload if it is less deep.
fn record_in<'a>(container: Node<'a>, payload: Payload<'a>, level: usize) -> Node<'a> {
    let inside = || payload.node.ancestors().take_while(|node| node.id() != container.id());
    let depth = inside().count();
    inside().nth(depth.saturating_sub(level + 1)).unwrap_or(payload.node)
}

/// Returns the value around each payload that has none of the others of its side: an element of a list, mostly.
fn records_in<'a>(container: Node<'a>, sides: [&[Payload<'a>]; 2]) -> [Vec<Node<'a>>; 2] {
    let records = |level: usize| {
        sides.map(|side| -> Vec<Node<'a>> {
            side.iter().map(|payload| record_in(container, *payload, level)).collect()
        })
    };
    let are_apart = |records: &[Vec<Node<'a>>; 2]| {
        records.iter().all(|side| {
            side.iter().map(|record| record.id()).collect::<HashSet<NodeId>>().len() == side.len()
        })
    };
    (0..MAX_DEPTH).map(records).find(are_apart).unwrap_or_else(|| records(0))
}

/// Returns whether two records have both sides of a call each, of which one is not read: their payloads do not belong together.
fn are_torn<'a>(records: [Node<'a>; 2], payloads: [Payload<'a>; 2]) -> bool {
    /// Names, and words that say what a record is, are shorter.
    const MIN_BYTES: usize = 64;
    let inside = [0, 1].map(|side| {
        let mut nodes = payloads[side].node.ancestors();
        nodes.find(|node| node.parent().is_some_and(|parent| parent.id() == records[side].id()))
    });
    let [Some(sent), Some(received)] = inside else { return false };
    let side = |node: Node<'_>| node.key().and_then(|key| side_named(&plain(key)));
    let has_more = |record: Node<'a>, own: Node<'a>, other: Node<'a>| {
        let other_key = other.key().unwrap_or_default();
        record.items().filter(|item| item.id() != own.id()).any(|item| {
            let is_content =
                !item.is_empty() || item.as_str().is_some_and(|text| text.len() >= MIN_BYTES);
            let is_named = side(other).is_some() && side(item) == side(other);
            is_content && (item.has_key(other_key) || is_named)
        })
    };
    records.iter().all(|record| side(*record).is_none())
        && (has_more(records[0], sent, received) || has_more(records[1], received, sent))
}

/// Pairs of the numbers of a request and its answer.
type Pairs = Vec<(usize, usize)>;

/// Returns what is in no pair, of both sides.
fn unpaired<T: Copy>(sides: [&[T]; 2], pairs: &[(usize, usize)]) -> Vec<T> {
    let first: HashSet<usize> = pairs.iter().map(|pair| pair.0).collect();
    let second: HashSet<usize> = pairs.iter().map(|pair| pair.1).collect();
    let left = |(side, paired): (&[T], HashSet<usize>)| {
        let left = side.iter().enumerate().filter(|(at, _)| !paired.contains(at));
        left.map(|(_, one)| *one).collect::<Vec<T>>()
    };
    sides.into_iter().zip([first, second]).flat_map(left).collect()
}

/// Pairs records by an id, or by their keys in two objects, that one of each side has; `None` if no two have one in common.
fn by_ids(container: Node<'_>, records: &[Vec<Node<'_>>; 2]) -> Option<Pairs> {
    let marks = [0, 1].map(|side| unique_marks(container, &records[side]));
    let mut answers: HashMap<usize, Option<usize>> = HashMap::new();
    for (mark, request) in &marks[0] {
        let Some(answer) = marks[1].get(mark) else { continue };
        let (Some(request), Some(answer)) = (request, answer) else { continue };
        // An event that names another one comes after it.
        if mark.0 == ANY_KEY && records[1][*answer].id() < records[0][*request].id() {
            continue;
        }
        let found = answers.entry(*request).or_insert(Some(*answer));
        *found = found.filter(|other| other == answer);
    }
    let mut pairs: Pairs =
        answers.iter().filter_map(|(request, answer)| Some((*request, (*answer)?))).collect();
    pairs.sort_unstable();
    // Two requests cannot have the same answer.
    let mut numbers: Vec<usize> = pairs.iter().map(|(_, answer)| *answer).collect();
    numbers.sort_unstable();
    numbers.dedup();
    (!answers.is_empty()).then(|| if numbers.len() == pairs.len() { pairs } else { Vec::new() })
}

/// In place of the key of an id, which another event repeats under a key of its own.
const ANY_KEY: &str = "*";

/// Returns what may identify a record, with its number; `None` in place of it where several have the same.
fn unique_marks<'a>(
    container: Node<'a>,
    records: &[Node<'a>],
) -> HashMap<(String, &'a str), Option<usize>> {
    const ID_KEYS: [&str; 8] =
        ["id", "key", "hash", "seq", "sequence", "index", "number", "correlation"];
    /// Larger objects are collections, whose members identify nothing.
    const MAX_MEMBERS: usize = 24;
    /// Shorter texts, such as numbers, are under several keys by chance.
    const MIN_UNIQUE_BYTES: usize = 4;
    let mut marks: HashMap<(String, &'a str), Option<usize>> = HashMap::new();
    for (number, record) in records.iter().enumerate() {
        let is_id = |key: &str| ID_KEYS.iter().any(|name| key.ends_with(name));
        let is_small = |node: &Node<'a>| {
            shapes::is_object(*node) && node.len() <= MAX_MEMBERS && payload(*node).is_none()
        };
        let own = || [*record].into_iter().filter(is_small);
        let inner = own().flat_map(Node::items).filter(is_small);
        let ids = own().chain(inner).flat_map(Node::items).filter_map(|item| {
            let key = plain(item.key()?);
            let text = item.scalar_text().filter(|text| !text.is_empty())?;
            let is_text = matches!(item.kind(), NodeKind::String | NodeKind::Number);
            (is_text && is_id(&key)).then_some((key, text))
        });
        let ids = ids.flat_map(|(key, text)| {
            let is_long = text.len() >= MIN_UNIQUE_BYTES;
            [Some((key, text)), is_long.then(|| (ANY_KEY.to_owned(), text))]
        });
        // The key of a record in an object of records.
        let is_apart = record.parent().is_some_and(|list| list.id() != container.id());
        let own_key = record.key().filter(|_| is_apart).map(|key| (String::new(), key));
        for mark in ids.chain([own_key]).flatten() {
            let place = marks.entry(mark).or_insert(Some(number));
            *place = place.filter(|other| *other == number);
        }
    }
    marks
}

/// Pairs the elements of two lists of the same length by their places.
fn by_places(records: &[Vec<Node<'_>>; 2]) -> Option<Pairs> {
    let list = |side: usize| {
        let list = records[side].first()?.parent()?;
        let is_in =
            |record: &Node<'_>| record.parent().is_some_and(|other| other.id() == list.id());
        (list.kind() == NodeKind::Array && records[side].iter().all(is_in)).then_some(list)
    };
    let (requests, answers) = (list(0)?, list(1)?);
    if requests.id() == answers.id() || requests.len() != answers.len() {
        return None;
    }
    let places: HashMap<usize, usize> =
        records[1].iter().enumerate().map(|(number, record)| (record.index(), number)).collect();
    let pair = |(number, record): (usize, &Node<'_>)| Some((number, *places.get(&record.index())?));
    Some(records[0].iter().enumerate().filter_map(pair).collect())
}

/// Pairs each request with the answer that follows it, if nothing else comes between.
fn by_order(found: &[Payload<'_>]) -> Option<Pairs> {
    // Of an answer before its request, both are in one record, and paired there.
    let alternates =
        found.chunks(2).all(|pair| matches!(pair, [a, b] if a.is_request() && !b.is_request()));
    alternates.then(|| (0..found.len() / 2).map(|number| (number, number)).collect())
}

/// Returns whether an answer can be one to a request.
fn is_possible(request: &Payload<'_>, answer: &Payload<'_>) -> bool {
    use ApiShape::{
        Anthropic, Chat, Completions, Converse, Embeddings, Gemini, Interactions, Responses,
    };
    let (Some(sent), Some(received)) = (request.api, answer.api) else { return true };
    // Many APIs take a list of messages; what only one API has is answered by no other.
    let own = [Gemini, Responses, Completions, Interactions, Embeddings];
    sent == received
        || !own.contains(&sent) && !own.contains(&received)
        || matches!((sent, received), (Responses, Interactions) | (Completions, _))
        || matches!(sent, Chat | Anthropic | Converse) && received == Interactions
}
