"""The frames that an error keeps after it was handled."""


def drop_frames(error: BaseException) -> None:
    """Take the frames from a handled error and from the errors that led to it.

    A frame that has its error in a variable is part of a cycle; marshmallow's frames do. Only the
    garbage collector would free it, with all variables of its callers: the body of the request, or
    the whole turn.
    """
    left = [error]
    while left:
        done = left.pop()
        done.__traceback__ = None
        left += [one for one in (done.__cause__, done.__context__) if one and one.__traceback__]
