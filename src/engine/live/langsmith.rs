//! Fetches runs from LangSmith when the user requests it.
//!
//! The key and the address come only from the environment. Neither is stored, printed, or sent anywhere else.

use std::fmt;
use std::time::Duration;

use http_body_util::{BodyExt as _, Limited};
use hyper::header::{CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use hyper::{Method, Request, Response, Uri, body::Incoming};
use jiff::Timestamp;
use tokio::runtime;

use super::body::full_body;
use super::http_client::{
    ConnectionError, Connections, HttpClient, is_connection_lost, root_cause,
};
use super::race::{RaceResult, race};
use author::import::Filter;
use author::import::langsmith_api::{
    FetchError, FetchProgress, FetchTarget, LangSmithRun, QUERY_PATH, ResponseAction, RunPage,
    export, page, project, project_path, response_action, retry_after, roots_query, run, run_path,
    trace_query, wait_for_connection, with_descendants,
};
use document::Document;

/// The LangSmith account that the environment defines.
#[derive(Clone, Default)]
pub struct Account {
    /// `LANGSMITH_ENDPOINT`.
    pub endpoint: Option<String>,
    /// `LANGSMITH_API_KEY`.
    pub key: Option<String>,
}

/// Hides the key.
impl fmt::Debug for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = self.key.as_ref().map(|_| "…");
        let mut debug = f.debug_struct("Account");
        debug.field("endpoint", &self.endpoint).field("key", &key);
        debug.finish()
    }
}

/// The address and the key for requests.
#[derive(Clone, Debug)]
pub struct LangSmithAccess {
    /// Such as `https://api.smith.langchain.com`.
    endpoint: String,
    key: HeaderValue,
}

/// Receives the progress of a fetch.
pub type ProgressCallback<'a> = &'a mut dyn FnMut(FetchProgress);

/// Returns whether the fetch was cancelled.
pub type CancelCheck<'a> = &'a dyn Fn() -> bool;

const DEFAULT_ENDPOINT: &str = "https://api.smith.langchain.com";

/// The longest answer that is read.
const MAX_RESPONSE_BYTES: usize = 256 << 20;

/// Time that an answer may take.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(120);

/// Time between two checks for cancellation.
const CANCEL_POLL_INTERVAL: Duration = Duration::from_millis(100);

impl Account {
    /// From `LANGSMITH_API_KEY` and `LANGSMITH_ENDPOINT`.
    pub fn from_environment() -> Self {
        let value_of = |name| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
        Self { endpoint: value_of("LANGSMITH_ENDPOINT"), key: value_of("LANGSMITH_API_KEY") }
    }

    /// Returns the address of the API, without a trailing slash.
    ///
    /// # Errors
    ///
    /// The reason why the address is invalid.
    pub fn endpoint(&self) -> Result<&str, FetchError> {
        const INVALID_ENDPOINT: FetchError = FetchError::Setting(
            "LANGSMITH_ENDPOINT is not a valid address; expected one such as https://api.smith.langchain.com",
        );
        let endpoint = self.endpoint.as_deref().unwrap_or(DEFAULT_ENDPOINT).trim();
        let uri: Uri = endpoint.parse().map_err(|_| INVALID_ENDPOINT)?;
        let host = uri.host().unwrap_or_default();
        let is_here = host == "localhost" || host.starts_with("127.") || host == "[::1]";
        match uri.scheme_str() {
            Some("https") => {}
            // A key that is sent to this computer crosses no network.
            Some("http") if is_here => {}
            Some("http") => {
                return Err(FetchError::Setting(
                    "LANGSMITH_ENDPOINT would send the key unencrypted; it must begin with https",
                ));
            }
            _ => return Err(INVALID_ENDPOINT),
        }
        // The paths of requests begin with `/api/v1`, which the address may end with already.
        Ok(endpoint.trim_end_matches('/').trim_end_matches("/v1").trim_end_matches("/api"))
    }

