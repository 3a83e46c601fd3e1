//! The strip of a file: its calls as blocks in the order of the file, each in the colour of its verdict.
//!
//! [`row_strip`] paints it 8 points high in a row, and [`call_strip`] 24 points high, where a call can be chosen. [`aligned_strips`] has the
//! strip of an old file over that of a new one.

use egui::{
    Color32, CornerRadius, Pos2, Rangef, Rect, Role, Sense, StrokeKind, Ui, WidgetInfo, pos2, vec2,
};

use super::graph::dashed_border;
use super::place::allocate_row;
use super::{focus_ring_inside, styled_text};
use crate::icons;
use crate::theme::{self, Tokens, Tone, tokens};
use document::text::{counted, thousands};
use protocol::BlockVerdict;

/// Width of a strip of many calls in a row.
pub const ROW_STRIP_WIDTH: f32 = 132.0;

/// Height of a strip in a row.
const ROW_STRIP_HEIGHT: f32 = 8.0;
/// Height of a strip in which a call can be chosen.
const STRIP_HEIGHT: f32 = 24.0;
/// Space between two blocks.
const BLOCK_GAP: f32 = 2.0;
/// Width of a block in a row of few calls, and of up to [`MAX_MEDIUM_BLOCKS`].
const BLOCK_WIDTH: f32 = 24.0;
const MEDIUM_BLOCK_WIDTH: f32 = 12.0;
/// Numbers of calls up to which blocks have these widths; more share the width of the strip.
const MAX_WIDE_BLOCKS: usize = 6;
const MAX_MEDIUM_BLOCKS: usize = 12;
/// Least width of a block in a row; of more calls than fit, neighbours with one verdict become one block.
const MIN_BLOCK_WIDTH: f32 = 3.0;
/// Width from which a block has room for its number.
const NUMBERED_WIDTH: f32 = 18.0;

/// Returns the icon and the tone of a verdict.
pub fn verdict_look(verdict: BlockVerdict) -> (&'static str, Tone) {
    match verdict {
        BlockVerdict::NotReached | BlockVerdict::OtherCall => (icons::FILE, Tone::Plain),
        BlockVerdict::Right => (icons::CIRCLE_CHECK, Tone::Good),
        BlockVerdict::Renamed => (icons::FILE_SYMLINK, Tone::Note),
        BlockVerdict::Waiting => (icons::HOURGLASS, Tone::Note),
        BlockVerdict::Unanswered => (icons::CIRCLE_MINUS, Tone::Plain),
        BlockVerdict::StillMatches | BlockVerdict::Breaks => (icons::CLOCK_ALERT, Tone::Warning),
        BlockVerdict::Warned | BlockVerdict::OrderDecides => (icons::TRIANGLE_ALERT, Tone::Warning),
        BlockVerdict::Missing | BlockVerdict::Wrong => (icons::CIRCLE_X, Tone::Error),
    }
}

/// Colour of a block in a row: half strength where nothing has to be done.
fn fill(verdict: BlockVerdict, tokens: &Tokens) -> Color32 {
    let (_, tone) = verdict_look(verdict);
    match verdict {
        BlockVerdict::NotReached | BlockVerdict::Missing => Color32::TRANSPARENT,
        BlockVerdict::Unanswered => tokens.strong,
        BlockVerdict::OtherCall => tokens.strong.gamma_multiply(0.6),
        BlockVerdict::Right | BlockVerdict::StillMatches => tokens.mark(tone).gamma_multiply(0.5),
        _ => tokens.mark(tone),
    }
}

