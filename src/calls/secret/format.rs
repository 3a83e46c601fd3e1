//! The forms that issuers of keys publish, a row each.
//!
//! Keys without a form of their own (Mistral, Cohere, Datadog, Twilio's auth token, older keys of Weights & Biases, Vercel and
//! ElevenLabs) are known by the [name](super::named) of their field or variable only.

use super::SecretClass;

/// A published form.
pub(super) struct SecretFormat {
    pub(super) name: &'static str,
    pub(super) label: &'static str,
    pub(super) class: SecretClass,
    /// Every secret in this format contains one of these. Most have at least three bytes, so that the search is fast.
    pub(super) marks: &'static [&'static str],
    /// The form; where it has a group, that is the secret.
    pub(super) regex: &'static str,
    pub(super) certainty: Certainty,
}

/// The additional condition of a match.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Certainty {
    Always,
    /// If it is not part of a longer word.
    Alone,
    /// If it also has digits and is as random as a key.
    Random,
    /// If it is an address that may belong to a person.
    Reachable,
    /// If it is a name and a password in Base64.
    Login,
}

const fn key(
    name: &'static str,
    label: &'static str,
    marks: &'static [&'static str],
    regex: &'static str,
) -> SecretFormat {
    SecretFormat { name, label, class: SecretClass::Key, marks, regex, certainty: Certainty::Alone }
}

/// A form that ordinary words also have: the key must be random, too.
const fn random(
    name: &'static str,
    label: &'static str,
    marks: &'static [&'static str],
    regex: &'static str,
) -> SecretFormat {
    SecretFormat { certainty: Certainty::Random, ..key(name, label, marks, regex) }
}

