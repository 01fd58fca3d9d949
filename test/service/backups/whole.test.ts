import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  type Dirent,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { acquireRole } from '../../../src/cluster/role-lock.ts'
import { type BackupCommand, backUpAll } from '../../../src/service/backups/backup-command.ts'
import { writePlan } from '../../../src/service/backups/plan.ts'
import { openDataFolder, unfinishedIn } from '../../../src/service/data/data-folder.ts'
import { type RestoreCommand, restore } from '../../../src/service/restore/restore-command.ts'
import { databasesIn } from '../../../src/storage/backup.ts'
import { configOf, entriesIn, LIMITS, lived } from './fixtures/folders.ts'

const [ONE, TWO] = ['10000001', '10000002']
const FLOOR = 1_000_000_000

async function twoAccounts(t: Test) {
  const folder = t.testdir({ data: {} })
  const [dataDir, target] = [join(folder, 'data'), join(folder, 'copy')]
  await lived(dataDir, ONE, 3)
  await lived(dataDir, TWO, 5)
  const write = () => undefined
  const backUp = (more: Partial<BackupCommand> = {}) =>
    backUpAll({ dataDir, target, limits: LIMITS, write, ...more })
  const putBack = (more: Partial<RestoreCommand> = {}) =>
    restore({ config: configOf(dataDir), backup: target, at: new Date(0), write, ...more })
  return { folder, dataDir, target, backUp, putBack }
}

t.test('F286 a backup that has no room above the floor is not begun', async (t) => {
  const { folder, backUp } = await twoAccounts(t)
  const limits = { ...LIMITS, floorBytes: FLOOR }
  t.match(await backUp({ limits, freeBytes: () => FLOOR + 1_000 }), {
    ok: false,
    error: { text: /free_space_floor_mb/ },
  })
  t.strictSame(readdirSync(folder), ['data'])
  t.match(await backUp({ limits, freeBytes: () => 2 * FLOOR }), { ok: true })
})

t.test('F286 and one that comes down to it is given up, and leaves nothing', async (t) => {
  const { folder, target, backUp } = await twoAccounts(t)
  const limits = { ...LIMITS, floorBytes: FLOOR }
  const freeBytes = () => (existsSync(join(target, ONE, 'db', 'data.mdb')) ? FLOOR : 2 * FLOOR)
  t.match(await backUp({ limits, freeBytes }), { ok: false, error: { text: /no room/ } })
  t.strictSame(readdirSync(folder), ['data'])
  mkdirSync(target)
  writeFileSync(join(target, 'photo'), '')
  t.match(await backUp({ limits, freeBytes }), { ok: false })
  t.strictSame(readdirSync(target), ['photo'], 'of what was there nothing is removed')
})

t.test(
  'F311 all that is not damaged is copied whole, and it is said that it is not all',
  async (t) => {
    const { dataDir, target, backUp } = await twoAccounts(t)
    writeFileSync(join(dataDir, ONE, 'db', 'data.mdb'), 'no database')
    t.match(await backUp(), { ok: false, error: { isPartial: true, text: /not copied.*10000001/ } })
    t.equal(await entriesIn(target, TWO), 5)
    t.match(openDataFolder(target), { ok: true }, 'nothing of it is unfinished')
    writeFileSync(join(dataDir, TWO, 'db', 'data.mdb'), 'no database')
    const none = await backUp({ target: join(target, '..', 'none') })
    t.match(none, { ok: false, error: { isPartial: false, text: /10000001.*10000002/ } })
  },
)

t.test('F638 a file in place of a backup is told as what it is', async (t) => {
  const { folder, putBack } = await twoAccounts(t)
  const archive = join(folder, 'copy.zip')
  writeFileSync(archive, 'PK')
  const refused = await putBack({ backup: archive })
  t.match(refused, { ok: false, error: { isWrong: true, text: /是文件.*unpack an archive first/ } })
})

