import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, parse } from 'node:path'
import t, { type Test } from 'tap'
import { LOCKS_FOLDER } from '../../../src/cluster/presence.ts'
import { roleSocketPath } from '../../../src/cluster/socket-path.ts'
import { verifyAudit } from '../../../src/service/audit/audit-command.ts'
import { backUpAll } from '../../../src/service/backups/backup-command.ts'
import { openDataFolder } from '../../../src/service/data/data-folder.ts'
import { mountsBelow, placeFor } from '../../../src/service/data/restore-place.ts'
import { type RestoreCommand, restore } from '../../../src/service/restore/restore-command.ts'
import { NEEDS_SOCKET_FILES } from '../../platform.ts'
import { unreadable } from '../../unread.ts'
import { configOf, entriesIn, LIMITS, lived } from './fixtures/folders.ts'

const [ONE, TWO, THREE] = ['10000001', '10000002', '10000003']
const REMOVE = { recursive: true, force: true } as const

/** A data folder as a volume of a container is one, and a backup of it that is older and has not the last account. */
async function mounted(t: Test, folder = t.testdir({ data: {} })) {
  const [dataDir, backup] = [join(folder, 'data'), join(folder, 'backup')]
  await lived(dataDir, ONE, 3)
  await lived(dataDir, TWO, 3)
  const write = () => undefined
  t.match(await backUpAll({ dataDir, target: backup, limits: LIMITS, write }), { ok: true })
  await lived(dataDir, ONE, 2)
  await lived(dataDir, THREE, 7)
  writeFileSync(join(dataDir, 'tokens.json'), 'newer')
  const putBack = (more: Partial<RestoreCommand> = {}) =>
    restore({
      config: configOf(dataDir),
      backup,
      at: new Date(0),
      write,
      place: (data, stamp) => placeFor(data, stamp, [data]),
      ...more,
    })
  return { folder, dataDir, putBack }
}

const asideOf = (dataDir: string): string =>
  join(dataDir, readdirSync(dataDir).find((name) => name.startsWith('.before-restore-')) ?? '-')

/** All of the backup, and what it did not have; and beside it all that was there. */
async function checkRestored(t: Test, dataDir: string): Promise<void> {
  t.equal(await entriesIn(dataDir, ONE), 3)
  t.equal(await entriesIn(dataDir, TWO), 3)
  t.equal(await entriesIn(dataDir, THREE), 7)
  t.ok(existsSync(join(dataDir, 'tokens.json')))
  const aside = asideOf(dataDir)
  t.equal(await entriesIn(aside, ONE), 5)
  t.equal(await entriesIn(aside, THREE), 7)
  t.ok(existsSync(join(aside, 'tokens.json')))
  t.match(openDataFolder(dataDir), { ok: true })
  t.notOk(existsSync(join(dataDir, '.restoring')))
}

t.test('F351 on a mount what is in the data folder is replaced, not the folder', async (t) => {
  const { folder, dataDir, putBack } = await mounted(t)
  const { ino } = statSync(dataDir)
  t.match(await putBack(), { ok: true })
  t.equal(statSync(dataDir).ino, ino)
  t.strictSame(readdirSync(folder).sort(), ['backup', 'data'], 'nothing lies beside the mount')
  await checkRestored(t, dataDir)
  t.match(await putBack(), { ok: true }, 'once more: the first that was put aside stays')
  const asides = readdirSync(dataDir).filter((name) => name.startsWith('.before-restore-'))
  t.equal(asides.length, 2)
})

t.test('F1019 what the file system of a disk keeps at its root is no data', async (t) => {
  const { folder, dataDir, putBack } = await mounted(t)
  const ofDisk = join(dataDir, 'lost+found')
  mkdirSync(ofDisk)
  unreadable(t, (path) => path.startsWith(ofDisk), { code: 'EACCES' }) // it is root's
  const copy = { dataDir, target: join(folder, 'whole'), limits: LIMITS, write: () => undefined }
  t.match(await backUpAll(copy), { ok: true, value: 3 }, 'a whole one')
  const { ino } = lstatSync(ofDisk)
  t.match(await putBack(), { ok: true })
  t.equal(lstatSync(ofDisk).ino, ino, 'nobody can move it either')
  await checkRestored(t, dataDir)
})

/** A disk on which the process ends at this rename; how many there were. */
function endingAt(count: number) {
  let done = 0
  const move = (from: string, to: string) => {
    done += 1
    if (done >= count) throw new Error('killed')
    renameSync(from, to)
  }
  return { disk: { move, remove: (path: string) => rmSync(path, REMOVE) }, count: () => done }
}

t.test('F351 a restore that is cut off anywhere is put back, and can be done again', async (t) => {
  let at = 2 // ended at the first, it has not begun
  for (; ; at++) {
    const { folder, dataDir, putBack } = await mounted(t)
    const first = endingAt(at)
    const done = await putBack({ disk: first.disk })
    if (done.ok) break
    t.match(done.error.text, /killed; .*the data folder could not be renamed back.*run steward/)
    t.match(openDataFolder(dataDir), { ok: false, error: /interrupted.*run steward restore again/ })
    const copy = { dataDir, target: join(folder, 'half'), limits: LIMITS, write: () => undefined }
    t.match(await backUpAll(copy), { ok: false, error: { text: /run steward restore again/ } })
    const audit = await verifyAudit({ config: configOf(dataDir), write: () => undefined })
    t.match(audit, { ok: false, error: /run steward restore again/ })
    const second = await putBack({ disk: endingAt(Math.ceil(at / 2)).disk })
    t.match(second, { ok: false })
    const lines: string[] = []
    t.match(await putBack({ write: (line) => void lines.push(line) }), { ok: true })
    await checkRestored(t, dataDir)
  }
  t.ok(at > 8, 'what was there went, and what is new came')
})

