import type { SubmitOutcome } from '../../protocol/driver.ts'
import type { PeerAnswer } from './peer-client.ts'
import type { Row } from './rows.ts'

/**
 * How far another gateway can be believed about keys. `withdraws`: one key is one order, and a key that came to
 * nothing can be withdrawn. `keyed`: one key is one order, which can be asked for. `foreign`: neither.
 */
export type Manner = 'withdraws' | 'keyed' | 'foreign'

/** What an answer says of an order; undefined: nothing that can be relied on, it has to be asked for. */
export type Said = SubmitOutcome | undefined

const asRow = (value: unknown): Row =>
  typeof value === 'object' && value !== null ? (value as Row) : {}
const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''

export const bodyOf = (answer: PeerAnswer): Row =>
  answer.kind === 'answered' ? asRow(answer.json) : {}
/** What stands in the envelope. */
export const dataOf = (answer: PeerAnswer): Row => asRow(bodyOf(answer)['data'])
export const codeOf = (answer: PeerAnswer): string => textOf(bodyOf(answer)['code'])

/** It has no time now, or who stands before it does not reach it: nothing follows from that, and later it may. */
const LATER: ReadonlySet<number> = new Set([408, 425, 429, 502, 503, 504])
export const isForLater = (answer: PeerAnswer): boolean =>
  answer.kind === 'answered' && LATER.has(answer.status)

/** The words of an answer, for people. */
export function wordsOf(answer: PeerAnswer): string {
  if (answer.kind === 'lost') return answer.message
  const { message, error, detail } = bodyOf(answer)
  const said = [message, error, detail].map(textOf).find((text) => text !== '')
  return said ?? `HTTP ${answer.status}`
}

/** Filled by the simulation mode there, and seen by no broker. */
const SIMULATED = /^SIM/
const SIMULATED_TEXT =
  '对方网关处于模拟模式，未发往券商 (the other gateway is in simulation mode: no broker has seen it)'

const accepted = (orderId: string): SubmitOutcome =>
  SIMULATED.test(orderId)
    ? { kind: 'rejected', message: SIMULATED_TEXT }
    : { kind: 'accepted', orderId }

/** Before it was looked at, by whoever refused: these mean the same everywhere. */
const UNTOUCHED: ReadonlySet<number> = new Set([400, 401, 403, 404, 405, 413, 415, 422, 429])
/** The key is of another order, so this says nothing of ours. */
const MISMATCH = 'IDEMPOTENCY_MISMATCH'
/** A gateway without keys that ran out of time says so in words, and knows no more than we do. */
const OUT_OF_TIME = /time|超时|unknown|未知/i

/** The answer to `POST …/orders`. */
export function outcomeOf(answer: PeerAnswer, manner: Manner): Said {
  if (answer.kind === 'lost') {
    if (answer.mayHaveArrived) return undefined
    return { kind: 'rejected', message: `未发出 (not sent): ${answer.message}` }
  }
  const { status } = answer
  if (status === 201 || status === 200) return taken(answer, manner)
  const isOwnWord = manner === 'foreign' ? answer.json !== undefined : codeOf(answer) !== ''
  const isRefusal = UNTOUCHED.has(status) || (manner !== 'foreign' && status === 409)
  if (!isOwnWord || !isRefusal || codeOf(answer) === MISMATCH) return undefined
  return { kind: 'rejected', message: wordsOf(answer) }
}

function taken(answer: PeerAnswer, manner: Manner): Said {
  const orderId = textOf(dataOf(answer)['order_id'])
  if (bodyOf(answer)['success'] === true) return orderId === '' ? undefined : accepted(orderId)
  if (bodyOf(answer)['success'] !== false) return undefined // a page of some proxy
  const message = wordsOf(answer)
  return manner === 'foreign' && OUT_OF_TIME.test(message)
    ? undefined
    : { kind: 'rejected', message }
}

/** What became of an order, by its key. `unknown`: it is there, and that gateway does not know it either. */
export type Found = SubmitOutcome | { readonly kind: 'absent' } | undefined

const UNKNOWN_THERE =
  '对方网关尚不知结果，正在核实 (the other gateway does not know it yet, and looks for it)'

function foundOf(state: unknown, orderId: string, message: string): Found {
  if (state === 'accepted') return orderId === '' ? undefined : accepted(orderId)
  if (state === 'rejected') return { kind: 'rejected', message }
  return { kind: 'unknown', message: UNKNOWN_THERE }
}

/** The answer to `GET …/orders/{key}`; undefined: none. */
export function foundBy(answer: PeerAnswer): Found {
  if (answer.kind === 'lost') return undefined
  if (answer.status === 404 && codeOf(answer) === 'UNKNOWN_ORDER') return { kind: 'absent' }
  if (answer.status !== 200) return undefined
  const { outcome, order_id: orderId, message } = dataOf(answer)
  return outcome === undefined ? undefined : foundOf(outcome, textOf(orderId), textOf(message))
}

/** The answer to `POST …/orders/{key}/withdraw`; undefined: none. */
export function withdrawnBy(answer: PeerAnswer): Found {
  if (answer.kind === 'lost' || answer.status !== 200) return undefined
  const { withdrawn, code, order, message } = dataOf(answer)
  if (withdrawn === true || typeof code === 'string') {
    return { kind: 'rejected', message: textOf(message) }
  }
  const { status, order_id: orderId, message: said } = asRow(order)
  return status === undefined ? undefined : foundOf(status, textOf(orderId), textOf(said))
}
