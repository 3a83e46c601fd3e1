//! The find and replace bar.

use std::ops::Range;

use egui::{EventFilter, Frame, Id, Key, Margin, Modifiers, Stroke, Ui, vec2};

use super::normalized::Splice;
use super::search::{FindQuery, LetterCase, MatchExtent};
use crate::theme::{self, tokens};
use crate::{Button, FieldState, TextField, fields, icons};
use document::text::TextEdit;
use workbench::{FindRequest, StepDirection};

/// The query and its matches.
#[derive(Debug, Default)]
pub(super) struct FindState {
    pub(super) bar: FindBar,
    query: FindQuery,
    replacement: String,
    /// Matches of the last search.
    matches: Vec<Range<usize>>,
    /// Query of the last search; `None` if the text has changed since.
    searched: Option<FindQuery>,
    /// Byte of the text at which the search began.
    start: usize,
}

/// Visible parts of the bar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FindBar {
    #[default]
    Closed,
    Find,
    Replace,
}

/// Requests of the bar to the text.
#[derive(Debug, PartialEq)]
pub(super) enum FindAction {
    Select(Range<usize>),
    /// Apply these changes, then select this range.
    Change(Vec<Splice>, Option<Range<usize>>),
    /// Move the focus back to the text.
    Close,
}

fn query_field() -> Id {
    Id::unique("find in the text")
}

fn replacement_field() -> Id {
    Id::unique("replace in the text by")
}

impl FindState {
    /// Clears the matches because the text changed.
    pub(super) fn clear_matches(&mut self) {
        self.searched = None;
    }

    /// Returns the matches; none while the bar is closed.
    pub(super) fn matches(&self) -> &[Range<usize>] {
        match self.bar {
            FindBar::Closed => &[],
            FindBar::Find | FindBar::Replace => &self.matches,
        }
    }

    fn search(&mut self, text: &str) {
        if self.searched.as_ref() != Some(&self.query) {
            self.matches = self.query.matches(text);
            self.searched = Some(self.query.clone());
        }
    }

    /// Handles the request of a command. `selected` is the selection in the text.
    pub(super) fn handle_request(
        &mut self,
        ui: &Ui,
        request: FindRequest,
        text: &str,
        selected: &Range<usize>,
    ) -> Option<FindAction> {
        ui.ctx().request_repaint();
        let (bar, field) = match request {
            FindRequest::Go(step) if !self.query.text.is_empty() => {
                if self.bar == FindBar::Closed {
                    self.bar = FindBar::Find;
                }
                self.search(text);
                return self.go_to(selected, step);
            }
            // Finding does not hide the field for the replacement.
            FindRequest::Find | FindRequest::Go(_) => (self.bar.max(FindBar::Find), query_field()),
            FindRequest::Replace => (FindBar::Replace, query_field()),
        };
        self.bar = bar;
        // Each character of the query searches from here again, not from the match of the shorter query.
        self.start = selected.start;
        let words = text.get(selected.clone()).unwrap_or_default();
        // The field has only one line.
        if !words.is_empty() && !words.contains('\n') {
            self.query.text = words.to_owned();
        }
        // Typing then replaces the previous query.
        select_all(ui, field, &self.query.text);
        ui.memory_mut(|memory| memory.request_focus(field));
        None
    }

    /// Returns the match after or before the selection, wrapping around at the end.
    fn go_to(&self, selected: &Range<usize>, step: StepDirection) -> Option<FindAction> {
        let found = self.matches();
        let found = match step {
            StepDirection::Next => {
                let after = found.partition_point(|range| range.start < selected.end);
                let after = match found.get(after) {
                    // Without a selection, a match at the caret is the next one; with a selection, the match after it
                    // is.
                    Some(range) if range == selected => after + 1,
                    _ => after,
                };
                found.get(after).or_else(|| found.first())
            }
            StepDirection::Previous => {
                let before = found
                    .partition_point(|range| range.start < selected.start)
                    .checked_sub(1)
                    .and_then(|at| found.get(at));
                before.or_else(|| found.last())
            }
        };
        found.cloned().map(FindAction::Select)
    }

    /// Replaces the selected match and selects the next one.
    fn replace(&self, selected: &Range<usize>) -> Option<FindAction> {
        let found = self.matches();
        // A match is selected first and replaced by the next press, so that nothing unseen is replaced.
        let Some(at) = found.iter().position(|range| range == selected) else {
            return self.go_to(selected, StepDirection::Next);
        };
        let edit = TextEdit { range: selected.clone(), new: self.replacement.clone() };
        let next = found
            .get(at + 1)
            .or_else(|| found.first())
            // With a single match, the next one would be the place that was just replaced.
            .filter(|next| *next != selected)
            .map(|next| edit.map_offset(next.start)..edit.map_offset(next.end));
        let after = edit.map_offset(selected.end);
        Some(FindAction::Change(vec![(edit.range, edit.new)], next.or(Some(after..after))))
    }

