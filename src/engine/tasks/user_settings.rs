//! The user's own settings: reads and writes their file, and starts the editor that is set there.

use std::process::{Command, ExitStatus, Stdio};
use std::{io, path::Path};

use crate::engine::disk::user_settings::{read, write_settings};
use crate::engine::run::{Lane, Task, TaskContext};
use crate::text::{quoted, visible};
use crate::workbench::{EngineEvent, OpenEditor, ReadUserSettings, WriteUserSettings};

impl Task for ReadUserSettings {
    fn lane() -> Lane {
        // Behind what is being written.
        Lane::Writes
    }

    fn run(&self, _: &TaskContext) -> Option<EngineEvent> {
        Some(EngineEvent::UserSettings(read(&self.0)))
    }
}

impl Task for WriteUserSettings {
    fn lane() -> Lane {
        Lane::Writes
    }

    fn run(&self, context: &TaskContext) -> Option<EngineEvent> {
        let written = write_settings(&self.path, self.before.as_ref(), &self.after);
        if let Err(reason) = written {
            context.send(EngineEvent::Failed(format!("{reason}.")));
        }
        Some(EngineEvent::UserSettings(read(&self.path)))
    }
}

impl Task for OpenEditor {
    fn lane() -> Lane {
        Lane::Independent("editor")
    }

    /// Waits until the program has ended: an editor that was started only hands the file to another process, or stays open.
    fn run(&self, _: &TaskContext) -> Option<EngineEvent> {
        let program = quoted(self.editor.program());
        let reason = match start(self) {
            Ok(status) if status.success() => return None,
            Ok(status) => format!("The editor {program} failed: {status}"),
            Err(error) => format!("Cannot start the editor {program}: {error}"),
        };
        Some(EngineEvent::Failed(format!("{}.", visible(&reason))))
    }
}

fn start(request: &OpenEditor) -> io::Result<ExitStatus> {
    let run = |program: &str| {
        let mut command = Command::new(program);
        command.args(request.editor.arguments(&request.file, request.place));
        command.current_dir(request.file.parent().unwrap_or(Path::new(".")));
        command.stdin(Stdio::null());
        command.stdout(Stdio::null()).stderr(Stdio::null()).status()
    };
    let program = request.editor.program();
    match run(program) {
        // Many programs for a command line are batch files there.
        Err(error) if cfg!(windows) && error.kind() == io::ErrorKind::NotFound => {
            run(&format!("{program}.cmd"))
        }
        result => result,
    }
}
