//! Banners of the problems of a file or a call: one for all of a kind.

use std::borrow::Cow;

use super::content::Section;
use super::inspector_data::FileItem;
use super::other_files::is_fatal;
use check::change::fix_at;
use check::{AccountNotes, rule};
use document::text::{counted, upper_first, visible};
use document::{Problem, RuleId, Severity};
use workbench::{Action, ProblemsAction};

/// Builds a banner for each kind of problem that `concerns` selects, the most severe first. Notes have none: they concern nearly every call.
pub(super) fn banners(file: &FileItem<'_>, concerns: impl Fn(&Problem) -> bool) -> Vec<Section> {
    let is_shown = |problem: &&Problem| {
        // A file that cannot be read has a banner of its own.
        let is_elsewhere = AccountNotes::is_one(problem) || is_fatal(problem);
        problem.severity > Severity::Note && !is_elsewhere && concerns(problem)
    };
    let mut groups: Vec<(Cow<'_, str>, Vec<&Problem>)> = Vec::new();
    for problem in file.item.problems.iter().filter(is_shown) {
        let kind = kind_of(problem);
        match groups.iter_mut().find(|(other, list)| *other == kind && list[0].rule == problem.rule)
        {
            Some((_, list)) => list.push(problem),
            None => groups.push((kind, vec![problem])),
        }
    }
    groups.sort_by_key(|(_, problems)| std::cmp::Reverse(problems[0].severity));
    groups.iter().map(|(kind, problems)| banner(kind, problems, file)).collect()
}

/// Returns what problems that share a banner have in common: of a secret its kind, of others the sentence before its details.
fn kind_of(problem: &Problem) -> Cow<'_, str> {
    let sentence = problem.message.split(": ").next().unwrap_or_default();
    if problem.rule == RuleId::Secret {
        let kind = sentence.split_once("looks like ").map_or(sentence, |(_, kind)| kind);
        let kind = kind.split(',').next().unwrap_or(kind);
        return kind.trim_start_matches("a ").trim_start_matches("an ").into();
    }
    sentence.into()
}

fn banner(kind: &str, problems: &[&Problem], file: &FileItem<'_>) -> Section {
    let first = problems[0];
    // A banner has one font, and would show backticks as they are.
    let plain = |words: &str| visible(words).replace('`', "");
    let title = match (first.rule, problems.len()) {
        (RuleId::Secret, count) => {
            let is_header = |problem: &&Problem| problem.pointer.contains("/headers/");
            let (one, many) = if problems.iter().all(is_header) {
                ("header", "headers")
            } else {
                ("place", "places")
            };
            format!("{} in {}", upper_first(&plain(kind)), counted(count, one, many))
        }
        (_, 1) => format!("{}.", plain(kind)),
        (_, count) => format!("{}, in {}.", plain(kind), counted(count, "place", "places")),
    };
    let help = first.help.as_deref().unwrap_or(rule(first.rule).fix);
    let details = first.message.split_once(": ").filter(|_| first.rule != RuleId::Secret);
    let text = match details {
        Some((_, details)) => {
            let details = upper_first(&plain(details));
            format!("{}. {}", details.trim_end_matches('.'), plain(help))
        }
        None => plain(help),
    };
    let fix = fix_at(first, file.item).map(|fix| {
        let action = ProblemsAction::Fix(first.rule, Some(file.id));
        (Cow::from(fix.label(problems.len())), Action::from(action))
    });
    // Calls that are alike are their own place.
    let place = || Some(("Show the place".into(), Action::Reveal(file.id, first.span)));
    let action = fix.or_else(|| place().filter(|_| first.calls.is_none()));
    Section::banner(first.severity, &title, &text, action.into_iter().collect())
}
