//! Behavior of the field for a path: it opens what is typed, and answers dialogs that the desktop cannot show.

use std::path::{Path, PathBuf};

use crate::{Action, Dialog, Effect, Overlay, PathAction, PathField, PathStep, Workbench};
use protocol::{LookUpPath, PathLookup};

impl Workbench {
    /// Shows the field in place of a dialog that the desktop could not show, and returns the effects.
    pub fn on_dialog_unavailable(&mut self, dialog: Dialog) -> Vec<Effect> {
        let proposal = dialog.kind.proposal();
        let text = proposal.map_or_else(String::new, |path| path.to_string_lossy().into_owned());
        self.show_field(dialog, text, None)
    }

    /// Shows the field with a path that was chosen in a dialog, and with what is wrong with its name. Returns the effects.
    pub fn on_unsuitable_choice(
        &mut self,
        dialog: Dialog,
        path: &Path,
        fault: String,
    ) -> Vec<Effect> {
        self.show_field(dialog, path.to_string_lossy().into_owned(), Some(fault))
    }

    fn show_field(&mut self, dialog: Dialog, text: String, fault: Option<String>) -> Vec<Effect> {
        let old_field = std::mem::take(&mut self.core.path_field);
        let form = match self.core.overlay {
            // The form is below the field that is replaced.
            Some(Overlay::Path) => old_field.form,
            form => form,
        };
        self.core.path_field = PathField {
            dialog: Some(dialog),
            form,
            // The count goes on, so that a field that is shown notices the new text.
            completed: old_field.completed,
            ..PathField::default()
        };
        self.core.overlay = Some(Overlay::Path);
        self.set_path(text);
        self.core.path_field.is_refused = fault.is_some();
        self.core.path_field.fault = fault;
        self.settle()
    }

    /// Shows the field to open a path, or closes it.
    pub(super) fn toggle_path_field(&mut self) {
        if self.core.overlay == Some(Overlay::Path) {
            return self.close_path_field();
        }
        self.core.keep_step_below(Overlay::Path);
        self.core.path_field = PathField::default();
        self.core.overlay = Some(Overlay::Path);
        self.set_path(String::new());
    }

    /// Closes the field without opening anything. The form that needed the path is shown again.
    pub(super) fn close_path_field(&mut self) {
        self.core.overlay = std::mem::take(&mut self.core.path_field).form;
    }

    pub(super) fn on_path_action(&mut self, action: PathAction) {
        if self.core.overlay != Some(Overlay::Path) {
            return;
        }
        match action {
            PathAction::Edit(text) => {
                self.core.path_field.fault = None;
                // A step that waits was requested for the text before.
                self.core.path_field.next = None;
                self.look_up(text);
            }
            PathAction::Choose(text) => self.set_path(text),
            PathAction::Complete => self.when_found(PathStep::Complete),
            PathAction::Submit => self.when_found(PathStep::Submit),
            PathAction::Close => self.close_path_field(),
        }
    }

    pub(super) fn on_path_found(&mut self, text: &String, lookup: PathLookup) {
        let field = &mut self.core.path_field;
        if !field.found.receive(text, lookup) {
            return;
        }
        if let Some(step) = field.next.take() {
            self.on_path_step(step);
        }
    }

    fn set_path(&mut self, text: String) {
        self.core.path_field.completed += 1;
        self.core.path_field.fault = None;
        self.look_up(text);
    }

    fn look_up(&mut self, text: String) {
        let field = &mut self.core.path_field;
        field.text.clone_from(&text);
        if field.found.want(&text) {
            let project = self.core.project.as_ref();
            let base = project.and_then(|project| project.opened.first().cloned());
            self.core.request(Effect::run(LookUpPath { text, base }));
        }
    }

    fn when_found(&mut self, step: PathStep) {
        let field = &mut self.core.path_field;
        if field.found.key.as_ref() == Some(&field.text) {
            self.on_path_step(step);
        } else {
            field.next = Some(step);
        }
    }

    fn on_path_step(&mut self, step: PathStep) {
        let field = &mut self.core.path_field;
        match step {
            PathStep::Complete => {
                if let Some(text) = field.completed_text() {
                    self.set_path(text);
                }
            }
            PathStep::Submit => match field.check() {
                Ok(path) => {
                    let path = path.to_owned();
                    self.submit_path(path);
                }
                Err(fault) => field.fault = Some(fault),
            },
        }
    }

