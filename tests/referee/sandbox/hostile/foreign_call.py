import ctypes

print("ready")
input()
ctypes.CDLL(None).syscall(ctypes.c_long(0x40000000 | 39))
print("answer")
