//! Lists: one mechanism for all rows of the window.
//!
//! A desk describes rows; the list places and paints those that are visible, and handles keyboard, focus and scrolling.
//!
//! - Tab reaches each row. In a list of more than [`TAB_ROWS`] rows, Tab stops once. On a focused row, the arrow keys,
//!   Page Up, Page Down, Home and End move the focus, Enter and Space click, and Left and Right fold and unfold. In a list with
//!   [`List::levels`], Left also moves the focus to the row that contains the focused one, and Right to the first row in it.
//! - The list scrolls to the selection when it changes, not when the user scrolls, and to a row that gets the focus, itself or
//!   in one of its controls.
//! - A truncated text is shown whole while the pointer is on it, also if the desk paints it with
//!   [`paint_line`](super::paint_line).
//!
//! ```ignore
//! // `RowShape` has the height, the margins and where lines of text are: `ONE_LINE`, `TWO_LINES`, or one of the desk.
//! List::new("List of tapes", &RowShape::TWO_LINES, tapes.len())
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
//! - Rows that unfold: [`Row::expanded`]. Check boxes: [`Row::checked`]. Cells of a table: [`Row::cell`]; of a grid:
//!   [`RowSlot::show_part`].
//! - A list in a region that scrolls as a whole: [`List::show_inside`].

use std::hash::Hash;
use std::ops::Range;

use egui::accesskit::Rect as Bounds;
use egui::response::Flags;
use egui::{
    EventFilter, FocusDirection, Id, Key, Modifiers, Rangef, Rect, Response, Role, ScrollArea,
    Sense, Ui, UiBuilder, WidgetInfo, WidgetRect,
};

use super::place::allocate_row;
use super::row::{Row, RowShape};
use super::{focus_ring_inside, place, styled_text};

/// Up to this many rows, Tab reaches each of them. To get past a longer list, Tab would have to be pressed too often.
const TAB_ROWS: usize = 100;

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
    /// Whether the user folds or unfolds a row of [`Row::unfolds`] by key.
    pub is_toggled: bool,
    /// Whether another row contains it.
    is_inner: bool,
    /// The row that contains the focused one, and the first row in it, if Left or Right is pressed: finding them may look at many rows.
    relatives: (Option<usize>, Option<usize>),
    /// Effect of Left or Right on the row, if one is pressed.
    tree_step: Option<TreeStep>,
    /// Response of the row that was shown, and its tooltip.
    shown: Option<(Response, String)>,
}

