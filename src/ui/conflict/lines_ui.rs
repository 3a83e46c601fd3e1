//! Paints lines of the versions and of the result: only those on screen, one below the other. Long lines wrap.

use egui::text::{LayoutJob, TextFormat};
use egui::{Align2, Color32, CornerRadius, Id, Rangef, Rect, Ui, UiBuilder, pos2, vec2};

use super::conflict_data::{ConflictRow, ResultRow, VERSIONS, VersionLine, Versions};
use document::merge::MergeSide;
use document::text::{Span, counted};
use widgets::highlight::{Language, LineState};
use widgets::sheet::{DisplayLine, RowTint, class_color, selectable, tint_look};
use widgets::theme::{self, tokens};
use widgets::{Line, Row, RowShape, icons};

const NUMBER_WIDTH: f32 = 44.0;
const TEXT_OFFSET: f32 = 64.0;
const FONT_SIZE: f32 = 12.5;

/// The rows to scroll: their number, the row to show, and what they are made of, whose identity changes with them.
pub(super) struct ScrolledRows<'a> {
    pub(super) count: usize,
    pub(super) wanted: Option<usize>,
    pub(super) versions: &'a Versions,
    /// Returns how many lines of text a row needs, for this width of all columns.
    pub(super) lines: fn(&Ui, &Versions, usize, f32) -> usize,
}

/// The tops of all rows and the end of the last one, in lines of text, with what they were measured for.
type Tops = ((usize, usize, u32), std::sync::Arc<[u32]>);

impl ScrolledRows<'_> {
    /// Measures the rows again only if they or the width changed.
    fn tops(&self, ui: &Ui, id: Id, width: f32) -> std::sync::Arc<[u32]> {
        let id = id.with("tops");
        let address = std::ptr::from_ref(self.versions) as usize;
        // The data is rebuilt as a whole, so its address identifies it; the count catches a reused address.
        let key = (address, self.count, width as u32);
        if let Some((cached_key, tops)) = ui.data(|data| data.get_temp::<Tops>(id))
            && cached_key == key
        {
            return tops;
        }
        let mut end = 0;
        let mut tops = vec![0];
        tops.extend((0..self.count).map(|row| {
            let lines = (self.lines)(ui, self.versions, row, width);
            end += u32::try_from(lines).unwrap_or(1);
            end
        }));
        let tops: std::sync::Arc<[u32]> = tops.into();
        ui.data_mut(|data| data.insert_temp(id, (key, std::sync::Arc::clone(&tops))));
        tops
    }
}

/// Adds scrolling rows; `paint` draws those on screen. Scrolls to a row when `wanted` changes.
pub(super) fn rows_ui(
    ui: &mut Ui,
    salt: &str,
    rows: &ScrolledRows<'_>,
    mut paint: impl FnMut(&mut Ui, usize, Rect),
) {
    let id = ui.scope_id().with(salt);
    let (height, width) = (ui.available_height(), ui.available_width());
    let (target, tops) = (rows.wanted, rows.tops(ui, id, width));
    let top_of = |row: usize| {
        tops.get(row).or(tops.last()).copied().unwrap_or_default() as f32 * theme::TEXT_LINE
    };
    let mut area = egui::ScrollArea::vertical().id_salt(id).auto_shrink(false);
    let last: Option<Option<usize>> = ui.data(|data| data.get_temp(id));
    // Only when another place is selected, so that the user can scroll away from it.
    if last != Some(target)
        && let Some(row) = target
    {
        area = area.vertical_scroll_offset((top_of(row) - height / 3.0).max(0.0));
    }
    ui.data_mut(|data| data.insert_temp(id, target));
    area.show_viewport(ui, |ui, viewport| {
        ui.set_height(top_of(rows.count));
        ui.set_width(width);
        let origin = ui.min_rect().min;
        let first = tops.partition_point(|top| *top as f32 * theme::TEXT_LINE <= viewport.min.y);
        // The row before begins above the view and reaches into it.
        for row in first.saturating_sub(1)..rows.count {
            let y = Rangef::new(top_of(row), top_of(row + 1));
            if y.min > viewport.max.y {
                break;
            }
            let y = Rangef::new(origin.y + y.min, origin.y + y.max);
            paint(ui, row, Rect::from_x_y_ranges(origin.x..=origin.x + width, y));
        }
    });
}

