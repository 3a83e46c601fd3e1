//! Paints the editor: the find bar, egui's text field, and everything beside and behind the text.

use egui::text_edit::TextEditOutput;
use egui::{
    Align2, EventFilter, Frame, Galley, Margin, Rect, ScrollArea, Ui, UiBuilder, Vec2, pos2, vec2,
};

use super::editor_data::{EditorData, EditorText, ReadOnlyReason};
use super::find_ui::{FindAction, find_ui};
use super::normalized::Splice;
use super::paint::{self, BackgroundShapes, Painted, text_clip};
use super::state::{self, EditorState, TabKey};
use super::text_layout::{Gap, TextLayout};
use super::{buffer, keys};
use crate::code::margin::{self, GUTTER_WIDTH, MarginLayout};
use crate::code::{CodeFocus, code_ui};
use crate::icons;
use crate::theme::{self, TEXT_LINE, Tone, tokens};
use document::text::TextEdit;
use protocol::{DocId, Revision};
use workbench::{Action, FindRequest};

/// Requests of the editor to the owner of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EditorRequest {
    /// Apply this edit, which is part of continuous typing.
    Type(TextEdit),
    /// Apply this edit as one undo step with this name.
    Step(TextEdit, String),
    /// End the current undo step of typing.
    EndTyping,
}

impl EditorRequest {
    /// Returns the action that makes the edit in a document, of whose text this is the revision.
    pub fn action(self, doc: DocId, base: Revision) -> Action {
        match self {
            Self::Type(edit) => Action::EditText { doc, base, edit, name: None },
            Self::Step(edit, name) => Action::EditText { doc, base, edit, name: Some(name) },
            Self::EndTyping => Action::EndTyping,
        }
    }
}

/// Paints the text of a file for editing and returns the user's edits: at most one per frame.
///
/// `focus` is the place to show, `find` the request of a command to the find bar.
pub fn editor_ui(
    ui: &mut Ui,
    data: &EditorData,
    focus: CodeFocus<'_>,
    find: Option<FindRequest>,
    state: &mut EditorState,
) -> Vec<EditorRequest> {
    let text = match &data.text {
        Ok(text) => text,
        Err(reason) => {
            ui.spacing_mut().item_spacing = vec2(0.0, 0.0);
            read_only_ui(ui, *reason);
            code_ui(ui, &data.code, focus, &mut state.code);
            return Vec::new();
        }
    };
    state.sync(ui.ctx(), data, text);
    state.highlight(data, text, focus);
    let selection = state.selection(ui.ctx()).unwrap_or_default();
    // The find bar takes the focus, and with it the field forgets its selection.
    if find.is_some() {
        state.selected = Some(selection.clone());
    }
    let normalized_text = &text.normalized.text;
    let requested_action = find
        .and_then(|request| state.find.handle_request(ui, request, normalized_text, &selection));
    let act = find_ui(ui, &mut state.find, normalized_text, &selection).or(requested_action);
    let changes = act.map_or_else(Vec::new, |act| apply_find_action(ui, act, state));
    let mut requests = Vec::new();
    if let Some(edit) = text.normalized.edit(&data.source, &changes) {
        requests.push(EditorRequest::Step(edit, format!("Replace text in {}", data.name)));
        // The replacement is an undo step of its own, which ends the step of typing.
        state.typing = false;
    }
    text_ui(ui, data, text, state, &mut requests);
    requests
}

/// Shows why a text is read-only.
fn read_only_ui(ui: &mut Ui, reason: ReadOnlyReason) {
    let tokens = tokens(ui);
    let frame =
        Frame::new().fill(tokens.tint_of(Tone::Note)).inner_margin(Margin::symmetric(16, 6));
    frame.show(ui, |ui| {
        ui.set_min_width(ui.available_width());
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = theme::GAP;
            ui.label(theme::text(icons::INFO, theme::icon(theme::ICON), tokens.note));
            ui.label(theme::text(reason.message(), theme::regular(theme::ROW), tokens.text));
        });
    });
}

/// Executes an action of the find bar; returns the changes of the text.
fn apply_find_action(ui: &Ui, act: FindAction, state: &mut EditorState) -> Vec<Splice> {
    match act {
        FindAction::Select(range) => {
            state.selected = Some(range.clone());
            state.reveal = Some(range);
        }
        FindAction::Change(changes, then) => {
            state.next_selection = then;
            return changes;
        }
        FindAction::Close => ui.memory_mut(|memory| memory.request_focus(state::field_id())),
    }
    Vec::new()
}

