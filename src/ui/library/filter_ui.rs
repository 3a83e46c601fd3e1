//! The filter: finished terms as chips, the term being typed as text, and a list of completions.

use egui::{Frame, Id, Key, Margin, Modifiers, Response, Stroke, Ui, pos2};

use super::findings::FindingRow;
use super::header_ui::more_findings_ui;
use super::library_data::LibraryData;
use check::search::{self, Completion, FilterError, FilterQuery};
use document::Severity;
use document::text::thousands;
use protocol::{Grouping, Sort};
use widgets::theme::{self, Tokens, tokens};
use widgets::{Button, FieldState, Line, List, Row, RowShape, StyledText, TextField};
use widgets::{fields, icons, keymap};
use workbench::{Action, Actions, Command};

/// State of the filter: how its text is divided into chips and the term being typed.
#[derive(Debug, Default)]
pub(super) struct FilterView {
    chips: String,
    draft: String,
    /// The selected completion, and whether the list was closed by Esc.
    chosen: Option<usize>,
    closed: bool,
    /// Whether the list was shown in the last frame.
    listed: bool,
    /// The text last reported to the workbench, and whether it was finished.
    reported: (String, bool),
    had_focus: bool,
}

/// Width of the list of completions.
const LIST_WIDTH: f32 = 440.0;

/// Width of the button *View* with the space before it.
const VIEW_WIDTH: f32 = 110.0;

const COMPLETION_ROW: RowShape = RowShape { margins: (12.0, 12.0), ..RowShape::ONE_LINE };

/// Draws the filter and the menu next to it. A change of the filter becomes [`Action::SetFilter`].
pub(super) fn filter_ui(
    ui: &mut Ui,
    data: &LibraryData<'_>,
    findings: &[FindingRow],
    is_low: bool,
    view: &mut FilterView,
    actions: &mut Actions,
) {
    view.sync(&data.list.filter);
    let rect = widgets::strip(ui, theme::DESK_HEADER, |ui| {
        // The menu is painted after the field, so its width must be known first.
        let width = ui.available_width() - VIEW_WIDTH;
        field_ui(ui, data, view, width, actions);
        widgets::view_menu(ui, |ui| view_ui(ui, data, findings, is_low, actions));
    });
    widgets::line_below(ui, rect);
    // While the list is open, it shows the valid completions, and an unfinished term is not reported as wrong.
    if let Some(fault) = data.list.query.errors().first().filter(|_| !view.listed) {
        fault_ui(ui, data, fault, actions);
    }
}

/// The menu *View*: how rows are grouped and sorted, and what they show. What has no room above a low list is in it, too.
fn view_ui(
    ui: &mut Ui,
    data: &LibraryData<'_>,
    findings: &[FindingRow],
    is_low: bool,
    actions: &mut Actions,
) {
    widgets::menu_heading(ui, "Group by");
    for &grouping in Grouping::ALL {
        let is_on = data.list.grouping == grouping;
        if widgets::menu_switch(ui, grouping.name(), "", (is_on, true)) {
            actions.push(Action::GroupBy(grouping));
        }
    }
    widgets::menu_heading(ui, "Sort by");
    for sort in Sort::CHOICES {
        if widgets::menu_switch(ui, sort.name(), "", (data.list.sort == sort, true)) {
            actions.push(Action::SortBy(sort));
        }
    }
    widgets::menu_heading(ui, "Show");
    let notes = data.library.count(Severity::Note);
    let note_count = if notes > 0 { thousands(notes) } else { String::new() };
    if widgets::menu_switch(ui, "Notes", &note_count, (data.list.shows_notes, false)) {
        actions.push(Action::ToggleNotes);
    }
    if is_low {
        for (verdict, word, count) in data.verdicts() {
            let is_on = data.list.verdict == verdict;
            if widgets::menu_switch(ui, word, &thousands(count), (is_on, true)) {
                actions.push(Action::ShowVerdict(verdict));
            }
        }
        if findings.len() > 1 {
            widgets::menu_heading(ui, "More findings");
            more_findings_ui(ui, findings, actions);
        }
    }
    widgets::hair_line(ui);
    for command in [Command::CompareSelected, Command::ShowMap] {
        widgets::menu_run(ui, command, data.enabled(command), actions);
    }
}

