//! Paints the table of chunks, which follows the playhead.

use egui::{Align, Layout, Rect, Response, ScrollArea, Sense, Ui, pos2, vec2};

use super::cut_ui::{Draft, can_be_typed, delay_ui, text_ui, tools_ui};
use super::data::{line, millis, seconds};
use super::tapes_ui::Shows;
use crate::format::tape::Chunk;
use crate::format::{Problem, Severity};
use crate::ops::diff::counted;
use crate::ops::diff::thousands;
use crate::ops::tape::timing::{Pace, lost_nanos};
use crate::ui::icons;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{self, Chosen, Words};
use crate::workbench::{Action, DocId, TapesAction};

/// What the table keeps to itself between frames.
#[derive(Debug, Default)]
pub(super) struct ChunksState {
    /// The chunk that was last brought into sight.
    followed: Option<(DocId, Option<usize>)>,
    /// Which rows were seen last, and where.
    offset: f32,
    draft: Draft,
}

/// How many bytes of a text are looked at for what no font can show.
const MOST_NAMED: usize = 2000;
/// How wide a digit is.
const DIGIT: f32 = 7.3;
/// What stands between a number and the one before it at least.
const BETWEEN: f32 = 18.0;

/// Where the columns end, from the left edge of the table; the last is as wide as what is left.
#[derive(Clone, Copy)]
struct Columns {
    number: f32,
    delay: f32,
    at: f32,
    size: f32,
}

impl Columns {
    /// Wide enough for the largest numbers of the tape.
    fn of(shows: Shows<'_>) -> Self {
        let reel = shows.reel;
        let wide = |text: &str, least: f32| (text.len() as f32 * DIGIT + BETWEEN).max(least);
        let longest = reel.stats().gaps.map_or(0.0, |gaps| gaps.longest_nanos);
        let longest = longest.max(reel.stats().first_nanos.unwrap_or_default());
        let tallest = reel.timeline(Pace::Recorded).tallest() as usize;
        let number = wide(&thousands(reel.chunks().len()), 64.0);
        // The delay of the chunk at the playhead is in a field, and has a fraction often.
        let delay = number + wide(&millis(longest.floor()), 84.0);
        let at = delay + wide(&seconds(reel.stats().total_nanos), 84.0);
        let size = at + wide(&thousands(tallest), 56.0);
        Self {
            number,
            delay,
            at,
            size,
        }
    }
}

/// Draws the table. A press goes to a chunk.
pub(super) fn chunks_ui(
    ui: &mut Ui,
    shows: Shows<'_>,
    state: &mut ChunksState,
    actions: &mut Vec<Action>,
) {
    let colors = tokens(ui);
    let chunks = shows.reel.chunks().len();
    widgets::strip(ui, theme::TOOL_ROW, |ui| {
        let title = theme::semibold(theme::BODY);
        Words::new()
            .with("Chunks", title, colors.text_strong)
            .after(
                theme::GAP,
                &thousands(chunks),
                theme::regular(theme::ROW),
                colors.muted,
            )
            .show(ui);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            tools_ui(ui, shows, &state.draft, actions);
        });
    });
    widgets::hair_line(ui);
    let columns = Columns::of(shows);
    heading_ui(ui, columns);
    if chunks == 0 {
        return none_ui(ui, shows);
    }
    let at = shows.desk.transport().chunk();
    let mut area = ScrollArea::vertical()
        .id_salt(("chunks", shows.doc))
        .auto_shrink(false);
    let wanted = Some((shows.doc, at));
    if state.followed != wanted {
        state.followed = wanted;
        let top = at.unwrap_or_default() as f32 * theme::ROW_HEIGHT;
        let height = ui.available_height();
        let is_seen = (state.offset..=state.offset + height - theme::ROW_HEIGHT).contains(&top);
        if !is_seen {
            area = area.vertical_scroll_offset((top - height / 3.0).max(0.0));
        }
    }
    let shown = area.show_rows(ui, theme::ROW_HEIGHT, chunks, |ui, rows| {
        for chunk in rows {
            if row_ui(ui, shows, (columns, chunk), &mut state.draft, actions) {
                actions.push(Action::Tapes(TapesAction::GoTo(chunk + 1)));
            }
        }
    });
    state.offset = shown.state.clamped_offset().y;
}

