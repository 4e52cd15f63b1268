"""Registers the pages. Django's admin imports the module ``admin`` of each app."""

from arena.admin.pages import PAGES
from arena.admin.read_only import pages_register

pages_register(PAGES)
