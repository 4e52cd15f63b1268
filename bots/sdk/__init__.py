"""bots/sdk"""
