//! Names of tests, as the runners of several languages print them.

use std::fmt;
use std::sync::Arc;

/// The name of a test.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TestName {
    /// Its file from the folder in which the tests ran, if printed, joined with `/`.
    pub file: Option<Arc<str>>,
    /// Its innermost class.
    pub class: Option<Arc<str>>,
    /// With its parameters in brackets, or the sentence that describes it.
    pub name: Arc<str>,
}

impl TestName {
    /// Parses a node id of pytest: `tests/test_a.py::TestA::test_b[c]`.
    pub fn of_node(id: &str) -> Option<Self> {
        let (file, rest) = id.split_once("::")?;
        // Parameters may contain anything, also `::`.
        let brackets = rest.find('[').unwrap_or(rest.len());
        let (path, params) = rest.split_at(brackets);
        let (classes, name) = path.rsplit_once("::").map_or((None, path), |(c, n)| (Some(c), n));
        let class = classes.and_then(|classes| classes.rsplit("::").next());
        Some(Self {
            file: Some(file.replace('\\', "/").into()),
            class: class.map(Arc::from),
            name: format!("{name}{params}").into(),
        })
    }

    /// Parses the heading of a failure in pytest: `TestA.test_b[c]`.
    pub(super) fn of_heading(heading: &str) -> Self {
        let brackets = heading.find('[').unwrap_or(heading.len());
        let (path, params) = heading.split_at(brackets);
        let (classes, name) = path.rsplit_once('.').map_or((None, path), |(c, n)| (Some(c), n));
        Self {
            file: None,
            class: classes.and_then(|classes| classes.rsplit('.').next()).map(Arc::from),
            name: format!("{name}{params}").into(),
        }
    }

    /// Returns the name of a test in a module of Python: `tests.test_a` or `tests.test_a.TestA`.
    pub fn of_module(module: &str, name: &str) -> Self {
        let parts: Vec<&str> = module.split('.').collect();
        let is_class = |part: &&str| part.starts_with(|c: char| c.is_ascii_uppercase());
        let class_count = parts.iter().rev().take_while(|part| is_class(part)).count();
        let (path, classes) = parts.split_at(parts.len() - class_count);
        Self {
            file: (!path.is_empty()).then(|| format!("{}.py", path.join("/")).into()),
            class: classes.last().map(|class| Arc::from(*class)),
            name: name.into(),
        }
    }

    /// Returns the name with its class, as in the heading of pytest and in the names of cassettes.
    pub fn with_class(&self) -> String {
        match &self.class {
            Some(class) => format!("{class}.{}", self.name),
            None => self.name.to_string(),
        }
    }

    /// Returns the node id by which pytest runs the test; `None` if its file is not known.
    pub fn node_id(&self) -> Option<String> {
        let file = self.file.as_deref()?;
        Some(match &self.class {
            Some(class) => format!("{file}::{class}::{}", self.name),
            None => format!("{file}::{}", self.name),
        })
    }
}

impl fmt::Display for TestName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.node_id(), &self.file) {
            (Some(id), Some(file)) if file.ends_with(".py") => f.write_str(&id),
            (_, Some(file)) => write!(f, "{file} > {}", self.with_class()),
            (_, None) => f.write_str(&self.with_class()),
        }
    }
}