/// Label of one call, after its number, and predicates for one and for several calls of a strip.
fn labels(verdict: BlockVerdict) -> (&'static str, &'static str, &'static str) {
    match verdict {
        BlockVerdict::NotReached => ("not reached", "is not reached", "are not reached"),
        BlockVerdict::OtherCall => ("no model call", "is no model call", "are no model calls"),
        BlockVerdict::Right => ("", "", ""),
        BlockVerdict::Renamed => {
            ("source renamed", "has a renamed source", "have a renamed source")
        }
        BlockVerdict::Waiting => ("waits", "waits", "wait"),
        BlockVerdict::StillMatches => ("stale, still matches", "is stale", "are stale"),
        BlockVerdict::Unanswered => ("no answer stored", "without answer", "without answer"),
        BlockVerdict::Warned => ("warning", "has a warning", "have warnings"),
        BlockVerdict::Breaks => {
            ("stale, no longer matches", "no longer matches", "no longer match")
        }
        BlockVerdict::OrderDecides => ("order decides", "depends on order", "depend on order"),
        BlockVerdict::Missing => ("no recording", "has no recording", "have no recording"),
        BlockVerdict::Wrong => ("fails", "fails", "fail"),
    }
}

/// A call of a strip.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CallBlock {
    pub verdict: BlockVerdict,
    /// Length in any unit that all blocks of the strip share, such as seconds; 0 if unknown.
    pub length: f32,
}

impl From<BlockVerdict> for CallBlock {
    fn from(verdict: BlockVerdict) -> Self {
        Self { verdict, length: 0.0 }
    }
}

/// Describes a strip for screen readers: `8 calls, 4 depend on order`.
pub fn strip_label(blocks: &[CallBlock]) -> String {
    let mut label = counted(blocks.len(), "call", "calls");
    let mut verdicts: Vec<BlockVerdict> = blocks.iter().map(|block| block.verdict).collect();
    verdicts.sort_unstable_by(|a, b| b.cmp(a));
    for group in verdicts.chunk_by(|a, b| a == b) {
        let (_, one, many) = labels(group[0]);
        if !one.is_empty() {
            let predicate = if group.len() == 1 { one } else { many };
            label.push_str(&format!(", {} {predicate}", thousands(group.len())));
        }
    }
    label
}

/// A strip in a row, laid out: a few blocks, however many calls there are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RowStrip {
    blocks: Vec<(BlockVerdict, Rangef)>,
    call_count: usize,
    /// Description for screen readers.
    pub label: String,
}

impl RowStrip {
    /// Lays out a strip.
    pub fn new(verdicts: impl IntoIterator<Item = BlockVerdict>) -> Self {
        let blocks: Vec<CallBlock> = verdicts.into_iter().map(CallBlock::from).collect();
        let (call_count, label) = (blocks.len(), strip_label(&blocks));
        Self { blocks: row_blocks(&blocks), call_count, label }
    }

    /// Paints it, vertically centred on `left`, or only the block of a call with its verdict. Returns the right end of what was painted.
    pub fn paint(&self, ui: &Ui, left: Pos2, own_block: Option<(usize, BlockVerdict)>) -> f32 {
        let Some((at, verdict)) = own_block else { return paint_in_row(ui, left, &self.blocks) };
        let x = match self.blocks.get(at) {
            Some((_, x)) if self.blocks.len() == self.call_count => *x,
            // In a strip of merged blocks, by its share.
            _ => {
                let room = ROW_STRIP_WIDTH - MIN_BLOCK_WIDTH;
                let x = room * at as f32 / self.call_count.max(1) as f32;
                Rangef::new(x, x + MIN_BLOCK_WIDTH)
            }
        };
        paint_in_row(ui, left, &[(verdict, x)])
    }
}

/// Paints a strip in a row, vertically centred on `left`. Returns the right end of what was painted.
pub fn row_strip(ui: &Ui, left: Pos2, blocks: &[CallBlock]) -> f32 {
    paint_in_row(ui, left, &row_blocks(blocks))
}

fn paint_in_row(ui: &Ui, left: Pos2, blocks: &[(BlockVerdict, Rangef)]) -> f32 {
    let y = Rangef::point(left.y).expand(ROW_STRIP_HEIGHT / 2.0);
    for (verdict, x) in blocks {
        let x = Rangef::new(left.x + x.min, left.x + x.max);
        paint_block(ui, Rect::from_x_y_ranges(x, y), *verdict);
    }
    blocks.last().map_or(left.x, |(_, x)| left.x + x.max)
}

