"""What the full terminal can load: python check_grammar.py <script> <parts...>. Prints what is wrong."""

import ast
import sys

# What the terminal puts beside the script; a name of ours must not cover one.
TERMINAL = {
    "account", "accountType", "passorder", "cancel", "get_trade_detail_data", "download_history_data",
    "down_history_data", "algo_passorder", "get_last_order_id", "get_value_by_order_id", "cancel_task",
    "order_shares", "get_ipo_data", "get_history_trade_detail_data", "timetag_to_datetime", "call_vba",
}
CALLED = {
    "init", "handlebar", "stop", "order_callback", "deal_callback", "position_callback",
    "account_callback", "orderError_callback", "steward_tick",
}
# Of the standard library, and all of it there in 3.6. `msvcrt` and `fcntl` are looked for where they are.
MODULES = {
    "base64", "builtins", "calendar", "collections", "datetime", "errno", "fcntl", "hashlib", "hmac", "io", "json",
    "msvcrt", "os", "platform", "re", "socket", "struct", "sys", "threading", "time", "uuid",
}
# One thread for everybody: nothing that waits, and no thread beside it.
WAITING = {"sleep", "sendall", "create_connection", "Thread", "Timer", "Popen", "makefile", "settimeout"}
YOUNGER = {
    "removeprefix", "removesuffix", "time_ns", "monotonic_ns", "get_running_loop", "cached_property", "fromisoformat",
    "prod", "dataclass", "get_native_id", "nullcontext", "zoneinfo", "perf_counter_ns", "capture_output",
}


def names_of(tree):
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                for part in target.elts if isinstance(target, ast.Tuple) else [target]:
                    if isinstance(part, ast.Name):
                        yield part.id


def imports_of(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name
        elif isinstance(node, ast.ImportFrom):
            yield node.module


def calls_in(tree):
    return any(isinstance(node, ast.Call) for node in ast.walk(tree))


def wrong_in(path):
    with open(path, "rb") as file:
        data = file.read()
    if data.splitlines()[:1] != [b"#coding:gbk"]:
        yield "the first line is not #coding:gbk"
    text = data.decode("gbk")
    tree = ast.parse(text, feature_version=(3, 6))
    try:
        import parso
    except ImportError:
        parso = None
    if parso is not None:
        grammar = parso.load_grammar(version="3.6")
        for issue in grammar.iter_errors(grammar.parse(text)):
            yield "line %d: %s" % (issue.start_pos[0], issue.message)
    seen = set()
    for name in names_of(tree):
        if name in seen:
            yield "two parts say %s" % name
        if name in TERMINAL:
            yield "%s is the terminal's" % name
        seen.add(name)
    for name in sorted(CALLED - seen):
        yield "nothing is called %s" % name
    for name in sorted(set(imports_of(tree)) - MODULES):
        yield "imports %s" % name
    for node in ast.walk(tree):
        if isinstance(node, ast.DictComp) and calls_in(node.key) and calls_in(node.value):
            yield "line %d: before 3.8 the value is called before the key" % node.lineno
        if isinstance(node, ast.Attribute) and node.attr in WAITING | YOUNGER:
            yield "line %d: %s" % (node.lineno, node.attr)
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Attribute) and getattr(target.value, "id", "") in ("ContextInfo", "context"):
                    yield "line %d keeps something on ContextInfo" % node.lineno


def wrong_in_part(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    text.encode("gbk")
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("from ") and line.rstrip().endswith(("(", "\\")):
            yield "%s:%d: an import of more than one line" % (path, number)


if __name__ == "__main__":
    found = list(wrong_in(sys.argv[1]))
    for part in sys.argv[2:]:
        found.extend(wrong_in_part(part))
    print("\n".join(found))
