import { join } from 'node:path'
import t from 'tap'
import { readHistory } from '../../../src/drivers/xt/history.ts'
import { SH } from '../fixtures/paper.ts'
import { FAKE, NO_TABLES, PYTHON, XtRig } from './rig.ts'

const DAY = { code: SH, period: '1d', start: '20260801', end: '' } as const
const optionsOf = (rig: XtRig) => ({
  python: PYTHON,
  xtquantPath: FAKE,
  quotePort: rig.terminal.port,
  log: rig.log,
  timeoutMs: 20_000,
  rowsMax: 1_000,
  frameBytesMax: 1_048_576,
})

t.test('bars are read in a process of their own, volumes in shares', async (t) => {
  const rig = await XtRig.open({ folder: t.testdir() })
  t.teardown(() => rig.close())
  const asked: unknown[] = []
  rig.terminal.fault = (method, fields) => {
    if (method === 'history') asked.push(fields['period'])
    return undefined
  }
  const { bars, count } = await readHistory({ method: 'bars', ...DAY }, optionsOf(rig))
  t.equal(count, 2)
  const [first] = bars
  t.strictSame(first, [
    Date.parse('2026-08-10T00:00:00+08:00'),
    35,
    36.5,
    34.8,
    36,
    12_000_000,
    430_000_000,
  ])
  await readHistory({ method: 'bars', ...DAY, period: '60m' }, optionsOf(rig))
  t.strictSame(asked, ['1d', '1h'], 'an hour has another name there')
})

t.test('a download tells how far it is, and what is there afterwards', async (t) => {
  const rig = await XtRig.open({ folder: t.testdir() })
  t.teardown(() => rig.close())
  const progress: (readonly [number, number])[] = []
  const onProgress = (done: number, total: number) => void progress.push([done, total])
  const { bars, count } = await readHistory(
    { method: 'download', ...DAY },
    { ...optionsOf(rig), onProgress },
  )
  t.strictSame(progress, [
    [0, 1],
    [1, 1],
  ])
  t.strictSame([bars.length, count], [0, 2])
})

t.test('a native assertion ends that process and nothing else', async (t) => {
  const rig = await XtRig.open({ folder: t.testdir() })
  t.teardown(() => rig.close())
  rig.terminal.fault = (method) => (method === 'history' ? 'abort' : undefined)
  await t.rejects(readHistory({ method: 'bars', ...DAY }, optionsOf(rig)), {
    message: /the library of the trading client ended its process/,
  })
})

t.test('what takes too long, or is canceled, ends', async (t) => {
  const rig = await XtRig.open({ folder: t.testdir() })
  t.teardown(() => rig.close())
  const canceling = new AbortController()
  rig.terminal.fault = (method) => {
    if (method !== 'history') return undefined
    canceling.abort()
    return 'hang'
  }
  const options = { ...optionsOf(rig), signal: canceling.signal }
  await t.rejects(readHistory({ method: 'bars', ...DAY }, options), { message: /canceled/ })
  await t.rejects(readHistory({ method: 'bars', ...DAY }, { ...optionsOf(rig), timeoutMs: 1 }), {
    message: /not finished within 1 ms/,
  })
  const missing = { ...optionsOf(rig), python: 'no-such-python' }
  await t.rejects(readHistory({ method: 'bars', ...DAY }, missing), {
    message: /cannot start Python \(no-such-python\)/,
  })
})

t.test('a Python without numpy and pandas has no history, and says what to install', async (t) => {
  const rig = await XtRig.open({ folder: t.testdir() })
  const before = process.env['PYTHONPATH'] ?? ''
  process.env['PYTHONPATH'] = NO_TABLES
  t.teardown(async () => {
    process.env['PYTHONPATH'] = before
    await rig.close()
  })
  await t.rejects(readHistory({ method: 'bars', ...DAY }, optionsOf(rig)), {
    message: /pip install numpy pandas.*No module named 'numpy'/,
  })
})

t.test(
  'F345 a Python that says something of its own gives no history, and ends nothing else',
  async (t) => {
    const rig = await XtRig.open({ folder: t.testdir() })
    const before = process.env['PYTHONPATH'] ?? ''
    t.teardown(async () => {
      process.env['PYTHONPATH'] = before
      await rig.close()
    })
    const said = { words: 'print("hello, this is a lab computer")', nothing: 'print("\\0" * 8)' }
    for (const [name, line] of Object.entries(said)) {
      process.env['PYTHONPATH'] = join(t.testdir({ [name]: { 'sitecustomize.py': line } }), name)
      await t.rejects(readHistory({ method: 'bars', ...DAY }, optionsOf(rig)), {
        message: /history of .*: not a frame of a sidecar/,
      })
    }
  },
)
