import type { BrokerOrder } from '../../domain/order.ts'
import type { Result } from '../../domain/result.ts'
import { seenText } from '../../domain/stock-filter.ts'
import type { DriverEvent, DriverFault, SubmitOutcome } from '../../protocol/driver.ts'

/**
 * What the broker says, without what nobody sees in its words: they are shown, written to the audit and compared with
 * those that are stored. Numbers stay as they are: by them orders are found again.
 */
export function seen(event: DriverEvent): DriverEvent {
  switch (event.kind) {
    case 'orderPushed':
      return { ...event, order: seenOrder(event.order) }
    case 'submitAnswered':
      return { ...event, outcome: seenOutcome(event.outcome) }
    case 'connectAnswered':
    case 'cancelAnswered':
    case 'barrierAnswered':
      return { ...event, result: seenResult(event.result) }
    case 'queryAnswered': {
      const { result } = event
      if (!result.ok || result.value.what !== 'orders') {
        return { ...event, result: seenResult(result) }
      }
      const { value } = result
      return {
        ...event,
        result: { ...result, value: { ...value, rows: value.rows.map(seenOrder) } },
      }
    }
    case 'disconnected':
      return { ...event, reason: seenText(event.reason) }
    default:
      return event
  }
}

function seenOrder(order: BrokerOrder): BrokerOrder {
  const statusMessage = seenText(order.statusMessage)
  return statusMessage === order.statusMessage ? order : { ...order, statusMessage }
}

const seenOutcome = (outcome: SubmitOutcome): SubmitOutcome =>
  outcome.kind === 'accepted' ? outcome : { ...outcome, message: seenText(outcome.message) }

const seenResult = <T>(result: Result<T, DriverFault>): Result<T, DriverFault> =>
  result.ok
    ? result
    : { ...result, error: { ...result.error, message: seenText(result.error.message) } }

/** Whether a row says something else than is stored, which may be of a release that kept what nobody sees. */
export const isOtherText = (stored: string, told: string): boolean =>
  stored !== told && seenText(stored) !== told
