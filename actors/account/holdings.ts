import type { AccountCommand } from '../../src/account/commands/on-request.ts'
import type { AccountState } from '../../src/account/model/state.ts'
import { dealtCodes } from '../../src/account/orders/day-result.ts'
import { lossFloor } from '../../src/account/orders/triggers.ts'
import { accountBand } from '../../src/account/strategies/band.ts'
import { isWatched, watchedCodes } from '../../src/account/strategies/run.ts'
import { learnNames, positionsOf } from '../../src/account/turn/holding.ts'
import type { Sight } from '../../src/account/turn/turn.ts'
import { normalizeCode, type StockCode } from '../../src/domain/instrument.ts'
import type { Quote } from '../../src/ports/quotes.port.ts'
import type { Band } from '../../src/strategy/band.ts'
import type { AccountActorDeps } from './deps.ts'
import { spreadMs } from './spread.ts'

/**
 * Nothing rings for a slot without a band, so an account pays only for what it holds.
 *
 * An account's eyes on the market: board slots of the codes it cares for, bands of those it holds.
 * A code that was watched once stays watched until the thread ends. What was dealt in today is one of them:
 * without its quote nobody can tell what the day has brought, on a computer that has just taken the account over.
 */
export class Holdings {
  readonly #deps: AccountActorDeps
  readonly #state: AccountState
  readonly #crossed: (codes: readonly StockCode[]) => void
  readonly #slots = new Map<StockCode, number>()
  readonly #codes = new Map<number, StockCode>()
  readonly #bands = new Map<StockCode, Band>()

  /** Of the bands as they stand. */
  #floor = 0
  /** Runs while new highs that decide nothing are gathered. */
  #gatherTimer: NodeJS.Timeout | undefined

  constructor(
    deps: AccountActorDeps,
    state: AccountState,
    crossed: (codes: readonly StockCode[]) => void,
  ) {
    this.#deps = deps
    this.#state = state
    this.#crossed = crossed
  }

  quote(code: StockCode): Quote | undefined {
    const slot = this.#slots.get(code)
    return slot === undefined ? undefined : this.#deps.quotes.read(slot)
  }

  /** What is judged by between two turns. */
  sight(): Sight {
    const { clock } = this.#deps
    const nowMs = clock.nowMs()
    return { nowMs, clockDoubt: clock.doubt?.(), quote: (code) => this.quote(code) }
  }

