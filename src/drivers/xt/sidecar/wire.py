"""Minimal msgpack, and the frames that it travels in: a big-endian u32 length, then one map.

Whole numbers beyond 32 bits travel as float64, as on the other side; order numbers are text.
"""

import struct

FRAME_BYTES_MAX = 8 * 1024 * 1024
DEPTH_MAX = 16

_U32 = struct.Struct(">I")
_F64 = struct.Struct(">d")
_INT_MIN, _INT_MAX = -(2**31), 2**32 - 1


class WireError(Exception):
    """Bytes that are not what this protocol sends."""


def pack(value):
    """One value into bytes. Raises WireError for types that have no place here."""
    out = bytearray()
    _pack(value, out, 0)
    return bytes(out)


def frame(message, bytes_max=FRAME_BYTES_MAX):
    """Raises WireError for one that the other side would not take."""
    body = pack(message)
    if len(body) > bytes_max:
        raise too_long(len(body), bytes_max)
    return _U32.pack(len(body)) + body


def too_long(size, bytes_max):
    return WireError("消息过长：%d 字节，上限 %d (a message of %d bytes, at most %d)" % (size, bytes_max, size, bytes_max))


def _pack(value, out, depth):
    if depth > DEPTH_MAX:
        raise WireError("nested too deeply")
    kind = type(value)
    if value is None:
        out.append(0xC0)
    elif kind is bool:
        out.append(0xC3 if value else 0xC2)
    elif kind is int:
        _pack_int(value, out)
    elif kind is float:
        out.append(0xCB)
        out += _F64.pack(value)
    elif kind is str:
        data = value.encode("utf-8", "replace")
        _pack_head(len(data), out, (0xA0, 31), (0xD9, 0xDA, 0xDB))
        out += data
    elif kind in (bytes, bytearray, memoryview):
        _pack_head(len(value), out, None, (0xC4, 0xC5, 0xC6))
        out += value
    elif kind in (list, tuple):
        _pack_head(len(value), out, (0x90, 15), (None, 0xDC, 0xDD))
        for item in value:
            _pack(item, out, depth + 1)
    elif kind is dict:
        _pack_head(len(value), out, (0x80, 15), (None, 0xDE, 0xDF))
        for key, item in value.items():
            _pack(key, out, depth + 1)
            _pack(item, out, depth + 1)
    else:
        raise WireError("cannot send a %s" % kind.__name__)


def _pack_int(value, out):
    if 0 <= value <= 0x7F or -32 <= value < 0:
        out.append(value & 0xFF)
    elif 0 <= value <= _INT_MAX:
        out.append(0xCE)
        out += _U32.pack(value)
    elif _INT_MIN <= value < 0:
        out.append(0xD2)
        out += struct.pack(">i", value)
    else:
        out.append(0xCB)
        out += _F64.pack(float(value))


def _pack_head(size, out, fixed, codes):
    """The smallest head that holds the size: inside one byte, or u8, u16, u32 after a code."""
    if fixed is not None and size <= fixed[1]:
        out.append(fixed[0] | size)
    elif codes[0] is not None and size <= 0xFF:
        out += bytes((codes[0], size))
    elif size <= 0xFFFF:
        out.append(codes[1])
        out += struct.pack(">H", size)
    else:
        out.append(codes[2])
        out += _U32.pack(size)


def unpack(data):
    """The one value in these bytes. Raises WireError when they hold less, more or something else."""
    reader = _Reader(memoryview(data))
    try:
        value = reader.value(0)
    except (IndexError, struct.error, UnicodeDecodeError, TypeError) as error:
        raise WireError("malformed: %s" % error)
    if reader.at != len(data):
        raise WireError("%d bytes are left over" % (len(data) - reader.at))
    return value


_SCALARS = {
    0xCA: ">f", 0xCB: ">d",
    0xCC: ">B", 0xCD: ">H", 0xCE: ">I", 0xCF: ">Q",
    0xD0: ">b", 0xD1: ">h", 0xD2: ">i", 0xD3: ">q",
}
_SIZES = {0: ">B", 1: ">H", 2: ">I"}


class _Reader:
    def __init__(self, view):
        self.view = view
        self.at = 0

    def value(self, depth):
        if depth > DEPTH_MAX:
            raise WireError("nested too deeply")
        code = self.view[self.at]
        self.at += 1
        if code <= 0x7F:
            return code
        if code >= 0xE0:
            return code - 0x100
        if code <= 0x8F:
            return self._map(code & 0x0F, depth)
        if code <= 0x9F:
            return self._list(code & 0x0F, depth)
        if code <= 0xBF:
            return self._text(code & 0x1F)
        if code in _SCALARS:
            return self._number(_SCALARS[code])
        return self._rest(code, depth)

    def _rest(self, code, depth):
        if code == 0xC0:
            return None
        if code in (0xC2, 0xC3):
            return code == 0xC3
        if 0xC4 <= code <= 0xC6:
            return bytes(self._take(self._number(_SIZES[code - 0xC4])))
        if 0xD9 <= code <= 0xDB:
            return self._text(self._number(_SIZES[code - 0xD9]))
        if code in (0xDC, 0xDD):
            return self._list(self._number(_SIZES[code - 0xDB]), depth)
        if code in (0xDE, 0xDF):
            return self._map(self._number(_SIZES[code - 0xDD]), depth)
        raise WireError("type 0x%02x is not used here" % code)

    def _number(self, layout):
        size = struct.calcsize(layout)
        return struct.unpack(layout, self._take(size))[0]

    def _take(self, size):
        end = self.at + size
        if end > len(self.view):
            raise WireError("cut off")
        part = self.view[self.at:end]
        self.at = end
        return part

    def _text(self, size):
        return str(self._take(size), "utf-8")

    def _list(self, size, depth):
        return [self.value(depth + 1) for _ in range(size)]

    def _map(self, size, depth):
        found = {}
        for _ in range(size):
            key = self.value(depth + 1)  # first: before 3.8 a comprehension reads the value of a pair before its key
            found[key] = self.value(depth + 1)
        return found


def receive(sock, bytes_max=FRAME_BYTES_MAX):
    """The next message, or None when the other side has closed. Raises WireError and OSError."""
    head = _exactly(sock, 4)
    if head is None:
        return None
    size = _U32.unpack(head)[0]
    if size > bytes_max:
        raise WireError("a frame of %d bytes is too long" % size)
    body = _exactly(sock, size)
    if body is None:
        return None
    message = unpack(body)
    if not isinstance(message, dict):
        raise WireError("a message is a map")
    return message


def _exactly(sock, size):
    data = bytearray()
    while len(data) < size:
        part = sock.recv(min(65536, size - len(data)))
        if not part:
            return None
        data += part
    return bytes(data)
