//! Paints the palette.

use egui::{
    Align2, EventFilter, Frame, Id, Key, Margin, Modifiers, Response, RichText, Role, Sense,
    TextEdit, Ui, WidgetInfo, vec2,
};

use super::entries::PaletteEntry;
use super::palette_data::Palette;
use widgets::dialog::{divider, modal};
use widgets::theme::{self, tokens};
use widgets::{
    Caps, Line, List, Row, RowShape, RowSlot, StyledText, key_hint, place_left, place_right,
    severity_tone,
};
use widgets::{fields, icons};
use workbench::{Action, Actions};

const WIDTH: f32 = 640.0;
const QUERY_HEIGHT: f32 = 48.0;
const ENTRY_ROW: RowShape = RowShape {
    height: 36.0,
    lines: &[18.0],
    margins: (12.0, 12.0),
    radius: theme::RADIUS_CONTROL,
    ..RowShape::ONE_LINE
};
const HEADING_HEIGHT: f32 = 30.0;
/// Below the last entry.
const BOTTOM_GAP: f32 = 6.0;
const FOOT_HEIGHT: f32 = 36.0;
/// Number of entries that the page keys move.
const PAGE_ENTRIES: usize = 8;

/// Draws the palette over the desk. A choice pushes its actions and closes the palette; Esc or a click outside closes
/// it.
pub fn palette_ui(ui: &mut Ui, palette: &mut Palette, actions: &mut Actions) {
    let window = ui.ctx().content_rect();
    let (width, top) = (WIDTH.min(window.width() - 32.0), theme::overlay_top(window));
    // Before the field and the list are drawn, which would use the same keys.
    let (is_enter, is_escape) = keys(ui, palette);
    // egui paints only on input, but the search continues with each frame.
    if palette.searching {
        ui.ctx().request_repaint();
    }
    let room = window.height() - top - QUERY_HEIGHT - FOOT_HEIGHT - 32.0;
    let response = modal(ui, "palette").show(ui.ctx(), |ui| {
        ui.set_width(width);
        ui.set_max_height(window.height());
        ui.spacing_mut().item_spacing = vec2(theme::GAP, 0.0);
        query_ui(ui, palette);
        divider(ui);
        let choice = list_ui(ui, palette, room);
        divider(ui);
        foot_ui(ui);
        choice
    });
    let choice = if is_enter { Some(palette.selected) } else { response.inner };
    let entry = choice.and_then(|index| palette.entry(index));
    // A disabled entry has no actions: the palette stays open and shows the reason.
    if let Some(entry) = entry.filter(|entry| !entry.actions.is_empty()) {
        // First, because an action of the entry may open another overlay.
        actions.push(Action::SetOverlay(None));
        actions.extend(entry.actions.iter().cloned());
    } else if is_escape || response.backdrop_response.clicked() {
        actions.push(Action::SetOverlay(None));
    }
}

/// Handles the keys that move the selection. Returns whether Enter and Esc were pressed.
fn keys(ui: &Ui, palette: &mut Palette) -> (bool, bool) {
    let presses = |key| ui.input_mut(|input| input.count_and_consume_key(Modifiers::NONE, key));
    let (down, up) = (presses(Key::ArrowDown), presses(Key::ArrowUp));
    let (page_down, page_up) = (presses(Key::PageDown), presses(Key::PageUp));
    palette.step(down as isize - up as isize);
    let last = palette.count().saturating_sub(1);
    palette.selected = (palette.selected + PAGE_ENTRIES * page_down)
        .min(last)
        .saturating_sub(PAGE_ENTRIES * page_up);
    (presses(Key::Enter) > 0, presses(Key::Escape) > 0)
}

