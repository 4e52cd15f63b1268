"""Documents and rules as pages of the site, and the API reference generated from the schema."""
