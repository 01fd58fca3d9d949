import type { Position } from '../../domain/position.ts'
import type { AccountEvent, HoldingBefore, HoldingFields } from '../model/events.ts'
import type { AccountState } from '../model/state.ts'

/**
 * The event with what it is about to change, as it was: whoever reads the journal sees before and
 * after in one entry. An event about something unknown until then stays as it is.
 */
export function withBefore(state: AccountState, event: AccountEvent): AccountEvent {
  switch (event.kind) {
    case 'orderMoved':
    case 'orderReported':
      return withStatus(state, event)
    case 'dealBooked': {
      const order = state.orders.get(event.clientOrderId)
      if (order === undefined) return event
      const { status, filledQuantity } = order
      return { ...event, before: { status, filledQuantity } }
    }
    case 'positionReported': {
      const holding = state.positions.get(event.position.code)
      return holding === undefined ? event : { ...event, before: reported(holding) }
    }
    case 'positionClosed': {
      const holding = state.positions.get(event.code)
      return holding === undefined ? event : { ...event, before: reported(holding) }
    }
    case 'holdingChanged': {
      const holding = state.positions.get(event.code)
      return holding === undefined ? event : { ...event, before: sameFields(holding, event.fields) }
    }
    case 'exDayFollowed': {
      const holding = state.positions.get(event.code)
      return holding === undefined ? event : { ...event, before: pricesOf(holding) }
    }
    default:
      return event
  }
}

function withStatus(
  state: AccountState,
  event: Extract<AccountEvent, { kind: 'orderMoved' | 'orderReported' }>,
): AccountEvent {
  const order = state.orders.get(event.clientOrderId)
  return order === undefined ? event : { ...event, before: order.status }
}

const reported = ({ quantity, sellable, costPrice }: Position): HoldingBefore => ({
  quantity,
  sellable,
  costPrice,
})

const pricesOf = ({ highestPrice, breakoutHighestPrice, stopLossPrice }: Position) => ({
  highestPrice,
  breakoutHighestPrice,
  stopLossPrice,
})

const sameFields = (holding: Position, fields: HoldingFields): HoldingFields =>
  Object.fromEntries(
    Object.keys(fields).map((name) => [name, holding[name as keyof HoldingFields]]),
  )
