//! Builds JSON text: members keep their order, and values that were read are copied.

use crate::javascript::{indented, stringify};
use document::json::quote;
use document::text::Source;
use document::{Node, json};

/// The text of one JSON value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Json(String);

/// Builds an object with members in this order: `object! { "type": "text", "text": text }`.
#[macro_export]
macro_rules! object {
    () => {
        $crate::json::Json::raw("{}")
    };
    ($($key:literal: $value:expr),+ $(,)?) => {
        $crate::json::Json::object([$(($key, $crate::json::Json::from($value))),+])
    };
}

/// Builds a list: `list![a, b]`.
#[macro_export]
macro_rules! list {
    ($($value:expr),* $(,)?) => {
        $crate::json::Json::from(vec![$($crate::json::Json::from($value)),*])
    };
}

pub use crate::{list, object};

pub(crate) const NULL: Option<Json> = None;

impl Json {
    /// Wraps text that is already JSON.
    pub fn raw(json: impl Into<String>) -> Self {
        Self(json.into())
    }

    pub fn object<K: AsRef<str>>(members: impl IntoIterator<Item = (K, Self)>) -> Self {
        let members: Vec<(String, String)> =
            members.into_iter().map(|(key, value)| (quote(key.as_ref()), value.0)).collect();
        let length: usize = members.iter().map(|(key, value)| key.len() + value.len() + 2).sum();
        // Allocated once, because the texts of conversations are long.
        let mut json = String::with_capacity(length + 2);
        json.push('{');
        for (index, (key, value)) in members.iter().enumerate() {
            if index > 0 {
                json.push(',');
            }
            json.push_str(key);
            json.push(':');
            json.push_str(value);
        }
        json.push('}');
        Self(json)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn is_text(&self) -> bool {
        self.0.starts_with('"')
    }

    /// Formats the value like `JSON.stringify(value, null, 2)`.
    pub fn pretty(&self) -> String {
        // Raw JSON inside may have any layout, so the text is read again.
        let (tree, _) = json::parse(&Source::new(self.as_str()));
        tree.root().map(indented).unwrap_or_default()
    }

    pub fn into_string(self) -> String {
        self.0
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Self(quote(text))
    }
}

impl From<&String> for Json {
    fn from(text: &String) -> Self {
        Self(quote(text))
    }
}

impl From<String> for Json {
    fn from(text: String) -> Self {
        Self(quote(&text))
    }
}

impl From<bool> for Json {
    fn from(truth: bool) -> Self {
        Self(truth.to_string())
    }
}

impl From<i64> for Json {
    fn from(number: i64) -> Self {
        Self(number.to_string())
    }
}

impl From<usize> for Json {
    fn from(number: usize) -> Self {
        Self(number.to_string())
    }
}

impl From<Vec<Json>> for Json {
    fn from(items: Vec<Json>) -> Self {
        let length: usize = items.iter().map(|item| item.0.len() + 1).sum();
        let mut json = String::with_capacity(length + 2);
        json.push('[');
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                json.push(',');
            }
            json.push_str(&item.0);
        }
        json.push(']');
        Self(json)
    }
}

impl<T: Into<Self>> From<Option<T>> for Json {
    fn from(value: Option<T>) -> Self {
        value.map_or_else(|| Self("null".to_owned()), Into::into)
    }
}

/// Formats a parsed value as JavaScript writes it.
impl From<Node<'_>> for Json {
    fn from(node: Node<'_>) -> Self {
        Self(stringify(node))
    }
}
