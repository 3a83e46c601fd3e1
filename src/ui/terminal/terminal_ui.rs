//! Paints the terminal panel below a desk.

use egui::{Frame, Label, Margin, Panel, ScrollArea, Ui, vec2};

use super::terminal_data::{prompt_words, title};
use document::text::counted;
use widgets::theme::{self, tokens};
use widgets::{Button, StyledText, icons};
use workbench::{
    Action, Actions, Command, Proposal, RunState, Tail, Terminal, TerminalAction, TerminalPrompt,
    TerminalRun, Workbench,
};

/// Initial and minimum height of the panel.
const INITIAL_HEIGHT: f32 = 260.0;
const MIN_HEIGHT: f32 = 120.0;
/// Minimum height left for the desk.
const MIN_DESK_HEIGHT: f32 = 240.0;

/// Draws the panel at the lower edge of the layout.
pub fn terminal_ui(ui: &mut Ui, workbench: &Workbench, actions: &mut Actions) {
    let terminal = &workbench.terminal;
    let root = workbench.core.project.as_ref().map_or("", |project| &project.root);
    let words = terminal.prompt.as_ref().map(|prompt| prompt_words(prompt, root));
    let prompt = terminal.prompt.as_ref().zip(words.as_ref());
    let max_height = (ui.available_height() - MIN_DESK_HEIGHT).max(MIN_HEIGHT);
    let panel = Panel::bottom("terminal").frame(Frame::new().fill(tokens(ui).desk));
    panel.resizable(true).default_size(INITIAL_HEIGHT).size_range(MIN_HEIGHT..=max_height).show(
        ui,
        |ui| {
            ui.spacing_mut().item_spacing = vec2(theme::GAP, 0.0);
            // Without this, the panel would shrink to short content, and grow with the next output.
            ui.set_min_height(ui.available_height());
            let text = prompt.map(|(prompt, (_, text))| (prompt, text.as_str()));
            head_ui(ui, terminal, text, actions);
            match (prompt, &terminal.run) {
                (Some((prompt, words)), _) => prompt_ui(ui, prompt, words, actions),
                (None, Some(_)) => output_ui(ui, &terminal.output),
                (None, None) => widgets::empty_sentence(ui, "No command has run yet."),
            }
        },
    );
}

fn head_ui(
    ui: &mut Ui,
    terminal: &Terminal,
    prompt: Option<(&TerminalPrompt, &str)>,
    actions: &mut Actions,
) {
    let (title, (tone, words)) = title(terminal);
    let right = |ui: &mut Ui, actions: &mut Actions| {
        let command = Command::ToggleTerminal;
        let button = Button::icon_only(icons::X, "Hide the terminal");
        widgets::command_button(ui, button.keys_of(command), command, actions);
        // The buttons of each content have their own ids, so that the focus does not move to another button in the same place.
        if let Some((prompt, text)) = prompt {
            let number = terminal.proposals;
            ui.push_id("choices", |ui| choices_ui(ui, prompt, (number, text), actions));
        } else if let Some(run) = &terminal.run {
            ui.push_id("tools", |ui| tools_ui(ui, terminal, run, actions));
        }
    };
    widgets::split_row(ui, theme::TOOL_ROW, actions, right, |ui, _| {
        let colors = tokens(ui);
        widgets::icon(ui, icons::SQUARE_TERMINAL, theme::ICON, colors.muted);
        StyledText::of(title, colors.heading()).show(ui);
        if words.is_empty() || ui.available_width() < 60.0 {
            return;
        }
        let role = (theme::regular(theme::ROW), colors.tone_or(tone, colors.muted));
        StyledText::of(&words, role).show(ui).on_hover_text(words);
    });
    widgets::hair_line(ui);
}

/// Adds the buttons of a proposal, from right to left.
fn choices_ui(
    ui: &mut Ui,
    prompt: &TerminalPrompt,
    (number, text): (u64, &str),
    actions: &mut Actions,
) {
    let last_id = ui.scope_id().with("last proposal");
    // The focus is given once for each proposal, so that the user can move it away.
    let is_new = ui.data(|data| data.get_temp(last_id)) != Some(number);
    ui.data_mut(|data| data.insert_temp(last_id, number));
    if matches!(prompt, TerminalPrompt::Run(_)) {
        let tip = "Runs exactly what is shown here";
        let run = Button::primary("Run").icon(icons::PLAY).tooltip(tip);
        let run = ui.add(run.enter());
        if is_new {
            run.request_focus();
        }
        // With the number: a proposal that replaced this one in the same frame must not be run.
        widgets::on_click(&run, TerminalAction::Run(number), actions);
    }
    let button = Button::secondary("Not now").tooltip("Closes the proposal; nothing runs");
    let response = ui.add(button.keys(vec!["Esc".to_owned()]));
    widgets::on_click(&response, TerminalAction::Withdraw, actions);
    if !text.is_empty() {
        let copy = Button::secondary("Copy").icon(icons::COPY);
        let response = ui.add(copy.tooltip("Copies the text shown here"));
        widgets::on_click(&response, Action::Copy(text.to_owned()), actions);
    }
}

