import ctypes

print("ready")
input()
ctypes.string_at(0)
