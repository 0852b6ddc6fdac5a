"""Perplexity: answers by its own model, from a search of the web.

Perplexity ended support of Sonar's chat completions on 27 September 2026; the Agent API replaces
them. `model` keeps Sonar's names. Each name stands for the preset that Perplexity names as its
successor, and for Perplexity's own model. Sonar's `search_mode`, `return_images` and
`return_related_questions` have no successor. A model does not always use its tools, so every
request says that it must search.
Source: docs.perplexity.ai/docs/agent-api, "Migrate from Sonar", /docs/getting-started/pricing, and
github.com/perplexityai/api-platform-developers, skills/migrate-sonar-to-agent-api/references.
"""

from service.integrations.vendors.perplexity.questions import ENDPOINTS as QUESTIONS

ENDPOINTS = QUESTIONS
