//! A command with all its child processes, which can be stopped as a whole.

use std::io::{self, PipeReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use protocol::CommandEnd;

/// A shell that runs a command, with its child processes.
pub(super) struct Process {
    child: Child,
}

impl Process {
    /// Starts a command in a folder. Its standard input is closed; all its output comes through the pipe, in the order in
    /// which it was written. The pipe ends when no process can write to it any longer.
    pub(super) fn start(command: &str, folder: &Path) -> io::Result<(Self, PipeReader)> {
        let (output, writer) = io::pipe()?;
        let mut shell = shell(command);
        // A command that needs a terminal has to be copied by the user and run in one.
        shell.current_dir(folder).stdin(Stdio::null());
        // One pipe for both: with two, the order in which lines were written would be lost.
        shell.stdout(writer.try_clone()?).stderr(writer);
        // `shell` owns both write ends and is dropped here; while it lives, the pipe would never end.
        Ok((Self { child: shell.spawn()? }, output))
    }
}

#[cfg(unix)]
fn shell(command: &str) -> Command {
    use std::os::unix::process::CommandExt as _;
    let mut shell = Command::new("sh");
    // A group of its own: a signal to it reaches the shell's child processes, and Ctrl+C in Retake's terminal does not reach it.
    shell.arg("-c").arg(command).process_group(0);
    shell
}

#[cfg(unix)]
impl Process {
    /// Sends all processes the signal to terminate.
    pub(super) fn terminate(&mut self) {
        self.signal(rustix::process::Signal::TERM);
    }

    pub(super) fn kill(&mut self) {
        self.signal(rustix::process::Signal::KILL);
    }

    /// The process group has the shell's process id, which is not reused before [`end`](Self::end).
    fn signal(&mut self, signal: rustix::process::Signal) {
        let group = rustix::process::Pid::from_child(&self.child);
        // The group may have ended already.
        let _ = rustix::process::kill_process_group(group, signal);
    }

    /// Returns whether the shell has exited. Its process id stays reserved.
    pub(super) fn is_over(&mut self) -> bool {
        use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
        let shell = WaitId::Pid(Pid::from_child(&self.child));
        // NOWAIT leaves the exited shell unreaped, so that its id, which names the group, is not reused while signals are sent.
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(waitid(shell, options), Ok(None))
    }

    /// Waits for the shell to exit and returns its status.
    pub(super) fn end(&mut self) -> io::Result<CommandEnd> {
        use std::os::unix::process::ExitStatusExt as _;
        let status = self.child.wait()?;
        Ok(match (status.code(), status.signal()) {
            (Some(code), _) => CommandEnd::Code(code),
            (None, signal) => CommandEnd::Signal(signal.unwrap_or_default()),
        })
    }
}

#[cfg(not(unix))]
fn shell(command: &str) -> Command {
    let mut shell = Command::new("cmd");
    // /D skips the AutoRun commands of the registry, /V:OFF leaves `!` alone, /S removes only the outer quotes.
    shell.args(["/D", "/V:OFF", "/S", "/C"]);
    // These are the quotes that /S removes.
    raw_argument(&mut shell, &format!("\"{command}\""));
    shell
}

/// Adds a command unchanged: only the shell may split it into arguments.
#[cfg(windows)]
fn raw_argument(shell: &mut Command, command: &str) {
    use std::os::windows::process::CommandExt as _;
    /// Opens no console window.
    const CREATE_NO_WINDOW: u32 = 0x0800_0000;
    shell.raw_arg(command).creation_flags(CREATE_NO_WINDOW);
}

#[cfg(not(any(unix, windows)))]
fn raw_argument(shell: &mut Command, command: &str) {
    shell.arg(command);
}

#[cfg(not(unix))]
impl Process {
    /// Kills all processes: a softer signal does not exist here.
    pub(super) fn terminate(&mut self) {
        self.kill();
    }

    pub(super) fn kill(&mut self) {
        let mut command = Command::new("taskkill");
        // Windows kills no child processes with their parent; `taskkill /T` finds them.
        all.args(["/T", "/F", "/PID", &self.child.id().to_string()]);
        let command = command.stdin(Stdio::null()).stdout(Stdio::null());
        if command.stderr(Stdio::null()).status().is_err() {
            // The shell may have ended already.
            let _ = self.child.kill();
        }
    }

    /// Returns whether the shell has exited.
    pub(super) fn is_over(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    /// Waits for the shell to exit and returns its status.
    pub(super) fn end(&mut self) -> io::Result<CommandEnd> {
        Ok(CommandEnd::Code(self.child.wait()?.code().unwrap_or_default()))
    }
}
