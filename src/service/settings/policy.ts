import type { AccountThreadLimits } from '../../../actors/account/account.thread.ts'
import type { AccountPolicy, MarketTempo } from '../../account/model/policy.ts'
import { doubtMs } from '../../cluster/protocol/timing.ts'
import { inCamelCase } from '../../config/camel-case.ts'
import { timingOf } from '../../config/cluster-rules.ts'
import { isReal, shownSource } from '../../config/drivers.ts'
import {
  type AccountConfig,
  type Config,
  isInvented,
  type StrategyConfig,
  strategyOf,
} from '../../config/schema.ts'
import { MINUTE_MS } from '../../domain/exchange-time.ts'
import { feeRatesOf } from '../../domain/fees.ts'
import { reportedPrice } from '../../domain/money.ts'
import { settingsOf } from '../../domain/settings/parameters.ts'
import { FOREVER_MS } from '../../runtime/steady.ts'
import { ppmOf } from '../../strategy/grid/ratios.ts'

const SECOND_MS = 1_000

/** A replay can be paused at any speed but the greatest, at which it repeats itself exactly. */
function tempoOf(market: Config['market']): MarketTempo {
  if (!('speed' in market)) return 'real'
  if (market.speed === 'max') return 'exact'
  return market.source !== 'replay' && market.speed === 1 ? 'real' : 'other'
}

/** The part of the configuration that one account lives by, in its own words. */
export function accountPolicy(
  config: Config,
  account: AccountConfig,
  directPort: number,
): AccountPolicy {
  const { risk } = config
  const strategy = strategyOf(config, account)
  return {
    accountId: account.account_id,
    alias: account.alias,
    clientPath: account.qmt_path,
    dataDir: config.data_dir,
    accountType: account.account_type,
    driver: account.driver,
    isReal: isReal(account),
    directPort,
    settings: settingsOf(strategy),
    isStopProfitModuleOn: strategy.ENABLE_DYNAMIC_STOP_PROFIT,
    profitTiers: strategy.DYNAMIC_TAKE_PROFIT.map(([level, coefficient]) => ({
      level,
      coefficient,
    })),
    ...stopProfitPolicy(config, strategy),
    grid: gridSettings(config, strategy),
    stockPool: strategy.DEFAULT_STOCK_POOL,
    simulationBalance: strategy.SIMULATION_BALANCE,
    risk: { ...inCamelCase(risk), staleQuoteMs: risk.stale_quote_seconds * SECOND_MS },
    feeRates: feeRatesOf(account.paper.fees),
    isAlwaysOpen: isInvented(config.market),
    tempo: tempoOf(config.market),
    pending: pendingPolicy(strategy),
    limits: accountLimits(config, account, strategy),
  }
}

/** Readers of a waiting signal see none that is older (docs/domain.md 5.7). */
const SIGNAL_VALID_MS = 300_000
/** Failed tries of one take-profit within one minute (docs/domain.md 5.7). */
const SIGNAL_TRIES_MAX = 3
/** Between two supplementary purchases of one stock (docs/domain.md 5.11). */
const ADD_COOLDOWN_MS = 120_000