    /// The address and the key for requests.
    ///
    /// # Errors
    ///
    /// The part that is missing or wrong.
    pub fn access(&self) -> Result<LangSmithAccess, FetchError> {
        let key = self.key.as_deref().ok_or(FetchError::NoKey)?;
        let endpoint = self.endpoint()?.to_owned();
        let fault =
            FetchError::Setting("LANGSMITH_API_KEY contains characters that a key cannot have");
        // A key that was read from a file often has a line end, which no header may contain.
        let mut key = HeaderValue::from_str(key.trim()).map_err(|_| fault)?;
        // Keeps the key out of debug output.
        key.set_sensitive(true);
        Ok(LangSmithAccess { endpoint, key })
    }
}

/// Fetches runs, as a document such as LangSmith exports. Blocks.
///
/// # Errors
///
/// Says why they could not be fetched, or that there are none, or that it was cancelled.
pub fn fetch(
    access: &LangSmithAccess,
    target: &FetchTarget,
    on_progress: ProgressCallback<'_>,
    cancel: CancelCheck<'_>,
) -> Result<Document, FetchError> {
    let runtime = runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime
        .map_err(|error| FetchError::Unreachable(format!("The network cannot be used: {error}")))?;
    // `Account::endpoint` has parsed it before.
    let host: Uri = access.endpoint.parse().unwrap_or_default();
    let mut fetcher = RunFetcher {
        access,
        // A fetch sends many requests, and one whose connection was lost can be sent again.
        client: HttpClient::new(&host, Connections::KeepAlive).map_err(FetchError::Unreachable)?,
        on_progress,
        progress: FetchProgress::default(),
    };
    let runs = runtime.block_on(async {
        match race(wait_for_cancel(cancel), fetcher.fetch(target)).await {
            RaceResult::Left(()) => Err(FetchError::Cancelled),
            RaceResult::Right(result) => result,
        }
    })?;
    if runs.is_empty() { Err(FetchError::NoMatchingRuns) } else { Ok(export(runs)) }
}

/// Completes when the fetch is cancelled.
async fn wait_for_cancel(cancel: CancelCheck<'_>) {
    while !cancel() {
        tokio::time::sleep(CANCEL_POLL_INTERVAL).await;
    }
}

struct RunFetcher<'a> {
    access: &'a LangSmithAccess,
    client: HttpClient,
    on_progress: ProgressCallback<'a>,
    progress: FetchProgress,
}

