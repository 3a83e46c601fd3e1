//! Paints the decision buttons: for this pair, for its group, for all remaining pairs.

use egui::{Rect, Sense, Stroke, Ui, pos2, vec2};

use crate::text::thousands;
use crate::ui::icons;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{self, Button, StyledText};
use crate::workbench::{Action, Command, DecisionStatus, Workbench};

/// Height of the footer.
pub(super) const FOOT: f32 = 91.0;
/// Where the buttons begin.
const WORDS: f32 = 88.0;
/// Below this width there is room only for the buttons.
const WIDE: f32 = 760.0;
/// Below this width only the first button has a label.
const NARROW: f32 = 500.0;

/// Draws the decision buttons.
pub(super) fn foot_ui(ui: &mut Ui, workbench: &Workbench, actions: &mut Vec<Action>) {
    let desk = &workbench.review;
    let size = vec2(ui.available_width(), FOOT);
    let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
    let hair = Stroke::new(1.0, tokens(ui).hair);
    ui.painter().hline(rect.x_range(), rect.top() + 0.5, hair);
    let is_part = desk
        .pair
        .is_some_and(|at| desk.status(at) == DecisionStatus::Partial);
    let (count, all) = desk.open_group().map_or((0, 0), |(group, tally)| {
        let discussed = tally.count(DecisionStatus::Discussed);
        let left = tally.all() - decided_row(tally) - discussed;
        let choices = [left, discussed];
        let some = choices.into_iter().find(|number| *number > 0);
        (group.pairs.len(), some.unwrap_or(group.pairs.len()))
    });
    let accept = if is_part {
        "Accept selection"
    } else {
        "Accept"
    };
    let this = DecisionRow {
        title: "This pair",
        buttons: &[
            (Command::AcceptPair, accept, icons::CHECK),
            (Command::RejectPair, "Reject", icons::X),
            (Command::SkipPair, "Skip", icons::SKIP_FORWARD),
            (Command::DiscussPair, "Discuss", icons::MESSAGE_SQUARE),
        ],
        edge_button: (
            Command::UndoDecision,
            Command::UndoDecision.name(),
            icons::UNDO_2,
        ),
    };
    row_ui(ui, workbench, row_rect(rect, 0), &this, actions);
    let title = format!("Group of {}", thousands(count));
    let (accept, reject, discuss) = if all == count {
        (
            format!("Accept all {}", thousands(all)),
            "Reject all",
            "Discuss all",
        )
    } else {
        (
            format!("Accept remaining {}", thousands(all)),
            "Reject remaining",
            "Discuss remaining",
        )
    };
    let buttons = [
        (Command::AcceptGroup, &*accept, icons::LIST_CHECKS),
        (Command::RejectGroup, reject, icons::X),
        (Command::DiscussGroup, discuss, icons::MESSAGE_SQUARE),
    ];
    // In a group of one, the buttons above do the same.
    let has_buttons = count > 1;
    let group = DecisionRow {
        title: if has_buttons { &title } else { "" },
        buttons: if has_buttons { &buttons } else { &[] },
        edge_button: (Command::AcceptRest, "All remaining", icons::ELLIPSIS),
    };
    row_ui(ui, workbench, row_rect(rect, 1), &group, actions);
}

fn decided_row(tally: crate::workbench::Tally) -> usize {
    [
        DecisionStatus::Accepted,
        DecisionStatus::Rejected,
        DecisionStatus::Partial,
    ]
    .into_iter()
    .map(|mark| tally.count(mark))
    .sum()
}

fn row_rect(rect: Rect, row: usize) -> Rect {
    let top = rect.top() + 11.0 + row as f32 * 38.0;
    Rect::from_min_max(
        pos2(rect.left() + theme::PADDING, top),
        pos2(rect.right() - theme::PADDING, top + 30.0),
    )
}

/// A row of decision buttons.
struct DecisionRow<'a> {
    title: &'a str,
    buttons: &'a [(Command, &'a str, &'static str)],
    /// The button at the right edge.
    edge_button: (Command, &'a str, &'static str),
}

fn row_ui(
    ui: &mut Ui,
    workbench: &Workbench,
    rect: Rect,
    row: &DecisionRow<'_>,
    actions: &mut Vec<Action>,
) {
    let is_wide = rect.width() >= WIDE;
    let begin = if is_wide { WORDS } else { 0.0 };
    if is_wide {
        let color = tokens(ui).muted;
        let title = StyledText::new().with(row.title, theme::regular(theme::ROW), color);
        let title = title.galley(ui, WORDS - theme::GAP);
        widgets::paint_line(ui.painter(), rect.left_center(), title);
    }
    let ((), right) = widgets::place_right(ui, rect, |ui| {
        end_ui(ui, workbench, (row.edge_button, is_wide), actions);
    });
    let buttons = rect
        .with_min_x(rect.left() + begin)
        .with_max_x(right - theme::GAP);
    widgets::place_left(ui, buttons, |ui| {
        ui.spacing_mut().item_spacing.x = theme::GAP;
        for (at, (command, words, icon)) in row.buttons.iter().enumerate() {
            let button = if at > 0 && rect.width() < NARROW {
                Button::icon_only(icon, words)
            } else {
                Button::secondary(words).icon(icon)
            };
            let button = button.command(*command, command.enabled(workbench));
            let button = if is_wide { button.show_keys() } else { button };
            if ui.add(button).clicked() {
                actions.push(Action::Run(*command));
            }
        }
    });
}

fn end_ui(
    ui: &mut Ui,
    workbench: &Workbench,
    ((command, words, icon), is_wide): ((Command, &str, &'static str), bool),
    actions: &mut Vec<Action>,
) {
    let enabled = command.enabled(workbench);
    let button = if is_wide {
        Button::ghost(words).icon(icon)
    } else {
        Button::icon_only(icon, words)
    };
    if command != Command::AcceptRest {
        let button = button.command(command, enabled);
        let button = if is_wide { button.show_keys() } else { button };
        if ui.add(button).clicked() {
            actions.push(Action::Run(command));
        }
        return;
    }
    let tip = "Accept or reject everything that is undecided, in all groups";
    let response = ui.add(button.tooltip(tip).disabled(enabled.err()));
    widgets::menu(&response, |ui| {
        for command in [Command::AcceptRest, Command::RejectRest] {
            if widgets::menu_command(ui, command, command.enabled(workbench)).clicked() {
                actions.push(Action::Run(command));
                ui.close();
            }
        }
    });
}
