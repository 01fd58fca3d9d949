import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { BigqmtRig, TOKEN } from '../drivers/bigqmt/rig.ts'
import { SH } from '../drivers/fixtures/paper.ts'
import { ACCOUNT } from '../drivers/xt/rig.ts'
import { account } from './fixture.ts'
import { CLOCK_LIMITS } from './fixtures/computer.ts'
import { playStopScene, type StopRig } from './fixtures/stop-scene.ts'

for (const transport of ['socket', 'files'] as const) {
  t.test(
    `F100 over ${transport}: a full terminal restarted in the session: quotes are back, the stop sells`,
    async (t) => {
      const folder = t.testdir()
      const full = await BigqmtRig.open({ folder, transport })
      t.teardown(() => full.close())
      const { terminal } = full
      full.host.close() // here the service itself comes
      const home = join(folder, 'data', ACCOUNT, 'bigqmt')
      mkdirSync(home, { recursive: true })
      writeFileSync(join(home, 'token'), TOKEN)
      const bigqmt = { transport, port: full.port, folder: full.scriptFolder }
      const real = { qmt_path: 'bigqmt', driver: 'bigqmt', bigqmt, call_timeout: 5 }
      const overrides = {
        accounts: [{ ...account(ACCOUNT, []), paper: undefined, ...real, reconnect_interval: 0.1 }],
        market: { source: 'bigqmt' },
        // No look at the quotes helps out: the fall has to be pushed.
        limits: { market: CLOCK_LIMITS, bigqmt: { beat_ms: 500, tick_ms: 20, poll_ms: 600_000 } },
      }
      const rig: StopRig = {
        folder,
        code: SH.slice(0, 6),
        overrides,
        tick: (last) => {
          const [bid, ask] = [[[last - 0.01, 9_000]], [[last, 9_000]]] as const
          terminal.tick(SH, { last, lastClose: 35.5, bid, ask })
        },
        restartTerminal: async (whileAway) => {
          await full.kill()
          await whileAway()
          await full.start()
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
      await playStopScene(t, rig)
    },
  )
}
