//! What is typed into fields of a session, on its way into the text of its file.
//!
//! Each letter becomes an edit of the file as soon as the one before was made. Until then, and for as long as what was typed
//! is no good, it lives here.

use crate::format::{Node, NodeKind, Syntax, Tree, json, yaml};
use crate::ops::edit::Value;
use crate::ops::session::{Form, SessionEdit, written};
use crate::text::Source;

/// How a field reads what is typed into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reads {
    /// As words.
    Words,
    /// As words; none at all: the field is not needed.
    Optional,
    /// As a whole number, or nothing.
    Number,
    /// As an object.
    Object(Syntax),
}

impl Reads {
    /// What stands for a value while it is compared; empty for none.
    pub(super) fn known(self, node: Option<Node<'_>>) -> String {
        let Some(node) = node.filter(|node| node.kind() != NodeKind::Null) else {
            return String::new();
        };
        match (self, node.as_str()) {
            (Self::Object(_), _) => Value::of(node).json().to_owned(),
            (_, Some(text)) => text.to_owned(),
            (_, None) => node.raw().to_owned(),
        }
    }

    /// What is shown of it, to be typed into.
    pub(super) fn shown(self, known: &str) -> String {
        let Self::Object(syntax) = self else {
            return known.to_owned();
        };
        let form = match syntax {
            Syntax::Yaml => Form::Yaml,
            _ => Form::Json,
        };
        let value = Value::parse(known);
        value.map_or_else(|_| known.to_owned(), |value| written(&value, form))
    }

    /// What stands for what was typed, or what is wrong with it: a sentence without a full stop.
    pub(super) fn read(self, typed: &str) -> Result<String, String> {
        match self {
            Self::Words | Self::Optional => Ok(typed.to_owned()),
            Self::Number if typed.trim().is_empty() => Ok(String::new()),
            Self::Number => match typed.trim().parse::<i64>() {
                Ok(number) => Ok(number.to_string()),
                Err(_) => Err("A whole number is needed, or nothing".to_owned()),
            },
            Self::Object(syntax) => {
                let value = parse(typed, syntax)?;
                match value.root().kind() {
                    NodeKind::Object => Ok(value.json().to_owned()),
                    kind => Err(format!("This is {}, and no object", kind.name())),
                }
            }
        }
    }

    /// The edit that puts it into the file.
    fn edit(self, pointer: &str, read: &str) -> SessionEdit {
        let pointer = pointer.to_owned();
        match self {
            Self::Words | Self::Optional => SessionEdit::Text(pointer, read.to_owned()),
            Self::Number => SessionEdit::Number(pointer, read.parse().ok()),
            Self::Object(_) => {
                let response = pointer.trim_end_matches("/response").to_owned();
                SessionEdit::Response(
                    response,
                    Value::parse(read).unwrap_or_else(|_| Value::null()),
                )
            }
        }
    }
}

/// Reads a value as the file it is for would be read.
pub(super) fn parse(typed: &str, syntax: Syntax) -> Result<Value, String> {
    let source = Source::new(typed);
    let (tree, problems): (Tree, _) = match syntax {
        Syntax::Yaml => yaml::parse(&source),
        _ => json::parse(&source),
    };
    let fault = problems.iter().find(|problem| problem.rule.hides_content());
    match (fault, tree.root()) {
        (Some(fault), _) => Err(format!("{} (line {})", fault.message, fault.place.line)),
        (None, Some(root)) => Ok(Value::of(root)),
        (None, None) => Err("Nothing stands here".to_owned()),
    }
}

/// What is typed into one field.
#[derive(Debug)]
struct Draft {
    pointer: String,
    reads: Reads,
    text: String,
    /// What the file held when this was last compared with it.
    known: String,
    /// What is on its way into the file.
    sent: Option<String>,
}

impl Draft {
    /// Takes over what the file holds now. What others made of it, an undo among them, counts for more than what is typed.
    fn follow(&mut self, now: String) {
        if now == self.known {
            return;
        }
        if self.sent.as_ref() != Some(&now) {
            self.text = self.reads.shown(&now);
        }
        self.known = now;
        self.sent = None;
    }

    /// What is to be put into the file.
    fn unsent(&self) -> Option<String> {
        let read = self.reads.read(&self.text).ok()?;
        (read != self.known && self.sent.as_ref() != Some(&read)).then_some(read)
    }
}

/// What is typed into the fields of one session.
#[derive(Debug, Default)]
pub(super) struct Drafts {
    drafts: Vec<Draft>,
    focused: Option<String>,
    /// Something was typed, and nobody was told yet that it ended.
    typing: bool,
}

/// What follows from what was typed.
#[derive(Debug, PartialEq)]
pub(super) enum Wish {
    Type(SessionEdit),
    EndTyping,
}

impl Drafts {
    /// What a field shows: what was typed into it, else what the file holds.
    pub(super) fn text(&self, pointer: &str, reads: Reads, node: Option<Node<'_>>) -> String {
        match self.of(pointer, reads) {
            Some(draft) => draft.text.clone(),
            None => reads.shown(&reads.known(node)),
        }
    }

    /// What is wrong with what was typed.
    pub(super) fn fault(&self, pointer: &str, reads: Reads) -> Option<String> {
        reads.read(&self.of(pointer, reads)?.text).err()
    }

