"""The settings in force as data."""

from __future__ import annotations

from pathlib import Path

from memctl.cli.cli_results import SettingInForce, SettingsReport
from memctl.settings import config


def build_settings_report(db: Path | None) -> SettingsReport:
    """Every setting, the store's place first, each with where it came from. Raises ConfigError."""
    loaded = config.load(db)
    store = SettingInForce(
        "db", str(loaded.db), loaded.db_origin, "The store: --db, MEMCTL_DB, or the default place."
    )
    rest = (
        SettingInForce(s.key, loaded[s.key], loaded.origins[s.key], s.help) for s in config.SETTINGS
    )
    return SettingsReport(str(loaded.path), loaded.path.exists(), (store, *rest))
