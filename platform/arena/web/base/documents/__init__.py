"""Documents and rules as pages of the site, and a reference made of the API's description."""
