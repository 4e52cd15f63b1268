"""A table as something to look at: view files, cards as drawings, the replay as a page.

No Django, no database: the site and the kit draw the same.
"""
