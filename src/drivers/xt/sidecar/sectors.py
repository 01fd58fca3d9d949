"""Which codes there are, by the sectors of the terminal."""

# Everything that can be traded here. A terminal that does not know one of them answers with nothing.
SECTORS = ("沪深A股", "京市A股", "沪深ETF", "沪深转债")
NO_SECTORS = "终端没有板块数据 (the terminal has no lists of sectors)"


def codes_listed(ask, log):
    """`ask(sector)` gives its codes. Each code once, in the order of the sectors."""
    found = {}
    for sector in SECTORS:
        try:
            for code in ask(sector) or ():
                found[str(code)] = True
        except Exception as error:
            log("warning", "no codes of %s: %s: %s" % (sector, type(error).__name__, error))
    return list(found)
