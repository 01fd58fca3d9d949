import { decisions } from '../../src/account/answers/strategies.ts'
import type { AccountCommand } from '../../src/account/commands/on-request.ts'
import { mustBeServed } from '../../src/account/commands/served.ts'
import type { AccountState } from '../../src/account/model/state.ts'
import { type AccountInput, step } from '../../src/account/step.ts'
import { nextEvaluationMs, nextOrderMs } from '../../src/account/strategies/run.ts'
import { type Effect, Turn, type TurnInputs } from '../../src/account/turn/turn.ts'
import { ServiceError } from '../../src/domain/errors.ts'
import { exchangeDay } from '../../src/domain/exchange-time.ts'
import type { StockCode } from '../../src/domain/instrument.ts'
import type { Driver } from '../../src/ports/driver.port.ts'
import type { CallHeader } from '../../src/ports/transport.port.ts'
import type { AccountRequest } from '../../src/protocol/account.ts'
import type { DriverEvent } from '../../src/protocol/driver.ts'
import type { MarketEvent } from '../../src/protocol/market.ts'
import { Mailbox } from '../../src/runtime/mailbox.ts'
import { AuditPages } from './audit-pages.ts'
import { CallMeter } from './call-meter.ts'
import type { AccountActorDeps } from './deps.ts'
import { GridPages } from './grid-pages.ts'
import { Holdings } from './holdings.ts'
import { withKeys } from './keys.ts'
import { type Afterwards, afterwards, movedBy, type Outgoing, type Saved } from './outgoing.ts'
import { Readings } from './readings.ts'
import { CommitDraft, loadState } from './rows.ts'
import { SteadyClock, Timers } from './timers.ts'

/** One thing to work off; `done` is called when all that follows from it has been done. */
interface Item {
  readonly input: AccountInput
  readonly done: () => void
  /** When the wake-up behind it was sent; undefined when none was. */
  readonly wokenAtMs: number | undefined
}

/** What is known of a request besides what it wants. */
type Call = Partial<Pick<CallHeader, 'correlationId' | 'deadlineMs'>>

interface Requester {
  readonly correlationId: string
  /** Monotonic milliseconds: taken up later it is not executed, because its caller has given up. */
  readonly untilMs: number
  readonly resolve: (value: unknown) => void
  readonly reject: (error: ServiceError) => void
}

/**
 * The shell around `step`: save, then act. No trading rule lives here.
 *
 * Inputs that wait together are worked off together: their events are one commit, and what they want
 * done follows it, in order. The next ones do not wait for the disk. A failed commit ends the thread.
 */
export class AccountActor {
  readonly #deps: AccountActorDeps
  readonly #state: AccountState
  readonly #driver: Driver
  readonly #mailbox: Mailbox<Item>
  readonly #holdings: Holdings
  readonly #readings: Readings
  readonly #audit: AuditPages
  readonly #steady: SteadyClock
  readonly #grids: GridPages
  readonly #draft: CommitDraft
  /** Turns of the draft. */
  #gathered: Afterwards[] = []
  readonly #outgoing: Outgoing[] = []
  /** Turns whose effects have not been performed yet. */
  #turnsInFlight = 0
  readonly #requesters = new Map<number, Requester>()
  readonly #timers: Timers
  /** Of the in-flight count: what an earlier incarnation began is not ended here. */
  readonly #generation: number
  readonly #calls: CallMeter
  #nextRef = 1
  /** Market clock of the newest turn. */
  #turnMs = 0
  #isDraining = false
  #resume: (() => void) | undefined
  #isStartCounted = true
  #isStopping = false

