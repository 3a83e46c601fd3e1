//! Reads the literals, names and calls among Python's expressions.

use super::tokens::{PlacedToken, Token};
use document::text::{Place, Source};

/// The deepest nesting that is read; what is deeper is [`PythonValue::Unknown`].
// The reader is recursive: without a limit, brackets alone could overflow the stack.
const MAX_DEPTH: usize = 40;

/// An expression and where it begins.
#[derive(Clone, Debug, PartialEq)]
pub struct PythonExpression {
    pub value: PythonValue,
    pub place: Place,
}

/// The value of an expression, as far as it follows from the text alone.
#[derive(Clone, Debug, PartialEq)]
pub enum PythonValue {
    None,
    Bool(bool),
    /// As written.
    Number(Box<str>),
    Text(Box<str>),
    /// A list, a tuple or a set.
    List(Vec<PythonExpression>),
    /// Keys with their values. The key is `None` where it is no literal, or where another dictionary is inserted; the value is
    /// then [`PythonValue::Unknown`].
    Dict(Vec<(Option<Box<str>>, PythonExpression)>),
    /// A name with dots: `pytest.mark.vcr`.
    Name(Box<str>),
    Call(PythonCall),
    /// Anything else, whose value is known only when the program runs.
    Unknown,
}

/// A call of something that has a name.
#[derive(Clone, Debug, PartialEq)]
pub struct PythonCall {
    /// The name with dots.
    pub callee: Box<str>,
    /// Arguments without a name.
    pub positional: Vec<PythonExpression>,
    /// Arguments with their names; `None` for `**` with other arguments.
    pub named: Vec<(Option<Box<str>>, PythonExpression)>,
}

impl PythonExpression {
    /// Returns the text of a string.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            PythonValue::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the texts of a list of nothing but strings.
    pub fn texts(&self) -> Option<Vec<Box<str>>> {
        let PythonValue::List(items) = &self.value else { return None };
        items.iter().map(|item| item.text().map(Box::from)).collect()
    }

    /// Returns the name of a name, or of what is called.
    pub fn name(&self) -> Option<&str> {
        match &self.value {
            PythonValue::Name(name) => Some(name),
            PythonValue::Call(call) => Some(&call.callee),
            _ => None,
        }
    }

    /// Returns the call.
    pub fn call(&self) -> Option<&PythonCall> {
        match &self.value {
            PythonValue::Call(call) => Some(call),
            _ => None,
        }
    }

    /// Returns the value of a key of a dictionary, or of a named argument of a call. An unknown value if the key may be set by what is not
    /// known.
    pub fn entry(&self, key: &str) -> Option<&PythonExpression> {
        match &self.value {
            PythonValue::Dict(entries) => {
                // In Python, the last of equal keys counts.
                let has_key = |name: &Option<Box<str>>| name.as_deref().is_none_or(|n| n == key);
                entries.iter().rfind(|(name, _)| has_key(name)).map(|(_, value)| value)
            }
            PythonValue::Call(call) => call.argument(key),
            PythonValue::Unknown | PythonValue::Name(_) => Some(self),
            _ => None,
        }
    }
}

impl PythonCall {
    /// Returns a named argument. An unknown value if it may be set by what is not known.
    pub fn argument(&self, name: &str) -> Option<&PythonExpression> {
        let argument =
            |key: Option<&str>| self.named.iter().find(|(n, _)| n.as_deref() == key).map(|a| &a.1);
        argument(Some(name)).or_else(|| argument(None))
    }
}

/// Reads expressions from the tokens of a line.
pub(super) struct ExpressionReader<'t, 'a> {
    pub(super) tokens: &'t [PlacedToken<'a>],
    pub(super) at: usize,
    pub(super) source: &'t Source,
}