/// Returns the width of a strip in a row.
pub fn row_strip_width(blocks: &[CallBlock]) -> f32 {
    row_blocks(blocks).last().map_or(0.0, |(_, x)| x.max)
}

fn paint_block(ui: &Ui, rect: Rect, verdict: BlockVerdict) {
    let tokens = tokens(ui);
    let painter = ui.painter();
    match verdict {
        BlockVerdict::NotReached => {
            painter.rect_stroke(rect, 2, (1.0, tokens.strong), StrokeKind::Inside);
        }
        BlockVerdict::Missing => {
            painter.extend(dashed_border(rect, egui::Stroke::new(1.0, tokens.error), 3.0));
        }
        verdict => {
            painter.rect_filled(rect, 2, fill(verdict, tokens));
        }
    }
}

/// Paints the ground of a row's cell in the column of one call, which has round corners at its ends.
pub fn column_cell(ui: &Ui, cell: Rect, (is_first, is_last): (bool, bool), fill: Color32) {
    let radius = |is_end: bool| if is_end { theme::RADIUS_CONTROL } else { 0 };
    let (top, bottom) = (radius(is_first), radius(is_last));
    let radius = CornerRadius { nw: top, ne: top, sw: bottom, se: bottom };
    ui.painter().rect_filled(cell, radius, fill);
}

/// Returns the blocks of a strip in a row, each with its edges from the left end.
fn row_blocks(blocks: &[CallBlock]) -> Vec<(BlockVerdict, Rangef)> {
    let fitting = ((ROW_STRIP_WIDTH + BLOCK_GAP) / (MIN_BLOCK_WIDTH + BLOCK_GAP)) as usize;
    let verdicts: Vec<BlockVerdict> = blocks.iter().map(|block| block.verdict).collect();
    if blocks.len() > fitting {
        return merged_blocks(&verdicts, fitting);
    }
    let count = blocks.len() as f32;
    let gaps = BLOCK_GAP * (count - 1.0).max(0.0);
    let sum: f32 = blocks.iter().map(|block| block.length).sum();
    // The file decides for all its blocks: one call without a time makes the lengths of the others say nothing.
    let is_timed = blocks.iter().all(|block| block.length > 0.0) && sum.is_finite();
    let equal = if blocks.len() <= MAX_WIDE_BLOCKS {
        BLOCK_WIDTH
    } else if blocks.len() <= MAX_MEDIUM_BLOCKS {
        MEDIUM_BLOCK_WIDTH
    } else {
        ((ROW_STRIP_WIDTH - gaps) / count).max(MIN_BLOCK_WIDTH)
    };
    // What remains after each block has its least width is shared by length.
    let room = (equal - MIN_BLOCK_WIDTH) * count;
    let mut x = 0.0;
    let place = |block: &CallBlock| {
        let width = if is_timed { MIN_BLOCK_WIDTH + room * block.length / sum } else { equal };
        let edges = Rangef::new(x, x + width);
        x += width + BLOCK_GAP;
        (block.verdict, edges)
    };
    blocks.iter().map(place).collect()
}

/// Returns runs of one verdict as blocks; if these are too many as well, each block has the worst verdict of an equal share of the calls.
fn merged_blocks(verdicts: &[BlockVerdict], fitting: usize) -> Vec<(BlockVerdict, Rangef)> {
    let runs: Vec<(BlockVerdict, usize)> =
        verdicts.chunk_by(|a, b| a == b).map(|run| (run[0], run.len())).collect();
    let parts: Vec<(BlockVerdict, usize)> = if runs.len() <= fitting {
        runs
    } else {
        let share = verdicts.len().div_ceil(fitting);
        let worst = |part: &[BlockVerdict]| part.iter().copied().max().unwrap_or_default();
        verdicts.chunks(share).map(|part| (worst(part), part.len())).collect()
    };
    let gaps = BLOCK_GAP * parts.len().saturating_sub(1) as f32;
    let room = ROW_STRIP_WIDTH - gaps - MIN_BLOCK_WIDTH * parts.len() as f32;
    let mut x = 0.0;
    let place = |(verdict, calls): (BlockVerdict, usize)| {
        let width = MIN_BLOCK_WIDTH + room * calls as f32 / verdicts.len() as f32;
        let edges = Rangef::new(x, x + width);
        x += width + BLOCK_GAP;
        (verdict, edges)
    };
    parts.into_iter().map(place).collect()
}

