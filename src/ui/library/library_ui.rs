//! Paints the library: filter, first line, verdicts, and the list. Only the rows on screen get a layout.

use std::sync::Arc;

use egui::accesskit::Node;
use egui::{Rangef, Rect, Response, Ui, pos2, vec2};

use super::filter_ui::{FilterView, filter_ui};
use super::header_ui::header_ui;
use super::library_data::{LibraryData, RowCache, RowData, SummaryCell};
use document::text::{thousands, visible};
use protocol::{BlockVerdict, DocId, LibraryGroup, LibraryRow, LibrarySet};
use widgets::icons;
use widgets::theme::{self, Tone, tokens};
use widgets::{Button, Line, List, Row, RowSelection, RowShape, RowSlot, StyledText};
use workbench::{Action, Actions, Command, PlaybackAction};

/// Height of a recording of a set, and of a call.
const SMALL_HEIGHT: f32 = 32.0;
/// Shape of a heading.
const HEADING: RowShape = RowShape { hair: true, ..RowShape::ONE_LINE };
/// Shape of a recording of a set, and of a call.
const SMALL: RowShape = RowShape {
    height: SMALL_HEIGHT,
    lines: &[SMALL_HEIGHT / 2.0],
    hair: true,
    ..RowShape::ONE_LINE
};
/// From the left edge of a row to the middle of its icon, and to its name.
const ICON_MIDDLE: f32 = 21.0;
const NAME_LEFT: f32 = 44.0;
/// Size of the sign on an unsaved row, small enough for the padding that contains it.
const MARK_SIZE: f32 = 10.0;
/// From the left end of the strip to the right edge of the row, with the problem in words, by the least width of the list.
const STRIP_PLACES: [(f32, f32); 3] = [(900.0, 304.0), (620.0, 244.0), (0.0, 188.0)];
/// Least width of the list in which the problem is written out, and the strip is not below the name.
const MIN_WIDE_LIST: f32 = 620.0;

/// State of the library view that is kept between frames.
#[derive(Debug, Default)]
pub struct LibraryView {
    filter: FilterView,
    rows: RowCache,
}

/// Draws the library. User input becomes an [`Action`].
pub fn library_ui(
    ui: &mut Ui,
    data: &LibraryData<'_>,
    view: &mut LibraryView,
    actions: &mut Actions,
) {
    ui.spacing_mut().item_spacing.y = 0.0;
    let findings = data.findings();
    let is_low = super::header_ui::is_low(ui);
    filter_ui(ui, data, &findings, is_low, &mut view.filter, actions);
    header_ui(ui, data, &findings, is_low, actions);
    list_ui(ui, data, &mut view.rows, actions);
}

fn list_ui(ui: &mut Ui, data: &LibraryData<'_>, cache: &mut RowCache, actions: &mut Actions) {
    let listing = &data.list.listing;
    if listing.rows.is_empty() {
        return empty_ui(ui, data, actions);
    }
    let top = |row: usize| {
        let (headings, small_rows) = listing.above(row);
        let rows = row - headings - small_rows;
        headings as f32 * HEADING.height
            + small_rows as f32 * SMALL_HEIGHT
            + rows as f32 * RowShape::TWO_LINES.height
    };
    let (heading_count, _) = listing.above(listing.rows.len());
    // The level of a row that no heading contains is 0, or its heading would be looked for among all rows above.
    let level = usize::from(heading_count > 0);
    List::new("Items", &RowShape::TWO_LINES, listing.rows.len())
        .tops(&top)
        .selection(data.list.target(), |target| listing.row_of_target(target))
        .levels(&|row| match listing.rows[row] {
            LibraryRow::Group(_) => 0,
            LibraryRow::Item(_) | LibraryRow::Set(_) => level,
            LibraryRow::Member(..) | LibraryRow::Call(..) => level + 1,
        })
        .show(ui, |slot| match (&listing.rows[slot.index], data.row(slot.index, cache)) {
            (LibraryRow::Group(group), _) => group_ui(slot, data, group, actions),
            // The item was removed since it was listed.
            (_, None) => {}
            (LibraryRow::Set(set), Some(row)) => set_ui(slot, data, (set, &row), actions),
            (LibraryRow::Item(doc) | LibraryRow::Member(doc, _), Some(row)) => {
                item_ui(slot, data, (*doc, &row), actions);
            }
            (LibraryRow::Call(doc, call), Some(row)) => {
                call_ui(slot, data, (*doc, *call, &row), actions);
            }
        });
}

