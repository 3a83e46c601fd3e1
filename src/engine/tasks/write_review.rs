//! Writes a review: files as decided, the decisions themselves, and rules.

use std::ops::Range;

use crate::disk::files::{beneath, change_files};
use crate::disk::project::Project;
use crate::disk::review::{apply, keep_decisions};
use crate::disk::root::{ReadRefusal, to_sentence};
use crate::run::Work;
use author::saving::SaveFailure;
use check::settings::FILE_NAME;
use document::files::FileStep;
use document::text::{Source, upper_first};
use protocol::{EngineEvent, Lane, ReviewEvent, SaveDecisions, SaveIgnoreRule, WriteReview};

pub(crate) fn write_review(request: WriteReview) -> Work {
    Work::failing(
        Lane::Writes,
        request,
        |request, context| {
            let Some(root) = context.project.as_deref()?.root() else {
                return Some(not_written(request, "Nothing is open".to_owned()));
            };
            let outcome = apply(root, &request.writes);
            let text = |fault: SaveFailure| upper_first(fault.to_string().trim_end_matches('.'));
            let refusals = outcome.left.into_iter();
            Some(EngineEvent::Review(ReviewEvent::Written {
                done: outcome.done,
                left: refusals.map(|(write, fault)| (write.pair, text(fault.reason))).collect(),
            }))
        },
        not_written,
    )
}

fn not_written(request: &WriteReview, reason: String) -> EngineEvent {
    let errors = request.writes.iter().map(|write| (write.pair.clone(), reason.clone())).collect();
    EngineEvent::Review(ReviewEvent::Written { done: Vec::new(), left: errors })
}

pub(crate) fn save_decisions(request: SaveDecisions) -> Work {
    Work::new(Lane::Writes, request, |request, context| {
        let root = context.project.as_deref()?.root()?;
        let fault = keep_decisions(root, &request.decisions).err()?;
        let reason = format!("The decisions cannot be saved: {}", fault.reason);
        Some(EngineEvent::Review(ReviewEvent::SaveFailed(reason)))
    })
}

pub(crate) fn save_ignore_rule(request: SaveIgnoreRule) -> Work {
    Work::new(Lane::Writes, request, |request, context| {
        let result = append_rule(context.project.as_deref()?, &request.rule.toml());
        Some(EngineEvent::Review(ReviewEvent::RuleSaved(result)))
    })
}

/// Appends a rule or another table, written as TOML, to the project's file; every other byte stays.
pub(super) fn append_rule(project: &Project, rule: &str) -> Result<(), String> {
    let root = project.root().ok_or("Nothing is open")?;
    let step = settings_step(project, rule, |_| None)?;
    // Fails if another program has written the file since it was read.
    change_files(&[step], beneath(root)).fault.map_or(Ok(()), Err)
}

/// Plans to append a table to the project's file, or to write it in the place of another one.
pub(super) fn settings_step(
    project: &Project,
    table: &str,
    place: impl FnOnce(&Source) -> Option<Range<usize>>,
) -> Result<FileStep, String> {
    let root = project.root().ok_or("Nothing is open")?;
    let old_bytes = match root.read(FILE_NAME) {
        Ok(bytes) => Some(bytes),
        Err(ReadRefusal::Missing) => None,
        Err(refusal) => return Err(to_sentence(refusal)),
    };
    let data = old_bytes.as_deref().unwrap_or_default();
    let new_bytes = match place(&Source::from_bytes(data.to_vec())) {
        Some(range) => {
            let table = table.trim_end().replace('\n', line_end(data));
            [&data[..range.start], table.as_bytes(), &data[range.end..]].concat()
        }
        None => insert_rule(data, table),
    };
    Ok(FileStep::Write {
        path: FILE_NAME.into(),
        after: Some(new_bytes.into()),
        before: old_bytes.map(Into::into),
    })
}

fn line_end(data: &[u8]) -> &'static str {
    if data.windows(2).any(|pair| pair == b"\r\n") { "\r\n" } else { "\n" }
}

fn insert_rule(data: &[u8], rule: &str) -> Vec<u8> {
    let mut new_bytes = data.to_vec();
    let line_end = line_end(data).as_bytes();
    if !data.is_empty() {
        if !data.ends_with(b"\n") {
            new_bytes.extend(line_end);
        }
        new_bytes.extend(line_end);
    }
    for line in rule.lines() {
        new_bytes.extend(line.as_bytes());
        new_bytes.extend(line_end);
    }
    new_bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_comes_last_and_nothing_else_changes() {
        let rule = "[[review.ignore]]\nat = '/**/usage'\n";
        let new_text = |text: &str| String::from_utf8(insert_rule(text.as_bytes(), rule)).unwrap();
        assert_eq!(new_text(""), "[[review.ignore]]\nat = '/**/usage'\n");
        assert_eq!(
            new_text("mode =  \"warn\" # so"),
            "mode =  \"warn\" # so\n\n[[review.ignore]]\nat = '/**/usage'\n"
        );
        assert_eq!(
            new_text("paths = []\r\n"),
            "paths = []\r\n\r\n[[review.ignore]]\r\nat = '/**/usage'\r\n"
        );
    }
}
