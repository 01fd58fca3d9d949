import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { MessagePort } from 'node:worker_threads'
import type { PaperSettings } from '../../src/drivers/paper/settings.ts'
import { openPaperStore, type PaperStoreLimits } from '../../src/drivers/paper/store.ts'
import type { Clock } from '../../src/ports/clock.port.ts'
import type { MarketEvent } from '../../src/protocol/market.ts'
import type { PaperCommand, PaperEvent } from '../../src/protocol/paper.ts'
import type { ActorBoard } from '../../src/runtime/actor-board.ts'
import { Channel } from '../../src/runtime/channel.ts'
import { PAPER_SLOT } from './open-driver.ts'
import { Outbox, type OutboxLimits } from './outbox.ts'
import { PaperAccount, type PaperAccountLimits } from './paper-account.ts'
import { Tape, type TapeLimits, type TapeOptions } from './tape.ts'

export interface PaperLimits
  extends PaperStoreLimits,
    PaperAccountLimits,
    TapeLimits,
    OutboxLimits {}

export interface PaperActorOptions extends Omit<TapeOptions, 'limits'> {
  readonly dataDir: string
  readonly board: ActorBoard
  readonly clock: Clock
  readonly limits: PaperLimits
}

/** What comes with the port of an account. */
export interface PaperIntroduction {
  readonly accountId: string
  /** Slot of the account on the actor board. */
  readonly slot: number
  readonly settings: PaperSettings
}

interface Guest {
  readonly account: PaperAccount
  slot: number
  /** Undefined while the thread of the account is away; its orders live on. */
  outbox: Outbox | undefined
  channel: Channel<PaperEvent, PaperCommand> | undefined
}

/**
 * The embedded exchange and counter of all paper accounts of the process.
 *
 * Errors  what the books' database throws is fatal: the process ends and starts anew.
 */
export class PaperActor {
  readonly #options: PaperActorOptions
  readonly #tape: Tape
  readonly #guests = new Map<string, Guest>()

  constructor(options: PaperActorOptions) {
    this.#options = options
    this.#tape = new Tape(options)
  }

  /** The account's thread is there, or there anew. */
  introduce({ accountId, slot, settings }: PaperIntroduction, port: MessagePort): void {
    const guest = this.#guests.get(accountId) ?? this.#welcome(accountId, settings)
    this.leave(accountId)
    const { board, limits } = this.#options
    const latencyMs = settings.latency_ms
    const channel = new Channel<PaperEvent, PaperCommand>(port, {
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

  receive(event: MarketEvent, done: () => void): void {
    if (event.kind === 'bell') this.#look()
    else if (event.kind === 'dayOpened') {
      for (const { account } of this.#inOrder()) account.dayOpened(event.day)
    }
    done()
  }

  async close(): Promise<void> {
    for (const [accountId, { account, channel }] of this.#guests) {
      this.leave(accountId)
      channel?.close()
      await account.close()
    }
    this.#guests.clear()
  }

  #welcome(accountId: string, settings: PaperSettings): Guest {
    const { dataDir, clock, limits } = this.#options
    const root = join(dataDir, 'paper')
    mkdirSync(root, { recursive: true, mode: 0o700 })
    const guest: Guest = {
      account: new PaperAccount({
        settings,
        store: openPaperStore(join(root, accountId), limits),
        tape: this.#tape,
        clock,
        limits,
        put: (events) => guest.outbox?.put(events),
        look: () => this.#look(),
      }),
      slot: 0,
      outbox: undefined,
      channel: undefined,
    }
    this.#guests.set(accountId, guest)
    return guest
  }

  #look(): void {
    for (const code of this.#tape.takeTicked()) {
      const quote = this.#tape.quote(code)
      if (quote === undefined) continue
      for (const { account } of this.#inOrder()) account.tick(code, quote)
    }
  }

  /** By slot, so that two runs serve the accounts in one order. */
  #inOrder(): Guest[] {
    return [...this.#guests.values()].sort((a, b) => a.slot - b.slot)
  }
}
