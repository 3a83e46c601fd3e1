//! Paints the audit desk: a header, the causes with their places, and what is not known.

use egui::{Color32, FontId, Ui, vec2};

use super::audit_data::{AuditData, RowText};
use widgets::code::sentence;
use widgets::theme::{self, tokens};
use widgets::{Button, Headline, Line, List, Row, RowShape, RowSlot, StyledText, icons};
use workbench::{Action, Actions, AuditAction, AuditDesk, AuditRow, Workbench};

const CAUSE_ROW: RowShape = RowShape { height: 40.0, lines: &[20.0], ..RowShape::ONE_LINE };
const PLACE_ROW_HEIGHT: f32 = 26.0;
/// Left edge of places, below the sentence of their cause.
const PLACE_LEFT: f32 = 40.0;
/// Largest share of a row for the first words of a place.
const LABEL_SHARE: f32 = 0.55;

/// Paints the desk.
pub fn audit_ui(ui: &mut Ui, workbench: &Workbench, data: &mut AuditData, actions: &mut Actions) {
    data.update(workbench);
    let (desk, data) = (&workbench.audit, &*data);
    ui.spacing_mut().item_spacing = vec2(theme::GAP, 0.0);
    widgets::header(ui, actions, logs_button, |ui, _| {
        widgets::title(ui, "What this proves");
        StyledText::of(&data.note, tokens(ui).muted_body()).show(ui);
    });
    if desk.report.value.is_none() {
        return widgets::skeleton_rows(ui, 6, CAUSE_ROW.height);
    }
    if let Some(sentence) = &data.headline {
        let headline = match data.headline_level {
            None => Headline::good(sentence),
            Some(level) => Headline::new(level, sentence, ""),
        };
        headline.show(ui, None);
    }
    let mut tops = vec![0.0];
    for (index, row) in data.rows.iter().enumerate() {
        let next = data.rows.get(index + 1).map(|row| row.row);
        let is_last = !matches!(row.row, AuditRow::Finding(_) | AuditRow::Unknown(_))
            && !matches!(next, Some(AuditRow::Place(..)));
        let gap = if is_last && !matches!(row.row, AuditRow::Advice(_)) { 8.0 } else { 0.0 };
        let height = match row.row {
            AuditRow::Finding(_) => CAUSE_ROW.height,
            _ => PLACE_ROW_HEIGHT,
        };
        tops.push(tops[index] + height + gap);
    }
    let is_heading =
        |index: usize| matches!(data.rows[index].row, AuditRow::Advice(_) | AuditRow::Unknown(_));
    List::new("Causes", &CAUSE_ROW, data.rows.len())
        .tops(&|row| tops[row])
        .without_focus(&is_heading)
        .selection(desk.selected, |selected| data.rows.iter().position(|row| row.row == selected))
        .show(ui, |slot| row_ui(slot, desk, &data.rows[slot.index], actions));
}

fn logs_button(ui: &mut Ui, actions: &mut Actions) {
    let button = Button::secondary("Read logs…").icon(icons::FOLDER_OPEN);
    let tip = "Read JUnit reports and logs of pytest in place of those before; dropping them here does the same";
    let response = ui.add(button.tooltip(tip));
    widgets::on_click(&response, AuditAction::PickLogs, actions);
}

fn row_ui(slot: &mut RowSlot<'_>, desk: &AuditDesk, row: &RowText, actions: &mut Actions) {
    let is_selected = desk.selected == Some(row.row);
    if let AuditRow::Finding(kind) = row.row {
        return cause_ui(slot, desk, (kind, row), is_selected, actions);
    }
    slot.rect.max.y = slot.rect.top() + PLACE_ROW_HEIGHT;
    let colors = tokens(slot.ui);
    let shape = RowShape { height: PLACE_ROW_HEIGHT, lines: &[13.0], ..CAUSE_ROW };
    let inner = slot.rect.shrink2(vec2(theme::PADDING, 0.0));
    let AuditRow::Place(kind, index) = row.row else {
        let line = Line::from(styled(&row.text, theme::regular(theme::BODY), colors.muted));
        let (left, line) = match row.row {
            AuditRow::Unknown(_) => {
                (inner.left(), line.icon(icons::CIRCLE_QUESTION_MARK, colors.muted))
            }
            _ => (slot.rect.left() + PLACE_LEFT, line),
        };
        let cell = inner.with_min_x(left).x_range();
        slot.show_as(&shape, Row::new(row.text.replace('`', "")).cell(cell).line(line));
        return;
    };
    let left = slot.rect.left() + PLACE_LEFT;
    let label = Line::new(&row.text, theme::mono(theme::ROW), colors.text).elide_middle();
    let width = label.width(slot.ui).min((inner.right() - left) * LABEL_SHARE);
    let note = Line::from(styled(&row.note, theme::regular(theme::LABEL), colors.muted));
    let content = Row::new(format!("{}, {}", row.text, row.note.replace('`', "")))
        .selected(is_selected)
        .cell(inner.with_min_x(left).with_max_x(left + width).x_range())
        .line(label)
        .cell(inner.with_min_x(left + width + theme::PADDING).x_range())
        .line(note);
    let response = slot.show_as(&shape, content);
    widgets::on_click(&response, AuditAction::Open(kind, index), actions);
}

