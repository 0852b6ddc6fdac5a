"""The parts that all HTTP routes share: validation, errors, documents."""