fn query_ui(ui: &mut Ui, palette: &mut Palette) {
    let tokens = tokens(ui);
    let (rect, _) = widgets::allocate_row(ui, QUERY_HEIGHT, Sense::hover());
    let inner = rect.shrink2(vec2(18.0, 0.0));
    let icon = Line::default().sign(icons::SEARCH, tokens.muted);
    icon.icon_size(theme::ICON_HEADING).show_in(ui, inner);
    place_left(ui, inner.with_min_x(inner.left() + 26.0), |ui| {
        let hint = RichText::new("Go to a file or command").color(tokens.muted);
        let edit = TextEdit::singleline(&mut palette.query)
            .id(Id::unique("palette query"))
            .font(theme::regular(14.0))
            .text_color(tokens.text_strong)
            .hint_text(hint.font(theme::regular(14.0)))
            .frame(Frame::NONE)
            .margin(Margin::ZERO)
            .align(Align2::LEFT_CENTER)
            .desired_width(f32::INFINITY)
            .event_filter(EventFilter {
                horizontal_arrows: true,
                // egui would move the focus to another control before the palette sees the key.
                vertical_arrows: true,
                ..EventFilter::default()
            });
        let response = ui.add(edit).accessible_name("Go to a file or command");
        fields::focus_first(ui, &response);
    });
}

/// Draws the entries; returns the one that was clicked. An entry with the keyboard focus is selected.
fn list_ui(ui: &mut Ui, palette: &mut Palette, room: f32) -> Option<usize> {
    let rows: Vec<(usize, usize)> = palette
        .groups
        .iter()
        .enumerate()
        .flat_map(|(index, group)| (0..=group.entries.len()).map(move |row| (index, row)))
        .collect();
    if rows.is_empty() {
        let (rect, _) = widgets::allocate_row(ui, 2.0 * ENTRY_ROW.height, Sense::hover());
        let line = Line::of("No matches. Try fewer letters.", tokens(ui).muted_body());
        line.show_in(ui, rect.shrink2(vec2(18.0, 0.0)));
        return None;
    }
    let mut tops = vec![0.0];
    for (_, row) in &rows {
        let height = if *row == 0 { HEADING_HEIGHT } else { ENTRY_ROW.height };
        tops.push(tops[tops.len() - 1] + height);
    }
    tops[rows.len()] += BOTTOM_GAP;
    let is_heading = |row: usize| rows[row].1 == 0;
    // Each entry is below the headings of its group and of those before it.
    let entry_of = |row: usize| row - 1 - rows[row].0;
    let row_of =
        |entry: usize| (0..rows.len()).find(|row| !is_heading(*row) && entry_of(*row) == entry);
    let (mut choice, mut selected) = (None, palette.selected);
    List::new("Matches", &ENTRY_ROW, rows.len())
        .tops(&|row| tops[row])
        .without_focus(&is_heading)
        .max_height(tops[rows.len()].min(room.max(ENTRY_ROW.height)))
        .selection(Some(selected), row_of)
        .show(ui, |slot| {
            let (group, row) = rows[slot.index];
            let group = &palette.groups[group];
            let Some(entry) = row.checked_sub(1).and_then(|row| group.entries.get(row)) else {
                return heading_ui(slot, group.name);
            };
            let index = entry_of(slot.index);
            let response = entry_ui(slot, entry, index == palette.selected);
            if response.gained_focus() {
                selected = index;
            }
            if response.clicked() {
                choice = Some(index);
            }
        });
    palette.selected = selected;
    choice
}

fn heading_ui(slot: &mut RowSlot<'_>, name: &str) {
    let color = tokens(slot.ui).muted;
    let rect = slot.rect.translate(vec2(18.0, 2.0));
    widgets::place_left(slot.ui, rect, |ui| {
        let heading = StyledText::new().with(name, theme::medium(theme::LABEL), color).show(ui);
        heading.widget_info(|| WidgetInfo::labeled(Role::Heading, true, name));
    });
}

