//! Paints source text: the visible lines and no others, however long the file and its lines are.

use egui::text::{LayoutJob, TextFormat};
use egui::text_selection::LabelSelectionState;
use egui::{Color32, Pos2, Rect, Sense, Stroke, StrokeKind, Ui, UiBuilder, pos2, vec2};

use super::code_data::{CodeData, CodeLine, WINDOW_BYTES};
use super::colours::SyntaxPiece;
use super::margin::{self, GUTTER_WIDTH, MarginLayout, gutter_ui, message_rows, message_ui};
use crate::theme::{self, TEXT_LINE, Tokens, tokens};
use document::Severity;
use document::text::Span;

/// State of the text view between frames: the scroll offset, and the visible part of a long line.
#[derive(Clone, Debug, Default)]
pub struct CodeState {
    /// The place that was last scrolled to.
    shown: Option<(usize, Span)>,
    /// The long line of which not the beginning is shown, and the byte its window begins at.
    window: Option<(usize, usize)>,
    /// The widest line seen so far, in points.
    widest: f32,
}

/// The place to highlight in the text.
#[derive(Clone, Copy, Debug, Default)]
pub struct CodeFocus<'a> {
    /// The place to show.
    pub span: Option<Span>,
    /// The message below its line.
    pub message: Option<&'a str>,
    /// The severity, which decides the colour.
    pub severity: Option<Severity>,
}

/// Paints the text. Scrolls to the focus whenever that changed: its line is then a third from the top, even near the end
/// of a text that is higher than the view.
pub fn code_ui(ui: &mut Ui, data: &CodeData, focus: CodeFocus<'_>, state: &mut CodeState) {
    let lines = data.source().line_count();
    let focus_line = focus.span.map(|span| data.source().line_at(span.start as usize));
    let width = ui.available_width();
    let message_rows = match (focus.message, focus_line) {
        (Some(message), Some(_)) => {
            message_rows(ui, message, width - GUTTER_WIDTH - theme::PADDING)
        }
        _ => 0,
    };
    let view_height = ui.available_height();
    let third_height = (view_height / 3.0 - TEXT_LINE).max(0.0);
    let offset = focus_line.map_or(0.0, |line| (line as f32 * TEXT_LINE - third_height).max(0.0));
    let text_height = (lines + message_rows) as f32 * TEXT_LINE + 8.0;
    // A text that fits is not scrolled; in a longer one even the last line can be a third from the top.
    let height =
        if text_height > view_height { text_height.max(offset + view_height) } else { text_height };
    let mut area = egui::ScrollArea::both().auto_shrink(false);
    // The address distinguishes two files that have the focus at the same place; comparing texts would cost time in each frame.
    let identity = data.source().text().as_ptr() as usize;
    if let (Some(span), Some(line)) = (focus.span, focus_line)
        && state.shown != Some((identity, span))
    {
        state.shown = Some((identity, span));
        state.window = data.window_for(span.start as usize).map(|from| (line, from));
        area = area.vertical_scroll_offset(offset);
        // The window of a long line begins shortly before the focus, which is therefore near the left edge.
        area = area.horizontal_scroll_offset(0.0);
    }
    ui.spacing_mut().item_spacing = vec2(0.0, 0.0);
    area.show_viewport(ui, |ui, viewport| {
        let rows = lines + message_rows;
        ui.set_height(height);
        // Only lines that were on screen are measured: laying out all lines of a long file would block the window.
        ui.set_width(width.max(GUTTER_WIDTH + state.widest + theme::PADDING));
        let origin = ui.min_rect().min + vec2(0.0, 4.0);
        // Far down in a long file, single precision is too coarse for offsets from the top: rows are placed relative to
        // the first visible row.
        let top_of = |row: usize, first: usize| {
            let row_offset = viewport.min.y - first as f32 * TEXT_LINE;
            origin.y + viewport.min.y - row_offset + (row as f32 - first as f32) * TEXT_LINE
        };
        let first = (viewport.min.y / TEXT_LINE).floor().max(0.0) as usize;
        let last = ((viewport.max.y / TEXT_LINE).ceil() as usize + 1).min(rows);
        let mut place = MarginLayout {
            tokens: tokens(ui),
            left: origin.x + viewport.min.x,
            text_left: origin.x + GUTTER_WIDTH,
            width,
            clip: ui.clip_rect(),
        };
        for row in first..last {
            let top = top_of(row, first);
            let (line, extra) = match focus_line {
                Some(focus_line) if row > focus_line + message_rows => (row - message_rows, None),
                Some(focus_line) if row > focus_line => (focus_line, Some(row - focus_line - 1)),
                _ => (row, None),
            };
            match (extra, focus.message) {
                (Some(0), Some(message)) => {
                    let height = message_rows as f32 * TEXT_LINE;
                    message_ui(ui, &place, top, height, message, focus.severity);
                }
                // The first row of a message paints all of it.
                (Some(_), _) => {}
                (None, _) => {
                    let focus = Some(focus).filter(|_| focus_line == Some(line));
                    line_ui(ui, &mut place, top, data, line, focus, state);
                }
            }
        }
        // A message that begins above the first visible row is painted as far as it is visible.
        if let (Some(message), Some(focus_line)) = (focus.message, focus_line)
            && first > focus_line + 1
            && first <= focus_line + message_rows
        {
            let top = top_of(focus_line + 1, first);
            message_ui(ui, &place, top, message_rows as f32 * TEXT_LINE, message, focus.severity);
        }
    });
}

