//! The properties of a recording that a client compares, as JavaScript sees the file.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use calls::Pool;
use document::signature::utf16_order;
use document::{Node, NodeKind};

/// Properties of a recording that a client compares, or its failure to do so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientComparison {
    Compared(MatchKey),
    /// It is compared and never matches; the reason is a sentence without a full stop.
    Never(&'static str),
    /// The client fails here for every request.
    Breaks(TypeError),
    /// The client fails here if the tools and the message count are equal: it then reads missing context keys.
    BreaksWhenAlike(MatchKey, TypeError),
}

/// Names of tools; `None` for a tool without a name, which is `undefined`.
type ToolNameList = Box<[Option<Arc<str>>]>;

/// The properties that a client compares.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct MatchKey {
    pub(super) names: ToolNameList,
    pub(super) messages: u64,
    /// Context keys.
    pub(super) keys: Box<[Arc<str>]>,
}

/// The error of the client for a file that lacks what it reads, usually a `TypeError`. Displays the message of Node.js.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TypeError(Thrown);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Thrown {
    /// A property of `undefined` or `null` is read.
    Read {
        /// `undefined` or `null`
        of: &'static str,
        /// The property that is read.
        reading: &'static str,
    },
    /// This is called but is not a function.
    Called(&'static str),
    /// The client's own error, if the file that it takes by position is `null`, `false`, 0 or an empty string.
    NoneSelected,
}

impl TypeError {
    /// The tools are not a list.
    pub(super) const TOOLS_NOT_MAPPED: Self = Self(Thrown::Called("tools.map"));
    /// The stored tool names are not a list.
    pub(super) const NAMES_NOT_JOINED: Self = Self(Thrown::Called("recordedSig.toolNames.join"));
    /// The next file is treated as missing.
    pub(super) const NONE_SELECTED: Self = Self(Thrown::NoneSelected);

    /// Returns whether it is JavaScript's own error, not the client's.
    pub fn is_type_error(self) -> bool {
        self != Self::NONE_SELECTED
    }
}

impl fmt::Display for TypeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Thrown::Read { of, reading } => {
                write!(f, "TypeError: Cannot read properties of {of} (reading '{reading}')")
            }
            Thrown::Called(what) => write!(f, "TypeError: {what} is not a function"),
            Thrown::NoneSelected => f.write_str("Internal error: No recording selected"),
        }
    }
}

/// A JavaScript value; `None` is `undefined`.
pub(super) type JsValue<'t> = Option<Node<'t>>;

/// Reads a property.
///
/// # Errors
///
/// Fails like JavaScript if the value is `undefined` or `null`.
pub(super) fn property<'t>(of: JsValue<'t>, key: &'static str) -> Result<JsValue<'t>, TypeError> {
    Ok(require_value(of, key)?.get(key))
}

/// Returns whether a value is `undefined` or `null`.
pub(super) fn is_nothing(value: JsValue<'_>) -> bool {
    value.is_none_or(|node| node.kind() == NodeKind::Null)
}

pub(super) fn require_value<'t>(
    of: JsValue<'t>,
    reading: &'static str,
) -> Result<Node<'t>, TypeError> {
    let fail = |of| TypeError(Thrown::Read { of, reading });
    match of {
        None => Err(fail("undefined")),
        Some(node) if node.kind() == NodeKind::Null => Err(fail("null")),
        Some(node) => Ok(node),
    }
}

/// Returns whether a value is truthy in JavaScript.
pub(super) fn is_truthy(node: Node<'_>) -> bool {
    match node.kind() {
        NodeKind::Null => false,
        NodeKind::Bool => node.as_bool() == Some(true),
        NodeKind::Number => node.as_f64().is_some_and(|number| number != 0.0),
        NodeKind::String => node.as_str() != Some(""),
        _ => true,
    }
}

impl ClientComparison {
    /// Returns how a recording is compared, and whether its signature is the stored one.
    pub(super) fn from_recording(recording: JsValue<'_>, pool: &Pool) -> (Self, bool) {
        let signature = match property(recording, "signature") {
            // The client tests the value itself: `null`, 0 or an empty text counts as no signature.
            Ok(signature) => signature.filter(|signature| is_truthy(*signature)),
            Err(error) => return (Self::Breaks(error), false),
        };
        match signature {
            Some(signature) => (Self::stored(signature, pool), true),
            None => (Self::computed(recording, pool).unwrap_or_else(Self::Breaks), false),
        }
    }

