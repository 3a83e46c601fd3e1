//! Paints the editor of a decoded body over the desk: its content, and beside it what changes in the file.

use std::collections::HashSet;
use std::sync::Arc;

use egui::text::{LayoutJob, TextFormat};
use egui::{
    EventFilter, Frame, Galley, Margin, Panel, Pos2, Rect, ScrollArea, Sense, TextEdit, Ui,
    UiBuilder, pos2, vec2,
};

use super::content::{Section, SectionPart};
use super::drafts::DraftOutcome;
use super::edit_ui::{FIELD_KEYS, buttons_ui, field_id, focus_new_field, messages_ui, sheet_keys};
use super::inspector_data::{InspectorContent, InspectorData};
use super::inspector_ui::InspectorState;
use document::diff::text::TextDiff;
use document::text::{Source, counted};
use document::{FileKind, json};
use protocol::{PreviewKey, Revision};
use widgets::highlight::{Language, LineState, TokenClass};
use widgets::sheet::{DiffSheet, class_color, whole_sheet_ui};
use widgets::theme::{self, Tone, tokens};
use widgets::{Line, Row, RowShape, SidePanel, StyledText, icons};
use workbench::{Action, Actions, ChangePreview, DraftTarget, ValueDraft, ValueDrafts};

/// Height of a line of the content.
const LINE_HEIGHT: f32 = 22.0;
/// Width of the line numbers and the edge of changed lines.
const GUTTER_WIDTH: f32 = 68.0;
/// Initial width of what changes in the file.
const FILE_WIDTH: f32 = 400.0;
/// Below this width there is no room for it.
const MIN_WIDTH_WITH_FILE: f32 = 1_000.0;
/// Most lines of the file's change that are shown; the history shows all of a saved one.
const MAX_DIFF_LINES: usize = 400;

/// View of the text in the editor, made again when that changes.
#[derive(Default)]
pub(super) struct DecodedView {
    /// The text, and the width that its layout is for.
    laid_out: Option<(String, f32, Arc<Galley>)>,
    /// The text whose lines were compared and checked.
    checked: Option<CheckedText>,
    /// Whether long lines end outside the view.
    keeps_lines: bool,
    /// Counts the previews that were requested.
    number: u64,
    sheet: DiffSheet,
}

struct CheckedText {
    text: String,
    pointer: String,
    base: Revision,
    /// Whether each line differs from those of the file.
    is_changed: Vec<bool>,
    /// The line of the first fault from 0, and the fault.
    fault: Option<(usize, String)>,
}

impl InspectorState {
    /// Starts to edit the body of the answer, or else of the request.
    pub fn edit_decoded(
        &mut self,
        data: &InspectorData,
        drafts: &ValueDrafts,
        actions: &mut Actions,
    ) {
        let InspectorContent::Ready(ready) = &data.content else { return };
        let parts = ready.sections.iter().filter_map(|section| match section {
            Section::Turn(turn) => Some(&turn.parts),
            _ => None,
        });
        let layers = parts.flatten().filter_map(|part| match part {
            SectionPart::Layers(layers) if layers.is_text => Some(layers),
            _ => None,
        });
        if let Some(layers) = layers.max_by_key(|layers| layers.is_of_answer) {
            self.sections.drafts.load(drafts, data.id);
            self.sections.drafts.edit_body(layers, data, ready);
            self.sections.drafts.report(drafts, data.id, actions);
        }
    }
}

/// Whether a body of the file is being edited, which fills the desk.
pub fn edits_decoded(data: &InspectorData, drafts: &ValueDrafts) -> bool {
    drafts.open.iter().any(|draft| draft.path == data.path && is_shown(data)(draft))
}

/// Whether a draft is one of a body of the call that is shown.
fn is_shown(data: &InspectorData) -> impl Fn(&ValueDraft) -> bool {
    let call = data.call;
    move |draft| {
        draft.target == DraftTarget::Decoded
            && draft.body.as_ref().is_some_and(|body| body.call == call)
    }
}

