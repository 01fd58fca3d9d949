import { addressGroup, plainAddress } from '../access/address.ts'
import type { ConnectionCounts, Turned } from '../port/request-stats.ts'
import type { Connections, PeerKind, Waiting } from './connections.ts'

/** What a door needs of a connection of the socket library. */
export interface RawConnection {
  getRemoteAddressAsText(): ArrayBuffer
  getWriteOffset(): number
  onAborted(aborted: () => void): unknown
  onData(receive: () => void): unknown
  close(): unknown
}

export interface DoorOptions {
  readonly connections: Connections
  /** Direct mode may use what the gateway leaves. */
  readonly mayUseReserved: boolean
  readonly kindOf: (address: string) => PeerKind
  readonly counts: ConnectionCounts
}

/**
 * Decides about each connection of one listener before any of it is read: how many an address may have
 * that ask nothing, and how many there may be in all. This computer always gets in: where it has too many
 * connections that ask nothing, the oldest of them ends.
 *
 * The library says that a connection ends but not which one, nor of whom. So those that have not asked
 * anything are held here, each with its own sign of its end; with its first request a connection is let go,
 * and from then on it only counts. Two of these signs are lost when a request begins, because it sets its own:
 * {@link settle} finds out whose they were, among those of one address.
 */
export class Door {
  readonly #options: DoorOptions
  readonly #waiting = new Set<WaitingConnection>()
  readonly #byAddress = new Map<string, Set<WaitingConnection>>()
  #ends = 0

  constructor(options: DoorOptions) {
    this.#options = options
  }

  /** From the library, for each connection that comes and goes. */
  passed(raw: RawConnection, change: number): void {
    const { connections, counts } = this.#options
    connections.open += change
    counts.open += change
    if (change < 0) this.#ends += 1
    else this.#came(raw)
  }

  /** Around the library's own callback for a request, which may end the connection. */
  during(raw: Pick<RawConnection, 'getRemoteAddressAsText'>, serve: () => void): void {
    if (this.#waiting.size === 0) {
      serve()
      return
    }
    const address = addressOf(raw)
    const before = this.#ends
    serve()
    if (this.#ends !== before) this.settle(address, 'gone')
  }

  /**
   * To be called when a request is answered or gone, while the library still is at it: if it was the
   * first of a connection of this address, that one has nothing more to tell.
   */
  settle(address: string, how: 'answered' | 'gone'): void {
    if (this.#waiting.size === 0) return
    const own = this.#byAddress.get(this.#groupOf(plainAddress(address)))
    if (own === undefined) return
    for (const waiting of own) {
      if (how === 'answered' ? !waiting.isAnswered : !waiting.isGone) continue
      this.#letGo(waiting)
      return
    }
  }

  #came(raw: RawConnection): void {
    const { kindOf, counts } = this.#options
    const address = addressOf(raw)
    const kind = kindOf(address)
    const group = this.#groupOf(address)
    const turned = kind === 'local' ? this.#makeRoom(group) : this.#noRoom(group, kind)
    if (turned !== undefined) {
      counts.turned[turned] += 1
      raw.close()
      return
    }
    const waiting = new WaitingConnection(raw, group, (gone) => this.#letGo(gone))
    this.#hold(waiting)
    raw.onAborted(() => this.#letGo(waiting))
    raw.onData(() => this.#letGo(waiting))
  }

  /** All of this computer are one. */
  #groupOf(address: string): string {
    return this.#options.kindOf(address) === 'local' ? 'local' : addressGroup(address)
  }

  #noRoom(group: string, kind: PeerKind): Turned | undefined {
    const { connectionsPerAddressMax, connectionsPerProxyMax } = this.#options.connections.limits
    const max = kind === 'proxy' ? connectionsPerProxyMax : connectionsPerAddressMax
    if ((this.#byAddress.get(group)?.size ?? 0) >= max) return 'address'
    return this.#isFull() ? 'total' : undefined
  }

  /** For this computer: by the end of the oldest that asks nothing. */
  #makeRoom(group: string): Turned | undefined {
    const { connections, counts } = this.#options
    const own = this.#byAddress.get(group)
    if (own !== undefined && own.size >= connections.limits.connectionsLocalMax) {
      counts.pushedOut += 1
      for (const oldest of own) {
        oldest.close()
        break
      }
    }
    if (!this.#isFull()) return undefined
    if (!connections.closeOldest()) return 'total'
    counts.pushedOut += 1
    return undefined
  }

  /** The new one is counted already. */
  #isFull(): boolean {
    const { connections, mayUseReserved } = this.#options
    return connections.open > connections.max - (mayUseReserved ? 0 : connections.reserved)
  }

  #hold(waiting: WaitingConnection): void {
    const { connections, counts } = this.#options
    this.#waiting.add(waiting)
    const own = this.#byAddress.get(waiting.group) ?? new Set()
    this.#byAddress.set(waiting.group, own.add(waiting))
    connections.waits(waiting)
    counts.waiting += 1
  }

  #letGo(waiting: WaitingConnection): void {
    if (!this.#waiting.delete(waiting)) return
    const { connections, counts } = this.#options
    const own = this.#byAddress.get(waiting.group)
    own?.delete(waiting)
    if (own?.size === 0) this.#byAddress.delete(waiting.group)
    connections.waitsNoMore(waiting)
    counts.waiting -= 1
  }
}

const addressOf = (raw: Pick<RawConnection, 'getRemoteAddressAsText'>): string =>
  plainAddress(Buffer.from(raw.getRemoteAddressAsText()).toString('latin1'))

class WaitingConnection implements Waiting {
  readonly group: string
  readonly #raw: RawConnection
  readonly #letGo: (waiting: WaitingConnection) => void

  constructor(raw: RawConnection, group: string, letGo: (waiting: WaitingConnection) => void) {
    this.#raw = raw
    this.group = group
    this.#letGo = letGo
  }

  /** Something was written. To be asked while the library is still at it, as the next. */
  get isAnswered(): boolean {
    return this.#raw.getWriteOffset() > 0
  }

  /** It has no peer any more. */
  get isGone(): boolean {
    return this.#raw.getRemoteAddressAsText().byteLength === 0
  }

  /** Let go of first: the library takes its object back with this call. */
  close(): void {
    this.#letGo(this)
    this.#raw.close()
  }
}
