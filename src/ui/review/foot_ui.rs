//! Paints the decision buttons for this pair, for its group and for all remaining pairs, and how many lines git shows.

use egui::{Color32, CornerRadius, Rect, Sense, Ui, pos2, vec2};

use compare::review::LineCounts;
use document::text::{counted, thousands};
use widgets::theme::{self, tokens};
use widgets::{Button, StyledText, icons};
use workbench::{Actions, Command, DecisionStatus, ReviewDesk, Workbench};

/// Height of the footer.
pub(super) const FOOT_HEIGHT: f32 = 115.0;
/// Left edge of the buttons, after the title of their row.
const BUTTONS_LEFT: f32 = 76.0;
/// Width of a character of a label.
const LETTER_WIDTH: f32 = 7.0;
/// Width of a button without its label.
const BARE_BUTTON_WIDTH: f32 = 44.0;
/// Width of a button without a label, and the space beside it.
const ICON_BUTTON_WIDTH: f32 = 36.0;
/// Width of the key in a button.
const KEY_WIDTH: f32 = 24.0;
/// Width of the buttons at the right edge.
const EDGE_WIDTH: f32 = 180.0;
/// Number of the main buttons of a row: accept, reject and keep noise.
const MAIN_BUTTONS: usize = 3;
const KEEP_LABEL: &str = "Keep old noise";
/// Width of the bar beside a number of lines.
const BAR_WIDTH: f32 = 72.0;

/// Draws the decision buttons.
pub(super) fn foot_ui(ui: &mut Ui, workbench: &Workbench, actions: &mut Actions) {
    let desk = &workbench.review;
    let (rect, _) = widgets::allocate_row(ui, FOOT_HEIGHT, Sense::hover());
    widgets::line_above(ui, rect);
    let is_part = desk.pair.is_some_and(|pair| desk.status(pair) == DecisionStatus::Partial);
    let (count, target_count) = desk.open_group().map_or((0, 0), |(group, tally)| {
        let choices = [tally.open(), tally.count(DecisionStatus::Discussed)];
        // Discussed pairs are decided last, so they count only when nothing else is open.
        let open_count = choices.into_iter().find(|number| *number > 0);
        (group.pairs.len(), open_count.unwrap_or(group.pairs.len()))
    });
    let accept = if is_part { "Accept selection" } else { "Accept" };
    let pair_row = DecisionRow {
        title: "This pair",
        buttons: &[
            (Command::AcceptPair, accept, accept, icons::CHECK),
            (Command::RejectPair, "Reject", "Reject", icons::X),
            (Command::KeepNoisePair, KEEP_LABEL, KEEP_LABEL, icons::VOLUME_X),
            (Command::SkipPair, "Skip", "Skip", icons::SKIP_FORWARD),
            (Command::DiscussPair, "Discuss", "Discuss", icons::MESSAGE_SQUARE),
        ],
        edge_button: (Command::UndoDecision, Command::UndoDecision.name(), icons::UNDO_2),
    };
    let number = thousands(target_count);
    let (group, reach) = if target_count == count {
        (format!("All {number}"), "all")
    } else {
        (format!("{number} left"), "remaining")
    };
    let names = ["Accept", "Reject", "Keep old noise of", "Discuss"];
    let [accept, reject, keep, discuss] = names.map(|name| format!("{name} {reach}"));
    let accept = format!("{accept} {number}");
    let buttons = [
        (Command::AcceptGroup, "Accept", &*accept, icons::LIST_CHECKS),
        (Command::RejectGroup, "Reject", &*reject, icons::X),
        (Command::KeepNoiseGroup, KEEP_LABEL, &*keep, icons::VOLUME_X),
        (Command::DiscussGroup, "Discuss", &*discuss, icons::MESSAGE_SQUARE),
    ];
    // In a group of one, the buttons above do the same.
    let has_buttons = count > 1;
    let group = DecisionRow {
        title: if has_buttons { &group } else { "" },
        buttons: if has_buttons { &buttons } else { &[] },
        edge_button: (Command::AcceptRest, "All remaining", icons::ELLIPSIS),
    };
    let room = Room::of(row_rect(rect, 0).width(), accept_width(is_part));
    row_ui(ui, workbench, (row_rect(rect, 0), room), &pair_row, actions);
    row_ui(ui, workbench, (row_rect(rect, 1), room), &group, actions);
    lines_ui(ui, desk, row_rect(rect, 2).with_max_y(rect.bottom() - 8.0), has_buttons);
}

