//! Lists: one mechanism for all rows of the window.
//!
//! A desk describes rows; the list places and paints those that are visible, and handles keyboard, focus and scrolling.
//!
//! - Tab reaches each row. In a list of more than [`TAB_ROWS`] rows, Tab stops once. On a focused row, the arrow keys,
//!   Page Up, Page Down, Home and End move the focus, Enter and Space click, and Left and Right fold and unfold.
//! - The list scrolls to the selection when it changes, not when the user scrolls, and to a row that gets the focus.
//! - A truncated text is shown whole while the pointer is on it, also if the desk paints it with
//!   [`paint_line`](super::paint_line).
//!
//! ```ignore
//! // `RowShape` has the height, the margins and where lines of text are: `ONE_LINE`, `TWO_LINES`, or one of the desk.
//! List::new("tapes", &RowShape::TWO_LINES, tapes.len())
//!     // What is selected and, only computed after it changed, its row.
//!     .selection(desk.selected(), |doc| tapes.iter().position(|tape| tape == doc))
//!     .show(ui, |slot| {
//!         let tape = &tapes[slot.index];
//!         let row = Row::new(format!("{}, {}", tape.name, tape.facts)) // the accessible name
//!             .selected(tape.is_selected)
//!             .line(Line::title(&tape.name, colors).right(StyledText::new().with(..)))
//!             .line(Line::detail(&tape.facts, colors).icon(icons::CLOCK, colors.muted));
//!         let response = slot.show(row);
//!         // Pictures and controls in the row: `slot.ui` and `slot.rect`.
//!         if response.clicked() {
//!             actions.push(Action::Select(tape.doc));
//!         }
//!     });
//! ```
//!
//! - Rows of several heights: [`List::tops`]. Headings and other rows without a click: [`List::without_focus`], and
//!   [`RowSlot::place`] in place of [`RowSlot::show`].
//! - Rows that unfold: [`Row::expanded`]. Cells of a table: [`Row::cell`].
//! - A list in a region that scrolls as a whole: [`List::show_inside`].

use std::hash::Hash;
use std::ops::Range;

use egui::response::Flags;
use egui::{
    Color32, EventFilter, FocusDirection, FontId, Id, Key, Modifiers, Rangef, Rect, Response, Role,
    ScrollArea, Sense, Stroke, Ui, UiBuilder, WidgetInfo, pos2, vec2,
};

use super::rows::{RowSelection, row_background};
use super::styled_text::{self, StyledText};
use super::{focus_ring_inside, place, status_look};
use crate::ops::ItemStatus;
use crate::ui::icons;
use crate::ui::theme::{self, Tokens, Tone, tokens};
use crate::workbench::WorkingCopy;

/// Up to this many rows, Tab reaches each of them. To get past a longer list, Tab would have to be pressed too often.
const TAB_ROWS: usize = 100;

/// What the rows of a list have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowShape {
    /// The height of a row.
    pub height: f32,
    /// The middle of each line of text, from the top of the row. The text of a cell with only one line is in the middle of
    /// the row.
    pub lines: &'static [f32],
    /// The space at the left and at the right.
    pub margins: (f32, f32),
    /// Whether there is a line below each row.
    pub hair: bool,
}

impl RowShape {
    /// A row with one line of text.
    pub const ONE_LINE: Self = Self {
        height: theme::ROW_HEIGHT,
        lines: &[theme::ROW_HEIGHT / 2.0],
        margins: (theme::PADDING, theme::PADDING),
        hair: false,
    };
    /// A row with a title and details below it.
    pub const TWO_LINES: Self = Self {
        height: theme::ROW_TWO_LINES,
        lines: &[14.0, 31.0],
        margins: (theme::PADDING, theme::PADDING),
        hair: true,
    };
}

