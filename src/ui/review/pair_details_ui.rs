//! Paints the details of a pair: changes, reason, consequences, ignored differences, and how it was paired.

use std::sync::Arc;

use egui::{
    Color32, CornerRadius, Frame, Id, Margin, RichText, ScrollArea, Sense, StrokeKind, TextEdit,
    Ui, pos2,
};

use super::format_text;
use super::queue_row_ui::subject_icon;
use super::review_data::{PairChange, PairData, ReviewData};
use crate::compare::list_heading;
use compare::review::{ChangeKind, PairKey, PartnerCandidate};
use document::diff::Side;
use document::text::{counted, visible};
use widgets::theme::{self, Tokens, tokens};
use widgets::{
    Button, Line, List, Row, RowSelection, RowShape, RowSlot, Segment, StyledText, icons, on_click,
};
use workbench::{Action, Actions, Command, ReviewAction, Workbench};

const CHANGE_ROW: RowShape = RowShape { height: 64.0, lines: &[17.0], ..RowShape::TWO_LINES };
/// An old recording to pair with: its name, and what would differ.
const PARTNER_ROW: RowShape = RowShape {
    height: 86.0,
    lines: &[16.0, 34.0, 51.0, 68.0],
    margins: (8.0, 8.0),
    ..RowShape::TWO_LINES
};
/// Width of the choice between old and new, with its label.
const CHOICE_WIDTH: f32 = 136.0;
/// Height of the content beside that choice.
const BESIDE_CHOICE_HEIGHT: f32 = 34.0;

/// The notes that are being typed, on the pair and on its group.
#[derive(Debug, Default)]
pub(super) struct NoteDrafts {
    pair: NoteDraft<PairKey>,
    group: NoteDraft<Arc<str>>,
}

/// A note that is being typed.
#[derive(Debug)]
struct NoteDraft<T> {
    /// Pair or group that it is about; `None` before the first.
    subject: Option<T>,
    text: String,
}

impl<T> Default for NoteDraft<T> {
    fn default() -> Self {
        Self { subject: None, text: String::new() }
    }
}

/// Draws the details of the selected pair.
pub(super) fn pair_details_ui(
    ui: &mut Ui,
    workbench: &Workbench,
    data: &ReviewData,
    notes: &mut NoteDrafts,
    actions: &mut Actions,
) {
    let Some(pair) = &data.pair else { return };
    let count = counted(pair.count, "change", "changes");
    list_heading(ui, "Changes", &count, "");
    let current = workbench.review.pane.change;
    ScrollArea::vertical().id_salt("what changed").auto_shrink(false).show(ui, |ui| {
        let count = pair.changes.len();
        let colors = tokens(ui);
        let room =
            ui.available_width() - CHANGE_ROW.margins.0 - CHANGE_ROW.margins.1 - theme::INDENT;
        // A sentence may wrap, so the tops of all rows are measured before the list is laid out.
        let mut tops = vec![0.0];
        for change in &pair.changes {
            let extra_height = widgets::height_below(ui, change_words(change, colors), room);
            tops.push(tops.last().copied().unwrap_or_default() + CHANGE_ROW.height + extra_height);
        }
        List::new("Changes of the pair", &CHANGE_ROW, count)
            .tops(&|row| tops[row])
            // With the pair in the key, the list scrolls also when another pair has its change at the same row.
            .selection(Some((&pair.key, current)), |_| Some(current).filter(|index| *index < count))
            .show_inside(ui, |slot| {
                change_ui(slot, &pair.changes[slot.index], current, actions);
            });
        if pair.more > 0 {
            section(ui, |ui| sentence(ui, &format!("and {} more", pair.more)));
        }
        why_ui(ui, pair, actions);
        follows_ui(ui, pair);
        ignored_ui(ui, workbench, pair, actions);
        pair_section_ui(ui, pair, &mut notes.pair, actions);
        group_section_ui(ui, pair, &mut notes.group, actions);
    });
}

