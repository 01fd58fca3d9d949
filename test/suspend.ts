import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { turnsUntil } from './in-time.ts'

/** Of one thread, as the kernel says it; its name, in parentheses, may contain anything. */
const stateOf = (stat: string): string => stat.slice(stat.lastIndexOf(')') + 2).charAt(0)

function isSuspended(pid: number): boolean {
  if (process.platform !== 'linux') {
    return execFileSync('ps', ['-o', 'state=', '-p', String(pid)], { encoding: 'utf8' }).startsWith(
      'T',
    )
  }
  const threads = readdirSync(`/proc/${pid}/task`)
  return threads.every(
    (id) => stateOf(readFileSync(`/proc/${pid}/task/${id}/stat`, 'utf8')) === 'T',
  )
}

/** Whether none of its threads runs any more, also where nobody has asked yet how it ended. */
export function isOver(pid: number): boolean {
  if (process.platform !== 'linux') {
    const { stdout } = spawnSync('ps', ['-o', 'state=', '-p', String(pid)], { encoding: 'utf8' })
    return stdout === '' || stdout.startsWith('Z')
  }
  try {
    const [only, ...others] = readdirSync(`/proc/${pid}/task`)
    if (only === undefined || others.length > 0) return only === undefined
    return 'ZX'.includes(stateOf(readFileSync(`/proc/${pid}/task/${only}/stat`, 'utf8')))
  } catch {
    return true // gone while it was looked at
  }
}

/**
 * Stops a process with all its threads, and waits until it stands: the signal is taken by one thread, at
 * its next turn on a processor, and until then the others still do what comes in.
 */
export async function suspend(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP')
  await turnsUntil(() => isSuspended(pid), `process ${pid} to stand still`)
}

export const resume = (pid: number): void => void process.kill(pid, 'SIGCONT')
