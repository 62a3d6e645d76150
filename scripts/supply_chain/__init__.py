"""What Appraise is delivered with: locked packages, their licences, a bill of materials, and their upkeep."""
