//! Paints the contract that a session has to keep.

use egui::{RichText, Ui};

use super::sessions_ui::{Shows, inset, strip};
use crate::format::text;
use crate::text::visible;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{self, Words};

/// Draws the contract's name.
pub(super) fn contract_ui(ui: &mut Ui, shows: Shows<'_>) {
    let colors = tokens(ui);
    strip(ui, theme::DESK_HEADER, |ui| {
        let title = theme::semibold(theme::TITLE);
        Words::new()
            .with("Contract", title, colors.text_strong)
            .show(ui);
    });
    widgets::hair_line(ui);
    let session = shows.data.session();
    let named = session.and_then(|session| text(&session.contract));
    let words = match named {
        Some(name) => visible(name).into_owned(),
        None => "default, since the session names none".to_owned(),
    };
    inset().show(ui, |ui| {
        let words = RichText::new(words).font(theme::regular(theme::BODY));
        ui.label(words.color(colors.text_strong));
    });
}