function stopProfitPolicy(
  { market, limits }: Config,
  strategy: StrategyConfig,
): Pick<AccountPolicy, 'stopProfit' | 'health' | 'breaker'> {
  return {
    stopProfit: {
      pullbackRatio: strategy.INITIAL_TAKE_PROFIT_PULLBACK_RATIO,
      signalAgeMaxMs: strategy.DYNAMIC_SIGNAL_MAX_AGE_SECONDS * SECOND_MS,
      isFullExitBesideOrders: strategy.ALLOW_TAKE_PROFIT_FULL_WITH_PENDING,
      isTakeProfitReplaced: strategy.STOP_LOSS_REPLACES_TAKE_PROFIT,
      isKeptAlive: strategy.ENABLE_DYNAMIC_SIGNAL_KEEPALIVE,
      keepAliveMs: strategy.DYNAMIC_SIGNAL_KEEPALIVE_SECONDS * SECOND_MS,
      validMs: SIGNAL_VALID_MS,
      triesMax: SIGNAL_TRIES_MAX,
      addCooldownMs: ADD_COOLDOWN_MS,
    },
    health: {
      isEnabled: strategy.MARKET_HEALTH_ENABLED,
      isObserveOnly: strategy.MARKET_HEALTH_OBSERVE_ONLY,
      windowMs: strategy.MARKET_HEALTH_WINDOW_SECONDS * SECOND_MS,
      eventsMin: strategy.MARKET_HEALTH_MIN_EVENTS,
      eventsMax: strategy.MARKET_HEALTH_MAX_EVENTS,
      keysMax: limits.account.health_keys_max,
      healthyScore: strategy.MARKET_HEALTH_HEALTHY_SCORE,
      degradedScore: strategy.MARKET_HEALTH_DEGRADED_SCORE,
      unstableScore: strategy.MARKET_HEALTH_UNSTABLE_SCORE,
      tradingScoreMin: strategy.MARKET_HEALTH_TRADING_MIN_SCORE,
      isFallbackAllowed: strategy.MARKET_HEALTH_ALLOW_FALLBACK_SOURCE,
      source: shownSource(market.source),
      checkEveryMs: strategy.MONITOR_LOOP_INTERVAL * SECOND_MS,
    },
    breaker: {
      isEnabled: strategy.ENABLE_MARKET_DATA_CIRCUIT_BREAKER,
      failuresMax: strategy.MARKET_DATA_FAILURE_THRESHOLD,
      windowMs: strategy.MARKET_DATA_FAILURE_WINDOW_SECONDS * SECOND_MS,
      breakMs: strategy.MARKET_DATA_CIRCUIT_BREAK_SECONDS * SECOND_MS,
      stocksMax: limits.account.health_keys_max,
    },
  }
}

function gridSettings({ limits }: Config, strategy: StrategyConfig): AccountPolicy['grid'] {
  return {
    strategyName: strategy.GRID_STRATEGY_NAME,
    levelCooldownMs: strategy.GRID_LEVEL_COOLDOWN * SECOND_MS,
    buyCooldownMs: strategy.GRID_BUY_COOLDOWN * SECOND_MS,
    sellCooldownMs: strategy.GRID_SELL_COOLDOWN * SECOND_MS,
    sellCooldownRisePpm: ppmOf(strategy.GRID_SELL_COOLDOWN_PRICE_THRESHOLD),
    signalMaxAgeMs: strategy.GRID_SIGNAL_MAX_AGE_SECONDS * SECOND_MS,
    signalMaxDriftPpm: ppmOf(strategy.GRID_SIGNAL_MAX_PRICE_DRIFT_RATIO),
    isCounterpartyPrice: strategy.GRID_USE_COUNTERPARTY_PRICE,
    buyBufferPpm: ppmOf(strategy.GRID_COUNTERPARTY_BUY_PRICE_BUFFER_RATIO),
    isLimitGuarded: strategy.GRID_ENABLE_PRICE_LIMIT_GUARD,
    limitMargin: reportedPrice(strategy.GRID_PRICE_LIMIT_EPS),
    isAutoCancel: strategy.ENABLE_GRID_PENDING_ORDER_AUTO_CANCEL,
    pendingTimeoutMs: strategy.GRID_PENDING_ORDER_TIMEOUT_SECONDS * SECOND_MS,
    isAutoReorder: strategy.GRID_PENDING_ORDER_AUTO_REORDER,
    reordersMax: strategy.GRID_PENDING_ORDER_REORDER_MAX_ATTEMPTS,
    defaults: {
      intervalPpm: ppmOf(strategy.GRID_DEFAULT_PRICE_INTERVAL),
      positionPpm: ppmOf(strategy.GRID_DEFAULT_POSITION_RATIO),
      callbackPpm: ppmOf(strategy.GRID_CALLBACK_RATIO),
      maxDeviationPpm: ppmOf(strategy.GRID_MAX_DEVIATION_RATIO),
      targetProfitPpm: ppmOf(strategy.GRID_TARGET_PROFIT_RATIO),
      stopLossPpm: ppmOf(strategy.GRID_STOP_LOSS_RATIO),
      durationDays: strategy.GRID_DEFAULT_DURATION_DAYS,
      tradeMode: strategy.GRID_DEFAULT_TRADE_MODE,
      maxInvestmentPpm: ppmOf(strategy.GRID_DEFAULT_MAX_INVESTMENT_RATIO),
    },
    isProfitTriggerRequired: strategy.GRID_REQUIRE_PROFIT_TRIGGERED,
    checkEveryMs: strategy.MONITOR_LOOP_INTERVAL * SECOND_MS,
    sessionsKept: limits.account.grid_sessions_kept,
    templatesMax: limits.account.grid_templates_max,
  }
}