/// Effect of Left or Right on a row of a tree.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TreeStep {
    /// Folds or unfolds the row.
    Toggle,
    /// Moves the focus to another row.
    Move(usize),
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
        // `Sense::CLICK` lacks `FOCUSABLE`, by which egui's Tab stops at a control.
        let sense = if self.is_tab_stop { Sense::click() } else { Sense::CLICK };
        let mut response = ui.interact(rect, self.id, sense);
        if response.has_focus() {
            self.tree_step = self.keys(row.expanded.or(row.unfolds));
            let is_toggled = self.tree_step == Some(TreeStep::Toggle);
            match row.expanded {
                // As if clicked, so that a desk handles keys and mouse at one place.
                Some(_) if is_toggled => response.flags.insert(Flags::FAKE_PRIMARY_CLICKED),
                _ => self.is_toggled = is_toggled,
            }
        }
        response.widget_info(|| {
            let is_enabled = ui.is_enabled() && !row.is_disabled;
            let (role, is_on) = match row.checked {
                Some(is_checked) => (Role::CheckBox, is_checked),
                None => (Role::ListBoxOption, row.is_selected()),
            };
            WidgetInfo::selected(role, is_enabled, is_on, &row.name)
        });
        ui.ctx().accesskit_node_builder(self.id, |node| {
            node.set_position_in_set(self.index + 1);
            node.set_size_of_set(self.count);
            if let Some(is_expanded) = row.expanded.or(row.unfolds) {
                node.set_expanded(is_expanded);
            }
        });
        let tip = std::mem::take(&mut row.tip);
        row.paint(ui, shape, rect, response.hovered());
        if response.has_focus() {
            focus_ring_inside(ui, rect, 0);
        }
        self.shown = Some((response.clone(), tip));
        response
    }

    /// Shows one of several parts of the row that are chosen each by itself, such as the cells of a grid. The row takes the
    /// focus with its first part.
    pub fn show_part(&mut self, part: usize, shape: &RowShape, rect: Rect, row: Row) -> Response {
        let mut slot = RowSlot {
            ui: &mut *self.ui,
            rect,
            id: if part == 0 { self.id } else { self.id.with(part) },
            shown: None,
            ..*self
        };
        let response = slot.show_as(shape, row);
        if let Some((response, tip)) = slot.shown {
            tips(slot.ui, response, tip);
        }
        response
    }

    /// Returns what Left or Right does, and keeps the list's keys from moving the focus elsewhere.
    fn keys(&self, is_expanded: Option<bool>) -> Option<TreeStep> {
        let ui = &*self.ui;
        let (parent, child) = self.relatives;
        let move_to = |row: Option<usize>| row.map(TreeStep::Move);
        let (left, right) = match is_expanded {
            Some(true) => (Some(TreeStep::Toggle), move_to(child)),
            Some(false) => (move_to(parent), Some(TreeStep::Toggle)),
            None => (move_to(parent), None),
        };
        let keys = EventFilter {
            vertical_arrows: true,
            horizontal_arrows: self.is_inner || is_expanded.is_some(),
            ..EventFilter::default()
        };
        // Otherwise egui moves the focus by arrows to the nearest control in that direction.
        ui.memory_mut(|memory| memory.set_focus_lock_filter(self.id, keys));
        [(Key::ArrowLeft, left), (Key::ArrowRight, right)].into_iter().find_map(|(key, step)| {
            let step = step?;
            ui.input_mut(|input| input.consume_key(Modifiers::NONE, key)).then_some(step)
        })
    }

    /// Lays out content in place of a row, such as a heading.
    pub fn place<R>(&mut self, content: impl FnOnce(&mut Ui) -> R) -> R {
        place(self.ui, self.rect, content)
    }
}

/// Adds the tooltip of a row: the whole of the truncated text under the pointer, and its own.
fn tips(ui: &Ui, response: Response, tip: String) {
    let elided_text = styled_text::take_elided(ui.ctx(), response.interact_rect);
    // Sentences are painted without their backticks.
    let elided_text = elided_text.filter(|text| !tip.replace('`', "").contains(text));
    let texts = elided_text.into_iter().chain(Some(tip)).filter(|text| !text.is_empty());
    // One below the other in one tooltip: two of them would cover twice as much of the list.
    let text = texts.collect::<Vec<String>>().join("\n");
    // The row below a dialog stays the one under the pointer until the pointer moves.
    let is_reachable = ui.memory(|memory| memory.allows_interaction(response.layer_id));
    if !text.is_empty() && is_reachable {
        response.on_hover_text(text);
    }
}

/// State of a list that is kept between frames.
#[derive(Clone, Copy, Default)]
struct ListState {
    /// The selection that was last scrolled into view, as a hash, and its row.
    shown: Option<u64>,
    selected: Option<usize>,
    /// The row that has the keyboard focus, or in which a control has it.
    focused: Option<usize>,
    focus: Option<Id>,
    /// Whether a row was folded or unfolded by key in the last frame.
    is_toggled: bool,
}

/// Returns whether the user scrolls the region that is shown next, with the wheel or by its bar.
fn is_scrolled_by_user(ui: &Ui) -> bool {
    ui.rect_contains_pointer(ui.available_rect_before_wrap())
        && ui.input(|input| {
            input.smooth_scroll_delta().y != 0.0 || input.pointer.is_decidedly_dragging()
        })
}

/// Finds the selected row.
type FindRow<'a> = Box<dyn FnOnce() -> Option<usize> + 'a>;

/// A list of rows.
#[must_use]
pub struct List<'a> {
    name: &'a str,
    salt: u64,
    shape: &'a RowShape,
    count: usize,
    selection: Option<(u64, FindRow<'a>)>,
    tops: Option<&'a dyn Fn(usize) -> f32>,
    without_focus: Option<&'a dyn Fn(usize) -> bool>,
    levels: Option<&'a dyn Fn(usize) -> usize>,
    max_height: Option<f32>,
    followed: Option<usize>,
    is_scrolled_away: bool,
}

