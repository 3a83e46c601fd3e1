//! Fetches runs from LangSmith, only on request.

use std::io::{self, IsTerminal as _, Write as _};

use crate::{CommandError, CommandResult, report_error};
use author::import::Filter;
use author::import::langsmith_api::{FetchError, FetchProgress, FetchTarget, export, run_id};
use document::Document;
use engine::live::langsmith::{Account, fetch};
use engine::live::listen_for_interrupts;

/// The runs to fetch from LangSmith. The key is in LANGSMITH_API_KEY, the address in LANGSMITH_ENDPOINT.
#[derive(Debug, clap::Args)]
pub(super) struct LangSmithArgs {
    /// Fetch this run and its child runs from LangSmith, by id or by the URL of its page. Set the key in
    /// LANGSMITH_API_KEY. HTTPS_PROXY, NO_PROXY and SSL_CERT_FILE apply.
    #[arg(long, value_name = "RUN", conflicts_with = "from_langsmith_project")]
    from_langsmith: Option<String>,
    /// Fetch the runs of this LangSmith project that match the filters below.
    #[arg(long, value_name = "PROJECT")]
    from_langsmith_project: Option<String>,
    /// Fetch at most this many runs of a project.
    #[arg(long, value_name = "N", default_value = "100")]
    limit: usize,
}

impl LangSmithArgs {
    /// Whether runs are to be fetched.
    pub(super) fn is_given(&self) -> bool {
        self.from_langsmith.is_some() || self.from_langsmith_project.is_some()
    }

    /// Fetches the requested runs; returns `None` if there is no request.
    pub(super) fn fetch(&self, filter: &Filter) -> CommandResult<Option<Document>> {
        let target = match (&self.from_langsmith, &self.from_langsmith_project) {
            // Text that is not a URL of LangSmith is used as an id, and LangSmith reports an id that is wrong.
            (Some(run), _) => FetchTarget::Run(run_id(run).unwrap_or(run).to_owned()),
            (None, Some(project)) => FetchTarget::Project {
                name: project.clone(),
                filter: filter.clone(),
                limit: self.limit,
            },
            (None, None) => return Ok(None),
        };
        let failure = |fault: FetchError| CommandError(fault.to_string());
        let access = Account::from_environment().access().map_err(failure)?;
        // Polled while fetching, so that Ctrl+C ends it with a message.
        let interrupts = listen_for_interrupts()?;
        // In a log, each update of the line would be one more line.
        let is_terminal = io::stderr().is_terminal();
        let mut report = |FetchProgress { taken, came, wait, .. }| {
            if is_terminal {
                let wait = wait.map(|w| format!("; busy, waiting {} s", w.as_secs_f64().ceil()));
                let wait = wait.unwrap_or_default();
                // Progress is only a convenience: a closed stderr must not end the import.
                let _ = write!(
                    io::stderr(),
                    "\r\x1b[KLangSmith: {taken} runs, {came} with child runs{wait}"
                );
            }
        };
        let result = fetch(&access, &target, &mut report, &|| interrupts.try_recv().is_ok());
        if is_terminal {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
        match result {
            // Reported and not a failure, so that other inputs of the same command are imported.
            Err(fault @ FetchError::NoMatchingRuns) => {
                report_error(&fault.to_string());
                Ok(Some(export(Vec::new())))
            }
            result => result.map(Some).map_err(failure),
        }
    }
}
