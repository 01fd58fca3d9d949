import { join } from 'node:path'
import t, { type Test } from 'tap'
import { loadConfig } from '../../../src/config/load.ts'
import { decode } from '../../../src/protocol/codec.ts'
import type { Key } from '../../../src/protocol/store.ts'
import { verifyAudit } from '../../../src/service/audit/audit-command.ts'
import { chainHash } from '../../../src/storage/journal-chain.ts'
import { seal } from '../../../src/storage/seal.ts'
import { configFile, post, serve, until } from '../fixture.ts'
import { ORDER } from '../fixtures/breakable.ts'
import { Child } from '../fixtures/child.ts'
import { entryOf, Forgery, ID, type Row, work } from '../fixtures/forgery.ts'

const SOUND =
  /^账户 \*{4}0001：\d+ 条，链完整，各表一致 \(account \*{4}0001: (\d+) entries, chain ok, tables agree\)$/

/** What the command says of the data in a folder, and how it ends. */
async function verify(folder: string, accountId?: string) {
  const options = { configFile: join(folder, 'steward.config.json') }
  const loaded = loadConfig({ cwd: folder, env: {}, options })
  if (!loaded.ok) throw new Error(loaded.error.join('\n'))
  const lines: string[] = []
  const sound = await verifyAudit({
    config: { ...loaded.value.config, data_dir: join(folder, 'data') },
    ...(accountId !== undefined && { accountId }),
    write: (line) => lines.push(line),
  })
  return { sound, lines }
}

async function found(t: Test, forgery: Forgery, words: RegExp): Promise<void> {
  const { sound, lines } = await verify(forgery.folder, ID)
  t.strictSame(sound, { ok: true, value: false })
  t.match(lines[0], words)
}

async function forgeJournal(t: Test, original: string, last: number): Promise<void> {
  const removed: [string, number, string][] = [
    ['the first entry', 1, 'broken at entry 2: the entry before it is missing'],
    ['an entry', 10, 'broken at entry 11: the entry before it is missing'],
    [
      'the last entry',
      last,
      `broken at entry ${last}: it is missing; the journal ended at ${last}`,
    ],
  ]
  for (const [what, seq, words] of removed) {
    const forgery = new Forgery(t, original)
    await forgery.edit('journal', (table) => table.remove(seq))
    await found(t, forgery, new RegExp(`0001: ${words}\\)$`))
    t.comment(what)
  }
  const changed = new Forgery(t, original)
  await changed.edit('journal', (table, rows) =>
    changed.put(table, 10, { ...entryOf(rows[9] as Row), timeMs: 1 }),
  )
  await found(t, changed, /0001: broken at entry 10: it was changed after it was written\)$/)

  const hashed = new Forgery(t, original)
  await hashed.edit('journal', (table, rows) => {
    const entry = { ...entryOf(rows[9] as Row), timeMs: 1 }
    return hashed.put(table, 10, { ...entry, hash: chainHash(entry) })
  })
  await found(t, hashed, /0001: broken at entry 11: it does not follow the entry before it\)$/)

  const end = new Forgery(t, original)
  await end.edit('journal', (table, rows) => {
    const entry = { ...entryOf(rows[last - 1] as Row), timeMs: 1 }
    return end.put(table, last, { ...entry, hash: chainHash(entry) })
  })
  const notTheEnd = 'it is not the entry that the journal ended with'
  await found(t, end, new RegExp(`0001: broken at entry ${last}: ${notTheEnd}\\)$`))

  const longer = new Forgery(t, original)
  await longer.edit('journal', (table, rows) => {
    const before = entryOf(rows[last - 1] as Row)
    const entry = { ...before, seq: last + 1, previous: before.hash, kind: 'connected' }
    return longer.put(table, last + 1, { ...entry, hash: chainHash(entry) })
  })
  const added = `it was added; the journal ended at ${last}`
  await found(t, longer, new RegExp(`0001: broken at entry ${last + 1}: ${added}\\)$`))

  const flipped = new Forgery(t, original)
  await flipped.flip('journal', (rows) => rows[9] as Row)
  await found(
    t,
    flipped,
    /0001: broken at entry 10: .*stored bytes of journal\[10\] are damaged\)$/,
  )
}

/** Rows as an earlier release has written them. */
async function beOlder(t: Test, original: string): Promise<void> {
  const older = new Forgery(t, original)
  await older.edit('deals', async (table, rows) => {
    for (const [key, value] of rows) {
      const { clientOrderId, ...rest } = decode<Readonly<Record<string, unknown>>>(value)
      t.type(clientOrderId, 'string')
      await older.put(table, key, rest)
    }
  })
  const { sound, lines } = await verify(older.folder, ID)
  t.strictSame(sound, { ok: true, value: true }, lines.join('\n'))
  await older.edit('deals', (table, [first]) => {
    const [key, value] = first as Row
    return older.put(table, key, { ...decode<object>(value), clientOrderId: 'another' })
  })
  await found(t, older, /but deals .*: clientOrderId is "another", the journal says /)
}