  private constructor(deps: AccountActorDeps, state: AccountState, epoch: number) {
    this.#deps = deps
    this.#state = state
    this.#draft = new CommitDraft(state)
    this.#driver = deps.driver(epoch)
    this.#calls = new CallMeter(Date.now(), deps.log)
    this.#generation = deps.board.generation(deps.slot)
    this.#holdings = new Holdings(deps, state, (codes) => this.#offerQuotes(codes))
    this.#readings = new Readings(deps, state, this.#holdings)
    this.#steady = new SteadyClock(deps.time)
    this.#audit = new AuditPages(deps.store, deps.limits)
    this.#grids = new GridPages(deps.store, deps.limits)
    this.#timers = new Timers({
      rings: (name) => this.#offer('system', { kind: 'timer', name }),
      callTimedOut: (callId) => this.#callTimedOut(callId),
    })
    this.#mailbox = new Mailbox<Item>({
      limits: deps.limits.mailbox,
      receive: (item) => this.#receive(item),
      batchEnd: () => this.#send(),
    })
  }

  /** Loads what was saved and begins: the first thing it does is to look at the broker. */
  static async start(deps: AccountActorDeps): Promise<AccountActor> {
    const { state, epoch, restored } = await loadState(deps)
    const actor = new AccountActor(deps, state, epoch)
    if (deps.isReduced !== true) deps.board.setStatus(deps.slot, 'recovering')
    actor.#driver.open((event) => actor.#onDriver(event))
    await actor.#holdings.watchHeld()
    const { incarnation } = deps
    actor.#offer('system', { kind: 'started', incarnation, ...actor.#openDay(), restored })
    return actor
  }

  /** Answers a call from the front: a read at once from the views, a command through the mailbox. */
  request(request: AccountRequest, call: Call = {}): Promise<unknown> {
    if (this.#isStopping) {
      return Promise.reject(new ServiceError('STOPPING', 'the account is being stopped'))
    }
    if (request.kind === 'read') return this.#readings.read(request.resource)
    if (request.kind === 'audit') return this.#audit.read(request, this.#state.seq)
    if (request.kind === 'decisions') return Promise.resolve(decisions(this.#state, request))
    if (request.kind === 'stopProfitRows') return Promise.resolve(this.#readings.stopProfitRows())
    if (request.kind === 'marketHealth') return Promise.resolve(this.#readings.marketHealth())
    if (request.kind === 'calls') return Promise.resolve(this.#calls.report())
    if (request.kind === 'gridAsk') {
      return this.#grids.read({ state: this.#state, ...this.#holdings.sight() }, request.question)
    }
    if (request.kind === 'clearRecords') return this.#clearRecords(request.scope, request.source)
    return this.#command(request, call)
  }

  #wakeUp(done: () => void): void {
    const crossed = this.#holdings.takeCrossed()
    if (crossed.length === 0) return done()
    const wokenAtMs = this.#deps.latency.wokenAtMs()
    if (!this.#offer('tick', { kind: 'quotes', crossed }, done, wokenAtMs)) {
      throw new Error('ticks are conflated, so their lane cannot be full')
    }
  }

  onMarket(event: MarketEvent, done: () => void): void {
    if (event.kind === 'wakeUp') return this.#wakeUp(done)
    if (event.kind === 'dayOpened') {
      this.#offer('system', { ...this.#openDay(), kind: 'dayOpened', day: event.day }, done)
      return
    }
    if (event.kind === 'alarm') this.#deps.alarm.rung()
    this.#offer('system', event, done)
  }

  #openDay(): { readonly day: string; readonly isSure: boolean } {
    const { clock } = this.#deps
    const day = clock.day?.() ?? exchangeDay(clock.nowMs())
    return { day, isSure: clock.isSure?.() ?? false }
  }

  /** Cooperative end: no new request, what is under way becomes durable. */
  async stop(): Promise<void> {
    this.#isStopping = true
    this.#timers.clear()
    this.#driver.close()
    this.#mailbox.close()
    while (this.#outgoing.length > 0) await this.#outgoing[0]?.durable
    this.#deps.board.setConnected(this.#deps.slot, false)
  }

  async #command(
    request: Exclude<AccountCommand, { kind: 'clearRecords' }>,
    call: Call,
  ): Promise<unknown> {
    // Of a clock that cannot jump: one that is set meanwhile neither ends nor prolongs the request.
    const { correlationId = '', deadlineMs = 0 } = call
    const untilMs = deadlineMs === 0 ? Number.POSITIVE_INFINITY : deadlineMs
    await this.#holdings.quotesFor(request)
    const ref = this.#nextRef++
    return new Promise((resolve, reject) => {
      this.#requesters.set(ref, { correlationId, untilMs, resolve, reject })
      if (this.#offer('request', { kind: 'request', request, ref })) return
      this.#requesters.delete(ref)
      reject(new ServiceError('MAILBOX_FULL', 'the account has too many requests; try again'))
    })
  }

  /** Whether nobody waits for this any more; its caller may send it again under the same key. */
  #isPassed(input: AccountInput): boolean {
    if (input.kind !== 'request') return false
    const untilMs = this.#requesters.get(input.ref)?.untilMs ?? Number.POSITIVE_INFINITY
    if (this.#deps.time.monotonicMs() <= untilMs) return false
    const text =
      '请求排队过久，未执行；可用同一键重发 (taken up after its deadline: not executed, send it again under the same key)'
    this.#settle(input.ref, ({ reject }) => reject(new ServiceError('DEADLINE_PASSED', text)))
    return true
  }

  /** What keeps the account from deciding freely now. */
  #constraints(): Pick<TurnInputs, 'isDiskLow' | 'isSuspended'> {
    const { board, isReduced } = this.#deps
    return { isDiskLow: board.isDiskLow(), isSuspended: isReduced === true }
  }

  /** Page by page, so that a million records do not stop the account. */
  async #clearRecords(scope: 'today' | 'all', source: string): Promise<unknown> {
    mustBeServed(this.#constraints(), 'clearRecords')
    let removed = 0
    for (;;) {
      const ids = await this.#readings.recordIds(scope)
      if (ids.length === 0) break
      const cleared = new Promise<void>((resolve, reject) => {
        const input: AccountInput = { kind: 'recordsCleared', scope, ids, source }
        if (this.#offer('request', input, resolve)) return
        reject(new ServiceError('MAILBOX_FULL', 'the account has too many requests; try again'))
      })
      await cleared
      removed += ids.length
    }
    return { removed, message: `已清除 ${removed} 条成交记录` }
  }

  #onDriver(event: DriverEvent): void {
    if ('callId' in event) {
      this.#timers.callAnswered(event.callId)
      this.#calls.answered(event)
    }
    this.#tellBrokerTime(event)
    this.#offer('event', { kind: 'driver', event })
  }

  /** While nobody is sure of the time: a real broker's rows say on which day it lives. */
  #tellBrokerTime(event: DriverEvent): void {
    const { clock, isReal, market } = this.#deps
    if (!isReal || clock.doubt?.() === undefined) return
    const timeMs = newestMs(event)
    if (timeMs > 0) market({ kind: 'brokerTime', timeMs }).catch(() => undefined)
  }

  #offerQuotes(crossed: readonly StockCode[]): void {
    this.#offer('tick', { kind: 'quotes', crossed })
  }

  /** Counts the item as in flight from here until all that follows from it is done. */
  #offer(
    lane: 'system' | 'event' | 'request' | 'tick',
    input: AccountInput,
    done?: () => void,
    wokenAtMs?: number,
  ): boolean {
    const { board, slot } = this.#deps
    board.begin(slot, this.#generation)
    const finished = () => {
      board.end(slot, this.#generation)
      done?.()
    }
    const isTaken = this.#mailbox.offer(lane, { input, done: finished, wokenAtMs })
    if (!isTaken) board.end(slot, this.#generation)
    return isTaken
  }

  #receive({ input, done, wokenAtMs }: Item): void | Promise<void> {
    if (this.#isPassed(input)) return done()
    const { tickToStep, nowMs } = this.#deps.latency
    if (wokenAtMs !== undefined) tickToStep.observe(nowMs() - wokenAtMs)
    this.#turnMs = this.#deps.clock.nowMs()
    const turn = new Turn(this.#state, {
      nowMs: this.#turnMs,
      wallMs: this.#steady.nowMs(),
      ...this.#constraints(),
      quote: this.#holdings.quoteSnapshot(),
      clockDoubt: this.#deps.clock.doubt?.(),
    })
    const isRequest = input.kind === 'request'
    step(
      turn,
      isRequest
        ? { ...input, request: withKeys(this.#state, input.request, turn.inputs.nowMs) }
        : input,
    )
    if (wokenAtMs !== undefined) this.#timeIntents(turn, wokenAtMs)
    const cause = isRequest ? this.#requesters.get(input.ref)?.correlationId : undefined
    const correlationId = cause ?? ''
    this.#draft.add(turn)
    this.#gathered.push(afterwards(turn, { input, correlationId, done }))
    this.#turnsInFlight += 1
    const { stepsInFlightMax } = this.#deps.limits
    if (this.#turnsInFlight < stepsInFlightMax) return
    this.#send()
    if (this.#turnsInFlight < stepsInFlightMax) return // there was nothing to wait for
    return new Promise((resolve) => {
      this.#resume = resolve
    })
  }

  /** One commit for all turns since the last one. */
  #send(): void {
    const turns = this.#gathered
    if (turns.length === 0) return
    this.#gathered = []
    const isAhead = !turns.some(({ isAwaited }) => isAwaited)
    if (isAhead) this.#goAhead(turns)
    this.#outgoing.push(this.#committed(turns, isAhead))
    if (!this.#isDraining) void this.#drain()
  }

  /** Nobody hears of these turns: the next tick of an exact replay need not wait for the disk. */
  #goAhead(turns: readonly Afterwards[]): void {
    this.#deps.board.beginSave(this.#deps.slot, this.#generation)
    this.#followUp(turns)
  }

  /** Says when to look again, before the next tick of an exact replay comes. Both follow from the state as it is now. */
  #followUp(turns: readonly Afterwards[]): void {
    const nowMs = this.#turnMs
    if (this.#deps.isReduced === true) {
      for (const { done } of turns) done()
      return // strategies say nothing: their words may be what it crashed of
    }
    const alarmMs = Math.min(nextOrderMs(this.#state, nowMs), nextEvaluationMs(this.#state, nowMs))
    this.#deps.alarm.set(alarmMs)
    const codes = movedBy(turns)
    if (codes !== undefined) this.#holdings.moveBands(codes === 'all' ? undefined : codes)
    for (const { done } of turns) done()
  }

  #committed(turns: readonly Afterwards[], isAhead: boolean): Outgoing {
    const commit = this.#draft.take()
    if (commit === undefined) return { durable: undefined, durableAtMs: 0, turns, isAhead }
    const { latency, store } = this.#deps
    const sinceMs = latency.nowMs()
    const durable = store.commit(commit)
    const outgoing: Outgoing = { durable, durableAtMs: 0, turns, isAhead }
    const observe = () => {
      outgoing.durableAtMs = latency.nowMs()
      latency.commit.observe(outgoing.durableAtMs - sinceMs)
    }
    durable.then(observe, () => undefined) // a failed one ends the thread elsewhere
    return outgoing
  }

  #timeIntents({ events }: Turn, wokenAtMs: number): void {
    if (!events.some(({ event }) => event.kind === 'orderSubmitted')) return
    const { tickToIntent, nowMs } = this.#deps.latency
    tickToIntent.observe(nowMs() - wokenAtMs)
  }

  /** Performs what turns want done, after their commit, in the order of the turns. */
  async #drain(): Promise<void> {
    this.#isDraining = true
    for (;;) {
      const outgoing = this.#outgoing[0]
      if (outgoing === undefined) break
      if (outgoing.durable !== undefined) await outgoing.durable // a failed one ends the thread
      this.#finish(outgoing)
      this.#outgoing.shift()
      this.#turnsInFlight -= outgoing.turns.length
      this.#resume?.()
      this.#resume = undefined
    }
    this.#isDraining = false
  }

  #finish({ turns, durableAtMs, isAhead }: Outgoing): void {
    this.#publish()
    for (const { effects, correlationId } of turns) {
      for (const effect of effects) this.#perform(effect, { correlationId, durableAtMs })
    }
    if (isAhead) this.#deps.board.endSave(this.#deps.slot, this.#generation)
    else this.#followUp(turns)
  }

  #publish(): void {
    const { board, slot } = this.#deps
    const { connection, simulation } = this.#state
    // A simulation needs no broker.
    const isReady = this.#state.isReady || simulation !== undefined
    const isConnected = connection.phase === 'connected'
    board.setConnected(slot, isConnected)
    if (this.#deps.isReduced !== true) {
      board.setStatus(slot, isReady ? 'ready' : isConnected ? 'recovering' : 'degraded')
    }
    board.bumpVersion(slot)
    // The exact replay waits for an account that starts, but not for a client that stays away.
    if (this.#isStartCounted && (isReady || connection.failures > 0)) {
      this.#isStartCounted = false
      board.end(slot, this.#generation)
    }
  }

  #perform(effect: Effect, saved: Saved): void {
    switch (effect.kind) {
      case 'call':
        return this.#call(effect, saved)
      case 'clientAhead':
        return void this.#clientAhead(effect.clientEpoch)
      case 'reply':
        return this.#settle(effect.ref, (requester) => requester.resolve(effect.value))
      case 'refuse':
        return this.#settle(effect.ref, (requester) => requester.reject(effect.error))
      case 'timer':
        return this.#timers.set(effect.name, effect.delayMs)
      case 'bands':
        return // see #followUp
      case 'log':
        return this.#deps.log[effect.level](effect.fields ?? {}, effect.message)
    }
  }

  /** A promise that nobody awaits: what it rejects with ends the thread, and so does what it says. */
  async #clientAhead(clientEpoch: number): Promise<void> {
    await this.#deps.store.clientAhead?.(clientEpoch)
    throw new ServiceError(
      'NOT_OWNER',
      `the trading client has seen epoch ${clientEpoch}: the books are older, and are claimed anew`,
    )
  }

  #call(
    { command, timeoutMs }: Extract<Effect, { kind: 'call' }>,
    { correlationId, durableAtMs }: Saved,
  ): void {
    const { callId } = command
    this.#timers.callBegan(callId, timeoutMs)
    this.#calls.began(command, this.#isPing(callId), correlationId)
    this.#driver.send(command)
    if (command.kind !== 'submit' || durableAtMs === 0) return
    const { commitToSubmit, nowMs } = this.#deps.latency
    commitToSubmit.observe(nowMs() - durableAtMs)
  }

  #isPing(callId: number): boolean {
    const call = this.#state.calls.get(callId)
    return call?.kind === 'query' && call.purpose === 'ping'
  }

  #settle(ref: number, answer: (requester: Requester) => void): void {
    const requester = this.#requesters.get(ref)
    this.#requesters.delete(ref)
    if (requester !== undefined) answer(requester)
  }

  #callTimedOut(callId: number): void {
    this.#calls.timedOut(callId)
    this.#offer('event', { kind: 'callTimedOut', callId })
  }
}

/** Time of the newest order or deal that the broker shows, epoch ms; 0 when it shows none. */
function newestMs(event: DriverEvent): number {
  if (event.kind === 'orderPushed') return event.order.timeMs
  if (event.kind === 'dealPushed') return event.deal.timeMs
  if (event.kind !== 'queryAnswered' || !event.result.ok) return 0
  const { what, rows } = event.result.value
  if (what !== 'orders' && what !== 'deals') return 0
  return rows.reduce((newest, row) => Math.max(newest, row.timeMs), 0)
}
