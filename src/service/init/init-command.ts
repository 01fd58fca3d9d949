import { chmodSync, closeSync, existsSync, fsyncSync, openSync, rmSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { InitAsked } from '../../config/commands/init.ts'
import { DEFAULT_FILE } from '../../config/config-file.ts'
import { type LoadedConfig, loadConfig } from '../../config/load.ts'
import { newConfigText } from '../../config/new-file.ts'
import { renameHeld } from '../../config/rename.ts'
import { writeWhole } from '../../config/write-whole.ts'
import { err, ok, type Result } from '../../domain/result.ts'
import { flush } from '../../storage/flushed.ts'
import { makeFolder } from '../../storage/make-folder.ts'
import { copyWritable } from '../backups/plain-files.ts'
import { type Conclusion, DONE, type Surroundings } from '../commands/commands.ts'
import { newSecret } from '../commands/token-command.ts'
import { examine } from '../doctor/doctor.ts'
import { type Interviewed, interview, type Person } from './interview.ts'
import { ownFiles, usualPlaces } from './places.ts'
import { findTerminals } from './terminals.ts'

const EXIT = { failed: 1, wrong: 2 } as const

/**
 * `steward init`: asks for what a configuration needs, or takes it from the command line, and writes it in one
 * step: whoever goes away before has written nothing. The doctor looks at the end; 1 when it finds something.
 */
export async function initialize(asked: InitAsked, around: Surroundings): Promise<Conclusion> {
  const { write } = around
  const file = placeOf(asked)
  if (existsSync(file) && !asked.isForced) {
    return {
      lines: [
        `${file} 已存在，不会覆盖；要换新的请加 --force，原文件改名保留 (it is there; --force puts it aside)`,
      ],
      code: EXIT.wrong,
    }
  }
  const terminal = asked.isSilent || !isAtTerminal() ? undefined : openTerminal()
  const answers = await interview({
    asked,
    person: terminal?.person,
    terminals: () => searched(write),
    isFolder,
  }).finally(() => terminal?.close())
  if (!answers.ok) {
    return { lines: [answers.error.text], code: answers.error.isWrong ? EXIT.wrong : EXIT.failed }
  }
  return make(file, answers.value, { around, isUnexamined: asked.isUnexamined })
}

async function make(
  file: string,
  { config, hasToken }: Interviewed,
  how: { readonly around: Surroundings; readonly isUnexamined: boolean },
): Promise<Conclusion> {
  const { write } = how.around
  const secret = hasToken ? newSecret() : undefined
  const dataDir = fixed(config.dataDir)
  const text = newConfigText({ ...config, dataDir, ...(secret && { tokenHash: secret.hash }) })
  const written = writeNew(file, text)
  if (!written.ok) return { lines: written.error, code: EXIT.failed }
  const { loaded, aside } = written.value
  write(`已写入 (written): ${file}`)
  if (aside !== undefined) write(`原文件 (the former file): ${aside}`)
  if (secret !== undefined) {
    write(`令牌，只显示这一次 (the token, shown this once): ${secret.token}`)
  }
  const isWell = how.isUnexamined || (await doctor(loaded, how.around))
  return isWell ? DONE : { code: EXIT.failed }
}

/** A relative folder counts from where each start is made, unless the user has a place: written whole, all starts find it. */
const fixed = (dataDir: string): string =>
  process.env['STEWARD_PLACE']?.trim() ? dataDir : resolve(dataDir)

const isAtTerminal = (): boolean => process.stdin.isTTY === true && process.stdout.isTTY === true
const isFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

/** Where it is looked for at the next start. */
const placeOf = ({ file }: InitAsked): string =>
  file === undefined
    ? join(process.env['STEWARD_PLACE']?.trim() || process.cwd(), DEFAULT_FILE)
    : resolve(file)

async function searched(write: Surroundings['write']) {
  write('正在查找交易终端…… (looking for terminals …)')
  const { found, isCut } = await findTerminals(ownFiles, await usualPlaces())
  if (isCut) write('未查找完，可能还有其他终端 (not searched to the end; there may be more)')
  return found
}

/** A question at a time; the end of the input and Ctrl-C end it. */
function openTerminal(): { readonly person: Person; readonly close: () => void } {
  const lines = createInterface({ input: process.stdin, output: process.stdout, terminal: true })
  let isGone = false
  lines.once('close', () => {
    isGone = true
  })
  const ask = (question: string): Promise<string | undefined> =>
    new Promise((done) => {
      if (isGone) return done(undefined)
      const gone = () => done(undefined)
      lines.once('close', gone)
      lines.question(question, (answer) => {
        lines.off('close', gone)
        done(answer)
      })
    })
  return {
    person: { ask, say: (line) => void process.stdout.write(`${line}\n`) },
    close: () => lines.close(),
  }
}

interface Written {
  readonly loaded: LoadedConfig
  readonly aside?: string
}

/** Beside its place, checked as the service would check it, and only then under its name. */
function writeNew(file: string, text: string): Result<Written, readonly string[]> {
  const draft = `${file}.new`
  try {
    makeFolder(dirname(file))
    rmSync(draft, { force: true }) // of one that was ended here
    writeDraft(draft, text)
    const checked = load(draft)
    if (!checked.ok) return checked
    const aside = existsSync(file) ? `${file}.${Date.now()}.old` : undefined
    if (aside !== undefined) keep(file, aside)
    renameHeld(draft, file)
    const loaded = load(file)
    return loaded.ok ? ok({ loaded: loaded.value, ...(aside !== undefined && { aside }) }) : loaded
  } catch (error) {
    return err([`${file} 无法写入 (cannot be written): ${Reflect.get(Object(error), 'code')}`])
  } finally {
    removeDraft(draft)
  }
}

/** Where nobody may even look there is none, and why it could not be written is told already. */
function removeDraft(draft: string): void {
  try {
    rmSync(draft, { force: true })
  } catch {
    // one that stays is removed by the next try
  }
}

/** The file stays in its place: without one, a start would be that of the demo. */
function keep(file: string, aside: string): void {
  try {
    copyWritable(file, aside)
    flush(aside)
    if (process.platform === 'win32') chmodSync(file, 0o600) // nothing takes the place of a read-only file there
  } catch (error) {
    rmSync(aside, { force: true }) // half of it
    throw error
  }
}

function writeDraft(draft: string, text: string): void {
  const opened = openSync(draft, 'wx', 0o600)
  try {
    writeWhole(opened, text)
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}

const load = (configFile: string): Result<LoadedConfig, string[]> =>
  loadConfig({ cwd: process.cwd(), env: process.env, options: { configFile } })

function doctor(loaded: LoadedConfig, { write, version }: Surroundings): Promise<boolean> {
  write('')
  return examine({ loaded, write, reportFile: undefined, version, nowMs: Date.now() })
}
