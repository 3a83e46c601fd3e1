//! Fetches runs from LangSmith, because somebody asked for them.
//!
//! The key and the address come from the environment alone. Neither is kept, printed, or sent anywhere else.

use std::time::Duration;

use http_body_util::{BodyExt as _, Limited};
use hyper::header::{CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use hyper::{Method, Request, Response, Uri, body::Incoming};
use tokio::runtime;

use super::body::full;
use super::race::{First, race};
use super::upstream::{HttpClient, cause, client};
use crate::format::Document;
use crate::ops::import::Filter;
use crate::ops::live::langsmith::{
    Page, QUERY_PATH, Run, Verdict, export, family, page, project, project_path, roots_query, run,
    run_path, trace_query, verdict,
};

/// What is fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The run with this id, and what lies beneath it.
    Run(String),
    /// Runs of a project.
    Project {
        /// Its name.
        name: String,
        /// Which of its root runs.
        filter: Filter,
        /// How many at most.
        limit: usize,
    },
}

/// How one gets there.
#[derive(Clone)]
pub struct Access {
    /// Such as `https://api.smith.langchain.com`.
    endpoint: String,
    key: HeaderValue,
}

/// How far a fetch is: runs that are asked for, and all that came.
pub type Progress<'a> = &'a mut dyn FnMut(usize, usize);

/// What asks whether to go on.
pub type Cancel<'a> = &'a dyn Fn() -> bool;

const ENDPOINT: &str = "https://api.smith.langchain.com";

/// The longest answer that is read.
const MOST_BYTES: usize = 256 << 20;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// How often it is asked whether to go on.
const BREATH: Duration = Duration::from_millis(100);

impl Access {
    /// From `LANGSMITH_API_KEY` and `LANGSMITH_ENDPOINT`.
    ///
    /// # Errors
    ///
    /// What is missing or wrong, as a sentence without a full stop.
    pub fn from_environment() -> Result<Self, String> {
        let set = |name| {
            std::env::var(name)
                .ok()
                .filter(|value| !value.trim().is_empty())
        };
        let key = set("LANGSMITH_API_KEY").ok_or("LANGSMITH_API_KEY is not set")?;
        let endpoint = set("LANGSMITH_ENDPOINT").unwrap_or_else(|| ENDPOINT.to_owned());
        Self::new(&endpoint, &key)
    }

    fn new(endpoint: &str, key: &str) -> Result<Self, String> {
        let wanted = "LANGSMITH_ENDPOINT is no address such as https://api.smith.langchain.com";
        let uri: Uri = endpoint.trim().parse().map_err(|_| wanted)?;
        let host = uri.host().unwrap_or_default();
        let is_here = host == "localhost" || host.starts_with("127.") || host == "[::1]";
        match uri.scheme_str() {
            Some("https") => {}
            Some("http") if is_here => {}
            Some("http") => {
                return Err(
                    "LANGSMITH_ENDPOINT would send the key unprotected; it has to begin with https"
                        .to_owned(),
                );
            }
            _ => return Err(wanted.to_owned()),
        }
        let endpoint = endpoint.trim().trim_end_matches('/');
        let endpoint = endpoint.trim_end_matches("/v1").trim_end_matches("/api");
        let mut key = HeaderValue::from_str(key.trim())
            .map_err(|_| "LANGSMITH_API_KEY holds what no key can")?;
        key.set_sensitive(true);
        Ok(Self {
            endpoint: endpoint.to_owned(),
            key,
        })
    }
}

/// Fetches runs, as a document such as LangSmith exports. Blocks.
///
/// # Errors
///
/// Why they could not be fetched, or that it was cancelled; a sentence without a full stop.
pub fn fetch(
    access: &Access,
    wanted: &Wanted,
    progress: Progress<'_>,
    cancel: Cancel<'_>,
) -> Result<Document, String> {
    let runtime = runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("The network cannot be used: {error}"))?;
    let mut fetching = Fetching {
        access,
        client: client()?,
        progress,
        taken: 0,
        came: 0,
    };
    let done = runtime.block_on(async {
        match race(cancelled(cancel), fetching.fetch(wanted)).await {
            First::Left(()) => Err("Cancelled: nothing was imported".to_owned()),
            First::Right(done) => done,
        }
    });
    Ok(export(done?))
}

/// Is there when somebody does not want to go on.
async fn cancelled(cancel: Cancel<'_>) {
    while !cancel() {
        tokio::time::sleep(BREATH).await;
    }
}

