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

    /// Handles the request of a command. `selection` is the selection in the text.
    pub(super) fn handle_request(
        &mut self,
        ui: &Ui,
        request: FindRequest,
        text: &str,
        selection: &Range<usize>,
    ) -> Option<FindAction> {
        ui.ctx().request_repaint();
        let (bar, field) = match request {
            FindRequest::Go(step) if !self.query.text.is_empty() => {
                if self.bar == FindBar::Closed {
                    self.bar = FindBar::Find;
                }
                self.search(text);
                return self.go_to(selection, step);
            }
            // Finding does not hide the field for the replacement.
            FindRequest::Find | FindRequest::Go(_) => (self.bar.max(FindBar::Find), query_field()),
            FindRequest::Replace => (FindBar::Replace, query_field()),
        };
        self.bar = bar;
        // Each character of the query searches from here again, not from the match of the shorter query.
        self.start = selection.start;
        let words = text.get(selection.clone()).unwrap_or_default();
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
    fn go_to(&self, selection: &Range<usize>, step: StepDirection) -> Option<FindAction> {
        let matches = self.matches();
        let target = match step {
            StepDirection::Next => {
                let index = matches.partition_point(|range| range.start < selection.end);
                let index = match matches.get(index) {
                    // Without a selection, a match at the caret is the next one; with a selection, the match after it
                    // is.
                    Some(range) if range == selection => index + 1,
                    _ => index,
                };
                matches.get(index).or_else(|| matches.first())
            }
            StepDirection::Previous => {
                let previous = matches
                    .partition_point(|range| range.start < selection.start)
                    .checked_sub(1)
                    .and_then(|at| matches.get(at));
                previous.or_else(|| matches.last())
            }
        };
        target.cloned().map(FindAction::Select)
    }

    /// Replaces the selected match and selects the next one.
    fn replace(&self, selection: &Range<usize>) -> Option<FindAction> {
        let matches = self.matches();
        // A match is selected first and replaced by the next press, so that nothing unseen is replaced.
        let Some(at) = matches.iter().position(|range| range == selection) else {
            return self.go_to(selection, StepDirection::Next);
        };
        let edit = TextEdit { range: selection.clone(), new: self.replacement.clone() };
        let next = matches
            .get(at + 1)
            .or_else(|| matches.first())
            // With a single match, the next one would be the place that was just replaced.
            .filter(|next| *next != selection)
            .map(|next| edit.map_offset(next.start)..edit.map_offset(next.end));
        let caret = edit.map_offset(selection.end);
        Some(FindAction::Change(vec![(edit.range, edit.new)], next.or(Some(caret..caret))))
    }

    fn replace_all(&self) -> Option<FindAction> {
        let places = self.matches().iter().cloned();
        let changes: Vec<Splice> = places.map(|range| (range, self.replacement.clone())).collect();
        (!changes.is_empty()).then_some(FindAction::Change(changes, None))
    }

    /// Returns `3 of 17`, or the number of matches if none is selected.
    fn count_label(&self, selection: &Range<usize>) -> String {
        let matches = self.matches();
        match matches.binary_search_by_key(&selection.start, |range| range.start) {
            _ if self.query.text.is_empty() => String::new(),
            _ if matches.is_empty() => "none".to_owned(),
            Ok(at) if matches.get(at) == Some(selection) => {
                format!("{} of {}", at + 1, matches.len())
            }
            _ => matches.len().to_string(),
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
    selection: &Range<usize>,
) -> Option<FindAction> {
    if find.bar == FindBar::Closed {
        return None;
    }
    // Before the fields are drawn, because they would consume Enter and Esc.
    let mut press = pressed_key(ui, find.bar);
    find.search(text);
    let old_query = find.query.clone();
    let tokens = tokens(ui);
    let frame = Frame::new().fill(tokens.panel).inner_margin(Margin::symmetric(10, 6));
    let bar = frame.show(ui, |ui| {
        ui.spacing_mut().item_spacing = vec2(4.0, 6.0);
        press = query_ui(ui, find, selection).or(press);
        if find.bar == FindBar::Replace {
            press = replacement_ui(ui, find).or(press);
        }
    });
    hold_keys(ui, find.bar);
    let (rect, stroke) = (bar.response.rect, Stroke::new(1.0, tokens.hair));
    ui.painter().hline(rect.x_range(), rect.bottom() - 0.5, stroke);
    if press.is_some() || find.query != old_query {
        // The effect is painted in the next frame.
        ui.ctx().request_repaint();
    }
    // The fields above may have changed the query.
    find.search(text);
    match press {
        Some(FindButton::Go(step)) => find.go_to(selection, step),
        Some(FindButton::Replace) => find.replace(selection),
        Some(FindButton::ReplaceAll) => find.replace_all(),
        Some(FindButton::Close) => {
            find.bar = FindBar::Closed;
            Some(FindAction::Close)
        }
        None if find.query != old_query => {
            let from = find.start.min(text.len());
            find.go_to(&(from..from), StepDirection::Next)
        }
        None => {
            // While a query is typed, the start must not follow the selected match.
            if !ui.memory(|memory| memory.has_focus(query_field())) {
                find.start = selection.start;
            }
            None
        }
    }
}

/// Returns the pressed key of the bar while one of its fields has the focus.
fn pressed_key(ui: &Ui, bar: FindBar) -> Option<FindButton> {
    let focus = ui.memory(|memory| memory.focused())?;
    let in_query = focus == query_field();
    if !in_query && focus != replacement_field() {
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
const BUTTONS_WIDTH: f32 = 4.0 * (theme::CONTROL + 4.0);

fn query_ui(ui: &mut Ui, find: &mut FindState, selection: &Range<usize>) -> Option<FindButton> {
    let count = find.count_label(selection);
    ui.horizontal(|ui| {
        let state = match count.as_str() {
            "none" => FieldState::Invalid,
            _ => FieldState::Valid,
        };
        let width = ui.available_width() - BUTTONS_WIDTH;
        let query = &mut find.query;
        let field = TextField::search(query_field(), "Find", &mut query.text)
            .mono()
            .hint("Find")
            .state(state);
        let (case, extent) = (&mut query.case, &mut query.extent);
        let toggles_ui = |ui: &mut Ui| {
            ui.spacing_mut().item_spacing.x = 2.0;
            let extents = [MatchExtent::Anywhere, MatchExtent::Words];
            toggle(ui, icons::WHOLE_WORD, "Whole words", extent, extents);
            let cases = [LetterCase::Ignored, LetterCase::Matched];
            toggle(ui, icons::CASE_SENSITIVE, "Match case", case, cases);
            let count = theme::text(&count, theme::regular(theme::LABEL), tokens(ui).muted);
            ui.add(egui::Label::new(count).selectable(false));
        };
        field.show(ui, width, |_| {}, toggles_ui);
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
        let width = ui.available_width() - BUTTONS_WIDTH;
        let field =
            TextField::new(replacement_field(), "Replace with", &mut find.replacement).mono();
        field.hint("Replace with").show(ui, width, |_| {}, |_| {});
        let half = BUTTONS_WIDTH / 2.0 - 4.0;
        let one_button = Button::secondary("One").width(half);
        if button_ui(ui, one_button.tooltip("Replace this match and go to the next")) {
            press = Some(FindButton::Replace);
        }
        let keys = vec!["Alt".to_owned(), "Enter".to_owned()];
        let all_button = Button::secondary("All").width(half).keys(keys);
        if button_ui(ui, all_button.tooltip("Replace every match")) {
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
fn toggle<T: Copy + PartialEq>(ui: &mut Ui, icon: &str, name: &str, value: &mut T, pair: [T; 2]) {
    let is_on = *value == pair[1];
    if button_ui(ui, Button::icon_only(icon, name).width(24.0).on(is_on)) {
        *value = if is_on { pair[0] } else { pair[1] };
    }
}

fn select_all(ui: &Ui, field: Id, text: &str) {
    let mut state = egui::text_edit::TextEditState::load(ui.ctx(), field).unwrap_or_default();
    state.cursor.set_char_range(Some(egui::text::CCursorRange::select_all_str(text)));
    state.store(ui.ctx(), field);
}
