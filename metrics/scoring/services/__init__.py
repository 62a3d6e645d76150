"""Services: functions that write, each in one transaction."""