fn line_ui(
    ui: &mut Ui,
    place: &mut MarginLayout,
    top: f32,
    data: &CodeData,
    line: usize,
    focus: Option<CodeFocus<'_>>,
    state: &mut CodeState,
) {
    let tokens = place.tokens;
    // The line of the focus has the colour of the focus, whatever other problems the line has.
    let mut marks = data.marks_in(line);
    let mut of_focus = Vec::new();
    if let Some(severity) = focus.and_then(|focus| focus.severity) {
        let equal_marks = marks.iter().filter(|mark| mark.severity == severity);
        of_focus.extend(equal_marks.take(margin::MAX_MESSAGE_ROWS).cloned());
        marks = &of_focus;
    }
    let focus = focus.and_then(|focus| focus.span);
    let band = Rect::from_min_size(pos2(place.left, top), vec2(place.width, TEXT_LINE));
    if let Some(color) = margin::band_color(tokens, marks, focus) {
        ui.painter().rect_filled(band, 0.0, color);
    }

    let code_line =
        data.line(line, state.window.filter(|(of, _)| *of == line).map(|(_, from)| from));
    let job = job(data, &code_line, tokens);
    let galley = ui.fonts_mut(|fonts| fonts.layout_job(job));
    let mut left = place.text_left;
    if let Some(amount) = &code_line.before {
        let label = format!("… {amount}");
        if let Some(width) = step_ui(ui, pos2(left, top), &label, ("before", line)) {
            left += width + 8.0;
        } else {
            state.window =
                Some((line, (code_line.span.start as usize).saturating_sub(WINDOW_BYTES)));
        }
    }
    let text_top = top + ((TEXT_LINE - galley.size().y) / 2.0).round();
    let text_pos = pos2(left, text_top);
    // An empty line can be hit, too, so that a selection may begin there.
    let rect = Rect::from_min_size(pos2(left, top), vec2(galley.size().x.max(8.0), TEXT_LINE));
    let shown = code_line.span.range();
    let tinted = data.tinted.iter().filter(|span| {
        let span = span.range();
        span.start < shown.end && shown.start < span.end
    });
    for span in tinted {
        let place = span_rect(&galley, text_pos, top, &code_line, *span);
        ui.painter().rect_filled(place, 2.0, tokens.tint);
    }
    if let Some(span) = focus {
        let place = span_rect(&galley, text_pos, top, &code_line, span);
        let stroke = (1.0, margin::frame_color(tokens, marks));
        ui.painter().rect_stroke(place, 2.0, stroke, StrokeKind::Middle);
    }
    // Text that is scrolled sideways must not appear behind the line numbers.
    let text_clip = place.clip.with_min_x(place.left + GUTTER_WIDTH - 4.0);
    ui.scope_builder(UiBuilder::new().max_rect(rect), |ui| {
        ui.set_clip_rect(text_clip.intersect(place.clip));
        let response =
            ui.interact(rect, ui.scope_id().with(("line", line)), Sense::click_and_drag());
        crate::describe(&response, egui::Role::Label, &code_line.text);
        // egui's own selection joins the labels that a drag touches, so that several lines can be copied at once.
        LabelSelectionState::label_text_selection(
            ui,
            &response,
            text_pos,
            galley.clone(),
            tokens.text,
            Stroke::NONE,
        );
    });
    left += galley.size().x;
    if let Some(amount) = &code_line.after {
        let label = format!("… {amount}");
        let next = code_line.span.end as usize;
        match step_ui(ui, pos2(left + 8.0, top), &label, ("after", line)) {
            Some(width) => left += width + 8.0,
            None => state.window = Some((line, next)),
        }
    }
    state.widest = state.widest.max(left - place.text_left);
    gutter_ui(ui, place, band, line, marks);
}

