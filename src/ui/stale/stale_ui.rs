//! A source then and now: both texts, and what changed.

use egui::{
    Align, Frame, Layout, Margin, Panel, Rect, RichText, ScrollArea, Sense, Stroke, Ui, UiBuilder,
    pos2, vec2,
};

use super::data::{ChangeLine, Found, Head, Sign, StaleData, State};
use crate::format::Severity;
use crate::ops::diff::{Side, counted};
use crate::text::{Source, visible};
use crate::ui::compare::{
    LIST, LIST_FROM, SIDE_HEAD, back_button, line_below, list_heading, pane_switch, sheet_ui,
    stepper,
};
use crate::ui::icons;
use crate::ui::theme::{self, Tone, tokens};
use crate::ui::widgets::{self, Chosen, Words};
use crate::workbench::{Action, Command, Desk, Pane};

const CHANGE: f32 = 48.0;

/// Draws a source as it was and as it is.
pub fn stale_ui(ui: &mut Ui, data: &StaleData, actions: &mut Vec<Action>) {
    ui.spacing_mut().item_spacing = vec2(theme::GAP, 0.0);
    if ui.available_width() >= LIST_FROM {
        let frame = Frame::new().fill(tokens(ui).panel);
        Panel::right("source changes")
            .exact_size(LIST)
            .resizable(false)
            .frame(frame)
            .show(ui, |ui| aside_ui(ui, data, actions));
    }
    Frame::new().fill(tokens(ui).desk).show(ui, |ui| {
        header_ui(ui, data, actions);
        match &data.state {
            State::Searching => searching_ui(ui, data, actions),
            State::Failed(reason) => {
                let heading = "The source could not be looked for.";
                widgets::banner(ui, Tone::Error, icons::OCTAGON_X, heading, &visible(reason));
            }
            State::Found(found) => found_ui(ui, data, found, actions),
        }
    });
}

fn header_ui(ui: &mut Ui, data: &StaleData, actions: &mut Vec<Action>) {
    let size = vec2(ui.available_width(), theme::DESK_HEADER);
    let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
    let inner = rect.shrink2(vec2(theme::GAP, 0.0));
    let tokens = tokens(ui);
    let layout = Layout::right_to_left(Align::Center);
    ui.scope_builder(UiBuilder::new().max_rect(inner).layout(layout), |ui| {
        ui.add_space(theme::GAP);
        if let State::Found(found) = &data.state
            && found.source.diff.is_some()
        {
            if data.can_choose_pane {
                pane_switch(ui, data.pane, actions);
            }
            stepper(ui, "Change", data.current, found.changes.len(), actions);
        }
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            back_button(ui, actions);
            let title = Words::new().with(
                &data.title,
                theme::semibold(theme::TITLE),
                tokens.text_strong,
            );
            title.show(ui).on_hover_text(&data.file);
            if ui.available_width() > 100.0 {
                widgets::status_tag(ui, data.status);
            }
            if ui.available_width() > 60.0 {
                let font = theme::regular(theme::ROW);
                Words::new()
                    .with(&data.made_from_it, font, tokens.muted)
                    .show(ui);
            }
        });
    });
    line_below(ui, rect);
}

fn searching_ui(ui: &mut Ui, data: &StaleData, actions: &mut Vec<Action>) {
    let sentence = format!(
        "Searching the git history for {} as it was recorded…",
        data.title
    );
    if widgets::empty_state(ui, &sentence, Some("Stop searching")) {
        actions.push(Action::Run(Command::Close));
    }
}

fn found_ui(ui: &mut Ui, data: &StaleData, found: &Found, actions: &mut Vec<Action>) {
    heads_ui(ui, data, found, actions);
    widgets::hair_line(ui);
    if let Some(remark) = &found.remark {
        let (tone, icon) = match remark.severity {
            Severity::Error => (Tone::Error, icons::OCTAGON_X),
            Severity::Warning => (Tone::Warning, icons::TRIANGLE_ALERT),
            Severity::Note => (Tone::Note, icons::INFO),
        };
        widgets::banner(ui, tone, icon, &remark.title, &remark.detail);
    }
    if !found.source.kept.is_empty() && found.source.then.is_err() {
        kept_ui(ui, found);
    }
    if let Some(sheet) = &found.sheet {
        ui.push_id("source", |ui| sheet_ui(ui, sheet, &found.focus, actions));
    }
}

/// What the recording itself keeps of its source.
fn kept_ui(ui: &mut Ui, found: &Found) {
    let frame = Frame::new().inner_margin(Margin::symmetric(16, 12));
    frame.show(ui, |ui| {
        let tokens = tokens(ui);
        ui.spacing_mut().item_spacing.y = 4.0;
        widgets::heading(ui, icons::FILE_PLAY, "What the recording keeps of it", "");
        widgets::indented(ui, |ui| {
            for (name, value) in &found.source.kept {
                ui.horizontal_wrapped(|ui| {
                    ui.label(
                        RichText::new(*name)
                            .font(theme::regular(theme::ROW))
                            .color(tokens.muted),
                    );
                    let value = RichText::new(visible(value)).font(theme::mono(theme::LABEL));
                    ui.label(value.color(tokens.text_strong));
                });
            }
        });
    });
    widgets::hair_line(ui);
}

