import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join, relative } from 'node:path'
import t, { type Test } from 'tap'
import { acquireRole } from '../../../src/cluster/role-lock.ts'
import { makeSocketFolder, roleSocketPath } from '../../../src/cluster/socket-path.ts'
import { loadConfig } from '../../../src/config/load.ts'
import { uninstall } from '../../../src/service/commands/uninstall-command.ts'
import { distributionIn } from '../../../src/service/process/program-folder.ts'
import { update } from '../../../src/service/update/update-command.ts'
import { openAccountDatabase } from '../../../src/storage/account-database.ts'
import { hold } from '../../held.ts'
import { Child } from '../fixtures/child.ts'
import { programFiles, writeProgram, zipOf } from './fixture.ts'

const NOW_MS = Date.parse('2026-08-11T08:00:00Z')
const ID = '10000001'

/** A program that was unpacked, with data beside it, and an archive of the next version. */
async function installed(t: Test, next: Parameters<typeof programFiles> = ['0.2.0']) {
  const place = t.testdir({ place: {}, downloads: {} })
  const folder = join(place, 'steward-0.1.0')
  writeProgram(folder, programFiles('0.1.0'))
  await openAccountDatabase(join(place, 'place', 'data'), ID).close()
  const files = Object.entries(programFiles(...next)).map(([path, text]) => ({
    path: `steward-${next[0]}/${path}`,
    text,
  }))
  const archive = join(place, 'downloads', 'next.zip')
  const zip = zipOf(files)
  writeFileSync(archive, zip)
  const sum = createHash('sha256').update(zip).digest('hex')
  writeFileSync(join(place, 'downloads', 'SHA256SUMS'), `${sum}  next.zip\n`)
  return { place, archive, dataDir: join(place, 'place', 'data') }
}

async function updated(
  { place, dataDir }: { place: string; dataDir: string },
  from: string,
  flush?: (path: string) => void,
) {
  const loaded = loadConfig({ cwd: place, env: {}, options: { dataDir } })
  const own = distributionIn(join(place, 'steward-0.1.0'))
  if (!loaded.ok || own === undefined) throw new Error('no program')
  const said: string[] = []
  const write = (line: string) => void said.push(line)
  const { config } = loaded.value
  const done = await update({ config, own, from, nowMs: NOW_MS, write, ...(flush && { flush }) })
  return { done, said }
}

t.test('the next version lies beside the former one, after a backup', async (t) => {
  const made = await installed(t)
  const { done, said } = await updated(made, made.archive)
  t.match(done, { ok: true })
  t.match(distributionIn(join(made.place, 'steward-0.2.0')), { version: '0.2.0' })
  t.match(distributionIn(join(made.place, 'steward-0.1.0')), { version: '0.1.0' }, 'it stays')
  const copy = join(made.place, 'place', 'backups-before-update', 'steward-20260811-160000')
  t.ok(existsSync(join(copy, ID, 'db', 'data.mdb')))
  t.match(said.join('\n'), /steward-0\.2\.0[\s\S]*steward-0\.1\.0[\s\S]*steward restore/)
  t.match(await updated(made, made.archive), { done: { error: { text: /已存在/ } } })
  t.notOk(existsSync(join(made.place, '.steward-update')))
})

t.test('F974 data without a database keeps no version from being put in its place', async (t) => {
  const made = await installed(t)
  rmSync(join(made.dataDir, ID), { recursive: true })
  writeFileSync(join(made.dataDir, 'tokens.json'), '[]')
  t.match(await updated(made, made.archive), { done: { ok: true } })
  t.strictSame(readdirSync(join(made.place, 'place')), ['data'], 'there was nothing to copy')
})

t.test('a folder that a person has unpacked is taken where it is', async (t) => {
  const made = await installed(t)
  const folder = join(made.place, 'downloads', 'mine')
  writeProgram(folder, programFiles('0.3.0'))
  const { done, said } = await updated(made, folder)
  t.match(done, { ok: true })
  t.match(said.join('\n'), folder)
})

t.test(
  'F446 the way back from a version that starts at log-on leads to the former one',
  async (t) => {
    const made = await installed(t)
    const { platform } = process
    Object.defineProperty(process, 'platform', { value: 'win32' })
    t.teardown(() => Object.defineProperty(process, 'platform', { value: platform }))
    const { done, said } = await updated(made, made.archive)
    t.match(done, { ok: true })
    const installer = join(made.place, 'steward-0.1.0', 'install-autostart.cmd')
    t.match(said.join('\n'), /自动启动已改到新版本[\s\S]*退回/)
    t.ok(said.at(-1)?.includes(installer), 'a path of Windows is no pattern')
  },
)

t.test('F438 what a scanner still reads does not hide what an update has done', async (t) => {
  const made = await installed(t)
  hold(t, '.steward-update')
  const { done, said } = await updated(made, made.archive)
  t.match(done, { ok: true })
  t.match(distributionIn(join(made.place, 'steward-0.2.0')), { version: '0.2.0' })
  t.match(said.join('\n'), /新版本[\s\S]*\.steward-update 未能删除/)
})

