from vendor import stock_api


def stock_value(items):
    return sum(
        stock_api.old_api_call("count", item) * stock_api.old_api_call("price", item)
        for item in items
    )
