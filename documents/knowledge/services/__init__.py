"""Changing spaces, their members and files: tool, API and pages all come here.

Each change is one transaction on the locked row of its space, with its audit event.
"""

from documents.knowledge.services.members import put_member, remove_member
from documents.knowledge.services.reading import (
    begin_reading,
    fail_reading,
    finish_reading,
    write_passages,
)
from documents.knowledge.services.resources import (
    delete_resource,
    purge_stray_files,
    read_again,
    record_download,
    upload_resource,
)
from documents.knowledge.services.spaces import change_space, create_space, delete_space

__all__ = [
    "begin_reading",
    "change_space",
    "create_space",
    "delete_resource",
    "delete_space",
    "fail_reading",
    "finish_reading",
    "purge_stray_files",
    "put_member",
    "read_again",
    "record_download",
    "remove_member",
    "upload_resource",
    "write_passages",
]
