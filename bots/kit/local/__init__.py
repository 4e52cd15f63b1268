"""Playing at home: commands that need no server, from a new bot to a verified export."""
