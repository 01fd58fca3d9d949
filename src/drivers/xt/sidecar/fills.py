"""Fills that the counter gave no number, as brokers exist that give none: called after what was filled, and when."""

from names import ROW


def fill_name(row, order):
    """The same from list to list, so `order` must be a name that its order keeps."""
    return "%s%s:%s:%s:%s" % (ROW, order, row["time"], row["quantity"], row["price"])


def is_named(row):
    return row["deal_id"].startswith(ROW)


def told_apart(found):
    """Two fills of a list that are alike are two: the second has a name of its own.

    A push can be the second of them or the first once more, so behind one the list must be asked.
    """
    counts = {}
    for row in found:
        if is_named(row):
            name = row["deal_id"]
            count = counts[name] = counts.get(name, 0) + 1
            row["deal_id"] = name if count == 1 else "%s#%d" % (name, count)
    return found


def fill_key(row):
    """What is told again with the same is no news. With our id, which may be known later: then it is."""
    return tuple(row.get(name) for name in ("deal_id", "order_id", "client_order_id", "code", "order_type", "time"))
