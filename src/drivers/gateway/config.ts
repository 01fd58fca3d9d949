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
      error:
        '须为地址，例如 "https://10.0.0.7:8888"，不带用户、查询串或片段 (must be an address such as "https://10.0.0.7:8888", without user, query or fragment)',
    })
    .default('')
    .describe('另一网关的地址 (address of the other gateway)'),
  token_file: text()
    .default('')
    .describe(
      '存放其令牌的文件，只许本用户读取 (file with the token of the other gateway, readable by this user only)',
    ),
  account_id: z
    .string()
    .refine((id) => id === '' || ACCOUNT_ID.test(id), {
      error: '须为 1 至 32 个字母、数字、"_" 或 "-" (must be 1 to 32 letters, digits, "_" or "-")',
    })
    .default('')
    .describe('在另一网关的账户编号 (id of the account at the other gateway)'),
  ca_file: text()
    .default('')
    .describe(
      '签发其证书的 PEM 文件，空 = 用系统的 (PEM file of who vouches for the other gateway; empty = as the system has it)',
    ),
  allow_http: flag(
    false,
    '允许用 http 连接其他电脑，令牌会明文传输 (also http to another computer: the token travels in clear text)',
  ),
}

export const account = z
  .strictObject({
    ...peer,
    account_id: peer.account_id.describe(
      '在另一网关的账户编号，空 = 与这里相同 (id of the account at the other gateway; empty = the same as here)',
    ),
    allow_simulation: flag(
      false,
      '对方处于模拟模式时也连接查看，但拒绝委托 (watch it also while it is in simulation mode there; orders are refused then)',
    ),
  })
  .prefault({})
  .describe('另一网关的账户 (an account of another gateway)')

export const market = z.strictObject({
  source: z
    .literal('gateway')
    .describe('行情来源：另一网关的行情和历史 (source of quotes and history: another gateway)'),
  ...peer,
  account_id: peer.account_id.describe(
    '使用哪个账户的行情连接，空 = 对方的第一个账户 (account whose data connection is used; empty = the first there)',
  ),
})

export const limits = z
  .strictObject({
    request_timeout_ms: ms(
      5_000,
      50,
      10 * MINUTE_MS,
      '另一网关回答一次的时限 (for one answer of the other gateway)',
    ),
    order_timeout_ms: ms(
      15_000,
      50,
      10 * MINUTE_MS,
      '等待下单答复的时限，过后按键值查询 (for the answer to an order; then it is asked for by key)',
    ),
    connections_max: count(8, 2, 256, '到另一网关的连接数 (connections to the other gateway)'),
    idle_ms: ms(
      4_000,
      100,
      HOUR_MS,
      '没有请求的连接保留多久 (for which a connection without a request is kept)',
    ),
    body_bytes_max: bytes(
      8_388_608,
      65_536,
      268_435_456,
      '一次回答的最大长度 (of one answer of the other gateway)',
    ),
    poll_ms: ms(
      1_000,
      20,
      HOUR_MS,
      '没有事件流时两次查看委托和成交之间 (between two looks at orders and trades without a stream)',
    ),
    stream_poll_ms: ms(
      10_000,
      20,
      HOUR_MS,
      '有事件流时两次查看委托和成交之间 (between two looks at orders and trades beside a stream)',
    ),
    stream_silence_ms: ms(
      15_000,
      50,
      HOUR_MS,
      '事件流多久没有事件算中断 (without an event, then a stream is dead)',
    ),
    stream_retry_ms: ms(
      5_000,
      20,
      HOUR_MS,
      '事件流结束后多久重新打开 (before a stream that ended is opened again)',
    ),
    polls_failed_max: count(
      3,
      1,
      100,
      '连续失败几次算网关不可用 (looks in a row that fail before the gateway counts as gone)',
    ),
    ask_again_ms: ms(
      1_000,
      20,
      HOUR_MS,
      '两次询问委托结果之间 (between two questions what became of an order)',
    ),
    sent_keep_days: count(10, 2, 366, '委托键值保留天数 (days for which keys of orders are kept)'),
    sent_max: count(
      100_000,
      100,
      10_000_000,
      '保留的委托键值数，再多一笔就不发 (keys of orders that are kept; one more is not sent)',
    ),
    linger_ms: ms(
      5_000,
      0,
      10 * MINUTE_MS,
      '连接等待账户回来多久 (for which a connection waits for its account)',
    ),
    quotes_poll_ms: ms(500, 20, HOUR_MS, '两次查看全部行情之间 (between two looks at all quotes)'),
    quotes_codes_max: count(
      200,
      1,
      10_000,
      '一次查询行情的代码数 (codes in one question for quotes)',
    ),
    quotes_retry_max_ms: ms(
      10_000,
      20,
      HOUR_MS,
      '查询行情失败后最长等待 (longest wait after a look at quotes that failed)',
    ),
    history_timeout_ms: ms(30_000, 100, HOUR_MS, '一次历史查询的时限 (for one history request)'),
    history_rows_max: count(
      1_000_000,
      1,
      100_000_000,
      '一次历史查询返回的K线数 (bars in the answer to one history request)',
    ),
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
    const message = '缺少这一项：另一个网关的地址 (missing; it is the address of the other gateway)'
    return isUsed && written === '' ? [{ path: ['url'], message }] : []
  }
  const found: SectionProblem[] = []
  if (url.protocol === 'http:' && !isHere(url) && !allowHttp) {
    const message =
      '用 http 连接其他电脑会明文传送令牌：请改用 https，或设 allow_http (http to another computer would carry the token in clear text; use https, or set allow_http)'
    found.push({ path: ['url'], message })
  }
  if (tokenFile === '' && !isHere(url)) {
    const message =
      '缺少这一项：其他电脑上的网关须有令牌才应答 (missing; a gateway on another computer answers nobody without a token)'
    found.push({ path: ['token_file'], message })
  }
  return found
}
