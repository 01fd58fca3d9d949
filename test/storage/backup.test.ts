import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { backUpAll } from '../../src/service/backups/backup-command.ts'
import { openAccountDatabase } from '../../src/storage/account-database.ts'
import { OWNER, text } from './fixtures/store-thread.ts'

const LOOP = fileURLToPath(new URL('fixtures/commit-loop.ts', import.meta.url))
const COPIES = 4

const LIMITS = { readMs: 10_000, silenceMs: 60_000, floorBytes: 0 }

t.test('F44 a backup of a running service is whole, opens and goes on', async (t) => {
  const dir = t.testdir({ live: {} })
  const dataDir = join(dir, 'live')
  const child = spawn(process.execPath, [LOOP, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] })
  const closed = once(child, 'close')
  const copies: { readonly target: string; readonly acknowledged: number }[] = []
  for await (const line of createInterface(child.stdout)) {
    const acknowledged = Number(line)
    if (Number.isNaN(acknowledged) || acknowledged % 5 !== 0 || copies.length === COPIES) continue
    const target = join(dir, `copy-${copies.length}`)
    copies.push({ target, acknowledged })
    const lines: string[] = []
    const done = await backUpAll({
      dataDir,
      target,
      limits: LIMITS,
      write: (text) => lines.push(text),
    })
    t.match(done, { ok: true, value: 1 })
    t.match(lines, [/^1.db: 已备份 \(copied\)$/, /^已备份 1 个数据库.* \(1 databases are copied/])
    if (copies.length === COPIES) child.kill('SIGKILL')
  }
  await closed
  t.equal(copies.length, COPIES)
  for (const { target, acknowledged } of copies) {
    const database = openAccountDatabase(target, '1')
    database.claim(database.inspect().epoch, OWNER)
    const { seq, tables } = database.open(['orders', 'settings'])
    t.ok(seq >= acknowledged, `${acknowledged} were acknowledged, ${seq} are there`)
    t.equal(text(tables.orders?.[0]?.value), `${seq}`, 'rows and journal agree')
    t.equal(text(tables.settings?.[0]?.value), `${seq}`, 'and so do the tables')
    await database.close()
  }
})

t.test('F44 a backup overwrites nothing, and says what is missing', async (t) => {
  const dir = t.testdir()
  const write = () => undefined
  const limits = LIMITS
  const dataDir = join(dir, 'data')
  t.match(await backUpAll({ dataDir, target: join(dir, 'copy'), limits, write }), { ok: false })
  await openAccountDatabase(dataDir, '1').close()
  t.match(await backUpAll({ dataDir, target: join(dir, 'copy'), limits, write }), {
    ok: true,
    value: 1,
  })
  const again = await backUpAll({ dataDir, target: join(dir, 'copy'), limits, write })
  t.match(again, { ok: false, error: { text: /already holds a database/ } })
})

t.test('F974 a data folder that holds no database is no backup that went well', async (t) => {
  const dir = t.testdir({ data: { 'tokens.json': '[]' } })
  const [dataDir, target] = [join(dir, 'data'), join(dir, 'copy')]
  const done = await backUpAll({ dataDir, target, limits: LIMITS, write: () => undefined })
  t.match(done, { ok: false, error: { isPartial: false, text: /holds no database.* mounted/ } })
  t.match(done, { error: { text: dataDir } })
  t.strictSame(readdirSync(dir), ['data'])
})
