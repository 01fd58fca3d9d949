import type { FrontLimits } from '../desk/context.ts'

export type ConnectionLimits = Pick<
  FrontLimits,
  | 'connectionsMax'
  | 'connectionsReserved'
  | 'connectionsPerAddressMax'
  | 'connectionsPerProxyMax'
  | 'connectionsLocalMax'
  | 'descriptorsReserved'
>

/** Whose connection it is: of this computer, of a proxy of ours, of anybody else. */
export type PeerKind = 'local' | 'proxy' | 'other'

/** A connection that has not asked anything yet. */
export interface Waiting {
  /** Ends it; its door is told by the library. */
  close(): void
}

const LEAST = 64

/**
 * All connections of the process, and those among them that have not asked anything. The system gives
 * a process so many descriptors for everything: connections never get the last of them.
 */
export class Connections {
  readonly limits: ConnectionLimits
  readonly #descriptors: number
  readonly #wanted: () => number
  readonly #waiting = new Set<Waiting>()
  open = 0

  /**
   * `descriptors` is what the system gives the process; undefined = not known, or without end. `wanted`: what all but
   * connections takes of them by now, which may be more than is reserved. It is asked for each connection.
   */
  constructor(
    limits: ConnectionLimits,
    descriptors: number | undefined,
    wanted: () => number = () => 0,
  ) {
    this.limits = limits
    this.#descriptors = descriptors ?? Number.POSITIVE_INFINITY
    this.#wanted = wanted
  }

  /** Of the process. */
  get max(): number {
    const { connectionsMax, descriptorsReserved } = this.limits
    const left = this.#descriptors - Math.max(descriptorsReserved, this.#wanted())
    return Math.max(LEAST, Math.min(connectionsMax, left))
  }

  /** Kept free for direct mode. */
  get reserved(): number {
    return Math.min(this.limits.connectionsReserved, Math.floor(this.max / 4))
  }

  waits(waiting: Waiting): void {
    this.#waiting.add(waiting)
  }

  waitsNoMore(waiting: Waiting): void {
    this.#waiting.delete(waiting)
  }

  /** Ends the one that has waited longest; false when none waits. */
  closeOldest(): boolean {
    for (const oldest of this.#waiting) {
      oldest.close()
      return true
    }
    return false
  }
}
