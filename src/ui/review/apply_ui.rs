//! The dialog that shows which files applying the decisions would write.

use egui::{Color32, Ui};

use compare::review::{LineCounts, PairKey, PlannedWrite, ReviewVerdict, WritePlan};
use document::files::FileStep;
use document::text::{counted, natural_order, thousands, visible};
use widgets::dialog::{DialogHead, confirm_buttons, dialog, file_row, more_text};
use widgets::theme::{self, Tokens, tokens};
use widgets::{Button, icons, keymap};
use workbench::{Action, Actions, Command, ReviewAction, ReviewDesk};

/// Maximum number of listed files.
const MAX_LISTED_FILES: usize = 400;

/// Draws the planned writes over the desk.
pub fn apply_ui(ui: &mut Ui, desk: &ReviewDesk, actions: &mut Actions) {
    let plan = desk.plan.as_ref();
    let decisions = counted(desk.statuses.to_apply, "decision", "decisions");
    let detail = match plan {
        Some(plan) => format!("{} {}", summary(ui, plan), describe_lines(desk.plan_lines)),
        // The dialog opens at once; reading and planning many files takes longer.
        None => "Preparing the changes…".to_owned(),
    };
    let detail = &detail;
    let head =
        DialogHead { icon: icons::LIST_CHECKS, title: &format!("Apply {decisions}?"), detail };
    let body = |ui: &mut Ui, _: &mut Actions| {
        if let Some(plan) = plan {
            plan_ui(ui, desk, plan);
        }
        ui.add_space(theme::SECTION_GAP);
    };
    let action_label = match plan.map(|plan| plan.writes.len()) {
        None | Some(0) => "Apply".to_owned(),
        Some(count) => format!("Write {}", counted(count, "file", "files")),
    };
    // A plan without writes can be applied: it settles the decisions.
    let reason = plan.is_none().then_some("the changes are not ready yet");
    dialog(ui, "apply decisions", head, actions, body, |ui, actions| {
        let apply = Button::primary(&action_label).disabled(reason);
        confirm_buttons(ui, apply, actions, || Action::from(ReviewAction::Apply));
    });
}

fn summary(ui: &Ui, plan: &WritePlan) -> String {
    let settled_sentence = match plan.settled.len() {
        0 => String::new(),
        1 => " 1 recording stays as it is.".to_owned(),
        count => format!(" {} recordings stay as they are.", thousands(count)),
    };
    // Not the keys that undo a decision.
    let keys = keymap::caps(ui, Command::Undo).join("+");
    let write_sentence = match plan.writes.len() {
        0 => "No files need to be written.".to_owned(),
        1 => format!("1 file is written in one step, which {keys} undoes."),
        count => {
            format!("{} files are written in one step, which {keys} undoes.", thousands(count))
        }
    };
    format!("{write_sentence}{settled_sentence}")
}

/// Returns how many lines git will show of all files, as a sentence.
fn describe_lines(LineCounts { before, after }: LineCounts) -> String {
    let lines = counted(after, "changed line", "changed lines");
    if before == after {
        return format!("Git shows {lines}, as now.");
    }
    format!("Git will show {lines}, now {}.", thousands(before))
}

/// Returns the icon, the colour and the description of a planned write.
fn describe_write(
    write: &PlannedWrite,
    verdict: Option<&ReviewVerdict>,
    colors: &Tokens,
) -> (&'static str, Color32, &'static str) {
    match (&write.step, verdict) {
        (FileStep::Write { after: None, .. }, _) => (icons::TRASH_2, colors.warning, "is deleted"),
        (FileStep::Write { before: None, .. }, _) => (icons::FILE, colors.note, "is restored"),
        (_, Some(ReviewVerdict::Part(_))) => {
            (icons::ARROW_LEFT_RIGHT, colors.note, "is partly accepted")
        }
        (_, Some(ReviewVerdict::KeepNoise)) => {
            (icons::VOLUME_X, colors.good, "keeps the old noise")
        }
        (_, Some(ReviewVerdict::Accept)) => {
            (icons::CHECK, colors.good, "gets the pending recording")
        }
        _ => (icons::UNDO_2, colors.text, "is reset to the old version"),
    }
}

fn plan_ui(ui: &mut Ui, desk: &ReviewDesk, plan: &WritePlan) {
    let colors = tokens(ui);
    // First, since these decisions are not carried out.
    for (pair, reason) in plan.refused.iter().take(MAX_LISTED_FILES) {
        row_ui(ui, &pair.path, (icons::OCTAGON_X, colors.error, &format!("is skipped: {reason}")));
    }
    // The plan is in the order in which the files have to be written.
    let mut writes: Vec<&PlannedWrite> = plan.writes.iter().collect();
    writes.sort_by(|a, b| natural_order(a.step.path(), b.step.path()));
    for write in writes.into_iter().take(MAX_LISTED_FILES) {
        let (icon, color, words) =
            describe_write(write, desk.decisions.verdict(&write.pair), colors);
        row_ui(ui, write.step.path(), (icon, color, words));
    }
    // Files that stay as they are come last, and get what the writes leave of the limit.
    let room = MAX_LISTED_FILES.saturating_sub(plan.writes.len());
    let mut settled_pairs: Vec<&PairKey> = plan.settled.iter().collect();
    settled_pairs.sort_by(|a, b| natural_order(&a.path, &b.path));
    for pair in settled_pairs.into_iter().take(room) {
        let words = match pair.new {
            Some(_) => "keeps the new version",
            None => "stays deleted",
        };
        row_ui(ui, &pair.path, (icons::CHECK, colors.good, words));
    }
    let count = plan.writes.len() + plan.settled.len() + plan.refused.len();
    more_text(ui, count.saturating_sub(MAX_LISTED_FILES));
}

fn row_ui(ui: &mut Ui, path: &str, (icon, color, words): (&'static str, Color32, &str)) {
    file_row(ui, (icon, color), &visible(path), words, |_| {});
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_that_git_will_show_are_stated_with_those_of_now() {
        let lines = |before, after| describe_lines(LineCounts { before, after });
        assert_eq!(lines(1204, 212), "Git will show 212 changed lines, now 1,204.");
        assert_eq!(lines(3, 3), "Git shows 3 changed lines, as now.");
        assert_eq!(lines(3, 0), "Git will show 0 changed lines, now 3.");
    }
}
