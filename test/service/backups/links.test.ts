import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { backUpAll } from '../../../src/service/backups/backup-command.ts'
import { restore } from '../../../src/service/restore/restore-command.ts'
import { configOf, entriesIn, LIMITS, lived } from './fixtures/folders.ts'

const [ONE, TWO] = ['10000001', '10000002']
const NEVER = { skip: process.platform === 'win32' && 'links need a privilege there' }

/** Moves a folder of the data to another disk, and leaves a link. */
function moved(folder: string, name: string): string {
  const elsewhere = join(folder, 'disk', name)
  mkdirSync(dirname(elsewhere), { recursive: true })
  renameSync(join(folder, 'data', name), elsewhere)
  symlinkSync(elsewhere, join(folder, 'data', name))
  return elsewhere
}

async function linked(t: Test) {
  const folder = t.testdir({ data: {} })
  const [dataDir, target] = [join(folder, 'data'), join(folder, 'copy')]
  await lived(dataDir, ONE, 3)
  await lived(dataDir, TWO, 5)
  const lines: string[] = []
  const write = (line: string) => void lines.push(line)
  const backUp = () => backUpAll({ dataDir, target, limits: LIMITS, write })
  const putBack = () =>
    restore({ config: configOf(dataDir), backup: target, at: new Date(), write })
  return { folder, dataDir, target, lines, backUp, putBack }
}

t.test('F284 an account whose folder is a link is in a backup', NEVER, async (t) => {
  const { folder, target, backUp, dataDir } = await linked(t)
  moved(folder, ONE)
  moved(folder, join(TWO, 'db'))
  symlinkSync(dataDir, join(dataDir, TWO, 'gateway')) // leads round in a circle
  t.match(await backUp(), { ok: true, value: 2 })
  t.equal(await entriesIn(target, ONE), 3)
  t.equal(await entriesIn(target, TWO), 5)
  t.notOk(lstatSync(join(target, ONE)).isSymbolicLink(), 'the copy has it for itself')
})

t.test('F284 and one whose link leads nowhere is named', NEVER, async (t) => {
  const { folder, target, backUp } = await linked(t)
  rmSync(moved(folder, ONE), { recursive: true })
  t.match(await backUp(), { ok: false, error: { text: /10000001/ } })
  t.equal(await entriesIn(target, TWO), 5, 'the others are copied')
})

t.test(
  'F284 an account behind a link that a backup has not is kept by a restore',
  NEVER,
  async (t) => {
    const { folder, dataDir, backUp, putBack } = await linked(t)
    t.match(await backUp(), { ok: true })
    await lived(dataDir, '10000003', 7)
    const elsewhere = moved(folder, '10000003')
    writeFileSync(join(elsewhere, 'stock2buy.json'), '["600036"]')
    t.match(await putBack(), { ok: true })
    t.equal(await entriesIn(dataDir, '10000003'), 7)
    t.equal(readFileSync(join(dataDir, '10000003', 'stock2buy.json'), 'utf8'), '["600036"]')
  },
)

t.test('F285 links to what is no database are there after a restore', NEVER, async (t) => {
  const { folder, dataDir, backUp, putBack } = await linked(t)
  t.match(await backUp(), { ok: true })
  const [stocks, terminal] = [join(folder, 'stocks.json'), join(folder, 'terminal')]
  writeFileSync(stocks, '[]')
  mkdirSync(terminal)
  symlinkSync(stocks, join(dataDir, ONE, 'stock2buy.json'))
  symlinkSync(terminal, join(dataDir, ONE, 'bigqmt'))
  symlinkSync('../gone', join(dataDir, 'notes'))
  t.match(await putBack(), { ok: true })
  t.equal(readlinkSync(join(dataDir, ONE, 'stock2buy.json')), stocks)
  t.equal(readlinkSync(join(dataDir, ONE, 'bigqmt')), terminal)
  t.equal(readlinkSync(join(dataDir, 'notes')), '../gone')
  t.ok(existsSync(join(dataDir, ONE, 'db', 'data.mdb')))
})