fn item_ui(
    slot: &mut RowSlot<'_>,
    data: &LibraryData<'_>,
    (doc, row): (DocId, &RowData),
    actions: &mut Actions,
) {
    let side = data.side(doc);
    let unsaved = data.unsaved(doc);
    let side_label = side.map(|side| format!(", {side} of the comparison")).unwrap_or_default();
    let unsaved_label = unsaved.map(|(label, _)| format!(", {label}")).unwrap_or_default();
    let reader_name = format!("{}{side_label}{unsaved_label}", row.reader_name);
    let selection = match (data.list.target() == Some((doc, None)), side.is_some()) {
        (true, _) => RowSelection::Selected,
        (false, true) => RowSelection::SelectedAway,
        (false, false) => RowSelection::None,
    };
    let response = row_ui(slot, row, reader_name, (selection, side));
    if let Some((_, is_in_conflict)) = unsaved {
        let colors = tokens(slot.ui);
        let edited = (icons::CIRCLE_DOT, colors.accent);
        let (icon, color) = if is_in_conflict { (icons::REFRESH_CW, colors.note) } else { edited };
        let center = slot.rect.left_center() + vec2(8.0, 0.0);
        widgets::paint_icon(slot.ui.painter(), center, icon, MARK_SIZE, color);
    }
    if play_ui(slot, row, &response, actions) {
        return;
    }
    if is_unfold_clicked(slot, row, &response) {
        actions.push(Action::ToggleCalls(doc));
    } else {
        row_actions(data, &response, doc, actions);
    }
}

fn set_ui(
    slot: &mut RowSlot<'_>,
    data: &LibraryData<'_>,
    (set, row): (&LibrarySet, &RowData),
    actions: &mut Actions,
) {
    let selected_row = data.list.selected.and_then(|doc| data.list.listing.row_of(doc));
    let is_selected = !set.is_unfolded && selected_row == Some(slot.index);
    let selection = if is_selected { RowSelection::Selected } else { RowSelection::None };
    let response = row_ui(slot, row, row.reader_name.clone(), (selection, None));
    if play_ui(slot, row, &response, actions) {
        return;
    }
    if is_unfold_clicked(slot, row, &response) || set.is_unfolded && response.clicked() {
        actions.push(Action::ToggleCalls(set.worst));
    } else {
        row_actions(data, &response, set.worst, actions);
    }
}

/// Adds the button that plays a set or a cassette, while the pointer or the focus is on its row. Returns whether it was clicked.
fn play_ui(
    slot: &mut RowSlot<'_>,
    row: &RowData,
    response: &Response,
    actions: &mut Actions,
) -> bool {
    let is_pointed_at = response.contains_pointer() || response.has_focus();
    let Some(path) = row.plays.as_ref().filter(|_| is_pointed_at) else { return false };
    let place = slot.rect.shrink2(vec2(theme::PADDING, 0.0));
    let name = format!("Play {}", row.name.parts().concat());
    let button = Button::secondary("Play").icon(icons::LIST_CHECKS).name_for_readers(&name);
    let (is_clicked, _) = widgets::place_right(slot.ui, place, |ui| ui.add(button).clicked());
    if is_clicked {
        actions.push(Action::from(PlaybackAction::PlaySet(Arc::clone(path))));
    }
    is_clicked
}

fn call_ui(
    slot: &mut RowSlot<'_>,
    data: &LibraryData<'_>,
    (doc, index, row): (DocId, usize, &RowData),
    actions: &mut Actions,
) {
    let is_selected = data.list.target() == Some((doc, Some(index)));
    let selection = if is_selected { RowSelection::Selected } else { RowSelection::None };
    let response = row_ui(slot, row, row.reader_name.clone(), (selection, None));
    if response.clicked() || response.secondary_clicked() {
        actions.push(Action::SelectCall(doc, index));
    }
    widgets::context_menu(&response, |ui| {
        widgets::menu_run(ui, Command::CopyLink, Ok(()), actions);
    });
}

/// Whether the user unfolds or folds a row, by key or by a click on its icon, which must not select the row as well.
fn is_unfold_clicked(slot: &RowSlot<'_>, row: &RowData, response: &Response) -> bool {
    let position = response.interact_pointer_pos().filter(|_| response.clicked());
    let is_at_icon = position.is_some_and(|p| p.x < slot.rect.left() + NAME_LEFT - theme::GAP);
    slot.is_toggled || row.is_unfolded.is_some() && is_at_icon
}