t.test('F445 the folder of the copies is no copy, and neither is a part of one', async (t) => {
  const { folder, dataDir, backUp, putBack } = await twoAccounts(t)
  const copies = join(folder, 'copies')
  const [older, newer] = ['steward-20260810-154000', 'steward-20260811-154000']
  for (const name of [newer, older]) {
    t.match(await backUp({ target: join(copies, name) }), { ok: true })
  }
  await lived(dataDir, ONE, 2)
  for (const [backup, text] of [
    [copies, `例如 ${join(copies, newer)} `],
    [join(copies, newer, ONE), 'name the folder that steward backup has filled'],
    [join(folder, 'nowhere'), 'there is no such folder'],
  ] as const) {
    const done = await putBack({ backup })
    t.match(done, { ok: false, error: { isWrong: true, text } }, backup)
    t.strictSame(readdirSync(folder).sort(), ['copies', 'data'], 'nothing is put aside')
  }
  // One that was made into the folder of the others is a copy, and takes none of them along.
  t.match(await backUp({ target: copies }), { ok: true })
  t.match(await putBack({ backup: copies }), { ok: true })
  t.equal(await entriesIn(dataDir, ONE), 5)
  t.strictSame(databasesIn(dataDir), [join(ONE, 'db'), join(TWO, 'db')])
})

t.test('F287 a backup that was cut off is not put back, and nothing starts with it', async (t) => {
  const { dataDir, target, backUp, putBack } = await twoAccounts(t)
  t.match(await backUp(), { ok: true })
  t.notOk(existsSync(join(target, 'backup-unfinished')))
  rmSync(join(target, TWO), { recursive: true })
  writeFileSync(join(target, 'backup-unfinished'), '')
  t.match(await putBack(), { ok: false, error: { isWrong: true, text: /cut off/ } })
  t.match(openDataFolder(target), { ok: false, error: /cut off/ })
  t.equal(await entriesIn(dataDir, TWO), 5)
})

t.test('F287 nor is one that has failed, and that cannot be removed', async (t) => {
  const { target, backUp, putBack } = await twoAccounts(t)
  const flush = (path: string): void => {
    if (path.endsWith('data.mdb')) throw new Error('EIO')
  }
  const remove = (path: string): void => {
    if (path.endsWith(TWO)) throw Object.assign(new Error('held'), { code: 'EBUSY' })
    rmSync(path, { recursive: true, force: true })
  }
  for (const isNew of [true, false]) {
    if (!isNew) mkdirSync(target)
    t.match(await backUp({ flush, remove }), {
      ok: false,
      error: { text: /^EIO；.*EBUSY/, isPartial: false },
    })
    t.notOk(existsSync(join(target, ONE)), 'what nobody holds is gone')
    t.match(await putBack(), { ok: false, error: { isWrong: true, text: /cut off/ } })
    rmSync(target, { recursive: true })
  }
})

t.test('F483 a backup leaves alone what another command copies into its folder', async (t) => {
  const { dataDir, target, backUp } = await twoAccounts(t)
  for (const note of [['backup-unfinished'], []]) {
    /** The other one begins after this one has found the folder free. */
    const freeBytes = () => {
      cpSync(join(dataDir, ONE), join(target, ONE), { recursive: true })
      for (const name of note) writeFileSync(join(target, name), '')
      return 2 * FLOOR
    }
    const done = await backUp({ freeBytes })
    t.match(done, { ok: false, error: { text: /另一个命令正在写入|already holds a database/ } })
    t.strictSame(readdirSync(target), [ONE, ...note])
    rmSync(target, { recursive: true })
  }
  const both = await Promise.all([backUp(), backUp()])
  t.strictSame(both.map(({ ok }) => ok).sort(), [false, true])
})

t.test('F287 a backup is not mixed with another one, nor put into the data', async (t) => {
  const { dataDir, target, backUp } = await twoAccounts(t)
  mkdirSync(target)
  await lived(target, TWO, 9)
  t.match(await backUp(), { ok: false, error: { text: /already holds a database/ } })
  t.strictSame(readdirSync(target), [TWO])
  t.match(await backUp({ target: join(dataDir, 'copies', '1') }), {
    ok: false,
    error: { text: /inside/ },
  })
})