fn text_ui(
    ui: &mut Ui,
    data: &EditorData,
    text: &EditorText,
    state: &mut EditorState,
    requests: &mut Vec<EditorRequest>,
) {
    let gap = message_gap(ui, state);
    // Taken out of the state, because the field borrows the state mutably while it uses the layout.
    let mut layout = match state.layout.take() {
        Some(layout) => layout,
        None => TextLayout::new(ui, &state.buffer.text, &text.colours, gap),
    };
    layout.update(ui, &state.buffer.text, &text.colours, gap);
    let area = scroll_area(ui, state, &layout.whole).id_salt(("text of a file", data.doc));
    let width = ui.available_width();
    state.page = (ui.available_height() / TEXT_LINE) as usize;
    ui.spacing_mut().item_spacing = vec2(0.0, 0.0);
    area.show_viewport(ui, |ui, viewport| {
        layout.draw(ui, viewport.min.y, viewport.max.y);
        let (place, rect) = place_text(ui, viewport, width, layout.whole.size());
        let background = BackgroundShapes::new(ui, &place);
        state.give_selection(ui.ctx());
        let line_shifts = keys::handle_keys(ui, state, &text.indent, &layout.whole);
        let output = field_ui(ui, data, text_clip(&place), rect, state, &mut layout);
        // Indented lines are not in the buffer yet: they reach it as an edit by the owner of the text.
        let changes = if line_shifts.is_empty() { handle_typing(text, state) } else { line_shifts };
        report_edit(ui, text.normalized.edit(&data.source, &changes), &output, state, requests);
        let painting = painted_text(ui, state, &output);
        paint::lines_ui(ui, &place, data, state, &painting, background);
        paint::message_ui(ui, &place, state, &painting, gap);
        follow_caret(ui, state, &painting, &output);
    });
    state.layout = Some(layout);
}

/// Returns the scroll area of the text. It scrolls to the place to show if that is new.
fn scroll_area(ui: &Ui, state: &mut EditorState, galley: &Galley) -> ScrollArea {
    let area = ScrollArea::both().auto_shrink(false);
    let Some(highlighted) =
        state.highlighted_place.as_mut().filter(|highlighted| !highlighted.seen)
    else {
        return area;
    };
    highlighted.seen = true;
    let caret = buffer::caret_at(&state.buffer.text, highlighted.range.start);
    let place = galley.pos_from_cursor(caret);
    let third_height = (ui.available_height() / 3.0 - TEXT_LINE).max(0.0);
    let offset = place.left() - ui.available_width() / 2.0;
    area.vertical_scroll_offset((place.top() - third_height).max(0.0))
        .horizontal_scroll_offset(offset.max(0.0))
}

/// Allocates a text of this size; returns the positions of the margin and of the text.
fn place_text(ui: &mut Ui, viewport: Rect, width: f32, text: Vec2) -> (MarginLayout, Rect) {
    ui.set_height(text.y + 8.0);
    ui.set_width(width.max(GUTTER_WIDTH + text.x + theme::PADDING));
    let origin = ui.min_rect().min + vec2(0.0, 4.0);
    let place = MarginLayout {
        tokens: tokens(ui),
        left: origin.x + viewport.min.x,
        text_left: origin.x + GUTTER_WIDTH,
        width,
        clip: ui.clip_rect(),
    };
    let margin = vec2(theme::PADDING, 0.0);
    // At least the visible area, so that a click below or beside the text places the caret.
    let size = text.max(viewport.size() - vec2(GUTTER_WIDTH, 8.0) - margin) + margin;
    let rect = Rect::from_min_size(pos2(place.text_left, origin.y), size);
    (place, rect)
}

/// Returns the space for the message of the place that is shown.
fn message_gap(ui: &Ui, state: &EditorState) -> Option<Gap> {
    let width = ui.available_width();
    let highlighted = state.highlighted_place.as_ref()?;
    let message = highlighted.message.as_deref()?;
    let rows = margin::message_rows(ui, message, width - GUTTER_WIDTH - theme::PADDING);
    let text_before = state.buffer.text.get(..highlighted.range.start)?;
    Some(Gap {
        // Lines do not wrap, so the number of line ends is that of the rows.
        line: memchr::memchr_iter(b'\n', text_before.as_bytes()).count(),
        height: rows as f32 * TEXT_LINE,
    })
}