/// Returns the place of the characters of a span, as narrow as a stroke if the span is empty.
fn span_rect(galley: &egui::Galley, at: Pos2, top: f32, code_line: &CodeLine, span: Span) -> Rect {
    let range = code_line.shown_range(span);
    let x = |byte: usize| {
        // egui counts characters, spans count bytes.
        let chars = code_line.text.get(..byte).map_or(0, |text| text.chars().count());
        galley.pos_from_cursor(egui::text::CCursor::new(chars)).left()
    };
    margin::frame(at.x + x(range.start), at.x + x(range.end), top)
}

/// Paints a link in the text. Returns its width, or `None` if it was clicked.
fn step_ui(ui: &mut Ui, at: Pos2, label: &str, id: (&str, usize)) -> Option<f32> {
    let tokens = tokens(ui);
    let galley =
        ui.painter().layout_no_wrap(label.to_owned(), theme::regular(theme::LABEL), tokens.accent);
    let rect = Rect::from_min_size(at, vec2(galley.size().x, TEXT_LINE));
    let response = ui.interact(rect, ui.scope_id().with(id), Sense::click());
    crate::describe(&response, egui::Role::Button, label);
    ui.painter().galley(pos2(at.x, at.y + 2.0), galley, tokens.accent);
    let response = response.on_hover_cursor(egui::CursorIcon::PointingHand);
    (!response.clicked()).then_some(rect.width())
}

fn job(data: &CodeData, code_line: &CodeLine, tokens: &Tokens) -> LayoutJob {
    let font = theme::mono(theme::ROW);
    let mut job = LayoutJob { break_on_newline: false, ..LayoutJob::default() };
    job.wrap.max_width = f32::INFINITY;
    let mut at = 0;
    for (range, piece) in data.pieces(code_line) {
        let color = piece_color(piece, tokens);
        let (gap_text, text) =
            (code_line.text.get(at..range.start), code_line.text.get(range.clone()));
        let (Some(gap_text), Some(text)) = (gap_text, text) else { continue };
        job.append(gap_text, 0.0, TextFormat::simple(font.clone(), tokens.text));
        job.append(text, 0.0, TextFormat::simple(font.clone(), color));
        at = range.end;
    }
    let rest = code_line.text.get(at..).unwrap_or_default();
    // egui gives a job without sections no height, and an empty line needs that of its font.
    if !rest.is_empty() || job.is_empty() {
        job.append(rest, 0.0, TextFormat::simple(font, tokens.text));
    }
    job
}

/// Returns the colour of a piece of text.
pub fn piece_color(piece: SyntaxPiece, tokens: &Tokens) -> Color32 {
    match piece {
        SyntaxPiece::Key => tokens.key,
        SyntaxPiece::Text => tokens.string,
        SyntaxPiece::Literal => tokens.number,
        SyntaxPiece::Comment => tokens.comment,
    }
}
