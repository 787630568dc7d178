from django.urls import path

from documents.knowledge.api.resources import Download, OneResource, Passages, Reread, Resources
from documents.knowledge.api.search import Search
from documents.knowledge.api.spaces import Members, OneMember, OneSpace, Spaces

_SPACE = "spaces/<uuid:space_id>"
_RESOURCE = "resources/<uuid:resource_id>"

urlpatterns = [
    path("spaces/", Spaces.as_view(), name="api-knowledge-spaces"),
    path(f"{_SPACE}/", OneSpace.as_view(), name="api-knowledge-space"),
    path(f"{_SPACE}/members/", Members.as_view(), name="api-knowledge-members"),
    path(f"{_SPACE}/members/<uuid:member_id>/", OneMember.as_view(), name="api-knowledge-member"),
    path("resources/", Resources.as_view(), name="api-knowledge-resources"),
    path(f"{_RESOURCE}/", OneResource.as_view(), name="api-knowledge-resource"),
    path(f"{_RESOURCE}/reread/", Reread.as_view(), name="api-knowledge-reread"),
    path(f"{_RESOURCE}/passages/", Passages.as_view(), name="api-knowledge-passages"),
    path(f"{_RESOURCE}/download/", Download.as_view(), name="api-knowledge-download"),
    path("search/", Search.as_view(), name="api-knowledge-search"),
]
