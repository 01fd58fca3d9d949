import { strict as assert } from 'node:assert'
import type { Now } from './effects.ts'
import { type Deadline, SET_BACK_MS } from './lease.ts'
import { EPOCH_MAX } from './records.ts'

/**
 * What every thread of a node looks at before it tells a trading client anything: a few words of shared memory.
 *
 *   0  lease by the monotonic clock; NO_LEASE when there is none
 *   1  lease by the wall clock
 *   2… one for each account: the epoch that may act; 0 for none
 *
 * Each word alone is a bound, so of two renewals whose words are read together the stricter one counts.
 * Words count 50 ms since the node's start, since milliseconds would run over after 25 days.
 */
export const LEASE_WORDS = 2
const [MONO, WALL] = [0, 1]
const UNIT_MS = 50
const SET_BACK = SET_BACK_MS / UNIT_MS
const NO_LEASE = -1
const WORD_MIN = -(2 ** 31)
const WORD_MAX = 2 ** 31 - 1

const inWord = (units: number): number => Math.min(WORD_MAX, Math.max(WORD_MIN, units))

/** Index of the word of an account. `slot` counts the accounts of this node from 0. */
export const accountWord = (slot: number): number => LEASE_WORDS + slot

/** The lease from now on. `origin` is the reading of the clocks at the node's start. */
export function writeLease(words: Int32Array, deadline: Deadline, origin: Now): void {
  const untilMono = Math.floor((deadline.monoMs - origin.monoMs) / UNIT_MS)
  assert(untilMono >= 0 && untilMono < WORD_MAX, 'a lease of another life')
  const untilWall = Math.floor((deadline.wallMs - origin.wallMs) / UNIT_MS)
  Atomics.store(words, WALL, inWord(untilWall))
  Atomics.store(words, MONO, untilMono)
}

/** Nobody on this node may act. */
export function clearLease(words: Int32Array): void {
  Atomics.store(words, MONO, NO_LEASE)
}

/** This epoch of the account may act, as long as the lease holds; 0 for none. */
export function allowEpoch(words: Int32Array, slot: number, epoch: number): void {
  assert(Number.isSafeInteger(epoch) && epoch >= 0 && epoch <= EPOCH_MAX, `epoch ${epoch}`)
  Atomics.store(words, accountWord(slot), epoch)
}

/** Until when the lease holds by the monotonic clock, never later than it does. In the past without one. */
export const leaseUntilMs = (words: Int32Array, origin: Now): number =>
  origin.monoMs + Atomics.load(words, MONO) * UNIT_MS

/** What is to be told to a trading client. */
export interface OrderToCheck {
  readonly slot: number
  /** Epoch of the record in which the intent was acknowledged. */
  readonly epoch: number
  /** The call must have begun by then, on both clocks of this computer. */
  readonly deadline: Now
}

/**
 * Whether the call may begin now. Integers are compared and nothing is allocated: it stands before every order.
 * `origin` as for `writeLease`.
 */
export function passesOrderCheck(
  words: Int32Array,
  order: OrderToCheck,
  now: Now,
  origin: Now,
): boolean {
  const { slot, epoch, deadline } = order
  if (Atomics.load(words, accountWord(slot)) !== epoch || epoch === 0) return false
  if (now.monoMs > deadline.monoMs || now.wallMs > deadline.wallMs) return false
  const untilMono = Atomics.load(words, MONO)
  const untilWall = Atomics.load(words, WALL)
  const mono = Math.ceil((now.monoMs - origin.monoMs) / UNIT_MS)
  const wall = Math.ceil((now.wallMs - origin.wallMs) / UNIT_MS)
  // A wall clock that was set back hides how long this computer slept.
  return mono <= untilMono && wall <= untilWall && wall - mono >= untilWall - untilMono - SET_BACK
}
