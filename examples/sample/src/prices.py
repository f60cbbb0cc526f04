from vendor import stock_api

DISCOUNT_FROM = 10


def price(item, count):
    full = count * stock_api.old_api_call("price", item)
    return full * 9 // 10 if count >= DISCOUNT_FROM else full
