import { fork } from 'node:child_process'
import { once } from 'node:events'
import { bench } from './kit/bench.ts'
import { type Figures, rowOf } from './kit/figures.ts'

const PROCESS = new URL('./kit/memory.process.ts', import.meta.url)
const FEW = 1
const MANY = 11
const POSITIONS = 100

/** Megabytes of a process with so many accounts, once they are ready. */
async function megabytes(accounts: number, positions: number): Promise<number> {
  const child = fork(PROCESS, [String(accounts), String(positions)], {
    execArgv: [...process.execArgv, '--expose-gc'],
  })
  const exited = once(child, 'exit')
  const [bytes] = (await once(child, 'message')) as [number]
  await exited
  return bytes / 2 ** 20
}

/** Of one more account: two processes that differ in nothing but their number. */
async function eachMb(positions: number): Promise<number> {
  const few = await megabytes(FEW, positions)
  return ((await megabytes(MANY, positions)) - few) / (MANY - FEW)
}

// No round warms up: every process is a new one.
await bench(async ({ rounds }) => {
  const ours: Figures[] = []
  for (let round = 0; round < rounds; round++) {
    ours.push({ idle: await eachMb(0), holding: await eachMb(POSITIONS) })
  }
  const samples = { ours, baseline: [] }
  const note = `resident memory of ${MANY} accounts less that of ${FEW}, ${MANY - FEW} threads apart, ready and collected`
  return [
    rowOf({ bench: 'memory, an idle account', unit: 'MB', figure: 'idle', note }, samples),
    rowOf({ bench: `memory, ${POSITIONS} positions`, unit: 'MB', figure: 'holding' }, samples),
  ]
})
