import { z } from 'zod'
import { bytes, count, MINUTE_MS, ms } from '../fields.ts'
import { cluster as processes } from './process.ts'

/** Between processes of one computer, and between computers (docs/cluster.md). */
export const cluster = z.strictObject({
  ...processes.shape,
  lease_ttl_ms: ms(
    15_000,
    2_000,
    10 * MINUTE_MS,
    '节点多久没有续约就不得再下单 (a node that has not renewed its lease for so long may not order)',
  ),
  lease_renew_ms: ms(2_000, 50, MINUTE_MS, '两次续约之间 (between two renewals of the lease)'),
  lease_margin_ms: ms(
    1_000,
    20,
    MINUTE_MS,
    '时钟误差与调度的余量：自己提前、别人推后这么多 (room for clocks and scheduling: the owner stops so much earlier, the others wait so much longer)',
  ),
  claim_rank_delay_ms: ms(
    2_000,
    50,
    MINUTE_MS,
    '次选节点每一名次多等多久再接管 (that each next-best node waits longer before it takes an account over)',
  ),
  intent_ttl_ms: ms(
    1_500,
    50,
    MINUTE_MS,
    '委托写入日志后多久内必须开始发给交易客户端 (within which an order that is in the journal must begin to go to the trading client)',
  ),
  client_cache_ms: ms(
    6_000,
    0,
    10 * MINUTE_MS,
    '接管后，交易客户端的列表最多落后多久 (by which the lists of a trading client may be behind, after an account was taken over)',
  ),
  doubt_margin_ms: ms(
    1_000,
    0,
    10 * MINUTE_MS,
    '认定券商处没有该委托之前另等的余量 (that is waited in addition before an order counts as not found at the broker)',
  ),
  engine_timeout_ms: ms(
    1_000,
    20,
    MINUTE_MS,
    '一次续约或写入日志等待服务器答复的时限 (for the servers to answer one renewal, or one append to a journal)',
  ),
  engine_retry_ms: ms(
    50,
    5,
    MINUTE_MS,
    '失败后第一次重试之前等待，之后逐次加倍 (wait before the first attempt after a failed one; it doubles)',
  ),
  watchdog_silence_ms: ms(
    500,
    50,
    MINUTE_MS,
    '租约已到期的节点进程多久不出声就被结束，最多为 lease_margin_ms 的时长 (after so long without a sign of life a node whose lease is over is killed; at most lease_margin_ms)',
  ),
  watchdog_restart_ms: ms(
    100,
    1,
    MINUTE_MS,
    '节点进程结束后第一次重新启动之前等待，之后逐次加倍 (wait before the process of a node that ended is started anew; it doubles)',
  ),
  watchdog_restart_max_ms: ms(
    30_000,
    1,
    10 * MINUTE_MS,
    '两次重新启动之间最多等待 (longest wait between two such starts; who lived for so long begins with the shortest again)',
  ),
  tick_ms: ms(
    100,
    10,
    MINUTE_MS,
    '两次查看租约与时限之间 (between two looks at lease and deadlines)',
  ),
  append_records_max: count(
    16,
    1,
    1_000,
    '合并成一次写入的记录数 (records of a journal that are appended together)',
  ),
  append_bytes_max: bytes(
    262_144,
    4_096,
    786_432,
    '一次写入的最大长度 (longest append to a journal)',
  ),
  journal_waiting_max: count(
    1_000,
    1,
    100_000,
    '一个账户等待写入的记录数，再多就拒绝新委托 (records of one account that wait for its journal; then new orders are refused)',
  ),
  journal_mb: count(
    8_192,
    64,
    1_048_576,
    '每条日志流的最大长度，写满后拒绝委托 (of each stream of journals; a full one refuses orders)',
  ),
  control_mb: count(
    64,
    4,
    4_096,
    '节点与账户归属的存储上限 (of nodes, placements and registrations)',
  ),
  snapshots_mb: count(4_096, 16, 1_048_576, '全部快照的存储上限 (of all snapshots)'),
  record_bytes_max: bytes(
    786_432,
    65_536,
    983_040,
    '服务器接受的最长记录或快照 (longest record or snapshot that the servers take)',
  ),
  journal_alarm_percent: count(
    70,
    1,
    99,
    '日志流用到百分之几时警报 (share of a stream of journals, in percent, from which on it is an alarm)',
  ),
  snapshot_records: count(
    1_000,
    10,
    1_000_000,
    '每多少条记录存一次快照 (records of a journal between two snapshots)',
  ),
  account_calls_max: count(
    64,
    1,
    10_000,
    '网关对一个账户同时进行的调用数 (calls of one gateway to one account under way)',
  ),
  node_calls_max: count(
    4_096,
    1,
    1_000_000,
    '网关对一个节点同时进行的调用数 (calls of one gateway to one node under way)',
  ),
  server_connect_timeout_ms: ms(
    3_000,
    50,
    MINUTE_MS,
    '连接一台服务器的时限 (for one attempt to connect to a server)',
  ),
  server_reconnect_ms: ms(
    500,
    10,
    MINUTE_MS,
    '重连同一台服务器之前等待 (wait before the same server is tried again)',
  ),
  server_ping_ms: ms(2_000, 50, MINUTE_MS, '两次探测服务器之间 (between two pings of a server)'),
  server_pings_unanswered_max: count(
    2,
    1,
    100,
    '几次探测没有回答就断开 (unanswered pings after which the connection to a server is given up)',
  ),
  examine_timeout_ms: ms(
    5_000,
    100,
    MINUTE_MS,
    'steward cluster 的一次询问的时限 (for the answer to one question of steward cluster)',
  ),
  clock_difference_ms: ms(
    500,
    1,
    MINUTE_MS,
    '与服务器时钟最多相差多少 (by which the clock of a server may differ from ours)',
  ),
  certificate_days: count(
    30,
    1,
    365,
    '证书到期前多少天提示 (before a certificate ends it is said for so long)',
  ),
})