  /** As `quote` knows it, without reading one. */
  #isQuoted(code: StockCode): boolean {
    const slot = this.#slots.get(code)
    return slot !== undefined && this.#deps.quotes.stamp([slot]) > 0
  }

  /** Quotes for one turn: each code is read once, so that all rules see the same. */
  quoteSnapshot(): (code: StockCode) => Quote | undefined {
    const seen = new Map<StockCode, Quote | undefined>()
    return (code) => {
      if (!seen.has(code)) seen.set(code, this.quote(code))
      return seen.get(code)
    }
  }

  /** Board slots of what is held, for those who show its prices. */
  heldSlots(): readonly number[] {
    const slots: number[] = []
    for (const code of positionsOf(this.#state).keys()) {
      const slot = this.#slots.get(code)
      if (slot !== undefined) slots.push(slot)
    }
    return slots
  }

  async watchHeld(): Promise<void> {
    // Suspended, it only shows what is held: nothing of a strategy is asked.
    const strategies = this.#deps.isReduced === true ? [] : undefined
    const { marketWatchMs } = this.#deps.limits
    const codes = [...watchedCodes(this.#state, strategies), ...this.#dealt()]
    await this.#watch([...new Set(codes)], marketWatchMs)
  }

  #dealt(): Iterable<StockCode> {
    return dealtCodes(this.#state, this.#deps.clock.nowMs())
  }

  /** Of names that the market tells, those of stocks that this account watches. */
  namesWatched(names: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    return Object.fromEntries(
      Object.entries(names).filter(([code]) => this.#slots.has(code as StockCode)),
    )
  }

  /** Stocks to be looked at now; while new highs that decide nothing are gathered, not for these. */
  takeCrossed(): readonly StockCode[] {
    const crossed = this.#takeBeyond()
    if (this.#gatherTimer !== undefined) return crossed
    const noted = this.#isExact
      ? this.#codesAt(this.#deps.bands.takeNoted())
      : this.#takeFirstNoted()
    return noted.length === 0 ? crossed : [...new Set([...crossed, ...noted])]
  }

  #takeBeyond(): readonly StockCode[] {
    return this.#codesAt(this.#deps.bands.takeCrossed())
  }

  /** In an exact replay the market says when new highs that decide nothing are looked at. */
  get #isExact(): boolean {
    return this.#state.policy.tempo === 'exact'
  }

  /** New highs that decide nothing; the next ones are gathered for so long. */
  #takeNoted(gatherMs: number): readonly StockCode[] {
    const noted = this.#codesAt(this.#deps.bands.takeNoted())
    if (noted.length === 0) return noted
    this.#deps.bands.gather(true)
    this.#gatherTimer = setTimeout(() => this.#gathered(), gatherMs)
    return noted
  }

  /** The first time after a rest, which ended for all accounts at once when the market rose. */
  #takeFirstNoted(): readonly StockCode[] {
    return this.#takeNoted(spreadMs(this.#deps.limits.highLookMs, this.#deps.slot))
  }

  #gathered(): void {
    this.#gatherTimer = undefined
    let noted = this.#takeNoted(this.#deps.limits.highLookMs)
    if (noted.length === 0) {
      this.#deps.bands.gather(false)
      noted = this.#takeFirstNoted() // raised until the feed knew
    }
    if (noted.length > 0) this.#crossed(noted)
  }

  /** Looks at nothing more by itself. */
  close(): void {
    clearTimeout(this.#gatherTimer)
  }

  #codesAt(slots: readonly number[]): readonly StockCode[] {
    const codes = slots.map((slot) => this.#codes.get(slot))
    return codes.filter((code) => code !== undefined)
  }

  /**
   * Sets the bands that have moved, of these stocks or of all, and takes away those of stocks that nobody
   * watches any more. Under a limit for the loss of the day every band follows from all prices.
   */
  moveBands(codes?: ReadonlySet<StockCode>): void {
    const now = this.sight()
    const floor = lossFloor(this.#state, now)
    const sight = { ...now, floor }
    const isAll = codes === undefined || floor > 0 || this.#floor > 0
    this.#floor = floor
    if (isAll) this.#moveAll(sight)
    else for (const code of codes) this.#moveOne(code, sight)
    // A price that had left the new band before it was set raises a flag and sends no wake-up. New highs are left
    // to the market in an exact replay: what moves a band may be a clock on the wall, and two runs must be the same.
    const crossed = this.#isExact ? this.#takeBeyond() : this.takeCrossed()
    if (crossed.length > 0) this.#crossed(crossed)
  }

  #moveAll(sight: Sight & { readonly floor: number }): void {
    const watched = watchedCodes(this.#state)
    const unknown = [...watched, ...this.#dealt()].filter((code) => !this.#slots.has(code))
    if (unknown.length > 0) void this.#watchThenMove([...new Set(unknown)])
    for (const [code, slot] of this.#slots) {
      if (watched.has(code)) {
        this.#moveBand(code, slot, accountBand(this.#state, code, sight))
      } else if (this.#bands.delete(code)) this.#deps.bands.clear(slot)
    }
  }

  #moveOne(code: StockCode, sight: Sight & { readonly floor: number }): void {
    const slot = this.#slots.get(code)
    const isOurs = isWatched(this.#state, code)
    if (slot === undefined) {
      if (isOurs || [...this.#dealt()].includes(code)) void this.#watchThenMove([code])
    } else if (isOurs) this.#moveBand(code, slot, accountBand(this.#state, code, sight))
    else if (this.#bands.delete(code)) this.#deps.bands.clear(slot)
  }

  #moveBand(code: StockCode, slot: number, band: Band): void {
    const before = this.#bands.get(code)
    const { low, high, quiet = high } = band
    if (before?.low === low && before.high === high && (before.quiet ?? high) === quiet) return
    this.#bands.set(code, band)
    this.#deps.bands.set(slot, low, high, this.#deps.limits.highLookMs > 0 ? quiet : high)
  }

  async #watchThenMove(codes: readonly StockCode[]): Promise<void> {
    const { board, slot } = this.#deps
    const generation = board.generation(slot)
    board.begin(slot, generation)
    await this.#watch(codes, this.#deps.limits.marketWatchMs)
    this.moveBands()
    board.end(slot, generation)
  }

  async #watch(codes: readonly StockCode[], timeoutMs?: number): Promise<void> {
    const wanted = codes.filter((code) => !this.#slots.has(code))
    if (wanted.length === 0) return
    const hint = (code: StockCode) => this.#state.positions.get(code)?.costPrice ?? 0
    const rows = wanted.map((code) => ({ code, hint: hint(code) }))
    const answer = await this.#deps.market({ kind: 'watch', codes: rows }, timeoutMs)
    const { slots, names = {} } = answer
    for (const [code, slot] of Object.entries(slots)) {
      this.#slots.set(code as StockCode, slot)
      this.#codes.set(slot, code as StockCode)
    }
    learnNames(this.#state, this.namesWatched(names))
  }

  /**
   * A command that reckons with the price of codes not held finds them on the board when it runs.
   * A market that does not answer keeps no order back: the rules pass over a price they do not know.
   */
  async quotesFor(command: AccountCommand): Promise<void> {
    const codes = codesOf(command)
      .map(normalizeCode)
      .flatMap((code) => (code.ok ? [code.value] : []))
    const missing = codes.filter((code) => !this.#isQuoted(code))
    if (missing.length === 0) return
    try {
      await this.#watch(missing)
      await this.#deps.market({ kind: 'ticks', codes: missing })
    } catch (error) {
      this.#deps.log.warn({ err: error, codes: missing.length }, 'quotes for an order not answered')
    }
  }
}

/** Codes whose prices a command is judged by. */
function codesOf(command: AccountCommand): readonly string[] {
  switch (command.kind) {
    case 'executeBuy':
      return command.codes
    case 'placeOrder':
    case 'executeSell':
    case 'previewOrder':
    case 'gridStart':
    case 'gridPreview':
    case 'gridBacktest':
      return [command.code]
    default:
      return []
  }
}
