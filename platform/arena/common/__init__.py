"""What every app shares: errors, public ids, blobs, guarded state changes."""
