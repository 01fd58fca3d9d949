import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { cannotStart, launchSidecar, spawnFailure } from '../../../src/drivers/xt/launch.ts'
import { askPython, readAnswer } from '../../../src/drivers/xt/python-probe.ts'

const nothing = () => undefined
const SILENT = { info: nothing, warn: nothing, error: nothing }
const PATIENT_MS = 60_000

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
    text: 'it gave no answer (exit code 1: No module named encodings)',
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
      text: 'it gave no answer (exit code 0: hello, no Python here)',
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
