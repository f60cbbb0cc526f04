# First of two: reads the orders and keeps them: cd examples/sample && talaria code --session orders ../kept_load.py
import csv

from hermes_tools import read_file

orders = list(csv.DictReader(read_file("data/orders.csv")["content"].splitlines()))
print(f"{len(orders)} orders from {len({order['customer'] for order in orders})} customers")