/// Adds a strip as wide as the layout, with the numbers of its calls. Returns the call that the user chose, by its number from 0.
pub fn call_strip(ui: &mut Ui, blocks: &[CallBlock], selected: Option<usize>) -> Option<usize> {
    let (rect, _) = allocate_row(ui, STRIP_HEIGHT, Sense::hover());
    let id = ui.scope_id().with("strip");
    let mut chosen = None;
    for (index, (block, x)) in blocks.iter().zip(wide_blocks(blocks, rect.x_range())).enumerate() {
        let place = Rect::from_x_y_ranges(x, rect.y_range());
        // A strip of hundreds of calls has no room for a target each; it is chosen by its neighbours and keys.
        let response = ui.interact(place, id.with(index), Sense::click());
        let (label, ..) = labels(block.verdict);
        let is_selected = selected == Some(index);
        response.widget_info(|| {
            let number = thousands(index + 1);
            let name = match label {
                "" => format!("Call {number}"),
                label => format!("Call {number}, {label}"),
            };
            WidgetInfo::selected(Role::Button, true, is_selected, name)
        });
        match block.verdict {
            BlockVerdict::NotReached | BlockVerdict::Missing => {
                paint_block(ui, place, block.verdict);
            }
            // At half strength, as in a row: nothing has to be done.
            BlockVerdict::StillMatches => {
                let tokens = tokens(ui);
                let edge = tokens.mark(Tone::Warning).gamma_multiply(0.5);
                paint_ground(ui, place, tokens.raised, edge);
            }
            verdict => paint_tinted(ui, place, verdict_look(verdict).1),
        }
        paint_label(ui, place, &thousands(index + 1), is_selected);
        if response.has_focus() {
            focus_ring_inside(ui, place, theme::RADIUS_KEY);
        }
        if response.clicked() {
            chosen = Some(index);
        }
    }
    chosen
}

/// Paints the ground of a block of a wide strip in a tone, with its edge.
fn paint_tinted(ui: &Ui, rect: Rect, tone: Tone) {
    let tokens = tokens(ui);
    match tone {
        Tone::Plain => paint_ground(ui, rect, tokens.raised, tokens.strong),
        tone => paint_ground(ui, rect, tokens.tint_of(tone), tokens.mark(tone)),
    }
}

fn paint_ground(ui: &Ui, rect: Rect, tint: Color32, edge: Color32) {
    ui.painter().rect_filled(rect, theme::RADIUS_KEY, tint);
    let bar = Rect::from_min_size(rect.min, vec2(2.0, rect.height()));
    ui.painter().rect_filled(bar, 0, edge);
}

/// Paints the number of a block if there is room for it, and the ring of the selected one.
fn paint_label(ui: &Ui, rect: Rect, number: &str, is_selected: bool) {
    let tokens = tokens(ui);
    let painter = ui.painter();
    let radius = theme::RADIUS_KEY;
    if rect.width() >= NUMBERED_WIDTH {
        let font = theme::mono_bold(theme::SMALL);
        let line = styled_text::line(ui, number, font, tokens.text_strong, rect.width() - 8.0);
        styled_text::paint_line(painter, pos2(rect.left() + 8.0, rect.center().y), line);
    }
    if is_selected {
        painter.rect_stroke(rect, radius, (1.5, tokens.accent), StrokeKind::Inside);
    }
}

/// A call of an old and of a new file, which belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlignedBlock {
    /// Its numbers in the old and in the new file; `None` where the file has no such call.
    pub numbers: [Option<usize>; 2],
    pub is_changed: bool,
    /// Whether the files part in this call: it has the first difference that matters.
    pub is_first: bool,
    /// Name for screen readers.
    pub name: String,
}

