import { availableParallelism, cpus } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'

/** How long it is looked on while nothing of ours runs. */
const LOOK_MS = 1_000

/** Processor time that everything on this machine has taken and left, milliseconds of all cores. */
export interface Spent {
  readonly busyMs: number
  readonly idleMs: number
}

function spent(): Spent {
  const times = cpus().map((cpu) => cpu.times)
  const idleMs = times.reduce((sum, { idle }) => sum + idle, 0)
  const busyMs = times.reduce((sum, { user, nice, sys, irq }) => sum + user + nice + sys + irq, 0)
  return { busyMs, idleMs }
}

/** Cores that were busy between two moments. */
export function busyCores(before: Spent, after: Spent, cores: number): number {
  const busyMs = after.busyMs - before.busyMs
  const wholeMs = busyMs + after.idleMs - before.idleMs
  return wholeMs <= 0 ? 0 : (busyMs / wholeMs) * cores
}

/** Cores that others take, seen while nothing of ours runs: before a run of benches, and between two of them. */
export class Others {
  readonly #seen: number[] = []

  async look(): Promise<void> {
    const before = spent()
    await delay(LOOK_MS)
    this.#seen.push(busyCores(before, spent(), availableParallelism()))
  }

  get before(): number {
    return this.#seen[0] ?? 0
  }
  /** Of all looks, the first one included. */
  get most(): number {
    return Math.max(0, ...this.#seen)
  }
}
