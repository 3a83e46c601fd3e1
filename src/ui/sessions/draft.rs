//! What is typed into fields of a session, on its way into the text of its file.
//!
//! Of a text each letter becomes an edit of the file as soon as the one before was made. A number or an object is an edit when
//! its field is left or the file is saved, because its beginning may be another value. Until then, and while it is invalid, what
//! was typed is kept here.

use crate::format::{Node, NodeKind, Syntax, Tree, json, yaml};
use crate::ops::edit::Value;
use crate::ops::session::{Form, SessionEdit, written};
use crate::text::Source;
use crate::ui::inspector::units::{self, Unit};

/// How a field reads what is typed into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reads {
    /// As words.
    Words,
    /// As words; none at all: the field is not needed.
    Optional,
    /// As a whole number, or nothing.
    Number,
    /// As a whole number of milliseconds, also with a unit such as `1.5 s`, or nothing.
    Millis,
    /// As an object.
    Object(Syntax),
}

impl Reads {
    /// Whether each letter is an edit of the file.
    pub(super) fn is_live(self) -> bool {
        matches!(self, Self::Words | Self::Optional)
    }

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
            Self::Number | Self::Millis if typed.trim().is_empty() => Ok(String::new()),
            Self::Number => match typed.trim().parse::<i64>() {
                Ok(number) => Ok(number.to_string()),
                Err(_) => Err("Expected a whole number or an empty field".to_owned()),
            },
            Self::Millis => {
                let number = units::number(typed, Some(Unit::Milliseconds))?;
                match number.parse::<i64>() {
                    Ok(number) => Ok(number.to_string()),
                    Err(_) => Err("Expected whole milliseconds, such as 1500 or 1.5 s".to_owned()),
                }
            }
            Self::Object(syntax) => {
                let value = parse(typed, syntax)?;
                match value.root().kind() {
                    NodeKind::Object => Ok(value.json().to_owned()),
                    kind => Err(format!("Expected an object, found {}", kind.name())),
                }
            }
        }
    }

    /// The edit that puts it into the file.
    fn edit(self, pointer: &str, read: &str) -> SessionEdit {
        let pointer = pointer.to_owned();
        match self {
            Self::Words | Self::Optional => SessionEdit::Text(pointer, read.to_owned()),
            Self::Number | Self::Millis => SessionEdit::Number(pointer, read.parse().ok()),
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
        (None, None) => Err("The field is empty".to_owned()),
    }
}

/// What is typed into one field.
#[derive(Debug)]
struct Draft {
    pointer: String,
    /// What the field is called.
    name: String,
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
    /// With what was typed just before.
    Type(SessionEdit),
    /// A step of its own.
    Edit(SessionEdit),
    EndTyping,
}

/// A field that cannot be put into the file.
#[derive(Debug, PartialEq)]
pub(super) struct Invalid {
    pub(super) pointer: String,
    /// What the field is called.
    pub(super) name: String,
    pub(super) typed: String,
    /// What is wrong, as a sentence without a full stop.
    pub(super) fault: String,
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

    /// The first field that cannot be put into the file.
    pub(super) fn invalid(&self) -> Option<Invalid> {
        self.drafts.iter().find_map(|draft| {
            Some(Invalid {
                fault: draft.reads.read(&draft.text).err()?,
                pointer: draft.pointer.clone(),
                name: draft.name.clone(),
                typed: draft.text.clone(),
            })
        })
    }

    /// Whether something valid was typed that is not in the file yet.
    pub(super) fn has_pending(&self) -> bool {
        let mut drafts = self.drafts.iter();
        drafts.any(|draft| draft.sent.is_some() || draft.unsent().is_some())
    }

    /// Whether nothing is typed.
    pub(super) fn is_empty(&self) -> bool {
        self.drafts.is_empty()
    }

    /// Drops what was typed into a field: it shows what the file holds again.
    pub(super) fn cancel(&mut self, pointer: &str) {
        self.drafts.retain(|draft| draft.pointer != pointer);
    }