/** The rest is sent again at most so often (docs/domain.md 3.10). */
const REORDERS_MAX = 3

const pendingPolicy = (strategy: StrategyConfig): AccountPolicy['pending'] => ({
  isAutoCancel: strategy.ENABLE_PENDING_ORDER_AUTO_CANCEL,
  timeoutMs: strategy.PENDING_ORDER_TIMEOUT_MINUTES * MINUTE_MS,
  stopLossTimeoutMs: strategy.STOP_LOSS_PENDING_ORDER_TIMEOUT_MINUTES * MINUTE_MS,
  isAutoReorder: strategy.PENDING_ORDER_AUTO_REORDER,
  priceMode: strategy.PENDING_ORDER_REORDER_PRICE_MODE,
  reordersMax: REORDERS_MAX,
  triesMax: strategy.MAX_CANCEL_RETRIES,
  retryIntervalMs: strategy.CANCEL_RETRY_INTERVAL_SECONDS * SECOND_MS,
})

/** A replay goes through years in minutes: no fill of it is too old to be shown. */
const EVERY_DAY = 36_500

function accountLimits(
  { limits, market, cluster }: Config,
  account: AccountConfig,
  strategy: StrategyConfig,
): AccountPolicy['limits'] {
  const callTimeoutMs = account.call_timeout * SECOND_MS
  return {
    ...inCamelCase(limits.account),
    formerCallsMs: cluster === undefined ? 0 : doubtMs(timingOf(limits.cluster, callTimeoutMs)),
    // The embedded client answers from the very books that it trades on.
    holdingsLagMs: isReal(account) ? limits.account.holdings_lag_ms : 0,
    callTimeoutMs,
    reconnectIntervalMs: account.reconnect_interval * SECOND_MS,
    reconnectAttemptsMax: account.max_reconnect_attempts,
    reconnectWaitMsMax: limits.account.reconnect_cap_s * SECOND_MS,
    reconnectSessionWaitMsMax: limits.account.reconnect_session_cap_ms,
    cancelRetriesMax: strategy.MAX_CANCEL_RETRIES,
    cancelRetryIntervalMs: strategy.CANCEL_RETRY_INTERVAL_SECONDS * SECOND_MS,
    versionHeartbeatMs: strategy.VERSION_INCREMENT_INTERVAL * SECOND_MS,
    ordersMax: limits.account.orders_in_memory_max,
    quoteAheadMs: limits.market.quote_ahead_ms,
    answeredWithinMs: limits.http.request_timeout_ms,
    missingConfirmations: strategy.REAL_POSITION_EMPTY_CONFIRM_COUNT,
    ...(market.source === 'replay' && { recordsDays: EVERY_DAY }),
  }
}

/** Limits of the shell around an account. */
export function accountThreadLimits({ limits, cluster }: Config): AccountThreadLimits {
  const { runtime, account, store } = limits
  return {
    ...inCamelCase(account),
    mailbox: {
      requestsMax: runtime.mailbox_requests_max,
      eventsMax: runtime.mailbox_events_max,
      togetherMax: runtime.mailbox_together_max,
    },
    stepsInFlightMax: runtime.steps_in_flight_max,
    marketAskMs: limits.market.ask_timeout_ms,
    marketWatchMs: limits.market.watch_timeout_ms,
    openAsksMax: runtime.open_asks_max,
    readTimeoutMs: store.read_timeout_ms,
    openTimeoutMs: store.open_timeout_ms,
    // Without a quorum a commit waits, and nothing is done on it: the lease ends that.
    commitTimeoutMs: cluster === undefined ? store.commit_timeout_ms : FOREVER_MS,
    heartbeatIntervalMs: runtime.heartbeat_interval_ms,
  }
}
