"""Operation of a site: start, backup, monitoring, databases. An installed app because of its commands."""