t.test('F288 tokens, the plan, and keys of orders that were sent are in a backup', async (t) => {
  const { dataDir, target, backUp, putBack } = await twoAccounts(t)
  const sent = (folder: string) => join(folder, ONE, 'gateway', 'sent.ndjson')
  const text = (path: string) => readFileSync(path, 'utf8')
  mkdirSync(join(dataDir, ONE, 'gateway'))
  writeFileSync(sent(dataDir), '{"key":"A"}\n')
  writeFileSync(join(dataDir, 'tokens.json'), 'old')
  writePlan(dataDir, { at: '15:40', to: '/backups', keep: 3 })
  const plan = text(join(dataDir, 'backup-plan.json'))
  t.match(await backUp(), { ok: true })
  t.notOk(existsSync(join(target, 'backup-plan.json')), 'a copy that is looked at makes none')
  writeFileSync(sent(dataDir), '{"key":"B"}\n')
  writeFileSync(join(dataDir, 'tokens.json'), 'newer')
  t.match(await putBack(), { ok: true })
  t.equal(text(join(dataDir, 'tokens.json')), 'newer', 'what was withdrawn stays withdrawn')
  t.strictSame(text(sent(dataDir)).match(/"[AB]"/g), ['"A"', '"B"'], 'keys are never fewer')
  rmSync(dataDir, { recursive: true })
  t.match(await putBack(), { ok: true })
  t.equal(text(join(dataDir, 'tokens.json')), 'old')
  t.equal(text(sent(dataDir)), '{"key":"A"}\n')
  t.equal(text(join(dataDir, 'backup-plan.json')), plan)
})

t.test('F289 a restore that fails leaves no half, and says why first', async (t) => {
  const { folder, dataDir, backUp, putBack } = await twoAccounts(t)
  t.match(await backUp(), { ok: true })
  const names = () => readdirSync(folder).sort()
  const refusing = (what: string, count = 1) => {
    let left = count
    return (from: string, to: string) => {
      if (from.endsWith(what) && left-- > 0) throw new Error(`EPERM ${what}`)
      renameSync(from, to)
    }
  }
  const remove = (path: string) => rmSync(path, { recursive: true, force: true })
  const held = (path: string) => {
    if (existsSync(path)) throw new Error('EBUSY')
  }
  const failing = async (disk: NonNullable<RestoreCommand['disk']>) => {
    const done = await putBack({ disk })
    return done.ok ? '' : done.error.text
  }
  for (const what of ['data', '.restoring']) {
    const text = await failing({ move: refusing(what), remove })
    t.match(text, new RegExp(`^EPERM ${what}; .* .the data folder is as it was.$`))
    t.strictSame(names(), ['copy', 'data'])
    t.equal(await entriesIn(dataDir, ONE), 3)
  }
  const both = await failing({ move: refusing('data'), remove: held })
  t.match(
    both,
    /^EPERM data; .* as it was\)；.* 无法删除（EBUSY.* \(the half copy cannot be removed/,
  )
  remove(`${dataDir}.restoring`)
  const move = (from: string, to: string) => {
    if (to === dataDir) throw new Error(`EPERM ${from.slice(-9)}`)
    renameSync(from, to)
  }
  const lost = await failing({ move, remove })
  t.match(
    lost,
    /^EPERM restoring; .*renamed back\): EPERM .*; 请自行把 .*before-restore-.* by hand\)$/,
  )
  t.notMatch(lost, /as it was/)
  t.match(openDataFolder(dataDir), { ok: false, error: /interrupted/ })
})

t.test(
  'F301 nothing is put back under a process that begins an account of the backup',
  async (t) => {
    const { dataDir, backUp, putBack } = await twoAccounts(t)
    t.match(await backUp(), { ok: true })
    rmSync(join(dataDir, TWO), { recursive: true })
    const beginning = await acquireRole(dataDir, TWO, 'direct')
    t.match(await putBack(), { ok: false, error: { isWrong: true, text: /10000002 正在运行/ } })
    t.equal(await entriesIn(dataDir, ONE), 3)
    if (beginning.kind === 'held') await beginning.release()
    t.match(await putBack(), { ok: true })
  },
)