fn heads_ui(ui: &mut Ui, data: &StaleData, found: &Found, actions: &mut Vec<Action>) {
    let stacked = data.pane == Pane::Unified;
    let height = if stacked {
        2.0 * SIDE_HEAD - 8.0
    } else {
        SIDE_HEAD
    };
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), height), Sense::hover());
    let middle = rect.left() + (rect.width() / 2.0).floor();
    let halves = match stacked {
        true => {
            let y = rect.center().y;
            [
                Rect::from_min_max(rect.min, pos2(rect.right(), y)),
                Rect::from_min_max(pos2(rect.left(), y), rect.max),
            ]
        }
        false => [
            Rect::from_min_max(rect.min, pos2(middle, rect.bottom())),
            Rect::from_min_max(pos2(middle + 1.0, rect.top()), rect.max),
        ],
    };
    let texts = [
        found.source.then.as_ref().ok().map(|then| &then.text),
        found.source.now.as_ref().ok().map(|now| &now.text),
    ];
    for (side, (half, head)) in Side::BOTH
        .into_iter()
        .zip(halves.into_iter().zip(&found.heads))
    {
        let text = texts[side as usize];
        ui.push_id(side, |ui| side_head_ui(ui, half, head, text, actions));
    }
    if !stacked {
        let hair = Stroke::new(1.0, tokens(ui).hair);
        ui.painter().vline(middle + 0.5, rect.y_range(), hair);
    }
}

fn side_head_ui(
    ui: &mut Ui,
    rect: Rect,
    head: &Head,
    text: Option<&Source>,
    actions: &mut Vec<Action>,
) {
    let tokens = tokens(ui);
    let inner = Rect::from_min_max(rect.min + vec2(12.0, 0.0), rect.max - vec2(6.0, 0.0));
    let layout = Layout::left_to_right(Align::Center);
    ui.scope_builder(UiBuilder::new().max_rect(inner).layout(layout), |ui| {
        let words = Words::new()
            .with(head.title, theme::semibold(theme::BODY), tokens.text_strong)
            .after(
                theme::GAP,
                &head.hash,
                theme::mono(theme::LABEL),
                tokens.text,
            );
        let response = words.show(ui);
        if !head.whole_hash.is_empty() {
            response.on_hover_text(
                RichText::new(format!("SHA-256 {}", head.whole_hash))
                    .font(theme::mono(theme::LABEL)),
            );
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.spacing_mut().item_spacing.x = 5.0;
            if let Some(text) = text {
                let name = format!("Copy the text: {}", head.title.to_lowercase());
                if widgets::icon_button(ui, icons::COPY, &name).clicked() {
                    actions.push(Action::Copy(text.text().to_owned()));
                }
            }
            let font = || theme::regular(theme::LABEL);
            let Some((short, whole)) = &head.commit else {
                Words::new()
                    .with(&head.before, font(), tokens.text)
                    .show(ui);
                icon(ui, icons::FILE_CODE);
                return;
            };
            let after = format!(", {}", head.after);
            ui.spacing_mut().item_spacing.x = 0.0;
            Words::new().with(&after, font(), tokens.text).show(ui);
            let link = widgets::mono_link(ui, short);
            let tip = format!("Commit {whole}. A press copies it.");
            if widgets::tip(link, &tip, &[] as &[&str]).clicked() {
                actions.push(Action::Copy(whole.clone()));
            }
            ui.add_space(4.0);
            Words::new()
                .with(&head.before, font(), tokens.text)
                .show(ui);
            ui.add_space(6.0);
            icon(ui, icons::GIT_COMMIT_HORIZONTAL);
        });
    });
}

fn icon(ui: &mut Ui, icon: &str) {
    let (rect, _) = ui.allocate_exact_size(vec2(theme::ICON, theme::ICON), Sense::hover());
    widgets::paint_icon(
        ui.painter(),
        rect.center(),
        icon,
        theme::ICON,
        tokens(ui).muted,
    );
}

