"""Every page: the modules beside this one. Django's admin imports the module of this name of each app."""

import importlib
import pkgutil

from arena import admin

for module in pkgutil.iter_modules(admin.__path__):
    importlib.import_module(f"{admin.__name__}.{module.name}")
