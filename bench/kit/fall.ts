import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { codeAt, costAt } from './service.ts'

const OPEN = Date.parse('2026-03-02T09:30:00+08:00')
const STEP_MS = 3_000
/** Looks at the quotes of a stock before its market counts as healthy. */
export const CALM_STEPS = 6
/** Below the stop of 7.5 %, inside the limit of 10 %. */
const FALLEN = 0.92

const cents = (yuan: number): number => Math.round(yuan * 100) / 100
/** Market time of the moment at which the stocks of a step fall, epoch ms. */
export const stepMs = (step: number): number => OPEN + (CALM_STEPS + step) * STEP_MS

/** Sales of strategies are on. */
export const STRATEGY = { ENABLE_AUTO_OPERATION: true, ENABLE_AUTO_TRADING: true }

/**
 * A recording in which nothing happens but that, step by step, `each` further stocks fall through
 * their stop; they come last in their step. Answers its file.
 */
export function writeFall(
  folder: string,
  { codes, each }: { codes: number; each: number },
): string {
  const file = join(folder, 'fall.ndjson')
  const steps = codes / each
  const lines: string[] = []
  for (let step = -CALM_STEPS; step < steps; step++) {
    const isFalling = (at: number): boolean => Math.floor(at / each) === step
    const all = Array.from({ length: codes }, (_, at) => at)
    const inOrder = [...all.filter((at) => !isFalling(at)), ...all.filter(isFalling)]
    for (const at of inOrder) lines.push(lineOf(at, step, Math.floor(at / each) <= step))
  }
  writeFileSync(file, `${lines.join('\n')}\n`)
  return file
}

function lineOf(at: number, step: number, hasFallen: boolean): string {
  const close = costAt(at)
  const price = hasFallen ? cents(close * FALLEN) : close
  const levels = [0, 1, 2, 3, 4]
  return JSON.stringify({
    time: stepMs(step),
    stock_code: `${codeAt(at)}.SH`,
    lastPrice: price,
    open: close,
    high: close,
    low: price,
    lastClose: close,
    volume: 100_000,
    amount: 3_000_000,
    bidPrice: levels.map((level) => cents(price - 0.01 * (level + 1))),
    askPrice: levels.map((level) => cents(price + 0.01 * (level + 1))),
    bidVol: levels.map(() => 1_000_000),
    askVol: levels.map(() => 1_000_000),
  })
}
