"""platform/arena"""
