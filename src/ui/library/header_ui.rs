//! Paints what is above the list: all items by status, and the findings.

use egui::{Color32, Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};

use super::findings::FindingRow;
use super::library_data::{LibraryData, filter_by_rule, is_chosen};
use crate::inspector::paint;
use calls::ItemStatus;
use document::RuleId;
use document::text::{counted, thousands};
use widgets::icons;
use widgets::theme::{self, Tone, tokens};
use widgets::{Button, Segment, StyledText};
use workbench::{Action, Actions, Command};

/// Height of the bar of statuses.
const BAR_HEIGHT: f32 = 8.0;
/// Width of the gap between two parts of the bar.
const BAR_GAP: f32 = 2.0;
/// Height of a finding.
const FINDING_HEIGHT: f32 = 36.0;
/// Height of the line that opens the findings that are not shown.
const REST_HEIGHT: f32 = 28.0;
/// Number of findings shown at once.
const MAX_FINDINGS: usize = 3;
/// Below this height only one finding is shown at once.
const MIN_FULL_HEIGHT: f32 = 560.0;

/// The findings that are shown.
#[derive(Debug, Default)]
pub(super) struct FindingsView {
    is_open: bool,
    /// Whether the place of the findings is reserved, so that the list below does not move under the pointer.
    is_reserved: bool,
}

/// Draws the bar, the filters by status and the findings.
pub(super) fn header_ui(
    ui: &mut Ui,
    data: &LibraryData<'_>,
    note: (&str, bool),
    view: &mut FindingsView,
    actions: &mut Actions,
) {
    let is_low = ui.available_height() < MIN_FULL_HEIGHT;
    let visible_count = if is_low { 1 } else { MAX_FINDINGS };
    let statuses: Vec<(ItemStatus, usize)> = data.list.listing.passed.by_status().collect();
    let (_, open_count) = data.counts();
    if data.lists_cassettes() {
        rules_ui(ui, data, note, actions);
    } else if open_count > 0 {
        ui.add_space(theme::ICON_GAP);
        bar_ui(ui, &statuses, actions);
        filters_ui(ui, data, &statuses, note, actions);
    }
    let top = ui.cursor().top();
    if !data.reading {
        findings_ui(ui, data, visible_count, &mut view.is_open, actions);
    }
    // Findings appear when everything was read; room that they do not fill is released when the pointer leaves the list.
    let pointer = ui.ctx().pointer_latest_pos();
    let is_over_list = pointer.is_some_and(|p| ui.available_rect_before_wrap().contains(p));
    view.is_reserved = data.reading || view.is_reserved && is_over_list;
    let bottom = top + visible_count as f32 * FINDING_HEIGHT + REST_HEIGHT;
    if view.is_reserved && open_count > 0 {
        ui.add_space((bottom - ui.cursor().top()).max(0.0));
    }
}

/// Draws the findings, the first of them open.
fn findings_ui(
    ui: &mut Ui,
    data: &LibraryData<'_>,
    visible_count: usize,
    is_open: &mut bool,
    actions: &mut Actions,
) {
    let findings = data.findings();
    // A line for the rest is not worth it for one finding.
    let visible_count = if findings.len() == visible_count + 1 && visible_count == MAX_FINDINGS {
        visible_count + 1
    } else {
        visible_count
    };
    let (first, rest) = findings.split_at(visible_count.min(findings.len()));
    for (number, finding) in first.iter().enumerate() {
        finding_ui(ui, number, finding, actions);
    }
    // An empty project is not called healthy.
    if findings.is_empty() && data.counts().1 > 0 {
        let mut statuses = data.list.listing.passed.by_status();
        // Files in a form that is not read may have problems, too.
        let foreign = statuses.find(|(status, _)| *status == ItemStatus::Foreign);
        healthy_ui(ui, foreign.map_or(0, |(_, count)| count));
    }
    if rest.is_empty() {
        return;
    }
    if rest_ui(ui, rest, *is_open) {
        *is_open = !*is_open;
    }
    if *is_open {
        // Whole rows, so that none is cut; the others are reached by scrolling.
        let max_height =
            (ui.available_height() / 2.0 / FINDING_HEIGHT).floor().max(1.0) * FINDING_HEIGHT;
        egui::ScrollArea::vertical().max_height(max_height).id_salt("more findings").show(
            ui,
            |ui| {
                ui.spacing_mut().item_spacing.y = 0.0;
                for (number, finding) in rest.iter().enumerate() {
                    finding_ui(ui, visible_count + number, finding, actions);
                }
            },
        );
    }
}

