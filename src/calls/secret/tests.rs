use super::testing::sample_key;
use super::*;

fn kinds(text: &str) -> Vec<String> {
    let secrets = find(text, &CustomPatterns::default());
    secrets.iter().map(|s| format!("{} {}", s.kind.label, &text[s.range.clone()])).collect()
}

#[test]
fn keys_are_known_by_the_forms_their_issuers_publish() {
    let jwt = format!("{}.{}.{}", sample_key("eyJ", 20), sample_key("eyJ", 30), sample_key("", 40));
    let upper = |n: usize| "QWERTYUIOPASDFGHJKLZ234567".chars().cycle().take(n).collect::<String>();
    let cases = [
        ("aws-key-id", format!("AKIA{}", upper(16))),
        ("github-token", sample_key("ghp_", 36)),
        ("github-token", format!("{}_{}", sample_key("github_pat_", 22), sample_key("", 59))),
        ("gitlab-token", sample_key("glpat-", 20)),
        ("slack-token", format!("xoxb-123456789012-{}", sample_key("", 24))),
        ("stripe-key", sample_key("sk_live_", 24)),
        ("google-key", sample_key("AIza", 35)),
        ("anthropic-key", sample_key("sk-ant-api03-", 90)),
        ("openai-key", sample_key("sk-proj-", 60)),
        ("secret-key", sample_key("sk-", 48)),
        ("langsmith-key", format!("lsv2_pt_{}_0123456789", "0123456789abcdef".repeat(2))),
        ("npm-token", sample_key("npm_", 36)),
        ("jwt", jwt),
    ];
    for (label, key) in cases {
        assert_eq!(kinds(&format!("use {key}, please")), [format!("{label} {key}")]);
        assert_eq!(kinds(&format!("x{key}")), Vec::<String>::new(), "{label} inside a word");
    }
}

/// Returns hexadecimal digits.
fn hex(prefix: &str, digits: usize) -> String {
    let digits = "3f7a0c94e1b82d65".chars().cycle().take(digits);
    prefix.chars().chain(digits).collect()
}

