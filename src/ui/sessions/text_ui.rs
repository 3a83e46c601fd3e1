//! Paints the text of the session's file, which can be edited like the form.

use egui::Ui;

use super::form_state::FormState;
use document::text::visible;
use widgets::code::CodeFocus;
use widgets::editor::{EditorRequest, EditorState, editor_ui};
use widgets::theme::{self, tokens};
use widgets::{StyledText, fields, icons};
use workbench::{Action, FindRequest};

/// State of the text that is kept between frames.
#[derive(Default)]
pub(super) struct SessionTextState {
    editor: EditorState,
    /// The place that was last shown.
    shown: Option<document::text::Span>,
}

/// Draws the name of the file, and a hint about what was just typed.
fn head_ui(ui: &mut Ui, editor: &EditorState, state: &FormState<'_>) {
    let props = state.props;
    let colors = tokens(ui);
    let path =
        props.data.item.as_deref().map_or("", |item| props.library.shown_path(&item.root_path));
    let hint = editor.hint(ui.ctx()).unwrap_or_default();
    widgets::strip(ui, theme::DESK_HEADER, |ui| {
        StyledText::new()
            .with(icons::FILE_TEXT, theme::icon(theme::ICON), colors.muted)
            .after(theme::GAP, &visible(path), theme::mono(theme::LABEL), colors.text_strong)
            .after(theme::GAP, hint, theme::regular(theme::LABEL), colors.muted)
            .show(ui);
    });
    widgets::hair_line(ui);
}

/// Draws the text and highlights the place of the form's cursor in it.
pub(super) fn text_ui(
    ui: &mut Ui,
    find: Option<FindRequest>,
    text: &mut SessionTextState,
    state: &mut FormState<'_>,
) {
    head_ui(ui, &text.editor, state);
    let props = state.props;
    let Some(data) = props.data.text.as_ref() else { return };
    // While the user types here, the highlight moves with the text, and not the other way round.
    if !ui.memory(|memory| memory.has_focus(fields::text())) {
        let spot = props.desk.cursor;
        text.shown = spot.and_then(|spot| props.data.span(spot));
    }
    let focus = CodeFocus { span: text.shown, ..CodeFocus::default() };
    let (doc, base) = (data.doc, data.revision);
    let requests = editor_ui(ui, data, focus, find, &mut text.editor);
    state.actions.extend(requests.into_iter().map(|request| match request {
        EditorRequest::Type(edit) => Action::TypeText { doc, base, edit },
        EditorRequest::Step(edit, name) => Action::EditText { doc, base, edit, name },
        EditorRequest::EndTyping => Action::EndTyping,
    }));
}
