"""Import files as tasks, manage members and invitations, correct alignments."""
