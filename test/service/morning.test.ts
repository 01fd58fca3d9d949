import t from 'tap'
import { SH } from '../drivers/fixtures/paper.ts'
import { ACCOUNT, FAKE, PYTHON } from '../drivers/xt/rig.ts'
import { account, type Json, until } from './fixture.ts'
import { comingMorningMs } from './fixtures/coming-morning.ts'
import { Computer } from './fixtures/computer.ts'
import { openTerminal } from './fixtures/terminal.ts'

const QUOTE_EVERY_MS = 100

const is = (name: string) => (link: Json) => String(link[name]) === 'true'

t.test(
  'F95 a login in the morning: connected before the next attempt is due, stops on',
  async (t) => {
    const here = Date.now
    const rightMs = comingMorningMs(here()) - here()
    Date.now = () => here() + rightMs
    t.teardown(() => {
      Date.now = here
    })
    const folder = t.testdir()
    const terminal = await openTerminal(t, folder)
    process.env['FAKE_XT_QUOTE_PORT'] = String(terminal.port) // found again by the library, as on Windows
    t.teardown(() => delete process.env['FAKE_XT_QUOTE_PORT'])
    let last = 36
    const trading = setInterval(() => {
      const [bid, ask] = [[[last - 0.01, 9_000]], [[last, 9_000]]] as const
      terminal.tick(SH, { last, lastClose: 35.5, bid, ask })
    }, QUOTE_EVERY_MS)
    t.teardown(() => clearInterval(trading))
    const xt = { python: PYTHON, xtquant_path: FAKE }
    const real = { qmt_path: terminal.clientPath, driver: 'xt', xt, call_timeout: 5 }
    const computer = new Computer(t, {
      folder,
      rightMs,
      overrides: {
        accounts: [
          { ...account(ACCOUNT, []), paper: undefined, ...real, reconnect_interval: 3_600 },
        ],
        market: { source: 'xt', ...xt, quote_port: terminal.port },
        strategy: { ENABLE_SIMULATION_MODE: false, ENABLE_AUTO_TRADING: true },
        limits: { account: { reconnect_session_cap_ms: 30_000 }, xt: { poll_ms: 100 } },
      },
    })
    await computer.start()
    const link = async () => (await computer.get('status')).body['connection'] as unknown as Json
    await until(link, is('connected'))
    await until(
      () => computer.volume(),
      (volume) => volume === 1_050,
    )

    await until(
      async () => terminal.quotes.standing,
      (count) => count > 0,
    )
    await terminal.end() // as terminals do in the night
    const waiting = await until(
      link,
      (found) => is('waiting_for_terminal')(found) && Number(found['failures']) > 0,
    )
    t.match(waiting, { connected: false, disconnected_since: Number, last_failure: String })
    const dueMs = Number(waiting['next_attempt_at']) * 1_000
    t.ok(dueMs - Date.now() <= 30_000, 'in an hour by the back-off, within the limit of the hours')

    const sessions = terminal.sessions.length
    await terminal.startAgain()
    await until(link, is('connected'))
    t.ok(Date.now() < dueMs, 'its quotes said that the terminal is back')
    t.equal(terminal.sessions.length, sessions + 1, 'one attempt')

    t.equal((await computer.post('monitor/start')).status, 200)
    last = 32.3 // 8 % below the cost
    await until(
      () => computer.volume(),
      (volume) => volume === undefined,
    )
    t.equal(terminal.orders, 1, 'the stop has sold once')
    await computer.stop()
  },
)
