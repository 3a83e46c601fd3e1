//! The entries of the palette, found by a few letters of their names.

use std::collections::BTreeMap;

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Matcher, Utf32Str};

use crate::shell::is_of_view;
use calls::Item;
use document::{RuleId, Severity};
use protocol::DocId;
use widgets::icons;
use workbench::{Action, Actions, Command, Library, ProblemsAction, Workbench};

/// Added to the score of a name in which the letters are side by side; more than any score of scattered ones.
const ADJACENT_SCORE: u32 = 1 << 20;
/// Maximum entries of a group.
pub(super) const MAX_ENTRIES: usize = 6;
/// Maximum commands that are found by their names, and below them by their descriptions.
const MAX_COMMANDS: usize = 8;
const MAX_DESCRIBED: usize = 4;
/// A shorter word begins too many others to say what a command is about.
const MIN_WORD_BYTES: usize = 4;

/// Entries under one heading.
#[derive(Clone, Debug, PartialEq)]
pub struct PaletteGroup {
    /// The heading.
    pub name: &'static str,
    /// The best match first.
    pub entries: Vec<PaletteEntry>,
}

/// An entry of the palette.
#[derive(Clone, Debug, PartialEq)]
pub struct PaletteEntry {
    pub icon: &'static str,
    /// The severity of a problem.
    pub severity: Option<Severity>,
    pub name: String,
    /// Indices of the matched characters of the name, ascending.
    pub marks: Vec<u32>,
    /// Text after the name; the reason for a disabled entry.
    pub detail: String,
    /// The key caps of its shortcut.
    pub caps: Vec<String>,
    /// The actions of the entry; empty if it is disabled.
    pub actions: Actions,
}

/// A fuzzy search with scores.
pub(super) struct PaletteSearch {
    pattern: Pattern,
    pub(super) matcher: Matcher,
    buffer: Vec<char>,
}

impl PaletteSearch {
    pub(super) fn new(query: &str, matcher: Matcher) -> Self {
        let pattern = Pattern::parse(query, CaseMatching::Ignore, Normalization::Smart);
        Self { pattern, matcher, buffer: Vec::new() }
    }

    /// Returns the score of a text; `None` if it does not match.
    fn score(&mut self, text: &str) -> Option<u32> {
        self.pattern.score(Utf32Str::new(text, &mut self.buffer), &mut self.matcher)
    }

    /// Returns the indices of the matched characters, ascending.
    fn marks(&mut self, text: &str) -> Vec<u32> {
        let mut marks = Vec::new();
        self.pattern.indices(Utf32Str::new(text, &mut self.buffer), &mut self.matcher, &mut marks);
        // nucleo appends the positions for each word of the query, so that they may overlap.
        marks.sort_unstable();
        marks.dedup();
        marks
    }

