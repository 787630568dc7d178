from django.urls import path

from documents.api.trash import Restore, Trash
from documents.api.views import Documents, OneDocument

urlpatterns = [
    path("", Documents.as_view(), name="api-documents"),
    path("trash/", Trash.as_view(), name="api-trash"),
    path("trash/<str:document_id>/restore/", Restore.as_view(), name="api-restore"),
    path("<str:document_id>/", OneDocument.as_view(), name="api-document"),
]
