import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { loadConfig } from '../../src/config/load.ts'
import { silentLogger } from '../../src/observability/logger.ts'
import { verifyAudit } from '../../src/service/audit/audit-command.ts'
import { booksFolder, Soundness } from '../../src/service/data/soundness.ts'
import { databaseFolder } from '../../src/storage/account-database.ts'
import type { Examined } from '../../src/storage/examine.ts'
import { configFile } from './fixture.ts'

const NEEDS_RIGHTS =
  process.platform === 'win32' ? { skip: 'rights of folders are others on Windows' } : {}
const ID = '10000001'
/** Of nobody, on every Unix. */
const NOBODY = 65_534

/** A configuration with its data where everybody may pass, but for the folder `denied` below it. */
function denying(t: Test, denied: string, files: readonly string[]) {
  const cwd = mkdtempSync('/tmp/denied-')
  const dataDir = join(cwd, 'data')
  for (const file of files) {
    mkdirSync(join(dataDir, file, '..'), { recursive: true })
    writeFileSync(join(dataDir, file), 'x')
  }
  const file = configFile(cwd)
  for (const folder of [cwd, dataDir]) chmodSync(folder, 0o777)
  const path = join(dataDir, denied)
  chmodSync(path, 0)
  t.teardown(() => {
    chmodSync(path, 0o700)
    rmSync(cwd, { recursive: true, force: true })
  })
  const loaded = loadConfig({ cwd, env: {}, options: { configFile: file } })
  if (!loaded.ok) throw new Error(loaded.error.join('\n'))
  return { config: loaded.value.config, path }
}

/** To root nothing is denied. */
async function asUser<T>(action: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0 || process.seteuid === undefined) return action()
  process.seteuid(NOBODY)
  try {
    return await action()
  } finally {
    process.seteuid(0)
  }
}

t.test('F873 an audit of what this user may not look at does not pass', NEEDS_RIGHTS, async (t) => {
  for (const denied of [ID, join(ID, 'db')]) {
    const { config, path } = denying(t, denied, [join(ID, 'db', 'data.mdb')])
    const lines: string[] = []
    const write = (line: string) => void lines.push(line)
    const verified = await asUser(() => verifyAudit({ config, accountId: ID, write }))
    t.strictSame(verified, { ok: true, value: false }, denied)
    t.match(lines[0], new RegExp(`无法核对.*may not look into ${path}.*no damage was found`))
  }
})

t.test('F874 books of another user are not called gone', NEEDS_RIGHTS, async (t) => {
  const { config, path } = denying(t, 'paper', [join('paper', ID, 'db', 'data.mdb')])
  const { data_dir: dataDir } = config
  const sound = { problem: null, isAbsent: false, isPartial: false, hasConnected: true, schema: 1 }
  const found: [string, Examined][] = [
    [databaseFolder(dataDir, ID), sound],
    [booksFolder(dataDir, ID), { ...sound, isAbsent: true, hasConnected: false }],
  ]
  const limits = { readMs: 1, silenceMs: 1, looksAtOnce: 1 }
  const examine = async () => new Map(found)
  const soundness = new Soundness({ dataDir, limits, log: silentLogger, examine })
  const account = { account_id: ID, driver: 'paper' } as const
  const refusal = await asUser(() => soundness.ofAccount(account))
  t.match(refusal, { code: 'ACCOUNT_PARKED' })
  t.match(refusal?.message, new RegExp(`无权读写 ${path}.*may not read and write it`))
  t.notMatch(refusal?.message, /移走|move that folder away/)
})
