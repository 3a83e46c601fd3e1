//! Paints the form of a new tape, with a preview.

use egui::{Id, Ui};

use super::tapes_data::{format_millis, format_seconds, one_line};
use calls::tape::prepared_tape::PreparedTape;
use calls::tape::timing::{TapePace, format_duration};
use document::text::{counted, thousands};
use protocol::{NewTapeResult, NewTapeSource};
use widgets::dialog::{DialogHead, close_button, dialog};
use widgets::theme::{self, Tone, tokens};
use widgets::{
    Button, FormField, Line, List, Row, RowShape, StyledText, TextField, form_row, icons,
};
use workbench::{Action, Actions, Chunking, NewTapeAction, NewTapeForm, TapesAction, TapesDesk};

/// Height of the chunk list in the preview.
const PREVIEW_HEIGHT: f32 = 176.0;

const CHUNK_ROW: RowShape =
    RowShape { height: 20.0, lines: &[10.0], margins: (0.0, 0.0), ..RowShape::ONE_LINE };

/// Draws the form over the desk. User input becomes an [`Action`].
pub fn new_tape_ui(ui: &mut Ui, desk: &TapesDesk, actions: &mut Actions) {
    let Some(form) = desk.new_tape_form() else { return };
    // A copy, since the form belongs to the desk and changes only by an action.
    let mut new_form = form.clone();
    let result = desk.new_tape();
    let detail = "From a saved Anthropic, OpenAI or Gemini response, a text or a recording.";
    let head = DialogHead { icon: icons::CASSETTE_TAPE, title: "New tape", detail };
    let body = |ui: &mut Ui, actions: &mut Actions| {
        ui.spacing_mut().item_spacing.y = theme::GAP;
        origin_ui(ui, form, result, actions);
        match result {
            Some(Ok(result)) => {
                timing_ui(ui, result);
                fields_ui(ui, &mut new_form, Some(result));
                preview_ui(ui, &result.prepared);
            }
            Some(Err(reason)) => {
                widgets::banner(ui, Tone::Error, icons::OCTAGON_X, &format!("{reason}."), "");
                fields_ui(ui, &mut new_form, None);
            }
            None => {}
        }
        ui.add_space(theme::GAP);
    };
    // Apart, because body and footer both borrow what they edit.
    let mut file = form.file.clone();
    dialog(ui, "new tape dialog", head, actions, body, |ui, actions| {
        foot_ui(ui, desk, &mut file, actions);
    });
    new_form.file = file;
    if new_form != *form {
        // Typed text is applied before the button that was clicked.
        actions.insert(0, make_tape_action(NewTapeAction::Edit(new_form)));
    }
}

fn make_tape_action(action: NewTapeAction) -> Action {
    Action::from(TapesAction::NewTape(action))
}

/// Draws the source of the tape.
fn origin_ui(
    ui: &mut Ui,
    form: &NewTapeForm,
    result: Option<&Result<std::sync::Arc<NewTapeResult>, String>>,
    actions: &mut Actions,
) {
    form_row(ui, "Source", |ui| {
        let name = match &form.origin {
            None => "Drop a file here, paste a text, or choose a file.".to_owned(),
            Some(NewTapeSource::Text(text)) => {
                format!("pasted text, {}", counted(text.len(), "byte", "bytes"))
            }
            Some(NewTapeSource::Path(path)) => path.file_name().map_or_else(String::new, |name| {
                document::text::visible(&name.to_string_lossy()).into_owned()
            }),
            Some(NewTapeSource::Answer(_)) => form.label.clone(),
        };
        let words = match result {
            Some(Ok(result)) => format!("{name}: {}", result.origin),
            _ => name,
        };
        let response = ui.add(Button::secondary("Choose a file…").icon(icons::FILE));
        widgets::on_click(&response, make_tape_action(NewTapeAction::Choose), actions);
        let color = tokens(ui).text_strong;
        StyledText::new().with(&words, theme::regular(theme::BODY), color).show(ui);
    });
}

/// Draws whether the timing is recorded or estimated, and other remarks.
fn timing_ui(ui: &mut Ui, result: &NewTapeResult) {
    let (tone, icon, heading) = if !result.is_estimated {
        (Tone::Good, icons::CIRCLE_CHECK, "Recorded timing")
    } else {
        (Tone::Warning, icons::CLOCK_ALERT, "Estimated timing")
    };
    let notes: Vec<String> = result.notes.iter().map(|note| format!("{note}.")).collect();
    widgets::banner(ui, tone, icon, heading, &notes.join(" "));
}

