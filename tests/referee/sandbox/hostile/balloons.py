print("ready")
input()
kept = []
while True:
    kept.append(bytes(16 << 20))
