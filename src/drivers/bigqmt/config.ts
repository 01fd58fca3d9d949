import { z } from 'zod'
import { bytes, count, filePath, HOUR_MS, MINUTE_MS, ms, whole } from '../../config/fields.ts'
import type { AccountType } from '../../domain/account-type.ts'
import type { SectionProblem } from '../registration.ts'

/** Of this computer or of another with Windows: the terminal need not run where the service does. */
const ABSOLUTE = /^(?:\/|[A-Za-z]:[\\/]|\\\\)/

export const account = z
  .strictObject({
    transport: z
      .enum(['socket', 'files'])
      .default('socket')
      .describe(
        '与脚本的连接方式，券商禁用套接字时用文件 (how the script is reached; files where the broker forbids sockets)',
      ),
    port: whole(
      { default: 58_800, min: 1, max: 65_535 },
      '脚本监听的端口，每个账户一个（用套接字时） (port on which the script listens, one of its own for each account; with socket)',
    ),
    host: z
      .string()
      .regex(/^[A-Za-z0-9.:-]{1,253}$/, {
        error: '须为 IP 地址或主机名 (must be an IP address or a host name)',
      })
      .default('127.0.0.1')
      .describe(
        '脚本所在的地址，脚本只监听本机 (where the script is reached; it listens on its own computer only)',
      ),
    folder: filePath()
      .max(1_024)
      .refine((text) => text === '' || ABSOLUTE.test(text), {
        error: '须为完整路径 (must be an absolute path)',
      })
      .default('')
      .describe(
        '脚本的日志和文件目录，在终端那台电脑上，空 = <data_dir>/<account>/bigqmt (journal and files of the script, on the computer of the terminal; empty = <data_dir>/<account>/bigqmt)',
      ),
  })
  .prefault({})
  .describe('完整终端内的脚本 (the script inside the full terminal)')

export const market = z.strictObject({
  source: z
    .literal('bigqmt')
    .describe(
      '行情来源：完整终端内脚本的行情 (source of quotes: the script inside a full terminal)',
    ),
  account: z
    .string()
    .max(64)
    .default('')
    .describe(
      '由哪个账户的脚本提供行情，空 = 第一个用此驱动的账户 (account whose script tells the quotes; empty = the first with this driver)',
    ),
})