/// Returns how many lines of text a row of the three versions needs.
pub(super) fn version_lines(ui: &Ui, versions: &Versions, row: usize, width: f32) -> usize {
    let Some(ConflictRow::Lines { lines, .. }) = versions.rows.get(row) else { return 1 };
    let row = Rect::from_min_size(egui::Pos2::ZERO, vec2(width, theme::TEXT_LINE));
    let lines =
        VERSIONS.into_iter().zip(lines).enumerate().filter_map(|(column, (version, line))| {
            let text = versions.source(version).line(line.as_ref()?.index);
            Some(wrapped_lines(ui, text, column_rect(row, column).width()))
        });
    lines.max().unwrap_or(1)
}

/// Returns how many lines of text a row of the result needs.
pub(super) fn result_lines(ui: &Ui, versions: &Versions, row: usize, width: f32) -> usize {
    match versions.result.get(row) {
        Some(ResultRow::Line { version, index, .. }) => {
            wrapped_lines(ui, versions.source(*version).line(*index), width)
        }
        _ => 1,
    }
}

/// Returns how many lines of text a line needs in a column.
fn wrapped_lines(ui: &Ui, text: &str, width: f32) -> usize {
    let display_line = DisplayLine::new(text, &[] as &[Span], &[]);
    // Most lines are short: a character is never wider than two halves of the font's size.
    if display_line.text.len() as f32 * FONT_SIZE < width - TEXT_OFFSET {
        return 1;
    }
    let mut job = wrapping_job(width);
    let format = TextFormat::simple(theme::mono(FONT_SIZE), Color32::PLACEHOLDER);
    job.append(&display_line.text, 0.0, format);
    ui.fonts_mut(|fonts| fonts.layout_job(job)).rows.len().max(1)
}

fn wrapping_job(width: f32) -> LayoutJob {
    let mut job = LayoutJob { break_on_newline: false, ..LayoutJob::default() };
    job.wrap.max_width = (width - TEXT_OFFSET - theme::GAP).max(80.0);
    job
}

/// Paints a row across the three versions; the rows of the selected place have a bar in each.
pub(super) fn row_ui(ui: &mut Ui, versions: &Versions, row: usize, rect: Rect, current: usize) {
    match versions.rows.get(row) {
        None => {}
        Some(ConflictRow::Fold(lines)) => fold_ui(ui, rect, *lines),
        Some(ConflictRow::Lines { place, lines }) => {
            for (column, (version, line)) in VERSIONS.into_iter().zip(lines).enumerate() {
                let cell = column_rect(rect, column);
                match line {
                    Some(line) => {
                        let id = ui.scope_id().with(("version", column, row));
                        version_line(ui, versions, version, line, (id, cell));
                    }
                    None => widgets::hatch(ui, cell),
                }
                if *place == Some(current) {
                    widgets::accent_bar(ui, cell);
                }
            }
        }
    }
}

/// Returns the part of a row that belongs to a version.
pub(super) fn column_rect(rect: Rect, column: usize) -> Rect {
    let width = (rect.width() / 3.0).floor();
    let left = rect.left() + column as f32 * width;
    let right = match column {
        // The last column gets what the division by three leaves.
        2 => rect.right(),
        _ => left + width - 1.0,
    };
    Rect::from_x_y_ranges(Rangef::new(left, right), rect.y_range())
}

fn version_line(
    ui: &mut Ui,
    versions: &Versions,
    version: MergeSide,
    line: &VersionLine,
    place: (Id, Rect),
) {
    let tint = match (line.changed, version) {
        (false, _) => RowTint::None,
        (true, MergeSide::Base) => RowTint::Removed,
        (true, _) => RowTint::Added,
    };
    let text = versions.source(version).line(line.index);
    let classes = versions.language.classes(text, LineState::default());
    let display_line = DisplayLine::new(text, &line.marks, &classes);
    line_ui(ui, (&display_line, versions.language), line.index + 1, tint, place);
}

/// Paints a row of the result.
pub(super) fn result_ui(ui: &mut Ui, versions: &Versions, row: usize, rect: Rect, current: usize) {
    let Some(row) = versions.result.get(row) else { return };
    let tokens = tokens(ui);
    match row {
        ResultRow::Fold(lines) => fold_ui(ui, rect, *lines),
        ResultRow::Open(place) => {
            let shown = versions.places.get(*place).map(|place| &place.shown);
            let words = shown.map(|shown| format!("Choose: {} or {}", shown[1], shown[2]));
            let colors = (tokens.tint_of(theme::Tone::Warning), tokens.warning);
            remark_ui(ui, rect, colors, icons::TRIANGLE_ALERT, &words.unwrap_or_default());
            if *place == current {
                widgets::accent_bar(ui, rect);
            }
        }
        ResultRow::Line { version, index, number, place } => {
            let text = versions.source(*version).line(*index);
            let classes = versions.language.classes(text, LineState::default());
            let display_line = DisplayLine::new(text, &[] as &[Span], &classes);
            let tint = if place.is_some() { RowTint::Added } else { RowTint::None };
            let id = ui.scope_id().with(("result", *number));
            line_ui(ui, (&display_line, versions.language), *number, tint, (id, rect));
            if *place == Some(current) {
                widgets::accent_bar(ui, rect);
            }
        }
    }
}