impl<'a> List<'a> {
    /// Creates a list of some rows of the same shape. `name` identifies it, also for screen readers.
    pub fn new(name: &'a str, shape: &'a RowShape, count: usize) -> Self {
        Self {
            name,
            salt: egui::util::hash(name),
            shape,
            count,
            selection: None,
            tops: None,
            without_focus: None,
            levels: None,
            max_height: None,
            followed: None,
            is_scrolled_away: false,
        }
    }

    /// Sets what the list belongs to; for another one, it begins at the top again.
    pub fn of(self, owner: impl Hash) -> Self {
        Self { salt: egui::util::hash((self.salt, owner)), ..self }
    }

    /// Sets what is selected, by which the list knows that the selection has changed, and a function that finds its row.
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

    /// Sets the selected row while it moves by itself, as during playback. It is kept in the middle until the user scrolls.
    pub fn follow(self, row: Option<usize>) -> Self {
        Self { followed: row, ..self }
    }

    /// Sets where each row begins, from the top of the list; for the row after the last one, where the list ends.
    pub fn tops(self, tops: &'a dyn Fn(usize) -> f32) -> Self {
        Self { tops: Some(tops), ..self }
    }

    /// Sets which rows take no focus, such as headings.
    pub fn without_focus(self, is_skipped: &'a dyn Fn(usize) -> bool) -> Self {
        Self { without_focus: Some(is_skipped), ..self }
    }

    /// Sets how many rows contain each row, for a list that is a tree.
    pub fn levels(self, levels: &'a dyn Fn(usize) -> usize) -> Self {
        Self { levels: Some(levels), ..self }
    }

    /// Limits the height of the scroll area.
    pub fn max_height(self, height: f32) -> Self {
        Self { max_height: Some(height), ..self }
    }

