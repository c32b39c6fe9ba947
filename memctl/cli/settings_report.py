"""The settings in force as data."""

from __future__ import annotations

from pathlib import Path

from memctl.cli.cli_results import SettingInForce, SettingsReport
from memctl.settings import config, definitions


def build_settings_report(db: Path | None) -> SettingsReport:
    """Return every setting with its origin, the path of the store first. Raises ConfigError."""
    loaded = config.load_config(db)
    store = SettingInForce(
        "db", str(loaded.db), loaded.db_origin, "The store: --db, MEMCTL_DB, or the default path."
    )
    rest = (
        SettingInForce(s.key, loaded[s.key], loaded.origins[s.key], s.help)
        for s in definitions.SETTINGS
    )
    return SettingsReport(str(loaded.path), loaded.path.exists(), (store, *rest))
