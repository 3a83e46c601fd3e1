//! Paints the answer of a call: the four lookup steps, the response, and other candidates.

use egui::{Align, Id, Label, Layout, Sense, TextEdit, Ui, pos2, vec2};

use super::seeds_data::{AnswerData, ResponseData, SeedLine, SeedsData, StepLine};
use author::seeds::{LookupStep, SeedRequest};
use document::text::visible;
use widgets::theme::{self, Tone, tokens};
use widgets::{Button, StyledText, TextField, icons};
use workbench::{Action, Actions, SeedsAction, SeedsDesk};

const NO_KEYS: &[&str] = &[];

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
        let color = tokens(ui).text_strong;
        StyledText::new().with("Answer", theme::semibold(theme::TITLE), color).show(ui);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
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
            let last = answer.steps.iter().position(|step| step.answers);
            let reached = last.map_or(answer.steps.len(), |last| last + 1);
            for (index, step) in answer.steps.iter().enumerate().take(reached) {
                step_ui(ui, index + 1, step);
            }
            if let Some(response) = &answer.response {
                let is_own = answer.step == Some(LookupStep::Exact);
                response_ui(ui, response, is_own, &mut state.response_view, actions);
            }
            let candidates = (&*answer.candidates, answer.more.0);
            lines_ui(ui, "Not chosen", icons::LAYERS, candidates, actions);
            let (icon, matches) =
                (icons::CORNER_DOWN_RIGHT, (&*answer.exact_matches, answer.more.1));
            lines_ui(ui, "Keys that would match exactly", icon, matches, actions);
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

fn step_ui(ui: &mut Ui, number: usize, step: &StepLine) {
    let tokens = tokens(ui);
    let (rect, response) = widgets::allocate_row(ui, 52.0, Sense::hover());
    let title = step.step.title();
    let label = format!("Step {number}, {title}: {}. {} {}", step.outcome, step.key, step.remark);
    widgets::describe(&response, egui::Role::Label, label.trim_end());
    let painter = ui.painter();
    if step.answers {
        painter.rect_filled(rect, 0.0, tokens.selected);
    }
    painter.hline(rect.x_range(), rect.bottom() - 0.5, (1.0, tokens.hair));
    let center = pos2(rect.left() + theme::PADDING + 9.0, rect.top() + 18.0);
    if step.answers {
        painter.circle_filled(center, 9.0, tokens.fill);
        widgets::paint_icon(painter, center, icons::CHECK, theme::ICON_TAG, tokens.on_fill);
    } else {
        painter.circle_stroke(center, 9.0, (1.0, tokens.line));
        let (number, font) = (number.to_string(), theme::regular(theme::SMALL));
        let line = widgets::line(ui, &number, font, tokens.muted, 18.0);
        widgets::paint_line(painter, pos2(center.x - line.size().x / 2.0, center.y), line);
    }
    let left = rect.left() + theme::PADDING + 18.0 + 14.0;
    let right = rect.right() - theme::PADDING;
    let color = if step.answers { tokens.accent } else { tokens.muted };
    let outcome = widgets::line(ui, step.outcome, theme::regular(theme::LABEL), color, 120.0);
    let room = right - outcome.size().x - theme::GAP - left;
    widgets::paint_line_right(painter, pos2(right, center.y), outcome);
    let line = widgets::line(ui, title, theme::semibold(theme::ROW), tokens.text_strong, room);
    widgets::paint_line(painter, pos2(left, center.y), line);
    let (mono, regular) = (theme::mono(theme::LABEL), theme::regular(theme::LABEL));
    let line = match (step.remark.is_empty(), step.step) {
        // A fixture has no key but a name, which is no data of the user.
        (true, LookupStep::Fixture) => StyledText::new().with(&step.key, regular, tokens.muted),
        (true, _) => StyledText::new().with(&step.key, mono, tokens.muted),
        // A wildcard answers under another key than the one of the call, so both are shown.
        (false, LookupStep::Wildcard) if !step.key.is_empty() => {
            let remark = format!("{} ", step.remark);
            StyledText::new().with(&remark, regular, tokens.muted).with(
                &step.key,
                mono,
                tokens.muted,
            )
        }
        (false, _) => StyledText::new().with(&step.remark, regular, tokens.muted),
    };
    let line = line.galley(ui, right - left);
    widgets::paint_line(painter, pos2(left, rect.top() + 36.0), line);
}

