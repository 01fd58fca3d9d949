import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { nodeHttp } from '../../src/runtime/node-http.ts'
import type { FrontLimits } from '../desk/context.ts'
import type { RawRequest } from '../message/request.ts'
import type { Door, RawConnection } from './door.ts'
import type { RawResponse } from './exchange.ts'
import { addressBytes, NodeResponse } from './node-response.ts'
import { ListenError, type Listener } from './server.ts'

type ProxyPortLimits = Pick<
  FrontLimits,
  | 'proxyConnectionsMax'
  | 'proxyHeadBytesMax'
  | 'proxyHeadTimeoutMs'
  | 'proxyIdleMs'
  | 'refusalLingerMs'
>

interface ProxyPortOptions {
  readonly host: string
  /** 0 = any free port. */
  readonly port: number
  readonly limits: ProxyPortLimits
  /** Whether an address may connect at all; the others are closed unread. */
  readonly mayConnect: (address: string) => boolean
  readonly door: Pick<Door, 'passed'>
  readonly serve: (response: RawResponse, request: RawRequest) => void
  /** The body of the answer to bytes that are no request. */
  readonly unreadable: () => string
}

/**
 * A second port of a front, for proxies that speak HTTP/1.0 as many do by default: the socket library
 * refuses that version before any of our code is asked (docs/decisions/0020). Here Node reads the requests;
 * they are then served by the same dispatcher, which is told by which port they came. Takes 1.1 as well.
 *
 * Errors  rejects with {@link ListenError}.
 */
export async function listenForProxies(options: ProxyPortOptions): Promise<Listener> {
  const { host, port, limits, unreadable } = options
  const server = serverOf(options)
  server.on('clientError', (_error, socket) => sayUnreadable(socket, unreadable()))
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(new ListenError(host, port, error.code ?? 'UNKNOWN')),
    )
    server.listen({ host, port, exclusive: true }, resolve)
  })
  server.on('error', () => {}) // one connection that could not be had; the next one is tried
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    stopAccepting: () => {
      server.close()
    },
    closeAll: () => {
      server.close()
      // Not at once: the last bytes of a stream may still be on their way out.
      setTimeout(() => server.closeAllConnections(), limits.refusalLingerMs).unref()
    },
  }
}

function serverOf({ limits, serve, mayConnect, door }: ProxyPortOptions): Server {
  const connections = new WeakMap<Socket, NodeConnection>()
  const settings = {
    maxHeaderSize: limits.proxyHeadBytesMax,
    headersTimeout: limits.proxyHeadTimeoutMs,
    requestTimeout: 0, // bodies have a deadline of their own
    connectionsCheckingInterval: Math.ceil(limits.proxyHeadTimeoutMs / 4),
    keepAliveTimeout: limits.proxyIdleMs,
    keepAlive: true,
    noDelay: true,
  }
  const server = nodeHttp().createServer(settings, (request, response) => {
    connections.get(request.socket)?.asks()
    serve(new NodeResponse(request, response), rawRequestOf(request))
  })
  server.maxConnections = limits.proxyConnectionsMax
  server.on('connection', (socket) => {
    const { remoteAddress = '' } = socket
    if (!mayConnect(remoteAddress)) {
      socket.destroy()
      return
    }
    const connection = new NodeConnection(socket, remoteAddress)
    connections.set(socket, connection)
    door.passed(connection, 1)
    socket.once('close', () => {
      connection.leaves()
      door.passed(connection, -1)
    })
  })
  return server
}

/** What a door sees of a connection. */
class NodeConnection implements RawConnection {
  readonly #socket: Socket
  readonly #address: string
  #gone: () => void = () => {}
  #asked: () => void = () => {}

  constructor(socket: Socket, address: string) {
    this.#socket = socket
    this.#address = address
  }
  getRemoteAddressAsText(): ArrayBuffer {
    return addressBytes(this.#address)
  }
  /** Its first request and its end are told: nobody has to find them out by this. */
  getWriteOffset(): number {
    return 0
  }
  onAborted(gone: () => void): void {
    this.#gone = gone
  }
  onData(asked: () => void): void {
    this.#asked = asked
  }
  asks(): void {
    this.#asked()
  }
  leaves(): void {
    this.#gone()
  }
  close(): void {
    this.#socket.destroy()
  }
}

function sayUnreadable(socket: Duplex, body: string): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const head = [
    'HTTP/1.1 400 Bad Request',
    'Content-Type: application/json; charset=utf-8',
    'Cache-Control: no-store',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

function rawRequestOf({ url = '', method = '', rawHeaders }: IncomingMessage): RawRequest {
  const mark = url.indexOf('?')
  return {
    getUrl: () => (mark < 0 ? url : url.slice(0, mark)),
    getQuery: () => (mark < 0 ? undefined : url.slice(mark + 1)),
    getCaseSensitiveMethod: () => method,
    forEach: (each) => {
      for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
        each((rawHeaders[i] as string).toLowerCase(), rawHeaders[i + 1] as string)
      }
    },
  }
}
