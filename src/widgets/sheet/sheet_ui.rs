//! Paints a comparison: both sides in one list, so that they scroll together; the layout costs only what is visible.

use std::ops::Range;
use std::sync::Arc;

use egui::text_selection::LabelSelectionState;
use egui::{
    Align2, Color32, CornerRadius, Galley, Id, Pos2, Rangef, Rect, Role, ScrollArea, Sense, Stroke,
    Ui, WidgetInfo, pos2, vec2,
};

use super::layout::{self, CharWidths, ColumnOffsets, EntryCanvas, SheetLayout, SideColumns};
use super::lines::DisplayLine;
use super::names_ui;
use super::{EQUAL_FOLD, RowTint, Sheet, SheetEntry, SheetFocus};
use crate::highlight::{Language, TokenClass};
use crate::icons;
use crate::markdown::markdown_ui;
use crate::theme::{self, Tokens, tokens};
use document::diff::Side;
use document::diff::text::TextDiff;
use workbench::{Action, Actions, DiffLayout};

/// State between frames: the layout and the scroll offset.
#[derive(Clone)]
struct SheetMemory {
    layout: SheetLayout,
    offset: f32,
    focus: Option<Range<usize>>,
}

/// Adds the comparison in the remaining space.
pub fn sheet_ui(ui: &mut Ui, sheet: &Arc<Sheet>, focus: &SheetFocus, actions: &mut Actions) {
    let id = ui.scope_id().with("sheet");
    let width = ui.available_width();
    let height = ui.available_height();
    let SheetMemory { layout, offset, focus: last_focus } = load_memory(ui, id, sheet, width);
    let mut area = ScrollArea::vertical().id_salt(id).auto_shrink(false);
    let span = focus.span();
    // Only when the selection changes, so that the user can scroll away from it.
    if span != last_focus
        && let Some(span) = &span
        && let Some(offset) = scrolled_to(&layout, span, offset, height)
    {
        area = area.vertical_scroll_offset(offset);
    }
    let output = area.show_viewport(ui, |ui, viewport| {
        let total = layout.tops.last().copied().unwrap_or_default();
        ui.set_width(width);
        ui.set_height(total.max(height));
        entries_ui(ui, id, &layout, layout.visible(viewport.min.y, viewport.max.y), focus, actions);
    });
    let memory = SheetMemory { layout, offset: output.state.clamped_offset().y, focus: span };
    ui.data_mut(|data| data.insert_temp(id, memory));
}

/// Adds the whole comparison in its full height, for a parent that scrolls.
pub fn whole_sheet_ui(ui: &mut Ui, sheet: &Arc<Sheet>, actions: &mut Actions) {
    let id = ui.scope_id().with("sheet");
    let width = ui.available_width();
    let memory = load_memory(ui, id, sheet, width);
    let layout = &memory.layout;
    let height = layout.tops.last().copied().unwrap_or_default();
    let (rect, _) = ui.allocate_exact_size(vec2(width, height), Sense::hover());
    let visible_rect = ui.clip_rect().intersect(rect);
    if visible_rect.is_positive() {
        let visible =
            layout.visible(visible_rect.top() - rect.top(), visible_rect.bottom() - rect.top());
        // A separate child, which does not move the cursor of the parent.
        let mut child_ui = ui.new_child(egui::UiBuilder::new().max_rect(rect));
        entries_ui(&mut child_ui, id, layout, visible, &SheetFocus::default(), actions);
    }
    ui.data_mut(|data| data.insert_temp(id, memory));
}

/// Returns the layout, the scroll offset and the focus of the last frame; rebuilds the layout if necessary.
fn load_memory(ui: &Ui, id: Id, sheet: &Arc<Sheet>, width: f32) -> SheetMemory {
    let memory: Option<SheetMemory> = ui.data(|data| data.get_temp(id));
    match memory {
        // The stored layout keeps its sheet alive, so that no other sheet can have the same address.
        Some(memory)
            if Arc::ptr_eq(&memory.layout.sheet, sheet) && memory.layout.width == width =>
        {
            memory
        }
        memory => {
            // Opening a fold builds another sheet, and the offset must stay.
            let (offset, focus) =
                memory.map_or((0.0, None), |memory| (memory.offset, memory.focus));
            SheetMemory { layout: SheetLayout::new(ui, sheet, width), offset, focus }
        }
    }
}