fn section(ui: &mut Ui, content: impl FnOnce(&mut Ui)) {
    Frame::new().inner_margin(Margin::symmetric(16, 14)).show(ui, |ui| {
        ui.set_width(ui.available_width());
        ui.spacing_mut().item_spacing.y = 6.0;
        content(ui);
    });
    widgets::hair_line(ui);
}

fn sentence(ui: &mut Ui, text: &str) {
    ui.label(theme::text(text, theme::regular(theme::ROW), tokens(ui).text));
}

fn change_look(change: &PairChange, colors: &Tokens) -> (&'static str, Color32) {
    match change.kind {
        ChangeKind::Added => (icons::PLUS, colors.good),
        ChangeKind::Removed => (icons::MINUS, colors.error),
        ChangeKind::Moved => (icons::MOVE_VERTICAL, colors.note),
        ChangeKind::Changed => (subject_icon(change.subject), colors.note),
    }
}

/// Returns the sentence of a change in up to three lines. Tools differ in what is after the prefix; the tooltip has their whole names.
fn change_words(change: &PairChange, colors: &Tokens) -> StyledText {
    let text = change.sentence.replace("`transition_to_", "`");
    format_text::rich_text(&text, theme::ROW, colors.text_strong, colors).rows(3)
}

fn change_ui(slot: &mut RowSlot<'_>, change: &PairChange, current: usize, actions: &mut Actions) {
    let colors = tokens(slot.ui);
    let text = format_text::without_backticks(&change.sentence);
    let pointer = format_text::short_pointer(&change.pointer);
    let (icon, color) = change_look(change, colors);
    // Otherwise the row shows all that the tooltip would.
    let is_whole = !change.sentence.contains("`transition_to_");
    let words = change_words(change, colors);
    let row = Row::new(format!("{text}, {}", change.pointer))
        // The queue has the selection; this row is only where the desk is.
        .selection(if slot.index == current {
            RowSelection::SelectedAway
        } else {
            RowSelection::None
        })
        .tip(if pointer == change.pointer && is_whole {
            String::new()
        } else {
            format!("{text}\n{}", visible(&change.pointer))
        })
        .line(Line::from(words).icon(icon, color));
    on_click(&slot.show(row), ReviewAction::ShowChange(slot.index), actions);
    let (ui, rect) = (&mut *slot.ui, slot.rect);
    if slot.index == current {
        widgets::accent_bar(ui.painter(), colors, rect);
    }
    let choice = rect
        .with_min_x(rect.right() - CHOICE_WIDTH - theme::PADDING)
        .with_max_x(rect.right() - 12.0)
        .with_min_y(rect.bottom() - BESIDE_CHOICE_HEIGHT - 2.0)
        .with_max_y(rect.bottom() - 2.0);
    let left = rect.left() + theme::PADDING + theme::INDENT;
    let (font, room) = (theme::mono(theme::SMALL), choice.left() - left);
    let line = widgets::line(ui, &pointer, font, colors.muted, room);
    widgets::paint_line(ui.painter(), pos2(left, choice.center().y), line);
    widgets::place_right(ui, choice, |ui| {
        if change.is_separable {
            choice_ui(ui, change, &text, actions);
        }
    });
}

/// Draws the choice between the old and the new side of a change.
fn choice_ui(ui: &mut Ui, change: &PairChange, text: &str, actions: &mut Actions) {
    let names = [format!("Old: {text}"), format!("New: {text}")];
    let segments = [Segment::text("Old").name(&names[0]), Segment::text("New").name(&names[1])];
    let index = match change.side {
        Side::Left => 0,
        Side::Right => 1,
    };
    // By pointer: rows are reused while scrolling, and egui keeps the focus by id.
    let choice = ui.push_id(&change.pointer, |ui| widgets::segmented(ui, &segments, index)).inner;
    if let Some(choice) = choice {
        let action = ReviewAction::ChooseSide(change.key.clone(), Side::BOTH[choice.min(1)]);
        actions.push(Action::from(action));
    }
    StyledText::new().with("Keep", theme::regular(theme::LABEL), tokens(ui).muted).show(ui);
}

