from src.prices import price
from src.stock import available


class OutOfStock(Exception):
    pass


def place(lines):
    """The total of an order, a dict of item and count, in cents."""
    for item, count in lines.items():
        if not available(item, count):
            raise OutOfStock(item)
    return sum(price(item, count) for item, count in lines.items())
