import t from 'tap'
import { SETTINGS, SH } from '../drivers/fixtures/paper.ts'
import { ACCOUNT, FAKE, PYTHON } from '../drivers/xt/rig.ts'
import { account, until } from './fixture.ts'
import { comingMorningMs } from './fixtures/coming-morning.ts'
import { CLOCK_LIMITS, Computer, isUnmoved } from './fixtures/computer.ts'
import { openTerminal } from './fixtures/terminal.ts'

const DAY_MS = 86_400_000
const QUOTE_EVERY_MS = 100

t.test('F17 at a real client: a clock that is wrong for seconds sells nothing again', async (t) => {
  const here = Date.now
  const rightMs = comingMorningMs(here()) - here()
  Date.now = () => here() + rightMs
  t.teardown(() => {
    Date.now = here
  })
  const folder = t.testdir()
  const terminal = await openTerminal(t, folder)
  // The exchange goes on whatever the computer's clock shows.
  const trading = setInterval(() => {
    const [bid, ask] = [[[35.99, 9_000]], [[36, 9_000]]] as const
    terminal.tick(SH, { last: 36, lastClose: 35.5, bid, ask })
  }, QUOTE_EVERY_MS)
  t.teardown(() => clearInterval(trading))
  const xt = { python: PYTHON, xtquant_path: FAKE }
  const real = { qmt_path: terminal.clientPath, driver: 'xt', xt, call_timeout: 5 }
  const computer = new Computer(t, {
    folder,
    rightMs,
    overrides: {
      accounts: [{ ...account(ACCOUNT, []), paper: undefined, ...real, reconnect_interval: 0.1 }],
      market: { source: 'xt', ...xt, quote_port: terminal.port },
      strategy: { ENABLE_SIMULATION_MODE: false },
      limits: { market: CLOCK_LIMITS },
    },
  })
  await computer.start()
  const first = await until(
    () => computer.sell('first'),
    ({ body }) => Number(body['success_count']) === 1,
  )
  const held = SETTINGS.positions.find(({ stock_code }) => SH.startsWith(stock_code))?.volume ?? 0
  const left = held - 100
  await until(
    () => computer.volume(),
    (volume) => volume === left,
  )
  for (const wrongMs of [4 * DAY_MS, -4 * DAY_MS]) {
    computer.wrongMs = wrongMs
    await computer.untilHeld(true)
    await isUnmoved(t, computer, { first, left })
    computer.wrongMs = 0
    await computer.untilHeld(false)
    await isUnmoved(t, computer, { first, left })
  }
  t.equal(terminal.orders, 1, 'one order came to the terminal')
})
