import { v1PositionRow } from '../../src/account/answers/gateway.ts'
import { HeldRows } from '../../src/account/answers/held-rows.ts'
import { render, VIEWS } from '../../src/account/answers/index.ts'
import { whyOf } from '../../src/account/answers/why.ts'
import type { AccountPolicy } from '../../src/account/model/policy.ts'
import { type AccountState, emptyState } from '../../src/account/model/state.ts'
import { type AccountInput, stepTogether } from '../../src/account/step.ts'
import { accountBand } from '../../src/account/strategies/band.ts'
import { nextEvaluationMs, nextOrderMs } from '../../src/account/strategies/run.ts'
import { nameOf } from '../../src/account/turn/holding.ts'
import { type Sight, Turn } from '../../src/account/turn/turn.ts'
import type { StockCode } from '../../src/domain/instrument.ts'
import { type Price, priceFromYuan, type Quantity, toYuan } from '../../src/domain/money.ts'
import type { BrokerPosition } from '../../src/domain/order.ts'
import { createMarketMemory } from '../../src/market/memory.ts'
import { QuoteReader, QuoteWriter } from '../../src/market/quote-board.ts'
import type { Resource } from '../../src/protocol/account.ts'
import { decode, encode } from '../../src/protocol/codec.ts'
import type { DriverCommand, DriverEvent } from '../../src/protocol/driver.ts'
import { MadeUpBroker } from './made-up-broker.ts'
import { afterwards } from './outgoing.ts'
import { CommitDraft } from './rows.ts'

/** A Monday morning at the exchange: the same in every run. */
const MORNING_MS = Date.parse('2026-03-02T10:00:00+08:00')
const DAY = '2026-03-02'
const BEFORE = '2026-02-02'
/** Between two quotes of a stock. */
const STEP_MS = 3_000
const COST_YUAN = 10
/** Below the stop of the made-up settings, inside the price limit. */
const FALLEN_YUAN = 9.2
const STOP_LOSS = -0.075
const SHARES = 1_000
const LEVELS = [1, 2, 3, 4, 5]
const AMPLE = 1_000_000
const RESOURCES = Object.keys(VIEWS) as Resource[]
const nothing = (): void => undefined

/** What came of a rehearsal. */
interface Rehearsed {
  /** Orders that a strategy decided. */
  readonly intents: number
  /** Those of them that are filled, as far as the account knows. */
  readonly sales: number
  readonly deals: number
  /** Of what would have been written and shown. */
  readonly bytes: number
}

/**
 * An account that does not exist: the rules, the encoding and the views of a real one, on a state, quotes and a
 * broker of its own. It has no way to a disk, a clock, a log or another thread.
 */
export class Rehearsal {
  readonly #state: AccountState
  readonly #draft: CommitDraft
  readonly #broker: MadeUpBroker
  readonly #rows: HeldRows
  readonly #codes: readonly StockCode[]
  readonly #quotes: QuoteReader
  readonly #writer: QuoteWriter
  #nowMs = MORNING_MS
  #bytes = 0

  /** `sales` stocks, one for each. `policy` is that of the account, of which only what sells is made up. */
  constructor(policy: AccountPolicy, sales: number) {
    const memory = createMarketMemory({ codesMax: sales, actorSlots: 1 })
    this.#quotes = new QuoteReader(memory)
    this.#writer = new QuoteWriter(memory)
    this.#codes = Array.from({ length: sales }, (_, at) => `${600_000 + at}.SH` as StockCode)
    this.#broker = new MadeUpBroker(this.#codes.map(holding))
    this.#state = emptyState(sellingPolicy(policy))
    this.#draft = new CommitDraft(this.#state)
    this.#rows = new HeldRows(v1PositionRow(this.#state))
  }

  get rehearsed(): Rehearsed {
    const orders = [...this.#state.orders.values()]
    const sales = orders.filter(({ status }) => status === 'filled').length
    return { intents: orders.length, sales, deals: this.#state.deals.size, bytes: this.#bytes }
  }

  /**
   * All of it: the account looks at its broker, and then one stock after the other falls through its stop. Whoever
   * plays it may do something else between any two turns, or leave off.
   */
  *play(): Generator<void, void, void> {
    yield* this.#work({ kind: 'started', incarnation: 1, day: DAY, isSure: true })
    for (const code of this.#codes) yield* this.#quote(code, COST_YUAN)
    for (const code of this.#codes) {
      this.#nowMs += STEP_MS
      yield* this.#quote(code, FALLEN_YUAN)
    }
    for (const resource of RESOURCES) {
      this.#show(resource)
      yield
    }
  }

  *#quote(code: StockCode, yuan: number): Generator<void, void, void> {
    const beside = (side: number) => LEVELS.map((level) => yuan + (side * level) / 100)
    const volumes = LEVELS.map(() => AMPLE)
    this.#writer.write(this.#codes.indexOf(code), {
      time: this.#nowMs,
      stock_code: code,
      lastPrice: yuan,
      open: COST_YUAN,
      high: COST_YUAN,
      low: yuan,
      lastClose: COST_YUAN,
      volume: AMPLE,
      amount: AMPLE * yuan,
      bidPrice: beside(-1),
      askPrice: beside(1),
      bidVol: volumes,
      askVol: volumes,
    })
    yield* this.#work({ kind: 'quotes', crossed: [code] })
  }

