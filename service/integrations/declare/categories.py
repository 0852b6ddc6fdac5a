"""The categories of endpoints, with their names for people.

Source: docs/contract.md, "Catalog endpoint names".
"""

from collections.abc import Mapping
from typing import Literal

Category = Literal[
    "ai", "search", "suite", "chat", "image", "social", "data", "sports", "science", "realtime"
]

CATEGORIES: Mapping[Category, str] = {
    "ai": "AI and content generation",
    "search": "Search and research",
    "suite": "Cloud suite",
    "chat": "Team chat",
    "image": "Image processing",
    "social": "Social and professional",
    "data": "Data and markets",
    "sports": "Sports",
    "science": "Science, weather, travel",
    "realtime": "Real-time communication",
}
