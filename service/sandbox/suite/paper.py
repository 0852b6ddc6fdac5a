"""Make the smallest PDF that shows a few lines of text."""


def pdf(text: str) -> bytes:
    """Return a PDF of one page, with the first lines of the text (ISO 32000-1, section 7.5)."""
    lines = [_escaped(line[:90]) for line in text.splitlines()[:50]]
    drawn = " T* ".join(f"({line}) Tj" for line in lines)
    stream = f"BT /F 11 Tf 14 TL 50 780 Td {drawn} ET".encode("cp1252", "replace")
    font = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R"
    objects = (
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        page + b"/Resources<</Font<</F 5 0 R>>>>>>",
        b"<</Length %d>>stream\n%b\nendstream" % (len(stream), stream),
        font,
    )
    return _file(objects)


def _file(objects: tuple[bytes, ...]) -> bytes:
    whole, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(whole))
        whole += b"%d 0 obj%b\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    head = b"xref\n0 %d\n0000000000 65535 f \n%b" % (size, table)
    tail = b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (size, len(whole))
    return whole + head + tail


def _escaped(line: str) -> str:
    return line.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
