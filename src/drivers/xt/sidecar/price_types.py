"""Kinds of prices. The terminal shows an order with the number that the counter has for its kind of price, which is another
one than that under which such an order is placed."""

from names import exchange_of

LATEST_PRICE, LIMIT_PRICE = 5, 11
FIVE_CANCEL, SZ_FIVE_CANCEL = 42, 47
OF_COUNTER = {
    49: LATEST_PRICE, 50: LIMIT_PRICE, 84: 44, 85: 43, 86: 45, 87: 46, 88: FIVE_CANCEL, 89: 48,
}


def price_type_of(shown, code, otherwise):
    """In the words of an order; `otherwise` for what is none of them."""
    found = OF_COUNTER.get(shown, otherwise)
    return SZ_FIVE_CANCEL if found == FIVE_CANCEL and exchange_of(code) == "SZ" else found
