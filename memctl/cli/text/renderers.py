"""Which function writes the text of which result. A text module is loaded when it is needed.

A hook and `--json` print no text, so they load none of these modules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module

from memctl.core.typing_lite import Any, cast

# Result class -> module in this package and the function in it that yields the lines.
RENDERERS = {
    "BackfillReport": "backfill:render_backfill",
    "BrowseReport": "browsing:render_folder",
    "CaptureReport": "captures:render_capture",
    "ChangeReport": "records:render_change",
    "ConflictsReport": "conflicts:render_conflicts",
    "ConsolidationReport": "maintenance:render_consolidation",
    "ContextReport": "retrieval:render_context",
    "ConversationList": "conversations:render_conversations",
    "ConversationView": "conversations:render_conversation",
    "DailyReport": "journal:render_daily",
    "DigestReport": "history:render_digest",
    "DoctorReport": "store:render_doctor",
    "DreamReport": "journal:render_dream",
    "EntityChange": "entities:render_entity_change",
    "EntityList": "entities:render_entity_list",
    "EntityReport": "entities:render_entity",
    "FeedbackReport": "feedback:render_feedback",
    "IngestReport": "records:render_ingest",
    "LogReport": "store:render_log",
    "MaintainReport": "maintenance:render_maintenance",
    "MemoriesReport": "backfill:render_imported_memories",
    "MemoryExplanation": "explanations:render_explanation",
    "ModelReport": "language_model:render_model_status",
    "MuteReport": "quality:render_mute",
    "Page": "records:render_page",
    "PathNames": "browsing:render_names",
    "PinReport": "feedback:render_pins",
    "ProjectReport": "projects:render_projects",
    "PurgeReport": "erasure:render_purge",
    "QualityReport": "quality:render_quality",
    "Reading": "browsing:render_reading",
    "RebuildReport": "history:render_rebuild",
    "RecordView": "records:render_record",
    "RedactionReport": "erasure:render_redaction",
    "ReplayReport": "explanations:render_replay",
    "ResolveReport": "conflicts:render_resolution",
    "RetrievalExplanation": "explanations:render_retrieval",
    "ReviewReport": "records:render_review",
    "RevertReport": "history:render_revert",
    "SearchReport": "retrieval:render_search",
    "SettingsReport": "settings:render_settings",
    "TimelineReport": "history:render_timeline",
    "ReportFile": "store:render_report_file",
    "SetupReport": "setup:render_setup",
    "UninstallReport": "setup:render_uninstall",
    "StatsReport": "store:render_stats",
    "StatusReport": "store:render_status",
    "StepsReport": "maintenance:render_steps",
    "TagList": "records:render_tags",
    "TransferReport": "store:render_transfer",
    "TurnSearchReport": "conversations:render_turn_search",
    "InviteReport": "sync:render_invitation",
    "LeaveReport": "sync:render_leaving",
    "MembersReport": "sync:render_members",
    "ShareReport": "sync:render_shares",
    "SyncReport": "sync:render_sync",
    "SyncStatusReport": "sync:render_sync_status",
    "VaultReport": "vault:render_vault",
    "ViewReport": "saved_views:render_saved_views",
    "WhyNot": "retrieval:render_why_not",
}
# The same for results of which a verbose command prints more.
VERBOSE_RENDERERS = {
    "SearchReport": "explanations:render_explained_search",
    "StatsReport": "plots:render_plots",
}
# An agent reads these as a file: what they say was made harmless where it was written.
MADE_HARMLESS = {"ContextReport", "DailyReport", "DreamReport"}


def render(data: Any, *, verbose: bool = False) -> Iterator[str]:
    """Yield the lines of text of any result."""
    name = type(data).__name__
    verbose_renderer = VERBOSE_RENDERERS.get(name) if verbose else None
    return find_renderer(verbose_renderer or RENDERERS[name])(data)


def was_made_harmless(data: Any) -> bool:
    """Whether the words of a result cannot be taken for those of memctl itself."""
    return type(data).__name__ in MADE_HARMLESS


def find_renderer(entry: str) -> Callable[[Any], Iterator[str]]:
    """Load the function that an entry of the tables names."""
    module, _, function = entry.partition(":")
    found = getattr(import_module(f"memctl.cli.text.{module}"), function)
    return cast("Callable[[Any], Iterator[str]]", found)