t.test('F302 a folder that vanishes while a backup looks ends no backup', async (t) => {
  const { dataDir } = await twoAccounts(t)
  mkdirSync(join(dataDir, 'service', 'logs', '1-2-abcdef01.gone'), { recursive: true })
  const gone = (folder: string): Dirent[] => {
    if (folder.endsWith('.gone')) rmSync(folder, { recursive: true })
    return readdirSync(folder, { withFileTypes: true })
  }
  t.strictSame(databasesIn(dataDir, gone), [join(ONE, 'db'), join(TWO, 'db')])
  const refused = (folder: string): Dirent[] => {
    if (folder.endsWith(TWO)) throw Object.assign(new Error('refused'), { code: 'EIO' })
    return gone(folder)
  }
  t.throws(() => databasesIn(dataDir, refused), /refused/, 'what cannot be read is not passed over')
})

t.test('F841 a folder that nobody may list keeps nothing else from being copied', async (t) => {
  const { dataDir, target, backUp } = await twoAccounts(t)
  const denying = (name: string) => (folder: string) => {
    const code = 'EACCES'
    if (folder.endsWith(name)) throw Object.assign(new Error('scandir'), { code })
    return readdirSync(folder, { withFileTypes: true })
  }
  const left = await backUp({ list: denying(TWO) })
  t.match(left, {
    ok: false,
    error: { isPartial: true, text: /^未备份 \(not copied\): .*无权查看/ },
  })
  t.match(left, { error: { text: `${join(dataDir, TWO)}: ` } })
  t.strictSame(databasesIn(target), [join(ONE, 'db')])
  const none = await backUp({ target: `${target}-2`, list: denying('data') })
  t.match(none, { ok: false, error: { isPartial: false, text: /may not look into it/ } })
  t.notOk(existsSync(`${target}-2`))
})

t.test('F321 a copy counts as one when all of it is on disk', async (t) => {
  const { folder, target, backUp } = await twoAccounts(t)
  const flushed: { readonly path: string; readonly isUnfinished: boolean }[] = []
  const flush = (path: string) =>
    flushed.push({ path, isUnfinished: existsSync(unfinishedIn(target)) })
  t.match(await backUp({ flush }), { ok: true, value: 2 })
  t.strictSame(
    flushed.slice(0, 2),
    [target, folder].map((path) => ({ path, isUnfinished: true })),
    'before anything is in it, that it is unfinished',
  )
  t.strictSame(flushed.at(-1), { path: target, isUnfinished: false })
  const inTime = new Set(flushed.filter(({ isUnfinished }) => isUnfinished).map(({ path }) => path))
  for (const entry of readdirSync(target, { recursive: true, withFileTypes: true })) {
    const isLock = entry.name === 'lock.mdb' // made anew by whoever opens the copy
    t.equal(inTime.has(join(entry.parentPath, entry.name)), !isLock, entry.name)
  }
})

t.test('F356 a copy that has lost one of its databases is not put back', async (t) => {
  const { dataDir, target, backUp, putBack } = await twoAccounts(t)
  t.match(await backUp(), { ok: true })
  rmSync(join(target, TWO), { recursive: true })
  const text =
    /^备份已损坏 \(the backup is damaged\): .*it was made with 10000002.db, and has no database there/
  t.match(await putBack(), { ok: false, error: { isWrong: false, text } })
  t.equal(await entriesIn(dataDir, TWO), 5)
  writeFileSync(join(target, 'backup-contents.json'), '{')
  t.match(await putBack(), { ok: false, error: { text: /\(the backup is damaged\): .*contents/ } })
  rmSync(join(target, 'backup-contents.json'))
  t.match(await putBack(), { ok: true }, 'as of an earlier release')
  t.equal(await entriesIn(dataDir, TWO), 5, 'what it has not is kept')
})

