//! Layout of a comparison: widths of columns, and heights of entries.

use std::sync::Arc;

use egui::{FontId, Id, Rangef, Rect, Ui};

use super::lines::line_count;
use super::{Sheet, SheetEntry};
use crate::highlight::Language;
use crate::markdown::markdown_height;
use crate::theme::{self, Tokens};
use document::diff::Side;
use workbench::{Actions, DiffLayout};

/// Font size of source text.
const SOURCE_FONT_SIZE: f32 = 12.5;
/// Width of a column of line numbers.
const NUMBER_WIDTH: f32 = 44.0;
/// Width of the column with − and +.
const SIGN_WIDTH: f32 = 20.0;
/// Space to the right of text.
const TEXT_MARGIN_RIGHT: f32 = 12.0;
/// Indentation of the signs of sections without numbers.
const SIGN_INDENT: f32 = theme::PADDING - 1.0;

/// Height of a row of names, and of a line of a call's text.
pub(super) const NAME_ROW_HEIGHT: f32 = 24.0;
/// Height of a heading.
pub(super) const HEADING_HEIGHT: f32 = 32.0;
/// Space above the counts of messages, with the line that separates them from the names.
pub(super) const COUNT_GAP: f32 = 8.0;
const GAP_HEIGHT: f32 = 8.0;
/// Space above and below rendered rows.
pub(super) const RENDERED_MARGIN: f32 = 4.0;

/// The columns of a comparison, from left to right, in screen points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SideColumns {
    /// The left side, or the only one.
    pub(super) left: Rangef,
    pub(super) right: Rangef,
}

impl SideColumns {
    pub(super) fn new(x: Rangef) -> Self {
        // Whole points, and one between the sides, so that the line there is sharp.
        let middle = (x.min + x.span() / 2.0).floor();
        Self { left: Rangef::new(x.min, middle), right: Rangef::new(middle + 1.0, x.max) }
    }

    pub(super) fn side(&self, side: Side) -> Rangef {
        match side {
            Side::Left => self.left,
            Side::Right => self.right,
        }
    }
}

/// Inputs for painting one entry.
pub(super) struct EntryCanvas<'a> {
    pub(super) sheet: &'a Sheet,
    pub(super) columns: SideColumns,
    pub(super) tokens: &'static Tokens,
    pub(super) width: f32,
    pub(super) id: Id,
    /// The side that is painted; the left one for entries across both.
    pub(super) side: Side,
    /// The rect of the entry across both sides.
    pub(super) rect: Rect,
    pub(super) actions: &'a mut Actions,
}

impl EntryCanvas<'_> {
    /// Returns the rect of the entry on its side; in the unified view there is only one.
    pub(super) fn column(&self) -> Rect {
        let x = self.columns.side(self.side);
        let is_split = self.sheet.pane == DiffLayout::SideBySide;
        if is_split { Rect::from_x_y_ranges(x, self.rect.y_range()) } else { self.rect }
    }
}

/// Positions within a column, from its left edge.
#[derive(Clone, Copy, Debug)]
pub(super) struct ColumnOffsets {
    /// Right edge of each column of numbers, if any.
    pub(super) numbers: [Option<f32>; 2],
    /// The middle of the sign.
    pub(super) sign: f32,
    /// Left edge of the text.
    pub(super) text: f32,
}

impl ColumnOffsets {
    pub(super) fn new(numbers: bool, pane: DiffLayout) -> Self {
        let (numbers, width, offset) = match (numbers, pane) {
            (false, _) => ([None, None], SIGN_INDENT, -6.0),
            (true, DiffLayout::SideBySide) => ([Some(NUMBER_WIDTH - 8.0), None], NUMBER_WIDTH, 0.0),
            (true, DiffLayout::Unified) => (
                [Some(NUMBER_WIDTH - 8.0), Some(2.0 * NUMBER_WIDTH - 8.0)],
                2.0 * NUMBER_WIDTH,
                0.0,
            ),
        };
        Self { numbers, sign: width + SIGN_WIDTH / 2.0 + offset, text: width + SIGN_WIDTH }
    }
}

/// Returns the font of a text.
pub(super) fn font(language: Language) -> FontId {
    match language {
        Language::Prose => theme::regular(theme::BODY),
        Language::Machine | Language::Json | Language::Yaml | Language::Values => {
            theme::mono(SOURCE_FONT_SIZE)
        }
    }
}

/// Widths of characters; those of ASCII characters are measured once.
pub(super) struct CharWidths {
    font: FontId,
    ascii: [f32; 128],
}

impl CharWidths {
    pub(super) fn new(ui: &Ui, language: Language) -> Self {
        let font = font(language);
        let ascii = ui.fonts_mut(|fonts| {
            std::array::from_fn(|code| match u8::try_from(code) {
                // Control characters are escaped before they are measured.
                Ok(byte) if (0x20..0x7f).contains(&byte) => {
                    fonts.glyph_width(&font, char::from(byte))
                }
                _ => 0.0,
            })
        });
        Self { font, ascii }
    }