fn field_ui(
    ui: &mut Ui,
    data: &EditorData,
    clip: Rect,
    rect: Rect,
    state: &mut EditorState,
    layout: &mut TextLayout,
) -> TextEditOutput {
    state::forget_undo(ui.ctx());
    let filter = EventFilter {
        tab: state.tab == TabKey::Indents,
        // egui would remove the focus on Esc, which here closes the find bar or makes Tab leave the text.
        escape: true,
        horizontal_arrows: true,
        vertical_arrows: true,
    };
    // Lines do not wrap, so the offered width is unused.
    let mut layouter =
        |ui: &Ui, text: &dyn egui::TextBuffer, _: f32| layout.galley(ui, text.as_str());
    let name = format!("Text of {}", data.name);
    let scope = ui.scope_builder(UiBuilder::new().max_rect(rect), |ui| {
        ui.set_clip_rect(clip);
        egui::TextEdit::multiline(&mut state.buffer)
            .id(state::field_id())
            .frame(Frame::NONE)
            .margin(Margin::ZERO)
            .align(Align2::LEFT_TOP)
            .desired_width(rect.width())
            .min_size(rect.size())
            .cursor_at_end(false)
            .event_filter(filter)
            .layouter(&mut layouter)
            .show(ui)
    });
    let mut output = scope.inner;
    // The click moved the caret; a selection that still waits for the focus would move it back.
    if output.response.response.is_pointer_button_down_on() {
        state.selected = None;
    }
    output.response.response = output.response.response.accessible_name(name);
    output
}

/// Returns the changes that were typed into the field in this frame.
fn handle_typing(text: &EditorText, state: &mut EditorState) -> Vec<Splice> {
    let Some(edit) = TextEdit::between(&text.normalized.text, &state.buffer.text) else {
        return Vec::new();
    };
    state.move_highlighted_place(&edit);
    vec![(edit.range, edit.new)]
}

/// Reports what was typed, and the end of typing when the caret moved elsewhere.
fn report_edit(
    ui: &Ui,
    edit: Option<TextEdit>,
    output: &TextEditOutput,
    state: &mut EditorState,
    requests: &mut Vec<EditorRequest>,
) {
    let cursor = output.state.cursor.char_range();
    state.caret_moved = std::mem::replace(&mut state.caret, cursor) != cursor;
    match edit {
        // One edit for each frame: a second one would refer to a text that the first has changed.
        Some(edit) if requests.is_empty() => {
            state.find.clear_matches();
            state.typing = true;
            requests.push(EditorRequest::Type(edit));
        }
        Some(_) => {}
        None if state.typing
            && (state.caret_moved || !ui.memory(|memory| memory.has_focus(state::field_id()))) =>
        {
            state.typing = false;
            requests.push(EditorRequest::EndTyping);
        }
        None => {}
    }
}

fn painted_text<'a>(ui: &Ui, state: &'a EditorState, output: &'a TextEditOutput) -> Painted<'a> {
    let cursor = output.state.cursor.range(&output.galley);
    let caret = cursor.filter(|_| ui.memory(|memory| memory.has_focus(state::field_id())));
    let text = state.buffer.text.as_str();
    Painted {
        text,
        galley: &output.galley,
        at: output.galley_pos,
        selected: state.selection(ui.ctx()),
        caret: caret.map(|cursor| output.galley.layout_from_cursor(cursor.primary).row),
    }
}

/// Scrolls the caret or the selected match into view, also from under the line numbers.
fn follow_caret(ui: &Ui, state: &EditorState, painting: &Painted<'_>, output: &TextEditOutput) {
    let reveal_rect = |rect: Rect| {
        let rect = rect.expand2(vec2(0.0, 4.0));
        // If the line fits up to this position, its beginning is shown.
        let start = output.galley_pos.x - GUTTER_WIDTH;
        // 24 points beyond the caret keep the next characters visible while typing.
        let left = if rect.right() + 24.0 - start < ui.clip_rect().width() {
            start
        } else {
            rect.left() - GUTTER_WIDTH - theme::GAP
        };
        ui.scroll_to_rect(rect.with_min_x(left).with_max_x(rect.right() + 24.0), None);
    };
    if let Some(range) = &state.reveal {
        reveal_rect(painting.rect(range).expand2(vec2(0.0, 2.0 * TEXT_LINE)));
    } else if let Some(cursor) = output.cursor_range.filter(|_| state.caret_moved) {
        let place = output.galley.pos_from_cursor(cursor.primary);
        reveal_rect(place.translate(output.galley_pos.to_vec2()));
    }
}
