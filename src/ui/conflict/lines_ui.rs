//! Paints lines of the versions and of the result: only those on screen, one below the other, never wrapped.

use egui::text::{LayoutJob, TextFormat};
use egui::text_selection::LabelSelectionState;
use egui::{
    Align2, Color32, CornerRadius, Id, Rangef, Rect, Role, Sense, Stroke, Ui, UiBuilder,
    WidgetInfo, pos2, vec2,
};

use super::data::{ConflictRow, ConflictVersions, ResultRow, VERSIONS, VersionLine};
use crate::ops::merge::MergeSide;
use crate::text::{Span, counted};
use crate::ui::compare::{DisplayLine, class_color};
use crate::ui::highlight::{Language, LineState};
use crate::ui::theme::{self, Tokens, tokens};
use crate::ui::{icons, widgets};

const NUMBER: f32 = 44.0;
const TEXT: f32 = 64.0;
const SOURCE: f32 = 12.5;

/// Background of a line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LineTint {
    None,
    Removed,
    Added,
}

impl LineTint {
    fn style(self, tokens: &Tokens) -> Option<(Color32, Color32, &'static str, Color32)> {
        match self {
            Self::None => None,
            Self::Removed => Some((tokens.removed_line, tokens.removed_word, "−", tokens.error)),
            Self::Added => Some((tokens.added_line, tokens.added_word, "+", tokens.good)),
        }
    }
}

/// Adds scrolling rows of the same height; `paint` draws those on screen. Scrolls to a row when `wanted` changes.
pub(super) fn rows_ui(
    ui: &mut Ui,
    salt: &str,
    count: usize,
    wanted: Option<usize>,
    mut paint: impl FnMut(&mut Ui, usize, Rect),
) {
    let id = ui.scope_id().with(salt);
    let height = ui.available_height();
    let mut area = egui::ScrollArea::vertical().id_salt(id).auto_shrink(false);
    let last: Option<Option<usize>> = ui.data(|data| data.get_temp(id));
    if last != Some(wanted)
        && let Some(row) = wanted
    {
        let top = row as f32 * theme::TEXT_LINE;
        area = area.vertical_scroll_offset((top - height / 3.0).max(0.0));
    }
    ui.data_mut(|data| data.insert_temp(id, wanted));
    area.show_rows(ui, theme::TEXT_LINE, count, |ui, range| {
        let origin = ui.max_rect().min;
        let width = ui.available_width();
        for (at, row) in range.enumerate() {
            let top = origin.y + at as f32 * theme::TEXT_LINE;
            let rect = Rect::from_min_size(pos2(origin.x, top), vec2(width, theme::TEXT_LINE));
            paint(ui, row, rect);
        }
        ui.allocate_space(vec2(width, 0.0));
    });
}

