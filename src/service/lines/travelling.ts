import { decode } from '../../protocol/codec.ts'
import type { FarTime } from './far-clocks.ts'
import { type Forwarded, isForwarded } from './owner-line.ts'

/** A request as it travels between nodes: their steady clocks differ, so it says what is left. */
export interface Travelling {
  readonly request: Forwarded
  readonly timeoutMs: number
  readonly startWithinMs: number
  readonly correlationId: string
  /** Life of the node that asks. */
  readonly from: string
  /** What the clock of whoever is asked showed at most when it was sent; null: that is not known. Earlier releases do not say. */
  readonly sentAt?: FarTime | null
}

/**
 * How long it was on its way until a node heard it under this epoch. It may have been a little longer. Undefined: that
 * cannot be told. ms
 */
export function onItsWayMs({ sentAt }: Travelling, heard: FarTime): number | undefined {
  if (sentAt === undefined) return 0
  return sentAt?.epoch === heard.epoch ? Math.max(0, heard.ms - sentAt.ms) : undefined
}

/** Undefined for what is none: it comes from another computer, perhaps of another release. */
export function travellingIn(bytes: Uint8Array): Travelling | undefined {
  try {
    const value = decode<Partial<Travelling> | null>(bytes)
    return isTravelling(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isTravelling(value: Partial<Travelling> | null): value is Travelling {
  const { request, timeoutMs, startWithinMs, correlationId, from, sentAt } = Object(value)
  const isTimed = Number.isFinite(timeoutMs) && Number.isFinite(startWithinMs)
  const isNamed = typeof correlationId === 'string' && typeof from === 'string'
  return isTimed && isNamed && isSentAt(sentAt) && isForwarded(request)
}

function isSentAt(value: unknown): boolean {
  const { epoch, ms } = Object(value) as Partial<FarTime>
  return (value ?? null) === null || (Number.isSafeInteger(epoch) && Number.isFinite(ms))
}
