import { serveBytes } from './baseline/uws.ts'
import { bench } from './kit/bench.ts'
import { measure, median, type Row, rowOf } from './kit/figures.ts'
import { Load } from './kit/load.ts'
import { ACCOUNT_COUNTS, accountsText, readJob, serveReaders, warmUp } from './kit/reads.ts'

/** Clients that send back the tag of their last answer. */
async function rows(accounts: number, rounds: number): Promise<readonly Row[]> {
  const { directPorts, close } = await serveReaders(accounts)
  const hello = await serveBytes(Buffer.from('Hello'), {})
  const load = new Load()
  await warmUp(load, directPorts)
  const samples = await measure(
    rounds,
    () => load.run(readJob(directPorts, true)),
    () => load.run(readJob([hello.port])),
  )
  await load.close()
  hello.close()
  await close()
  const shares = samples.ours.map(({ unchanged = 0, requests = 1 }) => unchanged / requests)
  if (!shares.every((share) => share > 0)) throw new Error('nothing was answered with 304')
  const name = `read-304, ${accountsText(accounts)}`
  const note = `${Math.round(median(shares) * 100)} % of the answers were 304; the baseline says hello, without any header of ours`
  return [
    rowOf({ bench: name, unit: 'answers/s', figure: 'perSecond', note }, samples),
    rowOf({ bench: `${name}, p50`, unit: 'µs', figure: 'p50Us' }, samples),
  ]
}

await bench(async ({ rounds }) => {
  const all: Row[] = []
  for (const accounts of ACCOUNT_COUNTS) all.push(...(await rows(accounts, rounds)))
  return all
})