/// Draws a row: icon, name over model and first words, strip, problem in words. In a row without a name, the words are in one line.
fn row_ui(
    slot: &mut RowSlot<'_>,
    row: &RowData,
    reader_name: String,
    (selection, side): (RowSelection, Option<&str>),
) -> Response {
    let (rect, is_selected) = (slot.rect, selection == RowSelection::Selected);
    let is_small = row.own_block.is_some();
    let left = rect.left() + if is_small { NAME_LEFT + theme::GAP } else { NAME_LEFT };
    let text_x = Rangef::new(left, rect.right() - strip_room(rect.width()) - theme::GAP);
    let shape = if is_small { SMALL } else { RowShape::TWO_LINES };
    let mut described = Row::new(reader_name).selection(selection).tip(&*row.tip);
    if let Some(is_unfolded) = row.is_unfolded {
        described = described.unfolds(is_unfolded);
    }
    described = described.cell(text_x);
    if !is_small {
        // The name is painted below, since its parts give way one after the other.
        described = described.line(StyledText::new());
    }
    let response = slot.show_as(&shape, described.line(summary_line(slot.ui, row, is_selected)));
    let ui = &*slot.ui;
    if !is_small {
        let line = row.name.galley(ui, name_right(rect.x_range()) - text_x.min, is_selected);
        // A name without words below it is in the middle, where the icon is.
        let has_words = !row.model.is_empty() || row.summary != SummaryCell::default();
        let y = if has_words { RowShape::TWO_LINES.lines[0] } else { rect.height() / 2.0 };
        widgets::paint_line(ui.painter(), pos2(text_x.min, rect.top() + y), line);
        sign_ui(ui, rect, row, response.contains_pointer(), side);
    }
    let is_pointed_at = response.contains_pointer() || response.has_focus();
    right_ui(ui, rect, row, row.plays.is_some() && is_pointed_at);
    let describe = |node: &mut Node| node.set_description(&*row.strip.label);
    ui.ctx().accesskit_node_builder(response.id, describe);
    response
}

/// Paints the strip of a row, and the problem in words unless a button is in its place.
fn right_ui(ui: &Ui, rect: Rect, row: &RowData, has_button: bool) {
    let is_wide = rect.width() >= MIN_WIDE_LIST;
    let is_below_name = !is_wide && row.own_block.is_none();
    let y = if is_below_name { RowShape::TWO_LINES.lines[1] } else { rect.height() / 2.0 };
    let strip = pos2(rect.right() - strip_room(rect.width()), rect.top() + y);
    let strip_end = row.strip.paint(ui, strip, row.own_block);
    if is_wide && !has_button {
        let color = match widgets::verdict_look(row.verdict) {
            (_, Tone::Good | Tone::Plain) => tokens(ui).note,
            (_, tone) => tokens(ui).tone(tone),
        };
        let right = pos2(rect.right() - theme::PADDING, rect.center().y);
        let room = right.x - strip_end - theme::GAP;
        let line = widgets::line(ui, &row.problem, theme::regular(theme::ROW), color, room);
        widgets::paint_line_right(ui.painter(), right, line);
    }
}

/// Returns where the name of a row ends at the latest.
fn name_right(row: Rangef) -> f32 {
    if row.span() < MIN_WIDE_LIST {
        return row.max - theme::PADDING;
    }
    row.max - strip_room(row.span()) - theme::GAP
}

/// Returns the width of the strip and of what is at its right, in a list of this width.
fn strip_room(list_width: f32) -> f32 {
    let place = STRIP_PLACES.iter().find(|(least, _)| list_width >= *least);
    place.map_or(0.0, |(_, width)| *width)
}

/// Paints the sign at the left of a row: its side in a comparison, a chevron under the pointer, or else the icon of what is wrong.
fn sign_ui(ui: &Ui, rect: Rect, row: &RowData, is_hovered: bool, side: Option<&str>) {
    let colors = tokens(ui);
    let center = rect.left_center() + vec2(ICON_MIDDLE, 0.0);
    if let Some(side) = side {
        let plate = Rect::from_center_size(center, vec2(13.0, 17.0));
        ui.painter().rect_filled(plate, 3.0, colors.accent);
        let font = theme::mono_bold(theme::LABEL);
        let letter = widgets::line(ui, side, font, colors.desk, plate.width());
        let left = center.x - letter.size().x / 2.0;
        return widgets::paint_line(ui.painter(), pos2(left, center.y), letter);
    }
    let (icon, color) = match (row.is_unfolded.filter(|_| is_hovered), row.verdict) {
        (Some(true), _) => (icons::CHEVRON_DOWN, colors.muted),
        (Some(false), _) => (icons::CHEVRON_RIGHT, colors.muted),
        (None, BlockVerdict::Right | BlockVerdict::OtherCall) => return,
        (None, verdict) => {
            let (icon, tone) = widgets::verdict_look(verdict);
            (icon, colors.tone(tone))
        }
    };
    widgets::paint_icon(ui.painter(), center, icon, theme::ICON_HEADING, color);
}

