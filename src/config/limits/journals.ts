import { z } from 'zod'
import { bytes, count, HOUR_MS, MINUTE_MS, ms } from '../fields.ts'

const GIB = 1_073_741_824

/** What is published of journals, and lines of the log. */
export const audit = z.strictObject({
  publish_ms: ms(
    MINUTE_MS,
    100,
    24 * HOUR_MS,
    '两次公布日志末端之间 (between two looks for journals that have moved)',
  ),
  stop_ms: ms(
    1_000,
    0,
    MINUTE_MS,
    '停止时公布最后日志末端的时限 (for the last heads to be published at a stop)',
  ),
  head_file_bytes_max: bytes(
    GIB,
    4_096,
    1_024 * GIB,
    'audit.head_file 的大小，满了不再写 (of audit.head_file; then it takes no more)',
  ),
})

export const log = z.strictObject({
  file_bytes_max: bytes(
    16_777_216,
    4_096,
    GIB,
    '一个日志文件的大小，满了换新的 (of a log file; then it is put aside)',
  ),
  files_max: count(
    8,
    1,
    1_000,
    '一个进程保留的日志文件数 (log files of one process that are kept)',
  ),
  check_ms: ms(
    5_000,
    10,
    HOUR_MS,
    '两次检查日志文件大小之间 (between two looks at the length of the log file)',
  ),
  thread_lines_max: count(
    1_024,
    1,
    1_000_000,
    '一个线程等待写出的日志行数，更多的丢弃 (lines of a thread that wait; more are dropped)',
  ),
  pending_bytes_max: bytes(
    1_048_576,
    4_096,
    GIB,
    '等待写出的日志字节数，更多的丢弃 (of lines that wait; more are dropped)',
  ),
  flush_ms: ms(500, 10, MINUTE_MS, '结束时写完最后日志的时限 (for the last lines at the end)'),
  restart_ms: ms(
    1_000,
    10,
    HOUR_MS,
    '日志进程退出后多久由新的接替 (before another log process takes over from one that ended)',
  ),
})
