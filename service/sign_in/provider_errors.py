"""Why the identity provider gave no tokens.

The texts are for operators, and contain no text of the provider.
"""


class ProviderAway(Exception):
    """The identity provider gave no usable answer; the next attempt may succeed."""


class ProviderRefused(Exception):
    """The identity provider refused, or its answer is not for us."""


class ClientRefused(ProviderRefused):
    """The identity provider refused this service as its client, for example for a wrong secret.

    Only the operator can change that, so it says nothing about a person or a session.
    """
