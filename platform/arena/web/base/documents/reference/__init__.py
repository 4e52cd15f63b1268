"""The API reference, generated from docs/openapi.yaml: one page per tag."""
