import { exchangeDay } from '../../../domain/exchange-time.ts'
import { feeRatesOf } from '../../../domain/fees.ts'
import type { StockCode } from '../../../domain/instrument.ts'
import { ok } from '../../../domain/result.ts'
import type { Clock } from '../../../ports/clock.port.ts'
import type { Quote } from '../../../ports/quotes.port.ts'
import type {
  DriverCommand,
  DriverEvent,
  HostCommand,
  QueryRows,
} from '../../../protocol/driver.ts'
import { refusal } from '../../refusal.ts'
import { applyChanges, type Books, booksOf, type Changes } from '../books.ts'
import type { PaperConfig } from '../config.ts'
import type { CorporateAction } from '../corporate-action.ts'
import { Draft } from '../draft.ts'
import { firstRows } from '../first-rows.ts'
import { type PaperInput, type StepContext, step } from '../step.ts'
import { Opening, type OpeningOptions } from './opening.ts'
import type { Tape } from './tape.ts'

export interface PaperAccountLimits {
  /** Orders of one account on one day. */
  readonly ordersPerDayMax: number
  /** Commands of one account that wait; one more is refused. */
  readonly commandsMax: number
  /** Commands worked off in one transaction; then timers and other accounts have their turn. */
  readonly groupCommandsMax: number
}

/** What a step wants told once it is on disk, and whom to refuse when it never will be. */
interface Outcome {
  readonly changes: Changes | null
  readonly events: readonly DriverEvent[]
  readonly command: DriverCommand | undefined
}

/** Takes answers and pushes. */
export interface Listener {
  put(events: readonly DriverEvent[]): void
}

export interface PaperAccountOptions extends OpeningOptions {
  readonly settings: PaperConfig
  readonly tape: Tape
  readonly clock: Clock
  readonly limits: PaperAccountLimits
  /** Of tests, for all accounts. */
  readonly corporateActions?: readonly CorporateAction[]
  /** Who is there to be told; what is decided while the account's thread is away is told to nobody. */
  readonly listener: () => Listener | undefined
  /** Called when a band was set: ticks that came meanwhile are looked at without a wake-up. */
  readonly drain: () => void
}

const NO_ACTIONS: readonly CorporateAction[] = []

const TAKEN_OVER =
  'a later owner has been here: the account was taken over, or its database is older than these books'

/**
 * One account at the counter: its books, in memory and on disk, and its commands in order.
 *
 * Commands that arrive together are written together: the books in memory go ahead, what they answer
 * waits until the group is on disk. A group that is not written, because a newer owner has come, closes
 * the books, and so nothing that was decided on top of it is told.
 */
export class PaperAccount {
  readonly #options: PaperAccountOptions
  readonly #context: StepContext
  readonly #opening: Opening
  /** Undefined before the first `open`, and after a newer owner has come. */
  #books: Books | undefined
  #epoch = 0
  readonly #armed = new Set<StockCode>()
  readonly #waiting: (() => Promise<void> | undefined)[] = []
  /** Waits for the present task, or for its place in the next turn. */
  #isBusy = false
  #isClosed = false
  /** Of the group being worked off; undefined between groups. */
  #outcomes: Outcome[] | undefined
  #dones: (() => void)[] = []

  constructor(options: PaperAccountOptions) {
    this.#options = options
    const { settings, tape, limits } = options
    const priceOf = (code: StockCode) => tape.price(code)
    this.#context = { rates: feeRatesOf(settings.fees), limits, priceOf }
    this.#opening = new Opening(options)
  }

