import { MessageChannel, type MessagePort } from 'node:worker_threads'
import type { MarketThreadData } from '../../../actors/market/market.thread.ts'
import type { Supervisor } from '../../../actors/supervisor/supervisor.actor.ts'
import { DRIVER_NAMES, DRIVERS, type DriverName } from '../../config/drivers.ts'
import type { Config } from '../../config/schema.ts'
import type { HostThreadData } from '../../drivers/host.ts'
import type { CorporateAction } from '../../drivers/paper/corporate-action.ts'
import type { MarketMemory } from '../../market/memory.ts'
import type { LogMemory } from '../../observability/log-memory.ts'
import { type ActorBoardMemory, PAPER_SLOT } from '../../runtime/actor-board.ts'
import { Link, portWire } from '../../runtime/link.ts'
import type { Thread } from '../../runtime/thread.ts'
import { quoteSharing } from '../settings/cluster-limits.ts'
import { marketLimits, storeLimits, vitalHeap } from '../settings/limits.ts'
import type { Scope } from '../settings/scope.ts'

export interface TradingOptions {
  readonly config: Config
  readonly scope: Scope
  readonly supervisor: Supervisor
  readonly board: ActorBoardMemory
  readonly memory: MarketMemory
  /** Of the latency board. */
  readonly latency: SharedArrayBuffer
  readonly logs: LogMemory
  /** Takes the other end of the market's way to its records. */
  readonly serveRecords: (port: MessagePort) => void
  /** At the embedded broker; only tests have some. */
  readonly corporateActions?: readonly CorporateAction[] | undefined
}

/** Rows of the actor board besides the accounts: the embedded broker has the first, the others the last. */
export const HOST_SLOTS = DRIVER_NAMES.length
const EMBEDDED = DRIVER_NAMES.filter((name) => DRIVERS[name].kind === 'embedded')
const REAL = DRIVER_NAMES.filter((name) => DRIVERS[name].kind === 'real')

/** The threads around the accounts: the market, and the hosts of the drivers. */
export class Trading {
  readonly #options: TradingOptions
  readonly #hosts = new Map<DriverName, Promise<Thread>>()
  /** For the front. */
  readonly marketLine: Link
  readonly market: Thread

  private constructor(options: TradingOptions, market: Thread, front: MessagePort) {
    this.#options = options
    this.market = market
    this.marketLine = new Link(portWire(front), {
      peer: 'market',
      limits: { openAsksMax: options.config.limits.runtime.open_asks_max },
    })
  }

  /**
   * Starts the market and then, beside it, the embedded broker: they are stopped the other way round, also when one of
   * them cannot be started. Then it can be called again.
   */
  static async open(options: TradingOptions): Promise<Trading> {
    const starting = startMarket(options)
    const hosts = EMBEDDED.map((name) => {
      const market = new MessageChannel()
      const events = new MessageChannel()
      const ports = { market: market.port1, events: events.port1 }
      const thread = startHost(options, { name, slot: PAPER_SLOT, ports })
      return { name, thread, link: market.port2, events: events.port2 }
    })
    const all = [starting, ...hosts.map(({ thread }) => thread)]
    const market = await Promise.all(all).then(
      () => starting,
      (error: unknown) => endOf(all, options.supervisor, error),
    )
    for (const { name, link, events } of hosts) {
      market.introduce(`link:${name}`, link, { slot: PAPER_SLOT })
      market.introduce(`events:${name}`, events, { slot: PAPER_SLOT })
    }
    const front = new MessageChannel()
    market.introduce('link:front', front.port2)
    const trading = new Trading(options, market, front.port1)
    for (const { name, thread } of hosts) trading.#hosts.set(name, thread)
    return trading
  }

  /** The thread of a driver's host; that of a real broker starts when it is first asked for. */
  host(name: DriverName): Promise<Thread> {
    const running = this.#hosts.get(name)
    if (running !== undefined) return running
    const slot = this.#options.config.limits.accounts_max + 1 + REAL.indexOf(name)
    const started = startHost(this.#options, { name, slot, ports: {} })
    this.#hosts.set(name, started)
    started.catch(() => this.#hosts.delete(name)) // the next account that needs it tries again
    return started
  }
}

/** What has been started all the same would be there twice after the next attempt. Errors  `reason`. */
async function endOf(
  all: readonly Promise<Thread>[],
  supervisor: Supervisor,
  reason: unknown,
): Promise<never> {
  const outcomes = await Promise.allSettled(all)
  for (const outcome of outcomes.toReversed()) {
    if (outcome.status === 'fulfilled') await supervisor.stopVital(outcome.value)
  }
  throw reason
}

interface Host {
  readonly name: DriverName
  readonly slot: number
  readonly ports: Readonly<Record<string, MessagePort>>
}

function startHost(options: TradingOptions, { name, slot, ports }: Host): Promise<Thread> {
  const { config, supervisor, board, memory, logs, corporateActions } = options
  const data: HostThreadData<Config['limits']> & Pick<TradingOptions, 'corporateActions'> = {
    dataDir: config.data_dir,
    slot,
    actorBoard: board,
    market: memory,
    limits: config.limits,
    logs,
    ...(corporateActions && { corporateActions }),
  }
  const [entry, resourceLimits] = [DRIVERS[name].host, vitalHeap(config.limits)]
  return supervisor.startVital({ name, entry, slot, data, ports, resourceLimits })
}

function startMarket(options: TradingOptions): Promise<Thread> {
  const { config, scope, supervisor, board, memory, latency, logs, serveRecords } = options
  const { limits, accounts } = config
  const records = new MessageChannel()
  serveRecords(records.port1)
  const data: MarketThreadData = {
    memory,
    board,
    config: config.market,
    configured: { limits, accounts },
    limits: marketLimits(limits),
    place: scope.kind === 'direct' ? scope.accountId : '',
    placesMax: limits.accounts_max,
    recordTimeoutMs: limits.store.open_timeout_ms,
    logs,
    ...(config.cluster?.role === 'node' && { cluster: quoteSharing(limits, config.cluster) }),
    dataDir: config.data_dir,
    latency,
    writeMarginBytes: storeLimits(limits).writeMarginBytes,
  }
  return supervisor.startVital({
    name: 'market',
    entry: 'actors/market/market.thread.ts',
    data,
    ports: { records: records.port2 },
    resourceLimits: vitalHeap(limits),
  })
}
