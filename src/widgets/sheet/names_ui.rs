//! Paints the parts of a comparison that are not text: signatures, headings, and ignored differences.

use egui::{Rect, Role, Sense, Stroke, Ui, WidgetInfo, pos2};

use super::layout::{COUNT_GAP, EntryCanvas, NAME_ROW_HEIGHT};
use super::{SheetContent, SheetEntry};
use crate::StyledText;
use crate::icons;
use crate::theme::{self, tokens};
use compare::recordings::{CallSection, RecordingComparison, SectionKind};
use compare::signature::{KeyComparison, MatchingClient, NameRow};
use document::diff::Side;
use document::text::{counted, visible};
use workbench::{Action, DiffLayout};

/// Width of the column with the sign between two names.
pub(super) const SIGN_WIDTH: f32 = 28.0;
/// Left edge of names within their side.
const NAMES_LEFT: f32 = theme::PADDING + theme::TEXT_LINE;

pub(super) fn entry_ui(ui: &mut Ui, canvas: &mut EntryCanvas<'_>, entry: SheetEntry) {
    let (sheet, rect) = (canvas.sheet, canvas.rect);
    let SheetContent::Calls(calls) = &sheet.content else { return };
    if let SheetEntry::Heading(section) = entry {
        if let Some(call_section) = calls.sections.get(section) {
            let id = canvas.id.with(("heading", section, canvas.side));
            heading_ui(ui, canvas, (calls, call_section, id));
        }
        return;
    }
    // All other entries span both sides.
    if canvas.side == Side::Right {
        return;
    }
    let signatures = &calls.signatures;
    let equality_icon = |differs: bool| {
        if differs { icons::EQUAL_NOT } else { icons::EQUAL }
    };
    match entry {
        SheetEntry::Signatures => signatures_ui(ui, calls, rect),
        SheetEntry::Tool(row) => {
            if let Some(names) = signatures.tools.get(row) {
                let names = (names, KeyComparison::Compared);
                names_row_ui(ui, canvas, names, ("tool", row));
            }
        }
        SheetEntry::ContextKey(row) => {
            if let Some(names) = signatures.context_keys.get(row) {
                let comparison = signatures.key_comparison(names, MatchingClient::Shipped);
                names_row_ui(ui, canvas, (names, comparison), ("context key", row));
            }
        }
        SheetEntry::MessageCount => {
            let hair = Stroke::new(1.0, canvas.tokens.hair);
            ui.painter().hline(rect.x_range(), rect.top() + COUNT_GAP / 2.0 + 0.5, hair);
            let counts = Side::BOTH.map(|side| signatures.side(side).own_signature().message_count);
            let words = counts.map(|count| counted(count as usize, "message", "messages"));
            let row =
                Rect::from_min_max(pos2(rect.left(), rect.bottom() - NAME_ROW_HEIGHT), rect.max);
            pair_ui(ui, canvas, [&words[0], &words[1]], equality_icon(counts[0] != counts[1]), row);
        }
        SheetEntry::NoContextKeys => {
            pair_ui(ui, canvas, ["no context keys"; 2], icons::EQUAL, rect);
        }
        SheetEntry::IgnoredHeading { open } => ignored_heading(ui, canvas, calls, open),
        SheetEntry::IgnoredRow(index) => ignored_row_ui(ui, canvas, calls, index),
        _ => {}
    }
}

fn signatures_ui(ui: &Ui, calls: &RecordingComparison, rect: Rect) {
    let tokens = tokens(ui);
    crate::line_above(ui, rect);
    let signatures = &calls.signatures;
    let [left, right] = Side::BOTH.map(|side| signatures.side(side).origin());
    let title = if calls.is_judged { "Signatures" } else { "Offered tools" };
    let origin = if !calls.is_judged {
        String::new()
    } else if left == right {
        left.to_owned()
    } else {
        format!("left {left}; right {right}")
    };
    let middle = rect.center().y;
    let font = || theme::regular(theme::LABEL);
    let origin = crate::line(ui, &origin, font(), tokens.muted, rect.width() * 0.6);
    let right = rect.right() - theme::PADDING;
    let room = right - origin.size().x - theme::GAP - rect.left() - NAMES_LEFT;
    crate::paint_line_right(ui.painter(), pos2(right, middle), origin);
    let icon = pos2(rect.left() + theme::PADDING + 7.0, middle);
    crate::paint_icon(ui.painter(), icon, icons::FINGERPRINT, theme::ICON, tokens.muted);
    let words = StyledText::new()
        .with(title, theme::medium(theme::ROW), tokens.text)
        .with_gap(&signatures.counts(), (font(), tokens.muted))
        .galley(ui, room);
    crate::paint_line(ui.painter(), pos2(rect.left() + NAMES_LEFT + 2.0, middle), words);
}