/// Paints entries, starting at the upper left corner of the layout's rect.
fn entries_ui(
    ui: &mut Ui,
    id: Id,
    layout: &SheetLayout,
    visible: Range<usize>,
    focus: &SheetFocus,
    actions: &mut Actions,
) {
    let (origin, width, sheet) = (ui.max_rect().min, layout.width, &*layout.sheet);
    let mut canvas = EntryCanvas {
        sheet,
        columns: SideColumns::new(Rangef::new(origin.x, origin.x + width)),
        tokens: tokens(ui),
        width,
        id,
        side: Side::Left,
        rect: Rect::NOTHING,
        actions,
    };
    // Below the entries, because signs are painted between names.
    if sheet.pane == DiffLayout::SideBySide {
        let line = Stroke::new(1.0, canvas.tokens.hair);
        ui.painter().vline(canvas.columns.left.max + 0.5, ui.clip_rect().y_range(), line);
    }
    // All of one side comes before the other, so that a text selection stays on one side.
    let sides: &[Side] = match sheet.pane {
        DiffLayout::SideBySide => &Side::BOTH,
        DiffLayout::Unified => &[Side::Left],
    };
    for side in sides {
        for index in visible.clone() {
            let y = Rangef::new(origin.y + layout.tops[index], origin.y + layout.tops[index + 1]);
            canvas.side = *side;
            canvas.rect = Rect::from_x_y_ranges(origin.x..=origin.x + width, y);
            entry_ui(ui, &mut canvas, index, focus.contains(index));
        }
    }
}

/// Returns the scroll offset at which the selected entries are visible; `None` if they are visible already.
fn scrolled_to(layout: &SheetLayout, span: &Range<usize>, offset: f32, height: f32) -> Option<f32> {
    let top = *layout.tops.get(span.start)?;
    let bottom = *layout.tops.get(span.end)?;
    let margin = theme::FOLD;
    // A selection higher than half of the view counts as visible if its beginning is.
    let is_visible =
        top >= offset + margin && bottom.min(top + height / 2.0) <= offset + height - margin;
    let at_the_top = top <= margin && offset == 0.0;
    (!is_visible && !at_the_top).then(|| (top - height / 3.0).max(0.0))
}

fn entry_ui(ui: &mut Ui, canvas: &mut EntryCanvas<'_>, index: usize, in_focus: bool) {
    match canvas.sheet.entries[index] {
        SheetEntry::Row { section, row } => row_ui(ui, canvas, section, row),
        SheetEntry::OneSide { section, row, side } => {
            canvas.side = side;
            row_ui(ui, canvas, section, row);
        }
        SheetEntry::Rendered { section, text } => rendered_ui(ui, canvas, section, text),
        SheetEntry::Fold { section, fold } => {
            let folds = canvas.sheet.content.diff(section).map(|diff| &diff.folds);
            if let Some(words) = folds.and_then(|folds| Some(folds.get(fold)?.describe())) {
                fold_ui(ui, canvas, (section, fold), &words);
            }
        }
        SheetEntry::EqualSections { first, count } => {
            let words = canvas.sheet.content.equal_label(first, count);
            fold_ui(ui, canvas, (first, EQUAL_FOLD), &words);
        }
        SheetEntry::Note { section, note } => {
            let note = canvas.sheet.content.diff(section).and_then(|diff| diff.notes.get(note));
            if let Some(note) = note {
                remark_ui(ui, canvas, icons::WRAP_TEXT, &note.to_string());
            }
        }
        SheetEntry::Coarse(_) => {
            const COARSE_REMARK: &str =
                "The texts differ so much that more lines than necessary may be marked as changed.";
            remark_ui(ui, canvas, icons::INFO, COARSE_REMARK);
        }
        SheetEntry::Same(_) => remark_ui(ui, canvas, icons::EQUAL, "Empty on both sides"),
        SheetEntry::Gap => {}
        entry => names_ui::entry_ui(ui, canvas, entry),
    }
    if in_focus {
        let mut column = canvas.column();
        let has_sign = matches!(
            canvas.sheet.entries[index],
            SheetEntry::Tool(_) | SheetEntry::ContextKey(_) | SheetEntry::MessageCount
        );
        if has_sign && canvas.side == Side::Right {
            // Otherwise the bar would be painted over the sign between the names.
            column.min.x = canvas.columns.left.max + names_ui::SIGN_WIDTH / 2.0;
        }
        crate::accent_bar(ui, column);
    }
}