/// Draws how many lines git shows now, and with the old noise: of the pair, and of its group if that has several.
fn lines_ui(ui: &mut Ui, desk: &ReviewDesk, rect: Rect, has_group: bool) {
    let half = rect.with_max_x(rect.center().x - theme::GAP);
    let pair_rect = if has_group { half } else { rect };
    match desk.pair_lines() {
        Some(Ok(lines)) => line_counts_ui(ui, pair_rect, "This pair", lines),
        Some(Err(reason)) => {
            let text = format!("The old noise cannot be kept: {reason}");
            label_ui(ui, pair_rect, &text, (pair_rect.width(), tokens(ui).muted));
        }
        None => {}
    }
    // Without a pair whose old noise can be kept, there is nothing to count.
    let lines = desk.group_lines().filter(|lines| lines.before > 0);
    if let Some(lines) = lines.filter(|_| has_group) {
        line_counts_ui(ui, rect.with_min_x(rect.center().x + theme::GAP), "Group", lines);
    }
}

/// Draws two numbers of lines as text, and as a bar whose filled part is the share that remains.
fn line_counts_ui(ui: &mut Ui, rect: Rect, title: &str, lines: LineCounts) {
    let LineCounts { before, after } = lines;
    let more = after.saturating_sub(before);
    let mut text = format!(
        "{title}: git diff about {} → {}",
        thousands(before),
        counted(after, "line", "lines")
    );
    if more > 0 {
        text.push_str(&format!(", {} more", thousands(more)));
    }
    let room = rect.width() - BAR_WIDTH - theme::GAP;
    // A bar without room for its text would say nothing.
    let has_bar = room >= BAR_WIDTH;
    let colors = tokens(ui);
    let (color, fill) =
        if more > 0 { (colors.warning, colors.warning) } else { (colors.muted, colors.good) };
    let width = if has_bar { room } else { rect.width() };
    let right = label_ui(ui, rect, &text, (width, color));
    if !has_bar {
        return;
    }
    let bar =
        Rect::from_min_size(pos2(right + theme::GAP, rect.center().y - 2.0), vec2(BAR_WIDTH, 4.0));
    // At least one, because new files without any changed line must not divide by zero.
    let share = after as f32 / before.max(1) as f32;
    let filled_bar = bar.with_max_x(bar.left() + BAR_WIDTH * share.min(1.0));
    let corner = CornerRadius::same(2);
    ui.painter().rect_filled(bar, corner, tokens(ui).line);
    ui.painter().rect_filled(filled_bar, corner, fill);
}

/// Draws a line of small text; returns its right end.
fn label_ui(ui: &mut Ui, rect: Rect, text: &str, (width, color): (f32, Color32)) -> f32 {
    let line = widgets::line(ui, text, theme::regular(theme::LABEL), color, width);
    let end = rect.left() + line.size().x;
    widgets::paint_line(ui.painter(), rect.left_center(), line);
    // Only the text has the tooltip, not the empty space beside it.
    let response = ui.interact(rect.with_max_x(end), ui.scope_id().with(text), Sense::hover());
    widgets::describe(&response, egui::Role::Label, text);
    response.on_hover_text(format!(
        "{text}\nAbout as many lines as git shows as added or removed: now, and with the old noise"
    ));
    end
}

fn row_rect(rect: Rect, row: usize) -> Rect {
    let top = rect.top() + 11.0 + row as f32 * 38.0;
    Rect::from_x_y_ranges(rect.x_range().shrink(theme::PADDING), top..=top + 30.0)
}

/// A row of decision buttons.
struct DecisionRow<'a> {
    title: &'a str,
    /// Each with its label, its whole name and its icon.
    buttons: &'a [(Command, &'a str, &'a str, &'static str)],
    /// The button at the right edge.
    edge_button: (Command, &'a str, &'static str),
}

/// Parts of the rows that there is room for, from least to most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Room {
    /// Icons, and a label on the first button.
    Icons,
    /// Labels on the main buttons.
    Labels,
    /// Their keys and the title of the row, too.
    Title,
    /// Labels and keys on all buttons.
    All,
}

