"""The pages of annotators."""