  /** One at a time, in order. `done` when everything that follows has been put. */
  receive(message: HostCommand, done: () => void): void {
    if (this.#waiting.length >= this.#options.limits.commandsMax && message.kind === 'command') {
      const fault = { code: 'FAILED', message: 'too many commands wait' } as const
      this.#options.listener()?.put([refusal(message.command, fault)])
      done()
      return
    }
    this.#waiting.push(() => {
      const ends = this.#carryOut(message)
      if (ends === undefined) this.#dones.push(done)
      return ends?.then(done)
    })
    this.#schedule()
  }

  /** Matches what waits in this code. */
  tick(code: StockCode, quote: Quote): void {
    if (!this.#armed.has(code)) return
    this.#followActions()
    this.#step({ kind: 'tick', code, quote })
  }

  dayOpened(day: string): void {
    this.#step({ kind: 'dayOpened', day })
    this.#followActions()
  }

  /** What still waits comes to nothing. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#lock()
    await this.#opening.store?.close()
  }

  #schedule(): void {
    if (this.#isBusy) return
    this.#isBusy = true
    setImmediate(() => this.#work())
  }

  /** One group: tasks until one must wait for something, or the group is full. */
  #work(): void {
    this.#outcomes = []
    let ends: Promise<void> | undefined
    for (let left = this.#options.limits.groupCommandsMax; left > 0; left--) {
      ends = this.#waiting.shift()?.()
      if (ends !== undefined || this.#waiting.length === 0) break
    }
    this.#finishGroup()
    void Promise.resolve(ends).then(() => {
      this.#isBusy = false
      if (this.#waiting.length > 0) this.#schedule()
    })
  }

  #finishGroup(): void {
    const outcomes = this.#outcomes ?? []
    const dones = this.#dones
    this.#outcomes = undefined
    this.#dones = []
    this.#handOver(outcomes, dones)
  }

  /** Ends the group early; another one goes on. */
  #flush(): void {
    if (this.#outcomes === undefined) return
    const outcomes = this.#outcomes
    this.#outcomes = []
    this.#handOver(outcomes)
  }

  /** Has written what has been decided, and only then tells those who were there when it was. */
  #handOver(outcomes: readonly Outcome[], dones: readonly (() => void)[] = []): void {
    const epoch = this.#epoch
    const heard = this.#options.listener()
    const changes = outcomes.flatMap((outcome) => outcome.changes ?? [])
    const written = (isWritten: boolean) => {
      if (isWritten) this.#tell(outcomes, heard)
      else this.#takeBack(outcomes, epoch, heard)
      for (const done of dones) done()
    }
    const { store } = this.#opening
    // Without books nothing is decided; if something were, it would not have happened.
    if (store === undefined) written(changes.length === 0)
    else store.commit(epoch, changes, written)
  }

  #tell(outcomes: readonly Outcome[], heard: Listener | undefined): void {
    for (const { events } of outcomes) heard?.put(events.filter((event) => this.#isTold(event)))
  }

  /** Nothing of it has happened: a newer owner has been here before it was written. */
  #takeBack(outcomes: readonly Outcome[], epoch: number, heard: Listener | undefined): void {
    if (this.#books !== undefined && epoch === this.#epoch) this.#lockOut(heard)
    for (const { command } of outcomes) if (command !== undefined) this.#refuse(command, heard)
  }

  /** Real clients differ in what they push: the books go on, whoever is told. */
  #isTold({ kind }: DriverEvent): boolean {
    const { pushes } = this.#options.settings
    if (kind === 'orderPushed' || kind === 'dealPushed') return pushes !== 'none'
    if (kind === 'positionPushed' || kind === 'assetPushed') return pushes === 'all'
    return true
  }

  #carryOut(message: HostCommand): Promise<void> | undefined {
    if (this.#isClosed) return undefined
    if (message.kind === 'open') return this.#open(message.epoch)
    const { command } = message
    if (this.#opening.store === undefined && command.kind === 'connect') {
      return this.#open(this.#epoch).then(() => {
        if (!this.#isClosed) void this.#carryOutOpened(command)
      })
    }
    return this.#carryOutOpened(command)
  }

  #carryOutOpened(command: DriverCommand): Promise<void> | undefined {
    if (!this.#isOpen()) {
      this.#refuse(command)
      return undefined
    }
    if (command.kind === 'submit') return this.#submit(command)
    this.#obey(command)
    return undefined
  }

  /** The books are read anew: another process may have written them in between. */
  async #open(epoch: number): Promise<void> {
    const { settings, tape, listener } = this.#options
    this.#flush() // what was decided under the last epoch is written under it
    this.#lock()
    this.#epoch = epoch
    const store = this.#opening.tried()
    if (store === undefined) return // tried again when the account connects
    const rows = await store.claim(epoch, () => firstRows(settings))
    if (this.#isClosed) return
    if (rows === null) {
      const clientEpoch = store.newest()
      listener()?.put([{ kind: 'disconnected', reason: TAKEN_OVER, clientEpoch }])
      return
    }
    this.#books = booksOf(rows)
    this.#rollByClock() // what waited when an earlier day ended is over, whatever ticks now
    const { holdings, open } = this.#books
    const hints = new Map<string, number>()
    for (const { row } of open.values()) hints.set(row.code, row.price)
    for (const { code, costPrice } of holdings.values()) hints.set(code, costPrice)
    for (const { code } of this.#actions) if (!hints.has(code)) hints.set(code, 0)
    const watches = Array.from(hints, ([code, hint]) => ({ code, hint }))
    await tape.watchOpened(watches, () => !this.#isClosed)
    this.#rearm()
    for (const code of this.#armed) this.#catchUp(code)
  }

  /** What ticked while nobody looked. */
  #catchUp(code: StockCode): void {
    const quote = this.#options.tape.quote(code)
    if (quote !== undefined) this.tick(code, quote)
  }

  #isOpen(): boolean {
    if (this.#books !== undefined && this.#opening.store?.isOwner(this.#epoch) !== true)
      this.#lockOut()
    return this.#books !== undefined
  }

  #obey(command: Exclude<DriverCommand, { kind: 'submit' }>): void {
    this.#rollByClock()
    const { callId, kind } = command
    const nowMs = this.#options.clock.nowMs()
    if (kind === 'cancel') {
      this.#step({ kind, callId, orderId: command.orderId, nowMs }, command)
    } else if (kind === 'connect') {
      this.#answer([{ kind: 'connectAnswered', callId, result: ok(null) }])
    } else if (kind === 'barrier') {
      // Commands are worked off one after the other: what came before it has been decided.
      this.#answer([{ kind: 'barrierAnswered', callId, result: ok(null) }])
    } else {
      const { what } = command
      const result = ok(this.#rows(what))
      this.#answer([{ kind: 'queryAnswered', callId, what, result }])
    }
  }

  #submit(command: Extract<DriverCommand, { kind: 'submit' }>): Promise<void> | undefined {
    const { order } = command
    const { tape } = this.#options
    if (tape.quote(order.code) !== undefined) {
      this.#place(command)
      return undefined
    }
    const { code, price } = order
    return tape.firstQuote({ code, hint: price }).then(() => this.#place(command))
  }

  #place(command: Extract<DriverCommand, { kind: 'submit' }>): void {
    const { callId, order } = command
    const { tape, clock, drain } = this.#options
    this.#rollByClock()
    const code = order.code
    tape.arm(code) // before the quote is read: no tick can fall in between
    const input = { kind: 'submit', callId, order, quote: tape.quote(code), nowMs: clock.nowMs() }
    this.#step(input as Extract<PaperInput, { kind: 'submit' }>, command)
    tape.disarm(code)
    drain()
  }

  #rows(what: 'asset' | 'positions' | 'orders' | 'deals'): QueryRows {
    const draft = new Draft(this.#openBooks(), this.#context.rates)
    switch (what) {
      case 'asset':
        return { what, rows: [draft.assetRow(this.#context.priceOf)] }
      case 'positions':
        return { what, rows: draft.positionRows() }
      case 'orders':
        return { what, rows: draft.orderRows() }
      case 'deals':
        return { what, rows: draft.dealRows() }
    }
  }

  #openBooks(): Books {
    if (this.#books === undefined) throw new Error('the books are closed')
    return this.#books
  }

  /** The market clock is asked before every command: a day may have begun without a message yet. */
  #rollByClock(): void {
    const { clock } = this.#options
    this.#step({ kind: 'dayOpened', day: clock.day?.() ?? exchangeDay(clock.nowMs()) })
    this.#followActions()
  }

  get #actions(): readonly CorporateAction[] {
    return this.#options.corporateActions ?? NO_ACTIONS
  }
  #followActions(): void {
    if (this.#actions.length === 0) return
    const nowMs = this.#options.clock.nowMs()
    this.#step({ kind: 'corporateActions', actions: this.#actions, nowMs })
  }

  /** Decides. Inside a group the rest follows at its end, otherwise at once. */
  #step(input: PaperInput, command?: DriverCommand): void {
    if (this.#books === undefined) {
      if (command !== undefined) this.#refuse(command)
      return
    }
    const { changes, events } = step(this.#books, input, this.#context)
    if (changes !== null) {
      applyChanges(this.#books, changes)
      this.#rearm()
    }
    this.#answer(events, changes, command)
  }

  #answer(
    events: readonly DriverEvent[],
    changes: Changes | null = null,
    command?: DriverCommand,
  ): void {
    const outcome = { changes, events, command }
    if (this.#outcomes === undefined) this.#handOver([outcome])
    else this.#outcomes.push(outcome)
  }

  /** Whether the later owner lives, or our owner's books are older than these, is not for us to say. */
  #refuse(command: DriverCommand, heard = this.#options.listener()): void {
    const { store } = this.#opening
    if (store === undefined) {
      heard?.put([refusal(command, { code: 'NOT_CONNECTED', message: this.#opening.problem })])
      return
    }
    const clientEpoch = store.newest()
    const fault = { code: 'NOT_CONNECTED', message: TAKEN_OVER } as const
    const isAhead = command.kind === 'connect' && clientEpoch > this.#epoch
    heard?.put([refusal(command, isAhead ? { ...fault, clientEpoch } : fault)])
  }

  #lockOut(heard = this.#options.listener()): void {
    this.#lock()
    heard?.put([{ kind: 'disconnected', reason: TAKEN_OVER }])
  }
  #lock(): void {
    this.#books = undefined
    this.#rearm()
  }

  /** Every tick of the codes in which orders wait, or shares are to change, and of no other. */
  #rearm(): void {
    const { tape } = this.#options
    const wanted = new Set(this.#books?.open.codes() ?? [])
    if (this.#books !== undefined) for (const { code } of this.#actions) wanted.add(code)
    for (const code of wanted) {
      if (this.#armed.has(code)) continue
      this.#armed.add(code)
      tape.arm(code)
    }
    for (const code of [...this.#armed]) {
      if (wanted.has(code)) continue
      this.#armed.delete(code)
      tape.disarm(code)
    }
  }
}