fn field_ui(
    ui: &mut Ui,
    data: &LibraryData<'_>,
    view: &mut FilterView,
    width: f32,
    actions: &mut Actions,
) {
    let id = fields::filter();
    let is_focused = ui.memory(|memory| memory.has_focus(id));
    // Before the field is drawn, which would use the arrows and Tab itself.
    let keys = is_focused.then(|| FilterKeys::read(ui, view, &data.list.completions));
    let (match_count, total) = data.counts();
    let count = if match_count == total {
        String::new()
    } else {
        format!("{} of {}", thousands(match_count), thousands(total))
    };
    let chips = FilterQuery::parse(&view.chips);
    let mut pressed_span = None;
    let mut removed_span = None;
    let mut is_cleared = false;
    let has_text = !view.text().is_empty();
    let old_draft = view.draft.clone();
    let state = if data.list.query.errors().is_empty() || view.listed {
        FieldState::Valid
    } else {
        FieldState::Invalid
    };
    let hint = if view.chips.is_empty() { "Filter" } else { "" };
    let response =
        TextField::search(id, "Filter", &mut view.draft).hint(hint).mono().state(state).show(
            ui,
            width,
            |ui| {
                for term in chips.terms() {
                    let minus = if term.negated { "-" } else { "" };
                    let chip =
                        widgets::chip(ui, chip_word(term.key), &format!("{minus}{}", term.value));
                    if chip.removed {
                        removed_span = Some(term.span);
                    } else if chip.response.clicked() {
                        pressed_span = Some(term.span);
                    }
                }
            },
            |ui| {
                widgets::key_caps(ui, &keymap::caps(ui, Command::FocusFilter));
                if has_text {
                    let clear = Button::icon_only(icons::X, Command::ClearFilter.name());
                    is_cleared = ui.add(clear).clicked();
                }
                if !count.is_empty() {
                    let color = tokens(ui).muted;
                    StyledText::new().with(&count, theme::regular(theme::ROW), color).show(ui);
                }
            },
        );
    if let Some(span) = removed_span.or(pressed_span) {
        let term = view.chips.get(span.range()).unwrap_or_default().to_owned();
        view.chips = chips.without(span);
        if pressed_span.is_some() {
            view.draft = term;
            response.request_focus();
        }
    }
    let typed_draft = view.draft.clone();
    if view.handle_input(&response, keys.unwrap_or_default(), &old_draft) {
        actions.push(Action::EnterList);
    }
    // The text was replaced; egui keeps the caret at its old position.
    if view.draft != typed_draft {
        fields::caret_to_end(ui, id, &view.draft);
    }
    view.report_change(&response, actions);
    if is_cleared {
        actions.push(Action::Run(Command::ClearFilter));
    }
    let is_listed = response.has_focus() && !view.closed && !data.list.completions.is_empty();
    view.listed = is_listed;
    keep_keys(ui, &response, is_listed);
    if is_listed {
        let left = response.rect.left();
        completions_ui(ui, pos2(left, response.rect.bottom() + 10.0), data, view, actions);
    }
}

/// Keeps Tab in the field while the list is open; otherwise Tab moves the focus as usual.
fn keep_keys(ui: &Ui, response: &Response, is_listed: bool) {
    if response.has_focus() {
        let filter = egui::EventFilter {
            // Tab completes a term while there are completions; Esc closes their list before it leaves the field.
            tab: is_listed,
            horizontal_arrows: true,
            vertical_arrows: true,
            escape: true,
        };
        ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, filter));
    }
}

/// The keys that the filter handles in this frame, apart from text.
#[derive(Debug, Default)]
struct FilterKeys {
    accept: Option<String>,
    finish: bool,
    edit_last_chip: bool,
    leave: bool,
    /// Whether the first row is selected if none is: the list is to be used next.
    enter_list: bool,
}

