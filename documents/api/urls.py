from django.urls import path

from documents.api.views import Documents, OneDocument

urlpatterns = [
    path("", Documents.as_view(), name="api-documents"),
    path("<str:document_id>/", OneDocument.as_view(), name="api-document"),
]
