"""What all pages share: access, language, caching headers, errors, labels, documents."""