    fn replace_all(&self) -> Option<FindAction> {
        let places = self.matches().iter().cloned();
        let changes: Vec<Splice> = places.map(|range| (range, self.replacement.clone())).collect();
        (!changes.is_empty()).then_some(FindAction::Change(changes, None))
    }

    /// Returns `3 of 17`, or the number of matches if none is selected.
    fn count_label(&self, selected: &Range<usize>) -> String {
        let found = self.matches();
        match found.binary_search_by_key(&selected.start, |range| range.start) {
            _ if self.query.text.is_empty() => String::new(),
            _ if found.is_empty() => "none".to_owned(),
            Ok(at) if found.get(at) == Some(selected) => format!("{} of {}", at + 1, found.len()),
            _ => found.len().to_string(),
        }
    }
}

/// Actions that the keyboard or a button of the bar triggered in this frame.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FindButton {
    Go(StepDirection),
    Replace,
    ReplaceAll,
    Close,
}

/// Paints the bar if it is open, and returns what it requests from the text.
pub(super) fn find_ui(
    ui: &mut Ui,
    find: &mut FindState,
    text: &str,
    selected: &Range<usize>,
) -> Option<FindAction> {
    if find.bar == FindBar::Closed {
        return None;
    }
    // Before the fields are drawn, because they would consume Enter and Esc.
    let mut press = pressed_key(ui, find.bar);
    find.search(text);
    let before = find.query.clone();
    let tokens = tokens(ui);
    let frame = Frame::new().fill(tokens.panel).inner_margin(Margin::symmetric(10, 6));
    let bar = frame.show(ui, |ui| {
        ui.spacing_mut().item_spacing = vec2(4.0, 6.0);
        press = query_ui(ui, find, selected).or(press);
        if find.bar == FindBar::Replace {
            press = replacement_ui(ui, find).or(press);
        }
    });
    hold_keys(ui, find.bar);
    let (rect, stroke) = (bar.response.rect, Stroke::new(1.0, tokens.hair));
    ui.painter().hline(rect.x_range(), rect.bottom() - 0.5, stroke);
    if press.is_some() || find.query != before {
        // The effect is painted in the next frame.
        ui.ctx().request_repaint();
    }
    // The fields above may have changed the query.
    find.search(text);
    match press {
        Some(FindButton::Go(step)) => find.go_to(selected, step),
        Some(FindButton::Replace) => find.replace(selected),
        Some(FindButton::ReplaceAll) => find.replace_all(),
        Some(FindButton::Close) => {
            find.bar = FindBar::Closed;
            Some(FindAction::Close)
        }
        None if find.query != before => {
            let from = find.start.min(text.len());
            find.go_to(&(from..from), StepDirection::Next)
        }
        None => {
            // While a query is typed, the start must not follow the selected match.
            if !ui.memory(|memory| memory.has_focus(query_field())) {
                find.start = selected.start;
            }
            None
        }
    }
}

/// Returns the pressed key of the bar while one of its fields has the focus.
fn pressed_key(ui: &Ui, bar: FindBar) -> Option<FindButton> {
    let focused = ui.memory(|memory| memory.focused())?;
    let in_query = focused == query_field();
    if !in_query && focused != replacement_field() {
        return None;
    }
    if in_query && bar == FindBar::Replace {
        // Tab moves to the field that is typed in next, not to the buttons between the fields.
        let is_back = ui.input_mut(|input| input.consume_key(Modifiers::SHIFT, Key::Tab));
        if is_back || ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Tab)) {
            let field = if is_back { fields::text() } else { replacement_field() };
            ui.memory_mut(|memory| memory.request_focus(field));
            return None;
        }
    }
    ui.input_mut(|input| {
        let mut take = |modifiers, key| input.consume_key(modifiers, key);
        // egui ignores additional Shift and Alt, so the most specific keys come first.
        if take(Modifiers::ALT, Key::Enter) {
            Some(FindButton::ReplaceAll)
        } else if take(Modifiers::SHIFT, Key::Enter) {
            Some(FindButton::Go(StepDirection::Previous))
        } else if in_query && take(Modifiers::NONE, Key::Enter) {
            Some(FindButton::Go(StepDirection::Next))
        } else if take(Modifiers::NONE, Key::Enter) {
            Some(FindButton::Replace)
        } else if take(Modifiers::NONE, Key::Escape) {
            Some(FindButton::Close)
        } else {
            None
        }
    })
}