fn why_ui(ui: &mut Ui, pair: &PairData, actions: &mut Actions) {
    let Some(why) = &pair.why else { return };
    section(ui, |ui| {
        widgets::heading(ui, "", "Why", "");
        sentence(ui, &format_text::without_backticks(why));
        if let (true, Some(doc)) = (pair.leads_to_source, pair.doc)
            && widgets::link(ui, "Compare source versions").clicked()
        {
            actions.push(Action::CompareSource(doc));
        }
    });
}

fn follows_ui(ui: &mut Ui, pair: &PairData) {
    if pair.follows.is_empty() {
        return;
    }
    section(ui, |ui| {
        widgets::heading(ui, "", "Consequences", "");
        for line in &pair.follows {
            icon_line(ui, icons::CORNER_DOWN_RIGHT, line);
        }
    });
}

fn icon_line(ui: &mut Ui, icon: &str, words: &str) {
    let colors = tokens(ui);
    let (rect, response) = widgets::allocate_row(ui, theme::TEXT_LINE, Sense::hover());
    widgets::describe(&response, egui::Role::Label, words);
    widgets::paint_icon_word(ui, rect, (icon, colors.muted), (words, colors.text));
}

fn ignored_ui(ui: &mut Ui, workbench: &Workbench, pair: &PairData, actions: &mut Actions) {
    // A rule is made from a change, which a moved or an equal pair does not have.
    let has_changes = if pair.count == 0 { Err("nothing changed") } else { Ok(()) };
    let enabled = Command::IgnoreLikeThis.enabled(workbench).and(has_changes);
    section(ui, |ui| {
        let count = match pair.ignored.count {
            0 => String::new(),
            count => document::text::thousands(count),
        };
        widgets::heading(ui, "", "Ignored", &count);
        if pair.ignored.count > 0 {
            sentence(ui, &format!("{}.", document::text::upper_first(&pair.ignored.summary)));
            let words =
                if workbench.review.shows_ignored { "Hide ignored" } else { "Show ignored" };
            on_click(&widgets::link(ui, words), ReviewAction::ToggleIgnored, actions);
        }
        for line in &pair.ignored.lines {
            icon_line(ui, icons::VOLUME_X, line);
        }
        let button = Button::secondary(Command::IgnoreLikeThis.name())
            .icon(icons::VOLUME_X)
            .command(Command::IgnoreLikeThis, enabled);
        widgets::command_button(ui, button, Command::IgnoreLikeThis, actions);
    });
}

/// Returns a candidate's whole name and what would differ, wrapped.
fn partner_lines(partner: &PartnerCandidate, colors: &Tokens) -> Vec<StyledText> {
    /// More rows than a path or sentence has.
    const MAX_ROWS: usize = 8;
    let (path, font) = (visible(&partner.path), theme::mono(theme::ROW));
    let name = StyledText::new().with(&path, font, colors.text_strong);
    let differences = partner.differences.iter();
    let differences =
        differences.map(|d| format_text::rich_text(d, theme::LABEL, colors.text, colors));
    let lines = std::iter::once(name).chain(differences);
    lines.map(|line| line.rows(MAX_ROWS)).collect()
}

/// Draws the old recordings that the selected one can be paired with. A click pairs them.
fn partners_ui(ui: &mut Ui, partners: &[PartnerCandidate], actions: &mut Actions) {
    let colors = tokens(ui);
    let room = ui.available_width() - PARTNER_ROW.margins.0 - PARTNER_ROW.margins.1;
    let mut tops = vec![0.0];
    for partner in partners {
        let lines = partner_lines(partner, colors);
        let next_top = PARTNER_ROW.lines.get(lines.len()).copied();
        // The place of the next line is the height of a row with fewer lines.
        let row_height = next_top.unwrap_or(PARTNER_ROW.height);
        let extra_height: f32 =
            lines.into_iter().map(|line| widgets::height_below(ui, line, room)).sum();
        tops.push(tops.last().copied().unwrap_or_default() + row_height + extra_height);
    }
    List::new("Old recordings without a partner", &PARTNER_ROW, partners.len())
        .tops(&|row| tops[row])
        .show_inside(ui, |slot| {
            let partner = &partners[slot.index];
            let text = partner.differences.join(", ");
            let text = format_text::without_backticks(&text);
            let mut row = Row::new(format!("Pair with {}: {text}", visible(&partner.path)));
            for line in partner_lines(partner, colors) {
                row = row.line(line);
            }
            on_click(&slot.show(row), ReviewAction::PairWith(Arc::clone(&partner.path)), actions);
        });
}

