from django.urls import path

from documents import views

app_name = "documents"
urlpatterns = [
    path("", views.index, name="list"),
    path("new/", views.new, name="new"),
    path("preview/", views.preview, name="preview"),
    path("trash/", views.trash, name="trash"),
    path("trash/<uuid:document_id>/restore/", views.restore, name="restore"),
    path("<uuid:document_id>/", views.detail, name="detail"),
    path("<uuid:document_id>/edit/", views.edit, name="edit"),
    path("<uuid:document_id>/delete/", views.delete, name="delete"),
]
