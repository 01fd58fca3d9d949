import { ActorBands } from '../../../market/bands.ts'
import { SharedClock } from '../../../market/clock.ts'
import { takeClosedDays } from '../../../market/closed-days.ts'
import { QuoteReader } from '../../../market/quote-board.ts'
import { linesOf } from '../../../observability/log-memory.ts'
import { createLogger } from '../../../observability/logger.ts'
import type { MarketEvent, MarketReplies, MarketRequest, Watch } from '../../../protocol/market.ts'
import { ActorBoard } from '../../../runtime/actor-board.ts'
import { Channel } from '../../../runtime/channel.ts'
import { startHeartbeat } from '../../../runtime/heartbeat.ts'
import { Link, portWire } from '../../../runtime/link.ts'
import { thisThread } from '../../../runtime/thread.ts'
import type { HostFarewell, HostThreadData } from '../../host.ts'
import type { PaperConfigLimits } from '../config.ts'
import type { CorporateAction } from '../corporate-action.ts'
import { rehearse } from '../rehearsal.ts'
import { PaperActor, type PaperIntroduction } from './paper.actor.ts'

/** The limits that this host reads. */
export interface PaperHostLimits {
  readonly paper: PaperConfigLimits
  /** Of the disk, which is one. */
  readonly store: { readonly write_margin_mb: number; readonly write_retry_ms: number }
  readonly market: { readonly ask_timeout_ms: number; readonly watch_timeout_ms: number }
  readonly runtime: { readonly open_asks_max: number; readonly heartbeat_interval_ms: number }
}

/** What the thread of the embedded client is started with: only tests have corporate actions come. */
export interface PaperThreadData extends HostThreadData<PaperHostLimits> {
  readonly corporateActions?: readonly CorporateAction[]
}

const MIB = 1_048_576

takeClosedDays()
const thread = thisThread<PaperThreadData>()
const { dataDir, slot, actorBoard, market, limits, logs, corporateActions } = thread.data
const { paper, runtime } = limits
const board = new ActorBoard(actorBoard)
const log = createLogger({ memory: logs, name: 'paper', write: linesOf(thread, logs) })
const link = new Link(portWire(thread.port('market')), {
  peer: 'market',
  limits: { openAsksMax: runtime.open_asks_max },
})

async function watch(
  codes: readonly Watch[],
  timeoutMs = limits.market.ask_timeout_ms,
): Promise<Readonly<Record<string, number>>> {
  const request: MarketRequest = { kind: 'watch', codes }
  const { slots } = await link.ask<MarketReplies['watch']>(request, { timeoutMs })
  return slots
}

const actor = new PaperActor({
  dataDir,
  board,
  watch,
  limits: {
    keepDays: paper.keep_days,
    firstQuoteWaitMs: paper.first_quote_wait_ms,
    openWatchMs: limits.market.watch_timeout_ms,
    ordersPerDayMax: paper.orders_per_day_max,
    commandsMax: paper.commands_max,
    groupCommandsMax: paper.group_commands_max,
    delayedMax: paper.delayed_max,
    logBytes: paper.log_bytes,
    checkpointMs: paper.checkpoint_ms,
    checkpointRestMs: paper.checkpoint_rest_ms,
    writeMarginBytes: limits.store.write_margin_mb * MIB,
    writeRetryMs: limits.store.write_retry_ms,
  },
  quotes: new QuoteReader(market),
  bands: new ActorBands(market, slot),
  warn: (fields, text) => log.warn(fields, text),
  clock: new SharedClock(market),
  ...(corporateActions && { corporateActions }),
})
const events = new Channel<never, MarketEvent>(thread.port('events'), {
  board,
  self: slot,
  peer: slot,
  receive: (event, done) => actor.receive(event, done),
})
const stopHeartbeat = startHeartbeat(board, slot, runtime.heartbeat_interval_ms)

thread.onIntroduced((name, port, info) => {
  if (port === null) {
    const accountId = name.slice(name.indexOf('/') + 1)
    if ((info as HostFarewell | null)?.isGone === true) void actor.forget(accountId)
    else actor.leave(accountId)
  } else actor.introduce(info as PaperIntroduction, port)
})
thread.onStop(async () => {
  stopHeartbeat()
  events.close()
  await actor.close()
})
try {
  rehearse()
} catch {} // it serves without having rehearsed
thread.ready()
