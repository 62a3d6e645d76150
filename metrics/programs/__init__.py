"""Programs as metrics: any command that scores texts, or answers the questions of annotators."""