impl FilterKeys {
    fn read(ui: &Ui, view: &mut FilterView, completions: &[Completion]) -> Self {
        let mut keys = Self::default();
        let is_listed = !view.closed && !completions.is_empty();
        // After a finished term, the rows are nearer than what else can be filtered.
        let is_finished = view.draft.is_empty() && !view.chips.is_empty() && view.chosen.is_none();
        ui.input_mut(|input| {
            let mut is_pressed = |key| input.consume_key(Modifiers::NONE, key);
            if (!is_listed || is_finished) && is_pressed(Key::ArrowDown) {
                keys.leave = true;
                keys.enter_list = true;
            }
            if is_listed && is_pressed(Key::ArrowDown) {
                view.chosen = Some(view.chosen.map_or(0, |index| (index + 1) % completions.len()));
            }
            if is_listed && is_pressed(Key::ArrowUp) {
                let last = completions.len() - 1;
                view.chosen =
                    Some(view.chosen.map_or(last, |index| index.checked_sub(1).unwrap_or(last)));
            }
            if is_listed && is_pressed(Key::Tab) {
                let index = view.chosen.unwrap_or(0);
                keys.accept = completions.get(index).map(|completion| completion.insert.clone());
            }
            if is_pressed(Key::Enter) {
                // A term that is not valid is replaced by the first valid completion.
                let is_faulty = !FilterQuery::parse(&view.draft).errors().is_empty();
                let choice = view
                    .chosen
                    .or(is_faulty.then_some(0))
                    .filter(|_| is_listed)
                    .and_then(|index| completions.get(index));
                let insert = choice.map(|completion| completion.insert.clone());
                keys.accept = keys.accept.take().or(insert);
                keys.finish = true;
            }
            if is_pressed(Key::Escape) {
                // The first Esc only closes the list if a completion was chosen in it.
                keys.leave = !is_listed || view.chosen.is_none();
                view.closed = true;
            }
            keys.edit_last_chip = view.draft.is_empty() && is_pressed(Key::Backspace);
        });
        keys
    }
}

impl FilterView {
    /// Takes a text that was set elsewhere: all of it as chips.
    fn sync(&mut self, text: &str) {
        if self.text() != text {
            self.chips = text.trim_end().to_owned();
            self.draft.clear();
            self.reported = (self.chips.clone(), true);
        }
    }

    /// Returns the filter's text.
    fn text(&self) -> String {
        match (self.chips.is_empty(), self.draft.is_empty()) {
            (_, true) => self.chips.clone(),
            (true, false) => self.draft.clone(),
            (false, false) => format!("{} {}", self.chips, self.draft),
        }
    }

    /// Reports to the workbench that the text changed, that its last term is finished, or that typing begins.
    fn report_change(&mut self, response: &Response, actions: &mut Actions) {
        let is_typing = response.has_focus() && !self.draft.is_empty();
        let state = (self.text(), !is_typing);
        let is_new_visit = response.has_focus() && !self.had_focus;
        self.had_focus = response.has_focus();
        // Esc closes the list for one visit of the field.
        self.closed &= !is_new_visit;
        if self.reported != state || is_new_visit {
            let report = if is_typing { Action::TypeFilter } else { Action::SetFilter };
            actions.push(report(self.text()));
            self.reported = state;
        }
    }

    /// Applies the input of this frame. Returns whether the list is to be used next.
    fn handle_input(&mut self, response: &Response, keys: FilterKeys, old_draft: &str) -> bool {
        if self.draft != old_draft {
            self.chosen = None;
            self.closed = false;
        }
        if let Some(insert) = keys.accept {
            self.accept(&insert);
            response.request_focus();
        }
        if keys.edit_last_chip {
            let query = FilterQuery::parse(&self.chips);
            if let Some(term) = query.terms().last() {
                self.draft = self.chips.get(term.span.range()).unwrap_or_default().to_owned();
                self.chips = query.without(term.span);
            }
        }
        if keys.finish || ends_a_term(&self.draft) {
            self.finish();
        }
        // Enter after the last term goes on to the rows.
        let is_done = keys.finish && self.draft.is_empty();
        if keys.leave || is_done {
            response.surrender_focus();
        } else if keys.finish {
            response.request_focus();
        }
        keys.enter_list || is_done
    }

    fn accept(&mut self, insert: &str) {
        self.draft = insert.to_owned();
        self.chosen = None;
        // A key is not a term yet.
        if !insert.ends_with(':') {
            self.finish();
        }
    }

    /// Turns the draft into a chip if it is valid. Closes an open quote.
    fn finish(&mut self) {
        let query = FilterQuery::parse(self.draft.trim());
        if !query.text().is_empty() && query.errors().is_empty() {
            let draft = match query.unclosed() {
                Some(search::FilterError { span, suggestion: Some(closed_text), .. }) => {
                    query.replaced(*span, closed_text)
                }
                _ => query.text().to_owned(),
            };
            self.draft.clear();
            self.chips =
                if self.chips.is_empty() { draft } else { format!("{} {draft}", self.chips) };
            self.closed = false;
        }
    }
}

