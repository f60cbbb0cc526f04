# Second of two: `orders` is still there, nothing is read again: talaria code --session orders ../kept_ask.py
from collections import Counter

count = Counter()
for order in orders:
    count[order["item"]] += int(order["count"])
print(", ".join(f"{item}: {number}" for item, number in count.most_common()))