#[test]
fn each_form_is_known_and_what_only_begins_like_it_is_none() {
    let uuid = ["3f7a0c94", "e1b8", "4d65", "9a1c", "3f7a0c94e1b8"].join("-");
    let discord = format!("{}.{}.{}", sample_key("M", 23), sample_key("", 6), sample_key("", 30));
    let cases: Vec<(&str, String, &str)> = vec![
        ("openrouter-key", hex("sk-or-v1-", 64), "sk-or-v1-model"),
        ("langfuse-key", format!("sk-lf-{uuid}"), "sk-lf-local"),
        ("secret-key", hex("sk-", 32), "sk-deepseek-chat"),
        ("hugging-face-token", sample_key("hf_", 34), "hf_hub_download_with_a_long_function_name"),
        ("xai-key", sample_key("xai-", 80), "xai-grok-4-fast-reasoning"),
        ("perplexity-key", sample_key("pplx-", 48), "pplx-70b-online"),
        ("replicate-token", sample_key("r8_", 37), "r8_model"),
        ("tavily-key", sample_key("tvly-dev-", 32), "tvly-search"),
        (
            "pinecone-key",
            format!("{}_{}", sample_key("pcsk_", 6), sample_key("", 63)),
            "pcsk_index_name",
        ),
        ("together-key", sample_key("tgp_v1_", 43), "tgp_v1_test"),
        ("fireworks-key", sample_key("fw_", 24), "fw_configuration_settings"),
        ("voyage-key", sample_key("pa-", 43), "pa-this-is-a-long-name-of-a-branch-in-a-git-r"),
        ("elevenlabs-key", hex("sk_", 48), "sk_learn_pipeline"),
        ("nvidia-key", sample_key("nvapi-", 64), "nvapi-client"),
        ("wandb-key", sample_key("wandb_v1_", 77), "wandb_v1_run"),
        ("azure-key", format!("{}JQQJ99{}", sample_key("", 52), sample_key("", 26)), "JQQJ99"),
        ("bedrock-key", format!("ABSK{}", sample_key("QmVkcm9ja0FQSUtleS", 100)), "ABSKQmVk"),
        ("google-key", sample_key("AQ.Ab", 48), "AQ.About"),
        ("databricks-token", hex("dapi", 32), "dapiDataGetTopLongShortPositionRatio"),
        ("twilio-key", hex("SK", 32), "SK0123"),
        ("atlassian-token", sample_key("ATATT3", 186), "ATATT3x"),
        ("linear-key", sample_key("lin_api_", 40), "lin_api_client"),
        ("notion-token", format!("{}{}", "ntn_12345678901", sample_key("", 35)), "ntn_page"),
        ("notion-token", sample_key("secret_", 43), "secret_nobody_knows"),
        ("shopify-token", hex("shpat_", 32), "shpat_token"),
        ("supabase-token", hex("sbp_", 40), "sbp_project"),
        ("supabase-key", sample_key("sb_secret_", 31), "sb_secret_name"),
        ("vercel-token", sample_key("vcp_", 56), "vcp_project"),
        ("mailgun-key", hex("key-", 32), "key-value-store"),
        ("telegram-token", format!("123456789:{}", sample_key("AA", 33)), "10:AAPL"),
        ("cloudflare-key", format!("v1.0-{}-{}", hex("", 24), hex("", 146)), "v1.0-beta"),
        ("doppler-token", sample_key("dp.pt.", 43), "dp.pt.x"),
        ("grafana-token", format!("{}_{}", sample_key("glsa_", 32), hex("", 8)), "glsa_account"),
        ("grafana-token", sample_key("glc_eyJ", 120), "glc_eyJ"),
        ("new-relic-key", format!("NRAK-{}", "Q7W2ERT9YUI4OPAS5DFGHJK1LZX"), "NRAK-SHORT"),
        ("new-relic-key", format!("{}NRAL", hex("", 36)), "CENTRAL NRAL"),
        ("sentry-token", hex("sntryu_", 64), "sntryu_me"),
        ("sentry-token", sample_key("sntrys_eyJ", 100), "sntrys_eyJ"),
        ("digitalocean-token", hex("dop_v1_", 64), "dop_v1_x"),
        ("groq-key", sample_key("gsk_", 52), "gsk_model"),
        ("langsmith-key", format!("{}_{}", hex("lsv2_sk_", 32), hex("", 10)), "lsv2_sk_name"),
        ("anthropic-key", sample_key("sk-ant-admin01-", 93), "sk-ant-admin"),
        ("openai-key", sample_key("sk-svcacct-", 60), "sk-svcacct-name"),
        ("openai-key", sample_key("sk-admin-", 60), "sk-admin-name"),
        ("sendgrid-key", format!("{}.{}", sample_key("SG.", 22), sample_key("", 43)), "SG.x"),
        ("pypi-token", sample_key("pypi-AgE", 60), "pypi-AgEnt"),
    ];
    for (label, key, like_it) in &cases {
        let found = kinds(&format!("use {key}, please"));
        assert_eq!(found, [format!("{label} {key}")]);
        assert_eq!(kinds(&format!("x{key}")), [""; 0], "{label} in a word");
        assert_eq!(kinds(&format!("use {like_it}, please")), [""; 0]);
    }
    assert_eq!(kinds(&format!("Bot {discord}")), [format!("discord-token {discord}")]);
    let hook = sample_key("", 68);
    assert_eq!(
        kinds(&format!("https://discord.com/api/webhooks/123456789012345678/{hook}")),
        [format!("discord-webhook {hook}")]
    );
    // Every row of the table has a case, here or above.
    let elsewhere = [
        "aws-key-id",
        "github-token",
        "gitlab-token",
        "slack-token",
        "slack-webhook",
        "stripe-key",
        "webhook-secret",
        "google-secret",
        "google-token",
        "npm-token",
        "account-key",
        "jwt",
        "private-key",
        "bearer-token",
        "basic-login",
        "password",
        "address",
        "discord-token",
        "discord-webhook",
    ];
    for form in super::format::FORMATS {
        let has_case = cases.iter().any(|(label, ..)| *label == form.label);
        assert!(has_case || elsewhere.contains(&form.label), "{}", form.label);
    }
}

