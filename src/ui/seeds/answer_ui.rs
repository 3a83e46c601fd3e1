//! Paints the answer of a call: the four lookup steps, the response, and other candidates.

use egui::{Id, Label, Sense, Ui, vec2};

use super::seeds_data::{AnswerData, ResponseData, SeedLine, SeedsData};
use author::seeds::{LookupStep, SeedRequest, StepOutcome, StepResult};
use document::text::visible;
use widgets::theme::{self, Tone, tokens};
use widgets::{Button, Line, Row, RowShape, StyledText, TextField, icons};
use workbench::{Action, Actions, SeedsAction, SeedsDesk};

const STEP_ROW: RowShape = RowShape {
    height: 52.0,
    lines: &[18.0, 36.0],
    margins: (theme::PADDING + 32.0, theme::PADDING),
    ..RowShape::TWO_LINES
};
/// Rows of other seeds: with their detail beside, and below.
const SEED_ROWS: [RowShape; 2] = [
    RowShape {
        height: 22.0,
        lines: &[11.0],
        margins: (4.0, 4.0),
        radius: theme::RADIUS_TAG,
        ..RowShape::ONE_LINE
    },
    RowShape {
        height: 38.0,
        lines: &[11.0, 28.0],
        margins: (4.0, 4.0),
        radius: theme::RADIUS_TAG,
        hair: false,
    },
];

/// State kept between frames.
#[derive(Default)]
pub(super) struct AnswerState {
    response_view: ResponseView,
    step: String,
    user_text: String,
}

/// Representation of a response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ResponseView {
    #[default]
    Fields,
    Json,
}

/// Draws the answer.
pub(super) fn answer_ui(
    ui: &mut Ui,
    desk: &SeedsDesk,
    data: &SeedsData,
    state: &mut AnswerState,
    actions: &mut Actions,
) {
    let answer = data.answer.as_ref();
    widgets::strip(ui, theme::DESK_HEADER, |ui| {
        widgets::title(ui, "Answer");
        widgets::at_right(ui, |ui| {
            if let Some(answer) = answer {
                let (icon, text, tone) = step_tag(answer.step);
                widgets::tag(ui, icon, text, tone);
            }
        });
    });
    widgets::hair_line(ui);
    let Some(answer) = answer else {
        return widgets::empty_sentence(ui, "Choose a seed or enter a call.");
    };
    egui::ScrollArea::vertical().id_salt("what answers").auto_shrink([false, false]).show(
        ui,
        |ui| {
            if !answer.warning.is_empty() {
                // Without any answer the provider throws, which fails the test.
                let tone = if answer.step.is_some() { Tone::Warning } else { Tone::Error };
                widgets::banner(ui, tone, icons::TRIANGLE_ALERT, &answer.warning, "");
            }
            // What comes after the step that answers is not reached.
            let steps = desk.answer.as_ref().map_or(&[][..], |answer| &answer.tried);
            let last = steps.iter().position(|step| step.outcome == StepOutcome::Answers);
            let reached = last.map_or(steps.len(), |last| last + 1);
            for (index, step) in steps.iter().enumerate().take(reached) {
                step_ui(ui, index + 1, step);
            }
            if let Some(response) = &answer.response {
                let is_own = answer.step == Some(LookupStep::Exact);
                response_ui(ui, response, is_own, &mut state.response_view, actions);
            }
            let candidates = ("Not chosen", icons::LAYERS, &*answer.candidates, answer.more.0);
            lines_ui(ui, candidates, actions);
            let (title, icon) = ("Keys that would match exactly", icons::CORNER_DOWN_RIGHT);
            lines_ui(ui, (title, icon, &answer.exact_matches, answer.more.1), actions);
            if answer.can_seed {
                seed_ui(ui, answer, &desk.question, actions);
            }
            widgets::hair_line(ui);
            if widgets::fold(ui, "hash", "Deprecated lookup by the user text", false) {
                hash_ui(ui, &desk.question, state, actions);
            }
        },
    );
}

