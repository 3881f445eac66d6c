"""The roof: which house answers where."""

from __future__ import annotations

from django.contrib import admin
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import LoginView, LogoutView
from django.urls import URLPattern, URLResolver, include, path
from django.views.i18n import set_language

from clinicbot.demo_clock import move_clock
from clinicbot.health import healthz
from clinicbot.invitation_page import invitation
from clinicbot.password_pages import AskForLetter, Changed, ChooseNew, LetterSent
from clinicbot.people_page import people, send_again, take_back
from clinicbot.views import choose_clinic

urlpatterns: list[URLPattern | URLResolver] = [
    path("", include("scheduler.urls")),  # These before the admin's own, for /admin/queues/ and /admin/settings/.
    path("", include("messaging.urls")),
    path("", include("appointments.urls")),
    path("admin/settings/people/", people, name="settings-people"),
    path("admin/settings/people/<int:invitation_id>/again/", send_again, name="settings-invitation-again"),
    path("admin/settings/people/<int:invitation_id>/take-back/", take_back, name="settings-invitation-back"),
    path("admin/", admin.site.urls),
    path("demo/clock/", move_clock, name="demo-clock"),
    path("healthz", healthz, name="healthz"),
    path("login/", LoginView.as_view(redirect_authenticated_user=True), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("password/", AskForLetter.as_view(), name="password-forgotten"),
    path("password/sent/", LetterSent.as_view(), name="password-sent"),
    path("password/changed/", Changed.as_view(), name="password-changed"),
    path("password/<uidb64>/<token>/", ChooseNew.as_view(), name="password-new"),
    path("invitation/<token>/", invitation, name="invitation"),
    path("clinic/", choose_clinic, name="choose-clinic"),
    path("language/", login_not_required(set_language), name="set_language"),
]

handler500 = "clinicbot.database_down.server_error"