/// Paints the editor in place of the desk and the inspector.
pub fn decoded_ui(
    ui: &mut Ui,
    data: &InspectorData,
    (drafts, preview): (&ValueDrafts, &ChangePreview),
    state: &mut InspectorState,
    actions: &mut Actions,
) {
    state.sections.drafts.load(drafts, data.id);
    let InspectorState { sections, decoded: view, .. } = state;
    let Some(draft) = sections.drafts.last_matching(data, is_shown(data)) else { return };
    view.check(draft, data, actions);
    let key = PreviewKey { doc: data.id, base: data.revision, number: view.number };
    if ui.available_width() >= MIN_WIDTH_WITH_FILE {
        let panel = SidePanel::right("decoded in the file", FILE_WIDTH, 320.0..=720.0);
        panel.show(ui, |ui| file_ui(ui, draft, preview.of(key), view, actions));
    }
    let id = field_id(draft);
    let mut outcome = sheet_keys(ui, id);
    let frame = Frame::new().fill(tokens(ui).panel).inner_margin(Margin::symmetric(16, 8));
    let foot = Panel::bottom("decoded actions").frame(frame).show_separator_line(false);
    foot.show(ui, |ui| outcome = outcome.or(foot_ui(ui, data, draft, view)));
    let frame = Frame::new().fill(tokens(ui).input);
    egui::CentralPanel::default().frame(frame).show(ui, |ui| {
        outcome = outcome.or(head_ui(ui, data, draft, view));
        content_ui(ui, draft, view);
    });
    let (node, target) = (draft.node, draft.target.clone());
    let outcome = outcome.unwrap_or(DraftOutcome::Open);
    if sections.drafts.handle_outcome(node, &target, outcome, data, actions) {
        // The field no longer exists, and commands would not get their keys.
        ui.memory_mut(|memory| memory.surrender_focus(id));
        let DecodedView { keeps_lines, number, .. } = *view;
        *view = DecodedView { keeps_lines, number, ..Default::default() };
        ui.request_repaint();
    }
    sections.drafts.report(drafts, data.id, actions);
}

impl DecodedView {
    /// Compares the lines with those of the file, finds the first fault, and requests what the file would become.
    fn check(&mut self, draft: &ValueDraft, data: &InspectorData, actions: &mut Actions) {
        let is_same = self.checked.as_ref().is_some_and(|checked| {
            checked.text == draft.text
                && checked.pointer == draft.pointer
                && checked.base == data.revision
        });
        if is_same {
            return;
        }
        let old_text = draft.body.as_ref().map_or("", |body| &*body.text);
        let fault = draft.body.as_ref().filter(|body| body.json.is_some()).and_then(|_| {
            let (_, problems) = json::parse(&Source::new(&*draft.text));
            let problem = problems.first()?;
            Some((problem.place.line as usize - 1, problem.message.to_string()))
        });
        if fault.is_none()
            && let Ok(Some(change)) = draft.edit()
        {
            self.number += 1;
            let key = PreviewKey { doc: data.id, base: data.revision, number: self.number };
            actions.push(Action::PreviewChange(key, change));
        }
        self.checked = Some(CheckedText {
            is_changed: changed_lines(old_text, &draft.text),
            text: draft.text.clone(),
            pointer: draft.pointer.clone(),
            base: data.revision,
            fault,
        });
    }
}

/// Returns whether each line of the new text is between the equal beginning and the equal end, and not a line of the old text.
fn changed_lines(old: &str, new: &str) -> Vec<bool> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.split('\n').collect(), new.split('\n').collect());
    let start = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let ends = old[start..].iter().rev().zip(new[start..].iter().rev());
    let end = new.len() - ends.take_while(|(a, b)| a == b).count();
    let known: HashSet<&str> = old.into_iter().collect();
    let is_changed =
        |(index, line): (usize, &&str)| (start..end).contains(&index) && !known.contains(*line);
    new.iter().enumerate().map(is_changed).collect()
}

fn head_ui(
    ui: &mut Ui,
    data: &InspectorData,
    draft: &ValueDraft,
    view: &mut DecodedView,
) -> Option<DraftOutcome> {
    let tokens = tokens(ui);
    let (rect, _) = widgets::allocate_row(ui, theme::DESK_HEADER, Sense::hover());
    let ground = RowShape { hair: true, ..RowShape::ONE_LINE };
    Row::default().fill(tokens.desk).show_at(ui, &ground, rect);
    let inner = rect.shrink2(vec2(10.0, 0.0));
    let ((), end) = widgets::place_right(ui, inner, |ui| {
        let wrap = widgets::Button::ghost("Wrap").icon(icons::WRAP_TEXT).on(!view.keeps_lines);
        if ui.add(wrap).clicked() {
            view.keeps_lines = !view.keeps_lines;
        }
    });
    widgets::place_left(ui, inner.with_max_x(end), |ui| {
        let is_left = widgets::icon_button(ui, icons::ARROW_LEFT, "Back without changes").clicked();
        ui.add_space(theme::GAP);
        let [before, own, after] = &data.title.parts;
        let mono = theme::mono(theme::LABEL);
        let side = draft.body.as_ref().is_some_and(|body| body.is_answer);
        let call = data.call.map_or(String::new(), |call| format!(" of call {}", call + 1));
        let note = format!("{}{call}", if side { "answer" } else { "request" });
        let line = StyledText::new()
            .with(before, mono.clone(), tokens.muted)
            .with(own, theme::mono_bold(theme::LABEL), tokens.text_strong)
            .with(after, mono, tokens.muted)
            .after(theme::GAP, &note, theme::regular(theme::BODY), tokens.muted)
            .galley(ui, ui.available_width());
        ui.label(line);
        is_left.then_some(DraftOutcome::Cancel)
    })
}

