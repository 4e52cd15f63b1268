"""What holds for every test: properties have no deadline, since the machine may be busy."""

import os

from hypothesis import settings

settings.register_profile("rensho", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("rensho")
