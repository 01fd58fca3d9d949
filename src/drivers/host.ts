import { isDeepStrictEqual } from 'node:util'
import type { MessagePort } from 'node:worker_threads'
import { untilServiceHoursMs } from '../domain/session.ts'
import { takeClosedDays } from '../market/closed-days.ts'
import type { MarketMemory } from '../market/memory.ts'
import { type LogMemory, linesOf } from '../observability/log-memory.ts'
import { createLogger, type Logger } from '../observability/logger.ts'
import type { Driver } from '../ports/driver.port.ts'
import { decode, encode } from '../protocol/codec.ts'
import type { DriverEvent, HostCommand } from '../protocol/driver.ts'
import { ActorBoard, type ActorBoardMemory } from '../runtime/actor-board.ts'
import { startHeartbeat } from '../runtime/heartbeat.ts'
import { inTurn } from '../runtime/in-turn.ts'
import { postBytes } from '../runtime/posting.ts'
import { steadyMs } from '../runtime/steady.ts'
import { thisThread } from '../runtime/thread.ts'
import { refusalOfLate } from './refusal.ts'
import { TerminalWatch, type TerminalWatchOptions } from './terminal/watch.ts'

/**
 * What the thread of a driver's host is started with. Accounts are introduced as `account/<id>`, with a
 * port that brings `HostCommand`s, and gone when they are introduced with null: for a moment, or with
 * `HostFarewell` for good. The thread of the embedded
 * broker has the ports `market`, a link that takes `MarketRequest`, and `events`, a channel of `MarketEvent`.
 */
export interface HostThreadData<Limits> {
  readonly dataDir: string
  /** Its own row of the actor board. */
  readonly slot: number
  readonly actorBoard: ActorBoardMemory
  readonly market: MarketMemory
  /** As configured; each driver says which of them it reads. */
  readonly limits: Limits
  readonly logs: LogMemory
}

/** What comes with the port of an account. */
export interface HostIntroduction<Account> {
  /** Row of the account on the actor board. */
  readonly slot: number
  /** As configured; each driver says what it reads of it. */
  readonly account: Account
}

/** What may come with the null of an account. A real broker's host lets go by itself, after a while. */
export interface HostFarewell {
  /** This process does not run the account any more. */
  readonly isGone: true
}

/** What the host of a real broker holds for an account through all lives of the account's thread. */
export interface Connection<Account> {
  /** For one life: the thread of an owner with this epoch has come. */
  driver(owner: { readonly account: Account; readonly epoch: number; readonly log: Logger }): Driver
  /** The account does not come back. */
  close(): void
}

interface Guest<Account> {
  /** As it was configured when its connection was made. */
  readonly account: Account
  readonly connection: Connection<Account>
  driver: Driver | undefined
  /** It has asked for a connection, and has none: its thread is told of terminals. */
  isAway: boolean
  tell: (event: DriverEvent) => void
  /** Ends the connection of an account that does not come back. */
  leaving: NodeJS.Timeout | undefined
}

export interface RealHostOptions<Account> {
  readonly log: Logger
  /** For which a connection waits for the next thread of its account, milliseconds. */
  readonly lingerMs: number
  /** Makes the connection of an account that was not here before. */
  readonly connect: (account: Account, log: Logger) => Connection<Account>
  /** How terminals are looked for while an account waits for its one, in the service hours. */
  readonly watch?: HostWatch | undefined
}

export interface HostWatch extends Pick<TerminalWatchOptions, 'signs' | 'everyMs'> {
  /** Between two accounts that are told, milliseconds. */
  readonly turnMs: number
  /** Market clock, epoch milliseconds. */
  readonly nowMs: () => number
}

/** The connections of all accounts of the process at one kind of real broker. */
export class RealHost<Account extends { readonly account_id: string }> {
  readonly #options: RealHostOptions<Account>
  readonly #guests = new Map<string, Guest<Account>>()
  readonly #watch: TerminalWatch | undefined

  constructor(options: RealHostOptions<Account>) {
    this.#options = options
    const { log, watch } = options
    this.#watch =
      watch &&
      new TerminalWatch({
        signs: watch.signs,
        everyMs: watch.everyMs,
        isWanted: () => untilServiceHoursMs(watch.nowMs()) === 0 && this.#away().length > 0,
        seen: () => this.#tellTerminal(watch.turnMs),
        log,
      })
  }