/// Paints whether the content is valid, and the buttons.
fn foot_ui(
    ui: &mut Ui,
    data: &InspectorData,
    draft: &ValueDraft,
    view: &DecodedView,
) -> Option<DraftOutcome> {
    messages_ui(ui, draft);
    let is_json = draft.body.as_ref().is_some_and(|body| body.json.is_some());
    let fault = view.checked.as_ref().and_then(|checked| checked.fault.as_ref());
    let (icon, tone, words) = match fault {
        Some((line, fault)) => {
            (icons::CIRCLE_X, Tone::Error, format!("Line {}: {fault}", line + 1))
        }
        None if is_json => (icons::CIRCLE_CHECK, Tone::Good, "Valid JSON".to_owned()),
        None => ("", Tone::Plain, "Not JSON: it is put back as it is.".to_owned()),
    };
    let file = if data.kind == FileKind::Cassette { "cassette" } else { "file" };
    let (rect, _) = widgets::allocate_row(ui, theme::TOOL_ROW, Sense::hover());
    let label = format!("Put back into the {file}");
    let reason = fault.map(|_| words.as_str());
    let (outcome, end) =
        widgets::place_right(ui, rect, |ui| buttons_ui(ui, draft, (&label, reason)));
    let place = rect.with_max_x(end - theme::GAP);
    let line = Line::new(&words, theme::regular(theme::BODY), tokens(ui).text);
    line.icon(icon, tokens(ui).tone(tone)).show_in(ui, place);
    let response = ui.interact(place, ui.auto_id_with("validity"), Sense::hover());
    widgets::describe(&response, egui::Role::Label, &words);
    outcome
}

fn content_ui(ui: &mut Ui, draft: &mut ValueDraft, view: &mut DecodedView) {
    let id = field_id(draft);
    let name = draft.name();
    focus_new_field(ui, id, draft);
    let wraps = !view.keeps_lines;
    // Within the area there is no end of the height.
    let size = ui.available_size() - vec2(GUTTER_WIDTH + 16.0, 0.0);
    let area = ScrollArea::new([!wraps, true]).auto_shrink(false).id_salt(id);
    area.show(ui, |ui| {
        let left = ui.max_rect().left();
        // The line below the last has room for a horizontal scroll bar.
        let margin = Margin { left: 0, right: 16, top: 8, bottom: 24 };
        let builder = UiBuilder::new().max_rect(ui.max_rect().with_min_x(left + GUTTER_WIDTH));
        let back = ui.painter().add(egui::Shape::Noop);
        let laid_out = &mut view.laid_out;
        let mut layouter = |ui: &Ui, text: &dyn egui::TextBuffer, width: f32| {
            let width = if wraps { width } else { f32::INFINITY };
            layout(ui, text.as_str(), width, laid_out)
        };
        let edit = TextEdit::multiline(&mut draft.text)
            .id(id)
            .frame(Frame::NONE)
            .margin(margin)
            .desired_width(size.x)
            .min_size(size)
            // Tab leads to the buttons.
            .event_filter(EventFilter { tab: false, ..FIELD_KEYS })
            .layouter(&mut layouter);
        let output = ui.scope_builder(builder, |ui| edit.show(ui)).inner;
        let response = output.response.response;
        if response.changed() {
            draft.on_typed();
        }
        response.accessible_name(name);
        if let Some(checked) = &view.checked {
            let shapes = lines_ui(ui, &output.galley, pos2(left, output.galley_pos.y), checked);
            ui.painter().set(back, shapes);
        }
    });
}

