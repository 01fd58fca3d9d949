import { once } from 'node:events'
import { chmodSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import type { CallHeader, OpenLine } from '../ports/transport.port.ts'
import { PROTOCOL_VERSION } from '../protocol/envelope.ts'
import { type Hello, type HelloReply, hello, welcome } from './handshake.ts'
import type { ClusterLimits } from './limits.ts'
import { isSocketFolderGone, leaveSocketFolder, makeSocketFolder } from './socket-path.ts'
import { SocketWire } from './socket-wire.ts'

export interface OwnerServerDeps {
  readonly accountId: string
  /** The epoch that is being claimed. */
  readonly epoch: number
  readonly limits: ClusterLimits
  readonly openLine: OpenLine
  readonly serve: (body: unknown, call: CallHeader) => Promise<unknown>
  /** A follower is gone, and what it was to bring to others with it. */
  readonly left?: () => void
  /** A follower knows of a higher epoch: ours is over. */
  readonly fenced: () => void
}

/** Whoever listened last in a folder for sockets takes it away; so often in a row nobody does. */
const ATTEMPTS_MAX = 20

/** Errors  of the system. */
async function listenAt(path: string, { connectionsMax }: ClusterLimits): Promise<Server> {
  for (let attempt = 1; ; attempt++) {
    const server = createServer()
    server.maxConnections = connectionsMax
    makeSocketFolder(path)
    server.listen(path)
    try {
      await once(server, 'listening')
      return server
    } catch (error) {
      if (attempt >= ATTEMPTS_MAX || !isSocketFolderGone(path, error)) throw error
    }
  }
}

/**
 * Where an owner listens. It is opened before the claim, so that whoever reads the claim finds it
 * listening; greetings wait until `admit` says how the claim ended.
 */
export class OwnerServer {
  readonly #deps: OwnerServerDeps
  readonly #path: string
  readonly #server: Server
  readonly #wires = new Set<SocketWire>()
  readonly #claimed = Promise.withResolvers<boolean>()

  /** Errors  of the system: the path cannot be listened on. */
  static async listen(path: string, deps: OwnerServerDeps): Promise<OwnerServer> {
    const server = await listenAt(path, deps.limits)
    server.on('error', () => undefined) // a connection that could not be taken: whoever wants it tries again
    if (process.platform !== 'win32') chmodSync(path, 0o600)
    return new OwnerServer(path, server, deps)
  }

  private constructor(path: string, server: Server, deps: OwnerServerDeps) {
    this.#path = path
    this.#server = server
    this.#deps = deps
    server.on('connection', (socket) => void this.#greet(socket))
  }

  /** The claim succeeded: followers are served from now on. */
  admit(): void {
    this.#claimed.resolve(true)
  }

  /** Ends every connection. The socket file goes too, and a folder that was made for such files alone with the last. */
  async close(): Promise<void> {
    this.#claimed.resolve(false)
    const closed = once(this.#server, 'close')
    this.#server.close()
    for (const wire of this.#wires) wire.close()
    await closed
    leaveSocketFolder(this.#path)
  }

  async #greet(socket: Socket): Promise<void> {
    const { limits, openLine, serve } = this.#deps
    const wire = new SocketWire(socket, { ...limits, echo: true })
    this.#wires.add(wire)
    wire.onClose(() => this.#wires.delete(wire))
    const follower = await welcome(wire, (follower) => this.#replyTo(follower), limits)
    if (follower === undefined) return
    wire.onClose(() => this.#deps.left?.())
    openLine(wire, { peer: `process ${follower.pid}`, answer: serve })
  }

  async #replyTo(follower: Hello): Promise<HelloReply> {
    const { accountId, epoch, fenced } = this.#deps
    const refuse = (reason: 'PROTOCOL' | 'ACCOUNT' | 'EPOCH', text: string): HelloReply => ({
      accepted: false,
      reason,
      text,
    })
    if (follower.protocol !== PROTOCOL_VERSION) {
      const versions = `protocol ${PROTOCOL_VERSION}, the caller ${follower.protocol}`
      return refuse('PROTOCOL', `process ${process.pid} speaks ${versions}`)
    }
    if (follower.accountId !== accountId) {
      return refuse('ACCOUNT', `process ${process.pid} runs another account here`)
    }
    const isOwner = await this.#claimed.promise
    if (isOwner && follower.epoch > epoch) fenced()
    if (!isOwner || follower.epoch !== epoch) return refuse('EPOCH', `this is epoch ${epoch}`)
    return { accepted: true, hello: hello(accountId, epoch) }
  }
}
