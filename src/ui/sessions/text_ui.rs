//! Paints the text of the session's file, which can be edited like the form.

use egui::{Align, Layout, Sense, Ui, pos2};

use super::form_state::{FormState, SessionProps};
use document::text::visible;
use widgets::code::CodeFocus;
use widgets::editor::{EditorRequest, EditorState, editor_ui};
use widgets::theme::{self, tokens};
use widgets::{StyledText, fields, icons};
use workbench::{Action, Command, FindRequest};

/// State of the text that is kept between frames.
#[derive(Default)]
pub(super) struct SessionTextState {
    editor: EditorState,
    /// The place that was last shown.
    shown: Option<document::text::Span>,
}

/// Draws the header of the text with the file name.
pub(super) fn text_head_ui(ui: &mut Ui, state: &mut FormState<'_>) {
    let props = state.props;
    let colors = tokens(ui);
    let path =
        props.data.item.as_deref().map_or("", |item| props.library.shown_path(&item.root_path));
    let path = visible(path);
    widgets::strip(ui, theme::DESK_HEADER, |ui| {
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            for (icon, command) in
                [(icons::GIT_COMPARE, Command::ShowUnsaved), (icons::SEARCH, Command::Find)]
            {
                widgets::command_icon(ui, icon, command, Ok(()), state.actions);
            }
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                StyledText::new()
                    .with(icons::FILE_TEXT, theme::icon(theme::ICON), colors.muted)
                    .after(theme::GAP, &path, theme::mono(theme::LABEL), colors.text_strong)
                    .show(ui);
            });
        });
    });
}

/// Draws the text and highlights the place of the form's cursor in it.
pub(super) fn text_ui(
    ui: &mut Ui,
    find: Option<FindRequest>,
    text: &mut SessionTextState,
    state: &mut FormState<'_>,
) {
    let props = state.props;
    let Some(data) = props.data.text.as_ref() else { return };
    // While the user types here, the highlight moves with the text, and not the other way round.
    if !ui.memory(|memory| memory.has_focus(fields::text())) {
        let spot = props.desk.cursor;
        text.shown = spot.and_then(|spot| props.data.span(spot));
    }
    let focus = CodeFocus { span: text.shown, ..CodeFocus::default() };
    let foot_height = 30.0;
    let room = ui.available_rect_before_wrap();
    let (body, foot) = room.split_top_bottom_at_y(room.bottom() - foot_height);
    let (doc, base) = (data.doc, data.revision);
    widgets::place(ui, body, |ui| {
        let requests = editor_ui(ui, data, focus, find, &mut text.editor);
        state.actions.extend(requests.into_iter().map(|request| match request {
            EditorRequest::Type(edit) => Action::TypeText { doc, base, edit },
            EditorRequest::Step(edit, name) => Action::EditText { doc, base, edit, name },
            EditorRequest::EndTyping => Action::EndTyping,
        }));
    });
    // The parts were placed by hand, so the layout has to know that the room is used.
    ui.allocate_rect(room, Sense::hover());
    foot_ui(ui, foot, props, text);
}

/// Draws the status of the file and the position of the cursor.
fn foot_ui(ui: &Ui, rect: egui::Rect, props: SessionProps<'_>, text: &SessionTextState) {
    let Some(data) = props.data.text.as_ref() else { return };
    let tokens = tokens(ui);
    ui.painter().rect_filled(rect, 0.0, tokens.panel);
    widgets::line_above(ui, rect);
    let facts = &data.code.facts;
    let place = text.shown.map(|span| data.source.place(span.start as usize));
    let position = match (text.editor.hint(ui.ctx()), place) {
        // A hint concerns what was just typed; the position returns after it.
        (Some(hint), _) => hint.to_owned(),
        (None, Some(place)) => format!("Line {}, column {}", place.line, place.column),
        (None, None) => String::new(),
    };
    let font = theme::regular(theme::LABEL);
    let middle = rect.center().y;
    let position = widgets::line(ui, &position, font.clone(), tokens.muted, rect.width());
    let right = pos2(rect.right() - theme::PADDING, middle);
    let room = rect.width() - 2.0 * theme::PADDING - position.size().x - theme::GAP;
    let words = format!("{}   {}", facts.syntax, facts.encoding);
    let words = widgets::line(ui, &words, font, tokens.muted, room);
    widgets::paint_line(ui.painter(), pos2(rect.left() + theme::PADDING, middle), words);
    widgets::paint_line_right(ui.painter(), right, position);
}