fn bar_ui(ui: &mut Ui, statuses: &[(ItemStatus, usize)], actions: &mut Actions) {
    let (row, _) = widgets::allocate_row(ui, BAR_HEIGHT, Sense::hover());
    let row = row.shrink2(vec2(theme::PADDING, 0.0));
    let total: usize = statuses.iter().map(|(_, count)| count).sum();
    let gaps = BAR_GAP * statuses.len().saturating_sub(1) as f32;
    // Each part of the bar is at least as wide as it is high; the parts share what is left.
    let room = row.width() - gaps - BAR_HEIGHT * statuses.len() as f32;
    let mut left = row.left();
    for (status, count) in statuses {
        let width = BAR_HEIGHT + room.max(0.0) * *count as f32 / total.max(1) as f32;
        let part = Rect::from_min_size(pos2(left, row.top()), vec2(width, BAR_HEIGHT));
        left = part.right() + BAR_GAP;
        ui.painter().rect_filled(part, 2.0, color_of(ui, *status));
        // The filters below do the same for the keyboard and for screen readers.
        let response = ui.interact(part, ui.scope_id().with(("status", *status)), Sense::CLICK);
        widgets::on_click(&response, Action::ShowStatus(Some(*status)), actions);
        let words = format!("{} {}", status.label(), thousands(*count));
        widgets::tip(response, &words, &[] as &[&str]);
    }
}

/// The color of a status in the bar. What is less urgent than its neighbour has half its strength.
fn color_of(ui: &Ui, status: ItemStatus) -> Color32 {
    let colors = tokens(ui);
    let (_, tone) = widgets::status_look(status);
    match (status, tone) {
        (ItemStatus::Ok, _) => colors.tone(Tone::Good).gamma_multiply(0.5),
        (ItemStatus::Stale | ItemStatus::Pending, tone) => colors.tone(tone).gamma_multiply(0.5),
        (_, Tone::Plain) => colors.strong,
        (_, tone) => colors.tone(tone),
    }
}

fn filters_ui(
    ui: &mut Ui,
    data: &LibraryData<'_>,
    statuses: &[(ItemStatus, usize)],
    note: (&str, bool),
    actions: &mut Actions,
) {
    let all_choice = (None, "All", data.list.listing.passed.all);
    let status_choices =
        statuses.iter().map(|(status, count)| (Some(*status), status.label(), *count));
    let choices: Vec<_> = [all_choice].into_iter().chain(status_choices).collect();
    let counts: Vec<String> = choices.iter().map(|(.., count)| thousands(*count)).collect();
    let segments: Vec<Segment<'_>> = (choices.iter().zip(&counts))
        .map(|((status, word, _), count)| {
            let segment = Segment::text(word).count(count);
            match status.map(widgets::status_look) {
                Some((icon, tone)) => segment.icon(icon, Some(tone)),
                None => segment,
            }
        })
        .collect();
    let selection = choices.iter().position(|(status, ..)| *status == data.list.status);
    if let Some(index) = segments_ui(ui, &segments, selection, note) {
        actions.push(Action::ShowStatus(choices[index].0));
    }
}

