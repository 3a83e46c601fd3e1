//! Tool calls of a stream: how their parts become pieces of a tape.
//!
//! Joined, the pieces of a call are a JSON object on a line of its own. Where events are kept, each event that brings a part
//! of its input is a piece: the first has what stands before the input, the last what closes the object.

use super::Piece;
use super::heard::{Heard, Keeping};
use crate::format::{Node, json};
use crate::ops::edit::json_string;
use crate::ops::tape::javascript;
use crate::text::Source;

/// A tool call that comes in parts.
#[derive(Debug, Default)]
pub(super) struct Call {
    pub(super) id: Option<String>,
    pub(super) name: Option<String>,
    /// JSON, as far as it came.
    pub(super) arguments: String,
    /// Where its parts are kept: the pieces that stand for them.
    pub(super) parts: Vec<Part>,
    /// When its last part came, where an API does not say when a call is complete.
    pub(super) at_nanos: Option<f64>,
}

/// A part of a tool call's input.
#[derive(Debug)]
pub(super) struct Part {
    /// Which piece stands for it.
    piece: usize,
    /// Where it ends among the arguments.
    end: usize,
}

impl Call {
    /// As it stands on a tape, up to its input.
    fn head(&self) -> String {
        let id = self
            .id
            .as_ref()
            .map(|id| format!("\"id\":{},", json_string(id)));
        let name = json_string(self.name.as_deref().unwrap_or_default());
        format!(
            "{{\"type\":\"tool_use\",{}\"name\":{name},\"input\":",
            id.unwrap_or_default()
        )
    }

    /// Takes note of what the parts joined are, as an API tells it in the end.
    pub(super) fn settle(&mut self, arguments: String) {
        if arguments.is_empty() || arguments == self.arguments {
            return;
        }
        if let Some(mut last) = self.parts.pop() {
            last.end = arguments.len();
            self.parts = vec![last];
        }
        self.arguments = arguments;
    }

    /// Whether its input is there as a whole.
    pub(super) fn is_json(&self) -> bool {
        let (tree, problems) = json::parse(&Source::new(self.arguments.as_str()));
        tree.root().is_some() && problems.is_empty()
    }

    /// Whether nothing else was said between its parts.
    fn is_in_one_go(&self) -> bool {
        let pieces = self.parts.iter().map(|part| part.piece);
        pieces.clone().is_sorted_by(|one, next| one + 1 == *next)
    }

    /// Each part of its input, as it came.
    fn inputs(&self) -> impl Iterator<Item = String> {
        let starts = std::iter::once(0).chain(self.parts.iter().map(|part| part.end));
        let parts = starts.zip(&self.parts);
        parts.map(|(start, part)| on_one_line(&self.arguments[start..part.end]))
    }
}

impl Heard {
    /// A part of a tool call's input came.
    pub(super) fn part(&mut self, call: u64, json: Option<Node<'_>>, at_nanos: Option<f64>) {
        let call = self.calls.entry(call).or_default();
        call.at_nanos = at_nanos;
        call.arguments += json.and_then(Node::as_str).unwrap_or_default();
        if self.keeping == Keeping::Events {
            call.parts.push(Part {
                piece: self.pieces.len(),
                end: call.arguments.len(),
            });
            self.piece(at_nanos);
        }
    }

    /// A tool call is complete. Its parts are told as they came, unless something else came between them, or they are no JSON.
    pub(super) fn call(&mut self, call: &Call, at_nanos: Option<f64>) {
        let arguments = Some(call.arguments.trim()).filter(|arguments| !arguments.is_empty());
        let (tree, problems) = json::parse(&Source::new(arguments.unwrap_or("{}")));
        let input = tree.root().filter(|_| problems.is_empty());
        if call.parts.len() > 1 && call.is_in_one_go() && arguments.and(input).is_some() {
            self.tell_parts(call, "}");
            return;
        }
        let input = match (call.parts.len(), input) {
            (1, Some(_)) => on_one_line(arguments.unwrap_or("{}")),
            (_, Some(input)) => javascript::stringify(input),
            (_, None) => {
                let name = call.name.as_deref().unwrap_or("a tool");
                self.notes
                    .push(format!("The input of a call of {name} is no JSON"));
                json_string(&call.arguments)
            }
        };
        let piece = match call.parts.last() {
            Some(part) => part.piece,
            None => self.piece(at_nanos),
        };
        self.tell_call(piece, &format!("{}{input}}}", call.head()));
    }

    /// Tells a call that broke off as far as it came; answers whether that can be.
    pub(super) fn tell_broken(&mut self, call: &Call) -> bool {
        let can_be = !call.parts.is_empty() && call.is_in_one_go() && call.name.is_some();
        if can_be {
            self.tell_parts(call, "");
        }
        can_be
    }

    /// A piece that nothing is told of yet.
    fn piece(&mut self, at_nanos: Option<f64>) -> usize {
        self.pieces.push(Piece {
            at_nanos,
            text: json_string(""),
            chars: 0,
        });
        self.pieces.len() - 1
    }

    fn tell_parts(&mut self, call: &Call, end: &str) {
        let last = call.parts.len() - 1;
        for (index, (part, input)) in call.parts.iter().zip(call.inputs()).enumerate() {
            let end = if index == last { end } else { "" };
            match index {
                0 => self.tell_call(part.piece, &format!("{}{input}{end}", call.head())),
                _ => self.tell(part.piece, &format!("{input}{end}")),
            }
        }
    }

    /// Tells the beginning of a call, on a line of its own.
    fn tell_call(&mut self, piece: usize, text: &str) {
        let is_first = self.pieces[..piece].iter().all(|piece| piece.chars == 0);
        let lead = if is_first { "" } else { "\n" };
        self.tell(piece, &format!("{lead}{text}"));
    }

    fn tell(&mut self, piece: usize, text: &str) {
        let piece = &mut self.pieces[piece];
        piece.text = json_string(text);
        piece.chars = text.chars().count();
    }

    /// All tool calls are complete, since something else came.
    pub(super) fn call_all(&mut self, at_nanos: Option<f64>) {
        for call in std::mem::take(&mut self.calls).into_values() {
            self.call(&call, call.at_nanos.or(at_nanos));
        }
    }
}

/// JSON on the one line that a tape has for it: outside of texts a line end says nothing, and within them there is none.
fn on_one_line(json: &str) -> String {
    json.replace(['\r', '\n'], "")
}