/// Returns the step that answers, as a tag.
fn step_tag(step: Option<LookupStep>) -> (&'static str, &'static str, Tone) {
    match step {
        Some(LookupStep::Exact) => (icons::CHECK, "Exact", Tone::Good),
        Some(LookupStep::Wildcard) => (icons::ASTERISK, "Wildcard", Tone::Warning),
        Some(LookupStep::Hash) => (icons::HASH, "Hash", Tone::Warning),
        Some(LookupStep::Fixture) => (icons::CIRCLE_DASHED, "Fixture", Tone::Warning),
        None => (icons::CIRCLE_X, "Nothing", Tone::Error),
    }
}

fn step_ui(ui: &mut Ui, number: usize, step: &StepResult) {
    let tokens = tokens(ui);
    let title = step.step.title();
    let (outcome, answers) = (step.outcome.description(), step.outcome == StepOutcome::Answers);
    let key = visible(step.key.as_deref().unwrap_or_default());
    let remark = step.remark.as_deref().unwrap_or_default();
    let label = format!("Step {number}, {title}: {outcome}. {key} {remark}");
    let (mono, regular) = (theme::mono(theme::LABEL), theme::regular(theme::LABEL));
    // A fixture has no key but a name, which is no data of the user.
    let key_font = if step.step == LookupStep::Fixture { regular.clone() } else { mono };
    // A wildcard answers under another key than the one of the call, so both are shown.
    let has_key = remark.is_empty() || step.step == LookupStep::Wildcard;
    let detail = StyledText::new().with(remark, regular.clone(), tokens.muted).after(
        if remark.is_empty() { 0.0 } else { 4.0 },
        if has_key { &key } else { "" },
        key_font,
        tokens.muted,
    );
    let color = if answers { tokens.accent } else { tokens.muted };
    let outcome = StyledText::new().with(outcome, regular, color);
    let title = Line::new(title, theme::semibold(theme::ROW), tokens.text_strong).right(outcome);
    let row = Row::new(label.trim_end()).disabled(true).line(title).line(detail);
    let row = if answers { row.fill(tokens.selected) } else { row };
    let response = row.show(ui, &STEP_ROW);
    let center = response.rect.left_top() + vec2(theme::PADDING + 9.0, STEP_ROW.lines[0]);
    widgets::step_badge(ui, center, number, answers);
}

fn response_ui(
    ui: &mut Ui,
    response: &ResponseData,
    is_own: bool,
    view: &mut ResponseView,
    actions: &mut Actions,
) {
    widgets::padded_frame().show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = theme::GAP;
        widgets::row_from_right(ui, theme::CONTROL, |ui| {
            let views = [(ResponseView::Fields, "Fields"), (ResponseView::Json, "JSON")];
            *view = widgets::choice(ui, &views, *view).unwrap_or(*view);
            if let Some(seed) = response.seed {
                let open = widgets::hint(widgets::link(ui, "Open"), &response.place);
                widgets::on_click(&open, SeedsAction::Open(seed), actions);
            }
            // The key of an exact answer names its job.
            let origin = if is_own { "" } else { &*response.origin };
            widgets::at_left(ui, |ui| {
                widgets::title_note(ui, ("Response", theme::BODY), (origin, theme::ROW));
            });
        });
        widgets::card(ui, |ui| match *view {
            // A response that is no object has no fields, and is shown as text in both views.
            ResponseView::Fields if !response.fields.is_empty() => {
                fields_ui(ui, &response.fields);
            }
            ResponseView::Fields | ResponseView::Json => text_ui(ui, &response.text),
        });
    });
}

fn fields_ui(ui: &mut Ui, fields: &[(String, String)]) {
    let tokens = tokens(ui);
    // A third of a narrow panel; in a wide one, names need no more than about sixteen letters.
    let name_width = (ui.available_width() * 0.34).min(112.0);
    ui.spacing_mut().item_spacing.y = 6.0;
    for (key, value) in fields {
        ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = theme::GAP;
            let (rect, response) = ui.allocate_exact_size(vec2(name_width, 15.0), Sense::hover());
            widgets::describe(&response, egui::Role::Label, key);
            Line::new(key, theme::regular(theme::ROW), tokens.muted).show_in(ui, rect);
            let value = theme::text(value, theme::regular(theme::ROW), tokens.text_strong);
            ui.add(Label::new(value).wrap().selectable(true));
        });
    }
}