    /// Returns the commands that the query finds, or without a query those of the current desk first.
    pub(super) fn commands(&mut self, workbench: &Workbench, query: &str) -> PaletteGroup {
        // Neither is of use here: the palette is open, and Esc closes it.
        let is_useful =
            |command: &Command| !matches!(command, Command::ShowPalette | Command::Close);
        let commands = || Command::ALL.iter().copied().filter(is_useful);
        let here = workbench.core.here();
        let is_of_desk = |command: Command| command.applies_in(here) && is_of_view(command, here);
        let mut matches: Vec<(u32, Command, Result<(), &'static str>)> = commands()
            .filter_map(|command| {
                Some((self.score(command.name())?, command, command.enabled(workbench)))
            })
            .collect();
        // The best score first; among equals, those that can run, then those of this desk, then menu order.
        matches.sort_by_key(|(score, command, enabled)| {
            let is_elsewhere = !query.is_empty() || !is_of_desk(*command);
            (std::cmp::Reverse(*score), enabled.is_err(), is_elsewhere)
        });
        drop_weak_matches(&mut matches, query, |(_, c, _)| c.name(), |(score, ..)| *score);
        // Below them what is only described with such a word: *Then and now* is about stale recordings.
        let is_described = |command: &Command| {
            let mut words = command.tooltip().split(|c: char| !c.is_alphanumeric());
            words.any(|word| word.to_lowercase().starts_with(query))
        };
        matches.truncate(MAX_COMMANDS);
        if query.len() >= MIN_WORD_BYTES {
            let names: Vec<Command> = matches.iter().map(|(_, command, _)| *command).collect();
            let others = commands().filter(|c| is_described(c) && !names.contains(c));
            let mut others: Vec<_> = others.map(|c| (0, c, c.enabled(workbench))).collect();
            others.sort_by_key(|(.., enabled)| enabled.is_err());
            matches.extend(others.into_iter().take(MAX_DESCRIBED));
        }
        let entries = matches.into_iter().map(|(_, command, enabled)| PaletteEntry {
            icon: icons::command(command),
            severity: None,
            name: command.name().to_owned(),
            marks: self.marks(command.name()),
            detail: enabled.err().unwrap_or_default().to_owned(),
            caps: workbench.core.user.settings.keymap.caps(command),
            actions: enabled.map_or_else(|_| Vec::new(), |()| vec![Action::Run(command)]),
        });
        PaletteGroup { name: "Commands", entries: entries.collect() }
    }

    /// Returns the score of a file. `query` is in lower case.
    pub(super) fn file(&mut self, item: &Item, query: &str) -> Option<u32> {
        // A path matches only by adjacent letters: scattered ones match nearly every path.
        // The lowest score: a match in a folder comes after every match in a name.
        let by_path = || contains(item.root_path(), query).then_some(1);
        let by_name = self.score(item.label()).map(|score| {
            if contains(item.label(), query) { score.saturating_add(ADJACENT_SCORE) } else { score }
        });
        by_name.or_else(by_path)
    }

    pub(super) fn files(&mut self, library: &Library, best: &[(u32, DocId)]) -> PaletteGroup {
        // As with commands: letters side by side exclude scattered ones.
        let is_adjacent = |score: &u32| *score >= ADJACENT_SCORE;
        let count = best.iter().filter(|(score, _)| is_adjacent(score)).count();
        let best = if count > 0 { &best[..count] } else { best };
        let items =
            || best.iter().take(MAX_ENTRIES).filter_map(|(_, id)| Some((id, library.get(*id)?)));
        let is_cassettes = items().all(|(_, item)| item.is_cassette());
        let entries = items().map(|(id, item)| {
            let name = item.label().to_owned();
            PaletteEntry {
                icon: icons::kind(item.kind),
                severity: None,
                marks: self.marks(&name),
                detail: library.shown_folder(item).to_owned(),
                name,
                caps: Vec::new(),
                actions: vec![Action::Go(protocol::Desk::Library), Action::Select(*id)],
            }
        });
        let entries = entries.collect();
        PaletteGroup { name: if is_cassettes { "Cassettes" } else { "Files" }, entries }
    }

    pub(super) fn problems(&mut self, library: &Library, query: &str) -> PaletteGroup {
        let mut rules: BTreeMap<RuleId, (usize, Severity)> = BTreeMap::new();
        for (rule, severity, places) in library.tally() {
            let (count, worst) = rules.entry(rule).or_insert((0, severity));
            *count += places;
            *worst = severity.max(*worst);
        }
        let mut matches: Vec<_> = rules
            .into_iter()
            .filter_map(|(rule, (count, worst))| {
                // By its title, which other views show, and by its id, which files of settings and logs of CI have.
                let scores = [title_of(rule), rule.as_str()].map(|name| self.score(name));
                Some((scores.into_iter().flatten().max()?, rule, count, worst))
            })
            .collect();
        matches.sort_by_key(|(score, rule, _, worst)| {
            (std::cmp::Reverse(*score), std::cmp::Reverse(*worst), *rule)
        });
        drop_weak_matches(
            &mut matches,
            query,
            |(_, rule, ..)| match title_of(*rule) {
                title if contains(title, query) => title,
                _ => rule.as_str(),
            },
            |(score, ..)| *score,
        );
        let limit = MAX_ENTRIES;
        let entries = matches.into_iter().take(limit).map(|(_, rule, count, worst)| PaletteEntry {
            icon: icons::severity(worst),
            severity: Some(worst),
            name: title_of(rule).to_owned(),
            marks: self.marks(title_of(rule)),
            detail: if count == 1 { "1 place".to_owned() } else { format!("{count} places") },
            caps: Vec::new(),
            actions: vec![
                Action::Go(protocol::Desk::Problems),
                Action::from(ProblemsAction::SelectRule(rule, None)),
            ],
        });
        PaletteGroup { name: "Problems", entries: entries.collect() }
    }
}

fn title_of(rule: RuleId) -> &'static str {
    check::rule(rule).title
}

/// Returns whether `text` contains the lower-case `query`, ignoring the case of ASCII letters in `text`.
fn contains(text: &str, query: &str) -> bool {
    let (text, query) = (text.as_bytes(), query.as_bytes());
    !query.is_empty() && text.windows(query.len()).any(|part| part.eq_ignore_ascii_case(query))
}

/// Removes matches of scattered letters if there are much better ones, and all of them if one has the letters side by side.
fn drop_weak_matches<T>(
    matches: &mut Vec<T>,
    query: &str,
    name: impl Fn(&T) -> &str,
    score: impl Fn(&T) -> u32,
) {
    if matches.iter().any(|entry| contains(name(entry), query)) {
        return matches.retain(|entry| contains(name(entry), query));
    }
    let best = matches.iter().map(&score).max().unwrap_or(0);
    matches.retain(|entry| score(entry).saturating_mul(5) >= best.saturating_mul(3));
}