fn response_ui(
    ui: &mut Ui,
    response: &ResponseData,
    is_own: bool,
    view: &mut ResponseView,
    actions: &mut Actions,
) {
    let tokens = tokens(ui);
    widgets::padded_frame().show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = theme::GAP;
        right_first(ui, |ui| {
            let views = [(ResponseView::Fields, "Fields"), (ResponseView::Json, "JSON")];
            *view = widgets::choice(ui, &views, *view).unwrap_or(*view);
            if let Some(seed) = response.seed {
                let open = widgets::tip(widgets::link(ui, "Open"), &response.place, NO_KEYS);
                widgets::on_click(&open, SeedsAction::Open(seed), actions);
            }
            // The key of an exact answer names its job.
            let origin = if is_own { "" } else { &*response.origin };
            StyledText::new()
                .with("Response", theme::semibold(theme::BODY), tokens.text_strong)
                .after(theme::GAP, origin, theme::regular(theme::ROW), tokens.muted)
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

/// Draws controls at the right, and the text that they return in the room that remains at the left.
fn right_first(ui: &mut Ui, controls: impl FnOnce(&mut Ui) -> StyledText) {
    let size = vec2(ui.available_width(), theme::CONTROL);
    ui.allocate_ui_with_layout(size, Layout::right_to_left(Align::Center), |ui| {
        let text = controls(ui);
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| text.show(ui));
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
            let line = widgets::line(ui, key, theme::regular(theme::ROW), tokens.muted, name_width);
            widgets::paint_line(ui.painter(), rect.left_center(), line);
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
    title: &str,
    icon: &str,
    (lines, more): (&[SeedLine], usize),
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
            let color = tokens(ui).muted;
            let text = format!("and {more} more");
            StyledText::new().with(&text, theme::regular(theme::LABEL), color).show(ui);
        }
    });
}

fn line_ui(ui: &mut Ui, icon: &str, line: &SeedLine, actions: &mut Actions) {
    let tokens = tokens(ui);
    // About 40 characters fit beside each other in the narrowest panel.
    let is_short = line.title.len() + line.detail.len() < 40;
    let height = if is_short { 22.0 } else { 38.0 };
    let (rect, response) = widgets::allocate_row(ui, height, Sense::click());
    let label = format!("{} {}", visible(&line.title), line.detail);
    widgets::describe(&response, egui::Role::Button, &label);
    if response.hovered() {
        ui.painter().rect_filled(rect.expand2(vec2(4.0, 1.0)), theme::RADIUS_TAG, tokens.hover);
    }
    let title_y = rect.top() + 11.0;
    let center = pos2(rect.left() + 7.0, title_y);
    widgets::paint_icon(ui.painter(), center, icon, theme::ICON, tokens.muted);
    let left = rect.left() + theme::INDENT;
    let (mono, regular) = (theme::mono(theme::LABEL), theme::regular(theme::LABEL));
    let mut title_line = StyledText::new().with(&visible(&line.title), mono, tokens.text_strong);
    if is_short {
        title_line.push("  ", regular.clone(), tokens.muted);
        title_line.push(&line.detail, regular, tokens.muted);
    } else {
        let detail_line =
            widgets::line(ui, &line.detail, regular, tokens.muted, rect.right() - left);
        widgets::paint_line(ui.painter(), pos2(left, rect.top() + 28.0), detail_line);
    }
    let title_line = title_line.galley(ui, rect.right() - left);
    widgets::paint_line(ui.painter(), pos2(left, title_y), title_line);
    widgets::focus_ring(ui, &response, theme::RADIUS_TAG);
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
    let tokens = tokens(ui);
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
        let text = TextEdit::multiline(&mut state.user_text)
            .id(Id::unique("seeds user text"))
            .font(theme::regular(theme::ROW))
            .text_color(tokens.text_strong)
            .hint_text(theme::text("First user message", theme::regular(theme::ROW), tokens.muted))
            .desired_rows(2)
            .desired_width(f32::INFINITY);
        let text = ui.add(text);
        widgets::describe(&text, egui::Role::MultilineTextInput, "First user message");
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
