//! Plans changes of documents. Writes nothing.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::current::{apply_edit, read_current};
use crate::disk::change_planner::ChangePlanner;
use crate::disk::guard::guard;
use crate::run::{TaskContext, Work};
use check::change::{Change, ConfigEdit};
use document::RuleId;
use document::diff::outline::Outline;
use document::diff::text::TextDiff;
use document::text::{counted, quoted, some_and_others};
use machine::stamp::StampChange;
use protocol::{EngineEvent, Lane, PlanBatch, PlanChange, PreviewFix};

pub(crate) fn plan_change(request: PlanChange) -> Work {
    Work::failing(Lane::Texts, request, plan, failed)
}

pub(crate) fn plan_batch(request: PlanBatch) -> Work {
    Work::failing(Lane::Newest("batch"), request.0, plan, failed)
}

pub(crate) fn preview_fix(request: PreviewFix) -> Work {
    Work::answering(Lane::Newest("preview of a fix"), request, preview, |request, diff| {
        EngineEvent::FixPreviewed(request.key.clone(), diff)
    })
}

/// Returns what a fix changes, or why it changes nothing; `None` when it was cancelled.
fn preview(
    PreviewFix { key, document: current }: &PreviewFix,
    context: &TaskContext,
) -> Option<Result<Arc<TextDiff>, String>> {
    let project = context.project.as_deref()?;
    let description = || format!("editing {}", quoted(current.item.root_path()));
    let result = guard(description, || {
        let document = read_current(project, current)?;
        let change = Change::FixRule(key.rule);
        let mut planner = ChangePlanner::new(project);
        let plan = planner.plan(&change, current.doc.index(), &current.item, &document)?;
        let (plan, _) = plan.ok_or("The fix changes nothing here")?;
        let edit = apply_edit(project, current, &document, plan.edit);
        let new_source = edit.parsed.document.source();
        Ok(Arc::new(TextDiff::new(document.source(), new_source, Outline::Plain)))
    });
    Some(result.flatten())
}

fn failed(request: &PlanChange, reason: String) -> EngineEvent {
    let mut change_plan = request.empty_plan();
    change_plan.skipped.push((change_plan.first.0, reason));
    EngineEvent::ChangePlanned(request.generation, change_plan)
}

/// Plans all edits; `None` when it was cancelled.
fn plan(job: &PlanChange, context: &TaskContext) -> Option<EngineEvent> {
    let project = context.project.as_deref()?;
    let mut change_plan = job.empty_plan();
    let mut planner = ChangePlanner::new(project);
    let (mut example, mut outdated) = (None, 0);
    let mut remarks: Vec<(Arc<str>, String)> = Vec::new();
    for current in &job.documents {
        if context.is_cancelled() {
            return None;
        }
        let description = || format!("editing {}", quoted(current.item.root_path()));
        // A document that cannot be edited is skipped, and does not prevent the others from being planned.
        let result = guard(description, || {
            let old_document = read_current(project, current)?;
            let Some((plan, source)) =
                planner.plan(&job.change, current.doc.index(), &current.item, &old_document)?
            else {
                return Ok(None);
            };
            let edit = apply_edit(project, current, &old_document, plan.edit);
            Ok(Some((old_document, edit, plan.remark, source)))
        });
        match result.flatten() {
            Ok(None) => {}
            Ok(Some((old_document, edit, remark, source))) => {
                outdated += usize::from(source == StampChange::Changed);
                // The window shows the changed lines of a configuration before it applies them.
                if matches!(job.change, Change::Config(ConfigEdit::List { .. })) {
                    let new_source = edit.parsed.document.source();
                    let diff = TextDiff::new(old_document.source(), new_source, Outline::Plain);
                    change_plan.diff = Some(Arc::new(diff));
                }
                change_plan.edits.push(edit);
                let path = current.item.root_path();
                remarks.extend(remark.map(|remark| (Arc::from(path), remark)));
                example = Some(old_document);
            }
            Err(reason) => change_plan.skipped.push((current.doc, reason)),
        }
    }
    change_plan.remark = join_remarks(remarks);
    let is_stamped = matches!(job.change, Change::Stamp | Change::FixRule(RuleId::SourceUnstamped));
    if outdated > 0 && is_stamped {
        let recordings = counted(outdated, "recording", "recordings");
        change_plan.remark = Some(format!(
            "{recordings} stamped with a source that has changed since they were recorded; check that they still match it"
        ));
    }
    if let Some(example) = example {
        let first = job.documents.first();
        let file = first.map_or("", |first| first.item.file_name());
        change_plan.name = job.change.name(&example, file, change_plan.edits.len());
    }
    Some(EngineEvent::ChangePlanned(job.generation, change_plan))
}

/// Joins the remarks on files: one that all of them have, or each with its files.
fn join_remarks(remarks: Vec<(Arc<str>, String)>) -> Option<String> {
    let mut files: BTreeMap<String, Vec<Arc<str>>> = BTreeMap::new();
    for (path, remark) in remarks {
        files.entry(remark).or_default().push(path);
    }
    if files.len() == 1 {
        return files.into_keys().next();
    }
    let with_files = |(remark, paths): (String, Vec<Arc<str>>)| {
        format!("{remark}: {}", some_and_others(paths.into_iter(), 3))
    };
    let parts: Vec<String> = files.into_iter().map(with_files).collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}
