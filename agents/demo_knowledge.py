"""The demo's knowledge: one space with one small file, so that there is something to ask about."""

from contextlib import suppress

from config.base.actor import Actor, Origin
from config.base.models import User
from documents.enums import SpaceRole
from documents.knowledge import services
from documents.knowledge.errors import PersonMissing
from skills.models import AuditEvent
from skills.subjects import subject_of

SPACE = "Handbook"
FILE_NAME = "Staff handbook.md"
TEXT = """\
# Working hours

The office is open from 7:00 to 19:00. Core hours, when everybody can be reached, are 10:00 to \
15:00. Who works from home tells the team the day before.

# Leave

Everybody has 28 days of leave a year. Ask for leave two weeks before it begins; your supervisor \
answers within three working days. Up to five days may be taken over into the next year, until the \
end of March.

# Travel

Trains are booked in second class. A hotel may cost 120 euros a night; more needs the word of a \
supervisor beforehand. Receipts are handed in within 30 days of the end of the trip.

# 年假

每人每年有28天年假。请年假要提前两周申请，主管在三个工作日内答复。

# 出差

住宿费每晚不超过120欧元。报销凭证在出差结束后30天内提交。
"""


def load_knowledge(manager: User, reader: User) -> None:
    """Once: a space that was deleted since stays deleted. A job reads the file."""
    made = AuditEvent.objects.filter(action="knowledge_space.created", subject=subject_of(manager))
    if made.exists():
        return
    actor = Actor(user=manager, origin=Origin.ADMIN)
    space = services.create_space(actor, name=SPACE)
    with suppress(PersonMissing):  # who was switched off, or left the project
        services.put_member(actor, space.pk, reader.username, SpaceRole.READER)
    services.upload_resource(actor, space.pk, file_name=FILE_NAME, chunks=[TEXT.encode()])
