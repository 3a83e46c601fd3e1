//! The triage as one HTML page: for each failure the call, what was served and why, and what the fix changes.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use similar::{ChangeTag, TextDiff};

use super::report::TriageReport;
use super::{AssignedFailure, CauseGroup, RunProgress, SetFiles, embed_logs};
use crate::playback::strip_picture::draw_strip;
use crate::playback::{MatchStep, PlaybackRun, RunStrip};
use calls::Pool;
use calls::secret::Mask;
use document::text::counted;
use machine::MachineMap;
use machine::html::{self, escaped, escaped_lines, sentence_html};
use machine::map_picture::draw_map;
use machine::picture::{Picture, PictureTheme};

/// Number of failures of a cause that are shown whole; of the others, only the place is.
const MAX_FULL_FAILURES: usize = 20;

/// Number of recordings that do not match, listed for a call.
const MAX_NEAREST_RECORDINGS: usize = 3;

/// The most calls, recordings and nodes that are drawn in a picture.
const MAX_DRAWN_ITEMS: usize = 200;

/// The most bytes of logs that are part of the page.
const MAX_LOG_BYTES: usize = 8 << 20;

type Sets = BTreeMap<Arc<str>, SetFiles>;

/// Returns the page. Secrets are masked in all of it.
pub fn page(
    report: &TriageReport<'_>,
    sets: &Sets,
    logs: &[(Arc<str>, Arc<str>)],
    secrets: &Mask,
) -> String {
    let mut body = String::new();
    let progress_text = report.progress.and_then(RunProgress::describe);
    if let Some(text) = progress_text {
        let _ = writeln!(body, "<p><b>{text}.</b></p>");
    }
    for (number, group) in report.triage.groups.iter().enumerate() {
        push_group(&mut body, report, (group, number == 0), (sets, secrets));
    }
    let unassigned: Vec<_> = report.triage.unassigned().collect();
    if !unassigned.is_empty() {
        let heading = report.triage.unassigned_heading();
        let _ = writeln!(body, "<details class=\"group\"><summary><b>{heading}</b></summary>");
        for (at, reason) in unassigned {
            let (place, reason) = (escaped(&report.place(at)), sentence_html(reason));
            let _ =
                writeln!(body, "<p class=\"path\">{place}</p><p class=\"path quiet\">{reason}</p>");
        }
        body.push_str("</details>\n");
    }
    if let Some(result) = report.result() {
        let _ = writeln!(body, "<p><b>{}</b></p>", escaped(result.trim_end_matches(':')));
    }
    if let Some(changes) = report.changes() {
        let _ = writeln!(body, "<p>{}</p>", escaped(&changes));
    }
    for (path, map) in &report.maps {
        push_map(&mut body, path, map, secrets);
    }
    let page = html::page(&report.title(), &body);
    let page = secrets.apply(&page).into_owned();
    let bytes: usize = logs.iter().map(|(_, text)| text.len()).sum();
    // The page is complete without its logs; it only cannot be opened as a run.
    if bytes > MAX_LOG_BYTES {
        return page;
    }
    // Masked as plain text: the escapes of JSON could hide a part of a secret.
    let masked_logs: Vec<_> = logs.iter().map(|(name, text)| (name, secrets.apply(text))).collect();
    let logs = embed_logs(masked_logs.iter().map(|(name, text)| (&***name, &**text)));
    page.replace("</body>", &format!("{logs}</body>"))
}

fn push_group(
    page: &mut String,
    report: &TriageReport<'_>,
    (group, is_first): (&CauseGroup, bool),
    (sets, secrets): (&Sets, &Mask),
) {
    // Only the largest cause is unfolded.
    let open = if is_first { " open" } else { "" };
    let title = sentence_html(&report.group_title(group));
    let count = counted(group.failures.len(), "failure", "failures");
    let _ = writeln!(
        page,
        "<details class=\"group\"{open}><summary><b>{title}</b> <span class=\"count\">{count}</span></summary>\n<p>{}</p>",
        sentence_html(group.cause.describe())
    );
    if report.is_solved(group) {
        page.push_str("<p>Solved: each of these failures is answered now.</p>\n");
    } else {
        if let Some(present) = report.progress.and_then(|p| p.describe_present(group)) {
            let _ = writeln!(page, "<p>{}</p>", sentence_html(&present));
        }
        if let Some(fix) = report.fix(group) {
            let _ = writeln!(page, "<p>Fix: {}</p>", sentence_html(&fix));
        }
    }
    // Failures of one cause look alike, and some causes have thousands.
    for (number, at) in group.failures.iter().enumerate() {
        if number < MAX_FULL_FAILURES {
            push_failure(page, report, (group, *at, number == 0), (sets, secrets));
        } else {
            let _ = writeln!(page, "<p class=\"path\">{}</p>", escaped(&report.place(*at)));
        }
    }
    page.push_str("</details>\n");
}

fn push_failure(
    page: &mut String,
    report: &TriageReport<'_>,
    (group, at, is_first): (&CauseGroup, usize, bool),
    (sets, secrets): (&Sets, &Mask),
) {
    let open = if is_first { " open" } else { "" };
    let failure = &report.triage.failures[at].failure;
    let _ = writeln!(
        page,
        "<details class=\"pair\"{open}><summary><code>{}</code></summary>\n<div class=\"change\"><p>{}</p>",
        escaped(&report.place(at)),
        escaped(failure.title().lines().next().unwrap_or_default())
    );
    if let Some(run) = report.triage.play(at, sets) {
        push_strip(page, &report.place(at), &run, secrets);
        push_calls(page, report, &run);
    }
    if let Ok(assigned) = &report.triage.failures[at].result {
        push_fix(page, report, (group, assigned), sets);
    }
    page.push_str("</div>\n</details>\n");
}

