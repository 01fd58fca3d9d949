import { connect, createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { inBoth } from '../../src/domain/in-both.ts'
import type { Door } from './door.ts'
import {
  type HttpRequest,
  type HttpResponse,
  loadSocketLibrary,
  type TemplatedApp,
  type us_listen_socket,
} from './socket-library.ts'

/** Refuses to share the port with another process; by default both would listen and share callers. */
const LIBUS_LISTEN_EXCLUSIVE_PORT = 1

/**
 * For TLS 1.2: fresh keys for each connection, so that whoever gets hold of the certificate's key later
 * reads nothing that was recorded before. TLS 1.3 knows no others.
 */
const SUITES = [
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':')

/** A host and port that cannot be listened on. `message` says why and how to mend it. */
export class ListenError extends Error {
  override readonly name = 'ListenError'
  readonly host: string
  readonly port: number
  /** Of the operating system: `EADDRINUSE`, `EACCES`, `EADDRNOTAVAIL` … */
  readonly reason: string

  constructor(host: string, port: number, reason: string, platform = process.platform) {
    const { zh, en } = inBoth(listenMend(reason, platform) ?? reason)
    super(`无法监听 ${host}:${port}：${zh} (cannot listen on ${host}:${port}: ${en})`)
    this.host = host
    this.port = port
    this.reason = reason
  }
}

const MEND: ReadonlyMap<string, string> = new Map([
  [
    'EADDRINUSE',
    '端口已被占用，请结束占用它的程序，或换一个端口 (the port is in use; stop the other program or choose another port)',
  ],
  ['EACCES', '没有权限，请用 1023 以上的端口 (not permitted; choose a port above 1023)'],
  [
    'EADDRNOTAVAIL',
    '本机没有这个地址，请换一个 host (this computer has no such address; choose another host)',
  ],
  ['ENOTFOUND', '找不到这个主机名，请换一个 host (unknown host; choose another host)'],
])

/** Of Hyper-V, WSL and Docker, of any height; another range after each start of the computer. */
const RESERVED =
  'Windows 保留了这个端口，请换一个；保留的范围见 netsh int ipv4 show excludedportrange protocol=tcp (Windows keeps this port for itself: choose one outside of the ranges that this command lists)'

/** What to do about a port that cannot be listened on; undefined: not known. */
export const listenMend = (reason: string, platform: NodeJS.Platform): string | undefined =>
  platform === 'win32' && reason === 'EACCES' ? RESERVED : MEND.get(reason)

export interface Listener {
  readonly port: number
  /** No new connections; open ones go on. */
  stopAccepting(): void
  /** Ends every connection that is still open. */
  closeAll(): void
}

/** One of the socket library. */
export interface RenewableListener extends Listener {
  /**
   * New connections are answered with this certificate, those that are open go on with theirs; none is lost between them.
   *
   * Errors  the library cannot use the files: then nothing has changed.
   */
  renew(tls: TlsFiles): void
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
  /** How long to wait for a port that nobody listens on and that is not free yet, and how often to try. */
  readonly waitMs: number
  readonly retryMs: number
  /** Before the first wait. */
  readonly waiting: () => void
  /** Must not throw and must register `onAborted` before it returns. */
  readonly serve: (response: HttpResponse, request: HttpRequest) => void
  readonly door: Pick<Door, 'passed' | 'during'>
}

/** With what the declared types of the library lack. */
interface SharedApp {
  filter: TemplatedApp['filter']
  any: TemplatedApp['any']
  close: TemplatedApp['close']
  listen(
    host: string,
    port: number,
    options: number,
    listening: (socket: us_listen_socket | false) => void,
  ): unknown
  getDescriptor(): unknown
  /** Made for the threads of one port, and for systems on which these cannot share it: what is accepted goes to it, by turns. */
  addChildAppDescriptor(descriptor: unknown): unknown
  removeChildAppDescriptor(descriptor: unknown): unknown
}

/**
 * Opens a port with the socket library. Main thread only: a worker that ends while it holds an open
 * server takes the whole process with it.
 *
 * A process that ends while a browser is connected leaves its port occupied for up to a minute (the
 * library does not ask for its reuse), so a port that nobody listens on is waited for.
 *
 * Errors  rejects with {@link ListenError}, or with `NativeModuleError` where the library cannot be loaded.
 */
export async function listen(options: ListenOptions): Promise<RenewableListener> {
  const { host, port, waitMs, retryMs, waiting } = options
  const endMs = performance.now() + waitMs
  for (let isFirst = true; ; isFirst = false) {
    const listener = await tryListen(options)
    if (listener !== undefined) return listener
    const reason = await whyNot(host, port)
    const isTaken = reason === 'EADDRINUSE' && performance.now() < endMs
    if (!isTaken || (await isServed(host, port))) throw new ListenError(host, port, reason)
    if (isFirst) waiting()
    await delay(retryMs)
  }
}

async function tryListen({
  host,
  port,
  tls,
  serve,
  door,
}: ListenOptions): Promise<RenewableListener | undefined> {
  const library = await loadSocketLibrary()
  const serving = (files: TlsFiles | undefined): SharedApp => {
    const app = (files === undefined
      ? library.App()
      : library.SSLApp({
          cert_file_name: files.certFile,
          key_file_name: files.keyFile,
          ssl_ciphers: SUITES,
        })) as unknown as SharedApp
    app.filter((connection, change) => door.passed(connection, change))
    app.any('/*', (response, request) => door.during(response, () => serve(response, request)))
    return app
  }
  const app = serving(tls)
  const socket = await new Promise<us_listen_socket | false>((resolve) => {
    app.listen(host, port, LIBUS_LISTEN_EXCLUSIVE_PORT, resolve)
  })
  if (socket === false) {
    app.close()
    return undefined
  }
  let isListening = true
  const stopAccepting = (): void => {
    if (isListening) library.us_listen_socket_close(socket)
    isListening = false
  }
  // A port cannot be listened on twice: the first goes on listening, and hands what it accepts to the last.
  const renewed: SharedApp[] = []
  return {
    port: library.us_socket_local_port(
      socket as Parameters<typeof library.us_socket_local_port>[0],
    ),
    stopAccepting,
    renew: (files) => {
      if (!isListening) return
      const next = serving(files)
      const former = renewed.at(-1)
      app.addChildAppDescriptor(next.getDescriptor())
      if (former !== undefined) app.removeChildAppDescriptor(former.getDescriptor())
      renewed.push(next)
    },
    closeAll: () => {
      stopAccepting()
      for (const each of [app, ...renewed]) each.close()
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

/** Whether somebody answers there: then waiting would be in vain. */
function isServed(host: string, port: number): Promise<boolean> {
  const here = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return new Promise((resolve) => {
    const probe = connect({ host: here, port })
    const say = (answer: boolean) => () => {
      probe.destroy()
      resolve(answer)
    }
    probe.once('connect', say(true)).once('error', say(false))
  })
}