    pub(super) fn widest(&self) -> f32 {
        self.ascii.iter().copied().fold(0.0, f32::max)
    }

    pub(super) fn width_of(&self, ui: &Ui, c: char) -> f32 {
        let measure = || ui.fonts_mut(|fonts| fonts.glyph_width(&self.font, c));
        self.ascii.get(c as usize).copied().unwrap_or_else(measure)
    }
}

/// Vertical positions of all entries of one sheet at one width.
#[derive(Clone, Debug)]
pub(super) struct SheetLayout {
    pub(super) sheet: Arc<Sheet>,
    pub(super) width: f32,
    /// Top of each entry, and at the end the bottom of the last.
    pub(super) tops: Arc<[f32]>,
}

impl SheetLayout {
    pub(super) fn new(ui: &Ui, sheet: &Arc<Sheet>, width: f32) -> Self {
        // Filled on demand, since most comparisons have one or two languages.
        let mut measures: Vec<(Language, CharWidths)> = Vec::new();
        let mut tops = Vec::with_capacity(sheet.entries.len() + 1);
        let mut top = 0.0;
        for entry in &sheet.entries {
            tops.push(top);
            top += match *entry {
                SheetEntry::Row { section, row } => {
                    let lines = Side::BOTH
                        .map(|side| lines(ui, sheet, (section, row, side), width, &mut measures));
                    row_height(sheet, section, lines[0].max(lines[1]))
                }
                SheetEntry::OneSide { section, row, side } => {
                    let lines = lines(ui, sheet, (section, row, side), width, &mut measures);
                    row_height(sheet, section, lines)
                }
                SheetEntry::Rendered { section, text } => {
                    sheet.rendered(text).map_or(0.0, |markdown| {
                        let width = text_width(sheet, section, width);
                        markdown_height(ui, markdown, width) + 2.0 * RENDERED_MARGIN
                    })
                }
                SheetEntry::Signatures
                | SheetEntry::Heading(_)
                | SheetEntry::IgnoredHeading { .. } => HEADING_HEIGHT,
                SheetEntry::MessageCount => NAME_ROW_HEIGHT + COUNT_GAP,
                SheetEntry::Gap => GAP_HEIGHT,
                SheetEntry::Fold { .. } | SheetEntry::EqualSections { .. } => theme::FOLD,
                _ => NAME_ROW_HEIGHT,
            };
        }
        tops.push(top);
        Self { sheet: sheet.clone(), width, tops: tops.into() }
    }

    /// Returns the entries that overlap a vertical range of the sheet.
    pub(super) fn visible(&self, from: f32, to: f32) -> std::ops::Range<usize> {
        let entries = self.tops.len() - 1;
        // The entry before begins above the range and reaches into it.
        let first = self.tops.partition_point(|top| *top <= from).saturating_sub(1);
        let last = self.tops.partition_point(|top| *top < to);
        first.min(entries)..last.min(entries)
    }
}

/// Returns the space above and below the lines of a row.
pub(super) fn row_padding(numbers: bool) -> f32 {
    if numbers { 0.0 } else { (NAME_ROW_HEIGHT - theme::TEXT_LINE) / 2.0 }
}

fn row_height(sheet: &Sheet, section: usize, lines: usize) -> f32 {
    lines.max(1) as f32 * theme::TEXT_LINE + 2.0 * row_padding(sheet.style(section).numbers)
}

/// Returns the maximum width of the text in a column.
pub(super) fn text_width(sheet: &Sheet, section: usize, width: f32) -> f32 {
    let offsets = ColumnOffsets::new(sheet.style(section).numbers, sheet.pane);
    let column = match sheet.pane {
        // The narrower of both sides, so that a row needs the same number of lines on each.
        DiffLayout::SideBySide => (width / 2.0).floor() - 1.0,
        DiffLayout::Unified => width,
    };
    // In a very narrow window a line still shows a few characters.
    (column - offsets.text - TEXT_MARGIN_RIGHT).max(40.0)
}

fn lines(
    ui: &Ui,
    sheet: &Sheet,
    (section, row, side): (usize, usize, Side),
    width: f32,
    measures: &mut Vec<(Language, CharWidths)>,
) -> usize {
    let text = sheet.content.diff(section).and_then(|diff| diff.row_text(row, side));
    let Some(text) = text else { return 0 };
    let language = sheet.style(section).language;
    let position = measures.iter().position(|(of, _)| *of == language);
    let at = position.unwrap_or_else(|| {
        measures.push((language, CharWidths::new(ui, language)));
        measures.len() - 1
    });
    let measure = &measures[at].1;
    let width = text_width(sheet, section, width);
    line_count(text, width, measure.widest(), &mut |c| measure.width_of(ui, c))
}