/// Returns whether a space outside quotes and regular expressions ends the term being typed.
fn ends_a_term(draft: &str) -> bool {
    draft.ends_with(' ') && FilterQuery::parse(draft).unclosed().is_none()
}

fn completions_ui(
    ui: &Ui,
    position: egui::Pos2,
    data: &LibraryData<'_>,
    view: &mut FilterView,
    actions: &mut Actions,
) {
    let colors = tokens(ui);
    let area = egui::Area::new(Id::unique("filter completion"))
        .order(egui::Order::Foreground)
        .fixed_pos(position);
    let frame = Frame::new()
        .fill(colors.overlay)
        .stroke(Stroke::new(1.0, colors.line))
        .corner_radius(theme::RADIUS_CARD)
        .shadow(theme::shadow(colors))
        .inner_margin(Margin::same(4));
    area.show(ui.ctx(), |ui| {
        frame.show(ui, |ui| {
            ui.set_width(LIST_WIDTH);
            ui.spacing_mut().item_spacing.y = 0.0;
            let completions = &data.list.completions;
            // The focus stays in the field.
            List::new("Completions", &COMPLETION_ROW, completions.len())
                .without_focus(&|_| true)
                .selection(view.chosen, Some)
                .show_inside(ui, |slot| {
                    let completion = &completions[slot.index];
                    let row = completion_row(completion, &view.draft, colors);
                    let is_chosen = view.chosen == Some(slot.index);
                    if slot.show(row.selected(is_chosen)).clicked() {
                        view.accept(&completion.insert);
                        actions.push(Action::SetFilter(view.text()));
                        // The click has taken the focus from the field.
                        slot.ui.memory_mut(|memory| memory.request_focus(fields::filter()));
                    }
                });
            widgets::hair_line(ui);
            ui.horizontal(|ui| {
                ui.set_height(theme::ROW_HEIGHT);
                ui.add_space(theme::GAP);
                widgets::key_hint(ui, &["↑", "↓"], "choose");
                widgets::key_hint(ui, &["Tab"], "complete");
                widgets::key_hint(ui, &["Enter"], "add the filter");
                widgets::key_hint(ui, &["Esc"], "close");
            });
        });
    });
}

fn completion_row(completion: &Completion, draft: &str, colors: &Tokens) -> Row {
    let (beginning, rest) = match completion.insert.get(..draft.len()) {
        Some(beginning) if beginning.eq_ignore_ascii_case(draft) => {
            completion.insert.split_at(draft.len())
        }
        _ => ("", completion.insert.as_str()),
    };
    let hint = theme::regular(theme::ROW);
    let words = StyledText::new()
        .with(beginning, theme::mono_bold(theme::LABEL), colors.accent)
        .with(rest, theme::mono(theme::LABEL), colors.text_strong)
        .after(theme::GAP, completion.hint, hint, colors.muted);
    let mut line = Line::from(words);
    if let Some(count) = completion.count {
        let count = thousands(count);
        line = line.right(StyledText::new().with(&count, theme::mono(theme::LABEL), colors.text));
    }
    Row::new(&*completion.insert).line(line)
}

fn fault_ui(ui: &mut Ui, data: &LibraryData<'_>, fault: &FilterError, actions: &mut Actions) {
    widgets::strip(ui, theme::FOLD, |ui| {
        let color = tokens(ui).error;
        StyledText::new()
            .with(icons::OCTAGON_X, theme::icon(theme::ICON_TAG), color)
            .after(theme::ICON_GAP, &fault.message, theme::regular(theme::ROW), color)
            .show(ui);
        if let Some(suggestion) = &fault.suggestion
            && widgets::link(ui, &format!("Use {suggestion}")).clicked()
        {
            actions.push(Action::SetFilter(data.list.query.replaced(fault.span, suggestion)));
        }
    });
}

/// Returns the muted word at the beginning of a chip.
fn chip_word(key: search::FilterKey) -> &'static str {
    match key {
        search::FilterKey::Text => "text",
        key => key.as_str(),
    }
}
