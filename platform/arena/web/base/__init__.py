"""Shared parts of all pages: access, language, cache headers, errors, labels, documents."""
