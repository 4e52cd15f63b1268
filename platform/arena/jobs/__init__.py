"""What runs by itself: tasks, the tick, the supervisor."""
