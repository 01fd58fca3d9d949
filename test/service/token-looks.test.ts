import { existsSync, mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import {
  changeTokenFile,
  readTokenFile,
  type TokenFile,
  tokenFileOf,
} from '../../src/config/token-file.ts'
import type { NamedToken } from '../../src/config/tokens.ts'
import { ok } from '../../src/domain/result.ts'
import { silentLogger } from '../../src/observability/logger.ts'
import { LiveTokens } from '../../src/service/access/live-tokens.ts'
import { flush } from '../../src/storage/flushed.ts'
import { hold } from '../held.ts'
import { turnsUntil } from '../in-time.ts'

const token = (name: string): NamedToken => ({
  name,
  hash: `sha256:${name.charCodeAt(0).toString(16).padStart(64, '0')}`,
  scope: 'view',
  accounts: [],
  expires: '',
})
const FILE: TokenFile = {
  version: 1,
  tokens: [token('made')],
  revoked: [token('old').hash],
  changes: [],
}

/** Tokens of a folder, looked at again and again, and the complaints about its file. */
function open(t: Test, file: TokenFile) {
  const dataDir = t.testdir()
  const path = tokenFileOf(dataDir)
  const said: string[] = []
  const log = { ...silentLogger, error: (_: unknown, text: string) => void said.push(text) }
  writeFileSync(path, JSON.stringify(file))
  const configured = [token('first'), token('old')]
  const opened = LiveTokens.open({ dataDir, configured, checkMs: 1, log: log as never })
  if (!opened.ok) throw new Error(opened.error)
  const live = opened.value
  t.teardown(() => live.close())
  return { live, path, said, names: () => live.tokens.map(({ name }) => name).join(' ') }
}

t.test('F249 a list of tokens that could not be read is read again, changed or not', async (t) => {
  const { path, said, names } = open(t, FILE)
  t.equal(names(), 'first made')
  const text = JSON.stringify({ ...FILE, tokens: [] })
  const write = (content: string) => {
    writeFileSync(path, content)
    utimesSync(path, 1_000, 1_000)
  }
  write('!'.repeat(text.length))
  const before = statSync(path)
  await turnsUntil(() => said.length > 0, 'a complaint')
  t.equal(names(), 'first made', 'the tokens stay as they were')
  write(text)
  t.match(statSync(path), { ino: before.ino, mtimeMs: before.mtimeMs, size: before.size })
  await turnsUntil(() => names() === 'first', 'the token to be withdrawn')
  t.equal(said.length, 1, 'said once')
})

t.test(
  'F249 a list of tokens that is gone takes its own with it, and brings none back',
  async (t) => {
    const { path, names, live } = open(t, FILE)
    rmSync(path)
    await turnsUntil(() => names() !== 'first made', 'the list to be missed')
    t.equal(names(), 'first', 'one that was withdrawn stays so')
    t.ok(live.isKept)
  },
)

t.test('F252 a list of tokens that somebody has left locked can be changed', async (t) => {
  const dataDir = t.testdir()
  const lock = `${tokenFileOf(dataDir)}.lock`
  const change = () => changeTokenFile(dataDir, () => ok(FILE), flush)
  const nowS = Date.now() / 1_000
  for (const [what, madeS, isOver] of [
    ['just now', nowS, false],
    ['an hour ago', nowS - 3_600, true],
    ['under a clock that was ahead', nowS + 3_600, true],
  ] as const) {
    writeFileSync(lock, '')
    utimesSync(lock, madeS, madeS)
    t.equal(change().ok, isOver, what)
  }
})

t.test(
  'F444 a token is made, and shown, also while a scanner reads the lock of the file',
  async (t) => {
    const dataDir = t.testdir()
    hold(t, '.lock')
    t.match(
      changeTokenFile(dataDir, () => ok(FILE), flush),
      { ok: true },
    )
    t.ok(existsSync(tokenFileOf(dataDir)))
  },
)

t.test('F870 a change of the tokens is on disk before it is told', async (t) => {
  const dataDir = t.testdir()
  const flushed: unknown[] = []
  const note = (folder: string) => void flushed.push([folder, readTokenFile(dataDir)])
  t.match(
    changeTokenFile(dataDir, () => ok(FILE), note),
    { ok: true },
  )
  t.strictSame(flushed, [[dataDir, ok(FILE)]], 'its name, once it is the new one')
  const refusing = () => {
    throw Object.assign(new Error('no'), { code: 'EIO' })
  }
  t.match(
    changeTokenFile(dataDir, () => ok(FILE), refusing),
    { ok: false, error: { text: /EIO/ } },
  )
})

t.test(
  'F897 a change of the tokens whose name the disk does not confirm is told as in force',
  async (t) => {
    const dataDir = t.testdir()
    const refusing = () => {
      throw Object.assign(new Error('no'), { code: 'EIO' })
    }
    t.match(
      changeTokenFile(dataDir, () => ok(FILE), refusing),
      { ok: false, error: { text: /已生效.*EIO.*in force.*power cut/, isWrong: false } },
    )
    t.strictSame(readTokenFile(dataDir), ok(FILE))
    mkdirSync(`${tokenFileOf(dataDir)}.new`)
    t.match(
      changeTokenFile(dataDir, () => ok(FILE), flush),
      { ok: false, error: { text: /cannot be written/ } },
      'one that is not written is none',
    )
  },
)