t.test('F438 what a scanner still reads does not hide why an update did nothing', async (t) => {
  const made = await installed(t, ['0.0.9'])
  hold(t, '.steward-update')
  const { done, said } = await updated(made, made.archive)
  t.match(done, { ok: false, error: { isWrong: true, text: /并不比/ } })
  t.match(said.join('\n'), /\.steward-update 未能删除.*EBUSY/)
})

t.test('what does not fit is refused, and nothing is changed', async (t) => {
  const cases: readonly [next: Parameters<typeof programFiles>, text: RegExp][] = [
    [['0.1.0'], /并不比现在的 0\.1\.0 新/],
    [['0.0.9'], /并不比/],
    [['latest'], /并不比/],
    [['0.2.0', { platform: 'other-arm64' }], /另|本机为 any-x64/],
    [['0.2.0', { says: 'broken' }], /无法启动/],
  ]
  for (const [next, text] of cases) {
    const made = await installed(t, next)
    t.match(await updated(made, made.archive), {
      done: { ok: false, error: { isWrong: true, text } },
    })
    t.strictSame(readdirSync(made.place).sort(), ['downloads', 'place', 'steward-0.1.0'])
    t.strictSame(readdirSync(join(made.place, 'place')), ['data'], 'no backup for nothing')
  }
  const made = await installed(t)
  const refused = async (from: string, text: RegExp) =>
    t.match(await updated(made, from), { done: { error: { isWrong: true, text } } })
  await refused(join(made.place, 'nowhere.zip'), /不存在/)
  await refused(join(made.place, 'downloads'), /不是 Steward/)
  const sums = join(made.place, 'downloads', 'SHA256SUMS')
  writeFileSync(sums, `${'0'.repeat(64)}  next.zip\n`)
  await refused(made.archive, /不符/)
  writeFileSync(sums, '')
  await refused(made.archive, /没有 next\.zip/)
})

t.test('neither is done over a running service', async (t) => {
  const made = await installed(t)
  const lock = await acquireRole(made.dataDir, ID, 'direct')
  t.match(await updated(made, made.archive), { done: { error: { text: /正在运行/ } } })
  t.match(await removed(made, 'DELETE'), { ok: false, error: /正在运行/ })
  t.ok(existsSync(made.dataDir))
  if (lock.kind === 'held') await lock.release()
})

async function removed(
  { place, dataDir }: { place: string; dataDir: string },
  confirm?: string,
  remove?: (path: string) => void,
) {
  const loaded = loadConfig({ cwd: place, env: {}, options: { dataDir } })
  if (!loaded.ok) throw new Error(loaded.error.join())
  const said: string[] = []
  const write = (line: string) => void said.push(line)
  const asked = { loaded: loaded.value, isDataRemoved: true, confirm, write }
  const done = await uninstall({ ...asked, ...(remove && { remove }) })
  return { ...done, said }
}

t.test('data is removed only by flag and word, and only where it is data', async (t) => {
  const made = await installed(t)
  for (const word of [undefined, 'yes', 'delete']) {
    t.match(await removed(made, word), { ok: false, error: /无法恢复/ })
  }
  const whole = { place: made.place, dataDir: join(made.place, 'downloads') }
  t.match(await removed(whole, 'DELETE'), { ok: false, error: /不像数据目录/ })
  const home = { place: made.place, dataDir: join(import.meta.dirname, '..', '..', '..') }
  t.match(await removed(home, 'DELETE'), { ok: false, error: /还包含其他内容/ })
  t.ok(existsSync(made.dataDir))
  t.match(await removed(made, 'DELETE'), { ok: true, said: [/已删除数据/, /配置保留/, /程序目录/] })
  t.notOk(existsSync(made.dataDir))
})

t.test(
  'F635 a removal that was ended behind the last database is finished by the next',
  async (t) => {
    const made = await installed(t)
    const folder = join(made.dataDir, ID, 'db')
    rmSync(join(folder, 'created'))
    rmSync(join(folder, 'data.mdb')) // its locks are the last of it
    t.match(await removed(made, 'DELETE'), {
      ok: true,
      said: [/已删除数据/, /配置保留/, /程序目录/],
    })
    t.notOk(existsSync(made.dataDir))
    mkdirSync(join(made.dataDir, 'photos'), { recursive: true })
    writeFileSync(join(made.dataDir, 'photos', 'one'), '')
    t.match(await removed(made, 'DELETE'), { ok: false, error: /不像数据目录/ })
  },
)

t.test('F636 the next version is on disk, file by file, before it has its name', async (t) => {
  const made = await installed(t)
  const next = join(made.place, 'steward-0.2.0')
  const flushed: string[] = []
  const { done } = await updated(made, made.archive, (path) => {
    const isNamed = existsSync(next)
    flushed.push(`${isNamed ? 'named' : 'unnamed'} ${relative(made.place, path)}`)
  })
  t.match(done, { ok: true })
  const files = readdirSync(next, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(next, join(entry.parentPath, entry.name)))
  t.ok(files.length > 0)
  for (const file of files) {
    t.ok(flushed.includes(`unnamed ${join('.steward-update', 'steward-0.2.0', file)}`), file)
  }
  t.equal(flushed.at(-1), 'named ', 'and then the name')
})

