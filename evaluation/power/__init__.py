"""Power analysis: how many sentences, phrase pairs and people does it take to separate two systems?"""
