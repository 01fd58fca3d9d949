"""The numbers that this package shares with its users."""

STOCK_BUY = 23
STOCK_SELL = 24
FIX_PRICE = 11
LATEST_PRICE = 5
FUTURE_ACCOUNT = 1
SECURITY_ACCOUNT = 2
CREDIT_ACCOUNT = 3
