"""The whole service inside a Python process, by ctypes, without a server and without struct definitions.

    ./build.sh shared && python3 examples/python/svcapi.py        runs the tests at the end of this file

    with svcapi.Service(path="data") as s:
        status, body = s.call("GET", "/api/svc/v2/orgs", caller=svcapi.OWNER)
"""
import ctypes
import json
import os
import unittest
from ctypes import POINTER, byref, c_char_p, c_int, c_int64, c_size_t, c_void_p

lib = ctypes.CDLL(os.environ.get("SVCAPI", "build/libsvcapi.so.1"))
for name, result, *arguments in (
        ("svc_open_json", c_int, POINTER(c_void_p), c_char_p, c_char_p, c_size_t), ("svc_close", None, c_void_p),
        ("svc_call_text", c_int, c_void_p, c_char_p, c_char_p, c_char_p, c_char_p, c_size_t, c_char_p, POINTER(c_void_p)),
        ("svc_bootstrap_json", c_int, c_void_p, POINTER(c_void_p)), ("svc_clock_advance", c_int, c_void_p, c_int64),
        ("svc_result_status", c_int, c_void_p), ("svc_result_body", c_void_p, c_void_p, POINTER(c_size_t)),
        ("svc_result_free", None, c_void_p), ("svc_strerror", c_char_p, c_int)):
    getattr(lib, name).restype, getattr(lib, name).argtypes = result, arguments

OWNER = {"user_id": "0" * 24, "username": "host", "grants": [{"role": "ORG_OWNER"}]}  # a caller that the host has authenticated


def text(value):  # refuses a NUL, which ends a C string, and line breaks, which end a header
    if any(c in value for c in "\0\r\n"):
        raise ValueError("a line break or a NUL in %r" % value)
    return value.encode()


class Service:
    def __init__(self, **config):  # members of svc_config
        self.handle, why = c_void_p(), ctypes.create_string_buffer(512)
        if lib.svc_open_json(byref(self.handle), json.dumps(config).encode(), why, len(why)):
            raise ValueError(why.value.decode())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.handle = lib.svc_close(self.handle)

    def _answer(self, function, *arguments):
        out, length = c_void_p(), c_size_t()
        code = function(self.handle, *arguments, byref(out))
        if code:
            raise RuntimeError(lib.svc_strerror(code).decode())
        try:
            body = ctypes.string_at(lib.svc_result_body(out, byref(length)), length.value)
            return lib.svc_result_status(out), json.loads(body) if body[:1] in (b"{", b"[") else body
        finally:
            lib.svc_result_free(out)

    def call(self, method, target, body=None, headers=(), **origin):  # origin: peer, tls, caller
        data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        lines = {**({"Content-Type": "application/json"} if data else {}), **dict(headers)}
        lines = b"".join(text(name) + b": " + text(value) + b"\n" for name, value in lines.items())
        return self._answer(lib.svc_call_text, text(method), text(target), lines, data, len(data), json.dumps(origin).encode())

    def bootstrap(self):
        return self._answer(lib.svc_bootstrap_json)[1]


class Tests(unittest.TestCase):
    def test_all(self):
        with Service(manual_clock=1893456000000, seed=1, limits=[{"endpoint_set_id": "clusters_group", "capacity": 9}]) as s:
            first = s.bootstrap()
            group = "/api/svc/v2/groups/" + first["groupId"]
            self.assertEqual(s.call("GET", group, caller=OWNER)[1]["orgId"], first["orgId"])
            self.assertEqual(s.call("GET", group)[0], 401)  # no caller
            self.assertEqual(s.call("PATCH", group, {"name": "ü"}, caller=OWNER)[1]["name"], "ü")
            self.assertEqual(lib.svc_clock_advance(s.handle, 60000), 0)
            self.assertRaises(ValueError, s.call, "GET", group, headers={"X": "a\nAuthorization: b"})
        self.assertRaisesRegex(ValueError, "vendr is not a member", Service, vendr="acme")


if __name__ == "__main__":
    unittest.main()
