import t from 'tap'
import { SH } from '../drivers/fixtures/paper.ts'
import { ACCOUNT, FAKE, PYTHON } from '../drivers/xt/rig.ts'
import { account } from './fixture.ts'
import { playStopScene, type StopRig } from './fixtures/stop-scene.ts'
import { openTerminal } from './fixtures/terminal.ts'

t.test('F83 a terminal restarted in the session: quotes are back, the stop sells', async (t) => {
  const folder = t.testdir()
  const terminal = await openTerminal(t, folder)
  const xt = { python: PYTHON, xtquant_path: FAKE }
  const real = { qmt_path: terminal.clientPath, driver: 'xt', xt, call_timeout: 5 }
  const rig: StopRig = {
    folder,
    code: SH.slice(0, 6),
    overrides: {
      accounts: [{ ...account(ACCOUNT, []), paper: undefined, ...real, reconnect_interval: 0.1 }],
      market: { source: 'xt', ...xt, quote_port: terminal.port },
    },
    tick: (last) => {
      const [bid, ask] = [[[last - 0.01, 9_000]], [[last, 9_000]]] as const
      terminal.tick(SH, { last, lastClose: 35.5, bid, ask })
    },
    restartTerminal: async (whileAway) => {
      await terminal.end()
      await whileAway()
      await terminal.startAgain()
    },
    orders: () => terminal.orders,
    watch: (tell) => {
      terminal.quotes.onSubscribe = () => tell('subscribed')
      terminal.onRequest = (method, when) => {
        if (method === 'order' && when === 'before') tell('order')
      }
      terminal.onPush = (name) => {
        if (name === 'on_stock_trade') tell('filled')
        return true
      }
    },
  }
  const { measured } = await playStopScene(t, rig)
  for (const part of ['tick_to_step', 'tick_to_intent', 'step_to_durable', 'durable_to_submit']) {
    t.type(measured[part], 'number', `${part} was measured`)
  }
})
