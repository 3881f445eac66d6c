"""Staff pages."""

from __future__ import annotations

from django.urls import path

from appointments.views import (
    attendance,
    book,
    calendar,
    calendar_hand,
    cancelling,
    editing,
    exports,
    feeds,
    find,
    moving,
    numbers,
    patients,
    sending,
    tasks,
    today,
    undoing,
    visits,
)
from appointments.views.patient_page import calendar as page_calendar
from appointments.views.patient_page import cancelling as page_cancelling
from appointments.views.patient_page import changing, hearing, looking

urlpatterns = [
    path("", today.today, name="today"),
    path("today/live/", today.today_live, name="today-live"),
    path("calendar/", calendar.calendar, name="calendar"),
    path("calendar/live/", calendar.calendar_live, name="calendar-live"),
    path("calendar/hand/", calendar_hand.calendar_hand, name="calendar-hand"),
    path("calendar/visits/<int:visit_id>/move/", calendar_hand.calendar_move, name="calendar-move"),
    path("find/", find.find, name="find"),
    path("find/live/", find.find_live, name="find-live"),
    path("book/", book.book, name="book"),
    path("book/people/", book.people, name="book-people"),
    path("visits/<int:visit_id>/", visits.visit, name="visit"),
    path("visits/<int:visit_id>/live/", visits.visit_live, name="visit-live"),
    path("visits/<int:visit_id>/confirm/", visits.confirm, name="visit-confirm"),
    path("visits/<int:visit_id>/edit/", editing.edit, name="visit-edit"),
    path("visits/<int:visit_id>/move/", moving.move, name="visit-move"),
    path("visits/<int:visit_id>/cancel/", cancelling.cancel, name="visit-cancel"),
    path("visits/<int:visit_id>/step/", attendance.step, name="visit-step"),
    path("visits/<int:visit_id>/outcome/", attendance.outcome, name="visit-outcome"),
    path("undo/<int:change_id>/", undoing.undo, name="undo"),
    path("visits/<int:visit_id>/again/<uuid:message_id>/", sending.send_again_page, name="send-again"),
    path("patients/<int:patient_id>/", patients.patient, name="patient"),
    path("patients/<int:patient_id>/name/", patients.rename, name="patient-name"),
    path("patients/<int:patient_id>/phone/", patients.add_phone, name="patient-phone"),
    path("patients/<int:patient_id>/guardian/", patients.guardian, name="patient-guardian"),
    path("export/", exports.exports, name="exports"),
    path("export/visits/", exports.export_visits, name="export-visits"),
    path("export/patients/", exports.export_patients, name="export-patients"),
    path("feeds/", feeds.feeds, name="feeds"),
    path("feeds/practitioners/<int:practitioner_id>/open/", feeds.open_one, name="feed-open"),
    path("feeds/practitioners/<int:practitioner_id>/close/", feeds.close_one, name="feed-close"),
    path("feeds/<token>.ics", feeds.feed, name="feed"),
    path("numbers/", numbers.numbers, name="numbers"),
    path("tasks/", tasks.tasks, name="tasks"),
    path("tasks/<int:task_id>/done/", tasks.done, name="task-done"),
    path("tasks/<int:task_id>/reopen/", tasks.reopen, name="task-reopen"),
    path("visit/<token>/", looking.look, name="patient-page"),
    path("visit/<token>/confirm/", looking.confirm, name="patient-confirm"),
    path("visit/<token>/change/", changing.change, name="patient-change"),
    path("visit/<token>/cancel/", page_cancelling.cancel, name="patient-cancel"),
    path("visit/<token>/messages/", hearing.hearing, name="patient-hearing"),
    path("visit/<token>/visit.ics", page_calendar.calendar, name="patient-calendar"),
    path("sending/<str:what>/<int:stop_id>/go-on/", sending.go_on, name="sending-go-on"),
]