fn text_ui(ui: &mut Ui, text: &str) {
    let color = tokens(ui).string;
    ui.add(Label::new(theme::text(text, theme::mono(theme::LABEL), color)).wrap().selectable(true));
}

/// Draws a list of seeds; a click moves the cursor to one.
fn lines_ui(
    ui: &mut Ui,
    (title, icon, lines, more): (&str, &'static str, &[SeedLine], usize),
    actions: &mut Actions,
) {
    if lines.is_empty() {
        return;
    }
    widgets::hair_line(ui);
    widgets::padded_frame().show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 6.0;
        widgets::heading(ui, "", title, "");
        for line in lines {
            line_ui(ui, icon, line, actions);
        }
        if more > 0 {
            widgets::small(ui, &format!("and {more} more"));
        }
    });
}

fn line_ui(ui: &mut Ui, icon: &'static str, line: &SeedLine, actions: &mut Actions) {
    let tokens = tokens(ui);
    let title = visible(&line.title);
    // About 40 characters fit beside each other in the narrowest panel.
    let is_short = line.title.len() + line.detail.len() < 40;
    let (mono, regular) = (theme::mono(theme::LABEL), theme::regular(theme::LABEL));
    let words = StyledText::new().with(&title, mono, tokens.text_strong);
    let row = Row::new(format!("{title} {}", line.detail));
    let row = if is_short {
        let words = words.after(theme::GAP, &line.detail, regular, tokens.muted);
        row.line(Line::from(words).icon(icon, tokens.muted))
    } else {
        row.line(Line::from(words).icon(icon, tokens.muted))
            .line(Line::detail(&line.detail, tokens).under_icon())
    };
    let response = row.show(ui, &SEED_ROWS[usize::from(!is_short)]);
    if let Some(seed) = line.seed.filter(|_| response.clicked()) {
        actions.push(Action::from(SeedsAction::Select(seed)));
    }
}

/// Draws the button that creates a seed for the call.
fn seed_ui(ui: &mut Ui, answer: &AnswerData, question: &SeedRequest, actions: &mut Actions) {
    widgets::padded_frame().show(ui, |ui| {
        let job = question.job.as_deref().map_or_else(|| "this call".into(), visible);
        let text = format!("Seed {job}…");
        let tooltip = if answer.response.is_some() {
            "Create a seed for this call with the response above."
        } else {
            "Create a seed for this call."
        };
        let response = ui.add(Button::secondary(&text).icon(icons::COPY).tooltip(tooltip));
        widgets::on_click(&response, SeedsAction::FromAnswer, actions);
    });
}

/// Draws the fields of the deprecated lookup by hash.
fn hash_ui(ui: &mut Ui, question: &SeedRequest, state: &mut AnswerState, actions: &mut Actions) {
    widgets::padded_frame().show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 6.0;
        let text_of = |part: &Option<String>| part.clone().unwrap_or_default();
        // Compared trimmed, or a space at the end could not be typed.
        if question.step.as_deref().unwrap_or_default() != state.step.trim() {
            state.step = text_of(&question.step);
        }
        if text_of(&question.user_text) != state.user_text {
            state.user_text = text_of(&question.user_text);
        }
        let width = ui.available_width();
        let step = TextField::new(Id::unique("seeds step"), "Step", &mut state.step)
            .mono()
            .hint("Step, if known")
            .show(ui, width, |_| {}, |_| {});
        let (id, name) = (Id::unique("seeds user text"), "First user message");
        let text = TextField::new(id, name, &mut state.user_text).hint(name).show_lines(ui, 2);
        if step.changed() || text.changed() {
            // An empty field means unknown: the provider then uses `unknown` as the step, and hashes the empty text.
            let non_empty = |text: &str| (!text.is_empty()).then(|| text.to_owned());
            let request = SeedRequest {
                step: non_empty(state.step.trim()),
                user_text: non_empty(&state.user_text),
                ..question.clone()
            };
            actions.push(Action::from(SeedsAction::LookUp(request)));
        }
    });
}
