"""What a call is answered instead of a result."""


class CallError(Exception):
    def __init__(self, code, text):
        Exception.__init__(self, text)
        self.code = code
        self.text = text
