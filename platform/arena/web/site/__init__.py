"""Pages of the site: home, desk, search, documents, and the operator's endpoints."""