/// One line of text in a row or cell. What does not fit ends in `…`, except the text at the right.
pub struct Line {
    text: StyledText,
    icon: Option<(&'static str, Color32)>,
    /// From the left edge of the line, where the icon is, to the text.
    indent: f32,
    right: Option<StyledText>,
    right_share: f32,
    right_icon: Option<(&'static str, Color32)>,
}

impl From<StyledText> for Line {
    fn from(text: StyledText) -> Self {
        Self {
            text,
            icon: None,
            indent: 0.0,
            right: None,
            right_share: 1.0,
            right_icon: None,
        }
    }
}

impl Line {
    /// Creates a line in one font and colour.
    pub fn new(text: &str, font: FontId, color: Color32) -> Self {
        StyledText::new().with(text, font, color).into()
    }

    /// Creates the first line of a row of two lines.
    pub fn title(text: &str, colors: &Tokens) -> Self {
        Self::new(text, theme::regular(theme::BODY), colors.text_strong)
    }

    /// Creates the line below a title.
    pub fn detail(text: &str, colors: &Tokens) -> Self {
        Self::new(text, theme::regular(theme::LABEL), colors.muted)
    }

    /// Creates the name of a document, with a mark at the right if it has unsaved changes.
    pub fn document(name: &str, copy: Option<&WorkingCopy>, colors: &Tokens) -> Self {
        let is_unsaved = copy.is_some_and(WorkingCopy::is_unsaved);
        let line = Self::title(name, colors);
        if is_unsaved {
            line.right_icon(icons::CIRCLE_DOT, colors.accent)
        } else {
            line
        }
    }

    /// Creates a number or other text at the right edge of its cell.
    pub fn number(text: &str, font: FontId, color: Color32) -> Self {
        Self::from(StyledText::new()).right(StyledText::new().with(text, font, color))
    }

    /// Creates a word with its icon.
    pub fn icon_word(
        (icon, icon_color): (&'static str, Color32),
        (word, color): (&str, Color32),
    ) -> Self {
        Self::new(word, theme::regular(theme::ROW), color)
            .icon(icon, icon_color)
            .indent(theme::ICON + theme::ICON_GAP)
    }

    /// Creates the status of an item.
    pub fn status(status: ItemStatus, colors: &Tokens) -> Self {
        let (icon, tone) = status_look(status);
        let (icon_color, color) = match tone {
            Tone::Plain => (colors.muted, colors.text),
            Tone::Good => (colors.tone(tone), colors.text),
            tone => (colors.tone(tone), colors.tone(tone)),
        };
        Self::icon_word((icon, icon_color), (status.label(), color))
    }

    /// Adds an icon before the text, which moves to the right.
    #[must_use]
    pub fn icon(self, icon: &'static str, color: Color32) -> Self {
        Self {
            icon: Some((icon, color)),
            indent: theme::INDENT,
            ..self
        }
    }

    /// Changes the distance from the left edge, where the icon is, to the text.
    #[must_use]
    pub fn indent(self, indent: f32) -> Self {
        Self { indent, ..self }
    }

    /// Aligns the text with that of a line above, which has an icon.
    #[must_use]
    pub fn under_icon(self) -> Self {
        self.icon("", Color32::TRANSPARENT)
    }

    /// Adds a text at the right, which gets its room before the text at the left.
    #[must_use]
    pub fn right(self, text: StyledText) -> Self {
        let right = Some(text);
        Self { right, ..self }
    }

    /// Adds an icon at the right, before the text there.
    #[must_use]
    pub fn right_icon(self, icon: &'static str, color: Color32) -> Self {
        let right_icon = Some((icon, color));
        Self { right_icon, ..self }
    }

    /// Limits the text at the right to a share of the width.
    #[must_use]
    pub fn right_share(self, right_share: f32) -> Self {
        Self {
            right_share,
            ..self
        }
    }

    /// Paints the line between `x`, vertically centered on `y`. Returns the height of what is wrapped below it.
    fn paint(self, ui: &Ui, mut x: Rangef, y: f32) -> f32 {
        let most_right = x.span() * self.right_share;
        let painter = ui.painter();
        if let Some((icon, color)) = self.icon {
            let center = pos2(x.min + theme::ICON / 2.0, y);
            styled_text::paint_icon(painter, center, icon, theme::ICON, color);
        }
        x.min += self.indent;
        if let Some(right) = self.right {
            let line = right.galley(ui, most_right);
            let width = line.size().x;
            styled_text::paint_line_right(painter, pos2(x.max, y), line);
            let gap = self.right_icon.map_or(theme::GAP, |_| theme::ICON_GAP);
            x.max -= width + gap;
        }
        if let Some((icon, color)) = self.right_icon {
            let center = pos2(x.max - theme::ICON / 2.0, y);
            styled_text::paint_icon(painter, center, icon, theme::ICON, color);
            x.max -= theme::ICON + theme::ICON_GAP;
        }
        let text = self.text.galley(ui, x.span());
        let below = text.size().y - styled_text::row_height(&text);
        styled_text::paint_line(painter, pos2(x.min, y), text);
        below
    }
}

/// Lines between two edges; without edges, between the margins of the row.
#[derive(Default)]
struct Cell {
    x: Option<Rangef>,
    lines: Vec<Line>,
}

/// The content of a row.
#[derive(Default)]
pub struct Row {
    name: String,
    selection: RowSelection,
    expanded: Option<bool>,
    fill: Option<Color32>,
    cells: Vec<Cell>,
    tip: String,
}

impl Row {
    /// Creates an empty row. `name` is its name for screen readers.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            ..Self::default()
        }
    }

    /// Sets whether it is selected.
    #[must_use]
    pub fn selected(self, is_selected: bool) -> Self {
        self.selection(if is_selected {
            RowSelection::Selected
        } else {
            RowSelection::None
        })
    }

    /// Sets the state of the selection.
    #[must_use]
    pub fn selection(self, selection: RowSelection) -> Self {
        Self { selection, ..self }
    }

    /// Makes it a row that unfolds, with a chevron before its first line.
    #[must_use]
    pub fn expanded(self, is_expanded: bool) -> Self {
        let expanded = Some(is_expanded);
        Self { expanded, ..self }
    }

    /// Sets the background of a row that is neither selected nor hovered.
    #[must_use]
    pub fn fill(self, color: Color32) -> Self {
        let fill = Some(color);
        Self { fill, ..self }
    }

    /// Adds a line to the row, or to its last cell.
    #[must_use]
    pub fn line(mut self, line: impl Into<Line>) -> Self {
        if self.cells.is_empty() {
            self.cells.push(Cell::default());
        }
        if let Some(cell) = self.cells.last_mut() {
            cell.lines.push(line.into());
        }
        self
    }

    /// Begins a cell between two edges, such as those of a column.
    #[must_use]
    pub fn cell(mut self, x: Rangef) -> Self {
        let (x, lines) = (Some(x), Vec::new());
        self.cells.push(Cell { x, lines });
        self
    }

    /// Sets a tooltip for the whole row.
    #[must_use]
    pub fn tip(self, text: impl Into<String>) -> Self {
        let tip = text.into();
        Self { tip, ..self }
    }

    fn paint(self, ui: &Ui, shape: &RowShape, rect: Rect) {
        let (left, right) = shape.margins;
        let chevron = self.expanded.map(|is_expanded| {
            let icon = if is_expanded {
                icons::CHEVRON_DOWN
            } else {
                icons::CHEVRON_RIGHT
            };
            let center = pos2(rect.left() + left + theme::ICON / 2.0, rect.center().y);
            styled_text::paint_icon(ui.painter(), center, icon, theme::ICON, tokens(ui).muted);
            theme::INDENT
        });
        let left = rect.left() + left + chevron.unwrap_or_default();
        for cell in self.cells {
            let x = cell
                .x
                .unwrap_or_else(|| Rangef::new(left, rect.right() - right));
            let middle = [rect.height() / 2.0];
            let lines = match cell.lines.len() {
                0 | 1 if shape.lines.len() > 1 && cell.x.is_some() => &middle,
                _ => shape.lines,
            };
            let mut top = rect.top();
            for (line, y) in cell.lines.into_iter().zip(lines) {
                top += line.paint(ui, x, top + y);
            }
        }
        if shape.hair {
            let hair = Stroke::new(1.0, tokens(ui).hair);
            ui.painter()
                .hline(rect.x_range(), rect.bottom() - 0.5, hair);
        }
    }
}

/// The place of a visible row.
pub struct RowSlot<'a> {
    /// The list, whose layout a row must not move.
    pub ui: &'a mut Ui,
    /// The position in the list.
    pub index: usize,
    /// The whole row.
    pub rect: Rect,
    shape: RowShape,
    count: usize,
    id: Id,
    is_tab_stop: bool,
    /// What was shown, and the tooltip of the row.
    shown: Option<(Response, String)>,
}

