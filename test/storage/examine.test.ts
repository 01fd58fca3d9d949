import { spawnSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  readFileSync,
  statSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import t, { type Test } from 'tap'
import { decode, encode } from '../../src/protocol/codec.ts'
import type { StoredEntry } from '../../src/protocol/store.ts'
import { databaseFolder, openAccountDatabase } from '../../src/storage/account-database.ts'
import { examineDatabases } from '../../src/storage/examine.ts'

const LIMITS = { readMs: 10_000, silenceMs: 60_000 }
const OWNER = { pid: 1, socket: '' }
const PAGE = 4_096
const ROW = 'a row whose bytes can be found again'

/** Enough entries to have inner pages. */
async function store(dataDir: string, kinds: readonly string[] = ['connected']): Promise<string> {
  const database = openAccountDatabase(dataDir, '10000001')
  const { epoch } = database.claim(0, OWNER)
  const entries = Array.from({ length: 500 }, (_, i) => ({
    seq: i + 1,
    timeMs: 0,
    kind: kinds[i] ?? 'orderWarned',
    body: encode({ text: `${ROW} ${i}` }),
  }))
  const changes = [{ table: 'meta' as const, key: 'account', value: encode({ text: ROW }) }]
  database.commit([{ epoch, commit: { entries, changes } }])
  await database.close()
  return databaseFolder(dataDir, '10000001')
}

async function one(t: Test, spoil: (data: string, folder: string) => void) {
  const folder = await store(t.testdir())
  spoil(join(folder, 'data.mdb'), folder)
  const found = await examineDatabases([folder], LIMITS)
  return found.get(folder)
}

t.test('a sound database is sound, one that was never there absent', async (t) => {
  const dataDir = t.testdir()
  const folder = await store(dataDir)
  const nowhere = join(dataDir, 'nowhere')
  const found = await examineDatabases([folder, nowhere], LIMITS)
  t.strictSame(found.get(nowhere)?.isAbsent, true)
  t.match(found.get(folder), { problem: null, isAbsent: false, hasConnected: true })
})

t.test(
  'an account whose client never answered is told from one that had books there',
  async (t) => {
    const folder = await store(t.testdir(), ['actorStarted', 'disconnected'])
    t.match((await examineDatabases([folder], LIMITS)).get(folder), { hasConnected: false })
  },
)

t.test('so is one whose first entries have moved into a segment', async (t) => {
  const dataDir = t.testdir()
  const folder = await store(dataDir)
  const database = openAccountDatabase(dataDir, '10000001')
  const { epoch } = database.inspect()
  database.claim(epoch, OWNER)
  const [row] = database.range({ table: 'journal', from: 300, limit: 1 })
  if (row === undefined) throw new Error('no entry 300')
  await database.trim(decode<StoredEntry>(row.value), 1_000)
  await database.close()
  const found = await examineDatabases([folder], LIMITS)
  t.match(found.get(folder), { problem: null, hasConnected: true })
})

for (const part of [0.1, 0.3, 0.5, 0.7, 0.9]) {
  t.test(`cut to ${part * 100} % of its size`, async (t) => {
    const found = await one(t, (data) => {
      truncateSync(data, Math.floor((statSync(data).size * part) / PAGE) * PAGE)
    })
    t.type(found?.problem, 'string')
  })
}

t.test('garbage, emptied, missing', async (t) => {
  const garbage = await one(t, (data) => writeFileSync(data, Buffer.alloc(8 * PAGE, 0xa5)))
  t.type(garbage?.problem, 'string')
  const emptied = await one(t, (data) => truncateSync(data, 0))
  t.match(emptied, { problem: 'data.mdb is empty' })
})

t.test('pages overwritten, one after the other', async (t) => {
  const sound = await store(t.testdir())
  const bytes = readFileSync(join(sound, 'data.mdb'))
  const copies = Array.from({ length: Math.floor(bytes.length / PAGE) }, (_, page) => {
    const folder = join(t.testdirName, `copy-${page}`)
    cpSync(sound, folder, { recursive: true })
    const spoilt = Buffer.from(bytes)
    spoilt.fill(0xa5, page * PAGE, (page + 1) * PAGE)
    writeFileSync(join(folder, 'data.mdb'), spoilt)
    return folder
  })
  const found = await examineDatabases([...copies, sound], LIMITS)
  t.equal(found.size, copies.length + 1)
  t.match(found.get(sound), { problem: null }, 'whatever happened before it')
  const damaged = [...found.values()].filter(({ problem }) => problem !== null).length
  t.ok(damaged > copies.length / 2, `${damaged} of ${copies.length}`)
})

t.test('one bit of a row', async (t) => {
  const found = await one(t, (data) => {
    const bytes = readFileSync(data)
    let at = bytes.indexOf(ROW)
    for (; at >= 0; at = bytes.indexOf(ROW, at + 1)) bytes[at] = (bytes[at] ?? 0) ^ 1
    writeFileSync(data, bytes)
  })
  t.match(found?.problem, /the stored bytes of .*\[.*\] are damaged/)
})

t.test('a database that is longer than the time allows is read in part', async (t) => {
  const dataDir = t.testdir()
  mkdirSync(dataDir, { recursive: true })
  const folder = await store(dataDir)
  const found = await examineDatabases([folder], { readMs: 0, silenceMs: 60_000 })
  t.match(found.get(folder), { problem: null })
})

const SILENCE = 'setInterval(() => undefined, 1_000)'
/** As the system does where memory is short. */
const DEATH = "process.kill(process.pid, 'SIGKILL')"

/** A program that looks through nothing: so many times it says that it begins, and `does` this; then it finds all well. */
function failingProgram(folder: string, does: string, times: number): string {
  const file = join(folder, 'failing.mjs')
  const text = `
    import { appendFileSync, readFileSync, writeSync } from 'node:fs'
    const { folders: [folder] } = JSON.parse(readFileSync(0, 'utf8'))
    const runs = ${JSON.stringify(join(folder, 'runs'))}
    appendFileSync(runs, '.')
    const say = (word) => writeSync(1, JSON.stringify(word) + '\\n')
    say({ begins: folder })
    if (readFileSync(runs).length <= ${times}) ${does}
    else say({ about: folder, problem: null, isAbsent: false, isPartial: false, hasConnected: true })
  `
  writeFileSync(file, text)
  return file
}

t.test(
  'one that got no processor for a while is looked at again before it is blamed',
  async (t) => {
    const dataDir = t.testdir()
    const folder = await store(dataDir)
    const limits = { readMs: 0, silenceMs: 10_000 } // in which a second one can begin, on any computer
    const found = await examineDatabases([folder], limits, failingProgram(dataDir, SILENCE, 1))
    t.match(found.get(folder), { problem: null, hasConnected: true })
  },
)

t.test(
  'F630 a database is not called damaged because the process that reads it was killed',
  { skip: process.platform === 'win32' && 'nothing tells there who has ended a process' },
  async (t) => {
    const dataDir = t.testdir()
    const folder = await store(dataDir)
    const once = await examineDatabases([folder], LIMITS, failingProgram(dataDir, DEATH, 1))
    t.match(once.get(folder), { problem: null, hasConnected: true })
    const always = await examineDatabases([folder], LIMITS, failingProgram(dataDir, DEATH, 9))
    t.match(always.get(folder), { problem: /SIGKILL/, isUnread: true })
  },
)

t.test('F630 nor because none could be started, or none came as far as a database', async (t) => {
  const dataDir = t.testdir({ 'ends.mjs': 'process.exit(3)' })
  const folder = await store(dataDir)
  const found = await examineDatabases([folder], LIMITS, join(dataDir, 'ends.mjs'))
  t.match(found.get(folder), { problem: String, isUnread: true })
})

t.test(
  'F660 a process that cannot even be started ends nobody, and says nothing of a database',
  { skip: process.platform === 'win32' && 'descriptors do not run out there' },
  async (t) => {
    const dataDir = t.testdir()
    const folder = await store(dataDir)
    const examine = new URL('../../src/storage/examine.ts', import.meta.url)
    const text = `
      import { openSync } from 'node:fs'
      import { examineDatabases } from ${JSON.stringify(examine.href)}
      const [folder] = ${JSON.stringify([folder])}
      const limits = ${JSON.stringify(LIMITS)}
      const look = async () => console.log(JSON.stringify((await examineDatabases([folder], limits)).get(folder)))
      const { execPath } = process
      process.execPath = 'x'.repeat(5_000) // the system refuses that at once, as where memory is short
      await look()
      process.execPath = execPath
      try {
        for (;;) openSync('/dev/null')
      } catch {
        // no descriptor is left
      }
      await look()
    `
    writeFileSync(join(dataDir, 'looks.ts'), text)
    const command = 'ulimit -n 100 && exec "$0" "$1"'
    const args = ['-c', command, process.execPath, join(dataDir, 'looks.ts')]
    const { stdout, stderr, status } = spawnSync('sh', args, { encoding: 'utf8' })
    t.equal(status, 0, stderr)
    const found = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    t.match(found, [
      { problem: /ENAMETOOLONG/, isUnread: true },
      { problem: /EMFILE/, isUnread: true },
    ])
  },
)

t.test(
  'F631 a database without locks is not read where a full disk has no room for them',
  async (t) => {
    const dataDir = t.testdir()
    const folder = await store(dataDir)
    const full = { ...LIMITS, freeBytes: () => 0 }
    t.match(
      (await examineDatabases([folder], full)).get(folder),
      { problem: null },
      'its locks are on disk',
    )
    unlinkSync(join(folder, 'lock.mdb'))
    const found = await examineDatabases([folder], full)
    t.match(found.get(folder), { problem: /磁盘已满.*the disk is full/, isUnread: true })
  },
)

t.test('one over which two fall silent is damaged', async (t) => {
  const dataDir = t.testdir()
  const folder = await store(dataDir)
  const limits = { readMs: 0, silenceMs: 200 }
  const found = await examineDatabases([folder], limits, failingProgram(dataDir, SILENCE, 9))
  t.match(found.get(folder)?.problem, /did not end within 200 ms/)
})

/** A disk of Windows on which another program has the file of this name open. */
function held(name: string, code = 'EBUSY') {
  const disk = { isFree: false, tries: 0 }
  const tryFile = (path: string) => {
    if (disk.isFree || basename(path) !== name) return
    disk.tries += 1
    throw Object.assign(new Error(code), { code })
  }
  return { disk, tryFile }
}

t.test(
  'F993 a database that another program has open on Windows is waited for, and not called damaged',
  async (t) => {
    const dataDir = t.testdir()
    const folder = await store(dataDir)
    for (const name of ['data.mdb', 'lock.mdb']) {
      const { disk, tryFile } = held(name)
      const always = await examineDatabases([folder], { ...LIMITS, tryFile, heldMs: 60 })
      t.match(always.get(folder), {
        problem: new RegExp(`${name} 被另一个程序占用.*another program has it open`),
        isUnread: true,
        isAbsent: false,
      })
      t.ok(disk.tries > 1, 'it may let go of it')
      const looking = examineDatabases([folder], { ...LIMITS, tryFile, heldMs: 60_000 })
      disk.isFree = true
      t.match((await looking).get(folder), { problem: null, hasConnected: true })
    }
  },
)

t.test(
  'F993 nor is one that cannot be written there, as on a share for reading only',
  async (t) => {
    const dataDir = t.testdir()
    const folder = await store(dataDir)
    const { disk, tryFile } = held('data.mdb', 'EPERM')
    const found = await examineDatabases([folder], { ...LIMITS, tryFile, heldMs: 60_000 })
    t.match(found.get(folder), {
      problem: /无法写入（EPERM）.*只读/,
      isUnread: true,
      isDenied: true,
    })
    t.equal(disk.tries, 1, 'told at once')

    unlinkSync(join(folder, 'lock.mdb')) // as of a backup
    mkdirSync(join(folder, '.probe')) // what is tried before locks are made is refused as well
    const backup = await examineDatabases([folder], { ...LIMITS, tryFile })
    t.match(backup.get(folder), { problem: /无法写入（EPERM）.*只读/, isDenied: true })
  },
)
