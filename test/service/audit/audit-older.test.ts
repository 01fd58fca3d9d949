import { join } from 'node:path'
import t, { type Test } from 'tap'
import { loadConfig } from '../../../src/config/load.ts'
import { decode } from '../../../src/protocol/codec.ts'
import { verifyAudit } from '../../../src/service/audit/audit-command.ts'
import { configFile, post, until } from '../fixture.ts'
import { begin } from '../fixtures/breakable.ts'
import { Forgery, ID } from '../fixtures/forgery.ts'

/** What `steward audit verify` says of the account, and of a backup of it `steward restore`. */
async function verdict(folder: string): Promise<string> {
  const loaded = loadConfig({ cwd: folder, env: {}, options: { configFile: configFile(folder) } })
  if (!loaded.ok) throw new Error(loaded.error.join('\n'))
  const lines: string[] = []
  const config = { ...loaded.value.config, data_dir: join(folder, 'data') }
  await verifyAudit({ config, accountId: ID, write: (line) => lines.push(line) })
  return lines[0] ?? ''
}

type Fields = Readonly<Record<string, unknown>>

/** The session, or a row of `meta`, as somebody else has written it. */
const edit = (books: Forgery, name: string, change: (row: Fields) => Fields, row = 'safety') =>
  books.edit(name, async (table, rows) => {
    const found = rows.find(([key]) => name !== 'meta' || key === row)
    if (found === undefined) throw new Error(`no such row in ${name}`)
    await books.put(table, found[0], change(decode<Fields>(found[1])))
  })

/** A service with a grid that a person has paused, after it was stopped. */
async function paused(t: Test): Promise<string> {
  const folder = t.testdir()
  const { service, direct } = await begin(t, { ids: [ID], folder, isPatient: true })
  const grid = { stock_code: '600036', config: { max_investment: 10_000 } }
  const { body } = await until(
    () => post(`${direct[0]}/api/grid/start`, grid),
    ({ status }) => status === 200,
  )
  const session = `${direct[0]}/api/grid/session/${String(body['session_id'])}`
  t.equal((await post(`${session}/enabled`, { enabled: false })).status, 200)
  // Has the safety row written.
  const stopped = { level: 'entries', reason: 'a test' }
  t.equal((await post(`${direct[0]}/api/kill-switch`, stopped)).status, 200)
  await service.stop()
  return folder
}

async function lackingFields(t: Test, original: string): Promise<void> {
  const older = new Forgery(t, original)
  await edit(older, 'gridSessions', ({ pause, ...session }) => {
    t.ok(pause, 'it has one by now')
    return session
  })
  await edit(older, 'meta', ({ protectiveTold, ...safety }) => {
    t.ok(protectiveTold)
    return safety
  })
  t.match(await verdict(older.folder), /tables agree/)
  await edit(older, 'meta', (safety) => ({ ...safety, protectiveTold: { day: '', stage: 'x' } }))
  t.match(await verdict(older.folder), /but meta safety: protectiveTold is /)
  await edit(older, 'meta', ({ protectiveTold: _, ...safety }) => safety)
  const forged = { sinceMs: 1, source: '' }
  await edit(older, 'gridSessions', (session) => ({ ...session, pause: forged }))
  t.match(await verdict(older.folder), /but gridSessions 1: pause is /)
}

async function lackingLists(t: Test, original: string): Promise<void> {
  const older = new Forgery(t, original)
  const account = (change: (row: Fields) => Fields) => edit(older, 'meta', change, 'account')
  let lived: unknown
  await account(({ days, ...meta }) => {
    lived = days
    return meta
  })
  t.match(lived, [/^\d{4}-\d\d-\d\d$/], 'it has lived through a day')
  await edit(older, 'meta', ({ earlierTotals, ...safety }) => {
    t.ok(earlierTotals)
    return safety
  })
  t.match(await verdict(older.folder), /tables agree/)
  await account((meta) => ({ ...meta, days: [] }))
  t.match(await verdict(older.folder), /tables agree/, 'updated, and no day has begun since')
  for (const days of [['2020-01-01'], ['2020-01-01', ...(lived as string[])], 'x']) {
    await account((meta) => ({ ...meta, days }))
    t.match(await verdict(older.folder), /but meta account: days is /)
  }
  await account((meta) => ({ ...meta, days: lived }))
  await edit(older, 'meta', (safety) => ({ ...safety, earlierTotals: [{ day: '2020-01-01' }] }))
  t.match(await verdict(older.folder), /but meta safety: earlierTotals is /)
}

async function otherCount(t: Test, original: string): Promise<void> {
  const older = new Forgery(t, original)
  await edit(older, 'meta', (safety) => {
    t.equal(safety['rejectsInRow'], 0)
    return { ...safety, rejectsInRow: 10 }
  })
  t.match(await verdict(older.folder), /tables agree/)
}

async function noCount(t: Test, original: string): Promise<void> {
  const forged = new Forgery(t, original)
  for (const rejectsInRow of [-1_000, 0.5, '0']) {
    await edit(forged, 'meta', (safety) => ({ ...safety, rejectsInRow }))
    t.match(await verdict(forged.folder), /but meta safety: rejectsInRow is /)
  }
}

t.test('books that an earlier release has written are sound', async (t) => {
  const original = await paused(t)
  t.match(await verdict(original), /tables agree/)
  await t.test(
    'F765 a paused grid and the safety row of an earlier release are sound, and their forgeries are not',
    (t) => lackingFields(t, original),
  )
  await t.test(
    'F1010 days and totals that the first release did not list are sound, and their forgeries are not',
    (t) => lackingLists(t, original),
  )
  await t.test(
    'F766 refusals in a row that an earlier release has counted its own way are sound',
    (t) => otherCount(t, original),
  )
  await t.test(
    'F784 refusals in a row that no release has counted are named, as those that would never stop an account',
    (t) => noCount(t, original),
  )
})
