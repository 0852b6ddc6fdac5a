"""Make calls at vendors, with the user's token, and not while a breaker is open."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from flask import Flask

from service.generation.completion import MODELS
from service.integrations.calling.admission import Admitted
from service.integrations.calling.attempt import Attempt
from service.integrations.calling.breaker import Breakers
from service.integrations.calling.call import Call, Resources
from service.integrations.calling.call_media import CallMedia
from service.integrations.calling.kept_answers import Kept
from service.integrations.calling.sending import Effects, telling_status
from service.integrations.consent.connections import Connection
from service.integrations.declare import returned
from service.integrations.declare.endpoint import Endpoint
from service.integrations.declare.reading import counting_left_out
from service.integrations.declare.setting import VENDOR_SETTINGS, first_missing
from service.integrations.declare.task import Task
from service.integrations.inbound import Answer
from service.media.store import MEDIA_STORE
from service.outbound.upstream import UPSTREAM
from service.web.errors import NotConfigured, ServiceError, UpstreamFailed

OWN_REFUSALS = (400, 403, 404, 409)  # statuses of an app's function that has done nothing


class VendorCalls:
    """Makes calls. Every method needs an app context."""

    def __init__(self, app: Flask, instance: str) -> None:
        """`instance` distinguishes this deployment from others."""
        self._app, self._instance = app, instance
        self.breakers = Breakers(app)

    @property
    def settings(self) -> Mapping[str, str]:
        """The vendors' settings as configured, or as the sandbox has redirected them."""
        return VENDOR_SETTINGS.of(self._app)

    def make(
        self, admitted: Admitted, attempt: Attempt, media: CallMedia, seconds: float
    ) -> Answer:
        """Return the vendor's data, or the payload if a consent can cure a refusal.

        Raises `ServiceError`.
        """
        connection, endpoint = admitted.connection, admitted.endpoint
        admit = self.breakers.admission()

        def perform(bearer: str | None) -> Any:
            call = self.call(
                endpoint,
                admitted.user_id,
                bearer,
                media,
                leave=attempt.leave,
                admit=admit,
                seconds=seconds,
            )
            attempt.call = call
            call.is_narrow = connection is not None and connection.is_narrow
            with _acting(endpoint, call.effects, attempt.leave):
                data = self._perform(endpoint, admitted.params, call)
            if connection and call.effects.is_rejected:  # not raised: the call was partly done
                connection.forget()
            return data

        return _perform_with_token(connection, perform)

    def give_again(self, admitted: Admitted, kept: Kept) -> Answer:
        """Return a kept answer or the payload, after the check that precedes each call.

        Raises `ServiceError`.
        """
        connection, endpoint = admitted.connection, admitted.endpoint
        check = endpoint.before
        if check is None:
            return Answer(kept.data, age=kept.age)
        media, admit = self.media(endpoint, admitted.user_id), self.breakers.admission()

        def perform(bearer: str | None) -> Any:
            call = self.call(endpoint, admitted.user_id, bearer, media, admit=admit)
            with self.breakers.counting(call.effects), telling_status(call.effects):
                check(call, admitted.params)
            return kept.data

        answer = _perform_with_token(connection, perform)
        return answer if answer.consent else replace(answer, age=kept.age)

    def _perform(self, endpoint: Endpoint, params: dict[str, Any], call: Call) -> Any:
        effects = call.effects
        with self.breakers.counting(effects), counting_left_out(), telling_status(effects):
            data = endpoint.perform(call, params)
            if endpoint.job:
                endpoint.job.check(data)
            elif endpoint.run and not endpoint.vendor.bases:
                returned.check(endpoint.run, endpoint.gives, data)
        if isinstance(data, Task) and data.state == "failed":
            call.effects.acts = 0  # the vendor says so
            raise UpstreamFailed(data.failure_reason, upstreamStatus=None)
        return data

    def call(
        self,
        endpoint: Endpoint,
        subject: str,
        bearer: str | None,
        media: CallMedia,
        *,
        leave: Callable[[], None] = lambda: None,
        admit: Callable[[str], None] = lambda _: None,
        seconds: float | None = None,
    ) -> Call:
        """Return a `Call` for an endpoint's function, for `seconds` or the endpoint's own limit.

        Only a call whose end is counted may ask the breaker with `admit`. If a job's poll took the
        trial, the trial would have no end. Raises `NotConfigured`.
        """
        if name := first_missing(endpoint.needs, self.settings):
            raise NotConfigured(name)
        upstream, models = UPSTREAM.of(self._app), MODELS.of(self._app)
        resources = Resources(upstream, models, self.settings, self._instance)
        return Call(
            resources,
            endpoint.vendor_for(self.settings),
            seconds=endpoint.seconds if seconds is None else seconds,
            bearer=bearer,
            leave=leave,
            subject=subject,
            model=endpoint.model,
            media=media,
            admit=admit,
        )

    def media(self, endpoint: Endpoint, subject: str) -> CallMedia:
        """Return the context manager for the media that a call stores for its user."""
        return CallMedia(MEDIA_STORE.of(self._app), subject, endpoint.makes, endpoint.copies)


@contextmanager
def _acting(endpoint: Endpoint, effects: Effects, leave: Callable[[], None]) -> Iterator[None]:
    """Track the effects of an app's function, which acts without a request.

    Its call therefore counts as sent here. If it ends with an error, it may have done its work,
    unless the function itself has refused.
    """
    if endpoint.vendor.bases or endpoint.repeatable:
        yield
        return
    leave()
    has_refused = False
    try:
        yield
    except ServiceError as error:  # a vendor's refusal says nothing about the app
        has_refused = error.status in OWN_REFUSALS and not effects.is_refused
        raise
    finally:
        effects.acts += not has_refused


def _perform_with_token(
    connection: Connection | None, perform: Callable[[str | None], Any]
) -> Answer:
    """Return the result of `perform` with the user's token, or the payload for a consent."""
    try:
        return Answer(perform(connection.token() if connection else None))
    except ServiceError as error:
        if connection and (payload := connection.payload_for(error)):
            return Answer(payload, consent=True, refused_consent=connection.consent_time)
        raise
