"""platform/league"""