fn fold_ui(ui: &Ui, rect: Rect, lines: usize) {
    let tokens = tokens(ui);
    let words = counted(lines, "unchanged line", "unchanged lines");
    remark_ui(ui, rect, (tokens.fold, tokens.muted), icons::UNFOLD_VERTICAL, &words);
}

/// Paints a row that is no line of the text, on this ground and in this colour.
fn remark_ui(
    ui: &Ui,
    rect: Rect,
    (fill, color): (Color32, Color32),
    icon: &'static str,
    words: &str,
) {
    let shape = RowShape { margins: (NUMBER_WIDTH, 0.0), lines: &[10.0], ..RowShape::ONE_LINE };
    let line = Line::icon_word((icon, color), (words, color));
    Row::default().fill(fill).line(line).show_at(ui, &shape, rect);
}

/// Paints a line that can be selected and copied.
fn line_ui(
    ui: &mut Ui,
    (line, language): (&DisplayLine, Language),
    number: usize,
    tint: RowTint,
    (id, rect): (Id, Rect),
) {
    let tokens = tokens(ui);
    let mut inner = ui.new_child(UiBuilder::new().max_rect(rect));
    inner.set_clip_rect(rect.intersect(ui.clip_rect()));
    let ui = &inner;
    let painter = ui.painter();
    let look = tint_look(tint, tokens);
    let middle = rect.top() + theme::TEXT_LINE / 2.0;
    if let Some((ground, _, sign, color)) = look {
        painter.rect_filled(rect, 0.0, ground);
        let position = pos2(rect.left() + NUMBER_WIDTH + 10.0, middle);
        painter.text(position, Align2::CENTER_CENTER, sign, theme::mono_bold(theme::ROW), color);
    }
    let color = look.map_or(tokens.muted, |_| tokens.text);
    let position = pos2(rect.left() + NUMBER_WIDTH - 8.0, middle);
    let font = theme::mono(theme::LABEL);
    painter.text(position, Align2::RIGHT_CENTER, number.to_string(), font, color);
    let mut job = wrapping_job(rect.width());
    let mut marks: Vec<std::ops::Range<usize>> = Vec::new();
    let mut chars = 0;
    for run in &line.runs {
        let text = line.text.get(run.range.clone()).unwrap_or_default();
        let color =
            if run.marked { tokens.text_strong } else { class_color(tokens, run.class, language) };
        let mut format = TextFormat::simple(theme::mono(FONT_SIZE), color);
        (format.line_height, format.valign) = (Some(theme::TEXT_LINE), egui::Align::Center);
        job.append(text, 0.0, format);
        let count = text.chars().count();
        if run.marked {
            marks.push(chars..chars + count);
        }
        chars += count;
    }
    let galley = painter.layout_job(job);
    let left = rect.left() + TEXT_OFFSET;
    if let Some((_, word_color, ..)) = look {
        let mut first = 0;
        for row in &galley.rows {
            let end = first + row.char_count_excluding_newline().0;
            for range in &marks {
                let (start, stop) = (range.start.max(first), range.end.min(end));
                // An empty mark is painted, too: it shows where words are missing.
                if start >= stop && !(range.is_empty() && (first..=end).contains(&range.start)) {
                    continue;
                }
                let x = |index: usize| left + row.pos.x + row.x_offset((index - first).into());
                let x = Rangef::new(x(start) - 1.0, x(stop.max(start)) + 1.0);
                let top = rect.top() + row.pos.y;
                let y = Rangef::new(top + 1.0, top + theme::TEXT_LINE - 1.0);
                painter.rect_filled(Rect::from_x_y_ranges(x, y), CornerRadius::same(3), word_color);
            }
            first = end;
        }
    }
    let area = rect.with_min_x(left).intersect(ui.clip_rect());
    selectable(ui, (id, area), pos2(left, rect.top()), galley, &line.text);
}

/// Draws the lines between the columns.
pub(super) fn borders_ui(ui: &Ui, rect: Rect) {
    for column in [0, 1] {
        let right = column_rect(rect, column).right() + 1.0;
        widgets::line_beside(ui, rect.with_max_x(right));
    }
}
