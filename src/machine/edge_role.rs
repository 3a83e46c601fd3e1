//! The role of an edge: whether a model may take it, and whether the machine takes it automatically.

use super::{Annotation, Edge};

/// The role of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct EdgeRole {
    /// A model may choose it.
    pub(super) is_way: bool,
    /// A model may start another path along it.
    pub(super) spawns: bool,
    /// The same for each element of a list.
    pub(super) maps: bool,
    /// It is labelled `reads`.
    pub(super) reads: bool,
    /// It is labelled `writes` or `stores`.
    pub(super) writes: bool,
    /// It is never offered as a transition: `@auto`.
    pub(super) is_auto: bool,
    /// The run splits at the node: `@parallel`.
    pub(super) forks: bool,
    /// Whether the machine may take it automatically.
    pub(super) condition: Condition,
}

/// When the machine takes an edge without calling the model, as far as the source shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Condition {
    Always,
    Sometimes,
    Never,
}

impl EdgeRole {
    pub(super) fn from_edge(edge: &Edge) -> Self {
        let label = edge.label.as_ref().map_or("", |label| label.text.trim()).to_lowercase();
        let reads = label == "reads";
        let writes = label == "writes" || label == "stores";
        let spawns = is_on(&edge.annotations, &["async", "spawn", "fork", "parallel"]);
        let maps = is_on(&edge.annotations, &["map", "foreach", "each"]);
        // Unlike the words above, `auto` and `parallel` are compared as they are written.
        let has_annotation = |name: &str| edge.annotations.iter().any(|a| &*a.name.text == name);
        let is_auto = has_annotation("auto");
        Self {
            is_way: !(is_auto || spawns || maps || reads || writes),
            spawns,
            maps,
            reads,
            writes,
            is_auto,
            forks: has_annotation("parallel"),
            condition: match (condition(edge), is_auto) {
                (None, true) => Condition::Always,
                (None, false) => Condition::Never,
                (Some(condition), _) => condition,
            },
        }
    }
}

/// Words that leave a condition to the model: it may need a tool or external data.
const EXTERNAL_WORDS: [&str; 4] = ["tool", "external", "api", "call"];

/// Returns when the condition of an edge is true; `None` without one.
fn condition(edge: &Edge) -> Option<Condition> {
    let conditions = ["when", "unless", "if"];
    let (name, attribute) = conditions.into_iter().find_map(|name| {
        let mut attributes = edge.attributes.iter();
        Some((name, attributes.find(|a| &*a.name.text == name)?))
    })?;
    let value = attribute.value.as_ref()?.text.trim();
    Some(match (value, name) {
        ("true", "when" | "if") | ("false", "unless") => Condition::Always,
        ("false", "when" | "if") | ("true", "unless") => Condition::Never,
        _ if EXTERNAL_WORDS.iter().any(|word| value.contains(word)) => Condition::Never,
        _ => Condition::Sometimes,
    })
}

/// Returns whether one of these annotations is present and not disabled by `("false")` or `(enabled: false)`.
pub(super) fn is_on(annotations: &[Annotation], names: &[&str]) -> bool {
    annotations.iter().any(|annotation| {
        let is_named = names.iter().any(|name| annotation.name.text.eq_ignore_ascii_case(name));
        let value = annotation.value.as_deref().unwrap_or_default();
        is_named && !matches!(value, "false" | "enabled: false" | "enabled: \"false\"")
    })
}
