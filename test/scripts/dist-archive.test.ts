import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { gunzipSync } from 'node:zlib'
import t from 'tap'
import { extract } from 'tar'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const load = (file: string): Promise<unknown> =>
  import(pathToFileURL(join(ROOT, 'scripts', file)).href)

interface Entry {
  readonly path: string
  readonly bytes: Buffer
  readonly isProgram: boolean
}
type Write = (file: string, entries: readonly Entry[], time: Date) => Promise<void>
const { sha256Of, writeTarGz, writeZip } = (await load('dist/archive.mjs')) as {
  sha256Of(file: string): Promise<string>
  writeTarGz: Write
  writeZip: Write
}
const { readZip } = (await load('dist/read-zip.mjs')) as {
  readZip(file: string): readonly {
    readonly path: string
    readonly bytes: Buffer
    readonly mode: number
    readonly isUtf8: boolean
    readonly dosTime: number
  }[]
}
const { placeOf } = (await load('distribution.mjs')) as {
  placeOf(of: { platform: string; env: object; home: string }): string
}
const { asUtf16, startupFile, taskName, taskXml } = (await load('autostart.mjs')) as {
  asUtf16(text: string): Buffer
  startupFile(app: string): string
  taskName(user: string): string
  taskXml(of: { account: string; app: string }): string
}

const TIME = new Date(Date.UTC(2026, 1, 3, 4, 5, 6))
const entry = (path: string, text: string, isProgram = false): Entry => {
  return { path, bytes: Buffer.from(text), isProgram }
}
const ENTRIES = [
  entry('some/READ ME FIRST 请先读我.txt', '你好\r\n'.repeat(200)),
  entry('some/app/b.mjs', ''),
  entry('some/app/a.mjs', 'one'),
  entry('some/steward', '#!/bin/sh\n', true),
  entry(`some/${'long/'.repeat(40)}name.js`, 'deep'),
]
const SORTED = ENTRIES.map(({ path }) => path).sort()

t.test(
  'a zip: every entry whole, sorted, with one date, and the same bytes each time',
  async (t) => {
    const dir = t.testdir()
    const files = [join(dir, 'a.zip'), join(dir, 'b.zip')] as const
    await writeZip(files[0], ENTRIES, TIME)
    await writeZip(files[1], ENTRIES.toReversed(), TIME)
    const found = readZip(files[0])
    t.strictSame(
      found.map(({ path }) => path),
      SORTED,
    )
    for (const { path, bytes, isProgram } of ENTRIES) {
      const one = found.find((each) => each.path === path)
      t.strictSame(one?.bytes, bytes)
      t.equal(one?.mode, isProgram ? 0o100755 : 0o100644)
    }
    t.equal(found.find(({ path }) => path.includes('请先读我'))?.isUtf8, true)
    t.equal(new Set(found.map(({ dosTime }) => dosTime)).size, 1)
    t.equal(await sha256Of(files[0]), await sha256Of(files[1]))
    const native = spawnSync('unzip', ['-tq', files[0]], { encoding: 'utf8' })
    if (native.error === undefined) t.equal(native.status, 0, 'and unzip finds no fault')
    const damaged = readFileSync(files[0])
    const at = damaged.indexOf('some/app/a.mjs') + 'some/app/a.mjs'.length
    damaged.writeUInt8(damaged.readUInt8(at + 1) ^ 1, at + 1)
    writeFileSync(files[1], damaged)
    t.throws(() => readZip(files[1]), 'a damaged one is noticed')
  },
)

