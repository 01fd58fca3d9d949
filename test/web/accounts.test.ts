import t from 'tap'
import { type ConsoleRow, consoleAddress, modeOf, stoppable } from '../../web/console/accounts.ts'

const HERE = {
  protocol: 'http:',
  hostname: '127.0.0.1',
  screen: '/positions',
  look: 'en.dark.red.wan',
}
const row = (more: object = {}) =>
  ({
    account_id: 'A',
    port: 5_001,
    is_this: false,
    is_here: true,
    overview: null,
    ...more,
  }) as ConsoleRow

t.test('another account is the same screen at its own port, where one is known', (t) => {
  t.equal(consoleAddress(row(), HERE), 'http://127.0.0.1:5001/#/positions?look=en.dark.red.wan')
  t.equal(consoleAddress(row({ port: null }), HERE), undefined)
  t.equal(consoleAddress(row({ is_this: true }), HERE), undefined)
  t.end()
})

t.test('whether money is real is what the account itself has said', (t) => {
  const cases = [
    [null, 'unknown'],
    [{ simulation_mode: true, driver: 'xt' }, 'simulation'],
    [{ simulation_mode: false, driver: 'paper' }, 'paper'],
    [{ simulation_mode: false, driver: 'xt' }, 'live'],
  ] as const
  for (const [overview, mode] of cases) t.equal(modeOf(row({ overview })), mode)
  t.end()
})

t.test('what another process runs is not stopped from here', (t) => {
  const rows = [row(), row({ account_id: 'B', is_here: false })]
  t.strictSame(
    stoppable(rows).map(({ account_id: id }) => id),
    ['A'],
  )
  t.end()
})
