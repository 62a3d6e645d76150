"""The data of a study, from the file that was uploaded to the verdict that was given.

``people``   who: User, Annotator (identity apart from judgements), Membership, Invitation
``tasks``    what is studied: Campaign, Task
``items``    what is shown: Item, System, Candidate, Output, Comparison, Alignment
``judging``  what is asked and answered: PhrasePair, Occurrence, Slot, Assignment, Ranking …
``practice`` what is tried before: PracticeQuestion, PracticeRound
``steering`` what steers a running task: Draw, Standing
``jobs``     what runs in the background: Job
``uploads``  files on their way to becoming a task: Upload, UploadedFile
``oversight`` what organisers and operators do: Adjudication, ApiToken, AuditEntry
``protection`` what protects people: SignIn, Erasure
"""

from __future__ import annotations

from evaluation.models.items import Alignment, Candidate, Comparison, Item, Output, System
from evaluation.models.jobs import Job
from evaluation.models.judging import (
    AlignmentReport,
    Assignment,
    Occurrence,
    PhrasePair,
    Ranking,
    SentenceAnswer,
    Slot,
)
from evaluation.models.oversight import Adjudication, ApiToken, AuditEntry
from evaluation.models.people import Annotator, Invitation, Membership, Role, User
from evaluation.models.practice import PracticeQuestion, PracticeRound
from evaluation.models.protection import Erasure, SignIn
from evaluation.models.steering import Draw, Standing
from evaluation.models.tasks import Campaign, Task
from evaluation.models.uploads import Upload, UploadedFile

__all__ = [
    "Adjudication",
    "Alignment",
    "AlignmentReport",
    "Annotator",
    "ApiToken",
    "Assignment",
    "AuditEntry",
    "Campaign",
    "Candidate",
    "Comparison",
    "Draw",
    "Erasure",
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
    "Role",
    "SentenceAnswer",
    "SignIn",
    "Slot",
    "Standing",
    "System",
    "Task",
    "Upload",
    "UploadedFile",
    "User",
]
