"""API URLs of remote bots."""

from __future__ import annotations

from django.urls import URLPattern, path

from arena.features.remote.api import invitations, views

urlpatterns: list[URLPattern] = [
    path("remote/bots", views.RemoteBots.as_view(), name="remote-bots"),
    path("remote/bots/<id:bot>", views.OneRemoteBot.as_view(), name="remote-bot"),
    path("remote/bots/<id:bot>/unpause", views.RemoteUnpause.as_view(), name="remote-unpause"),
    path("remote/bots/<id:bot>/retire", views.RemoteRetire.as_view(), name="remote-retire"),
    path("remote/bots/<id:bot>/versions", views.RemoteBotVersions.as_view(), name="remote-bot-versions"),
    path("remote/versions", views.RemoteVersions.as_view(), name="remote-versions"),
    path("remote/versions/<id:version>", views.OneRemoteVersion.as_view(), name="remote-version"),
    path("remote/stream", views.RemoteStream.as_view(), name="remote-stream"),
    path("remote/alive", views.RemoteAlive.as_view(), name="remote-alive"),
    path("remote/tables/<id:table>", views.OneRemoteTable.as_view(), name="remote-table"),
    path("remote/tables/<id:table>/answers", views.RemoteAnswers.as_view(), name="remote-answers"),
    path("remote/invitations", invitations.RemoteInvitations.as_view(), name="remote-invitations"),
    path(
        "remote/invitations/<id:invitation>",
        invitations.OneRemoteInvitation.as_view(),
        name="remote-invitation",
    ),
    path(
        "remote/invitations/<id:invitation>/accept",
        invitations.RemoteInvitationAccept.as_view(),
        name="remote-invitation-accept",
    ),
    path(
        "remote/invitations/<id:invitation>/decline",
        invitations.RemoteInvitationDecline.as_view(),
        name="remote-invitation-decline",
    ),
    path("remote/ladders/<name:preset>", views.RemoteLadder.as_view(), name="remote-ladder"),
]