impl RunFetcher<'_> {
    async fn fetch(&mut self, target: &FetchTarget) -> Result<Vec<LangSmithRun>, FetchError> {
        match target {
            FetchTarget::Run(id) => {
                let run = run(&self.request(Method::GET, &run_path(id), String::new()).await?)?;
                self.report_progress(1, 1);
                self.fetch_with_children(run).await
            }
            FetchTarget::Project { name, filter, limit } => {
                self.fetch_project(name, filter, *limit).await
            }
        }
    }

    async fn fetch_project(
        &mut self,
        name: &str,
        filter: &Filter,
        limit: usize,
    ) -> Result<Vec<LangSmithRun>, FetchError> {
        let text = self.request(Method::GET, &project_path(name), String::new()).await?;
        let id = project(&text, name)?;
        let mut all_runs = Vec::new();
        let mut cursor: Option<String> = None;
        let mut remaining_count = limit;
        while remaining_count > 0 {
            let query = roots_query(&id, filter, cursor.as_deref());
            let RunPage { runs, next } = self.fetch_page(query, filter, cursor.as_deref()).await?;
            let page_runs: Vec<LangSmithRun> =
                // A page may have more than the filter wants, such as children of matching runs.
                runs.into_iter().filter(|run| run.is_taken).take(remaining_count).collect();
            remaining_count -= page_runs.len();
            self.report_progress(page_runs.len(), 0);
            for run in page_runs {
                all_runs.extend(self.fetch_with_children(run).await?);
            }
            let Some(next) = next else { break };
            cursor = Some(next);
        }
        Ok(all_runs)
    }

    /// Fetches a run with all its descendants.
    async fn fetch_with_children(
        &mut self,
        run: LangSmithRun,
    ) -> Result<Vec<LangSmithRun>, FetchError> {
        let mut trace = Vec::new();
        let mut cursor: Option<String> = None;
        loop {
            let query = trace_query(&run.trace, run.project.as_deref(), cursor.as_deref());
            let RunPage { runs, next } =
                self.fetch_page(query, &Filter::default(), cursor.as_deref()).await?;
            trace.extend(runs);
            match next {
                Some(next) => cursor = Some(next),
                None => return Ok(with_descendants(&run, trace)),
            }
        }
    }

    async fn fetch_page(
        &mut self,
        query: String,
        filter: &Filter,
        cursor: Option<&str>,
    ) -> Result<RunPage, FetchError> {
        let page = page(&self.request(Method::POST, QUERY_PATH, query).await?, filter, cursor)?;
        self.report_progress(0, page.runs.len());
        Ok(page)
    }

    fn report_progress(&mut self, taken_count: usize, received_count: usize) {
        self.progress.taken += taken_count;
        self.progress.came += received_count;
        (self.on_progress)(self.progress);
    }

    /// Sends a request, and retries until there is an answer or no hope of one.
    async fn request(
        &mut self,
        method: Method,
        path: &str,
        body: String,
    ) -> Result<String, FetchError> {
        let mut attempt = 1;
        loop {
            let random = getrandom::u32().unwrap_or_default();
            let wait = match self.send(method.clone(), path, body.clone()).await? {
                Ok(response) => {
                    let wait = response
                        .headers()
                        .get(RETRY_AFTER)
                        .and_then(|wait| wait.to_str().ok())
                        .and_then(|wait| retry_after(wait, Timestamp::now()));
                    match response_action(response.status().as_u16(), attempt, wait, random) {
                        ResponseAction::Answer => {
                            let text = read_response(response).await?;
                            self.progress.answers += 1;
                            return Ok(text);
                        }
                        ResponseAction::Retry(wait) => wait,
                        ResponseAction::Fail(fault) => return Err(fault),
                    }
                }
                Err(error) => {
                    let wait =
                        wait_for_connection(attempt, random).filter(|_| is_connection_lost(&error));
                    wait.ok_or_else(|| {
                        format!("LangSmith cannot be reached: {}", root_cause(&error))
                    })
                    .map_err(FetchError::Unreachable)?
                }
            };
            self.wait(wait).await;
            attempt += 1;
        }
    }

    /// Waits before the next attempt, and reports that.
    async fn wait(&mut self, wait: Duration) {
        self.progress.wait = Some(wait);
        self.report_progress(0, 0);
        tokio::time::sleep(wait).await;
        self.progress.wait = None;
        self.report_progress(0, 0);
    }

    /// Sends a request once. The inner error is that of the connection.
    async fn send(
        &self,
        method: Method,
        path: &str,
        body: String,
    ) -> Result<Result<Response<Incoming>, ConnectionError>, FetchError> {
        let request = Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.access.endpoint))
            .header("x-api-key", self.access.key.clone())
            .header(CONTENT_TYPE, "application/json")
            .body(full_body(body))
            .map_err(|error| format!("The request to LangSmith cannot be built: {error}"))
            .map_err(FetchError::Unreachable)?;
        let result = tokio::time::timeout(RESPONSE_TIMEOUT, self.client.send(request)).await;
        let reason = "LangSmith did not answer within two minutes";
        result.map_err(|_| FetchError::Incomplete(reason.to_owned()))
    }
}

async fn read_response(response: Response<Incoming>) -> Result<String, FetchError> {
    let body = Limited::new(response.into_body(), MAX_RESPONSE_BYTES).collect();
    let body = tokio::time::timeout(RESPONSE_TIMEOUT, body).await;
    let fault =
        |_| FetchError::Incomplete("LangSmith's answer did not end within two minutes".to_owned());
    let body = body.map_err(fault)?.map_err(|error| {
        FetchError::Incomplete(format!("LangSmith's answer was cut off: {error}"))
    })?;
    Ok(String::from_utf8_lossy(&body.to_bytes()).into_owned())
}
