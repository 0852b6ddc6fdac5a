"""What every HTTP route shares: validation, errors, documents."""
