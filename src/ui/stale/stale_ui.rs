//! Paints the source comparison: both texts and the changes.

use egui::{Align, Frame, Layout, Rect, RichText, Sense, Stroke, Ui, UiBuilder, vec2};

use super::changes_panel_ui::changes_panel_ui;
use super::stale_data::{SideHeading, StaleData, StaleSource, StaleState};
use crate::compare::{LEAST_LIST, LIST, LIST_FROM, SIDE_HEAD, back_button, pane_switch, stepper};
use document::Severity;
use document::diff::Side;
use document::text::{Source, visible};
use widgets::sheet::sheet_ui;
use widgets::theme::{self, Tone, tokens};
use widgets::{Button, SidePanel, StyledText, icons};
use workbench::{Action, Actions, Command, DiffLayout, MapAction};

/// Draws the source when recorded and now.
pub fn stale_ui(ui: &mut Ui, data: &StaleData, actions: &mut Actions) {
    ui.spacing_mut().item_spacing = vec2(theme::GAP, 0.0);
    // A narrow window shows the changes in place of the texts, by a button.
    let changes_id = ui.scope_id().with("changes in place of the texts");
    let mut changes = if ui.available_width() >= LIST_FROM {
        None
    } else {
        Some(ui.data(|data| data.get_temp(changes_id).unwrap_or(false)))
    };
    if changes.is_none() {
        SidePanel::right("source changes", LIST, LEAST_LIST..=640.0)
            .show(ui, |ui| changes_panel_ui(ui, data, actions));
    }
    Frame::new().fill(tokens(ui).desk).show(ui, |ui| {
        header_ui(ui, data, changes.as_mut(), actions);
        match &data.state {
            StaleState::Found(_) if changes == Some(true) => {
                changes_panel_ui(ui, data, actions);
                // A user who chooses a change wants to see it in the texts.
                if actions.iter().any(|a| matches!(a, Action::ShowChange(_))) {
                    changes = Some(false);
                }
            }
            StaleState::Searching => searching_ui(ui, data, actions),
            StaleState::Failed(reason) => {
                let heading = "The search for the source failed.";
                widgets::banner(ui, Tone::Error, icons::OCTAGON_X, heading, &visible(reason));
            }
            StaleState::Found(result) => found_ui(ui, data, result, actions),
        }
    });
    if let Some(is_shown) = changes {
        ui.data_mut(|data| data.insert_temp(changes_id, is_shown));
    }
}

fn header_ui(ui: &mut Ui, data: &StaleData, changes: Option<&mut bool>, actions: &mut Actions) {
    let (rect, _) = widgets::allocate_row(ui, theme::DESK_HEADER, Sense::hover());
    let inner = rect.shrink2(vec2(theme::GAP, 0.0));
    let tokens = tokens(ui);
    let layout = Layout::right_to_left(Align::Center);
    ui.scope_builder(UiBuilder::new().max_rect(inner).layout(layout), |ui| {
        ui.add_space(theme::GAP);
        if let (StaleState::Found(_), Some(is_shown)) = (&data.state, changes) {
            let button = Button::secondary("Changes").icon(icons::LIST_ORDERED);
            let tip = "Lists the changes, the affected recordings and their fixes";
            if ui.add(button.tooltip(tip).on(*is_shown)).clicked() {
                *is_shown = !*is_shown;
            }
        }
        if let StaleState::Found(result) = &data.state
            && result.source.machine.is_some()
        {
            let map =
                Button::secondary("Map").icon(icons::WORKFLOW).icon_only_if(!data.can_choose_pane);
            let response = ui.add(map.tooltip("Shows the machine in all its versions"));
            widgets::on_click(&response, MapAction::Show, actions);
            if data.can_choose_pane && result.source.diff.is_some() {
                pane_switch(ui, data.pane, actions);
            }
            stepper(ui, "Change", data.current, data.changes.lines.len(), actions);
        }
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            back_button(ui, actions);
            let (font, color) = (theme::semibold(theme::TITLE), tokens.text_strong);
            let title = StyledText::new().with(&data.title, font, color).show(ui);
            title.on_hover_text(&data.file);
            if ui.available_width() > 100.0 {
                widgets::status_tag(ui, data.status);
            }
            if ui.available_width() > 60.0 {
                let font = theme::regular(theme::ROW);
                StyledText::new().with(&data.made_from_it, font, tokens.muted).show(ui);
            }
        });
    });
    widgets::line_below(ui, rect);
}

fn searching_ui(ui: &mut Ui, data: &StaleData, actions: &mut Actions) {
    let sentence = format!("Searching the git history for {} as it was recorded…", data.title);
    if widgets::empty_state(ui, &sentence, Some("Stop searching")) {
        actions.push(Action::Run(Command::Close));
    }
}

