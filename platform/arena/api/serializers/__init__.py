"""Request bodies, by resource."""