/// Paints a row across the three versions; the rows of the selected place have a bar in each.
pub(super) fn row_ui(
    ui: &mut Ui,
    versions: &ConflictVersions,
    row: usize,
    rect: Rect,
    current: usize,
) {
    let number = row;
    let Some(row) = versions.rows.get(row) else {
        return;
    };
    match row {
        ConflictRow::Fold(lines) => fold_ui(ui, rect, *lines),
        ConflictRow::Lines { place, lines } => {
            for (column, (version, line)) in VERSIONS.into_iter().zip(lines).enumerate() {
                let cell = column_rect(rect, column);
                match line {
                    Some(line) => {
                        let id = ui.scope_id().with(("version", column, number));
                        version_line(ui, versions, version, line, (id, cell));
                    }
                    None => widgets::hatch(ui, cell),
                }
                if *place == Some(current) {
                    widgets::accent_bar(ui.painter(), tokens(ui), cell);
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
        2 => rect.right(),
        _ => left + width - 1.0,
    };
    Rect::from_x_y_ranges(Rangef::new(left, right), rect.y_range())
}

fn version_line(
    ui: &mut Ui,
    versions: &ConflictVersions,
    version: MergeSide,
    line: &VersionLine,
    place: (Id, Rect),
) {
    let tint = match (line.changed, version) {
        (false, _) => LineTint::None,
        (true, MergeSide::Base) => LineTint::Removed,
        (true, _) => LineTint::Added,
    };
    let text = versions.source(version).line(line.index);
    let classes = versions.language.classes(text, LineState::default());
    let shown = DisplayLine::new(text, &line.marks, &classes);
    let shown = (&shown, versions.language);
    line_ui(ui, shown, line.index + 1, tint, place);
}

/// Paints a row of the result.
pub(super) fn result_ui(
    ui: &mut Ui,
    versions: &ConflictVersions,
    row: usize,
    rect: Rect,
    current: usize,
) {
    let Some(row) = versions.result.get(row) else {
        return;
    };
    let tokens = tokens(ui);
    match row {
        ResultRow::Fold(lines) => fold_ui(ui, rect, *lines),
        ResultRow::Open(place) => {
            ui.painter()
                .rect_filled(rect, 0.0, tokens.tint_of(theme::Tone::Warning));
            let inner = rect.with_min_x(rect.left() + NUMBER);
            let words = match versions.places.get(*place) {
                Some(line) => format!("Choose: {} or {}", line.shown[1], line.shown[2]),
                None => String::new(),
            };
            let icon = (icons::TRIANGLE_ALERT, tokens.warning);
            widgets::paint_icon_word(ui, inner, icon, (&words, tokens.warning));
            if *place == current {
                widgets::accent_bar(ui.painter(), tokens, rect);
            }
        }
        ResultRow::Line {
            version,
            index,
            number,
            place,
        } => {
            let text = versions.source(*version).line(*index);
            let classes = versions.language.classes(text, LineState::default());
            let shown = DisplayLine::new(text, &[] as &[Span], &classes);
            let tint = match place {
                Some(_) => LineTint::Added,
                None => LineTint::None,
            };
            let id = ui.scope_id().with(("result", *number));
            let shown = (&shown, versions.language);
            line_ui(ui, shown, *number, tint, (id, rect));
            if *place == Some(current) {
                widgets::accent_bar(ui.painter(), tokens, rect);
            }
        }
    }
}

fn fold_ui(ui: &Ui, rect: Rect, lines: usize) {
    let tokens = tokens(ui);
    ui.painter().rect_filled(rect, 0.0, tokens.fold);
    let inner = rect.with_min_x(rect.left() + NUMBER);
    let words = counted(lines, "unchanged line", "unchanged lines");
    let icon = (icons::UNFOLD_VERTICAL, tokens.muted);
    widgets::paint_icon_word(ui, inner, icon, (&words, tokens.muted));
}

/// Paints a line that can be selected and copied.
fn line_ui(
    ui: &mut Ui,
    (line, language): (&DisplayLine, Language),
    number: usize,
    tint: LineTint,
    (id, rect): (Id, Rect),
) {
    let tokens = tokens(ui);
    // A long line is clipped at the border of its column.
    let mut inner = ui.new_child(UiBuilder::new().max_rect(rect));
    inner.set_clip_rect(rect.intersect(ui.clip_rect()));
    let ui = &inner;
    let painter = ui.painter();
    let look = tint.style(tokens);
    let middle = rect.center().y;
    if let Some((ground, _, sign, color)) = look {
        painter.rect_filled(rect, 0.0, ground);
        let at = pos2(rect.left() + NUMBER + 10.0, middle);
        let font = theme::mono_bold(theme::ROW);
        painter.text(at, Align2::CENTER_CENTER, sign, font, color);
    }
    let color = look.map_or(tokens.muted, |_| tokens.text);
    let at = pos2(rect.left() + NUMBER - 8.0, middle);
    let font = theme::mono(theme::LABEL);
    painter.text(at, Align2::RIGHT_CENTER, number.to_string(), font, color);
    let mut job = LayoutJob {
        break_on_newline: false,
        ..LayoutJob::default()
    };
    let mut marked: Vec<std::ops::Range<usize>> = Vec::new();
    let mut chars = 0;
    for run in &line.runs {
        let text = line.text.get(run.range.clone()).unwrap_or_default();
        let color = if run.marked {
            tokens.text_strong
        } else {
            class_color(tokens, run.class, language)
        };
        job.append(text, 0.0, TextFormat::simple(theme::mono(SOURCE), color));
        let count = text.chars().count();
        if run.marked {
            marked.push(chars..chars + count);
        }
        chars += count;
    }
    let galley = painter.layout_job(job);
    let left = rect.left() + TEXT;
    if let Some((_, word, ..)) = look {
        for range in marked {
            let x = |index| {
                let cursor = egui::text::CCursor::new(index);
                left + galley.pos_from_cursor(cursor).center().x
            };
            let x = Rangef::new(x(range.start) - 1.0, x(range.end) + 1.0);
            let mark = Rect::from_x_y_ranges(x, rect.top() + 1.0..=rect.bottom() - 1.0);
            painter.rect_filled(mark, CornerRadius::same(3), word);
        }
    }
    let top = (middle - galley.size().y / 2.0).round();
    let area = rect.with_min_x(left).intersect(ui.clip_rect());
    let response = ui.interact(area, id, Sense::click_and_drag() - Sense::FOCUSABLE);
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &line.text));
    let corner = pos2(left, top);
    LabelSelectionState::label_text_selection(
        ui,
        &response,
        corner,
        galley,
        tokens.text,
        Stroke::NONE,
    );
}

/// Draws the lines between the columns.
pub(super) fn borders_ui(ui: &Ui, rect: Rect) {
    let line = Stroke::new(1.0, tokens(ui).hair);
    for column in [0, 1] {
        let x = column_rect(rect, column).right() + 0.5;
        ui.painter().vline(x, rect.y_range(), line);
    }
}
