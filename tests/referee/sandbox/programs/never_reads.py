import time

print("ready")
time.sleep(3600)
