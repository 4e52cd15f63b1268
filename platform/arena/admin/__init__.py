"""The admin: pages where staff inspect rows and run a few repairs, which call the services of the apps."""
