import { cpSync, readdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { encode } from '../../../src/protocol/codec.ts'
import { verifyAudit } from '../../../src/service/audit/audit-command.ts'
import { packSegment } from '../../../src/storage/archive/segment.ts'
import { openEnvironment } from '../../../src/storage/open-environment.ts'
import { OWN, OWN_TABLE } from '../../../src/storage/own-rows.ts'
import { ACCOUNT, Books, entriesTo } from '../../storage/archive/fixtures/books.ts'
import { tookOver } from '../../storage/archive/fixtures/elsewhere.ts'
import { configOf, lived } from '../backups/fixtures/folders.ts'

/** A journal of 57 entries, of which 50 are in five segments. */
async function archived(t: Test) {
  const dataDir = join(t.testdir(), 'data')
  const books = new Books(t, 57, dataDir)
  await books.archive()
  const journal = join(dataDir, ACCOUNT, 'journal')
  return { dataDir, books, journal, names: readdirSync(journal) }
}

async function verify(dataDir: string) {
  const lines: string[] = []
  const write = (line: string) => void lines.push(line)
  const sound = await verifyAudit({ config: configOf(dataDir), write })
  return { isSound: sound.ok && sound.value, line: lines[0] ?? '' }
}

type Harm = (journal: string, names: readonly string[]) => void | Promise<void>

t.test(
  'F291 a segment that is not what was written is named, and no journal is whole',
  async (t) => {
    const { dataDir, books, names } = await archived(t)
    await books.close()
    t.match(await verify(dataDir), { isSound: true, line: /57 entries, chain ok, tables agree/ })
    const second = names[1] ?? ''
    const of = (name: string) => new RegExp(`segment ${name}: `)
    const table: readonly [harm: Harm, words: RegExp][] = [
      [(journal) => truncateSync(join(journal, second), 0), of(second)],
      [(journal) => rmSync(journal, { recursive: true }), /from entry 1 on is missing/],
      [
        (journal) => cpSync(join(journal, second), join(journal, '000000000012-000000000020.seg')),
        /segment 000000000012-000000000020\.seg: its entries are in another segment/,
      ],
      [
        (journal, [first = '']) => {
          renameSync(join(journal, first), join(journal, 'aside'))
          renameSync(join(journal, second), join(journal, first))
          renameSync(join(journal, 'aside'), join(journal, second))
        },
        /it holds the entries 11 to 20/,
      ],
      [
        async (journal) => {
          const entries = entriesTo(20)
          const [before, rest] = [entries[9], entries.slice(10)]
          if (before === undefined) throw new Error('no entry')
          writeFileSync(join(journal, second), await packSegment('10000002', before, rest))
        },
        /it is of another account/,
      ],
    ]
    for (const [harm, words] of table) {
      const copy = join(dataDir, '..', `copy-${table.findIndex(([each]) => each === harm)}`)
      cpSync(dataDir, copy, { recursive: true })
      await harm(join(copy, ACCOUNT, 'journal'), names)
      const { isSound, line } = await verify(copy)
      t.notOk(isSound, words.source)
      t.match(line, words)
    }
  },
)

t.test(
  'F423 what another computer has is no hole, and said; anything else that is missing is one',
  async (t) => {
    const root = t.testdir()
    const [here, there] = ['here', 'there'].map((name) => new Books(t, 0, join(root, name)))
    if (here === undefined || there === undefined) throw new Error('no books')
    here.grow(57)
    await tookOver(there, here)
    there.grow(40)
    await tookOver(here, there)
    here.grow(1_500)
    await here.archive()
    await there.archive()
    await Promise.all([here.close(), there.close()])
    t.match(await verify(there.dataDir), {
      isSound: true,
      line: /entries 58 \(of 2026-08-20\) to 97, chain ok; tables not compared: .*another computer/,
    })
    t.match(await verify(here.dataDir), {
      isSound: true,
      line: /1597 entries, chain ok; tables not compared: another computer .* has the entries 58 to 97\)$/,
    })
    const database = openEnvironment(join(here.dataDir, ACCOUNT, 'db'), [OWN_TABLE])
    database.write(() => database.put(OWN_TABLE, OWN.gaps, encode([])))
    await database.close()
    t.match(await verify(here.dataDir), {
      isSound: false,
      line: /the segment from entry 58 on is missing/,
    })
  },
)

t.test('F292 segments whose database is gone are no journal that never was', async (t) => {
  const { dataDir, books } = await archived(t)
  await books.close()
  rmSync(join(dataDir, ACCOUNT, 'db'), { recursive: true })
  t.match(await verify(dataDir), { isSound: false, line: /no database, but .* up to entry 50/ })
})

t.test('F292 nor is one whole behind a database that began anew, or is an older one', async (t) => {
  const { dataDir, books, journal, names } = await archived(t)
  await books.close()
  for (const name of names.slice(1)) rmSync(join(journal, name))
  for (const count of [0, 7]) {
    rmSync(join(dataDir, ACCOUNT, 'db'), { recursive: true })
    await lived(dataDir, ACCOUNT, count)
    const line = new RegExp(`segment ${names[0]} goes up to entry 10, the journal ends at ${count}`)
    t.match(await verify(dataDir), { isSound: false, line })
  }
})

t.test('F293 what is said to be deleted cannot be more than has left the database', async (t) => {
  const { dataDir, books } = await archived(t)
  const [entry] = books.journal(55, 1)
  if (entry === undefined) throw new Error('no entry')
  await books.close()
  const env = openEnvironment(join(dataDir, ACCOUNT, 'db'), [OWN_TABLE])
  const { seq, hash, epoch } = entry
  env.write(() => env.put(OWN_TABLE, OWN.kept, encode({ seq, hash, epoch })))
  await env.close()
  t.match(await verify(dataDir), { isSound: false, line: /deleted up to entry 55.*up to entry 50/ })
})
