"""What sort of thing a known name is: a language, a format, a cloud. Data.

Sorts only tell questions apart: `written in Kotlin` and `written in English` are two. Of most sorts
a project has several at a time, so that two names of one sort never contradict each other by that
alone (for those that do, see `lexicon.SLOTS`).
"""

from __future__ import annotations

from collections.abc import Mapping

from memctl.text.stop_words import word_set

_SORTS: Mapping[str, str] = {
    "language": """python rust go golang java kotlin scala swift ruby php perl c c++ c# zig elixir
        erlang haskell ocaml javascript typescript lua julia r dart clojure fortran cobol gleam nim
        prolog crystal f# c++17 c++20 c++23 c11 c99 html css
        wasm flutter""",
    "tongue": """english german french spanish italian dutch portuguese finnish swedish norwegian
        danish polish czech greek turkish russian ukrainian japanese chinese korean arabic hindi""",
    "format": """json yaml toml xml csv tsv ini markdown html pdf parquet avro protobuf msgpack
        asciidoc rst png jpeg jpg webp svg gif avif flac opus mp3 wav ods xlsx excel webvtt srt
        jsonl ndjson text plaintext mjml docx odt geojson arrow sqlite""",
    "compression": "gzip brotli zstd xz bzip2 lz4 snappy zip",
    "system": """linux windows macos debian ubuntu alpine fedora freebsd openbsd netbsd nixos centos
        rocky arch android ios redhat suse wayland x11""",
    "database": """postgres postgresql mysql mariadb sqlite mongodb redis valkey memcached cassandra
        clickhouse snowflake bigquery redshift dynamodb cockroachdb duckdb elasticsearch opensearch
        neo4j oracle mssql couchdb influxdb timescaledb indexeddb""",
    "broker": """redis valkey rabbitmq kafka nats celery dramatiq sidekiq sqs pubsub pulsar zeromq
        mosquitto""",
    "store": "s3 gcs r2 minio ceph backblaze b2 nfs dropbox",
    "cloud": """aws gcp azure hetzner fly heroku render vercel netlify digitalocean linode ovh
        scaleway infomaniak cloudflare""",
    "frontend": """react flutter vue svelte angular solid preact htmx jquery ember lit qwik""",
    "state": "redux zustand mobx recoil jotai pinia vuex",
    "backend": """django flask fastapi rails laravel express nestjs spring phoenix actix axum gin
        koa sinatra symfony""",
    "protocol": "rest graphql grpc soap websocket websockets sse mqtt http https amqp otlp",
    "auth": "oauth oauth2 oidc saml ldap jwt jwts mtls kerberos passkeys webauthn",
    "server": "nginx apache caddy traefik haproxy envoy kong",
    "monitor": """sentry glitchtip datadog grafana prometheus loki splunk newrelic pingdom
        opsgenie pagerduty zabbix nagios""",
    "forge": "github gitlab bitbucket gitea forgejo codeberg sourcehut",
    "tracker": "jira linear trello asana redmine youtrack",
    "chat": "slack mattermost discord teams zulip irc matrix",
    "zone": "utc gmt cet cest local timezone",
    "money": "dollar dollars euro euros usd eur chf gbp pounds francs yen",
    "place": """frankfurt zurich berlin london paris dublin stockholm oslo helsinki amsterdam madrid
        porto lisbon vienna munich milan warsaw prague tokyo singapore sydney ireland germany
        france switzerland sweden finland virginia oregon ohio""",
    "browser": "firefox chrome chromium safari webkit edge browser",
    "means": "hand script cron robot bot",
    "style": "upper lower capitals uppercase lowercase bold batches order plain",
}
_SORTS_OF: dict[str, set[str]] = {}
for _sort, _words in _SORTS.items():
    for _word in word_set(_words):
        _SORTS_OF.setdefault(_word, set()).add(_sort)


def find_sorts(value: tuple[str, ...]) -> frozenset[str]:
    """The sorts of all known names among normalised words; empty where none is known."""
    return frozenset(sort for word in value for sort in _SORTS_OF.get(word, ()))