/// Why there are no chunks.
fn none_ui(ui: &mut Ui, shows: Shows<'_>) {
    let problems = shows.library.get(shows.doc).map(|item| &item.problems);
    let is_error = |problem: &&Problem| problem.severity == Severity::Error;
    let first = problems.and_then(|problems| problems.iter().find(is_error));
    match first {
        Some(problem) => widgets::empty_state(ui, &problem.message, None),
        None => widgets::empty_state(ui, "The stream has no chunks.", None),
    };
}

fn heading_ui(ui: &mut Ui, columns: Columns) {
    let tokens = tokens(ui);
    let size = vec2(ui.available_width(), theme::TABLE_HEADING);
    let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
    ui.painter().rect_filled(rect, 0.0, tokens.panel);
    let font = theme::medium(theme::LABEL);
    let (left, middle) = (rect.left(), rect.center().y);
    for (words, right) in [
        ("Delay, ms", columns.delay),
        ("At, s", columns.at),
        ("Size", columns.size),
    ] {
        let line = widgets::line(ui, words, font.clone(), tokens.muted, 90.0);
        widgets::paint_line_right(ui.painter(), pos2(left + right, middle), line);
    }
    for (words, at) in [
        ("No.", theme::PADDING),
        ("Text", columns.size + theme::PADDING),
    ] {
        let line = widgets::line(ui, words, font.clone(), tokens.muted, 90.0);
        widgets::paint_line(ui.painter(), pos2(left + at, middle), line);
    }
    let hair = egui::Stroke::new(1.0, tokens.hair);
    ui.painter()
        .hline(rect.x_range(), rect.bottom() - 0.5, hair);
}

/// What a row says of a chunk.
struct Row<'a> {
    index: usize,
    chunk: &'a Chunk,
    delay: String,
    at: String,
    /// How many characters it brings.
    size: usize,
    text: String,
    problem: Option<&'a Problem>,
}

impl<'a> Row<'a> {
    fn of(shows: Shows<'a>, index: usize) -> Option<Self> {
        let chunk = shows.reel.chunks().get(index)?;
        let pace = shows.desk.transport().pace();
        Some(Self {
            index,
            chunk,
            delay: millis(pace.waits(chunk.delay_nanos)),
            at: seconds(shows.reel.schedule(pace).arrival_nanos(index)),
            size: shows.reel.timeline(Pace::Recorded).chars(index),
            text: line(&chunk.text),
            problem: problem(shows, index),
        })
    }

    /// What it is called by those who cannot see it.
    fn name(&self) -> String {
        let (number, size) = (
            self.index + 1,
            counted(self.size, "character", "characters"),
        );
        let Self {
            delay, at, text, ..
        } = self;
        let name = format!("Chunk {number}, waits {delay} ms, at {at} s, {size}: {text}");
        match self.problem {
            Some(problem) => format!("{name}. {}", problem.message),
            None => name,
        }
    }
}

/// Draws a row; answers whether it was pressed. The delay and the text of the chunk at the playhead are in fields.
fn row_ui(
    ui: &mut Ui,
    shows: Shows<'_>,
    (columns, index): (Columns, usize),
    draft: &mut Draft,
    actions: &mut Vec<Action>,
) -> bool {
    let Some(row) = Row::of(shows, index) else {
        return false;
    };
    let transport = shows.desk.transport();
    let is_here = transport.chunk() == Some(index);
    let chosen = if is_here {
        Chosen::Selected
    } else {
        Chosen::No
    };
    let response = widgets::row(ui, theme::ROW_HEIGHT, chosen, &row.name());
    let rect = response.rect;
    let is_edited = is_here && !transport.is_playing();
    numbers_ui(ui, shows, rect, (columns, &row), is_edited);
    let left = rect.left() + columns.size + theme::PADDING;
    let cell = Rect::from_x_y_ranges(left..=rect.right() - 8.0, rect.y_range());
    if is_edited {
        actions.extend(fields_ui(ui, shows, cell, (columns, &row), draft));
    } else {
        text_cell(ui, row.problem, cell, &row.text);
    }
    hover_ui(ui, response, &row).clicked()
}

