import { join } from 'node:path'
import { inCamelCase } from '../../config/camel-case.ts'
import type { Config } from '../../config/schema.ts'
import {
  createLogMemory,
  droppedByThreads,
  type LogMemory,
} from '../../observability/log-memory.ts'
import { type Dropped, LogWriter } from '../../observability/log-writer.ts'
import type { Logger } from '../../observability/logger.ts'
import type { Scope } from './scope.ts'

/** The log of this process. */
export interface Logs {
  /** For its loggers. */
  readonly memory: LogMemory
  readonly writer: LogWriter
}

/**
 * The log of this process: standard output, and a file of its own inside the data directory that is put
 * aside when it becomes too long.
 */
export function openLogs(config: Config, scope: Scope): Logs {
  const { data_dir: dataDir, log } = config
  const limits = inCamelCase(config.limits.log)
  const name = `${nameOf(config, scope)}.log`
  const file = log.folder === '' ? null : join(dataDir, log.folder, name)
  const memory = createLogMemory(log.level, limits.threadLinesMax)
  return { memory, writer: new LogWriter({ file, limits }) }
}

/**
 * Says it when there is no log file: on standard error, too. Where the service starts by itself nobody sees its
 * console, and what the log would have told after a loss is not there.
 */
export function tellOfLostFile({ writer }: Logs, log: Logger): void {
  writer.onFileLost((file, reason) => {
    const text = `日志文件无法写入 (the log file cannot be written): ${file} (${reason})`
    log.error({ alert: 'log_file_lost', reason }, text)
    writer.printError(`steward: ${text}`)
  })
}

/** Lines that were lost, by where; those that threads could not hand over never came to the writer. */
export const droppedOf = ({ memory, writer }: Logs): Dropped => {
  const { dropped } = writer
  return { ...dropped, writer: dropped.writer + droppedByThreads(memory) }
}

/** Two processes on one data directory do not write into one file. */
function nameOf({ accounts }: Config, scope: Scope): string {
  if (scope.kind !== 'direct') return scope.kind
  const index = accounts.findIndex(({ account_id }) => account_id === scope.accountId)
  return `direct-${index}`
}
