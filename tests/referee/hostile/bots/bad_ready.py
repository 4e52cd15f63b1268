"""Answers hello in words."""

from honest import say

input()
say("hello yourself")
input()
