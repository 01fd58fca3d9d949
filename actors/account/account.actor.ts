import { decisions } from '../../src/account/answers/strategies.ts'
import type { AccountCommand } from '../../src/account/commands/on-request.ts'
import { mustBeServed } from '../../src/account/commands/served.ts'
import { isUnconfirmed } from '../../src/account/model/restore.ts'
import type { AccountState } from '../../src/account/model/state.ts'
import { nextPointMs } from '../../src/account/orders/equity-points.ts'
import { type AccountInput, stepTogether } from '../../src/account/step.ts'
import { nextEvaluationMs, nextOrderMs } from '../../src/account/strategies/run.ts'
import { type Effect, Turn, type TurnInputs } from '../../src/account/turn/turn.ts'
import { ServiceError } from '../../src/domain/errors.ts'
import { exchangeDay } from '../../src/domain/exchange-time.ts'
import type { StockCode } from '../../src/domain/instrument.ts'
import type { CallHeader } from '../../src/ports/transport.port.ts'
import type { AccountRequest } from '../../src/protocol/account.ts'
import type { DriverEvent } from '../../src/protocol/driver.ts'
import type { NoteFill } from '../../src/protocol/fills.ts'
import type { MarketEvent } from '../../src/protocol/market.ts'
import { Mailbox } from '../../src/runtime/mailbox.ts'
import { tellBrokerTime } from './broker-time.ts'
import { ClientCalls } from './client-calls.ts'
import { Commits } from './commits.ts'
import { DecisionAge } from './decision-age.ts'
import type { AccountActorDeps } from './deps.ts'
import { Holdings } from './holdings.ts'
import { areNews, doneOf, type Item, WaitingQuotes } from './items.ts'
import { withKeys } from './keys.ts'
import { type Afterwards, movedBy, ordersLeaving, type Saved, type Shown } from './outgoing.ts'
import { Pages } from './pages.ts'
import { ReadGate } from './read-gate.ts'
import { Readings } from './readings.ts'
import { Requesters } from './requesters.ts'
import { loadState } from './rows.ts'
import { SteadyClock, Timers } from './timers.ts'

/** What is known of a request besides what it wants. */
type Call = Partial<Pick<CallHeader, 'correlationId' | 'startByMs' | 'deadlineMs'>>

const FULL = 'the account has too many requests; try again'
const RECORDS_BUSY = '成交记录正在修改，请稍后再试 (trade records are being changed; try again)'

/**
 * The shell around `step`: save, then act. No trading rule lives here.
 *
 * Inputs that wait together are worked off together: their turns are one of the {@link Commits}.
 */
export class AccountActor {
  readonly #deps: AccountActorDeps
  readonly #state: AccountState
  readonly #client: ClientCalls
  readonly #mailbox: Mailbox<Item>
  readonly #holdings: Holdings
  readonly #readings: Readings
  readonly #steady: SteadyClock
  readonly #age: DecisionAge
  readonly #pages: Pages
  /** One at a time: a record that was found for a note is still there when the note is written. */
  readonly #recordChanges: ReadGate
  readonly #commits: Commits
  readonly #requesters: Requesters
  readonly #quotes = new WaitingQuotes()
  readonly #timers: Timers
  /** Of the in-flight count: what an earlier incarnation began is not ended here. */
  readonly #generation: number
  /** Market clock of the newest turn. */
  #turnMs = 0
  #isStartCounted = true
  #isStopping = false