  #away(): readonly Guest<Account>[] {
    return [...this.#guests.values()].filter(({ isAway }) => isAway)
  }

  #tellTerminal(turnMs: number): void {
    const away = this.#away()
    this.#options.log.info({ accounts: away.length }, 'a process of the terminal has appeared')
    inTurn(away, turnMs, ({ isAway, tell }) => {
      if (isAway) tell({ kind: 'terminalSeen' })
    })
  }

  /** The account's thread is there, or there anew: its connection stayed as it was. */
  introduce({ account }: HostIntroduction<Account>, port: MessagePort): void {
    const log = this.#options.log.child({ account: account.account_id })
    const guest = this.#standing(account) ?? this.#welcome(account, log)
    clearTimeout(guest.leaving)
    guest.driver?.close()
    guest.isAway = false
    guest.tell = (event) => postBytes(port, encode(event))
    let driver: Driver | undefined
    port.on('message', (bytes: Uint8Array) => {
      const message = decode<HostCommand>(bytes)
      if (message.kind === 'command') {
        const late = refusalOfLate(message, steadyMs())
        return late === undefined
          ? driver?.send(message.command, message.untilMs)
          : postBytes(port, encode(late))
      }
      driver = guest.connection.driver({ account, epoch: message.epoch, log })
      guest.driver = driver
      driver.open((event) => {
        guest.isAway = isAwayAfter(event, guest.isAway)
        guest.tell(event)
      })
    })
  }

  /** Who was here before; one that was registered anew, with another folder or address, is another guest. */
  #standing(account: Account): Guest<Account> | undefined {
    const guest = this.#guests.get(account.account_id)
    if (guest === undefined || isDeepStrictEqual(guest.account, account)) return guest
    clearTimeout(guest.leaving)
    guest.driver?.close()
    guest.connection.close()
    return undefined
  }

  leave(accountId: string): void {
    const guest = this.#guests.get(accountId)
    if (guest === undefined) return
    guest.driver?.close()
    guest.driver = undefined
    guest.isAway = false
    clearTimeout(guest.leaving)
    guest.leaving = setTimeout(() => {
      this.#guests.delete(accountId)
      guest.connection.close()
    }, this.#options.lingerMs)
  }

  close(): void {
    this.#watch?.stop()
    for (const { connection, driver, leaving } of this.#guests.values()) {
      clearTimeout(leaving)
      driver?.close()
      connection.close()
    }
    this.#guests.clear()
  }

  #welcome(account: Account, log: Logger): Guest<Account> {
    const connection = this.#options.connect(account, log)
    const guest: Guest<Account> = {
      account,
      connection,
      driver: undefined,
      isAway: false,
      tell: () => undefined,
      leaving: undefined,
    }
    this.#guests.set(account.account_id, guest)
    return guest
  }
}

function isAwayAfter(event: DriverEvent, isAway: boolean): boolean {
  if (event.kind === 'connectAnswered') return !event.result.ok
  return event.kind === 'disconnected' || isAway
}

interface EveryHostLimits {
  readonly runtime: { readonly heartbeat_interval_ms: number }
}

/** All that the thread of a real broker's host does; `open` says what is the broker's own. */
export function serveRealHost<Account extends { readonly account_id: string }, Limits>(
  name: string,
  open: (data: HostThreadData<Limits>) => Omit<RealHostOptions<Account>, 'log'>,
): void {
  takeClosedDays()
  const thread = thisThread<HostThreadData<Limits & EveryHostLimits>>()
  const { slot, actorBoard, limits, logs } = thread.data
  const log = createLogger({ memory: logs, name, write: linesOf(thread, logs) })
  const host = new RealHost<Account>({ log, ...open(thread.data) })
  const { heartbeat_interval_ms: beatMs } = limits.runtime
  const stopHeartbeat = startHeartbeat(new ActorBoard(actorBoard), slot, beatMs)
  thread.onIntroduced((address, port, info) => {
    if (port === null) host.leave(address.slice(address.indexOf('/') + 1))
    else host.introduce(info as HostIntroduction<Account>, port)
  })
  thread.onStop(() => {
    stopHeartbeat()
    host.close()
  })
  thread.ready()
}
