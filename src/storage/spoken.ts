import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** How a program is asked about things, one after the other. */
export interface Questions<Found> {
  /** Takes one JSON on standard input; says line by line `{begins: thing}` and `{about: thing, …found}`. */
  readonly program: string
  /** What it is told, for the things that are left. */
  readonly ask: (rest: readonly string[]) => object
  /** Without a word; then its process is ended. */
  readonly silenceMs: number
  /** What it does with a thing, for people: `reading it`. */
  readonly doing: string
  /** What is known of a thing over which the program has ended. `isUntouched`: by no fault of that thing. */
  readonly failed: (why: string, isUntouched: boolean) => Found
}

/** What people and systems end a process with, as where memory is short; what a process does wrong ends it otherwise. */
const FROM_OUTSIDE: ReadonlySet<unknown> = new Set(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP'])

type Word<Found> =
  | { readonly begins: string }
  | ({ readonly begins?: undefined; readonly about: string } & Found)

/**
 * Asks a program in a process of its own, because each of the things may end whoever touches it, or keep it for
 * ever. A process that ends so has named the thing under way. It may only have got no processor, or no memory: a
 * thing has failed when a second one falls silent or ends over it as well, and the next one goes on behind it.
 */
export async function askAbout<Found>(
  things: readonly string[],
  questions: Questions<Found>,
): Promise<Map<string, Found>> {
  const found = new Map<string, Found>()
  const doubted = new Set<string>()
  for (;;) {
    const rest = things.filter((thing) => !found.has(thing))
    if (rest.length === 0) return found
    const { underWay, end, isFromOutside } = await askSome(rest, questions, found)
    const blamed = underWay ?? rest.find((thing) => !found.has(thing))
    if (blamed === undefined || found.has(blamed)) continue
    if (!doubted.has(blamed)) doubted.add(blamed)
    else found.set(blamed, questions.failed(end, isFromOutside || underWay === undefined))
  }
}

/** Until the process has ended, by itself or not. `end` says how. */
async function askSome<Found>(
  rest: readonly string[],
  { program, ask, silenceMs, doing }: Questions<Found>,
  found: Map<string, Found>,
): Promise<{ underWay: string | undefined; end: string; isFromOutside: boolean }> {
  const child = await started(program)
  if (typeof child === 'string') return { underWay: undefined, end: child, isFromOutside: true }
  let underWay: string | undefined
  let isSilent = false
  const giveUp = () => {
    isSilent = true
    child.kill('SIGKILL')
  }
  let timer = setTimeout(giveUp, silenceMs)
  createInterface({ input: child.stdout }).on('line', (line) => {
    clearTimeout(timer)
    timer = setTimeout(giveUp, silenceMs)
    const word = JSON.parse(line) as Word<Found>
    if (word.begins !== undefined) underWay = word.begins
    else found.set(word.about, word)
  })
  const complaints = complaintsOf(child)
  child.stdin.on('error', () => undefined) // its end is told by `close`
  child.stdin.end(JSON.stringify(ask(rest)))
  const how = await endOf(child, doing)
  clearTimeout(timer)
  const end = isSilent ? `${doing} did not end within ${silenceMs} ms` : how
  const isFromOutside = !isSilent && FROM_OUTSIDE.has(child.signalCode)
  return { underWay, end: `${end}${complaints()}`, isFromOutside }
}

/** Without memory the system refuses at once; without descriptors there are no pipes, and why is told later. */
async function started(program: string) {
  try {
    const child = spawn(process.execPath, [program], {
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
    })
    await once(child, 'spawn')
    return child
  } catch (error) {
    return cannotStart(error)
  }
}

const cannotStart = (error: unknown): string =>
  `it could not be examined: ${error instanceof Error ? error.message : String(error)}`

function endOf(child: ChildProcess, doing: string): Promise<string> {
  return new Promise((resolve) => {
    child.on('error', (error) => resolve(cannotStart(error)))
    child.on('close', (code, signal) => resolve(`${doing} ends the process (${signal ?? code})`))
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
