//! Paints the column at the left: the recorder, the server, and the client configuration.

use egui::{Align, Frame, Layout, Margin, Panel, RichText, ScrollArea, Sense, Ui, vec2};
use jiff::Timestamp;

use super::calls_ui::calls_action;
use super::client_ui::client_ui;
use super::listener_ui::listener_ui;
use crate::text::visible;
use crate::ui::icons;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{self, StyledText};
use crate::workbench::{Action, CallsAction, CallsDesk, ListenerKind, Workbench};

/// Draws the column at the left: the recorder and the server.
pub(in crate::ui::live) fn runs_ui(ui: &mut Ui, workbench: &Workbench, actions: &mut Vec<Action>) {
    let desk = &workbench.live.calls;
    if !desk.addresses().is_empty() {
        let frame = Frame::new().inner_margin(Margin::symmetric(16, 0));
        Panel::bottom("running listeners")
            .exact_size(theme::DESK_HEADER)
            .resizable(false)
            .frame(frame)
            .show(ui, |ui| foot_ui(ui, desk, actions));
    }
    let area = ScrollArea::vertical().id_salt("runs").auto_shrink(false);
    area.show(ui, |ui| {
        for which in ListenerKind::ALL {
            section_ui(ui, |ui| listener_ui(ui, workbench, which, actions));
            widgets::hair_line(ui);
        }
        section_ui(ui, |ui| client_ui(ui, desk, actions));
        widgets::hair_line(ui);
    });
}

fn section_ui(ui: &mut Ui, content: impl FnOnce(&mut Ui)) {
    let frame = Frame::new().inner_margin(Margin::symmetric(16, 12));
    frame.show(ui, |ui| {
        ui.set_width(ui.available_width());
        ui.spacing_mut().item_spacing = vec2(theme::GAP, 0.0);
        content(ui);
    });
}

/// Adds a sentence that may take several lines.
pub(super) fn sentence_ui(ui: &mut Ui, words: &str, color: egui::Color32) {
    let text = RichText::new(visible(words)).font(theme::regular(theme::ROW));
    let text = text.color(color).line_height(Some(18.0));
    ui.add(egui::Label::new(text).wrap());
}

/// Paints the frame around text that can be copied.
pub(super) fn paint_frame(ui: &Ui, rect: egui::Rect) {
    let colors = tokens(ui);
    let stroke = egui::Stroke::new(1.0, colors.line);
    let kind = egui::StrokeKind::Inside;
    ui.painter().rect(rect, theme::RADIUS_CONTROL, colors.input, stroke, kind);
}

/// Paints the uptime and the stop button.
fn foot_ui(ui: &mut Ui, desk: &CallsDesk, actions: &mut Vec<Action>) {
    let colors = tokens(ui);
    let since = [desk.recorder.since(), desk.server.since()];
    let Some(since) = since.into_iter().flatten().min() else {
        return;
    };
    // The minutes change without any event.
    ui.ctx().request_repaint_after(std::time::Duration::from_secs(20));
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        let words = match desk.addresses().len() {
            1 => "Stop",
            _ => "Stop both",
        };
        let stop = widgets::link(ui, words);
        if widgets::tip(stop, "Stops the recorder and the server", &[] as &[&str]).clicked() {
            actions.push(calls_action(CallsAction::StopBoth));
        }
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            let (icon, _) =
                ui.allocate_exact_size(vec2(theme::ICON, theme::TEXT_LINE), Sense::hover());
            widgets::paint_icon(
                ui.painter(),
                icon.center(),
                icons::RADIO,
                theme::ICON,
                colors.muted,
            );
            let words = uptime_label(since, Timestamp::now());
            StyledText::new().with(&words, theme::regular(theme::ROW), colors.muted).show(ui);
        });
    });
}

/// Formats the uptime in minutes; seconds would only distract.
fn uptime_label(since: Timestamp, now: Timestamp) -> String {
    match now.duration_since(since).as_mins() {
        ..1 => "Listening, just started".to_owned(),
        minutes @ 1..60 => format!("Listening for {minutes} min"),
        minutes => format!("Listening for {} h {} min", minutes / 60, minutes % 60),
    }
}
