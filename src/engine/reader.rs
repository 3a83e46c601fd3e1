//! Reads one file and makes its row. Nothing of its text is kept.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::project::{Project, sentence};
use super::root::{read, read_regular};
use super::scan::SourceLookup;
use super::walk::{Found, What};
use crate::format::{self, Body, Kind, Problem, RuleId, Severity};
use crate::ops::check::{Facts, check_document};
use crate::ops::{Item, summarise};
use crate::text::Source;

/// How a file that was read is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Listing {
    /// At once.
    Listed,
    /// Only if it turns out to lie beside files of a known kind.
    Held,
    /// Not at all: it is no business of ours.
    Passed,
}

/// Reads what was found. Never panics: a fault of ours becomes a problem of the file that showed it.
pub(super) fn row(project: &Project, found: &Found, lookup: SourceLookup) -> (Item, Listing) {
    if let What::Refused(severity, reason) = &found.what {
        return (refused(found, *severity, reason), Listing::Listed);
    }
    catch_unwind(AssertUnwindSafe(|| judged(project, found, lookup))).unwrap_or_else(|_| {
        let reason = "it brought Retake to a fault of its own; please report it";
        (refused(found, Severity::Error, reason), Listing::Listed)
    })
}

fn judged(project: &Project, found: &Found, lookup: SourceLookup) -> (Item, Listing) {
    let opened = &project.opened[found.opened];
    let surroundings = &project.surroundings[found.opened];
    let bytes = match found.what {
        What::Named => read(&opened.dir, &found.beneath),
        What::File | What::Refused(..) => read_regular(&opened.dir, &found.beneath),
    };
    let bytes = match bytes {
        Ok(bytes) => bytes,
        Err(refusal) => {
            let item = refused(found, Severity::Error, &refusal.to_string());
            return (item, Listing::Listed);
        }
    };
    let size = bytes.len() as u64;
    let name = found.path.rsplit('/').next().unwrap_or(&found.path);
    let document = format::read(Source::from_bytes(bytes), name);
    // Outside a root the user gave, nothing is looked for on the way up.
    let path = match opened.prefix {
        Some(_) => &*found.root_path,
        None => "",
    };
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let source = match &document.body {
        Body::Recording(recording) if lookup == SourceLookup::Look => {
            Some(surroundings.sources.state(folder, recording))
        }
        _ => None,
    };
    let facts = Facts {
        contracts: surroundings.contracts.facts(path, &document),
    };
    let problems = check_document(&document, &facts);
    let listing = match document.kind() {
        _ if found.what == What::Named => Listing::Listed,
        Kind::Unknown if !is_broken(&problems) => Listing::Held,
        Kind::Unknown if allows_comments(&found.path, name) => Listing::Passed,
        _ => Listing::Listed,
    };
    let item = summarise(
        Arc::clone(&found.path),
        Arc::clone(&found.root_path),
        size,
        &document,
        problems,
        source,
        &project.pool,
    );
    (item, listing)
}

/// Whether a file could not be understood at all.
fn is_broken(problems: &[Problem]) -> bool {
    problems.iter().any(|problem| {
        matches!(
            problem.rule,
            RuleId::Unreadable | RuleId::Syntax | RuleId::Encoding | RuleId::NestingTooDeep
        )
    })
}

/// Whether a file is JSON with comments by convention, so that its owner reads it although `JSON.parse` does not.
fn allows_comments(path: &str, name: &str) -> bool {
    let is_config = |stem: &str| name.starts_with(stem) && name.ends_with(".json");
    is_config("tsconfig")
        || is_config("jsconfig")
        || name.ends_with(".code-workspace")
        || path
            .rsplit('/')
            .skip(1)
            .any(|folder| matches!(folder, ".vscode" | ".devcontainer"))
}

/// The row of something that was not opened.
fn refused(found: &Found, severity: Severity, reason: &str) -> Item {
    let problem = Problem::whole_file(RuleId::Unreadable, sentence(reason));
    Item {
        root_path: Arc::clone(&found.root_path),
        problems: vec![problem.with_severity(severity)],
        ..Item::new(&found.path)
    }
}
