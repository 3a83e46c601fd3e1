//! Paints the list of tapes, each with a thumbnail over which its text is typed.

use std::time::Duration;

use egui::{
    Align, Color32, Frame, Layout, Margin, Panel, Rect, RichText, Role, Sense, Stroke, Ui,
    WidgetInfo, pos2, vec2,
};

use super::data::{format_seconds, summary};
use super::tapes_ui::SHORTEST_FRAME;
use crate::ops::tape::preview::TapePreview;
use crate::text::{thousands, visible};
use crate::ui::icons;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{self, Button, Line, List, Row, RowShape, StyledText};
use crate::workbench::{Action, Command, DocId, Library, TapesAction, TapesDesk};

/// The name, the facts, and below them the thumbnail.
const ROWS: RowShape = RowShape { height: 83.0, lines: &[20.0, 37.0], ..RowShape::TWO_LINES };

/// How long the pointer rests on a row before its text is typed, in seconds, so that passing over the list moves nothing.
const HOVER_SECONDS: f64 = 0.2;
/// The most characters of a text that is shown at once.
const MAX_SHOWN: usize = 200;

/// State of the list that is kept between frames.
#[derive(Debug, Default)]
pub(super) struct TapeListState {
    typed: Option<TypedRow>,
}

/// The row whose text is typed.
#[derive(Clone, Copy, Debug, PartialEq)]
struct TypedRow {
    doc: DocId,
    /// Whether the pointer is on the row; else the row has the focus.
    is_pointed: bool,
    /// When it begins, in seconds of the window's time.
    since: f64,
}

/// Draws the list. A click shows a tape. The row under the pointer types its text in recorded time, again and again; the
/// focused one once.
pub(super) fn list_ui(
    ui: &mut Ui,
    (desk, library): (&TapesDesk, &Library),
    is_reduced: bool,
    state: &mut TapeListState,
    actions: &mut Vec<Action>,
) {
    let colors = tokens(ui);
    head_ui(ui, desk, actions);
    widgets::hair_line(ui);
    hint_ui(ui);
    let now = ui.input(|input| input.time);
    let mut typed: Option<TypedRow> = None;
    let mut unseen = Vec::new();
    let tapes = &desk.tapes;
    List::new("List of tapes", &ROWS, tapes.len())
        .selection(desk.selected, |doc| tapes.iter().position(|it| *it == doc))
        .show(ui, |slot| {
            let doc = tapes[slot.index];
            let Some(item) = library.get(doc) else {
                return;
            };
            if desk.needs_thumbnail(doc, item) {
                unseen.push(doc);
            }
            let name = visible(item.label());
            let facts = summary(item.duration_nanos, item.chunks);
            let is_selected = desk.selected == Some(doc);
            let row = Row::new(format!("{name}, {facts}"))
                .selected(is_selected)
                .line(Line::document(&name, library.copy(doc), colors))
                .line(Line::new(&facts, theme::regular(theme::ROW), colors.muted));
            let response = slot.show(row);
            if response.clicked() {
                actions.push(Action::from(TapesAction::Select(doc)));
            }
            let is_pointed = response.hovered();
            if is_pointed || response.has_focus() && typed.is_none() {
                let wait = if is_pointed { HOVER_SECONDS } else { 0.0 };
                typed = Some(TypedRow { doc, is_pointed, since: now + wait });
            }
            let mut picture = slot.rect.shrink2(vec2(theme::PADDING, 10.0));
            picture.min.y = slot.rect.top() + 50.0;
            let color = if is_selected { colors.accent } else { colors.strong };
            let Some(thumbnail) = desk.thumbnail(doc) else {
                return miniature(slot.ui, picture, &[], color);
            };
            let row = state.typed.filter(|row| row.doc == doc);
            let steps = row.and_then(|row| steps_of(slot.ui, row, &thumbnail.preview, is_reduced));
            let Some(steps) = steps else {
                return miniature(slot.ui, picture, &thumbnail.columns, color);
            };
            miniature(slot.ui, picture, &thumbnail.columns, color.gamma_multiply(0.3));
            let preview = &*thumbnail.preview;
            let ground = match (is_selected, is_pointed) {
                (true, _) => colors.selected,
                (false, true) => colors.hover,
                (false, false) => colors.panel,
            };
            let typed = (preview, steps);
            typed_ui(slot.ui, picture, &name, typed, ground, is_reduced);
        });
    let is_same = |a: TypedRow, b: TypedRow| (a.doc, a.is_pointed) == (b.doc, b.is_pointed);
    let is_kept = state.typed.zip(typed).is_some_and(|(a, b)| is_same(a, b));
    if !is_kept && state.typed != typed {
        state.typed = typed;
        ui.ctx().request_repaint();
    }
    if !unseen.is_empty() {
        actions.push(Action::from(TapesAction::MakeThumbnails(unseen)));
    }
}

