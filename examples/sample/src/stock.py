from vendor import stock_api


def available(item, wanted):
    return stock_api.old_api_call("count", item) >= wanted


def shortage(item, wanted):
    return max(0, wanted - stock_api.old_api_call("count", item))
