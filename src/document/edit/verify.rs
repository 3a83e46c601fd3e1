//! Tries a plan: the text it makes is read, and every value has to be what the edit is to make of it.

use super::expected_edit::{ExpectedEdit, ExpectedValues};
use super::lines::DocumentLines;
use super::{EditCandidates, EditRefusal, second_reader};
use crate::parts::PartsForm;
use crate::text::{Place, Source, TextEdit};
use crate::{Node, Problem, RuleId, Syntax, Tree, code, httprr, json, parts, toml, yaml};

/// Returns the first candidate that makes exactly the intended change.
pub(super) fn first_good(tree: &Tree, plans: EditCandidates<'_>) -> Result<TextEdit, EditRefusal> {
    let outcome = &plans.outcome;
    let pieces = ExpectedValues::new(tree, outcome);
    pieces.keep_aliases(tree)?;
    let mut refusal = EditRefusal {
        reason: "The value cannot be written in this place".to_owned(),
        place: outcome.place().map_or(Place::START, Node::place),
    };
    for (index, edit) in plans.candidates.into_iter().enumerate() {
        match check(tree, outcome, &pieces, std::slice::from_ref(&edit)) {
            Ok(()) => return Ok(edit),
            // The reason for the best candidate is the most useful one.
            Err(reason) if index == 0 => refusal.reason = reason,
            Err(_) => {}
        }
    }
    if let ExpectedEdit::Set(node, _) = outcome
        && tree.syntax() == Syntax::Yaml
        && DocumentLines::new(tree).has_tag(tree.node(node.id()))
    {
        refusal.reason = "The tag before the value would change its type".to_owned();
    }
    Err(refusal)
}

/// Returns the text that several edits make together, in the order of the text, if that is exactly the intended change.
pub(super) fn text_if_good(
    tree: &Tree,
    outcome: &ExpectedEdit<'_>,
    edits: &[TextEdit],
) -> Option<String> {
    let pieces = ExpectedValues::new(tree, outcome);
    pieces.keep_aliases(tree).ok()?;
    check(tree, outcome, &pieces, edits).ok()?;
    apply_all(tree, edits)
}

/// Makes edits in the order of the text; `None` if they overlap or are outside the text.
fn apply_all(tree: &Tree, edits: &[TextEdit]) -> Option<String> {
    let old_text = tree.source().text();
    let mut text = String::with_capacity(old_text.len());
    let mut end = 0;
    for edit in edits {
        text.push_str(old_text.get(end..edit.range.start)?);
        text.push_str(&edit.new);
        end = edit.range.end;
    }
    text.push_str(old_text.get(end..)?);
    Some(text)
}

fn check(
    tree: &Tree,
    outcome: &ExpectedEdit<'_>,
    pieces: &ExpectedValues<'_>,
    edits: &[TextEdit],
) -> Result<(), String> {
    let text = apply_all(tree, edits).ok_or("The place is outside the text")?;
    let (new, problems) = read(tree, &Source::new(text));
    let mut faults = problems.iter().filter(is_fault).peekable();
    if let Some(&fault) = faults.peek() {
        let (_, old_problems) = read(tree, tree.source());
        // Faults that the file already has are not caused by the edit.
        if new.fault().is_some() || faults.count() > old_problems.iter().filter(is_fault).count() {
            let message = &fault.message;
            return Err(format!("The edited text would not be readable: {message}"));
        }
    }
    pieces.compare(tree, &new, outcome)?;
    if tree.syntax() == Syntax::Yaml {
        second_reader::check_edit(tree, &new, outcome, pieces)?;
    }
    Ok(())
}

/// Reads a text in the syntax of a tree.
pub(super) fn read(like: &Tree, source: &Source) -> (Tree, Vec<Problem>) {
    match like.parts() {
        // Reports the line that is not readable, in place of the second one.
        Some(form @ (PartsForm::Lines | PartsForm::Events)) => {
            return parts::parse_each(source, form);
        }
        Some(PartsForm::Documents) => {
            if let Some(tree) = parts::parse(source, PartsForm::Documents) {
                return (tree, Vec::new());
            }
        }
        None => {}
    }
    match like.syntax() {
        _ if httprr::is_trace(like) => (httprr::parse(source), Vec::new()),
        Syntax::Json => json::parse(source),
        Syntax::Yaml => yaml::parse(source),
        Syntax::Toml => toml::parse(source),
        Syntax::Code | Syntax::Machine => (code::parse(source), Vec::new()),
    }
}

/// Returns true for a problem that makes the owner's parser fail, even if the YAML is valid.
fn is_fault(problem: &&Problem) -> bool {
    matches!(problem.rule, RuleId::Syntax | RuleId::NestingTooDeep | RuleId::Unreadable)
}
