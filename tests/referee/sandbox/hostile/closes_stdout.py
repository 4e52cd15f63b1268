import os
import time

print("ready")
input()
os.close(1)
time.sleep(3600)
