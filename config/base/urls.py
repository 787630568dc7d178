"""Signing in and out, and one's own profile."""

from django.contrib.auth.views import LogoutView
from django.urls import path

from config.base import views
from config.base.sign_in import SignIn

urlpatterns = [
    path("login/", SignIn.as_view(), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("profile/", views.profile, name="profile"),
    path("profile/password/", views.password, name="profile-password"),
    path("profile/sign-out/", views.sign_out_everywhere, name="profile-sign-out"),
    path("profile/tokens/new/", views.new_token, name="profile-token-new"),
    path("profile/tokens/<uuid:token_id>/", views.ask_to_revoke, name="profile-token"),
    path("profile/tokens/<uuid:token_id>/revoke/", views.revoke, name="profile-token-revoke"),
]
