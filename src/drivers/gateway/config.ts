import { z } from 'zod'
import { bytes, count, flag, HOUR_MS, MINUTE_MS, ms } from '../../config/fields.ts'
import { ACCOUNT_ID } from '../../domain/ids.ts'
import type { SectionProblem } from '../registration.ts'

const text = () => z.string().max(1_024)

/** The address of a gateway; undefined when it is none. Without user, query or fragment: nothing may ride along. */
export function parseUrl(written: string): URL | undefined {
  if (!/^https?:\/\//.test(written) || !URL.canParse(written)) return undefined
  const url = new URL(written)
  const isPlain = url.username === '' && url.password === '' && url.search === '' && url.hash === ''
  return isPlain ? url : undefined
}

/** Where a gateway is found, and what it is told to believe us. */
const peer = {
  url: text()
    .refine((written) => written === '' || parseUrl(written) !== undefined, {
      error: 'must be an address such as "https://10.0.0.7:8888", without user, query or fragment',
    })
    .default('')
    .describe('address of the other gateway'),
  token_file: text().default('').describe('file with its token, readable by this user only'),
  account_id: z
    .string()
    .refine((id) => id === '' || ACCOUNT_ID.test(id), {
      error: 'must be 1 to 32 letters, digits, "_" or "-"',
    })
    .default('')
    .describe('id of the account there'),
  ca_file: text()
    .default('')
    .describe('PEM file of who vouches for it; empty = as the system has it'),
  allow_http: flag(false, 'also http to another computer: the token travels in clear text'),
}

export const account = z
  .strictObject({
    ...peer,
    account_id: peer.account_id.describe('id of the account there; empty = the same as here'),
    allow_simulation: flag(
      false,
      'watch it also while it is in simulation mode there; orders are refused then',
    ),
  })
  .prefault({})
  .describe('an account of another gateway')

export const market = z.strictObject({
  source: z.literal('gateway').describe('quotes and history of another gateway'),
  ...peer,
  account_id: peer.account_id.describe('whose data connection is used; empty = that of its first'),
})

export const limits = z
  .strictObject({
    request_timeout_ms: ms(5_000, 50, 10 * MINUTE_MS, 'for one answer of the other gateway'),
    order_timeout_ms: ms(
      15_000,
      50,
      10 * MINUTE_MS,
      'for the answer to an order; then it is asked for by key',
    ),
    connections_max: count(8, 2, 256, 'connections to the other gateway'),
    idle_ms: ms(4_000, 100, HOUR_MS, 'for which a connection without a request is kept'),
    body_bytes_max: bytes(8_388_608, 65_536, 268_435_456, 'of one answer'),
    poll_ms: ms(1_000, 20, HOUR_MS, 'between two looks at orders and trades without a stream'),
    stream_poll_ms: ms(10_000, 20, HOUR_MS, 'the same beside a stream'),
    stream_silence_ms: ms(15_000, 50, HOUR_MS, 'without an event, then a stream is dead'),
    stream_retry_ms: ms(5_000, 20, HOUR_MS, 'before a stream that ended is opened again'),
    polls_failed_max: count(
      3,
      1,
      100,
      'looks in a row that fail before the gateway counts as gone',
    ),
    ask_again_ms: ms(1_000, 20, HOUR_MS, 'between two questions what became of an order'),
    sent_keep_days: count(10, 2, 366, 'days for which keys of orders are kept'),
    sent_max: count(100_000, 100, 10_000_000, 'keys of orders that are kept; one more is not sent'),
    linger_ms: ms(5_000, 0, 10 * MINUTE_MS, 'for which a connection waits for its account'),
    quotes_poll_ms: ms(500, 20, HOUR_MS, 'between two looks at all quotes'),
    quotes_codes_max: count(200, 1, 10_000, 'codes in one question for quotes'),
    quotes_retry_max_ms: ms(10_000, 20, HOUR_MS, 'longest wait after a look that failed'),
    history_timeout_ms: ms(30_000, 100, HOUR_MS, 'for one history request'),
    history_rows_max: count(1_000_000, 1, 100_000_000, 'bars in the answer to one history request'),
  })
  .prefault({})

export type PeerConfig = z.output<typeof account>
export type GatewayMarketConfig = z.output<typeof market>
export type GatewayLimits = z.output<typeof limits>
type Section = Pick<PeerConfig, 'url' | 'token_file' | 'allow_http'>

/** Whether only this computer is reached. */
export const isHere = ({ hostname }: URL): boolean =>
  hostname === 'localhost' ||
  hostname === '[::1]' ||
  /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname)

/** @param isUsed an account has this driver, or the market is its */
export function peerProblems(
  { url: written, token_file: tokenFile, allow_http: allowHttp }: Section,
  isUsed: boolean,
): readonly SectionProblem[] {
  const url = parseUrl(written)
  if (url === undefined) {
    const message = 'missing; it is the address of the other gateway'
    return isUsed && written === '' ? [{ path: ['url'], message }] : []
  }
  const found: SectionProblem[] = []
  if (url.protocol === 'http:' && !isHere(url) && !allowHttp) {
    const message =
      'http to another computer would carry the token in clear text; use https, or set allow_http'
    found.push({ path: ['url'], message })
  }
  if (tokenFile === '' && !isHere(url)) {
    const message = 'missing; a gateway on another computer answers nobody without a token'
    found.push({ path: ['token_file'], message })
  }
  return found
}
