import {
  App,
  type HttpRequest,
  type HttpResponse,
  SSLApp,
  type us_listen_socket,
  us_listen_socket_close,
  us_socket_local_port,
} from 'uWebSockets.js'
import { createServer } from 'node:net'

/** Refuses to share the port with another process; by default both would listen and share callers. */
const LIBUS_LISTEN_EXCLUSIVE_PORT = 1

/** A host and port that cannot be listened on. `message` says why and how to mend it. */
export class ListenError extends Error {
  override readonly name = 'ListenError'
  readonly host: string
  readonly port: number
  /** Of the operating system: `EADDRINUSE`, `EACCES`, `EADDRNOTAVAIL` … */
  readonly reason: string

  constructor(host: string, port: number, reason: string) {
    super(`cannot listen on ${host}:${port}: ${MEND.get(reason) ?? reason}`)
    this.host = host
    this.port = port
    this.reason = reason
  }
}

const MEND: ReadonlyMap<string, string> = new Map([
  ['EADDRINUSE', 'the port is in use; stop the other program or choose another port'],
  ['EACCES', 'not permitted; choose a port above 1023'],
  ['EADDRNOTAVAIL', 'this computer has no such address; choose another host'],
  ['ENOTFOUND', 'unknown host; choose another host'],
])

export interface Listener {
  readonly port: number
  /** No new connections; open ones go on. */
  stopAccepting(): void
  /** Ends every connection that is still open. */
  closeAll(): void
}

/** Paths of PEM files. */
export interface TlsFiles {
  readonly certFile: string
  readonly keyFile: string
}

interface ListenOptions {
  readonly host: string
  /** 0 = any free port. */
  readonly port: number
  readonly tls: TlsFiles | undefined
  /** Must not throw and must register `onAborted` before it returns. */
  readonly serve: (response: HttpResponse, request: HttpRequest) => void
}

type ExclusiveListen = (
  host: string,
  port: number,
  options: number,
  listening: (socket: us_listen_socket | false) => void,
) => unknown

/**
 * The only door to the socket library. Main thread only: a worker that ends while it holds an open
 * server takes the whole process with it.
 *
 * Errors  rejects with {@link ListenError}.
 */
export async function listen({ host, port, tls, serve }: ListenOptions): Promise<Listener> {
  const app =
    tls === undefined ? App() : SSLApp({ cert_file_name: tls.certFile, key_file_name: tls.keyFile })
  app.any('/*', serve)
  const socket = await new Promise<us_listen_socket | false>((resolve) => {
    // The declared types lack the variant with host and options.
    const { listen: exclusive } = app as unknown as { listen: ExclusiveListen }
    exclusive.call(app, host, port, LIBUS_LISTEN_EXCLUSIVE_PORT, resolve)
  })
  if (socket === false) {
    app.close()
    throw new ListenError(host, port, await whyNot(host, port))
  }
  let isListening = true
  const stopAccepting = (): void => {
    if (isListening) us_listen_socket_close(socket)
    isListening = false
  }
  return {
    port: us_socket_local_port(socket as Parameters<typeof us_socket_local_port>[0]),
    stopAccepting,
    closeAll: () => {
      stopAccepting()
      app.close()
    },
  }
}

/** The library only says that it failed; the operating system is asked again for the reason. */
function whyNot(host: string, port: number): Promise<string> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'UNKNOWN'))
    probe.listen({ host, port, exclusive: true }, () => {
      probe.close(() => resolve('EADDRINUSE')) // taken a moment ago, free by now
    })
  })
}
