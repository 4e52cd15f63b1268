"""The admin: pages where staff and organisers look at rows and act on them, by the services of the apps."""
