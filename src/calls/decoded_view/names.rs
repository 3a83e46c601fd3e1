//! The meaning of values, by the names of their members.

use document::Node;

/// Returns whether a value is the `name` of a person: the object has other data of persons, or is called like one.
pub(super) fn is_name_of_person(node: Node<'_>) -> bool {
    const PERSONS: &str = "customer user contact recipient sender patient person owner client employee guest passenger";
    const PERSON_FIELDS: &str =
        "email mail phone phonenumber mobile address street birthdate dateofbirth iban";
    if !node.key().is_some_and(|key| key.eq_ignore_ascii_case("name")) {
        return false;
    }
    node.parent().is_some_and(|o| {
        let is_person = |key| is_listed(PERSONS, &plain_name(key));
        let mut keys = o.items().filter_map(Node::key);
        o.key().is_some_and(is_person) || keys.any(|key| is_listed(PERSON_FIELDS, &plain_name(key)))
    })
}

/// Returns whether a name is one of a list with spaces between them.
pub fn is_listed(list: &str, name: &str) -> bool {
    list.split_whitespace().any(|w| w == name)
}

/// Returns a name without the signs between its words, in lower case.
pub fn plain_name(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
