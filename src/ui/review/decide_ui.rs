//! Paints the decision buttons, for the selected pair or its group, and the number of lines that git shows.

use std::sync::Arc;

use egui::{Id, Role, Sense, Ui, vec2};

use super::review_data::{PairData, ReviewData};
use super::review_ui::ReviewView;
use compare::review::{LineCounts, PairKey};
use document::diff::Side;
use document::text::{counted, thousands};
use widgets::theme::{self, tokens};
use widgets::{Button, Segment, StyledText, TextField, icons};
use workbench::{Action, Actions, Command, DecisionStatus, ReviewAction, ReviewDesk, Workbench};

/// Height of the bar.
pub(super) const DECIDE_HEIGHT: f32 = 56.0;
/// Below this width the buttons have icons without labels.
const LABELS_MIN_WIDTH: f32 = 540.0;
/// Below this width the buttons do not show their keys, and the lines of git are left out.
const KEYS_MIN_WIDTH: f32 = 720.0;

/// The notes that are being typed, on the pair and on its group, each with what it is about.
#[derive(Debug, Default)]
pub(super) struct NoteDrafts {
    pair: (Option<PairKey>, String),
    group: (Option<Arc<str>>, String),
}

/// Draws the bar.
pub(super) fn decide_ui(
    ui: &mut Ui,
    workbench: &Workbench,
    data: &ReviewData,
    view: &mut ReviewView,
    actions: &mut Actions,
) {
    let desk = &workbench.review;
    widgets::keep_clear(ui, ui.max_rect());
    let (Some(pair), Some((group, tally)), Some(index)) =
        (&data.pair, desk.open_group(), desk.group)
    else {
        return;
    };
    let (rect, _) = widgets::allocate_row(ui, DECIDE_HEIGHT, Sense::hover());
    widgets::line_above(ui, rect);
    let inner = rect.shrink2(vec2(theme::PADDING, 0.0));
    let (has_labels, has_keys) = (rect.width() >= LABELS_MIN_WIDTH, rect.width() >= KEYS_MIN_WIDTH);
    let count = group.pairs.len();
    let chosen = view.scope.filter(|(of, _)| *of == index).map(|(_, is_group)| is_group);
    // One decision is enough where all pairs changed for the same reason.
    let is_group = count > 1 && chosen.unwrap_or(group.causes < 2);
    let mut left = inner;
    if has_keys {
        let ((), right) = widgets::place_right(ui, inner, |ui| lines_ui(ui, desk, is_group));
        left.max.x = right - theme::GAP;
    }
    widgets::place_left(ui, left, |ui| {
        ui.spacing_mut().item_spacing.x = theme::GAP;
        // Discussed pairs are decided last, so they count only when nothing else is open.
        let open = [tally.open(), tally.count(DecisionStatus::Discussed)];
        let open = open.into_iter().find(|number| *number > 0).unwrap_or(count);
        let reach = if open == count { "all" } else { "remaining" };
        if count > 1 {
            let noun = desk.selected().map_or("file", |reviewed| reviewed.compared.noun);
            let one = format!("This {noun}");
            let number = thousands(open);
            let all =
                if open == count { format!("All {number}") } else { format!("{number} left") };
            let segments = [Segment::text(&one), Segment::text(&all)];
            if let Some(chosen) = widgets::segmented(ui, &segments, usize::from(is_group)) {
                view.scope = Some((index, chosen == 1));
            }
            ui.add_space(theme::SECTION_GAP);
        }
        let target = if is_group { format!(" {reach} {}", thousands(open)) } else { String::new() };
        buttons_ui(ui, workbench, (is_group, &target), (has_labels, has_keys), actions);
        let more = ui.add(Button::icon_only(icons::ELLIPSIS, "More decisions"));
        widgets::lasting_menu(&more, |ui| {
            more_entries(ui, workbench, (data, pair), (is_group, &target), actions);
            notes_ui(ui, pair, &mut view.notes, actions);
        });
    });
}

fn buttons_ui(
    ui: &mut Ui,
    workbench: &Workbench,
    (is_group, target): (bool, &str),
    (has_labels, has_keys): (bool, bool),
    actions: &mut Actions,
) {
    let desk = &workbench.review;
    let is_part = desk.pair.is_some_and(|pair| desk.status(pair) == DecisionStatus::Partial);
    let accept = if is_part && !is_group { "Accept selection" } else { "Accept" };
    let keep = "Keep old noise";
    let buttons = [
        ([Command::AcceptPair, Command::AcceptGroup], accept, icons::CHECK),
        ([Command::RejectPair, Command::RejectGroup], "Reject", icons::X),
        ([Command::KeepNoisePair, Command::KeepNoiseGroup], keep, icons::VOLUME_X),
    ];
    for (commands, label, icon) in buttons {
        let command = commands[usize::from(is_group)];
        let enabled = command.enabled(workbench);
        // Without a shorter diff it would do harm.
        if label == keep && enabled.is_err() {
            continue;
        }
        let name = match (label == keep, is_group) {
            (true, true) => format!("{label} of{target}"),
            _ => format!("{label}{target}"),
        };
        let button = Button::secondary(label).icon(icon).icon_only_if(!has_labels);
        let mut button = button.command(command, enabled).name_for_readers(&name);
        if has_keys {
            button = button.show_keys();
        }
        widgets::command_button(ui, button, command, actions);
    }
}