async function forgeTables(t: Test, original: string, last: number): Promise<void> {
  const tables = [
    'meta',
    'positions',
    'orders',
    'deals',
    'records',
    'fillNotes',
    'settings',
    'batches',
  ]
  for (const name of tables) {
    const removed = new Forgery(t, original)
    await removed.edit(name, (table, rows) => table.remove(rows[0]?.[0] as Key))
    const whole = `^账户 .*：${last} 条，链完整，但有不符之处.* \\(account .*: ${last} entries, chain ok, but ${name} `
    await found(t, removed, new RegExp(`${whole}.*: the row is missing\\)$`))

    const added = new Forgery(t, original)
    await added.edit(name, (table, rows) => {
      const [key, value] = rows[0] as Row
      return table.put(typeof key === 'number' ? 99_999 : 'zzz', Buffer.from(seal(value)))
    })
    await found(t, added, new RegExp(`${whole}(zzz|99999): no entry .* explains this row\\)$`))

    const changed = new Forgery(t, original)
    await changed.edit(name, (table, rows) => {
      const [key, value] = rows[0] as Row
      return changed.put(table, key, other(decode(value)))
    })
    await found(t, changed, new RegExp(`${whole}.* is .*, the journal says `))

    const flipped = new Forgery(t, original)
    await flipped.flip(name, (rows) => rows[0] as Row)
    await found(t, flipped, new RegExp(`stored bytes of ${name}\\[.*\\] are damaged\\)$`))
  }
}

t.test('what a service leaves behind is sound, and every forgery is found', async (t) => {
  const original = await work(t)
  const { sound, lines } = await verify(original)
  t.strictSame(sound, { ok: true, value: true }, lines.join('\n'))
  t.match(lines[0], SOUND)
  t.match(lines[1], /^未核对：positions\.sellable.*not compared/)
  const last = Number(SOUND.exec(lines[0] ?? '')?.[1])
  t.ok(last > 30, `${last} entries`)

  await t.test('in the journal', (t) => forgeJournal(t, original, last))
  await t.test('in every table that has rows', (t) => forgeTables(t, original, last))
  await t.test('F481 deals that an earlier release has booked are sound', (t) =>
    beOlder(t, original),
  )
})

/** A value of the same shape that says something else, not in what is never compared. */
function other(value: unknown): unknown {
  if (typeof value === 'boolean') return !value
  if (typeof value === 'number') return value + 1
  if (typeof value === 'string') return `${value}x`
  if (Array.isArray(value)) return [...value, 1]
  const fields = Object.entries(value as object)
  return Object.fromEntries(
    fields.map(([name, inner]) => [name, inner === null ? 1 : other(inner)]),
  )
}

t.test('the command ends with 0, 1 or 2, also while the service runs', async (t) => {
  const folder = t.testdir()
  const { gateway } = await serve(t, { folder })
  const told = async (...args: string[]) =>
    new Child(t, folder, ['audit', 'verify', '--config', configFile(folder), ...args]).exit
  const orders = `${gateway}/api/v1/accounts/${ID}/orders`
  await until(
    () => post(orders, ORDER),
    ({ status }) => status === 201,
  )
  let isTrading = true
  const trading = (async () => {
    while (isTrading) await post(orders, ORDER)
  })()
  const exit = await told()
  isTrading = false
  await trading
  t.match(exit, { code: 0, stderr: [] }, exit.stdout.join('\n'))
  t.match(exit.stdout[0], SOUND)
  t.match(exit.stdout[1], /account \*{4}0002: \d+ entries, chain ok, tables agree\)$/)
  t.equal((await post(orders, ORDER)).status, 201, 'the service has not noticed')

  const one = await told('--account', '10000002')
  t.match(one, { code: 0 })
  t.match(one.stdout, [/0002: /, /^未核对/, /not compared with published heads/])
  const none = await told('--account', '404')
  t.match(none, { code: 2, stdout: [] })
  t.match(none.stderr, [
    /^steward: --account 404: 没有配置.*not configured .*known: 10000001, 10000002\)$/,
  ])
  const nowhere = await told('--data-dir', join(folder, 'absent'))
  t.match(nowhere, { code: 2 })
  t.match(nowhere.stderr, [/^steward: data_dir .*absent 不存在.*absent does not exist/])
})

t.test('an account without a database is not broken, one whose database is lost is', async (t) => {
  const folder = t.testdir({ data: { [ID]: { db: { created: '' } } } })
  configFile(folder)
  const { sound, lines } = await verify(folder)
  t.strictSame(sound, { ok: true, value: false })
  t.match(lines[0], /0001: there is no database in /)
  t.match(lines[1], /0002：还没有数据库 \(.*0002: no database yet\)$/)
})
