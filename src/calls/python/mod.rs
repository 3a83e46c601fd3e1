//! Python source, read for its literals: what the configuration of tests says without being run.
//!
//! Nothing is run, imported or guessed. A value that is no literal is [`PythonValue::Unknown`]; reading never fails, and takes time in
//! proportion to the text.

mod expression;
mod function_statements;
#[cfg(test)]
mod tests;
mod tokens;

use expression::ExpressionReader;
pub use expression::{PythonCall, PythonExpression, PythonValue};
pub use function_statements::{PythonStatement, function_statements, statement_at};
use tokens::{LogicalLine, PlacedToken, Token, split};

use document::text::{Place, Source};

/// Definitions of a module.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PythonModule {
    /// The assignments of the module itself.
    pub assignments: Vec<(Box<str>, PythonExpression)>,
    /// Functions of the module and methods of its classes, in the order of the text.
    pub functions: Vec<PythonFunction>,
    pub classes: Vec<PythonClass>,
    /// The modules that are imported, with dots, each with its place.
    pub modules: Vec<(Box<str>, Place)>,
    /// The names that imports define, each with what it is: `V` is `vcr.VCR` by `from vcr import VCR as V`. `*` for all of a module.
    pub imported: Vec<(Box<str>, Box<str>)>,
}

/// A function or a method.
#[derive(Clone, Debug, PartialEq)]
pub struct PythonFunction {
    pub name: Box<str>,
    /// The place of its name.
    pub place: Place,
    /// The innermost class, as an index of [`PythonModule::classes`].
    pub class: Option<usize>,
    /// In the order of the text.
    pub decorators: Vec<PythonExpression>,
    /// The values that it returns or yields.
    pub results: Vec<PythonExpression>,
    /// The contexts that it enters by `with`.
    pub contexts: Vec<PythonExpression>,
    /// The assignments in the body of a fixture, and of the hook of pytest-recording.
    pub assignments: Vec<(Box<str>, PythonExpression)>,
    /// Whether its decorators, its parameters or its body say that an error is expected, as by `pytest.raises`.
    pub expects_error: bool,
}

/// A class.
#[derive(Clone, Debug, PartialEq)]
pub struct PythonClass {
    pub name: Box<str>,
    pub bases: Vec<PythonExpression>,
    /// In the order of the text.
    pub decorators: Vec<PythonExpression>,
    /// The value of `pytestmark`.
    pub marks: Option<PythonExpression>,
}

impl PythonModule {
    /// Reads a module.
    pub fn parse(source: &Source) -> Self {
        let mut reader = ModuleReader {
            source,
            module: Self::default(),
            decorators: Vec::new(),
            expects_error: false,
            blocks: Vec::new(),
        };
        for line in split(source.text()) {
            reader.line(&line);
        }
        reader.module
    }

    /// Returns the value of a name that the module assigns exactly once.
    pub fn value(&self, name: &str) -> Option<&PythonExpression> {
        let mut values = self.assignments.iter().filter(|(n, _)| **n == *name);
        let (_, value) = values.next()?;
        values.next().is_none().then_some(value)
    }

    /// Returns a name with dots as the module that defines it has it: `vcr.use_cassette` for `V.use_cassette` after `import vcr as V`.
    pub fn full_name(&self, name: &str) -> String {
        let (first, suffix) = name.split_at(name.find('.').unwrap_or(name.len()));
        let import = self.imported.iter().find(|(n, _)| **n == *first);
        format!("{}{suffix}", import.map_or(first, |(_, f)| f))
    }

    /// Returns the functions that are fixtures of pytest with this name.
    pub fn fixtures(&self, name: &str) -> impl Iterator<Item = &PythonFunction> {
        self.functions.iter().filter(move |function| {
            let decorator = function.fixture_decorator();
            decorator.is_some_and(|decorator| {
                let fixture_name = decorator
                    .call()
                    .and_then(|call| call.argument("name"))
                    .and_then(PythonExpression::text);
                fixture_name.unwrap_or(&function.name) == name
            })
        })
    }

