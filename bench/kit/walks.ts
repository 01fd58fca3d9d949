import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { exchangeDay } from '../../src/domain/exchange-time.ts'
import type { StockCode } from '../../src/domain/instrument.ts'
import { type Price, UNITS_PER_YUAN } from '../../src/domain/money.ts'
import { startWalk, stepWalk, tickOfWalk, type Walk } from '../../src/market/walk.ts'
import { codeAt, costAt } from './service.ts'

const OPEN = Date.parse('2026-03-02T09:30:00+08:00')
/** Each price moves so often: ten times a second. */
export const WALK_STEP_MS = 100
/** Below the stop of 7.5 %, inside the limit of 10 %. */
const FALLEN = 0.92
const CHUNK_CHARACTERS = 262_144

/** Market time of a step, epoch ms. */
export const walkStepMs = (step: number): number => OPEN + step * WALK_STEP_MS

/** A last price below this has fallen: half way between the cost and the stop, ten-thousandths of a yuan. */
export const fallenBelow = (index: number): Price =>
  Math.round(costAt(index) * UNITS_PER_YUAN * 0.95) as Price

export interface Walks {
  /** All of them move at every step. */
  readonly codes: number
  readonly steps: number
  /** In which step a code falls through its stop; it moves on below it. */
  readonly falls: ReadonlyMap<number, number>
}

/** A recording in which every price takes the random steps of the simulated market. Answers its file. */
export function writeWalks(folder: string, { codes, steps, falls }: Walks): string {
  const file = join(folder, 'walks.ndjson')
  const handle = openSync(file, 'w')
  const day = exchangeDay(OPEN)
  const walks = Array.from({ length: codes }, (_, at) => walkOf(at, day))
  let lines = ''
  for (let step = 0; step < steps; step++) {
    for (const [at, before] of walks.entries()) {
      const walk = stepWalk(falls.get(at) === step ? fallen(before, at) : before, day)
      walks[at] = walk
      lines += `${JSON.stringify(tickOfWalk(walk, walkStepMs(step)))}\n`
    }
    if (lines.length < CHUNK_CHARACTERS) continue
    writeSync(handle, lines)
    lines = ''
  }
  writeSync(handle, lines)
  closeSync(handle)
  return file
}

const walkOf = (at: number, day: string): Walk =>
  startWalk({
    code: `${codeAt(at)}.SH` as StockCode,
    seed: 1,
    day,
    hint: costAt(at) * UNITS_PER_YUAN,
  })

function fallen(walk: Walk, at: number): Walk {
  const price = (Math.round(costAt(at) * FALLEN * 100) * (UNITS_PER_YUAN / 100)) as Price
  return { ...walk, price, low: price }
}
