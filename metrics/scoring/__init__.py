"""Score the sentences of a task, let metrics vote on its phrases, train on its answers."""
