import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { whyNotLoaded } from '../../runtime/native-module.ts'
import { askAbout } from '../../storage/spoken.ts'
import { isUsable } from '../data/data-folder.ts'

const PROGRAM = fileURLToPath(new URL('../../../bin/probe.mjs', import.meta.url))
/** Among the things that are tried: a database of its own below the data folder. */
const DATABASE = 'database'
/** Begins the name of the folder that it lies in; the number of who asks follows. */
const OWN = '.probe-'
const REMOVE = { recursive: true, force: true, maxRetries: 5, retryDelay: 100 } as const

/** A package of machine code. */
interface NativeModule {
  readonly name: string
  /** Where it does not load, JavaScript does its work. */
  readonly isOptional: boolean
  /** Its binary for Windows is linked to the runtime of C++. */
  readonly needsCppRuntime: boolean
}

const MODULES: readonly NativeModule[] = [
  { name: 'uWebSockets.js', isOptional: false, needsCppRuntime: true },
  { name: 'lmdb', isOptional: false, needsCppRuntime: false },
  { name: 'msgpackr-extract', isOptional: true, needsCppRuntime: false },
]

/** What trying something has shown. */
export interface Tried {
  readonly name: string
  readonly isOptional: boolean
  /** What is wrong with it, and how to mend it; undefined when it works. */
  readonly problem: { readonly text: string; readonly mend: string } | undefined
}

export interface ProbeOptions {
  readonly dataDir: string
  /** Without a word about one thing; twice, and it counts as broken. */
  readonly silenceMs: number
  readonly program?: string
}

/**
 * Loads every package of machine code, then tries a database where the data folder is there, and this user may write into
 * it; none of it can harm this process.
 */
export async function tryAll(options: ProbeOptions): Promise<readonly Tried[]> {
  const names = MODULES.map(({ name }) => name)
  // LMDB would make a folder that is not there, also where a restore was interrupted. What denies one is no fault of LMDB.
  const found = await ask(isUsable(options.dataDir) ? [...names, DATABASE] : names, options)
  const modules = MODULES.map(({ name, isOptional, needsCppRuntime }) => {
    const reason = found.get(name) ?? null
    const problem = reason === null ? undefined : whyNotLoaded(reason, needsCppRuntime)
    return { name, isOptional, problem }
  })
  const database = found.get(DATABASE)
  return database === undefined ? modules : [...modules, inDatabase(database, options)]
}

/** Opens, writes and reads a database below the data folder, which is there; undefined when that works. */
export async function tryDatabase(options: ProbeOptions): Promise<string | undefined> {
  const found = await ask([DATABASE], options)
  const { problem } = inDatabase(found.get(DATABASE) ?? null, options)
  return problem && `${problem.text}; ${problem.mend}`
}

const ELSEWHERE =
  '请将 data_dir 移到本机磁盘上的普通文件夹，并让杀毒软件放行该文件夹 (move data_dir to a plain folder on a local disk, and have virus scanners leave it alone)'

function inDatabase(reason: string | null, { dataDir }: ProbeOptions): Tried {
  const text = `无法在 ${dataDir} 中打开数据库 (no database can be opened in it): ${reason}`
  const problem = reason === null ? undefined : { text, mend: ELSEWHERE }
  return { name: DATABASE, isOptional: false, problem }
}

async function ask(things: readonly string[], options: ProbeOptions) {
  const { dataDir, silenceMs, program = PROGRAM } = options
  const folder = join(dataDir, `${OWN}${process.pid}`)
  try {
    const found = await askAbout<{ readonly problem: string | null }>(things, {
      program,
      ask: (rest) => ({ things: rest, folder }),
      silenceMs,
      doing: 'trying it',
      failed: (problem) => ({ problem }),
    })
    return new Map(Array.from(found, ([thing, { problem }]) => [thing, problem]))
  } finally {
    clear(dataDir)
  }
}

/**
 * A process that was ended has left its folder, or a scanner went on reading in it, now or at an earlier start. What is held
 * still stays for a later one: it says nothing of the database.
 */
function clear(dataDir: string): void {
  for (const name of namesIn(dataDir).filter((each) => each.startsWith(OWN))) {
    const pid = Number(name.slice(OWN.length))
    if (pid !== process.pid && isAlive(pid)) continue
    try {
      rmSync(join(dataDir, name), REMOVE)
    } catch {
      // held by another program
    }
  }
}

/** None of a folder that is not there, or that this user may not look at. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** As far as this user may know. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return Reflect.get(Object(error), 'code') !== 'ESRCH'
  }
}