    /// Notes what was typed into a field.
    pub(super) fn typed(
        &mut self,
        (pointer, name): (&str, &str),
        reads: Reads,
        node: Option<Node<'_>>,
        text: String,
    ) {
        let mut drafts = self.drafts.iter_mut();
        match drafts.find(|draft| draft.pointer == pointer && draft.reads == reads) {
            Some(draft) => draft.text = text,
            None => self.drafts.push(Draft {
                pointer: pointer.to_owned(),
                name: name.to_owned(),
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

    /// Follows the file, and gives what is to be done next; nothing while an edit is on its way. `commits`: everything that is
    /// valid goes into the file, also from the field that has the focus.
    pub(super) fn settle(&mut self, tree: &Tree, is_editing: bool, commits: bool) -> Option<Wish> {
        for draft in &mut self.drafts {
            draft.follow(draft.reads.known(tree.at_pointer(&draft.pointer)));
        }
        if is_editing {
            return None;
        }
        for draft in &mut self.drafts {
            let is_live = draft.reads.is_live();
            let is_focused = Some(&draft.pointer) == self.focused.as_ref();
            if let Some(read) = draft.unsent().filter(|_| is_live || commits || !is_focused) {
                self.typing |= is_live;
                let edit = draft.reads.edit(&draft.pointer, &read);
                draft.sent = Some(read);
                return Some(if is_live {
                    Wish::Type(edit)
                } else {
                    Wish::Edit(edit)
                });
            }
        }
        let is_left = |draft: &Draft| Some(&draft.pointer) != self.focused.as_ref();
        let is_good = |draft: &Draft| draft.reads.read(&draft.text).is_ok();
        let is_done = |draft: &Draft| (is_left(draft) || commits) && is_good(draft);
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
        drafts.typed(("/name", "Field"), Reads::Optional, None, "n".to_owned());
        drafts.focus("/name");
        let wish = |text: &str| {
            let edit = SessionEdit::Text("/name".to_owned(), text.to_owned());
            Some(Wish::Type(edit))
        };
        assert_eq!(drafts.settle(&before, false, false), wish("n"));
        drafts.typed(("/name", "Field"), Reads::Optional, None, "no".to_owned());
        assert_eq!(drafts.settle(&before, true, false), None);
        let after = tree("id: a\nname: n\ninput: b\n");
        assert_eq!(drafts.settle(&after, false, false), wish("no"));
        let after = tree("id: a\nname: \"no\"\ninput: b\n");
        assert_eq!(drafts.settle(&after, false, false), None);
        drafts.begin();
        assert_eq!(drafts.settle(&after, false, false), None);
        assert_eq!(drafts.settle(&after, false, false), Some(Wish::EndTyping));
    }

    #[test]
    fn an_undo_counts_for_more_than_what_is_typed() {
        let mut drafts = Drafts::default();
        let now = tree("id: abc\ninput: b\n");
        let node = now.at_pointer("/id");
        drafts.focus("/id");
        drafts.typed(("/id", "Field"), Reads::Words, node, "abcd".to_owned());
        assert!(drafts.settle(&now, false, false).is_some());
        drafts.settle(&tree("id: a\ninput: b\n"), false, false);
        assert_eq!(drafts.text("/id", Reads::Words, node), "a");
    }

    #[test]
    fn what_is_no_good_stays_and_says_why() {
        let mut drafts = Drafts::default();
        let (number, object) = (Reads::Number, Reads::Object(Syntax::Yaml));
        drafts.typed(("/a/status", "Field"), number, None, "20x".to_owned());
        drafts.typed(("/a/response", "Field"), object, None, "- 1\n".to_owned());
        assert_eq!(drafts.settle(&tree("a: {}"), false, false), None);
        let faults = [
            drafts.fault("/a/status", number),
            drafts.fault("/a/response", object),
        ];
        insta::assert_snapshot!(faults.map(Option::unwrap).join("\n"), @"
        Expected a whole number or an empty field
        Expected an object, found a list
        ");
    }

    #[test]
    fn a_number_is_an_edit_when_its_field_is_left_or_saved_and_no_prefix_of_it_is() {
        let (now, pointer) = (tree("a: {}"), ("/a/latency_ms", "Latency"));
        let edit = |number| {
            let pointer = "/a/latency_ms".to_owned();
            Some(Wish::Edit(SessionEdit::Number(pointer, Some(number))))
        };
        for commits in [false, true] {
            let mut drafts = Drafts::default();
            for typed in ["1", "1.", "1.5", "1.5 ", "1.5 s"] {
                drafts.focus("/a/latency_ms");
                drafts.typed(pointer, Reads::Millis, None, typed.to_owned());
                assert_eq!(drafts.settle(&now, false, false), None, "{typed}");
            }
            assert!(drafts.has_pending());
            if !commits {
                drafts.begin();
            }
            assert_eq!(drafts.settle(&now, false, commits), edit(1500));
            drafts.settle(&tree("a: {latency_ms: 1500}"), false, commits);
            assert!(!drafts.has_pending());
        }
    }

    #[test]
    fn an_invalid_number_is_never_an_edit_and_can_be_cancelled() {
        let now = tree("a: {status: 200}");
        let mut drafts = Drafts::default();
        let node = now.at_pointer("/a/status");
        drafts.typed(
            ("/a/status", "Status of response 1"),
            Reads::Number,
            node,
            "12:30".to_owned(),
        );
        assert_eq!(drafts.settle(&now, false, true), None);
        let invalid = drafts.invalid().unwrap();
        assert_eq!(
            (&*invalid.name, &*invalid.typed),
            ("Status of response 1", "12:30")
        );
        drafts.cancel("/a/status");
        assert_eq!(drafts.text("/a/status", Reads::Number, node), "200");
        assert_eq!(drafts.invalid(), None);
    }

    #[test]
    fn milliseconds_are_read_with_units() {
        let read = |typed: &str| Reads::Millis.read(typed).unwrap_or_else(|fault| fault);
        let typed = [
            "1.5 s", "1.24 s", "40", "2 min", "0.5", "1,5", "5 apples", " ",
        ];
        insta::assert_snapshot!(typed.map(read).join("\n"), @"
        1500
        1240
        40
        120000
        Expected whole milliseconds, such as 1500 or 1.5 s
        This is no number
        “apples” is no unit of this field; write one such as ns, ms, s or min
        ");
    }

    #[test]
    fn an_object_is_the_same_however_it_is_laid_out() {
        let object = Reads::Object(Syntax::Yaml);
        assert_eq!(object.read("a: 1\nb: [x]\n"), object.read("{a: 1, b: [x]}"));
    }
}
