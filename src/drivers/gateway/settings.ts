import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { orderIdOfKey } from '../../domain/ids.ts'
import { isToken } from '../../domain/token.ts'
import { type GatewayLimits, type PeerConfig, parseUrl } from './config.ts'
import type { GatewayLog, PeerAccountOptions } from './peer-account.ts'
import type { PeerAddress, PeerClientLimits } from './peer-client.ts'
import type { SentKeysOptions } from './sent-keys.ts'

/** What this driver reads of an account. */
export interface GatewayAccount {
  readonly account_id: string
  /** Seconds. */
  readonly call_timeout: number
  readonly gateway: PeerConfig
}

export interface GatewayLimitsSection {
  readonly gateway: GatewayLimits
  readonly account: { readonly connect_timeout_ms: number }
}

/**
 * Where a gateway is, read anew at each connection: a token is replaced by writing its file.
 *
 * Errors  throws one line that says what is missing, never what stands in the file.
 */
export function addressOf({
  url: written,
  token_file: tokenFile,
  ca_file: caFile,
}: Pick<PeerConfig, 'url' | 'token_file' | 'ca_file'>): PeerAddress {
  const url = parseUrl(written)
  if (url === undefined) throw new Error('gateway.url: 未配置 (it is not configured)')
  const token = tokenFile === '' ? '' : read('gateway.token_file', tokenFile).trim()
  if (!isToken(token)) {
    throw new Error(`gateway.token_file: ${tokenFile} 的内容不是令牌 (holds no token)`)
  }
  const ca = caFile === '' ? undefined : read('gateway.ca_file', caFile)
  return { url, token, ca }
}

function read(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const code: unknown = Reflect.get(Object(error), 'code')
    throw new Error(`${name}: ${file} 无法读取 (cannot be read: ${String(code)})`)
  }
}

interface Surroundings {
  readonly dataDir: string
  readonly limits: GatewayLimitsSection
  readonly log: GatewayLog
  readonly nowMs: () => number
  /** As of the keys that were sent. */
  readonly atDisk?: SentKeysOptions['atDisk']
}

/** Of the time to connect, for the answers that follow the one that says that the account is usable. */
const CONNECT_SHARE = 0.7

export function peerAccountOptions(
  configured: GatewayAccount,
  { dataDir, limits, log, nowMs, atDisk }: Surroundings,
): PeerAccountOptions {
  const own = limits.gateway
  return {
    accountId: accountThere(configured),
    isSimulationAllowed: configured.gateway.allow_simulation,
    address: () => addressOf(configured.gateway),
    sent: {
      folder: sentFolder(dataDir, configured.account_id),
      keepDays: own.sent_keep_days,
      keysMax: own.sent_max,
      idThere: (key) => orderIdOfKey(accountThere(configured), key, sha256),
      nowMs,
      atDisk,
    },
    limits: {
      client: clientLimits(own),
      requestTimeoutMs: own.request_timeout_ms,
      orderTimeoutMs: own.order_timeout_ms,
      askAgainMs: own.ask_again_ms,
      connectTimeoutMs: limits.account.connect_timeout_ms * CONNECT_SHARE,
      follower: {
        pollMs: own.poll_ms,
        streamPollMs: own.stream_poll_ms,
        streamSilenceMs: own.stream_silence_ms,
        streamRetryMs: own.stream_retry_ms,
        pollsFailedMax: own.polls_failed_max,
        bytesMax: own.body_bytes_max,
      },
    },
    log,
    nowMs,
  }
}

const sha256 = (text: string): Uint8Array => createHash('sha256').update(text).digest()

export const clientLimits = (limits: GatewayLimits): PeerClientLimits => ({
  connectionsMax: limits.connections_max,
  idleMs: limits.idle_ms,
  bodyBytesMax: limits.body_bytes_max,
})

/** Of the account there. */
export const accountThere = ({ account_id, gateway }: GatewayAccount): string =>
  gateway.account_id === '' ? account_id : gateway.account_id

/** Where the keys of its orders are kept. */
export const sentFolder = (dataDir: string, accountId: string): string =>
  join(dataDir, accountId, 'gateway')