export const limits = z
  .strictObject({
    settle_ms: ms(
      30_000,
      1_000,
      HOUR_MS,
      '终端列表多久不见某委托，算未受理 (after which an order that no list of the terminal shows was not taken)',
    ),
    tick_ms: ms(
      100,
      10,
      MINUTE_MS,
      '脚本两次运行之间，也是两次查看其文件之间 (between two turns of the script, and two looks at its files)',
    ),
    calls_per_tick: count(
      20,
      1,
      10_000,
      '脚本一次处理的调用数 (calls that the script works off in one turn)',
    ),
    ms_per_tick: ms(
      20,
      1,
      10_000,
      '脚本一次处理调用的时间，期间终端停顿 (of one turn for calls; the terminal stands still meanwhile)',
    ),
    look_ms: ms(
      1_000,
      50,
      MINUTE_MS,
      '脚本两次查看委托和成交之间 (between two looks of the script at its orders and deals)',
    ),
    proof_ms: ms(
      3_000,
      50,
      MINUTE_MS,
      '资产可读多久内证明列表不是误空 (for which a readable asset shows that lists are not empty by mistake)',
    ),
    proofs_missed_max: count(
      3,
      1,
      100,
      '读不到资产几次算账户不在 (looks at the asset that may fail before the account counts as away)',
    ),
    retry_ms: ms(
      2_000,
      10,
      MINUTE_MS,
      '脚本再次尝试监听或写文件前等待 (before the script tries again to listen or to write a file)',
    ),
    events_waiting_max: count(
      10_000,
      16,
      1_048_576,
      '等待处理的终端推送数 (pushes of the terminal that wait for a turn)',
    ),
    codes_max: count(5_000, 1, 100_000, '脚本订阅的代码数 (codes that the script subscribes)'),
    outbox_bytes_max: bytes(
      67_108_864,
      65_536,
      1_073_741_824,
      '脚本发出而无人读取的字节数 (of messages of the script that nobody reads)',
    ),
    frame_bytes_max: bytes(
      8_388_608,
      65_536,
      67_108_864,
      '套接字上最长的消息 (longest message over a socket)',
    ),
    files_max: count(2_048, 16, 65_536, '每个方向等待的文件数 (files that wait, each way)'),
    file_bytes_max: bytes(
      8_388_608,
      65_536,
      67_108_864,
      '文件中最长的消息 (longest message in a file)',
    ),
    file_retry_ms: ms(
      2_000,
      10,
      MINUTE_MS,
      '文件缺失、未写完或被占用可以多久 (for which a file may be missing, half-written or held by another program)',
    ),
    beat_ms: ms(2_000, 20, MINUTE_MS, '脚本两次心跳之间 (between two signs of life of the script)'),
    beats_missed_max: count(
      5,
      1,
      100,
      '脚本可以缺几次心跳 (signs of life that the script may miss)',
    ),
    handshake_timeout_ms: ms(
      5_000,
      50,
      MINUTE_MS,
      '脚本应答并补报的时限 (for the script to greet and tell what was missed)',
    ),
    linger_ms: ms(
      5_000,
      0,
      10 * MINUTE_MS,
      '连接等待账户回来多久 (for which a connection waits for its account)',
    ),
    calls_max: count(256, 1, 65_536, '等待回答的调用数 (calls that wait for an answer)'),
    held_events_max: count(
      50_000,
      16,
      1_048_576,
      '连接恢复前保留的推送数 (missed pushes kept until the connection stands)',
    ),
    poll_ms: ms(
      3_000,
      50,
      HOUR_MS,
      '推送之外两次查看全部行情之间 (between two looks at all quotes, beside the pushes)',
    ),
    want_delay_ms: ms(
      20,
      0,
      MINUTE_MS,
      '多久内的新代码合并为一次订阅 (in which wanted codes are gathered into one subscription)',
    ),
    relaunch_min_ms: ms(
      1_000,
      10,
      HOUR_MS,
      '重新寻找行情前的首次等待 (first wait before quotes are sought again)',
    ),
    relaunch_max_ms: ms(
      10_000,
      10,
      HOUR_MS,
      '重新寻找行情前的最长等待 (longest wait before quotes are sought again)',
    ),
    history_timeout_ms: ms(60_000, 100, HOUR_MS, '一次历史查询的时限 (for one history request)'),
    history_bars_max: count(
      8_000,
      240,
      1_000_000,
      '一次向脚本查询的K线数 (bars that the script is asked for at once)',
    ),
  })
  .prefault({})

/** As `OPERATIONS` of the script has it. */
export const accountTypes: readonly AccountType[] = ['STOCK', 'CREDIT']

export type BigqmtConfig = z.output<typeof account>
export type BigqmtMarketConfig = z.output<typeof market>
export type BigqmtConfigLimits = z.output<typeof limits>

/** What no two accounts may share: each has a script of its own. */
export function ownOf({ transport, port, host, folder }: BigqmtConfig): readonly SectionProblem[] {
  const listens = { path: ['port'], message: `port ${port} of ${host}` }
  const keeps = { path: ['folder'], message: `folder ${folder}` }
  return [...(transport === 'socket' ? [listens] : []), ...(folder === '' ? [] : [keeps])]
}

/** Quotes come through the script of an account. */
export function marketProblems(
  { account: wanted }: BigqmtMarketConfig,
  accounts: readonly string[],
): readonly SectionProblem[] {
  const path = ['account']
  if (accounts.length === 0) {
    return [
      {
        path,
        message:
          '没有 driver 为 "bigqmt" 的账户，行情由它的脚本提供 (no account has driver "bigqmt", whose script would tell the quotes)',
      },
    ]
  }
  if (wanted === '' || accounts.includes(wanted)) return []
  return [
    {
      path,
      message: `"${wanted}" 不是 driver 为 "bigqmt" 的账户 ("${wanted}" is no account with driver "bigqmt")`,
    },
  ]
}
