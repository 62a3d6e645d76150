"""Reports: registered pages of figures about a task or campaign, the Plan page, and the exports."""