/// The model, the tool that is called, and the first words.
fn summary_line(ui: &Ui, row: &RowData, is_selected: bool) -> Line {
    let colors = tokens(ui);
    let SummaryCell { tool, words } = &row.summary;
    let plain = if is_selected { colors.text_strong } else { colors.text };
    let mut text = StyledText::new();
    let mut gap = 0.0;
    let is_small = row.own_block.is_some();
    let size = if is_small { theme::ROW } else { theme::LABEL };
    let model = if is_small { "" } else { &row.model };
    let tool_name = tool.as_ref().map_or("", |(_, name)| name);
    let parts = [
        (row.provenance, theme::medium(size), colors.note),
        (model, theme::regular(size), colors.muted),
        (tool_name, theme::medium(size), plain),
        (words, theme::regular(size), plain),
    ];
    for (words, font, color) in parts.into_iter().filter(|(words, ..)| !words.is_empty()) {
        text = text.after(gap, words, font, color);
        gap = theme::GAP;
    }
    match tool {
        _ if !is_small => Line::from(text),
        Some((icon, _)) => Line::from(text).icon(icon, colors.muted),
        None => Line::from(text).under_icon(),
    }
}

fn row_actions(data: &LibraryData<'_>, response: &Response, doc: DocId, actions: &mut Actions) {
    if response.clicked() {
        let is_command_held = response.ctx.input(|input| input.modifiers.command);
        actions.push(if is_command_held { Action::ToggleMark(doc) } else { Action::Select(doc) });
    }
    if response.double_clicked() {
        actions.push(Action::Run(Command::OpenSelected));
    }
    if response.secondary_clicked() {
        actions.push(Action::Select(doc));
    }
    widgets::context_menu(response, |ui| {
        let commands = [
            Command::CompareSource,
            Command::CompareSelected,
            Command::MarkSelected,
            Command::Stamp,
            Command::RegenerateSelected,
            Command::PlaySet,
            Command::CheckSet,
            Command::ServeFromSet,
            Command::CopyPath,
            Command::CopyLink,
            Command::Save,
            Command::SaveAs,
            Command::Revert,
        ];
        // Without an editor, it is only a line too many.
        let in_editor =
            Some(Command::OpenInEditor).filter(|command| data.enabled(*command).is_ok());
        for command in commands.into_iter().chain(in_editor) {
            widgets::menu_run(ui, command, data.enabled(command), actions);
        }
    });
}

fn group_ui(
    slot: &mut RowSlot<'_>,
    data: &LibraryData<'_>,
    group: &LibraryGroup,
    actions: &mut Actions,
) {
    let LibraryGroup { name, count, folded } = group;
    let count = count.map(thousands).unwrap_or_default();
    let colors = tokens(slot.ui);
    let path = match data.library.shown_path(name) {
        // The folder itself, by the name that the title bar has for it.
        "" => data.project_name(),
        path => visible(path),
    };
    let (parents, last) = path.split_at(path.rfind('/').map_or(0, |at| at + 1));
    let mono = theme::mono(theme::LABEL);
    let words = StyledText::new()
        .with(parents, mono.clone(), colors.muted)
        .with(last, mono, colors.text_strong)
        .after(theme::GAP, &count, theme::regular(theme::LABEL), colors.muted);
    let row = Row::new(&*path).expanded(!folded).fill(colors.raised).line(words);
    let response = slot.show_as(&HEADING, row);
    widgets::on_click(&response, Action::ToggleGroup(name.clone()), actions);
    widgets::context_menu(&response, |ui| {
        if widgets::menu_action(ui, icons::STAMP, "Stamp recordings with their source…", None) {
            actions.push(Action::StampGroup(name.clone()));
        }
    });
}

