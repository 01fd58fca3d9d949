import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Opens all descriptors that there are, and gives `left` of them back. */
const STARVE = `
  import { closeSync, openSync } from 'node:fs'
  function starve(left) {
    const open = []
    try {
      for (;;) open.push(openSync('/dev/null'))
    } catch {
      for (const descriptor of open.slice(0, left)) closeSync(descriptor)
    }
  }
`

/**
 * Runs the module `text`, kept in `folder`, in a process with few descriptors, which it uses up with `starve(left)`.
 * Answers what it printed, and how it ended.
 */
export function runStarved(folder: string, text: string) {
  const file = join(folder, 'starved.ts')
  writeFileSync(file, `${STARVE}${text}`)
  const command = 'ulimit -n 100 && exec "$0" "$1"'
  return spawnSync('sh', ['-c', command, process.execPath, file], { encoding: 'utf8' })
}