fn pair_section_ui(
    ui: &mut Ui,
    pair: &PairData,
    note: &mut NoteDraft<PairKey>,
    actions: &mut Actions,
) {
    section(ui, |ui| {
        widgets::heading(ui, "", "Pair and note", "");
        sentence(ui, &format!("{}.", pair.pairing));
        if pair.is_paired_by_hand {
            let link = widgets::link(ui, "Restore the automatic pairing");
            on_click(&link, ReviewAction::PairAsFound, actions);
        } else if !pair.partners.is_empty() {
            let words = match (pair.shows_partners, pair.is_added) {
                (true, _) => "Hide other recordings",
                (false, true) => "Choose the old recording",
                (false, false) => "Choose another",
            };
            on_click(&widgets::link(ui, words), ReviewAction::TogglePartners, actions);
            if pair.shows_partners {
                partners_ui(ui, &pair.partners, actions);
            }
        }
        let words = ["Note on this decision", "Add a note to this decision"];
        if let Some(text) = note_ui(ui, words, (&pair.key, &pair.note), note) {
            actions.push(Action::from(ReviewAction::Note(pair.key.clone(), text)));
        }
    });
}

fn group_section_ui(
    ui: &mut Ui,
    pair: &PairData,
    note: &mut NoteDraft<Arc<str>>,
    actions: &mut Actions,
) {
    let Some(group) = &pair.group_note else { return };
    section(ui, |ui| {
        widgets::heading(ui, "", "Note on the group", &counted(group.pairs, "pair", "pairs"));
        let words = ["Note on this group", "Add a note to this group"];
        if let Some(text) = note_ui(ui, words, (&group.id, &group.text), note) {
            actions.push(Action::from(ReviewAction::GroupNote(Arc::clone(&group.id), text)));
        }
    });
}

/// Draws the field for a note with its accessible name and its hint; returns its text when it has been edited.
fn note_ui<T: Clone + PartialEq>(
    ui: &mut Ui,
    [name, hint]: [&'static str; 2],
    (subject, saved_text): (&T, &str),
    note: &mut NoteDraft<T>,
) -> Option<String> {
    let id = Id::unique(name);
    let is_focused = ui.memory(|memory| memory.has_focus(id));
    let is_other = note.subject.as_ref() != Some(subject);
    // While the user types, the stored note is older than the field.
    if !is_focused || is_other {
        if is_other && is_focused {
            // Otherwise the next letters would be added to the note of another pair.
            ui.memory_mut(|memory| memory.surrender_focus(id));
        }
        note.subject = Some(subject.clone());
        saved_text.clone_into(&mut note.text);
    }
    let colors = tokens(ui);
    let hint = RichText::new(hint);
    let radius = CornerRadius::same(theme::RADIUS_CONTROL);
    let margin = Margin::symmetric(9, 7);
    let frame = Frame::NONE.fill(colors.input).corner_radius(radius).inner_margin(margin);
    let edit = TextEdit::multiline(&mut note.text)
        .id(id)
        .font(theme::regular(theme::ROW))
        .text_color(colors.text_strong)
        .hint_text(hint.font(theme::regular(theme::ROW)).color(colors.muted))
        .desired_rows(3)
        .desired_width(f32::INFINITY)
        .frame(frame);
    let response = ui.add(edit).accessible_name(name);
    let line = if response.has_focus() { (2.0, colors.ring) } else { (1.0, colors.line) };
    ui.painter().rect_stroke(response.rect, radius, line, StrokeKind::Inside);
    // Stored when the field is left, so that a note is one step to undo, not one for each letter.
    widgets::has_lost_focus(&response).then(|| note.text.trim_end().to_owned())
}
