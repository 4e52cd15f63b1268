"""A database backend for a web process on SQLite: Django's, whose connections are used again."""
