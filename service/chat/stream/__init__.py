"""UI message chunks: their parts, their metadata and their bytes."""