  private constructor(deps: AccountActorDeps, state: AccountState, epoch: number) {
    this.#deps = deps
    this.#state = state
    this.#generation = deps.board.generation(deps.slot)
    this.#holdings = new Holdings(deps, state, (codes) => this.#offerQuotes(codes))
    this.#readings = new Readings(deps, state, this.#holdings)
    this.#steady = new SteadyClock(deps.time)
    // Two runs of an exact replay must be the same, however long this computer takes for one of them.
    const sendMs =
      deps.policy.tempo === 'exact' ? Number.POSITIVE_INFINITY : deps.limits.orderSendMs
    this.#age = new DecisionAge(deps.time, sendMs)
    const waitingMax = deps.limits.readsWaitingMax
    this.#recordChanges = new ReadGate(RECORDS_BUSY, { atOnceMax: 1, waitingMax })
    this.#requesters = new Requesters(deps.time)
    this.#commits = new Commits(deps, {
      state,
      generation: this.#generation,
      publish: (shown) => this.#publish(shown),
      perform: (effect, saved) => this.#perform(effect, saved),
      followUp: (turns) => this.#followUp(turns),
    })
    this.#pages = new Pages(deps, {
      state,
      holdings: this.#holdings,
      readings: this.#readings,
      written: () => this.#commits.written(),
    })
    this.#timers = new Timers({
      rings: (name) => this.#offer('system', { kind: 'timer', name }),
      callTimedOut: (callId) => this.#client.timedOut(callId),
    })
    this.#client = new ClientCalls({
      deps,
      state,
      epoch,
      requesters: this.#requesters,
      age: this.#age,
      timers: this.#timers,
      offer: (lane, input) => this.#offer(lane, input),
    })
    this.#mailbox = new Mailbox<Item>({
      limits: deps.limits.mailbox,
      receive: (item, others) => this.#receive(item, others),
      // In an exact replay what waits together is chance.
      ...(deps.policy.tempo !== 'exact' && { belongs: areNews }),
      batchEnd: () => this.#commits.send(),
    })
  }

  /** Loads what was saved and begins: the first thing it does is to look at the broker. */
  static async start(deps: AccountActorDeps): Promise<AccountActor> {
    const { state, epoch, restored } = await loadState(deps)
    const actor = new AccountActor(deps, state, epoch)
    if (deps.isReduced !== true) deps.board.setStatus(deps.slot, 'recovering')
    actor.#client.open((event) => actor.#onDriver(event))
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
    if (request.kind === 'audit') return this.#pages.audit(request)
    if (request.kind === 'decisions') return Promise.resolve(decisions(this.#state, request))
    if (request.kind === 'stopProfitRows') return Promise.resolve(this.#readings.stopProfitRows())
    if (request.kind === 'marketHealth') return Promise.resolve(this.#readings.marketHealth())
    if (request.kind === 'calls') return Promise.resolve(this.#client.report())
    if (request.kind === 'gridAsk') return this.#pages.grid(request.question)
    if (request.kind === 'earningsAsk') return this.#pages.earnings(request.question)
    if (request.kind === 'fillsAsk') return this.#pages.fills(request.question)
    if (request.kind === 'clearRecords') {
      return this.#recordChanges.pass(() => this.#clearRecords(request.scope, request.source))
    }
    if (request.kind === 'noteFill') {
      return this.#recordChanges.pass(() => this.#noteFill(request, call))
    }
    return this.#command(request, call)
  }

  /** Who asked under this id has gone: what has not left for the broker yet does not leave. */
  withdraw(correlationId: string): void {
    for (const { key, source } of this.#requesters.withdraw(correlationId)) {
      const request = {
        kind: 'cancelQueued',
        clientOrderId: key,
        isCallerGone: true,
        source,
      } as const
      // Where the mailbox is full it is not sent all the same, because its caller is known to be gone.
      this.#command(request, {}).catch(() => undefined)
    }
  }

  #wakeUp(done: () => void): void {
    const crossed = this.#holdings.takeCrossed()
    if (crossed.length === 0) return done()
    this.#offerQuotes(crossed, { done, wokenAtMs: this.#deps.latency.wokenAtMs() })
  }

  onMarket(event: MarketEvent, done: () => void): void {
    if (event.kind === 'wakeUp') return this.#wakeUp(done)
    if (event.kind === 'dayOpened') {
      this.#offer('system', { ...this.#openDay(), kind: 'dayOpened', day: event.day }, done)
      return
    }
    if (event.kind === 'named') {
      const names = this.#holdings.namesWatched(event.names)
      if (Object.keys(names).length === 0) return done()
      this.#offer('system', { kind: 'named', names }, done)
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
    this.#holdings.close()
    this.#client.close()
    this.#mailbox.close()
    await this.#commits.ended()
    this.#deps.board.setConnected(this.#deps.slot, false)
  }

  async #command(
    request: Exclude<AccountCommand, { kind: 'clearRecords' }>,
    call: Call,
  ): Promise<unknown> {
    // Of a clock that cannot jump: one that is set meanwhile neither ends nor prolongs the request.
    const { correlationId = '', startByMs = 0, deadlineMs = 0 } = call
    const untilMs = startByMs === 0 ? Number.POSITIVE_INFINITY : startByMs
    const answerByMs = deadlineMs === 0 ? Number.POSITIVE_INFINITY : deadlineMs
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const ref = this.#requesters.add({ correlationId, untilMs, answerByMs, resolve, reject })
    await this.#holdings.quotesFor(request)
    if (!this.#offer('request', { kind: 'request', request, ref })) {
      this.#requesters.reject(ref, new ServiceError('MAILBOX_FULL', FULL))
    }
    return promise
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
        reject(new ServiceError('MAILBOX_FULL', FULL))
      })
      await cleared
      removed += ids.length
    }
    return { removed, message: `已清除 ${removed} 条成交记录 (${removed} trade records removed)` }
  }

  /** With what the database has of the record: the account keeps none of them in memory. */
  async #noteFill(request: NoteFill, call: Call): Promise<unknown> {
    await this.#commits.written()
    const code = await this.#readings.recordCode(request.fillId)
    return this.#command({ ...request, ...(code !== undefined && { code }) }, call)
  }

  #onDriver(event: DriverEvent): void {
    if ('callId' in event) this.#client.answered(event)
    tellBrokerTime(event, this.#deps)
    this.#offer('event', { kind: 'driver', event })
  }

  #offerQuotes(crossed: readonly StockCode[], { done, wokenAtMs }: Partial<Item> = {}): void {
    // In an exact replay what waits together is chance.
    const isJoined = this.#deps.policy.tempo !== 'exact' && this.#quotes.join(crossed)
    if (isJoined) done?.()
    else this.#offer('tick', this.#quotes.begin(crossed), done, wokenAtMs)
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

  #receive(item: Item, others: readonly Item[]): void | Promise<void> {
    const { input, wokenAtMs } = item
    const done = doneOf(item, others)
    const isRequest = input.kind === 'request'
    if (input.kind === 'quotes') this.#quotes.received()
    if (isRequest && this.#requesters.isPassed(input.ref)) return done()
    const { tickToStep, nowMs } = this.#deps.latency
    if (wokenAtMs !== undefined) tickToStep.observe(nowMs() - wokenAtMs)
    const decided = this.#age.now() // before the quotes are looked at
    this.#turnMs = this.#deps.clock.nowMs()
    const turn = new Turn(this.#state, {
      nowMs: this.#turnMs,
      wallMs: this.#steady.nowMs(),
      ...this.#constraints(),
      quote: this.#holdings.quoteSnapshot(),
      clockDoubt: this.#deps.clock.doubt?.(),
    })
    const doubts = this.#state.orders.untoldCount
    const first = isRequest ? this.#begun(input, turn) : input
    stepTogether(turn, [first, ...others.map((other) => other.input)])
    if (this.#state.orders.untoldCount !== doubts) this.#deps.board.doubtAnswers(this.#deps.slot)
    this.#requesters.turnCame(ordersLeaving(turn), isRequest ? input.ref : undefined)
    if (wokenAtMs !== undefined) this.#timeIntents(turn, wokenAtMs)
    const correlationId = isRequest ? this.#requesters.correlationId(input.ref) : ''
    return this.#commits.add(turn, { input, correlationId, decided, done })
  }

  /** A request with the ids of its orders, and until when somebody waits for what becomes of them. */
  #begun(input: Extract<AccountInput, { kind: 'request' }>, { inputs }: Turn): AccountInput {
    const { nowMs, wallMs } = inputs
    const request = withKeys(this.#state, input.request, nowMs)
    this.#requesters.begun(input.ref, request)
    const leftMs = this.#requesters.leftMs(input.ref)
    return { ...input, request, ...(Number.isFinite(leftMs) && { deadlineMs: wallMs + leftMs }) }
  }

  /** Says when to look again, before the next tick of an exact replay comes. Both follow from the state as it is now. */
  #followUp(turns: readonly Afterwards[]): void {
    const nowMs = this.#turnMs
    if (this.#deps.isReduced === true) {
      for (const { done } of turns) done()
      return // strategies say nothing: their words may be what it crashed of
    }
    const alarmMs = Math.min(
      nextOrderMs(this.#state, nowMs),
      nextEvaluationMs(this.#state, nowMs),
      nextPointMs(this.#state, nowMs),
    )
    this.#deps.alarm.set(alarmMs)
    const codes = movedBy(turns)
    if (codes !== undefined) this.#holdings.moveBands(codes === 'all' ? undefined : codes)
    for (const { done } of turns) done()
  }

  #timeIntents({ events }: Turn, wokenAtMs: number): void {
    if (!events.some(({ event }) => event.kind === 'orderSubmitted')) return
    const { tickToIntent, nowMs } = this.#deps.latency
    tickToIntent.observe(nowMs() - wokenAtMs)
  }

  #publish(shown: Shown): void {
    const { board, slot } = this.#deps
    const { connection, simulation, restore } = this.#state
    // A simulation needs no broker.
    const isReady = this.#state.isReady || simulation !== undefined
    const isConnected = connection.phase === 'connected'
    board.setConnected(slot, isConnected)
    board.setUnconfirmed(slot, isUnconfirmed(restore))
    if (this.#deps.isReduced !== true) {
      board.setStatus(slot, isReady ? 'ready' : isConnected ? 'recovering' : 'degraded')
    }
    if (shown === 'any') this.#readings.acted()
    if (shown !== 'none') board.bumpVersion(slot)
    // The exact replay waits for an account that starts, but not for a client that stays away.
    if (this.#isStartCounted && (isReady || connection.failures > 0)) {
      this.#isStartCounted = false
      board.end(slot, this.#generation)
    }
  }

  #perform(effect: Effect, saved: Saved): void {
    switch (effect.kind) {
      case 'call':
        return this.#client.send(effect, saved)
      case 'clientAhead':
        return void this.#clientAhead(effect.clientEpoch)
      case 'reply':
        return this.#requesters.resolve(effect.ref, effect.value)
      case 'refuse':
        return this.#requesters.reject(effect.ref, effect.error)
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
}
