"""How moments are written where a template does not say: as the pages of the site write them."""
