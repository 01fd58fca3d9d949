import type { AccountLink } from '../http/port/service.ts'
import { Echo } from './baseline/echo.ts'
import { bench } from './kit/bench.ts'
import { type Figures, measure, percentilesUs, perSecond, rowOf, timesUs } from './kit/figures.ts'
import { account, newFolder, removeFolder, serve, settings } from './kit/service.ts'

const ACCOUNTS = 8
const SINGLE_ASKS = 2_000
const MANY_ASKS = 15_000
const IN_FLIGHT = 32
const OPTIONS = { timeoutMs: 5_000, correlationId: 'bench' }

/** Asked past the front's memory, so each goes to the account's thread: its smallest read model. */
const read = (link: AccountLink) => link.ask({ kind: 'read', resource: 'connection' }, OPTIONS)
/** Goes through mailbox and step, changes nothing, so nothing is written. */
const command = (link: AccountLink) =>
  link.ask({ kind: 'saveConfig', changes: {}, source: 'bench' }, OPTIONS)

async function figuresOf(ask: (lane: number) => Promise<unknown>): Promise<Figures> {
  const times = await timesUs(SINGLE_ASKS, () => ask(0))
  const many = await perSecond(MANY_ASKS, IN_FLIGHT, ask)
  return { ...percentilesUs(times), perSecond: many }
}

await bench(async ({ rounds }) => {
  const folder = newFolder()
  const list = Array.from({ length: ACCOUNTS }, (_, index) => account(index, 1))
  const market = { source: 'simulated', interval_ms: 3_600_000 }
  const { service, link } = await serve(folder, settings(folder, list, { market }))
  const echo = new Echo()
  const bare = () => figuresOf(() => echo.ask())
  const links = list.map((_, index) => link(index))
  const one = link(0)
  const reads = await measure(rounds, () => figuresOf(() => read(one)), bare)
  const commands = await measure(rounds, () => figuresOf(() => command(one)), bare)
  const spread = await measure(
    rounds,
    async () => ({
      perSecond: await perSecond(MANY_ASKS, IN_FLIGHT * ACCOUNTS, (lane) =>
        read(links[lane % ACCOUNTS] ?? one),
      ),
    }),
    async () => ({ perSecond: await perSecond(MANY_ASKS, IN_FLIGHT, () => read(one)) }),
  )
  await echo.close()
  await service.stop()
  removeFolder(folder)
  const all = `${ACCOUNTS} accounts`
  const note = `${IN_FLIGHT} in flight to each; the baseline is one account alone`
  return [
    rowOf({ bench: 'ask, read, p50', unit: 'µs', figure: 'p50Us' }, reads),
    rowOf({ bench: 'ask, read, p99', unit: 'µs', figure: 'p99Us' }, reads),
    rowOf({ bench: 'ask, read, 32 in flight', unit: 'asks/s', figure: 'perSecond' }, reads),
    rowOf({ bench: 'ask, command, p50', unit: 'µs', figure: 'p50Us' }, commands),
    rowOf({ bench: 'ask, command, 32 in flight', unit: 'asks/s', figure: 'perSecond' }, commands),
    rowOf({ bench: `ask, read, ${all}`, unit: 'asks/s', figure: 'perSecond', note }, spread),
  ]
})