impl RowSlot<'_> {
    /// Paints a row and returns what the user does with it.
    pub fn show(&mut self, row: Row) -> Response {
        let shape = self.shape;
        self.show_as(&shape, row)
    }

    /// The same for a row that differs from the others of the list.
    pub fn show_as(&mut self, shape: &RowShape, mut row: Row) -> Response {
        let (ui, rect) = (&*self.ui, self.rect);
        let sense = if self.is_tab_stop {
            Sense::click()
        } else {
            Sense::CLICK
        };
        let mut response = ui.interact(rect, self.id, sense);
        if response.has_focus() {
            self.keys(&mut response, row.expanded);
        }
        let is_selected = matches!(
            row.selection,
            RowSelection::Selected | RowSelection::SelectedAway
        );
        response.widget_info(|| {
            WidgetInfo::selected(Role::ListBoxOption, ui.is_enabled(), is_selected, &row.name)
        });
        ui.ctx().accesskit_node_builder(self.id, |node| {
            node.set_position_in_set(self.index + 1);
            node.set_size_of_set(self.count);
            if let Some(is_expanded) = row.expanded {
                node.set_expanded(is_expanded);
            }
        });
        let fill = row.fill.filter(|_| !response.hovered() && !is_selected);
        if let Some(fill) = fill {
            ui.painter().rect_filled(rect, 0.0, fill);
        } else {
            row_background(
                ui.painter(),
                tokens(ui),
                rect,
                row.selection,
                response.hovered(),
            );
        }
        let tip = std::mem::take(&mut row.tip);
        row.paint(ui, shape, rect);
        if response.has_focus() {
            focus_ring_inside(ui, rect, 0);
        }
        self.shown = Some((response.clone(), tip));
        response
    }

    /// Folds and unfolds with Left and Right, and keeps the list's keys from moving the focus elsewhere.
    fn keys(&self, response: &mut Response, expanded: Option<bool>) {
        let ui = &*self.ui;
        let keys = EventFilter {
            vertical_arrows: true,
            horizontal_arrows: expanded.is_some(),
            ..EventFilter::default()
        };
        ui.memory_mut(|memory| memory.set_focus_lock_filter(self.id, keys));
        let toggles = expanded.is_some_and(|is_expanded| {
            let key = if is_expanded {
                Key::ArrowLeft
            } else {
                Key::ArrowRight
            };
            ui.input_mut(|input| input.consume_key(Modifiers::NONE, key))
        });
        if toggles {
            response.flags.insert(Flags::FAKE_PRIMARY_CLICKED);
        }
    }

    /// Lays out content in place of a row, such as a heading.
    pub fn place<R>(&mut self, content: impl FnOnce(&mut Ui) -> R) -> R {
        place(self.ui, self.rect, content)
    }
}

