import type { GridEvent } from '../../../../src/account/model/grid-events.ts'
import type { Quantity } from '../../../../src/domain/money.ts'
import { rescaledSession } from '../../../../src/strategy/grid/ex-day.ts'
import { RISK_TEMPLATES } from '../../../../src/strategy/grid/templates.ts'
import { after, money, price, session, trade } from '../../../strategy/grid/fixture.ts'
import { KEY, MORNING_MS } from '../../fixture.ts'

type Samples = { readonly [K in GridEvent['kind']]: Extract<GridEvent, { kind: K }> }

const started = after(
  session({ maxInvestment: money(9_000) }),
  trade('sell', 200, 10.5),
  trade('buy', 300, 9.8),
)
const ORDERED = { clientOrderId: KEY }
const CALLBACK = { peakPrice: price(10.6), valleyPrice: price(10), callbackPpm: 9_434 }

/** One event of every kind that grids have. */
export const gridSamples = (source: string): Samples => ({
  gridStarted: { kind: 'gridStarted', session: started, keepFromId: 0, source },
  gridSwitched: {
    kind: 'gridSwitched',
    sessionId: 1,
    isEnabled: false,
    tracker: started.tracker,
    source,
  },
  gridTracked: {
    kind: 'gridTracked',
    sessionId: 1,
    missingSinceMs: 0,
    actedTickMs: MORNING_MS,
    tracker: { ...started.tracker, isWaiting: true, crossedLevel: 105_000_000_000 },
  },
  gridRescaled: {
    kind: 'gridRescaled',
    sessionId: 1,
    ...rescaledSession(started, { day: '2026-08-12', factor: { to: 10, of: 11 } }),
  },
  gridRefused: {
    kind: 'gridRefused',
    sessionId: 1,
    side: 'buy',
    reason: 'cooling_down',
    actedTickMs: MORNING_MS,
  },
  gridOrderPlaced: {
    kind: 'gridOrderPlaced',
    coolingFromMs: MORNING_MS - 60_000,
    order: {
      ...ORDERED,
      sessionId: 1,
      code: started.code,
      side: 'sell',
      level: 105_000_000_000,
      requested: 200 as Quantity,
      triggerPrice: price(10.5),
      reservedPrice: price(10.5),
      ...CALLBACK,
      attempt: 0,
      parent: '',
      placedMs: MORNING_MS,
      bookedQuantity: 100 as Quantity,
      bookedAmount: money(1_050),
      isReorderWanted: false,
      isClosed: false,
    },
  },
  gridOrderTimedOut: { kind: 'gridOrderTimedOut', ...ORDERED, isReorderWanted: true },
  gridBooked: {
    kind: 'gridBooked',
    ...ORDERED,
    trade: {
      id: 1,
      sessionId: 1,
      code: started.code,
      side: 'sell',
      level: 105_000_000_000,
      price: price(10.5),
      quantity: 200 as Quantity,
      amount: money(2_100),
      ...CALLBACK,
      tradeId: '1001',
      timeMs: MORNING_MS,
      centerBefore: price(10),
      centerAfter: price(10.5),
    },
  },
  gridOrderClosed: { kind: 'gridOrderClosed', ...ORDERED, outcome: 'filled' },
  gridStopping: { kind: 'gridStopping', sessionId: 1, reason: 'manual', source },
  gridStopped: { kind: 'gridStopped', sessionId: 1, reason: 'manual', source },
  gridTemplateSaved: {
    kind: 'gridTemplateSaved',
    template: {
      ...RISK_TEMPLATES.moderate,
      id: 1,
      usageCount: 0,
      lastUsedMs: 0,
      createdMs: MORNING_MS,
      updatedMs: MORNING_MS,
    },
    source,
  },
  gridTemplateUsed: { kind: 'gridTemplateUsed', name: '稳健型网格', source },
  gridTemplateDeleted: { kind: 'gridTemplateDeleted', name: '稳健型网格', source },
})
