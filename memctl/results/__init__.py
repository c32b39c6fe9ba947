"""What the engine returns: frozen data that a surface turns into text or JSON.

`from memctl.results import X` works for every result class and for `jsonable`. A name is loaded
when it is first used. Code inside memctl imports from the defining module, because a hook must
load few of them.
"""

from __future__ import annotations

from memctl.core.typing_lite import Any

# The modules of this package and the public names that each defines.
_NAMES = {
    "backfill": (
        "BackfillAgent",
        "BackfillReport",
        "MemoriesReport",
        "MemoryFile",
        "NoteChange",
        "VaultChange",
    ),
    "browsing": (
        "BrowseEntry",
        "BrowseReport",
        "PathNames",
        "Reading",
    ),
    "captures": (
        "CaptureReport",
        "Captured",
    ),
    "conflicts": (
        "Conflict",
        "ConflictSide",
        "ConflictsReport",
        "ResolveReport",
        "ResolveStep",
    ),
    "conversations": (
        "ConversationItem",
        "ConversationList",
        "ConversationTurn",
        "ConversationView",
        "TurnHit",
        "TurnQuote",
        "TurnSearchReport",
    ),
    "entities": (
        "RelatedEntity",
        "EntityChange",
        "EntityGroup",
        "EntityItem",
        "EntityList",
        "EntityReport",
        "EntityRole",
        "EntitySource",
    ),
    "erasure": (
        "PurgeReport",
        "RedactionReport",
        "RedactionSpot",
    ),
    "explanations": (
        "EvidenceCheck",
        "MemoryExplanation",
        "ReplayChange",
        "ReplayReport",
        "RetrievalExplanation",
        "SettingChange",
    ),
    "feedback": (
        "FeedbackReport",
        "PinReport",
    ),
    "history": (
        "Difference",
        "DigestChange",
        "DigestEntry",
        "DigestReport",
        "RebuildReport",
        "TimelineDay",
        "TimelineItem",
        "TimelineReport",
        "RevertReport",
        "RevertStep",
    ),
    "journal": (
        "DailyReport",
        "DiaryEntry",
        "DreamReport",
        "MemoryDocument",
        "MemoryLine",
    ),
    "json_data": ("jsonable",),
    "language_model": (
        "ModelReport",
        "ModelTrouble",
        "ModelUse",
    ),
    "maintenance": (
        "ConsolidationReport",
        "ConsolidationStep",
        "MaintainReport",
        "StepReport",
        "StepState",
        "StepsReport",
    ),
    "projects": (
        "Doubt",
        "ProjectReport",
        "ProjectView",
        "WaitingPlace",
    ),
    "quality": (
        "Account",
        "MuteReport",
        "MutedRule",
        "QualityReport",
    ),
    "records": (
        "ChangeReport",
        "Former",
        "IngestReport",
        "ManagedId",
        "NewerRecord",
        "Page",
        "Proposal",
        "RecordView",
        "Refusal",
        "Saved",
        "TagList",
    ),
    "retrieval": (
        "ContextItem",
        "ContextMark",
        "ContextOmission",
        "ContextReport",
        "ContextSection",
        "Hit",
        "HubAnswer",
        "NearMiss",
        "SearchReport",
        "WhyNot",
    ),
    "saved_views": (
        "SavedView",
        "ViewReport",
    ),
    "setup": (
        "SetupFile",
        "SetupItem",
        "SetupReader",
        "SetupReport",
        "KeptData",
        "UninstallReport",
    ),
    "store": (
        "Check",
        "DoctorReport",
        "LogReport",
        "ReportFile",
        "StatsReport",
        "StatusReport",
        "UpkeepState",
        "SyncPlaceState",
        "TransferReport",
    ),
    "sync": (
        "InviteReport",
        "LeaveReport",
        "MembersReport",
        "SharedProject",
        "ShareReport",
        "SyncMachine",
        "SyncMember",
        "SyncReport",
        "SyncStatusReport",
        "SyncedPlace",
    ),
    "vault": (
        "VaultChange",
        "VaultReport",
    ),
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'memctl.results' has no attribute {name!r}")
    from importlib import import_module  # few programs use this way

    return getattr(import_module(f"memctl.results.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(_HOMES)
