"""The reference of the API, made of its description (docs/openapi.yaml), a page for each tag."""