impl AlignedBlock {
    /// Tone in the old and in the new strip: what was removed, what was added, and what changed.
    fn tone(&self) -> Tone {
        match self.numbers {
            [Some(_), None] => Tone::Error,
            [None, _] => Tone::Good,
            _ if self.is_changed => Tone::Note,
            _ => Tone::Plain,
        }
    }
}

/// Adds the strip of an old file over that of a new one, each with its title, and with a gap where a file has no such call. Returns the
/// block that the user chose, by its place from 0.
pub fn aligned_strips(
    ui: &mut Ui,
    titles: [&str; 2],
    blocks: &[AlignedBlock],
    selected: usize,
) -> Option<usize> {
    /// Width of the words before the strips.
    const TITLE_WIDTH: f32 = 44.0;
    const ROW_GAP: f32 = 4.0;
    let (rect, _) = allocate_row(ui, 2.0 * STRIP_HEIGHT + ROW_GAP, Sense::hover());
    let rows = [rect.top(), rect.top() + STRIP_HEIGHT + ROW_GAP];
    let rows = rows.map(|top| Rangef::new(top, top + STRIP_HEIGHT));
    for (row, title) in rows.into_iter().zip(titles) {
        let (font, color) = (theme::regular(theme::LABEL), tokens(ui).muted);
        let line = styled_text::line(ui, title, font, color, TITLE_WIDTH);
        styled_text::paint_line(ui.painter(), pos2(rect.left(), row.center()), line);
    }
    let id = ui.scope_id().with("aligned");
    let lengths = vec![CallBlock::default(); blocks.len()];
    let places = wide_blocks(&lengths, Rangef::new(rect.left() + TITLE_WIDTH, rect.right()));
    let mut chosen = None;
    for (index, (block, x)) in blocks.iter().zip(places).enumerate() {
        let response =
            ui.interact(Rect::from_x_y_ranges(x, rect.y_range()), id.with(index), Sense::click());
        let is_selected = index == selected;
        response.widget_info(|| WidgetInfo::selected(Role::Button, true, is_selected, &block.name));
        let places = rows.map(|y| Rect::from_x_y_ranges(x, y));
        paint_aligned(ui, block, places, is_selected);
        if block.is_first {
            paint_mark(ui, places);
        }
        if response.has_focus() {
            focus_ring_inside(ui, response.rect, theme::RADIUS_KEY);
        }
        if response.clicked() {
            chosen = Some(index);
        }
        response.on_hover_text(&block.name);
    }
    chosen
}

/// Paints a block of the old and of the new strip.
fn paint_aligned(ui: &Ui, block: &AlignedBlock, places: [Rect; 2], is_selected: bool) {
    for (place, number) in places.into_iter().zip(block.numbers) {
        if let Some(number) = number {
            paint_tinted(ui, place, block.tone());
            paint_label(ui, place, &thousands(number), is_selected);
        } else {
            let stroke = egui::Stroke::new(1.0, tokens(ui).line);
            ui.painter().extend(dashed_border(place, stroke, 3.0));
        }
    }
}

/// Paints the mark of the first difference: a line at the left of both blocks, with a triangle above.
fn paint_mark(ui: &Ui, [old, new]: [Rect; 2]) {
    let (painter, color) = (ui.painter(), tokens(ui).accent);
    let x = old.left() - BLOCK_GAP / 2.0;
    painter.vline(x, old.top()..=new.bottom(), (2.0, color));
    let top = old.top();
    let points = vec![pos2(x, top + 2.0), pos2(x - 5.0, top - 5.0), pos2(x + 5.0, top - 5.0)];
    painter.add(egui::Shape::convex_polygon(points, color, egui::Stroke::NONE));
}