fn empty_ui(ui: &mut Ui, data: &LibraryData<'_>, actions: &mut Actions) {
    // Until everything is read or searched, an empty list says nothing.
    if data.reading || data.searching {
        return widgets::skeleton_rows(ui, 8, theme::ROW_TWO_LINES);
    }
    let (_, total) = data.counts();
    let looked_at = match data.known {
        0 => "The folder is empty.".to_owned(),
        1 => "Retake looked at 1 file by its shape.".to_owned(),
        count => format!("Retake looked at {} files by their shape.", thousands(count)),
    };
    let ignored = "Files that .gitignore ignores are not listed. To list them, write gitignore = false in retake.toml.";
    let (title, sentence, command) = match total {
        0 if data.has_ignored => ("No recordings in this folder", ignored, Command::OpenFolder),
        0 => ("No recordings in this folder", &*looked_at, Command::OpenFolder),
        _ => ("No matches", "No items match the filter.", Command::ClearFilter),
    };
    if widgets::empty_desk(ui, (icons::LIBRARY, title), sentence, &[command.name()]).is_some() {
        actions.push(Action::Run(command));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::Arc;

    use super::*;
    use calls::{Item, ItemFacts};
    use document::FileKind;
    use egui::RawInput;
    use protocol::{EngineEvent, ProjectInfo, ReadProgress, Remembered, Request};
    use widgets::DistinctName;
    use workbench::{Effect, Workbench};

    /// A workbench with recordings in sets of eight.
    fn opened(count: usize) -> Workbench {
        let mut workbench = Workbench::new(Remembered::default());
        let (generation, project) = (1, ProjectInfo::default());
        workbench.receive(EngineEvent::ScanStarted { generation, project });
        let item = |number: usize| {
            let path = format!("suite-{}/set-{:05}/{number:05}.json", number / 80, number / 8);
            let facts = ItemFacts { kind: FileKind::Recording, ..ItemFacts::new(&path) };
            Arc::new(Item::from(facts))
        };
        let items = (0..count).map(item).collect();
        workbench.receive(EngineEvent::ItemsFound { generation, items });
        let progress = ReadProgress::default();
        workbench.receive(EngineEvent::ScanEnded { generation, progress, cancelled: false });
        for effect in workbench.refresh() {
            if let Effect::Run(Request::List(request)) = effect {
                workbench.receive(EngineEvent::Listed(request.key, Ok(request.list())));
            }
        }
        workbench
    }

    #[test]
    fn rows_out_of_sight_allocate_nothing() {
        let counts = [1000, 20_000].map(|count| {
            let workbench = opened(count);
            let rows = &workbench.core.list.listing.rows;
            assert!(rows.len() > count / 8);
            let (ctx, mut view) = (egui::Context::default(), LibraryView::default());
            theme::install(&ctx, protocol::Theme::Dark);
            let mut paint = || {
                let screen_rect = Some(Rect::from_min_size(pos2(0.0, 0.0), vec2(1000.0, 800.0)));
                let input = RawInput { screen_rect, ..RawInput::default() };
                let mut output = ctx.run_ui(input, |ui| {
                    let data = LibraryData::new(&workbench);
                    library_ui(ui, &data, &mut view, &mut Vec::new());
                });
                // Nothing is painted, so textures are not needed.
                output.textures_delta.clear();
            };
            // The texts of the first frames are laid out and kept.
            (0..4).for_each(|_| paint());
            allocation_counter::measure(paint).count_total
        });
        // The numbers above the list have more digits.
        assert!(counts[0].abs_diff(counts[1]) < 10, "{counts:?}");
    }

    /// Names of tests with parameters, as pytest makes them.
    fn parametrised_names() -> Vec<String> {
        let mut names = Vec::new();
        for way in ["direct", "tool_return_content"] {
            for kind in ["binary-audio", "binary-image", "uploaded_file-audio", "url-image"] {
                for model in ["google_gemini3", "google_2_5", "openai", "openai_chat"] {
                    let test = "test_multimodal_tool_return_matrix";
                    names.push(format!("{test}[{way}-{kind}-{model}]"));
                    names.push(format!("test_{kind}_{model}"));
                }
            }
        }
        names.sort();
        names.dedup();
        names
    }

    #[test]
    fn no_two_names_that_differ_look_equal() {
        let names = parametrised_names();
        let ctx = egui::Context::default();
        theme::install(&ctx, protocol::Theme::Dark);
        let mut output = ctx.run_ui(egui::RawInput::default(), |ui| {
            for width in (400..=1000).step_by(50) {
                let room = name_right(Rangef::new(0.0, width as f32)) - NAME_LEFT;
                let painted = (0..names.len()).map(|at| {
                    let neighbors = at
                        .checked_sub(1)
                        .into_iter()
                        .chain([at + 1])
                        .filter_map(|at| names.get(at))
                        .map(String::as_str);
                    let galley = DistinctName::new(&names[at], neighbors).galley(ui, room, false);
                    let glyphs = galley.rows.iter().flat_map(|row| &row.glyphs);
                    glyphs.map(|glyph| glyph.chr).collect::<String>()
                });
                let painted: Vec<String> = painted.collect();
                let distinct: HashSet<&String> = painted.iter().collect();
                assert_eq!(distinct.len(), names.len(), "{width}: {painted:#?}");
            }
        });
        // Nothing is painted, so textures are not needed.
        output.textures_delta.clear();
    }
}
