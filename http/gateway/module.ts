import { SETTINGS } from '../../src/domain/settings/table.ts'
import type { GatewayStopProfit, StopProfitRow } from '../../src/protocol/account.ts'
import type { FrontContext } from '../desk/context.ts'
import type { AccountLink } from '../port/service.ts'

/** Ratios of the gateway's own module and its rhythm, under their wire names. Never persisted. */
export interface ModuleConfig {
  readonly enabled: boolean
  readonly stop_loss_ratio: number
  readonly initial_take_profit_ratio: number
  readonly initial_take_profit_pullback_ratio: number
  readonly initial_take_profit_sell_ratio: number
  /** Seconds between two words to the accounts. */
  readonly monitor_interval: number
}

/** At every start: off, with the defaults of the settings of accounts (docs/domain.md 9.4). */
const AT_START: ModuleConfig = {
  enabled: false,
  stop_loss_ratio: SETTINGS.STOP_LOSS_RATIO.default,
  initial_take_profit_ratio: SETTINGS.INITIAL_TAKE_PROFIT_RATIO.default,
  initial_take_profit_pullback_ratio: SETTINGS.INITIAL_TAKE_PROFIT_PULLBACK_RATIO.default,
  initial_take_profit_sell_ratio: SETTINGS.INITIAL_TAKE_PROFIT_RATIO_PERCENTAGE.default,
  monitor_interval: SETTINGS.MONITOR_LOOP_INTERVAL.default,
}

/** An account that has not heard of the gateway for so many intervals goes on without it. */
const INTERVALS_HELD = 5

type Options = Pick<FrontContext, 'service' | 'limits'>

/**
 * Dynamic take-profit and stop-loss as the gateway switches it on for accounts whose own strategy is
 * off. The accounts do the work; the gateway tells them that it still wants it, again and again, so
 * that its end is the end of it, and a restarted account hears of it.
 */
export class GatewayModule {
  readonly #options: Options
  #config = AT_START
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: Options) {
    this.#options = options
  }

  get config(): ModuleConfig {
    return this.#config
  }

  /** Takes the new configuration, and resolves when every account that answers knows it. */
  async change(changes: Partial<ModuleConfig>, source: string): Promise<void> {
    const wasEnabled = this.#config.enabled
    this.#config = { ...this.#config, ...changes }
    if (wasEnabled || this.#config.enabled) await this.#tell(source)
    this.#repeat(source)
  }

  /** What every account remembers of its holdings; an account that does not answer is left out. */
  async positions(links: readonly AccountLink[]): Promise<Readonly<Record<string, Rows>>> {
    const all = await Promise.all(
      links
        .map(async (link) => {
          const { rows } = await link.ask({ kind: 'stopProfitRows' }, this.#within())
          return [
            link.accountId,
            Object.fromEntries(rows.map((row) => [row.stock_code, row])),
          ] as const
        })
        .map((asked) => asked.catch(() => undefined)),
    )
    return Object.fromEntries(all.filter((each) => each !== undefined))
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  #repeat(source: string): void {
    clearTimeout(this.#timer)
    if (!this.#config.enabled || this.#isClosed) return
    this.#timer = setTimeout(() => {
      void this.#tell(source).then(() => this.#repeat(source))
    }, this.#config.monitor_interval * 1_000)
  }

  async #tell(source: string): Promise<void> {
    const config = this.#config
    const module: GatewayStopProfit = {
      isEnabled: config.enabled,
      stopLossRatio: config.stop_loss_ratio,
      breakoutRatio: config.initial_take_profit_ratio,
      pullbackRatio: config.initial_take_profit_pullback_ratio,
      sellRatio: config.initial_take_profit_sell_ratio,
      heldMs: config.monitor_interval * INTERVALS_HELD * 1_000,
    }
    const request = { kind: 'gatewayStopProfit', module, source } as const
    await Promise.allSettled(
      this.#options.service.known.map((link) => link.ask(request, this.#within())),
    )
  }

  #within() {
    return { timeoutMs: this.#options.limits.commandTimeoutMs, correlationId: '' }
  }
}

type Rows = Readonly<Record<string, StopProfitRow>>
