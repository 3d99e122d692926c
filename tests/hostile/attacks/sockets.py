"""Opens sockets of every family and type, asks for names, passes descriptors."""

# expect: pass
import asyncio, os, socket, struct, urllib.request

for family in range(46):
    for kind in (1, 2, 3, 5, 1 | 0o4000):
        attempt(socket.socket, family, kind)
attempt(socket.socketpair)
attempt(socket.getaddrinfo, "localhost", 80)
attempt(socket.getaddrinfo, "example.com", 80)
attempt(socket.gethostbyname, "example.com")
attempt(socket.create_connection, ("127.0.0.1", 22), 1)
attempt(socket.create_server, ("127.0.0.1", 0))
attempt(urllib.request.urlopen, "http://127.0.0.1:1", None, 1)
attempt(asyncio.new_event_loop)
for number in (1, 3, 4):
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, struct.pack("i", 1))]
    attempt(lambda: socket.socket(1, 1, 0, fileno=os.dup(number)).sendmsg([b"x"], rights))
    attempt(lambda: socket.socket(1, 1, 0, fileno=os.dup(number)).connect("\0abstract"))
