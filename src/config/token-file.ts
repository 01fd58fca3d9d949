import { closeSync, fsyncSync, openSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { err, ok, type Result } from '../domain/result.ts'
import { SCOPES } from '../domain/scope.ts'
import { renameHeld } from './rename.ts'
import { type NamedToken, tokenSchema } from './tokens.ts'
import { writeWhole } from './write-whole.ts'

/** Tokens that are made and withdrawn while the service runs; beside those of the configuration. */
const TOKEN_FILE = 'tokens.json'
const TOKENS_MAX = 1_000
/** Older changes are in the journals of the accounts. */
const CHANGES_KEPT = 200
/** Of a lock that whoever made it has left behind. */
const LOCK_OLD_MS = 10_000
const BYTES_MAX = 4_194_304

const changeSchema = z.strictObject({
  number: z.int().positive(),
  timeMs: z.int(),
  act: z.enum(['added', 'revoked']),
  name: z.string(),
  scope: z.enum(SCOPES),
  /** Empty: all. */
  accounts: z.array(z.string()),
  /** The user of this computer who did it. */
  by: z.string(),
})

const fileSchema = z.strictObject({
  version: z.literal(1),
  tokens: z.array(tokenSchema).max(TOKENS_MAX),
  /** Hashes of tokens that stand in the configuration and are good no more. */
  revoked: z.array(z.string()).max(TOKENS_MAX * 10),
  changes: z.array(changeSchema),
})

export type TokenFile = Readonly<z.output<typeof fileSchema>>
/** What was done to a token. Numbered upwards by the time, so that a new file goes on above an old one. */
export type TokenChange = Readonly<z.output<typeof changeSchema>>

/** Why a change of the tokens, or a look at them, came to nothing, or not for sure. */
export interface TokenRefusal {
  /** One line. */
  readonly text: string
  /** It was asked for what cannot be; else something failed. */
  readonly isWrong: boolean
}
const failed = (text: string) => err<TokenRefusal>({ text, isWrong: false })

export const tokenFileOf = (dataDir: string): string => join(dataDir, TOKEN_FILE)

/** Undefined while there is none. The error is one line. */
export function readTokenFile(dataDir: string): Result<TokenFile | undefined, string> {
  const path = tokenFileOf(dataDir)
  try {
    if (statSync(path).size > BYTES_MAX)
      return err(`${path} 过大，不像令牌列表 (${path} is too long to be a list of tokens)`)
    const parsed = fileSchema.safeParse(JSON.parse(readFileSync(path, 'utf8')))
    if (parsed.success) return ok(parsed.data)
    const [issue] = parsed.error.issues
    return err(
      `${path}: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? '不是令牌列表 (not a list of tokens)'}`,
    )
  } catch (error) {
    const code: unknown = Reflect.get(Object(error), 'code')
    if (code === 'ENOENT') return ok(undefined)
    return err(
      `${path} 无法读取（${String(code ?? 'no JSON')}）；请修复或放回备份 (${path} cannot be read (${String(code ?? 'no JSON')}); mend it or put a backup back)`,
    )
  }
}

/** All that are good now, those of the configuration first. */
export const goodTokens = (
  configured: readonly NamedToken[],
  file: TokenFile | undefined,
): readonly NamedToken[] => {
  if (file === undefined) return configured
  const revoked = new Set(file.revoked)
  return [...configured.filter(({ hash }) => !revoked.has(hash)), ...file.tokens]
}

/** What is left of it when it is gone: its tokens with it, and what was withdrawn stays so. */
export const withoutTokens = (file: TokenFile): TokenFile => ({ ...file, tokens: [] })

const EMPTY: TokenFile = { version: 1, tokens: [], revoked: [], changes: [] }

interface Doer {
  readonly by: string
  readonly timeMs: number
}

/** A further token. The error is one line. */
export function withToken(
  file: TokenFile = EMPTY,
  { token, configured }: { token: NamedToken; configured: readonly NamedToken[] },
  doer: Doer,
): Result<TokenFile, string> {
  const { name } = token
  const isTaken = [...configured, ...file.tokens].some((other) => other.name === name)
  if (isTaken)
    return err(
      `已有名为 ${name} 的令牌；请先撤销，或换一个名称 (there is a token named ${name} already; revoke it or choose another name)`,
    )
  if (file.tokens.length >= TOKENS_MAX)
    return err(`已有 ${TOKENS_MAX} 个令牌 (there are ${TOKENS_MAX} tokens already)`)
  return ok(noted({ ...file, tokens: [...file.tokens, token] }, 'added', token, doer))
}

/** Without this token, wherever it stands. The error is one line. */
export function withoutToken(
  file: TokenFile = EMPTY,
  { name, configured }: { name: string; configured: readonly NamedToken[] },
  doer: Doer,
): Result<TokenFile, string> {
  const token = goodTokens(configured, file).find((other) => other.name === name)
  if (token === undefined)
    return err(
      `没有名为 ${name} 的令牌；见 steward token list (no token is named ${name}; see steward token list)`,
    )
  // One that was copied from one list to the other stands in both, perhaps under another name there.
  const named = [...configured, ...file.tokens].filter((other) => other.name === name)
  const hashes = new Set(named.map(({ hash }) => hash))
  const tokens = file.tokens.filter(({ hash }) => !hashes.has(hash))
  const stay = configured.filter(({ hash }) => hashes.has(hash)).map(({ hash }) => hash)
  const revoked = [...new Set([...file.revoked, ...stay])]
  return ok(noted({ ...file, tokens, revoked }, 'revoked', token, doer))
}

function noted(
  file: TokenFile,
  act: TokenChange['act'],
  { name, scope, accounts }: NamedToken,
  { by, timeMs }: Doer,
): TokenFile {
  const number = Math.max((file.changes.at(-1)?.number ?? 0) + 1, timeMs)
  const change: TokenChange = { number, timeMs, act, name, scope, accounts, by }
  return { ...file, changes: [...file.changes, change].slice(-CHANGES_KEPT) }
}

/**
 * Reads, changes and replaces the file as one step: a reader finds the old one or the new one, and two
 * who write at once do not undo each other. It is on disk when this returns: what was withdrawn stays so after a power
 * cut.
 */
export function changeTokenFile(
  dataDir: string,
  change: (file: TokenFile | undefined) => Result<TokenFile, string>,
  flushNames: (folder: string) => void,
): Result<TokenFile, TokenRefusal> {
  const path = tokenFileOf(dataDir)
  const lock = `${path}.lock`
  try {
    closeSync(openLock(lock))
  } catch (error) {
    const code: unknown = Reflect.get(Object(error), 'code')
    if (code === 'EEXIST')
      return failed(
        `另一个命令正在修改令牌（${lock}）；请稍后重试 (somebody else changes the tokens right now (${lock}); try again)`,
      )
    return failed(unwritten(path, code))
  }
  let isReplaced = false
  try {
    const before = readTokenFile(dataDir)
    if (!before.ok) return failed(before.error)
    const after = change(before.value)
    if (!after.ok) return err({ text: after.error, isWrong: true })
    replace(path, `${JSON.stringify(after.value, null, 2)}\n`)
    isReplaced = true
    flushNames(dataDir)
    return after
  } catch (error) {
    const code: unknown = Reflect.get(Object(error), 'code')
    return failed(isReplaced ? unlasting(path, code) : unwritten(path, code))
  } finally {
    unlock(lock)
  }
}

const unwritten = (path: string, code: unknown): string =>
  `${path} 无法写入（${String(code)}） (${path} cannot be written (${String(code)}))`

/** Whoever reads the file finds the new list: it is in force, and nobody has seen the secret of a token that was made. */
const unlasting = (path: string, code: unknown): string =>
  `${path} 已改动并已生效，但磁盘未确认（${String(code)}），断电后可能恢复原状：请排除磁盘问题，用 steward token list 核对；新建的令牌无人知晓，请撤销后重建 (changed, and in force, but the disk did not confirm it (${String(code)}): a power cut may undo it. See to the disk and look with steward token list; a token that was being made nobody knows: withdraw it and make it again)`

/** One that a scanner holds on Windows grows old: it does not undo what was done, or hide it. */
function unlock(lock: string): void {
  try {
    rmSync(lock, { force: true })
  } catch {
    // removed by whoever comes next
  }
}

function openLock(lock: string): number {
  const madeMs = statSync(lock, { throwIfNoEntry: false })?.mtimeMs
  // From the future: the clock was ahead when it was made, and has been set right.
  const isOld = madeMs !== undefined && Math.abs(Date.now() - madeMs) > LOCK_OLD_MS
  if (isOld) rmSync(lock, { force: true })
  return openSync(lock, 'wx', 0o600)
}

function replace(path: string, text: string): void {
  const draft = `${path}.new`
  rmSync(draft, { force: true }) // of one that was killed; a new one has the rights below
  const file = openSync(draft, 'wx', 0o600)
  try {
    writeWhole(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameHeld(draft, path)
}