impl Room {
    /// Returns what a row of this width has room for, if its first button has a label of this width.
    fn of(width: f32, accept: f32) -> Self {
        let main_width = accept + label_width("Reject") + label_width(KEEP_LABEL);
        // Skip, discuss and the button at the edge.
        let icons_width = 3.0 * ICON_BUTTON_WIDTH;
        let keys_width = MAIN_BUTTONS as f32 * KEY_WIDTH;
        let full_width = main_width
            + keys_width
            + BUTTONS_LEFT
            + label_width("Skip")
            + label_width("Discuss")
            + EDGE_WIDTH;
        let widths = [
            (full_width + 3.0 * KEY_WIDTH, Self::All),
            (main_width + keys_width + icons_width + BUTTONS_LEFT, Self::Title),
            // In place of the title, the first label is longer.
            (main_width + icons_width + BUTTONS_LEFT, Self::Labels),
        ];
        let fit = widths.into_iter().find(|(min, _)| *min <= width);
        fit.map_or(Self::Icons, |(_, room)| room)
    }
}

fn label_width(label: &str) -> f32 {
    // An estimate: measuring every label in every frame would only serve this choice.
    label.len() as f32 * LETTER_WIDTH + BARE_BUTTON_WIDTH + theme::GAP
}

fn accept_width(is_part: bool) -> f32 {
    label_width(if is_part { "Accept selection" } else { "Accept" })
}

fn row_ui(
    ui: &mut Ui,
    workbench: &Workbench,
    (rect, room): (Rect, Room),
    row: &DecisionRow<'_>,
    actions: &mut Actions,
) {
    let has_title = room >= Room::Title;
    let left = if has_title { BUTTONS_LEFT } else { 0.0 };
    if has_title {
        let title = StyledText::new()
            .with(row.title, theme::regular(theme::ROW), tokens(ui).muted)
            .galley(ui, BUTTONS_LEFT - theme::GAP);
        widgets::paint_line(ui.painter(), rect.left_center(), title);
    }
    let ((), right) = widgets::place_right(ui, rect, |ui| {
        end_ui(ui, workbench, (row.edge_button, room == Room::All), actions);
    });
    let buttons = rect.with_min_x(rect.left() + left).with_max_x(right - theme::GAP);
    widgets::place_left(ui, buttons, |ui| {
        ui.spacing_mut().item_spacing.x = theme::GAP;
        for (index, (command, label, name, icon)) in row.buttons.iter().enumerate() {
            let is_labelled = match room {
                Room::Icons => index == 0,
                Room::All => true,
                _ => index < MAIN_BUTTONS,
            };
            // Without a title, the label says which pairs are meant.
            let label = if index == 0 && !has_title { name } else { label };
            let button = if is_labelled {
                Button::secondary(label).icon(icon)
            } else {
                Button::icon_only(icon, name)
            };
            let enabled = command.enabled(workbench);
            let mut button = button.command(*command, enabled).name_for_readers(name);
            if is_labelled && has_title {
                button = button.show_keys();
            }
            widgets::command_button(ui, button, *command, actions);
        }
    });
}

fn end_ui(
    ui: &mut Ui,
    workbench: &Workbench,
    ((command, words, icon), is_wide): ((Command, &str, &'static str), bool),
    actions: &mut Actions,
) {
    let enabled = command.enabled(workbench);
    let button = Button::ghost(words).icon(icon).icon_only_if(!is_wide);
    // All remaining pairs at once is no single click: its button opens a menu.
    if command != Command::AcceptRest {
        let button = button.command(command, enabled);
        let button = if is_wide { button.show_keys() } else { button };
        return widgets::command_button(ui, button, command, actions);
    }
    let tip = "Accept or reject everything that is undecided, in all groups";
    let response = ui.add(button.tooltip(tip).disabled(enabled.err()));
    widgets::menu(&response, |ui| {
        for command in [Command::AcceptRest, Command::KeepNoiseRest, Command::RejectRest] {
            widgets::menu_run(ui, command, command.enabled(workbench), actions);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_has_the_titles_and_keys_of_its_main_buttons_where_they_fit() {
        let room = |width| Room::of(width, accept_width(false));
        assert_eq!(room(1100.0), Room::All);
        assert_eq!(room(680.0), Room::Title);
        assert_eq!(room(540.0), Room::Labels);
        assert_eq!(room(300.0), Room::Icons);
    }
}
