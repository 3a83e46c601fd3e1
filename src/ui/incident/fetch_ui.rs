//! Paints the form that fetches runs from LangSmith, and its progress.

use egui::{Id, Ui};

use super::incident_data::STATUSES;
use author::import::{FetchField, FetchForm, FetchScope, FieldCheck, RunStatus};
use document::text::visible;
use protocol::LangSmithStatus;
use widgets::dialog::{DialogHead, close_button, dialog};
use widgets::icons;
use widgets::theme::{self, Tone, tokens};
use widgets::{Button, FormField, Segment, StyledText, fields, form_row, is_entered};
use workbench::{Action, Actions, FetchAction, FetchState, ImportAction, LangSmithFetch};

/// Draws the form over the desk. User input becomes an [`Action`].
pub fn fetch_ui(ui: &mut Ui, fetch: &LangSmithFetch, actions: &mut Actions) {
    let mut form = fetch.form.clone();
    let mut is_entered = false;
    let detail =
        "Nothing is sent until you click Fetch. Nothing is written until you save the drafts.";
    let head = DialogHead { icon: icons::DOWNLOAD, title: "Import from LangSmith", detail };
    let body = |ui: &mut Ui, _: &mut Actions| {
        ui.spacing_mut().item_spacing.y = theme::GAP;
        if let FetchState::Failed(fault) = &fetch.state {
            let heading = format!("{}.", visible(&fault.to_string()));
            widgets::banner(ui, Tone::Error, icons::OCTAGON_X, &heading, fault.advice());
        }
        // The runs are being fetched with what the fields contain.
        ui.add_enabled_ui(!fetch.is_running(), |ui| {
            is_entered = form_ui(ui, &mut form);
        });
        widgets::hair_line(ui);
        request_preview_ui(ui, &form, &fetch.langsmith);
        ui.add_space(theme::GAP);
    };
    dialog(ui, "fetch runs", head, actions, body, |ui, actions| match fetch.progress_text() {
        Some(words) => running_ui(ui, &words, actions),
        None => foot_ui(ui, fetch, actions),
    });
    if is_entered {
        actions.push(fetch_action(FetchAction::Fetch));
    }
    if form != fetch.form {
        // Typed text is applied before the button that was clicked.
        actions.insert(0, fetch_action(FetchAction::Edit(form)));
    }
}

fn fetch_action(action: FetchAction) -> Action {
    Action::from(ImportAction::Fetch(action))
}

/// Draws the fields. Returns whether Enter was pressed in one.
fn form_ui(ui: &mut Ui, form: &mut FetchForm) -> bool {
    let mut scope = usize::from(form.scope == FetchScope::Project);
    FormField::choice("Fetch", &["One run", "A project"], &mut scope).show(ui, Id::unique("scope"));
    form.scope = [FetchScope::Run, FetchScope::Project][scope];
    let mut is_entered = false;
    for (index, field) in form.fields().iter().enumerate() {
        is_entered |= field_ui(ui, form, *field, index == 0);
        if *field == FetchField::Project {
            form_row(ui, "Status", |ui| status_ui(ui, &mut form.filter.status));
        }
    }
    is_entered
}

/// Draws the filter of runs by their outcome.
pub(super) fn status_ui(ui: &mut Ui, choice: &mut RunStatus) {
    let segments = STATUSES.map(|(_, words)| Segment::text(words));
    let index = STATUSES.iter().position(|(status, _)| status == choice).unwrap_or_default();
    if let Some(index) = widgets::segmented(ui, &segments, index) {
        *choice = STATUSES[index].0;
    }
}