/// Returns the edges of each block of a strip between two edges.
fn wide_blocks(blocks: &[CallBlock], x: Rangef) -> Vec<Rangef> {
    let count = blocks.len() as f32;
    let gap = if blocks.len() > 100 { 0.0 } else { BLOCK_GAP };
    let sum: f32 = blocks.iter().map(|block| block.length).sum();
    let is_timed = blocks.iter().all(|block| block.length > 0.0) && sum.is_finite();
    let room = (x.span() - gap * (count - 1.0).max(0.0)).max(count);
    // So that the number of a short call remains legible where there is room for it.
    let least = NUMBERED_WIDTH.min(room / count.max(1.0));
    let mut left = x.min;
    let place = |block: &CallBlock| {
        let share = if is_timed { block.length / sum } else { 1.0 / count };
        let width = least + (room - least * count) * share;
        let edges = Rangef::new(left, left + width);
        left += width + gap;
        edges
    };
    blocks.iter().map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(verdicts: &[(BlockVerdict, usize)]) -> Vec<CallBlock> {
        let repeat = |(verdict, count): &(BlockVerdict, usize)| vec![(*verdict).into(); *count];
        verdicts.iter().flat_map(repeat).collect()
    }

    #[test]
    fn a_label_counts_what_needs_attention_worst_first() {
        use BlockVerdict::{OrderDecides, OtherCall, Right, Wrong};
        for (verdicts, label) in [
            (&[(Right, 1)][..], "1 call"),
            (&[(Right, 4), (OrderDecides, 4)], "8 calls, 4 depend on order"),
            (
                &[(OtherCall, 1), (OrderDecides, 1), (Wrong, 2)],
                "4 calls, 2 fail, 1 depends on order, 1 is no model call",
            ),
        ] {
            assert_eq!(strip_label(&blocks(verdicts)), label);
        }
    }

    #[test]
    fn each_strip_in_a_row_fits_and_its_blocks_do_not_overlap() {
        use BlockVerdict::{Right, Wrong};
        for count in [1, 6, 7, 12, 13, 26, 27, 100, 10_000] {
            for mixed in [false, true] {
                let verdict = |at: usize| if mixed && at % 2 == 1 { Wrong } else { Right };
                let blocks: Vec<CallBlock> = (0..count).map(|at| verdict(at).into()).collect();
                let places = row_blocks(&blocks);
                let edges: Vec<f32> = places.iter().flat_map(|(_, x)| [x.min, x.max]).collect();
                assert!(edges.is_sorted(), "{count}: {edges:?}");
                let end = edges.last().copied().unwrap_or_default();
                let most = if count <= MAX_MEDIUM_BLOCKS { 168.0 } else { ROW_STRIP_WIDTH };
                assert!(end <= most + 0.1, "{count} calls end at {end}");
                assert!(places.iter().all(|(_, x)| x.span() >= MIN_BLOCK_WIDTH - 0.1), "{count}");
                assert_eq!(mixed && count > 1, places.iter().any(|(verdict, _)| *verdict == Wrong));
            }
        }
    }

    #[test]
    fn aligned_blocks_are_coloured_by_what_became_of_the_call() {
        let table = [
            ([Some(1), Some(2)], false, Tone::Plain),
            ([Some(1), Some(2)], true, Tone::Note),
            ([Some(1), None], true, Tone::Error),
            ([None, Some(2)], true, Tone::Good),
        ];
        for (numbers, is_changed, tone) in table {
            let block = AlignedBlock { numbers, is_changed, is_first: false, name: String::new() };
            assert_eq!(block.tone(), tone, "{numbers:?}");
        }
    }

    #[test]
    fn lengths_count_only_if_all_are_known() {
        let timed = |length| CallBlock { length, ..CallBlock::default() };
        let widths = |blocks: &[CallBlock]| -> Vec<f32> {
            row_blocks(blocks).iter().map(|(_, x)| x.span().round()).collect()
        };
        assert_eq!(widths(&[timed(1.0), timed(3.0)]), [14.0, 35.0]);
        assert_eq!(widths(&[timed(0.0), timed(3.0)]), [BLOCK_WIDTH, BLOCK_WIDTH]);
    }
}