/// Draws the calls along the time axis.
fn push_strip(page: &mut String, name: &str, run: &PlaybackRun, secrets: &Mask) {
    let strip = RunStrip::new(run);
    if (1..=MAX_DRAWN_ITEMS).contains(&strip.blocks.len())
        && run.set.recordings.len() <= MAX_DRAWN_ITEMS
    {
        push_picture(page, draw_strip(run, &strip, name, PictureTheme::Light), secrets);
    }
}

/// Draws a machine with its recordings.
fn push_map(page: &mut String, path: &str, map: &MachineMap, secrets: &Mask) {
    let newest = map.versions.len().saturating_sub(1);
    if map.nodes.len() > MAX_DRAWN_ITEMS {
        return;
    }
    if let Some(picture) = draw_map(map, newest, (path, PictureTheme::Light)) {
        let title = escaped(&picture.title);
        let _ = writeln!(page, "<details class=\"group\"><summary><b>{title}</b></summary>");
        push_picture(page, picture, secrets);
        page.push_str("</details>\n");
    }
}

fn push_picture(page: &mut String, picture: Picture, secrets: &Mask) {
    // A part of a shortened secret would not be found in the page.
    let svg = picture.map_texts(&|text| secrets.apply(text).into_owned()).inline_svg();
    let _ = writeln!(page, "<div class=\"picture\">\n{svg}</div>");
}

/// Lists the calls: what was requested, what was served, and why the nearest recordings do not match.
fn push_calls(page: &mut String, report: &TriageReport<'_>, run: &PlaybackRun) {
    for (number, call) in run.calls.iter().enumerate() {
        let served = match call.served() {
            Some(served) => {
                let step = match served.step {
                    MatchStep::Signature => "by signature",
                    MatchStep::Sequential => "by file order",
                };
                let path = run.set.recordings.get(served.index).map(|r| report.path(&r.path));
                format!("served {} {step}", path.unwrap_or_default())
            }
            None => "served nothing".to_owned(),
        };
        let _ = writeln!(
            page,
            "<p>Call {}: {}; {}</p>",
            number + 1,
            escaped(&served),
            escaped(&call.verdict_label())
        );
        let set_recording = call.index().and_then(|at| run.set.recordings.get(at));
        if let Some(show) = set_recording.and_then(|entry| report.show_recording(&entry.path)) {
            let _ = writeln!(page, "<p class=\"quiet\">Show: <code>{}</code></p>", escaped(&show));
        }
        if !call.request.offered.is_empty() {
            let tools = call.request.offered.join(", ");
            let _ = writeln!(
                page,
                "<p class=\"quiet\">Requested with the tools <code>{}</code></p>",
                escaped(&tools)
            );
        }
        if !call.verdict.is_bad() {
            continue;
        }
        for miss in run.misses(number, MAX_NEAREST_RECORDINGS).nearest {
            let path = run.set.recordings.get(miss.index).map(|entry| report.path(&entry.path));
            let causes: Vec<String> = miss.reasons.iter().map(|reason| reason.sentence()).collect();
            let _ = writeln!(
                page,
                "<p><code>{}</code> {}</p>",
                escaped(&path.unwrap_or_default()),
                escaped(&causes.join(". "))
            );
        }
    }
}

/// Shows what the fix changes in the recording to look at.
fn push_fix(
    page: &mut String,
    report: &TriageReport<'_>,
    (group, assigned): (&CauseGroup, &AssignedFailure),
    sets: &Sets,
) {
    let fixes = group.fixes.get(&assigned.folder);
    let (Some(files), Some(fixes)) = (sets.get(&assigned.folder), fixes) else { return };
    let fixed_set = files.fixed(fixes, &Pool::default());
    let changes = files.changes(&fixed_set.files);
    let recording = assigned.diagnosis.recording.as_deref();
    // The recording may have a new name after the fix.
    let change = changes.iter().find(|change| Some(change.path) == recording).or(changes.first());
    let Some((change, (old_bytes, new_bytes))) =
        change.and_then(|change| Some((change, change.before.zip(change.after)?)))
    else {
        return;
    };
    let (old_text, new_text) =
        (String::from_utf8_lossy(old_bytes), String::from_utf8_lossy(new_bytes));
    let diff = TextDiff::from_lines(&*old_text, &*new_text);
    let _ =
        writeln!(page, "<p>After the fix, <code>{}</code></p>", escaped(&report.path(change.path)));
    for hunk in diff.unified_diff().context_radius(2).iter_hunks() {
        for line in hunk.iter_changes() {
            let (class, sign) = match line.tag() {
                ChangeTag::Equal => ("", ' '),
                ChangeTag::Delete => (" class=\"del\"", '-'),
                ChangeTag::Insert => (" class=\"ins\"", '+'),
            };
            let text = escaped_lines(line.value().trim_end_matches(['\r', '\n']));
            let _ = writeln!(page, "<pre{class}>{sign} {text}</pre>");
        }
    }
}
