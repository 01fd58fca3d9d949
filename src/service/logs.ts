import { join } from 'node:path'
import type { Config } from '../config/schema.ts'
import { createLogMemory, type LogMemory, rotateIfLong } from '../observability/log-memory.ts'
import type { Scope } from './scope.ts'

/**
 * The log of this process: standard output, and a file of its own inside the data directory that is put
 * aside when it becomes too long.
 */
export function openLogs(config: Config, scope: Scope): LogMemory {
  const { log, limits } = config
  if (log.folder === '') return createLogMemory(log.level, null)
  const path = join(config.data_dir, log.folder, `${nameOf(config, scope)}.log`)
  const memory = createLogMemory(log.level, {
    path,
    limits: { bytesMax: limits.log.file_bytes_max, filesMax: limits.log.files_max },
  })
  // Here and not in the threads: one of them may be killed at any instruction.
  setInterval(() => rotateIfLong(memory), limits.log.check_ms).unref()
  return memory
}

/** Two processes on one data directory do not write into one file. */
function nameOf({ accounts }: Config, scope: Scope): string {
  if (scope.kind !== 'direct') return scope.kind
  const index = accounts.findIndex(({ account_id }) => account_id === scope.accountId)
  return `direct-${index}`
}
