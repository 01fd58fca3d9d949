import { z } from 'zod'
import { bytes, count, HOUR_MS, MINUTE_MS, ms } from '../fields.ts'

const GIB = 1_073_741_824

/** Threads, processes and calculations. */
export const runtime = z.strictObject({
  mailbox_requests_max: count(
    256,
    1,
    65_536,
    '每个部分排队的请求数，再来一个就拒绝 (requests waiting for an actor; one more is refused)',
  ),
  mailbox_events_max: count(
    4_096,
    64,
    1_048_576,
    '每个部分排队的事件数 (events waiting for an actor)',
  ),
  mailbox_together_max: count(
    64,
    1,
    4_096,
    '一起到达、一起判断的柜台消息数；1 = 逐条判断 (news of the broker that an account judges together where they wait together; 1 = each by itself)',
  ),
  open_asks_max: count(
    1_024,
    1,
    65_536,
    '一条连线上等待回答的提问数 (asks of one link that wait for an answer)',
  ),
  heartbeat_interval_ms: ms(
    100,
    10,
    MINUTE_MS,
    '各部分两次心跳之间 (between two beats of an actor)',
  ),
  heartbeat_timeout_ms: ms(
    2_000,
    100,
    HOUR_MS,
    '多久没有心跳算卡死（只算它能用到处理器的时间） (silence after which an actor counts as stuck, of time that it could have used)',
  ),
  heartbeat_patience_ms: ms(
    30_000,
    1_000,
    HOUR_MS,
    '电脑太忙时，多久没有心跳才算卡死 (silence after which an actor counts as stuck on a computer that is too busy to tell)',
  ),
  heartbeat_check_ms: ms(250, 10, MINUTE_MS, '两次检查心跳之间 (between two looks at the beats)'),
  start_timeout_ms: ms(
    10_000,
    100,
    HOUR_MS,
    '启动就绪的时限（只算它能用到处理器的时间） (for an actor to become ready, of time that it could have used)',
  ),
  start_patience_ms: ms(
    120_000,
    1_000,
    HOUR_MS,
    '电脑太忙时启动就绪的时限 (for an actor to become ready on a computer that is too busy to tell)',
  ),
  starts_at_once: count(
    8,
    1,
    1_024,
    '同时启动的账户数，其余排队 (accounts that start at the same time; the others wait)',
  ),
  stop_timeout_ms: ms(3_000, 50, MINUTE_MS, '自行停止的时限 (for an actor to stop by itself)'),
  process_stop_timeout_ms: ms(
    4_300,
    100,
    HOUR_MS,
    '整个进程收到停止信号后有序停止的时限，超过就放弃，下次启动时恢复 (for the whole process to stop in order; given up then, and the next start recovers)',
  ),
  answers_given_ms: ms(
    500,
    10,
    MINUTE_MS,
    '有序停止时，账户记下答复均已送达的时限 (for an account to write down at an end in good order that its answers arrived)',
  ),
  terminate_timeout_ms: ms(
    2_000,
    50,
    MINUTE_MS,
    '卡死的部分结束的时限（只算它能用到处理器的时间） (for a stuck actor to be gone, of time that it could have used)',
  ),
  restart_intensity: count(
    5,
    1,
    1_000,
    '期限内重启几次后暂停它 (restarts within the period before an actor is suspended)',
  ),
  restart_period_ms: ms(
    MINUTE_MS,
    100,
    24 * HOUR_MS,
    '统计重启次数的期限 (period of the restart intensity)',
  ),
  restart_backoff_min_ms: ms(200, 1, HOUR_MS, '第一次重启前等待 (wait before the first restart)'),
  restart_backoff_max_ms: ms(5_000, 1, HOUR_MS, '重启前最长等待 (longest wait before a restart)'),
  account_heap_mb: count(128, 16, 16_384, '一个账户线程的内存 (heap of one account thread)'),
  account_young_heap_mb: count(
    3,
    1,
    1_024,
    '账户线程内存中给短命对象的部分 (of the heap of an account, for what lives shortly)',
  ),
  account_young_heap_max_mb: count(
    8,
    1,
    1_024,
    '账户少时，账户线程内存中给短命对象的部分 (the same part of the heap while there are few accounts)',
  ),
  accounts_young_heap_mb: count(
    40,
    1,
    65_536,
    '全部账户合计给短命对象的内存，各账户的最小值合计更多时按后者 (that all accounts share for what lives shortly, unless the least of each comes to more)',
  ),
  vital_young_heap_mb: count(
    12,
    1,
    1_024,
    '存储、行情、模拟客户端线程给短命对象的内存 (for what lives shortly in store, market and paper)',
  ),
  steps_in_flight_max: count(
    64,
    1,
    4_096,
    '一个账户等待写盘的步骤数 (steps of an account that wait for the store)',
  ),
})

