import { decode } from '../protocol/codec.ts'
import { type Forwarded, isForwarded } from './owner-line.ts'

/** A request as it travels between nodes: their steady clocks differ, so it says what is left. */
export interface Travelling {
  readonly request: Forwarded
  readonly timeoutMs: number
  readonly startWithinMs: number
  readonly correlationId: string
  /** Life of the node that asks. */
  readonly from: string
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
  const { request, timeoutMs, startWithinMs, correlationId, from } = Object(value)
  const isTimed = Number.isFinite(timeoutMs) && Number.isFinite(startWithinMs)
  const isNamed = typeof correlationId === 'string' && typeof from === 'string'
  return isTimed && isNamed && isForwarded(request)
}
