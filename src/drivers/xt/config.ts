import { z } from 'zod'
import { bytes, count, filePath, HOUR_MS, MINUTE_MS, ms, whole } from '../../config/fields.ts'
import type { SectionProblem } from '../registration.ts'

const ADDRESS = /^(?:([A-Za-z0-9.-]{1,253}):)?(\d{1,5})$/

/** `58700` or `127.0.0.1:58700`; undefined when it is neither. */
export function parseAddress(
  text: string,
): { readonly host: string; readonly port: number } | undefined {
  const match = ADDRESS.exec(text)
  const port = Number(match?.[2])
  if (match === null || port < 1 || port > 65_535) return undefined
  return { host: match[1] ?? '127.0.0.1', port }
}

/** How the sidecar beside the real broker is started or found. */
const sidecar = {
  python: filePath()
    .max(1_024)
    .default('')
    .describe(
      'Python 解释器，空 = Windows 上用 python，其他用 python3 (Python interpreter; empty = python on Windows, else python3)',
    ),
  xtquant_path: filePath()
    .max(1_024)
    .default('')
    .describe(
      "xtquant 所在的文件夹，空 = 先用终端自带的，再用 Python 的 (folder that holds xtquant; empty = the terminal's own copy, else Python's)",
    ),
  attach: z
    .string()
    .refine((text) => text === '' || parseAddress(text) !== undefined, {
      error:
        '须为手工启动的 sidecar 的端口，或 主机:端口 (must be a port or host:port of a sidecar started by hand)',
    })
    .default('')
    .describe(
      '手工启动的辅助进程，写端口或 host:port，空 = 由本服务启动 (a sidecar that was started by hand, as port or host:port; empty = our own)',
    ),
  token_file: filePath()
    .max(1_024)
    .default('')
    .describe(
      '手工启动的辅助进程的令牌文件 (file with the token of the sidecar that attach names)',
    ),
}

export const account = z
  .strictObject(sidecar)
  .prefault({})
  .describe('真实交易客户端旁的辅助进程 (the sidecar at the real trading client)')

export const market = z.strictObject({
  source: z
    .literal('xt')
    .describe('行情来源：真实交易客户端的行情 (source of quotes: the real trading client)'),
  ...sidecar,
  qmt_path: z
    .string()
    .max(1_024)
    .default('')
    .describe(
      '使用哪个客户端目录的 xtquant，空 = 第一个账户的 (folder of the client whose copy of xtquant is used; empty = that of the first account)',
    ),
  quote_port: whole(
    { default: 0, min: 0, max: 65_535 },
    '终端的行情端口，0 = 找到的第一个 (quote port of the terminal; 0 = the first one found)',
  ),
})

export const limits = z
  .strictObject({
    frame_bytes_max: bytes(
      8_388_608,
      65_536,
      67_108_864,
      '与辅助进程之间最长的消息 (longest frame of a sidecar)',
    ),
    beat_ms: ms(
      2_000,
      20,
      MINUTE_MS,
      '辅助进程两次心跳之间 (between two signs of life of a sidecar)',
    ),
    beats_missed_max: count(
      3,
      1,
      100,
      '辅助进程可以缺几次心跳 (signs of life that a sidecar may miss)',
    ),
    handshake_timeout_ms: ms(
      5_000,
      50,
      MINUTE_MS,
      '辅助进程应答并补报的时限 (for a sidecar to greet and tell what was missed)',
    ),
    launch_timeout_ms: ms(
      20_000,
      100,
      10 * MINUTE_MS,
      'Python 和 xtquant 就绪的时限 (for Python and xtquant to be ready)',
    ),
    held_timeout_ms: ms(
      20_000,
      0,
      10 * MINUTE_MS,
      '等待旧辅助进程结束的时限 (for the sidecar of an earlier process to end)',
    ),
    linger_ms: ms(
      5_000,
      0,
      10 * MINUTE_MS,
      '辅助进程等待账户回来多久 (for which a sidecar waits for its account to come back)',
    ),
    idle_exit_ms: ms(
      15_000,
      100,
      HOUR_MS,
      '没有客户端多久后辅助进程结束 (without a client, then a sidecar of ours ends)',
    ),
    calls_max: count(
      256,
      1,
      65_536,
      '辅助进程一条通道排队的调用数 (calls of one lane of a sidecar that wait)',
    ),
    leaks_max: count(
      3,
      0,
      1_000,
      '几次调用没有返回后辅助进程放弃 (calls that never came back before a sidecar gives up)',
    ),
    stuck_order_call_ms: ms(
      120_000,
      0,
      HOUR_MS,
      '下单在接口库中停住多久后结束辅助进程，0 = 不限 (an order may stand in the library, then its sidecar ends; 0 = however long)',
    ),
    refusal_text_ms: ms(
      1_000,
      0,
      MINUTE_MS,
      '拒绝后等待原因多久，过后不带原因告知 (for the reason of a refusal to follow it; it is told without one then)',
    ),
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
    poll_timeout_ms: ms(5_000, 50, HOUR_MS, '一次查看全部行情的时限 (for one look at all quotes)'),
    quotes_behind_max: count(
      3,
      1,
      1_000,
      '连续几次查看比推送新，就重新订阅 (looks in a row that are ahead of the pushes, then all is subscribed anew)',
    ),
    quotes_patience_max: count(
      256,
      1,
      1_000_000,
      '重新订阅无效时最多等几次查看，每次加倍 (looks at most where subscribing anew has not helped; each time twice as many)',
    ),
    resubscribe_min_ms: ms(
      10_000,
      0,
      HOUR_MS,
      '两次重新订阅之间 (between two times at which all is subscribed anew)',
    ),
    subscribe_timeout_ms: ms(
      10_000,
      50,
      HOUR_MS,
      '全部重新订阅的时限 (for everything to be subscribed anew)',
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
      60_000,
      10,
      HOUR_MS,
      '重新寻找行情前的最长等待 (longest wait before quotes are sought again)',
    ),
    terminal_watch_ms: ms(
      5_000,
      1_000,
      MINUTE_MS,
      '账户等待终端时，两次查找终端进程之间 (between two looks for a process of the terminal, while an account waits for it)',
    ),
    terminal_look_timeout_ms: ms(
      5_000,
      100,
      MINUTE_MS,
      '一次查看全部行情的时限 (for one look at all quotes)',
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

export type SidecarConfig = z.output<typeof account>
export type XtMarketConfig = z.output<typeof market>
export type XtConfigLimits = z.output<typeof limits>

/** A sidecar that was started by hand shows its token in a file. */
export function sidecarProblems({
  attach,
  token_file: tokenFile,
}: Pick<SidecarConfig, 'attach' | 'token_file'>): readonly SectionProblem[] {
  if (attach === '' || tokenFile !== '') return []
  const message =
    '缺少这一项：attach 所指 sidecar 目录中的文件 "token" (missing; it is the file "token" in the folder of the sidecar named by attach)'
  return [{ path: ['token_file'], message }]
}