/// Returns the two halves of a row of names, with room for the sign between them.
fn halves(canvas: &EntryCanvas<'_>, rect: Rect) -> [Rect; 2] {
    let middle = canvas.columns.left.max;
    [
        Rect::from_x_y_ranges(rect.left()..=middle - SIGN_WIDTH / 2.0, rect.y_range()),
        Rect::from_x_y_ranges(middle + SIGN_WIDTH / 2.0..=rect.right(), rect.y_range()),
    ]
}

fn names_row_ui(
    ui: &Ui,
    canvas: &EntryCanvas<'_>,
    (names, comparison): (&NameRow, KeyComparison),
    id: (&'static str, usize),
) {
    let (tokens, rect) = (canvas.tokens, canvas.rect);
    let is_compared = comparison == KeyComparison::Compared;
    let (sign, color) = match names {
        // A key that no client compares is neither equal nor different.
        NameRow::Both(_) if !is_compared => ("", tokens.muted),
        NameRow::Both(_) => (icons::EQUAL, tokens.muted),
        NameRow::Only(Side::Left, _) => (icons::MINUS, tokens.error),
        NameRow::Only(Side::Right, _) => (icons::PLUS, tokens.error),
        NameRow::Instead(..) => (icons::EQUAL_NOT, tokens.error),
    };
    for (side, half) in Side::BOTH.into_iter().zip(halves(canvas, rect)) {
        let left = canvas.columns.side(side).min + NAMES_LEFT;
        let room = half.right() - left;
        let Some(name) = names.name(side) else {
            let line = crate::line(ui, "none", theme::mono(theme::LABEL), tokens.muted, room);
            crate::paint_line(ui.painter(), pos2(left, half.center().y), line);
            continue;
        };
        if is_compared && !matches!(names, NameRow::Both(_)) {
            let ground = match side {
                Side::Left => tokens.removed_line,
                Side::Right => tokens.added_line,
            };
            ui.painter().rect_filled(half, 0.0, ground);
        }
        let prefix = machine::tool_prefix(name);
        let rest = name.strip_prefix(prefix).unwrap_or(name);
        let font = || theme::mono(theme::ROW);
        let line = StyledText::new()
            .with(prefix, font(), tokens.muted)
            .with(&visible(rest), font(), tokens.text_strong)
            .galley(ui, room);
        // Tools differ in the part after the prefix.
        let line = if line.elided {
            crate::line(ui, &visible(rest), font(), tokens.text_strong, room)
        } else {
            line
        };
        crate::paint_line(ui.painter(), pos2(left, half.center().y), line);
    }
    let color = if is_compared { color } else { tokens.muted };
    sign_between(ui, canvas, rect, sign, color);
    let accessible_name = match names {
        NameRow::Both(name) => format!("{name}, in both"),
        NameRow::Only(side, name) => format!("{name}, only {}", side.as_str()),
        NameRow::Instead(left, right) => format!("{left} left, {right} right"),
    };
    let accessible_name = accessible_name + comparison.remark();
    let response = ui.interact(rect, canvas.id.with(id), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &accessible_name));
}

fn pair_ui(ui: &Ui, canvas: &EntryCanvas<'_>, words: [&str; 2], sign: &str, rect: Rect) {
    let tokens = canvas.tokens;
    for ((side, half), words) in Side::BOTH.into_iter().zip(halves(canvas, rect)).zip(words) {
        let left = canvas.columns.side(side).min + NAMES_LEFT;
        let font = theme::mono(theme::ROW);
        let line = crate::line(ui, words, font, tokens.text_strong, half.right() - left);
        crate::paint_line(ui.painter(), pos2(left, rect.center().y), line);
    }
    let color = if sign == icons::EQUAL { tokens.muted } else { tokens.error };
    sign_between(ui, canvas, rect, sign, color);
}

/// Draws the sign in the middle, and interrupts the line between the sides there.
fn sign_between(ui: &Ui, canvas: &EntryCanvas<'_>, rect: Rect, sign: &str, color: egui::Color32) {
    let at = pos2(canvas.columns.left.max, rect.center().y);
    // The sign would be hard to read on the line between the sides.
    let ground = Rect::from_center_size(at, egui::vec2(SIGN_WIDTH, theme::ICON + 6.0));
    ui.painter().rect_filled(ground, 0.0, canvas.tokens.desk);
    crate::paint_icon(ui.painter(), at, sign, theme::ICON, color);
}