  /** One input, and after it what the broker says to what it wanted. */
  *#work(input: AccountInput): Generator<void, void, void> {
    const commands = this.#turn([input])
    yield
    for (let command = commands.shift(); command !== undefined; command = commands.shift()) {
      commands.push(...this.#turn(this.#answers(command).map(said)))
      yield
    }
  }

  /** Inputs that come together, of which there is one at least. */
  #turn(inputs: readonly AccountInput[]): DriverCommand[] {
    const nowMs = this.#nowMs
    const [input] = inputs
    if (input === undefined) return []
    const turn = new Turn(this.#state, { ...this.#sight(), wallMs: nowMs })
    stepTogether(turn, inputs)
    const decided = { monotonicMs: nowMs, wallMs: nowMs }
    const origin = { input, correlationId: '', decided, done: nothing }
    const { effects, movedBands } = afterwards(turn, origin)
    this.#draft.add(turn)
    const commit = this.#draft.take()
    if (commit !== undefined) this.#bytes += encode(commit).length
    nextOrderMs(this.#state, nowMs)
    nextEvaluationMs(this.#state, nowMs)
    if (movedBands instanceof Set) for (const code of movedBands) this.#band(code)
    return effects.flatMap((effect) => (effect.kind === 'call' ? [effect.command] : []))
  }

  #sight(): Sight {
    return { nowMs: this.#nowMs, quote: (code) => this.#read(code), clockDoubt: undefined }
  }

  #read(code: StockCode) {
    const slot = this.#codes.indexOf(code)
    return slot < 0 ? undefined : this.#quotes.read(slot)
  }

  #band(code: StockCode): void {
    accountBand(this.#state, code, { ...this.#sight(), floor: 0 })
  }

  /** As they come over a line. */
  #answers(command: DriverCommand): readonly DriverEvent[] {
    const priceOf = (code: StockCode) => this.#read(code)?.lastPrice ?? (0 as Price)
    const moment = { nowMs: this.#nowMs, priceOf }
    encode(command)
    return decode<readonly DriverEvent[]>(encode(this.#broker.answer(command, moment)))
  }

  #show(resource: Resource): void {
    const state = this.#state
    const sight = this.#sight()
    const bytes = render(resource, {
      state,
      row: (position) =>
        this.#rows.of(position, sight.quote(position.code), {
          isGridActive: false,
          name: nameOf(state, position.code),
          why: whyOf(state, position.code, { ...sight, soldToday: NONE_SOLD }),
        }),
      records: [],
      stockPool: state.policy.stockPool,
      ...sight,
      isFeedAvailable: true,
    })
    this.#bytes += bytes.length
  }
}

const NONE_SOLD: ReadonlyMap<StockCode, number> = new Map()

const said = (event: DriverEvent): AccountInput => ({ kind: 'driver', event })

const units = (yuan: number): Price => {
  const price = priceFromYuan(yuan)
  if (!price.ok) throw new RangeError(`no price: ${toYuan(yuan as Price)}`)
  return price.value
}

const holding = (code: StockCode): BrokerPosition => ({
  code,
  name: code,
  costPrice: units(COST_YUAN),
  quantity: SHARES as Quantity,
  sellable: SHARES as Quantity,
  openDate: BEFORE,
})

/** The account's own rules, with every switch set and every limit wide enough for a stop to sell. */
function sellingPolicy(policy: AccountPolicy): AccountPolicy {
  return {
    ...policy,
    accountId: 'rehearsal',
    settings: {
      ...policy.settings,
      ENABLE_AUTO_OPERATION: true,
      ENABLE_AUTO_TRADING: true,
      ENABLE_ALLOW_SELL: true,
      ENABLE_SIMULATION_MODE: false,
      STOP_LOSS_RATIO: STOP_LOSS,
    },
    isStopProfitModuleOn: true,
    isAlwaysOpen: true,
    health: { ...policy.health, isObserveOnly: true },
    risk: {
      maxOrdersPerSecond: AMPLE,
      maxOrdersPerDay: AMPLE,
      maxProtectiveOrdersPerDay: AMPLE,
      maxOrderValue: AMPLE,
      priceDeviation: 1,
      staleQuoteMs: 10 * STEP_MS,
      refuseDuplicates: true,
      maxDailyLoss: 0,
      maxRejectsInRow: AMPLE,
    },
  }
}
