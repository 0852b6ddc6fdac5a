"""OpenAI: texts of its language models, and images of its image models.

Every request names a model. A call may name one of those whose prices are known; otherwise it is
the one of `OPENAI_TEXT_MODEL` or `OPENAI_IMAGE_MODEL`. `gpt-image-1` has ended, and
`gpt-image-1.5` and `gpt-image-1-mini` end on 1 December 2026: none of them is offered.
Source: developers.openai.com/api/docs/deprecations.
"""

from service.integrations.vendors.openai.images import ENDPOINTS as IMAGES
from service.integrations.vendors.openai.texts import ENDPOINTS as TEXTS

ENDPOINTS = (*TEXTS, *IMAGES)