fn aside_ui(ui: &mut Ui, data: &StaleData, actions: &mut Vec<Action>) {
    let changes = match &data.state {
        State::Found(found) => found.changes.as_slice(),
        State::Searching | State::Failed(_) => &[],
    };
    let count = match &data.state {
        State::Found(found) if found.source.diff.is_some() => {
            counted(changes.len(), "change", "changes")
        }
        State::Searching => "not known yet".to_owned(),
        _ => "not known".to_owned(),
    };
    list_heading(ui, "What changed", &count, "");
    let below = 130.0 + data.statuses.len() as f32 * 24.0;
    let height = (ui.available_height() - below).max(CHANGE);
    let id = ui.scope_id().with("shown change");
    let last: Option<usize> = ui.data(|kept| kept.get_temp(id));
    ui.data_mut(|kept| kept.insert_temp(id, data.current));
    let mut area = ScrollArea::vertical()
        .auto_shrink([false, true])
        .max_height(height);
    if last != Some(data.current) {
        let at = data.current as f32 * CHANGE;
        area = area.vertical_scroll_offset((at - height / 2.0).max(0.0));
    }
    area.show_rows(ui, CHANGE, changes.len(), |ui, rows| {
        for index in rows {
            if let Some(change) = changes.get(index) {
                change_ui(ui, change, index == data.current, index, actions);
            }
        }
    });
    widgets::hair_line(ui);
    recordings_ui(ui, data, actions);
}

fn change_ui(
    ui: &mut Ui,
    change: &ChangeLine,
    current: bool,
    index: usize,
    actions: &mut Vec<Action>,
) {
    let tokens = tokens(ui);
    let name = format!("{}: {}", change.title, change.words);
    let chosen = if current {
        Chosen::Selected
    } else {
        Chosen::No
    };
    let response = widgets::row(ui, CHANGE, chosen, &name);
    let inner = response.rect.shrink2(vec2(theme::PADDING, 0.0));
    let (first, second) = (inner.top() + 15.0, inner.top() + 33.0);
    let (icon, color) = match change.sign {
        Sign::Added => (icons::CIRCLE_PLUS, tokens.good),
        Sign::Removed => (icons::CIRCLE_MINUS, tokens.error),
        Sign::Edge => (icons::SPLINE, tokens.note),
        Sign::Comment => (icons::SLASH, tokens.muted),
        Sign::Changed => (icons::PENCIL_LINE, tokens.note),
    };
    widgets::paint_icon(
        ui.painter(),
        pos2(inner.left() + 7.0, first),
        icon,
        theme::ICON,
        color,
    );
    let left = inner.left() + theme::INDENT + 5.0;
    let room = inner.right() - left;
    let title = widgets::line(
        ui,
        &change.title,
        theme::medium(theme::ROW),
        tokens.text_strong,
        room,
    );
    widgets::paint_line(ui.painter(), pos2(left, first), title);
    let words = widgets::line(
        ui,
        &change.words,
        theme::regular(theme::LABEL),
        tokens.muted,
        room,
    );
    widgets::paint_line(ui.painter(), pos2(left, second), words);
    if response.has_focus() {
        widgets::focus_ring_inside(ui, response.rect, 0);
    }
    if response.clicked() {
        actions.push(Action::ShowChange(index));
    }
}

/// How the recordings made from this source stand.
fn recordings_ui(ui: &mut Ui, data: &StaleData, actions: &mut Vec<Action>) {
    Frame::new().inner_margin(Margin::same(16)).show(ui, |ui| {
        let tokens = tokens(ui);
        let count: usize = data.statuses.iter().map(|(_, count)| count).sum();
        let (rect, _) =
            ui.allocate_exact_size(vec2(ui.available_width(), theme::TEXT_LINE), Sense::hover());
        ui.scope_builder(
            UiBuilder::new()
                .max_rect(rect)
                .layout(Layout::right_to_left(Align::Center)),
            |ui| {
                if count > 0 && widgets::link(ui, "Open in Library").clicked() {
                    let file = data.file.replace('"', "\\\"");
                    actions.push(Action::SetFilter(format!("source:\"{file}\"")));
                    actions.push(Action::Go(Desk::Library));
                }
                ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                    Words::new()
                        .with(
                            "Recordings",
                            theme::semibold(theme::BODY),
                            tokens.text_strong,
                        )
                        .after(
                            theme::GAP,
                            &widgets::thousands(count),
                            theme::regular(theme::ROW),
                            tokens.muted,
                        )
                        .show(ui);
                });
            },
        );
        ui.add_space(theme::GAP);
        for (status, count) in &data.statuses {
            let (rect, response) =
                ui.allocate_exact_size(vec2(ui.available_width(), 24.0), Sense::hover());
            let words = format!("{} {}", widgets::thousands(*count), status.label());
            response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, &words));
            let (icon, tone) = widgets::status_look(*status);
            let at = pos2(rect.left() + 7.0, rect.center().y);
            widgets::paint_icon(ui.painter(), at, icon, theme::ICON, tokens.tone(tone));
            let number = widgets::line(
                ui,
                &widgets::thousands(*count),
                theme::mono(theme::LABEL),
                tokens.text_strong,
                60.0,
            );
            widgets::paint_line_right(
                ui.painter(),
                pos2(rect.left() + 46.0, rect.center().y),
                number,
            );
            let word = widgets::line(
                ui,
                status.label(),
                theme::regular(theme::ROW),
                tokens.text,
                rect.width() - 60.0,
            );
            widgets::paint_line(
                ui.painter(),
                pos2(rect.left() + 56.0, rect.center().y),
                word,
            );
        }
    });
}
