import { strict as assert } from 'node:assert'
import { STOCK_CODE } from '../../domain/instrument.ts'
import type { Line, Stop } from './line.ts'

export interface TickLimits {
  /** Codes that are sent, or wanted, at a time. */
  readonly codesMax: number
  /** Ticks of a code within this are one: the newest. ms */
  readonly gatherMs: number
}

/** `600000.SH` → `md.SH.600000`: whoever wants an exchange listens to a branch. */
function tickSubject(code: string): string {
  assert(STOCK_CODE.test(code), `code "${code}"`)
  const [number, exchange] = code.split('.')
  return `md.${exchange}.${number}`
}

/** The newest of each code, until it is taken. */
class Newest {
  readonly #limits: TickLimits
  readonly #deliver: (ticks: ReadonlyMap<string, Uint8Array>) => void
  #ticks = new Map<string, Uint8Array>()
  #timer: NodeJS.Timeout | undefined

  constructor(limits: TickLimits, deliver: (ticks: ReadonlyMap<string, Uint8Array>) => void) {
    this.#limits = limits
    this.#deliver = deliver
  }

  /** Answers false when there is no room for a further code. */
  put(code: string, bytes: Uint8Array): boolean {
    if (!this.#ticks.has(code) && this.#ticks.size >= this.#limits.codesMax) return false
    this.#ticks.set(code, bytes)
    this.#timer ??= setTimeout(() => this.#flush(), this.#limits.gatherMs)
    return true
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#ticks.clear()
  }

  #flush(): void {
    this.#timer = undefined
    const ticks = this.#ticks
    this.#ticks = new Map()
    this.#deliver(ticks)
  }
}

/** Sends the quotes of one feed to every node that wants them. Belongs on a connection of its own. */
export class TickSender {
  readonly #newest: Newest
  #dropped = 0

  constructor(line: Line, limits: TickLimits) {
    this.#newest = new Newest(limits, (ticks) => {
      for (const [code, bytes] of ticks) line.publish(tickSubject(code), bytes)
    })
  }

  /** Ticks for which there was no room. */
  get dropped(): number {
    return this.#dropped
  }

  offer(code: string, bytes: Uint8Array): void {
    if (!this.#newest.put(code, bytes)) this.#dropped++
  }

  stop(): void {
    this.#newest.stop()
  }
}

/** Hears the quotes that this node wants, the newest of each code, many at once. */
export class TickReceiver {
  readonly #line: Line
  readonly #limits: TickLimits
  readonly #newest: Newest
  readonly #wanted = new Map<string, Stop>()

  constructor(
    line: Line,
    limits: TickLimits,
    onTicks: (ticks: ReadonlyMap<string, Uint8Array>) => void,
  ) {
    this.#line = line
    this.#limits = limits
    this.#newest = new Newest(limits, onTicks)
  }

  /** These codes from now on, and no others. Answers those that were left out because there are too many. */
  want(codes: ReadonlySet<string>): readonly string[] {
    const taken = [...codes].slice(0, this.#limits.codesMax)
    const kept = new Set(taken)
    for (const [code, stop] of this.#wanted) {
      if (kept.has(code)) continue
      stop()
      this.#wanted.delete(code)
    }
    for (const code of taken) {
      if (this.#wanted.has(code)) continue
      const stop = this.#line.subscribe(tickSubject(code), ({ data }) => {
        if (this.#wanted.has(code)) this.#newest.put(code, data)
      })
      this.#wanted.set(code, stop)
    }
    return [...codes].slice(this.#limits.codesMax)
  }

  stop(): void {
    this.want(new Set())
    this.#newest.stop()
  }
}
