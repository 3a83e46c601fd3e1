//! Fetches LangSmith runs for the window, only when the user requests it, and reports progress.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use jiff::Timestamp;

use crate::engine::event_sender::BackgroundJob;
use crate::engine::live::langsmith::{Account, ProgressCallback, fetch};
use crate::engine::runner::Engine;
use crate::ops::live::langsmith::FetchError;
use crate::workbench::{
    EngineEvent, FetchEvent, FetchForm, FetchRequest, ImportEvent, LangSmithStatus,
};

impl Engine {
    /// Returns what is known about the LangSmith account without sending a request.
    pub fn langsmith(&self) -> LangSmithStatus {
        LangSmithStatus {
            endpoint: self
                .services
                .langsmith
                .endpoint()
                .unwrap_or_default()
                .into(),
            blocked_reason: self.services.langsmith.access().err(),
        }
    }

    /// Fetches runs; the results arrive as [`FetchEvent`]s. Cancels a fetch that is still running.
    pub fn fetch_runs(&mut self, order: FetchRequest) {
        self.fetching.stop();
        let (number, sender, account) = (
            order.number,
            self.sender.clone(),
            self.services.langsmith.clone(),
        );
        let job = BackgroundJob::start("retake fetch", move |cancel| {
            let send = |event| sender.send(EngineEvent::Import(ImportEvent::Fetch(event)), cancel);
            let mut report = |progress| {
                send(FetchEvent::Progressed(number, progress));
            };
            let fetched = catch_unwind(AssertUnwindSafe(|| {
                fetch_form(&account, &order.form, &mut report, cancel)
            }));
            let runs =
                fetched.unwrap_or_else(|_| Err(FetchError::Incomplete(INTERNAL_ERROR.to_owned())));
            send(FetchEvent::Ended(number, runs));
        });
        match job {
            Ok(job) => self.fetching = job,
            Err(error) => {
                let fault =
                    FetchError::Incomplete(format!("Cannot start a thread to fetch: {error}"));
                let ended = FetchEvent::Ended(number, Err(fault));
                self.send(EngineEvent::Import(ImportEvent::Fetch(ended)));
            }
        }
    }

    /// Stops fetching.
    pub fn cancel_fetch(&mut self) {
        self.fetching.stop();
    }
}

const INTERNAL_ERROR: &str = "Internal error while fetching; please report it";

/// Fetches what the form says, as LangSmith exports it.
fn fetch_form(
    account: &Account,
    form: &FetchForm,
    report: ProgressCallback<'_>,
    cancel: &AtomicBool,
) -> Result<Arc<str>, FetchError> {
    let wanted = form.target(Timestamp::now()).map_err(FetchError::Setting)?;
    let is_cancelled = || cancel.load(Ordering::Relaxed);
    let runs = fetch(&account.access()?, &wanted, report, &is_cancelled)?;
    Ok(runs.source().text().into())
}
