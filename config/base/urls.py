"""Signing in and out."""

from django.contrib.auth import views
from django.urls import path

from config.base.forms import SignInForm

urlpatterns = [
    path(
        "login/",
        views.LoginView.as_view(redirect_authenticated_user=True, authentication_form=SignInForm),
        name="login",
    ),
    path("logout/", views.LogoutView.as_view(), name="logout"),
]
