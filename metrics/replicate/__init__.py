"""The experiments of five papers, run again on a chosen data set: each paper's table beside ours.

``values`` says what a report is, ``printed`` holds the numbers of the papers, ``rendering`` writes reports
down, and there is one module for each paper. ``recipes`` finds them by name.
"""
