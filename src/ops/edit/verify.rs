//! Tries a plan: the text it makes is read, and every value has to be what the edit is to make of it.

use std::ops::Range;

use super::lines::DocumentLines;
use super::{EditCandidates, EditRefusal, JsonValue, second_reader};
use crate::format::json::utf16;
use crate::format::yaml::write;
use crate::format::{Node, NodeKind, Problem, RuleId, Syntax, Tree, code, json, yaml};
use crate::text::{Source, TextEdit, quoted};

/// The expected effect of an edit on a tree.
pub(super) enum ExpectedEdit<'a> {
    /// This value becomes another one.
    Set(Node<'a>, JsonValue),
    /// A container gets a part before the one with this index, with this key if it is a mapping.
    Insert(Node<'a>, usize, Option<String>, JsonValue),
    Remove(Node<'a>),
    /// The member with this value gets another key.
    Rename(Node<'a>, String),
    /// This element gets another index.
    Move(Node<'a>, usize),
}

/// Returns the first candidate that makes exactly the intended change.
pub(super) fn first_good(tree: &Tree, plans: EditCandidates<'_>) -> Result<TextEdit, EditRefusal> {
    let outcome = &plans.outcome;
    let pieces = ExpectedValues::new(tree, outcome);
    pieces.keep_aliases(tree)?;
    let mut refusal = EditRefusal::at(outcome.place(), "The value cannot be written in this place");
    for (index, way) in plans.candidates.into_iter().enumerate() {
        match check(tree, outcome, &pieces, &way) {
            Ok(()) => return Ok(way),
            // The reason for the best candidate is the most useful one.
            Err(reason) if index == 0 => refusal.reason = reason,
            Err(_) => {}
        }
    }
    if let ExpectedEdit::Set(node, _) = outcome
        && DocumentLines::new(tree).has_tag(tree.node(node.id()))
    {
        refusal.reason = "The tag before the value would change its type".to_owned();
    }
    Err(refusal)
}

fn check(
    tree: &Tree,
    outcome: &ExpectedEdit<'_>,
    pieces: &ExpectedValues<'_>,
    edit: &TextEdit,
) -> Result<(), String> {
    let mut text = tree.source().text().to_owned();
    let applied = edit.apply(&mut text);
    applied.ok_or("The place is outside the text")?;
    let (new, problems) = read(tree.syntax(), &Source::new(text));
    let mut faults = problems.iter().filter(is_fault).peekable();
    if let Some(&fault) = faults.peek() {
        let (_, known) = read(tree.syntax(), tree.source());
        if new.fault().is_some() || faults.count() > known.iter().filter(is_fault).count() {
            let what = &fault.message;
            return Err(format!("The edited text would not be readable: {what}"));
        }
    }
    pieces.compare(tree, &new, outcome)?;
    if tree.syntax() == Syntax::Yaml {
        second_reader::check_edit(tree, &new, outcome, pieces)?;
    }
    Ok(())
}

fn read(syntax: Syntax, source: &Source) -> (Tree, Vec<Problem>) {
    match syntax {
        Syntax::Json => json::parse(source),
        Syntax::Yaml => yaml::parse(source),
        Syntax::Code | Syntax::Machine => (code::parse(source), Vec::new()),
    }
}

/// Returns true for a problem that makes the owner's parser fail, even if the YAML is valid.
fn is_fault(problem: &&Problem) -> bool {
    matches!(
        problem.rule,
        RuleId::Syntax | RuleId::NestingTooDeep | RuleId::Unreadable
    )
}

impl<'a> ExpectedEdit<'a> {
    fn place(&self) -> Node<'a> {
        match *self {
            Self::Set(node, _)
            | Self::Insert(node, ..)
            | Self::Remove(node)
            | Self::Rename(node, _)
            | Self::Move(node, _) => node,
        }
    }

    /// Returns the key that a value has afterwards.
    fn key_of<'k>(&'k self, node: Node<'k>) -> Option<&'k str> {
        match self {
            Self::Rename(renamed, key) if renamed.id() == node.id() => Some(key),
            _ => node.key(),
        }
    }

    /// Returns how many parts a container has afterwards.
    pub(super) fn len_of(&self, node: Node<'_>) -> usize {
        let is_around = |inner: Node<'_>| inner.parent().map(Node::id) == Some(node.id());
        match self {
            Self::Insert(container, ..) if container.id() == node.id() => node.len() + 1,
            Self::Remove(removed) if is_around(*removed) => node.len() - 1,
            _ => node.len(),
        }
    }
}

/// The values that are expected afterwards, in the order of the text.
pub(super) struct ExpectedValues<'a> {
    pub(super) list: Vec<ExpectedValue<'a>>,
    /// The value that replaces another one: aliases of the old one refer to it.
    replaced: Option<usize>,
}

pub(super) enum ExpectedValue<'a> {
    /// The values at these positions of the tree before.
    Unchanged(Range<usize>),
    /// A new value, with its key if it is a member.
    New(Option<&'a str>, &'a JsonValue),
}

impl<'a> ExpectedValues<'a> {
    pub(super) fn new(tree: &Tree, outcome: &'a ExpectedEdit<'_>) -> Self {
        let all = 0..tree.len();
        let mut replaced = None;
        let list = match outcome {
            ExpectedEdit::Set(node, value) => {
                let gone = node.positions();
                replaced = Some(gone.start);
                vec![
                    ExpectedValue::Unchanged(0..gone.start),
                    ExpectedValue::New(node.key(), value),
                    ExpectedValue::Unchanged(gone.end..all.end),
                ]
            }
            ExpectedEdit::Insert(container, index, key, value) => {
                let next = container.items().nth(*index);
                let at = next.map_or(container.positions().end, |next| next.positions().start);
                vec![
                    ExpectedValue::Unchanged(0..at),
                    ExpectedValue::New(key.as_deref(), value),
                    ExpectedValue::Unchanged(at..all.end),
                ]
            }
            ExpectedEdit::Remove(node) => {
                let gone = node.positions();
                vec![
                    ExpectedValue::Unchanged(0..gone.start),
                    ExpectedValue::Unchanged(gone.end..all.end),
                ]
            }
            ExpectedEdit::Rename(..) => vec![ExpectedValue::Unchanged(all)],
            ExpectedEdit::Move(node, to) => {
                let moved = node.positions();
                let other = node.parent().and_then(|list| list.items().nth(*to));
                let other = other.map_or(moved.clone(), Node::positions);
                if other.start < moved.start {
                    vec![
                        ExpectedValue::Unchanged(0..other.start),
                        ExpectedValue::Unchanged(moved.clone()),
                        ExpectedValue::Unchanged(other.start..moved.start),
                        ExpectedValue::Unchanged(moved.end..all.end),
                    ]
                } else {
                    vec![
                        ExpectedValue::Unchanged(0..moved.start),
                        ExpectedValue::Unchanged(moved.end..other.end.max(moved.end)),
                        ExpectedValue::Unchanged(moved.clone()),
                        ExpectedValue::Unchanged(other.end..all.end),
                    ]
                }
            }
        };
        Self { list, replaced }
    }

    /// Returns the position afterwards of a value that was at `position`.
    fn position(&self, position: usize) -> Option<usize> {
        let mut before = 0;
        for piece in &self.list {
            match piece {
                ExpectedValue::Unchanged(range) if range.contains(&position) => {
                    return Some(before + position - range.start);
                }
                ExpectedValue::Unchanged(range) => before += range.len(),
                ExpectedValue::New(..) if self.replaced == Some(position) => return Some(before),
                ExpectedValue::New(_, value) => before += value.tree().len(),
            }
        }
        None
    }

    /// Checks that the target of an alias is not removed while the alias remains.
    fn keep_aliases(&self, tree: &Tree) -> Result<(), EditRefusal> {
        if tree.syntax() == Syntax::Json {
            return Ok(());
        }
        for alias in tree.nodes() {
            let Some(target) = alias.alias_target() else {
                continue;
            };
            let stays = |node: Node<'_>| self.position(node.positions().start).is_some();
            let is_replaced = self.replaced == Some(alias.positions().start);
            if stays(alias) && !is_replaced && !stays(target) {
                let what = format!(
                    "The alias {} refers to a value that would be removed",
                    quoted(alias.raw())
                );
                return Err(EditRefusal::at(alias, what));
            }
        }
        Ok(())
    }

    /// Compares what was expected with what is there.
    fn compare(&self, tree: &Tree, new: &Tree, outcome: &ExpectedEdit<'_>) -> Result<(), String> {
        let mut found = new.nodes();
        for piece in &self.list {
            match piece {
                ExpectedValue::Unchanged(range) => {
                    for old in tree.nodes_at(range.clone()) {
                        let same = found
                            .next()
                            .is_some_and(|now| self.is_same(outcome, old, now));
                        if !same {
                            return Err(would_change(old));
                        }
                    }
                }
                ExpectedValue::New(key, value) => {
                    let root = value.root();
                    for part in value.tree().nodes() {
                        let key = if part.id() == root.id() {
                            *key
                        } else {
                            part.key()
                        };
                        let fits = |now: Node<'_>| now.key() == key && is_value(part, now);
                        if !found.next().is_some_and(fits) {
                            return Err("The value would be read as a different value".to_owned());
                        }
                    }
                }
            }
        }
        match found.next() {
            Some(extra) => Err(would_change(extra)),
            None => Ok(()),
        }
    }

    /// Returns true if a value that is to stay is the same.
    fn is_same(&self, outcome: &ExpectedEdit<'_>, old: Node<'_>, now: Node<'_>) -> bool {
        if now.key() != outcome.key_of(old) || now.is_merge() != old.is_merge() {
            return false;
        }
        match (old.alias_target(), now.alias_target()) {
            (Some(then), Some(target)) => {
                let meant = self.position(then.positions().start);
                old.raw() == now.raw() && meant == Some(target.positions().start)
            }
            (None, None) => {
                old.kind() == now.kind()
                    && outcome.len_of(old) == now.len()
                    && old.scalar_text() == now.scalar_text()
            }
            _ => false,
        }
    }
}

fn would_change(node: Node<'_>) -> String {
    let pointer = node.pointer();
    let is_block = node.kind() == NodeKind::String && node.raw().starts_with(['|', '>']);
    let text_end = node.tree().source().text().len();
    match pointer.as_str() {
        "" => "The edit would also change other values".to_owned(),
        pointer if is_block && node.span().range().end == text_end => format!(
            "The text of {} ends at the end of the file without a line end, and would get one",
            quoted(pointer)
        ),
        pointer => format!("{} would change as well", quoted(pointer)),
    }
}

/// Returns true if `now` reads as the JSON value `meant`; what is inside a container is compared apart.
fn is_value(meant: Node<'_>, now: Node<'_>) -> bool {
    if now.is_alias() || now.is_merge() || meant.kind() != now.kind() || meant.len() != now.len() {
        return false;
    }
    let is_json = now.tree().syntax() == Syntax::Json;
    match meant.kind() {
        NodeKind::Null
        | NodeKind::Array
        | NodeKind::Object
        | NodeKind::Timestamp
        | NodeKind::Expression => true,
        NodeKind::Bool => meant.as_bool() == now.as_bool(),
        NodeKind::Number if is_json => meant.raw() == now.raw(),
        NodeKind::Number => write::number(meant.raw()) == now.raw(),
        NodeKind::String if is_json => utf16(meant.raw()) == utf16(now.raw()),
        NodeKind::String => meant.as_str() == now.as_str(),
    }
}