struct Fetching<'a> {
    access: &'a Access,
    client: HttpClient,
    progress: Progress<'a>,
    taken: usize,
    came: usize,
}

impl Fetching<'_> {
    async fn fetch(&mut self, wanted: &Wanted) -> Result<Vec<Run>, String> {
        match wanted {
            Wanted::Run(id) => {
                let run = run(&self.ask(Method::GET, &run_path(id), String::new()).await?)?;
                self.tell(1, 1);
                self.with_family(run).await
            }
            Wanted::Project {
                name,
                filter,
                limit,
            } => self.project(name, filter, *limit).await,
        }
    }

    async fn project(
        &mut self,
        name: &str,
        filter: &Filter,
        limit: usize,
    ) -> Result<Vec<Run>, String> {
        let text = self
            .ask(Method::GET, &project_path(name), String::new())
            .await?;
        let id = project(&text, name)?;
        let mut all = Vec::new();
        let mut cursor: Option<String> = None;
        let mut left = limit;
        while left > 0 {
            let query = roots_query(&id, filter, cursor.as_deref());
            let Page { runs, next } = self.page(query, filter, cursor.as_deref()).await?;
            let taken: Vec<Run> = runs
                .into_iter()
                .filter(|run| run.is_taken)
                .take(left)
                .collect();
            left -= taken.len();
            self.tell(taken.len(), 0);
            for run in taken {
                all.extend(self.with_family(run).await?);
            }
            let Some(next) = next else { break };
            cursor = Some(next);
        }
        Ok(all)
    }

    /// A run, and all beneath it.
    async fn with_family(&mut self, run: Run) -> Result<Vec<Run>, String> {
        let mut trace = Vec::new();
        let mut cursor: Option<String> = None;
        loop {
            let query = trace_query(&run.trace, run.project.as_deref(), cursor.as_deref());
            let Page { runs, next } = self
                .page(query, &Filter::default(), cursor.as_deref())
                .await?;
            trace.extend(runs);
            match next {
                Some(next) => cursor = Some(next),
                None => return Ok(family(&run, trace)),
            }
        }
    }

    async fn page(
        &mut self,
        query: String,
        filter: &Filter,
        before: Option<&str>,
    ) -> Result<Page, String> {
        let page = page(
            &self.ask(Method::POST, QUERY_PATH, query).await?,
            filter,
            before,
        )?;
        self.tell(0, page.runs.len());
        Ok(page)
    }

    fn tell(&mut self, taken: usize, came: usize) {
        self.taken += taken;
        self.came += came;
        (self.progress)(self.taken, self.came);
    }

    /// Asks until there is an answer, or none to be had.
    async fn ask(&self, method: Method, path: &str, body: String) -> Result<String, String> {
        let mut attempt = 1;
        loop {
            let response = self.send(method.clone(), path, body.clone()).await?;
            let wait = response
                .headers()
                .get(RETRY_AFTER)
                .and_then(|wait| wait.to_str().ok());
            match verdict(response.status().as_u16(), attempt, wait) {
                Verdict::Answer => return read(response).await,
                Verdict::Again(wait) => tokio::time::sleep(wait).await,
                Verdict::Fail(reason) => return Err(reason),
            }
            attempt += 1;
        }
    }

    async fn send(
        &self,
        method: Method,
        path: &str,
        body: String,
    ) -> Result<Response<Incoming>, String> {
        let request = Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.access.endpoint))
            .header("x-api-key", self.access.key.clone())
            .header(CONTENT_TYPE, "application/json")
            .body(full(body));
        let request = request.map_err(|error| format!("LangSmith cannot be asked: {error}"))?;
        let sent = tokio::time::timeout(PATIENCE, self.client.request(request)).await;
        let sent = sent.map_err(|_| "LangSmith did not answer within two minutes".to_owned())?;
        sent.map_err(|error| format!("LangSmith cannot be reached: {}", cause(&error)))
    }
}

async fn read(response: Response<Incoming>) -> Result<String, String> {
    let body = Limited::new(response.into_body(), MOST_BYTES).collect();
    let body = tokio::time::timeout(PATIENCE, body).await;
    let body = body.map_err(|_| "LangSmith's answer did not end within two minutes".to_owned())?;
    let body = body.map_err(|error| format!("LangSmith's answer breaks off: {error}"))?;
    Ok(String::from_utf8_lossy(&body.to_bytes()).into_owned())
}