export const cluster = z.strictObject({
  handshake_timeout_ms: ms(
    2_000,
    50,
    MINUTE_MS,
    '运行账户的进程应答的时限 (for the process that owns an account to greet)',
  ),
  health_poll_ms: ms(
    1_000,
    50,
    MINUTE_MS,
    '两次查看由其他进程运行的账户之间 (between two looks at an account run elsewhere)',
  ),
  ping_ms: ms(500, 10, MINUTE_MS, '两次探测运行账户的进程之间 (between two pings of the owner)'),
  owner_timeout_ms: ms(
    5_000,
    100,
    HOUR_MS,
    '运行账户的进程多久没有消息算已退出 (silence after which the owner counts as gone)',
  ),
  epoch_check_ms: ms(
    1_000,
    50,
    HOUR_MS,
    '两次检查账户是否已被接管之间 (between two looks of an owner for a higher epoch)',
  ),
  attempts_max: count(
    20,
    1,
    1_000,
    '寻找或接管账户的尝试次数 (attempts to find or become the owner of an account)',
  ),
  retry_ms: ms(
    100,
    1,
    MINUTE_MS,
    '两次寻找之间的平均等待 (mean wait between two attempts to find the owner)',
  ),
  seek_again_ms: ms(2_000, 10, HOUR_MS, '寻找失败后的等待 (wait after a failed search)'),
  connections_max: count(
    64,
    1,
    4_096,
    '运行账户的进程最多服务几个进程 (processes that one owner serves)',
  ),
  buffer_bytes_max: bytes(
    134_217_728,
    65_536,
    GIB,
    '一条连接上未发出的字节数 (unsent bytes of one connection)',
  ),
  frame_bytes_max: bytes(
    67_108_864,
    65_536,
    GIB,
    '进程间最长的消息 (longest frame between processes)',
  ),
})

export const jobs = z.strictObject({
  threads_max: count(
    2,
    2,
    64,
    '计算线程数，至少留一个给短计算 (threads for calculations; one at least is kept for short ones)',
  ),
  running_max: count(
    1,
    1,
    64,
    '同时运行的任务数，少于 threads_max (jobs that run at once, fewer than threads_max)',
  ),
  queue_max: count(
    32,
    1,
    10_000,
    '排队的任务数，再来一个就拒绝 (jobs that wait; one more is refused)',
  ),
  kept_max: count(200, 1, 10_000, '保留的已结束任务数 (ended jobs that are kept)'),
  attempts_max: count(
    3,
    1,
    100,
    '任务跨进程最多启动几次 (starts of a job that outlives processes)',
  ),
  result_bytes_max: bytes(
    4_194_304,
    1_024,
    67_108_864,
    '任务结果的最大长度 (of the result of a job)',
  ),
  save_every_ms: ms(
    1_000,
    10,
    HOUR_MS,
    '两次保存任务进度之间 (between two saves of the progress of a job)',
  ),
  progress_ms: ms(
    250,
    10,
    MINUTE_MS,
    '两次查看计算进度之间 (between two looks at the progress of a calculation)',
  ),
  heap_mb: count(256, 16, 65_536, '一个计算线程的内存 (heap of one thread for calculations)'),
  idle_ms: ms(
    30_000,
    0,
    HOUR_MS,
    '计算线程空闲多久后结束 (after which a thread without work ends)',
  ),
  calculations_waiting_max: count(
    64,
    1,
    65_536,
    '等待线程的计算数 (calculations that wait for a thread)',
  ),
  backtest_bars_max: count(400_000, 1_000, 10_000_000, '一次回测的K线数 (bars of one backtest)'),
  calculation_ms_max: ms(
    10_000,
    100,
    HOUR_MS,
    '调用者等待的计算的时限 (for a calculation that a caller waits for)',
  ),
})