    /// Shows the list in a scroll area that fills the available room.
    pub fn show(mut self, ui: &mut Ui, row_ui: impl FnMut(&mut RowSlot<'_>)) {
        let mut area = ScrollArea::vertical().id_salt(self.salt).auto_shrink(false);
        if let Some(height) = self.max_height {
            // egui's own least height of a scroll area would be taller than a short list.
            area = area.max_height(height).min_scrolled_height(height);
        }
        let id = ui.scope_id().with(("scrolled away", self.salt));
        if let Some(row) = self.followed {
            let was_scrolled = ui.data(|data| data.get_temp(id)).unwrap_or(false);
            self.is_scrolled_away = was_scrolled || is_scrolled_by_user(ui);
            if !self.is_scrolled_away {
                // A target of a scroll area is reached a frame later; meanwhile, the selection has moved on.
                let height = ui.available_height();
                let max_offset = (self.top(ui, self.count) - height).max(0.0);
                let top = self.top(ui, row) + (self.shape.height - height) / 2.0;
                area = area.vertical_scroll_offset(top.clamp(0.0, max_offset));
            }
        }
        // Forgotten as soon as nothing is followed, so that the next playback is followed again.
        ui.data_mut(|data| data.insert_temp(id, self.is_scrolled_away));
        area.show_viewport(ui, |ui, viewport| {
            ui.set_height(self.top(ui, self.count).max(0.0));
            self.rows_ui(ui, viewport, row_ui);
        });
    }

    /// Shows the list in a region that scrolls as a whole.
    pub fn show_inside(self, ui: &mut Ui, row_ui: impl FnMut(&mut RowSlot<'_>)) {
        let (rect, _) = allocate_row(ui, self.top(ui, self.count), Sense::hover());
        let viewport = ui.clip_rect().translate(-rect.min.to_vec2());
        place(ui, rect, |ui| self.rows_ui(ui, viewport, row_ui));
    }

    fn rows_ui(self, ui: &mut Ui, viewport: Rect, mut row_ui: impl FnMut(&mut RowSlot<'_>)) {
        let (count, origin) = (self.count, ui.max_rect());
        let id = ui.scope_id().with(("list", self.salt));
        let mut state: ListState = ui.data(|data| data.get_temp(id)).unwrap_or_default();
        let visible = self.visible(ui, viewport);
        // Before any row is laid out: the row that gets the focus may be outside of the visible ones.
        let key_target = self.focused_after_keys(ui, id, &state, viewport.height());
        let (mut list, mut revealed_row) = (self, key_target);
        let selection = list.selection.take();
        // Finding a row may look at all of them, so it is done only when the key has changed.
        let key = selection.as_ref().map(|(key, _)| *key);
        if state.shown != key {
            state.shown = key;
            state.selected = selection.and_then(|(_, find)| find());
            revealed_row = state.selected.filter(|_| !list.is_scrolled_away);
            // The focus stays with the selection, or the next arrow key would start elsewhere.
            let had_focus =
                state.focused.is_some_and(|at| ui.memory(|memory| memory.has_focus(id.with(at))));
            // A row that was unfolded keeps the focus, wherever that row is now.
            let unfolded_parent = |at: usize| list.parent(at).filter(|_| state.is_toggled);
            let focused_row = state.selected.map(|at| unfolded_parent(at).unwrap_or(at));
            if let Some(at) = focused_row.filter(|_| had_focus) {
                ui.memory_mut(|memory| memory.request_focus(id.with(at)));
                state.focused = Some(at);
            }
        } else if key_target.is_some() {
            state.focused = key_target;
        }
        // Tab has to find the rows beside the focus, also those beyond a heading.
        let near_rows = state.focused.map_or(0..0, |at| {
            let takes_focus = |row: &usize| list.takes_focus(*row);
            let previous = (0..at.min(count)).rfind(takes_focus);
            let next = (at + 1..count).find(takes_focus);
            previous.unwrap_or(at)..(next.unwrap_or(at) + 1).min(count)
        });
        let rows_before = near_rows.start.min(visible.start)..near_rows.end.min(visible.start);
        let rows_after = near_rows.start.max(visible.end)..near_rows.end.max(visible.end);
        let is_in_sight = |at: &usize| visible.contains(at);
        let tab_stop = state
            .focused
            .or_else(|| state.selected.filter(is_in_sight))
            .or_else(|| visible.clone().find(|row| list.takes_focus(*row)));
        state.focused = None;
        state.is_toggled = false;
        let mut step = None;
        let focus = ui.memory(|memory| memory.focused());
        let is_new_focus = state.focus != focus;
        let is_tree_key =
            ui.input(|i| i.key_pressed(Key::ArrowLeft) || i.key_pressed(Key::ArrowRight));
        let mut revealed_x = Rangef::point(origin.left());
        state.focus = focus;
        let builder = UiBuilder::new()
            .max_rect(list.rect(ui, origin, &visible))
            .accessibility_role(Role::ListBox)
            .accessibility_label(list.name);
        let output = ui.scope_builder(builder, |ui| {
            // In the order of the list, which is the order of Tab.
            for index in rows_before.chain(visible).chain(rows_after) {
                let rect = list.rect(ui, origin, &(index..index + 1));
                let mut slot = RowSlot {
                    ui,
                    index,
                    rect,
                    shape: *list.shape,
                    count,
                    id: id.with(index),
                    is_tab_stop: list.takes_focus(index)
                        && (count <= TAB_ROWS || tab_stop == Some(index)),
                    is_toggled: false,
                    is_inner: list.levels.is_some_and(|levels| levels(index) > 0),
                    relatives: if is_tree_key && focus == Some(id.with(index)) {
                        (list.parent(index), list.first_child(index))
                    } else {
                        (None, None)
                    },
                    tree_step: None,
                    shown: None,
                };
                row_ui(&mut slot);
                step = step.or(slot.tree_step);
                let row_response = slot.shown.take();
                // Not by `read_response`: at a click, it takes the focus away.
                let find =
                    |focus| ui.ctx().viewport(|view| view.this_pass.widgets.get(focus).copied());
                let is_inside = |control: &WidgetRect| {
                    let is_shown = control.layer_id == ui.layer_id();
                    is_shown && rect.contains(control.rect.center())
                };
                if let Some(control) = focus.and_then(find).filter(is_inside) {
                    state.focused = Some(index);
                    // Only once, or the user could not scroll away from the focused row.
                    if is_new_focus {
                        revealed_row = Some(index);
                        if control.id != id.with(index) {
                            revealed_x = control.rect.x_range();
                        }
                    }
                }
                let Some((response, tip)) = row_response else { continue };
                tips(ui, response, tip);
            }
            if let Some(at) = revealed_row {
                let rect = list.rect(ui, origin, &(at..at + 1));
                ui.scroll_to_rect(Rect::from_x_y_ranges(revealed_x, rect.y_range()), None);
            }
        });
        match step {
            Some(TreeStep::Toggle) => state.is_toggled = true,
            Some(TreeStep::Move(to)) => {
                ui.memory_mut(|memory| memory.request_focus(id.with(to)));
                state.focused = Some(to);
            }
            None => {}
        }
        // For screen readers, the list is what is visible of it.
        let visible_rect = list.rect(ui, origin, &(0..count)).intersect(ui.clip_rect());
        ui.ctx().accesskit_node_builder(output.response.id, |node| {
            node.set_bounds(Bounds {
                x0: visible_rect.min.x.into(),
                y0: visible_rect.min.y.into(),
                x1: visible_rect.max.x.into(),
                y1: visible_rect.max.y.into(),
            });
        });
        ui.data_mut(|data| data.insert_temp(id, state));
    }

    /// Moves the focus if a row has it and one of the list's keys is pressed; returns the row that has it then.
    fn focused_after_keys(&self, ui: &Ui, id: Id, state: &ListState, page: f32) -> Option<usize> {
        let at = state.focused.filter(|at| ui.memory(|memory| memory.has_focus(id.with(*at))))?;
        let last = self.count.checked_sub(1)?;
        // A list lower than one row must move all the same.
        let page = ((page / self.shape.height) as usize).max(1);
        let keys = [
            (Key::ArrowDown, at + 1),
            (Key::ArrowUp, at.saturating_sub(1)),
            (Key::PageDown, at + page),
            (Key::PageUp, at.saturating_sub(page)),
            (Key::Home, 0),
            (Key::End, last),
        ];
        let is_pressed = |(key, _): &(Key, usize)| {
            ui.input_mut(|input| input.consume_key(Modifiers::NONE, *key))
        };
        let (_, to) = keys.into_iter().find(is_pressed)?;
        let to = to.min(last);
        let takes_focus = |row: &usize| self.takes_focus(*row);
        let (mut rows_up, mut rows_down) = ((0..=to).rev(), to..=last);
        let to = if to < at {
            // Past the first row that takes the focus there may be only headings: then it stays at the nearest.
            rows_up.find(takes_focus).or_else(|| rows_down.find(takes_focus))
        } else {
            rows_down.find(takes_focus).or_else(|| rows_up.find(takes_focus))
        }?;
        ui.memory_mut(|memory| {
            memory.request_focus(id.with(to));
            // egui has read the same arrow key at the start of the frame and would move the focus once more.
            memory.move_focus(FocusDirection::None);
        });
        Some(to)
    }

    fn takes_focus(&self, row: usize) -> bool {
        self.without_focus.is_none_or(|skips| !skips(row))
    }

    /// Returns the row that contains another one.
    fn parent(&self, row: usize) -> Option<usize> {
        let levels = self.levels?;
        let level = levels(row);
        let contains = |at: &usize| levels(*at) < level && self.takes_focus(*at);
        // Without the condition, all rows above one that none contains would be looked at.
        let rows_above = if level > 0 { 0..row } else { 0..0 };
        rows_above.into_iter().rfind(contains)
    }

    /// Returns the first row in another one.
    fn first_child(&self, row: usize) -> Option<usize> {
        let levels = self.levels?;
        let level = levels(row);
        let mut inner_rows = (row + 1..self.count).take_while(|at| levels(*at) > level);
        inner_rows.find(|at| self.takes_focus(*at))
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
        // At the end of the list, the further row is taken before the first.
        let overhang = end.saturating_sub(self.count);
        start.saturating_sub(overhang)..end - overhang
    }
}
