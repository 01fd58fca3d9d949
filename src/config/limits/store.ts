import { z } from 'zod'
import { bytes, count, HOUR_MS, MINUTE_MS, ms } from '../fields.ts'

const GIB = 1_073_741_824

/** Databases, their log, copies and checks. */
export const store = z.strictObject({
  group_commits_max: count(
    1_024,
    1,
    65_536,
    '一个账户一次合并写入的提交数 (commits of one account written at once)',
  ),
  log_bytes: bytes(
    8_388_608,
    65_536,
    GIB,
    '先记录账户决定的两个日志文件各自的大小，启动时占用 (of each of the two files that take first what accounts decide; taken when the service starts)',
  ),
  log_files_max: count(
    8,
    2,
    1_024,
    '日志文件最多几个：有写不进数据库的内容时保留旧的、另起新的 (log files at most: one that holds what cannot be written to its database is kept, and another begun)',
  ),
  checkpoint_ms: ms(
    5_000,
    1,
    MINUTE_MS,
    '日志中的内容多久写入数据库，满了会提前 (after which what is in the log is written to the databases; sooner when it fills up)',
  ),
  checkpoint_rest_ms: ms(
    20,
    0,
    MINUTE_MS,
    '写两个数据库之间的间隔，日志快满时不等 (between two databases that are written, unless the log fills up)',
  ),
  read_timeout_ms: ms(10_000, 100, HOUR_MS, '读取存储的时限 (for a read of the store)'),
  open_timeout_ms: ms(
    60_000,
    1_000,
    HOUR_MS,
    '打开、接管、关闭数据库和启动读取的时限 (for a database to be opened, claimed or closed, and for what a start reads)',
  ),
  opens_at_once: count(
    4,
    1,
    1_024,
    '同时打开的账户数据库数 (databases of accounts that are opened at the same time)',
  ),
  commit_timeout_ms: ms(
    60_000,
    1_000,
    HOUR_MS,
    '提交多久没有结果算丢失 (after which a commit counts as lost)',
  ),
  free_space_floor_mb: count(
    256,
    0,
    1_048_576,
    '磁盘剩余低于此值时拒绝委托，0 = 低于 write_margin_mb 才拒绝 (free disk space below which orders are refused; 0 = only below write_margin_mb)',
  ),
  free_space_back_mb: count(
    64,
    0,
    1_048_576,
    '比下限多出多少后恢复接受委托；下限为 0 时须比 write_margin_mb 多出 reserve_mb (above that floor, then orders are taken again; where it is 0, reserve_mb above write_margin_mb)',
  ),
  free_space_check_ms: ms(
    2_000,
    10,
    HOUR_MS,
    '两次检查磁盘剩余之间 (between two looks at the free space)',
  ),
  late_ms: ms(
    3_000,
    100,
    HOUR_MS,
    '多久没有应答算磁盘停顿：报警，新委托立即拒绝 (without an answer for so long the disk counts as standing still: an alarm, and orders are refused at once)',
  ),
  late_check_ms: ms(500, 10, MINUTE_MS, '两次询问存储之间 (between two questions to the store)'),
  reserve_mb: count(
    8,
    0,
    1_024,
    '磁盘满时让出的预留文件 (file that is given up when the disk is full)',
  ),
  write_margin_mb: count(
    4,
    0,
    1_024,
    '磁盘剩余低于此值时不再写入 (free disk space below which nothing is written)',
  ),
  write_retry_ms: ms(
    250,
    10,
    MINUTE_MS,
    '等待磁盘空间时两次尝试之间 (between two tries of what waits for disk space)',
  ),
  journal_keep_days: count(
    7,
    1,
    3_650,
    '数据库里保留几个交易日的日志，更早的移入分段 (trading days of the journal that stay in the database; older entries move into segments)',
  ),
  journal_keep_entries: count(
    200_000,
    1,
    100_000_000,
    '数据库里最多保留的日志条数，不论新旧 (entries of the journal that stay in the database, however young)',
  ),
  segment_entries: count(
    2_000,
    1,
    100_000,
    '一个分段的日志条数 (entries of the journal in one segment)',
  ),
  segment_mb: count(
    8,
    1,
    64,
    '一个分段压缩前的大小 (of the entries of one segment before they are compressed)',
  ),
  segments_cached: count(
    4,
    1,
    1_000,
    '供查阅而留在内存的分段数 (segments that are kept in memory for those who read)',
  ),
  journal_trim_batch: count(
    500,
    1,
    10_000,
    '一次事务从数据库移出的条数 (entries that leave the database in one transaction)',
  ),
  journal_trim_pause_ms: ms(
    20,
    0,
    MINUTE_MS,
    '两次移出之间 (between two transactions in which entries leave)',
  ),
  journal_check_ms: ms(
    MINUTE_MS,
    10,
    HOUR_MS,
    '两次检查可移出日志之间 (between two looks for journals with an old part)',
  ),
  journal_retry_ms: ms(
    10 * MINUTE_MS,
    10,
    24 * HOUR_MS,
    '分段失败后多久重试 (after a segment that failed)',
  ),
  audit_keep_days: count(
    400,
    1,
    36_500,
    '分段保留天数，过后删除 (days for which segments are kept; then they are deleted)',
  ),
})

export const backup = z.strictObject({
  check_ms: ms(
    30_000,
    10,
    HOUR_MS,
    '两次检查定时备份是否到期之间 (between two looks at whether a scheduled backup is due)',
  ),
  retry_ms: ms(
    10 * MINUTE_MS,
    10,
    24 * HOUR_MS,
    '定时备份失败后多久重试 (after a scheduled backup that failed)',
  ),
  copy_ms: ms(
    HOUR_MS,
    1_000,
    24 * HOUR_MS,
    '定时备份的时限，过后算失败 (for a scheduled backup; then it has failed)',
  ),
})

export const examine = z.strictObject({
  looks_at_once: count(
    4,
    1,
    1_024,
    '同时检查几个账户的数据库，每个一个进程 (accounts whose databases are looked through at the same time, each by a process)',
  ),
  read_ms: ms(
    2_000,
    10,
    HOUR_MS,
    '打开前读一遍数据库的时限 (for the rows of one database to be read before it is opened)',
  ),
  whole_ms: ms(
    600_000,
    1_000,
    24 * HOUR_MS,
    '读完备份数据库的时限 (for all rows of a database of a backup to be read)',
  ),
  silence_ms: ms(
    10_000,
    100,
    HOUR_MS,
    '检查数据库多久没有进展，两次即算损坏 (without a word about one database; twice, and it counts as damaged)',
  ),
})