/// Returns a sentence with its code in the font for code.
fn styled(text: &str, font: FontId, color: Color32) -> StyledText {
    StyledText::from(sentence(text, font, color, color, f32::INFINITY))
}

fn cause_ui(
    slot: &mut RowSlot<'_>,
    desk: &AuditDesk,
    (kind, row): (play::audit::AuditKind, &RowText),
    is_selected: bool,
    actions: &mut Actions,
) {
    let colors = tokens(slot.ui);
    let font = theme::regular(theme::LABEL);
    let button_width = widgets::line(slot.ui, row.button, font, colors.muted, 200.0).size().x;
    let end = theme::PADDING + button_width + theme::SECTION_GAP;
    let text = StyledText::of(&row.text, colors.heading()).with_gap(&row.note, colors.muted_body());
    widgets::line_above(slot.ui, slot.rect);
    let content = Row::new(row.text.clone())
        .selected(is_selected)
        .expanded(desk.is_unfolded(kind))
        .line(text);
    let shape = RowShape { margins: (theme::PADDING, end), ..CAUSE_ROW };
    let response = slot.show_as(&shape, content);
    widgets::on_click(&response, AuditAction::Fold(kind), actions);
    let inner = slot.rect.shrink2(vec2(theme::PADDING, 0.0));
    let (response, _) = widgets::place_right(slot.ui, inner, |ui| widgets::link(ui, row.button));
    if response.clicked() {
        actions.push(Action::from(AuditAction::Handle(kind)));
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::sync::Arc;

    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;

    use super::*;
    use calls::{Item, ItemFacts};
    use document::{Problem, RuleId, Severity};
    use play::audit::{AuditInput, AuditKind, AuditReport};
    use protocol::{Desk, EngineEvent, ProjectInfo, ReadProgress, Remembered, Request};
    use workbench::Effect;

    const KIND: AuditKind = AuditKind::EmptyAnswer;

    /// A workbench that shows the report of an empty answer.
    fn audited() -> Workbench {
        let problem = Problem::whole_file(RuleId::ResponseEmpty, "The answer is empty");
        let item = Item::from(ItemFacts::new("a.yaml")).with_problems(vec![problem]);
        let mut workbench = showing(&AuditInput { items: vec![&item], ..AuditInput::default() });
        let _ = workbench.apply(Action::from(AuditAction::Fold(KIND)));
        workbench
    }

    /// A workbench that shows a report.
    fn showing(input: &AuditInput<'_>) -> Workbench {
        let mut workbench = Workbench::new(Remembered::default());
        let project = ProjectInfo::default();
        workbench.receive(EngineEvent::ScanStarted { generation: 1, project });
        let (progress, cancelled) = (ReadProgress::default(), false);
        workbench.receive(EngineEvent::ScanEnded { generation: 1, progress, cancelled });
        let _ = workbench.apply(Action::Go(Desk::Audit));
        let effects = workbench.refresh();
        let key = effects.iter().find_map(|effect| match effect {
            Effect::Run(Request::RunAudit(request)) => Some(request.key),
            _ => None,
        });
        let report = Arc::new(AuditReport::new(input));
        workbench.receive(EngineEvent::Audited(key.unwrap(), Ok(report)));
        workbench
    }

    #[test]
    fn only_what_was_read_and_has_no_errors_is_good() {
        let broken = Problem::whole_file(RuleId::Syntax, "It ends here");
        let broken = Item::from(ItemFacts::new("a.yaml")).with_problems(vec![broken]);
        let log = [("report.xml".into(), "<testsuite>".into())];
        let (no_logs, no_items) = (&[][..], Vec::new());
        for (logs, items, level, sentence) in [
            (
                no_logs,
                no_items.clone(),
                None,
                "Nothing found that a green run would hide, in 0 files without a log",
            ),
            (&log[..], no_items, Some(Severity::Note), "Nothing found in what could be read"),
            (
                no_logs,
                vec![&broken],
                Some(Severity::Error),
                "check finds 1 error in 1 of 1 file; nothing else was found that a green run would hide",
            ),
        ] {
            let workbench = showing(&AuditInput { logs, items, ..AuditInput::default() });
            let mut data = AuditData::default();
            data.update(&workbench);
            assert_eq!((data.headline.as_deref(), data.headline_level), (Some(sentence), level));
        }
    }

    #[test]
    fn causes_and_places_are_chosen_by_name() {
        let workbench = audited();
        for (name, action) in [
            ("1 recorded answer in 1 recording is empty", AuditAction::Fold(KIND)),
            ("a.yaml:1, The answer is empty", AuditAction::Open(KIND, 0)),
            ("Show in library", AuditAction::Handle(KIND)),
            ("Read logs…", AuditAction::PickLogs),
        ] {
            let (mut data, actions) = (AuditData::default(), RefCell::new(Vec::new()));
            let mut harness = Harness::builder().with_size([1000.0, 600.0]).build_ui(|ui| {
                theme::install(ui.ctx(), protocol::Theme::Dark);
                audit_ui(ui, &workbench, &mut data, &mut actions.borrow_mut());
            });
            harness.run();
            harness.get_by_label(name).click();
            harness.run();
            drop(harness);
            assert_eq!(actions.into_inner(), [Action::from(action)], "{name}");
        }
    }
}