    /// Notes what was typed into a field.
    pub(super) fn typed(
        &mut self,
        pointer: &str,
        reads: Reads,
        node: Option<Node<'_>>,
        text: String,
    ) {
        let mut drafts = self.drafts.iter_mut();
        match drafts.find(|draft| draft.pointer == pointer && draft.reads == reads) {
            Some(draft) => draft.text = text,
            None => self.drafts.push(Draft {
                pointer: pointer.to_owned(),
                reads,
                text,
                known: reads.known(node),
                sent: None,
            }),
        }
    }

    /// Notes which field has the focus.
    pub(super) fn focus(&mut self, pointer: &str) {
        self.focused = Some(pointer.to_owned());
    }

    /// Begins a frame: nobody has the focus until it is told.
    pub(super) fn begin(&mut self) {
        self.focused = None;
    }

    /// Forgets everything: another session is shown.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Follows the file, and gives what is to be done next; nothing while an edit is on its way.
    pub(super) fn settle(&mut self, tree: &Tree, is_editing: bool) -> Option<Wish> {
        for draft in &mut self.drafts {
            draft.follow(draft.reads.known(tree.at_pointer(&draft.pointer)));
        }
        if is_editing {
            return None;
        }
        for draft in &mut self.drafts {
            if let Some(read) = draft.unsent() {
                self.typing = true;
                let edit = draft.reads.edit(&draft.pointer, &read);
                draft.sent = Some(read);
                return Some(Wish::Type(edit));
            }
        }
        let is_left = |draft: &Draft| Some(&draft.pointer) != self.focused.as_ref();
        let is_good = |draft: &Draft| draft.reads.read(&draft.text).is_ok();
        let is_done = |draft: &Draft| is_left(draft) && is_good(draft);
        if let Some(at) = self.drafts.iter().position(is_done) {
            return self.leave(at, tree);
        }
        let has_ended = self.typing && self.drafts.iter().all(is_left);
        has_ended.then(|| {
            self.typing = false;
            Wish::EndTyping
        })
    }

    /// Lets go of a field that was left; what is no good in it would stay, with what is wrong. One that is empty and not needed goes from the file.
    fn leave(&mut self, at: usize, tree: &Tree) -> Option<Wish> {
        let draft = self.drafts.remove(at);
        let is_empty = draft.reads == Reads::Optional && draft.text.is_empty();
        let is_there = is_empty && tree.at_pointer(&draft.pointer).is_some();
        is_there.then(|| Wish::Type(SessionEdit::Clear(draft.pointer)))
    }

    fn of(&self, pointer: &str, reads: Reads) -> Option<&Draft> {
        let mut drafts = self.drafts.iter();
        drafts.find(|draft| draft.pointer == pointer && draft.reads == reads)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::read;

    fn tree(text: &str) -> Tree {
        read(Source::new(text), "a.yaml").tree
    }

    #[test]
    fn what_is_typed_goes_out_letter_by_letter_and_ends_when_the_field_is_left() {
        let mut drafts = Drafts::default();
        let before = tree("id: a\ninput: b\n");
        drafts.typed("/name", Reads::Optional, None, "n".to_owned());
        drafts.focus("/name");
        let wish = |text: &str| {
            let edit = SessionEdit::Text("/name".to_owned(), text.to_owned());
            Some(Wish::Type(edit))
        };
        assert_eq!(drafts.settle(&before, false), wish("n"));
        drafts.typed("/name", Reads::Optional, None, "no".to_owned());
        assert_eq!(drafts.settle(&before, true), None);
        let after = tree("id: a\nname: n\ninput: b\n");
        assert_eq!(drafts.settle(&after, false), wish("no"));
        let after = tree("id: a\nname: \"no\"\ninput: b\n");
        assert_eq!(drafts.settle(&after, false), None);
        drafts.begin();
        assert_eq!(drafts.settle(&after, false), None);
        assert_eq!(drafts.settle(&after, false), Some(Wish::EndTyping));
    }

    #[test]
    fn an_undo_counts_for_more_than_what_is_typed() {
        let mut drafts = Drafts::default();
        let now = tree("id: abc\ninput: b\n");
        let node = now.at_pointer("/id");
        drafts.focus("/id");
        drafts.typed("/id", Reads::Words, node, "abcd".to_owned());
        assert!(drafts.settle(&now, false).is_some());
        drafts.settle(&tree("id: a\ninput: b\n"), false);
        assert_eq!(drafts.text("/id", Reads::Words, node), "a");
    }

    #[test]
    fn what_is_no_good_stays_and_says_why() {
        let mut drafts = Drafts::default();
        let (number, object) = (Reads::Number, Reads::Object(Syntax::Yaml));
        drafts.typed("/a/status", number, None, "20x".to_owned());
        drafts.typed("/a/response", object, None, "- 1\n".to_owned());
        assert_eq!(drafts.settle(&tree("a: {}"), false), None);
        let faults = [
            drafts.fault("/a/status", number),
            drafts.fault("/a/response", object),
        ];
        insta::assert_snapshot!(faults.map(Option::unwrap).join("\n"), @"
        A whole number is needed, or nothing
        This is a list, and no object
        ");
    }

    #[test]
    fn an_object_is_the_same_however_it_is_laid_out() {
        let object = Reads::Object(Syntax::Yaml);
        assert_eq!(object.read("a: 1\nb: [x]\n"), object.read("{a: 1, b: [x]}"));
    }
}
