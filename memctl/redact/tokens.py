"""Secrets that a prefix gives away: which vendor they belong to, and what follows the prefix."""

from __future__ import annotations

from collections.abc import Iterator

from memctl.core.frozen import fill_instance
from memctl.redact.checks import is_key, is_no_example, is_varied
from memctl.redact.pattern import Rule, Token

# kind, prefixes, what follows the prefix. A prefix is matched with its case.
_TOKENS: tuple[tuple[str, str, str], ...] = (
    ("adafruit", "aio_", r"[A-Za-z0-9]{28}"),
    ("age_key", "AGE-SECRET-KEY-1", r"[A-Z0-9]{40,}"),
    ("alibaba", "LTAI", r"[A-Za-z0-9]{16,24}"),
    ("anthropic", "sk-ant-", r"[\w-]{20,}"),
    ("artifactory", "AKCp", r"[A-Za-z0-9]{60,}"),
    ("asana", "ASANA_PAT_", r"[A-Za-z0-9]{20,}"),
    ("atlassian", "ATATT3 ATCTT3 ATBB", r"[\w=-]{20,}"),
    ("aws", "AKIA ASIA ABIA ACCA", r"[A-Z0-9]{16}"),
    ("aws", "ABSK", r"[A-Za-z0-9+/]{100,}={0,2}"),
    ("aws", "amzn.mws.", r"[0-9a-f-]{36}"),
    ("buildkite", "bkua_ bkpt_", r"[0-9a-z]{30,}"),
    ("circleci", "CCIPAT_ CCIPRJ_", r"\w{30,}"),
    ("clojars", "CLOJARS_", r"[a-z0-9]{60}"),
    ("contentful", "CFPAT-", r"[\w-]{43}"),
    ("databricks", "dapi dkea", r"[0-9a-f]{32}(?:-\d)?"),
    ("datadog", "ddapi_ ddpat_ ddapp_", r"[A-Za-z0-9]{30,}"),
    ("digitalocean", "dop_v1_ doo_v1_ dor_v1_", r"[0-9a-f]{64}"),
    ("discord", "/api/webhooks/", r"\d{15,21}/[\w-]{50,80}"),
    ("docker", "dckr_pat_ dckr_oat_", r"[\w-]{24,}"),
    ("doppler", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", r"[\w.-]{40,60}"),
    ("dropbox", "sl.", r"[\w-]{100,}"),
    ("duffel", "duffel_live_ duffel_test_", r"[\w-]{40,}"),
    ("dynatrace", "dt0c01. dt0s16. dt0s01.", r"[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    ("easypost", "EZAK EZTK", r"[A-Za-z0-9]{54}"),
    ("facebook", "EAA", r"[A-Za-z0-9]{80,}"),
    ("figma", "figd_ figo_", r"[\w-]{38,}"),
    ("flutterwave", "FLWSECK-", r"[\w-]{16,}"),
    ("flutterwave", "FLWSECK_TEST-", r"[\w-]{12,}"),
    ("fly", "FlyV1 fm2_", r"[\w+/=,-]{60,}"),
    ("frameio", "fio-u-", r"[\w=-]{60,}"),
    ("github", "ghp_ gho_ ghu_ ghs_ ghr_", r"[A-Za-z0-9_.-]{30,}"),
    ("github", "github_pat_", r"\w{22,}"),
    (
        "gitlab",
        "glpat- gldt- glrt- glcbt- glptt- glft- glsoat- gloas- glimt- glagent- glffct- glwt- "
        "GR1348941",
        r"[\w.=-]{20,}",
    ),
    ("google", "AIza", r"[\w-]{35}"),
    ("google", "GOCSPX-", r"[\w-]{28}"),
    ("google", "ya29.", r"[\w.-]{20,}"),
    ("google", "1//0", r"[\w-]{30,}"),
    ("google", "AQ.Ab8", r"[\w-]{30,}"),
    ("grafana", "glsa_", r"[A-Za-z0-9]{32}_[0-9A-Fa-f]{8}"),
    ("grafana", "glc_ eyJrIjoi", r"[\w+/=-]{30,}"),
    ("groq", "gsk_", r"[A-Za-z0-9]{40,}"),
    ("heroku", "HRKU-", r"[\w-]{36,}"),
    ("huggingface", "hf_ api_org_", r"[A-Za-z0-9]{30,}"),
    ("infracost", "ico-", r"[A-Za-z0-9]{32}"),
    ("langsmith", "lsv2_pt_ lsv2_sk_", r"[0-9a-f]{32}_[0-9a-f]{10}"),
    ("langfuse", "sk-lf-", r"[0-9a-f-]{36}"),
    ("linear", "lin_api_ lin_oauth_", r"[A-Za-z0-9]{32,}"),
    ("mailgun", "key-", r"[0-9a-f]{32}"),
    ("netlify", "nfp_ nfc_ nfo_ nfu_", r"[A-Za-z0-9]{36,}"),
    ("newrelic", "NRAK- NRRA- NRII- NRJS- NRBR- NRSP-", r"[A-Za-z0-9-]{19,}"),
    ("notion", "ntn_", r"[A-Za-z0-9]{40,}"),
    ("notion", "secret_", r"[A-Za-z0-9]{43}"),
    ("npm", "npm_", r"[A-Za-z0-9]{36}"),
    ("nuget", "oy2", r"[a-z0-9]{43}"),
    ("nvidia", "nvapi-", r"[\w-]{50,}"),
    ("onepassword", "ops_eyJ", r"[A-Za-z0-9+/=]{100,}"),
    ("perplexity", "pplx-", r"[A-Za-z0-9]{40,}"),
    ("pinecone", "pcsk_", r"\w{40,}"),
    ("plaid", "access-production- access-sandbox- access-development-", r"[0-9a-f-]{36}"),
    ("planetscale", "pscale_tkn_ pscale_pw_ pscale_oauth_", r"[\w=.-]{32,}"),
    ("postman", "PMAK-", r"[0-9a-f]{24}-[0-9a-f]{34}"),
    ("prefect", "pnu_ pnb_", r"[A-Za-z0-9]{36}"),
    ("pulumi", "pul-", r"[0-9a-f]{40}"),
    ("pypi", "pypi-AgE", r"[\w-]{50,}"),
    ("readme", "rdme_", r"[a-z0-9]{70}"),
    ("replicate", "r8_", r"[A-Za-z0-9]{37}"),
    ("rubygems", "rubygems_", r"[0-9a-f]{48}"),
    ("sendgrid", "SG.", r"[\w-]{16,32}\.[\w-]{16,64}"),
    ("sendinblue", "xkeysib- xsmtpsib-", r"[0-9a-f]{64}-[A-Za-z0-9]{16}"),
    ("sentry", "sntrys_ sntryu_ sntryi_ sntrya_", r"[\w+/=-]{40,}"),
    ("shippo", "shippo_live_ shippo_test_", r"[0-9a-f]{40}"),
    ("shopify", "shpat_ shpca_ shppa_ shpss_ shptka_", r"[0-9A-Fa-f]{32}"),
    (
        "slack",
        "xoxb- xoxa- xoxp- xoxo- xoxs- xoxr- xoxe- xoxe.xoxp- xoxe.xoxb- xoxc- xoxd- xapp- xwfp-",
        r"[\w%.-]{12,}",
    ),
    ("slack", "hooks.slack.com/", r"(?:services|workflows|triggers)/[\w/]{20,}"),
    ("sonar", "sqp_ squ_ sqa_", r"[0-9a-f]{40}"),
    ("square", "sq0atp- sq0csp- sq0idp- EAAAE EAAAl", r"[\w-]{22,}"),
    ("stripe", "sk_live_ sk_test_ rk_live_ rk_test_ sk_prod_ rk_prod_", r"[A-Za-z0-9]{10,}"),
    ("stripe", "whsec_", r"[A-Za-z0-9+/=]{20,}"),
    ("supabase", "sbp_ sb_secret_", r"[\w-]{24,}"),
    ("tailscale", "tskey-", r"[A-Za-z]{2,10}-[A-Za-z0-9-]{16,}"),
    ("teams", ".webhook.office.com/webhookb2/", r"[\w@/-]{60,}"),
    ("tencent", "AKID", r"[A-Za-z0-9]{32}"),
    ("twilio", "SK", r"[0-9a-f]{32}"),
    ("typeform", "tfp_", r"[\w.=-]{40,}"),
    ("vault", "hvs. hvb. hvr.", r"[\w-]{20,}"),
    ("xai", "xai-", r"[A-Za-z0-9]{60,}"),
    ("yandex", "AQVN", r"[\w-]{35,}"),
    ("zapier", "hooks.zapier.com/hooks/catch/", r"\d{4,}/[a-z0-9]{5,}"),
    ("openai", "sk-proj- sk-svcacct- sk-admin- sk-None-", r"[\w-]{20,}"),
    ("airtable_oauth", "oaa", r"[A-Za-z0-9]{14}\.v1\.[\w-]{60,}"),
    ("aiven", "AVNS_", r"[\w-]{18,}"),
    ("apify", "apify_api_", r"[A-Za-z0-9]{30,}"),
    ("braintree", "access_token$production$ access_token$sandbox$", r"[0-9a-z]{16}\$[0-9a-f]{32}"),
    ("cloudflare", "v1.0-", r"[0-9a-f]{24}-[0-9a-f]{146}"),
    ("crates", "cio", r"[A-Za-z0-9]{32}"),
    ("e2b", "e2b_", r"[0-9a-f]{40}"),
    ("elevenlabs", "sk_", r"[0-9a-f]{48}"),
    ("firecrawl", "fc-", r"[0-9a-f]{32}"),
    ("fireworks", "fw_", r"[A-Za-z0-9]{22,24}"),
    (
        "hubspot",
        "pat-na1- pat-na2- pat-eu1- pat-ap1-",
        r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
    ),
    ("jina", "jina_", r"[0-9a-f]{32}[\w-]{20,}"),
    ("launchdarkly", "sdk- api-", r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}"),
    ("mailersend", "mlsn.", r"[0-9a-f]{64}"),
    ("mapbox", "sk.eyJ", r"[\w-]{20,300}\.[\w-]{20,}"),
    ("neon", "napi_", r"[0-9a-z]{50,}"),
    ("password_hash", "$2a$ $2b$ $2y$", r"\d\d\$[./A-Za-z0-9]{53}"),
    ("password_hash", "$1$ $apr1$", r"[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}"),
    ("password_hash", "$5$", r"(?:rounds=\d{1,9}\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{43}"),
    ("password_hash", "$6$", r"(?:rounds=\d{1,9}\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{86}"),
    ("password_hash", "$y$", r"[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{1,86}\$[./A-Za-z0-9]{43}"),
    (
        "password_hash",
        "$argon2id$ $argon2i$",
        r"v=\d{1,3}\$m=\d{1,8},t=\d{1,4},p=\d{1,3}\$[A-Za-z0-9+/]{8,64}\$[A-Za-z0-9+/]{16,}",
    ),
    (
        "password_hash",
        "pbkdf2_sha256$ pbkdf2_sha512$",
        r"\d{3,8}\$[A-Za-z0-9]{8,64}\$[A-Za-z0-9+/=]{40,}",
    ),
    ("posthog", "phx_", r"[A-Za-z0-9]{40,}"),
    ("render", "rnd_", r"[A-Za-z0-9]{24,}"),
    ("resend", "re_", r"[A-Za-z0-9]{6,10}_[A-Za-z0-9]{20,}"),
    ("runpod", "rpa_", r"[A-Za-z0-9]{40,}"),
    ("sourcegraph", "sgp_", r"(?:[0-9a-f]{16}_|local_)?[0-9a-f]{40}"),
    ("tavily", "tvly-", r"[\w-]{28,}"),
    ("trello", "ATTA", r"[0-9a-f]{64}[0-9A-Za-z]{8}"),
    ("voyage", "pa-", r"[A-Za-z0-9_-]{43}"),
    ("openrouter", "sk-or-", r"[\w-]{20,}"),
)


# Prefixes that nothing but a key begins with: behind them a body that is shorter than a vendor's is
# one too, if it looks drawn. Keys are cut when they are copied, and vendors change their length.
_TELLING_PREFIXES = frozenset(
    "CCIPAT_ CCIPRJ_ GOCSPX- apify_api_ bkua_ bkpt_ ddapi_ ddpat_ ddapp_ dckr_oat_ dckr_pat_ "
    "doo_v1_ dop_v1_ dor_v1_ figd_ gho_ ghp_ ghr_ ghs_ ghu_ github_pat_ glcbt- gldt- glpat- glptt- "
    "glrt- glsa_ gsk_ hf_ hvb. hvr. hvs. jina_ lin_api_ lin_oauth_ lsv2_pt_ lsv2_sk_ nfp_ npm_ "
    "nvapi- pcsk_ pplx- pscale_pw_ pscale_tkn_ pypi-AgE r8_ rubygems_ sb_secret_ sbp_ shpat_ "
    "shpca_ shppa_ shpss_ sk-admin- sk-ant- sk-lf- sk-or- sk-proj- sk-svcacct- sntrys_ sntryu_ "
    "tvly- whsec_ xai-".split()
)


def build_token_rules() -> Iterator[Rule]:
    for kind, prefixes, body in _TOKENS:
        for prefix in prefixes.split():
            is_telling = prefix in _TELLING_PREFIXES
            check = is_no_example if kind == "aws" else is_key if is_telling else is_varied
            token = Token(prefix, body, takes_short=is_telling)
            yield fill_instance(Rule, (kind, prefix.encode(), token, check, 0))
