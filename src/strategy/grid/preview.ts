import type { Money, Price, Quantity } from '../../domain/money.ts'
import type { Side } from '../../domain/order.ts'
import { isCenterTooFar, isTooFar } from './exits.ts'
import { summaryOf } from './ledger.ts'
import { type PlanInput, type PlanRefusal, planBuy, planSell } from './plan.ts'
import type { GridPolicy } from './policy.ts'
import { PPM } from './ratios.ts'
import { type GridParameters, type GridSession, newSession, withTrade } from './session.ts'
import { LEVEL_UNITS, levelsOf } from './tracker.ts'

/** What surrounds a grid that is being thought about. */
export interface PreviewInput {
  /** 0 = not known. */
  readonly price: Price
  readonly sellable: Quantity
  readonly rule: PlanInput['rule'] & { readonly tickSize: number }
  /** All fees of an order that turns over this amount. */
  readonly fees: (side: Side, amount: Money) => Money
}

/** One trade on the way down or up, each from the center that the one before has set. */
export interface PreviewStep {
  readonly step: number
  readonly price: Price
  readonly quantity: Quantity
  readonly amount: Money
  readonly fees: Money
  /** After it: cash spent in all on the way down, received on the way up. */
  readonly cash: Money
  readonly refused?: PlanRefusal
}

export interface Preview {
  readonly levels: { readonly lower: Price; readonly center: Price; readonly upper: Price }
  readonly buys: readonly PreviewStep[]
  readonly sells: readonly PreviewStep[]
  /** The end on the way down at which the holdings of the grid have lost most; all of them stay. */
  readonly worst: {
    readonly price: Price
    readonly quantity: Quantity
    readonly cost: Money
    readonly loss: Money
    readonly ratio: number
  }
  /** One purchase at the lower level and its sale one interval higher. */
  readonly roundTrip: {
    readonly quantity: Quantity
    readonly gain: Money
    readonly fees: Money
    readonly net: Money
    /** Fees as a part of the gain; 0 when there is no gain. */
    readonly feeRatio: number
  }
}

/** More steps than that are not shown. */
const STEPS_MAX = 40

/**
 * What a grid would do if the price went straight down, or straight up, from its center: each trade
 * moves the center, until it is farther from the first one than the session allows. The trade that
 * moves it there is made: only the next look ends the session.
 */
export function previewOf(
  policy: GridPolicy,
  parameters: GridParameters,
  input: PreviewInput,
): Preview {
  const session = newSession(parameters, { id: 0, nowMs: 0, price: parameters.centerPrice })
  const ways = { policy, input }
  const down = walk(session, 'buy', ways)
  const up = walk(session, 'sell', ways)
  const { lower, upper } = levelsOf(session.centerPrice, session.intervalPpm)
  return {
    levels: {
      lower: Math.round(lower / LEVEL_UNITS) as Price,
      center: session.centerPrice,
      upper: Math.round(upper / LEVEL_UNITS) as Price,
    },
    buys: down.steps,
    sells: up.steps,
    worst: worstOf(down.sessions),
    roundTrip: roundTripOf(down.steps[0], session, input),
  }
}

interface Ways {
  readonly policy: GridPolicy
  readonly input: PreviewInput
}

function walk(start: GridSession, side: Side, { policy, input }: Ways) {
  const steps: PreviewStep[] = []
  const sessions = [start]
  let session = start
  let sellable: number = input.sellable
  let cash = 0
  for (let step = 1; step <= STEPS_MAX; step++) {
    const price = nextPrice(session, side, input.rule.tickSize)
    if (price <= 0 || isTooFar(session, price)) break
    const plan = (side === 'buy' ? planBuy : planSell)(policy, session, {
      nowMs: 0,
      triggerPrice: price,
      latestPrice: price,
      highLimit: 0 as Price,
      rule: input.rule,
      reserved: 0 as Money,
      isReorder: true,
      sellable: sellable as Quantity,
    })
    if ('refused' in plan) {
      const nothing = { quantity: 0 as Quantity, amount: 0 as Money, fees: 0 as Money }
      steps.push({ step, price, ...nothing, cash: cash as Money, refused: plan.refused })
      break
    }
    const { quantity } = plan
    const amount = (quantity * price) as Money
    const fees = input.fees(side, amount)
    cash += side === 'buy' ? amount + fees : amount - fees
    if (side === 'sell') sellable -= quantity
    steps.push({ step, price, quantity, amount, fees, cash: cash as Money })
    const trade = { side, quantity, amount, tradeId: '', orderId: '', timeMs: step }
    session = withTrade(session, trade).session
    sessions.push(session)
  }
  return { steps, sessions }
}

/** The first tradable price beyond the level. */
function nextPrice({ currentCenter, intervalPpm }: GridSession, side: Side, tick: number): Price {
  const { lower, upper } = levelsOf(currentCenter, intervalPpm)
  return side === 'buy'
    ? (((Math.ceil(lower / LEVEL_UNITS / tick) - 1) * tick) as Price)
    : (((Math.floor(upper / LEVEL_UNITS / tick) + 1) * tick) as Price)
}

/** Where a session ends that trades no more: at a price too far from its center, or at once where the center is. */
function endOf(session: GridSession): Preview['worst'] {
  const { currentCenter, maxDeviationPpm, maxInvestment, ledger } = session
  const price = isCenterTooFar(session)
    ? currentCenter
    : (Math.floor((currentCenter * (PPM - maxDeviationPpm)) / PPM) as Price)
  const { openQuantity, openCost, unrealized } = summaryOf(ledger, price)
  const loss = Math.max(0, -unrealized) as Money
  return { price, quantity: openQuantity, cost: openCost, loss, ratio: -loss / maxInvestment || 0 }
}

/** After each of its purchases the price may go on falling without the turn that the next one waits for. */
const worstOf = (sessions: readonly GridSession[]): Preview['worst'] =>
  sessions.map(endOf).reduce((worst, end) => (end.loss >= worst.loss ? end : worst))

function roundTripOf(
  first: PreviewStep | undefined,
  { intervalPpm }: GridSession,
  { fees, rule }: PreviewInput,
): Preview['roundTrip'] {
  const { quantity = 0 as Quantity, price = 0 as Price, amount = 0 as Money } = first ?? {}
  const sellPrice = Math.floor((price * (PPM + intervalPpm)) / PPM / rule.tickSize) * rule.tickSize
  const gain = (quantity * (sellPrice - price)) as Money
  const cost =
    quantity === 0 ? 0 : fees('buy', amount) + fees('sell', (quantity * sellPrice) as Money)
  const feeRatio = gain > 0 ? cost / gain : 0
  return { quantity, gain, fees: cost as Money, net: (gain - cost) as Money, feeRatio }
}
