"""The database tables.

``people``   User, Annotator (rankings refer to it, never to a user), Membership, Removal, Invitation,
             AccessCard, CrowdWorker, ApiToken, AuditEntry, SignIn, Erasure
``tasks``    Campaign, CrowdPlatform, Task, StoppingStatus
``items``    Item, System, Candidate, Output, Comparison, Alignment
``judging``  PhrasePair, Occurrence, Passage and PassageOutput (what is asked), Slot and Assignment (who)
``answers``  Ranking, SentenceAnswer, AlignmentReport, Adjudication, PracticeQuestion, PracticeRound
``assessments``  Assessment, ErrorSpan, ScoreSet
``jobs``     Job, Upload, UploadedFile
"""

from __future__ import annotations

from evaluation.models.answers import (
    Adjudication as Adjudication,
    AlignmentReport as AlignmentReport,
    PracticeQuestion as PracticeQuestion,
    PracticeRound as PracticeRound,
    Ranking as Ranking,
    SentenceAnswer as SentenceAnswer,
)
from evaluation.models.assessments import (
    Assessment as Assessment,
    ErrorSpan as ErrorSpan,
    ScoreSet as ScoreSet,
)
from evaluation.models.items import (
    Alignment as Alignment,
    Candidate as Candidate,
    Comparison as Comparison,
    Item as Item,
    Output as Output,
    System as System,
)
from evaluation.models.jobs import Job as Job, Upload as Upload, UploadedFile as UploadedFile
from evaluation.models.judging import (
    Assignment as Assignment,
    Occurrence as Occurrence,
    Passage as Passage,
    PassageOutput as PassageOutput,
    PhrasePair as PhrasePair,
    Slot as Slot,
)
from evaluation.models.people import (
    AccessCard as AccessCard,
    Annotator as Annotator,
    ApiToken as ApiToken,
    AuditEntry as AuditEntry,
    CrowdWorker as CrowdWorker,
    Erasure as Erasure,
    Invitation as Invitation,
    Membership as Membership,
    Removal as Removal,
    Role as Role,
    SignIn as SignIn,
    User as User,
)
from evaluation.models.tasks import (
    Campaign as Campaign,
    CrowdPlatform as CrowdPlatform,
    StoppingStatus as StoppingStatus,
    Task as Task,
)