    /// Returns what a fixture returns: of a variable its value, as far as the assignments to it are literals. `None` if there are several.
    pub fn result(&self, fixture: &PythonFunction) -> Option<PythonExpression> {
        let [result] = &fixture.results[..] else { return None };
        let PythonValue::Name(name) = &result.value else { return Some(result.clone()) };
        let mut assignments = fixture.assignments.iter().filter(|(n, _)| n == name);
        let Some((_, first)) = assignments.next() else {
            return Some(self.value(name).unwrap_or(result).clone());
        };
        let mut value = first.clone();
        for (_, addition) in assignments {
            match (&mut value.value, &addition.value) {
                (PythonValue::Dict(entries), PythonValue::Dict(addition)) => {
                    // An assignment to a key is one more entry, and the last one counts.
                    entries.extend(addition.iter().cloned());
                }
                (value, _) => *value = PythonValue::Unknown,
            }
        }
        Some(value)
    }
}

impl PythonFunction {
    /// Returns whether it is the hook in which the recorder of pytest-recording is configured, its second parameter.
    pub fn is_recorder_hook(&self) -> bool {
        *self.name == *"pytest_recording_configure"
    }

    fn fixture_decorator(&self) -> Option<&PythonExpression> {
        self.decorators.iter().find(|d| d.name().is_some_and(|n| n.ends_with("fixture")))
    }
}

/// Owner of a block of lines.
#[derive(Clone, Copy)]
enum BlockOwner {
    Function(usize),
    Class(usize),
    /// A function or a class in a function.
    Inner,
}

struct ModuleReader<'s> {
    source: &'s Source,
    module: PythonModule,
    /// Those before the next function or class.
    decorators: Vec<PythonExpression>,
    /// Whether these decorators say that an error is expected.
    expects_error: bool,
    /// The blocks around a line, each with the indentation of its first line.
    blocks: Vec<(usize, BlockOwner)>,
}