/// Draws the title and the button of a new tape.
fn head_ui(ui: &mut Ui, desk: &TapesDesk, actions: &mut Vec<Action>) {
    let colors = tokens(ui);
    widgets::strip(ui, theme::DESK_HEADER, |ui| {
        let count = thousands(desk.tapes.len());
        let title = theme::semibold(theme::TITLE);
        StyledText::new()
            .with("Tapes", title, colors.text_strong)
            .after(theme::GAP, &count, theme::regular(theme::BODY), colors.muted)
            .show(ui);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let button = Button::icon_only(icons::PLUS, Command::NewTape.name());
            if ui.add(button.command(Command::NewTape, Ok(()))).clicked() {
                actions.push(Action::Run(Command::NewTape));
            }
        });
    });
}

/// Returns how many steps of a preview have arrived; `None` if it is not shown now. With reduced motion, all at once.
/// Requests a frame when this changes.
fn steps_of(ui: &Ui, row: TypedRow, preview: &TapePreview, is_reduced: bool) -> Option<usize> {
    let seconds = ui.input(|input| input.time) - row.since;
    let repaint_in = |seconds: f64| {
        ui.ctx()
            .request_repaint_after(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX));
    };
    if preview.is_empty() {
        return None;
    }
    if seconds < 0.0 {
        repaint_in(-seconds);
        return None;
    }
    if is_reduced {
        return Some(preview.len());
    }
    let moment = preview.moment(seconds);
    if moment.rounds > 0 && !row.is_pointed {
        return None;
    }
    repaint_in(moment.seconds_to_next.max(SHORTEST_FRAME));
    Some(moment.steps)
}

/// Draws the text that has arrived over the picture of a tape, and the playhead; with reduced motion the beginning of the text.
fn typed_ui(
    ui: &Ui,
    rect: Rect,
    name: &str,
    (preview, steps): (&TapePreview, usize),
    ground_color: Color32,
    is_reduced: bool,
) {
    let colors = tokens(ui);
    let font = theme::mono(theme::LABEL);
    let letter = ui.fonts_mut(|fonts| fonts.glyph_width(&font, 'm'));
    let (text, label) = if is_reduced {
        let text = visible(preview.beginning(MAX_SHOWN));
        let label = format!("Text of {name}: {text}");
        (text, label)
    } else {
        let columns = (rect.width() / letter.max(1.0)) as usize;
        let text = visible(preview.line(steps, columns));
        let at = format_seconds(preview.nanos(steps));
        let label = format!("Text of {name} at {at} s: {text}");
        (text, label)
    };
    if !is_reduced {
        let x = rect.left() + 1.0 + preview.share(steps) * (rect.width() - 2.0);
        let stroke = Stroke::new(1.5, colors.text_strong);
        ui.painter().vline(x, rect.y_range(), stroke);
    }
    // The text is readable over the thumbnail and the playhead, of which nothing sticks out above or below it.
    let line = widgets::line(ui, text.trim_end(), font, colors.text_strong, rect.width());
    let ground = Rect::from_min_max(
        rect.min - vec2(3.0, 0.0),
        pos2(rect.left() + line.size().x + 3.0, rect.bottom() - 1.0),
    );
    ui.painter().rect_filled(ground, 2.0, ground_color);
    widgets::paint_line(ui.painter(), rect.left_center(), line);
    let response = ui.interact(rect, ui.scope_id().with("typed text"), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &label));
}

/// Draws the hint about saved responses at the bottom of the list.
fn hint_ui(ui: &mut Ui) {
    let frame = Frame::new().inner_margin(Margin::symmetric(theme::PADDING as i8, 16));
    Panel::bottom("tapes hint").resizable(false).frame(frame).show(ui, |ui| {
        let words = RichText::new("Drop a saved SSE response here to create a tape.");
        let color = tokens(ui).muted;
        ui.label(words.font(theme::regular(theme::ROW)).color(color));
    });
}

/// Draws the columns of a thumbnail.
fn miniature(ui: &Ui, rect: Rect, columns: &[f32], color: Color32) {
    let line = Stroke::new(1.0, tokens(ui).line);
    let painter = ui.painter();
    painter.hline(rect.x_range(), rect.bottom() - 0.5, line);
    let pitch = (rect.width() - 2.0) / columns.len().max(1) as f32;
    for (index, share) in columns.iter().enumerate().filter(|(_, share)| **share > 0.0) {
        let left = (rect.left() + index as f32 * pitch).round();
        let height = (share * rect.height()).max(2.0).round();
        let bar = Rect::from_min_size(pos2(left, rect.bottom() - height), vec2(2.0, height));
        painter.rect_filled(bar, 0.0, color);
    }
}
