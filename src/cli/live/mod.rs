//! Commands that run until they are stopped.

pub(super) mod answer;
pub(super) mod record;
pub(super) mod serve;
pub(super) mod served;

use std::io;
use std::net::SocketAddr;

use super::output::Output;
use super::{ColorMode, CommandError};
use crate::engine::live::{ListenOptions, ListenScope};

/// The address on which a command listens.
#[derive(Debug, clap::Args)]
struct ListenArgs {
    /// Allow addresses that other computers can reach, and accept requests with any host name and from web pages of any
    /// origin.
    #[arg(long)]
    open_to_network: bool,
}

impl ListenArgs {
    fn listen(&self, address: SocketAddr) -> ListenOptions {
        ListenOptions {
            address,
            scope: if self.open_to_network {
                ListenScope::Network
            } else {
                ListenScope::Loopback
            },
        }
    }
}

/// A log on stdout with one line for each call. If the reader closes the pipe, the command continues.
struct LogOutput {
    output: Option<Output>,
}

impl LogOutput {
    fn new(color: ColorMode) -> Self {
        Self {
            output: Some(Output::new(color)),
        }
    }

    fn write(
        &mut self,
        write: impl FnOnce(&mut Output) -> io::Result<()>,
    ) -> Result<(), CommandError> {
        let Some(output) = &mut self.output else {
            return Ok(());
        };
        match write(output).and_then(|()| output.flush()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.output = None;
                Ok(())
            }
            other => other.map_err(CommandError::from),
        }
    }
}

/// A time of day for the log, in the local time zone or UTC.
fn clock(at: jiff::Timestamp) -> String {
    let zone = jiff::tz::TimeZone::try_system().unwrap_or(jiff::tz::TimeZone::UTC);
    at.to_zoned(zone).strftime("%H:%M:%S").to_string()
}