fn entry_ui(slot: &mut RowSlot<'_>, entry: &PaletteEntry, is_selected: bool) -> Response {
    let tokens = tokens(slot.ui);
    let is_enabled = !entry.actions.is_empty();
    slot.rect = slot.rect.shrink2(vec2(6.0, 0.0));
    // The last row has the space below it.
    slot.rect.max.y = slot.rect.min.y + ENTRY_ROW.height;
    let icon = match (is_enabled, entry.severity) {
        (false, _) => tokens.disabled,
        (_, Some(severity)) => tokens.tone(severity_tone(severity)),
        _ if is_selected => tokens.accent,
        _ => tokens.muted,
    };
    let caps = Caps::new(slot.ui, if is_enabled { &entry.caps } else { &[] });
    let color = if is_selected { tokens.text } else { tokens.muted };
    let name = marked_name(slot.ui, entry, is_enabled);
    let words = name.after(10.0, &entry.detail, theme::regular(theme::ROW), color);
    let reader_name =
        if is_enabled { entry.name.clone() } else { format!("{}, {}", entry.name, entry.detail) };
    let row = Row::new(reader_name)
        .selected(is_selected)
        .disabled(!is_enabled)
        .line(Line::from(words).icon(entry.icon, icon).indent(26.0).caps(caps));
    slot.show(row)
}

/// Formats the name with the matched letters in bold accent colour.
fn marked_name(ui: &Ui, entry: &PaletteEntry, enabled: bool) -> StyledText {
    let tokens = tokens(ui);
    let plain_color = if enabled { tokens.text_strong } else { tokens.disabled };
    let (regular, bold) = (theme::regular(theme::BODY), theme::semibold(theme::BODY));
    let mut words = StyledText::new();
    let (mut run, mut is_run_marked) = (String::new(), false);
    let mut marks = entry.marks.iter().copied().peekable();
    let mut flush = |run: &mut String, is_marked: bool| {
        if is_marked && enabled {
            words.push(run, bold.clone(), tokens.accent);
        } else if !run.is_empty() {
            words.push(run, regular.clone(), plain_color);
        }
        run.clear();
    };
    for (index, character) in (0_u32..).zip(entry.name.chars()) {
        let is_marked = marks.next_if_eq(&index).is_some();
        if is_marked != is_run_marked {
            flush(&mut run, is_run_marked);
            is_run_marked = is_marked;
        }
        run.push(character);
    }
    flush(&mut run, is_run_marked);
    words
}

fn foot_ui(ui: &mut Ui) {
    let (rect, _) = widgets::allocate_row(ui, FOOT_HEIGHT, Sense::hover());
    let inner = rect.shrink2(vec2(18.0, 0.0));
    place_left(ui, inner, |ui| {
        ui.spacing_mut().item_spacing.x = theme::PADDING;
        key_hint(ui, &["↑", "↓"], "choose");
        key_hint(ui, &["Enter"], "do it");
    });
    place_right(ui, inner, |ui| key_hint(ui, &["Esc"], "close"));
}

#[cfg(test)]
mod tests {
    use egui::Key;
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;

    use super::*;
    use protocol::{Remembered, Theme};
    use workbench::{Command, Workbench};

    fn open<'a>(query: &str) -> Harness<'a, (Palette, Actions)> {
        let workbench = Workbench::new(Remembered::default());
        let mut palette = Palette::default();
        palette.query = query.to_owned();
        let paint = move |ui: &mut Ui, (palette, actions): &mut (Palette, Actions)| {
            theme::install(ui.ctx(), Theme::Dark);
            palette.refresh(&workbench);
            palette_ui(ui, palette, actions);
        };
        Harness::builder().with_size([900.0, 600.0]).build_ui_state(paint, (palette, Vec::new()))
    }

    #[test]
    fn enter_runs_the_selected_entry_and_closes() {
        let mut harness = open("open f");
        harness.get_by_label("Open folder…");
        harness.key_press(Key::ArrowDown);
        harness.run();
        harness.key_press(Key::Enter);
        harness.run();
        let expected = [Action::SetOverlay(None), Action::Run(Command::OpenFolder)];
        let (palette, actions) = harness.state();
        assert_eq!(palette.selected, 1);
        assert_eq!(actions.len(), expected.len());
        assert_eq!(actions.first(), expected.first());
    }

    #[test]
    fn esc_closes_and_does_nothing() {
        let mut harness = open("quit");
        harness.key_press(Key::Escape);
        harness.run();
        assert_eq!(harness.state().1, [Action::SetOverlay(None)]);
    }
}
