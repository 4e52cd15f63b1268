"""Work around a table on a worker: artefacts, views, offered runtimes, readiness."""