fn found_ui(ui: &mut Ui, data: &StaleData, result: &StaleSource, actions: &mut Actions) {
    heads_ui(ui, data, result, actions);
    widgets::hair_line(ui);
    if let Some(remark) = &result.remark {
        let (tone, icon) = match remark.severity {
            Severity::Error => (Tone::Error, icons::OCTAGON_X),
            Severity::Warning => (Tone::Warning, icons::TRIANGLE_ALERT),
            Severity::Note => (Tone::Note, icons::INFO),
        };
        widgets::banner(ui, tone, icon, &remark.title, &remark.detail);
    }
    // Without the recorded text, these facts are all that is known about it.
    if !result.source.recorded_facts.is_empty() && result.source.recorded.is_err() {
        kept_ui(ui, result);
    }
    if let Some(sheet) = &result.sheet {
        let mut sheet_actions = Vec::new();
        ui.push_id("source", |ui| sheet_ui(ui, sheet, &result.focus, &mut sheet_actions));
        actions.extend(sheet_actions.into_iter().filter_map(|action| match action {
            // The sheet counts changes of the text.
            Action::ShowChange(change) => {
                let mut lines = data.changes.lines.iter();
                lines.position(|line| line.changes.contains(&change)).map(Action::ShowChange)
            }
            action => Some(action),
        }));
    }
}

/// Paints the facts about its source that the recording stores.
fn kept_ui(ui: &mut Ui, result: &StaleSource) {
    widgets::padded_frame().show(ui, |ui| {
        let tokens = tokens(ui);
        ui.spacing_mut().item_spacing.y = 4.0;
        widgets::heading(ui, icons::FILE_PLAY, "What the recording stores about it", "");
        widgets::indented(ui, |ui| {
            for (name, value) in &result.source.recorded_facts {
                ui.horizontal_wrapped(|ui| {
                    ui.label(theme::text(*name, theme::regular(theme::ROW), tokens.muted));
                    let value = RichText::new(visible(value)).font(theme::mono(theme::LABEL));
                    ui.label(value.color(tokens.text_strong));
                });
            }
        });
    });
    widgets::hair_line(ui);
}

fn heads_ui(ui: &mut Ui, data: &StaleData, result: &StaleSource, actions: &mut Actions) {
    let is_stacked = data.pane == DiffLayout::Unified;
    // Two lines stacked need less space than two heads.
    let height = if is_stacked { 2.0 * SIDE_HEAD - 8.0 } else { SIDE_HEAD };
    let (rect, _) = widgets::allocate_row(ui, height, Sense::hover());
    // Whole pixels, as in the sheet below, whose middle line continues this one.
    let middle = rect.left() + (rect.width() / 2.0).floor();
    let halves = if is_stacked {
        let y = rect.center().y;
        [rect.with_max_y(y), rect.with_min_y(y)]
    } else {
        [rect.with_max_x(middle), rect.with_min_x(middle + 1.0)]
    };
    let texts = [
        result.source.recorded.as_ref().ok().map(|then| &then.text),
        result.source.current.as_ref().ok().map(|now| &now.text),
    ];
    for (side, (half, head)) in Side::BOTH.into_iter().zip(halves.into_iter().zip(&result.heads)) {
        let text = texts[side as usize];
        ui.push_id(side, |ui| side_head_ui(ui, half, head, text, actions));
    }
    if !is_stacked {
        let hair = Stroke::new(1.0, tokens(ui).hair);
        ui.painter().vline(middle + 0.5, rect.y_range(), hair);
    }
}

fn side_head_ui(
    ui: &mut Ui,
    rect: Rect,
    head: &SideHeading,
    text: Option<&Source>,
    actions: &mut Actions,
) {
    let tokens = tokens(ui);
    let inner = Rect::from_min_max(rect.min + vec2(12.0, 0.0), rect.max - vec2(6.0, 0.0));
    let layout = Layout::left_to_right(Align::Center);
    ui.scope_builder(UiBuilder::new().max_rect(inner).layout(layout), |ui| {
        let words = StyledText::new()
            .with(head.title, theme::semibold(theme::BODY), tokens.text_strong)
            .after(theme::GAP, &head.hash, theme::mono(theme::LABEL), tokens.text);
        let response = words.show(ui);
        if !head.whole_hash.is_empty() {
            let tip = RichText::new(format!("SHA-256 {}", head.whole_hash));
            response.on_hover_text(tip.font(theme::mono(theme::LABEL)));
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
            let Some((short_hash, hash)) = &head.commit else {
                StyledText::new().with(&head.before, font(), tokens.text).show(ui);
                return icon(ui, icons::FILE_CODE);
            };
            let date_text = format!(", {}", head.after);
            ui.spacing_mut().item_spacing.x = 0.0;
            StyledText::new().with(&date_text, font(), tokens.text).show(ui);
            let link = widgets::mono_link(ui, short_hash);
            let tip = format!("Commit {hash}. Click to copy.");
            if widgets::tip(link, &tip, &[] as &[&str]).clicked() {
                actions.push(Action::Copy(hash.clone()));
            }
            ui.add_space(4.0);
            StyledText::new().with(&head.before, font(), tokens.text).show(ui);
            ui.add_space(6.0);
            icon(ui, icons::GIT_COMMIT_HORIZONTAL);
        });
    });
}

fn icon(ui: &mut Ui, icon: &str) {
    let (rect, _) = ui.allocate_exact_size(vec2(theme::ICON, theme::ICON), Sense::hover());
    widgets::paint_icon(ui.painter(), rect.center(), icon, theme::ICON, tokens(ui).muted);
}