/// All published forms.
pub(super) const FORMATS: &[SecretFormat] = &[
    // An id in a signature (SigV4), where a date follows it. Only the secret key gives access, and a signature does not contain it.
    SecretFormat {
        class: SecretClass::Account,
        ..key(
            "the id of an AWS access key",
            "aws-key-id",
            &["AKIA", "ASIA"],
            r"((?:AKIA|ASIA)[A-Z2-7]{16})/20[0-9]{6}",
        )
    },
    key(
        "an AWS access key id",
        "aws-key-id",
        &["AKIA", "ASIA", "ABIA", "ACCA"],
        r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}",
    ),
    key(
        "a GitHub token",
        "github-token",
        &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
        r"gh[pousr]_[A-Za-z0-9]{36,251}",
    ),
    key(
        "a GitHub token",
        "github-token",
        &["github_pat_"],
        r"github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}",
    ),
    key(
        "a GitLab token",
        "gitlab-token",
        &[
            "glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "gloas-", "glft-", "glimt-", "glsoat-",
            "glffct-", "glagent-",
        ],
        r"gl(?:pat|dt|rt|cbt|ptt|oas|ft|imt|soat|ffct|agent)-[A-Za-z0-9_-]{20,64}",
    ),
    key(
        "a Slack token",
        "slack-token",
        &["xoxb-", "xoxa-", "xoxp-", "xoxe-", "xoxr-", "xoxs-", "xapp-"],
        r"(?:xox[abeprs]|xapp)-[A-Za-z0-9-]*[0-9]{6,}[A-Za-z0-9-]{8,}",
    ),
    key(
        "a Slack webhook",
        "slack-webhook",
        &["hooks.slack.com"],
        r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/]{30,})",
    ),
    key(
        "a Stripe key",
        "stripe-key",
        &["k_live_", "k_test_"],
        r"[rs]k_(?:live|test)_[A-Za-z0-9]{10,247}",
    ),
    key("a webhook signing secret", "webhook-secret", &["whsec_"], r"whsec_[A-Za-z0-9+/=]{24,}"),
    key("a Google API key", "google-key", &["AIza"], r"AIza[A-Za-z0-9_-]{35}"),
    key("a Google client secret", "google-secret", &["GOCSPX-"], r"GOCSPX-[A-Za-z0-9_-]{28}"),
    key("a Google access token", "google-token", &["ya29."], r"ya29\.[A-Za-z0-9_-]{30,}"),
    key(
        "an Anthropic key",
        "anthropic-key",
        &["sk-ant-"],
        r"sk-ant-[a-z]{2,6}[0-9]{2}-[A-Za-z0-9_-]{24,}",
    ),
    key(
        "an OpenAI key",
        "openai-key",
        // The last is `OpenAI` in Base64, in the middle of keys without a prefix of their own.
        &["sk-proj-", "sk-svcacct-", "sk-admin-", "T3BlbkFJ"],
        r"sk-(?:(?:proj|svcacct|admin)-[A-Za-z0-9_-]{24,}|[A-Za-z0-9_-]{20,}T3BlbkFJ[A-Za-z0-9_-]{20,})",
    ),
    key("an OpenRouter key", "openrouter-key", &["sk-or-v1-"], r"sk-or-v1-[0-9a-f]{64}"),
    key(
        "a Langfuse key",
        "langfuse-key",
        &["sk-lf-"],
        r"sk-lf-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
    ),
    // Below the issuers whose keys begin in the same way, because the first of two rows that match at one place counts.
    random("a secret key", "secret-key", &["sk-"], r"sk-(?:[A-Za-z0-9]+-){0,2}[A-Za-z0-9]{20,}"),
    key(
        "a Hugging Face token",
        "hugging-face-token",
        &["hf_", "api_org_"],
        r"(?:hf_|api_org_)[A-Za-z0-9]{34}",
    ),
    key("an xAI key", "xai-key", &["xai-"], r"xai-[A-Za-z0-9]{80}"),
    key("a Perplexity key", "perplexity-key", &["pplx-"], r"pplx-[A-Za-z0-9]{48}"),
    key("a Replicate token", "replicate-token", &["r8_"], r"r8_[A-Za-z0-9]{37}"),
    key("a Tavily key", "tavily-key", &["tvly-"], r"tvly-(?:(?:dev|prod)-)?[A-Za-z0-9_-]{32,64}"),
    key("a Pinecone key", "pinecone-key", &["pcsk_"], r"pcsk_[A-Za-z0-9]{5,6}_[A-Za-z0-9]{63}"),
    key("a Together key", "together-key", &["tgp_v1_"], r"tgp_v1_[A-Za-z0-9_-]{43}"),
    random("a Fireworks key", "fireworks-key", &["fw_"], r"fw_[A-Za-z0-9]{22,24}"),
    random("a Voyage key", "voyage-key", &["pa-"], r"pa-[A-Za-z0-9_-]{43}"),
    key("an ElevenLabs key", "elevenlabs-key", &["sk_"], r"sk_[0-9a-f]{48}"),
    key("an NVIDIA key", "nvidia-key", &["nvapi-"], r"nvapi-[A-Za-z0-9_-]{60,70}"),
    key("a Weights & Biases key", "wandb-key", &["wandb_v1_"], r"wandb_v1_[A-Za-z0-9_]{40,100}"),
    // The signature of Azure's keys is in their middle.
    key("an Azure AI key", "azure-key", &["JQQJ99"], r"[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{26}"),
    key(
        "an Amazon Bedrock key",
        "bedrock-key",
        // `BedrockAPIKey-` in Base64, behind four letters.
        &["ABSKQmVkcm9ja0FQSUtleS"],
        r"ABSKQmVkcm9ja0FQSUtleS[A-Za-z0-9+/]{80,}={0,2}",
    ),
    key("a Google API key", "google-key", &["AQ.Ab"], r"AQ\.Ab[A-Za-z0-9_-]{48,}"),
    key("a Databricks token", "databricks-token", &["dapi"], r"dapi[0-9a-f]{32}(?:-[0-9]+)?"),
    key(
        "a Twilio key",
        "twilio-key",
        &[
            // With the first digit: two letters alone would be found in many texts.
            "SK0", "SK1", "SK2", "SK3", "SK4", "SK5", "SK6", "SK7", "SK8", "SK9", "SKa", "SKb",
            "SKc", "SKd", "SKe", "SKf",
        ],
        r"SK[0-9a-f]{32}",
    ),
    key("an Atlassian token", "atlassian-token", &["ATATT3"], r"ATATT3[A-Za-z0-9_=-]{180,200}"),
    key("a Linear key", "linear-key", &["lin_api_"], r"lin_api_[A-Za-z0-9]{40}"),
    key("a Notion token", "notion-token", &["ntn_"], r"ntn_[0-9]{11}[A-Za-z0-9]{35}"),
    random("a Notion token", "notion-token", &["secret_"], r"secret_[A-Za-z0-9]{43}"),
    key(
        "a Shopify token",
        "shopify-token",
        &["shpat_", "shpca_", "shppa_", "shpss_"],
        r"shp(?:at|ca|pa|ss)_[0-9A-Fa-f]{32}",
    ),
    key("a Supabase token", "supabase-token", &["sbp_"], r"sbp_[0-9a-f]{40}"),
    key("a Supabase key", "supabase-key", &["sb_secret_"], r"sb_secret_[A-Za-z0-9_-]{31}"),
    random(
        "a Vercel token",
        "vercel-token",
        &["vcp_", "vci_", "vca_", "vcr_", "vck_"],
        r"vc[piark]_[A-Za-z0-9]{50,60}",
    ),
    random("a Mailgun key", "mailgun-key", &["key-"], r"key-[0-9a-f]{32}"),
    key(
        "a Discord webhook",
        "discord-webhook",
        &["/api/webhooks/"],
        r"discord(?:app)?\.com/api/webhooks/[0-9]{17,20}/([A-Za-z0-9_-]{60,80})",
    ),
    key(
        "a Discord token",
        "discord-token",
        // The token begins with a user's number in Base64: a digit becomes one of these letters.
        &["Bot M", "Bot N", "Bot O"],
        r"Bot ([MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38})",
    ),
    key("a Telegram token", "telegram-token", &[":AA"], r"[0-9]{8,10}:AA[A-Za-z0-9_-]{33}"),
    key("a Cloudflare key", "cloudflare-key", &["v1.0-"], r"v1\.0-[0-9a-f]{24}-[0-9a-f]{146}"),
    key(
        "a Doppler token",
        "doppler-token",
        &["dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."],
        r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44}",
    ),
    key("a Grafana token", "grafana-token", &["glsa_"], r"glsa_[A-Za-z0-9]{32}_[0-9A-Fa-f]{8}"),
    key("a Grafana token", "grafana-token", &["glc_eyJ"], r"glc_eyJ[A-Za-z0-9+/]{32,400}={0,3}"),
    key(
        "a New Relic key",
        "new-relic-key",
        &["NRAK-", "NRII-"],
        r"(?:NRAK-[A-Z0-9]{27}|NRII-[A-Za-z0-9_-]{32})",
    ),
    key("a New Relic key", "new-relic-key", &["NRAL"], r"[0-9A-Fa-f]{36}NRAL"),
    key("a Sentry token", "sentry-token", &["sntryu_"], r"sntryu_[0-9a-f]{64}"),
    key("a Sentry token", "sentry-token", &["sntrys_eyJ"], r"sntrys_eyJ[A-Za-z0-9+/=_-]{80,}"),
    key("a LangSmith key", "langsmith-key", &["lsv2_"], r"lsv2_[a-z]{2}_[0-9a-f]{32}_[0-9a-f]{10}"),
    key("a Groq key", "groq-key", &["gsk_"], r"gsk_[A-Za-z0-9]{52}"),
    key("an npm token", "npm-token", &["npm_"], r"npm_[A-Za-z0-9]{36}"),
    key("a PyPI token", "pypi-token", &["pypi-AgE"], r"pypi-AgE[A-Za-z0-9_-]{50,}"),
    key("a SendGrid key", "sendgrid-key", &["SG."], r"SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}"),
    key(
        "a DigitalOcean token",
        "digitalocean-token",
        &["dop_v1_", "doo_v1_", "dor_v1_"],
        r"do[opr]_v1_[0-9a-f]{64}",
    ),
    key(
        "a storage account key",
        "account-key",
        &["AccountKey="],
        r"AccountKey=([A-Za-z0-9+/]{40,}={0,2})",
    ),
    key(
        "a JSON Web Token",
        "jwt",
        // `{"` in Base64: head and body are JSON.
        &["eyJ"],
        r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{16,}",
    ),
    SecretFormat {
        name: "a private key",
        label: "private-key",
        class: SecretClass::Key,
        marks: &["PRIVATE KEY"],
        // The last line may be missing, because a text may be cut.
        regex: r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----(?s:.{32,}?)(?:-----END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----|\z)",
        certainty: Certainty::Always,
    },
    SecretFormat {
        name: "a bearer token",
        label: "bearer-token",
        class: SecretClass::Key,
        marks: &["earer ", "EARER "],
        regex: r"(?i)(?-u:\b)bearer +([A-Za-z0-9._~+/-]{20,}=*)",
        // In a sentence a long name may follow the word.
        certainty: Certainty::Random,
    },
    SecretFormat {
        name: "a login (Basic authentication)",
        label: "basic-login",
        class: SecretClass::Key,
        marks: &["asic ", "ASIC "],
        regex: r"(?i)(?-u:\b)basic +([A-Za-z0-9+/]{8,}={0,2})",
        certainty: Certainty::Login,
    },
    SecretFormat {
        name: "a password in a URL",
        label: "password",
        class: SecretClass::Key,
        marks: &["@"],
        regex: r#"(?i)(?-u:\b)[a-z][a-z0-9+.-]{1,20}://[^\s:/?\#@"'<>]*:([^\s:/?\#@"'<>]{3,})@[a-z0-9\[]"#,
        certainty: Certainty::Always,
    },
    SecretFormat {
        name: "an e-mail address",
        label: "address",
        class: SecretClass::Address,
        marks: &["@"],
        // Without limits of its parts, which would make it take longer to build than a project to read.
        regex: r"[\p{L}0-9][\p{L}0-9._%+-]*@(?:[\p{L}0-9-]+\.)+[A-Za-z]{2,24}",
        certainty: Certainty::Reachable,
    },
];
