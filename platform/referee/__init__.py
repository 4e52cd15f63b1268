"""platform/referee"""
