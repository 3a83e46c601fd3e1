//! Tasks for the window itself: the user's settings and editor, the log, a path that is typed, the samples.

use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

use jiff::Timestamp;

use crate::disk::guard::lock;
use crate::disk::log_file::LogFile;
use crate::disk::root::describe_error;
use crate::disk::samples::SampleCopy;
use crate::disk::typed_path::look_up;
use crate::disk::user_settings::{read, write_settings};
use crate::logging::flush_log;
use crate::run::{TaskContext, Work};
use author::stored_text::StoredText;
use document::text::{quoted, visible};
use protocol::{
    EngineEvent, Lane, LookUpPath, OpenEditor, ReadLog, ReadUserSettings, SampleStop,
    UnpackSamples, UnpackedSamples, WriteUserSettings,
};

/// Number of lines of the log that are shown.
const MAX_LOG_LINES: usize = 500;

pub(crate) fn read_user_settings(request: ReadUserSettings) -> Work {
    // In the lane of writing, so that a write that is under way ends first.
    Work::new(Lane::Writes, request, |request, _| Some(EngineEvent::UserSettings(read(&request.0))))
}

pub(crate) fn write_user_settings(request: WriteUserSettings) -> Work {
    Work::new(Lane::Writes, request, |request, context| {
        let result = write_settings(&request.path, request.before.as_ref(), &request.after);
        if let Err(reason) = result {
            context.send(EngineEvent::Failed(format!("{reason}.")));
        }
        Some(EngineEvent::UserSettings(read(&request.path)))
    })
}

/// Waits until the program has ended: an editor that was started only hands the file to another process, or stays open.
pub(crate) fn open_editor(request: OpenEditor) -> Work {
    Work::new(Lane::Independent("editor"), request, |request, _| {
        let program = quoted(request.editor.program());
        let reason = match start(request) {
            Ok(status) if status.success() => return None,
            Ok(status) => format!("The editor {program} failed: {status}"),
            Err(error) => format!("Cannot start the editor {program}: {error}"),
        };
        Some(EngineEvent::Failed(format!("{}.", visible(&reason))))
    })
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
        // On Windows, many programs for the command line are batch files.
        Err(error) if cfg!(windows) && error.kind() == io::ErrorKind::NotFound => {
            run(&format!("{program}.cmd"))
        }
        result => result,
    }
}

/// Reads the latest lines of the log.
pub(crate) fn read_log(request: ReadLog) -> Work {
    Work::new(Lane::Independent("read log"), request, |_, context| {
        // The latest lines are still on their way to the file.
        flush_log();
        let text = context.services.state.as_deref().map(|state| {
            let lines = LogFile::open(state).map(|log| log.tail(MAX_LOG_LINES));
            StoredText { path: LogFile::path(state), text: lines.unwrap_or_default().join("\n") }
        });
        Some(EngineEvent::LogRead(text.unwrap_or_default()))
    })
}

/// Looks up a path while the user types it.
pub(crate) fn look_up_path(request: LookUpPath) -> Work {
    Work::new(Lane::Independent("typed path"), request, |LookUpPath { text, base }, context| {
        let home = std::env::home_dir();
        let root = context.root.as_deref();
        let result = look_up(text, base.as_deref(), home.as_deref(), root, &context.cancel);
        Some(EngineEvent::PathFound(text.clone(), result))
    })
}

/// Unpacks the samples into a temporary folder.
pub(crate) fn unpack_samples(request: UnpackSamples) -> Work {
    Work::new(Lane::Independent("samples"), request, |request, context| {
        let result = unpack(request, context);
        Some(result.map_or_else(EngineEvent::Failed, EngineEvent::SamplesUnpacked))
    })
}

fn unpack(request: &UnpackSamples, context: &TaskContext) -> Result<UnpackedSamples, String> {
    // The temporary folder is outside of the root.
    if context.root.is_some() {
        return Err("The samples cannot be opened with --root. Start Retake without it.".to_owned());
    }
    let temp = std::env::temp_dir();
    let copy = SampleCopy::create(&temp, Timestamp::now()).map_err(|error| {
        let reason = describe_error(&error);
        format!("The samples cannot be unpacked into {}: {reason}.", temp.display())
    })?;
    let (project, incident) = match request.0 {
        SampleStop::FailedTest => (copy.cassettes(), copy.log()),
        _ => (copy.opened(), copy.report()),
    };
    lock(&context.services.samples).push(copy);
    Ok(UnpackedSamples { project, incident, stop: request.0 })
}
