import { type Dirent, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Finding, fine, reasonOf, warn } from '../../domain/finding.ts'

/** What the terminal keeps for its sessions: one file, or folder, and a lock for each. */
const QUEUE = /^(?:lock_)?(?:up|down)_queue/i
const MIB = 1_048_576
/** One session takes about 75 MB, so a dozen of them were left behind. */
const BYTES_WARN = 1_024 * MIB
const ENTRIES_MAX = 10_000

/** How much of the disk the queue files of sessions take: the terminal never removes them. */
export function queueFilesFinding(clientPath: string, bytesWarn = BYTES_WARN): Finding {
  const name = 'queue files'
  const mend = `请退出终端，再删除 ${clientPath} 中的 down_queue_win_* 与 lock_down_queue_win_*，终端会重建所需的 (quit the terminal, then delete down_queue_win_* and lock_down_queue_win_* in ${clientPath}; it makes those that it needs)`
  try {
    const entries = readdirSync(clientPath, { withFileTypes: true })
    const queues = entries.filter((entry) => QUEUE.test(entry.name))
    const bytes = queues.reduce((sum, entry) => sum + bytesOf(clientPath, entry), 0)
    const text = `终端会话文件 (${queues.length} of the terminal's sessions, ${Math.ceil(bytes / MIB)} MB)`
    return bytes > bytesWarn ? warn(name, text, mend) : fine(name, text)
  } catch (error) {
    return warn(name, `${clientPath} 无法读取 (cannot be read (${reasonOf(error)}))`, mend)
  }
}

/** Of a file, or of the files right inside a folder; what vanishes meanwhile counts nothing. */
function bytesOf(folder: string, entry: Dirent): number {
  const path = join(folder, entry.name)
  if (!entry.isDirectory()) return sizeOf(path)
  return readdirSync(path)
    .slice(0, ENTRIES_MAX)
    .reduce((sum, inner) => sum + sizeOf(join(path, inner)), 0)
}

const sizeOf = (path: string): number => lstatSync(path, { throwIfNoEntry: false })?.size ?? 0
