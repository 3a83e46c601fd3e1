//! Texts of several values: JSON lines, server-sent events, and YAML with several documents.
//!
//! The tree of such a text has a list as its root, which is not written anywhere, and each value at its place in it.

use std::ops::Range;

use super::problems::ProblemList;
pub use super::tree::PartsForm;
use super::tree::{NodeId, Tree};
use super::{Problem, RuleId, Syntax, json, yaml};
use crate::text::{Source, Span};

/// Reads all values of a text; `None` if one of them is not well-formed.
pub fn parse(source: &Source, form: PartsForm) -> Option<Tree> {
    let syntax = if form == PartsForm::Documents { Syntax::Yaml } else { Syntax::Json };
    let mut tree = Tree::of_parts(source.clone(), syntax, form);
    let text = source.text();
    for range in ranges(text, form) {
        tree.append(value(&text[range.clone()], form)?, range.start);
    }
    tree.close(NodeId::ROOT, text.len());
    Some(tree)
}

/// Returns the values of a text one after the other, each with places of its own, up to the first that is not well-formed.
pub fn values(text: &str, form: PartsForm) -> impl Iterator<Item = Tree> + '_ {
    ranges(text, form).map_while(move |range| value(&text[range], form))
}

fn value(text: &str, form: PartsForm) -> Option<Tree> {
    let source = Source::new(text);
    let (value, problems) = match form {
        PartsForm::Documents => yaml::parse(&source),
        PartsForm::Lines | PartsForm::Events => json::parse(&source),
    };
    let is_read = value.is_well_formed() && (!value.is_empty() || problems.is_empty());
    is_read.then_some(value)
}

/// Reads the values of a text that has one a line or event. A line that is no JSON, as the last one is while a program still writes it, is
/// left out and reported.
pub fn parse_each(source: &Source, form: PartsForm) -> (Tree, Vec<Problem>) {
    let text = source.text();
    let mut tree = Tree::of_parts(source.clone(), Syntax::Json, form);
    let mut problems = ProblemList::default();
    for range in ranges(text, form) {
        let line = Source::new(&text[range.clone()]);
        let mut part = json::parse(&line).0;
        if !part.is_well_formed() {
            // Python writes numbers that are not JSON.
            part = json::parse_python(&line).0;
        }
        if part.is_well_formed() {
            tree.append(part, range.start);
            continue;
        }
        problems.add_with(RuleId::Syntax, || {
            let fault_start = part.fault().map_or(0, |fault| fault.span.start as usize);
            let start = range.start + fault_start.min(range.len());
            let message = "The line is no JSON from here on, and is not read";
            Problem::at(RuleId::Syntax, source, Span::new(start, range.end), "", message)
        });
    }
    tree.close(NodeId::ROOT, text.len());
    (tree, problems.finish())
}

/// Returns the bytes of each value.
fn ranges(text: &str, form: PartsForm) -> Box<dyn Iterator<Item = Range<usize>> + '_> {
    let start = text.len() - text.trim_start_matches('\u{feff}').len();
    let lines = text[start..].split_inclusive('\n').scan(start, |at, line| {
        let line_start = *at;
        *at += line.len();
        Some((line_start, line))
    });
    match form {
        PartsForm::Lines => Box::new(
            lines
                .filter(|(_, line)| !matches!(line.trim(), "" | "[DONE]"))
                .map(|(at, line)| at..at + line.trim_end().len()),
        ),
        PartsForm::Events => {
            let data = |(at, line): (usize, &str)| {
                let line_data = line.strip_prefix("data:")?;
                let data = line_data.trim();
                let at = at + line.len() - line_data.trim_start().len();
                // The mark of OpenAI's end has a bracket, and is no JSON.
                let is_json = data.starts_with(['{', '[']) && data != "[DONE]";
                is_json.then(|| at..at + data.len())
            };
            Box::new(lines.filter_map(data))
        }
        PartsForm::Documents => {
            let is_divider = |line: &str| line.trim_end() == "---" || line.starts_with("--- ");
            let mut starts = vec![start];
            starts.extend(lines.filter(|(_, line)| is_divider(line)).map(|(at, _)| at));
            let ends = starts.iter().copied().skip(1).chain([text.len()]);
            let ranges: Vec<_> =
                starts.iter().copied().zip(ends).map(|(start, end)| start..end).collect();
            let is_empty = move |range: &Range<usize>| {
                let mut lines = text[range.clone()].lines();
                lines.all(|line| {
                    line.trim_end() == "---" || line.trim().is_empty() || line.starts_with('#')
                })
            };
            Box::new(ranges.into_iter().filter(move |range| !is_empty(range)))
        }
    }
}

/// Returns whether a text is YAML with more than one document.
pub fn has_documents(text: &str) -> bool {
    text.contains("\n---") && ranges(text, PartsForm::Documents).nth(1).is_some()
}