fn heading_ui(
    ui: &Ui,
    canvas: &EntryCanvas<'_>,
    (calls, section, id): (&RecordingComparison, &CallSection, egui::Id),
) {
    let (tokens, side, column) = (canvas.tokens, canvas.side, canvas.column());
    crate::line_above(ui, column);
    crate::line_below(ui, column);
    let [left, right] = &section.notes;
    let note = match (canvas.sheet.pane, side) {
        (DiffLayout::Unified, _) if left.is_empty() => right.clone(),
        (DiffLayout::Unified, _) if right.is_empty() || left == right => left.clone(),
        (DiffLayout::Unified, _) => format!("{left} → {right}"),
        (DiffLayout::SideBySide, Side::Left) => left.clone(),
        (DiffLayout::SideBySide, Side::Right) => right.clone(),
    };
    let is_absent =
        section.pointers[side as usize].is_none() && section.diff.source(side).text().is_empty();
    let is_split = canvas.sheet.pane == DiffLayout::SideBySide;
    let note = if is_absent && is_split { "none".into() } else { visible(&note) };
    let middle = column.center().y;
    let mut right = column.right() - theme::PADDING;
    let millis = calls.facts(side).answer_millis.filter(|_| section.kind == SectionKind::Answer);
    // In the unified view there is no side to which a time would belong.
    if let Some(millis) = millis.filter(|_| is_split) {
        let time = format!("{:.1} s", millis as f64 / 1000.0);
        let line =
            crate::line(ui, &time, theme::regular(theme::LABEL), tokens.muted, f32::INFINITY);
        let width = line.size().x;
        crate::paint_line_right(ui.painter(), pos2(right, middle), line);
        right -= width + theme::GAP;
    }
    let icon = match section.kind {
        SectionKind::System => icons::SETTINGS,
        SectionKind::Message => icons::USER,
        SectionKind::Context => icons::BRACES,
        SectionKind::Tool => icons::WRENCH,
        SectionKind::Reasoning | SectionKind::Answer => icons::SPARKLES,
        SectionKind::ToolCall => icons::ARROW_RIGHT,
        SectionKind::Timing => icons::CLOCK,
        SectionKind::Other => icons::ASTERISK,
    };
    let at = pos2(column.left() + theme::PADDING + 7.0, middle);
    crate::paint_icon(ui.painter(), at, icon, theme::ICON, tokens.muted);
    let left = column.left() + NAMES_LEFT + 2.0;
    let words = StyledText::new()
        .with(section.title, theme::medium(theme::ROW), tokens.text)
        .with_gap(&note, tokens.label())
        .galley(ui, right - left);
    crate::paint_line(ui.painter(), pos2(left, middle), words);
    let accessible_name = format!("{} {note}", section.title);
    let response = ui.interact(column, id, Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Heading, true, &accessible_name));
}

fn ignored_heading(ui: &Ui, canvas: &mut EntryCanvas<'_>, calls: &RecordingComparison, open: bool) {
    let (tokens, rect) = (canvas.tokens, canvas.rect);
    crate::line_above(ui, rect);
    let response = ui.interact(rect, canvas.id.with("ignored"), Sense::click());
    let words = format!("{} ignored", calls.ignored_summary);
    let verb = if open { "Hide" } else { "Show" };
    response.widget_info(|| {
        WidgetInfo::labeled(Role::Button, ui.is_enabled(), format!("{verb}: {words}"))
    });
    let content = rect.shrink2(egui::vec2(theme::PADDING, 0.0));
    crate::paint_icon_word(ui, content, (icons::VOLUME_X, tokens.muted), (&words, tokens.muted));
    let color = if response.hovered() { tokens.text_strong } else { tokens.accent };
    let line = crate::line(ui, verb, theme::regular(theme::ROW), color, f32::INFINITY);
    crate::paint_line_right(ui.painter(), content.right_center(), line);
    if response.has_focus() {
        crate::focus_ring_inside(ui, rect, 0);
    }
    if response.clicked() {
        // The number after the last section stands for the ignored differences.
        let section = calls.sections.len();
        canvas.actions.push(Action::ToggleFold { section, fold: 0 });
    }
}

fn ignored_row_ui(ui: &Ui, canvas: &EntryCanvas<'_>, calls: &RecordingComparison, index: usize) {
    let rect = canvas.rect;
    let Some(ignored_value) = calls.ignored.get(index) else { return };
    let tokens = canvas.tokens;
    for (side, half) in Side::BOTH.into_iter().zip(halves(canvas, rect)) {
        let value = [&ignored_value.left, &ignored_value.right][side as usize];
        let value = value.as_deref().map_or("none".into(), visible);
        let left = canvas.columns.side(side).min + NAMES_LEFT + 2.0;
        let line = StyledText::of(&ignored_value.name, tokens.label())
            .with_gap(&value, tokens.muted_data())
            .galley(ui, half.right() - left);
        crate::paint_line(ui.painter(), pos2(left, half.center().y), line);
    }
    let accessible_name = format!("{} {}", ignored_value.name, ignored_value.pointer);
    let response = ui.interact(rect, canvas.id.with(("ignored", index)), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &accessible_name));
}