    fn submit_path(&mut self, path: PathBuf) {
        // Taken, because the action may show the field again.
        let field = std::mem::take(&mut self.core.path_field);
        self.core.overlay = field.form;
        let action = match field.dialog {
            Some(dialog) => dialog.answer(vec![path]).and_then(Action::from_choice),
            None => Some(Action::Open(vec![path])),
        };
        if let Some(action) = action {
            self.act(action);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Command;
    use crate::core::dialog::DialogKind;
    use crate::testing::Bench;
    use protocol::EngineEvent;
    use protocol::PathKind;

    fn act(bench: &mut Bench, action: PathAction) -> Vec<Effect> {
        bench.workbench.apply(Action::Path(action))
    }

    /// Answers the lookup of a text.
    fn find(
        bench: &mut Bench,
        text: &str,
        kind: Result<PathKind, &str>,
        completions: &[&str],
    ) -> Vec<Effect> {
        let lookup = PathLookup {
            path: format!("/there/{text}").into(),
            kind: kind.map_err(str::to_owned),
            completions: completions.iter().map(|&name| name.to_owned()).collect(),
        };
        bench.workbench.receive(EngineEvent::PathFound(text.to_owned(), lookup))
    }

    fn open() -> Bench {
        let mut bench = Bench::open(&[("j.json", "{}")]);
        bench.press(Command::GoPath);
        bench
    }

    #[test]
    fn a_text_is_completed_as_far_as_all_names_agree() {
        let mut bench = open();
        act(&mut bench, PathAction::Edit("re".to_owned()));
        act(&mut bench, PathAction::Complete);
        assert_eq!(bench.workbench.core.path_field.text, "re");
        let names = ["recipes/", "recordings/"];
        find(&mut bench, "re", Err("missing"), &names);
        assert_eq!(bench.workbench.core.path_field.text, "rec");
        assert_eq!(bench.workbench.core.path_field.completed, 2);
    }

    #[test]
    fn a_field_for_a_dialog_replaces_an_open_one_and_its_text() {
        let mut bench = open();
        bench.workbench.core.path_field.form = Some(Overlay::FailureLog);
        act(&mut bench, PathAction::Edit("abc".to_owned()));
        let effects = bench.workbench.apply(Action::Run(Command::OpenFolder));
        let [Effect::Pick(dialog)] = &effects[..] else {
            panic!("{effects:?}");
        };
        bench.workbench.on_dialog_unavailable(dialog.clone());
        let field = &bench.workbench.core.path_field;
        assert_eq!((field.text.as_str(), field.completed), ("", 2));
        act(&mut bench, PathAction::Close);
        let overlay = bench.workbench.core.overlay;
        assert_eq!(overlay, Some(Overlay::FailureLog));
    }

    #[test]
    fn a_name_that_does_not_fit_stays_in_the_field_with_the_reason() {
        let mut bench = open();
        let kind = DialogKind::SavePicture("a.svg".into());
        let Effect::Pick(dialog) = Effect::pick("Save", kind, |path| Action::Open(vec![path]))
        else {
            panic!("a dialog");
        };
        let fault = "The name of a picture must end in .svg";
        let path = Path::new("/there/a.gif");
        let refusal = dialog.kind.check_name(path).unwrap_err();
        bench.workbench.on_unsuitable_choice(dialog, path, refusal);
        let text_and_fault = |bench: &Bench| {
            let field = &bench.workbench.core.path_field;
            (field.text.clone(), field.fault.clone())
        };
        let path = "/there/a.gif".to_owned();
        assert_eq!(text_and_fault(&bench), (path, Some(fault.to_owned())));
        act(&mut bench, PathAction::Edit("a.gifs".to_owned()));
        find(&mut bench, "a.gifs", Err("missing"), &[]);
        act(&mut bench, PathAction::Submit);
        assert_eq!(text_and_fault(&bench).1.as_deref(), Some(fault));
        act(&mut bench, PathAction::Edit("a.SVG".to_owned()));
        find(&mut bench, "a.SVG", Err("missing"), &[]);
        act(&mut bench, PathAction::Submit);
        assert_eq!(bench.workbench.core.overlay, None);
    }

    #[test]
    fn a_submitted_path_is_opened_when_it_has_been_looked_up() {
        let mut bench = open();
        act(&mut bench, PathAction::Edit("set".to_owned()));
        act(&mut bench, PathAction::Submit);
        assert_eq!(bench.workbench.core.overlay, Some(Overlay::Path));
        let effects = find(&mut bench, "set", Ok(PathKind::Folder), &[]);
        assert_eq!(bench.workbench.core.overlay, None);
        let effects = format!("{effects:?}");
        assert!(effects.contains("/there/set"), "{effects}");
    }

    #[test]
    fn a_path_that_names_nothing_stays_in_the_field_with_the_reason() {
        let mut bench = open();
        act(&mut bench, PathAction::Edit("none".to_owned()));
        find(&mut bench, "none", Err("missing"), &[]);
        act(&mut bench, PathAction::Submit);
        let fault = |bench: &Bench| bench.workbench.core.path_field.fault.clone();
        assert_eq!(fault(&bench).as_deref(), Some("missing"));
        assert_eq!(bench.workbench.core.overlay, Some(Overlay::Path));
        act(&mut bench, PathAction::Edit("nones".to_owned()));
        assert_eq!(fault(&bench), None);
    }
}
