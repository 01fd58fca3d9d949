import { join } from 'node:path'
import type { MessagePort } from 'node:worker_threads'
import type { Clock } from '../../../ports/clock.port.ts'
import type { HostCommand } from '../../../protocol/driver.ts'
import type { MarketEvent } from '../../../protocol/market.ts'
import { type ActorBoard, PAPER_SLOT } from '../../../runtime/actor-board.ts'
import { Channel } from '../../../runtime/channel.ts'
import type { HostIntroduction } from '../../host.ts'
import { BooksLog, type BooksLogLimits } from '../books-log.ts'
import type { PaperEvent } from '../client.ts'
import type { PaperConfig } from '../config.ts'
import type { CorporateAction } from '../corporate-action.ts'
import { openPaperStore, type PaperStoreLimits } from '../store.ts'
import { NOT_OPENED } from './opening.ts'
import { Outbox, type OutboxLimits } from './outbox.ts'
import { PaperAccount, type PaperAccountLimits } from './paper-account.ts'
import { Tape, type TapeLimits, type TapeOptions } from './tape.ts'

export interface PaperLimits
  extends PaperStoreLimits,
    BooksLogLimits,
    PaperAccountLimits,
    TapeLimits,
    OutboxLimits {}

export interface PaperActorOptions extends Omit<TapeOptions, 'limits'> {
  readonly dataDir: string
  readonly board: ActorBoard
  readonly clock: Clock
  readonly limits: PaperLimits
  /** Takes what an operator should know. */
  readonly warn: (fields: Readonly<Record<string, unknown>>, text: string) => void
  /** Other books than those on disk, for tests. */
  readonly openStore?: typeof openPaperStore
  /** What becomes of shares and costs, for tests. */
  readonly corporateActions?: readonly CorporateAction[]
}

/** What comes with the port of an account. */
export type PaperIntroduction = HostIntroduction<{
  readonly account_id: string
  readonly paper: PaperConfig
}>

interface Guest {
  readonly account: PaperAccount
  slot: number
  /** Undefined while the thread of the account is away; its orders live on. */
  outbox: Outbox | undefined
  channel: Channel<PaperEvent, HostCommand> | undefined
}

/**
 * The embedded exchange and counter of all paper accounts of the process.
 *
 * Errors  what the database of books that are open throws is fatal: the process ends and starts anew. Books that cannot
 *         be opened keep nobody but their account.
 */
export class PaperActor {
  readonly #options: PaperActorOptions
  readonly #tape: Tape
  readonly #log: BooksLog
  readonly #guests = new Map<string, Guest>()
  /** Books on their way out. */
  readonly #closing = new Map<string, Promise<void>>()

  constructor(options: PaperActorOptions) {
    this.#options = options
    this.#tape = new Tape(options)
    const { board, dataDir, limits, warn } = options
    this.#log = new BooksLog({
      dataDir,
      folder: join(dataDir, 'paper', 'logs'),
      limits,
      pulse: {
        begin: () => void board.begin(PAPER_SLOT), // so that an exact replay waits for the disk
        end: () => board.end(PAPER_SLOT),
        beat: () => this.#beat(),
        atDisk: (work) => board.atDisk(PAPER_SLOT, work),
      },
      warn,
    })
  }

  /** The account's thread is there, or there anew. Books that are being closed are waited for. */
  introduce(introduction: PaperIntroduction, port: MessagePort): void {
    const { slot, account } = introduction
    const { account_id: accountId, paper: settings } = account
    const closing = this.#closing.get(accountId)
    if (closing !== undefined) {
      void closing.then(() => this.introduce(introduction, port))
      return
    }
    const guest = this.#guests.get(accountId) ?? this.#welcome(accountId, settings)
    this.#beat()
    this.leave(accountId)
    const { board, limits } = this.#options
    const latencyMs = settings.latency_ms
    const channel = new Channel<PaperEvent, HostCommand>(port, {
      board,
      self: PAPER_SLOT,
      peer: slot,
      isBatched: true,
      receive: (message, done) => {
        if (guest.outbox === outbox) guest.account.receive(message, done)
        else done() // a late word of a thread that is gone
      },
    })
    const send = (event: PaperEvent) => channel.send(event)
    const outbox = new Outbox({ send, board, slot: PAPER_SLOT, latencyMs, limits })
    guest.slot = slot
    guest.outbox = outbox
    guest.channel = channel
  }

  /**
   * The account's thread is gone: what would be sent is dropped from now on, and so is what still
   * comes. The port is not closed, so that what waits in it is counted off; it ends with its peer.
   */
  leave(accountId: string): void {
    const guest = this.#guests.get(accountId)
    guest?.outbox?.close()
    if (guest !== undefined) guest.outbox = undefined
  }

  /** This process is done with the account: its books are closed until it is introduced again. */
  async forget(accountId: string): Promise<void> {
    const guest = this.#guests.get(accountId)
    if (guest === undefined) return
    this.leave(accountId)
    this.#guests.delete(accountId)
    const closing = guest.account.close()
    this.#closing.set(accountId, closing)
    await closing
    this.#closing.delete(accountId)
  }

  receive(event: MarketEvent, done: () => void): void {
    if (event.kind === 'wakeUp') this.#drain()
    else if (event.kind === 'dayOpened') {
      for (const { account } of this.#inOrder()) {
        account.dayOpened(event.day)
        this.#beat()
      }
    }
    done()
  }

  async close(): Promise<void> {
    for (const accountId of this.#guests.keys()) this.leave(accountId) // nobody hears what is given up now
    this.#log.stopWaiting()
    for (const [accountId, { channel }] of [...this.#guests]) {
      channel?.close()
      await this.forget(accountId)
    }
    await Promise.all(this.#closing.values())
    await this.#log.close()
  }

  #welcome(accountId: string, settings: PaperConfig): Guest {
    const { dataDir, clock, limits, corporateActions, warn } = this.#options
    const { openStore = openPaperStore } = this.#options
    const folder = join(dataDir, 'paper', accountId)
    const guest: Guest = {
      account: new PaperAccount({
        settings,
        openStore: () => openStore(folder, limits, this.#log),
        tape: this.#tape,
        clock,
        limits,
        listener: () => {
          this.#beat()
          return guest.outbox
        },
        drain: () => this.#drain(),
        notOpened: (reason) => warn({ account: accountId, reason }, NOT_OPENED),
        ...(corporateActions && { corporateActions }),
      }),
      slot: 0,
      outbox: undefined,
      channel: undefined,
    }
    this.#guests.set(accountId, guest)
    return guest
  }

  #drain(): void {
    for (const code of this.#tape.takeTicked()) {
      const quote = this.#tape.quote(code)
      if (quote === undefined) continue
      for (const { account } of this.#inOrder()) account.tick(code, quote)
      this.#beat()
    }
  }

  /**
   * Something has been done for one account. Books are opened and written in this thread, those of many
   * accounts in one turn of its event loop: its heart would stand still meanwhile.
   */
  #beat(): void {
    this.#options.board.beat(PAPER_SLOT)
  }

  /** By slot, so that two runs serve the accounts in one order. */
  #inOrder(): Guest[] {
    return [...this.#guests.values()].sort((a, b) => a.slot - b.slot)
  }
}