/// Returns the space for text within a column.
fn text_rect(canvas: &EntryCanvas<'_>, section: usize) -> Rect {
    let column = canvas.column();
    let offsets = ColumnOffsets::new(canvas.sheet.style(section).numbers, canvas.sheet.pane);
    let left = column.left() + offsets.text;
    let width = layout::text_width(canvas.sheet, section, canvas.width);
    Rect::from_x_y_ranges(left..=left + width, column.y_range())
}

fn rendered_ui(ui: &mut Ui, canvas: &mut EntryCanvas<'_>, section: usize, text: usize) {
    let Some(markdown) = canvas.sheet.rendered(text) else { return };
    let place = text_rect(canvas, section).shrink2(vec2(0.0, layout::RENDERED_MARGIN));
    let builder = egui::UiBuilder::new().max_rect(place);
    let mut child_ui = ui.new_child(builder.id_salt((section, text, canvas.side)));
    canvas.actions.extend(markdown_ui(&mut child_ui, markdown).map(Action::Copy));
}

/// Draws a sentence across both sides.
fn remark_ui(ui: &Ui, canvas: &EntryCanvas<'_>, icon: &str, words: &str) {
    if canvas.side == Side::Right {
        return;
    }
    let tokens = canvas.tokens;
    ui.painter().rect_filled(canvas.rect, 0.0, tokens.fold);
    let rect = canvas.rect.shrink2(vec2(theme::PADDING, 0.0));
    crate::paint_icon_word(ui, rect, (icon, tokens.muted), (words, tokens.text));
}

/// Returns the colours of a row that differs: the background, that of changed words, and the sign with its colour.
pub fn tint_look(
    tint: RowTint,
    tokens: &Tokens,
) -> Option<(Color32, Color32, &'static str, Color32)> {
    match tint {
        RowTint::None | RowTint::Absent => None,
        RowTint::Removed => Some((tokens.removed_line, tokens.removed_word, "−", tokens.error)),
        RowTint::Added => Some((tokens.added_line, tokens.added_word, "+", tokens.good)),
    }
}

