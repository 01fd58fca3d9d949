import t, { type Test } from 'tap'
import type { Finding } from '../../../src/domain/finding.ts'
import { limits, market } from '../../../src/drivers/xt/config.ts'
import { examine } from '../../../src/drivers/xt/doctor.ts'
import { FAKE, NO_TABLES, PYTHON, XtRig } from './rig.ts'
import type { Terminal } from './terminal.ts'

const PROBE = '000001.SZ'

/** What the doctor says of a market at a terminal, by what it looked at. */
async function said(t: Test, prepare: (terminal: Terminal) => void = () => undefined) {
  const folder = t.testdir()
  const rig = await XtRig.open({ folder })
  t.teardown(() => rig.close())
  prepare(rig.terminal)
  rig.terminal.tick(PROBE, { last: 11.02, lastClose: 11 })
  const quotes = { python: PYTHON, xtquant_path: FAKE, quote_port: rig.terminal.port }
  const setup = {
    dataDir: folder,
    accounts: [],
    market: market.parse({ source: 'xt', ...quotes }),
    limits: { xt: limits.parse({}), account: { connect_timeout_ms: 10_000, reconnect_turn_ms: 0 } },
  }
  const findings: Finding[] = []
  await examine(setup, (found) => void findings.push(...found))
  return Object.fromEntries(findings.map((finding) => [finding.name, finding]))
}

t.test('the doctor names price and age of a quote, and what history needs', async (t) => {
  const found = await said(t, ({ quotes }) => {
    quotes.answersOnlySubscribed = true
    quotes.tickTime = 'timetag'
  })
  t.match(found['quotes'], { status: 'ok', text: /000001\.SZ is quoted 11\.02, dated 20/ })
  t.match(found['history'], { status: 'ok', text: 'numpy 0.0-fake, pandas 0.0-fake' })
})

t.test('the doctor tells what is refused, and what history lacks', async (t) => {
  const before = process.env['PYTHONPATH'] ?? ''
  process.env['PYTHONPATH'] = NO_TABLES
  t.teardown(() => {
    process.env['PYTHONPATH'] = before
  })
  const found = await said(t, ({ quotes }) => {
    quotes.tickTime = 'none'
  })
  t.match(found['quotes'], { status: 'fail', text: /are refused\): no time/ })
  t.match(found['history'], {
    status: 'warn',
    text: /numpy \(ModuleNotFoundError: No module named 'numpy'\), pandas/,
    mend: /-m pip install numpy pandas/,
  })
})
