"""Problems: found in notes, checked by the background queue, solved by visitors."""
