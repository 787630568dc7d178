from django.urls import path

from documents.views import reading, sharing, trash, versions, writing

app_name = "documents"
urlpatterns = [
    path("", reading.index, name="list"),
    path("new/", writing.new, name="new"),
    path("preview/", reading.preview, name="preview"),
    path("trash/", trash.index, name="trash"),
    path("trash/empty/", trash.empty, name="empty-trash"),
    path("trash/<uuid:document_id>/restore/", trash.restore, name="restore"),
    path("trash/<uuid:deleted_id>/delete/", trash.purge, name="purge"),
    path("shared/", sharing.shared, name="shared"),
    path("<uuid:document_id>/", reading.detail, name="detail"),
    path("<uuid:document_id>/edit/", writing.edit, name="edit"),
    path("<uuid:document_id>/delete/", writing.delete, name="delete"),
    path("<uuid:document_id>/share/", sharing.share, name="share"),
    path("<uuid:document_id>/shares/<uuid:share_id>/revoke/", sharing.revoke, name="revoke-share"),
    path("<uuid:document_id>/versions/", versions.index, name="versions"),
    path("<uuid:document_id>/versions/compare/", versions.compare, name="compare"),
    path("<uuid:document_id>/versions/<int:revision>/", versions.version, name="version"),
    path(
        "<uuid:document_id>/versions/<int:revision>/restore/",
        versions.restore,
        name="restore-version",
    ),
    path("<uuid:document_id>/versions/<int:before>/diff/<int:after>/", versions.diff, name="diff"),
]
