import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { SidecarEvent, Welcome } from './frames.ts'
import { type Launched, SidecarHeld, type SidecarLog } from './launched.ts'
import type { OpenLine } from './line.ts'
import {
  attachSidecar,
  type Place,
  type SidecarClient,
  type SidecarLimits,
  type SidecarOptions,
} from './sidecar-client.ts'
import { socketLine } from './socket-line.ts'

export interface HostLimits extends SidecarLimits {
  readonly frameBytesMax: number
  /** How long to wait for the sidecar of an earlier process to let go of the folder. */
  readonly heldTimeoutMs: number
}

/** A sidecar of our own, or one that somebody started by hand. */
export type Whereabouts =
  | {
      readonly kind: 'spawn'
      /** Starts one that knows the token. Rejects with `SidecarHeld`, or with one line. */
      readonly launch: (token: string, log: SidecarLog) => Promise<Launched>
    }
  | {
      readonly kind: 'attach'
      readonly line: OpenLine
      /** Where one program serves both roles: which of them is asked for. */
      readonly role?: Welcome['role']
      /** Reads the token; throws one line when it cannot. */
      readonly token: () => string
      /** What people should know of the one that was found; it is told to the log. */
      readonly advice?: (welcome: Welcome) => string | undefined
    }

export interface HostOptions {
  readonly whereabouts: Whereabouts
  readonly limits: HostLimits
  readonly log: SidecarLog
}

/** Who listens to a sidecar. */
export interface SidecarListener {
  readonly event?: (event: SidecarEvent) => void
  readonly ticks?: (codes: readonly string[], doubles: Uint8Array) => void
  /** The sidecar is out of reach; the next {@link SidecarHost.open} looks for it, or starts another. */
  readonly closed: (reason: string) => void
}

const HELD_RETRY_MS = 250
const STOPPING = 'sidecar: the service is stopping'

/** The sidecar of one account, or of the market, through all its lives and connections. */
export class SidecarHost {
  readonly #options: HostOptions
  #listener: SidecarListener = { closed: () => undefined }
  #launched: Launched | undefined
  #client: SidecarClient | undefined
  #epoch = 0
  #place: Place | undefined
  #opening: Promise<SidecarClient> | undefined
  #isClosed = false

  constructor(options: HostOptions) {
    this.#options = options
  }

  /** Whoever listens from now on; the one before hears nothing more. */
  listen(listener: SidecarListener): void {
    this.#listener = listener
  }

  /**
   * A live connection for an owner with this epoch: the one that stands, or a new one.
   *
   * Errors  rejects with one line that says what is missing.
   */
  async open(epoch: number): Promise<SidecarClient> {
    // What is being opened speaks for the owner that it was asked for, and so will its orders.
    while (this.#opening !== undefined && this.#epoch !== epoch) {
      await this.#opening.catch(() => undefined)
    }
    if (this.#isClosed) throw new Error(STOPPING)
    if (this.#opening !== undefined) return this.#opening
    if (this.#client !== undefined && this.#epoch === epoch) return this.#client
    this.#client?.close()
    this.#client = undefined
    this.#epoch = epoch
    this.#opening = this.#find()
    try {
      return await this.#opening
    } finally {
      this.#opening = undefined
    }
  }

  /** Ends a sidecar of our own; one that was started by hand lives on. */
  close(): void {
    this.#isClosed = true
    this.#client?.close()
    this.#client = undefined
    void this.#launched?.stop()
    this.#launched = undefined
  }

  async #find(): Promise<SidecarClient> {
    const { whereabouts, log } = this.#options
    if (whereabouts.kind === 'attach') {
      const { line, role, token } = whereabouts
      return this.#attach({ line, token: token(), ...(role && { role }) })
    }
    await this.#launched?.stop() // it holds the folder until then
    const token = randomBytes(32).toString('hex')
    this.#launched = await this.#launchWhenFree(() => whereabouts.launch(token, log))
    if (this.#isClosed) void this.#launched.stop()
    const { port } = this.#launched
    const { frameBytesMax } = this.#options.limits
    return this.#attach({ line: socketLine({ host: '127.0.0.1', port, frameBytesMax }), token })
  }

  #advice(welcome: Welcome): string | undefined {
    const { whereabouts } = this.#options
    return whereabouts.kind === 'attach' ? whereabouts.advice?.(welcome) : undefined
  }

  async #launchWhenFree(launch: () => Promise<Launched>): Promise<Launched> {
    const endMs = performance.now() + this.#options.limits.heldTimeoutMs
    for (;;) {
      try {
        return await launch()
      } catch (error) {
        const isWorthWaiting = error instanceof SidecarHeld && performance.now() < endMs
        if (!isWorthWaiting || this.#isClosed) throw error
        await delay(HELD_RETRY_MS)
      }
    }
  }

  async #attach(to: Pick<SidecarOptions, 'line' | 'token' | 'role'>): Promise<SidecarClient> {
    const { limits, log } = this.#options
    let journal = ''
    let attached: SidecarClient | undefined
    const client = await attachSidecar({
      ...to,
      epoch: this.#epoch,
      ...(this.#place && { after: this.#place }),
      limits,
      onMet: (welcome) => {
        journal = welcome.journal ?? ''
      },
      onEvent: (event) => {
        if ('seq' in event) this.#place = { journal, seq: event.seq }
        this.#listener.event?.(event)
      },
      onTicks: (codes, doubles) => this.#listener.ticks?.(codes, doubles),
      onClose: (reason) => {
        if (attached === undefined || attached !== this.#client) return
        this.#client = undefined
        void this.#launched?.stop()
        this.#listener.closed(reason)
      },
    })
    if (this.#isClosed) {
      client.close() // nobody would, and one that was started by hand would take it for its owner
      throw new Error(STOPPING)
    }
    attached = client
    const { pid, python, xtquant } = client.welcome
    log.info({ pid, python, xtquant: xtquant.version, path: xtquant.path }, 'sidecar connected')
    const advice = this.#advice(client.welcome)
    if (advice !== undefined) log.warn({ pid }, advice)
    this.#client = client
    return client
  }
}