/// Adds the buttons of a run, from right to left.
fn tools_ui(ui: &mut Ui, terminal: &Terminal, run: &TerminalRun, actions: &mut Actions) {
    let reason = terminal.output.lines.is_empty().then_some("no output");
    let copy = ui.add(Button::icon_only(icons::COPY, "Copy the output").disabled(reason));
    widgets::on_click(&copy, TerminalAction::CopyOutput, actions);
    if run.state == RunState::Running {
        let stop = Button::secondary("Stop").icon(icons::SQUARE);
        let stop = ui.add(stop.tooltip(Command::StopCommand.tooltip()));
        widgets::on_click(&stop, TerminalAction::Stop, actions);
    }
}

/// Paints the lines that are visible, and follows the end unless the user scrolled away.
fn output_ui(ui: &mut Ui, output: &Tail) {
    ui.spacing_mut().item_spacing = vec2(0.0, 0.0);
    // One row more, for the remark.
    let remark_rows = usize::from(output.dropped > 0);
    // Lines are not wrapped, so that columns of a program's output stay aligned.
    let area = ScrollArea::both().auto_shrink(false).stick_to_bottom(true);
    area.show_rows(ui, theme::TEXT_LINE, remark_rows + output.lines.len(), |ui, rows| {
        for row in rows {
            match row.checked_sub(remark_rows) {
                None => {
                    let count = counted(output.dropped, "line", "lines");
                    sentence(ui, &format!("{count} before this were dropped."));
                }
                Some(index) => line_ui(ui, output.lines.get(index).map_or("", String::as_str)),
            }
        }
    });
}

fn line_ui(ui: &mut Ui, line: &str) {
    ui.horizontal(|ui| {
        ui.set_height(theme::TEXT_LINE);
        ui.add_space(theme::PADDING);
        let text = theme::text(line, theme::mono(theme::ROW), tokens(ui).text);
        ui.add(Label::new(text).selectable(true).extend());
    });
}

/// Paints the proposal.
fn prompt_ui(
    ui: &mut Ui,
    prompt: &TerminalPrompt,
    (lead, text): &(String, String),
    actions: &mut Actions,
) {
    let tokens = tokens(ui);
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        Frame::new().inner_margin(Margin::same(16)).show(ui, |ui| {
            ui.set_width(ui.available_width());
            ui.spacing_mut().item_spacing.y = theme::GAP;
            sentence(ui, lead);
            if !text.is_empty() {
                let frame = Frame::new()
                    .fill(tokens.input)
                    .stroke((1.0, tokens.line))
                    .corner_radius(theme::RADIUS_CONTROL)
                    .inner_margin(Margin::symmetric(12, 10));
                frame.show(ui, |ui| {
                    ui.set_width(ui.available_width());
                    let text = theme::text(text, theme::mono(theme::ROW), tokens.text_strong)
                        .line_height(Some(theme::TEXT_LINE));
                    ui.add(Label::new(text).selectable(true).wrap());
                });
            }
            if let TerminalPrompt::Run(proposal) = prompt {
                origin_ui(ui, proposal, actions);
                proposal.remarks.iter().for_each(|remark| sentence(ui, remark));
            }
        });
    });
}

/// Paints the origin of the commands, where they can be changed.
fn origin_ui(ui: &mut Ui, proposal: &Proposal, actions: &mut Actions) {
    let Some(origin) = &proposal.origin else { return };
    let place = format!("{}, line {}", origin.file, origin.line);
    let Some((doc, span)) = origin.reveal else {
        return sentence(ui, &format!("From {place}. Change it there."));
    };
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        sentence(ui, "From");
        widgets::on_click(&widgets::link(ui, &place), Action::Reveal(doc, span), actions);
    });
}

fn sentence(ui: &mut Ui, text: &str) {
    let text = theme::text(text, theme::regular(theme::ROW), tokens(ui).muted);
    ui.label(text.line_height(Some(theme::TEXT_LINE)));
}
