import {
  CallLog,
  type CallName,
  type CallOutcome,
  type CallReport,
  METER_CELLS,
} from '../../src/domain/call-log.ts'
import type { Logger } from '../../src/observability/logger.ts'
import type { DriverCommand, DriverEvent } from '../../src/protocol/driver.ts'
import { steadyMs, wallMsOf } from '../../src/runtime/steady.ts'

type Answered = Extract<DriverEvent, { readonly callId: number }>

const QUERY_NAMES = {
  asset: 'query_asset',
  positions: 'query_positions',
  orders: 'query_orders',
  deals: 'query_trades',
} as const

interface OpenCall {
  readonly name: CallName
  readonly sinceMs: number
  readonly correlationId: string
}

/** Times the calls of one account to its broker. Connecting is not counted: it is waited for elsewhere. */
export class CallMeter {
  readonly #sinceMs: number
  readonly #log: CallLog
  readonly #logger: Logger
  readonly #open = new Map<number, OpenCall>()

  /** @param cells {@link METER_CELLS} of them; 0 where nobody has counted yet */
  constructor(logger: Logger, cells: Float64Array = new Float64Array(METER_CELLS)) {
    this.#logger = logger
    cells[0] ||= steadyMs()
    this.#sinceMs = cells[0]
    this.#log = new CallLog(cells.subarray(1))
  }

  /** `correlationId` is that of the request behind the call; empty when it has no such cause. */
  began(command: DriverCommand, isPing: boolean, correlationId: string): void {
    const name = nameOf(command, isPing)
    if (name === undefined) return
    const { callId } = command
    this.#open.set(callId, { name, sinceMs: performance.now(), correlationId })
    const order = command.kind === 'submit' && { clientOrderId: command.order.clientOrderId }
    this.#logger.debug({ correlationId, call: name, callId, ...order }, 'call')
  }

  answered(event: Answered): void {
    const text = faultOf(event)
    this.#ended(event.callId, text === undefined ? 'success' : 'error', text)
  }

  timedOut(callId: number): void {
    this.#ended(callId, 'timeout', 'no answer in time')
  }

  report(): CallReport {
    return this.#log.report(wallMsOf(this.#sinceMs))
  }

  #ended(callId: number, outcome: CallOutcome, text = ''): void {
    const call = this.#open.get(callId)
    if (call === undefined) return // answered after its time was up
    this.#open.delete(callId)
    const { name, sinceMs, correlationId } = call
    const ms = performance.now() - sinceMs
    this.#log.record({ name, outcome, ms, atMs: Date.now(), text })
    const fields = { correlationId, call: name, callId, outcome, ms: Math.round(ms) }
    this.#logger.debug(text === '' ? fields : { ...fields, text }, 'call ended')
  }
}

function nameOf(command: DriverCommand, isPing: boolean): CallName | undefined {
  if (command.kind === 'submit') return 'order_stock'
  if (command.kind === 'cancel') return 'cancel_order'
  if (command.kind === 'query') return isPing ? 'ping_trader' : QUERY_NAMES[command.what]
  return undefined
}

/** undefined when the call has succeeded. */
function faultOf(event: Answered): string | undefined {
  if (event.kind === 'submitAnswered') {
    return event.outcome.kind === 'accepted' ? undefined : event.outcome.message
  }
  return event.result.ok ? undefined : event.result.error.message
}
