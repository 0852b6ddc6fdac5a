"""OpenAI: texts of its language models, and images of its image models.

Every request names a model. A call may name a model whose price is known. Otherwise
`OPENAI_TEXT_MODEL` or `OPENAI_IMAGE_MODEL` names it. `gpt-image-1` was shut down, and
`gpt-image-1.5` and `gpt-image-1-mini` are shut down on 1 December 2026: none of them is offered.
Source: developers.openai.com/api/docs/deprecations.
"""

from service.integrations.vendors.openai.images import ENDPOINTS as IMAGES
from service.integrations.vendors.openai.texts import ENDPOINTS as TEXTS

ENDPOINTS = (*TEXTS, *IMAGES)
