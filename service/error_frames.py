"""The frames that an error keeps after it was handled."""


def drop_frames(error: BaseException) -> None:
    """Take the frames from a handled error and from the errors that led to it.

    A frame with a variable for its error is a cycle, as in marshmallow. Only the garbage collector
    would free it, with all callers' variables: the body of the request, or the whole turn.
    """
    left = [error]
    while left:
        done = left.pop()
        done.__traceback__ = None
        left += [one for one in (done.__cause__, done.__context__) if one and one.__traceback__]
