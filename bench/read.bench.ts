import { serveBytes } from './baseline/uws.ts'
import { bench } from './kit/bench.ts'
import { type Figures, measure, type Row, rowOf } from './kit/figures.ts'
import { Load } from './kit/load.ts'
import {
  ACCOUNT_COUNTS,
  accountsText,
  answerOf,
  bareFor,
  CONNECTIONS,
  POSITIONS,
  QUOTES_EVERY_MS,
  readJob,
  serveReaders,
  warmUp,
} from './kit/reads.ts'

async function rows(accounts: number, rounds: number): Promise<readonly Row[]> {
  const { directPorts, changesEveryMs, close } = await serveReaders(accounts)
  const answer = await answerOf(directPorts[0] ?? 0)
  const bare = await bareFor(
    directPorts,
    (port) => answerOf(port),
    ({ body, headers }) => serveBytes(body, headers),
  )
  const load = new Load()
  await warmUp(load, directPorts)
  const side = (ports: readonly number[]) => async (): Promise<Figures> => {
    const before = performance.eventLoopUtilization()
    const figures = await load.run(readJob(ports))
    const busy = performance.eventLoopUtilization(before)
    return { ...figures, frontUs: (busy.active / (figures['requests'] ?? 1)) * 1_000 }
  }
  const samples = await measure(rounds, side(directPorts), side(bare.ports))
  await load.close()
  bare.close()
  await close()
  const name = `read, ${accountsText(accounts)}`
  const note = `${POSITIONS} positions, ${answer.body.length} bytes, quotes every ${QUOTES_EVERY_MS} ms, shown at most ${changesEveryMs} ms late, ${CONNECTIONS} connections; in both the market and the accounts' looks at it go on, and there are as many listeners with bytes of their own as accounts`
  return [
    rowOf({ bench: name, unit: 'answers/s', figure: 'perSecond', note }, samples),
    rowOf({ bench: `${name}, p50`, unit: 'µs', figure: 'p50Us' }, samples),
    rowOf({ bench: `${name}, p99`, unit: 'µs', figure: 'p99Us' }, samples),
    rowOf({ bench: `${name}, main thread`, unit: 'µs/answer', figure: 'frontUs' }, samples),
  ]
}

await bench(async ({ rounds }) => {
  const all: Row[] = []
  for (const accounts of ACCOUNT_COUNTS) all.push(...(await rows(accounts, rounds)))
  return all
})