impl ModuleReader<'_> {
    fn line(&mut self, line: &LogicalLine<'_>) {
        while self.blocks.last().is_some_and(|(indent, _)| line.indent <= *indent) {
            self.blocks.pop();
        }
        // The outermost function: a helper inside a test expects an error for the test.
        let function = self.blocks.iter().map(|(_, owner)| *owner).find_map(|owner| match owner {
            BlockOwner::Function(index) => Some(index),
            BlockOwner::Class(_) | BlockOwner::Inner => None,
        });
        if let Some(index) = function {
            self.module.functions[index].expects_error |= expects_error(&line.tokens);
        }
        self.statement(&line.tokens, line.indent);
    }

    fn statement(&mut self, tokens: &[PlacedToken<'_>], indent: usize) {
        let mut reader = ExpressionReader::new(tokens, self.source);
        if reader.skip_sign("@") {
            let decorator = reader.expression(0);
            self.expects_error |= expects_error(tokens);
            return self.decorators.push(decorator);
        }
        let owner = self.blocks.last().map(|(_, owner)| *owner);
        let Some(word) = reader.name() else { return };
        let word = match word {
            "async" => reader.name().unwrap_or_default(),
            word => word,
        };
        let decorators = match word {
            "def" | "class" => std::mem::take(&mut self.decorators),
            _ => Vec::new(),
        };
        let is_decorated = std::mem::take(&mut self.expects_error);
        match (word, owner) {
            ("def", _) => {
                self.function(reader, decorators, is_decorated || expects_error(tokens), indent);
            }
            ("class", _) => self.class(reader, decorators, indent),
            ("return" | "yield", Some(BlockOwner::Function(index))) => {
                self.module.functions[index].results.push(reader.all());
            }
            ("with", Some(BlockOwner::Function(index))) => self.contexts(reader, index),
            ("import", None) => self.imports(reader),
            ("from", None) => self.imports_from(reader),
            (_, None | Some(BlockOwner::Class(_))) => self.assignment(tokens, indent),
            (_, Some(BlockOwner::Function(index))) => {
                let function = &self.module.functions[index];
                if function.fixture_decorator().is_some() || function.is_recorder_hook() {
                    self.assignment(tokens, indent);
                }
            }
            (_, Some(BlockOwner::Inner)) => {}
        }
    }

    fn function(
        &mut self,
        mut reader: ExpressionReader<'_, '_>,
        decorators: Vec<PythonExpression>,
        expects_error: bool,
        indent: usize,
    ) {
        let place = reader.place();
        let Some(name) = reader.name() else { return };
        let class = match self.blocks.last() {
            None => None,
            Some((_, BlockOwner::Class(class))) => Some(*class),
            // pytest collects no tests and fixtures from within functions.
            Some((_, BlockOwner::Function(_) | BlockOwner::Inner)) => {
                return self.blocks.push((indent, BlockOwner::Inner));
            }
        };
        self.blocks.push((indent, BlockOwner::Function(self.module.functions.len())));
        self.module.functions.push(PythonFunction {
            name: name.into(),
            place,
            class,
            decorators,
            results: Vec::new(),
            contexts: Vec::new(),
            assignments: Vec::new(),
            expects_error,
        });
        self.rest_of_line(reader, indent);
    }

    fn class(
        &mut self,
        mut reader: ExpressionReader<'_, '_>,
        decorators: Vec<PythonExpression>,
        indent: usize,
    ) {
        if matches!(self.blocks.last(), Some((_, BlockOwner::Function(_) | BlockOwner::Inner))) {
            return self.blocks.push((indent, BlockOwner::Inner));
        }
        let PythonExpression { value, .. } = reader.expression(0);
        let (name, bases) = match value {
            PythonValue::Name(name) => (name, Vec::new()),
            PythonValue::Call(call) => (call.callee, call.positional),
            _ => return,
        };
        self.blocks.push((indent, BlockOwner::Class(self.module.classes.len())));
        self.module.classes.push(PythonClass { name, bases, decorators, marks: None });
        self.rest_of_line(reader, indent);
    }

    /// Reads a body that is on the line of its head.
    fn rest_of_line(&mut self, mut reader: ExpressionReader<'_, '_>, indent: usize) {
        let mut depth = 0_usize;
        while let Some(token) = reader.peek() {
            reader.at += 1;
            match token {
                Token::Sign("(" | "[" | "{") => depth += 1,
                Token::Sign(")" | "]" | "}") => depth = depth.saturating_sub(1),
                Token::Sign(":") if depth == 0 => break,
                _ => {}
            }
        }
        let body = &reader.tokens[reader.at..];
        if !body.is_empty() {
            // The statement is read as if it were in the block, deeper than its head.
            self.statement(body, indent + 1);
        }
    }

    /// Reads what follows `with`.
    fn contexts(&mut self, mut reader: ExpressionReader<'_, '_>, index: usize) {
        let contexts = &mut self.module.functions[index].contexts;
        while reader.peek().is_some() && !reader.is_sign(":") {
            // Several contexts may be in parentheses.
            let context = reader.expression(0);
            match context.value {
                PythonValue::List(items) => contexts.extend(items),
                _ => contexts.push(context),
            }
            while reader.peek().is_some() && !reader.is_sign(":") && !reader.skip_sign(",") {
                reader.at += 1;
            }
        }
    }

    fn imports(&mut self, mut reader: ExpressionReader<'_, '_>) {
        while reader.peek().is_some() {
            let module = reader.expression(0);
            let mut alias = None;
            while let Some(token) = reader.peek() {
                reader.at += 1;
                match token {
                    Token::Sign(",") => break,
                    Token::Name("as") => {}
                    Token::Name(name) => alias = Some(*name),
                    _ => {}
                }
            }
            if let PythonValue::Name(name) = module.value {
                let first = name.split('.').next().unwrap_or_default();
                self.module.imported.push(match alias {
                    Some(alias) => (alias.into(), name.clone()),
                    // `import a.b` defines only `a`.
                    None => (first.into(), first.into()),
                });
                self.module.modules.push((name, module.place));
            }
        }
    }

    fn imports_from(&mut self, mut reader: ExpressionReader<'_, '_>) {
        let place = reader.place();
        let mut module = String::new();
        while let Some(token) = reader.peek() {
            reader.at += 1;
            match token {
                Token::Name("import") => break,
                Token::Name(part) | Token::Sign(part) => module.push_str(part),
                Token::Number(_) | Token::Text(_) => {}
            }
        }
        let mut last_import: Option<&str> = None;
        for token in &reader.tokens[reader.at..] {
            match &token.token {
                Token::Name("as") => {}
                Token::Name(name) | Token::Sign(name @ "*") => match last_import.take() {
                    // This is the name behind `as`.
                    Some(_) => {
                        if let Some((import_name, _)) = self.module.imported.last_mut() {
                            *import_name = (*name).into();
                        }
                    }
                    None => {
                        let full_name = format!("{module}.{name}");
                        self.module.imported.push(((*name).into(), full_name.into()));
                        last_import = Some(name);
                    }
                },
                Token::Sign(",") => last_import = None,
                _ => {}
            }
        }
        self.module.modules.push((module.into(), place));
    }

    /// Reads `a = …`, `a: T = …` and `a += …` of a module or a class.
    fn assignment(&mut self, tokens: &[PlacedToken<'_>], indent: usize) {
        let mut reader = ExpressionReader::new(tokens, self.source);
        let mut names = Vec::new();
        // An assignment in a block, such as that of `if`, may not be executed.
        let mut is_known = !self.blocks.is_empty() || indent == 0;
        let value = loop {
            let part = reader.all();
            if reader.skip_sign(":") {
                reader.all();
            }
            let PythonValue::Name(name) = &part.value else {
                // The value is changed in place: `a += …`, `a["b"] = …`, `a.b(…)`.
                break part;
            };
            if !reader.skip_sign("=") {
                break part;
            }
            names.push(name.clone());
        };
        if names.is_empty() {
            let (Some(Token::Name(name)), Some(Token::Sign(sign))) =
                (tokens.first().map(|token| &token.token), tokens.get(1).map(|token| &token.token))
            else {
                return;
            };
            if !sign.ends_with('=') && !matches!(*sign, "[" | ".") || *sign == "==" {
                return;
            }
            names.push((*name).into());
            is_known = false;
        }
        let value = if is_known {
            value
        } else {
            let single_key = match tokens.get(1..5).unwrap_or_default() {
                // Only one key of the value is assigned.
                [open, key, close, sign] if open.token == Token::Sign("[") => {
                    let is_set = close.token == Token::Sign("]") && sign.token == Token::Sign("=");
                    match &key.token {
                        Token::Text(Some(key)) if is_set => Some(key),
                        _ => None,
                    }
                }
                _ => None,
            };
            let place = self.source.place(tokens.first().map_or(0, |token| token.at));
            let guess = PythonExpression { value: PythonValue::Unknown, place };
            let entry =
                |key: &String| PythonValue::Dict(vec![(Some(key.as_str().into()), guess.clone())]);
            PythonExpression { value: single_key.map_or(PythonValue::Unknown, entry), ..value }
        };
        match self.blocks.last() {
            Some((_, BlockOwner::Function(index))) => {
                let assignments = names.into_iter().map(|name| (name, value.clone()));
                self.module.functions[*index].assignments.extend(assignments);
            }
            Some((_, BlockOwner::Class(class))) => {
                if names.iter().any(|name| **name == *"pytestmark") {
                    self.module.classes[*class].marks = Some(value);
                }
            }
            _ => {
                self.module.assignments.extend(names.into_iter().map(|name| (name, value.clone())));
            }
        }
    }
}

/// Returns whether a line says that an error is expected: `pytest.raises`, `assertRaises`, a parameter such as `expected_error`, or a
/// status of 400 or more that is compared.
fn expects_error(tokens: &[PlacedToken<'_>]) -> bool {
    let names = || {
        tokens.iter().filter_map(|token| match token.token {
            Token::Name(name) => Some(name),
            _ => None,
        })
    };
    let is_error = |name: &str| {
        let name = name.to_ascii_lowercase();
        let has_part = |part: &&str| name.contains(*part);
        name.contains("raises")
            || name.contains("expect")
                && ["error", "exc", "fail", "refus", "status"].iter().any(has_part)
    };
    let is_failure = |token: &PlacedToken<'_>| matches!(token.token, Token::Number(number) if number.len() == 3 && number.starts_with(['4', '5']));
    let has_op = tokens.iter().any(|token| matches!(token.token, Token::Sign("==")));
    names().any(is_error)
        || has_op && names().any(|name| name.contains("status")) && tokens.iter().any(is_failure)
}
