import time

print("ready")
input()
time.sleep(3600)
