"""Widgets: templates, the pages that show them, and the canvases that place them."""