t.test('F351 what cannot be renamed on a mount leaves everything as it was', async (t) => {
  const { dataDir, putBack } = await mounted(t)
  const names = readdirSync(dataDir).sort()
  for (const held of [ONE, TWO, 'tokens.json']) {
    for (const into of [false, true]) {
      let left = 1
      const move = (from: string, to: string) => {
        const isMeant = from.endsWith(held) && from.includes('.restoring') === into
        if (isMeant && left-- > 0) throw new Error('EBUSY')
        renameSync(from, to)
      }
      const done = await putBack({ disk: { move, remove: (path) => rmSync(path, REMOVE) } })
      t.match(done, {
        ok: false,
        error: { text: /^EBUSY; 数据目录 .* 没有改动 \(the data folder is as it was\)$/ },
      })
      const now = readdirSync(dataDir).filter((name) => name !== '.locks' && name !== 'service')
      t.strictSame(now.sort(), names)
      t.equal(await entriesIn(dataDir, ONE), 5)
      t.match(openDataFolder(dataDir), { ok: true })
    }
  }
})

t.test('F442 what a scanner keeps of an empty folder is no restore that failed', async (t) => {
  const { dataDir, putBack } = await mounted(t)
  const remove = (path: string) => {
    if (existsSync(path)) throw new Error('EBUSY')
  }
  t.match(await putBack({ disk: { move: renameSync, remove } }), { ok: true })
  t.equal(await entriesIn(dataDir, ONE), 3)
  t.match(openDataFolder(dataDir), { ok: true })
})

t.test(
  'F442 a window that stands in the data folder is told with its mend on Windows',
  async (t) => {
    const { dataDir, putBack } = await mounted(t)
    const move = () => {
      throw Object.assign(new Error('EBUSY: it is in use'), { code: 'EBUSY' })
    }
    const { platform } = process
    Object.defineProperty(process, 'platform', { value: 'win32' })
    t.teardown(() => Object.defineProperty(process, 'platform', { value: platform }))
    const disk = { move, remove: (path: string) => rmSync(path, REMOVE) }
    const done = await putBack({ disk, place: (data, stamp) => placeFor(data, stamp, []) })
    t.match(done, {
      error: { text: /^EBUSY.*请关闭打开着数据目录.*; .* \(the data folder is as it was\)$/ },
    })
    t.equal(await entriesIn(dataDir, ONE), 5)
  },
)

t.test('F351 a mount is told from a folder, and what is mounted below it is named', async (t) => {
  const folder = t.testdir({ data: { [ONE]: {} } })
  const data = join(folder, 'data')
  t.match(placeFor(data, 'now', []), { isWhole: true, aside: `${data}.before-restore-now` })
  t.match(placeFor(data, 'now', [folder]), { isWhole: true })
  t.match(placeFor(data, 'now', [`${data}-2`]), { isWhole: true })
  t.match(placeFor(data, 'now', [data]), { isWhole: false, staging: join(data, '.restoring') })
  t.match(placeFor(data, 'now', [join(data, ONE)]), { isWhole: false })
  t.match(placeFor(parse(folder).root, 'now'), { isWhole: false })
  if (process.platform === 'linux') t.match(placeFor('/proc', 'now'), { isWhole: false })
  t.strictSame(mountsBelow(data, [folder, data, join(data, ONE), `${data}-2`]), [ONE])
})

t.test('F352 a restore that has no room is not begun', async (t) => {
  const { folder, dataDir, putBack } = await mounted(t)
  const text = /未恢复 \(no room for a restore.*剩余 1 MB.* \(1 MB free, \d+ MB needed/
  for (const place of [undefined, (data: string, stamp: string) => placeFor(data, stamp, [])]) {
    const done = await putBack({ freeBytes: () => 1_048_576, ...(place && { place }) })
    t.match(done, { ok: false, error: { isWrong: false, text } })
    t.strictSame(readdirSync(folder).sort(), ['backup', 'data'])
    t.notOk(existsSync(join(dataDir, '.restoring')))
    t.equal(await entriesIn(dataDir, ONE), 5)
  }
})

t.test('F353 a backup that is put back where no data is leaves nothing else there', async (t) => {
  const { folder, dataDir, putBack } = await mounted(t)
  rmSync(dataDir, { recursive: true })
  const small = await putBack({ freeBytes: () => 0, place: placeFor })
  t.match(small, { ok: false })
  t.strictSame(readdirSync(folder), ['backup'])
  t.match(await putBack({ place: placeFor }), { ok: true })
  t.strictSame(readdirSync(folder).sort(), ['backup', 'data'])
  t.equal(await entriesIn(dataDir, ONE), 3)
})

t.test(
  'F353 one that is refused takes nothing from who was faster',
  NEEDS_SOCKET_FILES,
  async (t) => {
    const short = mkdtempSync(join(tmpdir(), 'put-back-')) // so that sockets lie in the data folder
    t.teardown(() => rmSync(short, REMOVE))
    const { dataDir, putBack } = await mounted(t, short)
    rmSync(dataDir, { recursive: true })
    const done = putBack({ place: placeFor })
    // It has made the folder, and has no lock yet.
    const socket = roleSocketPath(dataDir, LOCKS_FOLDER, 'process-01234567')
    const server = createServer((asked) => asked.end(`${process.pid}\n`)).listen(socket)
    t.teardown(() => server.close())
    t.match(await done, { ok: false, error: { text: /正在使用这个数据目录/ } })
    t.ok(existsSync(socket))
  },
)
