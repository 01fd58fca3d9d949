import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { readHistory } from '../../../src/drivers/xt/history.ts'
import {
  cannotStart,
  launchSidecar,
  spawnFailure,
  tooSlow,
} from '../../../src/drivers/xt/launch.ts'
import { askPython, readAnswer } from '../../../src/drivers/xt/python-probe.ts'
import { NEEDS_SIGNALS } from '../../platform.ts'
import { runStarved } from '../../starved.ts'
import { needPython, PYTHON } from './rig.ts'

const nothing = () => undefined
const SILENT = { info: nothing, warn: nothing, error: nothing }
const PATIENT_MS = 60_000
/** As the release that looks for a newer one, and starts without an answer too. */
const CAREFUL = `
try:
    import requests
    __version__ = "has asked"
except Exception:
    __version__ = "asked nobody"
`

const failed = (code: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`spawn failed: ${code}`), { code })

t.test('a program that no folder of PATH holds is missing, whatever the search met', async (t) => {
  const folder = t.testdir()
  writeFileSync(join(folder, 'python-kept'), '')
  const { PATH } = process.env
  process.env['PATH'] = folder
  t.teardown(() => {
    process.env['PATH'] = PATH ?? ''
  })
  t.equal(spawnFailure('no-such-python', failed('EACCES')), 'ENOENT')
  t.equal(spawnFailure('python-kept', failed('EACCES')), 'EACCES', 'it is there, and not for us')
  t.equal(spawnFailure(join(folder, 'none'), failed('EACCES')), 'EACCES', 'a path is not searched')
  t.equal(spawnFailure('no-such-python', failed('ENOENT')), 'ENOENT')
  t.match(cannotStart('no-such-python', failed('EACCES')), { message: /no such program/ })
  t.match(cannotStart('python-kept', failed('EACCES')), { message: /spawn failed: EACCES/ })
})

t.test('F802 a program that the system will not even try is told like any other', async (t) => {
  const python = join(t.testdir({ 'python.exe': '' }), 'python.exe', 'python') // below a file
  const none = { message: /^无法启动 Python（.*没有这个程序.*no such program/ }
  const answer = await askPython(python, '', PATIENT_MS)
  t.match(answer, { text: /ENOENT|没有这个程序/, mend: /accounts\[\]\.xt\.python/ })
  const settings = { role: 'market', token: 'x', xtquant_path: '', limits: {} } as const
  const common = { python, timeoutMs: PATIENT_MS, log: SILENT }
  await t.rejects(launchSidecar({ ...common, settings, masked: [] }), none)
  const wanted = { method: 'bars', code: '600036.SH', period: '1d', start: '', end: '' } as const
  const options = { ...common, xtquantPath: '', quotePort: 0, rowsMax: 1, frameBytesMax: 1 }
  await t.rejects(readHistory(wanted, options), { message: /没有这个程序/ })
  const batch = 'C:\\pyenv-win\\shims\\python.bat'
  t.match(cannotStart(batch, failed('EINVAL')), { message: /批处理.*python\.exe.*a batch file/ })
})

const WINDOWS_APPS = 'C:\\Users\\wang\\AppData\\Local\\Microsoft\\WindowsApps'
const windows = (...files: readonly string[]) => ({
  platform: 'win32' as const,
  path: `C:\\Windows;${WINDOWS_APPS};C:\\Python311`,
  exists: (file: string) => files.includes(file),
})

t.test('the stub of the Microsoft Store is told from a Python that is broken', (t) => {
  const silent = { python: 'python', stdout: '', stderr: '', code: 1 }
  const stub = `${WINDOWS_APPS}\\python.exe`
  const stubs = [
    readAnswer({ ...silent, code: 9_009 }, windows()),
    readAnswer(
      { ...silent, stderr: 'Python was not found; … install from the Microsoft Store …\r\n' },
      windows(),
    ),
    readAnswer(silent, windows(stub, 'C:\\Python311\\python.exe')),
    readAnswer({ ...silent, python: stub }, windows()),
  ]
  for (const answer of stubs) {
    t.match(answer, { text: /stub that opens the Microsoft Store/, mend: /应用执行别名/ })
  }
  const broken = { ...silent, stderr: 'noise\nNo module named encodings\n' }
  const place = windows('C:\\Python311\\python.exe')
  t.match(readAnswer(broken, place), {
    text: '没有应答，退出码 1 (it gave no answer, exit code 1): No module named encodings',
  })
  t.match(readAnswer({ ...silent, code: null }, place), { text: /did not end in time/ })
  t.match(readAnswer({ ...silent, code: 9_009 }, { ...place, platform: 'linux' }), { text: /9009/ })
  t.match(readAnswer({ ...silent, stdout: '{"python":"3.11.9","bits":64}' }, windows(stub)), {
    bits: 64,
  })
  t.end()
})

t.test(
  'a program that says something else than our own ends nothing but itself',
  {
    skip:
      process.platform === 'win32' && 'it is a script that the system can start: not on Windows',
  },
  async (t) => {
    const python = join(t.testdir(), 'no-python')
    writeFileSync(python, `#!${process.execPath}\nconsole.log('hello, no Python here')\n`)
    chmodSync(python, 0o755)
    t.match(await askPython(python, '', PATIENT_MS), {
      text: '没有应答，退出码 0 (it gave no answer, exit code 0): hello, no Python here',
    })
    const settings = { role: 'quote' as const, xtquant_path: '', limits: {}, quote_port: 0 }
    const launching = launchSidecar({
      python,
      settings: settings as never,
      masked: [],
      timeoutMs: PATIENT_MS,
      log: SILENT,
    })
    await t.rejects(launching, { message: /said "hello, no Python here"/ })
  },
)

t.test('a library that is slow to load is not taken for a Python that is missing', (t) => {
  const said = 'noise\ninfo importing xtquant from C:\\qmt\\site-packages\n'
  const ended = { python: 'python', stdout: '', stderr: said, code: null }
  const asked = readAnswer(ended, windows())
  t.match(asked, { text: /Python runs, but xtquant was not loaded in time/, mend: /virus scanner/ })
  t.notMatch(asked, { mend: /install/ })
  t.match(tooSlow(20_000, said), /xtquant 未能在 20000 ms 内加载完毕.*launch_timeout_ms/)
  t.match(tooSlow(20_000, 'noise\n'), /未能在 20000 ms.*the sidecar was not ready within 20000 ms/)
  t.end()
})

t.test(
  'a library that asks the internet when it is imported finds nobody to ask with',
  async (t) => {
    needPython()
    const folder = t.testdir({
      xtquant: { '__init__.py': 'import requests\nprint("has asked")\n' },
      careful: { xtquant: { '__init__.py': CAREFUL } },
    })
    const blunt = await askPython(PYTHON, folder, PATIENT_MS)
    t.match(blunt, { error: /requests/ }, 'it cannot be imported')
    const careful = await askPython(PYTHON, join(folder, 'careful'), PATIENT_MS)
    t.match(careful, { xtquant: { version: 'asked nobody' } })
  },
)

const ASKED_STARVED = `
  import { askPython } from '${new URL('../../../src/drivers/xt/python-probe.ts', import.meta.url).href}'
  starve(0)
  const { text } = await askPython('python3', '', 60_000)
  process.stdout.write(text)
`

t.test('F712 a Python that no descriptor is left for is told as that', NEEDS_SIGNALS, async (t) => {
  const { stdout, stderr } = runStarved(t.testdir(), ASKED_STARVED)
  t.match({ stdout, stderr }, { stdout: /EMFILE/, stderr: '' })
})
