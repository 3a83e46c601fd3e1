//! The providers of models, by the addresses of their APIs.

use std::net::IpAddr;

use super::Api;

/// A provider at an address. Its API is that of calls whose paths and bodies do not say theirs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Provider {
    /// Display name.
    pub name: &'static str,
    pub api: Api,
}

const ANTHROPIC: Api = Api::AnthropicMessages;
const CHAT: Api = Api::OpenAiChat;
const GEMINI: Api = Api::Gemini;

/// Name, host, start of the path, and API of each provider; the first row that fits an address counts. A new provider
/// is a new row; if its API is one of [`Api`], nothing else is to do.
///
/// A host also stands for the hosts whose names end with it, after a dot or a hyphen. One that ends with a dot is the
/// start of a name, and one that starts with a colon is the port of a server on this machine or its network. Ports that are also common
/// for other servers need a path that only a model has.
const PROVIDERS: [(&str, &str, &str, Api); 35] = [
    ("OpenAI", "api.openai.com", "", CHAT),
    ("Azure OpenAI", "openai.azure.com", "", CHAT),
    ("Azure OpenAI", "cognitiveservices.azure.com", "/openai/", CHAT),
    ("Azure AI Foundry", "services.ai.azure.com", "", CHAT),
    ("Anthropic", "api.anthropic.com", "", ANTHROPIC),
    ("Gemini", "generativelanguage.googleapis.com", "", GEMINI),
    ("Vertex AI", "aiplatform.googleapis.com", "", GEMINI),
    ("Amazon Bedrock", "bedrock-runtime.", "", ANTHROPIC),
    ("Amazon Bedrock", "bedrock-mantle.", "", CHAT),
    ("Groq", "api.groq.com", "", CHAT),
    ("Mistral", "api.mistral.ai", "", CHAT),
    ("DeepSeek", "api.deepseek.com", "/anthropic/", ANTHROPIC),
    ("DeepSeek", "api.deepseek.com", "", CHAT),
    ("xAI", "api.x.ai", "", CHAT),
    ("Together AI", "api.together.xyz", "", CHAT),
    ("Together AI", "api.together.ai", "", CHAT),
    ("Fireworks AI", "api.fireworks.ai", "", CHAT),
    ("OpenRouter", "openrouter.ai", "/api/", CHAT),
    ("Cerebras", "api.cerebras.ai", "", CHAT),
    ("Perplexity", "api.perplexity.ai", "", CHAT),
    ("Cohere", "api.cohere.com", "", CHAT),
    ("Cohere", "api.cohere.ai", "", CHAT),
    ("Hugging Face", "router.huggingface.co", "", CHAT),
    ("GitHub Models", "models.github.ai", "", CHAT),
    ("GitHub Models", "models.inference.ai.azure.com", "", CHAT),
    ("NVIDIA", "integrate.api.nvidia.com", "", CHAT),
    ("DeepInfra", "api.deepinfra.com", "", CHAT),
    ("Scaleway", "api.scaleway.ai", "", CHAT),
    ("Z.ai", "api.z.ai", "/api/", CHAT),
    ("Alibaba Cloud", "dashscope.aliyuncs.com", "", CHAT),
    ("Alibaba Cloud", "dashscope-intl.aliyuncs.com", "", CHAT),
    ("Ollama", ":11434", "", CHAT),
    ("LM Studio", ":1234", "/v1/chat/completions", CHAT),
    ("vLLM", ":8000", "/v1/chat/completions", CHAT),
    ("llama.cpp", ":8080", "/v1/chat/completions", CHAT),
];

/// Short names and older ones of providers, as recorders name folders by them, and the names of their rows.
const FOLDER_NAMES: [(&str, &str); 14] = [
    ("azure", "Azure OpenAI"),
    ("bedrock", "Amazon Bedrock"),
    ("awsbedrock", "Amazon Bedrock"),
    ("claude", "Anthropic"),
    ("google", "Gemini"),
    ("googleai", "Gemini"),
    ("googlegenai", "Gemini"),
    ("vertex", "Vertex AI"),
    ("googlevertex", "Vertex AI"),
    ("mistralai", "Mistral"),
    ("together", "Together AI"),
    ("fireworks", "Fireworks AI"),
    ("alibaba", "Alibaba Cloud"),
    ("dashscope", "Alibaba Cloud"),
];

impl Provider {
    /// Finds the provider at an address: a host, with or without a port, and the path of a call.
    pub fn at(host: &str, path: &str) -> Option<Self> {
        let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
        // An IPv6 address without a port has colons, too.
        let port = host.rsplit_once(':').filter(|(_, port)| is_port(port));
        let (name, port) = port.unwrap_or((host, ""));
        let is_end = |prefix: &str| prefix.is_empty() || prefix.ends_with(['.', '-']);
        let is_host = |host: &str| match host.strip_prefix(':') {
            Some(number) => port == number && is_local(name),
            None if host.ends_with('.') => name.starts_with(host),
            None => name.strip_suffix(host).is_some_and(is_end),
        };
        let mut providers = PROVIDERS.iter();
        let row = providers.find(|(_, host, start, _)| is_host(host) && path.starts_with(start));
        row.map(|(name, _, _, api)| Self { name, api: *api })
    }
}

