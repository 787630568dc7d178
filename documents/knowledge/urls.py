from django.urls import path

from documents.knowledge.views import members, resources, spaces

app_name = "knowledge"
_SPACE = "spaces/<uuid:space_id>"
_RESOURCE = "resources/<uuid:resource_id>"

urlpatterns = [
    path("", spaces.index, name="list"),
    path("new/", spaces.new, name="new"),
    path(f"{_SPACE}/", spaces.detail, name="space"),
    path(f"{_SPACE}/files/", spaces.files, name="files"),
    path(f"{_SPACE}/upload/", resources.upload, name="upload"),
    path(f"{_SPACE}/delete/", spaces.delete, name="delete-space"),
    path(f"{_SPACE}/members/", members.index, name="members"),
    path(f"{_SPACE}/members/<uuid:member_id>/remove/", members.remove, name="remove-member"),
    path(f"{_RESOURCE}/", resources.detail, name="resource"),
    path(f"{_RESOURCE}/download/", resources.download, name="download"),
    path(f"{_RESOURCE}/reread/", resources.reread, name="reread"),
    path(f"{_RESOURCE}/delete/", resources.delete, name="delete-resource"),
]
