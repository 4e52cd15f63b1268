"""Answers hello with text that is not JSON."""

from honest import say

input()
say("hello yourself")
input()
