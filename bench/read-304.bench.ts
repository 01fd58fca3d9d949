import { type Conditional, serveConditional } from './baseline/uws.ts'
import { bench } from './kit/bench.ts'
import { measure, median, type Row, rowOf } from './kit/figures.ts'
import { Load } from './kit/load.ts'
import {
  ACCOUNT_COUNTS,
  accountsText,
  answerOf,
  bareFor,
  readJob,
  serveReaders,
  warmUp,
} from './kit/reads.ts'

const TRIES_MAX = 100

/** Two real answers: one with the bytes, and one to a client that has them before they change again. */
async function answersOf(port: number, changesEveryMs: number): Promise<Conditional> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const { body, headers: whole } = await answerOf(port)
    const { etag = '', ...headers } = whole
    const { status, headers: short } = await answerOf(port, etag)
    const { etag: _, ...unchangedHeaders } = short
    if (status === 304) return { body, headers, unchangedHeaders, changesEveryMs }
  }
  throw new Error('nothing was answered with 304')
}

/** Clients that send back the tag of their last answer. */
async function rows(accounts: number, rounds: number): Promise<readonly Row[]> {
  const { directPorts, changesEveryMs, close } = await serveReaders(accounts)
  const bare = await bareFor(
    directPorts,
    (port) => answersOf(port, changesEveryMs),
    serveConditional,
  )
  const load = new Load()
  await warmUp(load, directPorts)
  const samples = await measure(
    rounds,
    () => load.run(readJob(directPorts, true)),
    () => load.run(readJob(bare.ports, true)),
  )
  await load.close()
  bare.close()
  await close()
  const [ours = 0, theirs = 0] = [samples.ours, samples.baseline].map((all) =>
    median(all.map(({ unchanged = 0, requests = 1 }) => unchanged / requests)),
  )
  if (ours === 0 || theirs === 0) throw new Error('nothing was answered with 304')
  const name = `read-304, ${accountsText(accounts)}`
  const note = `${Math.round(ours * 100)} % of the answers were 304, of the baseline ${Math.round(theirs * 100)} %: it reads all headers, compares the tag, which changes every ${changesEveryMs} ms, and writes the headers of ours`
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