fn fields_ui(ui: &mut Ui, form: &mut NewTapeForm, result: Option<&std::sync::Arc<NewTapeResult>>) {
    let result = result.map(|result| &**result);
    let id = |name: &str| Id::unique(("new tape", name));
    let name = "Name of the tape";
    FormField::data("Name", &mut form.label).name(name).width(260.0).show(ui, id(name));
    let name = "Model of the tape";
    // Edited only if the source does not name one.
    let model = match result.and_then(|result| result.model.as_deref()) {
        Some(model) => FormField::fixed("Model", model).mono(),
        None => FormField::data("Model", &mut form.model).name(name).width(260.0).hint("unknown"),
    };
    model.show(ui, id(name));
    // A recorded stream has its own pieces, which must not be cut again.
    if !result.is_some_and(|result| result.has_pieces) {
        form_row(ui, "Split into", |ui| {
            let choices = [
                (Chunking::Sentences, "Sentences"),
                (Chunking::Tokens, "Token-like"),
                (Chunking::Fixed, "Fixed size"),
            ];
            form.chunking = widgets::choice(ui, &choices, form.chunking).unwrap_or(form.chunking);
            if form.chunking == Chunking::Fixed {
                field(ui, "Characters per chunk", &mut form.size, 64.0, "");
                widgets::muted(ui, "characters each");
            }
        });
    }
    // Recorded times are not overwritten by an estimate.
    if result.is_none_or(|result| result.is_estimated) {
        form_row(ui, "Timing", |ui| {
            field(ui, "Milliseconds to the first chunk", &mut form.first, 72.0, "");
            widgets::muted(ui, "ms to the first chunk, then");
            field(ui, "Characters per second", &mut form.rate, 72.0, "");
            widgets::muted(ui, "characters per second");
        });
    }
}

fn field(ui: &mut Ui, name: &str, text: &mut String, width: f32, hint: &str) {
    let field = TextField::new(Id::unique(("new tape", name)), name, text).hint(hint);
    field.mono().show(ui, width, |_| {}, |_| {});
}

/// Draws a preview of the tape: statistics and chunks.
fn preview_ui(ui: &mut Ui, tape: &PreparedTape) {
    let (stats, colors) = (tape.stats(), tokens(ui));
    let first = stats
        .first_nanos
        .map_or_else(String::new, |nanos| format!(", the first after {}", format_duration(nanos)));
    let totals = format!(
        "{}, {}, {} s{first}",
        counted(stats.chunks, "chunk", "chunks"),
        counted(stats.chars, "character", "characters"),
        format_seconds(stats.total_nanos),
    );
    form_row(ui, "Preview", |ui| widgets::subtitle(ui, &totals));
    let frame = egui::Frame::new()
        .fill(colors.input)
        .corner_radius(theme::RADIUS_CONTROL)
        .inner_margin(egui::Margin::symmetric(12, 6));
    frame.show(ui, |ui| {
        let chunks = tape.chunks();
        List::new("Chunks of the new tape", &CHUNK_ROW, chunks.len())
            .max_height(PREVIEW_HEIGHT)
            .show(ui, |slot| {
                let (index, chunk) = (slot.index, &chunks[slot.index]);
                let words = format!(
                    "{:>6}  {:>9} ms  {:>9} s  {}",
                    thousands(index + 1),
                    format_millis(chunk.delay_nanos),
                    format_seconds(tape.schedule(TapePace::Recorded).arrival_nanos(index)),
                    one_line(&chunk.text)
                );
                let line = Line::new(&words, theme::mono(theme::LABEL), colors.text);
                slot.show(Row::new(words).line(line));
            });
    });
}

/// Draws the file name and the buttons.
fn foot_ui(ui: &mut Ui, desk: &TapesDesk, file: &mut String, actions: &mut Actions) {
    let reason = match (desk.new_tape_form().map(NewTapeForm::path), desk.new_tape()) {
        // In the order in which the user can solve them.
        (_, None) => Some("choose a source first"),
        (_, Some(Err(_))) => Some("there is no tape to save"),
        (Some(Err(reason)), _) => Some(reason),
        _ => None,
    };
    widgets::muted(ui, "Save as");
    field(ui, "File of the tape", file, 260.0, "tape.json");
    if let Some(fault) = desk.new_tape_fault() {
        let color = tokens(ui).error;
        let words = format!("{fault}.");
        let fault_text = StyledText::new().with(&words, theme::regular(theme::ROW), color);
        fault_text.show(ui).on_hover_text(&words);
    }
    widgets::at_right(ui, |ui| {
        let response = ui.add(Button::primary("Save tape").disabled(reason));
        widgets::on_click(&response, make_tape_action(NewTapeAction::Save), actions);
        close_button(ui, "Cancel", actions);
    });
}
