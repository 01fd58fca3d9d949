"""What was ordered, and whether a row of the terminal can be of it: its number may be another one's by now."""

from names import exchange_of, full_code

BUY_OR_SELL = (23, 24)


def is_another(row, asked):
    """Whether a row is of another order than the one that was asked for; a fill tells nothing of all its shares."""
    kinds = (row["order_type"], asked.get("order_type"))
    is_turned = kinds[0] != kinds[1] and kinds[0] in BUY_OR_SELL and kinds[1] in BUY_OR_SELL
    shares = row["quantity"] if "price_type" in row else 0
    is_more_or_less = shares > 0 and shares != asked.get("quantity", shares)
    is_elsewhere = full_code(row["code"]) != full_code(asked.get("code") or row["code"])
    return is_elsewhere or is_turned or is_more_or_less


def is_of_one_exchange(row, asked):
    """Two exchanges may give one number; what does not say its stock may be of either."""
    codes = (row.get("code"), asked.get("code"))
    return not all(codes) or exchange_of(codes[0]) == exchange_of(codes[1])
