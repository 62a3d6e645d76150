"""The database tables.

``people``   User, Annotator (rankings refer to it, never to a user), Membership, Removal, Invitation,
             AccessCard, CrowdWorker, ApiToken, AuditEntry, SignIn, Erasure
``tasks``    Campaign, CrowdPlatform, Task, StoppingStatus
``items``    Item, System, Candidate, Output, Comparison, Alignment
``judging``  PhrasePair and Occurrence (what is asked), Slot and Assignment (who is asked)
``answers``  Ranking, SentenceAnswer, AlignmentReport, Adjudication, PracticeQuestion, PracticeRound
``assessments``  Assessment, ErrorSpan, ScoreSet
``jobs``     Job, Upload, UploadedFile
"""

from __future__ import annotations

from evaluation.models.answers import (
    Adjudication,
    AlignmentReport,
    PracticeQuestion,
    PracticeRound,
    Ranking,
    SentenceAnswer,
)
from evaluation.models.assessments import Assessment, ErrorSpan, ScoreSet
from evaluation.models.items import Alignment, Candidate, Comparison, Item, Output, System
from evaluation.models.jobs import Job, Upload, UploadedFile
from evaluation.models.judging import Assignment, Occurrence, PhrasePair, Slot
from evaluation.models.people import (
    AccessCard,
    Annotator,
    ApiToken,
    AuditEntry,
    CrowdWorker,
    Erasure,
    Invitation,
    Membership,
    Removal,
    Role,
    SignIn,
    User,
)
from evaluation.models.tasks import Campaign, CrowdPlatform, StoppingStatus, Task

__all__ = [
    "AccessCard",
    "Adjudication",
    "Alignment",
    "AlignmentReport",
    "Annotator",
    "ApiToken",
    "Assessment",
    "Assignment",
    "AuditEntry",
    "Campaign",
    "Candidate",
    "Comparison",
    "CrowdPlatform",
    "CrowdWorker",
    "Erasure",
    "ErrorSpan",
    "Invitation",
    "Item",
    "Job",
    "Membership",
    "Occurrence",
    "Output",
    "PhrasePair",
    "PracticeQuestion",
    "PracticeRound",
    "Ranking",
    "Removal",
    "Role",
    "ScoreSet",
    "SentenceAnswer",
    "SignIn",
    "Slot",
    "StoppingStatus",
    "System",
    "Task",
    "Upload",
    "UploadedFile",
    "User",
]