t.test('F637 a configuration that lies among the data is not removed with it', async (t) => {
  const made = await installed(t)
  const file = join(made.dataDir, 'steward.config.json')
  writeFileSync(file, JSON.stringify({ data_dir: made.dataDir }))
  const loaded = loadConfig({ cwd: made.place, env: {}, options: { configFile: file } })
  if (!loaded.ok) throw new Error(loaded.error.join())
  const asked = { loaded: loaded.value, isDataRemoved: true, confirm: 'DELETE' }
  const done = await uninstall({ ...asked, write: () => undefined })
  t.match(done, { ok: false, error: /还包含其他内容.*holds more than data/ })
  t.ok(existsSync(file))
  t.ok(existsSync(join(made.dataDir, ID, 'db', 'data.mdb')))
})

t.test(
  'F654 data that this user may not even look at is not said to be removed',
  { skip: process.platform === 'win32' && 'links need a privilege there' },
  async (t) => {
    const made = await installed(t)
    symlinkSync('loop', join(made.place, 'loop'))
    const dataDir = join(made.place, 'loop', 'data')
    t.match(await removed({ ...made, dataDir }, 'DELETE'), {
      ok: false,
      error: /无法查看（ELOOP）/,
      said: [],
    })
    const none = join(made.place, 'never', 'there')
    t.match(await removed({ ...made, dataDir: none }, 'DELETE'), { ok: true })
  },
)

t.test('F659 data that is not there is not said to be removed', async (t) => {
  const made = await installed(t)
  for (const name of ['typo', 'unmounted']) {
    const dataDir = join(made.place, name)
    if (name === 'unmounted' && process.platform !== 'win32') {
      symlinkSync(join(made.place, 'disk', 'data'), dataDir)
    }
    const { said, ...done } = await removed({ ...made, dataDir }, 'DELETE')
    t.match(done, { ok: true })
    t.match(said[0], /没有数据.*nothing was removed/)
    t.notMatch(said.join(), /已删除数据/)
  }
})

t.test('F290 nobody can take an account while its data is removed', async (t) => {
  const made = await installed(t)
  const books = join(made.dataDir, ID, 'db', 'data.mdb')
  const said: unknown[] = []
  const servers: Server[] = []
  const remove = (path: string) => {
    const server = createServer().on('error', (error) => said.push(Reflect.get(error, 'code')))
    const socket = roleSocketPath(made.dataDir, ID, 'direct')
    makeSocketFolder(socket)
    servers.push(server.listen(socket))
    rmSync(path)
  }
  t.match(await removed(made, 'DELETE', remove), { ok: true, said: [/已删除数据/, /配置/, /程序/] })
  for (const server of servers) server.close()
  t.ok(servers.length > 1)
  t.strictSame(new Set(said), new Set(['EADDRINUSE']), 'the lock was held at every file')
  t.equal(said.length, servers.length)
  t.notOk(existsSync(made.dataDir))

  const held = await installed(t)
  const refuse = (path: string) => {
    if (path.endsWith('data.mdb')) throw new Error('EBUSY')
    rmSync(path)
  }
  t.match(await removed(held, 'DELETE', refuse), { ok: false, error: /not all data.*EBUSY/ })
  t.ok(existsSync(books.replace(made.place, held.place)))
  t.match(await removed(held, 'DELETE'), { ok: true })
  t.notOk(existsSync(held.dataDir))
})

const NEVER = { skip: process.platform === 'win32' && 'links need a privilege there' }
t.test(
  'F290 data behind a link in place of an account is removed, and no more',
  NEVER,
  async (t) => {
    const made = await installed(t)
    const [disk, photos] = [join(made.place, 'disk'), join(made.place, 'photos')]
    renameSync(join(made.dataDir, ID), disk)
    symlinkSync(disk, join(made.dataDir, ID))
    mkdirSync(photos)
    writeFileSync(join(photos, '1.jpg'), '')
    symlinkSync(photos, join(made.dataDir, 'photos'))
    t.match(await removed(made, 'DELETE'), { ok: true })
    t.notOk(existsSync(made.dataDir))
    t.notOk(existsSync(join(disk, 'db', 'data.mdb')))
    t.ok(existsSync(join(photos, '1.jpg')))
  },
)

t.test('in a clone: what to do instead; and where everything lies', async (t) => {
  const folder = t.testdir()
  const steward = (...args: string[]) => new Child(t, folder, args).exit
  const [told, refused, where] = await Promise.all([
    steward('update'),
    steward('update', 'x.zip'),
    steward('where'),
  ])
  t.match(told, { code: 0, stdout: [/git pull/] })
  t.match(refused, { code: 2, stderr: [/git pull/] })
  t.match(where, {
    code: 0,
    stdout: [/程序/, /内置演示/, /数据.*尚未建立/, /日志.*logs/, /未设置/],
  })
  t.match(await steward('uninstall'), { code: 0, stdout: [/数据保留/, /配置保留/, /程序目录/] })
})