t.test('a tar.gz: the same, and tar reads it', async (t) => {
  const dir = t.testdir()
  const files = [join(dir, 'a.tar.gz'), join(dir, 'b.tar.gz')] as const
  await writeTarGz(files[0], ENTRIES, TIME)
  await writeTarGz(files[1], ENTRIES.toReversed(), TIME)
  t.equal(await sha256Of(files[0]), await sha256Of(files[1]))
  t.equal(gunzipSync(readFileSync(files[0])).length % 512, 0)
  const out = join(dir, 'out')
  mkdirSync(out)
  await extract({ file: files[0], cwd: out })
  for (const { path, bytes, isProgram } of ENTRIES) {
    t.equal(readFileSync(join(out, path), 'utf8'), bytes.toString())
    if (process.platform === 'win32') continue
    t.equal((statSync(join(out, path)).mode & 0o100) !== 0, isProgram, path)
  }
  t.equal(statSync(join(out, 'some/steward')).mtimeMs, TIME.getTime())
  const native = spawnSync('tar', ['tzf', files[0]], { encoding: 'utf8' })
  if (native.status !== 0 || process.platform !== 'linux') return
  t.equal(native.stdout.trimEnd().split('\n').length, ENTRIES.length)
})

t.test(
  'configuration and data live in one place of the user, whatever was unpacked where',
  async (t) => {
    const home = '/home/some'
    const cases: readonly (readonly [string, object, string])[] = [
      [
        'win32',
        { LOCALAPPDATA: 'C:\\Users\\张三\\AppData\\Local' },
        'C:\\Users\\张三\\AppData\\Local\\Steward',
      ],
      ['linux', {}, '/home/some/.local/share/steward'],
      ['linux', { XDG_DATA_HOME: '/data' }, '/data/steward'],
      ['linux', { XDG_DATA_HOME: '' }, '/home/some/.local/share/steward'],
      ['linux', { STEWARD_PLACE: ' /mine ' }, '/mine'],
      ['win32', { STEWARD_PLACE: 'D:\\mine', LOCALAPPDATA: 'C:\\x' }, 'D:\\mine'],
    ]
    for (const [platform, env, place] of cases) t.equal(placeOf({ platform, env, home }), place)
    t.equal(
      placeOf({ platform: 'win32', env: {}, home: 'C:\\Users\\a' }),
      'C:\\Users\\a\\AppData\\Local\\Steward',
    )
  },
)

t.test('the log-on task: of this user, in the desktop session, without a time limit', async (t) => {
  const xml = taskXml({ account: 'PC\\张三 & Co', app: 'C:\\量化 交易\\s\\app' })
  t.match(
    xml,
    '<LogonTrigger><Enabled>true</Enabled><UserId>PC\\张三 &#38; Co</UserId></LogonTrigger>',
  )
  t.match(xml, '<LogonType>InteractiveToken</LogonType>')
  t.match(xml, '<RunLevel>LeastPrivilege</RunLevel>')
  t.match(xml, '<ExecutionTimeLimit>PT0S</ExecutionTimeLimit>')
  t.match(xml, '<MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>')
  t.match(xml, '<RestartOnFailure>')
  t.match(xml, '<StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>')
  t.match(xml, '<Priority>5</Priority>', 'not below everything else')
  const line =
    '/d /c start "Steward" /min cmd.exe /d /c call "C:\\量化 交易\\s\\app\\autostart.cmd"'
  t.match(xml, `<Arguments>${line.replaceAll('"', '&#34;')}</Arguments>`)
  t.notMatch(xml, /[^\r]\n/)
  const bytes = asUtf16(xml)
  t.strictSame([bytes[0], bytes[1]], [0xff, 0xfe], 'as its first line says')
  t.equal(bytes.toString('utf16le').slice(1), xml)
  t.equal(taskName('张三'), 'Steward (张三)', 'another user of the computer has his own')
  const startup = startupFile('C:\\100%\\app')
  t.match(
    startup,
    /^@chcp 65001 >nul\r\n@start "Steward" \/min .*call "C:\\100%%\\app\\autostart\.cmd"\r\n$/,
  )
})

t.test('on another system the script for Windows says so', async (t) => {
  if (process.platform === 'win32') return
  const script = join(ROOT, 'scripts', 'autostart.mjs')
  const { status, stdout } = spawnSync(process.execPath, [script, 'install'], { encoding: 'utf8' })
  t.strictSame([status, stdout], [2, '仅用于 Windows。\nOnly for Windows.\n'])
})
