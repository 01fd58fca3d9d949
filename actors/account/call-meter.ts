import {
  CallLog,
  type CallName,
  type CallOutcome,
  type CallReport,
} from '../../src/domain/call-log.ts'
import type { DriverCommand, DriverEvent } from '../../src/protocol/driver.ts'

type Answered = Extract<DriverEvent, { readonly callId: number }>

const QUERY_NAMES = {
  asset: 'query_asset',
  positions: 'query_positions',
  orders: 'query_orders',
  deals: 'query_trades',
} as const

/** Times the calls of one account to its trading client. Connecting is not counted: it is waited for elsewhere. */
export class CallMeter {
  readonly #log: CallLog
  readonly #open = new Map<number, { readonly name: CallName; readonly sinceMs: number }>()

  constructor(wallMs: number) {
    this.#log = new CallLog(wallMs)
  }

  began(command: DriverCommand, isPing: boolean): void {
    const name = nameOf(command, isPing)
    if (name !== undefined) this.#open.set(command.callId, { name, sinceMs: performance.now() })
  }

  answered(event: Answered): void {
    const text = faultOf(event)
    this.#ended(event.callId, text === undefined ? 'success' : 'error', text)
  }

  timedOut(callId: number): void {
    this.#ended(callId, 'timeout', 'no answer in time')
  }

  report(): CallReport {
    return this.#log.report()
  }

  #ended(callId: number, outcome: CallOutcome, text = ''): void {
    const call = this.#open.get(callId)
    if (call === undefined) return // answered after its time was up
    this.#open.delete(callId)
    const ms = performance.now() - call.sinceMs
    this.#log.record({ name: call.name, outcome, ms, atMs: Date.now(), text })
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