/// Draws a field and its check. Returns whether Enter was pressed in it.
fn field_ui(ui: &mut Ui, form: &mut FetchForm, field: FetchField, is_first: bool) -> bool {
    let check = form.check(field);
    let (name, width, text) = match field {
        FetchField::Run => ("Run", 320.0, &mut form.run),
        FetchField::Project => ("Project", 240.0, &mut form.project),
        FetchField::Since => ("From", 176.0, &mut form.filter.since),
        FetchField::Until => ("Until", 176.0, &mut form.filter.until),
        FetchField::Least => ("Minimum duration", 88.0, &mut form.filter.least),
        FetchField::Limit => ("Maximum runs", 88.0, &mut form.limit),
    };
    let (note, fault): (&str, Option<&str>) = match &check {
        FieldCheck::Understood(words) => (words, None),
        FieldCheck::Needed(words) => (words, None),
        FieldCheck::Wrong(words) => ("", Some(words)),
    };
    let id = Id::unique(("fetch runs", name));
    let response = FormField::data(name, text).width(width).note(note).fault(fault).show(ui, id);
    let is_entered = is_entered(ui, &response);
    // Only while nothing has the focus, which is when the dialog opens or a disabled form is enabled again.
    if is_first && !is_entered && ui.is_enabled() {
        fields::focus_first(ui, &response);
    }
    is_entered
}

/// Draws the requests that would be sent, their address, and whether the key is set.
fn request_preview_ui(ui: &mut Ui, form: &FetchForm, langsmith: &LangSmithStatus) {
    let colors = tokens(ui);
    let (icon, color, words) = match &langsmith.blocked_reason {
        None => (icons::CIRCLE_CHECK, colors.good, KEY_IS_SET.to_owned()),
        Some(fault) => {
            (icons::TRIANGLE_ALERT, colors.warning, format!("{fault}. {}", fault.advice()))
        }
    };
    form_row(ui, "Key", |ui| {
        StyledText::new()
            .with(icon, theme::icon(theme::ICON), color)
            .after(theme::ICON_GAP, &words, theme::regular(theme::ROW), colors.text)
            .show(ui);
    });
    form_row(ui, "Requests", |ui| {
        let font = theme::regular(theme::ROW);
        let address = visible(&langsmith.endpoint);
        let note = if form.requests().is_some() { "" } else { "no requests yet" };
        StyledText::new()
            .with(&address, theme::mono(theme::LABEL), colors.text_strong)
            .after(theme::GAP, note, font, colors.muted)
            .show(ui);
    });
    for (method, path) in form.requests().into_iter().flatten() {
        let request_line = format!("{method} {path}");
        form_row(ui, "", |ui| {
            StyledText::new().with(&request_line, theme::mono(theme::LABEL), colors.text).show(ui);
        });
    }
}

const KEY_IS_SET: &str = "LANGSMITH_API_KEY is set. It is sent only to this address.";

fn foot_ui(ui: &mut Ui, fetch: &LangSmithFetch, actions: &mut Actions) {
    widgets::at_right(ui, |ui| {
        let reason = fetch.blocked_reason();
        let button = Button::primary("Fetch").keys(vec!["Enter".to_owned()]).show_keys();
        let response = ui.add(button.disabled(reason.as_deref()));
        widgets::on_click(&response, fetch_action(FetchAction::Fetch), actions);
        close_button(ui, "Close", actions);
    });
}

/// Draws the progress, and the buttons to cancel or hide.
fn running_ui(ui: &mut Ui, words: &str, actions: &mut Actions) {
    widgets::at_right(ui, |ui| {
        let cancel = Button::secondary("Cancel").tooltip("Stop fetching and import nothing");
        widgets::on_click(&ui.add(cancel), fetch_action(FetchAction::Cancel), actions);
        let hide = Button::ghost("Hide")
            .keys(vec!["Esc".to_owned()])
            .tooltip("Continue in the background; the status line shows the progress");
        widgets::on_click(&ui.add(hide.show_keys()), Action::SetOverlay(None), actions);
        widgets::at_left(ui, |ui| {
            let colors = tokens(ui);
            StyledText::new()
                .with("Fetching", theme::semibold(theme::BODY), colors.text_strong)
                .after(theme::GAP, words, theme::regular(theme::ROW), colors.text)
                .show(ui);
        });
    });
}
