from django.urls import path

from documents.api.shares import OneShare, OneSharedWithMe, SharedWithMe, Shares
from documents.api.trash import InTrash, Restore, Trash
from documents.api.versions import Diff, OneVersion, RestoreVersion, Versions
from documents.api.views import Documents, OneDocument

_VERSION = "<str:document_id>/versions/<int:revision>"

urlpatterns = [
    path("", Documents.as_view(), name="api-documents"),
    path("trash/", Trash.as_view(), name="api-trash"),
    path("trash/<str:document_id>/restore/", Restore.as_view(), name="api-restore"),
    path("trash/<str:deleted_id>/", InTrash.as_view(), name="api-in-trash"),
    path("shared/", SharedWithMe.as_view(), name="api-shared"),
    path("shared/<str:shared_id>/", OneSharedWithMe.as_view(), name="api-shared-document"),
    path("<str:document_id>/", OneDocument.as_view(), name="api-document"),
    path("<str:document_id>/shares/", Shares.as_view(), name="api-shares"),
    path("<str:document_id>/shares/<str:share_id>/", OneShare.as_view(), name="api-share"),
    path("<str:document_id>/versions/", Versions.as_view(), name="api-versions"),
    path(f"{_VERSION}/", OneVersion.as_view(), name="api-version"),
    path(f"{_VERSION}/restore/", RestoreVersion.as_view(), name="api-restore-version"),
    path(
        "<str:document_id>/versions/<int:before>/diff/<int:after>/",
        Diff.as_view(),
        name="api-diff",
    ),
]
