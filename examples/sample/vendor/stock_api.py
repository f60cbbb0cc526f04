"""The client of the stock service, as its makers deliver it."""

_STOCK = {"apple": (40, 30), "pear": (12, 45), "plum": (0, 20)}


def new_api_call(method, item):
    """Ask the service: "count" for what is there, "price" for what one costs, in cents."""
    count, price = _STOCK[item]
    return {"count": count, "price": price}[method]


def old_api_call(method, item):
    """Deprecated: goes with version 3. Use new_api_call."""
    return new_api_call(method, item)