#[test]
fn passwords_are_known_by_their_names() {
    let cases = [
        ("password=hunter22!", "password hunter22!"),
        (r#"{"db_password": "tr0ub4dor&3"}"#, "password tr0ub4dor&3"),
        ("export API_KEY='k29dkq02kd93jd8s'", "key k29dkq02kd93jd8s"),
        ("client_secret: 8fj2k-a93kd-02kdl2", "key 8fj2k-a93kd-02kdl2"),
        ("Authorization: Bearer 93kd02ldkeU83jdk2MslqP0", "bearer-token 93kd02ldkeU83jdk2MslqP0"),
        ("postgres://app:s3cr3tpw@db.internal:5432/x", "password s3cr3tpw"),
        // No blank is between the words of some languages.
        ("接続先はpostgres://app:s3cr3tpw@db.internal:5432/x", "password s3cr3tpw"),
        ("write to ada.lovelace@analytical.co.uk now", "address ada.lovelace@analytical.co.uk"),
    ];
    for (text, expected) in cases {
        assert_eq!(kinds(text), [expected], "{text}");
    }
    let count_secrets = |name, value| find_named(name, value, &CustomPatterns::default()).len();
    assert_eq!(count_secrets("password", "correct-horse-9"), 1);
    assert_eq!(count_secrets("x-api-key", "5f4dcc3b5aa765d61d8327deb882cf99"), 1);
    assert_eq!(count_secrets("authorization", "Basic YWRtaW46c2VjcmV0"), 1);
    assert_eq!(count_secrets("contentHash", "5f4dcc3b5aa765d61d8327deb882cf99"), 0);
    assert_eq!(count_secrets("nextPageToken", "CAEQ0pD8mYkz1QmF2ZQ92kd"), 0);
}

#[test]
fn hashes_uuids_images_signatures_examples_and_words_are_none() {
    let base64 = sample_key("", 3000);
    for text in [
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "token: 550e8400-e29b-41d4-a716-446655440000",
        "AKIAIOSFODNN7EXAMPLE",
        "password: ${DB_PASSWORD}",
        "password=<your password>",
        "api_key = process.env.API_KEY_2",
        "The token: transition_to_escalate",
        "max_tokens=4096 and temperature=0.7",
        "postgres://postgres:postgres@localhost/test",
        "https://example.com:8080/a@b",
        "mail jun@example.com, git@github.com or icon@2x.png; import x@1.2.3",
        "sk-learn-based-classifiers-are-fine",
        "Bearer of bad news, everyone-in-the-whole-company",
        "secret: everyone_knows_this_one",
    ] {
        assert_eq!(kinds(text), Vec::<String>::new(), "{text}");
    }
    let key = sample_key("AIza", 35);
    assert_eq!(
        kinds(&format!("data:image/png;base64,{base64}/{key}+{base64}")),
        Vec::<String>::new()
    );
    assert_eq!(kinds(&format!("{base64}/{key}+{base64}")), Vec::<String>::new());
}

#[test]
fn a_project_says_what_else_is_a_secret_and_what_is_none() {
    let mut patterns = CustomPatterns::default();
    patterns.add_named("", r"ACME-\d{6}").unwrap();
    patterns.add_allowed(r".*@helpdesk\.dev").unwrap();
    let text = "ACME-123456 jun@helpdesk.dev jun@private.dev";
    let found: Vec<&str> = find(text, &patterns).iter().map(|s| &text[s.range.clone()]).collect();
    assert_eq!(found, ["ACME-123456", "jun@private.dev"]);
    insta::assert_snapshot!(patterns.add_named("", "a(").unwrap_err(), @"unclosed group");
}

#[test]
fn what_is_shown_of_a_secret_helps_no_one() {
    let hints: Vec<String> = ["ghp_0123456789", "hunter22!", "jun@private.dev"]
        .iter()
        .map(|secret| {
            hint(
                SecretKind {
                    class: if secret.contains('@') {
                        SecretClass::Address
                    } else {
                        SecretClass::Key
                    },
                    name: "",
                    label: "",
                },
                secret,
            )
        })
        .collect();
    assert_eq!(hints, ["ghp_…", "…", "…@private.dev"]);
}

#[test]
fn a_login_in_base64_is_known_by_what_it_decodes_to() {
    // `anna:s3cr3t-7X`, split so that this file does not contain it.
    let login = ["YW5uYTpz", "M2NyM3QtN1g="].concat();
    assert_eq!(
        kinds(&format!("authorization is Basic {login}, they say")),
        [format!("basic-login {login}")]
    );
    assert_eq!(
        kinds(&format!("curl -H 'authorization: basic {login}'")),
        [format!("basic-login {login}")]
    );
    // A password of a developer's own machine (`user:pass`), words, and what decodes to no login.
    for text in [
        "Basic dXNlcjpwYXNz",
        "the basic instructions and basic authentication",
        "Basic Zk3vQ8rT1mXw7LpB",
        "Basic aGVsbG8gd29ybGQ=",
    ] {
        assert_eq!(kinds(text), [""; 0], "{text}");
    }
}

#[test]
fn code_and_public_keys_and_placeholders_are_no_secrets() {
    // The parts are joined here so that this file contains no complete token.
    let token = |head: &str, body: &str| {
        let encode = |text: &str| {
            use base64::Engine as _;
            base64::prelude::BASE64_URL_SAFE_NO_PAD.encode(text)
        };
        format!("{}.{}.{}", encode(head), encode(body), sample_key("", 40))
    };
    let body = r#"{"sub": "u-8812", "iat": 1700000000}"#;
    assert_eq!(kinds(&token(r#"{"alg":"HS256","typ":"JWT"}"#, body)).len(), 1);
    for text in [
        // Decorators and calls.
        "\n@app.get(\"/a\")\n@pytest.mark.vcr\n@agent.tool\n@router.post.foo\ndef f():".to_owned(),
        r"def test():\n@app.get('/a')\n@mcp.run\nx@app.route('/b')".to_owned(),
        "value@decorator.instructions, x@app.run(1), self@module.vcr".to_owned(),
        // WebRTC.
        "a=ice-ufrag:8hhY\r\na=ice-pwd:asd88fgpdd777uzjYhagZg\r\na=fingerprint:sha-256 7B:8B"
            .to_owned(),
        "ice-pwd=x9cml/YzichV2+XlhiMu8g, iceUfrag: F7gI".to_owned(),
        r#"{"icePwd": "x9cml7YzichV2XlhiMu8g2"}"#.to_owned(),
        // Public keys.
        format!("api_key: {}", sample_key("phc_", 43)),
        format!(r#"{{"api_key": "{}"}}"#, sample_key("pk_live_", 24)),
        "token=pk-lf-3f7a0c94-e1b8-4d65-9a1c-3f7a0c94e1b8".to_owned(),
        format!("https://{}@o123456.ingest.sentry.io/4505", hex("", 32)),
        // Unsigned tokens, and the one that explains the format.
        token(r#"{"alg":"none"}"#, body),
        format!("Authorization: Bearer {}", token(r#"{"typ": "JWT", "alg": "None"}"#, body)),
        token(r#"{"alg":"HS256"}"#, r#"{"sub":"1234567890","name":"John Doe"}"#),
        // Placeholders.
        "api_key: OPENAI-KEY-XXX-12345".to_owned(),
        "password: ***4567***, token=<API_KEY_0123456789>".to_owned(),
        "api_key=your-api-key-1234, secret=dummy-secret-1234".to_owned(),
        "api_key='sk-...a1b2c3d4e5f6', token: {{ token_0123456789 }}".to_owned(),
    ] {
        assert_eq!(kinds(&text), Vec::<String>::new(), "{text}");
    }
    // New domains are domains, and an address in brackets is one.
    for address in [
        "ada@lovelace.dev",
        "ada@analytical.engineering",
        "ada@private.photography",
        "ada@firma.pl",
    ] {
        assert_eq!(kinds(&format!("({address})")), [format!("address {address}")]);
    }
}

#[test]
fn the_id_of_a_key_that_signed_a_request_identifies_an_account() {
    let key = format!("AKIA{}", "QWERTYUIOPASDFGH");
    let class = |text: &str| find(text, &CustomPatterns::default())[0].kind.class;
    let signed =
        format!("AWS4-HMAC-SHA256 Credential={key}/20250301/us-east-1/bedrock/aws4_request");
    assert_eq!(class(&signed), SecretClass::Account);
    assert_eq!(class(&format!("aws_access_key_id = {key}")), SecretClass::Key);
}

#[test]
fn a_key_by_chance_in_base64_is_none_also_in_the_alphabet_of_addresses() {
    let base64 = sample_key("7b-IRl8Dre0pqxTCVufYUFZ5GjhDIMQ0lWhy1yyIa8uPrhZmAtIcwftHDHnZOQE-", 40);
    for key in
        [sample_key("sk-", 40), sample_key("sk-proj-", 40), format!("AKIA{}", "QWERTYUIOPASDFGH")]
    {
        assert_eq!(kinds(&format!("{base64}-{key}_")), [""; 0], "{key}");
        assert_eq!(kinds(&format!("{base64}/{key}+{base64}")), [""; 0], "{key}");
        // Not in a path, a name with hyphens or a short word.
        for text in [
            "/home/anna/Projects/agent-2/settings/production/values/of/",
            "a-",
            "the-name-of-a-rather-long-branch-with-hyphens-and-more-words-in-it-",
        ] {
            assert_eq!(kinds(&format!("{text}{key} ")).len(), 1, "{text}{key}");
        }
    }
}

#[test]
fn passwords_are_found_in_sentences() {
    for (text, password) in [
        ("my password for the portal is Sommer2024!", "Sommer2024!"),
        ("The password is \"hunter-22x\".", "hunter-22x"),
        ("Mein Passwort für das Portal lautet Winter2023, danke", "Winter2023"),
        ("hasło do portalu to Lato2024!", "Lato2024!"),
        ("mon mot de passe est Soleil99.", "Soleil99"),
        ("la contraseña es Verano_24", "Verano_24"),
    ] {
        assert_eq!(kinds(text), [format!("password {password}")], "{text}");
    }
    for text in [
        "The password is required for user123",
        "reset the password to account99",
        "the password is wrong",
        "a password was sent to 12 people",
        "password reset is at 2024-05-01",
        "Her password is ${PASSWORD_1}",
    ] {
        assert_eq!(kinds(text), [""; 0], "{text}");
    }
}

#[test]
fn what_is_longer_than_an_address_or_a_word_can_be_is_none() {
    let (address, password) = (["address"], ["password Sommer2024!"]);
    for (length, address, password) in
        [(20, &address[..], &password[..]), (64, &address, &[]), (65, &[], &[])]
    {
        let long = "ab".repeat(40)[..length].to_owned();
        let labels: Vec<String> = kinds(&format!("{long}@analytical.co.uk"));
        let labels: Vec<&str> = labels.iter().filter_map(|kind| kind.split(' ').next()).collect();
        assert_eq!(labels, address, "{length}");
        assert_eq!(kinds(&format!("my password for {long} is Sommer2024!")), password, "{length}");
    }
}

#[test]
fn the_expression_of_each_form_is_built_quickly() {
    // The time to build one grows with its size: a megabyte takes some ten milliseconds, in which a hundred cassettes are read.
    const MAX_BYTES: usize = 256 << 10;
    for form in format::FORMATS {
        let expression = regex::RegexBuilder::new(form.regex).size_limit(MAX_BYTES).build();
        assert!(expression.is_ok(), "{}: {:?}", form.name, expression.err());
    }
}

#[test]
fn many_patterns_are_looked_for_in_one_pass() {
    let mut patterns = CustomPatterns::default();
    for number in 0..500 {
        patterns.add_named("acme", &format!("ACME-{number}-[a-z]{{4,8}}")).unwrap();
    }
    let text = "see ACME-7-abcdef and ACME-499-zzzz, not ACME-500-zzzz";
    let found: Vec<&str> = find(text, &patterns).iter().map(|s| &text[s.range.clone()]).collect();
    assert_eq!(found, ["ACME-7-abcdef", "ACME-499-zzzz"]);
}

#[test]
fn runs_of_one_character_take_no_longer_than_other_text() {
    let mut patterns = CustomPatterns::default();
    patterns.add_named("", "ACME-[0-9]+").unwrap();
    let mut mask = Mask::default();
    let secret = |kind: &str| FoundSecret { kind: find(kind, &patterns)[0].kind, range: 0..0 };
    mask.add(secret("ACME-1").kind, "aaaa");
    for run in [
        "a",
        "\"",
        "\\",
        "%",
        "=",
        "{",
        "@",
        "a@",
        "password is ",
        "token=",
        "sk-",
        "eyJa.",
        "xoxb-",
        "https://a:",
        "bearer ",
    ] {
        let text = run.repeat(20_000);
        find(&text, &patterns);
        base64_texts(&text);
        mask.apply(&text);
    }
}