t.test(
  'F634 a file that its owner made read-only is copied, and put back',
  { skip: process.platform === 'win32' && 'the test is about another user than root' },
  async (t) => {
    const { dataDir, target, backUp, putBack } = await twoAccounts(t)
    for (const path of [join(ONE, 'stock2buy.json'), 'notes']) {
      writeFileSync(join(dataDir, path), '[]', { mode: 0o444 })
    }
    const only = (path: string) => statSync(path).mode & 0o200
    t.match(await backUp(), { ok: true })
    t.equal(
      only(join(target, ONE, 'stock2buy.json')),
      0o200,
      'what cannot be written cannot be flushed',
    )
    t.match(await putBack(), { ok: true })
    for (const path of [join(ONE, 'stock2buy.json'), 'notes']) {
      t.equal(readFileSync(join(dataDir, path), 'utf8'), '[]')
      t.equal(only(join(dataDir, path)), 0o200)
    }
  },
)

t.test('F631 what nobody could look through is no lack of a backup, and not damaged', async (t) => {
  const { folder, dataDir, target, backUp, putBack } = await twoAccounts(t)
  t.match(await backUp(), { ok: true })
  unlinkSync(join(dataDir, ONE, 'db', 'lock.mdb'))
  const limits = { ...LIMITS, freeBytes: () => 0 }
  const refused = await backUp({ target: join(folder, 'second'), limits })
  t.match(refused, { ok: false, error: { isPartial: false, text: /no damage was found/ } })
  t.strictSame(readdirSync(folder).sort(), ['copy', 'data'])
  t.ok(existsSync(target))
  t.match(await putBack(), { ok: true })
})

t.test(
  'F661 what this user may not read is no damage of a backup, or of the data',
  { skip: process.platform === 'win32' && 'rights are others there' },
  async (t) => {
    const { folder, dataDir, target, backUp } = await twoAccounts(t)
    t.match(await backUp(), { ok: true })
    for (const { parentPath, name } of readdirSync(folder, {
      recursive: true,
      withFileTypes: true,
    })) {
      chmodSync(join(parentPath, name), 0o777) // of anybody, but for one database in each
    }
    for (const place of [dataDir, target]) chmodSync(join(place, ONE, 'db', 'data.mdb'), 0)
    const sockets = mkdtempSync('/tmp/as-nobody-')
    t.teardown(() => rmSync(sockets, { recursive: true }))
    const accounts = [ONE, TWO].map((account_id) => ({ account_id, qmt_path: 'C:/qmt' }))
    const run = (command: string, to: string, data_dir: string, extra: readonly string[]) => {
      const config = join(folder, `${command}.json`)
      writeFileSync(config, JSON.stringify({ data_dir, accounts }))
      const program = join(import.meta.dirname, '..', '..', '..', 'bin', 'steward.mjs')
      const args = [program, command, ...extra, to, '--config', config]
      const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
      const env = { ...process.env, TMPDIR: sockets }
      return spawnSync(process.execPath, args, { encoding: 'utf8', cwd: folder, env, ...nobody })
    }
    chmodSync(folder, 0o777)
    chmodSync(sockets, 0o777)
    const copied = run('backup', join(folder, 'second'), dataDir, ['--to'])
    t.match(copied.stderr, /无权读取.*no damage was found/)
    t.notMatch(copied.stderr, /已损坏/)
    t.ok(existsSync(join(folder, 'second', TWO, 'db', 'data.mdb')), 'the rest is copied')
    const back = run('restore', target, join(folder, 'other'), [])
    t.match(back.stderr, /无权读取.*no damage was found/)
    t.notMatch(back.stderr, /已损坏/)
    rmSync(join(target, ONE), { recursive: true })
    rmSync(join(target, 'backup-contents.json'), { force: true })
    const carried = run('restore', target, dataDir, [])
    t.match(carried.stderr, /无权读取.*the data folder is as it was/)
    t.ok(existsSync(join(dataDir, ONE, 'db', 'data.mdb')), 'a later account is not left out')
  },
)
