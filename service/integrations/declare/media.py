"""The shape of media that an endpoint makes and that this service stores.

Source: docs/contract.md, section 17.4.
"""

from service.integrations.declare.shape import Int, Shape, Str

MEDIA = Shape(
    url=Str("url", about="Works for anybody for ten minutes, then with your bearer token."),
    mediaType=Str("mediaType", about="Its media type, such as image/png."),
    bytes=Int("bytes", about="Its size."),
    expiresAt=Str("expiresAt", about="When it is deleted."),
)