/// Draws a choice of filters. Returns the index of the clicked one.
fn segments_ui(
    ui: &mut Ui,
    segments: &[Segment<'_>],
    selection: Option<usize>,
    note: (&str, bool),
) -> Option<usize> {
    ui.add_space(theme::GAP);
    let rect = ui.available_rect_before_wrap().shrink2(vec2(theme::PADDING, 0.0));
    let filters = |ui: &mut Ui| widgets::filters(ui, segments, selection, note);
    let index = ui.scope_builder(egui::UiBuilder::new().max_rect(rect), filters).inner;
    ui.add_space(theme::GAP);
    index
}

/// Draws the filters of a list of cassettes: all, and what each of some rules reports.
fn rules_ui(ui: &mut Ui, data: &LibraryData<'_>, note: (&str, bool), actions: &mut Actions) {
    let all_choice = (None, data.list.listing.totals.all);
    let rules = data.rules().into_iter().map(|(rule, count)| (Some(rule), count));
    let choices: Vec<(Option<RuleId>, String)> = [all_choice]
        .into_iter()
        .chain(rules)
        .map(|(rule, count)| (rule, thousands(count)))
        .collect();
    let segments: Vec<Segment<'_>> = choices
        .iter()
        .map(|(rule, count)| {
            let (icon, tone, word) = match rule {
                None => return Segment::text("All").count(count),
                Some(RuleId::CallAmbiguous) => (icons::SHUFFLE, Tone::Warning, "Ambiguous"),
                Some(RuleId::RecordedError) => (icons::SERVER_CRASH, Tone::Error, "Errors"),
                Some(RuleId::Secret) => (icons::KEY_ROUND, Tone::Error, "Secrets"),
                // The fourth of `CASSETTE_RULES` is about cassettes without a test.
                Some(_) => (icons::UNLINK, Tone::Note, "No test"),
            };
            Segment::text(word).icon(icon, Some(tone)).count(count)
        })
        .collect();
    let selection = choices.iter().position(|(rule, _)| is_chosen(&data.list.query, *rule));
    if let Some(index) = segments_ui(ui, &segments, selection, note) {
        let filter = filter_by_rule(data.list.query.clone(), choices[index].0);
        actions.push(Action::SetFilter(filter));
    }
}

fn finding_ui(ui: &mut Ui, number: usize, finding: &FindingRow, actions: &mut Actions) {
    let rect = row(ui, FINDING_HEIGHT);
    let (is_clicked, end) = widgets::place_right(ui, rect, |ui| {
        let mut button = Button::secondary(&finding.button).icon(finding.icon);
        if let Some(command) = Command::finding(number) {
            button = button.keys_of(command).tooltip(command.tooltip());
        }
        ui.add(button).clicked()
    });
    if is_clicked {
        actions.push(Action::ActOnFinding(finding.kind.clone()));
    }
    let color = tokens(ui).tone(widgets::severity_tone(finding.severity));
    let rect = rect.with_max_x(end - theme::GAP);
    line_ui(ui, rect, (finding.sign, color), sentence(ui, finding), &finding.sentence());
}

/// The quiet line of a project without findings, of which some files were not read.
fn healthy_ui(ui: &mut Ui, unread_count: usize) {
    let (icon, tone, words) = match unread_count {
        0 => (icons::CIRCLE_CHECK, Tone::Good, "Nothing to fix".to_owned()),
        count => {
            let files = counted(count, "listed file is", "listed files are");
            let words = "Nothing to fix in what was read";
            (icons::INFO, Tone::Plain, format!("{words}; {files} in a form that is not read"))
        }
    };
    let rect = row(ui, REST_HEIGHT);
    let colors = tokens(ui);
    let line = StyledText::new().with(&words, theme::regular(theme::ROW), colors.text);
    line_ui(ui, rect, (icon, colors.tone(tone)), line, &words);
}

/// Draws the line that opens and closes the rest. Returns whether it was clicked.
fn rest_ui(ui: &mut Ui, rest: &[FindingRow], is_open: bool) -> bool {
    let rect = row(ui, REST_HEIGHT);
    // The line has one font, and would show backticks as they are.
    let sentences: Vec<String> = rest.iter().map(|finding| finding.lead.replace('`', "")).collect();
    let words = if is_open {
        format!("Hide {} more", thousands(rest.len()))
    } else {
        format!("{} more: {}", thousands(rest.len()), sentences.join(", "))
    };
    let response = ui.interact(rect, ui.scope_id().with("more findings"), Sense::click());
    response.widget_info(|| WidgetInfo::selected(Role::Button, true, is_open, &words));
    let colors = tokens(ui);
    let color = if response.hovered() { colors.text_strong } else { colors.muted };
    let icon = if is_open { icons::CHEVRON_DOWN } else { icons::CHEVRON_RIGHT };
    let line = StyledText::new().with(&words, theme::regular(theme::LABEL), color);
    paint::icon_line(ui, rect, (icon, color), line);
    widgets::focus_ring(ui, &response, 2);
    response.clicked()
}

/// Allocates a row with a line above it.
fn row(ui: &mut Ui, height: f32) -> Rect {
    let (rect, _) = widgets::allocate_row(ui, height, Sense::hover());
    let rect = rect.shrink2(vec2(theme::PADDING, 0.0));
    ui.painter().hline(rect.x_range(), rect.top() + 0.5, egui::Stroke::new(1.0, tokens(ui).hair));
    rect
}

fn line_ui(ui: &Ui, rect: Rect, icon: (&str, Color32), line: StyledText, words: &str) {
    // Rows may have the same words, but not the same place.
    let id = ui.auto_id_with(words);
    let response = ui.interact(rect, id, Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, words));
    paint::icon_line(ui, rect, icon, line);
}

/// The lead in the font of names, then the rest; code in the data font.
fn sentence(ui: &Ui, finding: &FindingRow) -> StyledText {
    let colors = tokens(ui);
    let mut line = StyledText::new();
    let parts = [
        (&finding.lead, theme::semibold(theme::BODY), theme::mono_bold(theme::ROW)),
        (&finding.rest, theme::regular(theme::BODY), theme::mono(theme::ROW)),
    ];
    for (text, words, code) in parts {
        for (index, piece) in text.split('`').enumerate() {
            let font = if index % 2 == 1 { &code } else { &words };
            line.push(piece, font.clone(), colors.text_strong);
        }
    }
    line.push(".", theme::regular(theme::BODY), colors.text_strong);
    line
}
