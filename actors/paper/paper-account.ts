import { exchangeDay } from '../../src/domain/exchange-time.ts'
import type { StockCode } from '../../src/domain/instrument.ts'
import { ok } from '../../src/domain/result.ts'
import { applyChanges, type Books, booksOf } from '../../src/drivers/paper/books.ts'
import { Draft } from '../../src/drivers/paper/draft.ts'
import { refusal } from '../../src/drivers/paper/refusal.ts'
import { feeRates, firstRows, type PaperSettings } from '../../src/drivers/paper/settings.ts'
import { type PaperInput, type StepContext, step } from '../../src/drivers/paper/step.ts'
import type { PaperStore } from '../../src/drivers/paper/store.ts'
import type { Clock } from '../../src/ports/clock.port.ts'
import type { Quote } from '../../src/ports/quotes.port.ts'
import type { DriverCommand, DriverEvent, QueryRows } from '../../src/protocol/driver.ts'
import type { PaperCommand } from '../../src/protocol/paper.ts'
import type { Tape } from './tape.ts'

export interface PaperAccountLimits {
  /** Orders of one account on one day. */
  readonly ordersPerDayMax: number
  /** Commands of one account that wait behind one that waits for a first quote. */
  readonly commandsMax: number
}

export interface PaperAccountOptions {
  readonly settings: PaperSettings
  readonly store: PaperStore
  readonly tape: Tape
  readonly clock: Clock
  readonly limits: PaperAccountLimits
  /** Takes answers and pushes; what is put while the account's thread is away is dropped. */
  readonly put: (events: readonly DriverEvent[]) => void
  /** Called when a band was set: ticks that came meanwhile are looked at without a bell. */
  readonly look: () => void
}

const TAKEN_OVER = 'another process has taken over the account'

/** One account at the counter: its books, in memory and on disk, and its commands in order. */
export class PaperAccount {
  readonly #options: PaperAccountOptions
  readonly #context: StepContext
  /** Undefined before the first `open`, and after a newer owner has come. */
  #books: Books | undefined
  #epoch = 0
  readonly #armed = new Set<StockCode>()
  readonly #waiting: (() => Promise<void> | undefined)[] = []
  #isBusy = false

  constructor(options: PaperAccountOptions) {
    this.#options = options
    const { settings, tape, limits } = options
    const priceOf = (code: StockCode) => tape.price(code)
    this.#context = { rates: feeRates(settings), limits, priceOf }
  }

  /** One at a time, in order. `done` when everything that follows has been put. */
  receive(message: PaperCommand, done: () => void): void {
    if (this.#waiting.length >= this.#options.limits.commandsMax && message.kind === 'command') {
      const fault = { code: 'FAILED', message: 'too many commands wait' } as const
      this.#options.put([refusal(message.command, fault)])
      done()
      return
    }
    this.#waiting.push(() => {
      const ends = this.#carryOut(message)
      if (ends === undefined) done()
      return ends?.then(done)
    })
    this.#next()
  }

  /** Matches what waits in this code. */
  tick(code: StockCode, quote: Quote): void {
    if (this.#armed.has(code)) this.#step({ kind: 'tick', code, quote })
  }

  dayOpened(day: string): void {
    this.#step({ kind: 'dayOpened', day })
  }

  async close(): Promise<void> {
    this.#lock()
    await this.#options.store.close()
  }

  #next(): void {
    while (!this.#isBusy) {
      const task = this.#waiting.shift()
      if (task === undefined) return
      const ends = task()
      if (ends === undefined) continue
      this.#isBusy = true
      void ends.then(() => {
        this.#isBusy = false
        this.#next()
      })
    }
  }

  #carryOut(message: PaperCommand): Promise<void> | undefined {
    if (message.kind === 'open') return this.#open(message.epoch)
    const { command } = message
    if (!this.#isOpen()) {
      this.#options.put([refusal(command, { code: 'NOT_CONNECTED', message: TAKEN_OVER })])
      return undefined
    }
    if (command.kind === 'submit') return this.#submit(command)
    this.#obey(command)
    return undefined
  }

  /** The books are read anew: another process may have written them in between. */
  #open(epoch: number): Promise<void> | undefined {
    const { store, settings, tape } = this.#options
    this.#lock()
    this.#epoch = epoch
    const rows = store.claim(epoch, () => firstRows(settings))
    if (rows === null) {
      this.#options.put([{ kind: 'disconnected', reason: TAKEN_OVER }])
      return undefined
    }
    this.#books = booksOf(rows)
    const { holdings, open } = this.#books
    const hints = new Map<string, number>()
    for (const { row } of open.values()) hints.set(row.code, row.price)
    for (const { code, costPrice } of holdings.values()) hints.set(code, costPrice)
    const watches = Array.from(hints, ([code, hint]) => ({ code, hint }))
    return tape.watch(watches).then(() => {
      this.#rearm()
      for (const code of this.#armed) this.#catchUp(code)
    })
  }

  /** What ticked while nobody looked. */
  #catchUp(code: StockCode): void {
    const quote = this.#options.tape.quote(code)
    if (quote !== undefined) this.tick(code, quote)
  }

  #isOpen(): boolean {
    if (this.#books !== undefined && !this.#options.store.isOwner(this.#epoch)) this.#lockOut()
    return this.#books !== undefined
  }

  #obey(command: Exclude<DriverCommand, { kind: 'submit' }>): void {
    this.#rollByClock()
    const { callId, kind } = command
    const nowMs = this.#options.clock.nowMs()
    if (kind === 'cancel') {
      this.#step({ kind, callId, orderId: command.orderId, nowMs }, command)
    } else if (kind === 'connect') {
      this.#options.put([{ kind: 'connectAnswered', callId, result: ok(null) }])
    } else {
      const { what } = command
      const result = ok(this.#rows(what))
      this.#options.put([{ kind: 'queryAnswered', callId, what, result }])
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
    const { tape, clock, look } = this.#options
    this.#rollByClock()
    const code = order.code
    tape.arm(code) // before the quote is read: no tick can fall in between
    const input = { kind: 'submit', callId, order, quote: tape.quote(code), nowMs: clock.nowMs() }
    this.#step(input as Extract<PaperInput, { kind: 'submit' }>, command)
    tape.disarm(code)
    look()
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
    this.#step({ kind: 'dayOpened', day: exchangeDay(this.#options.clock.nowMs()) })
  }

  /** Decides, writes, and only then tells. */
  #step(input: PaperInput, command?: DriverCommand): void {
    if (this.#books === undefined) {
      if (command !== undefined) this.#refuse(command)
      return
    }
    const { changes, events } = step(this.#books, input, this.#context)
    if (changes !== null && !this.#options.store.commit(this.#epoch, changes)) {
      this.#lockOut()
      if (command !== undefined) this.#refuse(command)
      return
    }
    if (changes !== null) {
      applyChanges(this.#books, changes)
      this.#rearm()
    }
    this.#options.put(events)
  }

  #refuse(command: DriverCommand): void {
    this.#options.put([refusal(command, { code: 'NOT_CONNECTED', message: TAKEN_OVER })])
  }

  #lockOut(): void {
    this.#lock()
    this.#options.put([{ kind: 'disconnected', reason: TAKEN_OVER }])
  }
  #lock(): void {
    this.#books = undefined
    this.#rearm()
  }

  /** Every tick of the codes in which orders wait, and of no other. */
  #rearm(): void {
    const { tape } = this.#options
    const wanted = new Set(Array.from(this.#books?.open.values() ?? [], ({ row }) => row.code))
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