/// The numbers of a chunk, each in its column; the delay stays out where it is in a field.
fn numbers_ui(
    ui: &Ui,
    shows: Shows<'_>,
    rect: Rect,
    (columns, row): (Columns, &Row<'_>),
    is_edited: bool,
) {
    let tokens = tokens(ui);
    let (left, middle) = (rect.left(), rect.center().y);
    let line = |words: &str, color, width| {
        widgets::line(ui, words, theme::mono(theme::LABEL), color, width)
    };
    let number = line(&thousands(row.index + 1), tokens.muted, columns.number);
    widgets::paint_line(ui.painter(), pos2(left + theme::PADDING, middle), number);
    let is_silence = row.chunk.delay_nanos >= shows.desk.silence_nanos() && row.index > 0;
    let delay_color = if is_silence {
        tokens.warning
    } else {
        tokens.text_strong
    };
    let put = |words: &str, right: f32, color| {
        let at = pos2(left + right, middle);
        widgets::paint_line_right(ui.painter(), at, line(words, color, 160.0));
    };
    if !is_edited {
        put(&row.delay, columns.delay, delay_color);
    }
    put(&row.at, columns.at, tokens.text);
    put(&thousands(row.size), columns.size, tokens.text);
}

/// The fields of the chunk at the playhead, and the cut that was typed into one.
fn fields_ui(
    ui: &mut Ui,
    shows: Shows<'_>,
    cell: Rect,
    (columns, row): (Columns, &Row<'_>),
    draft: &mut Draft,
) -> Option<Action> {
    let left = cell.left() - columns.size - theme::PADDING;
    let field = Rect::from_x_y_ranges(
        left + columns.number + 4.0..=left + columns.delay + 9.0,
        cell.y_range(),
    );
    let delay = delay_ui(ui, field, shows, row.index, row.chunk, draft);
    let text = if can_be_typed(row.chunk) {
        let field = cell.expand2(vec2(9.0, 0.0));
        text_ui(ui, field, row.index, row.chunk, draft)
    } else {
        text_cell(ui, row.problem, cell, &row.text);
        None
    };
    let cut = delay.or(text)?;
    Some(Action::Tapes(TapesAction::Cut(cut)))
}

/// What is said of a row under the pointer: what of its delay is lost, what is wrong, which characters have no sign.
fn hover_ui(ui: &Ui, response: Response, row: &Row<'_>) -> Response {
    let lost = lost_nanos(row.chunk.delay_nanos);
    let response = if lost > 0.0 {
        response.on_hover_text(format!(
            "A player that waits whole milliseconds drops {} ms of this delay",
            millis(lost)
        ))
    } else {
        response
    };
    let response = match row.problem {
        Some(problem) => response.on_hover_text(&*problem.message),
        None => response,
    };
    let missing = if response.hovered() {
        unsigned(ui, &row.chunk.text)
    } else {
        None
    };
    match missing {
        Some(words) => response.on_hover_text(words),
        None => response,
    }
}

/// Which characters stand as boxes, because no font here has a sign for them.
fn unsigned(ui: &Ui, text: &str) -> Option<String> {
    let text = text
        .get(..text.floor_char_boundary(MOST_NAMED))
        .unwrap_or_default();
    let font = theme::mono(theme::LABEL);
    let mut missing: Vec<char> = ui.fonts_mut(|fonts| {
        let is_missing = |letter: &char| !letter.is_control() && !fonts.has_glyph(&font, *letter);
        text.chars().filter(is_missing).collect()
    });
    missing.sort_unstable();
    missing.dedup();
    let names: Vec<String> = missing
        .iter()
        .map(|letter| format!("U+{:04X}", u32::from(*letter)))
        .collect();
    (!names.is_empty()).then(|| format!("No glyph available for {}", names.join(", ")))
}

/// What is wrong with a chunk, if anything is.
fn problem(shows: Shows<'_>, index: usize) -> Option<&Problem> {
    let span = shows.reel.chunks().get(index)?.span.range();
    let problems = &shows.library.get(shows.doc)?.problems;
    let first = problems.partition_point(|problem| problem.span.range().start < span.start);
    let problem = problems.get(first)?;
    span.contains(&problem.span.range().start)
        .then_some(problem)
}

/// A chunk's text, or that there is none; before it what is wrong with it.
fn text_cell(ui: &Ui, problem: Option<&Problem>, cell: Rect, text: &str) {
    let tokens = tokens(ui);
    let mut left = cell.left();
    if let Some(problem) = problem {
        let color = tokens.tone(widgets::severity_tone(problem.severity));
        let icon = icons::severity(problem.severity);
        let center = pos2(left + 7.0, cell.center().y);
        widgets::paint_icon(ui.painter(), center, icon, theme::ICON, color);
        left += theme::INDENT;
    }
    let (words, font, color) = if text.is_empty() {
        ("empty", theme::regular(theme::LABEL), tokens.warning)
    } else {
        (text, theme::mono(theme::LABEL), tokens.text)
    };
    let line = widgets::line(ui, words, font, color, cell.right() - left);
    widgets::paint_line(ui.painter(), pos2(left, cell.center().y), line);
}