    /// Reads a stored signature, which is compared as is: tools, then messages, then keys.
    fn stored(signature: Node<'_>, pool: &Pool) -> Self {
        let names = match require_value(signature.get("toolNames"), "length") {
            Ok(names) => texts(names, pool),
            Err(error) => return Self::Breaks(error),
        };
        let messages = signature.get("messageCount").and_then(whole);
        let (Some(names), Some(messages)) = (names, messages) else {
            return Self::Never(match messages {
                None => "Its stored message count is not a whole number",
                Some(_) => "Its stored tools are not a list of names",
            });
        };
        let names = names.into_iter().map(Some).collect();
        let key_of = |keys: Vec<Arc<str>>| MatchKey { names, messages, keys: keys.into() };
        match require_value(signature.get("contextKeys"), "length") {
            Err(error) => Self::BreaksWhenAlike(key_of(Vec::new()), error),
            // Something without a length has none that is greater than 0.
            Ok(keys) if !matches!(keys.kind(), NodeKind::Array | NodeKind::String) => {
                Self::Compared(key_of(Vec::new()))
            }
            Ok(keys) => match texts(keys, pool) {
                Some(keys) => Self::Compared(key_of(keys)),
                None => Self::Never("Its stored context keys are not a list of names"),
            },
        }
    }

    /// Computes the signature of a recording that stores none, with the keys as documented.
    fn computed(recording: JsValue<'_>, pool: &Pool) -> Result<Self, TypeError> {
        let request = property(recording, "request")?;
        // Read in the client's order, which decides the error that is thrown first.
        let messages = property(request, "messages")?;
        let tools = require_value(property(request, "tools")?, "map")?;
        if tools.kind() != NodeKind::Array {
            return Err(TypeError::TOOLS_NOT_MAPPED);
        }
        let names = names(tools, pool)?;
        let messages = require_value(messages, "length")?;
        let keys = property(request, "context")?.map(|context| keys(context, pool));
        let key_of = |names| MatchKey {
            names,
            // In JavaScript a text has a `length`, too.
            messages: messages.as_str().map_or(messages.len(), |t| t.encode_utf16().count()) as u64,
            keys: keys.unwrap_or_default(),
        };
        Ok(match (names, messages.kind()) {
            (_, kind) if !matches!(kind, NodeKind::Array | NodeKind::String) => {
                Self::Never("Its messages are not a list")
            }
            (None, _) => Self::Never("A tool of its request has a name that is not a string"),
            (Some(names), _) => Self::Compared(key_of(names)),
        })
    }
}

/// Returns the tool names, sorted as JavaScript does: missing names are last. `None` if a name is not a string.
fn names(tools: Node<'_>, pool: &Pool) -> Result<Option<ToolNameList>, TypeError> {
    let mut names = Vec::with_capacity(tools.len());
    for tool in tools.items() {
        match property(Some(tool), "name")? {
            None => names.push(None),
            Some(name) => match name.as_str() {
                Some(name) => names.push(Some(pool.text(name))),
                None => return Ok(None),
            },
        }
    }
    sort_names(&mut names);
    Ok(Some(names.into()))
}

/// Order in which clients sort the names of tools; a tool without a name comes last.
pub(super) fn name_order(a: &Option<Arc<str>>, b: &Option<Arc<str>>) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => utf16_order(a, b),
        (a, b) => a.is_none().cmp(&b.is_none()),
    }
}

/// Sorts names as JavaScript does: missing names are last.
pub(super) fn sort_names(names: &mut [Option<Arc<str>>]) {
    names.sort_by(name_order);
}

/// Returns the keys of a context, sorted and unique.
fn keys(context: Node<'_>, pool: &Pool) -> Box<[Arc<str>]> {
    let mut keys: Vec<&str> = match context.kind() {
        NodeKind::Object => context.items().filter_map(Node::key).collect(),
        _ => Vec::new(),
    };
    keys.sort_by(|a, b| utf16_order(a, b));
    // `JSON.parse` keeps one of several equal keys.
    keys.dedup();
    keys.into_iter().map(|key| pool.text(key)).collect()
}

/// Returns the strings of a list; `None` if it is not a list or has other elements. An empty string counts as an empty
/// list.
fn texts(list: Node<'_>, pool: &Pool) -> Option<Vec<Arc<str>>> {
    match list.kind() {
        NodeKind::Array => list.items().map(|text| Some(pool.text(text.as_str()?))).collect(),
        NodeKind::String if list.as_str() == Some("") => Some(Vec::new()),
        _ => None,
    }
}

fn whole(count: Node<'_>) -> Option<u64> {
    let count = count.as_f64()?;
    // A larger number would saturate in the cast, and equal others.
    let is_whole = count >= 0.0 && count.fract() == 0.0 && count < u64::MAX as f64;
    is_whole.then_some(count as u64)
}