/// Returns the provider whose name a folder around a file has, the innermost one first. The API of a call is no hint of its provider: most
/// providers have OpenAI's.
pub(crate) fn provider_of_folder(path: &str) -> Option<&'static str> {
    let plain = |name: &str| {
        let letters = name.chars().filter(char::is_ascii_alphanumeric);
        letters.map(|letter| letter.to_ascii_lowercase()).collect::<String>()
    };
    let of_folder = |folder: &str| {
        let folder = plain(folder);
        let mut names = PROVIDERS.iter().map(|(name, ..)| *name);
        let short = FOLDER_NAMES.iter().find(|(short, _)| *short == folder);
        short.map(|(_, name)| *name).or_else(|| names.find(|name| plain(name) == folder))
    };
    path.rsplit('/').skip(1).find_map(of_folder)
}

/// Returns whether a name is of this machine or of its own network, where a port alone says which server is meant.
fn is_local(name: &str) -> bool {
    // Without a dot: `localhost`, or a service of Docker Compose. The endings are those of mDNS and `host.docker.internal`.
    let is_name = !name.contains('.') || name.ends_with(".local") || name.ends_with(".internal");
    match name.trim_start_matches('[').trim_end_matches(']').parse() {
        Ok(IpAddr::V4(ip)) => ip.is_loopback() || ip.is_private() || ip.is_unspecified(),
        Ok(IpAddr::V6(ip)) => ip.is_loopback() || ip.is_unique_local() || ip.is_unspecified(),
        Err(_) => is_name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_its_provider() {
        let addresses = [
            ("api.openai.com", "/v1/responses"),
            ("mine.openai.azure.com", "/openai/v1/responses"),
            ("us-east5-aiplatform.googleapis.com", "/v1/projects/p"),
            ("bedrock-runtime.eu-west-1.amazonaws.com", "/model/m/invoke"),
            ("api.deepseek.com", "/chat/completions"),
            ("api.deepseek.com:443", "/anthropic/v1/messages"),
            ("openrouter.ai", "/api/v1/chat/completions"),
            ("openrouter.ai", "/docs"),
            ("notapi.openai.com", "/"),
            ("api.openai.com.example.com", "/"),
            ("[::1]:11434", "/api/chat"),
            ("localhost:8000", "/v1/chat/completions"),
            ("localhost:8000", "/v1/orders"),
            ("localhost", "/v1/chat/completions"),
            ("ollama:11434", "/api/chat"),
            ("192.168.1.5:11434", "/api/chat"),
            ("api.example.com:11434", "/api/chat"),
            ("8.8.8.8:8000", "/v1/chat/completions"),
        ];
        let lines = addresses.map(|(host, path)| match Provider::at(host, path) {
            Some(provider) => format!("{host}{path}: {}, {}", provider.name, provider.api.as_str()),
            None => format!("{host}{path}: none"),
        });
        insta::assert_snapshot!(lines.join("\n"), @r"
        api.openai.com/v1/responses: OpenAI, OpenAI chat completions
        mine.openai.azure.com/openai/v1/responses: Azure OpenAI, OpenAI chat completions
        us-east5-aiplatform.googleapis.com/v1/projects/p: Vertex AI, Gemini streamGenerateContent
        bedrock-runtime.eu-west-1.amazonaws.com/model/m/invoke: Amazon Bedrock, Anthropic messages
        api.deepseek.com/chat/completions: DeepSeek, OpenAI chat completions
        api.deepseek.com:443/anthropic/v1/messages: DeepSeek, Anthropic messages
        openrouter.ai/api/v1/chat/completions: OpenRouter, OpenAI chat completions
        openrouter.ai/docs: none
        notapi.openai.com/: none
        api.openai.com.example.com/: none
        [::1]:11434/api/chat: Ollama, OpenAI chat completions
        localhost:8000/v1/chat/completions: vLLM, OpenAI chat completions
        localhost:8000/v1/orders: none
        localhost/v1/chat/completions: none
        ollama:11434/api/chat: Ollama, OpenAI chat completions
        192.168.1.5:11434/api/chat: Ollama, OpenAI chat completions
        api.example.com:11434/api/chat: none
        8.8.8.8:8000/v1/chat/completions: none
        ");
    }

    #[test]
    fn a_folder_names_a_provider_only_by_its_whole_name() {
        for (path, expected) in [
            ("tests/cassettes/anthropic/agent/run.yaml", Some("Anthropic")),
            ("fixtures/openai/test_anthropic.yml", Some("OpenAI")),
            ("openai/recordings/amazon_bedrock/a.json", Some("Amazon Bedrock")),
            ("recordings/Azure-OpenAI/a.json", Some("Azure OpenAI")),
            ("recordings/google/a.json", Some("Gemini")),
            ("recordings/xai/a.json", Some("xAI")),
            ("recordings/llama.cpp/a.json", Some("llama.cpp")),
            ("recordings/openai-python/a.json", None),
            ("recordings/a/anthropic.json", None),
            ("gemini.yaml", None),
        ] {
            assert_eq!(provider_of_folder(path), expected, "{path}");
        }
    }

    #[test]
    fn every_short_name_leads_to_a_row() {
        for (short, name) in FOLDER_NAMES {
            assert!(PROVIDERS.iter().any(|(row, ..)| *row == name), "{short}");
        }
    }

    #[test]
    fn every_provider_is_found_by_its_own_row() {
        for (name, host, path, api) in PROVIDERS {
            let found = Provider::at(host, path);
            assert_eq!(found, Some(Provider { name, api }), "{host}{path}");
        }
    }
}