/// Paints the numbers of the lines and the edge of changed ones. Returns what is behind the text.
fn lines_ui(ui: &Ui, galley: &Galley, at: Pos2, checked: &CheckedText) -> Vec<egui::Shape> {
    let tokens = tokens(ui);
    let clip = ui.clip_rect();
    let mut shapes = Vec::new();
    let (mut line, mut begins) = (0, true);
    for row in &galley.rows {
        let y = at.y + row.pos.y;
        let place = Rect::from_min_size(pos2(clip.left(), y), vec2(clip.width(), LINE_HEIGHT));
        if clip.intersects(place) {
            if checked.fault.as_ref().is_some_and(|(fault, _)| *fault == line) {
                shapes.push(egui::Shape::rect_filled(place, 0.0, tokens.error_tint));
            }
            if begins {
                let number = (line + 1).to_string();
                let font = theme::mono(theme::SMALL);
                let number = widgets::line(ui, &number, font, tokens.muted, GUTTER_WIDTH);
                let end = pos2(clip.left() + 40.0, place.center().y);
                widgets::paint_line_right(ui.painter(), end, number);
            }
            if checked.is_changed.get(line).copied().unwrap_or_default() {
                let edge = place.with_min_x(clip.left() + 52.0).with_max_x(clip.left() + 55.0);
                ui.painter().rect_filled(edge, 0.0, tokens.good);
            }
        }
        begins = row.ends_with_newline;
        line += usize::from(begins);
    }
    shapes
}

fn layout(
    ui: &Ui,
    text: &str,
    width: f32,
    laid_out: &mut Option<(String, f32, Arc<Galley>)>,
) -> Arc<Galley> {
    if let Some((old_text, old_width, galley)) = laid_out
        && old_text == text
        && *old_width == width
    {
        return Arc::clone(galley);
    }
    let tokens = tokens(ui);
    let mut job = LayoutJob::default();
    job.wrap.max_width = width;
    let format = |class| TextFormat {
        line_height: Some(LINE_HEIGHT),
        ..TextFormat::simple(theme::mono(theme::ROW), class_color(tokens, class, Language::Json))
    };
    for line in text.split_inclusive('\n') {
        let mut at = 0;
        for (range, class) in Language::Json.classes(line, LineState::Code) {
            job.append(&line[at..range.start], 0.0, format(TokenClass::Plain));
            job.append(&line[range.clone()], 0.0, format(class));
            at = range.end;
        }
        job.append(&line[at..], 0.0, format(TokenClass::Plain));
    }
    let galley = ui.fonts_mut(|fonts| fonts.layout_job(job));
    *laid_out = Some((text.to_owned(), width, Arc::clone(&galley)));
    galley
}

/// Paints what changes in the file.
fn file_ui(
    ui: &mut Ui,
    draft: &ValueDraft,
    preview: Option<&Result<Arc<TextDiff>, String>>,
    view: &mut DecodedView,
    actions: &mut Actions,
) {
    let tokens = tokens(ui);
    let is_changed = !matches!(draft.edit(), Ok(None));
    let diff = preview.filter(|_| is_changed);
    let changes = diff.and_then(|diff| diff.as_ref().ok()).map(|diff| &diff.changes);
    let note = match changes.into_iter().flatten().map(|change| change.rows.len()).sum() {
        0 => "nothing changes".to_owned(),
        lines => format!("{} change", counted(lines, "line", "lines")),
    };
    let line = StyledText::of("In the file", tokens.title()).with_gap(&note, tokens.muted_body());
    let response = Line::from(line).show(ui, theme::DESK_HEADER);
    widgets::line_below(ui, response.rect);
    widgets::describe(&response, egui::Role::Label, &format!("In the file, {note}"));
    match diff {
        Some(Ok(diff)) => {
            let sheet = view.sheet.of(diff, Language::Yaml, MAX_DIFF_LINES);
            let area = ScrollArea::vertical().auto_shrink([false, true]);
            area.show(ui, |ui| whole_sheet_ui(ui, &sheet, actions));
        }
        Some(Err(reason)) => {
            widgets::banner(ui, Tone::Error, icons::CIRCLE_X, "It cannot be put back.", reason);
        }
        None => {}
    }
    if let Some(body) = &draft.body {
        Line::detail(&body.layers, tokens)
            .icon(icons::LAYERS, tokens.muted)
            .show(ui, theme::TOOL_ROW);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_new_are_changed() {
        let marks = |new: &str| {
            let marks = changed_lines("a\nb\nc", new).into_iter();
            marks.map(|is_changed| if is_changed { '+' } else { '.' }).collect::<String>()
        };
        for (new, expected) in
            [("a\nb\nc", "..."), ("a\nx\nc", ".+."), ("a\nb\nx\nc", "..+."), ("c", "."), ("", "+")]
        {
            assert_eq!(marks(new), expected, "{new}");
        }
    }
}