impl<'t, 'a> ExpressionReader<'t, 'a> {
    pub(super) fn new(tokens: &'t [PlacedToken<'a>], source: &'t Source) -> Self {
        Self { tokens, at: 0, source }
    }

    pub(super) fn peek(&self) -> Option<&'t Token<'a>> {
        self.tokens.get(self.at).map(|token| &token.token)
    }

    pub(super) fn is_sign(&self, sign: &str) -> bool {
        matches!(self.peek(), Some(Token::Sign(next)) if *next == sign)
    }

    /// Skips a sign if it is next.
    pub(super) fn skip_sign(&mut self, sign: &str) -> bool {
        let is_next = self.is_sign(sign);
        self.at += usize::from(is_next);
        is_next
    }

    pub(super) fn name(&mut self) -> Option<&'a str> {
        let Some(Token::Name(name)) = self.peek() else { return None };
        self.at += 1;
        Some(name)
    }

    pub(super) fn place(&self) -> Place {
        let token = self.tokens.get(self.at).or(self.tokens.last());
        self.source.place(token.map_or(0, |token| token.at))
    }

    /// Returns whether an expression cannot go on here.
    fn is_at_end(&self) -> bool {
        match self.peek() {
            None => true,
            Some(Token::Sign(sign)) => matches!(*sign, "," | ")" | "]" | "}" | ":" | "="),
            Some(Token::Name(name)) => *name == "as",
            Some(_) => false,
        }
    }

    /// Skips to where an expression ends.
    fn skip_rest(&mut self) {
        let mut depth = 0_usize;
        while let Some(token) = self.peek() {
            if depth == 0 && self.is_at_end() {
                return;
            }
            match token {
                Token::Sign("(" | "[" | "{") => depth += 1,
                Token::Sign(")" | "]" | "}") => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.at += 1;
        }
    }

    /// Reads an expression; several with commas are a tuple.
    pub(super) fn all(&mut self) -> PythonExpression {
        let first = self.expression(0);
        if !self.is_sign(",") {
            return first;
        }
        let place = first.place;
        let mut items = vec![first];
        while self.skip_sign(",") && self.peek().is_some() {
            items.push(self.expression(0));
        }
        let value = PythonValue::List(items);
        PythonExpression { value, place }
    }

    pub(super) fn expression(&mut self, depth: usize) -> PythonExpression {
        let place = self.place();
        let mut value = self.primary(depth);
        if !self.is_at_end() {
            self.skip_rest();
            value = PythonValue::Unknown;
        }
        PythonExpression { value, place }
    }

    fn primary(&mut self, depth: usize) -> PythonValue {
        let Some(token) = self.peek().filter(|_| depth < MAX_DEPTH) else {
            self.skip_rest();
            return PythonValue::Unknown;
        };
        if !matches!(token, Token::Sign(_)) {
            self.at += 1;
        }
        match token {
            Token::Name("None") => PythonValue::None,
            Token::Name("True") => PythonValue::Bool(true),
            Token::Name("False") => PythonValue::Bool(false),
            Token::Name("lambda") => {
                // Its parameters have commas and default values; only the colon ends them.
                while self.peek().is_some() && !self.skip_sign(":") {
                    self.at += 1;
                }
                self.expression(depth + 1);
                PythonValue::Unknown
            }
            Token::Name(name) => self.named(name, depth),
            Token::Number(number) => PythonValue::Number((*number).into()),
            Token::Text(text) => {
                let mut value = text.clone();
                // Neighbouring strings are one text in Python.
                while let Some(Token::Text(part)) = self.peek() {
                    value = value.zip(part.as_deref()).map(|(value, part)| value + part);
                    self.at += 1;
                }
                value.map_or(PythonValue::Unknown, |text| PythonValue::Text(text.into()))
            }
            Token::Sign("-") => {
                self.at += 1;
                match self.peek() {
                    Some(Token::Number(number)) => {
                        self.at += 1;
                        PythonValue::Number(format!("-{number}").into())
                    }
                    _ => PythonValue::Unknown,
                }
            }
            Token::Sign("(") => {
                let (mut items, has_comma) = self.items(")", depth);
                match items.pop() {
                    Some(item) if items.is_empty() && !has_comma => item.value,
                    // A comma makes a tuple, also of one item; without one, brackets only group.
                    last => {
                        items.extend(last);
                        PythonValue::List(items)
                    }
                }
            }
            Token::Sign("[") => PythonValue::List(self.items("]", depth).0),
            Token::Sign("{") => self.dict(depth),
            Token::Sign(_) => PythonValue::Unknown,
        }
    }

    /// Reads what follows a name.
    fn named(&mut self, first: &str, depth: usize) -> PythonValue {
        let mut name = first.to_owned();
        while self.is_sign(".") {
            self.at += 1;
            let Some(part) = self.name() else { return PythonValue::Unknown };
            name.push('.');
            name.push_str(part);
        }
        if !self.is_sign("(") {
            return PythonValue::Name(name.into());
        }
        let mut call =
            PythonCall { callee: name.into(), positional: Vec::new(), named: Vec::new() };
        self.each(")", |reader| {
            if reader.skip_sign("**") {
                call.named.push((None, reader.unknown(depth)));
                return;
            }
            if reader.skip_sign("*") {
                call.positional.push(reader.unknown(depth));
                return;
            }
            let argument = reader.expression(depth + 1);
            let name = match &argument.value {
                PythonValue::Name(name) if reader.skip_sign("=") => name.clone(),
                _ => return call.positional.push(argument),
            };
            call.named.push((Some(name), reader.expression(depth + 1)));
        });
        PythonValue::Call(call)
    }

    /// Reads an expression whose value does not count.
    fn unknown(&mut self, depth: usize) -> PythonExpression {
        PythonExpression { value: PythonValue::Unknown, ..self.expression(depth + 1) }
    }

    /// Reads the items of a list, and whether a comma follows any.
    fn items(&mut self, close: &str, depth: usize) -> (Vec<PythonExpression>, bool) {
        let mut items = Vec::new();
        let has_comma = self.each(close, |reader| items.push(reader.expression(depth + 1)));
        // `()` is a tuple, although it has no comma.
        let is_empty = items.is_empty();
        (items, has_comma || is_empty)
    }

    fn dict(&mut self, depth: usize) -> PythonValue {
        let (mut entries, mut items) = (Vec::new(), Vec::new());
        self.each("}", |reader| {
            if reader.skip_sign("**") {
                entries.push((None, reader.unknown(depth)));
                return;
            }
            let key = reader.expression(depth + 1);
            if !reader.skip_sign(":") {
                return items.push(key);
            }
            let value = match key.text() {
                Some(_) => reader.expression(depth + 1),
                None => reader.unknown(depth),
            };
            entries.push((key.text().map(Box::from), value));
        });
        if items.is_empty() {
            PythonValue::Dict(entries)
        } else if entries.is_empty() {
            PythonValue::List(items)
        } else {
            PythonValue::Unknown
        }
    }

    /// Calls `read` at each item in brackets, and skips what it leaves. Returns whether there was a comma.
    fn each(&mut self, close: &str, mut read: impl FnMut(&mut Self)) -> bool {
        self.at += 1;
        let mut has_comma = false;
        while self.peek().is_some() && !self.skip_sign(close) {
            let start = self.at;
            read(self);
            while self.peek().is_some() && !self.is_sign(",") && !self.is_sign(close) {
                self.at += 1;
                self.skip_rest();
            }
            has_comma |= self.skip_sign(",");
            // A bracket that closes nothing must be skipped, or the loop would never end.
            self.at += usize::from(self.at == start);
        }
        has_comma
    }
}
