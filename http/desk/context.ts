import { exchangeTime } from '../../src/domain/exchange-time.ts'
import type { ScanBudget, ScanLimits } from '../access/scan-budget.ts'
import type { CompressionLimits } from '../message/compression.ts'
import { withBoth } from '../message/in-both.ts'
import { json, type Reply } from '../message/reply.ts'
import type { HttpRequest } from '../message/request.ts'
import type { CallOptions, Service } from '../port/service.ts'
import type { TellingLimits, Tellings } from './tellings.ts'

/** Every bound of the front. Times in milliseconds unless named otherwise. */
export interface FrontLimits extends ScanLimits, CompressionLimits, TellingLimits {
  readonly bodyBytesMax: number
  readonly bodyDepthMax: number
  readonly bodyKeysMax: number
  /** Of arrays and objects together. */
  readonly bodyValuesMax: number
  /** For a body that does not come with its head. */
  readonly bodyTimeoutMs: number
  /** Bodies that have not come whole; one more is refused with `OVERLOADED`. */
  readonly openBodiesMax: number
  readonly openBodiesPerAddressMax: number
  /** How long a refused caller may go on sending before its connection is closed. */
  readonly refusalLingerMs: number
  /** Of one port for proxies; one more is closed at once. */
  readonly proxyConnectionsMax: number
  /** Of a head at such a port, names and values together; and for it to come whole. */
  readonly proxyHeadBytesMax: number
  readonly proxyHeadTimeoutMs: number
  /** For which such a connection is kept after an answer. */
  readonly proxyIdleMs: number
  /** Path and query together. */
  readonly urlBytesMax: number
  /** For a port that the last run still holds. */
  readonly listenWaitMs: number
  readonly listenRetryMs: number
  /** Of the process; never so many that descriptors run out. */
  readonly connectionsMax: number
  /** Of these, what only direct mode may use. */
  readonly connectionsReserved: number
  /** Of one address, that have asked nothing yet; one more is closed at once. */
  readonly connectionsPerAddressMax: number
  /** The same of one proxy of ours. */
  readonly connectionsPerProxyMax: number
  /** The same of this computer, at one listener; then the oldest is closed. */
  readonly connectionsLocalMax: number
  /** What connections leave for files, threads and sidecars. */
  readonly descriptorsReserved: number
  /** Requests under way; one more is refused with `OVERLOADED`. */
  readonly openRequestsMax: number
  /** Those that are about one account; one more is refused with `OVERLOADED`, the others go on. */
  readonly accountRequestsMax: number
  /** Those of routes that must get through have a room of their own. */
  readonly reservedRequestsMax: number
  /** And a rate of their own, once that of the caller is spent. */
  readonly reservedRatePerMinute: number
  /** Hard end of any request; must be longer than every other time below. */
  readonly requestTimeoutMs: number
  /** For an account's read model or a market query. */
  readonly readTimeoutMs: number
  /** How long a read of ticks waits for the first quote of a code; never longer than half a read may take. */
  readonly firstQuoteWaitMs: number
  /** For each account in a list of how all of them stand: one that hangs holds up the others no longer. */
  readonly overviewTimeoutMs: number
  /** For each account when all are stopped at once. */
  readonly stopAllTimeoutMs: number
  /** For a command that needs no answer of the broker. */
  readonly commandTimeoutMs: number
  /** On top of the account's `call_timeout`, so that its own verdict comes first. */
  readonly orderGraceMs: number
  /** On top of both: an order may wait so long for its turn. */
  readonly pacedWaitMs: number
  /** For `execute_buy` and `execute_sell`. */
  readonly executeTimeoutMs: number
  /** Within which an order must have been begun, or it is not executed. */
  readonly orderStartMs: number
  /** How long open requests may go on once the front is closing. */
  readonly drainTimeoutMs: number
  readonly retryAfterSeconds: number
  /** Addresses that the rate limit remembers; and those that tried tokens. */
  readonly rateLimitAddressesMax: number
  /** Different wrong tokens of one address before it has to wait. */
  readonly guessesMax: number
  readonly guessWaitSecondsMax: number
  /** After so long without a wrong token an address starts afresh. */
  readonly guessForgetMs: number
  /** Codes in one tick query. */
  readonly tickCodesMax: number
  /** Stocks in one answer of the search. */
  readonly instrumentsFoundMax: number
  /** For which a MACD advice holds, milliseconds. */
  readonly macdCacheMs: number
  /** Advices that are remembered. */
  readonly macdCacheMax: number
  /** Bars in one answer. */
  readonly historyBarsMax: number
  /** Codes in one `execute_buy`. */
  readonly executeCodesMax: number
  readonly sseClientsMax: number
  /** Of one token; one more is refused with `RATE_LIMITED`. */
  readonly sseClientsPerTokenMax: number
  readonly sseIntervalMs: number
  /** An unchanged event is repeated after this time. */
  readonly sseSilenceMs: number
  /** Events in a row that a client may miss because it does not read; then it is closed. */
  readonly sseMissedMax: number
  /** Events kept for clients that come back. */
  readonly sseKeptMax: number
  /** Entries of a followed account that are kept for clients that come back, and read for one that has missed more. */
  readonly sseEntriesMax: number
  /** After news of an account so long is waited for more. */
  readonly sseGatherMs: number
  readonly probeTimeoutMs: number
  readonly probeCacheMs: number
  readonly probeBytesMax: number
  /** Accounts whose probe is remembered. */
  readonly probeAccountsMax: number
}

/** What every route is given. */
export interface FrontContext {
  readonly service: Service
  /** The market clock, epoch milliseconds. */
  readonly clock: { nowMs(): number }
  /** A fresh idempotency key for an order of this account, for callers that send none. */
  readonly newKey: (accountId: string) => string
  readonly limits: FrontLimits
  /** What each token may look through. */
  readonly scans: ScanBudget
  /** Who got to know what became of orders. */
  readonly tellings: Tellings
}

export const timestampOf = ({ clock }: Pick<FrontContext, 'clock'>): string =>
  exchangeTime(clock.nowMs())

export const within = (timeoutMs: number, { id }: HttpRequest): CallOptions => ({
  timeoutMs,
  correlationId: id,
})

/** Who asked, as the journal keeps it. */
export const sourceOf = (backend: 'direct' | 'gateway', { peer, caller }: HttpRequest): string =>
  `http/${backend}/${peer}${caller === undefined || caller.name === '' ? '' : `/${caller.name}`}`

interface StatusReply {
  readonly httpStatus?: number
  readonly status?: 'success' | 'error'
  readonly headers?: Readonly<Record<string, string>>
}

/** The envelope of the `status` family: fields at top level, and again under `data`. */
export const statusReply = (
  context: Pick<FrontContext, 'clock'>,
  fields: object,
  { httpStatus = 200, status = 'success', headers }: StatusReply = {},
): Reply => {
  const told = withBoth(fields)
  return json(
    httpStatus,
    { status, ...told, data: told, timestamp: timestampOf(context) },
    { ...headers },
  )
}

/** The envelope of `/api/v1`. */
export const v1Reply = (
  data: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Reply => {
  const told = typeof data === 'object' && data !== null ? withBoth(data) : data
  return json(status, { success: true, data: told, error: null }, headers)
}
