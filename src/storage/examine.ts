import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { hasEnvironment } from './environment.ts'

const PROGRAM = fileURLToPath(new URL('../../bin/examine.mjs', import.meta.url))

export interface ExamineLimits {
  /** For the rows of one database; the rest of a larger one is not read. */
  readonly readMs: number
  /** Without a word about one database; then its process is ended. Twice, and it counts as damaged. */
  readonly silenceMs: number
}

/** What a look through a database has shown. */
export interface Examined {
  /** What is wrong with it, for people; null when nothing is. */
  readonly problem: string | null
  /** Nothing was ever stored there. */
  readonly isAbsent: boolean
  /** Larger than the time allowed: the rest is checked row by row as it is read. */
  readonly isPartial: boolean
  /** Of an account: its trading client has answered at least once. */
  readonly hasConnected: boolean
}

const ABSENT: Examined = { problem: null, isAbsent: true, isPartial: false, hasConnected: false }
const damaged = (problem: string): Examined => ({ ...ABSENT, isAbsent: false, problem })

type Word =
  | { readonly begins: string }
  | ({ readonly begins?: undefined; readonly folder: string } & Examined)

/**
 * Looks through databases before they are opened, in a process of its own: LMDB has no checksum of its
 * pages, and a file that was cut or overwritten ends whoever opens it, without a word. A process that
 * ends so has named the database under way; the next one goes on behind it. One that falls silent may
 * only have got no processor: the database is damaged when a second one falls silent over it as well.
 */
export async function examineDatabases(
  folders: readonly string[],
  limits: ExamineLimits,
  program = PROGRAM,
): Promise<ReadonlyMap<string, Examined>> {
  const found = new Map<string, Examined>()
  const doubted = new Set<string>()
  for (const folder of folders) if (!hasEnvironment(folder)) found.set(folder, ABSENT)
  for (;;) {
    const rest = folders.filter((folder) => !found.has(folder))
    if (rest.length === 0) return found
    const { underWay, end, isSilent } = await examineSome(rest, limits, { found, program })
    const blamed = blame(rest, underWay, found)
    if (blamed === undefined) continue
    if (isSilent && !doubted.has(blamed)) doubted.add(blamed)
    else found.set(blamed, damaged(end))
  }
}

/** The database over which a process has ended; undefined when it had told of all that it began. */
function blame(
  folders: readonly string[],
  underWay: string | undefined,
  found: ReadonlyMap<string, Examined>,
): string | undefined {
  const blamed = underWay ?? folders.find((folder) => !found.has(folder))
  return blamed === undefined || found.has(blamed) ? undefined : blamed
}

/** Until the process has ended, by itself or not. `end` says how. */
async function examineSome(
  folders: readonly string[],
  { readMs, silenceMs }: ExamineLimits,
  { found, program }: { readonly found: Map<string, Examined>; readonly program: string },
): Promise<{ underWay: string | undefined; end: string; isSilent: boolean }> {
  const child = spawn(process.execPath, [program], {
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
  })
  let underWay: string | undefined
  let isSilent = false
  const giveUp = () => {
    isSilent = true
    child.kill('SIGKILL')
  }
  let timer = setTimeout(giveUp, readMs + silenceMs)
  createInterface({ input: child.stdout }).on('line', (line) => {
    clearTimeout(timer)
    timer = setTimeout(giveUp, readMs + silenceMs)
    const word = JSON.parse(line) as Word
    if (word.begins !== undefined) underWay = word.begins
    else found.set(word.folder, word)
  })
  const complaints = complaintsOf(child)
  child.stdin.on('error', () => undefined) // its end is told by `close`
  child.stdin.end(JSON.stringify({ folders, budgetMs: readMs }))
  const how = await endOf(child)
  clearTimeout(timer)
  const end = isSilent ? `reading it did not end within ${readMs + silenceMs} ms` : how
  return { underWay, end: `${end}${complaints()}`, isSilent }
}

function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.on('error', (error) => resolve(`it could not be examined: ${error.message}`))
    child.on('close', (code, signal) => resolve(`reading it ends the process (${signal ?? code})`))
  })
}

const COMPLAINT_CHARS_MAX = 200

/** The last line that the process has complained with. */
function complaintsOf(child: ChildProcess): () => string {
  let last = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    last = text.trim().split('\n').at(-1)?.slice(0, COMPLAINT_CHARS_MAX) ?? last
  })
  return () => (last === '' ? '' : `: ${last}`)
}