/// Draws the number of lines that git shows now, and with the old noise.
fn lines_ui(ui: &mut Ui, desk: &ReviewDesk, is_group: bool) {
    let lines = match (is_group, desk.pair_lines()) {
        (true, _) => desk.group_lines(),
        (false, Some(Ok(lines))) => Some(lines),
        (false, _) => None,
    };
    let Some(LineCounts { before, after }) = lines.filter(|lines| lines.before > 0) else {
        return;
    };
    let colors = tokens(ui);
    let color = if after > before { colors.warning } else { colors.text_strong };
    let after_label = counted(after, "line", "lines");
    let before_label =
        if before == after { String::new() } else { format!("{} → ", thousands(before)) };
    let response = StyledText::new()
        .with("git diff ", theme::regular(theme::ROW), colors.text)
        .with(&before_label, theme::mono(theme::LABEL), colors.muted)
        .with(&after_label, theme::mono_bold(theme::LABEL), color)
        .show(ui);
    let tip = "About as many lines as git shows as added or removed: now, and with the old noise";
    widgets::describe(&response, Role::Label, &format!("git diff {before_label}{after_label}"));
    response.on_hover_text(tip);
}

/// Adds the other decisions and what else can be done with the pair.
fn more_entries(
    ui: &mut Ui,
    workbench: &Workbench,
    (data, pair): (&ReviewData, &PairData),
    (is_group, target): (bool, &str),
    actions: &mut Actions,
) {
    let entry = |ui: &mut Ui, command: Command, words: &str, actions: &mut Actions| {
        let reason = command.enabled(workbench).err();
        let caps = widgets::keymap::caps(ui, command);
        if widgets::menu_item(ui, icons::command(command), words, &caps, reason).clicked() {
            actions.push(Action::Run(command));
            ui.close();
        }
    };
    let discuss = if is_group { Command::DiscussGroup } else { Command::DiscussPair };
    entry(ui, Command::SkipPair, "Skip", actions);
    entry(ui, discuss, &format!("Discuss{target}"), actions);
    entry(ui, Command::UndoDecision, Command::UndoDecision.name(), actions);
    if let Some(change) = data.change.as_ref().filter(|change| change.is_separable) {
        let is_old = change.is_from_old;
        if widgets::menu_switch(ui, "Keep the old value of this change", "", (is_old, false)) {
            let side = if is_old { Side::Right } else { Side::Left };
            actions.push(Action::from(ReviewAction::ChooseSide(change.key.clone(), side)));
        }
    }
    let partners = match (pair.is_paired_by_hand, pair.shows_partners) {
        (true, _) => Some(("Restore the automatic pairing", ReviewAction::PairAsFound)),
        (false, true) => Some(("Hide other recordings", ReviewAction::TogglePartners)),
        (false, false) => (!pair.partners.is_empty())
            .then_some(("Choose another old recording", ReviewAction::TogglePartners)),
    };
    if let Some((words, action)) = partners {
        widgets::menu_choice(ui, icons::ARROW_LEFT_RIGHT, words, action, actions);
    }
    // A rule is made from a change, which a moved or an equal pair does not have.
    if data.change.is_some() {
        entry(ui, Command::IgnoreLikeThis, Command::IgnoreLikeThis.name(), actions);
    }
    entry(ui, Command::OpenDifftool, Command::OpenDifftool.name(), actions);
    let of_lane = [Command::AcceptLane, Command::KeepNoiseLane, Command::RejectLane];
    let of_all = [Command::AcceptRest, Command::KeepNoiseRest, Command::RejectRest];
    let lane = workbench.review.open_group().map_or("", |(group, _)| group.lane.label());
    for (heading, commands) in [(lane, of_lane), ("All undecided", of_all)] {
        widgets::menu_heading(ui, heading);
        for command in commands {
            entry(ui, command, command.name(), actions);
        }
    }
}

fn notes_ui(ui: &mut Ui, pair: &PairData, notes: &mut NoteDrafts, actions: &mut Actions) {
    widgets::menu_heading(ui, "Notes");
    let words = ["Note on this decision", "About this decision"];
    if let Some(text) = note_ui(ui, words, (&pair.key, &pair.note), &mut notes.pair) {
        actions.push(Action::from(ReviewAction::Note(pair.key.clone(), text)));
    }
    let group = &pair.group_note;
    if group.pairs > 1 || !group.text.is_empty() {
        ui.add_space(theme::GAP);
        let words = ["Note on this group", "About the group"];
        if let Some(text) = note_ui(ui, words, (&group.id, &group.text), &mut notes.group) {
            actions.push(Action::from(ReviewAction::GroupNote(Arc::clone(&group.id), text)));
        }
    }
}

/// Draws the field for a note with its accessible name and its hint; returns its text when it has been edited.
fn note_ui<T: Clone + PartialEq>(
    ui: &mut Ui,
    [name, hint]: [&'static str; 2],
    (subject, saved_text): (&T, &str),
    (note_subject, text): &mut (Option<T>, String),
) -> Option<String> {
    let id = Id::unique(name);
    let is_focused = ui.memory(|memory| memory.has_focus(id));
    let is_other = note_subject.as_ref() != Some(subject);
    // While the user types, the stored note is older than the field.
    if !is_focused || is_other {
        if is_other && is_focused {
            // Otherwise the next letters would be added to the note of another pair.
            ui.memory_mut(|memory| memory.surrender_focus(id));
        }
        *note_subject = Some(subject.clone());
        saved_text.clone_into(text);
    }
    let response = TextField::new(id, name, text).hint(hint).show_lines(ui, 2);
    // Stored when the field is left, so that a note is one step to undo, not one for each letter.
    widgets::has_lost_focus(&response).then(|| text.trim_end().to_owned())
}