/// Returns the text, colours and numbers of one side of a row.
fn row_ui(ui: &mut Ui, canvas: &mut EntryCanvas<'_>, section: usize, row: usize) {
    let (sheet, side) = (canvas.sheet, canvas.side);
    let Some(diff) = sheet.content.diff(section) else { return };
    let Some(diff_row) = diff.rows.get(row) else { return };
    let style = sheet.style(section);
    let tokens = canvas.tokens;
    let column = canvas.column();
    let offsets = ColumnOffsets::new(style.numbers, sheet.pane);
    let tint = match Sheet::tint(diff_row, side) {
        RowTint::Absent if sheet.is_unmarked => return,
        _ if sheet.is_unmarked => RowTint::None,
        tint => tint,
    };
    if tint == RowTint::Absent {
        return crate::hatch(ui, column);
    }
    let look = tint_look(tint, tokens);
    let first_line = column.top() + layout::row_padding(style.numbers) + theme::TEXT_LINE / 2.0;
    if let Some((ground, _, sign, color)) = look {
        ui.painter().rect_filled(column, 0.0, ground);
        let at = pos2(column.left() + offsets.sign, first_line);
        ui.painter().text(at, Align2::CENTER_CENTER, sign, theme::mono_bold(theme::ROW), color);
    }
    let has_both_numbers = sheet.pane == DiffLayout::Unified && diff_row.is_same();
    for (end, column_side) in offsets.numbers.into_iter().zip(Side::BOTH) {
        let number_side = match sheet.pane {
            DiffLayout::SideBySide => side,
            DiffLayout::Unified => column_side,
        };
        let number =
            diff_row.number(number_side).filter(|_| has_both_numbers || number_side == side);
        if let (Some(end), Some(number)) = (end, number) {
            let color = if tint == RowTint::None { tokens.muted } else { tokens.text };
            let at = pos2(column.left() + end, first_line);
            let font = theme::mono(theme::LABEL);
            ui.painter().text(at, Align2::RIGHT_CENTER, number.to_string(), font, color);
        }
    }
    // A side without a line has only the hatching above.
    let Some(number) = diff_row.number(side) else { return };
    let text = diff.line(side, number);
    let classes = style.language.classes(text, sheet.state(section, side, number));
    let marks = if sheet.is_unmarked { &[] } else { diff_row.marks(side) };
    let display_line = DisplayLine::new(text, marks, &classes);
    let corner =
        pos2(column.left() + offsets.text, column.top() + layout::row_padding(style.numbers));
    let width = layout::text_width(sheet, section, canvas.width);
    let id = canvas.id.with((section, row, side));
    let word = look.map_or(Color32::TRANSPARENT, |(_, word, ..)| word);
    let area = Rect::from_min_max(corner, column.max);
    let clicks = line_ui(ui, (id, &display_line), area, width, (style.language, word));
    for (response, is_secondary) in clicks {
        if is_secondary {
            crate::context_menu(&response, |ui| copy_menu(ui, diff, side, text, canvas.actions));
        } else if response.clicked()
            && let Some(change) = change_of(sheet, section, row)
        {
            canvas.actions.push(Action::ShowChange(change));
        }
    }
}

/// Returns the number of the change or difference that contains a row.
fn change_of(sheet: &Sheet, section: usize, row: usize) -> Option<usize> {
    use super::SheetContent;
    use compare::recordings::DifferenceTarget;
    let SheetContent::Calls(calls) = &sheet.content else {
        return sheet.content.diff(section)?.change_at(row);
    };
    calls.differences.iter().position(|difference| match &difference.target {
        DifferenceTarget::Rows(of, rows) => {
            *of == section && rows.iter().any(|rows| rows.contains(&row))
        }
        _ => false,
    })
}

fn copy_menu(ui: &mut Ui, diff: &TextDiff, side: Side, line: &str, actions: &mut Actions) {
    let mut entry = |words: &str, text: &dyn Fn() -> String| {
        if crate::menu_action(ui, icons::COPY, words, None) {
            actions.push(Action::Copy(text()));
        }
    };
    entry("Copy line", &|| line.to_owned());
    let words = match side {
        Side::Left => "Copy left text",
        Side::Right => "Copy right text",
    };
    entry(words, &|| diff.source(side).text().to_owned());
}

/// Paints the parts of a line below each other; each can be selected. Returns their responses, each twice: for a click,
/// and for a menu.
fn line_ui(
    ui: &Ui,
    (id, line): (Id, &DisplayLine),
    rect: Rect,
    width: f32,
    (language, word): (Language, Color32),
) -> Vec<(egui::Response, bool)> {
    let tokens = tokens(ui);
    let measure = CharWidths::new(ui, language);
    let starts = line.breaks(width, &mut |c| measure.width_of(ui, c));
    let clip = ui.clip_rect();
    let mut responses = Vec::new();
    for (part, start) in starts.iter().enumerate() {
        let end = starts.get(part + 1).copied().unwrap_or(line.text.len());
        let top = rect.top() + part as f32 * theme::TEXT_LINE;
        let area = Rect::from_x_y_ranges(rect.x_range(), top..=top + theme::TEXT_LINE);
        // A single line may be broken into hundreds of parts, most of them outside of the view.
        if !area.intersects(clip) {
            continue;
        }
        let mut job = egui::text::LayoutJob { break_on_newline: false, ..Default::default() };
        let mut marked_ranges: Vec<Range<usize>> = Vec::new();
        let mut chars = 0;
        for (run, text) in line.part(&(*start..end)) {
            let class = class_color(tokens, run.class, language);
            let color = if run.marked { tokens.text_strong } else { class };
            let font = match run.class {
                TokenClass::Heading => theme::semibold(theme::BODY),
                _ => layout::font(language),
            };
            let mut format = egui::TextFormat::simple(font, color);
            format.line_height = Some(theme::TEXT_LINE);
            job.append(text, 0.0, format);
            let count = text.chars().count();
            if run.marked {
                match marked_ranges.last_mut() {
                    // A changed word may have several colours, but gets one background.
                    Some(last) if last.end == chars => last.end += count,
                    _ => marked_ranges.push(chars..chars + count),
                }
            }
            chars += count;
        }
        let galley = ui.painter().layout_job(job);
        for range in marked_ranges {
            let x = |index| galley.pos_from_cursor(egui::text::CCursor::new(index)).center().x;
            let left = area.left() + x(range.start) - 1.0;
            let right = area.left() + x(range.end) + 1.0;
            let mark = Rect::from_x_y_ranges(left..=right, area.top() + 1.0..=area.bottom() - 1.0);
            ui.painter().rect_filled(mark, CornerRadius::same(3), word);
        }
        let name = galley.text().to_owned();
        let response = selectable(ui, (id.with(part), area), area.min, galley, &name);
        responses.push((response.clone(), false));
        responses.push((response, true));
    }
    responses
}

