import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { gunzipSync, inflateRawSync } from 'node:zlib'
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

/** Path, content and mode of everything that the directory at the end of a zip lists. */
function readZip(zip: Buffer) {
  const end = zip.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'))
  let at = zip.readUInt32LE(end + 16)
  return Array.from({ length: zip.readUInt16LE(end + 10) }, () => {
    const [nameLength, extra, comment] = [28, 30, 32].map((offset) => zip.readUInt16LE(at + offset))
    const path = zip.toString('utf8', at + 46, at + 46 + (nameLength ?? 0))
    const start = zip.readUInt32LE(at + 42)
    const from = start + 30 + zip.readUInt16LE(start + 26) + zip.readUInt16LE(start + 28)
    const packed = zip.subarray(from, from + zip.readUInt32LE(at + 20))
    const found = {
      path,
      text: (zip.readUInt16LE(at + 10) === 8 ? inflateRawSync(packed) : packed).toString(),
      mode: zip.readUInt16LE(at + 40),
      isUtf8: (zip.readUInt16LE(at + 8) & 0x800) !== 0,
      date: zip.readUInt16LE(at + 14),
    }
    at += 46 + (nameLength ?? 0) + (extra ?? 0) + (comment ?? 0)
    return found
  })
}

t.test(
  'a zip: every entry whole, sorted, with one date, and the same bytes each time',
  async (t) => {
    const dir = t.testdir()
    const files = [join(dir, 'a.zip'), join(dir, 'b.zip')] as const
    await writeZip(files[0], ENTRIES, TIME)
    await writeZip(files[1], ENTRIES.toReversed(), TIME)
    const found = readZip(readFileSync(files[0]))
    t.strictSame(
      found.map(({ path }) => path),
      SORTED,
    )
    for (const { path, bytes, isProgram } of ENTRIES) {
      const one = found.find((each) => each.path === path)
      t.equal(one?.text, bytes.toString())
      t.equal(one?.mode, isProgram ? 0o100755 : 0o100644)
    }
    t.equal(found.find(({ path }) => path.includes('请先读我'))?.isUtf8, true)
    t.equal(new Set(found.map(({ date }) => date)).size, 1)
    t.equal(await sha256Of(files[0]), await sha256Of(files[1]))
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
