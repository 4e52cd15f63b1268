"""bots/house"""
