import type { Position } from '../../domain/position.ts'
import type { Tracker } from '../../strategy/grid/tracker.ts'
import type { AccountEvent, HoldingFields } from './events.ts'
import type { AccountState } from './state.ts'

type Kind = AccountEvent['kind']
type EventOf<K extends Kind> = Extract<AccountEvent, { readonly kind: K }>

/**
 * What a crash would cost that comes after an event and before it is on disk. `derived`: it would be found again,
 * or costs no more than the highs of that moment, so its saving may wait for company. A function where that
 * depends on what the event says; it is given the state as it was before.
 */
interface Loss<K extends Kind> {
  readonly isDerived: boolean | ((state: AccountState, event: EventOf<K>) => boolean)
  /** What would be lost. */
  readonly because: string
}

const lost = (because: string) => ({ isDerived: false, because }) as const
const ORDER = lost('what may have been sent, or is known of an order')
const MONEY = lost('cash, shares or fills')
const PERSON = lost('what a person has decided')
const LIFE = lost('a mark in the life of the account that nobody makes twice')
const GRID = lost('the ledger and the life of a grid')

/** Of every event: whether its saving may wait (docs/domain.md 4.3). Nothing of money, orders or people ever may. */
export const LOSS: { readonly [K in Kind]: Loss<K> } = {
  actorStarted: LIFE,
  dayOpened: LIFE,
  dayTakenBack: LIFE,
  restoreFound: LIFE,
  restoreCompared: LIFE,
  restoreConfirmed: PERSON,
  clockDoubted: LIFE,
  clockTrusted: LIFE,
  connected: LIFE,
  disconnected: LIFE,
  tokenChanged: PERSON,
  settingsChanged: PERSON,
  riskChanged: PERSON,
  gatewayModuleSet: PERSON,
  recordsCleared: PERSON,
  fillNoted: PERSON,
  killSwitchSet: lost('what guards the account'),
  protectiveLimitNeared: lost('an alarm that is told once'),
  dayTotalSeen: lost('what the loss of the day is measured from: a later total is another one'),
  differenceFound: lost('a difference that the next comparison does not show again'),

  orderDenied: ORDER,
  keyWithdrawn: ORDER,
  orderSubmitted: ORDER,
  batchPlaced: ORDER,
  batchAdvanced: ORDER,
  orderMoved: ORDER,
  orderReported: ORDER,
  orderRenumbered: ORDER,
  orderUntold: ORDER,
  orderTold: ORDER,
  orderWarned: ORDER,
  orderQuarantined: ORDER,
  doubtDecided: PERSON,
  orderKept: ORDER,
  orderTakenForFilled: ORDER,
  orderAmended: ORDER,
  amendmentEnded: ORDER,
  reorderDropped: ORDER,
  orderAdopted: ORDER,
  decisionMade: lost('why an order was sent'),
  orderSimulated: MONEY,
  signalFilled: MONEY,
  costsTaken: MONEY,
  dealBooked: MONEY,
  positionReported: MONEY,
  positionClosed: MONEY,
  exDayFollowed: lost('the scale of all that is remembered of a holding'),
  holdingChanged: {
    isDerived: isNewHigh,
    because:
      'a high that the high of the day shows again, and of a breakout or a holding of today the highs of that moment; a breakout itself, what a person has set and what a fill has led to are not found again',
  },

  gridTracked: {
    isDerived: isNewTurningPoint,
    because:
      'a peak or a valley of that moment; a level that was crossed and a holding that is missed are not found again',
  },
  gridStarted: PERSON,
  gridSwitched: PERSON,
  gridStopping: GRID,
  gridStopped: GRID,
  gridRescaled: lost('the scale of the prices of a grid'),
  gridRefused: lost('that a signal has led to no order, which would be sent again'),
  gridOrderPlaced: ORDER,
  gridOrderTimedOut: ORDER,
  gridOrderClosed: ORDER,
  gridBooked: MONEY,
  gridTemplateSaved: PERSON,
  gridTemplateUsed: PERSON,
  gridTemplateDeleted: PERSON,
}

/** Whether an event that is about to be folded would be found again, or costs no more than the highs of a moment. */
export function isDerived(state: AccountState, event: AccountEvent): boolean {
  const { isDerived: derived } = LOSS[event.kind] as Loss<Kind>
  return typeof derived === 'boolean' ? derived : derived(state, event)
}

/** What goes with a new high, and is no word of anybody. */
const OF_A_HIGH: ReadonlySet<string> = new Set<keyof HoldingFields>([
  'highestPrice',
  'breakoutHighestPrice',
  'stopLossPrice',
  'actedTickMs',
])

function isNewHigh(
  { positions }: AccountState,
  { code, fields, source }: EventOf<'holdingChanged'>,
): boolean {
  const held = positions.get(code)
  if (held === undefined || source !== 'market') return false
  for (const name of Object.keys(fields)) if (!OF_A_HIGH.has(name)) return false
  return isNotLower(held, fields)
}

const isNotLower = (held: Position, fields: HoldingFields): boolean =>
  (fields.highestPrice ?? held.highestPrice) >= held.highestPrice &&
  (fields.breakoutHighestPrice ?? held.breakoutHighestPrice) >= held.breakoutHighestPrice

function isNewTurningPoint(
  { grid }: AccountState,
  { sessionId, tracker, missingSinceMs }: EventOf<'gridTracked'>,
): boolean {
  const session = grid.sessions.get(sessionId)
  return (
    session !== undefined &&
    missingSinceMs === session.missingSinceMs &&
    isSameWait(tracker, session.tracker)
  )
}

const isSameWait = (one: Tracker, other: Tracker): boolean =>
  one.isWaiting === other.isWaiting &&
  one.direction === other.direction &&
  one.crossedLevel === other.crossedLevel