/// Reserves Esc for closing the bar, as egui would only take the focus away, and Tab for going from field to field.
fn hold_keys(ui: &Ui, bar: FindBar) {
    for field in [query_field(), replacement_field()] {
        let filter = EventFilter {
            horizontal_arrows: true,
            vertical_arrows: true,
            escape: true,
            tab: field == query_field() && bar == FindBar::Replace,
        };
        ui.memory_mut(|memory| memory.set_focus_lock_filter(field, filter));
    }
}

/// Width of the four buttons.
const BUTTONS: f32 = 4.0 * (theme::CONTROL + 4.0);

fn query_ui(ui: &mut Ui, find: &mut FindState, selected: &Range<usize>) -> Option<FindButton> {
    let count = find.count_label(selected);
    ui.horizontal(|ui| {
        let state = match count.as_str() {
            "none" => FieldState::Invalid,
            _ => FieldState::Valid,
        };
        let width = ui.available_width() - BUTTONS;
        let query = &mut find.query;
        let field = TextField::search(query_field(), "Find", &mut query.text)
            .mono()
            .hint("Find")
            .state(state);
        let (case, extent) = (&mut query.case, &mut query.extent);
        let after = |ui: &mut Ui| {
            ui.spacing_mut().item_spacing.x = 2.0;
            let extents = [MatchExtent::Anywhere, MatchExtent::Words];
            toggle(ui, icons::WHOLE_WORD, "Whole words", extent, extents);
            let cases = [LetterCase::Ignored, LetterCase::Matched];
            toggle(ui, icons::CASE_SENSITIVE, "Match case", case, cases);
            let count = theme::text(&count, theme::regular(theme::LABEL), tokens(ui).muted);
            ui.add(egui::Label::new(count).selectable(false));
        };
        field.show(ui, width, |_| {}, after);
        buttons_ui(ui, find)
    })
    .inner
}

fn buttons_ui(ui: &mut Ui, find: &mut FindState) -> Option<FindButton> {
    let mut press = None;
    if button_ui(ui, Button::icon_only(icons::ARROW_UP, "Previous match")) {
        press = Some(FindButton::Go(StepDirection::Previous));
    }
    if button_ui(ui, Button::icon_only(icons::ARROW_DOWN, "Next match")) {
        press = Some(FindButton::Go(StepDirection::Next));
    }
    let replaces = find.bar == FindBar::Replace;
    if button_ui(ui, Button::icon_only(icons::REPLACE, "Replace").on(replaces)) {
        find.bar = if replaces { FindBar::Find } else { FindBar::Replace };
    }
    if button_ui(ui, Button::icon_only(icons::X, "Close the search").keys(vec!["Esc".to_owned()])) {
        press = Some(FindButton::Close);
    }
    press
}

fn replacement_ui(ui: &mut Ui, find: &mut FindState) -> Option<FindButton> {
    let mut press = None;
    ui.horizontal(|ui| {
        let width = ui.available_width() - BUTTONS;
        let field =
            TextField::new(replacement_field(), "Replace with", &mut find.replacement).mono();
        field.hint("Replace with").show(ui, width, |_| {}, |_| {});
        let half = BUTTONS / 2.0 - 4.0;
        let one = Button::secondary("One").width(half);
        if button_ui(ui, one.tooltip("Replace this match and go to the next")) {
            press = Some(FindButton::Replace);
        }
        let keys = vec!["Alt".to_owned(), "Enter".to_owned()];
        let all = Button::secondary("All").width(half).keys(keys);
        if button_ui(ui, all.tooltip("Replace every match")) {
            press = Some(FindButton::ReplaceAll);
        }
    });
    press
}

/// Draws a button of the bar, on which letters are no commands: they are meant for the field beside it.
fn button_ui(ui: &mut Ui, button: Button<'_>) -> bool {
    let response = ui.add(button);
    fields::mark_typed(ui.ctx(), response.id);
    response.clicked()
}

/// Draws a button that toggles between two values and shows whether the second is set.
fn toggle<T: Copy + PartialEq>(ui: &mut Ui, icon: &str, name: &str, value: &mut T, of: [T; 2]) {
    let is_on = *value == of[1];
    if button_ui(ui, Button::icon_only(icon, name).width(24.0).on(is_on)) {
        *value = if is_on { of[0] } else { of[1] };
    }
}

fn select_all(ui: &Ui, field: Id, text: &str) {
    let mut state = egui::text_edit::TextEditState::load(ui.ctx(), field).unwrap_or_default();
    state.cursor.set_char_range(Some(egui::text::CCursorRange::select_all_str(text)));
    state.store(ui.ctx(), field);
}
