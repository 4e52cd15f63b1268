"""Rendering of tables: view files, cards as SVG, the replay as a page. Without Django and database."""
