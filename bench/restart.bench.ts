import { setTimeout as delay } from 'node:timers/promises'
import { Echo } from './baseline/echo.ts'
import { bench } from './kit/bench.ts'
import { type Figures, measure, quantile, rowOf } from './kit/figures.ts'
import { Load } from './kit/load.ts'
import {
  account,
  newFolder,
  removeFolder,
  type Served,
  serve,
  settings,
  untilReady,
} from './kit/service.ts'

const POSITIONS = 100
const CONNECTIONS = 4
const PACE_MS = 2
const ROUND_MS = 800
const SPAWNS = 5
const HANGS = 5
const ANSWER_MS_MAX = 20_000
/** Between two looks whether an account is back: a loop without a rest would take the core that the others are read on. */
const LOOK_EVERY_MS = 1
/** Longer than a hang is looked for: an ask that gives up first would be taken for one that was found. */
const OPTIONS = { timeoutMs: ANSWER_MS_MAX, correlationId: 'bench' }
/** The first account of the configuration has the first row of the actor board. */
const SLOT = 1

/** Throws inside the account and asks until the next incarnation answers; milliseconds to that, and to ready. */
async function kill({ service, link }: Served): Promise<readonly [number, number]> {
  const { system } = service
  const one = link(0)
  const incarnation = system.board.incarnation(SLOT)
  const startMs = performance.now()
  system.supervisor.fault(`account/${one.accountId}`, 'throw')
  for (;;) {
    if (performance.now() - startMs > ANSWER_MS_MAX) throw new Error('the account stays away')
    const isNext = system.board.incarnation(SLOT) > incarnation
    if (isNext && (await answers(one))) break
    await delay(LOOK_EVERY_MS)
  }
  const answerMs = performance.now() - startMs
  await untilReady(one)
  return [answerMs, performance.now() - startMs]
}

/** Lets the account hang; milliseconds until whoever waits for it hears that it is being restarted. */
async function hang({ service, link }: Served): Promise<number> {
  const one = link(0)
  const startMs = performance.now()
  service.system.supervisor.fault(`account/${one.accountId}`, 'loop')
  // The word to hang comes by another port than the question, which may be answered before it.
  while (await answers(one)) {
    if (performance.now() - startMs > ANSWER_MS_MAX) throw new Error('the account does not hang')
  }
  const foundMs = performance.now() - startMs
  while (!(await answers(one))) {
    if (performance.now() - startMs > ANSWER_MS_MAX) throw new Error('the account stays away')
    await delay(LOOK_EVERY_MS)
  }
  await untilReady(one)
  return foundMs
}

/**
 * The back-off between restarts is what the service waits on purpose, and the number of restarts what it allows
 * itself: neither is what is measured. Every other limit is the default one.
 */
const limits = {
  runtime: { restart_backoff_min_ms: 1, restart_backoff_max_ms: 1, restart_intensity: 1_000 },
}
const serveBreakable = (folder: string, accounts: readonly object[]): Promise<Served> =>
  serve(folder, settings(folder, accounts, { limits }), { allowFaults: true })

async function hangMs(): Promise<readonly number[]> {
  const folder = newFolder()
  const served = await serveBreakable(folder, [account(0, POSITIONS)])
  const found: number[] = []
  for (let at = 0; at < HANGS; at++) found.push(await hang(served))
  await served.service.stop()
  removeFolder(folder)
  return found
}

const answers = (one: ReturnType<Served['link']>): Promise<boolean> =>
  one.ask({ kind: 'read', resource: 'connection' }, OPTIONS).then(
    () => true,
    () => false,
  )

async function bareMs(): Promise<number> {
  const startMs = performance.now()
  const echo = new Echo()
  await echo.ask()
  const ms = performance.now() - startMs
  await echo.close()
  return ms
}

await bench(async ({ rounds }) => {
  const folder = newFolder()
  const list = [account(0, POSITIONS), account(1, POSITIONS)]
  const served = await serveBreakable(folder, list)
  const load = new Load()
  const other = () =>
    load.run({
      ports: [served.directPorts[1] ?? 0],
      connections: CONNECTIONS,
      method: 'GET',
      path: '/api/positions-all',
      paceMs: PACE_MS,
      ms: ROUND_MS,
    })
  const calm = async (): Promise<Figures> => {
    const before = await other()
    const spawns: number[] = []
    for (let at = 0; at < SPAWNS; at++) spawns.push(await bareMs())
    spawns.sort((left, right) => left - right)
    return { p99Us: before['p99Us'] ?? 0, answerMs: quantile(spawns, 0.5), readyMs: 0 }
  }
  const killed = async (): Promise<Figures> => {
    const times: (readonly [number, number])[] = []
    const kills = async (): Promise<void> => {
      const endMs = performance.now() + ROUND_MS
      while (performance.now() < endMs) times.push(await kill(served))
    }
    const [during] = await Promise.all([other(), kills()])
    const answered = times.map(([ms]) => ms).sort((left, right) => left - right)
    const ready = times.map(([, ms]) => ms).sort((left, right) => left - right)
    return {
      p99Us: during['p99Us'] ?? 0,
      answerMs: quantile(answered, 0.5),
      answerWorstMs: quantile(answered, 1),
      readyMs: quantile(ready, 0.5),
    }
  }
  const samples = await measure(rounds, killed, calm)
  await load.close()
  await served.service.stop()
  removeFolder(folder)
  const hangs = (await hangMs()).map((ms) => ({ ms }))
  const oursOnly = { ours: samples.ours, baseline: [] }
  const note = `killed again as soon as it is ready, back-off 1 ms, ${POSITIONS} positions; the baseline is a bare worker from its start to its first answer`
  const p99Note = 'the baseline is the same load while nobody is killed'
  return [
    rowOf({ bench: 'restart, answers again', unit: 'ms', figure: 'answerMs', note }, samples),
    rowOf(
      { bench: 'restart, answers again, worst', unit: 'ms', figure: 'answerWorstMs' },
      oursOnly,
    ),
    rowOf(
      { bench: 'restart, a hang is found', unit: 'ms', figure: 'ms' },
      { ours: hangs, baseline: [] },
    ),
    rowOf({ bench: 'restart, ready to trade', unit: 'ms', figure: 'readyMs' }, oursOnly),
    rowOf(
      { bench: 'restart, reads of the other, p99', unit: 'µs', figure: 'p99Us', note: p99Note },
      samples,
    ),
  ]
})
