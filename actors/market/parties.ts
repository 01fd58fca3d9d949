import type { MessagePort } from 'node:worker_threads'
import { ServiceError } from '../../src/domain/errors.ts'
import type { BandFeed } from '../../src/market/bands.ts'
import { PAPER_SLOT } from '../../src/market/memory.ts'
import type { MarketEvent, MarketRequest } from '../../src/protocol/market.ts'
import type { ActorBoard } from '../../src/runtime/actor-board.ts'
import { Channel } from '../../src/runtime/channel.ts'
import { Link, type LinkLimits, portWire } from '../../src/runtime/link.ts'
import { atMicrotaskEnd } from '../../src/runtime/posting.ts'

const LINK = 'link:'
const EVENTS = 'events:'

export interface PartiesOptions {
  readonly board: ActorBoard
  readonly bands: BandFeed
  readonly limits: LinkLimits
  /** Takes note of a wake-up before it is sent. */
  readonly wakes: (actor: number) => void
  /** `actor` is undefined for the front, which has no slot. */
  readonly answer: (request: MarketRequest, actor: number | undefined) => unknown
}

/**
 * Who is connected to the market: a link for requests and, for actors, a channel for events.
 * Introduced as `link:<address>` and `events:<address>` with `{slot}`; a port of null says that
 * the party is gone, and its watches and bands with it.
 */
export class Parties {
  readonly #options: PartiesOptions
  readonly #links = new Map<string, Link>()
  readonly #channels = new Map<number, Channel<MarketEvent, never>>()
  /** Slots of accounts with a channel, ascending. */
  #accounts: readonly number[] = []
  /** Actors whose wake-up leaves with the end of this turn. */
  #bells: number[] = []

  constructor(options: PartiesOptions) {
    this.#options = options
  }

  /** Throws on a name or slot that is not as described: that is a bug of the starter. */
  introduce(name: string, port: MessagePort | null, info: unknown): void {
    if (name.startsWith(LINK)) this.#link(name.slice(LINK.length), port, slotOf(info))
    else if (name.startsWith(EVENTS)) this.#channel(name, port, slotOf(info))
    else throw new Error(`the market knows no party "${name}"`)
  }

  get accounts(): readonly number[] {
    return this.#accounts
  }

  tell(actor: number, event: MarketEvent): void {
    this.#channels.get(actor)?.send(event)
  }
  /** Wakes an actor unless a wake-up is on its way. An actor without a channel hears it when it is introduced. */
  wake(actor: number): void {
    const channel = this.#channels.get(actor)
    if (channel === undefined || !this.#options.bands.wake(actor)) return
    this.#options.wakes(actor)
    channel.send({ kind: 'wakeUp' })
  }

  /**
   * As {@link wake}, with the end of this turn of the thread: quotes that come together are one look, where a
   * thread that looks at the first of them would be woken by each of the others again.
   */
  wakeSoon(actor: number): void {
    if (!this.#channels.has(actor) || !this.#options.bands.wake(actor)) return
    this.#options.wakes(actor)
    if (this.#bells.push(actor) === 1) atMicrotaskEnd(() => this.ring())
  }

  /** Whether a wake-up waits for the end of this turn. */
  get isBellWaiting(): boolean {
    return this.#bells.length > 0
  }

  /** Wake-ups that wait leave now. */
  ring(): void {
    const bells = this.#bells
    if (bells.length === 0) return
    this.#bells = []
    for (const actor of bells) this.#channels.get(actor)?.send({ kind: 'wakeUp' })
  }

  #link(address: string, port: MessagePort | null, actor: number | undefined): void {
    this.#links.get(address)?.close(new ServiceError('ACTOR_RESTARTING', `${address} is gone`))
    this.#links.delete(address)
    if (port === null) {
      if (actor !== undefined) this.#options.bands.drop(actor)
      return
    }
    const { limits, answer } = this.#options
    const link = new Link(portWire(port), {
      peer: address,
      limits,
      answer: (body) => answer(body as MarketRequest, actor),
    })
    this.#links.set(address, link)
  }

  #channel(name: string, port: MessagePort | null, actor: number | undefined): void {
    if (actor === undefined) throw new Error(`${name} was introduced without a slot`)
    const { board, bands } = this.#options
    this.#channels.get(actor)?.close()
    this.#channels.delete(actor)
    if (port === null) bands.drop(actor)
    else {
      const receive = (_message: never, done: () => void) => done()
      this.#channels.set(actor, new Channel(port, { board, self: actor, peer: actor, receive }))
      if (bands.hasCrossed(actor)) this.wake(actor)
    }
    this.#accounts = [...this.#channels.keys()]
      .filter((slot) => slot !== PAPER_SLOT)
      .sort((left, right) => left - right)
  }
}

const slotOf = (info: unknown): number | undefined =>
  typeof info === 'object' && info !== null && 'slot' in info && typeof info.slot === 'number'
    ? info.slot
    : undefined