/// State of a list that is kept between frames.
#[derive(Clone, Copy, Default)]
struct ListState {
    /// The selection that was last scrolled into view, as a hash, and its row.
    shown: Option<u64>,
    selected: Option<usize>,
    focused: Option<usize>,
}

/// Finds the selected row.
type FindRow<'a> = Box<dyn FnOnce() -> Option<usize> + 'a>;

/// A list of rows.
pub struct List<'a> {
    salt: u64,
    shape: &'a RowShape,
    count: usize,
    selection: Option<(u64, FindRow<'a>)>,
    tops: Option<&'a dyn Fn(usize) -> f32>,
    without_focus: Option<&'a dyn Fn(usize) -> bool>,
    max_height: Option<f32>,
}

impl<'a> List<'a> {
    /// Creates a list of some rows of the same shape.
    pub fn new(id_salt: impl Hash, shape: &'a RowShape, count: usize) -> Self {
        Self {
            salt: egui::util::hash(id_salt),
            shape,
            count,
            selection: None,
            tops: None,
            without_focus: None,
            max_height: None,
        }
    }

    /// Sets what is selected, by which the list knows that the selection has changed, and a function that finds its row.
    #[must_use]
    pub fn selection<K: Hash + 'a>(
        mut self,
        key: Option<K>,
        find: impl FnOnce(K) -> Option<usize> + 'a,
    ) -> Self {
        self.selection = key.map(|key| {
            let hash = egui::util::hash(&key);
            let find: Box<dyn FnOnce() -> Option<usize> + 'a> = Box::new(|| find(key));
            (hash, find)
        });
        self
    }

    /// Sets where each row begins, from the top of the list; for the row after the last one, where the list ends.
    #[must_use]
    pub fn tops(self, tops: &'a dyn Fn(usize) -> f32) -> Self {
        let tops = Some(tops);
        Self { tops, ..self }
    }

    /// Sets which rows take no focus, such as headings.
    #[must_use]
    pub fn without_focus(self, is_skipped: &'a dyn Fn(usize) -> bool) -> Self {
        let without_focus = Some(is_skipped);
        Self {
            without_focus,
            ..self
        }
    }

    /// Limits the height of the scroll area.
    #[must_use]
    pub fn max_height(self, height: f32) -> Self {
        let max_height = Some(height);
        Self { max_height, ..self }
    }

    /// Shows the list in a scroll area that fills the available room.
    pub fn show(self, ui: &mut Ui, row_ui: impl FnMut(&mut RowSlot<'_>)) {
        let mut area = ScrollArea::vertical().id_salt(self.salt).auto_shrink(false);
        if let Some(height) = self.max_height {
            area = area.max_height(height).min_scrolled_height(height);
        }
        area.show_viewport(ui, |ui, viewport| {
            ui.set_height(self.top(ui, self.count).max(0.0));
            self.rows_ui(ui, viewport, row_ui);
        });
    }

    /// Shows the list in a region that scrolls as a whole.
    pub fn show_inside(self, ui: &mut Ui, row_ui: impl FnMut(&mut RowSlot<'_>)) {
        let size = vec2(ui.available_width(), self.top(ui, self.count));
        let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
        let viewport = ui.clip_rect().translate(-rect.min.to_vec2());
        place(ui, rect, |ui| self.rows_ui(ui, viewport, row_ui));
    }

    fn rows_ui(self, ui: &mut Ui, viewport: Rect, mut row_ui: impl FnMut(&mut RowSlot<'_>)) {
        let (count, origin) = (self.count, ui.max_rect());
        let id = ui.scope_id().with(("list", self.salt));
        let mut state: ListState = ui.data(|data| data.get_temp(id)).unwrap_or_default();
        let visible = self.visible(ui, viewport);
        let focus = self.focused_after_keys(ui, id, &state, viewport.height());
        let (mut list, mut revealed) = (self, focus);
        let selection = list.selection.take();
        let key = selection.as_ref().map(|(key, _)| *key);
        if state.shown != key {
            state.shown = key;
            state.selected = selection.and_then(|(_, find)| find());
            revealed = state.selected;
            // The focus stays with the selection, or the next arrow key would start elsewhere.
            let had_focus = state
                .focused
                .is_some_and(|at| ui.memory(|memory| memory.has_focus(id.with(at))));
            if let Some(at) = state.selected.filter(|_| had_focus) {
                ui.memory_mut(|memory| memory.request_focus(id.with(at)));
                state.focused = Some(at);
            }
        } else if focus.is_some() {
            state.focused = focus;
        }
        let near = state
            .focused
            .map_or(0..0, |at| at.saturating_sub(1)..(at + 2).min(count));
        let before = near.start.min(visible.start)..near.end.min(visible.start);
        let after = near.start.max(visible.end)..near.end.max(visible.end);
        let is_in_sight = |at: &usize| visible.contains(at);
        let tab_stop = state
            .focused
            .or_else(|| state.selected.filter(is_in_sight))
            .or_else(|| visible.clone().find(|row| list.takes_focus(*row)));
        state.focused = None;
        let builder = UiBuilder::new().max_rect(list.rect(ui, origin, &visible));
        ui.scope_builder(builder.accessibility_role(Role::ListBox), |ui| {
            for index in before.chain(visible).chain(after) {
                let rect = list.rect(ui, origin, &(index..index + 1));
                styled_text::take_elided(ui.ctx());
                let mut slot = RowSlot {
                    ui,
                    index,
                    rect,
                    shape: *list.shape,
                    count,
                    id: id.with(index),
                    is_tab_stop: count <= TAB_ROWS || tab_stop == Some(index),
                    shown: None,
                };
                row_ui(&mut slot);
                let Some((response, tip)) = slot.shown else {
                    continue;
                };
                if response.has_focus() {
                    state.focused = Some(index);
                }
                if response.gained_focus() {
                    revealed = Some(index);
                }
                let elided = styled_text::take_elided(ui.ctx());
                // Sentences are painted without their backticks.
                let elided = elided.filter(|text| !tip.replace('`', "").contains(text));
                let tips = elided.into_iter().chain(Some(tip));
                let _ = tips
                    .filter(|text| !text.is_empty())
                    .fold(response, Response::on_hover_text);
            }
            if let Some(at) = revealed {
                let rect = list.rect(ui, origin, &(at..at + 1));
                ui.scroll_to_rect(
                    Rect::from_min_size(rect.min, vec2(1.0, rect.height())),
                    None,
                );
            }
        });
        ui.data_mut(|data| data.insert_temp(id, state));
    }

    /// Moves the focus if a row has it and one of the list's keys is pressed; returns the row that has it then.
    fn focused_after_keys(&self, ui: &Ui, id: Id, state: &ListState, page: f32) -> Option<usize> {
        let at = state
            .focused
            .filter(|at| ui.memory(|memory| memory.has_focus(id.with(*at))))?;
        let last = self.count.checked_sub(1)?;
        let page = ((page / self.shape.height) as usize).max(1);
        let keys = [
            (Key::ArrowDown, at + 1),
            (Key::ArrowUp, at.saturating_sub(1)),
            (Key::PageDown, at + page),
            (Key::PageUp, at.saturating_sub(page)),
            (Key::Home, 0),
            (Key::End, last),
        ];
        let pressed = |(key, _): &(Key, usize)| {
            ui.input_mut(|input| input.consume_key(Modifiers::NONE, *key))
        };
        let (_, to) = keys.into_iter().find(pressed)?;
        let to = to.min(last);
        let takes_focus = |row: &usize| self.takes_focus(*row);
        let (mut up, mut down) = ((0..=to).rev(), to..=last);
        let to = if to < at {
            up.find(takes_focus).or_else(|| down.find(takes_focus))
        } else {
            down.find(takes_focus).or_else(|| up.find(takes_focus))
        }?;
        ui.memory_mut(|memory| {
            memory.request_focus(id.with(to));
            memory.move_focus(FocusDirection::None);
        });
        Some(to)
    }

    fn takes_focus(&self, row: usize) -> bool {
        self.without_focus.is_none_or(|skips| !skips(row))
    }

    fn top(&self, ui: &Ui, row: usize) -> f32 {
        let gap = ui.spacing().item_spacing.y;
        match self.tops {
            Some(tops) => tops(row),
            None if row == self.count => row as f32 * (self.shape.height + gap) - gap,
            None => row as f32 * (self.shape.height + gap),
        }
    }

    /// Returns the place of some rows.
    fn rect(&self, ui: &Ui, list: Rect, rows: &Range<usize>) -> Rect {
        let last = rows.end.saturating_sub(1).max(rows.start);
        let bottom = match self.tops {
            Some(tops) => tops((last + 1).min(self.count)),
            None => self.top(ui, last) + self.shape.height,
        };
        let y = list.top() + self.top(ui, rows.start)..=list.top() + bottom;
        Rect::from_x_y_ranges(list.x_range(), y)
    }

    /// Returns the visible rows, and one more, so that a row is laid out before it comes into sight.
    fn visible(&self, ui: &Ui, viewport: Rect) -> Range<usize> {
        let first = |is_before: &dyn Fn(f32) -> bool| {
            let (mut low, mut high) = (0, self.count);
            while low < high {
                let middle = low + (high - low) / 2;
                if is_before(self.top(ui, middle + 1)) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            low
        };
        let start = first(&|bottom| bottom <= viewport.min.y);
        let end = first(&|bottom| bottom < viewport.max.y) + 2;
        let beyond = end.saturating_sub(self.count);
        start.saturating_sub(beyond)..end - beyond
    }
}
