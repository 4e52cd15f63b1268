print("ready")
input()
while True:
    pass