/// Adds a text that can be selected and copied within a rect, painted from `corner`.
pub fn selectable(
    ui: &Ui,
    (id, rect): (Id, Rect),
    corner: Pos2,
    galley: Arc<Galley>,
    name: &str,
) -> egui::Response {
    // Without the focus: otherwise each line of a text would be a stop of the Tab key.
    let response = ui.interact(rect, id, Sense::click_and_drag() - Sense::FOCUSABLE);
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, name));
    let (color, no_stroke) = (tokens(ui).text, Stroke::NONE);
    LabelSelectionState::label_text_selection(ui, &response, corner, galley, color, no_stroke);
    response
}

/// Returns the colour of a class of text.
pub fn class_color(tokens: &Tokens, class: TokenClass, language: Language) -> Color32 {
    match class {
        TokenClass::Plain if language == Language::Prose => tokens.text_strong,
        TokenClass::Plain => tokens.text,
        TokenClass::Heading => tokens.text_strong,
        TokenClass::Keyword => tokens.keyword,
        TokenClass::Key => tokens.key,
        TokenClass::String => tokens.string,
        TokenClass::Number => tokens.number,
        TokenClass::Comment => tokens.comment,
    }
}

fn fold_ui(
    ui: &mut Ui,
    canvas: &mut EntryCanvas<'_>,
    (section, index): (usize, usize),
    words: &str,
) {
    let (sheet, side, rect) = (canvas.sheet, canvas.side, canvas.rect);
    let numbers = sheet.style(section).numbers;
    let tokens = canvas.tokens;
    let response = ui.interact(rect, canvas.id.with(("fold", section, index)), Sense::click());
    if side == Side::Left {
        let name = format!("Show {words}");
        response.widget_info(|| WidgetInfo::labeled(Role::Button, ui.is_enabled(), &name));
        ui.painter().rect_filled(rect, 0.0, tokens.fold);
        crate::line_above(ui, rect);
        crate::line_below(ui, rect);
        if response.clicked() {
            let section = sheet.content.fold_section(section);
            canvas.actions.push(Action::ToggleFold { section, fold: index });
        }
        if response.has_focus() {
            crate::focus_ring_inside(ui, rect, 0);
        }
    }
    if side == Side::Left || numbers {
        let color = if response.hovered() { tokens.text_strong } else { tokens.muted };
        let column = canvas.column();
        let offsets = ColumnOffsets::new(numbers, sheet.pane);
        let icon = pos2(column.left() + offsets.text - 10.0, column.center().y);
        crate::paint_icon(ui.painter(), icon, icons::UNFOLD_VERTICAL, theme::ICON, color);
        let left = column.left() + offsets.text + if numbers { 0.0 } else { 6.0 };
        let room = column.right() - left - 12.0;
        let line = crate::line(ui, words, theme::regular(theme::LABEL), color, room);
        crate::paint_line(ui.painter(), pos2(left, column.center().y), line);
    }
}
