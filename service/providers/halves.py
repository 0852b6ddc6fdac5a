"""Characters whose two halves arrive in two pieces of a stream.

JSON can carry the halves of an emoji separately, and hosts written in JavaScript cut texts between
them.
"""

from service.storable import is_storable, make_storable


class Halves:
    """Joins the halves in the pieces of one text. `pending` is a first half without its second."""

    __slots__ = ("pending",)

    def __init__(self) -> None:
        self.pending = ""

    def join(self, piece: str) -> str:
        """Return the piece as a text that can be stored.

        A first half at its end comes with the next piece. At the end of the text it is left out.
        """
        if not self.pending and is_storable(piece):
            return piece
        text = self.pending + piece
        self.pending = text[-1:] if "\ud800" <= text[-1:] < "\udc00" else ""
        whole = text[: len(text) - len(self.pending)]
        units = whole.encode("utf-16-le", "surrogatepass")
        return make_storable(units.decode("utf-16-le", "surrogatepass"))
